/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irqbalance is told what to leave alone, and told again how it was. */
#include "support.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_executor.h"
#include "support_host.h"
#include "sys/executor.h"
#include "sys/irqbalance.h"

#define CPUS "run/irqbalance/cpus"
#define IRQS "run/irqbalance/irqs"
#define NAME "run/irqbalance/name"

static void answers_are_understood(void **unused)
{
	static const struct {
		const char *setup;
		const char *cpus;
		const char *irqs;
	} answers[] = {
		{"SLEEP 10 BANNED 00000000", "none", "none"},
		{"SLEEP 10 IRQ 48 LOAD 0 DIFF 0 CLASS 0 IRQ 7 LOAD 1 DIFF 2 CLASS 3 BANNED "
		 "00000001,000000f0\n",
			"4-7,32", "48 7"},
		{"", NULL, NULL},
		{"SLEEP 10", NULL, NULL},
		{"SLEEP 10 IRQ x LOAD 0 BANNED 3", "0-1", NULL},
		{"SLEEP 10 BANNED", NULL, "none"},
		{"SLEEP 10 BANNED xyz", NULL, "none"},
	};

	(void)unused;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(answers); i++) {
		fit_autofree char *cpus =
			fit_irqbalance_parse(answers[i].setup, FIT_IRQBALANCE_CPUS);
		fit_autofree char *irqs =
			fit_irqbalance_parse(answers[i].setup, FIT_IRQBALANCE_IRQS);

		if (!fit_streq(cpus, answers[i].cpus) || !fit_streq(irqs, answers[i].irqs))
			fail_msg("%s: CPUs %s, interrupts %s", answers[i].setup, cpus, irqs);
	}
}

static void expect_command(enum fit_irqbalance_list list, const char *value, const char *expected)
{
	fit_autofree char *command = fit_irqbalance_command(list, value);

	assert_string_equal(command, expected);
}

/* An empty list crashes it. */
static void nothing_is_said_in_a_word(void **unused)
{
	(void)unused;
	expect_command(FIT_IRQBALANCE_CPUS, "2-3,5", "settings cpus 2-3,5");
	expect_command(FIT_IRQBALANCE_CPUS, "none", "settings cpus NULL");
	expect_command(FIT_IRQBALANCE_IRQS, "24 25", "settings ban irqs 24 25");
	expect_command(FIT_IRQBALANCE_IRQS, "none", "settings ban irqs NONE");
	assert_null(fit_irqbalance_command(FIT_IRQBALANCE_CPUS, ""));
	assert_null(fit_irqbalance_command(FIT_IRQBALANCE_IRQS, ""));
}

static int listen_at(const struct fit_fsroot *root, const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	fit_autofree char *path =
		fit_xasprintf("/proc/self/fd/%d/run/irqbalance/%s", root->fd, name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memcpy(address.sun_path, path, strlen(path));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 5), 0);
	return fd;
}

/* Answers setup until it is killed; settings go to @log, as far as it takes them. As release 1.9.2
 * it takes what is left in its buffer for a command when there is none, and dies of an answer that
 * nobody takes. */
static pid_t serve(int listener, int log, unsigned int busy_ms, size_t takes)
{
	static const char answer[] = "SLEEP 10 IRQ 9 LOAD 0 DIFF 0 CLASS 0 BANNED 00000030";
	pid_t child = fork();
	char command[16384] = "";

	if (!child)
		usleep(busy_ms * 1000);
	while (!child) {
		int fd = accept(listener, NULL, NULL);
		ssize_t got = recv(fd, command, takes, 0);

		if (memcmp(command, "setup", 5) == 0) {
			usleep(10000);
			(void)!write(fd, answer, sizeof(answer) - 1);
		} else if (got > 0 && memcmp(command, "settings", 8) == 0) {
			(void)!write(log, command, (size_t)got);
		}
		close(fd);
	}
	return child;
}

/* One that is asked while it sleeps does not answer, and lives on. */
static void who_does_not_wait_does_not_kill_it(void **unused)
{
	struct fit_fsroot root = fit_test_root("run/irqbalance/\n");
	int listener = listen_at(&root, "irqbalance22.sock");
	pid_t child = serve(listener, STDERR_FILENO, 1500, 500);
	struct fit_irqbalance_answer answer;

	(void)unused;
	fit_irqbalance_ask(&root, 500, &answer);
	assert_null(answer.cpus);
	assert_int_equal(answer.room, 0);
	usleep(1500000);
	for (int i = 0; i < 4; i++) {
		fit_autofree char *name = fit_irqbalance_find(&root);

		assert_string_equal(name, "irqbalance22.sock");
		fit_irqbalance_ask(&root, 2500, &answer);
		assert_string_equal(answer.cpus, "4-5");
		fit_irqbalance_answer_clear(&answer);
	}
	assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(listener);
	fit_test_root_remove(&root);
}

static void it_is_spoken_to_over_its_socket(void **unused)
{
	struct fit_fsroot root = fit_test_root("run/irqbalance/\n");
	struct fit_irqbalance_answer answer;
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *name = NULL;
	char command[64] = "";
	int dead = listen_at(&root, "irqbalance1.sock");
	int listener, ends[2];
	pid_t child;

	(void)unused;
	/* It was killed: nobody is there any more. */
	close(dead);
	assert_null(fit_irqbalance_find(&root));
	fit_irqbalance_ask(&root, 2500, &answer);
	assert_null(answer.cpus);
	assert_int_equal(fit_irqbalance_write(&root, FIT_IRQBALANCE_CPUS, "2", 0, &err), -1);
	listener = listen_at(&root, "irqbalance22.sock");
	assert_int_equal(pipe(ends), 0);
	child = serve(listener, ends[1], 0, 500);
	fit_irqbalance_ask(&root, 2500, &answer);
	name = fit_irqbalance_find(&root);
	assert_string_equal(answer.cpus, "4-5");
	assert_string_equal(answer.irqs, "9");
	assert_string_equal(name, "irqbalance22.sock");
	assert_int_equal(
		fit_irqbalance_write(&root, FIT_IRQBALANCE_CPUS, "2-3", answer.room, &err), 0);
	assert_true(read(ends[0], command, sizeof(command) - 1) > 0);
	assert_string_equal(command, "settings cpus 2-3");
	fit_irqbalance_answer_clear(&answer);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(listener);
	close(ends[0]);
	close(ends[1]);
	fit_test_root_remove(&root);
}

/* @count interrupts of three digits are told to one that takes commands of @takes bytes. */
static void tell_many(size_t takes, size_t count, bool possible)
{
	struct fit_fsroot root = fit_test_root("run/irqbalance/\n");
	int listener = listen_at(&root, "irqbalance22.sock");
	fit_autostrlist struct fit_strlist numbers = {0};
	struct fit_irqbalance_answer answer;
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *list = NULL;
	fit_autofree char *command = NULL;
	char got[16384] = "";
	int ends[2];
	pid_t child;

	for (size_t i = 0; i < count; i++)
		fit_strlist_addf(&numbers, "%zu", 100 + i);
	list = fit_strlist_join(&numbers, " ");
	command = fit_irqbalance_command(FIT_IRQBALANCE_IRQS, list);
	assert_int_equal(pipe(ends), 0);
	child = serve(listener, ends[1], 0, takes);
	fit_irqbalance_ask(&root, 2500, &answer);
	assert_true(answer.room > 0 && answer.room <= takes);
	assert_int_equal(fit_irqbalance_write(&root, FIT_IRQBALANCE_IRQS, list, answer.room, &err),
		possible ? 0 : -1);
	if (possible)
		assert_true(read(ends[0], got, sizeof(got) - 1) > 0);
	else
		assert_non_null(strstr(err.message, "which is all that it takes"));
	assert_string_equal(got, possible ? command : "");
	fit_irqbalance_answer_clear(&answer);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(listener);
	close(ends[0]);
	close(ends[1]);
	fit_test_root_remove(&root);
}

/* More than it takes would be cut in the middle of a number. */
static void it_gets_what_it_takes_at_once(void **unused)
{
	(void)unused;
	tell_many(500, 100, true);
	tell_many(500, 150, false);
	tell_many(16384, 150, true);
	tell_many(16384, 850, true);
}

static void begin(struct fixture *f)
{
	setup(f);
	fit_test_kernel_set(
		&f->kernel, CPUS " = 7\n" IRQS " = none\n" NAME " = irqbalance22.sock\n");
	free(f->before);
	f->before = dump(f);
}

static void domains_share_what_it_leaves_alone(void **unused)
{
	struct fixture f;

	(void)unused;
	begin(&f);
	run_up(&f, &guest_b);
	has_value(&f, CPUS, "4-5,7");
	has_value(&f, IRQS, "none");
	run_up(&f, &guest_a);
	has_value(&f, CPUS, "2-5,7");
	run_down(&f, &guest_b);
	has_value(&f, CPUS, "2-3,7");
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

/* It says for seconds what was so before. */
static void what_it_does_not_show_yet_is_taken_back_all_the_same(void **unused)
{
	struct fixture f;

	(void)unused;
	begin(&f);
	run_up(&f, &guest_b);
	fit_test_kernel_set(&f.kernel, CPUS " = 7\n");
	run_up(&f, &guest_a);
	/* Now it has seen the first. */
	fit_test_kernel_set(&f.kernel, CPUS " = 4-5,7\n");
	run_down(&f, &guest_b);
	has_value(&f, CPUS, "2-3,7");
	fit_test_kernel_set(&f.kernel, CPUS " = 7\n");
	fit_strlist_clear(&f.kernel.log);
	run_down(&f, &guest_a);
	assert_true(fit_strlist_contains(&f.kernel.log, CPUS "=7"));
	expect_as_before(&f);
	teardown(&f);
}

static void one_that_was_restarted_is_told_again(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;
	struct fixture f;

	(void)unused;
	begin(&f);
	run_up(&f, &guest_a);
	fit_test_kernel_set(&f.kernel, CPUS " = 0\n" NAME " = irqbalance23.sock\n");
	open_state(&f, &state);
	assert_int_equal(fit_irqbalance_reassert(&state, &err), 0);
	has_value(&f, CPUS, "0,2-3");
	f.kernel.host_writes = 0;
	assert_int_equal(fit_irqbalance_reassert(&state, &err), 0);
	assert_int_equal(f.kernel.host_writes, 0);
	fit_state_close(&state);
	run_down(&f, &guest_a);
	has_value(&f, CPUS, "0");
	/* Without anybody who noticed: the new one knows nothing of us. */
	run_up(&f, &guest_a);
	fit_test_kernel_set(&f.kernel, CPUS " = 1\n" NAME " = irqbalance24.sock\n");
	run_down(&f, &guest_a);
	has_value(&f, CPUS, "1");
	teardown(&f);
}

/* Between two scans it can be deaf: nothing waits for that, and nothing of it is forgotten. */
static void one_that_is_deaf_is_told_when_it_answers(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;
	struct fixture f;

	(void)unused;
	begin(&f);
	fit_test_kernel_set(&f.kernel, CPUS " = \n" IRQS " = \n");
	run_up(&f, &guest_b);
	has_value(&f, CPUS, NULL);
	run_up(&f, &guest_a);
	run_down(&f, &guest_b);
	open_state(&f, &state);
	assert_int_equal(fit_irqbalance_reassert(&state, &err), 0);
	fit_state_close(&state);
	has_value(&f, CPUS, NULL);
	fit_test_kernel_set(&f.kernel, CPUS " = 7\n" IRQS " = none\n");
	open_state(&f, &state);
	assert_int_equal(fit_irqbalance_reassert(&state, &err), 0);
	fit_state_close(&state);
	has_value(&f, CPUS, "2-3,7");
	/* Deaf again: what it was told last is known. */
	fit_test_kernel_set(&f.kernel, CPUS " = \n" IRQS " = \n");
	run_down(&f, &guest_a);
	has_value(&f, CPUS, "7");
	fit_test_kernel_set(&f.kernel, IRQS " = none\n");
	expect_as_before(&f);
	teardown(&f);
}

/* It moves the interrupts of others as it likes; that is no news. */
static void interrupts_that_it_has_moved_are_not_reported(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_state state;
	struct fixture f;

	(void)unused;
	begin(&f);
	run_up(&f, &guest_a);
	fit_test_kernel_set(&f.kernel, "proc/irq/9/smp_affinity_list = 6\n");
	open_state(&f, &state);
	assert_int_equal(
		fit_executor_undo(&state, guest_a.uuid, FIT_PHASE_RELEASE, &notes, NULL), 0);
	fit_state_close(&state);
	if (notes.count)
		fail_msg("%s", notes.items[0]);
	has_value(&f, "proc/irq/9/smp_affinity_list", "6");
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_understood),
		cmocka_unit_test(nothing_is_said_in_a_word),
		cmocka_unit_test(it_is_spoken_to_over_its_socket),
		cmocka_unit_test(it_gets_what_it_takes_at_once),
		cmocka_unit_test(who_does_not_wait_does_not_kill_it),
		cmocka_unit_test(domains_share_what_it_leaves_alone),
		cmocka_unit_test(what_it_does_not_show_yet_is_taken_back_all_the_same),
		cmocka_unit_test(one_that_was_restarted_is_told_again),
		cmocka_unit_test(one_that_is_deaf_is_told_when_it_answers),
		cmocka_unit_test(interrupts_that_it_has_moved_are_not_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
