/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "core/lookup.h"
#include "core/xml.h"

static void paths_survive_a_round_trip(void **state)
{
	static const char *const paths[] = {"cpu", "cputune/vcpupin[@vcpu='3']",
		"devices/disk[target/@dev='vda']/driver",
		"devices/controller[@type='scsi'][@index='0']/driver",
		"devices/disk[target/@dev='a[b]/c'][@device='disk']",
		"devices/hostdev[source/address/@bus='0x41'][source/address/@slot='0']",
		"azAZ_/_Z[@z_Z='1']", "devices/input[3]/driver",
		"devices/controller[@type='usb'][12]",
		"qemu:override/qemu:device[@alias='ua-a']/qemu:frontend/"
		"qemu:property[@name='vectors']"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(paths); i++) {
		fit_autopath struct fit_path path = {0};
		fit_autofree char *text = NULL;
		struct fit_err err = FIT_ERR_INIT;

		if (fit_path_parse(paths[i], &path, &err) < 0)
			fail_msg("%s", err.message);
		text = fit_path_format_steps(&path, path.step_count);
		assert_string_equal(text, paths[i]);
	}
}

static void all_conditions_of_a_step_must_hold(void **state)
{
	static const char xml[] =
		"<domain xmlns:q='" FIT_QEMU_NAMESPACE "'><override id='x'/>"
		"<q:override id='q'><device alias='ua-a' id='y'/>"
		"<q:device alias='ua-a' id='r'/></q:override><devices><controller type='usb' index='0' id='a'/>"
		"<interface id='d'><mac address='52:54:00:AA:bb:01'/></interface>"
		"<hostdev id='e'><source><address bus='0x01'/></source></hostdev>"
		"<hostdev id='f'><source/><source><address bus='0x41' slot='0x00'/>"
		"</source></hostdev>"
		"<controller type='scsi' index='1' id='b'/>"
		"<controller type='scsi' index='0' id='c'><alias name='x'/>"
		"</controller></devices></domain>";
	static const char *const cases[][2] = {
		{"devices/controller[@type='scsi']", "b"},
		{"devices/controller[@type='scsi'][@index='0']", "c"},
		{"devices/controller[@index='0'][@type='scsi']", "c"},
		{"devices/controller[alias/@name='x'][@index='0']", "c"},
		{"devices/controller[alias/@name='x'][@index='1']", NULL},
		{"devices/controller[@type='usb'][@index='1']", NULL},
		{"devices/interface[mac/@address='52:54:00:aa:BB:01']", "d"},
		{"devices/interface[mac/@address='52:54:00:aa:bb:02']", NULL},
		{"devices/hostdev[source/address/@bus='65'][source/address/@slot='0']", "f"},
		{"devices/hostdev[source/address/@bus='1'][source/address/@slot='0']", NULL},
		{"devices/hostdev[source/@bus='1']", NULL},
		{"devices/controller[1]", "a"},
		{"devices/controller[3]", "c"},
		{"devices/controller[4]", NULL},
		{"devices/controller[@type='scsi'][1]", "b"},
		{"devices/controller[@type='scsi'][2]", "c"},
		{"devices/controller[@type='scsi'][3]", NULL},
		{"qemu:override", "q"},
		{"qemu:override/qemu:device[@alias='ua-a']", "r"},
	};
	struct fit_err err = FIT_ERR_INIT;
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "test.xml", &err);
	fit_autolookup struct fit_lookup lookup = {0};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autopath struct fit_path path = {0};
		fit_autofree char *id = NULL;

		assert_int_equal(fit_path_parse(cases[i][0], &path, &err), 0);
		id = fit_xml_attr(
			fit_lookup_path(&lookup, &path, path.step_count, xmlDocGetRootElement(doc)),
			"id");
		if (cases[i][1])
			assert_string_equal(id, cases[i][1]);
		else
			assert_null(id);
	}
}

static uint32_t drawn = 1;

static unsigned int draw(unsigned int below)
{
	drawn = drawn * 1664525 + 1013904223;
	return (drawn >> 8) % below;
}

static xmlNode *new_row_element(unsigned int id)
{
	fit_autofree char *text = fit_xasprintf("%u", id);
	xmlNode *node = xmlNewNode(NULL, (const xmlChar *)(draw(9) ? "pin" : "other"));
	xmlNode *child = xmlNewChild(node, NULL, (const xmlChar *)"target", NULL);

	xmlNewProp(node, (const xmlChar *)"vcpu", (const xmlChar *)text);
	xmlNewProp(child, (const xmlChar *)"dev", (const xmlChar *)text);
	return node;
}

/* Adds, removes or exchanges one of the row. */
static void change_row(struct fit_lookup *lookup, xmlNode *root, unsigned int ids)
{
	unsigned long count = xmlChildElementCount(root);
	xmlNode *node = root->children;
	bool removes = draw(3) != 0;
	bool adds = !removes || draw(3) == 0;
	xmlNode *fresh = new_row_element(draw(ids));

	for (unsigned int i = draw((unsigned int)count); i > 0; i--)
		node = node->next;
	if (adds) {
		xmlAddNextSibling(node, fresh);
		fit_lookup_element_added(lookup, fresh);
	} else {
		xmlFreeNode(fresh);
	}
	if (removes && count > 24) {
		fit_lookup_element_removed(lookup, node);
		xmlUnlinkNode(node);
		xmlFreeNode(node);
	}
}

/* Whatever happens to a long row: the same element as by going through it. */
static void a_lookup_keeps_up_with_what_is_changed(void **state)
{
	static const char *const keys[] = {"@vcpu", "target/@dev"};
	const unsigned int ids = 40;

	(void)state;
	for (size_t key = 0; key < FIT_ARRAY_SIZE(keys); key++) {
		fit_autodoc xmlDoc *doc = xmlNewDoc((const xmlChar *)"1.0");
		xmlNode *root = xmlNewDocNode(doc, NULL, (const xmlChar *)"row", NULL);
		fit_autolookup struct fit_lookup lookup = {0};

		xmlDocSetRootElement(doc, root);
		for (unsigned int i = 0; i < 30; i++)
			xmlAddChild(root, new_row_element(draw(ids)));
		for (unsigned int i = 0; i < 5000; i++) {
			fit_autopath struct fit_path path = {0};
			fit_autofree char *text =
				fit_xasprintf("pin[%s='%u']", keys[key], draw(ids));

			assert_int_equal(fit_path_parse(text, &path, NULL), 0);
			assert_ptr_equal(fit_lookup_step(&lookup, &path.steps[0], root, NULL),
				fit_path_step_find(&path.steps[0], root));
			change_row(&lookup, root, ids);
		}
	}
}

static void what_is_no_path_is_refused(void **state)
{
	static const char *const bad[] = {"", "/", "a/", "/a", "a//b", "a[", "a[]", "a[@b]",
		"a[@b='c]", "a[@b=\"c\"]", "a[@b='c'", "a[@b='c'][", "a[@b='c']x", "a/@", "a/@b/c",
		"@a", "text()", "a/text()x", "a b", "../a", "a/..", "a[/@b='c']", "x:a",
		"a[b//@c='d']", "a[b/c='d']", "a[b/c/]", "qemu:commandline", "qemu:device",
		"qemu:override/device", "qemu:override/qemu:frontend", "devices/qemu:override",
		"qemu:override/qemu:device/qemu:frontend/qemu:property/qemu:x",
		"qemu:", "a/@qemu:b", "a[0]", "a[01x]", "a[1][2]", "a[1][@b='c']", "a[-1]", "a[1",
		"a[4294967296]"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		struct fit_path path = {.step_count = 42};
		struct fit_err err = FIT_ERR_INIT;

		if (fit_path_parse(bad[i], &path, &err) == 0)
			fail_msg("'%s' was accepted", bad[i]);
		assert_int_equal(err.code, FIT_ERR_INVALID);
		assert_int_equal(path.step_count, 42);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_survive_a_round_trip),
		cmocka_unit_test(all_conditions_of_a_step_must_hold),
		cmocka_unit_test(a_lookup_keeps_up_with_what_is_changed),
		cmocka_unit_test(what_is_no_path_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
