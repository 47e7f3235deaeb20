/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The watcher is killed at any change, or a change fails; vectors come, go and are moved at random:
 * the next watcher goes on, and after the guest's stop the host is as it was. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_vectors.h"
#include "sys/vectors.h"

#define FIRST	   50
#define NUMBERS	   6
#define SETTLE_MS  4000
#define WALKS	   60
#define STEPS	   40
#define GUEST_CPUS "2-5"
#define IRQBALANCE "run/irqbalance"

/* What the kernel has under each number: 0 nothing, 1 and 2 a vector of the guest, listed or
 * requested, 3 somebody else's. */
enum state { NOTHING, LISTED, REQUESTED, OTHERS };

struct world {
	struct scene scene;
	enum state states[NUMBERS];
	const char *devices[NUMBERS];
};

static void all_is_as_it_should_be(struct world *world)
{
	struct fit_cpuset allowed = fit_test_cpus(GUEST_CPUS);

	for (unsigned int i = 0; i < NUMBERS; i++) {
		fit_autofree char *claim = vector_claim(&world->scene, FIRST + i);
		fit_autofree char *cpus = vector_cpus(&world->scene, FIRST + i);

		if (world->states[i] != REQUESTED) {
			if (claim)
				fail_msg("%u: claimed, and is not the guest's", FIRST + i);
			continue;
		}
		if (!claim)
			fail_msg("%u: on CPUs %s, and not claimed", FIRST + i, cpus);
		if (fit_starts_with(claim, "to:")) {
			struct fit_cpuset set = fit_test_cpus(cpus);

			assert_string_equal(claim + strlen("to:"), cpus);
			assert_int_equal(fit_cpuset_count(&set), 1);
			assert_true(fit_cpuset_is_subset(&set, &allowed));
		}
	}
}

static void others_appear(struct world *world, unsigned int i)
{
	fit_autofree char *manifest = fit_xasprintf("proc/irq/%u/smp_affinity_list = 2-3\n"
						    "sys/kernel/irq/%u/actions = eth%u\n",
		FIRST + i, FIRST + i, i);

	fit_test_kernel_set(&world->scene.f.kernel, manifest);
}

static void change(struct world *world, unsigned int i)
{
	struct scene *scene = &world->scene;

	switch (world->states[i]) {
	case NOTHING:
		world->devices[i] = rand() % 2 ? VF_A : VF_B;
		if (rand() % 4 == 0) {
			others_appear(world, i);
			world->states[i] = OTHERS;
			break;
		}
		vector_listed(scene, world->devices[i], FIRST + i);
		world->states[i] = LISTED;
		break;
	case LISTED:
		vector_requested(scene, world->devices[i], FIRST + i, i);
		world->states[i] = REQUESTED;
		break;
	case REQUESTED:
		if (rand() % 3 == 0) {
			vector_moved(scene, FIRST + i, "7");
			break;
		}
		/* fallthrough */
	case OTHERS:
		vector_vanishes(scene, world->devices[i], FIRST + i);
		world->states[i] = NOTHING;
		break;
	}
}

/* Each number's interrupt is on CPU "2-3" if it is somebody else's: nobody has touched it. */
static void others_are_untouched(const struct world *world)
{
	for (unsigned int i = 0; i < NUMBERS; i++)
		if (world->states[i] == OTHERS)
			vector_is_on(&world->scene, FIRST + i, "2-3");
}

static void vanish_all(struct world *world)
{
	for (unsigned int i = 0; i < NUMBERS; i++) {
		if (world->states[i] != NOTHING)
			vector_vanishes(&world->scene, world->devices[i], FIRST + i);
		world->states[i] = NOTHING;
	}
}

static void whatever_happens_they_end_where_they_belong(void **unused)
{
	(void)unused;
	for (unsigned int walk = 0; walk < WALKS; walk++) {
		struct world world = {0};

		srand(walk);
		scene_open(&world.scene);
		if (walk % 2)
			fit_test_kernel_set(&world.scene.f.kernel,
				IRQBALANCE "/cpus = none\n" IRQBALANCE "/irqs = none\n" IRQBALANCE
					   "/name = irqbalance1.sock\n");
		free(world.scene.f.before);
		world.scene.f.before = dump(&world.scene.f);
		scene_begin_to_follow(&world.scene);
		for (int step = 0; step < STEPS; step++) {
			change(&world, (unsigned int)rand() % NUMBERS);
			scene_wait(&world.scene, rand() % 3 ? rand() % 300 : rand() % 9000);
			if (rand() % 10 == 0)
				scene_begin_to_follow(&world.scene);
			if (rand() % 5)
				continue;
			scene_wait(&world.scene, SETTLE_MS);
			all_is_as_it_should_be(&world);
			others_are_untouched(&world);
		}
		if (rand() % 2)
			vanish_all(&world);
		scene_stop_guest(&world.scene, NULL);
		others_are_untouched(&world);
		vanish_all(&world);
		scene_expect_as_before(&world.scene);
		scene_close(&world.scene);
	}
}

/* A story that has every kind of change: placed, moved, gone, come back, left, banned. */
static void tell_story(struct scene *scene)
{
	scene_begin_to_follow(scene);
	vector_appears(scene, VF_A, 52, 2);
	scene_wait(scene, 2000);
	vector_moved(scene, 50, "7");
	scene_wait(scene, 2000);
	vector_vanishes(scene, VF_A, 51);
	vector_appears(scene, VF_B, 51, 0);
	scene_wait(scene, 2000);
	fit_cpuset_add(&scene->f.kernel.managed, 53);
	vector_appears(scene, VF_B, 53, 1);
	scene_wait(scene, 2000);
}

/* Runs the story in a process of its own with a fault at change @at. False: there are fewer. */
static bool story_with_fault(struct scene *scene, enum fit_test_fault fault, unsigned int at)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		scene->f.kernel.fault = fault;
		scene->f.kernel.fault_at = at;
		scene->f.kernel.changes = 0;
		tell_story(scene);
		_exit(scene->f.kernel.changes < at ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status) != 1;
}

static void open_story(struct scene *scene)
{
	scene_open(scene);
	fit_test_kernel_set(&scene->f.kernel, IRQBALANCE
		"/cpus = none\n" IRQBALANCE "/irqs = 9\n" IRQBALANCE "/name = irqbalance1.sock\n");
	free(scene->f.before);
	scene->f.before = dump(&scene->f);
	vector_appears(scene, VF_A, 50, 0);
	vector_appears(scene, VF_A, 51, 1);
}

static void forget_vectors(struct scene *scene)
{
	for (unsigned int number = 50; number < 54; number++) {
		vector_vanishes(scene, VF_A, number);
		vector_vanishes(scene, VF_B, number);
	}
}

/* @next: another watcher comes before the guest stops. */
static void fail_at_any_change(bool next)
{
	for (enum fit_test_fault fault = FIT_TEST_FAIL; fault <= FIT_TEST_DIE_AFTER; fault++) {
		unsigned int at = 1;
		bool more = true;

		while (more) {
			struct scene scene;

			open_story(&scene);
			more = story_with_fault(&scene, fault, at++);
			if (next) {
				fit_cpuset_add(&scene.f.kernel.managed, 53);
				scene_begin_to_follow(&scene);
				scene_wait(&scene, SETTLE_MS);
				for (unsigned int number = 50; number < 54; number++) {
					fit_autofree char *claim = vector_claim(&scene, number);
					fit_autofree char *cpus = vector_cpus(&scene, number);

					if (*cpus && !claim)
						fail_msg("fault %d at %u: %u is not claimed", fault,
							at - 1, number);
					if (claim && fit_starts_with(claim, "to:"))
						vector_is_on(&scene, number, claim + 3);
				}
			}
			/* It goes with QEMU, before the hook is called. */
			if (at % 2)
				forget_vectors(&scene);
			scene_stop_guest(&scene, NULL);
			forget_vectors(&scene);
			scene_expect_as_before(&scene);
			scene_close(&scene);
		}
		assert_true(at > 20);
	}
}

static void a_fault_at_any_change_leaves_nothing_behind(void **unused)
{
	(void)unused;
	fail_at_any_change(false);
}

static void after_a_fault_at_any_change_the_next_watcher_goes_on(void **unused)
{
	(void)unused;
	fail_at_any_change(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_happens_they_end_where_they_belong),
		cmocka_unit_test(a_fault_at_any_change_leaves_nothing_behind),
		cmocka_unit_test(after_a_fault_at_any_change_the_next_watcher_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
