/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the guest sees of the CPU: mode, cache and topology. The topology mirrors the placement:
 * guest threads exist only where the vCPUs of a guest core are threads of one host core, and one
 * socket stands for one node.
 */
#include "core/place.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static bool is_x86(const struct fit_planner *planner)
{
	const char *arch = planner->domain->arch;

	if (!*arch)
		arch = planner->host->arch;
	return fit_streq(arch, "x86_64") || fit_streq(arch, "i686");
}

static unsigned int max_guest_threads(const struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	/* QEMU's s390 machine has no threads; TCG has none on pseries. */
	if (fit_starts_with(domain->arch, "s390"))
		return 1;
	if (fit_starts_with(domain->arch, "ppc64") && !fit_streq(domain->type, "kvm"))
		return 1;
	return FIT_CPUSET_MAX;
}

void fit_place_guest_prepare(struct fit_planner *planner)
{
	const struct fit_intent_cpu *cpu = &planner->profile->cpu;
	const struct fit_domain *domain = planner->domain;
	unsigned int host_threads = 1;

	planner->max_guest_threads = max_guest_threads(planner);
	if (cpu->intent.set && cpu->mirror_topology &&
		!(domain->has_topology && fit_intent_keeps(&cpu->intent)))
		return;
	planner->kept_threads = 1;
	if (!domain->has_topology)
		return;
	for (size_t i = 0; i < planner->core_count; i++) {
		if (planner->cores[i].threads > host_threads)
			host_threads = planner->cores[i].threads;
	}
	if (domain->topology.threads <= host_threads) {
		planner->kept_threads = domain->topology.threads ? domain->topology.threads : 1;
		return;
	}
	fit_planner_reason(planner, FIT_REASON_WARNING, "cpu",
		"the topology of the definition has %u threads for each core, this host's cores "
		"have %u: the guest takes CPUs for siblings that are none",
		domain->topology.threads, host_threads);
}

/* Threads that a guest core has when the candidate puts its vCPUs on cores that way. */
unsigned int fit_guest_threads(
	const struct fit_planner *planner, const struct fit_candidate *candidate)
{
	unsigned int threads = 1;

	if (planner->kept_threads)
		return planner->kept_threads;
	if (!candidate->uniform)
		return 1;
	/* Powers of two: KVM on POWER takes no others. */
	while (threads * 2 <= candidate->per_core && threads * 2 <= planner->max_guest_threads &&
		planner->domain->vcpus % (threads * 2) == 0)
		threads *= 2;
	return threads;
}

/* The largest guest core size at which the kept pins put every guest core on one host core. */
static unsigned int threads_of_pins(const struct fit_planner *planner)
{
	const struct fit_plan *plan = planner->plan;
	unsigned int threads = 1;

	for (unsigned int size = 2;
		size <= planner->max_guest_threads && plan->vcpu_count % size == 0; size *= 2) {
		for (size_t i = 0; i < plan->vcpu_count; i++) {
			const struct fit_cpuset *first = &plan->vcpus[i - i % size].cpus;
			const struct fit_cpuset *own = &plan->vcpus[i].cpus;
			const struct fit_core *core =
				fit_planner_core_of(planner, fit_cpuset_next(own, 0));

			if (fit_cpuset_count(own) != 1 || !core ||
				!fit_cpuset_is_subset(first, &core->cpus) ||
				(i % size && fit_cpuset_equal(own, &plan->vcpus[i - 1].cpus)))
				return threads;
		}
		threads = size;
	}
	return threads;
}

static void check_kept_topology(struct fit_planner *planner)
{
	unsigned int threads =
		planner->domain->has_topology ? planner->domain->topology.threads : 1;

	if (planner->plan->vcpus_kept && threads > 1 && threads_of_pins(planner) < threads)
		fit_planner_reason(planner, FIT_REASON_WARNING, "cpu",
			"the definition's topology has %u threads for each core, but its vCPU pins "
			"do not put vCPUs 0-%u on threads of one host core",
			threads, threads - 1);
}

static void choose_topology(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	struct fit_plan *plan = planner->plan;
	unsigned int vcpus = planner->domain->vcpus;
	unsigned int sockets = (unsigned int)fit_cpuset_count(&candidate->nodes);
	unsigned int threads = 1;

	if (plan->vcpus_kept)
		threads = threads_of_pins(planner);
	else if (planner->vcpus_place == FIT_PLACE_CORES)
		threads = fit_guest_threads(planner, candidate);
	/* Shares of nodes are equal only where the vCPUs divide; else one socket is the honest
	 * view. */
	if (plan->vcpus_kept || planner->vcpus_place != FIT_PLACE_CORES || sockets == 0 ||
		vcpus % (sockets * threads) != 0)
		sockets = 1;
	plan->has_topology = true;
	plan->topology = (struct fit_topology){
		.sockets = sockets,
		.dies = 1,
		.clusters = 1,
		.cores = vcpus / sockets / threads,
		.threads = threads,
	};
	fit_planner_reason(planner, FIT_REASON_CHOICE, "cpu",
		"guest topology: %u socket%s, %u core%s, %u thread%s for each core", sockets,
		fit_plural(sockets), plan->topology.cores, fit_plural(plan->topology.cores),
		threads, fit_plural(threads));
}

static void explain_threads(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	unsigned int host_threads = fit_host_threads_per_core(planner->host);
	unsigned int vcpus = planner->domain->vcpus;

	if (planner->plan->vcpus_kept || planner->vcpus_place != FIT_PLACE_CORES)
		return;
	if (candidate->cost.level[FIT_COST_HIDDEN_SMT]) {
		fit_planner_reason(planner, FIT_REASON_NOTE, "cpu",
			"%u vCPUs on %zu cores: some share a core, which the guest does not see, "
			"because %u does not divide into guest cores of %u threads",
			vcpus, candidate->core_count, vcpus, candidate->per_core);
	} else if (candidate->per_core == 1 && host_threads > 1 &&
		   candidate->cost.level[FIT_COST_IDLE_THREADS]) {
		fit_planner_reason(planner, FIT_REASON_NOTE, "cpu",
			"%u vCPU%s not divide into cores of %u threads: each has a core of its own "
			"and the guest sees no threads",
			vcpus, vcpus == 1 ? " does" : "s do", host_threads);
	} else if (planner->kept_threads == 1 && candidate->per_core > 1) {
		fit_planner_reason(planner, FIT_REASON_NOTE, "cpu",
			"neighbouring vCPUs are threads of one core, which the guest does not see: "
			"its topology is not the profile's to change");
	}
}

static void choose_mode(struct fit_planner *planner)
{
	const struct fit_intent_cpu *cpu = &planner->profile->cpu;
	const struct fit_domain *domain = planner->domain;

	if (!cpu->host_passthrough)
		return;
	if (!fit_streq(domain->type, "kvm")) {
		fit_planner_reason(planner, FIT_REASON_NOTE, "cpu",
			"host-passthrough needs KVM; the domain is of type '%s'%s: its CPU model "
			"stays",
			domain->type, fit_streq(domain->type, "qemu") ? " (TCG)" : "");
	} else if (!domain->cpu_is_default && fit_intent_keeps(&cpu->intent)) {
		fit_planner_reason(planner, FIT_REASON_KEPT, "cpu",
			"the CPU mode of the definition stays (%s)",
			domain->cpu_mode ? domain->cpu_mode : "none");
	} else {
		planner->plan->host_passthrough = true;
	}
}

static bool sees_host_cpu(const struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	return planner->plan->host_passthrough ||
	       (fit_streq(domain->type, "kvm") && domain->cpu_mode &&
		       fit_streq(domain->cpu_mode, "host-passthrough"));
}

static void choose_cache(struct fit_planner *planner)
{
	const struct fit_intent_cpu *cpu = &planner->profile->cpu;

	if (!cpu->passthrough_cache || !sees_host_cpu(planner))
		return;
	if (!is_x86(planner))
		fit_planner_reason(
			planner, FIT_REASON_NOTE, "cpu", "cache passthrough exists on x86 only");
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
		threads > 1 && is_x86(planner) && sees_host_cpu(planner) &&
		(fit_streq(vendor, "AuthenticAMD") || fit_streq(vendor, "HygonGenuine"));
}

void fit_place_guest_commit(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	const struct fit_intent_cpu *cpu = &planner->profile->cpu;
	const struct fit_domain *domain = planner->domain;

	explain_threads(planner, candidate);
	if (!cpu->intent.set)
		return;
	choose_mode(planner);
	choose_cache(planner);
	if (!planner->kept_threads)
		choose_topology(planner, candidate);
	else if (cpu->mirror_topology)
		fit_planner_reason(planner, FIT_REASON_KEPT, "cpu",
			"the topology of the definition stays (%u sockets, %u cores, %u threads)",
			domain->topology.sockets, domain->topology.cores, domain->topology.threads);
	check_kept_topology(planner);
	choose_topoext(planner);
	if (domain->cell_count)
		fit_planner_reason(planner, FIT_REASON_NOTE, "cpu",
			"the guest NUMA cells of the definition stay as they are");
}
