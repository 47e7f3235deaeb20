/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/hugetlbfs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"

void fit_hugetlbfs_clear(struct fit_hugetlbfs *mounts)
{
	free(mounts->sizes);
	*mounts = (struct fit_hugetlbfs){0};
}

static void add_size(struct fit_hugetlbfs *mounts, uint64_t page_kib)
{
	size_t place = mounts->size_count;

	if (!page_kib)
		return;
	for (size_t i = 0; i < mounts->size_count; i++)
		if (mounts->sizes[i] == page_kib)
			return;
	FIT_APPEND(mounts->sizes, mounts->size_count);
	for (; place > 0 && mounts->sizes[place - 1] > page_kib; place--)
		mounts->sizes[place] = mounts->sizes[place - 1];
	mounts->sizes[place] = page_kib;
}

/* "pagesize=1024M", as the kernel prints it; 0 for another option, or one that cannot be read. */
static uint64_t page_size_of(const char *option)
{
	static const char key[] = "pagesize=";
	fit_autofree char *number = NULL;
	const char *unit;
	uint64_t page_kib;

	if (!fit_starts_with(option, key))
		return 0;
	option += strlen(key);
	unit = option + strspn(option, "0123456789");
	number = fit_xstrndup(option, (size_t)(unit - option));
	return fit_parse_size_kib(number, unit, &page_kib) ? page_kib : 0;
}

/* "SOURCE POINT TYPE OPTIONS 0 0" */
static void add_mount(struct fit_hugetlbfs *mounts, const char *line)
{
	fit_autostrlist struct fit_strlist words = {0};
	fit_autostrlist struct fit_strlist options = {0};
	uint64_t page_kib = mounts->default_kib;

	fit_strlist_split(&words, line, " ");
	if (words.count < 4 || !fit_streq(words.items[2], "hugetlbfs"))
		return;
	fit_strlist_split(&options, words.items[3], ",");
	for (size_t i = 0; i < options.count; i++)
		if (fit_starts_with(options.items[i], "pagesize="))
			page_kib = page_size_of(options.items[i]);
	add_size(mounts, page_kib);
}

void fit_hugetlbfs_parse(struct fit_hugetlbfs *mounts, const char *lines)
{
	fit_autostrlist struct fit_strlist list = {0};

	mounts->known = true;
	fit_strlist_split(&list, lines, "\n");
	for (size_t i = 0; i < list.count; i++)
		add_mount(mounts, list.items[i]);
}

bool fit_hugetlbfs_lacks(const struct fit_hugetlbfs *mounts, uint64_t page_kib, bool in_memfd)
{
	if (page_kib && in_memfd)
		return false;
	if (!page_kib)
		page_kib = mounts->default_kib;
	if (!mounts->known || !page_kib)
		return false;
	for (size_t i = 0; i < mounts->size_count; i++)
		if (mounts->sizes[i] == page_kib)
			return false;
	return true;
}

char *fit_hugetlbfs_format(const struct fit_hugetlbfs *mounts)
{
	fit_autostrlist struct fit_strlist sizes = {0};

	for (size_t i = 0; i < mounts->size_count; i++) {
		fit_autofree char *size = fit_format_size_kib(mounts->sizes[i]);

		fit_strlist_add(&sizes, size);
	}
	return fit_strlist_join(&sizes, ", ");
}

char *fit_hugetlbfs_problem(const struct fit_hugetlbfs *mounts, uint64_t page_kib)
{
	fit_autofree char *size = fit_format_size_kib(page_kib ? page_kib : mounts->default_kib);
	fit_autofree char *found = fit_hugetlbfs_format(mounts);

	return fit_xasprintf("libvirt needs a mounted hugetlbfs with pages of %s, which this host "
			     "does not have (mounted: %s)",
		size, *found ? found : "none");
}

char *fit_hugetlbfs_remedy(const struct fit_hugetlbfs *mounts, uint64_t page_kib)
{
	fit_autofree char *size = fit_format_size_option(page_kib ? page_kib : mounts->default_kib);
	fit_autofree char *point = fit_xasprintf("%s%s", mounts->place, size);

	return fit_xasprintf(
		"mount one: mkdir -p %s && mount -t hugetlbfs -o pagesize=%s hugetlbfs "
		"%s (for the next boot, in fstab: hugetlbfs %s hugetlbfs pagesize=%s "
		"0 0), and restart libvirtd (virtqemud), which looks for mounts when "
		"it starts; if its qemu.conf sets hugetlbfs_mount, name %s there",
		point, size, point, point, size, point);
}

char *fit_hugetlbfs_complaint(const struct fit_hugetlbfs *mounts, uint64_t page_kib)
{
	fit_autofree char *problem = fit_hugetlbfs_problem(mounts, page_kib);
	fit_autofree char *remedy = fit_hugetlbfs_remedy(mounts, page_kib);

	return fit_xasprintf("%s; %s", problem, remedy);
}
