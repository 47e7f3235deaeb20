/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fd.h"
#include "base/memory.h"
#include "base/text.h"
#include "sys/manifest.h"

int fit_test_tree_build(const struct fit_fsroot *root, const char *manifest, struct fit_err *err)
{
	return fit_manifest_build(root, manifest, "manifest", err);
}

/* Everything is opened from its directory: the same by whole paths takes most of the time of tests
 * that compare trees thousands of times. */
static void dump_file(int directory, const char *name, const char *path, struct fit_buffer *out)
{
	fit_autobuffer struct fit_buffer text = {0};
	fit_autoclose int fd = openat(directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char block[4096];
	ssize_t got;

	do {
		got = fd < 0 ? -1 : read(fd, block, sizeof(block));
		fit_buffer_add_bytes(&text, block, got > 0 ? (size_t)got : 0);
	} while (got == sizeof(block));
	if (got < 0)
		fit_buffer_addf(out, "# cannot read %s\n", path);
	else
		fit_manifest_add_file(out, path, text.text ? text.text : "", text.length);
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void list(int fd, struct fit_strlist *names)
{
	DIR *directory = fdopendir(dup(fd));
	const struct dirent *entry;

	if (!directory)
		abort();
	while ((entry = readdir(directory)))
		if (!fit_streq(entry->d_name, ".") && !fit_streq(entry->d_name, ".."))
			fit_strlist_add(names, entry->d_name);
	closedir(directory);
	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), compare_names);
}

static void dump_directory(int fd, const char *path, struct fit_buffer *out);

static void dump_entry(int directory, const char *name, const char *path, struct fit_buffer *out)
{
	char target[4096] = "";
	struct stat status;

	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (S_ISDIR(status.st_mode)) {
		fit_autoclose int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0)
			dump_directory(fd, path, out);
	} else if (S_ISLNK(status.st_mode)) {
		if (readlinkat(directory, name, target, sizeof(target) - 1) > 0)
			fit_buffer_addf(out, "%s -> %s\n", path, target);
	} else {
		dump_file(directory, name, path, out);
	}
}

static void dump_directory(int fd, const char *path, struct fit_buffer *out)
{
	fit_autostrlist struct fit_strlist names = {0};

	list(fd, &names);
	if (!names.count && *path)
		fit_buffer_addf(out, "%s/\n", path);
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *inner =
			fit_xasprintf("%s%s%s", path, *path ? "/" : "", names.items[i]);

		dump_entry(fd, names.items[i], inner, out);
	}
}

char *fit_test_tree_dump(const struct fit_fsroot *root)
{
	fit_autoclose int fd = fit_fsroot_openat(root, "", O_RDONLY | O_DIRECTORY);
	struct fit_buffer out = {0};

	if (fd < 0)
		abort();
	dump_directory(fd, "", &out);
	return fit_buffer_steal(&out);
}
