/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One lock for everybody who changes the host. The kernel drops it when its holder dies. */
#ifndef FIT_SYS_LOCK_H
#define FIT_SYS_LOCK_H

#include <stdint.h>

#include "base/err.h"
#include "sys/fsroot.h"

/* Waits until @deadline (clock.h). The directory must exist. */
int fit_lock_take(
	const struct fit_fsroot *root, int64_t deadline, int *ret_fd, struct fit_err *err);
void fit_lock_drop(int fd);

#endif
