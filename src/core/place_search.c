/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search. A candidate is a set of nodes, a kind of core and a number of vCPUs for each core;
 * the parts complete and rate it; the smallest cost vector wins, the earlier one among equals.
 * Candidates come in an order that depends on ids only, so the result does too.
 *
 * Several nodes are tried only when the profile allows it, as long as more of them could be better
 * in what counts more than their number. On hosts of few nodes all sets of a size are tried, on
 * larger ones those that lie closest together, to each other or to the devices, and those with the
 * most room.
 */
#include "core/place.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

#define ALL_SETS_UP_TO 16  /* nodes */
#define SETS_MAX       128 /* of one size: of 8 nodes all, of 16 the pairs */
#define REASONS_MAX    32

/* What became of a set of nodes. */
struct rated {
	struct fit_cpuset nodes;
	bool fits;
	bool lacks_memory; /* the CPUs were there */
	size_t capacity;
	struct fit_cost cost;
};

struct search {
	struct fit_planner *planner;
	unsigned int threads; /* of the widest free core */
	bool uniform;	      /* all free cores have that many */
	bool found;
	struct fit_candidate best;
	bool fresh_fits; /* the last candidate that did not look at the previous placement */
	bool fresh_lacks_memory;
	struct fit_cost fresh_cost;
	struct rated *trying; /* what it is for */
	bool memory_failed;   /* a candidate had the CPUs but not the memory */
	struct fit_candidate without_memory;
	struct rated *rated;
	size_t rated_count;
};

/* What is said of nodes that cost more; where the numbers tell something, they follow. */
static const struct {
	const char *name; /* for programs */
	const char *text;
	bool counts;
} cost_texts[FIT_COST_LEVELS] = {
	[FIT_COST_CROWDED] = {"crowded", "more vCPUs without a CPU for each", true},
	[FIT_COST_OVERLAP] = {"overlap",
		"more cores or VFs that shut-off domains or kept pins have", true},
	[FIT_COST_NOT_ISOLATED] = {"isolated", "its CPUs are not isolated", false},
	[FIT_COST_EFFICIENCY] = {"efficiency-cores", "only efficiency cores", false},
	[FIT_COST_LINK] = {"link", "VFs without a link", false},
	[FIT_COST_PFS] = {"pfs", "VFs of more PFs", true},
	[FIT_COST_DEVICES] = {"devices", "farther from the devices", false},
	[FIT_COST_CREATION] = {"vfs-to-create", "more VFs to be created", true},
	[FIT_COST_CELL_SPILL] = {"cell-memory", "its memory is too small for the guest's cells",
		false},
	[FIT_COST_NODES] = {"nodes", "more nodes", true},
	[FIT_COST_NODES_APART] = {"nodes-apart", "farther from each other", false},
	[FIT_COST_HOUSEKEEPING] = {"housekeeping", "more vCPUs on housekeeping's CPUs", true},
	[FIT_COST_UNEVEN] = {"equal-cells", "guest cells of less equal size", true},
	[FIT_COST_OWN_CORES] = {"own-cores", "more QEMU threads without a core of their own", true},
	[FIT_COST_PAGES] = {"page-size", "no room for pages of the size that comes first", false},
	[FIT_COST_MEMORY] = {"memory", "its memory is too small or too far away", false},
	[FIT_COST_L3] = {"l3-groups", "more L3 groups", true},
	[FIT_COST_CLUSTERS] = {"clusters", "more clusters", true},
	[FIT_COST_HIDDEN_SMT] = {"hidden-threads",
		"vCPUs would share cores and the guest would not know", false},
	[FIT_COST_IDLE_THREADS] = {"idle-threads", "more idle threads", true},
	[FIT_COST_MOVED] = {"moved", "more vCPUs and VFs would move", true},
	[FIT_COST_FRAGMENT_L3] = {"l3-fragments", "would break up more free cores that share an L3",
		true},
	[FIT_COST_FRAGMENT_NODES] = {"node-fragments", "would break up more free cores", true},
};

void fit_candidate_clear(struct fit_candidate *candidate)
{
	free(candidate->cores);
	free(candidate->own_cores);
	free(candidate->vfs);
	free(candidate->cells);
	*candidate = (struct fit_candidate){0};
}

static enum fit_cost_level first_difference(const struct fit_cost *a, const struct fit_cost *b)
{
	enum fit_cost_level level = 0;

	while (level < FIT_COST_LEVELS && a->level[level] == b->level[level])
		level++;
	return level;
}

int fit_cost_compare(const struct fit_cost *a, const struct fit_cost *b)
{
	enum fit_cost_level level = first_difference(a, b);

	if (level == FIT_COST_LEVELS)
		return 0;
	return a->level[level] < b->level[level] ? -1 : 1;
}

/* From the cores of the previous placement one can come to a better one that the search does not
 * find without. To move for that would mean to move each time that the domain is planned; what can
 * stay as it is stays. */
static bool is_found_by_luck(const struct search *search, const struct fit_candidate *candidate)
{
	const struct fit_cost *cost = &candidate->cost;

	if (!candidate->prefer_previous || !cost->level[FIT_COST_MOVED])
		return false;
	return !search->fresh_fits ||
	       (first_difference(cost, &search->fresh_cost) < FIT_COST_MOVED &&
		       fit_cost_compare(cost, &search->fresh_cost) < 0);
}

/* Completes a candidate and takes it over when it is the best so far. */
static void try_candidate(
	struct search *search, struct fit_candidate *candidate, struct rated *rated)
{
	const struct fit_planner *planner = search->planner;
	bool fits = fit_place_cpus_complete(planner, candidate) &&
		    fit_place_cells_complete(planner, candidate);

	if (!candidate->prefer_previous)
		search->fresh_fits = search->fresh_lacks_memory = false;
	if (candidate->capacity > rated->capacity)
		rated->capacity = candidate->capacity;
	if (fits) {
		fit_place_threads_complete(planner, candidate);
		if (!fit_place_memory_complete(planner, candidate)) {
			fits = false;
			rated->lacks_memory = true;
			search->fresh_lacks_memory |= !candidate->prefer_previous;
			if (!search->memory_failed) {
				search->memory_failed = true;
				search->without_memory = *candidate;
				search->without_memory.shares = NULL;
				return;
			}
		}
	}
	if (fits) {
		fit_place_vfs_complete(planner, candidate);
		fit_place_devices_rate(planner, candidate);
		if (!candidate->prefer_previous) {
			search->fresh_cost = candidate->cost;
			search->fresh_fits = true;
		}
		fits = !is_found_by_luck(search, candidate);
	}
	if (fits) {
		if (!rated->fits || fit_cost_compare(&candidate->cost, &rated->cost) < 0)
			rated->cost = candidate->cost;
		rated->fits = true;
		if (!search->found || fit_cost_compare(&candidate->cost, &search->best.cost) < 0) {
			fit_candidate_clear(&search->best);
			search->best = *candidate;
			search->best.shares = NULL;
			search->found = true;
			return;
		}
	}
	fit_candidate_clear(candidate);
}

static void try_previous(void *context, const struct fit_candidate *trial)
{
	struct search *search = context;
	bool cores = search->planner->vcpus_place == FIT_PLACE_CORES;

	for (int prefer = 0; prefer <= (cores && search->planner->has_previous ? 1 : 0); prefer++) {
		struct fit_candidate candidate = *trial;

		candidate.prefer_previous = prefer;
		try_candidate(search, &candidate, search->trying);
	}
}

/* As it is; and with other shares of the nodes where that has not the best pages, or none. */
static void try_shares(struct search *search, const struct fit_candidate *trial)
{
	uint64_t pages;

	try_previous(search, trial);
	pages = search->fresh_fits ? search->fresh_cost.level[FIT_COST_PAGES]
				   : search->fresh_lacks_memory * UINT64_MAX;
	if (pages)
		fit_place_shares_each(search->planner, trial, pages, try_previous, search);
}

/* vCPUs for each core: those that the profile names, else any number, as long as no guest core
 * would be torn apart; where that leaves threads out, as beside a vCPU that has its place already,
 * also every core to the full. */
static void try_densities(struct search *search, const struct fit_candidate *trial)
{
	struct fit_candidate candidate = *trial;
	bool to_the_full = false;
	bool some_are_fixed = !fit_cpuset_is_empty(&search->planner->fixed_cpus);

	candidate.uniform = true;
	candidate.per_core = search->planner->wanted_threads;
	if (candidate.per_core) {
		try_shares(search, &candidate);
		return;
	}
	for (candidate.per_core = 1; candidate.per_core <= search->threads; candidate.per_core++) {
		to_the_full =
			candidate.per_core % fit_guest_threads(search->planner, &candidate) == 0;
		if (to_the_full)
			try_shares(search, &candidate);
	}
	candidate.per_core = search->threads;
	if ((!search->uniform || !to_the_full || some_are_fixed) &&
		search->planner->kept_threads <= 1) {
		candidate.uniform = false;
		try_shares(search, &candidate);
	}
}

static void try_nodes(struct search *search, const struct fit_cpuset *nodes)
{
	const struct fit_planner *planner = search->planner;
	struct rated *rated = FIT_APPEND(search->rated, search->rated_count);
	bool exclusive_cores =
		planner->vcpus_place == FIT_PLACE_CORES && !planner->profile->vcpus.shared;

	rated->nodes = *nodes;
	search->trying = rated;
	for (int efficiency = 0; efficiency <= (planner->has_efficiency ? 1 : 0); efficiency++) {
		struct fit_candidate trial = {.nodes = *nodes, .efficiency = efficiency};

		if (planner->vcpus_place != FIT_PLACE_CORES) {
			try_shares(search, &trial);
			continue;
		}
		try_densities(search, &trial);
		if (planner->has_isolated && exclusive_cores) {
			trial.isolated_only = true;
			try_densities(search, &trial);
		}
	}
}

struct sized_node {
	unsigned int id;
	size_t room;
	size_t clear;	       /* of that, on cores that nobody else is defined on */
	unsigned int distance; /* from the seed */
};

static int compare_room(const void *a, const void *b)
{
	const struct sized_node *left = a;
	const struct sized_node *right = b;

	if (left->room != right->room)
		return left->room > right->room ? -1 : 1;
	return (left->id > right->id) - (left->id < right->id);
}

static int compare_clear(const void *a, const void *b)
{
	const struct sized_node *left = a;
	const struct sized_node *right = b;

	if (left->clear != right->clear)
		return left->clear > right->clear ? -1 : 1;
	return compare_room(a, b);
}

static int compare_distance(const void *a, const void *b)
{
	const struct sized_node *left = a;
	const struct sized_node *right = b;

	if (left->distance != right->distance)
		return left->distance < right->distance ? -1 : 1;
	return compare_room(a, b);
}

/* Nodes with free CPUs, by id. */
static size_t list_nodes(const struct search *search, struct sized_node **ret_nodes)
{
	const struct fit_planner *planner = search->planner;
	struct sized_node *nodes = NULL;
	size_t count = 0;

	for (size_t i = 0; i < planner->host->node_count; i++) {
		unsigned int id = planner->host->nodes[i].id;
		size_t core_count;
		const struct fit_core *cores =
			fit_planner_node_cores(planner, (int)id, &core_count);
		size_t room = 0, clear = 0;

		for (size_t c = 0; c < core_count; c++) {
			size_t threads =
				fit_core_is_free(planner, &cores[c]) ? cores[c].threads : 0;

			room += threads;
			clear += fit_core_overlaps(&cores[c]) ? 0 : threads;
		}
		/* Floating vCPUs can share even housekeeping's CPUs. */
		if (room || (planner->vcpus_place == FIT_PLACE_NODE &&
				    !fit_cpuset_is_empty(&planner->host->nodes[i].cpus)))
			*FIT_APPEND(nodes, count) =
				(struct sized_node){.id = id, .room = room, .clear = clear};
	}
	*ret_nodes = nodes;
	return count;
}

static void try_set(struct search *search, const struct sized_node *nodes, size_t count)
{
	struct fit_cpuset set = {0};
	size_t room = 0;

	for (size_t i = 0; i < count; i++) {
		fit_cpuset_add(&set, nodes[i].id);
		room += nodes[i].room;
	}
	if (count == 1 || search->planner->vcpus_place == FIT_PLACE_NODE ||
		room >= search->planner->open_vcpus)
		try_nodes(search, &set);
}

static void try_all_sets(
	struct search *search, const struct sized_node *nodes, size_t count, size_t size)
{
	for (unsigned int bits = 1; bits < 1U << count; bits++) {
		struct sized_node set[ALL_SETS_UP_TO];
		size_t members = 0;

		if ((size_t)__builtin_popcount(bits) != size)
			continue;
		for (size_t i = 0; i < count; i++) {
			if (bits >> i & 1)
				set[members++] = nodes[i];
		}
		try_set(search, set, members);
	}
}

/* The nodes that lie nearest to @seeds. */
static void try_near(struct search *search, const struct fit_cpuset *seeds,
	const struct sized_node *nodes, size_t count, size_t size)
{
	fit_autofree struct sized_node *order = fit_xcalloc(count, sizeof(*order));

	for (size_t i = 0; i < count; i++) {
		order[i] = nodes[i];
		order[i].distance =
			fit_nodes_distance(search->planner->host, seeds, (int)nodes[i].id);
	}
	qsort(order, count, sizeof(*order), compare_distance);
	try_set(search, order, size);
}

static void try_near_sets(
	struct search *search, const struct sized_node *nodes, size_t count, size_t size)
{
	const struct fit_planner *planner = search->planner;
	fit_autofree struct sized_node *order = fit_xcalloc(count, sizeof(*order));
	struct fit_cpuset devices = {0};

	for (size_t seed = 0; seed < count; seed++) {
		struct fit_cpuset one = {0};

		fit_cpuset_add(&one, nodes[seed].id);
		try_near(search, &one, nodes, count, size);
	}
	for (size_t i = 0; i < planner->anchor_count; i++)
		if (planner->anchors[i].node >= 0)
			fit_cpuset_add(&devices, (unsigned int)planner->anchors[i].node);
	if (fit_cpuset_count(&devices) > 1)
		try_near(search, &devices, nodes, count, size);
	for (size_t i = 0; i < count; i++)
		order[i] = nodes[i];
	qsort(order, count, sizeof(*order), compare_room);
	try_set(search, order, size);
	qsort(order, count, sizeof(*order), compare_clear);
	try_set(search, order, size);
}

/* Could more nodes be better in what counts more than their number? Overlaps of VFs and PFs without
 * a link are what they are everywhere. */
static bool wants_more_nodes(const struct search *search)
{
	const struct fit_planner *planner = search->planner;
	const uint64_t *best = search->best.cost.level;

	return !search->found || best[FIT_COST_CROWDED] ||
	       best[FIT_COST_OVERLAP] > planner->vf_overlap || best[FIT_COST_NOT_ISOLATED] ||
	       best[FIT_COST_EFFICIENCY] || best[FIT_COST_DEVICES] || best[FIT_COST_CREATION] ||
	       best[FIT_COST_CELL_SPILL];
}

static bool can_try_all(size_t count, size_t size)
{
	size_t sets = 1;

	size = size > count / 2 ? count - size : size;

	for (size_t i = 0; i < size && sets <= SETS_MAX; i++)
		sets = sets * (count - i) / (i + 1);
	return count <= ALL_SETS_UP_TO && sets <= SETS_MAX;
}

static void try_sizes(struct search *search)
{
	fit_autofree struct sized_node *nodes = NULL;
	size_t count = list_nodes(search, &nodes);
	size_t least = 1;
	size_t most = search->planner->profile->vcpus.span_nodes ? count : 1;

	if (search->planner->cells_wanted && search->planner->cells_wanted != FIT_CELLS_AUTO)
		least = most = search->planner->cells_wanted;
	for (size_t i = 0; i < count && least == 1; i++)
		try_set(search, &nodes[i], 1);
	for (size_t size = least > 2 ? least : 2;
		size <= most && size <= count && wants_more_nodes(search); size++) {
		if (can_try_all(count, size))
			try_all_sets(search, nodes, count, size);
		else
			try_near_sets(search, nodes, count, size);
	}
}

/* Why a set of nodes lost. To be freed. */
static char *why_not(const struct search *search, const struct rated *rated)
{
	const struct fit_cost *best = &search->best.cost;
	fit_autofree char *chosen = fit_cpuset_describe(&search->best.nodes, "node");
	enum fit_cost_level level = first_difference(&rated->cost, best);

	if (!rated->fits && rated->lacks_memory)
		return fit_xstrdup("no room for the memory in pages of the sizes wanted");
	if (!rated->fits && rated->capacity >= search->planner->open_vcpus)
		return fit_xstrdup("its free cores cannot be made the guest's cells and cores of");
	if (!rated->fits)
		return fit_xasprintf(
			"room for %zu of %u vCPUs", rated->capacity, search->planner->open_vcpus);
	if (level == FIT_COST_LEVELS)
		return fit_xasprintf("as good as %s, which comes first", chosen);
	if (!cost_texts[level].counts)
		return fit_xstrdup(cost_texts[level].text);
	return fit_xasprintf("%s (%llu, on %s %llu)", cost_texts[level].text,
		(unsigned long long)rated->cost.level[level], chosen,
		(unsigned long long)best->level[level]);
}

/* The same for programs. */
static void compare(
	const struct search *search, const struct rated *rated, struct fit_reason *reason)
{
	const struct fit_cost *best = &search->best.cost;
	enum fit_cost_level level = first_difference(&rated->cost, best);

	reason->has_values = rated->fits && level < FIT_COST_LEVELS;
	reason->criterion = !rated->fits && rated->lacks_memory ? "memory"
			    : !rated->fits			? "room"
			    : level == FIT_COST_LEVELS		? "order"
								: cost_texts[level].name;
	if (reason->has_values) {
		reason->value = rated->cost.level[level];
		reason->chosen = best->level[level];
	}
}

/* Nodes with the same reason share a line; sets of several have one each. */
static void explain(const struct search *search)
{
	fit_autostrlist struct fit_strlist reasons = {0};

	for (size_t i = 0; i < search->rated_count; i++) {
		fit_autofree char *why = why_not(search, &search->rated[i]);

		fit_strlist_add(&reasons, why);
	}
	for (size_t i = 0, said = 0; i < search->rated_count && said < REASONS_MAX; i++) {
		struct fit_cpuset nodes = {0};
		struct fit_reason *reason;
		fit_autofree char *text = NULL;
		size_t first = SIZE_MAX;

		for (size_t j = 0; j < search->rated_count; j++) {
			const struct fit_cpuset *set = &search->rated[j].nodes;

			if (j != i && (fit_cpuset_count(set) > 1 ||
					      fit_cpuset_count(&search->rated[i].nodes) > 1 ||
					      !fit_streq(reasons.items[i], reasons.items[j])))
				continue;
			if (fit_cpuset_equal(set, &search->best.nodes))
				continue;
			first = first == SIZE_MAX ? j : first;
			fit_cpuset_unite(&nodes, set);
		}
		if (first != i)
			continue;
		text = fit_cpuset_describe(&nodes, "node");
		reason = fit_planner_reason(search->planner, FIT_REASON_REJECTION, "nodes",
			"%s: %s", text, reasons.items[i]);
		reason->subject = FIT_STEAL(text);
		compare(search, &search->rated[i], reason);
		said++;
	}
}

static void find_threads(struct search *search)
{
	const struct fit_planner *planner = search->planner;

	search->threads = 1;
	search->uniform = true;
	for (size_t i = 0; i < planner->core_count; i++) {
		if (fit_core_is_free(planner, &planner->cores[i]) &&
			planner->cores[i].threads > search->threads)
			search->threads = planner->cores[i].threads;
	}
	for (size_t i = 0; i < planner->core_count; i++) {
		if (fit_core_is_free(planner, &planner->cores[i]) &&
			planner->cores[i].threads != search->threads)
			search->uniform = false;
	}
}

/* Kept pins, or vCPUs that are nobody's business: there is one candidate. */
static int try_given(struct search *search)
{
	struct fit_candidate candidate = {.per_core = 1};
	struct rated *rated = FIT_APPEND(search->rated, search->rated_count);

	if (search->planner->vcpus_kept && fit_place_pins_kept(search->planner, &candidate) < 0)
		return -1;
	rated->nodes = candidate.nodes;
	try_candidate(search, &candidate, rated);
	return 0;
}

int fit_place_search(struct fit_planner *planner, struct fit_candidate *ret_best)
{
	struct search search = {.planner = planner};
	int result = 0;

	if (!planner->vcpus_kept && fit_place_check_fixed(planner) < 0)
		return -1;
	find_threads(&search);
	if (planner->vcpus_kept || planner->vcpus_place == FIT_PLACE_NONE)
		result = try_given(&search);
	else
		try_sizes(&search);
	if (result == 0 && search.found) {
		explain(&search);
		*ret_best = search.best;
	} else if (result == 0) {
		result = search.memory_failed
				 ? fit_place_pages_refuse(planner, &search.without_memory)
				 : fit_place_refuse_cores(planner);
	}
	fit_candidate_clear(&search.without_memory);
	free(search.rated);
	return result;
}
