/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's NUMA cells. A guest whose vCPUs are on several nodes gets a cell for each of them,
 * with the memory of that node: then its kernel keeps threads and their memory together as the
 * host's would. Cells that the definition has stay what they are; of them it is only known which
 * nodes their vCPUs came to.
 *
 * vCPUs and memory are split with the same function: shares by weight, no share above what its
 * place can take, and the shares sum up to the whole exactly.
 */
#include "core/place.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/target.h"

#define NORMAL_UNIT_KIB 1024ULL		/* libvirt rounds the memory of a cell up to it */
#define POWER_UNIT_KIB	(256ULL * 1024) /* on POWER to this: the size of a memory block */

struct share {
	uint64_t weight; /* not 0 */
	uint64_t capacity;
	uint64_t given;
	bool done;
};

/* The share that is full first. */
static struct share *tightest(struct share *shares, size_t count)
{
	struct share *best = NULL;

	for (size_t i = 0; i < count; i++) {
		struct share *share = &shares[i];

		if (!share->done &&
			(!best || (double)share->capacity * (double)best->weight <
					  (double)best->capacity * (double)share->weight))
			best = share;
	}
	return best;
}

static void split(struct share *shares, size_t count, uint64_t total)
{
	uint64_t capacity = 0, weight = 0;

	for (size_t i = 0; i < count; i++) {
		weight += shares[i].weight;
		capacity += shares[i].capacity;
	}
	/* Too much for all of them together is shared out as if there were room. */
	for (size_t i = 0; i < count && capacity < total; i++)
		shares[i].capacity = UINT64_MAX;
	for (size_t left = count; left > 0; left--) {
		struct share *share = tightest(shares, count);
		uint64_t part = total / weight * share->weight +
				(total % weight * share->weight + weight - 1) / weight;

		part = part < share->capacity ? part : share->capacity;
		share->given = left == 1 || part > total ? total : part;
		share->done = true;
		total -= share->given;
		weight -= share->weight;
	}
}

struct fit_planned_cell *fit_candidate_parts(struct fit_candidate *candidate, size_t *ret_count)
{
	*ret_count = candidate->cell_count ? candidate->cell_count : 1;
	return candidate->cell_count ? candidate->cells : &candidate->whole;
}

static bool qemu_args_have_cells(const struct fit_domain *domain)
{
	return fit_strlist_contains(&domain->qemu_args, "-numa");
}

/* Why there can be no cells of ours, machine and versions aside; NULL when there can. */
static const char *obstacle(const struct fit_planner *planner)
{
	const struct fit_profile *profile = planner->profile;
	const struct fit_domain *domain = planner->domain;

	if (qemu_args_have_cells(domain))
		return "<qemu:commandline> of the definition has its own (-numa)";
	if (domain->cell_count && domain->has_cell_users)
		return "those of the definition stay, devices of it refer to them";
	if (!planner->vcpus_kept && planner->vcpus_place == FIT_PLACE_NONE)
		return "the vCPUs have no place of their own";
	if (!profile->memory.intent.set || !profile->memory.nodes_as_cpus)
		return "the profile does not bind the memory to the nodes of the vCPUs";
	if (fit_place_binding_is_kept(planner))
		return "<numatune> of the definition stays as it is";
	if (domain->has_hugepage_nodesets && fit_place_pages_are_kept(planner))
		return "<hugepages> of the definition stays as it is, for each cell";
	return NULL;
}

static int check_count(struct fit_planner *planner, unsigned int wanted)
{
	struct fit_cpuset nodes = {0};
	fit_autofree char *list = NULL;
	size_t count;

	for (size_t i = 0; i < planner->host->node_count; i++) {
		const struct fit_node *node = &planner->host->nodes[i];

		if (!fit_cpuset_is_empty(&node->cpus) && node->memory_kib)
			fit_cpuset_add(&nodes, node->id);
	}
	count = fit_cpuset_count(&nodes);
	list = fit_cpuset_is_empty(&nodes) ? fit_xstrdup("none")
					   : fit_cpuset_describe(&nodes, "node");
	planner->lacks = FIT_LACKS_CELLS;
	if (wanted > count)
		return fit_planner_refuse(planner,
			"%u guest NUMA cells wanted, one for each node, but this host has %zu "
			"node%s with CPUs and memory (%s): ask for fewer cells, or for "
			"count=\"auto\"",
			wanted, count, fit_plural(count), list);
	if (wanted > planner->domain->vcpus)
		return fit_planner_refuse(planner,
			"%u guest NUMA cells wanted for %u vCPU%s: each cell has at least one",
			wanted, planner->domain->vcpus, fit_plural(planner->domain->vcpus));
	planner->lacks = 0;
	return 0;
}

int fit_place_cells_prepare(struct fit_planner *planner)
{
	const struct fit_intent_cells *cells = &planner->profile->cells;
	const struct fit_domain *domain = planner->domain;
	const struct fit_target *target = planner->input->target;
	fit_autofree char *unsupported = NULL;
	const char *why = NULL;

	if (!cells->intent.set || cells->count == 0)
		return 0;
	if (domain->cell_count && cells->intent.existing == FIT_EXISTING_KEEP)
		return 0;
	if (fit_target_has(target ? target : &fit_target_default, domain, FIT_FEATURE_NUMA_CELLS,
		    &unsupported))
		why = obstacle(planner);
	else
		why = unsupported;
	if (why) {
		if (cells->count != FIT_CELLS_AUTO || domain->cell_count || unsupported)
			fit_planner_reason(planner, FIT_REASON_NOTE, "cells",
				"no guest NUMA cells are made: %s", why);
		return 0;
	}
	planner->cells_wanted = cells->count;
	return cells->count == FIT_CELLS_AUTO ? 0 : check_count(planner, cells->count);
}

static struct fit_cpuset cpus_of_node(
	const struct fit_planner *planner, const struct fit_candidate *candidate, int id)
{
	const struct fit_node *node = fit_host_node(planner->host, (unsigned int)id);
	struct fit_cpuset cpus = candidate->cpus;

	if (node)
		fit_cpuset_intersect(&cpus, &node->cpus);
	return cpus;
}

/* Floating vCPUs of a node. */
struct floating {
	int node;
	size_t cpus;
	size_t fixed; /* vCPUs that have their place there already */
	size_t given;
};

/* Does @a come before @b in getting one more? While there are CPUs, nodes are to be equal; when
 * there is not a CPU for each, as many as possible are too many on every node. */
static bool comes_first(const struct floating *a, const struct floating *b)
{
	bool a_full = a->given >= a->cpus, b_full = b->given >= b->cpus;

	if (a_full != b_full)
		return b_full;
	if (a_full)
		return a->given - a->cpus != b->given - b->cpus
			       ? a->given - a->cpus < b->given - b->cpus
			       : a->fixed + a->given < b->fixed + b->given;
	return a->fixed + a->given < b->fixed + b->given;
}

/* @shares: of each node the CPUs, and what it has already. */
static void share_equally(const struct fit_planner *planner, struct floating *shares, size_t count)
{
	unsigned int size = planner->kept_threads > 1 ? planner->kept_threads : 1;

	for (size_t left = planner->open_vcpus; left > 0; left -= size) {
		struct floating *best = &shares[0];

		for (size_t i = 1; i < count; i++)
			if (comes_first(&shares[i], best))
				best = &shares[i];
		size = left < size ? (unsigned int)left : size;
		best->given += size;
	}
}

/* No node has too many; or, if all together have, all have as many too many. */
static bool are_fair(const struct floating *shares, size_t count, bool crowded)
{
	size_t most = 0, least = SIZE_MAX;

	for (size_t i = 0; i < count; i++) {
		size_t excess = shares[i].given - shares[i].cpus;

		if (crowded ? shares[i].given < shares[i].cpus : shares[i].given > shares[i].cpus)
			return false;
		most = excess > most ? excess : most;
		least = excess < least ? excess : least;
	}
	return !crowded || most - least <= 1;
}

/* Floating vCPUs are divided among the nodes, whole guest cores to each; those of a node float
 * there. False when the shares that the candidate names cannot be. */
static bool share_vcpus(
	const struct fit_planner *planner, const struct fit_candidate *candidate, int *ret_nodes)
{
	size_t count = fit_cpuset_count(&candidate->nodes), number = 0, vcpu = 0, all = 0;
	fit_autofree struct floating *shares = fit_xcalloc(count, sizeof(*shares));

	fit_cpuset_for_each (node, &candidate->nodes) {
		struct fit_cpuset cpus = cpus_of_node(planner, candidate, node);

		shares[number] = (struct floating){.node = node, .cpus = fit_cpuset_count(&cpus)};
		all += shares[number].cpus;
		for (unsigned int i = 0; i < planner->domain->vcpus; i++)
			shares[number].fixed +=
				planner->fixed[i] &&
				fit_planner_node_of(planner, &planner->fixed[i]->cpus) == node;
		if (candidate->shares)
			shares[number].given = candidate->shares[number];
		number++;
	}
	if (!candidate->shares)
		share_equally(planner, shares, count);
	else if (!are_fair(shares, count, planner->open_vcpus > all))
		return false;
	for (size_t i = 0; i < count; i++)
		for (; shares[i].given > 0; vcpu++)
			if (!planner->fixed[vcpu]) {
				ret_nodes[vcpu] = shares[i].node;
				shares[i].given--;
			}
	return true;
}

/* Places on cores, by the shares that the candidate names. */
static void give_places(
	const struct fit_planner *planner, const struct fit_candidate *candidate, int *ret_nodes)
{
	fit_autofree size_t *vcpus =
		fit_xcalloc(fit_place_need(planner, candidate), sizeof(*vcpus));
	const size_t *share = candidate->shares;
	size_t place = 0;

	fit_place_list(planner, candidate, vcpus);
	fit_cpuset_for_each (node, &candidate->nodes) {
		for (size_t end = place + *share++; place < end; place++)
			ret_nodes[vcpus[place]] = node;
	}
}

/* As many of the vCPUs without cores for each node. */
static void share_pooled(
	const struct fit_planner *planner, const struct fit_candidate *candidate, int *ret_nodes)
{
	size_t pooled = fit_cpuset_count(&planner->pooled);
	size_t nodes = fit_cpuset_count(&candidate->nodes);
	size_t number = 0;

	fit_cpuset_for_each (vcpu, &planner->pooled) {
		size_t skip = number++ * nodes / pooled;

		fit_cpuset_for_each (node, &candidate->nodes)
			if (skip-- == 0)
				ret_nodes[vcpu] = node;
	}
}

/* The node of each vCPU, -1 where it may be on several. False when the candidate has shares that
 * cannot be. */
static bool find_nodes(
	const struct fit_planner *planner, const struct fit_candidate *candidate, int *ret_nodes)
{
	size_t vcpus = planner->domain->vcpus;

	if (!planner->vcpus_kept && planner->vcpus_place == FIT_PLACE_CORES && candidate->shares) {
		give_places(planner, candidate, ret_nodes);
	} else if (!planner->vcpus_kept && planner->vcpus_place == FIT_PLACE_CORES) {
		fit_place_order(planner, candidate, ret_nodes);
		for (size_t i = 0; i < vcpus; i++) {
			const struct fit_core *core = fit_planner_core_of(planner, ret_nodes[i]);

			ret_nodes[i] = core ? core->node : -1;
		}
	} else if (planner->vcpus_kept) {
		fit_autofree struct fit_thread_pin *pins = fit_place_pins(planner, candidate);

		for (size_t i = 0; i < vcpus; i++)
			ret_nodes[i] = fit_planner_node_of(planner, &pins[i].cpus);
	} else if (planner->cells_wanted) {
		if (!share_vcpus(planner, candidate, ret_nodes))
			return false;
	} else {
		for (size_t i = 0; i < vcpus; i++)
			ret_nodes[i] = -1;
	}
	share_pooled(planner, candidate, ret_nodes);
	for (size_t i = 0; i < vcpus && !planner->vcpus_kept; i++)
		if (planner->fixed[i])
			ret_nodes[i] = fit_planner_node_of(planner, &planner->fixed[i]->cpus);
	return true;
}

/* What the definition's cells are, and where their vCPUs came to. */
static void describe_own(
	const struct fit_planner *planner, struct fit_candidate *candidate, const int *nodes)
{
	const struct fit_domain *domain = planner->domain;

	for (size_t i = 0; i < domain->cell_count; i++) {
		const struct fit_domain_cell *own = &domain->cells[i];
		struct fit_planned_cell *cell = FIT_APPEND(candidate->cells, candidate->cell_count);

		cell->vcpus = own->vcpus;
		cell->memory_kib = own->memory_kib;
		cell->device_kib = own->device_kib;
		fit_cpuset_for_each (vcpu, &own->vcpus) {
			if ((unsigned int)vcpu >= domain->vcpus)
				continue;
			if (nodes[vcpu] >= 0)
				fit_cpuset_add(&cell->nodes, (unsigned int)nodes[vcpu]);
			else
				fit_cpuset_unite(&cell->nodes, &candidate->nodes);
		}
		if (fit_cpuset_is_empty(&cell->nodes))
			cell->nodes = candidate->nodes;
	}
}

static void make_cells(const struct fit_planner *planner, struct fit_candidate *candidate,
	const int *nodes, const struct fit_cpuset *used)
{
	size_t most = 0, least = SIZE_MAX;

	fit_cpuset_for_each (node, used) {
		struct fit_planned_cell *cell = FIT_APPEND(candidate->cells, candidate->cell_count);
		size_t count;

		fit_cpuset_add(&cell->nodes, (unsigned int)node);
		for (unsigned int vcpu = 0; vcpu < planner->domain->vcpus; vcpu++)
			if (nodes[vcpu] == node)
				fit_cpuset_add(&cell->vcpus, vcpu);
		count = fit_cpuset_count(&cell->vcpus);
		most = count > most ? count : most;
		least = count < least ? count : least;
	}
	candidate->cost.level[FIT_COST_UNEVEN] = most - least;
}

/* With threads that the guest sees as such a guest core is in one cell. */
static bool tears_core(const struct fit_planner *planner, const int *nodes)
{
	unsigned int threads = planner->kept_threads;

	for (unsigned int vcpu = 0; threads > 1 && vcpu < planner->domain->vcpus; vcpu++)
		if (nodes[vcpu] != nodes[vcpu - vcpu % threads])
			return true;
	return false;
}

bool fit_place_cells_complete(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	fit_autofree int *nodes = NULL;
	struct fit_cpuset used = {0};
	bool several = false;

	candidate->whole.is_guest = true;
	candidate->whole.nodes = candidate->nodes;
	candidate->whole.memory_kib = planner->domain->memory_kib;
	if (!planner->cells_wanted && !planner->domain->cell_count)
		return true;
	nodes = fit_xcalloc(planner->domain->vcpus, sizeof(*nodes));
	if (!find_nodes(planner, candidate, nodes))
		return false;
	if (!planner->cells_wanted) {
		describe_own(planner, candidate, nodes);
		return true;
	}
	for (unsigned int vcpu = 0; vcpu < planner->domain->vcpus; vcpu++) {
		if (nodes[vcpu] < 0)
			several = true;
		else
			fit_cpuset_add(&used, (unsigned int)nodes[vcpu]);
	}
	/* Without vCPUs on one of the nodes it is another candidate. */
	if (!planner->vcpus_kept && !fit_cpuset_is_subset(&candidate->nodes, &used))
		return false;
	if (planner->cells_wanted != FIT_CELLS_AUTO && !planner->vcpus_kept)
		several |= fit_cpuset_count(&used) != planner->cells_wanted;
	else if (fit_cpuset_count(&used) < 2)
		return true;
	if (several || tears_core(planner, nodes))
		return planner->cells_wanted == FIT_CELLS_AUTO || planner->vcpus_kept;
	make_cells(planner, candidate, nodes, &used);
	return true;
}

/* Memory of the cell's nodes, in units; nodes that several cells have are divided. */
static uint64_t capacity_of(const struct fit_planner *planner,
	const struct fit_candidate *candidate, const struct fit_planned_cell *cell,
	uint64_t unit_kib)
{
	uint64_t kib = 0;

	fit_cpuset_for_each (id, &cell->memory_nodes) {
		const struct fit_node *node = fit_host_node(planner->host, (unsigned int)id);
		size_t users = 0;

		for (size_t i = 0; i < candidate->cell_count; i++)
			users += fit_cpuset_contains(
				&candidate->cells[i].memory_nodes, (unsigned int)id);
		kib += node && users ? node->memory_kib / users : 0;
	}
	return kib / unit_kib;
}

bool fit_place_cells_split(
	const struct fit_planner *planner, struct fit_candidate *candidate, uint64_t page_kib)
{
	fit_autofree struct share *shares = fit_xcalloc(candidate->cell_count, sizeof(*shares));
	uint64_t unit_kib =
		fit_starts_with(planner->domain->arch, "ppc64") ? POWER_UNIT_KIB : NORMAL_UNIT_KIB;
	uint64_t total_kib = planner->domain->memory_kib;

	if (page_kib)
		total_kib = fit_pages_for(total_kib, page_kib) * page_kib;
	unit_kib = page_kib > unit_kib ? page_kib : unit_kib;
	for (size_t i = 0; i < candidate->cell_count; i++)
		shares[i] = (struct share){
			.weight = fit_cpuset_count(&candidate->cells[i].vcpus),
			.capacity = capacity_of(planner, candidate, &candidate->cells[i], unit_kib),
		};
	split(shares, candidate->cell_count, total_kib / unit_kib);
	for (size_t i = 0; i < candidate->cell_count; i++) {
		if (!shares[i].given)
			return false;
		candidate->cells[i].memory_kib = shares[i].given * unit_kib;
	}
	candidate->cells[0].memory_kib += total_kib % unit_kib;
	return true;
}

static void explain_made(struct fit_planner *planner)
{
	const struct fit_plan *plan = planner->plan;

	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct fit_planned_cell *cell = &plan->cells[i];
		fit_autofree char *vcpus = fit_cpuset_describe(&cell->vcpus, "vCPU");
		fit_autofree char *node = fit_cpuset_describe(&cell->nodes, "node");
		fit_autofree char *memory = fit_format_size_kib(cell->memory_kib);

		fit_planner_reason(planner, FIT_REASON_CHOICE, "cells",
			"guest NUMA cell %zu is %s: %s, %s", i, node, vcpus, memory);
	}
}

void fit_place_cells_commit(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	const struct fit_intent_cells *cells = &planner->profile->cells;
	struct fit_plan *plan = planner->plan;

	for (size_t i = 0; i < candidate->cell_count; i++)
		*FIT_APPEND(plan->cells, plan->cell_count) = candidate->cells[i];
	plan->cells_kept = plan->cell_count && !planner->cells_wanted;
	if (!plan->cells_kept) {
		plan->cell_distances = plan->cell_count > 1 && cells->mirror_distances;
		explain_made(planner);
	} else if (planner->profile->cpu.intent.set || cells->intent.set) {
		fit_planner_reason(planner, FIT_REASON_KEPT, "cells",
			"the guest NUMA cells of the definition stay as they are (%zu)",
			plan->cell_count);
	}
	if (planner->cells_wanted && !plan->cell_count && planner->vcpus_kept &&
		(fit_cpuset_count(&candidate->nodes) > 1 || cells->count != FIT_CELLS_AUTO))
		fit_planner_reason(planner, FIT_REASON_NOTE, "cells",
			"no guest NUMA cells are made: the vCPU pins that are kept do not put each "
			"guest core on one of several nodes");
}
