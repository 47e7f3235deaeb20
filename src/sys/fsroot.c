/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Below "/" a path is opened as it is. Below any other root the kernel resolves it as chroot(2)
 * would (openat2, RESOLVE_IN_ROOT), so a captured tree with absolute links means its own files and
 * no path of it can reach the machine's.
 *
 * State files are not fsynced: they live in /run, in memory. A process that dies loses nothing that
 * it has written, and a machine that loses power loses the host settings they describe as well.
 */
#include "sys/fsroot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/memory.h"
#include "base/text.h"

#define READ_MAX ((size_t)64 << 20)

/* For messages: the path as the user can type it. */
#define SHOWN_FORMAT	   "%s/%s"
#define SHOWN(root, where) fit_fsroot_shown(root), relative(where)

const char *fit_fsroot_shown(const struct fit_fsroot *root)
{
	if (root->real)
		return "";
	return root->shown_as ? root->shown_as : root->path;
}

static const char *relative(const char *path)
{
	return path + strspn(path, "/");
}

int fit_fsroot_openat(const struct fit_fsroot *root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)flags | O_CLOEXEC,
		.mode = flags & O_CREAT ? 0600 : 0,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	path = relative(path);
	if (!*path)
		path = ".";
	if (root->real)
		return openat(root->fd, path, flags | O_CLOEXEC, 0600);
	/* EAGAIN: a rename elsewhere raced with the resolution of "..". */
	do
		fd = syscall(SYS_openat2, root->fd, path, &how, sizeof(how));
	while (fd < 0 && errno == EAGAIN);
	return (int)fd;
}

/* The directory that holds the last component of @path; *ret_name points at that component. */
static int open_parent(const struct fit_fsroot *root, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	fit_autofree char *parent = fit_xstrndup(path, slash ? (size_t)(slash - path) : 0);

	*ret_name = slash ? slash + 1 : path;
	return fit_fsroot_openat(root, parent, O_PATH | O_DIRECTORY);
}

int fit_fsroot_open(const char *path, struct fit_fsroot *ret_root, struct fit_err *err)
{
	struct stat here, slash;
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return fit_err_sys(err, errno, "cannot open the root directory '%s'", path);
	if (fstat(fd, &here) < 0 || stat("/", &slash) < 0) {
		int errnum = errno;

		close(fd);
		return fit_err_sys(err, errnum, "cannot examine the root directory '%s'", path);
	}
	*ret_root = (struct fit_fsroot){
		.fd = fd,
		.path = fit_xstrdup(path),
		.real = here.st_dev == slash.st_dev && here.st_ino == slash.st_ino,
	};
	return 0;
}

void fit_fsroot_close(struct fit_fsroot *root)
{
	if (root->path)
		close(root->fd);
	free(root->path);
	*root = (struct fit_fsroot){.fd = -1};
}

static int open_to_read(const struct fit_fsroot *root, const char *path)
{
	/* A named pipe in a captured tree must not stop us. */
	return fit_fsroot_openat(root, path, O_RDONLY | O_NOCTTY | (root->real ? 0 : O_NONBLOCK));
}

/* Reads on until @size bytes are there or the file ends. 0 or an errno. */
static int fill(int fd, char *text, size_t size, size_t *length)
{
	while (*length < size) {
		ssize_t got = read(fd, text + *length, size - *length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		if (got == 0)
			break;
		*length += (size_t)got;
	}
	return 0;
}

/* 0 or an errno: callers that probe for optional files need no message. */
static int read_whole(
	const struct fit_fsroot *root, const char *path, char **ret_text, size_t *ret_length)
{
	fit_autoclose int fd = open_to_read(root, path);
	char first[4096]; /* nearly all files of the kernel fit, thousands of them are read */
	size_t capacity = sizeof(first), length = 0;
	fit_autofree char *text = NULL;
	int errnum = fd < 0 ? errno : fill(fd, first, capacity, &length);

	if (errnum)
		return errnum;
	text = fit_xcalloc(1, length + 1);
	memcpy(text, first, length);
	while (length == capacity) {
		capacity *= 2;
		text = realloc(text, capacity + 1);
		if (!text)
			abort();
		errnum = fill(fd, text, capacity, &length);
		if (errnum)
			return errnum;
		if (length > READ_MAX)
			return EFBIG;
	}
	text[length] = '\0';
	*ret_text = FIT_STEAL(text);
	*ret_length = length;
	return 0;
}

int fit_fsroot_read(const struct fit_fsroot *root, const char *path, char **ret_text,
	size_t *ret_length, struct fit_err *err)
{
	int errnum = read_whole(root, path, ret_text, ret_length);

	if (errnum)
		return fit_err_sys(err, errnum, "cannot read " SHOWN_FORMAT, SHOWN(root, path));
	return 0;
}

/* Cuts trailing white space; NULL when nothing is left. */
static char *trimmed(char *text, size_t length)
{
	while (length && strchr(" \t\r\n", text[length - 1]))
		text[--length] = '\0';
	return length ? text : NULL;
}

char *fit_fsroot_try_read(const struct fit_fsroot *root, const char *path)
{
	fit_autofree char *text = NULL;
	size_t length = 0;

	if (read_whole(root, path, &text, &length) != 0 || !trimmed(text, length))
		return NULL;
	return FIT_STEAL(text);
}

char *fit_fsroot_try_read_start(const struct fit_fsroot *root, const char *path, size_t max)
{
	fit_autoclose int fd = open_to_read(root, path);
	fit_autofree char *text = fit_xcalloc(1, max + 1);
	ssize_t got = fd < 0 ? -1 : read(fd, text, max);

	return got > 0 && trimmed(text, (size_t)got) ? FIT_STEAL(text) : NULL;
}

bool fit_fsroot_try_read_int(const struct fit_fsroot *root, const char *path, int64_t *ret_value)
{
	fit_autofree char *text = fit_fsroot_try_read(root, path);
	bool negative = text && *text == '-';
	uint64_t value;

	if (!text || !fit_parse_uint(text + negative, INT64_MAX, &value))
		return false;
	*ret_value = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

static int before(const struct fit_fsroot *root, const char *path, const char *value)
{
	const struct fit_fs_observer *observer = root->observer;

	return observer && observer->before
		       ? observer->before(observer->context, relative(path), value)
		       : 0;
}

static void after(const struct fit_fsroot *root, const char *path, const char *value)
{
	const struct fit_fs_observer *observer = root->observer;

	if (observer && observer->after)
		observer->after(observer->context, relative(path), value);
}

/* One write(2): the kernel takes each write to an attribute as a whole value. 0 or an errno. */
static int write_value(const struct fit_fsroot *root, const char *path, const char *value)
{
	fit_autofree char *line = fit_xasprintf("%s\n", value);
	fit_autoclose int fd =
		fit_fsroot_openat(root, path, O_WRONLY | O_NOCTTY | (root->real ? 0 : O_TRUNC));
	size_t length = strlen(line);
	ssize_t written;

	if (fd < 0)
		return errno;
	written = write(fd, line, length);
	if (written < 0)
		return errno;
	return (size_t)written == length ? 0 : EIO;
}

int fit_fsroot_write(
	const struct fit_fsroot *root, const char *path, const char *value, struct fit_err *err)
{
	int errnum = before(root, path, value);

	if (!errnum)
		errnum = write_value(root, path, value);
	if (errnum)
		return fit_err_sys(err, errnum, "cannot write '%s' to " SHOWN_FORMAT, value,
			SHOWN(root, path));
	after(root, path, value);
	return 0;
}

int fit_fsroot_stat(const struct fit_fsroot *root, const char *path, struct stat *ret_status)
{
	fit_autoclose int fd = fit_fsroot_openat(root, path, O_PATH);

	return fd < 0 ? -1 : fstat(fd, ret_status);
}

bool fit_fsroot_exists(const struct fit_fsroot *root, const char *path)
{
	fit_autoclose int fd = fit_fsroot_openat(root, path, O_PATH);

	return fd >= 0;
}

bool fit_fsroot_has_link(const struct fit_fsroot *root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS,
	};
	fit_autoclose int fd =
		(int)syscall(SYS_openat2, root->fd, relative(path), &how, sizeof(how));

	return fd < 0 && errno != ENOENT && errno != ENOTDIR;
}

bool fit_fsroot_is_buffered(const struct fit_fsroot *root, const char *path)
{
	struct stat status;
	fit_autoclose int fd = -1;

	if (fit_fsroot_stat(root, path, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	fd = fit_fsroot_openat(root, path, O_RDONLY | O_NONBLOCK | O_DIRECT);
	return fd < 0 && errno == EINVAL;
}

int fit_fsroot_link(
	const struct fit_fsroot *root, const char *path, const char *target, struct fit_err *err)
{
	const char *name;
	fit_autoclose int directory = open_parent(root, path, &name);

	if (directory >= 0)
		unlinkat(directory, name, 0);
	if (directory < 0 || symlinkat(target, directory, name) < 0)
		return fit_err_sys(
			err, errno, "cannot make the link " SHOWN_FORMAT, SHOWN(root, path));
	return 0;
}

char *fit_fsroot_link_target(const struct fit_fsroot *root, const char *path)
{
	fit_autoclose int fd = fit_fsroot_openat(root, path, O_PATH | O_NOFOLLOW);
	char target[4096];
	ssize_t length;

	if (fd < 0)
		return NULL;
	/* ENOENT for what is no link: the empty path reads the link that fd is. */
	length = readlinkat(fd, "", target, sizeof(target) - 1);
	return length > 0 ? fit_xstrndup(target, (size_t)length) : NULL;
}

char *fit_fsroot_link_name(const struct fit_fsroot *root, const char *path)
{
	fit_autofree char *target = fit_fsroot_link_target(root, path);
	const char *slash = target ? strrchr(target, '/') : NULL;

	return slash ? fit_xstrdup(slash + 1) : FIT_STEAL(target);
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

int fit_fsroot_list(const struct fit_fsroot *root, const char *path, struct fit_strlist *ret_names,
	struct fit_err *err)
{
	struct fit_strlist names = {0};
	int fd = fit_fsroot_openat(root, path, O_RDONLY | O_DIRECTORY);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!directory) {
		int errnum = errno;

		fit_close_fd(&fd);
		return fit_err_sys(err, errnum, "cannot list " SHOWN_FORMAT, SHOWN(root, path));
	}
	while ((entry = readdir(directory)))
		if (!fit_streq(entry->d_name, ".") && !fit_streq(entry->d_name, ".."))
			fit_strlist_add(&names, entry->d_name);
	closedir(directory);
	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items), compare_names);
	*ret_names = names;
	return 0;
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t written = write(fd, text, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return errno;
		text += written;
		length -= (size_t)written;
	}
	return 0;
}

/* 0 or an errno. The temporary name is fixed, so a crash leaves one file at most, which the next
 * call replaces; writers of state hold the lock. */
static int replace_file(
	const struct fit_fsroot *root, const char *path, const char *text, size_t length)
{
	const char *name;
	fit_autoclose int directory = open_parent(root, path, &name);
	fit_autofree char *temporary = NULL;
	int errnum;
	int fd;

	if (directory < 0)
		return errno;
	temporary = fit_xasprintf(".%s.new", name);
	if (unlinkat(directory, temporary, 0) < 0 && errno != ENOENT)
		return errno;
	fd = openat(
		directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	errnum = write_all(fd, text, length);
	if (close(fd) < 0 && !errnum)
		errnum = errno;
	if (!errnum && renameat(directory, temporary, directory, name) < 0)
		errnum = errno;
	if (errnum)
		unlinkat(directory, temporary, 0);
	return errnum;
}

int fit_fsroot_replace(const struct fit_fsroot *root, const char *path, const char *text,
	size_t length, struct fit_err *err)
{
	int errnum = before(root, path, text);

	if (!errnum)
		errnum = replace_file(root, path, text, length);
	if (errnum)
		return fit_err_sys(err, errnum, "cannot write " SHOWN_FORMAT, SHOWN(root, path));
	after(root, path, text);
	return 0;
}

/* Makes one directory whose parent exists; one that is there already is fine. 0 or an errno. */
static int make_directory(const struct fit_fsroot *root, const char *path, unsigned int mode)
{
	const char *name;
	fit_autoclose int existing = fit_fsroot_openat(root, path, O_PATH | O_DIRECTORY);
	fit_autoclose int parent = -1;

	if (existing >= 0)
		return 0;
	if (errno != ENOENT)
		return errno;
	parent = open_parent(root, path, &name);
	if (parent < 0)
		return errno;
	return mkdirat(parent, name, mode) == 0 || errno == EEXIST ? 0 : errno;
}

int fit_fsroot_make_directories(
	const struct fit_fsroot *root, const char *path, unsigned int mode, struct fit_err *err)
{
	fit_autoclose int existing = fit_fsroot_openat(root, path, O_PATH | O_DIRECTORY);
	fit_autofree char *prefix = fit_xstrdup(relative(path));
	char *end = prefix;
	bool last;

	if (existing >= 0)
		return 0;
	do {
		int errnum;

		end += strcspn(end, "/");
		last = !end[strspn(end, "/")];
		*end = '\0';
		errnum = make_directory(root, prefix, mode);
		if (errnum)
			return fit_err_sys(err, errnum, "cannot make the directory " SHOWN_FORMAT,
				SHOWN(root, prefix));
		if (!last)
			*end++ = '/';
	} while (!last);
	return 0;
}

int fit_fsroot_remove(const struct fit_fsroot *root, const char *path, struct fit_err *err)
{
	const char *name;
	fit_autoclose int directory = open_parent(root, path, &name);
	int errnum = directory < 0 ? errno : before(root, path, NULL);

	if (!errnum && unlinkat(directory, name, 0) < 0)
		errnum = errno;
	if (errnum == ENOENT)
		return 0;
	if (errnum)
		return fit_err_sys(err, errnum, "cannot remove " SHOWN_FORMAT, SHOWN(root, path));
	after(root, path, NULL);
	return 0;
}

void fit_fsroot_remove_empty_directory(const struct fit_fsroot *root, const char *path)
{
	const char *name;
	fit_autoclose int directory = open_parent(root, path, &name);

	if (directory >= 0)
		(void)unlinkat(directory, name, AT_REMOVEDIR);
}
