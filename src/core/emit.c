/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Emission writes what the plan has, and the settings of the profile that are no placements. What
 * is decided here is who wins where the definition has a setting of its own, and whether the
 * libvirt and QEMU of the target can express it.
 *
 * emit_cpu.c: <cpu>; emit_cells.c: guest NUMA cells; emit_features.c: <features>; emit_clock.c:
 * <clock>; emit_tune.c: iothreads and pins; emit_sched.c: schedulers and shares; emit_caches.c:
 * cachetune and memorytune; emit_memory.c:
 * memory, numatune and backing; emit_devices.c: disks, controllers, VFs.
 */
#include "core/emit.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/contain.h"
#include "core/emit_parts.h"
#include "core/fragment.h"
#include "core/lookup.h"
#include "core/xml.h"

int fit_emit_decide(const struct fit_emitter *emitter, const struct fit_intent *intent,
	const char *what, const char *found, const char *wanted)
{
	if (!found)
		return 1;
	if (fit_streq(found, wanted) || intent->existing == FIT_EXISTING_KEEP)
		return 0;
	if (intent->existing == FIT_EXISTING_REPLACE)
		return 1;
	return fit_err_set(emitter->err, FIT_ERR_REFUSED,
		"%s: cannot fit: %s is %s, but %s:%u requires %s: remove it from the definition, "
		"or say existing=\"keep\" or \"replace\" in the profile",
		emitter->domain->name, what, found, intent->file ? intent->file : "the profile",
		intent->line, wanted);
}

/* An element for people: on one line, without the content that would fill many. */
static char *describe(const xmlNode *node)
{
	fit_autobuffer struct fit_buffer text = {0};

	fit_buffer_addf(&text, "<%s", (const char *)node->name);
	for (const xmlAttr *attribute = node->properties; attribute; attribute = attribute->next) {
		const char *name = (const char *)attribute->name;
		fit_autofree char *value = fit_xml_attr(node, name);

		fit_buffer_addf(&text, " %s='%s'", name, value);
	}
	fit_buffer_add(&text, fit_xml_child(node, NULL) ? ">…" : "/>");
	return fit_buffer_steal(&text);
}

/* Is the element there what we would write? @described: as describe() has it, which is what we
 * would write where there are neither escapes nor content. */
static bool says_the_same(xmlNode *node, const char *described, const char *value)
{
	xmlNode *wanted;
	bool same;

	if (fit_streq(described, value) && !strchr(value, '&'))
		return true;
	wanted = fit_fragment_element(node, value, "a setting of ours", NULL);
	same = wanted && fit_xml_contains(node, wanted);
	xmlFreeNode(wanted);
	return same;
}

/* What the original has at the setting's path, for people; NULL when there is nothing. */
static char *find_setting(const struct fit_emitter *emitter, const struct fit_setting *setting)
{
	fit_autopath struct fit_path path = {0};
	xmlNode *root = xmlDocGetRootElement(emitter->original);
	xmlNode *node;
	char *described;

	if (!root || fit_path_parse(setting->path, &path, NULL) < 0)
		return NULL;
	node = fit_lookup_path(emitter->lookup, &path, path.step_count, root);
	if (!node)
		return NULL;
	if (path.kind == FIT_PATH_ATTRIBUTE) {
		char *found = fit_xml_attr(node, path.attribute);

		if (fit_streq(found, setting->unset) && !fit_streq(found, setting->value))
			fit_xreplace(&found, NULL);
		return found;
	}
	if (path.kind == FIT_PATH_TEXT)
		return fit_xml_text(node);
	described = describe(node);
	if (setting->value && says_the_same(node, described, setting->value))
		fit_xreplace(&described, setting->value);
	return described;
}

char *fit_emit_found(const struct fit_emitter *emitter, const char *path)
{
	const struct fit_setting setting = {.path = path};

	return find_setting(emitter, &setting);
}

bool fit_emit_is_there(const struct fit_emitter *emitter, const char *path, const char *value)
{
	const struct fit_setting setting = {.path = path, .value = value};
	fit_autofree char *found = find_setting(emitter, &setting);

	return fit_streq(found, value);
}

int fit_emit_setting(const struct fit_emitter *emitter, const struct fit_intent *intent,
	const struct fit_setting *setting)
{
	fit_autofree char *found = find_setting(emitter, setting);
	fit_autofree char *why = NULL;
	int decision = 0;

	if (fit_target_has(emitter->target, emitter->domain, setting->feature, &why))
		decision = fit_emit_decide(emitter, intent, setting->what, found, setting->value);
	else
		fit_plan_reason(emitter->plan, FIT_REASON_NOTE, setting->topic,
			"%s is left out: %s", setting->what, why);
	if (decision > 0)
		fit_edits_set(emitter->edits, setting->path, setting->value);
	return decision;
}

int fit_emit(struct fit_plan *plan, const struct fit_plan_input *input, struct fit_edits *ret_edits,
	struct fit_err *err)
{
	fit_autolookup struct fit_lookup lookup = {0};
	struct fit_edits edits = {0};
	const struct fit_emitter emitter = {
		.plan = plan,
		.host = input->host,
		.domain = input->domain,
		.profile = input->profile,
		.target = input->target ? input->target : &fit_target_default,
		.is_buffered = input->is_buffered,
		.is_buffered_context = input->is_buffered_context,
		.original = input->original,
		.lookup = &lookup,
		.edits = &edits,
		.err = err,
	};

	if (fit_emit_cpu(&emitter) < 0 || fit_emit_cells(&emitter) < 0 ||
		fit_emit_features(&emitter) < 0 || fit_emit_clock(&emitter) < 0 ||
		fit_emit_threads(&emitter) < 0 || fit_emit_scheduling(&emitter) < 0 ||
		fit_emit_caches(&emitter) < 0 || fit_emit_memory(&emitter) < 0 ||
		fit_emit_devices(&emitter) < 0) {
		fit_edits_clear(&edits);
		return -1;
	}
	fit_emit_passthrough(&emitter);
	fit_edits_drop_void(&edits);
	*ret_edits = edits;
	return 0;
}
