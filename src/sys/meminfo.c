/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/meminfo.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"

bool fit_meminfo_find(const char *text, const char *key, uint64_t *ret_value)
{
	const char *found = strstr(text, key);

	if (!found)
		return false;
	found += strlen(key);
	found += strspn(found, " \t");
	return fit_scan_uint(&found, UINT64_MAX, ret_value);
}

bool fit_meminfo_read(
	const struct fit_fsroot *root, const char *path, const char *key, uint64_t *ret_value)
{
	fit_autofree char *text = fit_fsroot_try_read(root, path);

	return text && fit_meminfo_find(text, key, ret_value);
}

struct fit_hugetlbfs fit_hugetlbfs_read(const struct fit_fsroot *root)
{
	struct fit_hugetlbfs mounts = {.place = FIT_PATH_HUGETLBFS};
	fit_autofree char *lines = fit_fsroot_try_read(root, FIT_PATH_MOUNT_LIST);

	/* Without it, the host has no huge pages. */
	if (!fit_meminfo_read(root, FIT_PATH_MEMINFO, "Hugepagesize:", &mounts.default_kib))
		mounts.default_kib = 0;
	if (lines)
		fit_hugetlbfs_parse(&mounts, lines);
	return mounts;
}
