/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "core/pciaddr.h"

static void every_spelling_of_an_address_is_the_same_device(void **state)
{
	static const char *const same[] = {
		"0000:41:00.1", "0:41:0.1", "41:00.1", "00000000:41:00.1"};
	struct fit_pciaddr first, other;

	(void)state;
	assert_true(fit_pciaddr_parse(same[0], &first));
	for (size_t i = 0; i < FIT_ARRAY_SIZE(same); i++) {
		assert_true(fit_pciaddr_parse(same[i], &other));
		assert_true(fit_pciaddr_equal(first, other));
		assert_string_equal(FIT_PCIADDR_STR(other), "0000:41:00.1");
	}
}

static void domains_have_32_bits(void **state)
{
	struct fit_pciaddr addr;

	(void)state;
	assert_true(fit_pciaddr_parse("10000:e1:1f.7", &addr));
	assert_string_equal(FIT_PCIADDR_STR(addr), "10000:e1:1f.7");
	assert_true(fit_pciaddr_parse("ffffffff:ff:1f.7", &addr));
	assert_string_equal(FIT_PCIADDR_STR(addr), "ffffffff:ff:1f.7");
}

static void what_is_no_address_is_refused(void **state)
{
	static const char *const bad[] = {"", "41", "41:00", "0000:41:00", "0000:41:00.8",
		"0000:41:20.0", "0000:141:00.0", "100000000:41:00.0", "0000:41:00.0 ", " 41:00.0",
		"0000:41:00.0.0", "0000::00.0", "g000:41:00.0", "0000:41:00.00", ":41:00.0",
		"0000:0000:41:00.0", "-1:41:00.0"};
	struct fit_pciaddr addr = {.domain = 5};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++)
		if (fit_pciaddr_parse(bad[i], &addr))
			fail_msg("'%s' was accepted", bad[i]);
	assert_int_equal(addr.domain, 5);
}

static void addresses_sort_as_numbers(void **state)
{
	struct fit_pciaddr small, large;

	(void)state;
	assert_true(fit_pciaddr_parse("ffff:ff:1f.7", &small));
	assert_true(fit_pciaddr_parse("10000:00:00.0", &large));
	assert_true(fit_pciaddr_compare(small, large) < 0);
	assert_true(fit_pciaddr_compare(large, small) > 0);
	assert_int_equal(fit_pciaddr_compare(large, large), 0);
}

/* Offsets and strides as real cards have them: Intel 82576 (igb) 0x80 and 2, E810 8 and 1 with ARI.
 */
static void vf_addresses_follow_offset_and_stride(void **state)
{
	struct fit_pciaddr pf;

	(void)state;
	assert_true(fit_pciaddr_parse("0000:01:00.1", &pf));
	assert_string_equal(FIT_PCIADDR_STR(fit_pciaddr_vf(pf, 0x80, 2, 0)), "0000:01:10.1");
	assert_string_equal(FIT_PCIADDR_STR(fit_pciaddr_vf(pf, 0x80, 2, 6)), "0000:01:11.5");
	assert_true(fit_pciaddr_parse("10000:b5:00.0", &pf));
	assert_string_equal(FIT_PCIADDR_STR(fit_pciaddr_vf(pf, 8, 1, 255)), "10000:b6:00.7");
}

static void vfs_end_where_buses_do(void **state)
{
	struct fit_pciaddr pf = {.domain = 1, .bus = 0xff, .function = 1};

	(void)state;
	assert_true(fit_pciaddr_has_vf(pf, 2, 4, 63));
	assert_string_equal(FIT_PCIADDR_STR(fit_pciaddr_vf(pf, 2, 4, 63)), "0001:ff:1f.7");
	assert_false(fit_pciaddr_has_vf(pf, 2, 4, 64));
	assert_false(fit_pciaddr_has_vf(pf, UINT32_MAX, UINT32_MAX, UINT32_MAX));
	/* What a capability with zeros says. */
	assert_true(fit_pciaddr_has_vf(pf, 1, 0, 0));
	assert_false(fit_pciaddr_has_vf(pf, 1, 0, 1));
	assert_false(fit_pciaddr_has_vf(pf, 0, 1, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_spelling_of_an_address_is_the_same_device),
		cmocka_unit_test(domains_have_32_bits),
		cmocka_unit_test(what_is_no_address_is_refused),
		cmocka_unit_test(addresses_sort_as_numbers),
		cmocka_unit_test(vf_addresses_follow_offset_and_stride),
		cmocka_unit_test(vfs_end_where_buses_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
