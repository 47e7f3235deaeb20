/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "core/xml.h"
#include "support_domain.h"
#include "support_domains.h"

static void refuse(const char *text, size_t length, const char *why)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autodoc xmlDoc *doc = fit_xml_parse(text, length, "test.xml", &err);

	if (doc)
		fail_msg("accepted: %.200s", text);
	assert_int_equal(err.code, FIT_ERR_INVALID);
	if (!strstr(err.message, why))
		fail_msg("'%s' does not say '%s'", err.message, why);
}

static void prints_as(const char *text, const char *wanted)
{
	fit_autodoc xmlDoc *doc = fit_test_parse(text);
	fit_autofree char *printed = fit_xml_print(doc);

	assert_string_equal(printed, wanted);
}

static void a_declaration_is_printed_only_if_there_was_one(void **state)
{
	(void)state;
	prints_as("<a/>", "<a/>\n");
	prints_as("\xef\xbb\xbf<a/>\n", "<a/>\n");
	prints_as("<?xml version='1.0'?><a/>", "<?xml version=\"1.0\"?>\n<a/>\n");
	prints_as("<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\n<a/>",
		"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<a/>\n");
}

static void other_encodings_become_utf8(void **state)
{
	static const char utf16[] = "\xff\xfe<\0a\0>\0\xe4\0<\0/\0a\0>\0";
	fit_autodoc xmlDoc *doc = fit_xml_parse(utf16, sizeof(utf16) - 1, "test.xml", NULL);
	fit_autofree char *printed = NULL;

	(void)state;
	prints_as("<?xml version='1.0' encoding='ISO-8859-1'?><a b='\xe4'>\xe4</a>",
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<a b=\"\xc3\xa4\">\xc3\xa4</a>\n");
	prints_as("<a>\xc3\xa4&#228;\xf0\x9f\x98\x80</a>",
		"<a>\xc3\xa4\xc3\xa4\xf0\x9f\x98\x80</a>\n");
	assert_non_null(doc);
	printed = fit_xml_print(doc);
	assert_string_equal(printed, "<a>\xc3\xa4</a>\n");
}

static void white_space_and_foreign_content_stay(void **state)
{
	static const char text[] =
		"<!-- before -->\n"
		"<a xmlns:q=\"urn:q\">\n\t <b q:c=\"&lt;&#10;&#9;&amp;&quot;'\"/>\n\n"
		"<![CDATA[ <raw> & ]]> text &lt; &amp;<?instruction x?><q:d/>  </a>\n"
		"<!-- after -->\n";

	(void)state;
	prints_as(text, text);
}

static void print_once_and_again(const char *name, const char *text, size_t length)
{
	fit_autodoc xmlDoc *doc = fit_test_parse(text);
	fit_autofree char *once = fit_xml_print(doc);
	fit_autodoc xmlDoc *again = fit_test_parse(once);
	fit_autofree char *twice = fit_xml_print(again);

	(void)name;
	(void)length;
	assert_string_equal(once, twice);
	assert_true(fit_xml_equivalent(xmlDocGetRootElement(doc), xmlDocGetRootElement(again)));
}

static void what_was_printed_is_printed_the_same_again(void **state)
{
	(void)state;
	for_each_synthetic_domain(print_once_and_again);
	for_each_corpus_domain(print_once_and_again);
}

static void malformed_documents_are_refused_with_their_line(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} bad[] = {
		{"", "test.xml: empty"},
		{" \n", "test.xml:"},
		{"hello", "test.xml:1: "},
		{"<a>\n<b>\n</a>", "test.xml:3: Opening and ending tag mismatch"},
		{"<a/><b/>", "test.xml:1: Extra content"},
		{"<a b='1' b='2'/>", "test.xml:1: Attribute b redefined"},
		{"<a>\n&unknown;</a>", "test.xml:2: Entity 'unknown' not defined"},
		{"<a>\xff</a>", "test.xml:1: "},
		{"<a>\n\x01</a>", "test.xml:2: "},
		{"<q:a/>", "test.xml:1: Namespace prefix q"},
		{"<?xml version='1.0' encoding='nonsense'?><a/>", "test.xml:1: Unsupported"},
		{"<?xml version='1.0' encoding='EUC-JP'?><a>\xff\xff\x8f\x01</a>", "test.xml:"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++)
		refuse(bad[i].text, strlen(bad[i].text), bad[i].why);
	refuse("<a>\0</a>", 8, "test.xml:1: ");
}

static void a_dtd_is_refused_before_it_is_read(void **state)
{
	static const char *const bad[] = {
		"<!DOCTYPE a><a/>",
		"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
		"<!DOCTYPE a PUBLIC '-//x' 'http://127.0.0.1:1/x'><a/>",
		"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
		"<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><a/>",
		"<!DOCTYPE a [<!ENTITY a0 'ha'><!ENTITY a1 '&a0;&a0;&a0;&a0;&a0;&a0;&a0;&a0;'>"
		"<!ENTITY a2 '&a1;&a1;&a1;&a1;&a1;&a1;&a1;&a1;'>]><a b='&a2;'>&a2;</a>",
		"<!DOCTYPE a [<!ATTLIST a b CDATA 'x'> this is not even well-formed",
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++)
		refuse(bad[i], strlen(bad[i]), "test.xml:1: a document type declaration");
}

static char *repeat(const char *text, size_t count)
{
	struct fit_buffer out = {0};

	while (count--)
		fit_buffer_add(&out, text);
	return fit_buffer_steal(&out);
}

static void huge_and_deep_documents_are_refused(void **state)
{
	fit_autofree char *deep = repeat("<a>", 1000000);
	fit_autofree char *huge = repeat("<a/>", FIT_XML_SIZE_MAX / 4 + 1);

	(void)state;
	refuse(deep, strlen(deep), "depth");
	refuse(huge, strlen(huge), "the limit is 16 MiB");
}

static void equivalence_ignores_layout_and_order_only(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		bool same;
	} cases[] = {
		{"<a b='1' c='2'><d/><e>x</e></a>", "<a c='2' b='1'>\n<!-- -->\n<e> x </e><d/></a>",
			true},
		{"<a><b/><b/></a>", "<a><b/></a>", false},
		{"<a><b/><b/><c/></a>", "<a><b/><c/><c/></a>", false},
		{"<a><b c='1'/><b/></a>", "<a><b/><b c='1'/></a>", true},
		{"<a b='1'/>", "<a b='2'/>", false},
		{"<a b='1'/>", "<a/>", false},
		{"<a>x</a>", "<a>y</a>", false},
		{"<a><![CDATA[x]]></a>", "<a>x</a>", true},
		{"<a xmlns='urn:1'/>", "<a/>", false},
		{"<p:a xmlns:p='urn:1'/>", "<q:a xmlns:q='urn:1'/>", true},
		{"<a xmlns:p='urn:1' p:b='1'/>", "<a b='1'/>", false},
		{"<a b='v1:c'/>", "<a><b>v1:c</b></a>", false},
		{"<a b='c'/>", "<a bc=''/>", false},
		{"<a b='c' d=''/>", "<a b='' c='d'/>", false},
		{"<a b='' c=''/>", "<a c='' b=''/>", true},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autodoc xmlDoc *a = fit_test_parse(cases[i].a);
		fit_autodoc xmlDoc *b = fit_test_parse(cases[i].b);

		if (fit_xml_equivalent(xmlDocGetRootElement(a), xmlDocGetRootElement(b)) !=
			cases[i].same)
			fail_msg("%s and %s", cases[i].a, cases[i].b);
	}
}

static void elements_of_foreign_namespaces_are_not_found_by_name(void **state)
{
	fit_autodoc xmlDoc *doc =
		fit_test_parse("<a xmlns:q='urn:q'><q:b/>\n<b> 1 <c/></b><q:b/><b c='2'/></a>");
	xmlNode *root = xmlDocGetRootElement(doc);
	xmlNode *first = fit_xml_child(root, "b");
	fit_autofree char *text = fit_xml_text(first);
	fit_autofree char *attribute = fit_xml_attr(fit_xml_next(first, NULL), "c");

	(void)state;
	assert_string_equal(text, "1");
	assert_string_equal(attribute, "2");
	assert_int_equal(fit_xml_line(first), 2);
	assert_true(fit_xml_is_in(root->children, "urn:q", "b"));
	assert_null(fit_xml_next(fit_xml_next(first, "b"), "b"));
	assert_ptr_equal(fit_xml_find(root, "b/c"), fit_xml_child(first, "c"));
	assert_null(fit_xml_find(root, "b/c/d"));
	assert_null(fit_xml_attr(first, "c"));
}

/* Random damage to documents: parsed or refused, never a crash. */
static void damage(const char *name, const char *text, size_t length)
{
	(void)name;
	for (int round = 0; round < 60; round++) {
		fit_autofree char *copy = fit_xstrndup(text, length);
		fit_autodoc xmlDoc *doc = NULL;
		struct fit_err err = FIT_ERR_INIT;

		for (int i = 0; i < 3; i++)
			copy[(size_t)rand() % length] = "<>&'\"/!?[x\xff\x01 ="[rand() % 15];
		doc = fit_xml_parse(copy, length, "test.xml", &err);
		if (doc) {
			fit_autofree char *printed = fit_xml_print(doc);

			fit_xml_free_doc(&doc);
			doc = fit_test_parse(printed);
		} else {
			assert_int_equal(err.code, FIT_ERR_INVALID);
		}
	}
}

static void damaged_documents_are_parsed_or_refused(void **state)
{
	(void)state;
	srand(1);
	for_each_synthetic_domain(damage);
	for_each_corpus_domain(damage);
}

static void addresses_are_four_numbers_of_which_any_may_be_absent(void **state)
{
	static const struct {
		const char *attributes, *expected, *fault;
	} cases[] = {
		{"", "0000:00:00.0", NULL},
		{"domain='0x10000' bus='0xe1' slot='0x1f' function='0x7'", "10000:e1:1f.7", NULL},
		{"bus='10' function='07'", "0000:0a:00.7", NULL},
		{"domain='0x100000000'", NULL, "domain"},
		{"domain='-1'", NULL, "domain"},
		{"bus='0x100'", NULL, "bus"},
		{"bus='41:00'", NULL, "bus"},
		{"bus='1' slot='32'", NULL, "slot"},
		{"bus='1' slot='31' function='8'", NULL, "function"},
		{"function=''", NULL, "function"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *xml = fit_xasprintf("<address %s/>", cases[i].attributes);
		fit_autodoc xmlDoc *doc = fit_test_parse(xml);
		const xmlNode *node = xmlDocGetRootElement(doc);
		struct fit_pciaddr addr = {.bus = 0x42};
		const char *fault = NULL;

		assert_int_equal(fit_xml_pciaddr(node, &addr, &fault), !cases[i].fault);
		assert_int_equal(fit_xml_pciaddr(node, &addr, NULL), !cases[i].fault);
		if (cases[i].fault)
			assert_string_equal(fault, cases[i].fault);
		assert_string_equal(
			FIT_PCIADDR_STR(addr), cases[i].fault ? "0000:42:00.0" : cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_declaration_is_printed_only_if_there_was_one),
		cmocka_unit_test(other_encodings_become_utf8),
		cmocka_unit_test(white_space_and_foreign_content_stay),
		cmocka_unit_test(what_was_printed_is_printed_the_same_again),
		cmocka_unit_test(malformed_documents_are_refused_with_their_line),
		cmocka_unit_test(a_dtd_is_refused_before_it_is_read),
		cmocka_unit_test(huge_and_deep_documents_are_refused),
		cmocka_unit_test(equivalence_ignores_layout_and_order_only),
		cmocka_unit_test(elements_of_foreign_namespaces_are_not_found_by_name),
		cmocka_unit_test(damaged_documents_are_parsed_or_refused),
		cmocka_unit_test(addresses_are_four_numbers_of_which_any_may_be_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
