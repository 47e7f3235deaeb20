/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds for every plan on every captured host ($CORPUS/hosts): guests of one vCPU to more than
 * the host has CPUs, under each policy.
 */
#include "support.h"

#include <stdlib.h>

#include "base/memory.h"
#include "support_corpus.h"
#include "support_plan.h"
#include "sys/probe.h"

static const char *current;
static unsigned int planned;

#define EXPECT(condition) \
	do { \
		if (!(condition)) \
			fail_msg("%s: %u vCPUs, policy %u: %s", current, b->domain.vcpus, policy, \
				#condition); \
	} while (0)

enum policy { EXCLUSIVE, SPREAD, SHARED, SETS, FLOATING, MIXED, POLICIES };

static bool is_pooled(const struct fit_bench *b, size_t vcpu)
{
	return fit_cpuset_contains(&b->plan.pooled_vcpus, (unsigned int)vcpu);
}

static void set_policy(struct fit_bench *b, unsigned int policy)
{
	struct fit_intent_vcpus *vcpus = &b->profile.vcpus;

	vcpus->place = policy == FLOATING ? FIT_PLACE_NODE : FIT_PLACE_CORES;
	vcpus->shared = policy == SHARED || policy == FLOATING;
	vcpus->span_nodes = policy == SPREAD || policy == SHARED;
	vcpus->pin_set = policy == SETS;
	fit_xreplace(&vcpus->dedicated, policy == MIXED ? "^0,3,6-7,11-20,40-90,200-999" : NULL);
	b->profile.emulator.place = policy == SPREAD ? FIT_PLACE_OWN_CORE : FIT_PLACE_HOUSEKEEPING;
	b->profile.cells.intent.set = policy == SPREAD;
	b->profile.cells.count = FIT_CELLS_AUTO;
}

static void check_pins(const struct fit_bench *b, unsigned int policy)
{
	const struct fit_plan *plan = &b->plan;
	struct fit_cpuset used = {0}, pool = {0}, kinds = {0};

	EXPECT(plan->vcpu_count == b->domain.vcpus);
	for (size_t i = 0; i < plan->vcpu_count; i++) {
		const struct fit_cpuset *cpus = &plan->vcpus[i].cpus;
		bool alone = policy != FLOATING && policy != SETS && !is_pooled(b, i);

		EXPECT(!fit_cpuset_is_empty(cpus));
		EXPECT(fit_cpuset_is_subset(cpus, &b->host.online));
		EXPECT(!alone || fit_cpuset_count(cpus) == 1);
		EXPECT(!alone || !fit_cpuset_intersects(cpus, &used));
		fit_cpuset_unite(is_pooled(b, i) ? &pool : &used, cpus);
	}
	EXPECT(!fit_cpuset_intersects(&used, &pool));
	EXPECT(!fit_cpuset_intersects(&pool, &b->claims.items[0].cpus));
	if (policy == MIXED) {
		EXPECT(is_pooled(b, 0) && !is_pooled(b, 1));
		fit_cpuset_for_each (cpu, &used)
			EXPECT(!fit_cpuset_intersects(
				&fit_host_cpu(&b->host, (unsigned int)cpu)->siblings, &pool));
		fit_cpuset_unite(&used, &pool);
		return;
	}
	EXPECT(policy == FLOATING || fit_cpuset_count(&used) >= b->domain.vcpus);
	EXPECT(policy == SHARED || policy == FLOATING ||
		!fit_cpuset_intersects(&used, &b->claims.items[0].cpus));
	EXPECT(policy == FLOATING || !fit_cpuset_intersects(&used, &plan->housekeeping));
	fit_cpuset_for_each (cpu, &used)
		fit_cpuset_add(&kinds, fit_host_cpu(&b->host, (unsigned int)cpu)->kind);
	EXPECT(fit_cpuset_count(&kinds) == 1);
	EXPECT(policy == SPREAD || policy == SHARED || fit_cpuset_count(&plan->vcpu_nodes) == 1);
}

static void check_siblings(const struct fit_bench *b, unsigned int policy)
{
	const struct fit_plan *plan = &b->plan;
	unsigned int threads = plan->has_topology ? plan->topology.threads : 1;

	for (size_t i = 0; threads > 1 && i < plan->vcpu_count; i++) {
		const struct fit_cpuset *first = &plan->vcpus[i - i % threads].cpus;
		int cpu = fit_cpuset_next(&plan->vcpus[i].cpus, 0);

		EXPECT(fit_cpuset_is_subset(
			first, &fit_host_cpu(&b->host, (unsigned int)cpu)->siblings));
	}
}

static void check_rest(const struct fit_bench *b, unsigned int policy)
{
	const struct fit_plan *plan = &b->plan;

	EXPECT(!plan->has_emulator || fit_cpuset_is_subset(&plan->emulator, &b->host.online));
	EXPECT(policy != SPREAD || !fit_cpuset_intersects(&plan->emulator, &plan->vcpu_cpus));
	fit_cpuset_for_each (id, &plan->memory_nodes) {
		const struct fit_node *node = fit_host_node(&b->host, (unsigned int)id);

		EXPECT(node && node->memory_kib && !fit_cpuset_is_empty(&node->cpus));
	}
}

/* vCPUs that the largest node, or all of them, could take at least: threads of cores of one kind
 * that neither housekeeping nor the claim has. */
static size_t find_room(const struct fit_bench *b, bool all_nodes, bool shared)
{
	size_t best = 0;

	for (size_t n = 0; n < (all_nodes ? 1 : b->host.node_count); n++)
		for (int kind = FIT_CPU_UNIFORM; kind <= FIT_CPU_EFFICIENCY; kind++) {
			size_t room = 0;

			for (size_t i = 0; i < b->host.cpu_count; i++) {
				const struct fit_cpu *cpu = &b->host.cpus[i];

				room += cpu->online && (int)cpu->kind == kind && cpu->node >= 0 &&
					(all_nodes || cpu->node == (int)b->host.nodes[n].id) &&
					!fit_cpuset_intersects(
						&cpu->siblings, &b->plan.housekeeping) &&
					(shared || !fit_cpuset_intersects(&cpu->siblings,
							   &b->claims.items[0].cpus));
			}
			best = room > best ? room : best;
		}
	return best;
}

/* vCPUs that want a place on a core; where others float, a core must be left for these, and the
 * first vCPU cannot float alone. */
static size_t least_room(const struct fit_bench *b)
{
	struct fit_cpuset dedicated =
		fit_intent_vcpus_dedicated(&b->profile.vcpus, b->domain.vcpus);

	if (!b->profile.vcpus.dedicated)
		return b->domain.vcpus;
	return b->domain.vcpus == 1
		       ? SIZE_MAX
		       : fit_cpuset_count(&dedicated) + fit_host_threads_per_core(&b->host);
}

static void check_size(
	struct fit_bench *b, unsigned int policy, const struct fit_cpuset *housekeeping)
{
	struct fit_plan_input input = fit_bench_input(b);
	bool spread = policy == SPREAD || policy == SHARED;
	size_t room;

	b->err = FIT_ERR_INIT;
	if (fit_plan_make(&input, &b->plan, &b->err) < 0) {
		b->plan = (struct fit_plan){.housekeeping = *housekeeping};
		room = find_room(b, spread, policy == SHARED);
		EXPECT(b->err.code == FIT_ERR_REFUSED);
		EXPECT(policy != FLOATING && room < least_room(b));
		return;
	}
	planned++;
	check_pins(b, policy);
	check_siblings(b, policy);
	check_rest(b, policy);
	fit_plan_clear(&b->plan);
}

/* Who has a core of the host's last node that has CPUs. */
static void claim_core(struct fit_bench *b)
{
	int last = -1;

	fit_cpuset_for_each (cpu, &b->host.online)
		last = cpu;
	fit_made_claim(&b->claims, "other", true, "");
	if (fit_cpuset_count(&b->host.online) > 2)
		fit_cpuset_unite(&b->claims.items[0].cpus,
			&fit_host_cpu(&b->host, (unsigned int)last)->siblings);
}

static void check_host(const char *path, const struct fit_fsroot *root)
{
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_bench b = {
		.domain = fit_made_domain("web01", 1, 64 * 1024),
		.profile = fit_made_profile(),
		.err = FIT_ERR_INIT,
	};
	struct fit_cpuset housekeeping;
	size_t cpus;

	current = path;
	if (fit_probe(root, FIT_PROBE_ALL, &b.host, &warnings, &b.err) < 0)
		fail_msg("%s: %s", path, b.err.message);
	claim_core(&b);
	set_policy(&b, FLOATING);
	fit_bench_plan(&b);
	housekeeping = b.plan.housekeeping;
	cpus = fit_cpuset_count(&b.host.online);
	fit_plan_clear(&b.plan);
	for (unsigned int policy = 0; policy < POLICIES; policy++) {
		set_policy(&b, policy);
		for (unsigned int vcpus = 1; vcpus <= cpus + 1; vcpus += 1 + vcpus / 24) {
			b.domain.vcpus = b.domain.vcpus_current = vcpus;
			check_size(&b, policy, &housekeeping);
		}
	}
	fit_bench_end(&b);
}

static void plans_on_captured_hosts_keep_the_rules(void **state)
{
	(void)state;
	fit_corpus_for_each_host(check_host);
	assert_true(planned > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_on_captured_hosts_keep_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
