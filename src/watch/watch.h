/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watcher: keeps every definition that requests something fitted, and the interrupts of running
 * domains' devices where they belong.
 *
 *   main thread    libvirt's event loop: events, keep-alive, files and devices that change,
 *                  signals. It does nothing but put what happened into the queue
 *   worker         takes what is due out of the queue and does it, on a connection of its own
 *   starters       one thread for each domain that is being started, which takes seconds
 *   follower       looks for interrupts, without libvirt
 *
 * Nothing is kept that could not be found again: a watcher that is killed and started anew looks at
 * all domains, honours the requests that are there, and gives back what dead domains hold.
 */
#ifndef FIT_WATCH_WATCH_H
#define FIT_WATCH_WATCH_H

#include "base/err.h"
#include "sys/fsroot.h"
#include "sys/profile_store.h"

struct fit_watch_options {
	const char *connect; /* libvirt's URI; NULL: the system's QEMU driver */
	bool other_host;     /* the root is not this machine's */
	struct fit_fsroot *root;
	struct fit_profile_store *store;
};

#define FIT_WATCH_URI "qemu:///system"

/* Until a signal ends it. */
int fit_watch_run(const struct fit_watch_options *options, struct fit_err *err);

#endif
