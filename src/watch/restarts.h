/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When irqbalance is restarted, by whomever, it has a new socket, in a directory that systemd makes
 * for it and takes away with it. So there are messages of the kernel about both, but only while
 * somebody needs them: others make files beside that directory.
 */
#ifndef FIT_WATCH_RESTARTS_H
#define FIT_WATCH_RESTARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/fsroot.h"

/* A new irqbalance opens its socket later than it makes it. */
#define FIT_RESTARTS_SETTLE_MS 2000

struct fit_restarts {
	int inotify; /* -1: the kernel has none to give */
	int socket;  /* watch of its directory; -1: none */
	int parent;  /* watch of the one above, while that is not there; -1 */
	bool needed;
	bool now;    /* it is to be told something at once */
	int64_t due; /* when to tell it all anew; FIT_QUEUE_NEVER */
};

void fit_restarts_init(struct fit_restarts *restarts);
void fit_restarts_clear(struct fit_restarts *restarts);

/* Begins and ends. When it begins it is due: it may have been restarted while nobody looked. */
void fit_restarts_watch(
	struct fit_restarts *restarts, const struct fit_fsroot *root, bool needed, int64_t now);

/* Takes what the kernel has said. */
void fit_restarts_notice(struct fit_restarts *restarts, const struct fit_fsroot *root, int64_t now);

/* Is it to be told something? Asked once. */
bool fit_restarts_take(struct fit_restarts *restarts, int64_t now);

#endif
