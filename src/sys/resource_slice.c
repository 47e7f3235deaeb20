/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU isolation: the host's own processes are kept off a domain's CPUs while it runs.
 * machine.slice, where domains are, is never limited: a thread whose CPUs a group above it lacks
 * runs elsewhere.
 *
 * Where systemd manages the control groups it sets AllowedCPUs= of system.slice, user.slice and
 * init.scope, which it keeps in a drop-in file; that file is the resource. Below another root than
 * "/" there is no systemd to talk to, and the file alone stands for it. (Without systemd:
 * resource_group.c.)
 *
 * The kernel refuses to unset the CPUs of a group that has processes, and systemd never writes the
 * full set when AllowedCPUs= is unset (systemd issue 43846): the group stays as narrow as it was,
 * with nothing to show it. So all CPUs are set first; only when the kernel has them it is unset.
 */
#include "sys/resource_kinds.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/paths.h"
#include "sys/slice.h"
#include "sys/systemd.h"
#include "sys/value.h"
#include "sys/wanted.h"

#define DROP_IN	 "50-AllowedCPUs.conf"
#define SETTING	 "AllowedCPUs="
#define TAKES_MS 1000 /* for systemd to change the group */
#define POLL_MS	 2

static const char *const drop_ins[] = {
	FIT_PATH_SYSTEMD_CONTROL "/system.slice.d/" DROP_IN,
	FIT_PATH_SYSTEMD_CONTROL "/user.slice.d/" DROP_IN,
	FIT_PATH_SYSTEMD_TRANSIENT "/init.scope.d/" DROP_IN,
};

/* "user.slice" for its drop-in. To be freed. */
static char *unit_of(const char *path)
{
	const char *file = strrchr(path, '/');
	const char *name = path;

	for (const char *slash = path; slash < file; slash = strchr(slash, '/') + 1)
		name = slash;
	return fit_xstrndup(name, (size_t)(file - name) - strlen(".d"));
}

static struct fit_cpuset cpus_in_drop_in(const struct fit_fsroot *root, const char *path)
{
	fit_autofree char *text = fit_fsroot_try_read(root, path);
	const char *setting = text ? strstr(text, SETTING) : NULL;
	struct fit_cpuset cpus = {0};

	if (setting && fit_cpuset_parse_list(setting + strlen(SETTING), &cpus, NULL) < 0)
		cpus = (struct fit_cpuset){0};
	return cpus;
}

static char *read_slice(
	const struct fit_fsroot *root, enum fit_resource_kind kind FIT_UNUSED, const char *path)
{
	fit_autofree char *unit = unit_of(path);
	struct fit_slice_value value = {.runtime = fit_fsroot_exists(root, path)};

	/* When systemd does not answer, what it wrote is the best that is known. */
	if (!root->real || fit_systemd_get_cpus(unit, FIT_NO_DEADLINE, &value.cpus, NULL) < 0)
		value.cpus = cpus_in_drop_in(root, path);
	return fit_slice_format(&value);
}

/* Has the kernel these CPUs for the group? A unit that is not active has no group. */
static int wait_for_group(const struct fit_state *state, const char *unit,
	const struct fit_cpuset *cpus, struct fit_err *err)
{
	fit_autofree char *group = fit_xasprintf(FIT_PATH_CGROUP "/%s", unit);
	fit_autofree char *path = fit_xasprintf("%s/cpuset.cpus", group);
	fit_autofree char *wanted = fit_cpuset_format_list(cpus);
	int64_t deadline = fit_clock_ms() + TAKES_MS;

	if (!fit_fsroot_exists(state->root, state->root->real ? group : path))
		return 0;
	if (deadline > state->deadline)
		deadline = state->deadline;
	for (;;) {
		fit_autofree char *now = fit_fsroot_try_read(state->root, path);
		struct fit_cpuset found;

		if (now && fit_cpuset_parse_list(now, &found, NULL) == 0 &&
			fit_cpuset_equal(&found, cpus))
			return 0;
		if (!fit_clock_wait(POLL_MS, deadline))
			return fit_err_set(err, FIT_ERR_REFUSED,
				"systemd was told AllowedCPUs=%s of %s, but /%s has '%s'", wanted,
				unit, path, now ? now : "");
	}
}

static int set_unit(const struct fit_state *state, const char *path, const char *unit,
	const struct fit_cpuset *cpus, struct fit_err *err)
{
	fit_autofree char *directory = fit_xstrndup(path, strrchr(path, '/') - path);
	fit_autofree char *list = fit_cpuset_format_list(cpus);
	fit_autofree char *text = NULL;

	if (state->root->real)
		return fit_systemd_set_cpus(unit, cpus, state->deadline, err);
	text = fit_xasprintf(SETTING "%s\n", list);
	return fit_fsroot_make_directories(state->root, directory, 0755, err) < 0
		       ? -1
		       : fit_fsroot_replace(state->root, path, text, strlen(text), err);
}

/* What systemd keeps in memory stays as it is. `systemctl revert` would also remove what the
 * administrator has configured. */
static int drop_runtime(const struct fit_state *state, const char *path, struct fit_err *err)
{
	fit_autofree char *directory = fit_xstrndup(path, strrchr(path, '/') - path);

	if (fit_fsroot_remove(state->root, path, err) < 0)
		return -1;
	fit_fsroot_remove_empty_directory(state->root, directory);
	return 0;
}

static int write_slice(const struct fit_state *state, enum fit_resource_kind kind FIT_UNUSED,
	const char *path, const char *target, struct fit_err *err)
{
	fit_autofree char *unit = unit_of(path);
	struct fit_slice_value value;
	struct fit_cpuset cpus;

	if (!fit_slice_parse(target, &value))
		return fit_err_set(
			err, FIT_ERR_INVALID, "/%s: '%s' is no set of CPUs", path, target);
	cpus = fit_cpuset_is_empty(&value.cpus) ? fit_slice_all_cpus(state->root) : value.cpus;
	if (set_unit(state, path, unit, &cpus, err) < 0 ||
		wait_for_group(state, unit, &cpus, err) < 0)
		return -1;
	if (fit_cpuset_is_empty(&value.cpus) && set_unit(state, path, unit, &value.cpus, err) < 0)
		return -1;
	return value.runtime ? 0 : drop_runtime(state, path, err);
}

/* The steps on the way to @target, after each of which we can be cut off. */
static void announce(
	const struct fit_fsroot *root, struct fit_ledger_entry *entry, const char *target)
{
	struct fit_slice_value value;
	fit_autofree char *step = NULL;

	if (!fit_slice_parse(target, &value))
		return;
	value.runtime = true;
	step = fit_slice_format(&value);
	fit_ledger_entry_will_write(entry, step);
	if (fit_cpuset_is_empty(&value.cpus)) {
		fit_autofree char *full = NULL;

		value.cpus = fit_slice_all_cpus(root);
		full = fit_slice_format(&value);
		fit_ledger_entry_will_write(entry, full);
	}
}

static char *target_of(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online)
{
	return fit_slice_target(baseline, contributions, online, true);
}

const struct fit_resource_ops fit_resource_slice = {
	.name = "slice",
	.equal = fit_slice_equal,
	.target = target_of,
	.describe = fit_slice_describe,
	.read = read_slice,
	.write = write_slice,
	.announce = announce,
};

/* By the systemd that runs here. */
static bool is_managed(const struct fit_fsroot *root)
{
	return fit_fsroot_exists(root, FIT_PATH_SYSTEMD);
}

/* Why the CPUs of groups cannot be limited on this host; NULL: they can. To be freed. */
static char *obstacle_of_kernel(const struct fit_fsroot *root)
{
	static const char path[] = FIT_PATH_CGROUP "/cgroup.controllers";
	fit_autofree char *text = fit_fsroot_try_read(root, path);
	fit_autostrlist struct fit_strlist controllers = {0};

	if (!fit_fsroot_exists(root, path))
		return fit_xasprintf(
			"its control groups are of version 1, or of both: there is no "
			"/%s (systemd.unified_cgroup_hierarchy=1 boots with version 2)",
			path);
	if (text)
		fit_strlist_split(&controllers, text, " ");
	if (!fit_strlist_contains(&controllers, "cpuset"))
		return fit_xasprintf("there is no cpuset in /%s", path);
	/* Its groups are not ours to change; from a namespace it cannot be asked. */
	if (!is_managed(root) && fit_fsroot_exists(root, FIT_PATH_CGROUP "/init.scope"))
		return fit_xstrdup("the control groups are those of a systemd that is not here");
	return NULL;
}

/* The same for @cpus, beside what other domains have: the host needs one as well. */
static char *obstacle(const struct fit_state *state, const struct fit_cpuset *cpus)
{
	struct fit_cpuset left = fit_online_cpus(state->root);

	for (size_t i = 0; i < state->journal_count; i++) {
		const struct fit_journal *journal = &state->journals[i];

		for (size_t j = 0; j < journal->claim_count; j++) {
			struct fit_cpuset claimed;

			if ((journal->claims[j].kind == FIT_RESOURCE_SLICE ||
				    journal->claims[j].kind == FIT_RESOURCE_GROUP) &&
				fit_cpuset_parse_list(
					journal->claims[j].contribution, &claimed, NULL) == 0)
				fit_cpuset_subtract(&left, &claimed);
		}
	}
	fit_cpuset_subtract(&left, cpus);
	return fit_cpuset_is_empty(&left) ? fit_xstrdup("the host would be left without a CPU")
					  : obstacle_of_kernel(state->root);
}

/* It is made when QEMU runs, which is too late to refuse anything. */
static int want_partition(struct fit_expansion *expansion, const struct fit_op *op,
	const char *list, struct fit_err *err)
{
	fit_autofree char *why = fit_partition_obstacle(expansion, &op->cpus);
	fit_autofree char *message = NULL;

	if (!why)
		return 0;
	message = fit_xasprintf("%s cannot be in isolated partitions: %s", list, why);
	return fit_wanted_lacks(expansion, op, message, err);
}

int fit_isolation_expand(
	struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autofree char *why = obstacle(expansion->state, &op->cpus);
	fit_autofree char *list = fit_cpuset_describe(&op->cpus, "CPU");

	if (why) {
		fit_autofree char *message =
			fit_xasprintf("the host's processes cannot be kept off %s: %s", list, why);

		return fit_wanted_lacks(expansion, op, message, err);
	}
	if (op->partition && want_partition(expansion, op, list, err) < 0)
		return -1;
	if (!is_managed(root)) {
		fit_groups_expand(expansion, op);
		return 0;
	}
	for (size_t i = 0; i < FIT_ARRAY_SIZE(drop_ins); i++)
		fit_wanted_set(&expansion->wanted, FIT_RESOURCE_SLICE, op, fit_xstrdup(drop_ins[i]),
			fit_cpuset_format_list(&op->cpus));
	return 0;
}
