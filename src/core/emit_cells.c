/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <cpu><numa>: the guest's NUMA cells with their distances. */
#include "core/emit_parts.h"

#include "base/buffer.h"
#include "base/memory.h"

/* The firmware's values, as the guest's firmware will tell them: 10 is for a node itself only, 255
 * means out of reach. */
#define SELF	    10
#define REMOTE	    20
#define UNREACHABLE 255

static unsigned int distance(
	const struct fit_emitter *emitter, const struct fit_planned_cell *from, size_t to)
{
	const struct fit_planned_cell *other = &emitter->plan->cells[to];
	unsigned int value;

	if (from == other)
		return SELF;
	value = fit_host_distance(emitter->host, (unsigned int)fit_cpuset_next(&from->nodes, 0),
		(unsigned int)fit_cpuset_next(&other->nodes, 0));
	return value > SELF && value < UNREACHABLE ? value : REMOTE;
}

static void add_cell(const struct fit_emitter *emitter, size_t number, struct fit_buffer *text)
{
	const struct fit_plan *plan = emitter->plan;
	const struct fit_planned_cell *cell = &plan->cells[number];
	fit_autofree char *vcpus = fit_cpuset_format_list(&cell->vcpus);

	fit_buffer_addf(text, "<cell id='%zu' cpus='%s' memory='%llu' unit='KiB'", number, vcpus,
		(unsigned long long)cell->memory_kib);
	if (!plan->cell_distances) {
		fit_buffer_add(text, "/>");
		return;
	}
	fit_buffer_add(text, "><distances>");
	for (size_t i = 0; i < plan->cell_count; i++)
		fit_buffer_addf(
			text, "<sibling id='%zu' value='%u'/>", i, distance(emitter, cell, i));
	fit_buffer_add(text, "</distances></cell>");
}

static void describe(struct fit_strlist *cells, const struct fit_cpuset *vcpus, uint64_t memory_kib)
{
	fit_autofree char *list = fit_cpuset_describe(vcpus, "vCPU");

	fit_strlist_addf(cells, "%s with %llu KiB", list, (unsigned long long)memory_kib);
}

/* "vCPUs 0-3 with 4194304 KiB, …"; NULL without cells. */
static char *describe_own(const struct fit_domain *domain)
{
	fit_autostrlist struct fit_strlist cells = {0};

	for (size_t i = 0; i < domain->cell_count; i++)
		describe(&cells, &domain->cells[i].vcpus, domain->cells[i].memory_kib);
	return cells.count ? fit_strlist_join(&cells, ", ") : NULL;
}

static char *describe_planned(const struct fit_plan *plan)
{
	fit_autostrlist struct fit_strlist cells = {0};

	for (size_t i = 0; i < plan->cell_count; i++)
		describe(&cells, &plan->cells[i].vcpus, plan->cells[i].memory_kib);
	return fit_strlist_join(&cells, ", ");
}

int fit_emit_cells(const struct fit_emitter *emitter)
{
	const struct fit_plan *plan = emitter->plan;
	fit_autofree char *found = describe_own(emitter->domain);
	fit_autofree char *wanted = describe_planned(plan);
	fit_autobuffer struct fit_buffer text = {0};
	int decision;

	if (!plan->cell_count || plan->cells_kept)
		return 0;
	decision = fit_emit_decide(emitter, &emitter->profile->cells.intent,
		"the list of guest NUMA cells", found, wanted);
	if (decision <= 0)
		return decision;
	fit_buffer_add(&text, "<numa>");
	for (size_t i = 0; i < plan->cell_count; i++)
		add_cell(emitter, i, &text);
	fit_buffer_add(&text, "</numa>");
	fit_edits_set(emitter->edits, "cpu/numa", text.text);
	return decision;
}
