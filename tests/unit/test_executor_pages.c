/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Claims of huge pages and their undoing. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_executor.h"
#include "sys/clock.h"
#include "sys/executor.h"

#define GIGANTIC(n) "sys/devices/system/node/node" #n "/hugepages/hugepages-1048576kB"

/* numatune mode='preferred': the node of the vCPUs first, as far as it has room. */
static void preferred_nodes_are_filled_before_others(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fixture f;
	struct fit_op *op;

	(void)unused;
	setup(&f);
	fit_test_kernel_set(&f.kernel, "sys/devices/system/node/node0/meminfo = "
				       "Node 0 MemFree: 4194304 kB\n");
	op = add_op(&ops, FIT_OP_PAGES, FIT_PHASE_PREPARE, FIT_PHASE_STOPPED);
	op->page_kib = 2048;
	op->pages = 1024;
	fit_cpuset_add(&op->nodes, 0);
	op->nodes_preferred = true;
	open_state(&f, &state);
	assert_int_equal(prepare_new(&state, A, &ops, &err), 0);
	has_value(&f, POOL(0) "/nr_hugepages", "1436");
	has_value(&f, POOL(1) "/nr_hugepages", "0");
	fit_test_kernel_set(
		&f.kernel, "sys/devices/system/node/node0/meminfo = Node 0 MemFree: 409600 kB\n");
	assert_int_equal(prepare_new(&state, B, &ops, &err), 0);
	has_value(&f, POOL(0) "/nr_hugepages", "1636");
	has_value(&f, POOL(1) "/nr_hugepages", "824");
	fit_state_close(&state);
	fit_hostops_clear(&ops);
	run_down(&f, &guest_a);
	run_down(&f, &guest_b);
	teardown(&f);
}

static void too_few_pages_are_refused_and_given_back(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	f.kernel.page_limit = 1000;
	refused(&f, &guest_a, 0, "1436 huge pages wanted in all, 1000 got");
	has_value(&f, PF "/sriov_numvfs", "0");
	has_value(&f, POOL(0) "/nr_hugepages", "512");
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

/* Only when it is asked for, and when there is no other way. */
static void memory_is_compacted_for_pages(void **unused)
{
	static const char compact[] = "sys/devices/system/node/node0/compact";
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fixture f;
	struct fit_op *op = add_op(&ops, FIT_OP_PAGES, FIT_PHASE_PREPARE, FIT_PHASE_STOPPED);

	(void)unused;
	setup(&f);
	fit_test_kernel_set(&f.kernel, "sys/devices/system/node/node0/compact = \n");
	free(f.before);
	f.before = dump(&f);
	fit_cpuset_add(&op->nodes, 0);
	op->page_kib = 2048;
	op->pages = 1024;
	open_state(&f, &state);
	fit_state_add_journal(&state, A, "a", FIT_STAGE_PREPARED);
	for (int i = 0; i < 4; i++) {
		struct fit_journal *journal = fit_state_journal(&state, A);
		bool works = i == 0 || i == 3;

		op->compact = i != 1;
		f.kernel.page_limit = i ? 1000 : 0;
		f.kernel.compactable = i == 3;
		fit_strlist_clear(&f.kernel.log);
		fit_strlist_clear(&notes);
		assert_int_equal(
			fit_executor_apply(&state, journal, &ops, FIT_PHASE_PREPARE, &notes, &err),
			works ? 0 : -1);
		if (!works)
			assert_non_null(strstr(err.message, "1436 huge pages wanted in all"));
		assert_int_equal(fit_strlist_contains(
					 &f.kernel.log, "sys/devices/system/node/node0/compact=1"),
			i >= 2);
		assert_int_equal(notes.count, i >= 2);
		assert_int_equal(fit_executor_undo(&state, A, FIT_PHASE_STOPPED, NULL, &err), 0);
	}
	/* A kernel that cannot. */
	assert_int_equal(unlinkat(f.root.fd, compact, 0), 0);
	fit_strlist_clear(&notes);
	f.kernel.page_limit = 1000;
	assert_int_equal(fit_executor_apply(&state, fit_state_journal(&state, A), &ops,
				 FIT_PHASE_PREPARE, &notes, &err),
		-1);
	assert_non_null(strstr(notes.items[0], "memory cannot be compacted for huge pages: "));
	assert_int_equal(fit_executor_undo(&state, A, FIT_PHASE_RELEASE, NULL, &err), 0);
	fit_state_close(&state);
	fit_test_kernel_set(&f.kernel, "sys/devices/system/node/node0/compact = \n");
	expect_as_before(&f);
	fit_hostops_clear(&ops);
	teardown(&f);
}

static void pages_are_asked_of_nodes_that_have_them(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fixture f;
	struct fit_op *op;

	(void)unused;
	setup(&f);
	fit_test_kernel_set(
		&f.kernel, "sys/devices/system/node/node0/meminfo = Node 0 MemFree: 204800 kB\n");
	op = add_op(&ops, FIT_OP_PAGES, FIT_PHASE_PREPARE, FIT_PHASE_STOPPED);
	op->memory_kib = 1024 * 2048 - 5; /* of the default size, rounded up */
	open_state(&f, &state);
	assert_int_equal(prepare_new(&state, A, &ops, &err), 0);
	/* 100 are free on node 0, 100 more fit there. */
	has_value(&f, POOL(0) "/nr_hugepages", "612");
	has_value(&f, POOL(1) "/nr_hugepages", "824");
	op->page_kib = 1048576;
	op->pages = 1;
	assert_int_equal(prepare_new(&state, B, &ops, &err), -1);
	assert_string_equal(err.message, "node 0 has no pages of 1 GiB; sizes there: 2 MiB");
	fit_state_close(&state);
	fit_hostops_clear(&ops);
	run_down(&f, &guest_a);
	run_down(&f, &guest_b);
	teardown(&f);
}

/* The kernel would search for long, and find nothing. */
static void gigantic_pages_are_not_tried_without_free_memory(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fixture f;
	struct fit_op *op;

	(void)unused;
	setup(&f);
	fit_test_kernel_set(&f.kernel,
		"sys/devices/system/node/node0/meminfo = Node 0 MemFree: 2097152 kB\n" GIGANTIC(
			0) "/nr_hugepages = 1\n" GIGANTIC(0) "/free_hugepages = 1\n" GIGANTIC(0) "/surplus_hugepages = 0\n");
	op = add_op(&ops, FIT_OP_PAGES, FIT_PHASE_PREPARE, FIT_PHASE_STOPPED);
	op->page_kib = 1048576;
	op->pages = 4;
	fit_cpuset_add(&op->nodes, 0);
	open_state(&f, &state);
	assert_int_equal(prepare_new(&state, A, &ops, &err), -1);
	assert_string_equal(err.message,
		"4 pages of 1 GiB wanted on node 0, but there are free pages and free memory for "
		"3: free some memory, or reserve them at boot (kernel command line: hugepagesz=1G "
		"hugepages=N)");
	assert_int_equal(f.kernel.host_writes, 0);
	/* They are tried where there is, and the end of that is said. */
	op->pages = 3;
	f.kernel.page_limit = 2;
	assert_int_equal(prepare_new(&state, B, &ops, &err), -1);
	assert_non_null(strstr(err.message, "3 huge pages wanted in all, 2 got"));
	assert_non_null(strstr(err.message, "hugepagesz=1G hugepages=N"));
	has_value(&f, GIGANTIC(0) "/nr_hugepages", "1");
	fit_state_close(&state);
	fit_hostops_clear(&ops);
	teardown(&f);
}

static void pages_that_take_too_long_are_not_called_fragmented(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fit_op *op = FIT_APPEND(ops.items, ops.count);
	struct fit_state state;
	struct fixture f;

	(void)unused;
	setup(&f);
	f.kernel.page_limit = 1000;
	f.kernel.page_delay_ms = 30;
	op->kind = FIT_OP_PAGES;
	op->page_kib = 2048;
	op->pages = 1024;
	fit_cpuset_add(&op->nodes, 0);
	open_state(&f, &state);
	state.deadline = fit_clock_ms() + 20;
	assert_int_equal(prepare_new(&state, A, &ops, &err), -1);
	assert_non_null(strstr(err.message, "1000 got when the time for preparing the host"));
	fit_state_close(&state);
	fit_hostops_clear(&ops);
	teardown(&f);
}

/* Somebody's process uses our pages when we give them back: the kernel keeps them as surplus, and
 * the next domain neither lacks pages nor leaves any behind. */
static void pages_in_use_become_surplus(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_a);
	fit_test_kernel_set(&f.kernel, POOL(0) "/free_hugepages = 0\n");
	run_down(&f, &guest_a);
	has_value(&f, POOL(0) "/surplus_hugepages", "924");
	run_up(&f, &guest_b);
	has_value(&f, POOL(0) "/free_hugepages", "1024");
	run_down(&f, &guest_b);
	has_value(&f, POOL(0) "/nr_hugepages", "1436");
	has_value(&f, POOL(0) "/surplus_hugepages", "924");
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(preferred_nodes_are_filled_before_others),
		cmocka_unit_test(too_few_pages_are_refused_and_given_back),
		cmocka_unit_test(memory_is_compacted_for_pages),
		cmocka_unit_test(pages_are_asked_of_nodes_that_have_them),
		cmocka_unit_test(gigantic_pages_are_not_tried_without_free_memory),
		cmocka_unit_test(pages_that_take_too_long_are_not_called_fragmented),
		cmocka_unit_test(pages_in_use_become_surplus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
