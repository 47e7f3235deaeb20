/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which disks there are and that the host uses them, but not what for. */
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "sys/capture_parts.h"
#include "sys/paths.h"

/* A disk or partition that is named so. */
static bool is_block_device(const struct fit_strlist *names, const char *device)
{
	return fit_starts_with(device, FIT_PATH_DEV) &&
	       fit_strlist_contains(names, device + strlen(FIT_PATH_DEV));
}

/* Mount points say whose machine it is, except for these. */
static const char *harmless_point(const char *point)
{
	static const char *const harmless[] = {"/", "/boot", "/boot/efi", "/home", "/usr", "/var"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(harmless); i++)
		if (fit_streq(point, harmless[i]))
			return harmless[i];
	return "/mnt";
}

/* "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [FIELD...] - TYPE SOURCE OPTIONS" */
static void add_mount(struct fit_buffer *text, const struct fit_strlist *names, const char *line)
{
	fit_autostrlist struct fit_strlist words = {0};

	fit_strlist_split(&words, line, " ");
	for (size_t i = 6; i + 2 < words.count; i++) {
		if (!fit_streq(words.items[i], "-"))
			continue;
		if (is_block_device(names, words.items[i + 2]))
			fit_buffer_addf(text, "1 1 0:0 / %s rw - none %s rw\n",
				harmless_point(words.items[4]), words.items[i + 2]);
		return;
	}
}

static void add_swap(struct fit_buffer *text, const struct fit_strlist *names, const char *line)
{
	fit_autostrlist struct fit_strlist words = {0};

	fit_strlist_split(&words, line, " \t");
	if (words.count && is_block_device(names, words.items[0]))
		fit_buffer_addf(text, "%s partition 0 0 -1\n", words.items[0]);
}

/* Those of huge pages; and one that is always there, because a list without lines is no list. */
static void add_hugetlbfs(
	struct fit_buffer *text, FIT_UNUSED const struct fit_strlist *names, const char *line)
{
	fit_autostrlist struct fit_strlist words = {0};

	fit_strlist_split(&words, line, " ");
	if (words.count > 2 &&
		(fit_streq(words.items[2], "hugetlbfs") || fit_streq(words.items[2], "proc")))
		fit_buffer_addf(text, "%s\n", line);
}

static void add_lines(struct fit_capture *capture, const char *path,
	const struct fit_strlist *names,
	void (*add)(struct fit_buffer *text, const struct fit_strlist *names, const char *line))
{
	fit_autofree char *found = fit_fsroot_try_read(capture->root, path);
	fit_autostrlist struct fit_strlist lines = {0};
	fit_autobuffer struct fit_buffer text = {0};

	if (!found)
		return;
	fit_strlist_split(&lines, found, "\n");
	for (size_t i = 0; i < lines.count; i++)
		add(&text, names, lines.items[i]);
	if (text.length)
		fit_capture_add_text(capture, path, text.text, text.length);
}

static void add_holders(struct fit_capture *capture, const char *path)
{
	fit_autofree char *link = fit_xasprintf("%s/holders", path);
	fit_autofree char *directory = fit_capture_resolve(capture, link);
	fit_autostrlist struct fit_strlist holders = {0};

	if (directory)
		fit_fsroot_list(capture->root, directory, &holders, NULL);
	for (size_t i = 0; i < holders.count; i++)
		fit_strlist_addf(&capture->lines, "%s/%s/\n", directory, holders.items[i]);
}

void fit_capture_add_storage(struct fit_capture *capture)
{
	fit_autostrlist struct fit_strlist names = {0};

	fit_fsroot_list(capture->root, FIT_PATH_BLOCK, &names, NULL);
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *path = fit_xasprintf(FIT_PATH_BLOCK "/%s", names.items[i]);

		fit_capture_add_link(capture, path);
		add_holders(capture, path);
	}
	add_lines(capture, FIT_PATH_MOUNTS, &names, add_mount);
	add_lines(capture, FIT_PATH_SWAPS, &names, add_swap);
	add_lines(capture, FIT_PATH_MOUNT_LIST, &names, add_hugetlbfs);
}
