/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <memory>, <currentMemory>, <numatune>, <memoryBacking>. */
#include "core/emit_parts.h"

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

static int emit_binding(const struct fit_emitter *emitter)
{
	const struct fit_plan *plan = emitter->plan;
	fit_autofree char *found = found_binding(emitter->domain);
	fit_autofree char *wanted =
		format_binding(plan->memory_strict ? "strict" : "preferred", &plan->memory_nodes);
	int decision;

	if (!plan->has_memory || fit_cpuset_is_empty(&plan->memory_nodes))
		return 0;
	decision = fit_emit_decide(
		emitter, &emitter->profile->memory.intent, "the memory binding", found, wanted);
	if (decision <= 0)
		return decision;
	/* A cell's own binding would win over ours: with such cells all of <numatune> is replaced.
	 */
	if (emitter->domain->has_memnodes)
		fit_edits_setf(
			emitter->edits, "numatune", "<numatune><memory %s/></numatune>", wanted);
	else
		fit_edits_setf(emitter->edits, "numatune/memory", "<memory %s/>", wanted);
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

	if (!emitter->plan->memory_rounded || domain->cell_count)
		return;
	fit_edits_setf(emitter->edits, "memory", "<memory unit='KiB'%s>%llu</memory>", dump, kib);
	if (domain->current_memory_kib == domain->memory_kib)
		fit_edits_setf(emitter->edits, "currentMemory",
			"<currentMemory unit='KiB'>%llu</currentMemory>", kib);
}

static int emit_pages(const struct fit_emitter *emitter)
{
	const struct fit_plan *plan = emitter->plan;
	const struct fit_domain *domain = emitter->domain;
	fit_autofree char *found = found_pages(domain);
	fit_autofree char *wanted = fit_format_size_kib(plan->page_kib);
	int decision;

	if (plan->page_kib == 0)
		return 0;
	decision = fit_emit_decide(
		emitter, &emitter->profile->memory.intent, "the page size", found, wanted);
	if (decision < 0)
		return -1;
	if (decision > 0) {
		fit_edits_setf(emitter->edits, "memoryBacking/hugepages",
			"<hugepages><page size='%llu' unit='KiB'/></hugepages>",
			(unsigned long long)plan->page_kib);
		if (domain->backing_excludes_hugepages) {
			fit_edits_remove(emitter->edits, "memoryBacking/source[@type='anonymous']");
			fit_edits_remove(
				emitter->edits, "memoryBacking/allocation[@mode='ondemand']");
		}
	}
	if (decision > 0 || domain->has_hugepages)
		write_rounded_memory(emitter);
	return 0;
}

int fit_emit_memory(const struct fit_emitter *emitter)
{
	if (emit_binding(emitter) < 0 || emit_pages(emitter) < 0)
		return -1;
	if (emitter->plan->memory_locked && !emitter->domain->has_locked)
		fit_edits_set(emitter->edits, "memoryBacking/locked", "<locked/>");
	return 0;
}
