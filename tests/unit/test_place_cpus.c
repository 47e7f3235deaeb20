/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cores the vCPUs get. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support_plan.h"

/* Corpus B33. */
static void threads_of_a_core_are_neighbours_in_the_guest(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

	(void)state;
	fit_made_claim(&b.claims, "other", true, "1-2,9-10");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "3,11,4,12");
	fit_expect_topology(&b, 1, 2, 2);
	fit_expect_set(&b.plan.housekeeping, "0,8");
	fit_expect_set(&b.plan.emulator, "0,8");
	fit_bench_end(&b);
}

/* Corpus B34. */
static void threads_are_never_faked(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 4);

	(void)state;
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,2,3,4");
	fit_expect_topology(&b, 1, 4, 1);
	fit_bench_end(&b);
}

static void an_odd_number_of_vcpus_gets_a_core_each(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 3);

	(void)state;
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,2,3");
	fit_expect_topology(&b, 1, 3, 1);
	fit_expect_reason(&b, FIT_REASON_NOTE, "do not divide into cores of 2 threads");
	fit_bench_end(&b);

	b = fit_bench((struct fit_host_shape){1, 1, 3, 2}, 3);
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,4,2");
	fit_expect_topology(&b, 1, 3, 1);
	fit_expect_reason(&b, FIT_REASON_NOTE, "some share a core");
	fit_bench_end(&b);
}

static void cores_with_an_offline_thread_are_used_for_what_they_have(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 4, 2}, 4);

	(void)state;
	fit_made_offline(&b.host, 5);
	fit_bench_plan(&b);
	fit_expect_pins(&b, "2,6,3,7");
	fit_bench_end(&b);

	b = fit_bench((struct fit_host_shape){1, 1, 4, 2}, 5);
	fit_made_offline(&b.host, 5);
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,2,6,3,7");
	fit_expect_topology(&b, 1, 5, 1);
	fit_bench_end(&b);
}

static void vcpus_are_on_the_node_of_the_requested_device(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 2, 4, 2}, 4);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 1, 8, 0);
	fit_bench_request(&b, "enp65s0f0");
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_nodes, "1");
	fit_expect_set(&b.plan.memory_nodes, "1");
	fit_expect_reason(&b, FIT_REASON_REJECTION, "node 0: farther from the devices");
	fit_bench_end(&b);
}

static void an_unknown_device_of_the_request_is_refused(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 4, 1}, 1);

	(void)state;
	fit_bench_request(&b, "eth7");
	fit_expect_refusal(&b, "network interface 'eth7'");
	fit_bench_end(&b);
}

/* Every fourth core, from one after the other, so that neighbours are in others. */
static void set_clusters(struct fit_host *host, int count)
{
	for (size_t i = 0; i < host->cpu_count; i++)
		host->cpus[i].cluster = host->cpus[i].core % count;
}

static void few_clusters_are_used(unsigned int cores, const char *four)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, cores, 1}, 3);

	set_clusters(&b.host, 4);
	fit_bench_plan(&b);
	fit_expect_pins(&b, "4,8,12");
	fit_expect_reason(&b, FIT_REASON_CHOICE, "1 L3 group, 1 cluster");
	fit_bench_end(&b);

	b = fit_bench((struct fit_host_shape){1, 1, cores, 1}, 4);
	fit_made_claim(&b.claims, "other", true, "5");
	set_clusters(&b.host, 4);
	fit_bench_plan(&b);
	fit_expect_pins(&b, four);
	fit_bench_end(&b);
}

static void of_an_l3_group_few_clusters_are_used(void **state)
{
	(void)state;
	/* Found exactly: a cluster that housekeeping has a core of has three left. */
	few_clusters_are_used(16, "2,6,10,14");
	few_clusters_are_used(128, "4,8,12,16"); /* by steps */
}

/* They are no reason to put vCPUs on fewer cores. */
static void clusters_of_one_core_are_none(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 3);

	(void)state;
	set_clusters(&b.host, 8);
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,2,3");
	assert_null(fit_made_reason(&b.plan, FIT_REASON_CHOICE, "cluster"));
	fit_bench_end(&b);
}

static void an_l3_group_of_the_right_size_is_preferred(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 4, 4, 1}, 3);

	(void)state;
	fit_bench_plan(&b);
	/* Group 0 has three left beside housekeeping: groups 1-3 stay whole. */
	fit_expect_pins(&b, "1,2,3");
	fit_bench_end(&b);

	b = fit_bench((struct fit_host_shape){1, 4, 4, 1}, 4);
	fit_bench_plan(&b);
	fit_expect_pins(&b, "4,5,6,7");
	fit_bench_end(&b);
}

static void a_small_host_leaves_one_cpu_to_housekeeping(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 2, 1}, 1);

	(void)state;
	fit_made_disk(&b.domain, "vda", "virtio");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1");
	fit_expect_set(&b.plan.emulator, "0");
	fit_expect_set(&b.plan.iothreads[0].cpus, "0");
	fit_expect_reason(&b, FIT_REASON_WARNING, "no core is free beside the vCPUs");
	fit_bench_end(&b);

	b = fit_bench((struct fit_host_shape){1, 1, 2, 1}, 2);
	fit_expect_refusal(&b, "2 whole cores wanted for 2 vCPUs, 1 is free on node 0");
	assert_non_null(strstr(b.err.message, "CPU 0: housekeeping"));
	assert_non_null(strstr(b.err.message, "would fit: 1 core (1 vCPU)"));
	fit_bench_end(&b);
}

static void a_host_of_one_core_is_shared_with_housekeeping(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 1, 2}, 1);

	(void)state;
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1");
	fit_expect_set(&b.plan.housekeeping, "0");
	fit_expect_reason(&b, FIT_REASON_WARNING, "share the core");
	fit_bench_end(&b);
}

static void a_refusal_names_the_holders_and_what_would_fit(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 9, 1}, 12);

	(void)state;
	fit_made_claim(&b.claims, "build", false, "1-3");
	fit_made_claim(&b.claims, "web02", true, "10-14");
	fit_expect_refusal(&b,
		"12 whole cores wanted on one node for 12 vCPUs, 8 are free on node 0, "
		"4 are free on node 1");
	assert_non_null(strstr(b.err.message, "web02 (running) holds 5 cores of node 1"));
	assert_non_null(strstr(b.err.message, "build (shut off) is defined on 3 cores of node 0"));
	assert_non_null(strstr(b.err.message, "would fit: 8 cores (8 vCPUs), or vcpus "
					      "span=\"nodes\""));
	b.profile.vcpus.span_nodes = true;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_nodes, "0-1");
	fit_bench_end(&b);
}

static void several_nodes_get_equal_shares_and_a_socket_each(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){4, 1, 4, 2}, 12);

	(void)state;
	b.profile.vcpus.span_nodes = true;
	fit_made_claim(&b.claims, "other", true, "4");
	fit_bench_plan(&b);
	/* Three cores are free on each of these: nodes 2 and 3 stay whole. */
	fit_expect_set(&b.plan.vcpu_nodes, "0-1");
	fit_expect_topology(&b, 2, 3, 2);
	fit_expect_pins(&b, "1,17,2,18,3,19,5,21,6,22,7,23");
	fit_bench_end(&b);
}

static void several_nodes_are_near_each_other(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){4, 1, 4, 1}, 8);

	(void)state;
	b.profile.vcpus.span_nodes = true;
	b.host.nodes[1].distances[3] = b.host.nodes[3].distances[1] = 16;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_nodes, "1,3");
	fit_bench_end(&b);
}

static void definitions_of_others_are_avoided_while_there_is_room(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	fit_made_claim(&b.claims, "idle", false, "1-4");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "5,6");
	fit_domain_clear(&b.domain);
	b.domain = fit_made_domain("web01", 4, 4 * GIB);
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,5,6,7");
	fit_expect_reason(&b, FIT_REASON_WARNING, "idle (shut off) is defined there too");
	fit_bench_end(&b);
}

/* The emulator would run on the cores that the vCPUs are to have alone. */
static void kept_pins_of_the_emulator_are_avoided_while_there_is_room(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	b.profile.emulator.intent.set = true;
	b.domain.has_emulator_pin = true;
	b.domain.emulator_pin = fit_made_set("1-4");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "5,6");
	assert_false(fit_made_reason(&b.plan, FIT_REASON_WARNING, "the vCPUs share"));
	b.domain.emulator_pin = fit_made_set("0-6");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,7");
	fit_expect_reason(&b, FIT_REASON_WARNING, "the vCPUs share CPU 1 with the emulator");
	b.profile.emulator.intent.existing = FIT_EXISTING_REPLACE;
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,2");
	fit_bench_end(&b);
}

static void isolated_cpus_are_preferred_when_they_suffice(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	b.host.isolated = fit_made_set("6-7");
	for (unsigned int i = 6; i < 8; i++)
		b.host.cpus[i].isolated = true;
	fit_bench_plan(&b);
	fit_expect_pins(&b, "6,7");
	fit_domain_clear(&b.domain);
	b.domain = fit_made_domain("web01", 3, 4 * GIB);
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,2,3");
	b.profile.vcpus.place = FIT_PLACE_NODE;
	b.profile.vcpus.shared = true;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_cpus, "1-5");
	fit_bench_end(&b);
}

/* Corpus B36. */
static void kinds_of_cores_are_never_mixed(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 12, 1}, 3);

	(void)state;
	for (unsigned int i = 0; i < 12; i++)
		b.host.cpus[i].kind = i < 4 ? FIT_CPU_PERFORMANCE : FIT_CPU_EFFICIENCY;
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,2,3");
	fit_domain_clear(&b.domain);
	b.domain = fit_made_domain("web01", 5, 4 * GIB);
	fit_bench_plan(&b);
	fit_expect_pins(&b, "4,5,6,7,8");
	fit_expect_reason(&b, FIT_REASON_WARNING, "efficiency cores");
	b.domain.vcpus = b.domain.vcpus_current = 9;
	fit_expect_refusal(&b, "\n  performance and efficiency cores are not mixed");
	fit_bench_end(&b);

	/* Those of one thread cannot have two vCPUs, however many they are. */
	b = fit_bench((struct fit_host_shape){1, 1, 12, 2}, 8);
	for (unsigned int cpu = 16; cpu < 24; cpu++)
		fit_made_offline(&b.host, cpu);
	for (unsigned int i = 0; i < 24; i++)
		b.host.cpus[i].kind = i % 12 < 4 ? FIT_CPU_PERFORMANCE : FIT_CPU_EFFICIENCY;
	b.profile.cpu.threads = 2;
	fit_expect_refusal(&b, "4 whole cores wanted for 8 vCPUs, 3 are free on node 0\n");
	fit_bench_end(&b);
}

static void a_previous_placement_stays_when_it_is_as_good(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 2, 4, 2}, 4);

	(void)state;
	fit_made_disk(&b.domain, "vda", "virtio");
	fit_made_claim(&b.claims, "other", true, "1-3");
	fit_bench_plan(&b);
	fit_bench_keep_plan(&b);
	fit_expect_pins(&b, "4,20,5,21");
	/* The other domain is gone: what it had would be the tighter fit now. */
	fit_claims_clear(&b.claims);
	fit_bench_plan(&b);
	fit_expect_pins(&b, "4,20,5,21");
	fit_expect_set(&b.plan.iothreads[0].cpus, "6,22");
	/* Somebody has taken a core of it. */
	fit_made_claim(&b.claims, "other", true, "5");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "4,20,7,23");
	fit_bench_end(&b);
}

/* A core of two threads and one of one leave none idle. That is found at once, not only from a
 * previous placement that has some of them. */
static void the_best_placement_is_found_at_once(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 5, 2}, 3);

	(void)state;
	b.profile.cpu.intent.set = false;
	b.profile.iothreads.intent.set = false;
	fit_made_offline(&b.host, 6);
	fit_made_offline(&b.host, 8);
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,2,7");
	fit_bench_keep_plan(&b);
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,2,7");
	fit_bench_end(&b);
}

/* On a host too large to look at every choice of cores. */
static void cores_that_lack_a_thread_are_used_beside_whole_ones(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 40, 2}, 50);

	(void)state;
	b.profile.iothreads.intent.set = false;
	for (unsigned int cpu = 60; cpu < 80; cpu++)
		fit_made_offline(&b.host, cpu);
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_cpus, "1-31,41-59");
	fit_bench_end(&b);
}

/* On a large host it need not be found at once, but it is kept. */
static void a_placement_that_is_better_than_what_is_found_stays(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 80, 2}, 3);

	(void)state;
	b.profile.cpu.intent.set = false;
	b.profile.iothreads.intent.set = false;
	fit_made_offline(&b.host, 81);
	fit_bench_plan(&b);
	fit_bench_keep_plan(&b);
	b.previous.vcpu_pins[0].cpus = fit_made_set("1");
	b.previous.vcpu_pins[1].cpus = fit_made_set("2");
	b.previous.vcpu_pins[2].cpus = fit_made_set("82");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,2,82");
	fit_bench_end(&b);
}

static void a_vcpu_stays_beside_the_emulator(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 4, 1}, 1);

	(void)state;
	b.profile.emulator.place = FIT_PLACE_VCPUS;
	b.profile.iothreads.intent.set = false;
	fit_made_claim(&b.claims, "other", true, "1");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "2");
	fit_bench_keep_plan(&b);
	fit_claims_clear(&b.claims);
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.emulator, "2");
	fit_expect_pins(&b, "2");
	fit_bench_end(&b);
}

static void floating_vcpus_use_a_node_without_what_others_have(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 4, 1}, 2);

	(void)state;
	b.profile.vcpus.place = FIT_PLACE_NODE;
	b.profile.vcpus.shared = true;
	b.profile.emulator.place = FIT_PLACE_NODE;
	fit_made_claim(&b.claims, "other", true, "4-6");
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_cpus, "1-3");
	fit_expect_set(&b.plan.emulator, "0-3");
	fit_expect_topology(&b, 1, 2, 1);
	fit_bench_end(&b);
}

static void nodes_with_the_same_room_are_named_together(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){4, 1, 4, 1}, 5);

	(void)state;
	fit_expect_refusal(&b, "3 are free on node 0, 4 are free on each of nodes 1-3\n");
	fit_bench_end(&b);
}

static void a_cpu_that_names_no_node_is_of_the_node_that_names_it(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 4, 1}, 4);

	(void)state;
	for (size_t i = 0; i < b.host.cpu_count; i++)
		b.host.cpus[i].node = -1;
	fit_bench_plan(&b);
	fit_expect_pins(&b, "4,5,6,7");
	fit_expect_set(&b.plan.vcpu_nodes, "1");
	fit_bench_end(&b);
}

static void devices_far_from_the_vcpus_are_warned_of(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 4, 1}, 2);
	struct fit_cpuset allowed = fit_made_set("0-3");
	const char *far = " on node 1, but the vCPUs on node 0";

	(void)state;
	fit_made_pf(&b.host, "0000:81:00.0", "eth0", 1, 0, 0);
	fit_made_device(&b.host, "0000:82:00.0", 0x030000, 1, 7);
	fit_made_device(&b.host, "0000:83:00.0", 0x030000, -1, 8);
	fit_bench_request(&b, "eth0");
	fit_made_hostdev(&b.domain, "0000:82:00.0", false);
	fit_made_hostdev(&b.domain, "0000:83:00.0", false);
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_nodes, "1");
	assert_null(fit_made_reason(&b.plan, FIT_REASON_WARNING, "but the vCPUs"));
	/* The node is full. */
	fit_made_claim(&b.claims, "other", true, "4-7");
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_WARNING,
		"0000:81:00.0, 0000:82:00.0 are on node 1, but the vCPUs on node 0");
	/* Its CPUs are not allowed. */
	fit_claims_clear(&b.claims);
	assert_true(fit_host_limit(&b.host, &allowed, "--allowed"));
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_WARNING, far);
	/* Nobody asked for them to be near. */
	b.profile.vcpus.near_devices = false;
	fit_bench_plan(&b);
	assert_null(fit_made_reason(&b.plan, FIT_REASON_WARNING, far));
	fit_bench_end(&b);
}

static void threads_of_its_cores_that_are_not_allowed_are_warned_of(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 2);
	struct fit_cpuset allowed = fit_made_set("0-7,8-9");

	(void)state;
	fit_bench_plan(&b);
	assert_null(fit_made_reason(&b.plan, FIT_REASON_WARNING, "not allowed"));
	assert_true(fit_host_limit(&b.host, &allowed, "host.xml:2"));
	b.domain.vcpus = b.domain.vcpus_current = 7;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_cpus, "1-7");
	fit_expect_reason(&b, FIT_REASON_WARNING,
		"CPUs 10-15 are threads of these cores and not allowed by host.xml:2: others may "
		"run there");
	/* Others run on shared cores anyway. */
	b.profile.vcpus.shared = true;
	fit_bench_plan(&b);
	assert_null(fit_made_reason(&b.plan, FIT_REASON_WARNING, "not allowed"));
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_of_a_core_are_neighbours_in_the_guest),
		cmocka_unit_test(threads_are_never_faked),
		cmocka_unit_test(an_odd_number_of_vcpus_gets_a_core_each),
		cmocka_unit_test(cores_with_an_offline_thread_are_used_for_what_they_have),
		cmocka_unit_test(vcpus_are_on_the_node_of_the_requested_device),
		cmocka_unit_test(an_unknown_device_of_the_request_is_refused),
		cmocka_unit_test(of_an_l3_group_few_clusters_are_used),
		cmocka_unit_test(clusters_of_one_core_are_none),
		cmocka_unit_test(an_l3_group_of_the_right_size_is_preferred),
		cmocka_unit_test(a_small_host_leaves_one_cpu_to_housekeeping),
		cmocka_unit_test(a_host_of_one_core_is_shared_with_housekeeping),
		cmocka_unit_test(a_refusal_names_the_holders_and_what_would_fit),
		cmocka_unit_test(several_nodes_get_equal_shares_and_a_socket_each),
		cmocka_unit_test(several_nodes_are_near_each_other),
		cmocka_unit_test(definitions_of_others_are_avoided_while_there_is_room),
		cmocka_unit_test(kept_pins_of_the_emulator_are_avoided_while_there_is_room),
		cmocka_unit_test(isolated_cpus_are_preferred_when_they_suffice),
		cmocka_unit_test(kinds_of_cores_are_never_mixed),
		cmocka_unit_test(a_previous_placement_stays_when_it_is_as_good),
		cmocka_unit_test(the_best_placement_is_found_at_once),
		cmocka_unit_test(cores_that_lack_a_thread_are_used_beside_whole_ones),
		cmocka_unit_test(a_placement_that_is_better_than_what_is_found_stays),
		cmocka_unit_test(a_vcpu_stays_beside_the_emulator),
		cmocka_unit_test(floating_vcpus_use_a_node_without_what_others_have),
		cmocka_unit_test(nodes_with_the_same_room_are_named_together),
		cmocka_unit_test(a_cpu_that_names_no_node_is_of_the_node_that_names_it),
		cmocka_unit_test(devices_far_from_the_vcpus_are_warned_of),
		cmocka_unit_test(threads_of_its_cores_that_are_not_allowed_are_warned_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
