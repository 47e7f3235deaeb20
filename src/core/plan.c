/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The planner's frame: prepare, search, commit (see place.h), the plan and its reasons.
 */
#include "core/plan.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/place.h"
#include "core/target.h"

const char *fit_cpu_mode_name(enum fit_cpu_mode mode)
{
	switch (mode) {
	case FIT_CPU_MODE_KEEP:
		break;
	case FIT_CPU_MODE_HOST_PASSTHROUGH:
		return "host-passthrough";
	case FIT_CPU_MODE_HOST_MODEL:
		return "host-model";
	case FIT_CPU_MODE_MAXIMUM:
		return "maximum";
	}
	return NULL;
}

void fit_plan_clear(struct fit_plan *plan)
{
	free(plan->vcpus);
	free(plan->iothreads);
	free(plan->caches);
	for (size_t i = 0; i < plan->disk_iothread_count; i++)
		free(plan->disk_iothreads[i].target);
	free(plan->disk_iothreads);
	free(plan->cells);
	for (size_t i = 0; i < plan->vf_count; i++) {
		free(plan->vfs[i].pf_netdev);
		free(plan->vfs[i].mac);
	}
	free(plan->vfs);
	for (size_t i = 0; i < plan->standby_count; i++) {
		free(plan->standbys[i].identity);
		free(plan->standbys[i].mac);
		free(plan->standbys[i].alias);
	}
	free(plan->standbys);
	for (size_t i = 0; i < plan->device_count; i++)
		free(plan->devices[i].what);
	free(plan->devices);
	free(plan->expanders);
	free(plan->ports);
	for (size_t i = 0; i < plan->reason_count; i++) {
		free(plan->reasons[i].text);
		free(plan->reasons[i].subject);
	}
	free(plan->reasons);
	*plan = (struct fit_plan){0};
}

static struct fit_reason *add_reason(struct fit_plan *plan, enum fit_reason_kind kind,
	const char *topic, const char *format, va_list args)
{
	struct fit_reason *reason = FIT_APPEND(plan->reasons, plan->reason_count);

	reason->kind = kind;
	reason->topic = topic;
	reason->text = fit_xvasprintf(format, args);
	return reason;
}

struct fit_reason *fit_plan_reason(struct fit_plan *plan, enum fit_reason_kind kind,
	const char *topic, const char *format, ...)
{
	struct fit_reason *reason;
	va_list args;

	va_start(args, format);
	reason = add_reason(plan, kind, topic, format, args);
	va_end(args);
	return reason;
}

struct fit_reason *fit_planner_reason(struct fit_planner *planner, enum fit_reason_kind kind,
	const char *topic, const char *format, ...)
{
	struct fit_reason *reason;
	va_list args;

	va_start(args, format);
	reason = add_reason(planner->plan, kind, topic, format, args);
	va_end(args);
	return reason;
}

int fit_planner_refuse(struct fit_planner *planner, const char *format, ...)
{
	fit_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = fit_xvasprintf(format, args);
	va_end(args);
	return fit_err_set(
		planner->err, FIT_ERR_REFUSED, "%s: cannot fit: %s", planner->domain->name, text);
}

bool fit_plan_is_covered(const struct fit_plan_input *input, const char *path)
{
	for (size_t i = 0; input->covered && i < input->covered->count; i++)
		if (fit_starts_with(input->covered->items[i], path))
			return true;
	return false;
}

const struct fit_target *fit_planner_target(const struct fit_planner *planner)
{
	return planner->input->target ? planner->input->target : &fit_target_default;
}

bool fit_intent_keeps(const struct fit_intent *intent)
{
	return !intent->set || intent->existing == FIT_EXISTING_KEEP;
}

int fit_planner_prepare(struct fit_planner *planner)
{
	fit_place_claims_prepare(planner);
	fit_place_cores_prepare(planner);
	if (fit_place_topology_prepare(planner) < 0)
		return -1;
	if (fit_place_devices_prepare(planner) < 0)
		return -1;
	if (fit_place_vfs_prepare(planner) < 0)
		return -1;
	if (fit_place_threads_prepare(planner) < 0)
		return -1;
	if (fit_place_memory_prepare(planner) < 0)
		return -1;
	return fit_place_cells_prepare(planner);
}

void fit_planner_clear(struct fit_planner *planner)
{
	fit_place_vfs_clear(planner);
	fit_place_devices_clear(planner);
	fit_place_cores_clear(planner);
	fit_place_claims_clear(planner);
}

static void commit(struct fit_planner *planner, struct fit_candidate *best)
{
	fit_place_cpus_commit(planner, best);
	fit_place_cells_commit(planner, best);
	fit_place_topology_commit(planner, best);
	fit_place_guest_commit(planner);
	fit_place_threads_commit(planner, best);
	fit_place_scheduling_commit(planner);
	fit_place_memory_commit(planner, best);
	fit_place_vfs_commit(planner, best);
	fit_place_networks_commit(planner);
	fit_place_devices_commit(planner);
	fit_place_bus_commit(planner);
	fit_place_qemu_args_check(planner);
}

static void note_what_changes_nothing(struct fit_planner *planner)
{
	const struct fit_profile *profile = planner->profile;

	for (size_t i = 0; i < profile->idle.count; i++)
		fit_plan_reason(
			planner->plan, FIT_REASON_NOTE, "profile", "%s", profile->idle.items[i]);
	if (profile->isolate.partition && profile->isolate.cpus == FIT_ISOLATE_NOTHING)
		fit_plan_reason(planner->plan, FIT_REASON_NOTE, "profile",
			"<isolate partition=\"isolated\"> changes nothing beside cpus=\"none\"");
}

int fit_plan_make(
	const struct fit_plan_input *input, struct fit_plan *ret_plan, struct fit_err *err)
{
	struct fit_plan plan = {0};
	struct fit_candidate best = {0};
	struct fit_planner planner = {
		.input = input,
		.host = input->host,
		.domain = input->domain,
		.profile = input->profile,
		.plan = &plan,
		.err = err,
	};
	int result = fit_planner_prepare(&planner);

	if (result == 0)
		result = fit_place_search(&planner, &best);
	if (result == 0)
		result = fit_place_memory_check(&planner, &best);
	if (result == 0) {
		commit(&planner, &best);
		note_what_changes_nothing(&planner);
		result = fit_place_caches_commit(&planner);
	}
	if (result == 0) {
		fit_place_why(&planner, &best);
		*ret_plan = plan;
	} else {
		fit_place_advise(&planner);
		fit_plan_clear(&plan);
	}
	fit_candidate_clear(&best);
	fit_planner_clear(&planner);
	return result;
}
