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
 *
 * It takes its CPUs from the groups of other domains without a word, and their threads run anywhere
 * then. So there is none where a thread of a domain that runs has no other CPUs. (The kernel does
 * refuse the start of a domain that is pinned there later.)
 */
#include "sys/resource_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/slice.h"
#include "sys/threads.h"
#include "sys/wanted.h"

#define EXCLUSIVE "cpuset.cpus.exclusive"
#define PARTITION "cpuset.cpus.partition"
#define ISOLATED  "isolated"

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

/* systemd's, and libvirt's own without it */
static const char *const machines[] = {"/machine.slice", "/machine"};

/* "web01" of "machine-qemu\x2d1\x2dweb01.scope". To be freed. */
static char *domain_of(const char *scope)
{
	static const char dash[] = "\\x2d";
	const char *dot = strrchr(scope, '.');
	const char *end = dot ? dot : scope + strlen(scope);
	const char *name = scope;
	struct fit_buffer domain = {0};

	for (int dashes = 0; dashes < 2 && strstr(name, dash); dashes++)
		name = strstr(name, dash) + strlen(dash);
	for (const char *next; (next = strstr(name, dash)); name = next + strlen(dash))
		fit_buffer_addf(&domain, "%.*s-", (int)(next - name), name);
	fit_buffer_addf(&domain, "%.*s", (int)(end > name ? end - name : 0), name);
	return fit_buffer_steal(&domain);
}

/* The group of threads below @parent that has none but these CPUs; NULL: there is none. */
static char *find_user(
	const struct fit_fsroot *root, const char *parent, const struct fit_cpuset *cpus)
{
	fit_autofree char *directory = fit_xasprintf(FIT_PATH_CGROUP "%s", parent);
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_list(root, directory, &names, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.items[i];
		fit_autofree char *group = fit_xasprintf("%s/%s", parent, name);
		struct fit_cpuset own = {0};

		if (fit_starts_with(name, "vcpu") || fit_starts_with(name, "iothread") ||
			fit_streq(name, "emulator"))
			own = cpus_of(root, group);
		if (!fit_cpuset_is_empty(&own) && fit_cpuset_is_subset(&own, cpus))
			return fit_xstrdup(name);
	}
	return NULL;
}

static char *find_other_domain(const struct fit_fsroot *root, const char *machine,
	const struct fit_cpuset *cpus, const char *own)
{
	fit_autofree char *directory = fit_xasprintf(FIT_PATH_CGROUP "%s", machine);
	fit_autostrlist struct fit_strlist scopes = {0};

	if (fit_fsroot_list(root, directory, &scopes, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < scopes.count; i++) {
		fit_autofree char *scope = fit_xasprintf("%s/%s", machine, scopes.items[i]);
		fit_autofree char *libvirts = fit_xasprintf("%s/libvirt", scope);
		fit_autofree char *domain = NULL;
		fit_autofree char *user = NULL;

		if (fit_streq(scope, own) || fit_streq(libvirts, own))
			continue;
		user = find_user(root, libvirts, cpus);
		if (!user)
			user = find_user(root, scope, cpus);
		if (!user)
			continue;
		domain = domain_of(scopes.items[i]);
		return fit_xasprintf(
			"%s of the running domain '%s' has no CPUs but of these", user, domain);
	}
	return NULL;
}

/* Who needs the CPUs besides the domain whose groups are below @own. To be freed. */
static char *find_need(
	const struct fit_fsroot *root, const struct fit_cpuset *cpus, const char *own)
{
	char *need = NULL;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(machines) && !need; i++)
		need = find_other_domain(root, machines[i], cpus, own);
	return need;
}

/* The root's list of isolated CPUs came with Linux 6.8, and with it that unbound work stays away;
 * remote partitions with 6.7. */
static bool are_possible(const struct fit_fsroot *root)
{
	return fit_fsroot_exists(root, FIT_PATH_CPUS_ISOLATED);
}

/* Below which the domain's groups are, when it runs; QEMU is in one beside those of its vCPUs. To
 * be freed; NULL. */
static char *own_group(const struct fit_expansion *expansion)
{
	const struct fit_fsroot *root = expansion->state->root;
	pid_t qemu = fit_threads_qemu(root, expansion->journal->name);
	char *group = qemu ? fit_threads_group(root, qemu) : NULL;

	if (group && strrchr(group, '/'))
		*strrchr(group, '/') = '\0';
	return group;
}

char *fit_partition_obstacle(const struct fit_expansion *expansion, const struct fit_cpuset *cpus)
{
	fit_autofree char *group = NULL;

	if (!are_possible(expansion->state->root))
		return fit_xasprintf("there is no /%s (Linux 6.8)", FIT_PATH_CPUS_ISOLATED);
	group = own_group(expansion);
	return find_need(expansion->state->root, cpus, group);
}

struct vcpu {
	char *group;
	struct fit_cpuset cpus;
};

struct vcpus {
	struct vcpu *items;
	size_t count;
	struct fit_cpuset cpus; /* of all */
};

static void clear_vcpus(struct vcpus *vcpus)
{
	for (size_t i = 0; i < vcpus->count; i++)
		free(vcpus->items[i].group);
	free(vcpus->items);
}

/* The groups of vCPUs that have CPUs of @cpus and no others, none of them twice. */
static void find_vcpus(const struct fit_fsroot *root, const char *parent,
	const struct fit_cpuset *cpus, struct vcpus *vcpus)
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
			fit_cpuset_intersects(&own, &vcpus->cpus))
			continue;
		fit_cpuset_unite(&vcpus->cpus, &own);
		*FIT_APPEND(vcpus->items, vcpus->count) =
			(struct vcpu){.group = FIT_STEAL(group), .cpus = own};
	}
}

static void want_all(struct fit_expansion *expansion, const struct fit_op *op, const char *group,
	const struct vcpus *vcpus)
{
	for (const char *end = group; *end; end += strcspn(end, "/")) {
		fit_autofree char *above = NULL;

		end += *end == '/';
		above = fit_xstrndup(group, (size_t)(end - group) + strcspn(end, "/"));
		want(expansion, FIT_RESOURCE_EXCLUSIVE, op, above, &vcpus->cpus);
	}
	for (size_t i = 0; i < vcpus->count; i++)
		want(expansion, FIT_RESOURCE_EXCLUSIVE, op, vcpus->items[i].group,
			&vcpus->items[i].cpus);
	for (size_t i = 0; i < vcpus->count; i++)
		want(expansion, FIT_RESOURCE_PARTITION, op, vcpus->items[i].group,
			&vcpus->items[i].cpus);
}

void fit_partition_expand(struct fit_expansion *expansion, const struct fit_op *op)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autofree char *group = own_group(expansion);
	FIT_CLEANUP(clear_vcpus) struct vcpus vcpus = {0};
	fit_autofree char *need = NULL;

	/* It was said, or refused, before the start. */
	if (!are_possible(root))
		return;
	if (group)
		find_vcpus(root, group, &op->cpus, &vcpus);
	if (!vcpus.count)
		need = fit_xstrdup("there are no control groups of vCPUs with CPUs of their own");
	else
		need = find_need(root, &vcpus.cpus, group);
	if (!need)
		want_all(expansion, op, group, &vcpus);
	else if (expansion->notes)
		fit_strlist_addf(expansion->notes, "no isolated partitions: %s", need);
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
