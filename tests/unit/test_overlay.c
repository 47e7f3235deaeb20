/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <domain> in profiles: what is accepted, what it does to a definition, and what is left of it. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/overlay.h"
#include "core/render.h"
#include "core/rewrite.h"
#include "core/xml.h"
#include "support_domain.h"
#include "support_libvirt.h"
#include "support_render.h"
#include "sys/profile_store.h"

/* Profiles from memory; names that are not here are those that are shipped. */
struct file {
	const char *name;
	const char *content;
};

static struct file files[4];
static int load(void *context, const char *name, char **ret_path, char **ret_text,
	size_t *ret_length, struct fit_err *err)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(files); i++) {
		if (!fit_streq(files[i].name, name))
			continue;
		*ret_path = fit_xasprintf("%s.xml", name);
		*ret_text = fit_xasprintf("<profile xmlns='" FIT_PROFILE_NAMESPACE
					  "' name='%s'><summary>S</summary>\n%s</profile>",
			name, files[i].content);
		*ret_length = strlen(*ret_text);
		return 0;
	}
	return fit_profile_store_load(context, name, ret_path, ret_text, ret_length, err);
}

static void set_files(const char *first, const char *second)
{
	files[0] = (struct file){"lit", first};
	files[1] = (struct file){"lit2", second ? second : "<domain><pm/></domain>"};
}

static int try_compose(
	const char *names, const char *value, struct fit_profile *profile, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist list = {0};
	char name[] = "p";
	fit_autofree char *copy = value ? fit_xstrdup(value) : NULL;
	struct fit_param param = {name, copy};

	fit_strlist_split(&list, names, " ");
	return fit_profile_compose(
		&list, &param, value ? 1 : 0, load, &fit_test_machine()->store, profile, err);
}

static struct fit_profile compose(const char *names, const char *value)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_profile profile;

	if (try_compose(names, value, &profile, &err) < 0)
		fail_msg("%s", err.message);
	return profile;
}

#define NO_ELEMENTS "<domain> holds elements of libvirt to be merged, and here are none"
#define UNDECLARED  "${q}: no profile declares this parameter; parameters: there are none"
static const struct {
	const char *content, *message;
} refused[] = {
	{"<domain/>", "2: <domain> holds elements of libvirt to be merged, and here are none"},
	{"<domain type='kvm'><a/></domain>", "2: <domain> has no attribute type; it has existing"},
	{"<domain existing='maybe'><a/></domain>",
		"2: <domain existing=\"maybe\">: existing must be \"keep\", \"replace\" or "
		"\"require\""},
	{"<domain>\n<name>x</name></domain>",
		"3: a profile does not change the <name> of a domain"},
	{"<domain><uuid>x</uuid></domain>", "2: a profile does not change the <uuid> of a domain"},
	{"<domain><metadata/></domain>", "2: a profile does not change the <metadata> of a domain"},
	{"<domain>\n<devices>\n<disk><driver cache='none'/></disk></devices></domain>",
		"4: <disk> does not say which one is meant: it needs target/@dev, "
		"or alias/@name"},
	{"<domain><devices><redirdev/></devices></domain>",
		"2: <redirdev> does not say which one is meant: it needs alias/@name"},
	{"<domain><devices><hostdev><source><address bus='1'/></source></hostdev>"
	 "</devices></domain>",
		"2: <hostdev> does not say which one is meant: it needs "
		"source/address/@domain source/address/@bus source/address/@slot "
		"source/address/@function, or source/address/@uuid, or source/address/@bus "
		"source/address/@device, or alias/@name"},
	{"<domain><os><boot dev='hd'/></os></domain>",
		"2: <boot> cannot be merged: libvirt has nothing that tells them apart; "
		"write them into the definition itself"},
	{"<domain><cputune><vcpusched vcpus='0-3' scheduler='fifo'/></cputune></domain>",
		"2: <vcpusched> names several threads: libvirt has one element for each"},
	{"<domain><q:commandline xmlns:q='urn:q'/></domain>",
		"2: <q:commandline> of namespace urn:q cannot be merged: write it into the "
		"definition itself"},
	{"<domain><commandline xmlns='urn:q'/></domain>",
		"2: <commandline> of namespace urn:q cannot be merged: write it into the "
		"definition itself"},
	{"<domain><os q:a='1' xmlns:q='urn:q'/></domain>",
		"2: <os>: attribute q:a cannot be merged"},
	{"<domain><os>text<type/></os></domain>",
		"2: <os> has both elements and text, which libvirt never has"},
	{"<domain>text</domain>", "2: " NO_ELEMENTS},
	{"<domain><title>${}</title></domain>", "2: <title>: \"${\" begins a parameter: ${name}"},
	{"<domain>\n<os>\n<type>${q}</type></os></domain>", "4: " UNDECLARED},
	{"<domain><title t='${q}'/></domain>", "2: " UNDECLARED},
	{"<domain existing='${q}'><a/></domain>", "2: " UNDECLARED},
	{"<domain><a/></domain><domain><a/></domain>", "2: second <domain>: a profile has one"},
	{"<domain>\n<a/><a/></domain>", "3: <a> is there twice, the first is in line 3"},
	{"<domain><memory unit='parsecs'>4</memory></domain>", "2: <memory>: 4 parsecs is no size"},
	{"<domain><devices><disk><target dev=\"a'b\"/></disk></devices></domain>",
		"2: 'disk[target/@dev='a'b']' is not a path such as "
		"cputune/vcpupin[@vcpu='3'] or cpu/@mode"},
	{"<domain><devices><input type='tablet'><alias name='ua-virt-fit-x'/></input>"
	 "</devices></domain>",
		"2: <input>: aliases with ua-virt-fit- are for devices that virt-fit adds "
		"by itself"},
	{"<domain><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a/></a></a></a></a></a>"
	 "</a></a></a></a></a></a></a></a></a></a></a></domain>",
		"2: 'a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a' is not a path such as "
		"cputune/vcpupin[@vcpu='3'] or cpu/@mode"},
};

static void what_cannot_be_merged_is_refused_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(refused); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_profile profile;
		fit_autofree char *wanted = NULL;

		set_files(refused[i].content, NULL);
		if (try_compose("lit", NULL, &profile, &err) == 0)
			fail_msg("accepted: %s", refused[i].content);
		wanted = fit_xasprintf("lit.xml:%s", refused[i].message);
		assert_string_equal(err.message, wanted);
		assert_int_equal(err.code, FIT_ERR_INVALID);
	}
}

/* The edits as "path=value", one for each line. */
static char *effect_of(const char *definition, struct fit_strlist *kept)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *xml = fit_xasprintf("<domain>%s</domain>", definition);
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "vm.xml", &err);
	struct fit_profile profile = compose("lit lit2", NULL);
	struct fit_overlay_effect effect = {0};
	struct fit_buffer text = {0};

	if (fit_overlay_emit(profile.overlay, doc, "vm", &effect, &err) < 0) {
		fit_profile_clear(&profile);
		return fit_xstrdup(err.message);
	}
	for (size_t i = 0; i < effect.edits.count; i++)
		if (!fit_streq(effect.edits.items[i].path, "pm"))
			fit_buffer_addf(&text, "%s=%s\n", effect.edits.items[i].path,
				effect.edits.items[i].value);
	for (size_t i = 0; kept && i < effect.kept.count; i++)
		fit_strlist_add(kept, effect.kept.items[i]);
	fit_overlay_effect_clear(&effect);
	fit_profile_clear(&profile);
	return fit_buffer_steal(&text);
}

static void expect_effect(
	const char *overlay, const char *second, const char *definition, const char *wanted)
{
	fit_autofree char *effect = NULL;

	set_files(overlay, second);
	effect = effect_of(definition, NULL);
	if (strcmp(effect, wanted) != 0)
		fail_msg("%s on %s:\n%sinstead of:\n%s", overlay, definition, effect, wanted);
}

static const struct {
	const char *overlay, *definition, *edits;
} effects[] = {
	/* What is there gets attributes, what is missing is added. */
	{"<features><pmu state='off'/></features>", "", "features/pmu=<pmu state=\"off\"/>\n"},
	{"<features><pmu state='off'/></features>", "<features><pmu/></features>",
		"features/pmu/@state=off\n"},
	{"<features><kvm><hidden state='on'/></kvm></features>", "<features><acpi/></features>",
		"features/kvm/hidden=<hidden state=\"on\"/>\n"},
	{"<memoryBacking><locked/></memoryBacking>", "", "memoryBacking/locked=<locked/>\n"},
	{"<memoryBacking><locked/></memoryBacking>", "<memoryBacking><locked/></memoryBacking>",
		""},
	{"<title>A</title>", "", "title=<title>A</title>\n"},
	{"<title>A</title>", "<title/>", "title/text()=A\n"},
	{"<clock offset='utc'><timer name='hpet' present='no'/></clock>",
		"<clock><timer name='rtc'/></clock>",
		"clock/@offset=utc\nclock/timer[@name='hpet']=<timer name=\"hpet\" "
		"present=\"no\"/>\n"},
	/* Devices. */
	{"<devices><disk><target dev='vdb'/><driver discard='unmap'/></disk></devices>",
		"<devices><disk><target dev='vda'/></disk><disk><target dev='vdb'/></disk>"
		"</devices>",
		"devices/disk[target/@dev='vdb']/driver=<driver discard=\"unmap\"/>\n"},
	{"<devices><interface><mac address='52:54:00:AA:00:01'/><mtu size='9000'/>"
	 "</interface></devices>",
		"<devices><interface><mac address='52:54:00:aa:00:01'/><mtu size='1500'/>"
		"</interface></devices>",
		"devices/interface[mac/@address='52:54:00:aa:00:01']/mtu/@size=9000\n"},
	{"<devices><controller type='usb' index='0' model='none'/></devices>",
		"<devices><controller type='usb' index='1'/></devices>",
		"devices/controller[@type='usb'][@index='0']=<controller type=\"usb\" "
		"index=\"0\" model=\"none\"/>\n"},
	{"<devices><hostdev><source><address domain='0' bus='0x41' slot='0' function='1'/>"
	 "</source><rom bar='off'/></hostdev></devices>",
		"<devices><hostdev><source><address domain='0x0000' bus='0x41' slot='0x00' "
		"function='0x1'/></source></hostdev></devices>",
		"devices/hostdev[source/address/@domain='0'][source/address/@bus='0x41']"
		"[source/address/@slot='0'][source/address/@function='1']/rom=<rom "
		"bar=\"off\"/>\n"},
	{"<devices><channel type='unix'><target type='virtio' name='x.0'/></channel>"
	 "</devices>",
		"<devices><channel><target name='y.0'/></channel></devices>",
		"devices/channel[target/@name='x.0']=<channel type=\"unix\"><target "
		"type=\"virtio\" name=\"x.0\"/></channel>\n"},
	{"<devices><memballoon model='none'/></devices>",
		"<devices><memballoon model='virtio'/></devices>",
		"devices/memballoon/@model=none\n"},
	{"<devices><memory model='dimm'><alias name='ua-a'/></memory></devices>", "<devices/>",
		"devices/memory[alias/@name='ua-a']=<memory model=\"dimm\"><alias "
		"name=\"ua-a\"/></memory>\n"},
	/* Threads, cells. */
	{"<cputune><vcpupin vcpu='1' cpuset='5'/></cputune>",
		"<cputune><vcpupin vcpu='0' cpuset='1'/><vcpupin vcpu='1' cpuset='2'/>"
		"</cputune>",
		"cputune/vcpupin[@vcpu='1']/@cpuset=5\n"},
	{"<iothreadids><iothread id='2' thread_pool_min='4'/></iothreadids>",
		"<iothreadids><iothread id='1'/></iothreadids>",
		"iothreadids/iothread[@id='2']=<iothread id=\"2\" thread_pool_min=\"4\"/>\n"},
	{"<cpu><numa><cell id='0' memory='1' unit='GiB'/></numa></cpu>",
		"<cpu><numa><cell id='0' memory='524288' unit='KiB'/></numa></cpu>",
		"cpu/numa/cell[@id='0']/@memory=1048576\n"},
	/* Sizes: libvirt's KiB, and number and unit together. */
	{"<memory unit='GiB'>2</memory>", "<memory unit='KiB'>1048576</memory>",
		"memory/text()=2097152\n"},
	{"<memory unit='GiB'>2</memory>", "<memory unit='MiB' dumpCore='off'>1</memory>",
		"memory=<memory unit=\"KiB\" dumpCore=\"off\">2097152</memory>\n"},
	{"<memory unit='GiB'>2</memory>", "<memory unit='MiB'>2048</memory>", ""},
};

static void elements_are_found_by_libvirts_identities(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(effects); i++) {
		fit_autofree char *overlay =
			fit_xasprintf("<domain existing='replace'>%s</domain>", effects[i].overlay);
		fit_autofree char *effect = NULL;

		set_files(overlay, NULL);
		effect = effect_of(effects[i].definition, NULL);
		if (strcmp(effect, effects[i].edits) != 0)
			fail_msg("%s on %s:\n%sinstead of:\n%s", effects[i].overlay,
				effects[i].definition, effect, effects[i].edits);
	}
}

static void the_policy_decides_where_the_definition_has_something_else(void **state)
{
	static const struct {
		const char *definition, *kept;
	} stays[] = {
		{"<features><pmu state='on'/></features>",
			"features/pmu/@state of the definition stays on, not off (lit.xml:2)"},
		{"<features><pmu state=''/></features>",
			"features/pmu/@state of the definition stays empty, not off (lit.xml:2)"},
	};

	(void)state;
	set_files("<domain><features><pmu state='off'/><acpi/></features></domain>", NULL);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(stays); i++) {
		fit_autostrlist struct fit_strlist kept = {0};
		fit_autofree char *effect = effect_of(stays[i].definition, &kept);

		assert_string_equal(effect, "features/acpi=<acpi/>\n");
		assert_int_equal(kept.count, 1);
		assert_string_equal(kept.items[0], stays[i].kept);
	}
	expect_effect("<domain existing='replace'><features><pmu state='off'/></features></domain>",
		NULL, "<features><pmu state='on'/></features>", "features/pmu/@state=off\n");
	expect_effect("<domain existing='require'><features><pmu state='off'/></features></domain>",
		NULL, "<features><pmu state='on'/></features>",
		"vm: cannot fit: features/pmu/@state is on, but lit.xml:2 requires off: change the "
		"definition, or say existing=\"keep\" or \"replace\" in the profile");
	expect_effect("<domain existing='require'><features><pmu state='off'/></features></domain>",
		NULL, "<features><pmu state=''/></features>",
		"vm: cannot fit: features/pmu/@state is empty, but lit.xml:2 requires off: change "
		"the definition, or say existing=\"keep\" or \"replace\" in the profile");
	expect_effect("<domain existing='require'><features><pmu state='off'/></features></domain>",
		NULL, "<features><pmu state='off'/></features>", "");
	expect_effect("<domain existing='require'><features><pmu state='off'/></features></domain>",
		NULL, "", "features/pmu=<pmu state=\"off\"/>\n");
}

/* Also where the definition has that already, and edits of what they are part of. What is beside
 * them is left to the plan. */
static void edits_of_places_that_the_overlay_states_are_dropped(void **state)
{
	static const struct {
		const char *overlay, *definition, *path;
		bool dropped;
	} cases[] = {
		{"<memoryBacking><hugepages/></memoryBacking>",
			"<memoryBacking><hugepages/></memoryBacking>", "memoryBacking/hugepages",
			true},
		{"<memoryBacking><hugepages/></memoryBacking>", "", "memoryBacking", true},
		{"<memoryBacking><hugepages/></memoryBacking>", "", "memoryBacking/huge", false},
		{"<memoryBacking><hugepages/></memoryBacking>", "", "memoryBacking/locked", false},
		{"<cpu mode='maximum'/>", "<cpu mode='maximum'/>", "cpu/@mode", true},
		{"<cpu mode='maximum'/>", "<cpu/>", "cpu/topology", false},
		{"<cpu mode='maximum'/>", "<cpu/>", "cpu/@model", false},
		{"<title>A</title>", "<title>A</title>", "title/text()", true},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *overlay = fit_xasprintf("<domain>%s</domain>", cases[i].overlay);
		fit_autodoc xmlDoc *doc = fit_test_document(cases[i].definition);
		fit_autostrlist struct fit_strlist dropped = {0};
		struct fit_overlay_effect effect = {0};
		struct fit_edits edits = {0};
		struct fit_profile profile;

		set_files(overlay, NULL);
		profile = compose("lit", NULL);
		assert_int_equal(fit_overlay_emit(profile.overlay, doc, "vm", &effect, NULL), 0);
		fit_edits_set(&edits, cases[i].path, "x");
		fit_overlay_join(&effect, &edits, &dropped);
		if (dropped.count != cases[i].dropped)
			fail_msg("%s: %s", cases[i].overlay, cases[i].path);
		fit_overlay_effect_clear(&effect);
		fit_profile_clear(&profile);
	}
}

/* libvirt takes no disk that is called nothing, and would say so only when all else is done. */
static void a_new_disk_needs_a_target(void **state)
{
	static const char overlay[] =
		"<domain>\n<devices>\n<disk type='file'><alias name='ua-a'/><source "
		"file='/a'/></disk></devices></domain>";

	(void)state;
	expect_effect(overlay, NULL, "<devices/>",
		"vm: cannot fit: the definition has no disk with the alias of the <disk> at "
		"lit.xml:4, and a new one needs <target dev=>");
	expect_effect(overlay, NULL,
		"<devices><disk type='file'><source file='/a'/><target dev='vda'/><alias "
		"name='ua-a'/></disk></devices>",
		"");
}

static void the_last_profile_wins_place_by_place(void **state)
{
	(void)state;
	expect_effect("<domain existing='replace'><cputune><vcpupin vcpu='0' cpuset='1'/><vcpupin "
		      "vcpu='1' cpuset='2'/></cputune><title>A</title></domain>",
		"<domain xmlns='" FIT_PROFILE_NAMESPACE "'><cputune xmlns=''><vcpupin vcpu='1' "
		"cpuset='9'/></cputune><title>B</title></domain>",
		"<title>C</title><cputune><vcpupin vcpu='0' cpuset='4'/></cputune>",
		"cputune/vcpupin[@vcpu='0']/@cpuset=1\ncputune/vcpupin[@vcpu='1']=<vcpupin "
		"vcpu=\"1\" cpuset=\"9\"/>\n");
}

static void parameters_are_put_into_attributes_texts_and_the_policy(void **state)
{
	struct fit_profile first, second, again;
	struct fit_err err = FIT_ERR_INIT;

	(void)state;
	set_files("<param name='p' type='text' default='keep'/><domain existing='${p}'>"
		  "<title a='x${p}'>${p} it</title></domain>",
		NULL);
	first = compose("lit", NULL);
	second = compose("lit", "replace");
	set_files("<domain existing='replace'><!-- other --><title>replace it</title>"
		  "</domain><param name='p' type='text' default='replace'/>",
		"<domain existing='replace'><title a='xreplace'/></domain>");
	again = compose("lit lit2", NULL);
	assert_string_not_equal(first.digest, second.digest);
	assert_string_equal(second.digest, again.digest);
	assert_string_equal(second.settings[0].intent, "domain");
	assert_string_equal(second.settings[0].attribute, "existing");
	assert_string_equal(second.settings[0].value, "replace");
	assert_string_equal(second.settings[1].attribute, "title/@a");
	assert_string_equal(second.settings[1].value, "xreplace");
	assert_string_equal(second.settings[2].attribute, "title/text()");
	assert_string_equal(second.settings[2].value, "replace it");
	assert_string_equal(second.settings[2].file, "lit.xml");
	assert_int_equal(second.settings[2].line, 2);
	fit_profile_clear(&first);
	fit_profile_clear(&second);
	fit_profile_clear(&again);
	set_files("<param name='p' type='text' default='x'/><domain existing='${p}'><a/></domain>",
		NULL);
	assert_int_equal(try_compose("lit", NULL, &first, &err), -1);
	assert_non_null(strstr(err.message, "lit.xml:2: <domain existing=\"x\"> (with its param"));
}

static struct fit_render_result render(const char *xml, const char *names)
{
	struct fit_request asked = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_render_result result;
	const struct fit_render_input input = {
		.xml = xml,
		.length = strlen(xml),
		.name = "vm.xml",
		.asked = &asked,
		.host = &fit_test_machine()->host,
		.load = load,
		.load_context = &fit_test_machine()->store,
		.report = FIT_REPORT_PLAIN,
	};

	fit_strlist_split(&asked.profiles, names, " ");
	if (fit_render(&input, &result, &err) < 0)
		fail_msg("%s: %s", names, err.message);
	fit_request_clear(&asked);
	return result;
}

/* Everything in the record holds: the hook lets the domain start. */
static void expect_fitted(const char *xml)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "vm.xml", &err);
	struct fit_record record;
	fit_autofree char *missing = NULL;

	if (fit_record_read(doc, "vm.xml", &record, &err) != 1)
		fail_msg("%s", err.message);
	if (!fit_rewrite_holds(doc, &record, &missing))
		fail_msg("%s does not hold in\n%s", missing, xml);
	fit_record_clear(&record);
}

static char *defined(const char *xml)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "vm.xml", &err);

	normalise_as_libvirt(doc);
	return fit_xml_print(doc);
}

static void check_properties(const char *xml, const char *names)
{
	struct fit_render_result once = render(xml, names);
	struct fit_render_result twice = render(once.xml, names);
	fit_autofree char *plain = fit_test_printed(xml);
	fit_autostrlist struct fit_strlist notes = {0};
	fit_autofree char *back = fit_test_reverted(once.xml, &notes);
	fit_autofree char *in_libvirt = defined(once.xml);
	struct fit_render_result again = render(in_libvirt, names);

	if (twice.changed)
		fail_msg("no fixpoint:\n%s\n%s", once.xml, twice.xml);
	assert_string_equal(back, plain);
	if (notes.count)
		fail_msg("%s", notes.items[0]);
	expect_fitted(once.xml);
	expect_fitted(in_libvirt);
	if (again.changed)
		fail_msg("no fixpoint after define:\n%s\n%s", in_libvirt, again.xml);
	fit_render_result_clear(&once);
	fit_render_result_clear(&twice);
	fit_render_result_clear(&again);
}

#define HEAD \
	"<domain type='kvm'>\n  <name>vm</name>\n" \
	"  <uuid>11111111-2222-3333-4444-555555555555</uuid>\n"
#define OS "  <os><type arch='x86_64' machine='q35'>hvm</type></os>\n"

static const char *const definitions[] = {
	HEAD "  <memory unit='GiB'>2</memory>\n  <vcpu>4</vcpu>\n" OS "</domain>\n",
	HEAD "  <memory unit='KiB'>2097152</memory>\n  <!-- mine -->\n  <vcpu>4</vcpu>\n" OS
	     "  <features>\n    <acpi/>\n    <pmu state='on'/>\n  </features>\n"
	     "  <clock offset='utc'>\n    <timer name='rtc' tickpolicy='catchup'/>\n  </clock>\n"
	     "  <cputune>\n    <vcpupin vcpu='1' cpuset='3'/>\n  </cputune>\n"
	     "  <devices>\n    <disk type='file' device='disk'>\n      <source file='/a'/>\n"
	     "      <target dev='vda' bus='virtio'/>\n    </disk>\n"
	     "    <memballoon model='virtio'/>\n  </devices>\n</domain>\n",
};

static const char *const overlays[] = {
	"<features><pmu state='off'/></features>",
	"<features><pmu state='off'/><kvm><hidden state='on'/></kvm></features>"
	"<clock offset='localtime'><timer name='hpet' present='no'/></clock>",
	"<memory unit='GiB'>3</memory><currentMemory unit='GiB'>3</currentMemory>",
	"<cpu mode='maximum'><feature name='x2apic' policy='require'/></cpu>",
	"<cputune><vcpupin vcpu='0' cpuset='5'/><vcpupin vcpu='1' cpuset='6'/>"
	"<vcpupin vcpu='2' cpuset='7'/><vcpupin vcpu='3' cpuset='4'/>"
	"<emulatorpin cpuset='2'/></cputune>",
	"<iothreads>2</iothreads><iothreadids><iothread id='1'/><iothread id='2'/></iothreadids>",
	"<devices><disk type='file' device='disk'><source file='/b'/><target dev='vdb' "
	"bus='virtio'/></disk><memballoon model='none'/><disk><driver name='qemu' "
	"cache='writeback'/><target dev='vda'/></disk></devices>",
	"<numatune><memory mode='strict' nodeset='1'/></numatune>"
	"<memoryBacking><nosharepages/></memoryBacking>",
};

static void overlays_leave_a_fixpoint_that_reverts_exactly(void **state)
{
	static const char *const sets[] = {"lit", "base lit", "lit low-latency"};
	static const char *const policies[] = {"keep", "replace"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(overlays) * 2 * FIT_ARRAY_SIZE(sets); i++) {
		const char *overlay = overlays[i % FIT_ARRAY_SIZE(overlays)];
		size_t rest = i / FIT_ARRAY_SIZE(overlays);
		fit_autofree char *content = fit_xasprintf(
			"<domain existing='%s'>%s</domain>", policies[rest % 2], overlay);

		set_files(content, NULL);
		/* A new disk needs the other profile's place. */
		for (size_t d = 0; d < FIT_ARRAY_SIZE(definitions); d++) {
			if (strstr(overlay, "<target dev='vda'/>") &&
				!strstr(definitions[d], "vda"))
				continue;
			check_properties(definitions[d], sets[rest / 2]);
		}
	}
}

/* What an intent would write there is not written, and said. */
static void an_overlay_wins_over_intents_of_any_profile(void **state)
{
	static const char *const sets[] = {"base lit", "lit base"};

	(void)state;
	set_files("<domain existing='replace'><cpu mode='maximum'/></domain>", NULL);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(sets); i++) {
		struct fit_render_result result = render(definitions[0], sets[i]);

		assert_non_null(strstr(result.xml, "mode=\"maximum\""));
		assert_null(strstr(result.xml, "host-passthrough"));
		assert_non_null(strstr(result.xml, "<topology "));
		assert_non_null(strstr(result.report, "cpu/@mode is as the profile's <domain> has "
						      "it, not as planned"));
		fit_render_result_clear(&result);
	}
}

/* Pins that stand in the overlay are planned around like the user's own. */
static void the_plan_follows_the_overlay(void **state)
{
	struct fit_render_result result;

	(void)state;
	set_files("<domain existing='replace'><cputune><vcpupin vcpu='0' cpuset='12'/><vcpupin "
		  "vcpu='1' cpuset='13'/><vcpupin vcpu='2' cpuset='14'/><vcpupin vcpu='3' "
		  "cpuset='15'/></cputune></domain>",
		NULL);
	result = render(definitions[1], "low-latency lit");
	assert_true(fit_cpuset_contains(&result.plan.memory_nodes, 1));
	assert_int_equal(fit_cpuset_count(&result.plan.memory_nodes), 1);
	fit_render_result_clear(&result);
}

static void current_memory_is_lowered_with_the_memory_and_given_back(void **state)
{
	static const char definition[] =
		"<domain type='kvm'>\n  <name>vm</name>\n  <memory unit='GiB'>8</memory>\n"
		"  <currentMemory unit='GiB'>6</currentMemory>\n  <vcpu>2</vcpu>\n"
		"  <os><type arch='x86_64' machine='q35'>hvm</type></os>\n</domain>\n";
	struct fit_render_result result;

	(void)state;
	set_files("<domain existing='replace'><memory unit='GiB'>4</memory></domain>", NULL);
	result = render(definition, "lit");
	assert_non_null(strstr(result.xml, "<currentMemory unit=\"KiB\">4194304</currentMemory>"));
	fit_render_result_clear(&result);
	check_properties(definition, "lit");
	check_properties(definition, "lit low-latency");
	set_files("<domain existing='replace'><memory unit='GiB'>7</memory></domain>", NULL);
	result = render(definition, "lit");
	assert_non_null(strstr(result.xml, "<currentMemory unit=\"GiB\">6</currentMemory>"));
	fit_render_result_clear(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_merged_is_refused_with_its_place),
		cmocka_unit_test(elements_are_found_by_libvirts_identities),
		cmocka_unit_test(the_policy_decides_where_the_definition_has_something_else),
		cmocka_unit_test(edits_of_places_that_the_overlay_states_are_dropped),
		cmocka_unit_test(a_new_disk_needs_a_target),
		cmocka_unit_test(the_last_profile_wins_place_by_place),
		cmocka_unit_test(parameters_are_put_into_attributes_texts_and_the_policy),
		cmocka_unit_test(overlays_leave_a_fixpoint_that_reverts_exactly),
		cmocka_unit_test(an_overlay_wins_over_intents_of_any_profile),
		cmocka_unit_test(the_plan_follows_the_overlay),
		cmocka_unit_test(current_memory_is_lowered_with_the_memory_and_given_back),
	};

	return cmocka_run_group_tests(tests, fit_test_machine_setup, fit_test_machine_teardown);
}
