/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From chosen cores to pins, and back from pins that the definition keeps to nodes. Every pin is
 * checked against the online CPUs: libvirt accepts any number and fails only at start.
 */
#include "core/place.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

bool fit_vcpu_is_open(const struct fit_planner *planner, size_t vcpu)
{
	return !planner->fixed[vcpu] && !fit_cpuset_contains(&planner->pooled, (unsigned int)vcpu);
}

int fit_planner_node_of(const struct fit_planner *planner, const struct fit_cpuset *cpus)
{
	int node = -1;

	fit_cpuset_for_each (cpu, cpus) {
		const struct fit_core *core = fit_planner_core_of(planner, cpu);

		if (!core || core->node < 0 || (node >= 0 && core->node != node))
			return -1;
		node = core->node;
	}
	return node;
}

void fit_place_count_fixed(const struct fit_planner *planner, size_t *ret_counts)
{
	for (size_t i = 0; i < planner->domain->vcpus; i++) {
		int id = planner->fixed[i] ? fit_planner_node_of(planner, &planner->fixed[i]->cpus)
					   : -1;
		const struct fit_node *node =
			id < 0 ? NULL : fit_host_node(planner->host, (unsigned int)id);

		if (node)
			ret_counts[node - planner->host->nodes]++;
	}
}

/* Is there a vCPU to be placed in the guest core of @size vCPUs that begins with @first? */
static bool is_open(const struct fit_planner *planner, size_t first, size_t size)
{
	for (size_t i = first; i < first + size && i < planner->domain->vcpus; i++)
		if (fit_vcpu_is_open(planner, i))
			return true;
	return false;
}

/* How many vCPUs a guest core has, for which the candidate's cores are taken one by one. Among
 * vCPUs that float the guest has no cores of threads, unless it has its own topology. */
static size_t guest_core(const struct fit_planner *planner, const struct fit_candidate *candidate)
{
	if (!fit_cpuset_is_empty(&planner->pooled))
		return planner->kept_threads ? planner->kept_threads : 1;
	return candidate->uniform ? candidate->per_core : 1;
}

size_t fit_place_need(const struct fit_planner *planner, const struct fit_candidate *candidate)
{
	size_t size = guest_core(planner, candidate);
	size_t need = 0;

	if (planner->open_vcpus == planner->domain->vcpus)
		return planner->domain->vcpus;
	for (size_t i = 0; i < planner->domain->vcpus; i += size)
		if (is_open(planner, i, size))
			need += size < planner->domain->vcpus - i ? size
								  : planner->domain->vcpus - i;
	return need;
}

/* The vCPU at or behind @vcpu that the next CPU is for. */
static size_t next_place(
	const struct fit_planner *planner, const struct fit_candidate *candidate, size_t vcpu)
{
	size_t size = guest_core(planner, candidate);

	while (vcpu < planner->domain->vcpus && !is_open(planner, vcpu - vcpu % size, size))
		vcpu += size;
	return vcpu;
}

void fit_place_list(
	const struct fit_planner *planner, const struct fit_candidate *candidate, size_t *ret_vcpus)
{
	for (size_t vcpu = next_place(planner, candidate, 0); vcpu < planner->domain->vcpus;
		vcpu = next_place(planner, candidate, vcpu + 1))
		*ret_vcpus++ = vcpu;
}

/* The CPU of each vCPU, -1 for those that have one already: threads of a core get neighbouring vCPU
 * numbers, as the guest's topology has them. A fixed vCPU leaves its thread empty. */
void fit_place_order(
	const struct fit_planner *planner, const struct fit_candidate *candidate, int *ret_cpus)
{
	size_t vcpu = next_place(planner, candidate, 0);

	for (size_t i = 0; i < planner->domain->vcpus; i++)
		ret_cpus[i] = -1;
	for (size_t i = 0; i < candidate->core_count; i++) {
		const struct fit_core *core = candidate->cores[i];
		unsigned int room = fit_core_room(candidate, core);
		int cpu = (int)core->first;

		while (room-- > 0 && vcpu < planner->domain->vcpus) {
			if (fit_vcpu_is_open(planner, vcpu))
				ret_cpus[vcpu] = cpu;
			vcpu = next_place(planner, candidate, vcpu + 1);
			cpu = fit_cpuset_next(&core->usable, (unsigned int)cpu + 1);
		}
	}
}

/* Between isolated CPUs the kernel moves no threads: there each vCPU has one of its own. */
bool fit_place_pins_are_sets(
	const struct fit_planner *planner, const struct fit_candidate *candidate)
{
	return planner->profile->vcpus.pin_set && planner->vcpus_place == FIT_PLACE_CORES &&
	       !planner->vcpus_kept &&
	       !fit_cpuset_intersects(&candidate->cpus, &planner->host->isolated);
}

/* Each vCPU may use the CPUs of all, within its guest cell. */
static void widen_to_sets(const struct fit_planner *planner, const struct fit_candidate *candidate,
	const int *cpus, struct fit_thread_pin *pins)
{
	size_t count = planner->domain->vcpus;

	for (size_t i = 0; i < count; i++) {
		const struct fit_core *home = fit_planner_core_of(planner, cpus[i]);

		for (size_t j = 0; j < count && home; j++) {
			const struct fit_core *core = fit_planner_core_of(planner, cpus[j]);

			if (core && (!candidate->cell_count || core->node == home->node))
				fit_cpuset_add(&pins[i].cpus, (unsigned int)cpus[j]);
		}
	}
}

/* What the pool has of the nodes of the vCPU's guest cell; all of it where that is nothing. */
static struct fit_cpuset pool_of(
	const struct fit_planner *planner, const struct fit_candidate *candidate, unsigned int vcpu)
{
	struct fit_cpuset cpus = {0};

	for (size_t i = 0; i < candidate->cell_count && planner->cells_wanted; i++) {
		const struct fit_planned_cell *cell = &candidate->cells[i];

		if (!fit_cpuset_contains(&cell->vcpus, vcpu))
			continue;
		fit_cpuset_for_each (node, &cell->nodes)
			fit_cpuset_unite(
				&cpus, &fit_host_node(planner->host, (unsigned int)node)->cpus);
		fit_cpuset_intersect(&cpus, &candidate->pool);
	}
	return fit_cpuset_is_empty(&cpus) ? candidate->pool : cpus;
}

static void pin_to_cores(const struct fit_planner *planner, const struct fit_candidate *candidate,
	struct fit_thread_pin *pins)
{
	size_t count = planner->domain->vcpus;
	fit_autofree int *cpus = fit_xcalloc(count, sizeof(*cpus));

	fit_place_order(planner, candidate, cpus);
	for (size_t i = 0; i < count; i++)
		if (cpus[i] >= 0)
			fit_cpuset_add(&pins[i].cpus, (unsigned int)cpus[i]);
	fit_cpuset_for_each (vcpu, &planner->pooled)
		pins[vcpu].cpus = pool_of(planner, candidate, (unsigned int)vcpu);
	if (fit_place_pins_are_sets(planner, candidate))
		widen_to_sets(planner, candidate, cpus, pins);
}

static void pin_as_kept(const struct fit_planner *planner, struct fit_thread_pin *pins)
{
	const struct fit_domain *domain = planner->domain;

	for (size_t i = 0; i < domain->vcpus && domain->has_vcpu_cpuset; i++)
		pins[i].cpus = domain->vcpu_cpuset;
	for (size_t i = 0; i < domain->vcpu_pin_count; i++) {
		if (domain->vcpu_pins[i].id < domain->vcpus)
			pins[domain->vcpu_pins[i].id].cpus = domain->vcpu_pins[i].cpus;
	}
}

/* The vCPUs of a guest cell to its node. */
static void confine(const struct fit_planner *planner, const struct fit_candidate *candidate,
	const struct fit_planned_cell *cell, struct fit_thread_pin *pins)
{
	struct fit_cpuset cpus = {0};

	fit_cpuset_for_each (cpu, &candidate->cpus) {
		const struct fit_core *core = fit_planner_core_of(planner, cpu);

		if (core && fit_cpuset_contains(&cell->nodes, (unsigned int)core->node))
			fit_cpuset_add(&cpus, (unsigned int)cpu);
	}
	fit_cpuset_for_each (vcpu, &cell->vcpus)
		pins[vcpu].cpus = cpus;
}

/* The pins of all vCPUs; an empty set floats over the host. To be freed. */
struct fit_thread_pin *fit_place_pins(
	const struct fit_planner *planner, const struct fit_candidate *candidate)
{
	size_t count = planner->domain->vcpus;
	struct fit_thread_pin *pins = fit_xcalloc(count, sizeof(*pins));

	for (size_t i = 0; i < count; i++)
		pins[i].id = (unsigned int)i;
	if (planner->vcpus_kept) {
		pin_as_kept(planner, pins);
	} else if (planner->vcpus_place == FIT_PLACE_CORES) {
		pin_to_cores(planner, candidate, pins);
	} else {
		for (size_t i = 0; i < count; i++)
			pins[i].cpus = candidate->cpus;
		for (size_t i = 0; i < candidate->cell_count && planner->cells_wanted; i++)
			confine(planner, candidate, &candidate->cells[i], pins);
	}
	for (size_t i = 0; i < count && !planner->vcpus_kept; i++)
		if (planner->fixed[i])
			pins[i].cpus = planner->fixed[i]->cpus;
	return pins;
}

int fit_pin_check(struct fit_planner *planner, const char *what, const struct fit_cpuset *cpus)
{
	struct fit_cpuset missing = *cpus;
	fit_autofree char *list = NULL;
	fit_autofree char *online = fit_cpuset_describe(&planner->host->online, "CPU");

	fit_cpuset_subtract(&missing, &planner->host->online);
	if (fit_cpuset_is_empty(&missing))
		return 0;
	list = fit_cpuset_describe(&missing, "CPU");
	return fit_planner_refuse(planner,
		"%s is pinned to %s, %s%s are %s; change or remove the pin, or use a profile "
		"that replaces it (existing=\"replace\")",
		what, list, planner->host->limited_by ? "allowed by " : "online",
		planner->host->limited_by ? planner->host->limited_by : "", online);
}

static void warn_of_others(struct fit_planner *planner, const struct fit_cpuset *cpus)
{
	for (size_t i = 0; i < planner->claim_count; i++) {
		struct fit_cpuset common = planner->claims[i]->cpus;
		fit_autofree char *list = NULL;

		fit_cpuset_intersect(&common, cpus);
		if (fit_cpuset_is_empty(&common))
			continue;
		list = fit_cpuset_describe(&common, "CPU");
		fit_planner_reason(planner, FIT_REASON_WARNING, "vcpus",
			"the vCPU pins that are kept overlap with %s (%s) on %s",
			planner->claims[i]->name, fit_claim_state(planner->claims[i]), list);
	}
}

/* dedicated= must be for somebody. */
static int check_dedicated(struct fit_planner *planner)
{
	const struct fit_intent_vcpus *vcpus = &planner->profile->vcpus;
	struct fit_cpuset dedicated = fit_intent_vcpus_dedicated(vcpus, planner->domain->vcpus);

	if (fit_cpuset_is_empty(&planner->pooled) || !fit_cpuset_is_empty(&dedicated))
		return 0;
	return fit_planner_refuse(planner,
		"%s:%u: dedicated=\"%s\" names none of the domain's vCPUs, 0-%u; for vCPUs that "
		"all float: place=\"node\"",
		vcpus->intent.file ? vcpus->intent.file : "the profile", vcpus->intent.line,
		vcpus->dedicated, planner->domain->vcpus - 1);
}

int fit_place_check_fixed(struct fit_planner *planner)
{
	if (check_dedicated(planner) < 0)
		return -1;
	for (size_t i = 0; i < planner->domain->vcpus; i++) {
		fit_autofree char *what = fit_xasprintf("vCPU %zu", i);

		if (planner->fixed[i] && fit_pin_check(planner, what, &planner->fixed[i]->cpus) < 0)
			return -1;
	}
	if (!fit_cpuset_is_empty(&planner->fixed_cpus))
		warn_of_others(planner, &planner->fixed_cpus);
	return 0;
}

/* The candidate that the definition's own pins are. */
int fit_place_pins_kept(struct fit_planner *planner, struct fit_candidate *candidate)
{
	fit_autofree struct fit_thread_pin *pins = fit_place_pins(planner, candidate);
	size_t unpinned = 0;

	for (size_t i = 0; i < planner->domain->vcpus; i++) {
		fit_autofree char *what = fit_xasprintf("vCPU %zu", i);

		if (fit_pin_check(planner, what, &pins[i].cpus) < 0)
			return -1;
		unpinned += fit_cpuset_is_empty(&pins[i].cpus);
		fit_cpuset_unite(&candidate->cpus, &pins[i].cpus);
	}
	if (unpinned)
		fit_planner_reason(planner, FIT_REASON_WARNING, "vcpus",
			"%zu of %u vCPUs without a pin: the pins of the definition are kept and "
			"the others float over the whole host",
			unpinned, planner->domain->vcpus);
	fit_cpuset_for_each (cpu, &candidate->cpus) {
		const struct fit_core *core = fit_planner_core_of(planner, cpu);

		if (core && core->node >= 0)
			fit_cpuset_add(&candidate->nodes, (unsigned int)core->node);
	}
	warn_of_others(planner, &candidate->cpus);
	return 0;
}

/* One warning for each other domain that has some of the chosen cores too. */
static void warn_of_overlaps(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	for (size_t i = 0; i < planner->claim_count; i++) {
		const struct fit_claim *claim = planner->claims[i];
		struct fit_cpuset common = claim->cpus;
		fit_autofree char *list = NULL;

		fit_cpuset_intersect(&common, &candidate->cpus);
		if (fit_cpuset_is_empty(&common))
			continue;
		list = fit_cpuset_describe(&common, "CPU");
		if (claim->running)
			fit_planner_reason(planner, FIT_REASON_WARNING, "vcpus",
				"shared with %s (%s): %s", claim->name, fit_claim_state(claim),
				list);
		else
			fit_planner_reason(planner, FIT_REASON_WARNING, "vcpus",
				"%s: %s (shut off) is defined there too and there is no room "
				"beside it; the two cannot run at the same time as wanted",
				list, claim->name);
	}
}

static void warn_of_barred_threads(
	struct fit_planner *planner, const struct fit_candidate *candidate)
{
	const struct fit_host *host = planner->host;
	struct fit_cpuset barred = {0};
	fit_autofree char *list = NULL;

	fit_cpuset_for_each (id, &candidate->cpus) {
		const struct fit_cpu *cpu = fit_host_cpu(host, (unsigned int)id);

		if (cpu)
			fit_cpuset_unite(&barred, &cpu->barred_siblings);
	}
	if (fit_cpuset_is_empty(&barred) || planner->profile->vcpus.shared)
		return;
	list = fit_cpuset_describe(&barred, "CPU");
	fit_planner_reason(planner, FIT_REASON_WARNING, "vcpus",
		"%s %s of these cores and not allowed by %s: others may run there", list,
		fit_cpuset_count(&barred) == 1 ? "is a thread" : "are threads", host->limited_by);
}

static void explain_cores(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	fit_autofree char *nodes = fit_cpuset_describe(&candidate->nodes, "node");
	fit_autofree char *cpus = fit_cpuset_describe(&candidate->cpus, "CPU");
	uint64_t groups = candidate->cost.level[FIT_COST_L3];
	uint64_t clusters = candidate->cost.level[FIT_COST_CLUSTERS];
	fit_autofree char *more = fit_xasprintf(
		", %llu cluster%s", (unsigned long long)clusters, fit_plural(clusters));

	fit_planner_reason(planner, FIT_REASON_CHOICE, "vcpus",
		"%u vCPU%s on %zu whole core%s of %s (%s), %llu L3 group%s%s", planner->open_vcpus,
		fit_plural(planner->open_vcpus), candidate->core_count,
		fit_plural(candidate->core_count), nodes, cpus, (unsigned long long)groups,
		fit_plural(groups), planner->has_clusters[candidate->efficiency] ? more : "");
	if (candidate->efficiency)
		fit_planner_reason(planner, FIT_REASON_WARNING, "vcpus",
			"the vCPUs are on efficiency cores: too few performance cores are free");
	if (planner->profile->vcpus.pin_set && !fit_place_pins_are_sets(planner, candidate))
		fit_planner_reason(planner, FIT_REASON_NOTE, "vcpus",
			"each vCPU is pinned to one CPU, not to a set: the kernel moves no threads "
			"between isolated CPUs");
	if (candidate->isolated_only)
		fit_planner_reason(planner, FIT_REASON_CHOICE, "vcpus",
			"isolated CPUs are preferred for vCPUs that have their cores alone");
}

static void explain_pool(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	fit_autofree char *vcpus = fit_cpuset_describe(&planner->pooled, "vCPU");
	fit_autofree char *cpus = fit_cpuset_describe(&candidate->pool, "CPU");
	size_t count = fit_cpuset_count(&candidate->pool);
	size_t pooled = fit_cpuset_count(&planner->pooled);

	if (!pooled)
		return;
	planner->plan->pooled_vcpus = planner->pooled;
	fit_planner_reason(planner, FIT_REASON_CHOICE, "vcpus",
		"%s float%s over %s, which other domains may use too: cores are dedicated to vCPUs "
		"%s only",
		vcpus, pooled == 1 ? "s" : "", cpus, planner->profile->vcpus.dedicated);
	if (count < pooled)
		fit_planner_reason(planner, FIT_REASON_WARNING, "vcpus",
			"%zu vCPUs have to share %zu CPU%s", pooled, count, fit_plural(count));
}

static void explain_fixed(struct fit_planner *planner)
{
	struct fit_cpuset vcpus = {0};
	fit_autofree char *cpus = fit_cpuset_describe(&planner->fixed_cpus, "CPU");
	fit_autofree char *list = NULL;

	for (unsigned int i = 0; i < planner->domain->vcpus && i < FIT_CPUSET_MAX; i++)
		if (planner->fixed[i])
			fit_cpuset_add(&vcpus, i);
	list = fit_cpuset_describe(&vcpus, "vCPU");
	if (!fit_cpuset_is_empty(&vcpus))
		fit_planner_reason(planner, FIT_REASON_KEPT, "vcpus",
			"the definition's pins of %s stay (%s), the other vCPUs are placed around "
			"them",
			list, cpus);
}

void fit_place_cpus_commit(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	struct fit_plan *plan = planner->plan;
	fit_autofree char *cpus = NULL;

	if (!planner->vcpus_kept && planner->vcpus_place == FIT_PLACE_NONE)
		return;
	plan->vcpus = fit_place_pins(planner, candidate);
	plan->vcpu_count = planner->domain->vcpus;
	plan->vcpus_kept = planner->vcpus_kept;
	for (size_t i = 0; i < plan->vcpu_count; i++)
		fit_cpuset_unite(&plan->vcpu_cpus, &plan->vcpus[i].cpus);
	plan->vcpu_nodes = candidate->nodes;
	cpus = fit_cpuset_describe(&plan->vcpu_cpus, "CPU");
	if (planner->vcpus_kept) {
		fit_planner_reason(planner, FIT_REASON_KEPT, "vcpus",
			"the vCPU pins of the definition stay (%s)", cpus);
		return;
	}
	explain_fixed(planner);
	if (planner->vcpus_place == FIT_PLACE_CORES) {
		explain_cores(planner, candidate);
		explain_pool(planner, candidate);
		warn_of_overlaps(planner, candidate);
		warn_of_barred_threads(planner, candidate);
		return;
	}
	fit_planner_reason(planner, FIT_REASON_CHOICE, "vcpus", "%u vCPU%s over %s",
		planner->open_vcpus, planner->open_vcpus == 1 ? " floats" : "s float", cpus);
	if (candidate->cost.level[FIT_COST_CROWDED])
		fit_planner_reason(planner, FIT_REASON_WARNING, "vcpus",
			"%u vCPUs have to share %zu CPU%s", planner->open_vcpus,
			candidate->capacity, fit_plural(candidate->capacity));
}
