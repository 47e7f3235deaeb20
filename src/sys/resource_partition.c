/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUs of vCPUs as isolated cpuset partitions (cgroup-v2.rst): the scheduler moves nothing to
 * or from them, and unbound work of the kernel stays away, as with isolcpus=, but for the time that
 * the domain runs. The group of each vCPU becomes one; a remote partition, because its parents are
 * none. For that its CPUs are claimed in cpuset.cpus.exclusive of every group above it first.
 *
 * Groups of the domain end with it; those above, machine.slice, are shared by all domains. A write
 * is always taken: only what is read back tells whether the partition is valid. It is not while
 * another group may use its CPUs, so the host's processes must have been kept off them (isolate).
 */
#include "sys/resource_kinds.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/slice.h"
#include "sys/threads.h"
#include "sys/wanted.h"

#define EXCLUSIVE "cpuset.cpus.exclusive"
#define PARTITION "cpuset.cpus.partition"
#define ISOLATED  "isolated"

/* The root's list of isolated CPUs came with Linux 6.8, and with it that unbound work stays away;
 * remote partitions with 6.7. */
char *fit_partition_obstacle(const struct fit_fsroot *root)
{
	return fit_fsroot_exists(root, FIT_PATH_CPUS_ISOLATED)
		       ? NULL
		       : fit_xasprintf("there is no /%s (Linux 6.8)", FIT_PATH_CPUS_ISOLATED);
}

static void want(struct fit_expansion *expansion, enum fit_resource_kind kind,
	const struct fit_op *op, const char *group, const struct fit_cpuset *cpus)
{
	bool exclusive = kind == FIT_RESOURCE_EXCLUSIVE;

	fit_wanted_set(&expansion->wanted, kind, op,
		fit_xasprintf(FIT_PATH_CGROUP "%s/%s", group, exclusive ? EXCLUSIVE : PARTITION),
		exclusive ? fit_cpuset_format_list(cpus) : fit_xstrdup(ISOLATED));
}

/* Empty where that cannot be read. */
static struct fit_cpuset cpus_of(const struct fit_fsroot *root, const char *group)
{
	fit_autofree char *path = fit_xasprintf(FIT_PATH_CGROUP "%s/cpuset.cpus", group);
	fit_autofree char *text = fit_fsroot_try_read(root, path);
	struct fit_cpuset cpus = {0};

	if (text && fit_cpuset_parse_list(text, &cpus, NULL) < 0)
		cpus = (struct fit_cpuset){0};
	return cpus;
}

/* The groups of vCPUs that have CPUs of @cpus and no others, none of them twice. */
static void find_vcpus(const struct fit_fsroot *root, const char *parent,
	const struct fit_cpuset *cpus, struct fit_strlist *ret_groups, struct fit_cpuset *ret_cpus)
{
	fit_autofree char *directory = fit_xasprintf(FIT_PATH_CGROUP "%s", parent);
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_list(root, directory, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *group = fit_xasprintf("%s/%s", parent, names.items[i]);
		struct fit_cpuset own;

		if (!fit_starts_with(names.items[i], "vcpu"))
			continue;
		own = cpus_of(root, group);
		if (fit_cpuset_is_empty(&own) || !fit_cpuset_is_subset(&own, cpus) ||
			fit_cpuset_intersects(&own, ret_cpus))
			continue;
		fit_cpuset_unite(ret_cpus, &own);
		fit_strlist_add(ret_groups, group);
	}
}

void fit_partition_expand(struct fit_expansion *expansion, const struct fit_op *op)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autofree char *why = fit_partition_obstacle(root);
	pid_t qemu = fit_threads_qemu(root, expansion->journal->name);
	fit_autofree char *group = qemu ? fit_threads_group(root, qemu) : NULL;
	fit_autostrlist struct fit_strlist vcpus = {0};
	struct fit_cpuset cpus = {0};

	if (why)
		return;
	/* QEMU is in a group beside those of its vCPUs. */
	if (group && strrchr(group, '/')) {
		*strrchr(group, '/') = '\0';
		find_vcpus(root, group, &op->cpus, &vcpus, &cpus);
	}
	if (!vcpus.count) {
		if (expansion->notes)
			fit_strlist_add(expansion->notes,
				"no isolated partitions: there are no control groups of vCPUs with "
				"CPUs of their own");
		return;
	}
	for (const char *end = group; *end; end += strcspn(end, "/")) {
		fit_autofree char *above = NULL;

		end += *end == '/';
		above = fit_xstrndup(group, (size_t)(end - group) + strcspn(end, "/"));
		want(expansion, FIT_RESOURCE_EXCLUSIVE, op, above, &cpus);
	}
	for (int partition = 0; partition < 2; partition++) {
		for (size_t i = 0; i < vcpus.count; i++) {
			struct fit_cpuset own = cpus_of(root, vcpus.items[i]);

			want(expansion, partition ? FIT_RESOURCE_PARTITION : FIT_RESOURCE_EXCLUSIVE,
				op, vcpus.items[i], &own);
		}
	}
}

static char *read_exclusive(
	const struct fit_fsroot *root, enum fit_resource_kind kind FIT_UNUSED, const char *path)
{
	char *text = fit_fsroot_try_read(root, path);

	return text || !fit_fsroot_exists(root, path)
		       ? text
		       : fit_slice_format(&(struct fit_slice_value){0});
}

static char *unite(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online FIT_UNUSED)
{
	struct fit_slice_value value;
	struct fit_cpuset cpus;

	if (!fit_slice_parse(baseline, &value))
		return fit_xstrdup(baseline);
	for (size_t i = 0; i < contributions->count; i++)
		if (fit_cpuset_parse_list(contributions->items[i], &cpus, NULL) == 0)
			fit_cpuset_unite(&value.cpus, &cpus);
	return fit_slice_format(&value);
}

static int write_exclusive(const struct fit_state *state, enum fit_resource_kind kind,
	const char *path, const char *target, struct fit_err *err)
{
	struct fit_slice_value value;
	fit_autofree char *list = NULL;
	fit_autofree char *now = NULL;

	if (!fit_slice_parse(target, &value))
		return fit_err_set(
			err, FIT_ERR_INVALID, "/%s: '%s' is no set of CPUs", path, target);
	list = fit_cpuset_format_list(&value.cpus);
	if (fit_fsroot_write(state->root, path, list, err) < 0)
		return fit_err_prefix(err, "no isolated partitions: ");
	now = read_exclusive(state->root, kind, path);
	if (now && fit_slice_equal(kind, now, target))
		return 0;
	return fit_err_set(err, FIT_ERR_REFUSED,
		"no isolated partitions: '%s' was written to /%s, '%s' is there", target, path,
		now ? now : "nothing");
}

static char *describe_exclusive(enum fit_resource_kind kind FIT_UNUSED, const char *contribution)
{
	struct fit_cpuset cpus;
	fit_autofree char *described = NULL;

	if (fit_cpuset_parse_list(contribution, &cpus, NULL) < 0)
		return fit_xstrdup(contribution);
	described = fit_cpuset_describe(&cpus, "CPU");
	return fit_xasprintf("%s for partitions", described);
}

const struct fit_resource_ops fit_resource_exclusive = {
	.name = "exclusive",
	.equal = fit_slice_equal,
	.target = unite,
	.describe = describe_exclusive,
	.read = read_exclusive,
	.write = write_exclusive,
	.together = true,
};

static int write_partition(const struct fit_state *state, enum fit_resource_kind kind FIT_UNUSED,
	const char *path, const char *target, struct fit_err *err)
{
	fit_autofree char *now = NULL;

	if (fit_fsroot_write(state->root, path, target, err) < 0)
		return fit_err_prefix(err, "no isolated partitions: ");
	now = fit_fsroot_try_read(state->root, path);
	if (fit_streq(now, target))
		return 0;
	return fit_err_set(err, FIT_ERR_REFUSED,
		"no isolated partitions: '%s' was written to /%s, which says '%s'", target, path,
		now ? now : "nothing");
}

const struct fit_resource_ops fit_resource_partition = {
	.name = "partition",
	.write = write_partition,
	.together = true,
};
