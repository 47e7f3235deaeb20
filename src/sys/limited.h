/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes to files of the kernel that can take for ever: a driver that is told to give up a device
 * waits until nobody uses it, compaction goes through all memory. A process of its own does the
 * write and is killed when the time is over; one that the kernel does not let die until then is
 * left to it.
 */
#ifndef FIT_SYS_LIMITED_H
#define FIT_SYS_LIMITED_H

#include <stdint.h>

#include "base/err.h"
#include "sys/fsroot.h"

/* fit_fsroot_write() until @deadline (see sys/clock.h); ETIMEDOUT then. The write itself may still
 * happen later. */
int fit_limited_write(const struct fit_fsroot *root, const char *path, const char *value,
	int64_t deadline, struct fit_err *err);

#endif
