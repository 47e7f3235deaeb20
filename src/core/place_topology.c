/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's topology mirrors the placement: guest threads exist only where the vCPUs of a guest
 * core are threads of one host core, one socket stands for one node, and dies and clusters are
 * those of the host where the vCPUs fill them evenly. It always has as many vCPUs as the domain can
 * have at most: those that are plugged in later are placed with the others.
 */
#include "core/place.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/target.h"

static unsigned int max_guest_threads(const struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	/* vCPUs that move are nobody's siblings. */
	if (planner->profile->vcpus.pin_set || !fit_cpuset_is_empty(&planner->pooled))
		return 1;
	/* QEMU's s390 machine has no threads; TCG has none on pseries. */
	if (fit_starts_with(domain->arch, "s390"))
		return 1;
	if (fit_starts_with(domain->arch, "ppc64") && !fit_streq(domain->type, "kvm"))
		return 1;
	return FIT_CPUSET_MAX;
}

/* A pseries guest starts only with whole cores. */
static bool fills_cores(const struct fit_planner *planner, unsigned int threads)
{
	const struct fit_domain *domain = planner->domain;

	return domain->vcpus % threads == 0 && (fit_machine_of(domain) != FIT_MACHINE_PSERIES ||
						       domain->vcpus_current % threads == 0);
}

/* Is @own one CPU, on the core that all of @first is on? */
static bool is_on_core_of(const struct fit_planner *planner, const struct fit_cpuset *first,
	const struct fit_cpuset *own)
{
	const struct fit_core *core = fit_planner_core_of(planner, fit_cpuset_next(own, 0));

	return fit_cpuset_count(own) == 1 && core && fit_cpuset_is_subset(first, &core->cpus);
}

/* The largest guest core size at which the pins put every guest core on one host core. */
static unsigned int threads_of_pins(
	const struct fit_planner *planner, const struct fit_thread_pin *pins)
{
	unsigned int threads = 1;

	for (unsigned int size = 2;
		size <= planner->max_guest_threads && fills_cores(planner, size); size *= 2) {
		for (size_t i = 0; i < planner->domain->vcpus; i++) {
			const struct fit_cpuset *first = &pins[i - i % size].cpus;
			const struct fit_cpuset *own = &pins[i].cpus;

			if (!is_on_core_of(planner, first, own) ||
				(i % size && fit_cpuset_equal(own, &pins[i - 1].cpus)))
				return threads;
		}
		threads = size;
	}
	return threads;
}

static unsigned int widest_core(const struct fit_planner *planner)
{
	unsigned int threads = 1;

	for (size_t i = 0; i < planner->core_count; i++) {
		if (planner->cores[i].threads > threads)
			threads = planner->cores[i].threads;
	}
	return threads;
}

static void keep_threads(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;
	unsigned int host_threads = widest_core(planner);

	planner->kept_threads = 1;
	if (!domain->has_topology)
		return;
	if (domain->topology.threads <= host_threads) {
		planner->kept_threads = domain->topology.threads ? domain->topology.threads : 1;
		return;
	}
	fit_planner_reason(planner, FIT_REASON_WARNING, "cpu",
		"the topology of the definition has %u threads for each core, this host's cores "
		"have %u: the guest takes CPUs for siblings that are none",
		domain->topology.threads, host_threads);
}

/* Why guest cores of that many threads cannot be; NULL: they can. To be freed. */
static char *why_not_threads(struct fit_planner *planner, unsigned int wanted)
{
	unsigned int host_threads = fit_host_threads_per_core(planner->host);
	const char *arch = planner->domain->arch;

	if (wanted == 1)
		return NULL;
	if (planner->profile->vcpus.pin_set)
		return fit_xstrdup("vCPUs that are pinned to a set of CPUs are no siblings");
	if (!fit_cpuset_is_empty(&planner->pooled))
		return fit_xstrdup("vCPUs that dedicated= leaves out float and are no siblings");
	if (wanted > planner->max_guest_threads)
		return fit_xasprintf("a guest of %s%s has no threads", arch,
			fit_streq(planner->domain->type, "kvm") ? "" : " without KVM");
	if (wanted > host_threads)
		return fit_xasprintf("the cores of this host have %u thread%s%s", host_threads,
			fit_plural(host_threads),
			host_threads == 1 ? " (no SMT, or it is off)" : "");
	if (!fills_cores(planner, wanted))
		return fit_xasprintf("%u vCPUs (%u at start) do not divide into such cores",
			planner->domain->vcpus, planner->domain->vcpus_current);
	if (planner->vcpus_kept) {
		fit_autofree struct fit_thread_pin *pins = fit_place_pins(planner, NULL);
		unsigned int threads = threads_of_pins(planner, pins);

		return threads % wanted == 0 ? NULL
					     : fit_xstrdup("the vCPU pins of the definition do not "
							   "put neighbouring vCPUs on threads of "
							   "one host core");
	}
	if (planner->vcpus_place != FIT_PLACE_CORES)
		return fit_xstrdup("vCPUs that have no core of their own are no siblings: that "
				   "needs <vcpus place=\"cores\"/>");
	return NULL;
}

int fit_place_topology_prepare(struct fit_planner *planner)
{
	const struct fit_intent_cpu *cpu = &planner->profile->cpu;
	fit_autofree char *why = NULL;

	planner->max_guest_threads = max_guest_threads(planner);
	if (!cpu->intent.set || !cpu->mirror_topology ||
		(planner->domain->has_topology && fit_intent_keeps(&cpu->intent))) {
		keep_threads(planner);
		return 0;
	}
	if (!cpu->threads)
		return 0;
	why = why_not_threads(planner, cpu->threads);
	if (why)
		return fit_planner_refuse(planner,
			"%s:%u wants guest cores of %u threads, but %s; threads=\"host\" takes "
			"what there is",
			cpu->intent.file ? cpu->intent.file : "the profile", cpu->intent.line,
			cpu->threads, why);
	planner->wanted_threads = cpu->threads;
	return 0;
}

/* Threads that a guest core has when the candidate puts its vCPUs on cores that way. */
unsigned int fit_guest_threads(
	const struct fit_planner *planner, const struct fit_candidate *candidate)
{
	unsigned int threads = 1;

	if (planner->kept_threads)
		return planner->kept_threads;
	if (planner->wanted_threads)
		return planner->wanted_threads;
	if (!candidate->uniform)
		return 1;
	/* Powers of two: KVM on POWER takes no others. */
	while (threads * 2 <= candidate->per_core && threads * 2 <= planner->max_guest_threads &&
		fills_cores(planner, threads * 2))
		threads *= 2;
	return threads;
}

/* Have some vCPUs a pin of the definition's, around which the others are placed? */
static bool has_fixed(const struct fit_planner *planner)
{
	return planner->open_vcpus < planner->domain->vcpus;
}

/* What the pins of the plan, some of them the definition's, make true. */
static unsigned int threads_around_fixed(const struct fit_planner *planner)
{
	unsigned int threads = threads_of_pins(planner, planner->plan->vcpus);
	unsigned int wanted = planner->wanted_threads;

	return wanted && threads % wanted == 0 ? wanted : threads;
}

/* The first vCPU of the first guest core of @threads that is not on one host core alone; the number
 * of vCPUs when all are. */
static unsigned int first_torn(const struct fit_planner *planner, unsigned int threads)
{
	const struct fit_thread_pin *pins = planner->plan->vcpus;
	unsigned int vcpus = planner->domain->vcpus;

	for (unsigned int i = 0; i < vcpus; i++)
		if (!is_on_core_of(planner, &pins[i - i % threads].cpus, &pins[i].cpus) ||
			(i % threads && fit_cpuset_equal(&pins[i].cpus, &pins[i - 1].cpus)))
			return i - i % threads;
	return vcpus;
}

/* Pins of the definition that its topology does not tell the truth about: where the profile says
 * the topology, that is why it is another one now. */
static void check_pins(struct fit_planner *planner)
{
	bool kept = planner->kept_threads;
	unsigned int threads =
		planner->domain->has_topology ? planner->domain->topology.threads : 1;
	unsigned int torn;

	if ((!planner->plan->vcpus_kept && !has_fixed(planner)) || threads < 2 ||
		planner->domain->vcpus % threads)
		return;
	torn = first_torn(planner, threads);
	if (torn < planner->domain->vcpus)
		fit_planner_reason(planner, kept ? FIT_REASON_WARNING : FIT_REASON_CHOICE, "cpu",
			"the definition's topology has %u threads for each core, but vCPUs %u-%u "
			"are not pinned to threads of one host core%s",
			threads, torn, torn + threads - 1,
			kept ? "" : ": the guest gets another topology");
}

static int die_of(const struct fit_cpu *cpu)
{
	return cpu->die;
}

static int cluster_of(const struct fit_cpu *cpu)
{
	return cpu->cluster;
}

/* The host CPU of a vCPU that has one of its own, or NULL. */
static const struct fit_cpu *cpu_of(const struct fit_planner *planner, size_t vcpu)
{
	const struct fit_cpuset *cpus = &planner->plan->vcpus[vcpu].cpus;

	return fit_cpuset_count(cpus) == 1
		       ? fit_host_cpu(planner->host, (unsigned int)fit_cpuset_next(cpus, 0))
		       : NULL;
}

/* Are two vCPUs in the same part of the host? Ids count within a package, those of clusters
 * within a die. False where the host does not say. */
static bool is_together(const struct fit_planner *planner, size_t a, size_t b,
	int (*part_of)(const struct fit_cpu *))
{
	const struct fit_cpu *left = cpu_of(planner, a);
	const struct fit_cpu *right = cpu_of(planner, b);

	return left && right && part_of(left) >= 0 && left->package == right->package &&
	       left->die == right->die && part_of(left) == part_of(right);
}

/*
 * In how many parts of the host the vCPUs of every @block neighbours lie: 1 unless all parts are
 * different and have equally many of them, since the guest's topology knows no others. Parts of
 * one core each say nothing.
 */
static unsigned int count_parts(const struct fit_planner *planner, unsigned int block,
	int (*part_of)(const struct fit_cpu *))
{
	unsigned int vcpus = planner->domain->vcpus;
	unsigned int threads = planner->plan->topology.threads;
	unsigned int size = 1;

	while (size < block && is_together(planner, 0, size, part_of))
		size++;
	if (block % size || size % threads || size == threads)
		return 1;
	for (unsigned int i = 0; i < vcpus; i++) {
		if (!is_together(planner, i, i - i % size, part_of))
			return 1;
		for (unsigned int other = i - i % block; other < i - i % size; other += size) {
			if (is_together(planner, i, other, part_of))
				return 1;
		}
	}
	return block / size;
}

/* Dies or clusters; 1 where the target cannot express them. */
static unsigned int choose_parts(struct fit_planner *planner, unsigned int block,
	int (*part_of)(const struct fit_cpu *), enum fit_feature feature)
{
	const struct fit_target *target = planner->input->target;
	unsigned int parts = count_parts(planner, block, part_of);
	fit_autofree char *why = NULL;

	if (parts == 1 || fit_target_has(target ? target : &fit_target_default, planner->domain,
				  feature, &why))
		return parts;
	fit_planner_reason(planner, FIT_REASON_CHOICE, "cpu",
		"the vCPUs are on %u %s, which the guest does not see: %s", parts,
		feature == FIT_FEATURE_CPU_DIES ? "dies" : "clusters", why);
	return 1;
}

/* Are all these CPUs of the same node? */
static bool on_one_node(const struct fit_planner *planner, const struct fit_cpuset *cpus,
	const struct fit_cpuset *others)
{
	const struct fit_core *first = fit_planner_core_of(planner, fit_cpuset_next(cpus, 0));
	struct fit_cpuset all = *cpus;

	fit_cpuset_unite(&all, others);
	fit_cpuset_for_each (cpu, &all) {
		const struct fit_core *core = fit_planner_core_of(planner, cpu);

		if (!core || !first || core->node != first->node)
			return false;
	}
	return first && first->node >= 0;
}

/* One for each node, where they have equal shares of the vCPUs in their order; else one socket is
 * the honest view. */
static unsigned int sockets_of(
	const struct fit_planner *planner, const struct fit_candidate *candidate)
{
	const struct fit_plan *plan = planner->plan;
	unsigned int vcpus = planner->domain->vcpus;
	unsigned int sockets = plan->cells_kept || !plan->cell_count
				       ? (unsigned int)fit_cpuset_count(&candidate->nodes)
				       : (unsigned int)plan->cell_count;

	if (sockets < 2 || vcpus % sockets || !plan->vcpu_count)
		return 1;
	for (unsigned int vcpu = 0; vcpu < vcpus; vcpu++) {
		unsigned int first = vcpu - vcpu % (vcpus / sockets);

		if (!on_one_node(planner, &plan->vcpus[first].cpus, &plan->vcpus[vcpu].cpus))
			return 1;
	}
	return sockets;
}

static void choose_topology(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	struct fit_plan *plan = planner->plan;
	struct fit_topology *topology = &plan->topology;
	unsigned int vcpus = planner->domain->vcpus;
	unsigned int sockets = sockets_of(planner, candidate);
	unsigned int threads = 1;

	if (plan->vcpus_kept)
		threads = planner->wanted_threads ? planner->wanted_threads
						  : threads_of_pins(planner, plan->vcpus);
	else if (has_fixed(planner))
		threads = threads_around_fixed(planner);
	else if (planner->vcpus_place == FIT_PLACE_CORES)
		threads = fit_guest_threads(planner, candidate);
	if (vcpus % (sockets * threads) != 0)
		sockets = 1;
	plan->has_topology = true;
	*topology = (struct fit_topology){
		.sockets = sockets, .dies = 1, .clusters = 1, .cores = 1, .threads = threads};
	if (plan->vcpu_count) {
		topology->dies =
			choose_parts(planner, vcpus / sockets, die_of, FIT_FEATURE_CPU_DIES);
		topology->clusters = choose_parts(planner, vcpus / sockets / topology->dies,
			cluster_of, FIT_FEATURE_CPU_CLUSTERS);
	}
	topology->cores = vcpus / sockets / topology->dies / topology->clusters / threads;
}

static void explain_topology(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;
	fit_autofree char *text = fit_topology_describe(&planner->plan->topology);

	fit_planner_reason(planner, FIT_REASON_CHOICE, "cpu", "guest topology: %s", text);
	if (domain->vcpus_current < domain->vcpus)
		fit_planner_reason(planner, FIT_REASON_CHOICE, "cpu",
			"%u of %u vCPUs are there at start; the others have their places too",
			domain->vcpus_current, domain->vcpus);
}

static void explain_threads(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	unsigned int host_threads = fit_host_threads_per_core(planner->host);
	unsigned int vcpus = planner->domain->vcpus;

	if (planner->plan->vcpus_kept || has_fixed(planner) ||
		planner->vcpus_place != FIT_PLACE_CORES)
		return;
	if (candidate->cost.level[FIT_COST_HIDDEN_SMT]) {
		fit_planner_reason(planner, FIT_REASON_NOTE, "cpu",
			"%u vCPUs on %zu cores: some share a core, which the guest does not see, "
			"because %u does not divide into guest cores of %u threads",
			vcpus, candidate->core_count, vcpus, candidate->per_core);
	} else if (planner->wanted_threads == 1 && host_threads > 1) {
		fit_planner_reason(planner, FIT_REASON_CHOICE, "cpu",
			"each vCPU has a core of its own, whose other threads stay idle: the "
			"profile wants one thread for each core");
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

void fit_place_topology_commit(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	const struct fit_intent_cpu *cpu = &planner->profile->cpu;
	const struct fit_topology *kept = &planner->domain->topology;

	explain_threads(planner, candidate);
	if (!cpu->intent.set)
		return;
	if (!planner->kept_threads) {
		choose_topology(planner, candidate);
		explain_topology(planner);
	} else if (cpu->mirror_topology) {
		fit_planner_reason(planner, FIT_REASON_KEPT, "cpu",
			"the topology of the definition stays (%u sockets, %u cores, %u threads)",
			kept->sockets, kept->cores, kept->threads);
	}
	check_pins(planner);
}
