/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/profile_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/request.h"
#include "sys/paths.h"
#include "sys/trusted.h"

#define SUFFIX ".xml"

static const char *shipped_directory(const struct fit_profile_store *store)
{
	return store->shipped ? store->shipped : FIT_SHIPPED_PROFILES;
}

/* The directory, or with @name the profile's file in it, as the user can type it. To be freed. */
static char *path_of(const struct fit_profile_store *store, bool etc, const char *name)
{
	const char *above = etc ? fit_fsroot_shown(store->root) : "";
	const char *directory = etc ? "/" FIT_PATH_ETC_PROFILES : shipped_directory(store);

	return fit_xasprintf("%s%s%s%s%s", above, directory, name ? "/" : "", name ? name : "",
		name ? SUFFIX : "");
}

#define READ FIT_TRUSTED_OPEN

/* To see whether there is something; the kernel accepts no other flags with these. */
#define LOOK (O_PATH | O_NOFOLLOW)

/* A descriptor, or -1 with errno. */
static int open_path(const struct fit_profile_store *store, bool etc, const char *name, int flags)
{
	fit_autofree char *path = NULL;

	if (etc) {
		path = fit_xasprintf(FIT_PATH_ETC_PROFILES "%s%s%s", name ? "/" : "",
			name ? name : "", name ? SUFFIX : "");
		return fit_fsroot_openat(store->root, path, flags);
	}
	path = path_of(store, false, name);
	return open(path, flags | O_CLOEXEC);
}

/* Opens one of the two directories. Returns 1, 0 when it does not exist, -1 on errors. */
static int open_directory(
	const struct fit_profile_store *store, bool etc, int *ret_fd, struct fit_err *err)
{
	fit_autofree char *path = path_of(store, etc, NULL);
	fit_autoclose int fd = open_path(store, etc, NULL, READ | O_DIRECTORY);
	struct stat info;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return fit_err_sys(err, errno, "cannot open %s", path);
	if (fstat(fd, &info) < 0)
		return fit_err_sys(err, errno, "cannot examine %s", path);
	if (fit_trusted_check(path, &info, err) < 0)
		return -1;
	*ret_fd = fd;
	fd = -1;
	return 1;
}

/* 1 and the file's content, 0 when this directory has no such profile, -1 on errors. */
static int load_from(const struct fit_profile_store *store, bool etc, const char *name,
	char **ret_path, char **ret_text, size_t *ret_length, struct fit_err *err)
{
	fit_autofree char *path = path_of(store, etc, name);
	fit_autoclose int directory = -1;
	fit_autoclose int link = -1;
	fit_autoclose int fd = -1;
	int status = open_directory(store, etc, &directory, err);

	if (status <= 0)
		return status;
	fd = open_path(store, etc, name, READ);
	if (fd < 0 && errno == ENOENT) {
		/* A link to nowhere is a mistake, not an absent file: the other directory's
		 * profile would silently be used instead. */
		link = open_path(store, etc, name, LOOK);
		if (link < 0)
			return 0;
		return fit_err_sys(err, ENOENT, "%s is a symbolic link to nowhere", path);
	}
	if (fd < 0)
		return fit_err_sys(err, errno, "cannot open %s", path);
	if (fit_trusted_read(fd, path, ret_text, ret_length, err) < 0)
		return -1;
	*ret_path = FIT_STEAL(path);
	return 1;
}

static int not_found(const struct fit_profile_store *store, const char *name, struct fit_err *err)
{
	fit_autofree char *etc = path_of(store, true, NULL);
	fit_autostrlist struct fit_strlist names = {0};
	fit_autofree char *known = NULL;

	if (fit_profile_store_list(store, &names, err) < 0)
		return -1;
	known = names.count ? fit_strlist_join(&names, ", ") : fit_xstrdup("none");
	return fit_err_set(err, FIT_ERR_NOTFOUND,
		"there is no profile \"%s\" in %s or %s; profiles: %s", name, etc,
		shipped_directory(store), known);
}

int fit_profile_store_load(void *context, const char *name, char **ret_path, char **ret_text,
	size_t *ret_length, struct fit_err *err)
{
	const struct fit_profile_store *store = context;
	fit_autofree char *shown = fit_printable(name);
	int status;

	if (!fit_profile_name_is_valid(name))
		return fit_err_set(err, FIT_ERR_INVALID, "\"%s\" is no profile name", shown);
	status = load_from(store, true, name, ret_path, ret_text, ret_length, err);
	if (status == 0)
		status = load_from(store, false, name, ret_path, ret_text, ret_length, err);
	if (status == 0)
		return not_found(store, name, err);
	return status < 0 ? -1 : 0;
}

static bool exists(const struct fit_profile_store *store, bool etc, const char *name)
{
	fit_autoclose int fd = open_path(store, etc, name, LOOK);

	return fd >= 0;
}

enum fit_profile_origin fit_profile_store_origin(
	const struct fit_profile_store *store, const char *name)
{
	if (!exists(store, true, name))
		return FIT_PROFILE_SHIPPED;
	return exists(store, false, name) ? FIT_PROFILE_OVERRIDES : FIT_PROFILE_LOCAL;
}

/* Adds the names of NAME.xml files; files with other names are no profiles. */
static int list_directory(const struct fit_profile_store *store, bool etc,
	struct fit_strlist *names, struct fit_err *err)
{
	const struct dirent *entry;
	DIR *directory;
	int fd = -1;
	int status = open_directory(store, etc, &fd, err);

	if (status <= 0)
		return status;
	directory = fdopendir(fd);
	if (!directory)
		abort(); /* out of memory: the descriptor is a directory's */
	while ((entry = readdir(directory))) {
		size_t length = strlen(entry->d_name);
		fit_autofree char *name = NULL;

		if (length <= strlen(SUFFIX) ||
			!fit_streq(entry->d_name + length - strlen(SUFFIX), SUFFIX))
			continue;
		name = fit_xstrndup(entry->d_name, length - strlen(SUFFIX));
		if (fit_profile_name_is_valid(name) && !fit_strlist_contains(names, name))
			fit_strlist_add(names, name);
	}
	closedir(directory);
	return 0;
}

int fit_profile_store_list(
	const struct fit_profile_store *store, struct fit_strlist *ret_names, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist names = {0};

	if (list_directory(store, true, &names, err) < 0 ||
		list_directory(store, false, &names, err) < 0)
		return -1;
	fit_strlist_sort(&names);
	*ret_names = names;
	names = (struct fit_strlist){0};
	return 0;
}
