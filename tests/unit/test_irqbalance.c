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

/* Answers setup until it is killed; settings go to @log. As release 1.9.2 it takes what is left in
 * its buffer for a command when there is none, and dies of an answer that nobody takes. */
static pid_t serve(int listener, int log, unsigned int busy_ms)
{
	static const char answer[] = "SLEEP 10 IRQ 9 LOAD 0 DIFF 0 CLASS 0 BANNED 00000030";
	pid_t child = fork();
	char command[1024] = "";

	if (!child)
		usleep(busy_ms * 1000);
	while (!child) {
		int fd = accept(listener, NULL, NULL);
		ssize_t got = recv(fd, command, sizeof(command), 0);

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
	pid_t child = serve(listener, STDERR_FILENO, 3500);
	fit_autofree char *cpus = NULL;

	(void)unused;
	assert_null(fit_irqbalance_read(&root, FIT_IRQBALANCE_CPUS));
	usleep(1500000);
	cpus = fit_irqbalance_read(&root, FIT_IRQBALANCE_CPUS);
	assert_string_equal(cpus, "4-5");
	for (int i = 0; i < 3; i++) {
		fit_autofree char *name = fit_irqbalance_find(&root);
		fit_autofree char *again = fit_irqbalance_read(&root, FIT_IRQBALANCE_CPUS);

		assert_string_equal(name, "irqbalance22.sock");
		assert_string_equal(again, "4-5");
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
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *many = fit_xcalloc(1, 600);
	fit_autofree char *cpus = NULL;
	fit_autofree char *irqs = NULL;
	fit_autofree char *name = NULL;
	char command[64] = "";
	int dead = listen_at(&root, "irqbalance1.sock");
	int listener, ends[2];
	pid_t child;

	(void)unused;
	/* It was killed: nobody is there any more. */
	close(dead);
	assert_null(fit_irqbalance_find(&root));
	assert_null(fit_irqbalance_read(&root, FIT_IRQBALANCE_CPUS));
	assert_int_equal(fit_irqbalance_write(&root, FIT_IRQBALANCE_CPUS, "2", &err), -1);
	listener = listen_at(&root, "irqbalance22.sock");
	assert_int_equal(pipe(ends), 0);
	child = serve(listener, ends[1], 0);
	cpus = fit_irqbalance_read(&root, FIT_IRQBALANCE_CPUS);
	irqs = fit_irqbalance_read(&root, FIT_IRQBALANCE_IRQS);
	name = fit_irqbalance_find(&root);
	assert_string_equal(cpus, "4-5");
	assert_string_equal(irqs, "9");
	assert_string_equal(name, "irqbalance22.sock");
	assert_int_equal(fit_irqbalance_write(&root, FIT_IRQBALANCE_CPUS, "2-3", &err), 0);
	assert_true(read(ends[0], command, sizeof(command) - 1) > 0);
	assert_string_equal(command, "settings cpus 2-3");
	/* More than it takes would be cut in the middle of a number. */
	memset(many, '1', 599);
	assert_int_equal(fit_irqbalance_write(&root, FIT_IRQBALANCE_IRQS, many, &err), -1);
	assert_non_null(strstr(err.message, "so many interrupts"));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(listener);
	close(ends[0]);
	close(ends[1]);
	fit_test_root_remove(&root);
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
		cmocka_unit_test(who_does_not_wait_does_not_kill_it),
		cmocka_unit_test(domains_share_what_it_leaves_alone),
		cmocka_unit_test(what_it_does_not_show_yet_is_taken_back_all_the_same),
		cmocka_unit_test(one_that_was_restarted_is_told_again),
		cmocka_unit_test(interrupts_that_it_has_moved_are_not_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
