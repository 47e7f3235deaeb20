/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles step by step: what is not among the intents stays as in the original. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/profile_steps.h"
#include "core/render.h"
#include "core/rewrite.h"
#include "core/xml.h"
#include "support_profile.h"
#include "support_render.h"
#include "sys/profile_store.h"

static const char plain[] =
	"<domain type='kvm'>\n"
	"  <name>vm</name>\n"
	"  <uuid>11111111-2222-3333-4444-555555555555</uuid>\n"
	"  <metadata>\n"
	"    <fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='low-latency sriov'/>\n"
	"  </metadata>\n"
	"  <memory unit='GiB'>2</memory>\n"
	"  <vcpu>4</vcpu>\n"
	"  <os><type arch='x86_64' machine='q35'>hvm</type></os>\n"
	"  <devices>\n"
	"    <disk type='file'>\n"
	"      <source file='/images/vm.raw'/>\n"
	"      <target dev='vda' bus='virtio'/>\n"
	"    </disk>\n"
	"  </devices>\n"
	"</domain>\n";

static struct fit_render_result render(const char *xml, const struct fit_strlist *only)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_render_result result;
	const struct fit_render_input input = {
		.xml = xml,
		.length = strlen(xml),
		.name = "vm.xml",
		.only = only,
		.host = &fit_test_machine()->host,
		.load = fit_profile_store_load,
		.load_context = &fit_test_machine()->store,
		.report = FIT_REPORT_PLAIN,
	};

	if (fit_render(&input, &result, &err) < 0)
		fail_msg("%s", err.message);
	return result;
}

static void expect_record(const char *xml, const char *only, const char *digest)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "vm.xml", &err);
	fit_autofree char *missing = NULL;
	struct fit_record record;

	assert_int_equal(fit_record_read(doc, "vm.xml", &record, &err), 1);
	assert_true(fit_streq(record.only, only));
	assert_string_equal(record.digest, digest);
	assert_true(fit_rewrite_holds(doc, &record, &missing));
	fit_record_clear(&record);
}

/* Whatever is asked for, it is a fixpoint, reverts exactly, and is completed later. */
static void check_steps(const struct fit_strlist *only, const struct fit_render_result *full)
{
	struct fit_render_result part = render(plain, only);
	struct fit_render_result again = render(part.xml, only);
	struct fit_render_result completed = render(part.xml, NULL);
	struct fit_render_result from_full = render(full->xml, only);
	fit_autofree char *names = fit_strlist_join(only, " ");
	fit_autofree char *original = fit_test_printed(plain);
	fit_autofree char *back = fit_test_reverted(part.xml, NULL);
	fit_autofree char *back_again = fit_test_reverted(completed.xml, NULL);
	struct fit_render_result settled;

	assert_false(again.changed);
	assert_string_equal(back, original);
	expect_record(part.xml, names, full->digest);
	expect_record(completed.xml, NULL, full->digest);
	assert_int_equal(completed.ops.count, full->ops.count);
	settled = render(completed.xml, NULL);
	assert_false(settled.changed);
	assert_string_equal(back_again, original);
	expect_record(from_full.xml, names, full->digest);
	fit_render_result_clear(&part);
	fit_render_result_clear(&again);
	fit_render_result_clear(&completed);
	fit_render_result_clear(&settled);
	fit_render_result_clear(&from_full);
}

static void every_step_is_a_fixpoint_and_can_be_completed(void **state)
{
	struct fit_render_result full = render(plain, NULL);
	fit_autostrlist struct fit_strlist names = {0};
	struct fit_err err = FIT_ERR_INIT;

	(void)state;
	fit_steps_names(&names);
	assert_true(names.count > 5);
	assert_string_equal(names.items[names.count - 1], "domain");
	assert_true(fit_strlist_contains(&names, "sysctl"));
	assert_true(fit_strlist_contains(&names, "sysfs"));
	for (size_t i = 0; i < names.count; i++) {
		fit_autostrlist struct fit_strlist only = {0};
		fit_autostrlist struct fit_strlist upto = {0};

		assert_int_equal(fit_steps_only(names.items[i], &only, &err), 0);
		assert_int_equal(only.count, 1);
		assert_int_equal(fit_steps_upto(names.items[i], &upto, &err), 0);
		assert_int_equal(upto.count, i + 1);
		check_steps(&only, &full);
		check_steps(&upto, &full);
	}
	fit_render_result_clear(&full);
}

static struct fit_render_result render_only(const char *names)
{
	fit_autostrlist struct fit_strlist only = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_steps_only(names, &only, &err) < 0)
		fail_msg("%s", err.message);
	return render(plain, &only);
}

static size_t count_ops(const struct fit_render_result *result, enum fit_op_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < result->ops.count; i++)
		count += result->ops.items[i].kind == kind;
	return count;
}

static void only_the_named_intents_are_rendered(void **state)
{
	static const struct {
		const char *only, *there, *absent[4];
	} cases[] = {
		{"cpu", "host-passthrough", {"vcpupin", "hugepages", "iothread", "<interface"}},
		{"vcpus", "<vcpupin ", {"passthrough", "hugepages", "iothread", "emulatorpin"}},
		{"memory", "<hugepages>", {"passthrough", "vcpupin", "iothread", "<interface"}},
		{"disks", "cache=\"none\"", {"passthrough", "vcpupin", "iothread=", "hugepages"}},
		{"vfs", "<interface ", {"passthrough", "vcpupin", "iothread", "hugepages"}},
		{"vcpus,memory", "<hugepages>", {"passthrough", "iothread", "<interface", "cache"}},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_render_result result = render_only(cases[i].only);

		if (!strstr(result.xml, cases[i].there))
			fail_msg("%s: no %s in\n%s", cases[i].only, cases[i].there, result.xml);
		for (size_t j = 0; j < FIT_ARRAY_SIZE(cases[i].absent); j++)
			if (strstr(result.xml, cases[i].absent[j]))
				fail_msg("%s: %s in\n%s", cases[i].only, cases[i].absent[j],
					result.xml);
		assert_non_null(strstr(result.report, ", only "));
		fit_render_result_clear(&result);
	}
}

static void the_host_is_given_what_the_named_intents_want(void **state)
{
	struct fit_render_result memory = render_only("memory");
	struct fit_render_result vcpus = render_only("vcpus");
	struct fit_render_result tuned = render_only("vcpus,governor");

	(void)state;
	assert_int_equal(count_ops(&memory, FIT_OP_PAGES), 1);
	assert_int_equal(memory.ops.count, 1);
	assert_int_equal(vcpus.ops.count, 0);
	assert_int_equal(count_ops(&tuned, FIT_OP_SETTING), 1);
	assert_int_equal(tuned.ops.items[0].setting, FIT_SETTING_GOVERNOR);
	assert_int_equal(tuned.ops.count, 1);
	fit_render_result_clear(&memory);
	fit_render_result_clear(&vcpus);
	fit_render_result_clear(&tuned);
}

static void only_the_named_literal_writes_are_left(void **state)
{
	static const struct fit_test_file files[] = {
		P("a", "<host><sysctl name='vm.swappiness' value='1'/>"
		       "<sysfs path='kernel/mm/ksm/pages_to_scan' value='1'/></host>"),
		{0}};
	static const char *const names[] = {"sysctl", "sysfs", "cpu"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(names); i++) {
		struct fit_profile profile = fit_test_compose(files, "a", "");
		fit_autostrlist struct fit_strlist only = {0};
		struct fit_err err = FIT_ERR_INIT;

		assert_int_equal(profile.write_count, 2);
		assert_int_equal(fit_steps_only(names[i], &only, &err), 0);
		fit_steps_limit(&profile, &only);
		assert_int_equal(profile.write_count, i < 2);
		if (i < 2)
			assert_int_equal(
				profile.writes[0].setting, fit_host_setting_find(names[i]));
		fit_profile_clear(&profile);
	}
}

static void unknown_intents_are_refused_with_the_list(void **state)
{
	static const char *const bad[] = {"nosuch", "cpu,nosuch", "", ",", "interrupts-of-others"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		fit_autostrlist struct fit_strlist names = {0};
		struct fit_err err = FIT_ERR_INIT;

		assert_int_equal(fit_steps_only(bad[i], &names, &err), -1);
		assert_int_equal(fit_steps_upto(bad[i], &names, &err), -1);
		assert_int_equal(names.count, 0);
		assert_int_equal(err.code, FIT_ERR_INVALID);
		assert_non_null(strstr(err.message, "intents: cpu, "));
		assert_non_null(strstr(err.message, ", domain"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_step_is_a_fixpoint_and_can_be_completed),
		cmocka_unit_test(only_the_named_intents_are_rendered),
		cmocka_unit_test(the_host_is_given_what_the_named_intents_want),
		cmocka_unit_test(only_the_named_literal_writes_are_left),
		cmocka_unit_test(unknown_intents_are_refused_with_the_list),
	};

	return cmocka_run_group_tests(tests, fit_test_machine_setup, fit_test_machine_teardown);
}
