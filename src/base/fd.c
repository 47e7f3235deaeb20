/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/fd.h"

#include <errno.h>
#include <unistd.h>

void fit_close_fd(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}
