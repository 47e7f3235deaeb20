/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU isolation on hosts without systemd: the groups directly below the root of the control group
 * hierarchy are limited, but those of machines, and the cpuset controller is enabled for them where
 * it is not. Processes in the root group itself cannot be limited.
 *
 * The kernel refuses to unset the CPUs of a group that has processes; one that may use all CPUs is
 * as it was. When the controller is disabled again, as it was at first, its files are gone as well.
 */
#include "sys/resource_kinds.h"

#include <errno.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/slice.h"
#include "sys/wanted.h"

#define CONTROLLER "cpuset"
#define ENABLED	   FIT_PATH_CGROUP "/cgroup.subtree_control"

/* Of libvirt, with and without systemd, and of other managers of virtual machines. */
static bool is_of_machines(const char *name)
{
	return fit_starts_with(name, "machine") || fit_starts_with(name, "libvirt");
}

void fit_groups_expand(struct fit_expansion *expansion, const struct fit_op *op)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_list(root, FIT_PATH_CGROUP, &names, NULL) < 0)
		return;
	fit_wanted_set(&expansion->wanted, FIT_RESOURCE_CONTROLLERS, op, fit_xstrdup(ENABLED),
		fit_xstrdup(CONTROLLER));
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *group = fit_xasprintf(FIT_PATH_CGROUP "/%s", names.items[i]);
		fit_autofree char *procs = fit_xasprintf("%s/cgroup.procs", group);

		if (fit_fsroot_exists(root, procs) && !is_of_machines(names.items[i]))
			fit_wanted_set(&expansion->wanted, FIT_RESOURCE_GROUP, op,
				fit_xasprintf("%s/cpuset.cpus", group),
				fit_cpuset_format_list(&op->cpus));
	}
}

static char *read_group(
	const struct fit_fsroot *root, enum fit_resource_kind kind FIT_UNUSED, const char *path)
{
	fit_autofree char *procs = fit_sibling_path(path, "cgroup.procs");
	fit_autofree char *text = fit_fsroot_try_read(root, path);

	if (!fit_fsroot_exists(root, procs))
		return NULL;
	/* Empty, or absent with the controller: nothing is set. */
	return text ? FIT_STEAL(text) : fit_slice_format(&(struct fit_slice_value){0});
}

static int write_group(const struct fit_state *state, enum fit_resource_kind kind FIT_UNUSED,
	const char *path, const char *target, struct fit_err *err)
{
	struct fit_slice_value value;
	struct fit_err problem = FIT_ERR_INIT;
	fit_autofree char *list = NULL;
	bool unset;

	if (!fit_slice_parse(target, &value))
		return fit_err_set(
			err, FIT_ERR_INVALID, "/%s: '%s' is no set of CPUs", path, target);
	unset = fit_cpuset_is_empty(&value.cpus);
	if (unset)
		value.cpus = fit_slice_all_cpus(state->root);
	list = fit_cpuset_format_list(&value.cpus);
	if (fit_fsroot_write(state->root, path, list, err) < 0)
		return -1;
	if (unset && fit_fsroot_write(state->root, path, "", &problem) < 0 &&
		problem.sys_errno != ENOSPC) {
		if (err)
			*err = problem;
		return -1;
	}
	return 0;
}

/* The step on the way to "unset". */
static void announce_group(
	const struct fit_fsroot *root, struct fit_ledger_entry *entry, const char *target)
{
	struct fit_cpuset all = fit_slice_all_cpus(root);
	struct fit_slice_value value;
	fit_autofree char *full = fit_cpuset_format_list(&all);

	if (fit_slice_parse(target, &value) && fit_cpuset_is_empty(&value.cpus))
		fit_ledger_entry_will_write(entry, full);
}

static void split_sorted(const char *text, struct fit_strlist *words)
{
	fit_strlist_split(words, text, " ");
	fit_strlist_sort(words);
}

static bool equal_words(enum fit_resource_kind kind FIT_UNUSED, const char *a, const char *b)
{
	fit_autostrlist struct fit_strlist words_a = {0};
	fit_autostrlist struct fit_strlist words_b = {0};
	fit_autofree char *sorted_a = NULL;
	fit_autofree char *sorted_b = NULL;

	split_sorted(a, &words_a);
	split_sorted(b, &words_b);
	sorted_a = fit_strlist_join(&words_a, " ");
	sorted_b = fit_strlist_join(&words_b, " ");
	return fit_streq(sorted_a, sorted_b);
}

static char *add_words(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online FIT_UNUSED)
{
	fit_autostrlist struct fit_strlist words = {0};

	fit_strlist_split(&words, baseline, " ");
	for (size_t i = 0; i < contributions->count; i++)
		if (!fit_strlist_contains(&words, contributions->items[i]))
			fit_strlist_add(&words, contributions->items[i]);
	return fit_strlist_join(&words, " ");
}

static char *read_words(
	const struct fit_fsroot *root, enum fit_resource_kind kind FIT_UNUSED, const char *path)
{
	char *text = fit_fsroot_try_read(root, path);

	return text || !fit_fsroot_exists(root, path) ? text : fit_xstrdup("");
}

/* One write each: "+NAME" or "-NAME". Only ours is ever added, or taken away. */
static int write_controllers(const struct fit_state *state, enum fit_resource_kind kind FIT_UNUSED,
	const char *path, const char *target, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist wanted = {0};
	bool enable;
	struct fit_err problem = FIT_ERR_INIT;

	fit_strlist_split(&wanted, target, " ");
	enable = fit_strlist_contains(&wanted, CONTROLLER);
	if (fit_fsroot_write(
		    state->root, path, enable ? "+" CONTROLLER : "-" CONTROLLER, &problem) == 0)
		return 0;
	/* A group below, libvirt's for example, has come to use it meanwhile. */
	if (problem.sys_errno == EBUSY && !enable)
		return 0;
	if (err)
		*err = problem;
	return -1;
}

static char *target_of_group(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online)
{
	return fit_slice_target(baseline, contributions, online, false);
}

const struct fit_resource_ops fit_resource_group = {
	.name = "group",
	.equal = fit_slice_equal,
	.target = target_of_group,
	.describe = fit_slice_describe,
	.read = read_group,
	.write = write_group,
	.announce = announce_group,
};

const struct fit_resource_ops fit_resource_controllers = {
	.name = "controllers",
	.equal = equal_words,
	.target = add_words,
	.read = read_words,
	.write = write_controllers,
};
