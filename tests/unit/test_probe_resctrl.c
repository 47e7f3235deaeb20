/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host can give out of its L3 caches and of memory bandwidth. */
#include "support.h"

#include <stdlib.h>

#include "base/memory.h"
#include "support_host.h"
#include "sys/probe.h"

static void resctrl_says_what_can_be_given_out(void **state)
{
	struct fit_host host = fit_test_host("resctrl");
	const struct fit_cache_control *control = &host.l3_control[FIT_CACHE_BOTH];

	(void)state;
	assert_int_equal(host.l3_count, 2);
	assert_int_equal(host.l3_caches[0].id, 1);
	assert_int_equal(host.l3_caches[1].id, 0);
	assert_int_equal(host.l3_caches[1].size_kib, 24576);
	assert_int_equal(host.l3_caches[1].room[FIT_CACHE_BOTH], 4);
	assert_int_equal(control->bits, 12);
	assert_int_equal(control->min_bits, 2);
	assert_int_equal(control->groups, 8);
	assert_int_equal(host.l3_control[FIT_CACHE_CODE].bits, 0);
	assert_int_equal(host.bandwidth_control.step, 10);
	assert_int_equal(host.bandwidth_control.min, 20);
	assert_int_equal(host.bandwidth_control.groups, 8);
	assert_false(host.bandwidth_control.absolute);
	fit_host_clear(&host);
	host = fit_test_host("two-node");
	assert_int_equal(host.l3_control[FIT_CACHE_BOTH].bits, 0);
	assert_int_equal(host.bandwidth_control.step, 0);
	assert_int_equal(host.l3_caches[3].id, -1);
	assert_int_equal(host.l3_caches[3].size_kib, 0);
	fit_host_clear(&host);
}

static struct fit_host probe_resctrl(const char *more, struct fit_strlist *warnings)
{
	struct fit_fsroot root = fit_test_host_root("resctrl");
	struct fit_err err = FIT_ERR_INIT;
	struct fit_host host;

	fit_test_root_add(&root, more);
	if (fit_probe(&root, FIT_PROBE_CPUS, &host, warnings, &err) < 0)
		fail_msg("%s", err.message);
	fit_test_root_remove(&root);
	return host;
}

static void schemata_say_what_the_default_group_leaves(void **state)
{
	static const struct {
		const char *text;
		unsigned int room[2]; /* of caches 0 and 1 */
		bool absolute;
	} cases[] = {
		{"L3:0=fff;1=f0f\\nMB:0=100;1=100", {0, 4}, false},
		{"MB:0= 100;1=2048\\n    L3:0=39f;1=1", {2, 11}, true},
		{"L3:7=0;1\\nMB\\n=;;:", {12, 12}, false},
		{"", {12, 12}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fit_autofree char *manifest =
			fit_xasprintf("sys/fs/resctrl/schemata = %s\n", cases[i].text);
		struct fit_host host = probe_resctrl(manifest, NULL);

		assert_int_equal(host.l3_caches[1].room[FIT_CACHE_BOTH], cases[i].room[0]);
		assert_int_equal(host.l3_caches[0].room[FIT_CACHE_BOTH], cases[i].room[1]);
		assert_int_equal(host.bandwidth_control.absolute, cases[i].absolute);
		fit_host_clear(&host);
	}
}

static void caches_of_the_same_number_have_none(void **state)
{
	static const char same[] = "sys/devices/system/cpu/cpu8/cache/index3/id = 1\n";
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_host host = probe_resctrl(same, &warnings);

	(void)state;
	assert_int_equal(host.l3_caches[0].id, -1);
	assert_int_equal(host.l3_caches[1].id, -1);
	assert_int_equal(warnings.count, 1);
	assert_string_equal(warnings.items[0], "several L3 caches have the id 1: ignored");
	fit_host_clear(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resctrl_says_what_can_be_given_out),
		cmocka_unit_test(schemata_say_what_the_default_group_leaves),
		cmocka_unit_test(caches_of_the_same_number_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
