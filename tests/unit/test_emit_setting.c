/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A setting that is no placement: what the definition has, who wins, what the target can express.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/emit_parts.h"
#include "core/lookup.h"
#include "core/xml.h"

#define CACHE "devices/disk[target/@dev='vda']/driver/@cache"

static const char definition[] =
	"<domain type='kvm'><name>vm</name><memory>1048576</memory><vcpu>1</vcpu>"
	"<os><type arch='x86_64' machine='q35'>hvm</type></os>"
	"<features><pmu state='on'/><kvm><hidden state='on'/></kvm></features>"
	"<devices><disk type='file' device='disk'><driver name='qemu' cache='unsafe'/>"
	"<source file='/a'/><target dev='vda' bus='virtio'/></disk></devices></domain>";

/* "path = value", "left", the note, or the refusal. To be freed. */
static char *emit(const struct fit_setting *setting, enum fit_existing existing)
{
	char file[] = "p.xml";
	const struct fit_intent intent = {
		.set = true, .existing = existing, .file = file, .line = 7};
	struct fit_err err = FIT_ERR_INIT;
	fit_autodoc xmlDoc *doc = fit_xml_parse(definition, sizeof(definition) - 1, "vm.xml", &err);
	struct fit_domain domain;
	struct fit_plan plan = {0};
	struct fit_edits edits = {0};
	fit_autolookup struct fit_lookup lookup = {0};
	const struct fit_emitter emitter = {
		.plan = &plan,
		.domain = &domain,
		.target = &fit_target_default,
		.original = doc,
		.lookup = &lookup,
		.edits = &edits,
		.err = &err,
	};
	int decision;
	char *text;

	assert_non_null(doc);
	assert_int_equal(fit_domain_read(doc, "vm.xml", &domain, &err), 0);
	decision = fit_emit_setting(&emitter, &intent, setting);
	assert_int_equal(edits.count, decision > 0 ? 1 : 0);
	if (decision < 0)
		text = fit_xstrdup(err.message);
	else if (decision)
		text = fit_xasprintf("%s = %s", edits.items[0].path, edits.items[0].value);
	else
		text = fit_xstrdup(plan.reason_count ? plan.reasons[0].text : "left");
	fit_edits_clear(&edits);
	fit_plan_clear(&plan);
	fit_domain_clear(&domain);
	return text;
}

static void expect(
	const struct fit_setting *setting, enum fit_existing existing, const char *wanted)
{
	fit_autofree char *text = emit(setting, existing);

	assert_string_equal(text, wanted);
}

static void what_is_absent_is_written_by_any_policy(void **state)
{
	const struct fit_setting setting = {.what = "the io of disk vda",
		.path = "devices/disk[target/@dev='vda']/driver/@io",
		.value = "threads"};

	(void)state;
	for (enum fit_existing e = FIT_EXISTING_KEEP; e <= FIT_EXISTING_REQUIRE; e++)
		expect(&setting, e, "devices/disk[target/@dev='vda']/driver/@io = threads");
}

static void the_policy_decides_on_what_differs(void **state)
{
	const struct fit_setting attribute = {
		.what = "the cache of disk vda", .path = CACHE, .value = "none"};
	const struct fit_setting element = {
		.what = "the PMU", .path = "features/pmu", .value = "<pmu state='off'/>"};

	(void)state;
	expect(&attribute, FIT_EXISTING_KEEP, "left");
	expect(&attribute, FIT_EXISTING_REPLACE, CACHE " = none");
	expect(&attribute, FIT_EXISTING_REQUIRE,
		"vm: cannot fit: the cache of disk vda is unsafe, but p.xml:7 requires none: "
		"remove it from the definition, or say existing=\"keep\" or \"replace\" in the "
		"profile");
	expect(&element, FIT_EXISTING_KEEP, "left");
	expect(&element, FIT_EXISTING_REPLACE, "features/pmu = <pmu state='off'/>");
	expect(&element, FIT_EXISTING_REQUIRE,
		"vm: cannot fit: the PMU is <pmu state='on'/>, but p.xml:7 requires <pmu "
		"state='off'/>: remove it from the definition, or say existing=\"keep\" or "
		"\"replace\" in the profile");
}

static void what_is_there_already_is_left_by_any_policy(void **state)
{
	const struct fit_setting attribute = {
		.what = "the cache of disk vda", .path = CACHE, .value = "unsafe"};
	const struct fit_setting element = {
		.what = "KVM", .path = "features/kvm", .value = "<kvm><hidden state='on'/></kvm>"};

	(void)state;
	for (enum fit_existing e = FIT_EXISTING_KEEP; e <= FIT_EXISTING_REQUIRE; e++) {
		expect(&attribute, e, "left");
		expect(&element, e, "left");
	}
}

static void what_the_target_lacks_is_left_out_with_a_note(void **state)
{
	const struct fit_setting setting = {.topic = "disks",
		.what = "the mapping of disk vda",
		.path = CACHE,
		.value = "none",
		.feature = FIT_FEATURE_DISK_IOTHREAD_MAP};

	(void)state;
	for (enum fit_existing e = FIT_EXISTING_KEEP; e <= FIT_EXISTING_REQUIRE; e++)
		expect(&setting, e,
			"the mapping of disk vda is left out: libvirt 9.0 has no mapping of "
			"iothreads to the queues of a disk (10.0 has)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_absent_is_written_by_any_policy),
		cmocka_unit_test(the_policy_decides_on_what_differs),
		cmocka_unit_test(what_is_there_already_is_left_by_any_policy),
		cmocka_unit_test(what_the_target_lacks_is_left_out_with_a_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
