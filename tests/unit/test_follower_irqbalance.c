/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irqbalance leaves the vectors of guests alone, whenever it was started and begins to answer. */
#include "support.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_vectors.h"
#include "sys/executor.h"

#define IN_TIME_MS 200

static void irqbalance_leaves_them_alone_also_after_its_restart(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	fit_test_kernel_set(&scene.f.kernel, "run/irqbalance/cpus = none\n"
					     "run/irqbalance/irqs = 7\n"
					     "run/irqbalance/name = irqbalance1.sock\n");
	vector_appears(&scene, VF_A, 50, 0);
	scene_begin_to_follow(&scene);
	has_value(&scene.f, "run/irqbalance/irqs", "7 50");
	vector_appears(&scene, VF_B, 51, 0);
	scene_wait(&scene, IN_TIME_MS);
	has_value(&scene.f, "run/irqbalance/irqs", "7 50 51");
	vector_vanishes(&scene, VF_A, 50);
	scene_wait(&scene, IN_TIME_MS);
	has_value(&scene.f, "run/irqbalance/irqs", "7 51");
	unlinkat(scene.f.root.fd, "run/irqbalance/name", 0);
	fit_test_kernel_set(&scene.f.kernel, "run/irqbalance/irqs = none\n"
					     "run/irqbalance/name = irqbalance2.sock\n");
	scene_wait(&scene, FIT_RESTARTS_SETTLE_MS);
	has_value(&scene.f, "run/irqbalance/irqs", "51");
	scene_stop_guest(&scene, NULL);
	has_value(&scene.f, "run/irqbalance/irqs", "none");
	scene_close(&scene);
}

static void end_irqbalance(const struct scene *scene, bool with_directory)
{
	static const char *const files[] = {"name", "cpus", "irqs"};

	for (size_t i = 0; i < (with_directory ? FIT_ARRAY_SIZE(files) : 1); i++) {
		fit_autofree char *path = fit_xasprintf("run/irqbalance/%s", files[i]);

		unlinkat(scene->f.root.fd, path, 0);
	}
	if (with_directory)
		assert_int_equal(unlinkat(scene->f.root.fd, "run/irqbalance", AT_REMOVEDIR), 0);
}

/* It has no device, only cores of its own. Of the third life the directory is another one, too. */
static void irqbalance_is_told_again_of_a_domain_without_devices(void **unused)
{
	struct scene scene = {.now = 1000};

	(void)unused;
	setup(&scene.f);
	fit_test_kernel_set(&scene.f.kernel, "run/irqbalance/cpus = 7\n"
					     "run/irqbalance/irqs = none\n"
					     "run/irqbalance/name = irqbalance1.sock\n");
	scene_begin_to_follow(&scene);
	assert_true(fit_follower_due(&scene.follower) == FIT_QUEUE_NEVER);
	run_up(&scene.f, &guest_a);
	has_value(&scene.f, "run/irqbalance/cpus", "2-3,7");
	fit_follower_load(&scene.follower, scene.now);
	scene_wait(&scene, 0);
	for (int life = 2; life < 5; life++) {
		fit_autofree char *reborn =
			fit_xasprintf("run/irqbalance/cpus = 6\n"
				      "run/irqbalance/irqs = none\n"
				      "run/irqbalance/name = irqbalance%d.sock\n",
				life);

		/* For a while there is none. */
		end_irqbalance(&scene, life == 4);
		scene_wait(&scene, FIT_RESTARTS_SETTLE_MS);
		fit_test_kernel_set(&scene.f.kernel, reborn);
		assert_true(scene_is_called(&scene));
		scene_wait(&scene, FIT_RESTARTS_SETTLE_MS);
		has_value(&scene.f, "run/irqbalance/cpus", "2-3,6");
		/* While it stays the same nobody looks. */
		assert_true(fit_follower_due(&scene.follower) == FIT_QUEUE_NEVER);
		assert_false(scene_is_called(&scene));
	}
	run_down(&scene.f, &guest_a);
	has_value(&scene.f, "run/irqbalance/cpus", "6");
	fit_follower_load(&scene.follower, scene.now);
	scene_wait(&scene, 0);
	assert_true(fit_follower_due(&scene.follower) == FIT_QUEUE_NEVER);
	/* Nobody needs to know of it now. */
	end_irqbalance(&scene, true);
	fit_test_kernel_set(&scene.f.kernel, "run/irqbalance/name = irqbalance9.sock\n");
	assert_false(scene_is_called(&scene));
	scene_end_following(&scene);
	fit_strlist_clear(&scene.said);
	teardown(&scene.f);
}

/* Between two scans it can be deaf for long. Nobody waits for that with the lock. */
static void irqbalance_that_does_not_answer_is_told_when_it_does(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	fit_test_kernel_set(&scene.f.kernel, "run/irqbalance/cpus = none\n"
					     "run/irqbalance/irqs = none\n"
					     "run/irqbalance/name = irqbalance1.sock\n");
	vector_appears(&scene, VF_A, 50, 0);
	scene_begin_to_follow(&scene);
	scene_wait(&scene, FIT_RESTARTS_SETTLE_MS);
	unlinkat(scene.f.root.fd, "run/irqbalance/name", 0);
	fit_test_kernel_set(&scene.f.kernel, "run/irqbalance/cpus = \n"
					     "run/irqbalance/irqs = \n"
					     "run/irqbalance/name = irqbalance2.sock\n");
	scene_wait(&scene, FIT_RESTARTS_SETTLE_MS);
	fit_test_kernel_write(&scene.f.kernel, "run/irqbalance/cpus", "none");
	fit_test_kernel_write(&scene.f.kernel, "run/irqbalance/irqs", "6");
	scene_wait(&scene, FIT_FOLLOW_DEAF_MS);
	has_value(&scene.f, "run/irqbalance/irqs", "6 50");
	scene_close(&scene);
}

/* Releases before 1.9.5 take few. Those it is told of are known, the others said. */
static void irqbalance_is_told_of_as_many_as_it_takes(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	fit_test_kernel_set(&scene.f.kernel, "run/irqbalance/cpus = none\n"
					     "run/irqbalance/irqs = 7\n"
					     "run/irqbalance/room = 27\n"
					     "run/irqbalance/name = irqbalance1.sock\n");
	vector_appears(&scene, VF_A, 50, 0);
	vector_appears(&scene, VF_A, 51, 1);
	vector_appears(&scene, VF_B, 52, 0);
	vector_appears(&scene, VF_B, 53, 1);
	scene_begin_to_follow(&scene);
	has_value(&scene.f, "run/irqbalance/irqs", "7 50 51");
	assert_true(scene_has_said(&scene, "leave 2 of the interrupts"));
	vector_vanishes(&scene, VF_A, 50);
	scene_wait(&scene, IN_TIME_MS);
	has_value(&scene.f, "run/irqbalance/irqs", "7 51 52");
	scene_stop_guest(&scene, NULL);
	has_value(&scene.f, "run/irqbalance/irqs", "7");
	scene_close(&scene);
}

static void start_another(const struct scene *scene, const char *cpus)
{
	struct fit_op op = {.kind = FIT_OP_IRQS_ELSEWHERE,
		.apply = FIT_PHASE_STARTED,
		.undo = FIT_PHASE_STOPPED,
		.cpus = fit_test_cpus(cpus)};
	const struct fit_hostops ops = {.items = &op, .count = 1};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;

	open_state(&scene->f, &state);
	if (fit_executor_apply(&state, fit_state_add_journal(&state, B, "other", FIT_STAGE_STARTED),
		    &ops, FIT_PHASE_STARTED, NULL, &err) < 0)
		fail_msg("%s", err.message);
	fit_state_close(&state);
}

/* It is watched already, for the devices of another one. */
static void irqbalance_is_told_of_a_domain_that_started_while_it_was_deaf(void **unused)
{
	struct scene scene;

	(void)unused;
	scene_open(&scene);
	fit_test_kernel_set(&scene.f.kernel, "run/irqbalance/cpus = \n"
					     "run/irqbalance/irqs = \n"
					     "run/irqbalance/name = irqbalance1.sock\n");
	scene_begin_to_follow(&scene);
	scene_wait(&scene, FIT_FOLLOW_DEAF_MS);
	fit_test_kernel_write(&scene.f.kernel, "run/irqbalance/cpus", "none");
	fit_test_kernel_write(&scene.f.kernel, "run/irqbalance/irqs", "none");
	scene_wait(&scene, FIT_FOLLOW_DEAF_MS);
	fit_test_kernel_write(&scene.f.kernel, "run/irqbalance/cpus", "");
	start_another(&scene, "6");
	fit_test_kernel_write(&scene.f.kernel, "run/irqbalance/cpus", "7");
	fit_follower_load(&scene.follower, scene.now);
	scene_wait(&scene, FIT_FOLLOW_SELDOM_MS);
	has_value(&scene.f, "run/irqbalance/cpus", "6-7");
	scene_close(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(irqbalance_leaves_them_alone_also_after_its_restart),
		cmocka_unit_test(irqbalance_is_told_again_of_a_domain_without_devices),
		cmocka_unit_test(irqbalance_is_told_of_as_many_as_it_takes),
		cmocka_unit_test(irqbalance_is_told_of_a_domain_that_started_while_it_was_deaf),
		cmocka_unit_test(irqbalance_that_does_not_answer_is_told_when_it_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
