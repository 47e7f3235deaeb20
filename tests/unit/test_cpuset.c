/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "core/cpuset.h"

static void expect_list(const char *text, const char *canonical)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_cpuset set = {0};
	fit_autofree char *printed = NULL;

	if (fit_cpuset_parse_list(text, &set, &err) < 0)
		fail_msg("'%s': %s", text, err.message);
	printed = fit_cpuset_format_list(&set);
	assert_string_equal(printed, canonical);
}

static void lists_are_read_and_printed_canonically(void **state)
{
	(void)state;
	expect_list("", "");
	expect_list("\n", "");
	expect_list("0,1", "0-1");
	expect_list("8, 0-3\n", "0-3,8");
	expect_list("0-7,^3", "0-2,4-7");
	expect_list("^3,0-7", "0-2,4-7");
	expect_list("0-15:2/4", "0-1,4-5,8-9,12-13");
	expect_list("8191", "8191");
}

static void bad_lists_are_refused_and_leave_the_output_alone(void **state)
{
	static const char *const bad[] = {
		"8192", "3-1", "a", "1,", ",1", "1,,2", "1-", "-1", "1 2", "0-7:0/4", "0x3"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_cpuset set = {.words = {42}};

		if (fit_cpuset_parse_list(bad[i], &set, &err) == 0)
			fail_msg("'%s' was accepted", bad[i]);
		assert_int_equal(err.code, FIT_ERR_INVALID);
		assert_int_equal(set.words[0], 42);
	}
}

/* Libvirt reads lists of iothreads up to 16383. */
static void lists_of_iothreads_go_further(void **state)
{
	static const char *const same[] = {
		"", "0", "1-3,8", "8191", "8192", "8190-8193", "1,8191-8192,8194,16383", "0-16383"};
	static const char *const bad[] = {"16384", "16383-16384", "8192-8191", "8192,"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(same); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_iothread_ids set;
		fit_autofree char *printed = NULL;

		if (fit_iothread_ids_parse(same[i], &set, &err) < 0)
			fail_msg("%s", err.message);
		printed = fit_iothread_ids_format(&set);
		assert_string_equal(printed, same[i]);
	}
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		struct fit_iothread_ids set;

		assert_int_equal(fit_iothread_ids_parse(bad[i], &set, NULL), -1);
	}
}

static void masks_and_lists_name_the_same_cpus(void **state)
{
	static const char *const pairs[][2] = {
		{"ff", "0-7"},
		{"00000001,00000000\n", "32"},
		{"1,00000000,80000000", "31,64"},
		{"0", ""},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(pairs); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_cpuset set;
		fit_autofree char *printed = NULL;

		assert_int_equal(fit_cpuset_parse_mask(pairs[i][0], &set, &err), 0);
		printed = fit_cpuset_format_list(&set);
		assert_string_equal(printed, pairs[i][1]);
	}
}

static void what_is_no_mask_is_refused(void **state)
{
	static const char *const bad[] = {
		"", " \n", "g", "0x1", "1,,1", "1,", "123456789", "-1", "1,123456789", "1 1"};
	fit_autobuffer struct fit_buffer great = {0};
	struct fit_cpuset set = {.words = {42}};
	struct fit_err err = FIT_ERR_INIT;

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		if (fit_cpuset_parse_mask(bad[i], &set, &err) == 0)
			fail_msg("'%s' was accepted", bad[i]);
		assert_int_equal(err.code, FIT_ERR_INVALID);
		assert_int_equal(set.words[0], 42);
	}
	/* The last CPU there may be, and the one after it. */
	for (size_t i = 0; i < FIT_CPUSET_MAX / 32; i++)
		fit_buffer_add(&great, i ? ",00000000" : "80000000");
	assert_int_equal(fit_cpuset_parse_mask(great.text, &set, &err), 0);
	assert_true(fit_cpuset_contains(&set, FIT_CPUSET_MAX - 1));
	fit_buffer_add(&great, ",00000000");
	great.text[0] = '0', great.text[7] = '1';
	assert_int_equal(fit_cpuset_parse_mask(great.text, &set, &err), -1);
	assert_non_null(strstr(err.message, "a CPU mask names CPU 8192, the limit is 8191"));
}

/* Property: printing and reading any set gives the set. */
static void random_sets_survive_a_round_trip(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 500; round++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_cpuset set = {0};
		struct fit_cpuset again;
		fit_autofree char *printed = NULL;

		for (int i = rand() % 200; i > 0; i--)
			fit_cpuset_add(&set, (unsigned int)rand() % FIT_CPUSET_MAX);
		printed = fit_cpuset_format_list(&set);
		assert_int_equal(fit_cpuset_parse_list(printed, &again, &err), 0);
		assert_true(fit_cpuset_equal(&set, &again));
		assert_int_equal(fit_cpuset_next(&set, FIT_CPUSET_MAX - 1) >= 0,
			fit_cpuset_contains(&set, FIT_CPUSET_MAX - 1));
	}
}

static void a_description_counts(void **state)
{
	struct fit_cpuset set = {0};
	fit_autofree char *one = NULL;
	fit_autofree char *several = NULL;

	(void)state;
	fit_cpuset_add(&set, 3);
	one = fit_cpuset_describe(&set, "CPU");
	assert_string_equal(one, "CPU 3");
	fit_cpuset_add(&set, 4);
	several = fit_cpuset_describe(&set, "node");
	assert_string_equal(several, "nodes 3-4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read_and_printed_canonically),
		cmocka_unit_test(bad_lists_are_refused_and_leave_the_output_alone),
		cmocka_unit_test(lists_of_iothreads_go_further),
		cmocka_unit_test(masks_and_lists_name_the_same_cpus),
		cmocka_unit_test(what_is_no_mask_is_refused),
		cmocka_unit_test(a_description_counts),
		cmocka_unit_test(random_sets_survive_a_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
