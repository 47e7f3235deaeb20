/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Configuration decides what root writes: a file or directory of it that its group or others may
 * write, or that neither root nor the caller owns, is refused.
 */
#ifndef FIT_SYS_TRUSTED_H
#define FIT_SYS_TRUSTED_H

#include <fcntl.h>
#include <stddef.h>

#include "base/err.h"

struct stat;

/* How to open such a file. O_NONBLOCK: a named pipe must not stop us. */
#define FIT_TRUSTED_OPEN (O_RDONLY | O_NOCTTY | O_NONBLOCK)

/* Only root and the caller can have changed what @info describes. @path is for messages. */
int fit_trusted_check(const char *path, const struct stat *info, struct fit_err *err);

/* The whole of a regular file that can be trusted; the text is to be freed. */
int fit_trusted_read(
	int fd, const char *path, char **ret_text, size_t *ret_length, struct fit_err *err);

#endif
