/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens to a fitted document when somebody edits it before it is undone. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "core/rewrite.h"
#include "core/xml.h"
#include "support_domain.h"
#include "support_libvirt.h"

#define VF_PATH "devices/interface[alias/@name='ua-virt-fit-vf0']"
#define VF_FORMAT \
	"<interface type='hostdev' managed='yes'><source><address type='pci' domain='0x0000' " \
	"bus='0x41' slot='0x10' function='0x%u'/></source><alias " \
	"name='ua-virt-fit-vf0'/></interface>"
#define NO_VF (-1)

static const char original[] = "<domain type='kvm'>\n"
			       "  <name>web01</name>\n"
			       "  <vcpu placement='static' cpuset='0-3'>4</vcpu>\n"
			       "  <cputune>\n"
			       "    <vcpupin vcpu='0' cpuset='7'/>\n"
			       "  </cputune>\n"
			       "  <cpu mode='host-model' check='partial'/>\n"
			       "  <devices>\n"
			       "    <controller type='pci' index='0' model='pcie-root'/>\n"
			       "    <controller type='pci' index='1' model='pcie-root-port'/>\n"
			       "    <memballoon model='virtio'/>\n"
			       "  </devices>\n"
			       "</domain>\n";

/* The standard edits, with function @vf of a device unless it is NO_VF. */
static void apply(xmlDoc *doc, int vf, struct fit_remains *remains)
{
	static const struct fit_record info = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_edits edits = {0};

	fit_edits_set(&edits, "cpu/@mode", "host-passthrough");
	fit_edits_set(&edits, "cpu/topology", "<topology sockets='1' cores='2' threads='2'/>");
	fit_edits_remove(&edits, "vcpu/@cpuset");
	fit_edits_set(&edits, "cputune/vcpupin[@vcpu='0']", "<vcpupin vcpu='0' cpuset='2'/>");
	fit_edits_set(&edits, "cputune/vcpupin[@vcpu='1']", "<vcpupin vcpu='1' cpuset='3,34'/>");
	fit_edits_set(&edits, "numatune/memory", "<memory mode='strict' nodeset='0'/>");
	fit_edits_set(&edits, "iothreads/text()", "1");
	if (vf != NO_VF)
		fit_edits_setf(&edits, VF_PATH, VF_FORMAT, (unsigned int)vf);
	fit_edits_remove(&edits, "devices/memballoon");
	if (fit_rewrite_apply(doc, "web01", &edits, &info, remains, &err) < 0)
		fail_msg("%s", err.message);
	fit_edits_clear(&edits);
}

static void undo(xmlDoc *doc, struct fit_strlist *notes, struct fit_remains **ret_remains)
{
	struct fit_err err = FIT_ERR_INIT;

	if (fit_rewrite_undo(doc, "web01", notes, ret_remains, &err) < 0)
		fail_msg("%s", err.message);
}

/* @text with @from, which must be there, replaced by @to. */
static char *replace(const char *text, const char *from, const char *to)
{
	const char *found = strstr(text, from);
	struct fit_buffer out = {0};

	if (!found)
		fail_msg("no '%s' in\n%s", from, text);
	fit_buffer_add_bytes(&out, text, (size_t)(found - text));
	fit_buffer_add(&out, to);
	fit_buffer_add(&out, found + strlen(from));
	return fit_buffer_steal(&out);
}

static char *fitted_text(int vf)
{
	fit_autodoc xmlDoc *doc = fit_test_parse(original);

	apply(doc, vf, NULL);
	return fit_xml_print(doc);
}

static char *original_text(void)
{
	fit_autodoc xmlDoc *doc = fit_test_parse(original);

	return fit_xml_print(doc);
}

static void same(const char *wanted, const char *got)
{
	if (strcmp(wanted, got) != 0)
		fail_msg("wanted\n%s\ngot\n%s", wanted, got);
}

/* The user replaces @from by @to in the fitted document. Then undo gives the original with
 * @original_from replaced by @original_to, and says @note (NULL: nothing). */
static void edit(const char *from, const char *to, const char *original_from,
	const char *original_to, const char *note)
{
	fit_autofree char *fitted = fitted_text(0);
	fit_autofree char *edited = replace(fitted, from, to);
	fit_autofree char *before = original_text();
	fit_autofree char *wanted = replace(before, original_from, original_to);
	fit_autofree char *reverted = NULL;
	fit_autofree char *said = NULL;
	fit_autodoc xmlDoc *doc = fit_test_parse(edited);
	fit_autostrlist struct fit_strlist notes = {0};

	undo(doc, &notes, NULL);
	reverted = fit_xml_print(doc);
	said = fit_strlist_join(&notes, "\n");
	same(wanted, reverted);
	same(note ? note : "", said);
}

static void an_edit_of_what_we_wrote_stays_and_is_noted(void **state)
{
	(void)state;
	edit("<vcpupin vcpu=\"0\" cpuset=\"2\"/>", "<vcpupin vcpu=\"0\" cpuset=\"5\"/>",
		"cpuset=\"7\"", "cpuset=\"5\"",
		"cputune/vcpupin[@vcpu='0'] was edited: cpuset='5' instead of our cpuset='2', "
		"kept");
	edit("mode=\"host-passthrough\"", "mode=\"maximum\"", "host-model", "maximum",
		"cpu/@mode was edited: maximum instead of our host-passthrough, kept");
	edit("<iothreads>1<", "<iothreads>2<", "\n  <cputune>",
		"\n  <iothreads>2</iothreads>\n  <cputune>",
		"iothreads/text() was edited: 2 instead of our 1, kept");
	edit("nodeset=\"0\"/>", "nodeset=\"1\"/>", "</cputune>\n",
		"</cputune>\n  <numatune>\n    <memory mode=\"strict\" nodeset=\"1\"/>\n"
		"  </numatune>\n",
		"numatune/memory was edited: nodeset='1' instead of our nodeset='0', kept");
	edit("function=\"0x0\"/>", "function=\"0x7\"/>", "    <memballoon",
		"    <interface type=\"hostdev\" managed=\"yes\">\n      <source>\n"
		"        <address type=\"pci\" domain=\"0x0000\" bus=\"0x41\" slot=\"0x10\" "
		"function=\"0x7\"/>\n      </source>\n      <alias name=\"ua-virt-fit-vf0\"/>\n"
		"    </interface>\n    <memballoon",
		VF_PATH " was edited: function='0x7' instead of our function='0x0', kept");
}

static void what_the_user_removed_stays_away(void **state)
{
	(void)state;
	edit("\n    <vcpupin vcpu=\"1\" cpuset=\"3,34\"/>", "", "", "",
		"cputune/vcpupin[@vcpu='1'] was edited: what we had added was removed, kept");
	edit(" mode=\"host-passthrough\"", "", " mode=\"host-model\"", "",
		"cpu/@mode was edited: our host-passthrough was removed, kept");
	edit("\n  <iothreads>1</iothreads>", "", "", "",
		"iothreads/text() was edited: the element it belongs to is gone, kept");
}

static void what_the_user_put_back_stays(void **state)
{
	(void)state;
	edit("\n  </devices>", "\n    <memballoon model=\"none\"/>\n  </devices>",
		"memballoon model=\"virtio\"", "memballoon model=\"none\"",
		"devices/memballoon was edited: it is there again, kept");
	edit("<vcpu placement=\"static\"", "<vcpu placement=\"static\" cpuset=\"1\"",
		"cpuset=\"0-3\"", "cpuset=\"1\"",
		"vcpu/@cpuset was edited: 1 where we had removed it, kept");
}

static void edits_elsewhere_stay_without_a_word(void **state)
{
	(void)state;
	edit("web01", "web02", "web01", "web02", NULL);
	edit("<name>", "<!-- mine -->\n  <title>x</title><name>", "<name>",
		"<!-- mine -->\n  <title>x</title><name>", NULL);
	edit("  </cputune>", "    <emulatorpin cpuset=\"6\"/>\n  </cputune>", "  </cputune>",
		"    <emulatorpin cpuset=\"6\"/>\n  </cputune>", NULL);
	edit("    <memory mode=\"strict\" nodeset=\"0\"/>\n",
		"    <memory mode=\"strict\" nodeset=\"0\"/>\n    <memnode cellid=\"0\"/>\n",
		"</cputune>\n",
		"</cputune>\n  <numatune>\n    <memnode cellid=\"0\"/>\n  </numatune>\n", NULL);
	edit("  <metadata>\n", "  <metadata>\n    <q:mine xmlns:q=\"urn:q\"/>\n", "</name>\n",
		"</name>\n  <metadata>\n    <q:mine xmlns:q=\"urn:q\"/>\n  </metadata>\n", NULL);
}

static void spellings_of_libvirt_are_no_edits(void **state)
{
	(void)state;
	edit("cpuset=\"3,34\"", "cpuset=\" 34,3-3\"", "", "", NULL);
	edit("cores=\"2\"", "dies=\"1\" cores=\"2\"", "", "", NULL);
	edit("bus=\"0x41\"", "bus=\"65\"", "", "", NULL);
	edit("<iothreads>1<", "<iothreads>\n1 <", "", "", NULL);
	edit("mode=\"host-passthrough\" ", "migratable=\"on\" mode=\"host-passthrough\" ", "", "",
		NULL);
	edit("<alias ", "<mac address=\"52:54:00:00:00:01\"/><alias ", "", "", NULL);
}

static void what_goes_with_our_device_is_said(void **state)
{
	(void)state;
	edit("<alias ", "<boot order=\"1\"/><alias ", "", "",
		VF_PATH " goes, and with it the <boot> added to it");
}

#define EXTENDED \
	"<mac address=\"52:54:00:00:00:01\"/><boot order=\"1\"/>" \
	"<alias name=\"ua-virt-fit-vf0\"/>" \
	"<address type=\"pci\" domain=\"0x0000\" bus=\"0x03\" slot=\"0x00\" function=\"0x0\"/>"
#define ROOT_PORT(index) \
	"<controller type=\"pci\" index=\"" index "\" model=\"pcie-root-port\">" \
	"<address type=\"pci\" bus=\"0x00\"/></controller>"

/* A fitted document as libvirt has extended it; the user added port 2. */
static xmlDoc *extended(const char *more_devices)
{
	fit_autofree char *fitted = fitted_text(0);
	fit_autofree char *device = replace(fitted, "<alias name=\"ua-virt-fit-vf0\"/>", EXTENDED);
	fit_autofree char *end =
		fit_xasprintf(ROOT_PORT("2") ROOT_PORT("3") "%s</devices>", more_devices);
	fit_autofree char *all = replace(device, "</devices>", end);

	return fit_test_parse(all);
}

static bool has_port(xmlDoc *doc, const char *index)
{
	fit_xml_for_each (node, fit_xml_find(xmlDocGetRootElement(doc), "devices"), "controller") {
		fit_autofree char *have = fit_xml_attr(node, "index");

		if (strcmp(have, index) == 0)
			return true;
	}
	return false;
}

static void another_vf_keeps_what_was_added_to_the_first(void **state)
{
	fit_autodoc xmlDoc *doc = extended("");
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_remains *remains = NULL;
	fit_autofree char *again = NULL;
	xmlNode *root = xmlDocGetRootElement(doc);

	(void)state;
	undo(doc, &notes, &remains);
	assert_null(fit_xml_find(root, "devices/interface"));
	assert_false(has_port(doc, "3"));
	apply(doc, 5, remains);
	fit_remains_free(&remains);
	again = fit_xml_print(doc);
	assert_non_null(strstr(again, "function=\"0x5\"/>"));
	assert_null(strstr(again, "slot=\"0x10\" function=\"0x0\""));
	assert_non_null(fit_xml_find(root, "devices/interface/mac"));
	assert_non_null(fit_xml_find(root, "devices/interface/boot"));
	assert_non_null(fit_xml_find(root, "devices/interface/address"));
	assert_true(has_port(doc, "3"));
	assert_int_equal(notes.count, 0);
}

static void a_vf_that_is_not_wanted_any_more_leaves_nothing(void **state)
{
	fit_autodoc xmlDoc *doc = extended("");
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_remains *remains = NULL;
	fit_autofree char *again = NULL;

	(void)state;
	undo(doc, &notes, &remains);
	apply(doc, NO_VF, remains);
	fit_remains_free(&remains);
	again = fit_xml_print(doc);
	assert_null(strstr(again, "interface"));
	assert_null(strstr(again, "<?virt-fit"));
	assert_false(has_port(doc, "3"));
}

static void only_controllers_added_for_our_devices_go(void **state)
{
	fit_autodoc xmlDoc *alone = extended("");
	fit_autodoc xmlDoc *shared = extended(
		"<sound><address type='pci' bus='0x03' slot='0x00' function='0x1'/></sound>");
	fit_autostrlist struct fit_strlist notes = {0};

	(void)state;
	undo(alone, &notes, NULL);
	assert_true(has_port(alone, "0"));
	assert_true(has_port(alone, "1"));
	assert_true(has_port(alone, "2"));
	assert_false(has_port(alone, "3"));
	undo(shared, &notes, NULL);
	assert_true(has_port(shared, "3"));
}

/* Libvirt adds the bridge with a port, and puts it into another one: here the user's. */
static void the_port_that_came_with_a_bridge_goes_and_returns_with_it(void **state)
{
	fit_autofree char *fitted = fitted_text(0);
	fit_autofree char *placed = replace(fitted, "<alias name=\"ua-virt-fit-vf0\"/>",
		"<alias name=\"ua-virt-fit-vf0\"/><address type=\"pci\" bus=\"0x04\"/>");
	fit_autofree char *all = replace(placed, "</devices>",
		ROOT_PORT("2") ROOT_PORT("3") "<controller type=\"pci\" index=\"4\" "
					      "model=\"pcie-to-pci-bridge\"><address "
					      "type=\"pci\" bus=\"0x01\"/></controller></devices>");
	fit_autodoc xmlDoc *doc = fit_test_parse(all);
	fit_autodoc xmlDoc *there = xmlCopyDoc(doc, 1);
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_remains *remains = NULL;

	(void)state;
	undo(doc, &notes, &remains);
	assert_false(has_port(doc, "3"));
	apply(doc, 0, remains);
	fit_remains_free(&remains);
	assert_true(fit_xml_equivalent(xmlDocGetRootElement(doc), xmlDocGetRootElement(there)));
	undo(doc, &notes, NULL);
	assert_false(has_port(doc, "4"));
	assert_false(has_port(doc, "3"));
	assert_true(has_port(doc, "2"));
	assert_true(has_port(doc, "1"));
}

/* Libvirt puts the port for our device beside the user's one: the slot has two functions now. */
static void a_slot_shared_with_our_port_is_the_users_alone_again(void **state)
{
	static const char port[] = "model='pcie-root-port'/>";
	fit_autofree char *placed = replace(original, port,
		"model='pcie-root-port'><address type='pci' bus='0x00' slot='0x02' "
		"function='0x0'/></controller>");
	fit_autodoc xmlDoc *doc = fit_test_parse(placed);
	fit_autofree char *before = fit_xml_print(doc);
	fit_autofree char *fitted = NULL, *marked = NULL, *defined = NULL, *again = NULL;
	fit_autofree char *placed_device = NULL, *back = NULL;
	fit_autodoc xmlDoc *there = NULL;
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_remains *remains = NULL;

	(void)state;
	apply(doc, 0, NULL);
	fitted = fit_xml_print(doc);
	marked = replace(fitted, "slot=\"0x02\" function=\"0x0\"/>",
		"slot=\"0x02\" function=\"0x0\" multifunction=\"on\"/>");
	placed_device = replace(marked, "<alias name=\"ua-virt-fit-vf0\"/>", EXTENDED);
	defined = replace(placed_device, "\n  </devices>",
		"\n    <controller type=\"pci\" index=\"3\" model=\"pcie-root-port\"><address "
		"type=\"pci\" bus=\"0x00\" slot=\"0x02\" function=\"0x1\"/></controller>"
		"\n  </devices>");
	xmlFreeDoc(doc);
	doc = fit_test_parse(defined);
	there = xmlCopyDoc(doc, 1);
	undo(doc, &notes, &remains);
	apply(doc, 0, remains);
	fit_remains_free(&remains);
	assert_true(fit_xml_equivalent(xmlDocGetRootElement(doc), xmlDocGetRootElement(there)));
	again = fit_xml_print(doc);
	assert_non_null(strstr(again, "multifunction=\"on\""));
	undo(doc, &notes, NULL);
	back = fit_xml_print(doc);
	assert_string_equal(back, before);
}

/* As libvirt prints it, with <memballoon model='none'/> become another one. */
static xmlDoc *with_balloon(char **ret_before, char **ret_fitted)
{
	static const struct fit_record info = {0};
	fit_autofree char *without = replace(original, "model='virtio'", "model='none'");
	fit_autofree char *text = NULL;
	xmlDoc *doc = fit_test_parse(without);
	struct fit_err err = FIT_ERR_INIT;
	struct fit_edits edits = {0};

	normalise_as_libvirt(doc);
	*ret_before = fit_xml_print(doc);
	fit_edits_set(&edits, "devices/memballoon/@model", "virtio");
	if (fit_rewrite_apply(doc, "web01", &edits, &info, NULL, &err) < 0)
		fail_msg("%s", err.message);
	fit_edits_clear(&edits);
	text = fit_xml_print(doc);
	xmlFreeDoc(doc);
	doc = fit_test_parse(text);
	normalise_as_libvirt(doc);
	*ret_fitted = fit_xml_print(doc);
	return doc;
}

static void a_device_that_was_none_leaves_no_port_behind(void **state)
{
	static const struct fit_record info = {0};
	const struct fit_edit balloon = {(char[]){"devices/memballoon/@model"}, (char[]){"virtio"}};
	const struct fit_edits edits = {(struct fit_edit[]){balloon}, 1};
	fit_autofree char *before = NULL, *fitted = NULL, *again = NULL, *back = NULL;
	fit_autodoc xmlDoc *doc = with_balloon(&before, &fitted);
	fit_autodoc xmlDoc *unwanted = xmlCopyDoc(doc, 1);
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_remains *remains = NULL;
	struct fit_record record = {0};
	fit_autofree char *missing = NULL;

	(void)state;
	assert_true(has_port(doc, "2"));
	assert_int_equal(fit_record_read(doc, "web01", &record, NULL), 1);
	assert_true(fit_rewrite_holds(doc, &record, &missing));
	fit_record_clear(&record);
	/* The same once more: nothing changes. */
	undo(doc, &notes, &remains);
	assert_false(has_port(doc, "2"));
	assert_int_equal(fit_rewrite_apply(doc, "web01", &edits, &info, remains, NULL), 0);
	fit_remains_free(&remains);
	again = fit_xml_print(doc);
	assert_string_equal(again, fitted);
	/* Not any more. */
	undo(unwanted, &notes, &remains);
	fit_remains_free(&remains);
	assert_false(has_port(unwanted, "2"));
	assert_null(fit_xml_find(xmlDocGetRootElement(unwanted), "devices/memballoon/address"));
	undo(doc, &notes, NULL);
	back = fit_xml_print(doc);
	assert_string_equal(back, before);
	assert_int_equal(notes.count, 0);
}

static void a_device_that_was_none_and_is_the_users_keeps_its_place(void **state)
{
	fit_autofree char *before = NULL, *fitted = NULL, *edited = NULL;
	fit_autodoc xmlDoc *first = with_balloon(&before, &fitted);
	fit_autodoc xmlDoc *doc = NULL;
	fit_autostrlist struct fit_strlist notes = {0};

	(void)state;
	edited = replace(fitted, "model=\"virtio\">", "model=\"virtio-transitional\">");
	doc = fit_test_parse(edited);
	undo(doc, &notes, NULL);
	assert_int_equal(notes.count, 1);
	assert_true(has_port(doc, "2"));
	assert_non_null(fit_xml_find(xmlDocGetRootElement(doc), "devices/memballoon/address"));
}

static void a_parent_that_libvirt_dropped_when_it_was_empty_comes_back(void **state)
{
	static const struct fit_record info = {0};
	fit_autodoc xmlDoc *doc = fit_test_parse(
		"<domain><numatune><memory mode='strict' nodeset='0'/></numatune></domain>");
	fit_autodoc xmlDoc *defined = NULL;
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_remains *remains = NULL;
	struct fit_edits edits = {0};

	(void)state;
	fit_edits_remove(&edits, "numatune/memory");
	assert_int_equal(fit_rewrite_apply(doc, "web01", &edits, &info, NULL, NULL), 0);
	normalise_as_libvirt(doc);
	assert_null(fit_xml_find(xmlDocGetRootElement(doc), "numatune"));
	defined = xmlCopyDoc(doc, 1);
	undo(doc, &notes, &remains);
	assert_non_null(fit_xml_find(xmlDocGetRootElement(doc), "numatune/memory"));
	assert_int_equal(fit_rewrite_apply(doc, "web01", &edits, &info, remains, NULL), 0);
	fit_remains_free(&remains);
	assert_true(fit_xml_equivalent(xmlDocGetRootElement(doc), xmlDocGetRootElement(defined)));
	assert_int_equal(notes.count, 0);
	fit_edits_clear(&edits);
}

/* What is there already is the user's: it is not in the record and stays. */
static void a_value_that_is_there_already_is_the_users(void **state)
{
	fit_autofree char *text = replace(original, "cpuset='7'", "cpuset='2'");
	fit_autodoc xmlDoc *doc = fit_test_parse(text);
	struct fit_record record = {0};

	(void)state;
	apply(doc, 0, NULL);
	assert_int_equal(fit_record_read(doc, "web01", &record, NULL), 1);
	for (size_t i = 0; i < record.facet_count; i++)
		assert_string_not_equal(record.facets[i].path, "cputune/vcpupin[@vcpu='0']");
	fit_record_clear(&record);
}

static void a_record_holds_until_a_facet_is_edited(void **state)
{
	static const char *const edits[][3] = {
		{"<vcpupin vcpu=\"0\" cpuset=\"2\"/>", "", "cputune/vcpupin[@vcpu='0']"},
		{"mode=\"host-passthrough\"", "mode=\"maximum\"", "cpu/@mode"},
		{"<iothreads>1<", "<iothreads>2<", "iothreads/text()"},
		{"<vcpu ", "<vcpu cpuset=\"1\" ", "vcpu/@cpuset"},
		{"</devices>", "<memballoon/></devices>", "devices/memballoon"},
	};
	fit_autofree char *fitted = fitted_text(0);
	fit_autodoc xmlDoc *doc = fit_test_parse(fitted);
	struct fit_record record = {0};
	char *missing = NULL;

	(void)state;
	assert_int_equal(fit_record_read(doc, "web01", &record, NULL), 1);
	assert_true(fit_rewrite_holds(doc, &record, &missing));
	assert_null(missing);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(edits); i++) {
		fit_autofree char *text = replace(fitted, edits[i][0], edits[i][1]);
		fit_autodoc xmlDoc *edited = fit_test_parse(text);
		fit_autofree char *first = NULL;

		assert_false(fit_rewrite_holds(edited, &record, &first));
		assert_string_equal(first, edits[i][2]);
	}
	fit_record_clear(&record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_edit_of_what_we_wrote_stays_and_is_noted),
		cmocka_unit_test(what_the_user_removed_stays_away),
		cmocka_unit_test(what_the_user_put_back_stays),
		cmocka_unit_test(edits_elsewhere_stay_without_a_word),
		cmocka_unit_test(spellings_of_libvirt_are_no_edits),
		cmocka_unit_test(what_goes_with_our_device_is_said),
		cmocka_unit_test(another_vf_keeps_what_was_added_to_the_first),
		cmocka_unit_test(a_vf_that_is_not_wanted_any_more_leaves_nothing),
		cmocka_unit_test(only_controllers_added_for_our_devices_go),
		cmocka_unit_test(the_port_that_came_with_a_bridge_goes_and_returns_with_it),
		cmocka_unit_test(a_slot_shared_with_our_port_is_the_users_alone_again),
		cmocka_unit_test(a_device_that_was_none_leaves_no_port_behind),
		cmocka_unit_test(a_device_that_was_none_and_is_the_users_keeps_its_place),
		cmocka_unit_test(a_parent_that_libvirt_dropped_when_it_was_empty_comes_back),
		cmocka_unit_test(a_value_that_is_there_already_is_the_users),
		cmocka_unit_test(a_record_holds_until_a_facet_is_edited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
