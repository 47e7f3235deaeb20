/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host's processes stay off the CPUs of domains while these run. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_executor.h"
#include "sys/executor.h"
#include "sys/slice.h"

#define SYSTEM	"sys/fs/cgroup/system.slice/cpuset.cpus"
#define USER	"sys/fs/cgroup/user.slice/cpuset.cpus"
#define INIT	"sys/fs/cgroup/init.scope/cpuset.cpus"
#define MACHINE "sys/fs/cgroup/machine.slice/cpuset.cpus"
#define DROP_IN "run/systemd/system.control/system.slice.d/50-AllowedCPUs.conf"

/* Start of guest @uuid that isolates @list and does nothing else. */
static int isolate(struct fixture *f, const char *uuid, const char *list, bool optional,
	struct fit_strlist *notes, struct fit_err *err)
{
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fit_journal *journal;
	struct fit_op *op = add_op(&ops, FIT_OP_ISOLATE, FIT_PHASE_START, FIT_PHASE_STOPPED);
	int result;

	op->cpus = fit_test_cpus(list);
	op->optional = optional;
	open_state(f, &state);
	journal = fit_state_add_journal(&state, uuid, "guest", FIT_STAGE_PREPARED);
	result = fit_executor_apply(&state, journal, &ops, FIT_PHASE_START, notes, err);
	if (result == 0)
		result = fit_state_save_journal(&state, journal, err);
	fit_state_close(&state);
	fit_hostops_clear(&ops);
	return result;
}

static void started(struct fixture *f, const char *uuid, const char *list)
{
	struct fit_err err = FIT_ERR_INIT;

	if (isolate(f, uuid, list, false, NULL, &err) < 0)
		fail_msg("%s", err.message);
}

static void stopped(struct fixture *f, const char *uuid, struct fit_strlist *notes)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;

	open_state(f, &state);
	if (fit_executor_undo(&state, uuid, FIT_PHASE_RELEASE, notes, &err) < 0)
		fail_msg("%s", err.message);
	fit_state_close(&state);
}

/* What system.slice was told, in order. */
static void expect_settings(const struct fixture *f, const char *expected)
{
	fit_autostrlist struct fit_strlist found = {0};
	fit_autofree char *joined = NULL;

	for (size_t i = 0; i < f->kernel.log.count; i++) {
		fit_autofree char *line = fit_xstrdup(f->kernel.log.items[i]);

		if (fit_starts_with(line, DROP_IN "="))
			fit_strlist_add(&found, fit_trim(line + strlen(DROP_IN "=")));
	}
	joined = fit_strlist_join(&found, "|");
	assert_string_equal(joined, expected);
}

static void domains_share_what_is_taken_from_the_host(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	started(&f, A, "2-3");
	has_value(&f, SYSTEM, "0-1,4-7");
	has_value(&f, USER, "0-1,4-7");
	has_value(&f, INIT, "0-1,4-7");
	assert_null(fit_fsroot_try_read(&f.root, MACHINE));
	started(&f, B, "5");
	has_value(&f, SYSTEM, "0-1,4,6-7");
	stopped(&f, A, NULL);
	has_value(&f, SYSTEM, "0-4,6-7");
	stopped(&f, B, NULL);
	has_value(&f, SYSTEM, "0-7");
	expect_as_before(&f);
	teardown(&f);
}

/* Where it is only unset, systemd leaves the group as narrow as it was. */
static void all_cpus_are_set_before_they_are_unset(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	started(&f, A, "2-3");
	stopped(&f, A, NULL);
	expect_settings(&f, "AllowedCPUs=0-1,4-7|AllowedCPUs=0-7|AllowedCPUs=|");
	teardown(&f);
}

/* CPU 8 can be plugged in later. */
static void a_cpu_that_comes_later_is_not_left_out(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	fit_test_kernel_set(&f.kernel, "sys/devices/system/cpu/possible = 0-8\n");
	started(&f, A, "2-3");
	stopped(&f, A, NULL);
	has_value(&f, SYSTEM, "0-8");
	teardown(&f);
}

static void the_settings_of_the_administrator_come_back(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	fit_test_kernel_set(
		&f.kernel, DROP_IN " = AllowedCPUs=0-3\n" SYSTEM " = 0-3\n" USER " = 0-7\n");
	free(f.before);
	f.before = dump(&f);
	started(&f, A, "2-3");
	has_value(&f, SYSTEM, "0-1");
	has_value(&f, USER, "0-1,4-7");
	/* All that it may use: it keeps them. */
	started(&f, B, "0-1");
	has_value(&f, SYSTEM, "0-3");
	has_value(&f, USER, "4-7");
	stopped(&f, A, NULL);
	has_value(&f, SYSTEM, "2-3");
	stopped(&f, B, NULL);
	expect_as_before(&f);
	teardown(&f);
}

static void what_somebody_else_set_meanwhile_stays(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fixture f;

	(void)unused;
	setup(&f);
	started(&f, A, "2-3");
	fit_test_kernel_set(&f.kernel, DROP_IN " = AllowedCPUs=0-1\n" SYSTEM " = 0-1\n");
	stopped(&f, A, &notes);
	has_value(&f, SYSTEM, "0-1");
	has_value(&f, USER, "0-7");
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.items[0], "'0-1 runtime' is there"));
	teardown(&f);
}

static void expect_refused(struct fixture *f, const char *list, const char *part)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;

	assert_int_equal(isolate(f, A, list, false, NULL, &err), -1);
	if (!strstr(err.message, part))
		fail_msg("'%s' does not say '%s'", err.message, part);
	stopped(f, A, NULL);
	expect_as_before(f);
	if (isolate(f, A, list, true, &notes, &err) < 0)
		fail_msg("%s", err.message);
	assert_true(notes.count >= 1);
	if (!strstr(notes.items[0], part))
		fail_msg("'%s' does not say '%s'", notes.items[0], part);
	stopped(f, A, NULL);
	expect_as_before(f);
}

static void what_cannot_be_is_a_note_or_a_refusal(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	expect_refused(&f, "0-7", "left without a CPU");
	f.kernel.systemd_is_deaf = true;
	expect_refused(&f, "2", "/" SYSTEM " has '0-7'");
	f.kernel.systemd_is_deaf = false;
	fit_test_kernel_set(&f.kernel, "sys/fs/cgroup/cgroup.controllers = cpu io memory\n");
	free(f.before);
	f.before = dump(&f);
	expect_refused(&f, "2", "no cpuset in /sys/fs/cgroup/cgroup.controllers");
	assert_int_equal(fit_fsroot_remove(&f.root, "sys/fs/cgroup/cgroup.controllers", NULL), 0);
	free(f.before);
	f.before = dump(&f);
	expect_refused(&f, "2", "version 1");
	fit_test_kernel_set(&f.kernel, "sys/fs/cgroup/cgroup.controllers = cpuset cpu\n");
	fit_fsroot_remove_empty_directory(&f.root, "run/systemd/system");
	free(f.before);
	f.before = dump(&f);
	expect_refused(&f, "2", "a systemd that is not here");
	teardown(&f);
}

/* Together, too, domains leave the host one. */
static void the_last_cpu_of_the_host_is_not_taken(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fixture f;

	(void)unused;
	setup(&f);
	started(&f, A, "0-6");
	assert_int_equal(isolate(&f, B, "7", false, NULL, &err), -1);
	assert_non_null(strstr(err.message, "left without a CPU"));
	has_value(&f, SYSTEM, "7");
	stopped(&f, A, NULL);
	expect_as_before(&f);
	teardown(&f);
}

static void groups_are_limited_where_there_is_no_systemd(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	without_systemd(&f);
	started(&f, A, "2-3");
	has_value(&f, SYSTEM, "0-1,4-7");
	has_value(&f, USER, "0-1,4-7");
	assert_null(fit_fsroot_try_read(&f.root, MACHINE));
	assert_false(fit_fsroot_exists(&f.root, DROP_IN));
	started(&f, B, "5");
	has_value(&f, SYSTEM, "0-1,4,6-7");
	stopped(&f, A, NULL);
	has_value(&f, SYSTEM, "0-4,6-7");
	has_value(&f, "sys/fs/cgroup/cgroup.subtree_control", "cpuset cpu io memory");
	stopped(&f, B, NULL);
	expect_as_before(&f);
	/* Somebody has come to use the controller below a group. */
	started(&f, A, "2-3");
	f.kernel.cpuset_in_use = true;
	stopped(&f, A, NULL);
	has_value(&f, SYSTEM, "0-7");
	has_value(&f, "sys/fs/cgroup/cgroup.subtree_control", "cpuset cpu io memory");
	teardown(&f);
}

static void values_have_one_meaning_each(void **unused)
{
	static const char *const good[] = {"unset", "unset runtime", "0-3", "0-3 runtime", "5"};
	static const char *const bad[] = {"", "runtime", " runtime", "0-3 run", "x", "3-1"};
	struct fit_slice_value value;

	(void)unused;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(good); i++) {
		fit_autofree char *text = NULL;

		assert_true(fit_slice_parse(good[i], &value));
		text = fit_slice_format(&value);
		assert_string_equal(text, good[i]);
		for (size_t j = 0; j < FIT_ARRAY_SIZE(good); j++)
			assert_int_equal(
				fit_slice_equal(FIT_RESOURCE_SLICE, good[i], good[j]), i == j);
	}
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++)
		if (fit_slice_parse(bad[i], &value))
			fail_msg("'%s' is no value", bad[i]);
	assert_true(fit_slice_equal(FIT_RESOURCE_SLICE, "0,1 runtime", "0-1 runtime"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(domains_share_what_is_taken_from_the_host),
		cmocka_unit_test(all_cpus_are_set_before_they_are_unset),
		cmocka_unit_test(a_cpu_that_comes_later_is_not_left_out),
		cmocka_unit_test(the_settings_of_the_administrator_come_back),
		cmocka_unit_test(what_somebody_else_set_meanwhile_stays),
		cmocka_unit_test(what_cannot_be_is_a_note_or_a_refusal),
		cmocka_unit_test(the_last_cpu_of_the_host_is_not_taken),
		cmocka_unit_test(groups_are_limited_where_there_is_no_systemd),
		cmocka_unit_test(values_have_one_meaning_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
