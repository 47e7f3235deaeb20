/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's topology: threads by the profile's word, dies and clusters of the host, vCPUs that
 * are plugged in later, architectures. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/target.h"
#include "support_plan.h"

static void replace(char **field, const char *text)
{
	free(*field);
	*field = fit_xstrdup(text);
}

static void one_thread_for_each_core_leaves_the_siblings_idle(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

	(void)state;
	fit_bench_plan(&b);
	fit_expect_topology(&b, 1, 2, 2);
	b.profile.cpu.threads = 1;
	fit_bench_plan(&b);
	fit_expect_topology(&b, 1, 4, 1);
	for (size_t i = 1; i < b.plan.vcpu_count; i++)
		assert_false(fit_cpuset_equal(&b.plan.vcpus[i].cpus, &b.plan.vcpus[i - 1].cpus));
	assert_int_equal(fit_cpuset_count(&b.plan.vcpu_cpus), 4);
	fit_expect_reason(&b, FIT_REASON_CHOICE, "whose other threads stay idle");
	b.profile.cpu.threads = 2;
	fit_bench_plan(&b);
	fit_expect_topology(&b, 1, 2, 2);
	fit_bench_end(&b);
}

static void threads_that_cannot_be_are_refused_with_the_reason(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 4);

	(void)state;
	b.profile.cpu.threads = 2;
	fit_expect_refusal(&b, "wants guest cores of 2 threads, but the cores of this host have 1 "
			       "thread (no SMT, or it is off); threads=\"host\"");
	b.profile.cpu.threads = 1;
	fit_bench_plan(&b);
	fit_bench_end(&b);
	b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 3);
	b.profile.cpu.threads = 2;
	fit_expect_refusal(&b, "3 vCPUs (3 at start) do not divide into such cores");
	fit_domain_clear(&b.domain);
	b.domain = fit_made_domain("web01", 4, 4 * GIB);
	b.profile.vcpus.place = FIT_PLACE_NODE;
	fit_expect_refusal(&b, "<vcpus place=\"cores\"/>");
	fit_made_pin(&b.domain, 0, "3");
	fit_made_pin(&b.domain, 1, "4");
	fit_made_pin(&b.domain, 2, "5");
	fit_made_pin(&b.domain, 3, "6");
	fit_expect_refusal(&b, "the vCPU pins of the definition do not put");
	replace(&b.domain.arch, "s390x");
	fit_expect_refusal(&b, "a guest of s390x has no threads");
	fit_bench_end(&b);
}

static void cores_that_are_too_few_are_counted_in_the_wanted_threads(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 10);

	(void)state;
	b.profile.cpu.threads = 1;
	fit_expect_refusal(&b, "10 whole cores wanted for 10 vCPUs");
	fit_bench_end(&b);
}

/* Two dies of four cores on each of two nodes. */
static struct fit_bench bench_of_dies(unsigned int vcpus)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 2, 4, 2}, vcpus);

	for (size_t i = 0; i < b.host.cpu_count; i++)
		b.host.cpus[i].die = b.host.cpus[i].l3;
	b.profile.vcpus.span_nodes = true;
	b.profile.emulator.place = FIT_PLACE_NODE;
	b.profile.iothreads.intent.set = false;
	return b;
}

static void expect_dies(struct fit_bench *b, struct fit_topology wanted)
{
	const struct fit_topology *have = &b->plan.topology;
	fit_autofree char *text = fit_topology_describe(have);

	if (have->sockets != wanted.sockets || have->dies != wanted.dies ||
		have->clusters != wanted.clusters || have->cores != wanted.cores ||
		have->threads != wanted.threads)
		fail_msg("%s", text);
	assert_int_equal(have->sockets * have->dies * have->clusters * have->cores * have->threads,
		b->domain.vcpus);
}

static void dies_are_mirrored_where_the_vcpus_fill_them_evenly(void **state)
{
	struct fit_bench b = bench_of_dies(4);

	(void)state;
	fit_bench_plan(&b);
	expect_dies(&b, (struct fit_topology){1, 1, 1, 2, 2});
	fit_bench_end(&b);
	/* Node 1 has no housekeeping. */
	b = bench_of_dies(16);
	fit_bench_plan(&b);
	expect_dies(&b, (struct fit_topology){1, 2, 1, 4, 2});
	replace(&b.domain.machine, "microvm");
	fit_bench_plan(&b);
	expect_dies(&b, (struct fit_topology){1, 1, 1, 8, 2});
	fit_expect_reason(&b, FIT_REASON_CHOICE,
		"the vCPUs are on 2 dies, which the guest does not see: a machine of type");
	for (size_t i = 0; i < b.host.cpu_count; i++)
		b.host.cpus[i].die = -1;
	replace(&b.domain.machine, "q35");
	fit_bench_plan(&b);
	expect_dies(&b, (struct fit_topology){1, 1, 1, 8, 2});
	fit_bench_end(&b);
	b = bench_of_dies(12);
	fit_bench_plan(&b);
	expect_dies(&b, (struct fit_topology){1, 2, 1, 3, 2});
	fit_bench_end(&b);
	b = bench_of_dies(10);
	fit_bench_plan(&b);
	expect_dies(&b, (struct fit_topology){1, 1, 1, 5, 2});
	fit_bench_end(&b);
}

static void clusters_are_for_arm_and_young_libvirt(void **state)
{
	static const struct fit_target young = {
		.libvirt = FIT_VERSION_OF(10, 1, 0), .qemu = FIT_VERSION_OF(8, 2, 0)};
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 1}, 8);
	struct fit_plan_input input;

	(void)state;
	for (size_t i = 0; i < b.host.cpu_count; i++)
		b.host.cpus[i].cluster = (int)b.host.cpus[i].id / 4;
	replace(&b.domain.arch, "aarch64");
	replace(&b.domain.machine, "virt");
	b.profile.iothreads.intent.set = false;
	fit_bench_plan(&b);
	expect_dies(&b, (struct fit_topology){1, 1, 1, 8, 1});
	fit_expect_reason(&b, FIT_REASON_CHOICE,
		"the vCPUs are on 2 clusters, which the guest does not see: libvirt 9.0 has no "
		"clusters of cores (10.1 has)");
	input = fit_bench_input(&b);
	input.target = &young;
	fit_plan_clear(&b.plan);
	b.plan = fit_made_plan(&input);
	expect_dies(&b, (struct fit_topology){1, 1, 2, 4, 1});
	fit_bench_end(&b);
}

static void vcpus_that_come_later_have_their_places(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 8);

	(void)state;
	b.domain.vcpus_current = 3;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.vcpu_count, 8);
	fit_expect_topology(&b, 1, 4, 2);
	fit_expect_reason(&b, FIT_REASON_CHOICE, "3 of 8 vCPUs are there at start");
	/* A pseries guest starts only with whole cores. */
	replace(&b.domain.arch, "ppc64");
	replace(&b.domain.machine, "pseries");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.topology.threads, 1);
	b.domain.vcpus_current = 4;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.topology.threads, 2);
	fit_bench_end(&b);
}

static void only_vcpus_with_cpus_of_their_own_are_dedicated(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

	(void)state;
	fit_bench_plan(&b);
	assert_true(b.plan.vcpus_dedicated);
	b.profile.vcpus.shared = true;
	fit_bench_plan(&b);
	assert_false(b.plan.vcpus_dedicated);
	b.profile.vcpus.shared = false;
	b.profile.vcpus.place = FIT_PLACE_NODE;
	fit_bench_plan(&b);
	assert_false(b.plan.vcpus_dedicated);
	b.profile.vcpus.place = FIT_PLACE_CORES;
	for (unsigned int vcpu = 0; vcpu < 4; vcpu++)
		fit_made_pin(&b.domain, vcpu, vcpu < 2 ? "3" : "4");
	fit_bench_plan(&b);
	assert_true(b.plan.vcpus_kept);
	assert_false(b.plan.vcpus_dedicated);
	fit_bench_end(&b);
}

static void host_model_is_for_those_that_have_it(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 4);

	(void)state;
	b.profile.cpu.mode = FIT_CPU_MODE_HOST_MODEL;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cpu_mode, FIT_CPU_MODE_HOST_MODEL);
	assert_false(b.plan.passthrough_cache);
	replace(&b.domain.arch, "aarch64");
	replace(&b.domain.machine, "virt");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cpu_mode, FIT_CPU_MODE_HOST_PASSTHROUGH);
	fit_expect_reason(&b, FIT_REASON_NOTE, "host-passthrough instead");
	replace(&b.domain.type, "qemu");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cpu_mode, FIT_CPU_MODE_KEEP);
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread_for_each_core_leaves_the_siblings_idle),
		cmocka_unit_test(threads_that_cannot_be_are_refused_with_the_reason),
		cmocka_unit_test(cores_that_are_too_few_are_counted_in_the_wanted_threads),
		cmocka_unit_test(dies_are_mirrored_where_the_vcpus_fill_them_evenly),
		cmocka_unit_test(clusters_are_for_arm_and_young_libvirt),
		cmocka_unit_test(vcpus_that_come_later_have_their_places),
		cmocka_unit_test(only_vcpus_with_cpus_of_their_own_are_dedicated),
		cmocka_unit_test(host_model_is_for_those_that_have_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
