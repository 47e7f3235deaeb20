/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pins to sets, real-time schedulers, how many iothreads and where. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/target.h"
#include "support_plan.h"

static void pins_to_a_set_name_all_cpus_chosen(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 4, 2}, 4);

	(void)state;
	b.profile.vcpus.pin_set = true;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_cpus, "1-2,9-10");
	for (size_t i = 0; i < 4; i++)
		assert_true(fit_cpuset_equal(&b.plan.vcpus[i].cpus, &b.plan.vcpu_cpus));
	/* vCPUs that move are no siblings. */
	fit_expect_topology(&b, 1, 4, 1);
	fit_bench_end(&b);
}

/* Too many cores to look at every choice of them. */
static void on_a_large_host_a_set_stays_where_it_was(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 80, 1}, 3);

	(void)state;
	b.profile.vcpus.pin_set = true;
	b.previous = fit_made_domain("web01", 3, 4 * GIB);
	b.has_previous = true;
	for (unsigned int vcpu = 0; vcpu < 3; vcpu++)
		fit_made_pin(&b.previous, vcpu, "40-42");
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_cpus, "40-42");
	/* One more has come. */
	b.domain.vcpus = b.domain.vcpus_current = 4;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_cpus, "1,40-42");
	fit_bench_end(&b);

	/* It comes to the others' L3 cache, though another one has fewer cores left. */
	b = fit_bench((struct fit_host_shape){1, 2, 40, 1}, 3);
	b.profile.vcpus.pin_set = true;
	b.previous = fit_made_domain("web01", 2, 4 * GIB);
	b.has_previous = true;
	for (unsigned int vcpu = 0; vcpu < 2; vcpu++)
		fit_made_pin(&b.previous, vcpu, "50-51");
	fit_made_claim(&b.claims, "other", true, "1-10");
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_cpus, "40,50-51");
	fit_bench_end(&b);
}

static void sets_end_where_guest_cells_do(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 4, 1}, 4);

	(void)state;
	b.profile.vcpus.pin_set = true;
	b.profile.cells.intent.set = true;
	b.profile.cells.count = 2;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpus[0].cpus, "1-2");
	fit_expect_set(&b.plan.vcpus[1].cpus, "1-2");
	fit_expect_set(&b.plan.vcpus[3].cpus, "4-5");
	fit_bench_end(&b);
}

static void isolated_cpus_have_one_vcpu_each(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 6, 1}, 2);

	(void)state;
	b.profile.vcpus.pin_set = true;
	for (unsigned int cpu = 2; cpu < 6; cpu++) {
		b.host.cpus[cpu].isolated = true;
		fit_cpuset_add(&b.host.isolated, cpu);
	}
	fit_bench_plan(&b);
	fit_expect_pins(&b, "2,3");
	fit_expect_reason(&b, FIT_REASON_NOTE, "moves no threads between isolated CPUs");
	fit_bench_end(&b);
}

static void real_time_is_for_vcpus_that_are_alone(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 6, 1}, 2);

	(void)state;
	b.profile.vcpus.scheduling = (struct fit_scheduling){fit_xstrdup("fifo"), 1};
	b.profile.emulator.scheduling = (struct fit_scheduling){fit_xstrdup("fifo"), 2};
	b.host.rt_period_us = 1000000;
	b.host.rt_runtime_us = 950000;
	fit_bench_plan(&b);
	assert_true(b.plan.vcpus_real_time);
	assert_true(b.plan.emulator_real_time);
	assert_false(b.plan.iothreads_real_time);
	fit_expect_reason(&b, FIT_REASON_NOTE, "stopped for 50000 of each 1000000 microseconds");
	/* The hook lifts it then. */
	b.profile.host[FIT_SETTING_RT_RUNTIME].value = fit_xstrdup("unlimited");
	fit_bench_plan(&b);
	assert_null(fit_made_reason(&b.plan, FIT_REASON_NOTE, "microseconds"));
	fit_xreplace(&b.profile.host[FIT_SETTING_RT_RUNTIME].value, NULL);
	b.host.rt_runtime_us = -1;
	fit_bench_plan(&b);
	assert_null(fit_made_reason(&b.plan, FIT_REASON_NOTE, "microseconds"));
	b.profile.vcpus.shared = true;
	fit_bench_plan(&b);
	assert_false(b.plan.vcpus_real_time);
	fit_expect_reason(&b, FIT_REASON_NOTE, "not each of them has a CPU alone");
	b.profile.vcpus.shared = false;
	b.host.rt_runtime_us = 0;
	fit_bench_plan(&b);
	assert_false(b.plan.vcpus_real_time || b.plan.emulator_real_time);
	fit_expect_reason(&b, FIT_REASON_NOTE, "kernel.sched_rt_runtime_us is 0");
	b.host.rt_runtime_us = -1;
	/* By the definition one is on the other's CPU, then on housekeeping's. */
	fit_made_pin(&b.domain, 0, "3");
	fit_made_pin(&b.domain, 1, "3");
	fit_bench_plan(&b);
	assert_false(b.plan.vcpus_real_time);
	b.domain.vcpu_pins[1].cpus = fit_made_set("0");
	fit_bench_plan(&b);
	assert_false(b.plan.vcpus_real_time);
	b.domain.vcpu_pins[1].cpus = fit_made_set("4");
	fit_bench_plan(&b);
	assert_true(b.plan.vcpus_real_time);
	fit_bench_end(&b);
}

static void add_disks(struct fit_bench *b, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		fit_made_disk(&b->domain, (char[]){'v', 'd', (char)('a' + i), '\0'}, "virtio");
}

static void iothreads_are_counted_by_disk_or_node(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 1}, 4);

	(void)state;
	add_disks(&b, 6);
	b.profile.iothreads.automatic = false;
	b.profile.iothreads.place = FIT_PLACE_HOUSEKEEPING;
	b.profile.iothreads.count = FIT_IOTHREADS_PER_DISK;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.iothread_count, 6);
	b.profile.iothreads.count = FIT_IOTHREADS_PER_NODE;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.iothread_count, 1);
	b.profile.cells.intent.set = true;
	b.profile.cells.count = 2;
	b.profile.iothreads.place = FIT_PLACE_OWN_CORE;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.iothread_count, 2);
	fit_expect_set(&b.plan.iothreads[0].cpus, "3");
	fit_expect_set(&b.plan.iothreads[1].cpus, "10");
	b.profile.iothreads.place = FIT_PLACE_NODE;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.iothreads[1].cpus, "10-15");
	assert_int_equal(b.plan.disk_iothreads[1].iothread, 2);
	fit_bench_end(&b);
}

static void all_iothreads_serve_all_disks_where_that_can_be_said(void **state)
{
	const struct fit_target recent = {FIT_VERSION_OF(10, 0, 0), FIT_VERSION_OF(9, 0, 0)};
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);
	struct fit_plan_input input;
	struct fit_plan plan;

	(void)state;
	add_disks(&b, 2);
	b.profile.disks.map_iothreads = true;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.disk_iothreads[0].iothread, 1);
	assert_int_equal(b.plan.disk_iothreads[1].iothread, 2);
	fit_expect_reason(&b, FIT_REASON_NOTE, "libvirt 9.0 has no mapping");
	input = fit_bench_input(&b);
	input.target = &recent;
	plan = fit_made_plan(&input);
	assert_int_equal(plan.disk_iothreads[0].iothread, 0);
	assert_int_equal(plan.disk_iothreads[1].iothread, 0);
	fit_plan_clear(&plan);
	fit_bench_end(&b);
}

static void iothreads_go_with_disks_that_use_them(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 1}, 4);

	(void)state;
	b.profile.iothreads.automatic = false;
	b.profile.iothreads.count = FIT_IOTHREADS_PER_NODE;
	fit_made_disk(&b.domain, "sda", "sata");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.iothread_count, 0);
	fit_expect_reason(&b, FIT_REASON_CHOICE, "none: no disk is virtio");
	add_disks(&b, 1);
	b.profile.disks.spread_iothreads = false;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.iothread_count, 1);
	assert_int_equal(b.plan.disk_iothread_count, 0);
	fit_bench_end(&b);
}

/* What they may float over has the vCPUs' CPUs in it, unless the vCPUs have these alone. */
static void threads_float_where_they_take_nothing_away(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 1}, 4);

	(void)state;
	b.profile.emulator.place = FIT_PLACE_NODE;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.emulator, "0,5-7");
	b.profile.vcpus.shared = true;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.emulator, "0-7");
	fit_cpuset_add(&b.host.isolated, 7);
	b.host.cpus[7].isolated = true;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.emulator, "0-6");
	fit_bench_end(&b);
}

static void an_iothread_whose_pin_stays_is_said_to_be_kept(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	add_disks(&b, 2);
	*FIT_APPEND(b.domain.iothread_pins, b.domain.iothread_pin_count) =
		(struct fit_thread_pin){.id = 2, .cpus = fit_made_set("6-7")};
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.iothreads[0].cpus, "3");
	fit_expect_set(&b.plan.iothreads[1].cpus, "6-7");
	fit_expect_reason(
		&b, FIT_REASON_KEPT, "the pin of iothread 2 in the definition stays (CPUs 6-7)");
	fit_expect_reason(&b, FIT_REASON_CHOICE, "iothread 1: CPU 3: the nearest core");
	assert_null(fit_made_reason(&b.plan, FIT_REASON_CHOICE, "iothread 2: CPU"));
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pins_to_a_set_name_all_cpus_chosen),
		cmocka_unit_test(on_a_large_host_a_set_stays_where_it_was),
		cmocka_unit_test(sets_end_where_guest_cells_do),
		cmocka_unit_test(isolated_cpus_have_one_vcpu_each),
		cmocka_unit_test(real_time_is_for_vcpus_that_are_alone),
		cmocka_unit_test(iothreads_are_counted_by_disk_or_node),
		cmocka_unit_test(all_iothreads_serve_all_disks_where_that_can_be_said),
		cmocka_unit_test(iothreads_go_with_disks_that_use_them),
		cmocka_unit_test(threads_float_where_they_take_nothing_away),
		cmocka_unit_test(an_iothread_whose_pin_stays_is_said_to_be_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
