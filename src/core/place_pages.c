/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which pages the memory is: for each part of the guest, a NUMA cell or the whole of it, the
 * first size of the profile's list that its nodes can give (place_pages_room.c).
 *
 * A size without a hugetlbfs is passed over, because libvirt would not start the domain; when all
 * else is there for it, a warning says so.
 *
 * Cells that we make are cut into whole pages of the largest size that one of them gets; where
 * another gets smaller ones, it gives back what rounding up added.
 */
#include "core/place.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

/* Can they also be given to it? As fit_place_pages_are_there(). */
static bool pages_fit(const struct fit_planner *planner, const struct fit_planned_cell *parts,
	size_t number, uint64_t page_kib, char **ret_why)
{
	bool there = fit_place_pages_are_there(planner, parts, number, page_kib, ret_why);
	fit_autofree char *problem = NULL;
	fit_autofree char *pages = NULL;

	/* Without such pages, another mount does not help. */
	if (!fit_host_has_page_size(planner->host, page_kib) ||
		!fit_place_pages_lack_hugetlbfs(planner, page_kib))
		return there;
	if (!ret_why)
		return false;
	problem = fit_hugetlbfs_problem(&planner->host->hugetlbfs, page_kib);
	pages = *ret_why;
	*ret_why = there ? FIT_STEAL(problem) : fit_xasprintf("%s; and %s", pages, problem);
	return false;
}

/* The first size from @first on that fits; page_size_count when none does. */
static size_t first_size(const struct fit_planner *planner, const struct fit_planned_cell *parts,
	size_t number, size_t first)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	size_t size = first;

	while (size < memory->page_size_count && memory->page_sizes[size] &&
		!pages_fit(planner, parts, number, memory->page_sizes[size], NULL))
		size++;
	return size;
}

/* Gives back what the rounding to @page_kib added beyond whole pages of the smallest size used. */
static void trim(const struct fit_planner *planner, struct fit_planned_cell *parts, size_t count,
	uint64_t page_kib)
{
	struct fit_planned_cell *smallest = &parts[0];
	uint64_t total_kib = planner->domain->memory_kib;
	uint64_t rounded_kib = fit_pages_for(total_kib, page_kib) * page_kib;

	for (size_t i = 1; i < count; i++)
		if (parts[i].page_kib < smallest->page_kib)
			smallest = &parts[i];
	if (smallest->page_kib)
		total_kib = fit_pages_for(total_kib, smallest->page_kib) * smallest->page_kib;
	smallest->memory_kib -= rounded_kib - total_kib;
}

/* Cells of ours with sizes from @first of the profile's list on; one of them has that one. What
 * they cost, UINT64_MAX: they cannot be. */
static uint64_t complete_cells(
	const struct fit_planner *planner, struct fit_candidate *candidate, size_t first)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	uint64_t page_kib = memory->page_sizes[first];
	uint64_t cost = 0;
	bool used = false;

	if ((page_kib && fit_place_pages_round_too_much(planner->domain->memory_kib, page_kib)) ||
		!fit_place_cells_split(planner, candidate, page_kib))
		return UINT64_MAX;
	for (size_t i = 0; i < candidate->cell_count; i++) {
		size_t size = first_size(planner, candidate->cells, i, first);

		if (size == memory->page_size_count)
			return UINT64_MAX;
		candidate->cells[i].page_kib = memory->page_sizes[size];
		cost += size;
		used |= size == first;
	}
	if (!used)
		return UINT64_MAX;
	if (page_kib)
		trim(planner, candidate->cells, candidate->cell_count, page_kib);
	return cost;
}

static bool complete_given(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	size_t count;
	struct fit_planned_cell *parts = fit_candidate_parts(candidate, &count);

	for (size_t i = 0; i < count; i++) {
		size_t size = first_size(planner, parts, i, 0);

		if (size == memory->page_size_count)
			return false;
		parts[i].page_kib = memory->page_sizes[size];
		candidate->cost.level[FIT_COST_PAGES] += size;
	}
	return true;
}

bool fit_place_pages_complete(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	bool ours = planner->cells_wanted && candidate->cell_count;
	uint64_t best_cost = UINT64_MAX;
	size_t best = 0;

	if (fit_place_pages_are_kept(planner) || memory->page_size_count == 0)
		return !ours ||
		       fit_place_cells_split(planner, candidate, planner->domain->hugepage_kib);
	if (!ours)
		return complete_given(planner, candidate);
	for (size_t first = 0; first < memory->page_size_count; first++) {
		uint64_t cost = complete_cells(planner, candidate, first);

		if (cost < best_cost) {
			best_cost = cost;
			best = first;
		}
	}
	if (best_cost == UINT64_MAX)
		return false;
	candidate->cost.level[FIT_COST_PAGES] = complete_cells(planner, candidate, best);
	return true;
}

/* One reason for each page size before the chosen one, as one sentence. */
static char *explain_sizes(
	const struct fit_planner *planner, const struct fit_planned_cell *parts, size_t number)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	fit_autostrlist struct fit_strlist reasons = {0};

	for (size_t i = 0; i < memory->page_size_count; i++) {
		fit_autofree char *size = fit_format_size_kib(memory->page_sizes[i]);
		fit_autofree char *why = NULL;

		if (memory->page_sizes[i] == parts[number].page_kib)
			break;
		if (pages_fit(planner, parts, number, memory->page_sizes[i], &why)) {
			free(why);
			why = fit_xstrdup("not on every node of the guest's NUMA cells");
		}
		fit_strlist_addf(&reasons, "pages of %s do not fit: %s", size, why);
	}
	return fit_strlist_join(&reasons, "; ");
}

/* Could part @number have such pages, were there a hugetlbfs? */
static bool lacks_only_hugetlbfs(const struct fit_planner *planner,
	const struct fit_planned_cell *parts, size_t number, uint64_t page_kib)
{
	return fit_place_pages_lack_hugetlbfs(planner, page_kib) &&
	       fit_place_pages_are_there(planner, parts, number, page_kib, NULL);
}

/* Of the profile's sizes before @last, the first that only lacks a hugetlbfs; 0 for none. */
static uint64_t first_lacking(const struct fit_planner *planner,
	const struct fit_planned_cell *parts, size_t number, uint64_t last)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;

	for (size_t i = 0; i < memory->page_size_count && memory->page_sizes[i] != last; i++)
		if (lacks_only_hugetlbfs(planner, parts, number, memory->page_sizes[i]))
			return memory->page_sizes[i];
	return 0;
}

/* @page_kib as for fit_place_cells_split(). */
static int refuse_cells(struct fit_planner *planner, size_t count, uint64_t page_kib)
{
	fit_autofree char *amount = fit_format_size_kib(planner->domain->memory_kib);
	fit_autofree char *size = fit_format_size_kib(page_kib);

	planner->lacks = FIT_LACKS_CELLS;
	return fit_planner_refuse(planner,
		"%s of memory%s%s is too little for %zu guest NUMA cell%s; give the domain more, or ask "
		"for fewer cells",
		amount, page_kib ? " in pages of " : "", page_kib ? size : "", count,
		fit_plural(count));
}

/* Of the first part that none of the sizes fits. */
int fit_place_pages_refuse(struct fit_planner *planner, struct fit_candidate *candidate)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	size_t count, number = 0;
	struct fit_planned_cell *parts = fit_candidate_parts(candidate, &count);
	fit_autofree char *nodes = NULL;
	fit_autofree char *sizes = NULL;
	fit_autofree char *amount = NULL;
	fit_autofree char *remedy = NULL;
	uint64_t kept_kib = fit_place_pages_are_kept(planner) ? planner->domain->hugepage_kib : 0;
	uint64_t lacking;
	bool bound;

	if (planner->cells_wanted && candidate->cell_count &&
		!fit_place_cells_split(planner, candidate, kept_kib))
		return refuse_cells(planner, candidate->cell_count, kept_kib);
	while (number + 1 < count &&
		first_size(planner, parts, number, 0) < memory->page_size_count)
		number++;
	nodes = fit_cpuset_describe(&parts[number].memory_nodes, "node");
	bound = !fit_cpuset_is_empty(&parts[number].memory_nodes);
	amount = fit_format_size_kib(parts[number].memory_kib);
	parts[number].page_kib = UINT64_MAX;
	sizes = explain_sizes(planner, parts, number);
	lacking = first_lacking(planner, parts, number, 0);
	remedy = lacking ? fit_hugetlbfs_remedy(&planner->host->hugetlbfs, lacking) : NULL;
	planner->lacks = FIT_LACKS_MEMORY;
	return fit_planner_refuse(planner, "%s of memory%s%s wanted in huge pages; %s%s%s", amount,
		bound ? " on " : "", bound ? nodes : "", sizes, remedy ? "; " : "",
		remedy ? remedy : "");
}

static void explain_part(
	struct fit_planner *planner, const struct fit_planned_cell *parts, size_t number, bool cell)
{
	const struct fit_planned_cell *part = &parts[number];
	fit_autofree char *who =
		cell ? fit_xasprintf("guest NUMA cell %zu: ", number) : fit_xstrdup("");
	fit_autofree char *size = fit_format_size_kib(part->page_kib);
	fit_autofree char *sizes = explain_sizes(planner, parts, number);
	fit_autofree char *why = NULL;

	if (part->page_kib) {
		pages_fit(planner, parts, number, part->page_kib, &why);
		fit_planner_reason(
			planner, FIT_REASON_CHOICE, "memory", "%spages of %s: %s", who, size, why);
	}
	if (*sizes)
		fit_planner_reason(planner, FIT_REASON_NOTE, "memory", "%s%s; %s%s instead", who,
			sizes, part->page_kib ? "pages of " : "normal pages",
			part->page_kib ? size : "");
}

/* A better size that somebody has reserved or that there is room for should not be lost in silence
 * for want of a mount. */
static void warn_of_hugetlbfs(
	struct fit_planner *planner, const struct fit_planned_cell *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t page_kib = first_lacking(planner, parts, i, parts[i].page_kib);
		fit_autofree char *size = fit_format_size_kib(page_kib);
		fit_autofree char *remedy = NULL;

		if (!page_kib)
			continue;
		remedy = fit_hugetlbfs_remedy(&planner->host->hugetlbfs, page_kib);
		fit_planner_reason(planner, FIT_REASON_WARNING, "memory",
			"pages of %s would fit, but no hugetlbfs of them is mounted: %s", size,
			remedy);
		return;
	}
}

/* Where cells have the same reasons, the memory as a whole is spoken of. */
static bool parts_are_alike(const struct fit_planned_cell *parts, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (parts[i].page_kib != parts[0].page_kib ||
			!fit_cpuset_equal(&parts[i].memory_nodes, &parts[0].memory_nodes))
			return false;
	return true;
}

static void sum_up(struct fit_planner *planner, const struct fit_planned_cell *parts, size_t count)
{
	struct fit_plan *plan = planner->plan;
	uint64_t sum_kib = 0;

	plan->page_kib = parts[0].page_kib;
	for (size_t i = 0; i < count; i++) {
		if (parts[i].page_kib)
			plan->pages += fit_place_pages_of(&parts[i], parts[i].page_kib);
		if (parts[i].page_kib != plan->page_kib)
			plan->pages_differ = true;
		sum_kib += parts[i].page_kib
				   ? fit_pages_for(parts[i].memory_kib, parts[i].page_kib) *
					     parts[i].page_kib
				   : parts[i].memory_kib;
	}
	plan->memory_kib = planner->domain->memory_kib;
	if (plan->cells_kept || sum_kib == plan->memory_kib)
		return;
	plan->memory_rounded = true;
	plan->memory_kib = sum_kib;
	fit_planner_reason(planner, FIT_REASON_NOTE, "memory",
		"memory is rounded up from %llu to %llu KiB: whole pages",
		(unsigned long long)planner->domain->memory_kib, (unsigned long long)sum_kib);
}

void fit_place_pages_commit(struct fit_planner *planner, struct fit_candidate *candidate)
{
	size_t count;
	const struct fit_planned_cell *parts = fit_candidate_parts(candidate, &count);

	if (!fit_place_pages_are_kept(planner)) {
		bool alike = parts_are_alike(parts, count);

		for (size_t i = 0; i < (alike ? 1 : count); i++)
			explain_part(planner, parts, i, !alike);
		warn_of_hugetlbfs(planner, parts, count);
	}
	sum_up(planner, parts, count);
}
