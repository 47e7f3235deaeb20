/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irqbalance, told through its socket which CPUs and interrupts it is to leave alone. It is never
 * started, stopped or restarted; what it was told is gone when somebody else restarts it.
 *
 * A connection has one command. Only "setup" is answered, and by some releases only when a scan is
 * over, seconds later; what was told shows in its answers at the next scan.
 */
#ifndef FIT_SYS_IRQBALANCE_H
#define FIT_SYS_IRQBALANCE_H

#include <stdbool.h>

#include "base/err.h"
#include "sys/fsroot.h"
#include "sys/state.h"

enum fit_irqbalance_list {
	FIT_IRQBALANCE_CPUS,
	FIT_IRQBALANCE_IRQS,
};

/* Below another root than "/", a file stands for it. */
bool fit_irqbalance_runs(const struct fit_fsroot *root);

/* The socket's name, which has the process id in it; NULL: none runs. To be freed. */
char *fit_irqbalance_find(const struct fit_fsroot *root);

/* What it leaves alone: "2-3" or "24 25", or "none". NULL when it does not answer. To be freed. */
char *fit_irqbalance_read(const struct fit_fsroot *root, enum fit_irqbalance_list list);

/* Does it answer now? Waits for that, so not for who holds the lock. */
bool fit_irqbalance_answers(const struct fit_fsroot *root);

/* Tells it. That it has taken it in cannot be seen at once. */
int fit_irqbalance_write(const struct fit_fsroot *root, enum fit_irqbalance_list list,
	const char *value, struct fit_err *err);

/* Parts of the answer and of the commands, for the tests. To be freed; NULL when malformed. */
char *fit_irqbalance_parse(const char *setup, enum fit_irqbalance_list list);
char *fit_irqbalance_command(enum fit_irqbalance_list list, const char *value);

/* After it was restarted: tells the new one what domains have claimed; what the new one left alone
 * before is the baseline from then on. For whoever notices (a service; the hook does not wait). */
int fit_irqbalance_reassert(struct fit_state *state, struct fit_err *err);

#endif
