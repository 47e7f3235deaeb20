/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/err.h"
#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"

static void an_error_keeps_code_errno_and_grows_context_in_front(void **state)
{
	struct fit_err err = FIT_ERR_INIT;

	(void)state;
	assert_int_equal(fit_err_sys(&err, ENOSPC, "cannot write %s", "/x"), -1);
	assert_int_equal(fit_err_prefix(&err, "domain %s: ", "web01"), -1);
	assert_int_equal(err.code, FIT_ERR_SYSTEM);
	assert_int_equal(err.sys_errno, ENOSPC);
	assert_string_equal(err.message, "domain web01: cannot write /x: No space left on device");
	assert_int_equal(fit_err_set(NULL, FIT_ERR_INVALID, "nobody listens"), -1);
}

static void an_error_too_long_is_cut_but_keeps_its_new_context(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *long_text = fit_xcalloc(1, 2 * FIT_ERR_MESSAGE_MAX);

	(void)state;
	memset(long_text, 'x', 2 * FIT_ERR_MESSAGE_MAX - 1);
	fit_err_sys(&err, EIO, "%s", long_text);
	fit_err_prefix(&err, "context: ");
	assert_true(strlen(err.message) < FIT_ERR_MESSAGE_MAX);
	assert_true(fit_starts_with(err.message, "context: xxx"));
	fit_err_prefix(&err, "%s", long_text);
	assert_int_equal(strlen(err.message), FIT_ERR_MESSAGE_MAX - 1);
}

static void numbers_are_whole_bounded_and_unsigned(void **state)
{
	static const char *const bad[] = {
		"", " 1", "1 ", "+1", "-1", "0x1", "1a", "101", "99999999999999999999999"};
	uint64_t value = 7;

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++)
		if (fit_parse_uint(bad[i], 100, &value))
			fail_msg("'%s' was accepted", bad[i]);
	assert_int_equal(value, 7);
	assert_true(fit_parse_uint("100", 100, &value));
	assert_int_equal(value, 100);
	assert_true(fit_parse_uint("18446744073709551615", UINT64_MAX, &value));
	assert_true(value == UINT64_MAX);
	assert_false(fit_parse_uint("18446744073709551616", UINT64_MAX, &value));
	assert_true(fit_parse_hex("fF", 255, &value));
	assert_int_equal(value, 255);
	assert_false(fit_parse_hex("0x1", 255, &value));
	assert_false(fit_parse_uint(NULL, 255, &value));
	assert_true(fit_parse_c_uint("0x1F", 255, &value));
	assert_int_equal(value, 31);
	assert_true(fit_parse_c_uint("037", 255, &value));
	assert_int_equal(value, 31);
	assert_true(fit_parse_c_uint("31", 255, &value));
	assert_int_equal(value, 31);
	assert_true(fit_parse_c_uint("0", 255, &value));
	assert_int_equal(value, 0);
	assert_false(fit_parse_c_uint("08", 255, &value));
	assert_false(fit_parse_c_uint("0x", 255, &value));
	assert_false(fit_parse_c_uint("", 255, &value));
	assert_false(fit_parse_c_uint(NULL, 255, &value));
}

static void sizes_follow_libvirts_units(void **state)
{
	static const struct {
		const char *number, *unit;
		uint64_t kib;
	} good[] = {{"4", NULL, 4}, {"4", "k", 4}, {"2", "MiB", 2048}, {"2", "m", 2048},
		{"1", "G", 1048576}, {"1024", "MB", 1000000}, {"4096", "bytes", 4},
		{"1", "TiB", 1073741824}, {"1", "b", 1}, {"9", "MB", 8790}};
	static const char *const bad[][2] = {
		{"1", "parsec"}, {"1", ""}, {"-1", "G"}, {"99999999999", "E"}, {"x", "G"}};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(good); i++) {
		uint64_t kib = 0;

		assert_true(fit_parse_size_kib(good[i].number, good[i].unit, &kib));
		assert_int_equal(kib, good[i].kib);
	}
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		uint64_t kib = 3;

		if (fit_parse_size_kib(bad[i][0], bad[i][1], &kib))
			fail_msg("%s %s was accepted", bad[i][0], bad[i][1]);
		assert_int_equal(kib, 3);
	}
}

static void sizes_are_printed_in_the_largest_whole_unit(void **state)
{
	fit_autofree char *gib = fit_format_size_kib(1048576);
	fit_autofree char *mib = fit_format_size_kib(1536 * 1024);
	fit_autofree char *kib = fit_format_size_kib(2049);
	fit_autofree char *none = fit_format_size_kib(0);

	(void)state;
	assert_string_equal(gib, "1 GiB");
	assert_string_equal(mib, "1536 MiB");
	assert_string_equal(kib, "2049 KiB");
	assert_string_equal(none, "0 KiB");
}

/* Property: any bytes survive, and the escaped form is one printable word. */
static void escaped_words_survive_a_round_trip(void **state)
{
	(void)state;
	srand(2);
	for (int round = 0; round < 500; round++) {
		char text[40];
		int length = rand() % 39;
		fit_autofree char *word = NULL;
		fit_autofree char *again = NULL;

		for (int i = 0; i < length; i++)
			text[i] = (char)(1 + rand() % 255);
		text[length] = '\0';
		word = fit_escape_word(text);
		for (const char *p = word; *p; p++)
			assert_true(*p > ' ' && *p < 0x7f);
		again = fit_unescape_word(word);
		assert_string_equal(again, text);
	}
	assert_null(fit_unescape_word("%"));
	assert_null(fit_unescape_word("%0"));
	assert_null(fit_unescape_word("%zz"));
	assert_null(fit_unescape_word("%00"));
}

static void a_shell_reads_quoted_names_back(void **state)
{
	static const char *const names[] = {"web01", "", "a b", "it's", "$(reboot)", "`x`", "\"",
		"-n", "ü\n", "a;b", "\\", "*", "!x", "~"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(names); i++) {
		fit_autofree char *quoted = fit_shell_quote(names[i]);
		fit_autofree char *command = fit_xasprintf("printf '%%s.' %s", quoted);
		char output[80] = {0};
		FILE *shell = popen(command, "r");

		assert_non_null(shell);
		assert_true(fread(output, 1, sizeof(output) - 1, shell) > 0);
		assert_int_equal(pclose(shell), 0);
		assert_int_equal(output[strlen(output) - 1], '.');
		output[strlen(output) - 1] = '\0';
		assert_string_equal(output, names[i]);
	}
}

static void names_cannot_forge_a_line_of_output(void **state)
{
	fit_autofree char *shown = fit_printable("a\nb\033[31m\177ü");

	(void)state;
	assert_string_equal(shown, "a?b?[31m?ü");
}

static void lists_split_and_join(void **state)
{
	fit_autostrlist struct fit_strlist list = {0};
	fit_autofree char *joined = NULL;

	(void)state;
	fit_strlist_split(&list, "  low-latency,sriov  lean, ", " ,");
	fit_strlist_addf(&list, "%s-%d", "n", 4);
	joined = fit_strlist_join(&list, "|");
	assert_string_equal(joined, "low-latency|sriov|lean|n-4");
	assert_true(fit_strlist_contains(&list, "sriov"));
	assert_false(fit_strlist_contains(&list, "sr"));
}

static void buffers_and_arrays_grow(void **state)
{
	fit_autobuffer struct fit_buffer buffer = {0};
	int *numbers = NULL;
	size_t count = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		fit_buffer_addf(&buffer, "%d,", i % 10);
		*FIT_APPEND(numbers, count) += i;
	}
	assert_int_equal(buffer.length, 2000);
	assert_string_equal(buffer.text + 1990, "5,6,7,8,9,");
	for (int i = 0; i < 1000; i++)
		assert_int_equal(numbers[i], i);
	free(numbers);
}

static void a_fingerprint_is_fnv1a(void **state)
{
	(void)state;
	/* Test vectors of the algorithm's authors. */
	assert_true(fit_fingerprint(FIT_FINGERPRINT_INIT, "", 0) == 0xcbf29ce484222325ULL);
	assert_true(fit_fingerprint(FIT_FINGERPRINT_INIT, "a", 1) == 0xaf63dc4c8601ec8cULL);
	assert_true(fit_fingerprint(FIT_FINGERPRINT_INIT, "foobar", 6) == 0x85944171f73967e8ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_keeps_code_errno_and_grows_context_in_front),
		cmocka_unit_test(an_error_too_long_is_cut_but_keeps_its_new_context),
		cmocka_unit_test(numbers_are_whole_bounded_and_unsigned),
		cmocka_unit_test(sizes_follow_libvirts_units),
		cmocka_unit_test(sizes_are_printed_in_the_largest_whole_unit),
		cmocka_unit_test(escaped_words_survive_a_round_trip),
		cmocka_unit_test(a_shell_reads_quoted_names_back),
		cmocka_unit_test(names_cannot_forge_a_line_of_output),
		cmocka_unit_test(lists_split_and_join),
		cmocka_unit_test(buffers_and_arrays_grow),
		cmocka_unit_test(a_fingerprint_is_fnv1a),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
