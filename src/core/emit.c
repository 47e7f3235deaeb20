/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Emission writes what the plan has and nothing else: whether something makes sense here (TCG, a
 * machine without PCI, an old libvirt) was the planner's decision. What is decided here is who wins
 * where the definition has a setting of its own.
 *
 * emit_cpu.c: <cpu>; emit_tune.c: iothreads and pins; emit_memory.c: memory, numatune and backing;
 * emit_devices.c: disks, controllers, VFs.
 */
#include "core/emit.h"

#include "base/text.h"
#include "core/emit_parts.h"

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

int fit_emit(const struct fit_plan *plan, const struct fit_plan_input *input,
	struct fit_edits *ret_edits, struct fit_err *err)
{
	struct fit_edits edits = {0};
	const struct fit_emitter emitter = {
		.plan = plan,
		.domain = input->domain,
		.profile = input->profile,
		.edits = &edits,
		.err = err,
	};

	if (fit_emit_cpu(&emitter) < 0 || fit_emit_threads(&emitter) < 0 ||
		fit_emit_memory(&emitter) < 0 || fit_emit_devices(&emitter) < 0) {
		fit_edits_clear(&edits);
		return -1;
	}
	*ret_edits = edits;
	return 0;
}
