/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is there against what was written: libvirt spells values anew and adds, and takes nothing.
 */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/contain.h"
#include "core/xml.h"
#include "support_domain.h"

static void values_are_equal_as_texts_numbers_or_lists(void **state)
{
	static const struct {
		const char *a, *b;
		bool equal;
	} cases[] = {
		{"on", "on", true},
		{"on", "On", false},
		{"on", "off", false},
		{"", "", true},
		{"", "0", false},
		{" 10\n", "10", true},
		{"0x0a", "10", true},
		{"0X0A", "10", true},
		{"0x0a", "0xa", true},
		{"0x0a", "11", false},
		{"0x", "0", false},
		{"1x10", "16", false},
		{"0b10", "16", false},
		{"0xg", "0", false},
		{"18446744073709551615", "0xffffffffffffffff", true},
		{"18446744073709551616", "18446744073709551616 ", true},
		{"0,1", "0-1", true},
		{"0-3,^2", "0-1,3", true},
		{"0-1", "0-2", false},
		{"0-1", "0,", false},
		{"^1", "^2", false},
		{"none", "keep", false},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++)
		if (fit_value_equal(cases[i].a, cases[i].b) != cases[i].equal ||
			fit_value_equal(cases[i].b, cases[i].a) != cases[i].equal)
			fail_msg("'%s' and '%s'", cases[i].a, cases[i].b);
}

static void identities_are_one_where_attributes_are(void **state)
{
	static const struct {
		const char *attribute, *have, *value;
		bool is, one;
	} cases[] = {
		{"address", "52:54:00:AA:00:01", "52:54:00:aa:00:01", true, true},
		{"address", "52:54:00:aa:00:01", "52:54:00:aa:00:02", false, false},
		{"address", "52:54:00:aa:00:01", "52:54:00:aa:00", false, false},
		{"address", "52:54:00:aa:00", "52:54:00:aa:00:01", false, false},
		{"address", "0x10", "16", true, true},
		{"bus", "0x0a", "10", true, true},
		{"bus", "0x0a", "11", false, false},
		{"name", "vda", "vda", true, true},
		{"name", "vda", "vdb", false, false},
		/* Told apart, though they are looked up together. */
		{"name", "VDA", "vda", false, true},
		{"name", "AZ", "az", false, true},
		{"name", "A[", "a{", false, false},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *xml =
			fit_xasprintf("<a %s='%s'/>", cases[i].attribute, cases[i].have);
		fit_autodoc xmlDoc *doc = fit_test_parse(xml);
		const xmlNode *node = xmlDocGetRootElement(doc);
		fit_autofree char *have = fit_attribute_identity(cases[i].have);
		fit_autofree char *wanted = fit_attribute_identity(cases[i].value);

		if (fit_attribute_is(node, cases[i].attribute, cases[i].value) != cases[i].is ||
			fit_streq(have, wanted) != cases[i].one)
			fail_msg("%s, %s", xml, cases[i].value);
		assert_false(fit_attribute_is(node, "other", cases[i].value));
	}
}

static const struct {
	const char *have, *wanted;
	const char *difference; /* NULL: contained */
} pairs[] = {
	{"<a/>", "<a/>", NULL},
	{"<a x='1' y='2'><b/>text</a>", "<a/>", NULL},
	{"<a x='0x01'/>", "<a x='1'/>", NULL},
	{"<a x='1'/>", "<a x='2'/>", "x='1' instead of our x='2'"},
	{"<a/>", "<a x='2'/>", "without our x='2'"},
	{"<a y='3'/>", "<a y='3' q:x='2' xmlns:q='urn:q'/>", NULL},
	{"<a> text </a>", "<a>text</a>", NULL},
	{"<a>text</a>", "<a>other</a>", "'text' instead of our 'other'"},
	{"<a/>", "<a>other</a>", "'' instead of our 'other'"},
	{"<a><b>text</b></a>", "<a>text</a>", "'' instead of our 'text'"},
	{"<a><c/></a>", "<a><b/></a>", "without our <b>"},
	{"<a>text</a>", "<a><b/></a>", "without our <b>"},
	{"<a><b x='1'/></a>", "<a><b x='2'/></a>", "x='1' instead of our x='2'"},
	/* Each has a child of its own, whatever the order. */
	{"<a><c/><b/></a>", "<a><b/><c/></a>", NULL},
	{"<a><b x='1' y='2'/><b x='1'/></a>", "<a><b x='1'/><b x='1' y='2'/></a>", NULL},
	{"<a><b x='1'/><b x='1' y='2'/></a>", "<a><b x='1'/><b x='1' y='2'/></a>", NULL},
	{"<a><b x='1' y='2'/></a>", "<a><b x='1'/><b y='2'/></a>",
		"its content is not ours any more"},
	{"<a><b x='1'/><b x='2'/><b x='3'/></a>", "<a><b x='2'/><b x='2'/></a>",
		"x='1' instead of our x='2'"},
	{"<a><b x='1'/><b x='2'/></a>", "<a><b x='3'/><b x='1'/></a>",
		"x='1' instead of our x='3'"},
	/* A size and its unit are one value. */
	{"<page size='1' unit='GiB'/>", "<page size='1048576' unit='KiB'/>", NULL},
	{"<memory unit='MiB'>2</memory>", "<memory unit='KiB'>2048</memory>", NULL},
	{"<page size='1' unit='GiB' nodeset='0-1'/>",
		"<page size='1048576' unit='KiB' nodeset='0,1'/>", NULL},
	{"<page size='1' unit='GiB' nodeset='0'/>", "<page size='1' unit='GiB' nodeset='1'/>",
		"nodeset='0' instead of our nodeset='1'"},
	{"<page size='1' unit='GiB'/>", "<page size='1' unit='MiB'/>",
		"unit='GiB' instead of our unit='MiB'"},
	{"<page size='2' unit='GiB'/>", "<page size='1' unit='GiB'/>",
		"size='2' instead of our size='1'"},
	{"<memory unit='MiB'>2</memory>", "<memory unit='MiB'>3</memory>",
		"'2' instead of our '3'"},
	{"<memory>2</memory>", "<memory unit='KiB'>2</memory>", "without our unit='KiB'"},
};

static void contained_is_what_is_there_with_more(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(pairs); i++) {
		fit_autodoc xmlDoc *have = fit_test_parse(pairs[i].have);
		fit_autodoc xmlDoc *wanted = fit_test_parse(pairs[i].wanted);
		const xmlNode *have_root = xmlDocGetRootElement(have);
		const xmlNode *wanted_root = xmlDocGetRootElement(wanted);
		fit_autofree char *difference = fit_xml_difference(have_root, wanted_root);

		if (fit_xml_contains(have_root, wanted_root) != !pairs[i].difference)
			fail_msg("%s in %s", pairs[i].wanted, pairs[i].have);
		if (pairs[i].difference)
			assert_string_equal(difference, pairs[i].difference);
		assert_true(fit_xml_contains(have_root, have_root));
	}
}

/* The nodes below @parent, itself included, in document order. */
static void list_nodes(xmlNode *parent, xmlNode **nodes, size_t *count)
{
	nodes[(*count)++] = parent;
	fit_xml_for_each (child, parent, NULL)
		list_nodes(child, nodes, count);
}

/* Property: whatever of it goes is missed, and nothing that comes. */
static void every_part_counts_and_none_that_is_added(void **state)
{
	static const char text[] =
		"<disk type='file' device='disk'><driver name='qemu' cache='none'><iothreads>"
		"<iothread id='1'/><iothread id='2'/></iothreads></driver><source file='/a'/>"
		"<target dev='vda' bus='virtio'/><serial>abc</serial></disk>";
	fit_autodoc xmlDoc *wanted = fit_test_parse(text);
	const xmlNode *root = xmlDocGetRootElement(wanted);
	size_t count = 1;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		fit_autodoc xmlDoc *more = xmlCopyDoc(wanted, 1), *less = xmlCopyDoc(wanted, 1);
		xmlNode *nodes[16], *attributed;

		count = 0;
		list_nodes(xmlDocGetRootElement(more), nodes, &count);
		xmlNewProp(nodes[i], (const xmlChar *)"added", (const xmlChar *)"1");
		if (fit_xml_child(nodes[i], NULL))
			xmlNewChild(nodes[i], NULL, (const xmlChar *)"added", NULL);
		assert_true(fit_xml_contains(xmlDocGetRootElement(more), root));
		assert_false(fit_xml_contains(root, xmlDocGetRootElement(more)));
		count = 0;
		list_nodes(xmlDocGetRootElement(less), nodes, &count);
		attributed = nodes[i];
		while (attributed->properties) {
			fit_autodoc xmlDoc *without = NULL;

			xmlRemoveProp(attributed->properties);
			without = xmlCopyDoc(less, 1);
			if (fit_xml_contains(xmlDocGetRootElement(without), root))
				fail_msg("an attribute of <%s> is not missed", attributed->name);
		}
		if (i == 0)
			continue;
		xmlUnlinkNode(nodes[i]);
		xmlFreeNode(nodes[i]);
		if (fit_xml_contains(xmlDocGetRootElement(less), root))
			fail_msg("element %zu is not missed", i);
	}
	assert_int_equal(count, 8);
}

static void what_libvirt_fills_in_is_known(void **state)
{
	static const char *const defaults[][3] = {
		{"cpu", "check", "none"},
		{"cpu", "check", "partial"},
		{"cpu", "migratable", "on"},
		{"cpu", "migratable", "off"},
		{"driver", "name", "qemu"},
		{"driver", "type", "raw"},
		{"topology", "dies", "1"},
		{"topology", "clusters", "1"},
		{"vcpu", "placement", "static"},
	};
	static const struct {
		const char *device;
		bool adds;
	} children[] = {
		{"<interface><mac/></interface>", true},
		{"<interface><address/></interface>", true},
		{"<interface><model/></interface>", false},
		{"<controller><model/></controller>", true},
		{"<controller><target/></controller>", true},
		{"<controller><driver/></controller>", false},
		{"<disk><target/></disk>", false},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(defaults); i++) {
		const char *const *row = defaults[i];

		assert_true(fit_is_libvirt_default(row[0], row[1], row[2]));
		assert_false(fit_is_libvirt_default("other", row[1], row[2]));
		assert_false(fit_is_libvirt_default(row[0], "other", row[2]));
		assert_false(fit_is_libvirt_default(row[0], row[1], "other"));
	}
	for (size_t i = 0; i < FIT_ARRAY_SIZE(children); i++) {
		fit_autodoc xmlDoc *doc = fit_test_parse(children[i].device);

		if (fit_is_libvirt_child(xmlDocGetRootElement(doc)->children) != children[i].adds)
			fail_msg("%s", children[i].device);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_equal_as_texts_numbers_or_lists),
		cmocka_unit_test(identities_are_one_where_attributes_are),
		cmocka_unit_test(contained_is_what_is_there_with_more),
		cmocka_unit_test(every_part_counts_and_none_that_is_added),
		cmocka_unit_test(what_libvirt_fills_in_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
