/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's cores and who has them. A core is what its lowest CPU names as its online siblings; a
 * domain gets cores whole, so a claim on one thread is a claim on the core.
 *
 * Housekeeping, what is left for everything else, is what the host's policy says, or the core with
 * the host's lowest CPU that is not isolated. On a host of one core there is nothing to set apart:
 * housekeeping takes its first thread.
 */
#include "core/place.h"

#include <stdlib.h>

#include "base/memory.h"

static int node_of(const struct fit_host *host, const struct fit_cpu *cpu)
{
	if (cpu->node >= 0)
		return cpu->node;
	for (size_t i = 0; i < host->node_count; i++) {
		if (fit_cpuset_contains(&host->nodes[i].cpus, cpu->id))
			return (int)host->nodes[i].id;
	}
	return -1;
}

/* Cores whose L3 is unknown count as one group for each node. */
static unsigned int l3_of(const struct fit_host *host, const struct fit_cpu *cpu, int node_id)
{
	const struct fit_node *node =
		node_id < 0 ? NULL : fit_host_node(host, (unsigned int)node_id);
	int first = -1;

	if (cpu->l3 >= 0 && (size_t)cpu->l3 < host->l3_count)
		first = fit_cpuset_next(&host->l3_groups[cpu->l3], 0);
	if (first < 0 && node)
		first = fit_cpuset_next(&node->cpus, 0);
	return first < 0 ? cpu->id : (unsigned int)first;
}

static int compare_cores(const void *a, const void *b)
{
	const struct fit_core *left = a;
	const struct fit_core *right = b;

	if (left->node != right->node)
		return left->node < right->node ? -1 : 1;
	return (left->cpu > right->cpu) - (left->cpu < right->cpu);
}

static void add_core(
	struct fit_planner *planner, const struct fit_cpu *cpu, const struct fit_cpuset *cpus)
{
	struct fit_core *core = FIT_APPEND(planner->cores, planner->core_count);

	core->cpu = cpu->id;
	core->node = node_of(planner->host, cpu);
	core->l3 = l3_of(planner->host, cpu, core->node);
	core->efficiency = cpu->kind == FIT_CPU_EFFICIENCY;
	core->isolated = fit_cpuset_is_subset(cpus, &planner->host->isolated);
	core->cpus = *cpus;
	core->usable = *cpus;
	fit_cpuset_intersect(&core->usable, &planner->allowed);
	planner->has_efficiency |= core->efficiency;
	planner->has_isolated |= core->isolated;
}

struct member {
	const struct fit_cpu *cpu;
	struct fit_core *core;
};

/* Ids of clusters count within a die. A cluster has cores of one kind and is part of one L3 group.
 */
static int compare_clusters(const struct member *left, const struct member *right)
{
	if (left->core->efficiency != right->core->efficiency)
		return left->core->efficiency ? 1 : -1;
	if (left->core->node != right->core->node)
		return left->core->node < right->core->node ? -1 : 1;
	if (left->core->l3 != right->core->l3)
		return left->core->l3 < right->core->l3 ? -1 : 1;
	if (left->cpu->package != right->cpu->package)
		return left->cpu->package < right->cpu->package ? -1 : 1;
	if (left->cpu->die != right->cpu->die)
		return left->cpu->die < right->cpu->die ? -1 : 1;
	return (left->cpu->cluster > right->cpu->cluster) -
	       (left->cpu->cluster < right->cpu->cluster);
}

static int compare_members(const void *a, const void *b)
{
	const struct member *left = a;
	const struct member *right = b;
	int order = compare_clusters(left, right);

	return order ? order
		     : (left->core->cpu > right->core->cpu) - (left->core->cpu < right->core->cpu);
}

/* Clusters (Arm, modules of efficiency cores) are cores that share something nearer than the L3
 * cache. Most x86 kernels number them too where each core is one of its own: of such a kind of core
 * nothing is known. */
static void find_clusters(struct fit_planner *planner)
{
	size_t count = planner->core_count;
	fit_autofree struct member *members = fit_xcalloc(count, sizeof(*members));

	for (size_t i = 0; i < count; i++)
		members[i] = (struct member){
			.cpu = fit_host_cpu(planner->host, planner->cores[i].cpu),
			.core = &planner->cores[i],
		};
	qsort(members, count, sizeof(*members), compare_members);
	for (size_t i = 0; i < count; i++) {
		struct fit_core *core = members[i].core;

		core->cluster = core->cpu;
		if (i == 0 || members[i].cpu->cluster < 0 ||
			compare_clusters(&members[i - 1], &members[i]) != 0)
			continue;
		core->cluster = members[i - 1].core->cluster;
		planner->has_clusters[core->efficiency] = true;
	}
	for (size_t i = 0; i < count; i++)
		if (!planner->has_clusters[planner->cores[i].efficiency])
			planner->cores[i].cluster = planner->cores[i].l3;
}

static void find_cores(struct fit_planner *planner)
{
	const struct fit_host *host = planner->host;
	struct fit_cpuset left = host->online;

	for (size_t i = 0; i < host->cpu_count; i++) {
		const struct fit_cpu *cpu = &host->cpus[i];
		struct fit_cpuset cpus = cpu->siblings;

		if (!fit_cpuset_contains(&left, cpu->id))
			continue;
		fit_cpuset_add(&cpus, cpu->id);
		fit_cpuset_intersect(&cpus, &left);
		fit_cpuset_subtract(&left, &cpus);
		add_core(planner, cpu, &cpus);
	}
	if (planner->core_count) {
		qsort(planner->cores, planner->core_count, sizeof(*planner->cores), compare_cores);
		find_clusters(planner);
	}
	planner->core_of = fit_xcalloc(FIT_CPUSET_MAX, sizeof(*planner->core_of));
	for (size_t i = 0; i < FIT_CPUSET_MAX; i++)
		planner->core_of[i] = FIT_NO_CORE;
	for (size_t i = 0; i < planner->core_count; i++) {
		fit_cpuset_for_each (cpu, &planner->cores[i].cpus)
			planner->core_of[cpu] = (uint16_t)i;
	}
}

/* The core with the lowest CPU, one that is not isolated if there is such. */
static struct fit_core *housekeeping_core(struct fit_planner *planner)
{
	struct fit_core *best = NULL;

	for (size_t i = 0; i < planner->core_count; i++) {
		struct fit_core *core = &planner->cores[i];

		if (!best || (best->isolated && !core->isolated) ||
			(best->isolated == core->isolated && core->cpu < best->cpu))
			best = core;
	}
	return best;
}

/* No vCPU gets a core that housekeeping has a thread of. */
static void take_stated_housekeeping(struct fit_planner *planner)
{
	const struct fit_host *host = planner->host;
	struct fit_cpuset beside = {0};
	fit_autofree char *list = fit_cpuset_describe(&host->housekeeping, "CPU");
	fit_autofree char *beside_list = NULL;

	planner->plan->housekeeping = host->housekeeping;
	for (size_t i = 0; i < planner->core_count; i++) {
		struct fit_core *core = &planner->cores[i];

		if (!fit_cpuset_intersects(&core->cpus, &host->housekeeping))
			continue;
		if (planner->core_count == 1) {
			fit_cpuset_subtract(&core->usable, &host->housekeeping);
			break;
		}
		core->usable = (struct fit_cpuset){0};
		fit_cpuset_unite(&beside, &core->cpus);
	}
	fit_cpuset_subtract(&beside, &host->housekeeping);
	beside_list = fit_cpuset_describe(&beside, "CPU");
	fit_planner_reason(planner, FIT_REASON_CHOICE, "housekeeping",
		"%s %s housekeeping by %s%s%s%s", list,
		fit_cpuset_count(&host->housekeeping) == 1 ? "is" : "are",
		host->housekeeping_source, fit_cpuset_is_empty(&beside) ? "" : "; no vCPU gets ",
		fit_cpuset_is_empty(&beside) ? "" : beside_list,
		fit_cpuset_is_empty(&beside) ? "" : " of the same cores");
}

static void set_housekeeping(struct fit_planner *planner)
{
	struct fit_cpuset *housekeeping = &planner->plan->housekeeping;
	struct fit_core *core = housekeeping_core(planner);

	if (!core)
		return;
	if (planner->host->housekeeping_source) {
		take_stated_housekeeping(planner);
		return;
	}
	if (planner->core_count == 1 && fit_cpuset_count(&core->cpus) > 1) {
		fit_cpuset_add(housekeeping, core->cpu);
		if (planner->vcpus_place == FIT_PLACE_CORES)
			fit_planner_reason(planner, FIT_REASON_WARNING, "housekeeping",
				"this host has one core: housekeeping keeps CPU %u and the vCPUs "
				"share the core with it",
				core->cpu);
		fit_cpuset_remove(&core->usable, core->cpu);
		return;
	}
	*housekeeping = core->cpus;
	if (!core->isolated)
		fit_cpuset_subtract(housekeeping, &planner->host->isolated);
	core->usable = (struct fit_cpuset){0};
}

static void apply_claims(struct fit_planner *planner)
{
	for (size_t i = 0; i < planner->claim_count; i++) {
		const struct fit_claim *claim = planner->claims[i];

		fit_cpuset_for_each (cpu, &claim->cpus) {
			struct fit_core *core;

			if (planner->core_of[cpu] == FIT_NO_CORE)
				continue;
			core = &planner->cores[planner->core_of[cpu]];
			if (claim->running && !core->running)
				core->running = claim;
			else if (!claim->running && !core->defined)
				core->defined = claim;
		}
	}
}

/* Cores that the vCPUs have together. */
static void remember_set(struct fit_planner *planner, const struct fit_cpuset *cpus)
{
	fit_cpuset_for_each (cpu, cpus)
		if (planner->core_of[cpu] != FIT_NO_CORE)
			planner->cores[planner->core_of[cpu]].previous = true;
	planner->has_previous = true;
}

/* Where the vCPUs are now. Pins that the profile requires count too, so that an equally good other
 * placement is no reason to refuse them. */
static void find_previous(struct fit_planner *planner)
{
	const struct fit_domain *previous = planner->input->previous;

	planner->previous_cpus =
		fit_xcalloc(planner->domain->vcpus, sizeof(*planner->previous_cpus));
	for (unsigned int i = 0; i < planner->domain->vcpus; i++)
		planner->previous_cpus[i] = -1;
	if (!previous || !previous->vcpu_pin_count)
		previous = planner->domain;
	for (size_t i = 0; i < previous->vcpu_pin_count; i++) {
		const struct fit_thread_pin *pin = &previous->vcpu_pins[i];
		const struct fit_core *core;
		int cpu = fit_cpuset_next(&pin->cpus, 0);

		/* What those have that float beside dedicated ones is what is left over. */
		if (planner->profile->vcpus.pin_set && !fit_domain_floats(previous) &&
			!fit_cpuset_contains(&planner->pooled, pin->id))
			remember_set(planner, &pin->cpus);
		if (pin->id >= planner->domain->vcpus || !fit_vcpu_is_open(planner, pin->id) ||
			fit_cpuset_count(&pin->cpus) != 1)
			continue;
		planner->previous_cpus[pin->id] = cpu;
		planner->has_previous = true;
		core = fit_planner_core_of(planner, cpu);
		if (core)
			planner->cores[core - planner->cores].previous = true;
	}
}

static void find_previous_threads(struct fit_planner *planner)
{
	const struct fit_domain *previous = planner->input->previous;

	for (size_t i = 0; previous && i < planner->core_count; i++) {
		struct fit_core *core = &planner->cores[i];

		core->previous_emulator = previous->has_emulator_pin &&
					  fit_cpuset_equal(&previous->emulator_pin, &core->cpus);
		for (size_t t = 0; t < previous->iothread_pin_count; t++)
			core->previous_iothread |=
				fit_cpuset_equal(&previous->iothread_pins[t].cpus, &core->cpus);
		planner->has_previous |= core->previous_emulator || core->previous_iothread;
	}
}

/* Cores of the emulator's and the iothreads' pins that stay as the user wrote them: vCPUs that are
 * to be alone go elsewhere if they can. */
static void find_kept_threads(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;
	struct fit_cpuset kept = {0};

	if (domain->has_emulator_pin && fit_intent_keeps(&planner->profile->emulator.intent))
		kept = domain->emulator_pin;
	for (size_t i = 0; i < domain->iothread_pin_count; i++)
		if (fit_intent_keeps(&planner->profile->iothreads.intent))
			fit_cpuset_unite(&kept, &domain->iothread_pins[i].cpus);
	for (size_t i = 0; i < planner->core_count; i++)
		planner->cores[i].kept = fit_cpuset_intersects(&planner->cores[i].cpus, &kept);
}

/* Pins of some vCPUs only: those stay, and the cores they are on are not for others. */
static void find_fixed(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;
	bool keeps = fit_intent_keeps(&planner->profile->vcpus.intent);

	size_t fixed = 0;

	planner->fixed = fit_xcalloc(domain->vcpus, sizeof(*planner->fixed));
	for (size_t i = 0; i < domain->vcpu_pin_count && keeps; i++) {
		const struct fit_thread_pin *pin = &domain->vcpu_pins[i];

		if (pin->id >= domain->vcpus || planner->fixed[pin->id])
			continue;
		planner->fixed[pin->id] = pin;
		fixed++;
		fit_cpuset_unite(&planner->fixed_cpus, &pin->cpus);
	}
	planner->vcpus_kept =
		fixed && (fixed == domain->vcpus || planner->vcpus_place == FIT_PLACE_NONE);
	planner->open_vcpus = (unsigned int)(domain->vcpus - fixed);
}

/* vCPUs that the profile dedicates no CPUs to, where it does to others. */
static void find_pooled(struct fit_planner *planner)
{
	const struct fit_intent_vcpus *vcpus = &planner->profile->vcpus;
	struct fit_cpuset dedicated = fit_intent_vcpus_dedicated(vcpus, planner->domain->vcpus);

	if (planner->vcpus_place != FIT_PLACE_CORES || vcpus->shared || !vcpus->dedicated ||
		planner->vcpus_kept)
		return;
	for (unsigned int i = 0; i < planner->domain->vcpus && i < FIT_CPUSET_MAX; i++)
		if (!planner->fixed[i] && !fit_cpuset_contains(&dedicated, i))
			fit_cpuset_add(&planner->pooled, i);
	planner->open_vcpus -= (unsigned int)fit_cpuset_count(&planner->pooled);
}

static bool is_fixed_core(const struct fit_planner *planner, const struct fit_core *core)
{
	return planner->vcpus_place == FIT_PLACE_CORES &&
	       fit_cpuset_intersects(&core->cpus, &planner->fixed_cpus);
}

static void warn_of_kept_pins(struct fit_planner *planner)
{
	const char *source = planner->host->housekeeping_source;
	struct fit_cpuset both = planner->fixed_cpus;
	fit_autofree char *list = NULL;

	fit_cpuset_intersect(&both, &planner->host->housekeeping);
	if (!source || fit_cpuset_is_empty(&both))
		return;
	list = fit_cpuset_describe(&both, "CPU");
	fit_planner_reason(planner, FIT_REASON_WARNING, "vcpus",
		"vCPU pins of the definition stay on %s, housekeeping by %s", list, source);
}

void fit_place_cores_prepare(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	/* Without an intent the pins of the definition are still what everything else follows. */
	planner->vcpus_place =
		planner->profile->vcpus.intent.set ? planner->profile->vcpus.place : FIT_PLACE_NONE;
	find_fixed(planner);
	find_pooled(planner);
	planner->allowed = planner->host->online;
	if (domain->has_vcpu_cpuset && fit_intent_keeps(&planner->profile->vcpus.intent))
		fit_cpuset_intersect(&planner->allowed, &domain->vcpu_cpuset);
	if (planner->host->limited_by) {
		fit_autofree char *list = fit_cpuset_describe(&planner->host->online, "CPU");

		fit_planner_reason(planner, FIT_REASON_CHOICE, "vcpus",
			"only %s may be used, by %s", list, planner->host->limited_by);
	}
	find_cores(planner);
	set_housekeeping(planner);
	warn_of_kept_pins(planner);
	apply_claims(planner);
	find_previous(planner);
	find_previous_threads(planner);
	find_kept_threads(planner);
	for (size_t i = 0; i < planner->core_count; i++) {
		struct fit_core *core = &planner->cores[i];
		int first;

		if (is_fixed_core(planner, core))
			core->usable = (struct fit_cpuset){0};
		first = fit_cpuset_next(&core->usable, core->cpu);
		core->threads = (unsigned int)fit_cpuset_count(&core->usable);
		core->first = first < 0 ? core->cpu : (unsigned int)first;
	}
}

const struct fit_core *fit_planner_node_cores(
	const struct fit_planner *planner, int node, size_t *ret_count)
{
	size_t low = 0;
	size_t high = planner->core_count;
	size_t end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (planner->cores[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < planner->core_count && planner->cores[end].node == node; end++)
		;
	*ret_count = end - low;
	return planner->cores + low;
}

void fit_place_cores_clear(struct fit_planner *planner)
{
	free(planner->cores);
	free(planner->core_of);
	free(planner->previous_cpus);
	free(planner->fixed);
}

const struct fit_core *fit_planner_core_of(const struct fit_planner *planner, int cpu)
{
	if (cpu < 0 || planner->core_of[cpu] == FIT_NO_CORE)
		return NULL;
	return &planner->cores[planner->core_of[cpu]];
}

/* Running claims are hard, except for vCPUs that share their CPUs with others anyway. */
bool fit_core_is_free(const struct fit_planner *planner, const struct fit_core *core)
{
	return core->threads > 0 && core->node >= 0 &&
	       (!core->running || planner->profile->vcpus.shared);
}
