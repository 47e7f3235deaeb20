/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the operation of a setting to the files that it is for. A file that is not there, cannot be
 * read or does not offer the value is what the profile's missing= is about, and is found here,
 * before anything is changed.
 */
#include "sys/wanted.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/value.h"

struct search {
	struct fit_expansion *expansion;
	const struct fit_op *op;
	enum fit_host_setting_id id; /* the setting, or its alternative */
	struct fit_cpuset lacking;
	struct fit_strlist devices; /* lacking */
	struct fit_strlist offered; /* where something else is */
	bool lacks;
	bool linked;	    /* a literal path has a symbolic link in it */
	const char *paired; /* what the write would take away with it; NULL: nothing */
};

static char *contribution_of(const struct search *search)
{
	const struct fit_host_setting *setting = &fit_host_settings[search->id];

	if (search->op->path)
		return fit_xstrdup(search->op->value);
	if (setting->combine == FIT_COMBINE_WITHOUT)
		return fit_cpuset_format_list(&search->op->cpus);
	return fit_host_setting_text(setting, search->op->value);
}

/* All that can be written to @path; nothing when the kernel does not say. */
static void list_offered(const struct fit_fsroot *root, const struct fit_host_setting *setting,
	const char *path, struct fit_strlist *ret_words)
{
	fit_autofree char *beside =
		setting->offered ? fit_sibling_path(path, setting->offered) : NULL;
	fit_autofree char *text = NULL;

	if (beside)
		text = fit_fsroot_try_read(root, beside);
	else if (setting->format == FIT_FORMAT_CHOICE)
		text = fit_fsroot_try_read(root, path);
	/* Without brackets it is no choice, but a value. */
	if (text && (beside || strchr(text, '[')))
		fit_strlist_split(ret_words, text, beside ? " \t\n" : " \t\n[]");
}

static bool is_offered(struct search *search, const char *path, const char *contribution)
{
	fit_autostrlist struct fit_strlist words = {0};

	list_offered(search->expansion->state->root, &fit_host_settings[search->id], path, &words);
	if (!words.count || fit_strlist_contains(&words, contribution))
		return true;
	for (size_t i = 0; i < words.count; i++)
		if (!fit_strlist_contains(&search->offered, words.items[i]))
			fit_strlist_add(&search->offered, words.items[i]);
	return false;
}

/* The files of the setting in one directory. False: none there can have the value. */
static bool want_in(struct search *search, const char *directory, const char *names)
{
	const struct fit_fsroot *root = search->expansion->state->root;
	enum fit_resource_kind kind = fit_resource_of_setting(search->id);
	fit_autofree char *contribution = contribution_of(search);
	fit_autostrlist struct fit_strlist files = {0};
	bool found = false;

	fit_strlist_split(&files, names, " ");
	for (size_t i = 0; i < files.count; i++) {
		fit_autofree char *path = fit_xasprintf("%s/%s", directory, files.items[i]);
		fit_autofree char *current = fit_value_read(root, kind, path);

		if (!current || !is_offered(search, path, contribution))
			continue;
		found = true;
		fit_wanted_set(&search->expansion->wanted, kind, search->op, FIT_STEAL(path),
			fit_xstrdup(contribution));
	}
	return found;
}

/* Writing one of a pair makes the other 0, and writing the 0 back that the first shows until then
 * does not bring that back. */
static const struct {
	const char *path;
	const char *other;
} pairs[] = {
	{"vm/dirty_ratio", "vm/dirty_bytes"},
	{"vm/dirty_background_ratio", "vm/dirty_background_bytes"},
};

static const char *taken_away(
	const struct fit_fsroot *root, const char *directory, const char *literal)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(pairs); i++) {
		fit_autofree char *other = fit_xasprintf("%s/%s", directory, pairs[i].other);
		int64_t value;

		if (fit_streq(pairs[i].path, literal) &&
			fit_fsroot_try_read_int(root, other, &value) && value)
			return pairs[i].other;
	}
	return NULL;
}

static void want_once(struct search *search, const char *directory)
{
	const struct fit_host_setting *setting = &fit_host_settings[search->id];
	const struct fit_fsroot *root = search->expansion->state->root;
	const char *literal = search->op->path;

	if (literal) {
		fit_autofree char *path = fit_xasprintf("%s/%s", directory, literal);

		search->linked = fit_fsroot_has_link(root, path);
		search->paired = taken_away(root, directory, literal);
		search->lacks =
			search->linked || search->paired || !want_in(search, directory, literal);
		return;
	}
	if (want_in(search, directory, setting->files))
		return;
	if (setting->alternative && !search->offered.count) {
		search->id = setting->alternative;
		want_once(search, directory);
		return;
	}
	search->lacks = true;
}

/* The directory of a CPU's policy, which several CPUs may share; cpuN/cpufreq is a link to it. */
static char *policy_directory(const struct fit_fsroot *root, int cpu)
{
	fit_autofree char *link = fit_xasprintf(FIT_PATH_CPU "/cpu%d/cpufreq", cpu);
	fit_autofree char *policy = fit_fsroot_link_name(root, link);

	return policy ? fit_xasprintf(FIT_PATH_CPUFREQ "/%s", policy) : FIT_STEAL(link);
}

static void want_for_cpus(struct search *search)
{
	const struct fit_host_setting *setting = &fit_host_settings[search->id];

	fit_cpuset_for_each (cpu, &search->op->cpus) {
		fit_autofree char *directory =
			setting->scope == FIT_SCOPE_POLICY
				? policy_directory(search->expansion->state->root, cpu)
				: fit_xasprintf(FIT_PATH_CPU "/cpu%d", cpu);

		if (want_in(search, directory, setting->files))
			continue;
		search->lacks = true;
		fit_cpuset_add(&search->lacking, (unsigned int)cpu);
	}
}

/*
 * All functions below one port, VFs too, show the same link: it is claimed by the name of the first
 * of them, so that the domains that have the others share it.
 */
static char *link_directory(const struct fit_fsroot *root, const char *device)
{
	fit_autofree char *port = fit_xasprintf("%s/..", device);
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_list(root, port, &names, NULL) < 0)
		return fit_xstrdup(device);
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *first =
			fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s", names.items[i]);
		fit_autofree char *link = fit_xasprintf("%s/link", first);
		struct fit_pciaddr address;

		if (fit_pciaddr_parse(names.items[i], &address) && fit_fsroot_exists(root, link))
			return FIT_STEAL(first);
	}
	return fit_xstrdup(device);
}

static void want_for_devices(struct search *search)
{
	const struct fit_fsroot *root = search->expansion->state->root;
	const struct fit_host_setting *setting = &fit_host_settings[search->id];

	for (size_t i = 0; i < search->op->device_count; i++) {
		const char *name = FIT_PCIADDR_STR(search->op->devices[i]);
		fit_autofree char *device = fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s", name);
		fit_autofree char *directory = NULL;

		/* A VF that is still to be made. */
		if (!fit_fsroot_exists(root, device))
			continue;
		directory = setting->scope == FIT_SCOPE_LINK ? link_directory(root, device)
							     : fit_xstrdup(device);
		if (want_in(search, directory, setting->files))
			continue;
		search->lacks = true;
		fit_strlist_add(&search->devices, name);
	}
}

static void find_files(struct search *search)
{
	switch (fit_host_settings[search->id].scope) {
	case FIT_SCOPE_SYSFS:
		want_once(search, FIT_PATH_SYSFS);
		break;
	case FIT_SCOPE_SYSCTL:
		want_once(search, FIT_PATH_SYSCTL);
		break;
	case FIT_SCOPE_IRQ:
		want_once(search, FIT_PATH_PROC_IRQ);
		break;
	case FIT_SCOPE_CPU:
	case FIT_SCOPE_POLICY:
		want_for_cpus(search);
		break;
	case FIT_SCOPE_DEVICE:
	case FIT_SCOPE_LINK:
		want_for_devices(search);
		break;
	}
}

/* The directory of the setting's file; of one for CPUs or devices, "N" and "DEVICE" stand for each.
 */
static const char *directory_of(enum fit_host_setting_scope scope)
{
	switch (scope) {
	case FIT_SCOPE_SYSFS:
		return FIT_PATH_SYSFS;
	case FIT_SCOPE_SYSCTL:
		return FIT_PATH_SYSCTL;
	case FIT_SCOPE_IRQ:
		return FIT_PATH_PROC_IRQ;
	case FIT_SCOPE_CPU:
		return FIT_PATH_CPU "/cpuN";
	case FIT_SCOPE_POLICY:
		return FIT_PATH_CPU "/cpuN/cpufreq";
	case FIT_SCOPE_DEVICE:
	case FIT_SCOPE_LINK:
		return FIT_PATH_PCI_DEVICES "/DEVICE";
	}
	return "";
}

static char *why_not(const struct search *search)
{
	const struct fit_op *op = search->op;
	const struct fit_host_setting *setting = &fit_host_settings[op->setting];
	const char *directory = directory_of(setting->scope);
	const char *files = op->path ? op->path : setting->files;
	fit_autofree char *offered = fit_strlist_join(&search->offered, ", ");
	fit_autofree char *file =
		fit_xasprintf("/%s/%.*s", directory, (int)strcspn(files, " "), files);

	if (*offered)
		return fit_xasprintf("offered are %s", offered);
	if (search->linked)
		return fit_xasprintf("%s is or has a symbolic link", file);
	if (search->paired)
		return fit_xasprintf("this host uses /%s/%s instead, which would be lost (set that "
				     "to 0 first)",
			directory, search->paired);
	return fit_xasprintf("there is no %s that can be read", file);
}

/* What is wanted, where it cannot be had, and why. To be freed. */
static char *complaint(const struct search *search)
{
	fit_autofree char *cpus = fit_cpuset_describe(&search->lacking, "CPU");
	fit_autofree char *devices = fit_strlist_join(&search->devices, ", ");
	fit_autofree char *where = fit_xasprintf("%s%s",
		fit_cpuset_is_empty(&search->lacking) ? (*devices ? " for " : "") : " on ",
		fit_cpuset_is_empty(&search->lacking) ? devices : cpus);
	fit_autofree char *why = why_not(search);

	return fit_xasprintf("%s '%s' cannot be set%s: %s",
		fit_host_settings[search->op->setting].name, search->op->value, where, why);
}

/* Is what is wanted so because the host does not have the thing at all? */
static bool is_so_anyway(const struct search *search)
{
	return !search->offered.count &&
	       fit_streq(search->op->value, fit_host_settings[search->op->setting].absent);
}

int fit_host_setting_expand(
	struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err)
{
	struct search search = {.expansion = expansion, .op = op, .id = op->setting};
	fit_autofree char *message = NULL;

	find_files(&search);
	if (search.lacks && !is_so_anyway(&search))
		message = complaint(&search);
	fit_strlist_clear(&search.devices);
	fit_strlist_clear(&search.offered);
	return message ? fit_wanted_lacks(expansion, op, message, err) : 0;
}
