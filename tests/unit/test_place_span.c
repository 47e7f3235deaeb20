/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When vCPUs spread over several nodes: when one cannot have them as they are to be. */
#include "support.h"

#include <stdlib.h>

#include "base/memory.h"
#include "support_plan.h"

/* Nodes of 4 cores; @span as in span="nodes". */
static struct fit_bench made_bench(unsigned int nodes, unsigned int vcpus, bool span)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){nodes, 1, 4, 1}, vcpus);

	b.profile.vcpus.span_nodes = span;
	b.profile.iothreads.intent.set = false;
	return b;
}

static void expect_nodes(struct fit_bench *b, const char *nodes)
{
	fit_bench_plan(b);
	fit_expect_set(&b->plan.vcpu_nodes, nodes);
}

static void floating_vcpus_spread_before_they_share_cpus(void **state)
{
	struct fit_bench b = made_bench(3, 6, true);

	(void)state;
	b.profile.vcpus.place = FIT_PLACE_NODE;
	b.profile.vcpus.shared = true;
	expect_nodes(&b, "0-1");
	/* Node 0 has housekeeping's. */
	b.domain.vcpus = 4;
	expect_nodes(&b, "1");
	fit_expect_reason(&b, FIT_REASON_REJECTION, "more vCPUs on housekeeping's CPUs");
	/* More than the host has: as many as there are. */
	b.domain.vcpus = 13;
	expect_nodes(&b, "0-2");
	fit_expect_reason(&b, FIT_REASON_WARNING, "13 vCPUs have to share 12 CPUs");
	b.domain.vcpus = 6;
	b.profile.vcpus.span_nodes = false;
	expect_nodes(&b, "1");
	fit_expect_reason(&b, FIT_REASON_WARNING, "6 vCPUs have to share 4 CPUs");
	fit_bench_end(&b);
}

static void a_node_with_a_cpu_for_each_wins_over_the_devices_node(void **state)
{
	struct fit_bench b = made_bench(2, 4, false);

	(void)state;
	b.profile.vcpus.place = FIT_PLACE_NODE;
	b.profile.vcpus.shared = true;
	fit_made_pf(&b.host, "0000:41:00.0", "eth0", 1, 0, 0);
	fit_bench_request(&b, "eth0");
	expect_nodes(&b, "1");
	fit_made_offline(&b.host, 7);
	expect_nodes(&b, "0");
	fit_expect_reason(&b, FIT_REASON_REJECTION,
		"node 1: more vCPUs without a CPU for each (1, on node 0 0)");
	fit_bench_end(&b);
}

static void they_spread_before_they_take_what_shut_off_domains_have(void **state)
{
	struct fit_bench b = made_bench(4, 4, true);

	(void)state;
	fit_made_claim(&b.claims, "idle", false, "4,8,12");
	expect_nodes(&b, "0-1");
	assert_null(fit_made_reason(&b.plan, FIT_REASON_WARNING, "idle"));
	b.profile.vcpus.span_nodes = false;
	expect_nodes(&b, "1");
	fit_expect_reason(&b, FIT_REASON_WARNING, "CPU 4: idle (shut off) is defined there too");
	/* Where they are defined everywhere, nothing is gained. */
	b.profile.vcpus.span_nodes = true;
	fit_cpuset_unite(&b.claims.items[0].cpus, &b.host.online);
	expect_nodes(&b, "1");
	fit_bench_end(&b);
}

static void they_spread_to_be_near_all_devices(void **state)
{
	struct fit_bench b = made_bench(4, 2, true);

	(void)state;
	b.profile.cells.intent.set = true;
	b.profile.cells.count = FIT_CELLS_AUTO;
	fit_made_pf(&b.host, "0000:41:00.0", "eth0", 1, 0, 0);
	fit_made_pf(&b.host, "0000:c1:00.0", "eth1", 3, 0, 0);
	fit_bench_request(&b, "eth0");
	expect_nodes(&b, "1");
	fit_bench_request(&b, "eth1");
	expect_nodes(&b, "1,3");
	assert_int_equal(b.plan.cell_count, 2);
	b.profile.vcpus.span_nodes = false;
	expect_nodes(&b, "1");
	fit_bench_end(&b);
}

/* There not all sets of nodes can be tried. */
static void on_hosts_of_many_nodes_too(void **state)
{
	struct fit_bench b = made_bench(16, 8, true);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "eth0", 5, 0, 0);
	fit_made_pf(&b.host, "0000:c1:00.0", "eth1", 12, 0, 0);
	fit_bench_request(&b, "eth0");
	fit_bench_request(&b, "eth1");
	expect_nodes(&b, "5,12");
	/* Housekeeping has a core of node 0. */
	b.request.device_count = 1;
	free(b.request.devices[1].netdev);
	expect_nodes(&b, "1,5");
	/* One core of each node is left, two of each of these. */
	b.request.device_count = 0;
	free(b.request.devices[0].netdev);
	fit_made_claim(&b.claims, "idle", false, "");
	for (unsigned int cpu = 0; cpu < 64; cpu++)
		if (cpu % 4 > 1U + (cpu / 4 == 3 || cpu / 4 == 7 || cpu / 4 == 11 || cpu / 4 == 14))
			fit_cpuset_add(&b.claims.items[0].cpus, cpu);
	b.profile.vcpus.place = FIT_PLACE_CORES;
	b.domain.vcpus = 12;
	expect_nodes(&b, "3,7,11,14");
	fit_bench_end(&b);
}

static void set_distance(
	struct fit_bench *b, unsigned int from, unsigned int to, unsigned int value)
{
	b->host.nodes[from].distances[to] = b->host.nodes[to].distances[from] = value;
}

static void of_many_nodes_those_near_each_other_are_found(void **state)
{
	struct fit_bench b = made_bench(16, 12, true);

	(void)state;
	set_distance(&b, 3, 9, 12);
	set_distance(&b, 3, 14, 12);
	set_distance(&b, 9, 14, 12);
	expect_nodes(&b, "3,9,14");
	fit_bench_end(&b);

	/* Of 16 nodes all pairs are tried: of this one each has another nearer, without the room.
	 */
	b = made_bench(16, 6, true);
	set_distance(&b, 5, 6, 15);
	set_distance(&b, 5, 7, 12);
	set_distance(&b, 6, 8, 12);
	fit_made_claim(&b.claims, "other", true, "0-2,12-14,23,27");
	for (unsigned int cpu = 28; cpu < 64; cpu++)
		if (cpu % 4)
			fit_cpuset_add(&b.claims.items[0].cpus, cpu);
	expect_nodes(&b, "5-6");
	fit_bench_end(&b);

	/* Of those equally near to the device's node, which has 2 cores, those with the most. */
	b = made_bench(16, 10, true);
	fit_made_pf(&b.host, "0000:41:00.0", "eth0", 9, 0, 0);
	fit_bench_request(&b, "eth0");
	fit_made_claim(&b.claims, "other", true, "2-3");
	for (unsigned int cpu = 16; cpu < 64; cpu++)
		if (cpu % 4 > (cpu / 4 == 9))
			fit_cpuset_add(&b.claims.items[0].cpus, cpu);
	expect_nodes(&b, "1-2,9");
	fit_bench_end(&b);
}

/* No node counts as used that has no core for them, however near to a device it is. */
static void every_node_has_some_of_the_vcpus(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){8, 1, 4, 4}, 8);

	(void)state;
	b.profile.vcpus.span_nodes = true;
	b.profile.iothreads.intent.set = false;
	b.profile.cpu.threads = 4;
	for (unsigned int i = 1; i < 4; i++) {
		fit_autofree char *addr = fit_xasprintf("0000:%u1:00.0", i);
		fit_autofree char *name = fit_xasprintf("eth%u", i);

		fit_made_pf(&b.host, addr, name, (int)i, 0, 0);
		fit_bench_request(&b, name);
	}
	expect_nodes(&b, "1-2");
	fit_expect_pins(&b, "4,36,68,100,8,40,72,104");
	/* Of node 1 efficiency cores only. */
	b.profile.cpu.threads = 0;
	for (size_t i = 0; i < b.host.cpu_count; i++)
		b.host.cpus[i].kind =
			b.host.cpus[i].node == 1 ? FIT_CPU_EFFICIENCY : FIT_CPU_PERFORMANCE;
	expect_nodes(&b, "2-3");
	fit_bench_end(&b);
}

/* As many nodes as cells are asked for: then one of them is taken as it is. */
static void a_node_that_a_shut_off_domain_has_does_where_it_must(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 24, 1}, 12);

	(void)state;
	b.profile.iothreads.intent.set = false;
	b.profile.cells.intent.set = true;
	b.profile.cells.count = 2;
	fit_made_claim(&b.claims, "idle", false, "24-47");
	expect_nodes(&b, "0-1");
	assert_int_equal(fit_cpuset_count(&b.plan.cells[1].vcpus), 6);
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floating_vcpus_spread_before_they_share_cpus),
		cmocka_unit_test(a_node_with_a_cpu_for_each_wins_over_the_devices_node),
		cmocka_unit_test(they_spread_before_they_take_what_shut_off_domains_have),
		cmocka_unit_test(they_spread_to_be_near_all_devices),
		cmocka_unit_test(on_hosts_of_many_nodes_too),
		cmocka_unit_test(of_many_nodes_those_near_each_other_are_found),
		cmocka_unit_test(every_node_has_some_of_the_vcpus),
		cmocka_unit_test(a_node_that_a_shut_off_domain_has_does_where_it_must),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
