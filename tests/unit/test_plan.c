/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU's own threads, and the plan as text. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/hostops.h"
#include "support_plan.h"

static void what_the_profile_has_to_say_is_noted(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 16, 1}, 2);

	(void)state;
	fit_strlist_add(&b.profile.idle, "parameter n=\"2\" changes nothing: ...");
	b.profile.isolate.partition = true;
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_NOTE, "parameter n=\"2\" changes nothing: ...");
	fit_expect_reason(&b, FIT_REASON_NOTE,
		"<isolate partition=\"isolated\"> changes nothing beside cpus=\"none\"");
	fit_bench_end(&b);
}

static void iothreads_are_given_to_disks_in_turn(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 16, 1}, 2);

	(void)state;
	fit_made_disk(&b.domain, "vdb", "virtio");
	fit_made_disk(&b.domain, "vda", "virtio");
	fit_made_disk(&b.domain, "vdaa", "virtio");
	fit_made_disk(&b.domain, "sda", "sata");
	b.domain.has_iothreads = true;
	*FIT_APPEND(b.domain.iothread_ids, b.domain.iothread_count) = 3;
	*FIT_APPEND(b.domain.iothread_ids, b.domain.iothread_count) = 7;
	b.domain.disks[0].iothread = 3;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.iothread_count, 2);
	assert_int_equal(b.plan.iothreads[0].id, 3);
	assert_int_equal(b.plan.iothreads[1].id, 7);
	assert_int_equal(b.plan.disk_iothread_count, 2);
	assert_string_equal(b.plan.disk_iothreads[0].target, "vda");
	assert_int_equal(b.plan.disk_iothreads[0].iothread, 7);
	assert_string_equal(b.plan.disk_iothreads[1].target, "vdaa");
	assert_int_equal(b.plan.disk_iothreads[1].iothread, 3);
	fit_bench_end(&b);
}

static void automatic_iothreads_are_one_for_each_virtio_disk(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 16, 1}, 2);

	(void)state;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.iothread_count, 0);
	for (char letter = 'a'; letter < 'g'; letter++)
		fit_made_disk(&b.domain, (char[]){'v', 'd', letter, '\0'}, "virtio");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.iothread_count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(fit_cpuset_count(&b.plan.iothreads[i].cpus), 1);
		assert_false(fit_cpuset_intersects(&b.plan.iothreads[i].cpus, &b.plan.vcpu_cpus));
	}
	assert_int_equal(b.plan.disk_iothreads[4].iothread, 1);
	fit_bench_end(&b);
}

/* libvirt: "iothread is not supported with vhostuser disk". */
static void vhost_user_disks_get_no_iothread(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 16, 1}, 2);

	(void)state;
	fit_made_disk(&b.domain, "vda", "virtio");
	fit_made_disk(&b.domain, "vdb", "virtio");
	free(b.domain.disks[0].type);
	b.domain.disks[0].type = fit_xstrdup("vhostuser");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.iothread_count, 1);
	assert_int_equal(b.plan.disk_iothread_count, 1);
	assert_string_equal(b.plan.disk_iothreads[0].target, "vdb");
	fit_bench_end(&b);
}

static void a_drive_for_cds_gets_no_iothread(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 16, 1}, 2);
	struct fit_domain_controller *controller;

	(void)state;
	controller = FIT_APPEND(b.domain.controllers, b.domain.controller_count);
	controller->type = fit_xstrdup("scsi");
	controller->model = fit_xstrdup("virtio-scsi");
	controller->has_index = true;
	fit_made_disk(&b.domain, "sda", "scsi");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.iothread_count, 1);
	fit_xreplace(&b.domain.disks[0].device, "cdrom");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.iothread_count, 0);
	fit_bench_end(&b);
}

static void a_report_has_a_row_for_each_placement(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 16, 2}, 8);
	struct fit_plan_input input = fit_bench_input(&b);
	fit_autofree char *text = NULL;
	fit_autofree char *why = NULL;

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 1, 8, 2);
	fit_bench_request(&b, "enp65s0f0");
	fit_made_disk(&b.domain, "vda", "virtio");
	b.host.nodes[1].pools[1].total = b.host.nodes[1].pools[1].free = 40;
	b.profile.vfs.intent.set = true;
	b.profile.vfs.count = 1;
	fit_bench_plan(&b);
	text = fit_plan_report(&b.plan, &input, NULL, false);
	why = fit_plan_report(&b.plan, &input, NULL, true);
	assert_string_equal(text,
		"web01: made, on 2 nodes, 32 cores, 64 CPUs\n"
		"  vCPUs 0-7   CPUs 16,48,17,49,18,50,19,51  4 whole cores of node 1, one L3, next "
		"to enp65s0f0\n"
		"  guest CPU   host-passthrough, cache passthrough, 1 socket, 4 cores, 2 threads\n"
		"  emulator    CPUs 0,32                     housekeeping\n"
		"  iothread 1  CPUs 20,52                    disk vda; 1 core\n"
		"  memory      4 GiB on node 1               4 pages of 1 GiB, 40 free\n"
		"  VF 1        0000:41:10.0                  enp65s0f0, VF 0, IOMMU group 6500, "
		"alone\n");
	assert_non_null(strstr(why, "rejected"));
	fit_bench_end(&b);
}

static void expect_row(struct fit_bench *b, const char *row)
{
	struct fit_plan_input input = fit_bench_input(b);
	fit_autofree char *text = NULL;

	fit_bench_plan(b);
	text = fit_plan_report(&b->plan, &input, NULL, false);
	if (!strstr(text, row))
		fail_msg("no '%s' in %s", row, text);
}

static void a_report_tells_cpus_of_their_own_from_shared_ones(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 2, 1}, 1);

	(void)state;
	expect_row(&b, "vCPU 0     CPU 1            1 whole core of node 0, one L3\n");
	b.profile.vcpus.pin_set = true;
	expect_row(&b, "vCPU 0     CPU 1            1 whole core of node 0, one L3\n");
	b.profile.vcpus.pin_set = false;
	b.profile.vcpus.shared = true;
	expect_row(
		&b, "vCPU 0     CPU 1            1 core of node 0, shared with others, one L3\n");
	/* As many CPUs as vCPUs are nobody's own either. */
	b.profile.vcpus.shared = false;
	b.profile.vcpus.place = FIT_PLACE_NODE;
	expect_row(&b, "vCPU 0     CPU 1            floating over node 0\n");
	b.domain.vcpus = b.domain.vcpus_current = 2;
	expect_row(&b, "vCPUs 0-1  CPUs 0-1         floating over node 0\n");
	/* One of the two has a CPU, the other one what is left. */
	b.profile.vcpus.place = FIT_PLACE_CORES;
	b.profile.vcpus.dedicated = fit_xstrdup("0");
	expect_row(&b, "vCPU 0     CPU 1            1 whole core of node 0, one L3\n"
		       "  vCPU 1     CPU 0            floating, shared with others\n");
	fit_bench_end(&b);
}

static void a_report_tells_where_the_memory_of_guest_cells_comes_from(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 2}, 4);

	(void)state;
	b.profile.cells.intent.set = true;
	b.profile.cells.count = 2;
	b.profile.vcpus.span_nodes = true;
	b.host.nodes[0].pools[1].total = b.host.nodes[0].pools[1].free = 5;
	b.host.nodes[1].pools[1].total = b.host.nodes[1].pools[1].free = 6;
	expect_row(&b, "guest cell 0  vCPUs 0-1, 2 GiB on node 0  2 pages of 1 GiB, 5 free\n"
		       "  guest cell 1  vCPUs 2-3, 2 GiB on node 1  2 pages of 1 GiB, 6 free\n");
	b.profile.memory.page_size_count = 0;
	expect_row(&b, "guest cell 0  vCPUs 0-1, 2 GiB on node 0\n"
		       "  guest cell 1  vCPUs 2-3, 2 GiB on node 1\n");
	fit_bench_end(&b);
}

static void a_report_does_not_know_which_vf_a_network_will_give(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 1);

	(void)state;
	b.profile.vfs.intent.set = true;
	b.profile.vfs.count = 1;
	b.profile.vfs.as = FIT_VF_AS_NETWORK;
	b.profile.vfs.network = fit_xstrdup("pool");
	b.profile.vfs.macs = fit_xstrdup("52:54:00:00:00:01");
	b.profile.vfs.vlan = 42;
	expect_row(&b, "VF 1       network pool     chosen by libvirt at start, 52:54:00:00:00:01, "
		       "VLAN 42\n");
	fit_bench_end(&b);
}

/* A definition may pass through what another host had. */
static void a_report_has_interrupts_only_of_devices_that_are_there(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);
	struct fit_plan_input input = fit_bench_input(&b);
	struct fit_hostops ops = {0};
	fit_autofree char *text = NULL;

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 2);
	fit_made_hostdev(&b.domain, "0000:41:10.0", false);
	fit_made_hostdev(&b.domain, "0000:99:00.0", false);
	fit_made_hostdev(&b.domain, "0000:41:10.1", false);
	fit_made_pin(&b.domain, 0, "2");
	fit_made_pin(&b.domain, 1, "3");
	b.profile.interrupts.intent.set = true;
	b.profile.interrupts.devices_to = FIT_PLACE_VCPUS;
	fit_bench_plan(&b);
	fit_hostops_derive(&b.domain, &b.profile, &ops);
	text = fit_plan_report(&b.plan, &input, &ops, false);
	if (!strstr(text, "  interrupts of 0000:41:10.0, 0000:41:10.1 to CPUs 2-3\n"))
		fail_msg("%s", text);
	fit_hostops_clear(&ops);
	fit_bench_end(&b);
}

static void pins_that_are_kept_have_rows_too(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 1);
	struct fit_plan_input input = fit_bench_input(&b);
	fit_autofree char *text = NULL;

	(void)state;
	b.domain.has_emulator_pin = true;
	b.domain.emulator_pin = fit_made_set("5-6");
	fit_bench_plan(&b);
	text = fit_plan_report(&b.plan, &input, NULL, false);
	assert_non_null(strstr(text, "emulator   CPUs 5-6"));
	assert_non_null(strstr(text, "  kept\n"));
	fit_bench_end(&b);
}

static void nodes_that_lost_for_the_same_reason_share_a_line(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){4, 1, 4, 1}, 1);

	(void)state;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_nodes, "0");
	fit_expect_reason(&b, FIT_REASON_REJECTION,
		"nodes 1-3: would break up more free cores that share an L3 (3, on node 0 2)");
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_profile_has_to_say_is_noted),
		cmocka_unit_test(iothreads_are_given_to_disks_in_turn),
		cmocka_unit_test(automatic_iothreads_are_one_for_each_virtio_disk),
		cmocka_unit_test(vhost_user_disks_get_no_iothread),
		cmocka_unit_test(a_drive_for_cds_gets_no_iothread),
		cmocka_unit_test(a_report_has_a_row_for_each_placement),
		cmocka_unit_test(a_report_tells_cpus_of_their_own_from_shared_ones),
		cmocka_unit_test(a_report_tells_where_the_memory_of_guest_cells_comes_from),
		cmocka_unit_test(a_report_does_not_know_which_vf_a_network_will_give),
		cmocka_unit_test(a_report_has_interrupts_only_of_devices_that_are_there),
		cmocka_unit_test(pins_that_are_kept_have_rows_too),
		cmocka_unit_test(nodes_that_lost_for_the_same_reason_share_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
