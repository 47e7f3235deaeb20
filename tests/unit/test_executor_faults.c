/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several domains in every order, and a fault at every change: the host ends as it was. */
#include "support.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_executor.h"
#include "sys/clock.h"
#include "sys/executor.h"

static void expect_runs(const struct fixture *f, const struct guest *guest, int done)
{
	fit_autofree char *vf = fit_xasprintf("sys/bus/pci/devices/%s/physfn", guest->vf);
	struct fit_cpuset mine = fit_test_cpus(guest->cpus);
	int64_t free_pages;

	if (done >= 1 && done <= 4)
		assert_true(fit_fsroot_exists(&f->root, vf));
	if (done >= 1 && done <= 3) {
		assert_true(
			fit_fsroot_try_read_int(&f->root, POOL(0) "/free_hugepages", &free_pages));
		assert_true(free_pages >= 1024);
	}
	if (done >= 2 && done <= 3)
		has_value(f, "sys/devices/system/cpu/cpufreq/policy2/scaling_governor",
			"performance");
	if (done == 3) {
		fit_autofree char *text =
			fit_fsroot_try_read(&f->root, "proc/irq/9/smp_affinity_list");
		struct fit_cpuset affinity = fit_test_cpus(text);

		assert_false(fit_cpuset_intersects(&affinity, &mine));
	}
}

/* The pages of a guest that has started are taken; they come back when it stops. */
static void use_pages(const struct fixture *f, int64_t taken)
{
	int64_t free_pages;
	fit_autofree char *manifest = NULL;

	assert_true(fit_fsroot_try_read_int(&f->root, POOL(0) "/free_hugepages", &free_pages));
	manifest =
		fit_xasprintf(POOL(0) "/free_hugepages = %lld\n", (long long)(free_pages - taken));
	fit_test_kernel_set(&f->kernel, manifest);
}

/* A VF only goes from 1 to 2 while nobody uses the first. */
static bool vf_is_in_the_way(const int done[2], int who)
{
	return who == 1 && done[1] == 0 && done[0] >= 1 && done[0] <= 4;
}

static void two_domains_in_every_order_leave_the_host_as_it_was(void **unused)
{
	struct fixture f;
	int orders = 0;

	(void)unused;
	setup(&f);
	/* Each bit says whose next call it is. */
	for (unsigned int order = 0; order < 1U << 10; order++) {
		int done[2] = {0, 0};

		if (__builtin_popcount(order) != 5)
			continue;
		orders++;
		for (unsigned int i = 0; i < 10; i++) {
			int who = order >> i & 1;
			const struct guest *guest = who ? &guest_b : &guest_a;

			if (done[who] == 3)
				use_pages(&f, -1024);
			if (vf_is_in_the_way(done, who)) {
				refused(&f, guest, 0, "is held by the domain");
				done[1] = 5;
				run_down(&f, guest);
			}
			if (done[who] == 5)
				continue;
			call(&f, guest, done[who]++);
			if (done[0] != 3 && done[1] != 3)
				expect_runs(&f, guest, done[who]);
			if (done[who] == 3) {
				has_value(&f,
					"sys/devices/system/cpu/cpufreq/policy2/scaling_governor",
					"performance");
				use_pages(&f, 1024);
			}
		}
		expect_as_before(&f);
	}
	teardown(&f);
	assert_int_equal(orders, 252);
}

static void the_stop_of_one_does_not_disturb_the_other(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_b);
	run_up(&f, &guest_a);
	has_value(&f, "proc/irq/9/smp_affinity_list", "0-1,6-7");
	has_value(&f, POOL(0) "/nr_hugepages", "1436");
	run_down(&f, &guest_b);
	has_value(&f, "proc/irq/9/smp_affinity_list", "0-1,4-7");
	has_value(&f, "sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "performance");
	has_value(&f, "sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave");
	has_value(&f, PF "/sriov_numvfs", "2");
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

/* A whole life, as libvirt calls it: what fails at the start is followed by stopped and release. */
static void live(struct fixture *f, const struct guest *guest)
{
	for (int phase = 0; phase < 3; phase++)
		if (hook_call(f, guest, phase, NULL) < 0)
			break;
	for (int phase = 3; phase < 5; phase++)
		(void)hook_call(f, guest, phase, NULL);
}

static int live_on(struct fixture *f, const void *guest)
{
	live(f, guest);
	return f->kernel.changes < f->kernel.fault_at ? 1 : f->kernel.fault_is_refused ? 2 : 0;
}

/* Runs live() in a process of its own with a fault at change @at. False: there are fewer changes.
 */
static bool live_with_fault(
	struct fixture *f, const struct guest *guest, enum fit_test_fault fault, unsigned int at)
{
	int status = run_with_fault(f, fault, at, live_on, guest);

	if (fault != FIT_TEST_FAIL && status == 0)
		fail_msg("change %u: nobody died", at);
	return status != 1;
}

static void recover(struct fixture *f, const struct guest *guest)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;

	open_state(f, &state);
	if (fit_executor_undo(&state, guest->uuid, FIT_PHASE_RELEASE, &notes, &err) < 0)
		fail_msg("undo: %s", err.message);
	fit_state_close(&state);
	if (notes.count)
		fail_msg("undo: %s", notes.items[0]);
}

static void fail_at_any_change(struct fixture *f)
{
	for (enum fit_test_fault fault = FIT_TEST_FAIL; fault <= FIT_TEST_DIE_AFTER; fault++) {
		unsigned int at = 1;

		while (live_with_fault(f, &guest_a, fault, at)) {
			recover(f, &guest_a);
			expect_as_before(f);
			at++;
		}
		assert_true(at > 20);
	}
}

static void a_fault_at_any_change_leaves_nothing_behind(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	fail_at_any_change(&f);
	without_systemd(&f);
	fail_at_any_change(&f);
	teardown(&f);
}

/* The same beside a running domain, whose host stays as it has it. */
static void a_fault_beside_a_running_domain_does_not_touch_it(void **unused)
{
	fit_autofree char *running = NULL;
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_b);
	use_pages(&f, 1024);
	running = dump(&f);
	for (enum fit_test_fault fault = FIT_TEST_FAIL; fault <= FIT_TEST_DIE_AFTER; fault++) {
		for (unsigned int at = 1; live_with_fault(&f, &guest_a, fault, at); at++) {
			fit_autofree char *after = NULL;

			recover(&f, &guest_a);
			after = dump(&f);
			assert_string_equal(after, running);
		}
	}
	use_pages(&f, -1024);
	run_down(&f, &guest_b);
	expect_as_before(&f);
	teardown(&f);
}

static int release(struct fixture *f, const void *guest)
{
	(void)hook_call(f, guest, 4, NULL);
	return 0;
}

/* Returns false when the undo has fewer changes than @at. */
static bool undo_dies_at(struct fixture *f, const struct guest *guest, unsigned int at)
{
	return run_with_fault(f, FIT_TEST_DIE_AFTER, at, release, guest) == FIT_TEST_DEATH;
}

/* An undo that dies at any change can be repeated, and that one can die as well. */
static void an_undo_can_die_and_be_repeated(void **unused)
{
	struct fixture f;
	bool more = true;

	(void)unused;
	setup(&f);
	for (unsigned int at = 1; more; at++) {
		run_up(&f, &guest_a);
		more = undo_dies_at(&f, &guest_a, at);
		(void)undo_dies_at(&f, &guest_a, at);
		recover(&f, &guest_a);
		expect_as_before(&f);
	}
	teardown(&f);
}

/* With the older one gone, values are there that nobody has written before. */
static void an_undo_beside_a_younger_domain_can_die(void **unused)
{
	struct fixture f;
	bool more = true;

	(void)unused;
	setup(&f);
	for (unsigned int at = 1; more; at++) {
		run_up(&f, &guest_b);
		use_pages(&f, 1024);
		run_up(&f, &guest_a);
		use_pages(&f, 1024);
		/* QEMU of the older one is gone. */
		use_pages(&f, -1024);
		more = undo_dies_at(&f, &guest_b, at);
		recover(&f, &guest_b);
		use_pages(&f, -1024);
		run_down(&f, &guest_a);
		expect_as_before(&f);
	}
	teardown(&f);
}

/* The domain stops all the same, and nobody comes to try again. */
static void a_full_disk_does_not_keep_the_host_from_being_restored(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	for (int full_at = 0; full_at < 5; full_at++) {
		for (int phase = 0; phase < 5; phase++) {
			f.kernel.no_room = phase >= full_at;
			(void)hook_call(&f, &guest_a, phase, NULL);
		}
		expect_as_before(&f);
		f.kernel.no_room = false;
	}
	teardown(&f);
}

/* Values that nobody has written before cannot be written then; they are when there is room. */
static void a_full_disk_beside_a_younger_domain_is_made_up_for(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_b);
	use_pages(&f, 1024);
	run_up(&f, &guest_a);
	use_pages(&f, 1024);
	use_pages(&f, -1024);
	f.kernel.no_room = true;
	for (int phase = 3; phase < 5; phase++)
		(void)hook_call(&f, &guest_b, phase, NULL);
	has_value(&f, "sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "performance");
	f.kernel.no_room = false;
	use_pages(&f, -1024);
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_domains_in_every_order_leave_the_host_as_it_was),
		cmocka_unit_test(the_stop_of_one_does_not_disturb_the_other),
		cmocka_unit_test(a_fault_at_any_change_leaves_nothing_behind),
		cmocka_unit_test(a_fault_beside_a_running_domain_does_not_touch_it),
		cmocka_unit_test(an_undo_can_die_and_be_repeated),
		cmocka_unit_test(an_undo_beside_a_younger_domain_can_die),
		cmocka_unit_test(a_full_disk_does_not_keep_the_host_from_being_restored),
		cmocka_unit_test(a_full_disk_beside_a_younger_domain_is_made_up_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
