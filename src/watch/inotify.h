/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel has to say of watched files (inotify(7)). */
#ifndef FIT_WATCH_INOTIFY_H
#define FIT_WATCH_INOTIFY_H

#include <stdbool.h>
#include <sys/inotify.h>

/* @name: of the file, in a directory that is watched; else "". */
typedef bool (*fit_inotify_taker)(
	void *context, const struct inotify_event *event, const char *name);

/* Takes all events that are there of a descriptor that does not block. Was one of them taken with
 * true? */
bool fit_inotify_take(int fd, fit_inotify_taker take, void *context);

#endif
