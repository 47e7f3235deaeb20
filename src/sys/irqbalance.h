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

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sys/fsroot.h"

struct fit_journal;
struct fit_state;

enum fit_irqbalance_list {
	FIT_IRQBALANCE_CPUS,
	FIT_IRQBALANCE_IRQS,
};

/* Below another root than "/", a file stands for it. */
bool fit_irqbalance_runs(const struct fit_fsroot *root);

/* The socket's name, which has the process id in it; NULL: none runs. To be freed. */
char *fit_irqbalance_find(const struct fit_fsroot *root);

/* What it said when it was asked. */
struct fit_irqbalance_answer {
	char *cpus;  /* what it leaves alone: "2-3", or "none"; NULL: it did not answer */
	char *irqs;  /* the same: "24 25" */
	size_t room; /* bytes that a command may have; 0: it did not answer */
};

void fit_irqbalance_answer_clear(struct fit_irqbalance_answer *answer);

/* Waits, for @wait_ms and a little more at most: not for who holds the lock. */
void fit_irqbalance_ask(
	const struct fit_fsroot *root, int wait_ms, struct fit_irqbalance_answer *ret_answer);

/* As fit_state_open(), by who may tell it something. It is asked before the lock is taken, if there
 * is a reason to: it is about to be told (@tells), or was told something. */
int fit_irqbalance_open_state(const struct fit_fsroot *root, bool tells, int64_t wait_ms,
	int64_t work_ms, struct fit_state *ret_state, struct fit_err *err);

/* How many more bytes it would take for the interrupts of @journal, if it were told of those of the
 * other domains, and what it left alone before. */
size_t fit_irqbalance_room(const struct fit_state *state, const struct fit_journal *journal);

/* Tells it, in a command of @room bytes at most (0: not known). That it has taken it in cannot be
 * seen at once. */
int fit_irqbalance_write(const struct fit_fsroot *root, enum fit_irqbalance_list list,
	const char *value, size_t room, struct fit_err *err);

/* Parts of the answer and of the commands, for the tests. To be freed; NULL when malformed. */
char *fit_irqbalance_parse(const char *setup, enum fit_irqbalance_list list);
char *fit_irqbalance_command(enum fit_irqbalance_list list, const char *value);

/* Has it been told of a domain, or is it to be told when it answers? */
bool fit_irqbalance_is_claimed(const struct fit_state *state);

/* Is it to be told of a domain that started while it did not answer? */
bool fit_irqbalance_is_awaited(const struct fit_state *state);

/* After it was restarted, or did not answer when a domain started: tells it what domains have
 * claimed; what it left alone before is the baseline from then on. Does nothing when it has not
 * been asked, or did not answer. For whoever notices (a service; the hook does not wait). */
int fit_irqbalance_reassert(struct fit_state *state, struct fit_err *err);

#endif
