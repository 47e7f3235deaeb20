/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every choice has a line that says what won, everything that lost one that says why. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_plan.h"

static const struct fit_reason *reason_about(const struct fit_bench *b, enum fit_reason_kind kind,
	const char *topic, const char *subject)
{
	for (size_t i = 0; i < b->plan.reason_count; i++) {
		const struct fit_reason *reason = &b->plan.reasons[i];

		if (reason->kind == kind && fit_streq(reason->topic, topic) &&
			fit_streq(reason->subject, subject))
			return reason;
	}
	for (size_t i = 0; i < b->plan.reason_count; i++)
		print_message("%d %s [%s] %s\n", b->plan.reasons[i].kind, b->plan.reasons[i].topic,
			b->plan.reasons[i].subject ? b->plan.reasons[i].subject : "",
			b->plan.reasons[i].text);
	fail_msg("nothing about %s in %s", subject, topic);
	abort();
}

static void expect_choice(
	const struct fit_bench *b, const char *topic, const char *subject, const char *why)
{
	const struct fit_reason *reason = reason_about(b, FIT_REASON_CHOICE, topic, subject);

	if (!strstr(reason->text, why))
		fail_msg("'%s' lacks '%s'", reason->text, why);
}

static void expect_rejection(const struct fit_bench *b, const char *topic, const char *subject,
	const char *criterion, uint64_t value, uint64_t chosen)
{
	const struct fit_reason *reason = reason_about(b, FIT_REASON_REJECTION, topic, subject);

	assert_true(fit_starts_with(reason->text, subject));
	assert_string_equal(reason->criterion, criterion);
	assert_true(reason->has_values);
	assert_int_equal(reason->value, value);
	assert_int_equal(reason->chosen, chosen);
}

/* Two nodes with two L3 groups of four cores with two threads each. */
static struct fit_bench bench(unsigned int vcpus)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 2, 4, 2}, vcpus);

	b.host.nodes[0].pools[1].free = b.host.nodes[0].pools[1].total = 16;
	b.host.nodes[1].pools[1].free = b.host.nodes[1].pools[1].total = 16;
	return b;
}

static void cores_won_against_other_caches_and_those_of_others(void **state)
{
	struct fit_bench b = bench(6);

	(void)state;
	fit_made_claim(&b.claims, "web02", true, "9");
	fit_made_claim(&b.claims, "build", false, "10");
	fit_made_claim(&b.claims, "batch", true, "1-7");
	fit_bench_plan(&b);
	/* Node 1 has a whole group; its other one has two cores that nobody has. */
	fit_expect_set(&b.plan.vcpu_nodes, "1");
	fit_expect_set(&b.plan.vcpu_cpus, "12-14,28-30");
	expect_choice(&b, "housekeeping", "CPUs 0,16", "first core that is not isolated");
	expect_rejection(&b, "cores", "CPU 9", "holder", 1, 0);
	expect_rejection(&b, "cores", "CPU 10", "holder", 1, 0);
	fit_expect_reason(&b, FIT_REASON_REJECTION, "CPU 9: web02 (running) has them");
	fit_expect_reason(&b, FIT_REASON_REJECTION, "CPU 10: build (shut off) is defined on them");
	expect_rejection(&b, "cores", "CPUs 8,11,24,27 of another L3 cache", "room", 2, 3);
	/* Those of the other node have the node's reason. */
	assert_null(fit_made_reason(&b.plan, FIT_REASON_REJECTION, "batch (running)"));
	/* What is shared for want of room is warned of, and not said to be left alone. */
	fit_made_claim(&b.claims, "old", false, "8,11-15");
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_WARNING, "old (shut off) is defined there too");
	assert_null(fit_made_reason(&b.plan, FIT_REASON_REJECTION, "old (shut off)"));
	fit_bench_end(&b);
}

static void cores_won_by_what_they_leave_or_by_where_they_were(void **state)
{
	struct fit_bench b = bench(2);

	(void)state;
	fit_made_claim(&b.claims, "web02", true, "8-9,12");
	fit_made_claim(&b.claims, "batch", true, "1-7");
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_cpus, "10,26");
	expect_rejection(&b, "cores", "CPUs 13-15,29-31 of another L3 cache", "l3-fragments", 2, 1);
	fit_bench_keep_plan(&b);
	fit_claims_clear(&b.claims);
	fit_made_claim(&b.claims, "batch", true, "1-7");
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_cpus, "10,26");
	expect_rejection(&b, "cores", "CPUs 12-15,28-31 of another L3 cache", "moved", 1, 0);
	fit_bench_end(&b);
}

static void threads_memory_and_pages_say_where_and_why(void **state)
{
	struct fit_bench b = bench(2);

	(void)state;
	fit_made_disk(&b.domain, "vda", "virtio");
	b.profile.emulator.place = FIT_PLACE_HOUSEKEEPING;
	b.profile.iothreads.place = FIT_PLACE_OWN_CORE;
	fit_bench_plan(&b);
	expect_choice(&b, "emulator", "the emulator", "CPUs 0,16: housekeeping");
	expect_choice(&b, "iothreads", "iothread 1", "the nearest core to the vCPUs");
	expect_choice(&b, "disks", "disk vda", "iothread 1");
	expect_choice(&b, "cpu", "2 threads for each guest core", "threads of one core");
	expect_choice(&b, "memory", "node 0", "where the vCPUs are");
	expect_rejection(&b, "memory", "node 1", "distance", 21, 10);
	expect_rejection(&b, "memory", "pages of 2 MiB", "page-size", 1, 0);
	b.host.nodes[1].memory_kib = b.host.nodes[1].free_kib = 0;
	fit_bench_plan(&b);
	expect_rejection(&b, "memory", "node 1", "kind", 1, 0);
	/* The emulator's place is warned of where it is not what was asked for. */
	b.profile.emulator.place = FIT_PLACE_OWN_CORE;
	fit_made_claim(&b.claims, "web02", true, "2-15");
	b.profile.iothreads.place = FIT_PLACE_HOUSEKEEPING;
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_WARNING, "the emulator is on the housekeeping CPUs");
	assert_null(fit_made_reason(&b.plan, FIT_REASON_CHOICE, "the emulator: "));
	fit_bench_end(&b);
}

static void pfs_and_vfs_won_by_link_distance_or_number(void **state)
{
	struct fit_bench b = bench(2);

	(void)state;
	b.profile.vfs.intent.set = true;
	b.profile.vfs.count = 2;
	b.profile.vfs.pf = fit_xstrdup("nearest");
	fit_made_pf(&b.host, "0000:01:00.0", "few", 0, 8, 1);
	fit_made_pf(&b.host, "0000:02:00.0", "down", 0, 8, 4);
	b.host.pci[fit_host_pci(&b.host, (struct fit_pciaddr){.bus = 2}) - b.host.pci]
		.netdevs[0]
		.carrier = false;
	fit_made_pf(&b.host, "0000:03:00.0", "good", 0, 8, 4);
	fit_made_pf(&b.host, "0000:04:00.0", "empty", 0, 8, 0);
	fit_made_pf(&b.host, "0000:05:00.0", "second", 0, 8, 4);
	fit_made_pf(&b.host, "0000:81:00.0", "far", 1, 8, 4);
	fit_bench_plan(&b);
	assert_int_equal(b.plan.vfs[0].pf.bus, 3);
	expect_choice(&b, "vf", "good",
		"4 VFs can be had, the lowest are taken; it has a link; it "
		"is where the vCPUs are");
	expect_rejection(&b, "vf", "few", "room", 1, 2);
	expect_rejection(&b, "vf", "down", "link", 1, 0);
	expect_rejection(&b, "vf", "empty", "vfs-to-create", 1, 0);
	expect_rejection(&b, "vf", "second", "order", 1, 0);
	expect_rejection(&b, "vf", "far", "devices", 11, 0);
	expect_choice(&b, "bus", "0000:03:10.0", "libvirt chooses the guest's slot");
	/* Another domain has those of one that comes first. */
	fit_made_claim(&b.claims, "idle", false, "");
	for (uint8_t vf = 0; vf < 3; vf++)
		*FIT_APPEND(b.claims.items[0].devices, b.claims.items[0].device_count) =
			(struct fit_pciaddr){.bus = 3, .slot = 0x10, .function = vf};
	fit_bench_plan(&b);
	expect_rejection(&b, "vf", "good", "overlap", 1, 0);
	fit_claims_clear(&b.claims);
	/* It has those that come behind. */
	fit_made_hostdev(&b.previous, "0000:05:10.0", true);
	fit_made_hostdev(&b.previous, "0000:05:10.1", true);
	b.has_previous = true;
	fit_bench_plan(&b);
	expect_rejection(&b, "vf", "good", "moved", 1, 0);
	fit_expect_reason(&b, FIT_REASON_REJECTION, "good: the domain has VFs of another");
	fit_bench_end(&b);
}

static void lost_nodes_have_the_numbers_that_decided(void **state)
{
	struct fit_bench b = bench(2);

	(void)state;
	b.host.nodes[0].pools[1].free = b.host.nodes[0].pools[1].total = 0;
	b.host.nodes[0].free_kib = 0;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_nodes, "1");
	expect_rejection(&b, "nodes", "node 0", "page-size", 2, 0);
	b.profile.memory.page_size_count = 2; /* without normal pages */
	fit_bench_plan(&b);
	assert_string_equal(
		reason_about(&b, FIT_REASON_REJECTION, "nodes", "node 0")->criterion, "memory");
	fit_expect_reason(&b, FIT_REASON_REJECTION, "node 0: no room for the memory");
	fit_bench_end(&b);

	b = bench(2);
	fit_bench_request(&b, "eth0");
	fit_made_pf(&b.host, "0000:81:00.0", "eth0", 1, 0, 0);
	fit_bench_plan(&b);
	expect_rejection(&b, "nodes", "node 0", "devices", 11, 0);
	fit_bench_end(&b);

	b = fit_bench((struct fit_host_shape){3, 1, 4, 1}, 4);
	b.profile.cells.intent.set = true;
	b.profile.cells.count = 2;
	b.domain.memory_kib = 100 * GIB;
	b.profile.memory.page_sizes[0] = 0;
	b.profile.memory.page_size_count = 1;
	b.host.nodes[0].memory_kib = 8 * GIB;
	fit_bench_plan(&b);
	expect_rejection(&b, "nodes", "nodes 0-1", "cell-memory", 1, 0);
	assert_string_equal(reason_about(&b, FIT_REASON_REJECTION, "nodes", "nodes 0-1")->text,
		"nodes 0-1: its memory is too small for the guest's cells");
	fit_bench_end(&b);

	/* An odd number of vCPUs is not shown as threads. */
	b = bench(3);
	b.profile.iothreads.intent.set = false;
	fit_made_claim(&b.claims, "web02", true, "1,4-7");
	fit_bench_plan(&b);
	expect_rejection(&b, "nodes", "node 0", "hidden-threads", 1, 0);
	assert_string_equal(reason_about(&b, FIT_REASON_REJECTION, "nodes", "node 0")->text,
		"node 0: vCPUs would share cores and the guest would not know");
	fit_bench_end(&b);
}

static void nodes_lost_by_their_cores(void **state)
{
	static const struct {
		unsigned int vcpus;
		bool running;
		const char *cpus;
		const char *criterion;
		uint64_t value, chosen;
	} cases[] = {
		{2, false, "0-7,16-23", "overlap", 1, 0},
		{3, true, "1-2,5-7", "l3-groups", 2, 1},
		{2, true, "9-15", "l3-fragments", 2, 0},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_bench b = bench(cases[i].vcpus);

		b.profile.iothreads.intent.set = false;
		fit_made_claim(&b.claims, "other", cases[i].running, cases[i].cpus);
		fit_bench_plan(&b);
		fit_expect_set(&b.plan.vcpu_nodes, "1");
		expect_rejection(
			&b, "nodes", "node 0", cases[i].criterion, cases[i].value, cases[i].chosen);
		fit_bench_end(&b);
	}
}

/* Of many PFs the nearest VFs are taken, which can be of more of them on one node. */
static void nodes_lost_by_the_number_of_their_pfs(void **state)
{
	struct fit_bench b = bench(2);

	(void)state;
	b.profile.vfs.intent.set = true;
	b.profile.vfs.count = 4;
	b.profile.vfs.pf = fit_xstrdup("nearest");
	for (unsigned int i = 1; i < 8; i++) {
		fit_autofree char *addr = fit_xasprintf("0000:%02x:00.0", i);
		fit_autofree char *name = fit_xasprintf("eth%u", i);

		fit_made_pf(&b.host, addr, name, i > 4, 8, i > 4 ? 2 : 1);
	}
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_nodes, "1");
	expect_rejection(&b, "nodes", "node 0", "pfs", 4, 2);
	fit_expect_reason(&b, FIT_REASON_REJECTION, "node 0: VFs of more PFs (4, on node 1 2)");
	fit_bench_end(&b);
}

static void memory_of_nodes_that_may_not_be_used_is_not_said_to_be_slow(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){4, 1, 4, 1}, 2);
	struct fit_cpuset allowed = fit_made_set("0-3,8-15");

	(void)state;
	for (unsigned int cpu = 8; cpu < 12; cpu++)
		fit_made_offline(&b.host, cpu);
	assert_true(fit_host_limit(&b.host, &allowed, "host.xml:2"));
	/* Another limit does not forget what the first one left out. */
	fit_cpuset_remove(&allowed, 15);
	assert_true(fit_host_limit(&b.host, &allowed, "--allowed"));
	assert_true(fit_host_limit(&b.host, &allowed, "nothing"));
	fit_bench_plan(&b);
	expect_rejection(&b, "memory", "node 1", "kind", 1, 0);
	expect_rejection(&b, "memory", "node 3", "distance", 21, 10);
	fit_expect_reason(&b, FIT_REASON_REJECTION,
		"node 1: none of its CPUs is allowed, by host.xml:2 and --allowed: only by name");
	fit_expect_reason(&b, FIT_REASON_REJECTION, "node 2: no CPUs: slower memory");
	fit_bench_end(&b);
}

/* What people read is a line each. */
static void every_reason_is_one_line(void **state)
{
	struct fit_bench b = bench(6);

	(void)state;
	fit_made_claim(&b.claims, "web02", true, "9");
	fit_bench_plan(&b);
	assert_true(b.plan.reason_count > 8);
	for (size_t i = 0; i < b.plan.reason_count; i++) {
		const struct fit_reason *reason = &b.plan.reasons[i];

		assert_true(*reason->text);
		assert_null(strchr(reason->text, '\n'));
		if (reason->kind == FIT_REASON_REJECTION)
			assert_true(reason->subject && reason->criterion);
	}
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cores_won_against_other_caches_and_those_of_others),
		cmocka_unit_test(cores_won_by_what_they_leave_or_by_where_they_were),
		cmocka_unit_test(threads_memory_and_pages_say_where_and_why),
		cmocka_unit_test(pfs_and_vfs_won_by_link_distance_or_number),
		cmocka_unit_test(lost_nodes_have_the_numbers_that_decided),
		cmocka_unit_test(nodes_lost_by_their_cores),
		cmocka_unit_test(nodes_lost_by_the_number_of_their_pfs),
		cmocka_unit_test(memory_of_nodes_that_may_not_be_used_is_not_said_to_be_slow),
		cmocka_unit_test(every_reason_is_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
