/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be changed of a domain while it runs, and what waits. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/live.h"
#include "core/render.h"
#include "core/xml.h"
#include "support_corpus.h"
#include "support_domain.h"
#include "support_libvirt.h"
#include "support_render.h"
#include "sys/profile_store.h"

static int try_fit(const char *xml, size_t length, struct fit_render_result *ret_result)
{
	struct fit_test_machine *machine = fit_test_machine();
	struct fit_request asked = {0};
	struct fit_err err = FIT_ERR_INIT;
	const struct fit_render_input input = {
		.xml = xml,
		.length = length,
		.name = "vm",
		.asked = &asked,
		.host = &machine->host,
		.load = fit_profile_store_load,
		.load_context = &machine->store,
	};
	int status;

	fit_strlist_add(&asked.profiles, "low-latency");
	status = fit_render(&input, ret_result, &err);
	fit_request_clear(&asked);
	return status;
}

static struct fit_live compare(xmlDoc *running, const char *fitted)
{
	fit_autodoc xmlDoc *doc = fit_test_parse(fitted);
	struct fit_err err = FIT_ERR_INIT;
	struct fit_live live;

	normalise_as_libvirt(running);
	if (fit_live_compare(running, doc, "vm", &live, &err) < 0)
		fail_msg("%s", err.message);
	return live;
}

static char *changes_of(const struct fit_live *live)
{
	fit_autostrlist struct fit_strlist texts = {0};

	for (size_t i = 0; i < live->change_count; i++)
		*FIT_APPEND(texts.items, texts.count) = fit_live_describe(&live->changes[i]);
	return fit_strlist_join(&texts, "; ");
}

static const char unfitted[] =
	"<domain type='kvm'><name>vm</name><memory unit='GiB'>2</memory>"
	"<vcpu current='3'>4</vcpu><os><type arch='x86_64' machine='q35'>hvm</type></os>"
	"<devices><disk type='file'><source file='/images/vm.raw'/>"
	"<target dev='vda' bus='virtio'/></disk></devices></domain>";

static void threads_can_be_moved_and_iothreads_added(void **state)
{
	fit_autodoc xmlDoc *running = fit_test_parse(unfitted);
	struct fit_render_result result;
	struct fit_live live;
	fit_autofree char *changes = NULL;

	(void)state;
	assert_int_equal(try_fit(unfitted, strlen(unfitted), &result), 0);
	live = compare(running, result.xml);
	changes = changes_of(&live);
	assert_string_equal(changes,
		"a new iothread 1; vCPU 0 to CPU 1; vCPU 1 to CPU 17; vCPU 2 to CPU 2; "
		"the emulator to CPUs 0,16; iothread 1 to CPUs 3,19");
	/* It is not plugged in. */
	assert_true(fit_strlist_contains(&live.missing, "cputune/vcpupin[@vcpu='3']"));
	assert_true(fit_strlist_contains(&live.missing, "cpu/@mode"));
	assert_true(fit_strlist_contains(
		&live.missing, "devices/disk[target/@dev='vda']/driver/@iothread"));
	assert_false(fit_strlist_contains(&live.missing, "iothreads/text()"));
	fit_live_clear(&live);
	fit_render_result_clear(&result);
}

static void a_pin_that_is_there_is_not_made_again(void **state)
{
	static const char at[] = "</devices>";
	const char *end = strstr(unfitted, at) + strlen(at);
	fit_autofree char *text = fit_xasprintf("%.*s<iothreads>1</iothreads><cputune>"
						"<vcpupin vcpu='0' cpuset='1'/>"
						"<vcpupin vcpu='1' cpuset='5'/></cputune>%s",
		(int)(end - unfitted), unfitted, end);
	fit_autodoc xmlDoc *running = fit_test_parse(text);
	struct fit_render_result result;
	struct fit_live live;
	fit_autofree char *changes = NULL;

	(void)state;
	assert_int_equal(try_fit(unfitted, strlen(unfitted), &result), 0);
	live = compare(running, result.xml);
	changes = changes_of(&live);
	assert_string_equal(changes,
		"vCPU 1 to CPU 17; vCPU 2 to CPU 2; the emulator to CPUs 0,16; "
		"iothread 1 to CPUs 3,19");
	fit_live_clear(&live);
	fit_render_result_clear(&result);
}

/* What goes is not called missing as if it were wanted. */
static void what_is_there_too_much_is_to_be_removed(void **state)
{
	static const char at[] = "</os>";
	const char *end = strstr(unfitted, at) + strlen(at);
	fit_autofree char *text = fit_xasprintf("%.*s<cpu mode='custom' match='exact'>"
						"<model fallback='forbid'>EPYC</model></cpu>%s",
		(int)(end - unfitted), unfitted, end);
	fit_autodoc xmlDoc *running = fit_test_parse(text);
	struct fit_render_result result;
	struct fit_live live;

	(void)state;
	assert_int_equal(try_fit(text, strlen(text), &result), 0);
	live = compare(running, result.xml);
	assert_true(fit_strlist_contains(&live.missing, "cpu/@mode"));
	assert_true(fit_strlist_contains(&live.missing, "removal of cpu/@match"));
	assert_false(fit_strlist_contains(&live.missing, "cpu/@match"));
	fit_live_clear(&live);
	fit_render_result_clear(&result);
}

/* Everything that was written is either changed or waits, and nothing when it is there. */
static void check(const char *path, const char *text, size_t length, void *context)
{
	struct fit_render_result result;
	fit_autodoc xmlDoc *before = NULL;
	fit_autodoc xmlDoc *after = NULL;
	struct fit_live live;
	size_t *seen = context;

	if (try_fit(text, length, &result) < 0)
		return;
	before = fit_test_parse(text);
	after = fit_test_parse(result.xml);
	live = compare(before, result.xml);
	if (!live.change_count && !live.missing.count)
		fail_msg("%s: nothing is missing", path);
	*seen += live.change_count;
	fit_live_clear(&live);
	live = compare(after, result.xml);
	if (live.change_count || live.missing.count)
		fail_msg("%s: fitted, but %s is missing", path,
			live.missing.count ? live.missing.items[0] : "a pin");
	fit_live_clear(&live);
	fit_render_result_clear(&result);
}

static void what_is_fitted_lacks_nothing(void **state)
{
	size_t seen = 0;

	(void)state;
	fit_corpus_for_each(check, &seen);
	assert_true(seen > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_can_be_moved_and_iothreads_added),
		cmocka_unit_test(a_pin_that_is_there_is_not_made_again),
		cmocka_unit_test(what_is_there_too_much_is_to_be_removed),
		cmocka_unit_test(what_is_fitted_lacks_nothing),
	};

	return cmocka_run_group_tests(tests, fit_test_machine_setup, fit_test_machine_teardown);
}
