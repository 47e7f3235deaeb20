/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the memory is. Each node of the vCPUs gets its memory from the nearest node that has memory
 * and CPUs: nodes without CPUs (persistent, CXL or GPU memory) are slower and are used only when
 * the definition names them. In which pages: place_pages.c.
 */
#include "core/place.h"

#include "base/memory.h"
#include "base/text.h"

bool fit_place_binding_is_kept(const struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	return fit_intent_keeps(&planner->profile->memory.intent) &&
	       (domain->has_numatune || domain->has_memnodes);
}

int fit_place_memory_prepare(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	if (!planner->profile->memory.intent.set)
		return 0;
	if (fit_place_pages_prepare(planner) < 0)
		return -1;
	if (!fit_place_binding_is_kept(planner))
		return 0;
	fit_cpuset_for_each (id, &domain->numatune_nodes) {
		const struct fit_node *node = fit_host_node(planner->host, (unsigned int)id);

		if (!node)
			return fit_planner_refuse(planner,
				"<numatune> of the definition names node %d, which this host does "
				"not have; change it, or use a profile that replaces it "
				"(existing=\"replace\")",
				id);
		if (!node->memory_kib)
			fit_planner_reason(planner, FIT_REASON_WARNING, "memory",
				"<numatune> of the definition names node %d, which has no memory",
				id);
	}
	return 0;
}

static bool is_usable(const struct fit_node *node)
{
	return node->memory_kib > 0 && !fit_cpuset_is_empty(&node->cpus);
}

/* As the CPUs of @from see it; the firmware's table need not be symmetric. */
static unsigned int distance_of_memory(
	const struct fit_host *host, const struct fit_cpuset *from, unsigned int node)
{
	unsigned int best = UINT32_MAX;

	fit_cpuset_for_each (id, from) {
		unsigned int distance = fit_host_distance(host, (unsigned int)id, node);

		if (distance < best)
			best = distance;
	}
	return best;
}

/* The usable node outside @taken that is nearest to any of @from; NULL when there is none. */
static const struct fit_node *nearest(
	const struct fit_host *host, const struct fit_cpuset *from, const struct fit_cpuset *taken)
{
	const struct fit_node *best = NULL;
	unsigned int best_distance = 0;

	for (size_t i = 0; i < host->node_count; i++) {
		const struct fit_node *node = &host->nodes[i];
		unsigned int distance;

		if (!is_usable(node) || fit_cpuset_contains(taken, node->id))
			continue;
		distance = distance_of_memory(host, from, node->id);
		if (!best || distance < best_distance) {
			best = node;
			best_distance = distance;
		}
	}
	return best;
}

/* The nearest usable node of each of @nodes. */
static struct fit_cpuset nearest_of_each(
	const struct fit_host *host, const struct fit_cpuset *nodes)
{
	struct fit_cpuset memory_nodes = {0};

	fit_cpuset_for_each (id, nodes) {
		struct fit_cpuset one = {0};
		const struct fit_node *node;

		fit_cpuset_add(&one, (unsigned int)id);
		node = nearest(host, &one, &(struct fit_cpuset){0});
		if (node)
			fit_cpuset_add(&memory_nodes, node->id);
	}
	return memory_nodes;
}

static uint64_t memory_of_nodes(const struct fit_host *host, const struct fit_cpuset *nodes)
{
	uint64_t kib = 0;

	fit_cpuset_for_each (id, nodes) {
		const struct fit_node *node = fit_host_node(host, (unsigned int)id);

		kib += node ? node->memory_kib : 0;
	}
	return kib;
}

/* A node that is added for its size goes to the cell that it is nearest to. */
static void add_to_nearest(const struct fit_host *host, struct fit_planned_cell *cells,
	size_t count, unsigned int node)
{
	struct fit_planned_cell *best = &cells[0];

	for (size_t i = 1; i < count; i++)
		if (distance_of_memory(host, &cells[i].nodes, node) <
			distance_of_memory(host, &best->nodes, node))
			best = &cells[i];
	fit_cpuset_add(&best->memory_nodes, node);
}

/* Is there a set of nodes too small for the cells that have their memory there and nowhere else? */
static bool cells_overflow(
	const struct fit_host *host, const struct fit_planned_cell *cells, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t kib = 0;

		for (size_t j = 0; j < count; j++)
			if (fit_cpuset_is_subset(&cells[j].memory_nodes, &cells[i].memory_nodes))
				kib += cells[j].memory_kib;
		if (kib > memory_of_nodes(host, &cells[i].memory_nodes))
			return true;
	}
	return false;
}

static void choose_nodes(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	const struct fit_host *host = planner->host;
	bool given = candidate->cell_count && !planner->cells_wanted;
	struct fit_planned_cell *parts;
	size_t count;

	parts = fit_candidate_parts(candidate, &count);
	for (size_t i = 0; i < count; i++) {
		parts[i].memory_nodes = nearest_of_each(host, &parts[i].nodes);
		fit_cpuset_unite(&candidate->memory_nodes, &parts[i].memory_nodes);
	}
	if (fit_cpuset_is_empty(&candidate->memory_nodes))
		return;
	while (memory_of_nodes(host, &candidate->memory_nodes) < planner->domain->memory_kib) {
		const struct fit_node *node =
			nearest(host, &candidate->nodes, &candidate->memory_nodes);

		if (!node)
			break;
		fit_cpuset_add(&candidate->memory_nodes, node->id);
		add_to_nearest(host, parts, count, node->id);
		candidate->memory_spills = true;
	}
	/* The sizes of the definition's cells are not ours to change. */
	if (given && cells_overflow(host, parts, count))
		for (size_t i = 0; i < count; i++)
			parts[i].memory_nodes = candidate->memory_nodes;
}

/* Where the definition's binding puts the parts. */
static void take_kept_nodes(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	const struct fit_domain *domain = planner->domain;
	struct fit_planned_cell *parts;
	size_t count;

	parts = fit_candidate_parts(candidate, &count);
	for (size_t i = 0; i < count; i++)
		parts[i].memory_nodes = i < domain->cell_count && domain->cells[i].has_memnode
						? domain->cells[i].nodes
						: domain->numatune_nodes;
}

bool fit_place_memory_complete(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	const struct fit_cpuset *nodes = &candidate->memory_nodes;

	if (fit_place_binding_is_kept(planner)) {
		nodes = &planner->domain->numatune_nodes;
		take_kept_nodes(planner, candidate);
	} else if (memory->intent.set && memory->nodes_as_cpus) {
		choose_nodes(planner, candidate);
	}
	if (!fit_cpuset_is_empty(nodes)) {
		fit_cpuset_for_each (node, &candidate->nodes)
			candidate->cost.level[FIT_COST_MEMORY] +=
				fit_nodes_distance(planner->host, nodes, node);
	}
	if (candidate->memory_spills)
		candidate->cost.level[FIT_COST_MEMORY] += FIT_CPUSET_MAX;
	candidate->cost.level[FIT_COST_CELL_SPILL] =
		planner->cells_wanted && candidate->memory_spills;
	return !memory->intent.set || fit_place_pages_complete(planner, candidate);
}

/* Nodes whose memory an unbound guest can have. */
static struct fit_cpuset nodes_with_memory(const struct fit_host *host)
{
	struct fit_cpuset nodes = {0};

	for (size_t i = 0; i < host->node_count; i++)
		if (host->nodes[i].memory_kib)
			fit_cpuset_add(&nodes, host->nodes[i].id);
	return nodes;
}

/* Memory that is neither strictly bound nor locked may be swapped out. */
int fit_place_memory_check(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	bool binds = memory->strict && !fit_place_binding_is_kept(planner) &&
		     !fit_cpuset_is_empty(&candidate->memory_nodes);
	bool locked = memory->locked || planner->domain->has_locked;
	struct fit_cpuset nodes =
		binds ? candidate->memory_nodes : nodes_with_memory(planner->host);
	uint64_t there_kib = memory_of_nodes(planner->host, &nodes);
	fit_autofree char *wanted = fit_format_size_kib(planner->domain->memory_kib);
	fit_autofree char *there = fit_format_size_kib(there_kib);
	fit_autofree char *names = fit_cpuset_describe(&nodes, "node");
	const char *limit = binds ? planner->host->limited_by : NULL;

	if (!memory->intent.set || !(binds || locked) || !there_kib ||
		planner->domain->memory_kib <= there_kib)
		return 0;
	planner->lacks = FIT_LACKS_MEMORY;
	return fit_planner_refuse(planner, "%s of memory wanted, %s; the host has %s on %s%s%s",
		wanted, locked ? "locked" : "strictly bound to its nodes", there, names,
		limit ? "\n  nodes that have no CPU which may be used do not count, by " : "",
		limit ? limit : "");
}

static void explain_kept(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	if (fit_place_binding_is_kept(planner)) {
		fit_autofree char *nodes = fit_cpuset_describe(&domain->numatune_nodes, "node");
		bool named = !fit_cpuset_is_empty(&domain->numatune_nodes);

		fit_planner_reason(planner, FIT_REASON_KEPT, "memory",
			"<numatune> of the definition stays%s%s", named ? ": " : "",
			named ? nodes : "");
	}
	if (!fit_place_pages_are_kept(planner))
		return;
	if (domain->backing_excludes_hugepages)
		fit_planner_reason(planner, FIT_REASON_NOTE, "memory",
			"no huge pages: <memoryBacking> of the definition asks for anonymous or "
			"on-demand memory");
	else
		fit_planner_reason(
			planner, FIT_REASON_KEPT, "memory", "<hugepages> of the definition stays");
	if (domain->hugepage_kib && domain->memory_kib % domain->hugepage_kib)
		fit_planner_reason(planner, FIT_REASON_NOTE, "memory",
			"memory (%llu KiB) is no multiple of the definition's page size (%llu "
			"KiB): QEMU takes the next whole page",
			(unsigned long long)domain->memory_kib,
			(unsigned long long)domain->hugepage_kib);
}

static void explain_nodes(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	fit_autofree char *nodes = fit_cpuset_describe(&candidate->memory_nodes, "node");
	fit_autofree char *cpu_nodes = fit_cpuset_describe(&candidate->nodes, "node");

	if (fit_place_binding_is_kept(planner) || !planner->profile->memory.nodes_as_cpus)
		return;
	if (fit_cpuset_is_empty(&candidate->nodes))
		fit_planner_reason(planner, FIT_REASON_NOTE, "memory",
			"the memory is not bound: the vCPUs have no place of their own");
	else if (fit_cpuset_is_empty(&candidate->memory_nodes))
		fit_planner_reason(planner, FIT_REASON_NOTE, "memory",
			"the memory is not bound: no node of this host is known to have CPUs and "
			"memory");
	else if (candidate->memory_spills)
		fit_planner_reason(planner, FIT_REASON_WARNING, "memory",
			"the memory is larger than that of %s, where the vCPUs are: it is on %s",
			cpu_nodes, nodes);
	else if (!fit_cpuset_equal(&candidate->memory_nodes, &candidate->nodes))
		fit_planner_reason(planner, FIT_REASON_NOTE, "memory",
			"the vCPUs' %s %s memory: it is on %s, the nearest that has some",
			cpu_nodes,
			fit_cpuset_count(&candidate->nodes) == 1 ? "has no" : "do not all have",
			nodes);
}

void fit_place_memory_commit(struct fit_planner *planner, struct fit_candidate *candidate)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	struct fit_plan *plan = planner->plan;

	if (!memory->intent.set)
		return;
	plan->memory_strict = memory->strict;
	if (!fit_place_binding_is_kept(planner))
		plan->memory_nodes = candidate->memory_nodes;
	plan->memory_locked = memory->locked && !planner->domain->has_locked;
	plan->has_memory = true;
	explain_kept(planner);
	explain_nodes(planner, candidate);
	fit_place_pages_commit(planner, candidate);
}
