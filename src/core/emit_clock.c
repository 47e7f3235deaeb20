/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * <clock>: what the guest's real-time clock shows and which timers there are. Timers have no other
 * identity than their name; libvirt accepts one that is there twice, which is left alone.
 */
#include "core/emit_parts.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"

/* Every definition that went through libvirt has offset='utc': that alone is nobody's choice. */
static int emit_offset(const struct fit_emitter *emitter)
{
	const char *wanted = emitter->profile->clock.offset;
	fit_autofree char *found = fit_emit_found(emitter, "clock/@offset");
	fit_autofree char *adjustment = fit_emit_found(emitter, "clock/@adjustment");
	bool is_default = fit_streq(found, "utc") && !adjustment;
	int decision;

	if (!wanted)
		wanted = "utc"; /* libvirt wants one where there are timers */
	if (found && (!emitter->profile->clock.offset || fit_streq(found, wanted)))
		return 0;
	decision = fit_emit_decide(emitter, &emitter->profile->clock.intent,
		"the offset of the clock", is_default ? NULL : found, wanted);
	if (decision <= 0)
		return decision;
	fit_edits_set(emitter->edits, "clock/@offset", wanted);
	if (!is_default && found) {
		fit_edits_remove(emitter->edits, "clock/@adjustment");
		fit_edits_remove(emitter->edits, "clock/@basis");
		fit_edits_remove(emitter->edits, "clock/@timezone");
		fit_edits_remove(emitter->edits, "clock/@start");
	}
	return decision;
}

static size_t count_timers(const struct fit_emitter *emitter, const char *name)
{
	const xmlNode *root = xmlDocGetRootElement(emitter->original);
	const xmlNode *clock = fit_xml_child(root, "clock");
	size_t count = 0;

	fit_xml_for_each (timer, clock, "timer") {
		fit_autofree char *other = fit_xml_attr(timer, "name");

		count += fit_streq(other, name);
	}
	return count;
}

static int emit_one_timer(const struct fit_emitter *emitter, const struct fit_setting *setting)
{
	int decision = fit_emit_setting(emitter, &emitter->profile->clock.intent, setting);
	fit_autofree char *found = decision == 0 ? fit_emit_found(emitter, setting->path) : NULL;

	if (found && !fit_emit_is_there(emitter, setting->path, setting->value))
		fit_plan_reason(emitter->plan, FIT_REASON_KEPT, setting->topic,
			"%s of the definition stays: %s", setting->what, found);
	return decision;
}

static int emit_timer(const struct fit_emitter *emitter, const char *name, const char *attributes,
	enum fit_feature feature)
{
	fit_autofree char *what = fit_xasprintf("the timer %s", name);
	fit_autofree char *path = fit_xasprintf("clock/timer[@name='%s']", name);
	fit_autofree char *value = fit_xasprintf("<timer name='%s' %s/>", name, attributes);
	const struct fit_setting setting = {
		.topic = "clock",
		.what = what,
		.path = path,
		.value = value,
		.feature = feature,
	};
	size_t count = count_timers(emitter, name);

	if (count <= 1)
		return emit_one_timer(emitter, &setting);
	fit_plan_reason(emitter->plan, FIT_REASON_WARNING, "clock",
		"the definition has the timer %s %zu times, of which QEMU gets each: they stay",
		name, count);
	return 0;
}

/* Is the guest's TSC invariant? Without that it is no clock. */
static bool has_invtsc(const struct fit_emitter *emitter)
{
	static const char path[] = "cpu/feature[@name='invtsc']";
	fit_autofree char *policy = fit_emit_found(emitter, "cpu/feature[@name='invtsc']/@policy");
	bool has = fit_streq(policy, "require") || fit_streq(policy, "force");

	for (size_t i = 0; i < emitter->edits->count; i++) {
		const struct fit_edit *edit = &emitter->edits->items[i];

		if (fit_streq(edit->path, path))
			has = edit->value && strstr(edit->value, "'require'");
	}
	return has;
}

static int emit_tsc(const struct fit_emitter *emitter)
{
	const char *mode = emitter->profile->clock.tsc;
	fit_autofree char *attributes = fit_xasprintf("present='yes' mode='%s'", mode);

	if (has_invtsc(emitter))
		return emit_timer(emitter, "tsc", attributes, FIT_FEATURE_TSC);
	fit_plan_reason(emitter->plan, FIT_REASON_CHOICE, "clock",
		"the timer tsc is left out: without the CPU feature invtsc the guest's TSC is no "
		"clock");
	return 0;
}

int fit_emit_clock(const struct fit_emitter *emitter)
{
	const struct fit_intent_clock *clock = &emitter->profile->clock;
	const struct {
		const char *name;
		const char *attribute;
		const char *value;
		enum fit_feature feature;
	} timers[] = {
		{"rtc", "tickpolicy", clock->rtc, FIT_FEATURE_PC_TIMERS},
		{"pit", "tickpolicy", clock->pit, FIT_FEATURE_PC_TIMERS},
		{"hpet", "present", clock->hpet, FIT_FEATURE_PC_TIMERS},
		{"kvmclock", "present", clock->kvmclock, FIT_FEATURE_KVMCLOCK},
	};

	if (!clock->intent.set)
		return 0;
	if (emit_offset(emitter) < 0)
		return -1;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(timers); i++) {
		fit_autofree char *attributes = NULL;

		if (!timers[i].value)
			continue;
		attributes = fit_xasprintf("%s='%s'", timers[i].attribute, timers[i].value);
		if (emit_timer(emitter, timers[i].name, attributes, timers[i].feature) < 0)
			return -1;
	}
	return clock->tsc ? emit_tsc(emitter) : 0;
}
