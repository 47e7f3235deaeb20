/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All access to the machine's files goes through a root handle: "/" in production, a captured or
 * generated tree with --sysroot. Below another root than "/", absolute symlinks and ".." cannot
 * leave it (openat2 RESOLVE_IN_ROOT). Paths are relative to the root, with or without leading
 * slash.
 */
#ifndef FIT_SYS_FSROOT_H
#define FIT_SYS_FSROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strlist.h"

/* Tests watch all changes, play the kernel that reacts to them, and make them fail. `before`
 * returning an errno makes the change fail with it without happening; `after` runs when it has
 * happened. @path has no leading slash; @value is what is written (by fit_fsroot_replace: the
 * content), NULL for fit_fsroot_remove. */
struct fit_fs_observer {
	int (*before)(void *context, const char *path, const char *value);
	void (*after)(void *context, const char *path, const char *value);
	void *context;
};

struct fit_fsroot {
	int fd;
	char *path;				/* as given, for messages */
	const char *shown_as;			/* instead of `path` in messages; NULL: the path */
	bool real;				/* it is "/" */
	const struct fit_fs_observer *observer; /* NULL outside tests */
};

int fit_fsroot_open(const char *path, struct fit_fsroot *ret_root, struct fit_err *err);
void fit_fsroot_close(struct fit_fsroot *root);

/* What stands before a path of the root in messages: "" for "/". */
const char *fit_fsroot_shown(const struct fit_fsroot *root);

/* open(2) below the root, with mode 0600 for O_CREAT: a descriptor, or -1 with errno. For what the
 * functions below cannot do. */
int fit_fsroot_openat(const struct fit_fsroot *root, const char *path, int flags);

/* The whole of a file (sysfs, procfs or regular; at most 64 MiB), NUL-terminated. *ret_text is to
 * be freed. Error: FIT_ERR_SYSTEM with errno in sys_errno (ENOENT, EACCES, …) and the path. */
int fit_fsroot_read(const struct fit_fsroot *root, const char *path, char **ret_text,
	size_t *ret_length, struct fit_err *err);

/* The file's text without trailing white space, or NULL when it does not exist, cannot be read or
 * is empty: for values that may be absent. To be freed. */
char *fit_fsroot_try_read(const struct fit_fsroot *root, const char *path);
/* Same for what one read(2) of at most @max bytes gives: procfs makes long files piece by piece. */
char *fit_fsroot_try_read_start(const struct fit_fsroot *root, const char *path, size_t max);
bool fit_fsroot_try_read_int(const struct fit_fsroot *root, const char *path, int64_t *ret_value);

/* One write(2) of the whole value and a newline, as echo(1) does, into an existing file: never
 * creates. (The newline also clears: sysfs ignores zero-length writes.) Below a fake root the file
 * is truncated first, so that it then reads as the kernel would show it. */
int fit_fsroot_write(
	const struct fit_fsroot *root, const char *path, const char *value, struct fit_err *err);

struct stat;
/* stat(2); -1 and errno on failure. */
int fit_fsroot_stat(const struct fit_fsroot *root, const char *path, struct stat *ret_status);

/* Is it a regular file that open(2) refuses with O_DIRECT? */
bool fit_fsroot_is_buffered(const struct fit_fsroot *root, const char *path);

bool fit_fsroot_exists(const struct fit_fsroot *root, const char *path);

/* Is a component of @path, the last one included, a symlink? Also true when that cannot be told. */
bool fit_fsroot_has_link(const struct fit_fsroot *root, const char *path);

/* Makes a symlink, in place of what is no directory there. */
int fit_fsroot_link(
	const struct fit_fsroot *root, const char *path, const char *target, struct fit_err *err);

/* A symlink's target, or NULL when it is none. To be freed. */
char *fit_fsroot_link_target(const struct fit_fsroot *root, const char *path);

/* Last component of a symlink's target, or NULL when it is none. To be freed. */
char *fit_fsroot_link_name(const struct fit_fsroot *root, const char *path);

/* Names in a directory, without "." and "..", sorted by strverscmp(3); -1 with ENOENT etc. */
int fit_fsroot_list(const struct fit_fsroot *root, const char *path, struct fit_strlist *ret_names,
	struct fit_err *err);

/* State files. replace: written as ".NAME.new", then renamed, mode 0600, so that a reader or a
 * crash sees the old or the new content. A file that is already gone can be removed. */
int fit_fsroot_replace(const struct fit_fsroot *root, const char *path, const char *text,
	size_t length, struct fit_err *err);
int fit_fsroot_make_directories(
	const struct fit_fsroot *root, const char *path, unsigned int mode, struct fit_err *err);
int fit_fsroot_remove(const struct fit_fsroot *root, const char *path, struct fit_err *err);
/* One that is not empty, or not there, stays as it is. */
void fit_fsroot_remove_empty_directory(const struct fit_fsroot *root, const char *path);

#endif
