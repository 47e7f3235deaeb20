/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <cpu>: model, topology, cache, address bits, features. */
#include "core/emit_parts.h"

#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"

/* Is it the host's CPU, or the emulator's, rather than a model that libvirt knows? */
static bool is_open_ended(const char *mode)
{
	return fit_streq(mode, "host-passthrough") || fit_streq(mode, "maximum");
}

static int emit_migratable(const struct fit_emitter *emitter, const char *mode)
{
	const char *wanted = emitter->profile->cpu.migratable;
	const struct fit_setting setting = {
		.topic = "cpu",
		.what = "the choice of migratable CPU features only",
		.path = "cpu/@migratable",
		.value = wanted,
		.unset = "on",
		.feature = FIT_FEATURE_CPU_MIGRATABLE,
	};

	if (!wanted || !is_open_ended(mode))
		return 0;
	return fit_emit_setting(emitter, &emitter->profile->cpu.intent, &setting);
}

/*
 * Attributes and children that belong to another mode go, features stay. What libvirt fills in for
 * a mode is written before it, so that it counts as ours; migratable='on' is left to libvirt, which
 * refuses it where the emulator lacks it.
 */
static int write_mode(const struct fit_emitter *emitter, const char *mode)
{
	bool open_ended = is_open_ended(mode);

	fit_edits_set(emitter->edits, "cpu/@check", open_ended ? "none" : "partial");
	if (emit_migratable(emitter, mode) < 0)
		return -1;
	fit_edits_set(emitter->edits, "cpu/@mode", mode);
	fit_edits_remove(emitter->edits, "cpu/@match");
	fit_edits_remove(emitter->edits, "cpu/model");
	fit_edits_remove(emitter->edits, "cpu/vendor");
	if (open_ended)
		return 0;
	fit_edits_remove(emitter->edits, "cpu/@migratable");
	fit_edits_remove(emitter->edits, "cpu/cache[@mode='passthrough']");
	fit_edits_remove(emitter->edits, "cpu/maxphysaddr[@mode='passthrough']");
	return 0;
}

/* *@ret_mode: the mode the domain will have, NULL for none. */
static int emit_mode(const struct fit_emitter *emitter, const char **ret_mode)
{
	const char *wanted = fit_cpu_mode_name(emitter->plan->cpu_mode);
	const struct fit_domain *domain = emitter->domain;
	const char *found = domain->cpu_mode ? domain->cpu_mode : "custom";
	int decision = 0;

	if (wanted)
		decision = fit_emit_decide(emitter, &emitter->profile->cpu.intent, "the CPU mode",
			domain->cpu_is_default ? NULL : found, wanted);
	if (decision < 0)
		return -1;
	*ret_mode = decision > 0 ? wanted : domain->cpu_mode;
	return decision > 0 ? write_mode(emitter, wanted) : emit_migratable(emitter, *ret_mode);
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

/* Only a CPU that is the host's can have the host's caches and address bits, or its way to tell the
 * guest of SMT. */
static int emit_host_details(const struct fit_emitter *emitter, const char *mode)
{
	static const char wanted[] = "passthrough";
	const struct fit_domain *domain = emitter->domain;
	const struct fit_intent_cpu *cpu = &emitter->profile->cpu;
	const char *found = domain->cpu_cache_is_passthrough ? wanted : "another one";
	const struct fit_setting bits = {
		.topic = "cpu",
		.what = "passthrough of the physical address bits",
		.path = "cpu/maxphysaddr",
		.value = "<maxphysaddr mode='passthrough'/>",
		.feature = FIT_FEATURE_CPU_PHYSICAL_BITS,
	};
	int decision = 0;

	if (!is_open_ended(mode))
		return 0;
	if (emitter->plan->passthrough_cache)
		decision = fit_emit_decide(emitter, &cpu->intent, "the CPU cache mode",
			domain->has_cpu_cache ? found : NULL, wanted);
	if (decision > 0)
		fit_edits_set(emitter->edits, "cpu/cache", "<cache mode='passthrough'/>");
	if (decision >= 0 && cpu->passthrough_bits)
		decision = fit_emit_setting(emitter, &cpu->intent, &bits);
	if (decision >= 0 && emitter->plan->require_topoext && !domain->has_topoext)
		fit_edits_set(emitter->edits, "cpu/feature[@name='topoext']",
			"<feature policy='require' name='topoext'/>");
	return decision;
}

static int emit_feature(const struct fit_emitter *emitter, const char *name, const char *policy)
{
	bool is_invtsc = fit_streq(name, "invtsc");
	fit_autofree char *what = fit_xasprintf("the CPU feature %s", name);
	fit_autofree char *path = fit_xasprintf("cpu/feature[@name='%s']", name);
	fit_autofree char *value = fit_xasprintf("<feature policy='%s' name='%s'/>", policy, name);
	const struct fit_setting setting = {
		.topic = "cpu",
		.what = what,
		.path = path,
		.value = value,
		.feature = is_invtsc ? FIT_FEATURE_CPU_INVTSC : FIT_FEATURE_ANYWHERE,
	};
	int decision = fit_emit_setting(emitter, &emitter->profile->cpu.intent, &setting);

	if (decision > 0 && is_invtsc && fit_streq(policy, "require"))
		fit_plan_reason(emitter->plan, FIT_REASON_NOTE, "cpu",
			"with invtsc the guest cannot migrate");
	return decision;
}

static int emit_features(
	const struct fit_emitter *emitter, const char *mode, const char *names, const char *policy)
{
	fit_autostrlist struct fit_strlist list = {0};

	if (names)
		fit_strlist_split(&list, names, " ");
	/* Libvirt refuses features of a CPU without mode and model. */
	if (list.count && !mode) {
		fit_plan_reason(emitter->plan, FIT_REASON_NOTE, "cpu",
			"CPU features (%s) are left out: the definition names no CPU that could "
			"have them",
			names);
		return 0;
	}
	for (size_t i = 0; i < list.count; i++)
		if (emit_feature(emitter, list.items[i], policy) < 0)
			return -1;
	return 0;
}

int fit_emit_cpu(const struct fit_emitter *emitter)
{
	const struct fit_intent_cpu *cpu = &emitter->profile->cpu;
	const char *mode = NULL;

	if (emit_mode(emitter, &mode) < 0 || emit_topology(emitter) < 0 ||
		emit_host_details(emitter, mode) < 0)
		return -1;
	if (!cpu->intent.set)
		return 0;
	if (emit_features(emitter, mode, cpu->require, "require") < 0)
		return -1;
	return emit_features(emitter, mode, cpu->disable, "disable");
}
