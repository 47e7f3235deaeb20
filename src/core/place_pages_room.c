/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is there room for a part of the guest in pages of a size?
 *
 * The hook fills the pool at start, so a page size is possible when the free pages of the pool
 * suffice or the node has free memory for the rest. Pages of 1 GiB need contiguous memory, which
 * a running host rarely has: they come from the pool, unless the profile has no other size; then
 * twice the memory must be free.
 */
#include "core/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define GIGANTIC_KIB  (1024ULL * 1024)
#define ROUNDING_PART 8

/* Of one size, on the nodes of one part. */
struct supply {
	bool supported;
	uint64_t free, total; /* pages */
	uint64_t free_kib, memory_kib;
};

uint64_t fit_place_pages_of(const struct fit_planned_cell *part, uint64_t page_kib)
{
	return fit_pages_for(part->memory_kib, page_kib) +
	       fit_pages_for(part->device_kib, page_kib);
}

/* Pages that running domains have of this size where ours would be. */
static uint64_t pages_of_others(
	const struct fit_planner *planner, const struct fit_cpuset *nodes, uint64_t page_kib)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < planner->claim_count; i++) {
		const struct fit_claim *claim = planner->claims[i];

		for (size_t d = 0; claim->running && d < claim->page_demand_count; d++) {
			const struct fit_page_demand *demand = &claim->pages[d];

			if (demand->page_kib == page_kib &&
				(demand->nodes_preferred ||
					fit_nodes_may_meet(&demand->nodes, nodes)))
				pages += demand->pages;
		}
	}
	return pages;
}

/* Pages of this size that the domain has now on @nodes for part @number. Cells are the same ones as
 * long as they have the same number; the pages of a guest without cells, or to which we give none,
 * are those of the first part. */
static uint64_t pages_of_previous(const struct fit_planner *planner, const struct fit_cpuset *nodes,
	size_t number, bool is_guest, uint64_t page_kib)
{
	const struct fit_domain *previous = planner->input->previous;
	fit_autofree struct fit_page_demand *demands = NULL;
	size_t count;
	uint64_t pages = 0;

	if (!previous)
		return 0;
	if (previous->cell_count > 1 && !is_guest) {
		const struct fit_domain_cell *cell = &previous->cells[number];

		return number < previous->cell_count && cell->has_hugepages &&
				       cell->hugepage_kib == page_kib &&
				       fit_nodes_may_meet(cell->has_memnode
								  ? &cell->nodes
								  : &previous->numatune_nodes,
					       nodes)
			       ? fit_domain_cell_pages(cell, page_kib)
			       : 0;
	}
	if (number)
		return 0;
	demands = fit_domain_page_demands(previous, &count);
	for (size_t i = 0; i < count; i++)
		if (demands[i].page_kib == page_kib && fit_nodes_may_meet(&demands[i].nodes, nodes))
			pages += demands[i].pages;
	return pages - fit_domain_device_pages(previous, page_kib, nodes);
}

/* While the domain runs, the pages it was given are in use by itself: a domain that had this size
 * here may count them, as far as the pool holds them beyond the others' pages. */
static uint64_t available_pages(const struct fit_planner *planner,
	const struct fit_planned_cell *parts, size_t number, uint64_t page_kib,
	const struct supply *supply)
{
	uint64_t own = pages_of_previous(
		planner, &parts[number].memory_nodes, number, parts[number].is_guest, page_kib);
	uint64_t others, limit;

	if (planner->input->previous)
		own += fit_domain_device_pages(
			planner->input->previous, page_kib, &parts[number].memory_nodes);
	if (!own)
		return supply->free;
	others = pages_of_others(planner, &parts[number].memory_nodes, page_kib);
	limit = supply->total > others ? supply->total - others : 0;
	if (supply->free + own < limit)
		return supply->free + own;
	return limit > supply->free ? limit : supply->free;
}

static struct supply find_supply(
	const struct fit_host *host, const struct fit_cpuset *nodes, uint64_t page_kib)
{
	struct supply supply = {0};

	for (size_t i = 0; i < host->node_count; i++) {
		const struct fit_node *node = &host->nodes[i];

		if (!fit_cpuset_is_empty(nodes) && !fit_cpuset_contains(nodes, node->id))
			continue;
		supply.supported |= fit_node_has_page_size(node, page_kib);
		supply.free += fit_node_free_pages(node, page_kib);
		for (size_t p = 0; p < node->pool_count; p++)
			supply.total +=
				node->pools[p].page_kib == page_kib ? node->pools[p].total : 0;
		supply.free_kib += node->free_kib;
		supply.memory_kib += node->memory_kib;
	}
	return supply;
}

/* Pages where those of part @number would be that memory devices get which are not as their cells:
 * in a size of their own, or in what the cell gets. The sizes of later cells are open yet. */
static uint64_t pages_of_devices(const struct fit_planner *planner,
	const struct fit_planned_cell *parts, size_t number, uint64_t page_kib)
{
	const struct fit_domain *domain = planner->domain;
	uint64_t pages = 0;

	for (size_t i = 0; i < domain->memory_device_count && domain->cell_count; i++) {
		const struct fit_domain_memory_device *device = &domain->memory_devices[i];
		const struct fit_planned_cell *part = &parts[parts->is_guest ? 0 : device->cell];
		uint64_t size = device->page_kib;

		if (!size && device->cell <= number)
			size = device->cell == number ? page_kib : part->page_kib;
		if (size == page_kib &&
			fit_nodes_may_meet(device->has_nodes ? &device->nodes : &part->memory_nodes,
				&parts[number].memory_nodes))
			pages += fit_pages_for(device->kib, page_kib);
	}
	return pages;
}

/* Pages on these nodes that the cells before this one take, and that those after it have now. With
 * pages of its own in this size it has been there beside those after it: what they have on other
 * nodes as well must not turn it out. */
static uint64_t pages_of_siblings(const struct fit_planner *planner,
	const struct fit_planned_cell *parts, size_t number, uint64_t page_kib)
{
	const struct fit_domain *previous = planner->input->previous;
	const struct fit_cpuset *nodes = &parts[number].memory_nodes;
	uint64_t own = pages_of_previous(planner, nodes, number, parts[number].is_guest, page_kib);
	uint64_t pages = 0;

	for (size_t i = 0; i < number; i++)
		if (parts[i].page_kib == page_kib &&
			fit_nodes_may_meet(&parts[i].memory_nodes, nodes))
			pages += fit_place_pages_of(&parts[i], page_kib);
	if (own >= fit_place_pages_of(&parts[number], page_kib) || parts[number].is_guest)
		return pages;
	for (size_t i = number + 1; previous && i < previous->cell_count; i++)
		pages += pages_of_previous(planner, nodes, i, false, page_kib);
	return pages;
}

bool fit_place_pages_round_too_much(uint64_t memory_kib, uint64_t page_kib)
{
	return fit_pages_for(memory_kib, page_kib) * page_kib - memory_kib >
	       memory_kib / ROUNDING_PART;
}

/* Contiguous GiBs are rarely found once the host runs, and free memory does not tell: new gigantic
 * pages are only tried when the profile has no size to fall back to. */
static bool may_grow_pool(const struct fit_planner *planner, uint64_t page_kib)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;

	return page_kib < GIGANTIC_KIB ||
	       page_kib == memory->page_sizes[memory->page_size_count - 1];
}

/* Are there, or can be made, such pages for part @number on its nodes (all, when none is named)?
 * *ret_why, if not NULL, becomes the reason for either answer. */
static bool part_is_there(const struct fit_planner *planner, const struct fit_planned_cell *parts,
	size_t number, uint64_t page_kib, char **ret_why)
{
	const struct fit_planned_cell *part = &parts[number];
	struct supply supply = find_supply(planner->host, &part->memory_nodes, page_kib);
	uint64_t pages = fit_place_pages_of(part, page_kib) +
			 pages_of_devices(planner, parts, number, page_kib);
	uint64_t siblings = pages_of_siblings(planner, parts, number, page_kib);
	uint64_t there, free, missing_kib, needed_kib;
	const char *whose = fit_cpuset_is_empty(&part->vcpus) ? "" : " for all cells";
	const char *problem = NULL;

	if (!supply.supported)
		problem = "this host has none";
	else if (planner->domain->cell_count && part->memory_kib % page_kib)
		problem = "a guest NUMA cell is no multiple of it";
	else if (fit_place_pages_round_too_much(part->memory_kib, page_kib))
		problem = "the memory would be rounded up by more than an eighth";
	if (problem) {
		if (ret_why)
			*ret_why = fit_xstrdup(problem);
		return false;
	}
	there = available_pages(planner, parts, number, page_kib, &supply);
	/* Of those that are free; what this one has already is not theirs to take. */
	free = there - (siblings < supply.free ? siblings : supply.free);
	missing_kib = pages > free ? (pages - free) * page_kib : 0;
	needed_kib =
		page_kib >= GIGANTIC_KIB ? 2 * missing_kib : missing_kib + supply.memory_kib / 32;
	if (missing_kib && !may_grow_pool(planner, page_kib)) {
		if (ret_why)
			*ret_why = fit_xasprintf("%llu wanted, %llu free%s in the pool (reserve "
						 "more at boot with hugepagesz= and hugepages=)",
				(unsigned long long)pages, (unsigned long long)there, whose);
		return false;
	}
	if (ret_why && missing_kib)
		*ret_why = fit_xasprintf("%llu wanted, %llu free%s; to make %llu, %llu MiB of "
					 "free memory are asked for, %llu MiB are there",
			(unsigned long long)pages, (unsigned long long)there, whose,
			(unsigned long long)(pages - free), (unsigned long long)needed_kib / 1024,
			(unsigned long long)supply.free_kib / 1024);
	else if (ret_why)
		*ret_why = fit_xasprintf("%llu wanted, %llu free%s", (unsigned long long)pages,
			(unsigned long long)there, whose);
	return missing_kib == 0 || supply.free_kib >= needed_kib;
}

/* Room for one more part behind those that memory devices refer to and @number. To be freed. */
static struct fit_planned_cell *copy_parts(const struct fit_planner *planner,
	const struct fit_planned_cell *parts, size_t number, size_t *ret_count)
{
	const struct fit_domain *domain = planner->domain;
	struct fit_planned_cell *copy;
	size_t count = number + 1;

	for (size_t i = 0; i < domain->memory_device_count && !parts->is_guest; i++)
		if (domain->memory_devices[i].cell >= count)
			count = domain->memory_devices[i].cell + 1;
	copy = fit_xcalloc(count + 1, sizeof(*copy));
	memcpy(copy, parts, count * sizeof(*copy));
	*ret_count = count;
	return copy;
}

/* Are there such pages also for memory devices of part @number that name nodes where it is not?
 * Each is like one more part there, behind the others. */
static bool devices_are_there(const struct fit_planner *planner,
	const struct fit_planned_cell *parts, size_t number, uint64_t page_kib, char **ret_why)
{
	const struct fit_domain *domain = planner->domain;
	size_t count;
	fit_autofree struct fit_planned_cell *with_device =
		copy_parts(planner, parts, number, &count);

	with_device[number].page_kib = page_kib;
	for (size_t i = 0; i < domain->memory_device_count && domain->cell_count; i++) {
		const struct fit_domain_memory_device *device = &domain->memory_devices[i];
		size_t part = parts->is_guest ? 0 : device->cell;
		fit_autofree char *why = NULL;

		if (part != number || device->page_kib || !device->has_nodes ||
			fit_nodes_may_meet(&device->nodes, &parts[number].memory_nodes))
			continue;
		with_device[count].memory_nodes = device->nodes;
		if (part_is_there(planner, with_device, count, page_kib, &why))
			continue;
		if (ret_why) {
			fit_autofree char *nodes = fit_cpuset_describe(&device->nodes, "node");

			free(*ret_why);
			*ret_why = fit_xasprintf(
				"for a memory device of the definition on %s, %s", nodes, why);
		}
		return false;
	}
	return true;
}

bool fit_place_pages_are_there(const struct fit_planner *planner,
	const struct fit_planned_cell *parts, size_t number, uint64_t page_kib, char **ret_why)
{
	return part_is_there(planner, parts, number, page_kib, ret_why) &&
	       devices_are_there(planner, parts, number, page_kib, ret_why);
}
