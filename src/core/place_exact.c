/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The best cores of a candidate's nodes, exactly, where there are few enough to find them that way.
 *
 * What a set of cores costs is a sum over its cores, clusters and L3 groups, except how uneven the
 * nodes' shares are and how many of QEMU's threads get a core: these two follow from how many vCPUs
 * each node has and which cores are left. So for each node, first vCPU and number of vCPUs the
 * cheapest cores are found for every kind of rest (dynamic programming over the node's cores), then
 * nodes are combined within all bounds of their shares. Costs are packed into one number, the most
 * important highest; among equals the set with the lower core wins.
 */
#include "core/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SMALL_HOST 16	/* cores: whatever is wanted */
#define WORK_MAX   1024 /* otherwise: entries of all tables */
#define CORES_MAX  64
#define VCPUS_MAX  256

/* Fields of a packed cost: of all but two at most one for each core. */
#define FIELD_BITS 7
#define WIDE_BITS  11
#define LEFT	   1ULL			    /* on the node */
#define FRAGMENT   (LEFT << FIELD_BITS)	    /* in an L3 group that is used */
#define MOVED	   (FRAGMENT << FIELD_BITS) /* vCPUs too */
#define IDLE	   (MOVED << WIDE_BITS)	    /* threads of the cores */
#define CLUSTER	   (IDLE << WIDE_BITS)
#define L3_GROUP   (CLUSTER << FIELD_BITS)
#define OVERLAP	   (L3_GROUP << FIELD_BITS)

struct choice {
	uint64_t cost;
	uint64_t cores; /* bits, in the order of `exact.cores` */
};

/* What is left beside the vCPUs, as far as QEMU's threads want it. */
#define RESTS(exact)	      ((exact)->spare_max ? ((exact)->spare_max + 1) * 2 : 1)
#define REST(spare, emulator) ((spare)*2 + (emulator))

struct exact {
	const struct fit_planner *planner;
	const struct fit_candidate *candidate;
	const struct fit_core *cores[CORES_MAX];
	bool suits[CORES_MAX];
	size_t core_count;
	size_t node_start[CORES_MAX + 1];
	size_t node_count;
	size_t need;
	int previous[VCPUS_MAX];	   /* CPU of the vCPU at each place, or -1 */
	size_t open_before[VCPUS_MAX + 1]; /* places before this one whose vCPU gets a core */
	size_t fixed[CORES_MAX];	   /* vCPUs that each node has already */
	size_t others_least, others_most;  /* that the other nodes have; 0: none has any */
	size_t spare_max;
	bool emulator; /* wants a core */
	size_t iothreads;
	bool per_node; /* each node gives one of them a core */
};

static const struct choice no_choice = {.cost = UINT64_MAX};

static bool is_better(const struct choice *a, const struct choice *b)
{
	uint64_t differing = a->cores ^ b->cores;

	if (a->cost != b->cost)
		return a->cost < b->cost;
	return differing && a->cores & (differing & -differing);
}

static void improve(struct choice *best, const struct choice *choice)
{
	if (choice->cost != UINT64_MAX && is_better(choice, best))
		*best = *choice;
}

/* False when there are too many. */
static bool list_cores(struct exact *exact)
{
	const struct fit_planner *planner = exact->planner;

	fit_cpuset_for_each (node, &exact->candidate->nodes) {
		size_t count;
		const struct fit_core *cores = fit_planner_node_cores(planner, node, &count);

		if (exact->core_count + count > CORES_MAX || !count)
			return false;
		exact->node_start[exact->node_count++] = exact->core_count;
		for (size_t i = 0; i < count; i++)
			exact->cores[exact->core_count++] = &cores[i];
	}
	exact->node_start[exact->node_count] = exact->core_count;
	fit_cores_sort(exact->cores, exact->core_count);
	for (size_t i = 0; i < exact->core_count; i++)
		exact->suits[i] = fit_core_suits(planner, exact->candidate, exact->cores[i]);
	return planner->core_count <= SMALL_HOST ||
	       exact->core_count * exact->need * RESTS(exact) *
			       (exact->node_count > 1 ? exact->need : 1) <=
		       WORK_MAX;
}

/* Cost of @vcpus from number @first on being on this core. */
static uint64_t cost_of_use(
	const struct exact *exact, const struct fit_core *core, size_t first, size_t vcpus)
{
	uint64_t cost = fit_core_overlaps(core) ? OVERLAP : 0;
	int cpu = (int)core->first;

	cost += core->threads * IDLE;
	cost += !core->previous && (core->previous_emulator || core->previous_iothread) ? MOVED : 0;
	for (size_t i = first; i < first + vcpus; i++) {
		int previous = exact->previous[i];

		cost += previous >= 0 && previous != cpu ? MOVED : 0;
		cpu = fit_cpuset_next(&core->usable, (unsigned int)cpu + 1);
	}
	return cost;
}

static uint64_t cost_of_rest(
	const struct exact *exact, const struct fit_core *core, bool group_used)
{
	uint64_t cost = exact->planner->profile->vcpus.pin_set && core->previous ? MOVED : 0;

	if (fit_core_is_free(exact->planner, core) && !fit_core_overlaps(core))
		cost += LEFT + (group_used ? FRAGMENT : 0);
	return cost;
}

/* What is left when this core is left too. */
static size_t rest_with(const struct exact *exact, const struct fit_core *core, size_t rest)
{
	size_t spare = rest / 2;
	bool emulator = rest % 2;

	if (core->threads == 0 || core->running || core->defined || !exact->spare_max)
		return rest;
	emulator |= exact->emulator && !core->isolated;
	return REST(spare < exact->spare_max ? spare + 1 : spare, emulator);
}

/* Table of a node's choices: by vCPUs placed so far, and rest. */
static struct choice *at(const struct exact *exact, struct choice *table, size_t vcpus, size_t rest)
{
	return &table[vcpus * RESTS(exact) + rest];
}

static size_t table_size(const struct exact *exact)
{
	return (exact->need + 1) * RESTS(exact);
}

static void forget(const struct exact *exact, struct choice *table)
{
	for (size_t i = 0; i < table_size(exact); i++)
		table[i] = no_choice;
}

/* One more core: it is taken, if it may be, or left. */
static void step(const struct exact *exact, size_t number, bool may_take, bool group_used,
	size_t first, struct choice *from, struct choice *to)
{
	const struct fit_core *core = exact->cores[number];
	size_t room = fit_core_room(exact->candidate, core);
	uint64_t rest_cost = cost_of_rest(exact, core, group_used);

	for (size_t placed = 0; first + placed <= exact->need; placed++) {
		size_t left = exact->need - first - placed;
		size_t vcpus = room < left ? room : left;
		bool takes = may_take && exact->suits[number] && vcpus > 0;
		uint64_t use_cost = takes ? cost_of_use(exact, core, first + placed, vcpus) : 0;

		for (size_t rest = 0; rest < RESTS(exact); rest++) {
			const struct choice *old = at(exact, from, placed, rest);
			struct choice choice = *old;

			if (old->cost == UINT64_MAX)
				continue;
			choice.cost += rest_cost;
			improve(at(exact, to, placed, rest_with(exact, core, rest)), &choice);
			if (!takes)
				continue;
			choice.cost = old->cost + use_cost;
			choice.cores |= 1ULL << number;
			improve(at(exact, to, placed + vcpus, rest), &choice);
		}
	}
}

/* Cores from @begin on that share a cluster, or an L3 group. */
static size_t end_of_part(const struct exact *exact, size_t begin, size_t end, bool clusters)
{
	const struct fit_core *first = exact->cores[begin];
	size_t next = begin;

	while (next < end && exact->cores[next]->l3 == first->l3 &&
		(!clusters || exact->cores[next]->cluster == first->cluster))
		next++;
	return next;
}

/* Takes or leaves each core of a part that is used, leaves all of one that is not. @table becomes
 * the result, @work has room for a table. */
static void try_part(const struct exact *exact, size_t begin, size_t end, bool takes,
	bool group_used, size_t first, struct choice *table, struct choice *work)
{
	for (size_t i = begin; i < end; i++) {
		forget(exact, work);
		step(exact, i, takes, group_used, first, table, work);
		memcpy(table, work, table_size(exact) * sizeof(*table));
	}
}

static void add_cost(const struct exact *exact, struct choice *table, uint64_t cost)
{
	for (size_t i = 0; i < table_size(exact); i++)
		table[i].cost += table[i].cost != UINT64_MAX ? cost : 0;
}

static void improve_all(const struct exact *exact, struct choice *table, const struct choice *other)
{
	for (size_t i = 0; i < table_size(exact); i++)
		improve(&table[i], &other[i]);
}

/* The L3 group is used: which of its clusters are? @work has room for two tables. */
static void solve_group(const struct exact *exact, size_t begin, size_t end, size_t first,
	struct choice *table, struct choice *work)
{
	size_t size = table_size(exact);
	bool is_one = end_of_part(exact, begin, end, true) == end;

	add_cost(exact, table, L3_GROUP);
	for (size_t next; begin < end; begin = next) {
		next = end_of_part(exact, begin, end, true);
		memcpy(work, table, size * sizeof(*work));
		add_cost(exact, work, CLUSTER);
		try_part(exact, begin, next, true, true, first, work, work + size);
		if (is_one)
			forget(exact, table);
		else
			try_part(exact, begin, next, false, true, first, table, work + size);
		improve_all(exact, table, work);
	}
}

/* The best choices of node @node for vCPUs from @first on, into @ret_table. @work has room for
 * three tables. */
static void solve_node(const struct exact *exact, size_t node, size_t first,
	struct choice *ret_table, struct choice *work)
{
	size_t size = table_size(exact);
	size_t end = exact->node_start[node + 1];

	forget(exact, ret_table);
	*at(exact, ret_table, 0, 0) = (struct choice){0};
	for (size_t next, begin = exact->node_start[node]; begin < end; begin = next) {
		next = end_of_part(exact, begin, end, false);
		memcpy(work, ret_table, size * sizeof(*work));
		solve_group(exact, begin, next, first, work, work + size);
		try_part(exact, begin, next, false, false, first, ret_table, work + size);
		improve_all(exact, ret_table, work);
	}
}

/* What is left on all nodes, with that of one more. Of threads per node each node gives one, and
 * the emulator needs another. */
static size_t join_rests(const struct exact *exact, size_t left, size_t right)
{
	size_t spare = left / 2;
	bool emulator = left % 2;

	if (exact->per_node) {
		spare += right / 2 >= 1;
		emulator |= right % 2 && right / 2 >= 2;
	} else {
		spare += right / 2;
		emulator |= right % 2;
	}
	return REST(spare < exact->spare_max ? spare : exact->spare_max, emulator);
}

static uint64_t threads_without_core(const struct exact *exact, size_t rest)
{
	size_t spare = rest / 2;
	bool emulator = exact->emulator && rest % 2;
	size_t given;

	if (exact->per_node)
		return exact->node_count + exact->emulator - spare - emulator;
	given = spare - emulator < exact->iothreads ? spare - emulator : exact->iothreads;
	return exact->iothreads + exact->emulator - given - emulator;
}

/* How many vCPUs the node has with those at these places. */
static size_t share_of(const struct exact *exact, size_t node, size_t first, size_t count)
{
	return exact->fixed[node] + exact->open_before[first + count] - exact->open_before[first];
}

static bool is_within(const struct exact *exact, size_t node, size_t first, size_t count,
	size_t least, size_t most)
{
	const size_t *given = exact->candidate->shares;
	size_t share = share_of(exact, node, first, count);

	return given ? count == given[node] : share >= least && share <= most;
}

/* All nodes, each with @least to @most vCPUs. @tables: of each node by its first vCPU. */
static void combine(const struct exact *exact, const struct choice *tables, size_t least,
	size_t most, struct choice *ret_table)
{
	size_t size = table_size(exact);
	fit_autofree struct choice *from = fit_xcalloc(size, sizeof(*from));

	forget(exact, ret_table);
	*at(exact, ret_table, 0, 0) = (struct choice){0};
	for (size_t node = 0; node < exact->node_count; node++) {
		for (size_t i = 0; i < size; i++)
			from[i] = ret_table[i];
		forget(exact, ret_table);
		for (size_t i = 0; i < size; i++) {
			size_t first = i / RESTS(exact);
			const struct choice *table = &tables[(node * exact->need + first) * size];

			if (from[i].cost == UINT64_MAX || first == exact->need)
				continue;
			for (size_t count = 1; first + count <= exact->need; count++)
				for (size_t rest = 0; rest < RESTS(exact); rest++) {
					struct choice choice = table[count * RESTS(exact) + rest];
					size_t joined = join_rests(exact, i % RESTS(exact), rest);

					if (choice.cost == UINT64_MAX ||
						!is_within(exact, node, first, count, least, most))
						continue;
					choice.cost += from[i].cost;
					choice.cores |= from[i].cores;
					improve(at(exact, ret_table, first + count, joined),
						&choice);
				}
		}
	}
}

/* OVERLAP, UNEVEN, OWN_CORES, then the rest of the packed cost. */
struct best {
	uint64_t overlap, uneven, coreless;
	struct choice choice;
	bool found;
};

static void take_if_best(const struct exact *exact, const struct choice *choice, size_t rest,
	uint64_t uneven, struct best *best)
{
	struct best trial = {
		.overlap = choice->cost / OVERLAP,
		.uneven = uneven,
		.coreless = threads_without_core(exact, rest),
		.choice = *choice,
		.found = true,
	};
	bool better;

	if (choice->cost == UINT64_MAX)
		return;
	if (trial.overlap != best->overlap)
		better = trial.overlap < best->overlap;
	else if (trial.uneven != best->uneven)
		better = trial.uneven < best->uneven;
	else if (trial.coreless != best->coreless)
		better = trial.coreless < best->coreless;
	else
		better = is_better(choice, &best->choice);
	if (better || !best->found)
		*best = trial;
}

static void try_bounds(const struct exact *exact, const struct choice *tables, size_t least,
	size_t most, uint64_t uneven, struct best *best)
{
	fit_autofree struct choice *table = fit_xcalloc(table_size(exact), sizeof(*table));

	combine(exact, tables, least, most, table);
	for (size_t rest = 0; rest < RESTS(exact); rest++)
		take_if_best(exact, at(exact, table, exact->need, rest), rest, uneven, best);
}

/* Shares as equal as they can be without taking cores of others that need not be taken. */
static void try_shares(const struct exact *exact, const struct choice *tables, struct best *best)
{
	size_t vcpus = exact->planner->domain->vcpus;
	struct best any = {0};

	if (exact->node_count == 1) {
		size_t share = share_of(exact, 0, 0, exact->need);
		size_t most = exact->others_most > share ? exact->others_most : share;
		size_t least = exact->others_most && exact->others_least < share
				       ? exact->others_least
				       : share;

		try_bounds(exact, tables, 0, vcpus, most - least, best);
		return;
	}
	if (exact->candidate->shares) {
		try_bounds(exact, tables, 1, vcpus, 0, best);
		return;
	}
	try_bounds(exact, tables, 1, vcpus, 0, &any);
	for (size_t uneven = 0; any.found && (!best->found || best->overlap > any.overlap);
		uneven++)
		for (size_t least = 1; least * exact->node_count <= vcpus; least++)
			if (!exact->others_most || (exact->others_least >= least &&
							   exact->others_most <= least + uneven))
				try_bounds(exact, tables, least, least + uneven, uneven, best);
}

static void find_best(const struct exact *exact, struct best *best)
{
	size_t size = table_size(exact);
	size_t starts = exact->node_count > 1 ? exact->need : 1;
	fit_autofree struct choice *tables =
		fit_xcalloc(exact->node_count * starts * size, sizeof(*tables));
	fit_autofree struct choice *work = fit_xcalloc(3 * size, sizeof(*work));

	for (size_t node = 0; node < exact->node_count; node++)
		for (size_t first = 0; first < (node ? starts : 1); first++)
			solve_node(
				exact, node, first, &tables[(node * starts + first) * size], work);
	try_shares(exact, tables, best);
}

static void count_threads(struct exact *exact)
{
	const struct fit_planner *planner = exact->planner;

	exact->emulator = fit_place_emulator_wants_core(planner);
	exact->iothreads = planner->own_cores_wanted - exact->emulator;
	exact->per_node = exact->iothreads && planner->iothreads_per_node;
	if (exact->per_node)
		exact->iothreads = fit_cpuset_count(&exact->candidate->nodes);
	exact->spare_max = exact->iothreads + exact->emulator;
}

/* The vCPUs that get a core, in their order, and what the others have. */
static void count_vcpus(struct exact *exact)
{
	const struct fit_planner *planner = exact->planner;
	size_t vcpus[VCPUS_MAX];
	fit_autofree size_t *counts = fit_xcalloc(planner->host->node_count, sizeof(*counts));

	fit_place_list(planner, exact->candidate, vcpus);
	for (size_t i = 0; i < exact->need; i++) {
		bool open = fit_vcpu_is_open(planner, vcpus[i]);

		exact->previous[i] = open ? planner->previous_cpus[vcpus[i]] : -1;
		exact->open_before[i + 1] = exact->open_before[i] + open;
	}
	fit_place_count_fixed(planner, counts);
	for (size_t i = 0, node = 0; i < planner->host->node_count; i++) {
		if (fit_cpuset_contains(&exact->candidate->nodes, planner->host->nodes[i].id)) {
			exact->fixed[node++] = counts[i];
			continue;
		}
		if (counts[i] && (!exact->others_most || counts[i] < exact->others_least))
			exact->others_least = counts[i];
		exact->others_most =
			counts[i] > exact->others_most ? counts[i] : exact->others_most;
	}
}

bool fit_place_cores_exactly(
	const struct fit_planner *planner, struct fit_candidate *candidate, bool *ret_found)
{
	struct exact exact = {
		.planner = planner,
		.candidate = candidate,
		.need = fit_place_need(planner, candidate),
	};
	struct best best = {0};

	if (!exact.need || exact.need > VCPUS_MAX || planner->domain->vcpus > VCPUS_MAX)
		return false;
	count_threads(&exact);
	if (!list_cores(&exact))
		return false;
	count_vcpus(&exact);
	find_best(&exact, &best);
	for (size_t i = 0; i < exact.core_count && best.found; i++)
		if (best.choice.cores >> i & 1)
			*FIT_APPEND(candidate->cores, candidate->core_count) = exact.cores[i];
	*ret_found = best.found;
	return true;
}
