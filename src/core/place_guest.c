/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the guest sees of the CPU: mode, cache, and what AMD needs to show threads. The topology is
 * place_topology.c's.
 */
#include "core/place.h"

#include "base/memory.h"
#include "base/text.h"
#include "core/target.h"

static bool target_has(const struct fit_planner *planner, enum fit_feature feature, char **ret_why)
{
	const struct fit_target *target = planner->input->target;

	return fit_target_has(
		target ? target : &fit_target_default, planner->domain, feature, ret_why);
}

/* Where KVM does not run the guest, the emulator's own best CPU is what comes nearest. */
static enum fit_cpu_mode without_kvm(struct fit_planner *planner)
{
	const char *type = planner->domain->type;
	bool emulated = fit_streq(type, "qemu");
	bool has = emulated && target_has(planner, FIT_FEATURE_CPU_MAXIMUM, NULL);

	fit_planner_reason(planner, FIT_REASON_NOTE, "cpu",
		"host-passthrough needs KVM; the domain is of %s%s%s%s: %s",
		*type ? "type '" : "no type", type, *type ? "'" : "", emulated ? " (TCG)" : "",
		has ? "it gets all that the emulator can do (maximum)" : "its CPU model stays");
	return has ? FIT_CPU_MODE_MAXIMUM : FIT_CPU_MODE_KEEP;
}

static enum fit_cpu_mode without_host_model(struct fit_planner *planner, const char *why)
{
	bool kvm = fit_streq(planner->domain->type, "kvm");

	fit_planner_reason(planner, FIT_REASON_NOTE, "cpu", "%s: %s", why,
		kvm ? "host-passthrough instead, which migrates between equal hosts only"
		    : "the CPU model stays");
	return kvm ? FIT_CPU_MODE_HOST_PASSTHROUGH : FIT_CPU_MODE_KEEP;
}

static void choose_mode(struct fit_planner *planner)
{
	const struct fit_intent_cpu *cpu = &planner->profile->cpu;
	const struct fit_domain *domain = planner->domain;
	fit_autofree char *why = NULL;

	if (cpu->mode == FIT_CPU_MODE_KEEP)
		return;
	if (!domain->cpu_is_default && fit_intent_keeps(&cpu->intent)) {
		fit_planner_reason(planner, FIT_REASON_KEPT, "cpu",
			"the CPU mode of the definition stays (%s)",
			domain->cpu_mode ? domain->cpu_mode : "none");
		return;
	}
	planner->plan->cpu_mode = cpu->mode;
	if (cpu->mode == FIT_CPU_MODE_HOST_PASSTHROUGH && !fit_streq(domain->type, "kvm"))
		planner->plan->cpu_mode = without_kvm(planner);
	else if (cpu->mode == FIT_CPU_MODE_HOST_MODEL &&
		 !target_has(planner, FIT_FEATURE_CPU_HOST_MODEL, &why))
		planner->plan->cpu_mode = without_host_model(planner, why);
}

static bool sees_host_cpu(const struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;
	enum fit_cpu_mode mode = planner->plan->cpu_mode;

	if (!fit_streq(domain->type, "kvm"))
		return false;
	if (mode != FIT_CPU_MODE_KEEP)
		return mode == FIT_CPU_MODE_HOST_PASSTHROUGH;
	return fit_streq(domain->cpu_mode, "host-passthrough");
}

static void choose_cache(struct fit_planner *planner)
{
	const struct fit_intent_cpu *cpu = &planner->profile->cpu;
	fit_autofree char *why = NULL;

	if (!cpu->passthrough_cache || !sees_host_cpu(planner))
		return;
	if (!target_has(planner, FIT_FEATURE_CPU_CACHE, &why))
		fit_planner_reason(planner, FIT_REASON_NOTE, "cpu", "%s", why);
	else if (planner->domain->has_cpu_cache && fit_intent_keeps(&cpu->intent))
		fit_planner_reason(planner, FIT_REASON_KEPT, "cpu",
			"the CPU cache mode of the definition stays");
	else
		planner->plan->passthrough_cache = true;
}

/* QEMU shows threads to a guest on AMD only with topoext, which it leaves off; Intel has no such
 * feature and a domain that requires it does not start there. */
static void choose_topoext(struct fit_planner *planner)
{
	const char *vendor = planner->host->cpu_vendor;
	unsigned int threads = planner->plan->has_topology     ? planner->plan->topology.threads
			       : planner->domain->has_topology ? planner->domain->topology.threads
							       : 1;

	planner->plan->require_topoext =
		threads > 1 && target_has(planner, FIT_FEATURE_CPU_CACHE, NULL) &&
		sees_host_cpu(planner) &&
		(fit_streq(vendor, "AuthenticAMD") || fit_streq(vendor, "HygonGenuine"));
}

/* Only vCPUs that nobody else can take the CPU from: a guest that is told so spins where it would
 * else give the CPU away. */
static bool has_dedicated_cpus(const struct fit_planner *planner)
{
	const struct fit_plan *plan = planner->plan;
	struct fit_cpuset seen = {0};

	if (planner->profile->vcpus.shared || planner->vcpus_place != FIT_PLACE_CORES ||
		!fit_cpuset_is_empty(&plan->pooled_vcpus))
		return false;
	for (size_t i = 0; i < plan->vcpu_count; i++) {
		const struct fit_cpuset *cpus = &plan->vcpus[i].cpus;

		if (fit_cpuset_count(cpus) != 1 || fit_cpuset_intersects(&seen, cpus))
			return false;
		fit_cpuset_unite(&seen, cpus);
	}
	return plan->vcpu_count > 0;
}

void fit_place_guest_commit(struct fit_planner *planner)
{
	planner->plan->vcpus_dedicated = has_dedicated_cpus(planner);
	if (!planner->profile->cpu.intent.set)
		return;
	choose_mode(planner);
	choose_cache(planner);
	choose_topoext(planner);
}
