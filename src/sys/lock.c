/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/paths.h"

/* Holders are quick except when they create VFs, which takes seconds. */
#define RETRY_MS 5

int fit_lock_take(const struct fit_fsroot *root, int64_t deadline, int *ret_fd, struct fit_err *err)
{
	int fd = fit_fsroot_openat(root, FIT_PATH_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW);

	if (fd < 0)
		return fit_err_sys(err, errno, "cannot open the lock /" FIT_PATH_LOCK);
	/* Polling instead of a blocking flock(2): that could only be ended by a signal. */
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int errnum = errno;

		if (errnum == EINTR)
			continue;
		if (errnum == EWOULDBLOCK && fit_clock_wait(RETRY_MS, deadline))
			continue;
		close(fd);
		if (errnum == EWOULDBLOCK)
			return fit_err_set(err, FIT_ERR_SYSTEM,
				"another virt-fit is changing the host and did not finish in time "
				"(it holds the lock /" FIT_PATH_LOCK ")");
		return fit_err_sys(err, errnum, "cannot lock /" FIT_PATH_LOCK);
	}
	*ret_fd = fd;
	return 0;
}

void fit_lock_drop(int fd)
{
	if (fd >= 0)
		close(fd);
}
