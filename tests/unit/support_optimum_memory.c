/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_optimum_parts.h"

#include "support.h"

#include <string.h>

#define MIB 1024ULL

/* A part of the guest that has its memory together: a cell, or all of it. */
struct part {
	unsigned int nodes;  /* of its vCPUs */
	unsigned int memory; /* nodes */
	uint64_t vcpus, kib, page_kib;
	bool done;
};

struct parts {
	struct part items[NODES];
	unsigned int count;
	bool ours; /* cells that are made: their size is ours to choose */
};

unsigned int fit_optimum_distance(const struct trial *t, unsigned int from, unsigned int to)
{
	return t->b->host.nodes[from].distances[to];
}

unsigned int fit_optimum_way(const struct trial *t, unsigned int set, int node)
{
	unsigned int best = UINT32_MAX;

	if (node < 0 || set == 0 || set >> node & 1)
		return 0;
	for (unsigned int i = 0; i < NODES; i++)
		if (set >> i & 1 && fit_optimum_distance(t, (unsigned int)node, i) < best)
			best = fit_optimum_distance(t, (unsigned int)node, i);
	return best - 10;
}

static bool has_memory_and_cpus(const struct trial *t, unsigned int node)
{
	return node < t->b->host.node_count && t->b->host.nodes[node].memory_kib &&
	       !fit_cpuset_is_empty(&t->b->host.nodes[node].cpus);
}

/* The node outside @taken that is nearest to any of @from; NODES when there is none. */
static unsigned int nearest(const struct trial *t, unsigned int from, unsigned int taken)
{
	unsigned int best = NODES;
	unsigned int least = UINT32_MAX;

	for (unsigned int to = 0; to < NODES; to++)
		for (unsigned int i = 0; i < NODES; i++)
			if (from >> i & 1 && !(taken >> to & 1) && has_memory_and_cpus(t, to) &&
				fit_optimum_distance(t, i, to) < least) {
				best = to;
				least = fit_optimum_distance(t, i, to);
			}
	return best;
}

static uint64_t memory_of(const struct trial *t, unsigned int nodes)
{
	uint64_t kib = 0;

	for (unsigned int i = 0; i < NODES; i++)
		kib += nodes >> i & 1 ? t->b->host.nodes[i].memory_kib : 0;
	return kib;
}

static unsigned int cells_wanted(const struct trial *t)
{
	const struct fit_intent_cells *cells = &t->b->profile.cells;

	return cells->intent.set ? cells->count : 0;
}

bool fit_optimum_cells_can_be(const struct trial *t)
{
	unsigned int wanted = cells_wanted(t), nodes = 0;

	for (unsigned int i = 0; i < NODES; i++)
		nodes += has_memory_and_cpus(t, i);
	return !wanted || wanted == FIT_CELLS_AUTO ||
	       (wanted <= nodes && wanted <= t->b->domain.vcpus);
}

bool fit_optimum_has_cells(const struct trial *t, const int *node_of)
{
	unsigned int used = 0, wanted = cells_wanted(t), count;

	for (unsigned int i = 0; i < t->b->domain.vcpus; i++) {
		unsigned int threads = t->kept_threads ? t->kept_threads : 1;

		/* On several nodes; a guest core in two cells. */
		if (node_of[i] < 0 || node_of[i] != node_of[i - i % threads])
			return false;
		used |= 1U << node_of[i];
	}
	count = (unsigned int)__builtin_popcount(used);
	return wanted && (wanted == FIT_CELLS_AUTO || !t->open ? count > 1 : count == wanted);
}

static struct parts make_parts(const struct trial *t, unsigned int nodes, const int *node_of)
{
	const struct fit_domain *domain = &t->b->domain;
	struct parts parts = {.ours = fit_optimum_has_cells(t, node_of)};

	for (unsigned int n = 0; parts.ours && n < NODES; n++) {
		struct part part = {.nodes = 1U << n};

		for (unsigned int i = 0; i < domain->vcpus; i++)
			part.vcpus += node_of[i] == (int)n;
		if (part.vcpus)
			parts.items[parts.count++] = part;
	}
	for (size_t c = 0; c < domain->cell_count; c++) {
		struct part *part = &parts.items[parts.count++];

		*part = (struct part){.kib = domain->cells[c].memory_kib};
		fit_cpuset_for_each (i, &domain->cells[c].vcpus)
			part->nodes |= node_of[i] < 0 ? nodes : 1U << node_of[i];
	}
	if (!parts.count)
		parts.items[parts.count++] =
			(struct part){.nodes = nodes, .kib = domain->memory_kib};
	return parts;
}

/* Which nodes the memory is on; true when others than the vCPUs' had to be added for its size. */
static bool place(
	const struct trial *t, unsigned int nodes, struct parts *parts, unsigned int *ret_all)
{
	unsigned int all = 0;
	bool spills = false;

	for (unsigned int p = 0; p < parts->count; p++) {
		struct part *part = &parts->items[p];

		for (unsigned int i = 0; i < NODES; i++)
			if (part->nodes >> i & 1 && nearest(t, 1U << i, 0) < NODES)
				part->memory |= 1U << nearest(t, 1U << i, 0);
		all |= part->memory;
	}
	while (all && memory_of(t, all) < t->b->domain.memory_kib &&
		nearest(t, nodes, all) < NODES) {
		unsigned int node = nearest(t, nodes, all), best = 0, least = UINT32_MAX;

		for (unsigned int p = 0; p < parts->count; p++)
			for (unsigned int i = 0; i < NODES; i++)
				if (parts->items[p].nodes >> i & 1 &&
					fit_optimum_distance(t, i, node) < least) {
					best = p;
					least = fit_optimum_distance(t, i, node);
				}
		parts->items[best].memory |= 1U << node;
		all |= 1U << node;
		spills = true;
	}
	*ret_all = all;
	return spills;
}

/* Cells of the user's that their nodes are too small for share all. */
static void share_nodes(const struct trial *t, struct parts *parts, unsigned int all)
{
	bool overflow = false;

	for (unsigned int set = 1; set < 1U << NODES; set++) {
		uint64_t kib = 0;
		bool is_of_one = false;

		for (unsigned int p = 0; p < parts->count; p++) {
			is_of_one |= parts->items[p].memory == set;
			kib += (parts->items[p].memory & ~set) == 0 ? parts->items[p].kib : 0;
		}
		overflow |= is_of_one && kib > memory_of(t, set);
	}
	for (unsigned int p = 0; p < parts->count && overflow; p++)
		parts->items[p].memory = all;
}

/* Divides the memory as the vCPUs are divided, in units, none beyond what its nodes have; those for
 * which that is least first. False when one gets nothing. */
static bool divide(const struct trial *t, struct parts *parts, uint64_t unit)
{
	uint64_t capacity[NODES] = {0}, sum = 0, vcpus = 0;
	bool cramped;
	uint64_t left = unit == MIB ? t->b->domain.memory_kib / MIB
				    : (t->b->domain.memory_kib + unit - 1) / unit;

	for (unsigned int p = 0; p < parts->count; p++) {
		for (unsigned int i = 0; i < NODES; i++) {
			unsigned int users = 0;

			for (unsigned int q = 0; q < parts->count; q++)
				users += parts->items[q].memory >> i & 1;
			if (parts->items[p].memory >> i & 1)
				capacity[p] += t->b->host.nodes[i].memory_kib / users;
		}
		capacity[p] /= unit;
		sum += capacity[p];
		vcpus += parts->items[p].vcpus;
		parts->items[p].done = false;
	}
	cramped = sum < left;
	for (unsigned int round = 0; round < parts->count; round++) {
		struct part *best = NULL;
		uint64_t share, most = 0;

		for (unsigned int p = 0; p < parts->count; p++) {
			struct part *part = &parts->items[p];
			uint64_t room = cramped ? UINT32_MAX : capacity[p];

			if (part->done || (best && room * best->vcpus >= most * part->vcpus))
				continue;
			best = part;
			most = room;
		}
		share = (left * best->vcpus + vcpus - 1) / vcpus;
		share = share < most ? share : most;
		share = round + 1 == parts->count || share > left ? left : share;
		best->done = true;
		best->kib = share * unit;
		left -= share;
		vcpus -= best->vcpus;
		if (!share)
			return false;
	}
	if (unit == MIB)
		parts->items[0].kib += t->b->domain.memory_kib % MIB;
	return true;
}

static bool may_meet(unsigned int nodes, const struct fit_cpuset *others)
{
	unsigned int bits = (unsigned int)others->words[0];

	return !nodes || !bits || bits & nodes;
}

/* Pages of running domains, and those that the domain itself has. */
static uint64_t pages_of(const struct trial *t, unsigned int nodes, uint64_t page_kib, bool own)
{
	uint64_t pages = 0;

	if (own)
		return t->b->has_previous && t->b->previous.has_hugepages &&
				       t->b->previous.hugepage_kib == page_kib &&
				       may_meet(nodes, &t->b->previous.numatune_nodes)
			       ? (t->b->previous.memory_kib + page_kib - 1) / page_kib
			       : 0;
	for (size_t i = 0; i < t->b->claims.count; i++) {
		const struct fit_claim *claim = &t->b->claims.items[i];

		for (size_t d = 0; claim->running && d < claim->page_demand_count; d++)
			if (claim->pages[d].page_kib == page_kib &&
				may_meet(nodes, &claim->pages[d].nodes))
				pages += claim->pages[d].pages;
	}
	return pages;
}

/* While the domain runs its own pages are not free, but may be counted as far as the pool has them
 * beside those of others. */
static uint64_t with_own(
	const struct trial *t, unsigned int nodes, uint64_t page_kib, uint64_t free, uint64_t total)
{
	uint64_t own = pages_of(t, nodes, page_kib, true);
	uint64_t others = pages_of(t, nodes, page_kib, false);
	uint64_t most = total > others ? total - others : 0;

	most = own + free < most ? own + free : most;
	return own && most > free ? most : free;
}

/* Pages of 2 MiB can be made of free memory, those of 1 GiB only when there is no other size and
 * twice as much is free. What cells before this one take is not there for it. */
static bool has_pages(const struct trial *t, const struct parts *parts, unsigned int number,
	uint64_t page_kib, bool is_last)
{
	const struct part *part = &parts->items[number];
	uint64_t wanted = (part->kib + page_kib - 1) / page_kib;
	uint64_t free = 0, total = 0, free_kib = 0, all_kib = 0, taken = 0, there, missing_kib;

	if (wanted * page_kib - part->kib > part->kib / 8 ||
		(t->b->domain.cell_count && part->kib % page_kib))
		return false;
	for (unsigned int i = 0; i < t->b->host.node_count; i++) {
		const struct fit_node *node = &t->b->host.nodes[i];

		if (part->memory && !(part->memory >> i & 1))
			continue;
		free += node->pools[page_kib == GIB].free;
		total += node->pools[page_kib == GIB].total;
		free_kib += node->free_kib;
		all_kib += node->memory_kib;
	}
	for (unsigned int p = 0; p < number; p++)
		if (parts->items[p].page_kib == page_kib &&
			(!part->memory || !parts->items[p].memory ||
				parts->items[p].memory & part->memory))
			taken += (parts->items[p].kib + page_kib - 1) / page_kib;
	there = with_own(t, part->memory, page_kib, free, total);
	there -= taken < free ? taken : free;
	if (there >= wanted)
		return true;
	missing_kib = (wanted - there) * page_kib;
	if (page_kib == GIB)
		return is_last && free_kib >= 2 * missing_kib;
	return free_kib >= missing_kib + all_kib / 32;
}

/* Each part takes the first size from @first on that there is. False when there is none. */
static bool take_sizes(const struct trial *t, struct parts *parts, size_t first, uint64_t *ret_cost)
{
	const struct fit_intent_memory *memory = &t->b->profile.memory;
	size_t count = memory->page_size_count;
	bool used = false;

	*ret_cost = 0;
	for (unsigned int p = 0; p < parts->count; p++) {
		size_t size = first;

		while (size < count && memory->page_sizes[size] &&
			!has_pages(t, parts, p, memory->page_sizes[size], size == count - 1))
			size++;
		if (size == count)
			return false;
		parts->items[p].page_kib = memory->page_sizes[size];
		*ret_cost += size;
		used |= size == first;
	}
	return used || !parts->ours;
}

/* Cells of ours are cut into pages of the largest size that one of them gets. */
static bool take_pages(const struct trial *t, struct parts *parts, uint64_t *ret_cost)
{
	const struct fit_intent_memory *memory = &t->b->profile.memory;
	uint64_t kib = t->b->domain.memory_kib;
	bool found = false;

	if (!parts->ours)
		return take_sizes(t, parts, 0, ret_cost);
	for (size_t first = 0; first < memory->page_size_count; first++) {
		uint64_t page = memory->page_sizes[first], cost;

		if (page && (kib + page - 1) / page * page - kib > kib / 8)
			continue;
		if (!divide(t, parts, page ? page : MIB) || !take_sizes(t, parts, first, &cost))
			continue;
		*ret_cost = found && *ret_cost < cost ? *ret_cost : cost;
		found = true;
	}
	return found;
}

bool fit_optimum_add_memory(const struct trial *t, unsigned int nodes, const int *node_of,
	bool floats, struct fit_cost *cost)
{
	struct parts parts = make_parts(t, nodes, node_of);
	unsigned int all;
	bool spills = place(t, nodes, &parts, &all);
	unsigned int wanted = cells_wanted(t);
	uint64_t pages;

	if (wanted && wanted != FIT_CELLS_AUTO && t->open && !parts.ours)
		return false;
	if (t->b->domain.cell_count)
		share_nodes(t, &parts, all);
	for (unsigned int i = 0; i < NODES; i++)
		cost->level[FIT_COST_MEMORY] +=
			nodes >> i & 1 ? fit_optimum_way(t, all, (int)i) : 0;
	cost->level[FIT_COST_MEMORY] += spills ? FIT_CPUSET_MAX : 0;
	cost->level[FIT_COST_CELL_SPILL] = wanted && spills;
	if (floats && parts.ours) {
		uint64_t most = 0, least = UINT64_MAX;

		for (unsigned int p = 0; p < parts.count; p++) {
			most = parts.items[p].vcpus > most ? parts.items[p].vcpus : most;
			least = parts.items[p].vcpus < least ? parts.items[p].vcpus : least;
		}
		cost->level[FIT_COST_UNEVEN] = most - least;
	}
	if (!t->b->profile.memory.page_size_count)
		return !parts.ours || divide(t, &parts, MIB);
	if (!take_pages(t, &parts, &pages))
		return false;
	cost->level[FIT_COST_PAGES] = pages;
	return true;
}
