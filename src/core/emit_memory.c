/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <memory>, <currentMemory>, <numatune>, <memoryBacking>. */
#include "core/emit_parts.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

static char *format_binding(const char *mode, const struct fit_cpuset *nodes)
{
	fit_autofree char *list = fit_cpuset_format_list(nodes);

	return fit_xasprintf("mode='%s' nodeset='%s'", mode, list);
}

static char *found_binding(const struct fit_domain *domain)
{
	if (domain->has_memnodes)
		return fit_xstrdup("set for each guest cell");
	if (domain->numatune_auto)
		return fit_xstrdup("placement='auto'");
	if (!domain->numatune_mode)
		return NULL;
	return format_binding(domain->numatune_mode, &domain->numatune_nodes);
}

/* Cells have a binding of their own where it is another than that of the whole. */
static bool needs_memnodes(const struct fit_plan *plan)
{
	for (size_t i = 0; i < plan->cell_count; i++)
		if (!fit_cpuset_equal(&plan->cells[i].memory_nodes, &plan->memory_nodes))
			return true;
	return false;
}

static char *format_memnode(const struct fit_plan *plan, size_t cell)
{
	fit_autofree char *binding = format_binding(
		plan->memory_strict ? "strict" : "preferred", &plan->cells[cell].memory_nodes);

	return fit_xasprintf("<memnode cellid='%zu' %s/>", cell, binding);
}

/* The lines that are to be there. */
static struct fit_edits list_bindings(const struct fit_plan *plan, const char *binding)
{
	struct fit_edits lines = {0};

	fit_edits_setf(&lines, "numatune/memory", "<memory %s/>", binding);
	for (size_t i = 0; i < plan->cell_count && needs_memnodes(plan); i++) {
		fit_autofree char *path = fit_xasprintf("numatune/memnode[@cellid='%zu']", i);
		fit_autofree char *memnode = format_memnode(plan, i);

		fit_edits_set(&lines, path, memnode);
	}
	return lines;
}

static bool are_there(const struct fit_emitter *emitter, const struct fit_edits *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		if (!fit_emit_is_there(emitter, lines->items[i].path, lines->items[i].value))
			return false;
	return emitter->domain->has_memnodes == (lines->count > 1);
}

/* A cell's own binding would win over ours: where the definition has such, all of <numatune> is
 * replaced. */
static void write_bindings(const struct fit_emitter *emitter, const struct fit_edits *lines)
{
	fit_autobuffer struct fit_buffer text = {0};

	fit_buffer_add(&text, "<numatune>");
	for (size_t i = 0; i < lines->count; i++) {
		fit_buffer_add(&text, lines->items[i].value);
		if (!emitter->domain->has_memnodes)
			fit_edits_set(emitter->edits, lines->items[i].path, lines->items[i].value);
	}
	fit_buffer_add(&text, "</numatune>");
	if (emitter->domain->has_memnodes)
		fit_edits_set(emitter->edits, "numatune", text.text);
}

static int emit_binding(const struct fit_emitter *emitter)
{
	const struct fit_plan *plan = emitter->plan;
	fit_autofree char *binding =
		format_binding(plan->memory_strict ? "strict" : "preferred", &plan->memory_nodes);
	struct fit_edits lines = list_bindings(plan, binding);
	fit_autofree char *wanted = fit_xasprintf(
		"%s%s", binding, lines.count > 1 ? " and one for each guest cell" : "");
	fit_autofree char *found =
		are_there(emitter, &lines) ? fit_xstrdup(wanted) : found_binding(emitter->domain);
	int decision = 0;

	if (plan->has_memory && !fit_cpuset_is_empty(&plan->memory_nodes))
		decision = fit_emit_decide(emitter, &emitter->profile->memory.intent,
			"the memory binding", found, wanted);
	if (decision > 0)
		write_bindings(emitter, &lines);
	fit_edits_clear(&lines);
	return decision;
}

static char *found_pages(const struct fit_domain *domain)
{
	if (domain->backing_excludes_hugepages)
		return fit_xstrdup("normal pages (source 'anonymous' or allocation 'ondemand')");
	if (!domain->has_hugepages)
		return NULL;
	if (domain->has_hugepage_nodesets)
		return fit_xstrdup("set for each guest cell");
	return domain->hugepage_kib ? fit_format_size_kib(domain->hugepage_kib)
				    : fit_xstrdup("the host's default size");
}

/* Text and unit in one edit: libvirt and users change both together, so they are taken back
 * together. libvirt replaces <memory> by the sum of guest cells, which QEMU rounds up by itself. */
static void write_rounded_memory(const struct fit_emitter *emitter)
{
	const struct fit_domain *domain = emitter->domain;
	unsigned long long kib = emitter->plan->memory_kib;
	fit_autofree char *dump = domain->dump_core
					  ? fit_xasprintf(" dumpCore='%s'", domain->dump_core)
					  : fit_xstrdup("");
	bool own_cells =
		domain->cell_count && (emitter->plan->cells_kept || !emitter->plan->cell_count);

	if (!emitter->plan->memory_rounded || own_cells)
		return;
	fit_edits_setf(emitter->edits, "memory", "<memory unit='KiB'%s>%llu</memory>", dump, kib);
	if (domain->current_memory_kib == domain->memory_kib)
		fit_edits_setf(emitter->edits, "currentMemory",
			"<currentMemory unit='KiB'>%llu</currentMemory>", kib);
}

/* Was the size said of a cell before? */
static bool is_first_of_size(const struct fit_plan *plan, size_t cell)
{
	for (size_t i = 0; i < cell; i++)
		if (plan->cells[i].page_kib == plan->cells[cell].page_kib)
			return false;
	return true;
}

/* One <page> for each size with the cells that have it; those with normal pages have none. */
static char *format_pages(const struct fit_plan *plan)
{
	fit_autobuffer struct fit_buffer text = {0};

	if (!plan->pages_differ)
		return fit_xasprintf("<hugepages><page size='%llu' unit='KiB'/></hugepages>",
			(unsigned long long)plan->page_kib);
	fit_buffer_add(&text, "<hugepages>");
	for (size_t i = 0; i < plan->cell_count; i++) {
		fit_autofree char *list = NULL;
		struct fit_cpuset cells = {0};

		if (!plan->cells[i].page_kib || !is_first_of_size(plan, i))
			continue;
		for (size_t j = i; j < plan->cell_count; j++)
			if (plan->cells[j].page_kib == plan->cells[i].page_kib)
				fit_cpuset_add(&cells, (unsigned int)j);
		list = fit_cpuset_format_list(&cells);
		fit_buffer_addf(&text, "<page size='%llu' unit='KiB' nodeset='%s'/>",
			(unsigned long long)plan->cells[i].page_kib, list);
	}
	fit_buffer_add(&text, "</hugepages>");
	return fit_buffer_steal(&text);
}

static void write_pages(const struct fit_emitter *emitter)
{
	fit_autofree char *pages = format_pages(emitter->plan);

	fit_edits_set(emitter->edits, "memoryBacking/hugepages", pages);
	if (!emitter->domain->backing_excludes_hugepages)
		return;
	fit_edits_remove(emitter->edits, "memoryBacking/source[@type='anonymous']");
	fit_edits_remove(emitter->edits, "memoryBacking/allocation[@mode='ondemand']");
}

static int emit_pages(const struct fit_emitter *emitter)
{
	const struct fit_plan *plan = emitter->plan;
	const struct fit_domain *domain = emitter->domain;
	fit_autofree char *found = found_pages(domain);
	fit_autofree char *wanted = plan->pages_differ ? fit_xstrdup("set for each guest cell")
						       : fit_format_size_kib(plan->page_kib);
	int decision = 0;

	if (plan->page_kib || plan->pages_differ)
		decision = fit_emit_decide(
			emitter, &emitter->profile->memory.intent, "the page size", found, wanted);
	if (decision < 0)
		return -1;
	if (decision > 0)
		write_pages(emitter);
	if (decision > 0 || domain->has_hugepages)
		write_rounded_memory(emitter);
	return 0;
}

#define ALLOCATION_THREADS_MAX 16

static unsigned int allocation_threads(const struct fit_emitter *emitter)
{
	unsigned int threads = emitter->profile->memory.allocation_threads;
	unsigned int vcpus = emitter->domain->vcpus;

	if (threads != FIT_ALLOCATION_THREADS_AUTO)
		return threads;
	return vcpus < ALLOCATION_THREADS_MAX ? vcpus : ALLOCATION_THREADS_MAX;
}

static int emit_backing(const struct fit_emitter *emitter)
{
	const struct fit_intent_memory *memory = &emitter->profile->memory;
	fit_autofree char *threads = fit_xasprintf("%u", allocation_threads(emitter));
	const struct {
		bool wanted;
		const char *what, *path, *value;
		enum fit_feature feature;
	} settings[] = {
		{memory->no_sharing, "the end of page sharing", "memoryBacking/nosharepages",
			"<nosharepages/>", FIT_FEATURE_ANYWHERE},
		{memory->memfd, "the source of the memory", "memoryBacking/source/@type", "memfd",
			FIT_FEATURE_MEMFD},
		{memory->access, "the access to the memory", "memoryBacking/access/@mode",
			memory->access, FIT_FEATURE_ANYWHERE},
		{memory->immediate, "the allocation of the memory",
			"memoryBacking/allocation/@mode", "immediate", FIT_FEATURE_ANYWHERE},
		{memory->allocation_threads, "the number of allocating threads",
			"memoryBacking/allocation/@threads", threads,
			FIT_FEATURE_ALLOCATION_THREADS},
	};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(settings); i++)
		if (settings[i].wanted && fit_emit_setting(emitter, &memory->intent,
						  &(struct fit_setting){
							  .topic = "memory",
							  .what = settings[i].what,
							  .path = settings[i].path,
							  .value = settings[i].value,
							  .feature = settings[i].feature,
						  }) < 0)
			return -1;
	return 0;
}

/* libvirt lowers <currentMemory> to <memory>. Where an overlay lowers that, it is ours to write,
 * and so to give back. */
static void lower_current_memory(const struct fit_emitter *emitter)
{
	const struct fit_domain *domain = emitter->domain;
	unsigned long long kib =
		emitter->plan->memory_rounded ? emitter->plan->memory_kib : domain->memory_kib;

	if (emitter->profile->overlay && domain->current_memory_kib > kib)
		fit_edits_setf(emitter->edits, "currentMemory",
			"<currentMemory unit='KiB'>%llu</currentMemory>", kib);
}

int fit_emit_memory(const struct fit_emitter *emitter)
{
	lower_current_memory(emitter);
	if (emit_binding(emitter) < 0 || emit_pages(emitter) < 0)
		return -1;
	if (emitter->plan->memory_locked && !emitter->domain->has_locked)
		fit_edits_set(emitter->edits, "memoryBacking/locked", "<locked/>");
	return emitter->profile->memory.intent.set ? emit_backing(emitter) : 0;
}
