/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which threads get a real-time scheduler. Such a thread keeps all others off its CPU as long as it
 * runs, and a vCPU may run for ever: it needs a CPU that nobody else has to use.
 */
#include "core/place.h"

#include "base/memory.h"
#include "base/text.h"

/* Does each vCPU, except those that float beside dedicated ones, have a CPU that no other vCPU or
 * domain uses? */
static bool vcpus_are_alone(const struct fit_planner *planner)
{
	const struct fit_plan *plan = planner->plan;
	struct fit_cpuset used = {0}, pool = {0};

	if (!plan->vcpu_count || planner->profile->vcpus.shared)
		return false;
	for (size_t i = 0; i < plan->vcpu_count; i++) {
		const struct fit_cpuset *cpus = &plan->vcpus[i].cpus;

		if (fit_cpuset_contains(&plan->pooled_vcpus, (unsigned int)i)) {
			fit_cpuset_unite(&pool, cpus);
			continue;
		}
		if (fit_cpuset_count(cpus) != 1 || fit_cpuset_intersects(cpus, &used))
			return false;
		fit_cpuset_unite(&used, cpus);
	}
	return !fit_cpuset_intersects(&used, &plan->housekeeping) &&
	       !fit_cpuset_intersects(&used, &pool);
}

/* What the kernel leaves to real-time threads. */
static bool kernel_allows(struct fit_planner *planner)
{
	const struct fit_host *host = planner->host;

	if (host->rt_period_us <= 0 || host->rt_runtime_us)
		return true;
	fit_planner_reason(planner, FIT_REASON_NOTE, "scheduler",
		"no real-time scheduler: the kernel gives such threads no time "
		"(kernel.sched_rt_runtime_us is 0)");
	return false;
}

static void note_throttling(struct fit_planner *planner)
{
	const struct fit_host *host = planner->host;

	if (fit_streq(planner->profile->host[FIT_SETTING_RT_RUNTIME].value, "unlimited"))
		return;
	if (host->rt_period_us > 0 && host->rt_runtime_us > 0 &&
		host->rt_runtime_us < host->rt_period_us)
		fit_planner_reason(planner, FIT_REASON_NOTE, "scheduler",
			"a real-time vCPU that never sleeps is stopped for %d of each %d "
			"microseconds (kernel.sched_rt_runtime_us; <rt-runtime "
			"value=\"unlimited\"/> lifts that)",
			host->rt_period_us - host->rt_runtime_us, host->rt_period_us);
}

void fit_place_scheduling_commit(struct fit_planner *planner)
{
	const struct fit_profile *profile = planner->profile;
	struct fit_plan *plan = planner->plan;
	bool vcpus = profile->vcpus.intent.set && profile->vcpus.scheduling.policy;
	bool emulator = profile->emulator.intent.set && profile->emulator.scheduling.policy;
	bool iothreads = profile->iothreads.intent.set && profile->iothreads.scheduling.policy &&
			 plan->iothread_count;

	if ((!vcpus && !emulator && !iothreads) || !kernel_allows(planner))
		return;
	plan->emulator_real_time = emulator;
	plan->iothreads_real_time = iothreads;
	if (!vcpus)
		return;
	plan->vcpus_real_time = vcpus_are_alone(planner);
	if (plan->vcpus_real_time)
		note_throttling(planner);
	else
		fit_planner_reason(planner, FIT_REASON_NOTE, "scheduler",
			"no real-time scheduler for the vCPUs: not each of them has a CPU alone, "
			"and it would keep everybody else off");
}
