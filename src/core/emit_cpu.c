/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <cpu>: model, topology, cache. */
#include "core/emit_parts.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/*
 * Attributes and children that belong to a model of the user's choice go, its features stay. The
 * check= of the model is replaced before the mode, so that it counts as ours and not as filled in
 * by libvirt; migratable='on' is left to libvirt, which refuses it where the emulator lacks it.
 */
static void write_host_passthrough(const struct fit_emitter *emitter)
{
	fit_edits_set(emitter->edits, "cpu/@check", "none");
	fit_edits_set(emitter->edits, "cpu/@mode", "host-passthrough");
	fit_edits_remove(emitter->edits, "cpu/@match");
	fit_edits_remove(emitter->edits, "cpu/model");
	fit_edits_remove(emitter->edits, "cpu/vendor");
}

/* *@ret_mode: the mode the domain will have, NULL for none. */
static int emit_mode(const struct fit_emitter *emitter, const char **ret_mode)
{
	static const char wanted[] = "host-passthrough";
	const struct fit_domain *domain = emitter->domain;
	const char *found = domain->cpu_mode ? domain->cpu_mode : "custom";
	int decision = 0;

	if (emitter->plan->host_passthrough)
		decision = fit_emit_decide(emitter, &emitter->profile->cpu.intent, "the CPU mode",
			domain->cpu_is_default ? NULL : found, wanted);
	if (decision > 0)
		write_host_passthrough(emitter);
	if (decision >= 0)
		*ret_mode = decision > 0 ? wanted : domain->cpu_mode;
	return decision;
}

static char *format_topology(const struct fit_topology *topology, bool all_levels)
{
	fit_autofree char *dies = all_levels || topology->dies > 1
					  ? fit_xasprintf(" dies='%u'", topology->dies)
					  : fit_xstrdup("");
	fit_autofree char *clusters = all_levels || topology->clusters > 1
					      ? fit_xasprintf(" clusters='%u'", topology->clusters)
					      : fit_xstrdup("");

	return fit_xasprintf("sockets='%u'%s%s cores='%u' threads='%u'", topology->sockets, dies,
		clusters, topology->cores, topology->threads);
}

static int emit_topology(const struct fit_emitter *emitter)
{
	const struct fit_domain *domain = emitter->domain;
	fit_autofree char *found =
		domain->has_topology ? format_topology(&domain->topology, true) : NULL;
	fit_autofree char *wanted = format_topology(&emitter->plan->topology, true);
	fit_autofree char *shortest = format_topology(&emitter->plan->topology, false);
	int decision;

	if (!emitter->plan->has_topology)
		return 0;
	decision = fit_emit_decide(
		emitter, &emitter->profile->cpu.intent, "the CPU topology", found, wanted);
	/* Old libvirt knows neither dies nor clusters, and libvirt adds those of 1 by itself. */
	if (decision > 0)
		fit_edits_setf(emitter->edits, "cpu/topology", "<topology %s/>", shortest);
	return decision;
}

/* Only a CPU that is the host's can have the host's caches, or its way to tell the guest of SMT. */
static int emit_host_details(const struct fit_emitter *emitter, const char *mode)
{
	static const char wanted[] = "passthrough";
	const struct fit_domain *domain = emitter->domain;
	const char *found = domain->cpu_cache_is_passthrough ? wanted : "another one";
	int decision = 0;

	if (!fit_streq(mode, "host-passthrough") && !fit_streq(mode, "maximum"))
		return 0;
	if (emitter->plan->passthrough_cache)
		decision = fit_emit_decide(emitter, &emitter->profile->cpu.intent,
			"the CPU cache mode", domain->has_cpu_cache ? found : NULL, wanted);
	if (decision > 0)
		fit_edits_set(emitter->edits, "cpu/cache", "<cache mode='passthrough'/>");
	if (decision >= 0 && emitter->plan->require_topoext && !domain->has_topoext)
		fit_edits_set(emitter->edits, "cpu/feature[@name='topoext']",
			"<feature policy='require' name='topoext'/>");
	return decision;
}

int fit_emit_cpu(const struct fit_emitter *emitter)
{
	const char *mode = NULL;

	if (emit_mode(emitter, &mode) < 0 || emit_topology(emitter) < 0)
		return -1;
	return emit_host_details(emitter, mode);
}
