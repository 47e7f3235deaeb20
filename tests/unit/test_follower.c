/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Vectors come, go, come back under other numbers, are moved by others: they are where they belong
 * in time, nothing wakes up in vain, and after the guest's stop the host is as it was. */
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_vectors.h"
#include "sys/executor.h"
#include "sys/vectors.h"

#define IN_TIME_MS	200
#define IN_TIME_LATE_MS 2000

static void new_vectors_of_a_booting_guest_are_spread_in_time(void **unused)
{
	static const char *const cpus[] = {"2", "3", "4", "5", "2"};
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	scene_begin_to_follow(&scene);
	scene_wait(&scene, 37);
	vector_appears(&scene, VF_A, 50, 0);
	scene_wait(&scene, IN_TIME_MS);
	vector_is_on(&scene, 50, "2");
	for (unsigned int i = 1; i < 5; i++)
		vector_appears(&scene, i < 3 ? VF_A : VF_B, 50 + i, i);
	scene_wait(&scene, IN_TIME_MS);
	for (unsigned int i = 0; i < 5; i++)
		vector_is_on(&scene, 50 + i, cpus[i]);
	assert_true(scene_has_said(&scene, "web: 5 interrupts of its devices placed on CPUs 2-5"));
	for (unsigned int i = 0; i < 5; i++)
		vector_vanishes(&scene, i < 3 ? VF_A : VF_B, 50 + i);
	scene_stop_guest(&scene, NULL);
	scene_expect_as_before(&scene);
	scene_close(&scene);
}

static void one_that_has_not_moved_yet_is_told(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	vector_appears(&scene, VF_A, 50, 0);
	vector_appears(&scene, VF_A, 51, 1);
	fit_test_kernel_set(&scene.f.kernel, "proc/irq/50/effective_affinity_list = 2\n"
					     "proc/irq/51/effective_affinity_list = 7\n");
	scene_begin_to_follow(&scene);
	assert_true(scene_has_said(&scene,
		"2 interrupts of its devices placed on CPUs 2-5, 1 of them from the next one on"));
	scene_close(&scene);
}

/* Those that still are there at the stop go back to where they were born. */
static void what_remains_at_the_stop_is_given_back(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	vector_appears(&scene, VF_A, 50, 0);
	vector_appears(&scene, VF_B, 51, 0);
	free(scene.f.before);
	scene.f.before = dump(&scene.f);
	scene_begin_to_follow(&scene);
	vector_is_on(&scene, 50, "2");
	vector_is_on(&scene, 51, "3");
	scene_stop_guest(&scene, &notes);
	assert_int_equal(notes.count, 0);
	vector_is_on(&scene, 50, BIRTH);
	scene_expect_as_before(&scene);
	scene_close(&scene);
}

static void without_spreading_all_go_to_all_cpus(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	scene_start_guest(&scene, "0-1", false);
	vector_appears(&scene, VF_A, 50, 0);
	vector_appears(&scene, VF_A, 51, 1);
	scene_begin_to_follow(&scene);
	vector_is_on(&scene, 50, "0-1");
	vector_is_on(&scene, 51, "0-1");
	scene_close(&scene);
}

/* Only siblings share a core: the second thread of a core comes after all cores. */
static void cores_are_filled_before_their_threads(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	fit_test_kernel_set(&scene.f.kernel,
		CPU_DIR "/cpu2/topology/thread_siblings_list = 2-3\n" CPU_DIR
			"/cpu3/topology/thread_siblings_list = 2-3\n" CPU_DIR
			"/cpu4/topology/thread_siblings_list = 4-5\n" CPU_DIR
			"/cpu5/topology/thread_siblings_list = 4-5\n");
	for (unsigned int i = 0; i < 4; i++)
		vector_appears(&scene, VF_A, 50 + i, i);
	scene_begin_to_follow(&scene);
	vector_is_on(&scene, 50, "2");
	vector_is_on(&scene, 51, "4");
	vector_is_on(&scene, 52, "3");
	vector_is_on(&scene, 53, "5");
	scene_close(&scene);
}

/* It is listed seconds before it can be placed. */
static void a_vector_that_is_listed_only_is_waited_for(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	scene_begin_to_follow(&scene);
	vector_listed(&scene, VF_A, 50);
	scene_wait(&scene, 5000);
	assert_null(vector_claim(&scene, 50));
	assert_int_equal(scene.f.kernel.host_writes, 0);
	vector_requested(&scene, VF_A, 50, 0);
	scene_wait(&scene, IN_TIME_MS);
	vector_is_on(&scene, 50, "2");
	scene_close(&scene);
}

static void late_vectors_are_found_within_two_seconds(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	scene_begin_to_follow(&scene);
	scene_wait(&scene, 10 * FIT_FOLLOW_BOOT_MS);
	vector_appears(&scene, VF_A, 50, 0);
	scene_wait(&scene, IN_TIME_LATE_MS);
	vector_is_on(&scene, 50, "2");
	/* The driver loads: more will come soon. */
	vector_appears(&scene, VF_A, 51, 1);
	scene_wait(&scene, IN_TIME_MS);
	vector_is_on(&scene, 51, "3");
	/* A reset is told by libvirt. */
	scene_wait(&scene, 10 * FIT_FOLLOW_BOOT_MS);
	vector_vanishes(&scene, VF_A, 50);
	vector_vanishes(&scene, VF_A, 51);
	fit_follower_hurry(&scene.follower, A, scene.now);
	scene_wait(&scene, FIT_FOLLOW_BOOT_MS / 2);
	vector_appears(&scene, VF_A, 60, 0);
	scene_wait(&scene, IN_TIME_MS);
	vector_is_on(&scene, 60, "2");
	assert_null(vector_claim(&scene, 50));
	scene_close(&scene);
}

/* After a reboot: other numbers, or the same for other vectors, or for somebody else. */
static void numbers_that_come_back_are_other_vectors(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	vector_appears(&scene, VF_A, 50, 0);
	vector_appears(&scene, VF_A, 51, 1);
	vector_appears(&scene, VF_B, 52, 0);
	scene_begin_to_follow(&scene);
	for (unsigned int number = 50; number < 53; number++)
		vector_vanishes(&scene, number < 52 ? VF_A : VF_B, number);
	/* All between two looks. */
	vector_appears(&scene, VF_B, 50, 0);
	vector_appears(&scene, VF_A, 52, 0);
	fit_test_kernel_set(&scene.f.kernel, "proc/irq/51/smp_affinity_list = 3\n"
					     "sys/kernel/irq/51/actions = eth0\n");
	scene_wait(&scene, IN_TIME_LATE_MS);
	vector_is_on(&scene, 52, "2");
	vector_is_on(&scene, 50, "3");
	vector_is_on(&scene, 51, "3");
	assert_null(vector_claim(&scene, 51));
	vector_vanishes(&scene, VF_B, 50);
	vector_vanishes(&scene, VF_A, 52);
	scene_stop_guest(&scene, NULL);
	vector_is_on(&scene, 51, "3");
	vector_vanishes(&scene, VF_A, 51);
	scene_expect_as_before(&scene);
	scene_close(&scene);
}

/* The driver was reloaded between two looks: nobody has moved anything. */
static void one_that_comes_back_as_it_was_is_placed_again(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	vector_appears(&scene, VF_A, 50, 0);
	scene_begin_to_follow(&scene);
	for (int i = 0; i < 3 * FIT_PATIENCE_TIMES; i++) {
		vector_vanishes(&scene, VF_A, 50);
		vector_appears(&scene, VF_A, 50, 0);
		scene_wait(&scene, IN_TIME_LATE_MS);
		vector_is_on(&scene, 50, "2");
	}
	assert_false(scene_has_said(&scene, "somebody else"));
	scene_close(&scene);
}

static void one_that_somebody_moves_is_put_back_with_a_bound(void **unused)
{
	fit_autofree char *claim = NULL;
	fit_autostrlist struct fit_strlist notes = {0};
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	vector_appears(&scene, VF_A, 50, 0);
	vector_appears(&scene, VF_A, 51, 1);
	scene_begin_to_follow(&scene);
	for (int i = 0; i < FIT_PATIENCE_TIMES; i++) {
		vector_moved(&scene, 50, "7");
		scene_wait(&scene, IN_TIME_LATE_MS);
		vector_is_on(&scene, 50, "2");
	}
	assert_true(scene_has_said(&scene, "web: interrupt 50 (vfio-msix[0](" VF_A ")) was moved "
					   "to CPUs 7 by somebody else: moved back to CPU 2"));
	assert_false(scene_has_said(&scene, "again and again"));
	vector_moved(&scene, 50, "6");
	scene_wait(&scene, IN_TIME_LATE_MS);
	assert_true(
		scene_has_said(&scene, "again and again by somebody else, now to CPUs 6: left"));
	claim = vector_claim(&scene, 50);
	assert_string_equal(claim, "left:2");
	/* It stays so, also for the next watcher. */
	vector_moved(&scene, 50, "0");
	scene_wait(&scene, FIT_PATIENCE_MS);
	scene_begin_to_follow(&scene);
	scene_wait(&scene, IN_TIME_LATE_MS);
	vector_is_on(&scene, 50, "0");
	vector_is_on(&scene, 51, "3");
	scene_stop_guest(&scene, &notes);
	vector_is_on(&scene, 50, "0");
	vector_is_on(&scene, 51, BIRTH);
	scene_close(&scene);
}

/* Seldom enough, for ever. */
static void patience_lasts_for_who_moves_one_now_and_then(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	vector_appears(&scene, VF_A, 50, 0);
	scene_begin_to_follow(&scene);
	for (int i = 0; i < 4 * FIT_PATIENCE_TIMES; i++) {
		vector_moved(&scene, 50, "7");
		scene_wait(&scene, FIT_PATIENCE_MS / FIT_PATIENCE_TIMES + IN_TIME_LATE_MS);
		vector_is_on(&scene, 50, "2");
	}
	scene_close(&scene);
}

static void one_that_the_kernel_manages_is_left(void **unused)
{
	fit_autofree char *claim = NULL;
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	fit_cpuset_add(&scene.f.kernel.managed, 50);
	vector_appears(&scene, VF_A, 50, 0);
	vector_appears(&scene, VF_A, 51, 1);
	scene_begin_to_follow(&scene);
	vector_is_on(&scene, 50, BIRTH);
	vector_is_on(&scene, 51, "3");
	claim = vector_claim(&scene, 50);
	assert_string_equal(claim, "left:2");
	assert_true(scene_has_said(&scene, "cannot be set to '2' (Operation not permitted)"));
	scene.f.kernel.changes = 0;
	scene_wait(&scene, 60000);
	assert_int_equal(scene.f.kernel.changes, 0);
	scene_close(&scene);
}

static void a_cpu_that_goes_offline_loses_its_vectors(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	vector_appears(&scene, VF_A, 50, 0);
	scene_begin_to_follow(&scene);
	vector_is_on(&scene, 50, "2");
	fit_test_kernel_set(&scene.f.kernel, CPU_DIR "/online = 0-1,3-7\n");
	scene_wait(&scene, IN_TIME_LATE_MS);
	vector_is_on(&scene, 50, "3");
	vector_appears(&scene, VF_A, 51, 1);
	scene_wait(&scene, IN_TIME_MS);
	vector_is_on(&scene, 51, "4");
	/* Those that all go to all CPUs get this one back. */
	fit_test_kernel_set(&scene.f.kernel, CPU_DIR "/online = 0-1,4-7\n");
	scene_start_guest(&scene, "2-5", false);
	fit_follower_load(&scene.follower, scene.now);
	scene_wait(&scene, IN_TIME_LATE_MS);
	vector_is_on(&scene, 50, "4-5");
	fit_test_kernel_set(&scene.f.kernel, CPU_DIR "/online = 0-7\n");
	scene_wait(&scene, IN_TIME_LATE_MS);
	vector_is_on(&scene, 50, "2-5");
	vector_is_on(&scene, 51, "2-5");
	scene_close(&scene);
}

/* The host's driver has it again; or its line is somebody else's, too. */
static void what_is_not_the_guests_is_not_touched(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	fit_test_kernel_set(&scene.f.kernel,
		"sys/bus/pci/devices/" VF_A "/driver -> ../../drivers/igbvf\n"
		"sys/bus/pci/devices/" VF_B "/irq = 11\n"
		"proc/irq/11/smp_affinity_list = " BIRTH "\n"
		"sys/kernel/irq/11/actions = vfio-intx(" VF_B "),ahci\n");
	vector_appears(&scene, VF_A, 50, 0);
	scene_begin_to_follow(&scene);
	scene_wait(&scene, 10000);
	assert_int_equal(scene.f.kernel.host_writes, 0);
	fit_test_kernel_set(&scene.f.kernel, "sys/kernel/irq/11/actions = vfio-intx(" VF_B ")\n");
	scene_wait(&scene, IN_TIME_LATE_MS);
	vector_is_on(&scene, 11, "2");
	vector_is_on(&scene, 50, BIRTH);
	/* The guest's driver turns to MSI-X. */
	fit_test_kernel_set(&scene.f.kernel, "sys/kernel/irq/11/actions = \n");
	vector_appears(&scene, VF_B, 51, 0);
	scene_wait(&scene, IN_TIME_MS);
	assert_null(vector_claim(&scene, 11));
	vector_is_on(&scene, 51, "2");
	scene_close(&scene);
}

static void a_device_that_is_unplugged_and_another_that_is_plugged_in(void **unused)
{
	struct scene scene;
	struct fit_state state;
	struct fit_journal *journal;

	(void)unused;
	scene_open(&scene);
	vector_appears(&scene, VF_A, 50, 0);
	vector_appears(&scene, VF_B, 51, 0);
	scene_begin_to_follow(&scene);
	open_state(&scene.f, &state);
	journal = fit_state_journal(&state, A);
	journal->devices[0] = device("0000:42:00.0");
	assert_int_equal(fit_state_save_journal(&state, journal, NULL), 0);
	fit_state_close(&state);
	vector_vanishes(&scene, VF_A, 50);
	fit_follower_load(&scene.follower, scene.now);
	scene_wait(&scene, IN_TIME_MS);
	assert_null(vector_claim(&scene, 50));
	fit_test_kernel_set(&scene.f.kernel,
		"sys/bus/pci/devices/0000:42:00.0/driver -> ../../drivers/vfio-pci\n");
	vector_appears(&scene, "0000:42:00.0", 55, 0);
	scene_wait(&scene, IN_TIME_MS);
	vector_is_on(&scene, 55, "2");
	vector_is_on(&scene, 51, "3");
	scene_close(&scene);
}

/* Nobody has looked since it went. */
static void a_number_that_went_to_another_is_not_placed(void **unused)
{
	struct fit_hostops ops = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct scene scene;
	struct fit_state state;

	(void)unused;
	scene_open(&scene);
	vector_appears(&scene, VF_A, 50, 0);
	scene_begin_to_follow(&scene);
	vector_is_on(&scene, 50, "2");
	vector_vanishes(&scene, VF_A, 50);
	fit_test_kernel_set(&scene.f.kernel, "proc/irq/50/smp_affinity_list = " BIRTH "\n"
					     "sys/kernel/irq/50/actions = eth0-rx-0\n");
	add_op(&ops, FIT_OP_IRQS_ELSEWHERE, FIT_PHASE_STARTED, FIT_PHASE_STOPPED)->cpus =
		fit_test_cpus("6");
	open_state(&scene.f, &state);
	if (fit_executor_apply(&state, fit_state_add_journal(&state, B, "other", FIT_STAGE_STARTED),
		    &ops, FIT_PHASE_STARTED, NULL, &err) < 0)
		fail_msg("%s", err.message);
	fit_state_close(&state);
	vector_is_on(&scene, 50, "0-5,7");
	assert_null(vector_claim(&scene, 50));
	scene_wait(&scene, IN_TIME_LATE_MS);
	vector_is_on(&scene, 50, "0-5,7");
	open_state(&scene.f, &state);
	assert_int_equal(fit_executor_undo(&state, B, FIT_PHASE_RELEASE, NULL, NULL), 0);
	fit_state_close(&state);
	vector_is_on(&scene, 50, BIRTH);
	fit_hostops_clear(&ops);
	scene_close(&scene);
}

/* Their numbers go to others, which must not come to the guest's CPUs when somebody else looks at
 * them, and which irqbalance is to move. */
static void after_its_last_device_a_guest_claims_no_vector(void **unused)
{
	struct scene scene;
	struct fit_state state;
	struct fit_journal *journal;

	(void)unused;
	scene_open(&scene);
	fit_test_kernel_set(&scene.f.kernel, "run/irqbalance/cpus = none\n"
					     "run/irqbalance/irqs = none\n"
					     "run/irqbalance/name = irqbalance1.sock\n");
	vector_appears(&scene, VF_A, 50, 0);
	scene_begin_to_follow(&scene);
	has_value(&scene.f, "run/irqbalance/irqs", "50");
	open_state(&scene.f, &state);
	journal = fit_state_journal(&state, A);
	journal->device_count = 0;
	assert_int_equal(fit_state_save_journal(&state, journal, NULL), 0);
	fit_state_close(&state);
	vector_vanishes(&scene, VF_A, 50);
	fit_follower_load(&scene.follower, scene.now);
	scene_wait(&scene, IN_TIME_MS);
	assert_null(vector_claim(&scene, 50));
	has_value(&scene.f, "run/irqbalance/irqs", "none");
	fit_follower_load(&scene.follower, scene.now);
	assert_true(fit_follower_due(&scene.follower) == FIT_QUEUE_NEVER);
	scene_close(&scene);
}

static void nothing_wakes_up_without_a_device_to_follow(void **unused)
{
	struct scene scene;
	struct fit_state state;
	struct fit_journal *journal;

	(void)unused;
	scene_open(&scene);
	open_state(&scene.f, &state);
	journal = fit_state_journal(&state, A);
	for (int i = 0; i < 3; i++) {
		journal->stage = i == 0 ? FIT_STAGE_PREPARED : FIT_STAGE_STARTED;
		journal->device_count = i == 1 ? 0 : 2;
		if (i == 2)
			journal->interrupt_cpus = (struct fit_cpuset){0};
		assert_int_equal(fit_state_save_journal(&state, journal, NULL), 0);
		scene_begin_to_follow(&scene);
		assert_true(fit_follower_due(&scene.follower) == FIT_QUEUE_NEVER);
	}
	fit_state_close(&state);
	scene_start_guest(&scene, "2", true);
	fit_follower_load(&scene.follower, scene.now);
	assert_true(fit_follower_due(&scene.follower) == scene.now);
	scene_stop_guest(&scene, NULL);
	fit_follower_load(&scene.follower, scene.now);
	assert_true(fit_follower_due(&scene.follower) == FIT_QUEUE_NEVER);
	scene_close(&scene);
}

/* Long after the start of ten guests: one moment for all of them, not one for each. */
static void guests_are_looked_at_together(void **unused)
{
	struct scene scene;
	unsigned int turns = 0;
	int64_t end;

	(void)unused;
	scene_open(&scene);
	for (unsigned int i = 1; i < 10; i++) {
		fit_autofree char *uuid =
			fit_xasprintf("aaaaaaaa-0000-4000-8000-0000000001%02u", i);
		struct fit_state state;
		struct fit_journal *journal;

		open_state(&scene.f, &state);
		journal = fit_state_add_journal(&state, uuid, "other", FIT_STAGE_STARTED);
		journal->interrupt_cpus = fit_test_cpus("6");
		*FIT_APPEND(journal->devices, journal->device_count) = device("0000:42:00.1");
		assert_int_equal(fit_state_save_journal(&state, journal, NULL), 0);
		fit_state_close(&state);
		scene.now += 77;
		if (i == 1)
			scene_begin_to_follow(&scene);
		fit_follower_load(&scene.follower, scene.now);
	}
	scene_wait(&scene, 2 * FIT_FOLLOW_BOOT_MS);
	end = scene.now + 600000;
	while (fit_follower_due(&scene.follower) <= end) {
		scene.now = fit_follower_due(&scene.follower);
		fit_follower_turn(&scene.follower, scene.now);
		turns++;
	}
	assert_in_range(turns, 600000 / IN_TIME_LATE_MS, 600000 / FIT_FOLLOW_SELDOM_MS + 1);
	scene_close(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_vectors_of_a_booting_guest_are_spread_in_time),
		cmocka_unit_test(one_that_has_not_moved_yet_is_told),
		cmocka_unit_test(what_remains_at_the_stop_is_given_back),
		cmocka_unit_test(without_spreading_all_go_to_all_cpus),
		cmocka_unit_test(cores_are_filled_before_their_threads),
		cmocka_unit_test(a_vector_that_is_listed_only_is_waited_for),
		cmocka_unit_test(late_vectors_are_found_within_two_seconds),
		cmocka_unit_test(numbers_that_come_back_are_other_vectors),
		cmocka_unit_test(one_that_comes_back_as_it_was_is_placed_again),
		cmocka_unit_test(one_that_somebody_moves_is_put_back_with_a_bound),
		cmocka_unit_test(patience_lasts_for_who_moves_one_now_and_then),
		cmocka_unit_test(one_that_the_kernel_manages_is_left),
		cmocka_unit_test(a_cpu_that_goes_offline_loses_its_vectors),
		cmocka_unit_test(what_is_not_the_guests_is_not_touched),
		cmocka_unit_test(a_device_that_is_unplugged_and_another_that_is_plugged_in),
		cmocka_unit_test(a_number_that_went_to_another_is_not_placed),
		cmocka_unit_test(after_its_last_device_a_guest_claims_no_vector),
		cmocka_unit_test(nothing_wakes_up_without_a_device_to_follow),
		cmocka_unit_test(guests_are_looked_at_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
