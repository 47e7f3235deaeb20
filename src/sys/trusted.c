/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/trusted.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"

int fit_trusted_check(const char *path, const struct stat *info, struct fit_err *err)
{
	fit_autofree char *quoted = NULL;

	if (info->st_uid != 0 && info->st_uid != geteuid())
		return fit_err_set(err, FIT_ERR_REFUSED,
			"%s belongs to user %u: it decides what root writes, so only root's "
			"and your own files are read",
			path, info->st_uid);
	if (!(info->st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	quoted = fit_shell_quote(path);
	return fit_err_set(err, FIT_ERR_REFUSED,
		"%s can be written by %s (mode %04o): it decides what root writes; "
		"chmod go-w %s",
		path, info->st_mode & S_IWOTH ? "others" : "its group", info->st_mode & 07777,
		quoted);
}

int fit_trusted_read(
	int fd, const char *path, char **ret_text, size_t *ret_length, struct fit_err *err)
{
	fit_autofree char *text = NULL;
	size_t length = 0;
	struct stat info;
	ssize_t got;

	if (fstat(fd, &info) < 0)
		return fit_err_sys(err, errno, "cannot examine %s", path);
	if (!S_ISREG(info.st_mode))
		return fit_err_set(err, FIT_ERR_REFUSED, "%s is not a regular file", path);
	if (fit_trusted_check(path, &info, err) < 0)
		return -1;
	if (info.st_size > (off_t)FIT_XML_SIZE_MAX)
		return fit_err_set(err, FIT_ERR_INVALID, "%s has %lld bytes, the limit is %u MiB",
			path, (long long)info.st_size, FIT_XML_SIZE_MAX / (1024 * 1024));
	text = fit_xcalloc(1, (size_t)info.st_size + 1);
	while (length < (size_t)info.st_size &&
		(got = read(fd, text + length, (size_t)info.st_size - length)) != 0) {
		if (got > 0)
			length += (size_t)got;
		else if (errno != EINTR)
			return fit_err_sys(err, errno, "cannot read %s", path);
	}
	*ret_text = FIT_STEAL(text);
	*ret_length = length;
	return 0;
}
