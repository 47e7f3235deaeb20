/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the memory is and in which pages. Each node of the vCPUs gets its memory from the nearest
 * node that has memory and CPUs: nodes without CPUs (persistent, CXL or GPU memory) are slower and
 * are used only when the definition names them.
 *
 * The hook fills the pool at start, so a page size is possible when the free pages of the pool
 * suffice or the node has free memory for the rest. Pages of 1 GiB need contiguous memory, which
 * a running host rarely has: they come from the pool, unless the profile has no other size; then
 * twice the memory must be free.
 */
#include "core/place.h"

#include "base/memory.h"
#include "base/text.h"

#define GIGANTIC_KIB  (1024ULL * 1024)
#define ROUNDING_PART 8

static bool binding_is_kept(const struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	return fit_intent_keeps(&planner->profile->memory.intent) &&
	       (domain->has_numatune || domain->has_memnodes);
}

/* The definition may also exclude huge pages: anonymous or on-demand memory cannot have them. */
static bool pages_are_kept(const struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	return fit_intent_keeps(&planner->profile->memory.intent) &&
	       (domain->has_hugepages || domain->backing_excludes_hugepages);
}

static bool host_has_page_size(const struct fit_host *host, uint64_t page_kib)
{
	for (size_t i = 0; i < host->node_count; i++) {
		if (fit_node_has_page_size(&host->nodes[i], page_kib))
			return true;
	}
	return false;
}

int fit_place_memory_prepare(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	if (!planner->profile->memory.intent.set)
		return 0;
	if (pages_are_kept(planner) && domain->hugepage_kib &&
		!host_has_page_size(planner->host, domain->hugepage_kib)) {
		fit_autofree char *size = fit_format_size_kib(domain->hugepage_kib);

		return fit_planner_refuse(planner,
			"the definition wants pages of %s, which this host does not have; change "
			"<hugepages>, or use a profile that replaces it (existing=\"replace\")",
			size);
	}
	if (!binding_is_kept(planner))
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

static void choose_nodes(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	const struct fit_host *host = planner->host;
	uint64_t size = 0;

	fit_cpuset_for_each (id, &candidate->nodes) {
		struct fit_cpuset one = {0};
		const struct fit_node *node;

		fit_cpuset_add(&one, (unsigned int)id);
		node = nearest(host, &one, &(struct fit_cpuset){0});
		if (!node)
			return;
		if (!fit_cpuset_contains(&candidate->memory_nodes, node->id))
			size += node->memory_kib;
		fit_cpuset_add(&candidate->memory_nodes, node->id);
	}
	while (size < planner->domain->memory_kib) {
		const struct fit_node *node =
			nearest(host, &candidate->nodes, &candidate->memory_nodes);

		if (!node)
			return;
		fit_cpuset_add(&candidate->memory_nodes, node->id);
		candidate->memory_spills = true;
		size += node->memory_kib;
	}
}

/* Pages that running domains have of this size where ours would be. */
static uint64_t pages_of_others(
	const struct fit_planner *planner, const struct fit_cpuset *nodes, uint64_t page_kib)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < planner->claim_count; i++) {
		const struct fit_claim *claim = planner->claims[i];

		if (claim->running && claim->page_kib == page_kib &&
			(fit_cpuset_is_empty(&claim->page_nodes) ||
				fit_cpuset_intersects(&claim->page_nodes, nodes)))
			pages += claim->pages;
	}
	return pages;
}

/* While the domain runs, the pages it was given are in use by itself: a domain that had this size
 * here may count them, as far as the pool holds them beyond the others' pages. */
static uint64_t available_pages(const struct fit_planner *planner, const struct fit_cpuset *nodes,
	uint64_t page_kib, uint64_t free, uint64_t total)
{
	const struct fit_domain *previous = planner->input->previous;
	uint64_t others, own;

	if (!previous || !previous->has_hugepages || previous->hugepage_kib != page_kib)
		return free;
	if (!fit_cpuset_is_empty(&previous->numatune_nodes) &&
		!fit_cpuset_intersects(&previous->numatune_nodes, nodes))
		return free;
	others = pages_of_others(planner, nodes, page_kib);
	own = fit_domain_pages(previous, page_kib);
	total = total > others ? total - others : 0;
	return free + own < total ? free + own : (total > free ? total : free);
}

/* Why the guest's memory should not be in such pages, NULL when it may. */
static const char *size_problem(const struct fit_domain *domain, uint64_t page_kib)
{
	uint64_t rounded_kib = fit_domain_pages(domain, page_kib) * page_kib;

	for (size_t i = 0; i < domain->cell_count; i++) {
		if (domain->cell_kib[i] % page_kib)
			return "a guest NUMA cell is no multiple of it";
	}
	/* Some rounding is the price of large pages; 1 GiB for a guest of 200 MiB is not. */
	if (rounded_kib - domain->memory_kib > domain->memory_kib / ROUNDING_PART)
		return "the memory would be rounded up by more than an eighth";
	return NULL;
}

/* Contiguous GiBs are rarely found once the host runs, and free memory does not tell: new gigantic
 * pages are only tried when the profile has no size to fall back to. */
static bool may_grow_pool(const struct fit_planner *planner, uint64_t page_kib)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;

	return page_kib < GIGANTIC_KIB ||
	       page_kib == memory->page_sizes[memory->page_size_count - 1];
}

/* Can the memory be in such pages on these nodes (all, when none is named)? *ret_why, if not NULL,
 * becomes the reason for either answer. */
static bool pages_fit(const struct fit_planner *planner, const struct fit_cpuset *nodes,
	uint64_t page_kib, char **ret_why)
{
	uint64_t pages = fit_domain_pages(planner->domain, page_kib);
	const char *problem = size_problem(planner->domain, page_kib);
	uint64_t free = 0, total = 0, free_kib = 0, memory_kib = 0, missing_kib, needed_kib;
	bool supported = false;

	for (size_t i = 0; i < planner->host->node_count; i++) {
		const struct fit_node *node = &planner->host->nodes[i];

		if (!fit_cpuset_is_empty(nodes) && !fit_cpuset_contains(nodes, node->id))
			continue;
		supported |= fit_node_has_page_size(node, page_kib);
		free += fit_node_free_pages(node, page_kib);
		for (size_t p = 0; p < node->pool_count; p++)
			total += node->pools[p].page_kib == page_kib ? node->pools[p].total : 0;
		free_kib += node->free_kib;
		memory_kib += node->memory_kib;
	}
	if (!supported)
		problem = "this host has none";
	if (problem) {
		if (ret_why)
			*ret_why = fit_xstrdup(problem);
		return false;
	}
	free = available_pages(planner, nodes, page_kib, free, total);
	missing_kib = pages > free ? (pages - free) * page_kib : 0;
	needed_kib = page_kib >= GIGANTIC_KIB ? 2 * missing_kib : missing_kib + memory_kib / 32;
	if (missing_kib && !may_grow_pool(planner, page_kib)) {
		if (ret_why)
			*ret_why = fit_xasprintf("%llu wanted, %llu free in the pool (reserve more "
						 "at boot with hugepagesz= and hugepages=)",
				(unsigned long long)pages, (unsigned long long)free);
		return false;
	}
	if (ret_why && missing_kib)
		*ret_why = fit_xasprintf("%llu wanted, %llu free; to make %llu, %llu MiB of "
					 "free memory are asked for, %llu MiB are there",
			(unsigned long long)pages, (unsigned long long)free,
			(unsigned long long)(pages - free), (unsigned long long)needed_kib / 1024,
			(unsigned long long)free_kib / 1024);
	else if (ret_why)
		*ret_why = fit_xasprintf("%llu wanted, %llu free", (unsigned long long)pages,
			(unsigned long long)free);
	return missing_kib == 0 || free_kib >= needed_kib;
}

static bool choose_pages(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	const struct fit_cpuset *nodes = binding_is_kept(planner) ? &planner->domain->numatune_nodes
								  : &candidate->memory_nodes;

	if (pages_are_kept(planner) || memory->page_size_count == 0)
		return true;
	for (size_t i = 0; i < memory->page_size_count; i++) {
		uint64_t size = memory->page_sizes[i];

		candidate->cost.level[FIT_COST_PAGES] = i;
		if (size == 0)
			return true;
		if (!pages_fit(planner, nodes, size, NULL))
			continue;
		candidate->page_kib = size;
		candidate->pages = fit_domain_pages(planner->domain, size);
		return true;
	}
	return false;
}

bool fit_place_memory_complete(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	const struct fit_cpuset *nodes = &candidate->memory_nodes;

	if (binding_is_kept(planner))
		nodes = &planner->domain->numatune_nodes;
	else if (memory->intent.set && memory->nodes_as_cpus)
		choose_nodes(planner, candidate);
	if (!fit_cpuset_is_empty(nodes)) {
		fit_cpuset_for_each (node, &candidate->nodes)
			candidate->cost.level[FIT_COST_MEMORY] +=
				fit_nodes_distance(planner->host, nodes, node);
	}
	if (candidate->memory_spills)
		candidate->cost.level[FIT_COST_MEMORY] += FIT_CPUSET_MAX;
	return !memory->intent.set || choose_pages(planner, candidate);
}

/* One reason for each page size before the chosen one. Returns them as one sentence too. */
static char *explain_sizes(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	const struct fit_cpuset *nodes = binding_is_kept(planner) ? &planner->domain->numatune_nodes
								  : &candidate->memory_nodes;
	fit_autostrlist struct fit_strlist reasons = {0};

	for (size_t i = 0; i < memory->page_size_count; i++) {
		fit_autofree char *size = fit_format_size_kib(memory->page_sizes[i]);
		fit_autofree char *why = NULL;

		if (memory->page_sizes[i] == candidate->page_kib)
			break;
		pages_fit(planner, nodes, memory->page_sizes[i], &why);
		fit_strlist_addf(&reasons, "pages of %s do not fit: %s", size, why);
	}
	return fit_strlist_join(&reasons, "; ");
}

int fit_place_memory_refuse(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	fit_autofree char *nodes = fit_cpuset_describe(&candidate->memory_nodes, "node");
	fit_autofree char *sizes = explain_sizes(planner, candidate);
	fit_autofree char *memory = fit_format_size_kib(planner->domain->memory_kib);
	bool bound = !fit_cpuset_is_empty(&candidate->memory_nodes);

	return fit_planner_refuse(planner,
		"%s of memory%s%s wanted in huge pages; %s; normal pages would fit: --param "
		"pages=none, or \"none\" as the last of the profile's page sizes",
		memory, bound ? " on " : "", bound ? nodes : "", sizes);
}

static void explain_pages(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	fit_autofree char *size = fit_format_size_kib(candidate->page_kib);
	fit_autofree char *sizes = NULL;
	fit_autofree char *why = NULL;

	if (pages_are_kept(planner))
		return;
	sizes = explain_sizes(planner, candidate);
	if (candidate->page_kib) {
		const struct fit_cpuset *nodes = binding_is_kept(planner)
							 ? &planner->domain->numatune_nodes
							 : &candidate->memory_nodes;

		pages_fit(planner, nodes, candidate->page_kib, &why);
		fit_planner_reason(
			planner, FIT_REASON_CHOICE, "memory", "pages of %s: %s", size, why);
	}
	if (*sizes)
		fit_planner_reason(planner, FIT_REASON_NOTE, "memory", "%s; %s%s instead", sizes,
			candidate->page_kib ? "pages of " : "normal pages",
			candidate->page_kib ? size : "");
}

static void round_up(struct fit_planner *planner)
{
	struct fit_plan *plan = planner->plan;
	const struct fit_domain *domain = planner->domain;
	uint64_t rounded_kib = plan->pages * plan->page_kib;

	plan->memory_kib = domain->memory_kib;
	if (!plan->page_kib || domain->cell_count || rounded_kib == domain->memory_kib)
		return;
	plan->memory_rounded = true;
	plan->memory_kib = rounded_kib;
	fit_planner_reason(planner, FIT_REASON_NOTE, "memory",
		"memory is rounded up from %llu to %llu KiB: %llu whole page%s",
		(unsigned long long)domain->memory_kib, (unsigned long long)rounded_kib,
		(unsigned long long)plan->pages, fit_plural(plan->pages));
}

static void explain_kept(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	if (binding_is_kept(planner)) {
		fit_autofree char *nodes = fit_cpuset_describe(&domain->numatune_nodes, "node");
		bool named = !fit_cpuset_is_empty(&domain->numatune_nodes);

		fit_planner_reason(planner, FIT_REASON_KEPT, "memory",
			"<numatune> of the definition stays%s%s", named ? ": " : "",
			named ? nodes : "");
	}
	if (!pages_are_kept(planner))
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

	if (binding_is_kept(planner) || !planner->profile->memory.nodes_as_cpus)
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

void fit_place_memory_commit(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	struct fit_plan *plan = planner->plan;

	if (!memory->intent.set)
		return;
	plan->memory_strict = memory->strict;
	if (!binding_is_kept(planner))
		plan->memory_nodes = candidate->memory_nodes;
	plan->page_kib = candidate->page_kib;
	plan->pages = candidate->pages;
	plan->memory_locked = memory->locked && !planner->domain->has_locked;
	plan->has_memory = true;
	explain_kept(planner);
	explain_nodes(planner, candidate);
	explain_pages(planner, candidate);
	round_up(planner);
}
