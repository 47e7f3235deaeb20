/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fd.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/domain.h"
#include "sys/paths.h"
#include "sys/statefile.h"

#define KIND "request"

static struct flock whole_file(void)
{
	return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

int fit_watcher_claim(const struct fit_fsroot *root, int *ret_fd, struct fit_err *err)
{
	struct flock lock = whole_file();
	fit_autoclose int fd = -1;

	/* It watches both. */
	if (fit_fsroot_make_directories(root, FIT_PATH_REQUESTS, 0700, err) < 0 ||
		fit_fsroot_make_directories(root, FIT_PATH_DOMAINS, 0700, err) < 0)
		return -1;
	fd = fit_fsroot_openat(root, FIT_PATH_WATCHER, O_RDWR | O_CREAT | O_NOFOLLOW);
	if (fd < 0)
		return fit_err_sys(err, errno, "cannot open /" FIT_PATH_WATCHER);
	if (fcntl(fd, F_OFD_SETLK, &lock) < 0) {
		if (errno == EAGAIN || errno == EACCES)
			return fit_err_set(err, FIT_ERR_REFUSED,
				"the watcher runs already (it holds /" FIT_PATH_WATCHER
				"); 'systemctl stop virt-fit' ends the service");
		return fit_err_sys(err, errno, "cannot lock /" FIT_PATH_WATCHER);
	}
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* Asks, without taking the lock for a moment, which could turn a watcher away. */
bool fit_watcher_runs(const struct fit_fsroot *root)
{
	struct flock lock = whole_file();
	fit_autoclose int fd = fit_fsroot_openat(root, FIT_PATH_WATCHER, O_RDWR | O_NOFOLLOW);

	return fd >= 0 && fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static char *path_of(const char *uuid)
{
	return fit_xasprintf(FIT_PATH_REQUESTS "/%s", uuid);
}

static char *boot_id(const struct fit_fsroot *root)
{
	char *text = fit_fsroot_try_read(root, FIT_PATH_BOOT_ID);

	return text ? text : fit_xstrdup("unknown");
}

/* The file says when it was written, because the time of day, which its own times are of, can be
 * set. */
static int64_t seconds_since_boot(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec;
}

void fit_start_request_clear(struct fit_start_request *request)
{
	free(request->name);
	*request = (struct fit_start_request){0};
}

int fit_start_request_put(
	const struct fit_fsroot *root, const char *uuid, const char *name, struct fit_err *err)
{
	fit_autofree char *path = path_of(uuid);
	fit_autofree char *boot = boot_id(root);
	fit_autostrlist struct fit_strlist words = {0};
	fit_autobuffer struct fit_buffer text = {0};

	fit_statefile_begin(&text, KIND, boot);
	fit_strlist_add(&words, "name");
	fit_strlist_add(&words, name);
	fit_statefile_add(&text, &words);
	fit_strlist_clear(&words);
	fit_strlist_add(&words, "at");
	fit_strlist_addf(&words, "%lld", (long long)seconds_since_boot());
	fit_statefile_add(&text, &words);
	fit_statefile_end(&text);
	if (fit_fsroot_make_directories(root, FIT_PATH_REQUESTS, 0700, err) < 0)
		return -1;
	return fit_fsroot_replace(root, path, text.text, text.length, err);
}

static bool take(void *context, const struct fit_strlist *words)
{
	struct fit_start_request *request = context;
	uint64_t at;

	if (words->count != 2)
		return false;
	if (fit_streq(words->items[0], "name")) {
		fit_xreplace(&request->name, words->items[1]);
		return true;
	}
	if (!fit_streq(words->items[0], "at") || !fit_parse_uint(words->items[1], INT64_MAX, &at))
		return false;
	request->age_s = seconds_since_boot() - (int64_t)at;
	return true;
}

int fit_start_request_read(const struct fit_fsroot *root, const char *uuid,
	struct fit_start_request *ret_request, struct fit_err *err)
{
	fit_autofree char *path = path_of(uuid);
	fit_autofree char *boot = boot_id(root);
	fit_autofree char *text = NULL;
	/* One that does not say when it was written is as old as can be. */
	struct fit_start_request request = {.age_s = INT64_MAX};
	struct fit_err problem = FIT_ERR_INIT;
	struct stat info;
	size_t length;

	if (fit_fsroot_stat(root, path, &info) < 0)
		return 0;
	if (fit_fsroot_read(root, path, &text, &length, &problem) < 0 ||
		fit_statefile_parse(text, path, KIND, boot, take, &request, &problem) < 0) {
		fit_start_request_clear(&request);
		if (problem.code == FIT_ERR_NOTFOUND || problem.sys_errno == ENOENT)
			return 0;
		return fit_err_set(err, problem.code, "%s", problem.message);
	}
	request.inode = info.st_ino;
	request.written = info.st_mtim;
	*ret_request = request;
	return 1;
}

void fit_start_request_remove(
	const struct fit_fsroot *root, const char *uuid, const struct fit_start_request *request)
{
	fit_autofree char *path = path_of(uuid);
	struct stat info;

	if (fit_fsroot_stat(root, path, &info) == 0 && info.st_ino == request->inode &&
		info.st_mtim.tv_sec == request->written.tv_sec &&
		info.st_mtim.tv_nsec == request->written.tv_nsec)
		(void)fit_fsroot_remove(root, path, NULL);
}

void fit_start_request_list(const struct fit_fsroot *root, struct fit_strlist *ret_uuids)
{
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_list(root, FIT_PATH_REQUESTS, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.count; i++)
		if (fit_uuid_is_valid(names.items[i]))
			fit_strlist_add(ret_uuids, names.items[i]);
}
