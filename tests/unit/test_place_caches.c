/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the L3 caches and of memory bandwidth: for which vCPUs, how large, and when not. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "core/target.h"
#include "support_plan.h"

#define MIB 1024ULL

/* Two nodes with two L3 caches of 16 MiB each, which four cores use. */
static struct fit_bench make_bench(unsigned int vcpus)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 2, 4, 1}, vcpus);

	fit_made_resctrl(&b.host, 16);
	b.profile.cachetune.intent.set = true;
	b.profile.cachetune.level = 3;
	b.profile.cachetune.size_kib = 4 * MIB;
	return b;
}

/* "0-2: 0 4194304 0; 3: 1 4194304 0" : vCPUs, cache, bytes, bandwidth. */
static void expect_caches(const struct fit_bench *b, const char *wanted)
{
	fit_autobuffer struct fit_buffer text = {0};

	fit_buffer_add(&text, "");
	for (size_t i = 0; i < b->plan.cache_count; i++) {
		const struct fit_planned_cache *cache = &b->plan.caches[i];
		fit_autofree char *vcpus = fit_cpuset_format_list(&cache->vcpus);

		fit_buffer_addf(&text, "%s%s: %u %llu %u", i ? "; " : "", vcpus, cache->id,
			(unsigned long long)cache->bytes, cache->bandwidth);
	}
	assert_string_equal(text.text, wanted);
}

static void vcpus_of_one_cache_are_a_group(void **state)
{
	struct fit_bench b = make_bench(3);

	(void)state;
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,2,3");
	expect_caches(&b, "0-2: 0 4194304 0");
	b.domain.vcpus = 6;
	fit_bench_plan(&b);
	expect_caches(&b, "0-2: 0 4194304 0; 3-5: 1 4194304 0");
	fit_bench_end(&b);
}

static void floating_vcpus_have_a_part_of_all_their_caches(void **state)
{
	struct fit_bench b = make_bench(2);

	(void)state;
	b.profile.vcpus.place = FIT_PLACE_NODE;
	b.profile.vcpus.shared = true;
	/* Groups are in the order of the numbers that libvirt prints. */
	b.host.l3_caches[0].id = 7;
	fit_bench_plan(&b);
	expect_caches(&b, "0-1: 1 4194304 0; 0-1: 7 4194304 0");
	b.profile.vcpus.intent.set = false;
	fit_made_pin(&b.domain, 0, "15");
	fit_bench_plan(&b);
	expect_caches(&b, "0: 3 4194304 0; 1: 1 4194304 0; 1: 2 4194304 0; 1: 3 4194304 0; "
			  "1: 7 4194304 0");
	b.domain.has_vcpu_cpuset = true;
	b.domain.vcpu_cpuset = fit_made_set("8-9");
	fit_bench_plan(&b);
	expect_caches(&b, "0: 3 4194304 0; 1: 2 4194304 0");
	fit_bench_end(&b);
}

static void sizes_are_whole_pieces(void **state)
{
	struct fit_bench b = make_bench(2);

	(void)state;
	b.profile.cachetune.size_kib = 2 * MIB + 1;
	fit_bench_plan(&b);
	expect_caches(&b, "0-1: 0 3145728 0");
	fit_expect_reason(&b, FIT_REASON_CHOICE,
		"3 MiB of L3 cache 0 for the 2049 KiB wanted: it is given out in pieces of 1 MiB, "
		"at least 1");
	b.host.l3_control[FIT_CACHE_BOTH].min_bits = 5;
	fit_bench_plan(&b);
	expect_caches(&b, "0-1: 0 5242880 0");
	/* Not a whole number of KiB: 16 MiB in 15 pieces. */
	b.host.l3_control[FIT_CACHE_BOTH] = (struct fit_cache_control){15, 1, 8};
	b.profile.cachetune.size_kib = 1;
	fit_bench_plan(&b);
	expect_caches(&b, "0-1: 0 1118481 0");
	fit_bench_end(&b);
}

static void a_size_that_leaves_nothing_is_refused(void **state)
{
	struct fit_bench b = make_bench(2);

	(void)state;
	b.profile.cachetune.size_kib = 15 * MIB;
	fit_bench_plan(&b);
	expect_caches(&b, "0-1: 0 15728640 0");
	b.profile.cachetune.size_kib = 15 * MIB + 1;
	fit_expect_refusal(&b, "15361 KiB of L3 cache 0 wanted (the profile:0), which has 16 MiB: "
			       "at most 15 MiB can be had, in pieces of 1 MiB");
	b.profile.cachetune.intent.file = "a.xml";
	b.profile.cachetune.intent.line = 7;
	fit_expect_refusal(&b, "of L3 cache 0 wanted (a.xml:7), which has 16 MiB");
	b.profile.cachetune.size_kib = UINT64_MAX;
	fit_expect_refusal(&b, "at most 15 MiB can be had");
	fit_bench_end(&b);
}

static void bandwidth_goes_in_steps(void **state)
{
	static const unsigned int cases[][2] = {{1, 10}, {10, 10}, {11, 20}, {91, 100}, {100, 100}};
	struct fit_bench b = make_bench(2);

	(void)state;
	b.profile.cachetune.intent.set = false;
	b.profile.memorytune.intent.set = true;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		b.profile.memorytune.bandwidth = cases[i][0];
		fit_bench_plan(&b);
		assert_int_equal(b.plan.cache_count, 1);
		assert_int_equal(b.plan.caches[0].bandwidth, cases[i][1]);
		assert_int_equal(b.plan.caches[0].bytes, 0);
	}
	b.host.bandwidth_control.step = 30;
	fit_bench_plan(&b);
	expect_caches(&b, "0-1: 0 0 90");
	b.host.bandwidth_control.absolute = true;
	fit_bench_plan(&b);
	expect_caches(&b, "");
	fit_expect_reason(&b, FIT_REASON_WARNING, "as a rate, not in percent");
	fit_bench_end(&b);
}

static void expect_left_out(struct fit_bench *b, const char *why)
{
	b->profile.cachetune.missing_refuse = false;
	fit_bench_plan(b);
	expect_caches(b, "");
	fit_expect_reason(b, FIT_REASON_WARNING, why);
	b->profile.cachetune.missing_refuse = true;
	fit_expect_refusal(b, why);
}

static void what_the_host_cannot_is_left_out_or_refused(void **state)
{
	struct fit_bench b = make_bench(6);

	(void)state;
	b.host.l3_control[FIT_CACHE_BOTH].groups = 2;
	expect_left_out(&b, "it needs 2 groups of vCPUs by the caches they use, and the kernel has "
			    "1 besides its own");
	b.host.l3_control[FIT_CACHE_BOTH].groups = 3;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cache_count, 2);
	b.host.l3_caches[1].id = -1;
	expect_left_out(&b, "the kernel does not say number and size of the L3 cache of vCPUs 3-5");
	b.host.l3_caches[1] = (struct fit_l3){.id = 1};
	expect_left_out(&b, "the kernel does not say number and size of the L3 cache of vCPUs 3-5");
	b.profile.cachetune.type = FIT_CACHE_CODE;
	expect_left_out(&b, "code and data share the parts");
	b.profile.cachetune.type = FIT_CACHE_BOTH;
	b.host.l3_control[FIT_CACHE_CODE] = b.host.l3_control[FIT_CACHE_BOTH];
	b.host.l3_control[FIT_CACHE_BOTH].bits = 0;
	expect_left_out(&b, "code and data have parts of their own");
	b.host.l3_control[FIT_CACHE_CODE].bits = 0;
	expect_left_out(&b, "the host does not give out parts of its L3 caches");
	fit_bench_end(&b);
}

static void what_the_target_cannot_is_left_out(void **state)
{
	const struct fit_target old = {FIT_VERSION_OF(4, 6, 0), FIT_VERSION_OF(2, 12, 0)};
	struct fit_bench b = make_bench(2);

	(void)state;
	b.profile.cachetune.missing_refuse = true;
	b.profile.memorytune.intent.set = true;
	b.profile.memorytune.bandwidth = 50;
	b.target = &old;
	fit_bench_plan(&b);
	expect_caches(&b, "0-1: 0 4194304 0");
	fit_expect_reason(&b, FIT_REASON_NOTE,
		"the limit of memory bandwidth is left out: libvirt 4.6 has no allocation of "
		"memory bandwidth (4.7 has)");
	b.target = NULL;
	fit_xreplace(&b.domain.type, "qemu");
	fit_bench_plan(&b);
	expect_caches(&b, "");
	fit_expect_reason(&b, FIT_REASON_NOTE,
		"the part of the L3 cache is left out: a domain without KVM has no allocation of "
		"the host's caches");
	fit_bench_end(&b);
}

static void a_default_group_without_room_is_warned_of(void **state)
{
	struct fit_bench b = make_bench(2);

	(void)state;
	b.host.l3_caches[0].room[FIT_CACHE_BOTH] = 4;
	fit_bench_plan(&b);
	assert_null(fit_made_reason(&b.plan, FIT_REASON_WARNING, "default group"));
	b.host.l3_caches[0].room[FIT_CACHE_BOTH] = 3;
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_WARNING,
		"the domain will not start before the host's default group of resctrl gives up 4 "
		"of the 16 bits of L3 cache 0 in its schemata: now 3 are free");
	fit_bench_end(&b);
}

static void own_settings_stay_and_do_not_overlap(void **state)
{
	struct fit_bench b = make_bench(4);

	(void)state;
	b.profile.memorytune.intent.set = true;
	b.profile.memorytune.bandwidth = 50;
	fit_strlist_add(&b.domain.cache_tunes, "0-1");
	fit_bench_plan(&b);
	expect_caches(&b, "");
	fit_expect_reason(&b, FIT_REASON_KEPT, "<cachetune> of the definition stays as it is");
	fit_expect_reason(&b, FIT_REASON_NOTE,
		"the limit of memory bandwidth is left out: <cachetune> of the definition stays "
		"and is for other groups of vCPUs");
	fit_strlist_clear(&b.domain.cache_tunes);
	fit_strlist_add(&b.domain.cache_tunes, "3,0-2");
	fit_bench_plan(&b);
	expect_caches(&b, "0-3: 1 0 50");
	b.profile.cachetune.intent.existing = FIT_EXISTING_REPLACE;
	fit_bench_plan(&b);
	expect_caches(&b, "0-3: 1 4194304 50");
	fit_strlist_add(&b.domain.memory_tunes, "0");
	fit_bench_plan(&b);
	expect_caches(&b, "");
	fit_expect_reason(
		&b, FIT_REASON_NOTE, "the part of the L3 cache is left out: <memorytune>");
	fit_bench_end(&b);
}

/* What a profile's <domain> says stays, also where the intent replaces. */
static void groups_of_the_overlay_stay(void **state)
{
	struct fit_bench b = make_bench(4);
	fit_autostrlist struct fit_strlist covered = {0};
	struct fit_plan_input input;

	(void)state;
	b.profile.cachetune.intent.existing = FIT_EXISTING_REPLACE;
	b.profile.memorytune.intent = b.profile.cachetune.intent;
	b.profile.memorytune.bandwidth = 50;
	fit_strlist_add(&b.domain.cache_tunes, "0-1");
	fit_strlist_add(&covered, "cputune/cachetune[@vcpus='0-1']/cache/@size");
	input = fit_bench_input(&b);
	input.covered = &covered;
	b.plan = fit_made_plan(&input);
	expect_caches(&b, "");
	fit_expect_reason(&b, FIT_REASON_NOTE,
		"the part of the L3 cache is left out: the profile's <domain> has a <cachetune>");
	fit_expect_reason(&b, FIT_REASON_NOTE, "the limit of memory bandwidth is left out: ");
	fit_bench_end(&b);
}

static void what_must_be_had_does_not_give_way(void **state)
{
	struct fit_bench b = make_bench(4);

	(void)state;
	b.profile.cachetune.missing_refuse = true;
	fit_strlist_add(&b.domain.memory_tunes, "0-1");
	fit_expect_refusal(
		&b, "the part of the L3 cache cannot be had: <memorytune> of the definition stays");
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vcpus_of_one_cache_are_a_group),
		cmocka_unit_test(floating_vcpus_have_a_part_of_all_their_caches),
		cmocka_unit_test(sizes_are_whole_pieces),
		cmocka_unit_test(a_size_that_leaves_nothing_is_refused),
		cmocka_unit_test(bandwidth_goes_in_steps),
		cmocka_unit_test(what_the_host_cannot_is_left_out_or_refused),
		cmocka_unit_test(what_the_target_cannot_is_left_out),
		cmocka_unit_test(a_default_group_without_room_is_warned_of),
		cmocka_unit_test(own_settings_stay_and_do_not_overlap),
		cmocka_unit_test(groups_of_the_overlay_stay),
		cmocka_unit_test(what_must_be_had_does_not_give_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
