/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <features>: performance counters, what KVM tells the guest, Hyper-V enlightenments. */
#include "core/emit_parts.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/hyperv.h"

static int emit_state(const struct fit_emitter *emitter, const char *name, const char *state,
	enum fit_feature feature)
{
	fit_autofree char *path = fit_xasprintf("features/%s", name);
	const char *element = fit_starts_with(name, "kvm/") ? name + strlen("kvm/") : name;
	fit_autofree char *value = fit_xasprintf("<%s state='%s'/>", element, state);
	const struct fit_setting setting = {
		.topic = "features",
		.what = element,
		.path = path,
		.value = value,
		.feature = feature,
	};

	return fit_emit_setting(emitter, &emitter->profile->features.intent, &setting);
}

/* A guest that is told so without having CPUs of its own spins where it should give way. */
static bool may_hint_dedicated(const struct fit_emitter *emitter, const char *state)
{
	if (fit_streq(state, "off") || emitter->plan->vcpus_dedicated)
		return true;
	fit_plan_reason(emitter->plan, FIT_REASON_NOTE, "features",
		"hint-dedicated is left out: the vCPUs have no CPUs of their own (<vcpus "
		"place=\"cores\" shared=\"no\"/>)");
	return false;
}

static int emit_hypervisor(const struct fit_emitter *emitter)
{
	const struct fit_intent_features *features = &emitter->profile->features;
	const char *hint = features->hint_dedicated;
	int decision = 0;

	if (features->pmu)
		decision = emit_state(emitter, "pmu", features->pmu, FIT_FEATURE_PMU);
	if (decision >= 0 && features->hidden)
		decision =
			emit_state(emitter, "kvm/hidden", features->hidden, FIT_FEATURE_KVM_HIDDEN);
	if (decision >= 0 && hint && may_hint_dedicated(emitter, hint))
		decision = emit_state(
			emitter, "kvm/hint-dedicated", hint, FIT_FEATURE_KVM_HINT_DEDICATED);
	if (decision >= 0 && features->poll_control)
		decision = emit_state(emitter, "kvm/poll-control", features->poll_control,
			FIT_FEATURE_KVM_POLL_CONTROL);
	return decision;
}

/* mode='passthrough' gives the guest what the host has and excludes a choice. */
static int emit_hyperv_mode(const struct fit_emitter *emitter)
{
	fit_autofree char *found = fit_emit_found(emitter, "features/hyperv/@mode");
	int decision;

	if (!found || fit_streq(found, "custom"))
		return 1;
	decision = fit_emit_decide(emitter, &emitter->profile->hyperv.intent,
		"the mode of the Hyper-V enlightenments", found, "custom");
	if (decision > 0)
		fit_edits_set(emitter->edits, "features/hyperv/@mode", "custom");
	else if (decision == 0)
		fit_plan_reason(emitter->plan, FIT_REASON_KEPT, "features",
			"the Hyper-V enlightenments of the definition stay (mode='%s')", found);
	return decision;
}

/* The first of what an enlightenment needs that the guest will not have; NULL: there is none. */
static const char *missing_for(unsigned int enlightenment, fit_hyperv_set have)
{
	fit_hyperv_set missing = fit_hyperv_entries[enlightenment].needs & ~have;

	return missing ? fit_hyperv_entries[__builtin_ctz(missing)].name : NULL;
}

/* Writes one enlightenment; @have: what the guest will have, so far. */
static int emit_enlightenment(
	const struct fit_emitter *emitter, unsigned int number, fit_hyperv_set *have)
{
	const struct fit_hyperv_entry *entry = &fit_hyperv_entries[number];
	const struct fit_setting setting = {
		.topic = "features",
		.what = entry->name,
		.path = entry->path,
		.value = entry->value,
		.feature = entry->feature,
	};
	const char *missing = missing_for(number, *have);
	int decision;

	if (missing) {
		fit_plan_reason(emitter->plan, FIT_REASON_NOTE, "features",
			"%s is left out: it needs %s, which the definition switches off",
			entry->name, missing);
		return 0;
	}
	decision = fit_emit_setting(emitter, &emitter->profile->hyperv.intent, &setting);
	if (decision > 0)
		*have |= 1U << number;
	return decision;
}

static int emit_vendor_id(const struct fit_emitter *emitter, fit_hyperv_set have)
{
	const char *id = emitter->profile->hyperv.vendor_id;
	fit_autofree char *value = fit_xasprintf("<vendor_id state='on' value='%s'/>", id);
	const struct fit_setting setting = {
		.topic = "features",
		.what = "vendor_id",
		.path = "features/hyperv/vendor_id",
		.value = value,
		.feature = FIT_FEATURE_HYPERV,
	};

	if (!have) {
		fit_plan_reason(emitter->plan, FIT_REASON_NOTE, "features",
			"vendor_id is left out: without any Hyper-V enlightenment no guest sees it");
		return 0;
	}
	return fit_emit_setting(emitter, &emitter->profile->hyperv.intent, &setting);
}

static int emit_hyperv(const struct fit_emitter *emitter)
{
	const struct fit_intent_hyperv *hyperv = &emitter->profile->hyperv;
	fit_autofree char *why = NULL;
	fit_hyperv_set have = 0;
	int decision;

	if (!hyperv->features && !hyperv->vendor_id)
		return 0;
	if (!fit_target_has(emitter->target, emitter->domain, FIT_FEATURE_HYPERV, &why)) {
		fit_plan_reason(emitter->plan, FIT_REASON_NOTE, "features", "%s", why);
		return 0;
	}
	decision = emit_hyperv_mode(emitter);
	if (decision <= 0)
		return decision;
	for (unsigned int i = 0; i < FIT_HYPERV_COUNT; i++) {
		fit_autofree char *state = fit_emit_found(emitter, fit_hyperv_entries[i].state);

		if (fit_streq(state, fit_hyperv_entries[i].on))
			have |= 1U << i;
		if (hyperv->features >> i & 1 && emit_enlightenment(emitter, i, &have) < 0)
			return -1;
	}
	return hyperv->vendor_id ? emit_vendor_id(emitter, have) : 0;
}

int fit_emit_features(const struct fit_emitter *emitter)
{
	if (emitter->profile->features.intent.set && emit_hypervisor(emitter) < 0)
		return -1;
	return emitter->profile->hyperv.intent.set ? emit_hyperv(emitter) : 0;
}
