/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "sys/manifest.h"

int fit_test_tree_build(const struct fit_fsroot *root, const char *manifest, struct fit_err *err)
{
	return fit_manifest_build(root, manifest, "manifest", err);
}

static void dump_file(const struct fit_fsroot *root, const char *path, struct fit_buffer *out)
{
	struct fit_err err;
	fit_autofree char *text = NULL;
	size_t length;

	if (fit_fsroot_read(root, path, &text, &length, &err) < 0) {
		fit_buffer_addf(out, "# %s\n", err.message);
		return;
	}
	fit_manifest_add_file(out, path, text, length);
}

static void dump_entry(const struct fit_fsroot *root, const char *path, struct fit_buffer *out)
{
	fit_autostrlist struct fit_strlist names = {0};
	char target[4096] = "";
	struct stat status;

	if (fstatat(root->fd, path, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (S_ISLNK(status.st_mode)) {
		if (readlinkat(root->fd, path, target, sizeof(target) - 1) > 0)
			fit_buffer_addf(out, "%s -> %s\n", path, target);
	} else if (!S_ISDIR(status.st_mode)) {
		dump_file(root, path, out);
	} else if (fit_fsroot_list(root, path, &names, NULL) == 0 && !names.count) {
		fit_buffer_addf(out, "%s/\n", path);
	}
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *inner = fit_xasprintf("%s/%s", path, names.items[i]);

		dump_entry(root, inner, out);
	}
}

char *fit_test_tree_dump(const struct fit_fsroot *root)
{
	fit_autostrlist struct fit_strlist names = {0};
	struct fit_buffer out = {0};

	if (fit_fsroot_list(root, "", &names, NULL) < 0)
		abort();
	for (size_t i = 0; i < names.count; i++)
		dump_entry(root, names.items[i], &out);
	return fit_buffer_steal(&out);
}
