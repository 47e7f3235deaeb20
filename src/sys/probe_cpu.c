/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs. Sets, not ranges: ids have gaps, CPU 0 may be offline, and an offline CPU has no topology
 * directory. Siblings and caches are told by each CPU for itself, so they are checked against each
 * other: a core or cache is used only where all its members agree.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/probe_parts.h"

#define DIRECTORY_MAX 128
#define CACHE_INDEXES 5 /* two of level 1, one each of level 2 to 4 */

static const char *cpu_directory(char directory[DIRECTORY_MAX], int cpu, const char *name)
{
	snprintf(directory, DIRECTORY_MAX, FIT_PATH_CPU "/cpu%d/%s", cpu, name);
	return directory;
}

static struct fit_cpu *cpu_at(const struct fit_host *host, int id)
{
	const struct fit_cpu *cpu = fit_host_cpu(host, (unsigned int)id);

	return cpu ? &host->cpus[cpu - host->cpus] : NULL;
}

/* The cpuN directories. */
static void list_directories(const struct fit_probe_run *run, struct fit_cpuset *ret_set)
{
	fit_autostrlist struct fit_strlist names = {0};
	unsigned int cpu;

	*ret_set = (struct fit_cpuset){0};
	if (fit_fsroot_list(run->root, FIT_PATH_CPU, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.count; i++)
		if (fit_probe_numbered(names.items[i], "cpu", FIT_CPUSET_MAX - 1, &cpu))
			fit_cpuset_add(ret_set, cpu);
}

/* Captured roots may lack the list of online CPUs; each CPU that can go offline tells as well. */
static void subtract_offline(const struct fit_probe_run *run, struct fit_cpuset *set)
{
	const struct fit_cpuset all = *set;
	char directory[DIRECTORY_MAX];

	fit_cpuset_for_each (cpu, &all)
		if (fit_probe_int(run, cpu_directory(directory, cpu, ""), "online", 1) == 0)
			fit_cpuset_remove(set, (unsigned int)cpu);
}

/* Every CPU that is there has a directory; a list that names others is wrong, or the directory was
 * lost on the way (a capture). Trees without any directory have only the list. */
static void drop_absent(const struct fit_probe_run *run)
{
	struct fit_cpuset *online = &run->host->online;
	struct fit_cpuset directories;
	struct fit_cpuset absent = *online;
	fit_autofree char *list = NULL;

	list_directories(run, &directories);
	fit_cpuset_subtract(&absent, &directories);
	if (fit_cpuset_is_empty(&directories) || fit_cpuset_is_empty(&absent))
		return;
	list = fit_cpuset_describe(&absent, "CPU");
	fit_probe_warn(run, FIT_PATH_CPU "/online names %s, without a directory: ignored", list);
	fit_cpuset_subtract(online, &absent);
}

int fit_probe_cpu_list(const struct fit_probe_run *run, struct fit_err *err)
{
	struct fit_host *host = run->host;
	fit_autofree char *online = fit_probe_text(run, FIT_PATH_CPU, "online");
	struct fit_cpuset present;

	if (online && fit_cpuset_parse_list(online, &host->online, err) < 0)
		return fit_err_prefix(
			err, "%s/" FIT_PATH_CPU "/online: ", fit_fsroot_shown(run->root));
	if (!fit_probe_cpuset(run, FIT_PATH_CPU, "present", NULL, &present))
		list_directories(run, &present);
	if (!online) {
		host->online = present;
		subtract_offline(run, &host->online);
	}
	drop_absent(run);
	if (fit_cpuset_is_empty(&host->online))
		return fit_err_set(err, FIT_ERR_NOTFOUND,
			"no CPU is listed in %s/" FIT_PATH_CPU
			"/online, and no cpuN directory is there: '%s' is not the root of a system",
			fit_fsroot_shown(run->root),
			run->root->real ? "/" : fit_fsroot_shown(run->root));
	fit_cpuset_unite(&present, &host->online);
	fit_probe_cpuset(run, FIT_PATH_CPU, "isolated", NULL, &host->isolated);

	host->cpus = fit_xcalloc(fit_cpuset_count(&present), sizeof(*host->cpus));
	fit_cpuset_for_each (id, &present)
		host->cpus[host->cpu_count++] = (struct fit_cpu){
			.id = (unsigned int)id,
			.online = fit_cpuset_contains(&host->online, (unsigned int)id),
			.isolated = fit_cpuset_contains(&host->isolated, (unsigned int)id),
			.package = -1,
			.die = -1,
			.cluster = -1,
			.core = -1,
			.node = -1,
			.l3 = -1,
		};
	return 0;
}

static void read_topology(const struct fit_probe_run *run, struct fit_cpu *cpu)
{
	char directory[DIRECTORY_MAX];

	cpu_directory(directory, (int)cpu->id, "topology");
	cpu->package = fit_probe_int(run, directory, "physical_package_id", -1);
	cpu->die = fit_probe_int(run, directory, "die_id", -1);
	cpu->cluster = fit_probe_int(run, directory, "cluster_id", -1);
	cpu->core = fit_probe_int(run, directory, "core_id", -1);
	/* x86 before 6.10 prints its invalid 16-bit id where there are no clusters. */
	if (cpu->cluster == 0xffff)
		cpu->cluster = -1;
	/* core_cpus is the same under its newer name, 5.4. */
	if (!fit_probe_cpuset(
		    run, directory, "thread_siblings_list", "thread_siblings", &cpu->siblings))
		fit_probe_cpuset(run, directory, "core_cpus_list", "core_cpus", &cpu->siblings);
	fit_cpuset_intersect(&cpu->siblings, &run->host->online);
	fit_cpuset_add(&cpu->siblings, cpu->id);
}

/* Threads of a core cannot be on several nodes. */
static bool are_apart(const struct fit_cpu *cpu, const struct fit_cpu *other)
{
	return cpu->node >= 0 && other->node >= 0 && cpu->node != other->node;
}

/* CPUs of cores whose members do not all name the same members, or are on several nodes; and those
 * that name such ones, who no longer name them. */
static struct fit_cpuset disagreeing(const struct fit_host *host)
{
	struct fit_cpuset bad = {0};

	fit_cpuset_for_each (id, &host->online) {
		const struct fit_cpuset *siblings = &cpu_at(host, id)->siblings;

		fit_cpuset_for_each (other, siblings)
			if (!fit_cpuset_equal(siblings, &cpu_at(host, other)->siblings) ||
				are_apart(cpu_at(host, id), cpu_at(host, other))) {
				fit_cpuset_add(&bad, (unsigned int)id);
				fit_cpuset_add(&bad, (unsigned int)other);
			}
	}
	for (size_t count = SIZE_MAX;
		!fit_cpuset_is_empty(&bad) && count != fit_cpuset_count(&bad);) {
		count = fit_cpuset_count(&bad);
		fit_cpuset_for_each (id, &host->online)
			if (fit_cpuset_intersects(&cpu_at(host, id)->siblings, &bad))
				fit_cpuset_add(&bad, (unsigned int)id);
	}
	return bad;
}

static void split_disagreeing(const struct fit_probe_run *run)
{
	const struct fit_cpuset bad = disagreeing(run->host);
	fit_autofree char *list = NULL;

	if (fit_cpuset_is_empty(&bad))
		return;
	list = fit_cpuset_format_list(&bad);
	fit_probe_warn(run,
		"CPUs %s disagree about which of them share a core, or about its node: taken as "
		"one each",
		list);
	fit_cpuset_for_each (id, &bad) {
		struct fit_cpu *cpu = cpu_at(run->host, id);

		cpu->siblings = (struct fit_cpuset){0};
		fit_cpuset_add(&cpu->siblings, cpu->id);
	}
}

/* "32768K", as the kernel prints all sizes of caches. */
static uint64_t read_cache_size(const struct fit_probe_run *run, const char *directory)
{
	fit_autofree char *text = fit_probe_text(run, directory, "size");
	const char *unit = text;
	uint64_t kib;

	return text && fit_scan_uint(&unit, UINT32_MAX, &kib) && fit_streq(unit, "K") ? kib : 0;
}

/* The level 3 cache of @cpu and the CPUs that share it. *index is where it was for the last CPU,
 * and most likely is for this one. */
static bool read_l3(const struct fit_probe_run *run, int cpu, int *index,
	struct fit_cpuset *ret_set, struct fit_l3 *ret_cache)
{
	char name[32];
	char directory[DIRECTORY_MAX];
	int level = 0;

	for (int i = -1; i < CACHE_INDEXES && level != 3; i++) {
		snprintf(name, sizeof(name), "cache/index%d", i < 0 ? *index : i);
		level = fit_probe_int(run, cpu_directory(directory, cpu, name), "level", -1);
		if (level == 3 && i >= 0)
			*index = i;
	}
	if (level != 3 ||
		!fit_probe_cpuset(run, directory, "shared_cpu_list", "shared_cpu_map", ret_set))
		return false;
	*ret_cache = (struct fit_l3){
		.id = fit_probe_int(run, directory, "id", -1),
		.size_kib = read_cache_size(run, directory),
	};
	return true;
}

/* Caches of one number: what is given of one cannot be told from what is of the other. */
static void drop_ambiguous_ids(const struct fit_probe_run *run)
{
	struct fit_l3 *caches = run->host->l3_caches;
	size_t count = run->host->l3_count;

	for (size_t i = 0; i < count; i++) {
		int id = caches[i].id;

		for (size_t j = i + 1; j < count && id >= 0; j++)
			if (caches[j].id == id)
				caches[i].id = caches[j].id = -1;
		if (id >= 0 && caches[i].id < 0)
			fit_probe_warn(run, "several L3 caches have the id %d: ignored", id);
	}
}

static void find_l3_groups(const struct fit_probe_run *run)
{
	struct fit_host *host = run->host;
	struct fit_cpuset grouped = {0};
	int index = 3;

	fit_cpuset_for_each (id, &host->online) {
		struct fit_cpuset group;
		struct fit_l3 cache;
		size_t count = host->l3_count;

		if (fit_cpuset_contains(&grouped, (unsigned int)id) ||
			!read_l3(run, id, &index, &group, &cache))
			continue;
		fit_cpuset_intersect(&group, &host->online);
		fit_cpuset_add(&group, (unsigned int)id);
		if (fit_cpuset_intersects(&group, &grouped)) {
			fit_probe_warn(run, "the L3 cache of CPU %d overlaps another", id);
			fit_cpuset_subtract(&group, &grouped);
		}
		fit_cpuset_unite(&grouped, &group);
		fit_cpuset_for_each (member, &group)
			cpu_at(host, member)->l3 = (int)count;
		*FIT_APPEND(host->l3_caches, count) = cache;
		*FIT_APPEND(host->l3_groups, host->l3_count) = group;
	}
	drop_ambiguous_ids(run);
}

static void set_kinds(
	struct fit_host *host, const struct fit_cpuset *fast, const struct fit_cpuset *slow)
{
	if (!fit_cpuset_intersects(fast, &host->online) ||
		!fit_cpuset_intersects(slow, &host->online))
		return;
	fit_cpuset_for_each (id, &host->online) {
		struct fit_cpu *cpu = cpu_at(host, id);

		if (fit_cpuset_contains(fast, cpu->id))
			cpu->kind = FIT_CPU_PERFORMANCE;
		else if (fit_cpuset_contains(slow, cpu->id))
			cpu->kind = FIT_CPU_EFFICIENCY;
	}
}

/* Arm and RISC-V: relative capacities, the largest core has 1024. Below three quarters of that is
 * another kind of core; middle cores and cores with a lower clock are not. */
static bool kinds_by_capacity(const struct fit_probe_run *run)
{
	struct fit_cpuset fast = {0}, slow = {0};
	char directory[DIRECTORY_MAX];

	fit_cpuset_for_each (id, &run->host->online) {
		int capacity =
			fit_probe_int(run, cpu_directory(directory, id, ""), "cpu_capacity", -1);

		if (capacity < 0)
			return false;
		fit_cpuset_add(capacity < 1024 * 3 / 4 ? &slow : &fast, (unsigned int)id);
	}
	set_kinds(run->host, &fast, &slow);
	return true;
}

static bool has_smt(const struct fit_cpu *cpu)
{
	return fit_cpuset_count(&cpu->siblings) > 1;
}

/* Some cores have SMT and others have not. */
static bool has_mixed_smt(const struct fit_host *host)
{
	bool with = false, without = false;

	fit_cpuset_for_each (id, &host->online) {
		with |= has_smt(cpu_at(host, id));
		without |= !has_smt(cpu_at(host, id));
	}
	return with && without;
}

static bool is_one_package(const struct fit_host *host)
{
	int package = cpu_at(host, fit_cpuset_next(&host->online, 0))->package;

	fit_cpuset_for_each (id, &host->online)
		if (cpu_at(host, id)->package != package)
			return false;
	return true;
}

/* The highest frequency of each CPU, by its place in fit_host.cpus; NULL when one is unknown. */
static int *read_speeds(const struct fit_probe_run *run)
{
	const struct fit_host *host = run->host;
	fit_autofree int *speeds = fit_xcalloc(host->cpu_count, sizeof(*speeds));
	char directory[DIRECTORY_MAX];

	for (size_t i = 0; i < host->cpu_count; i++) {
		if (!host->cpus[i].online)
			continue;
		speeds[i] = fit_probe_int(run,
			cpu_directory(directory, (int)host->cpus[i].id, "cpufreq"),
			"cpuinfo_max_freq", -1);
		if (speeds[i] <= 0)
			return NULL;
	}
	return FIT_STEAL(speeds);
}

/*
 * Hybrid x86 under a kernel (or in a capture) without the cpu_core and cpu_atom PMUs. Where only
 * some cores have SMT those without are slower by more than turbo bins differ between equal cores:
 * a lone sibling whose partner is offline is as fast as its peers and stays one of them. Where none
 * has, the difference must be larger: favoured cores are a few percent faster than others of their
 * kind.
 */
static void kinds_by_speed(struct fit_host *host, const int *speeds, bool mixed_smt)
{
	struct fit_cpuset fast = {0}, slow = {0};
	int reference = mixed_smt ? INT32_MAX : 0;

	for (size_t i = 0; i < host->cpu_count; i++) {
		if (mixed_smt && has_smt(&host->cpus[i]) && speeds[i] < reference)
			reference = speeds[i];
		if (!mixed_smt && speeds[i] > reference)
			reference = speeds[i];
	}
	fit_cpuset_for_each (id, &host->online) {
		const struct fit_cpu *cpu = cpu_at(host, id);
		int speed = speeds[cpu - host->cpus];
		bool is_slow = mixed_smt ? !has_smt(cpu) && speed < reference / 10 * 9
					 : speed < reference / 20 * 17;

		fit_cpuset_add(is_slow ? &slow : &fast, cpu->id);
	}
	set_kinds(host, &fast, &slow);
}

/* Without frequencies: nothing else makes a package of cores with SMT and cores without, as long as
 * no CPU is offline. */
static void kinds_by_smt(struct fit_host *host)
{
	struct fit_cpuset fast = {0}, slow = {0};

	if (fit_cpuset_count(&host->online) < host->cpu_count)
		return;
	fit_cpuset_for_each (id, &host->online)
		fit_cpuset_add(has_smt(cpu_at(host, id)) ? &fast : &slow, (unsigned int)id);
	set_kinds(host, &fast, &slow);
}

static void guess_kinds(const struct fit_probe_run *run)
{
	struct fit_host *host = run->host;
	bool mixed_smt = has_mixed_smt(host);
	fit_autofree int *speeds = NULL;

	if (!is_one_package(host) || (!mixed_smt && fit_host_threads_per_core(host) > 1))
		return;
	speeds = read_speeds(run);
	if (speeds)
		kinds_by_speed(host, speeds, mixed_smt);
	else if (mixed_smt)
		kinds_by_smt(host);
}

static void find_kinds(const struct fit_probe_run *run)
{
	fit_autofree char *core = fit_fsroot_try_read(run->root, FIT_PATH_CPU_CORE);
	fit_autofree char *atom = fit_fsroot_try_read(run->root, FIT_PATH_CPU_ATOM);
	struct fit_cpuset fast, slow;

	if (core && atom && fit_cpuset_parse_list(core, &fast, NULL) == 0 &&
		fit_cpuset_parse_list(atom, &slow, NULL) == 0)
		set_kinds(run->host, &fast, &slow);
	else if (!kinds_by_capacity(run))
		guess_kinds(run);
}

void fit_probe_topology(const struct fit_probe_run *run)
{
	fit_cpuset_for_each (id, &run->host->online)
		read_topology(run, cpu_at(run->host, id));
	split_disagreeing(run);
	find_l3_groups(run);
	find_kinds(run);
}
