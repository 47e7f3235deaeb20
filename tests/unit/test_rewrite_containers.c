/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Elements that edits create on their way, and edits whose way is gone. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/rewrite.h"
#include "core/xml.h"
#include "support_domain.h"

#define PROPERTY \
	"qemu:override/qemu:device[@alias='ua-a']/qemu:frontend/qemu:property[@name='vectors']/"
#define DECLARED "<domain xmlns:qemu=\"http://libvirt.org/schemas/domain/qemu/1.0\" "

static const struct fit_record info;

static xmlDoc *parse(void)
{
	return fit_test_parse(
		"<domain type='kvm'>\n  <name>vm</name>\n  <devices>\n    <disk "
		"type='file'>\n      <driver name='qemu' cache='none'/>\n      <target "
		"dev='vda'/>\n      <boot order='1'/>\n    </disk>\n  </devices>\n"
		"</domain>\n");
}

static void apply(xmlDoc *doc, const char *path, const char *value, struct fit_remains *remains)
{
	struct fit_edits edits = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (value)
		fit_edits_set(&edits, path, value);
	else
		fit_edits_remove(&edits, path);
	if (fit_rewrite_apply(doc, "vm", &edits, &info, remains, &err) < 0)
		fail_msg("%s", err.message);
	fit_edits_clear(&edits);
}

/* What is said; to be freed. */
static char *undo(xmlDoc *doc, struct fit_remains **ret_remains)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_rewrite_undo(doc, "vm", &notes, ret_remains, &err) < 0)
		fail_msg("%s", err.message);
	return fit_strlist_join(&notes, "\n");
}

static void what_is_not_there_cannot_be_edited(void **state)
{
	static const char *const edits[][2] = {
		{"devices/disk[target/@dev='vdb']/driver/@cache", "none"},
		{"devices/disk[target/@dev='vdb']/boot", "<boot order='2'/>"},
		{"devices/disk[target/@dev='vdb']/serial/text()", "1"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(edits); i++) {
		fit_autodoc xmlDoc *doc = parse();
		struct fit_edits list = {0};
		struct fit_err err = FIT_ERR_INIT;

		fit_edits_set(&list, edits[i][0], edits[i][1]);
		assert_int_equal(fit_rewrite_apply(doc, "vm", &list, &info, NULL, &err), -1);
		assert_int_equal(err.code, FIT_ERR_INVALID);
		assert_string_equal(err.message, "vm: there is no devices/disk[target/@dev='vdb']");
		fit_edits_clear(&list);
	}
}

/* Of each edit: the container that it makes, and what the user writes into it. */
static const struct {
	const char *path, *value, *container;
} made[] = {
	{"numatune/memory", "<memory mode='strict' nodeset='0'/>", "numatune"},
	{"iothreadids/iothread[@id='3']/poll", "<poll max='0'/>", "iothreadids/iothread"},
	{"iothreadids/iothread[@id='3']/poll", "<poll max='0'/>", "iothreadids"},
	{"memoryBacking/allocation/@mode", "immediate", "memoryBacking"},
	{PROPERTY "@value", "9", "qemu:override/qemu:device"},
};

static xmlNode *find(xmlDoc *doc, const char *way)
{
	return fit_xml_find(xmlDocGetRootElement(doc), way);
}

static void what_an_edit_made_goes_with_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(made); i++) {
		fit_autodoc xmlDoc *doc = parse();
		fit_autofree char *before = fit_xml_print(doc);
		fit_autofree char *fitted = NULL;
		fit_autofree char *after = NULL;
		fit_autofree char *said = NULL;

		apply(doc, made[i].path, made[i].value, NULL);
		fitted = fit_xml_print(doc);
		assert_int_equal(
			strstr(fitted, DECLARED) != NULL, fit_starts_with(made[i].path, "qemu:"));
		said = undo(doc, NULL);
		after = fit_xml_print(doc);
		assert_string_equal(said, "");
		assert_string_equal(after, before);
	}
}

/* The attribute that the user adds keeps the element, until it is gone. */
static void what_the_user_put_into_it_keeps_it(void **state)
{
	static const xmlChar name[] = "added";

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(made) - 1; i++) {
		fit_autodoc xmlDoc *doc = parse();
		fit_autofree char *before = fit_xml_print(doc);
		fit_autofree char *after = NULL;
		fit_autofree char *first = NULL;
		fit_autofree char *last = NULL;
		struct fit_remains *remains = NULL;

		apply(doc, made[i].path, made[i].value, NULL);
		xmlNewProp(find(doc, made[i].container), name, (const xmlChar *)"1");
		first = undo(doc, &remains);
		assert_non_null(find(doc, made[i].container));
		apply(doc, made[i].path, made[i].value, remains);
		fit_remains_free(&remains);
		xmlUnsetProp(find(doc, made[i].container), name);
		last = undo(doc, NULL);
		after = fit_xml_print(doc);
		assert_string_equal(after, before);
	}
}

static void edits_whose_element_is_gone_are_said(void **state)
{
	static const struct {
		const char *path, *value, *gone, *note;
	} cases[] = {
		{"devices/disk[target/@dev='vda']/driver/@cache", "directsync", "devices/disk",
			"the element it belongs to is gone"},
		{"devices/disk[target/@dev='vda']/driver/@cache", NULL, "devices/disk",
			"the element it belongs to is gone"},
		{"devices/disk[target/@dev='vda']/boot", NULL, "devices/disk",
			"the element it belongs to is gone"},
		{"devices/disk[target/@dev='vda']/boot", "<boot order='2'/>", "devices/disk/boot",
			"what we had put there was removed"},
		{"devices/disk[target/@dev='vda']/serial", "<serial>a</serial>",
			"devices/disk/serial", "what we had added was removed"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autodoc xmlDoc *doc = parse();
		fit_autofree char *said = NULL;
		xmlNode *node;

		apply(doc, cases[i].path, cases[i].value, NULL);
		node = find(doc, cases[i].gone);
		xmlUnlinkNode(node);
		xmlFreeNode(node);
		said = undo(doc, NULL);
		if (!strstr(said, cases[i].note) || !strstr(said, cases[i].path))
			fail_msg("%s: '%s' is not in: %s", cases[i].path, cases[i].note, said);
	}
}

static void what_is_there_again_is_said(void **state)
{
	fit_autodoc xmlDoc *doc = parse();
	fit_autofree char *said = NULL;

	(void)state;
	apply(doc, "devices/disk[target/@dev='vda']/boot", NULL, NULL);
	xmlNewChild(find(doc, "devices/disk"), NULL, (const xmlChar *)"boot", NULL);
	said = undo(doc, NULL);
	assert_non_null(strstr(said, "it is there again"));
}

/* In lines as the document has them, also where they replace another or come back. */
static void what_an_element_contains_is_indented(void **state)
{
	static const char value[] = "<numatune><memory nodeset='1'/></numatune>";
	static const char wanted[] = "\n  <numatune>\n    <memory nodeset=\"1\"/>\n  </numatune>\n";
	static const char *const documents[] = {
		"<domain>\n  <name>vm</name>\n</domain>\n",
		"<domain>\n  <name>vm</name>\n  <numatune/>\n</domain>\n",
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(documents); i++) {
		fit_autodoc xmlDoc *doc = fit_test_parse(documents[i]);
		fit_autostrlist struct fit_strlist notes = {0};
		struct fit_remains *remains = NULL;
		fit_autofree char *first = NULL;
		fit_autofree char *again = NULL;

		apply(doc, "numatune", value, NULL);
		first = fit_xml_print(doc);
		assert_non_null(strstr(first, wanted));
		assert_int_equal(fit_rewrite_undo(doc, "vm", &notes, &remains, NULL), 0);
		apply(doc, "numatune", value, remains);
		again = fit_xml_print(doc);
		assert_string_equal(again, first);
		fit_remains_free(&remains);
	}
}

/* Whatever is before its kind by then. */
static void the_first_of_its_kind_is_the_first_again(void **state)
{
	static const char vda[] = "<disk type=\"file\"><target dev=\"vda\"/></disk>";
	static const char vdb[] = "<disk type=\"file\"><target dev=\"vdb\"/></disk>";
	static const char *const gone[] = {"controller", "hub"};
	fit_autofree char *text = fit_xasprintf(
		"<domain type='kvm'><devices><controller/><hub/>%s%s</devices></domain>", vda, vdb);
	fit_autofree char *wanted = fit_xasprintf("%s%s", vda, vdb);

	(void)state;
	for (size_t i = 0; i <= FIT_ARRAY_SIZE(gone); i++) {
		fit_autodoc xmlDoc *doc = fit_test_parse(text);
		fit_autofree char *after = NULL;
		fit_autofree char *said = NULL;

		apply(doc, "devices/disk[target/@dev='vda']", NULL, NULL);
		for (size_t j = 0; j < i; j++) {
			xmlNode *node = fit_xml_child(find(doc, "devices"), gone[j]);

			xmlUnlinkNode(node);
			xmlFreeNode(node);
		}
		said = undo(doc, NULL);
		after = fit_xml_print(doc);
		if (!strstr(after, wanted))
			fail_msg("%s", after);
	}
}

/* What was put into it before, and would come again. */
static void what_goes_with_all_that_it_contains_comes_back_without_ours(void **state)
{
	static const char disk[] = "devices/disk[target/@dev='vda']";
	static const char *const inner[][2] = {
		{"devices/disk[target/@dev='vda']/serial", "<serial>a</serial>"},
		{"devices/disk[target/@dev='vda']/driver/iothreads", "<iothreads/>"},
	};
	static const char *const outer[] = {NULL, "<disk type='block'><target dev='vda'/></disk>"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(inner) * FIT_ARRAY_SIZE(outer); i++) {
		fit_autodoc xmlDoc *doc = parse();
		fit_autofree char *before = fit_xml_print(doc);
		fit_autofree char *after = NULL;
		fit_autofree char *first = NULL;
		fit_autofree char *last = NULL;
		struct fit_remains *remains = NULL;

		apply(doc, inner[i / 2][0], inner[i / 2][1], NULL);
		first = undo(doc, &remains);
		apply(doc, disk, outer[i % 2], remains);
		fit_remains_free(&remains);
		last = undo(doc, NULL);
		after = fit_xml_print(doc);
		assert_string_equal(after, before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_there_cannot_be_edited),
		cmocka_unit_test(what_an_edit_made_goes_with_it),
		cmocka_unit_test(what_the_user_put_into_it_keeps_it),
		cmocka_unit_test(edits_whose_element_is_gone_are_said),
		cmocka_unit_test(what_is_there_again_is_said),
		cmocka_unit_test(what_an_element_contains_is_indented),
		cmocka_unit_test(the_first_of_its_kind_is_the_first_again),
		cmocka_unit_test(what_goes_with_all_that_it_contains_comes_back_without_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
