/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fragments are what the parser of documents makes of them, whether they are plain enough to be
 * read without it or not.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "core/fragment.h"
#include "core/xml.h"

/* The element between the tags of @outer, as a parser of the whole has it; NULL: not well-formed,
 * or not one element. To be freed. */
static char *parsed(const char *outer, const char *text)
{
	fit_autofree char *whole = fit_xasprintf("%s%s</domain>", outer, text);
	fit_autodoc xmlDoc *doc = fit_xml_parse(whole, strlen(whole), "whole", NULL);
	xmlNode *node = doc ? xmlDocGetRootElement(doc)->children : NULL;

	return node && !node->next && node->type == XML_ELEMENT_NODE ? fit_xml_print_node(node)
								     : NULL;
}

static bool same_as_in_whole(const char *outer, const char *text, const xmlNode *root)
{
	fit_autofree char *whole = fit_xasprintf("%s%s</domain>", outer, text);
	fit_autodoc xmlDoc *doc = fit_xml_parse(whole, strlen(whole), "whole", NULL);

	return fit_xml_equivalent(xmlDocGetRootElement(doc), root);
}

static void expect_as_parsed(const char *outer, const char *text)
{
	fit_autofree char *whole = fit_xasprintf("%s</domain>", outer);
	fit_autodoc xmlDoc *doc = fit_xml_parse(whole, strlen(whole), "whole", NULL);
	xmlNode *root = xmlDocGetRootElement(doc);
	fit_autofree char *wanted = parsed(outer, text);
	struct fit_err err = FIT_ERR_INIT;
	xmlNode *node = fit_fragment_element(root, text, "test", &err);
	fit_autofree char *printed = NULL;

	if (node) {
		xmlAddChild(root, node);
		printed = fit_xml_print_node(node);
	}
	if (wanted && node && !same_as_in_whole(outer, text, root))
		fail_msg("'%s': of another namespace than in '%s'", text, outer);
	if (!wanted != !printed || (wanted && strcmp(wanted, printed) != 0))
		fail_msg("'%s': '%s' instead of '%s'", text, printed ? printed : err.message,
			wanted ? wanted : "a refusal");
}

static void random_fragments_are_what_the_parser_makes_of_them(void **state)
{
	static const char *const outers[] = {"<domain>", "<domain xmlns='urn:a'>",
		"<domain xmlns:q='urn:q' xmlns:unused='urn:u'>"};
	static const char *const pieces[] = {"<", "<a", "<vcpupin", " ", " ", "  ", "\n", "\t", "b",
		" b='1'", " cpuset=\"2-3,^4\"", " c='x>y'", " d='it\"s'", "='", "'", "\"", "/>",
		"/>", " />", "></a>", ">", "</vcpupin>", "&amp;", "&", " e='&lt;'", " f='\xc3\xa9'",
		"\xff", " xmlns='urn:b'", " xmlns:p='urn:p'", " q:g='1'", "<q:h", "<xmlns",
		" xmlns", "1", "-", "<!-- c -->", "=", " i =\"1\"", " j='\n'"};
	unsigned int seed = 1;

	(void)state;
	for (size_t i = 0; i < 30000; i++) {
		fit_autobuffer struct fit_buffer text = {0};
		int count = 1 + rand_r(&seed) % 6;

		/* Most begin as an element does. */
		fit_buffer_add(&text, rand_r(&seed) % 8 ? "<a" : "");
		while (count-- > 0)
			fit_buffer_add(
				&text, pieces[(size_t)rand_r(&seed) % FIT_ARRAY_SIZE(pieces)]);
		fit_buffer_add(&text, rand_r(&seed) % 4 ? "/>" : "");
		expect_as_parsed(outers[(size_t)rand_r(&seed) % FIT_ARRAY_SIZE(outers)], text.text);
	}
}

static void values_and_names_of_any_length_are_read(void **state)
{
	(void)state;
	for (size_t length = 1; length < 600; length++) {
		fit_autobuffer struct fit_buffer letters = {0};
		fit_autofree char *name = NULL;
		fit_autofree char *value = NULL;

		while (letters.length < length)
			fit_buffer_add(&letters, "x");
		name = fit_xasprintf("<%s %s='1'/>", letters.text, letters.text);
		value = fit_xasprintf("<a b='%s'/>", letters.text);
		expect_as_parsed("<domain>", name);
		expect_as_parsed("<domain>", value);
	}
}

static void values_without_quotes_are_refused(void **state)
{
	static const char *const texts[] = {
		"<a b=xcx/>", "<a b=1/>", "<a b=/>", "<a b='c\"/>", "<a b=\"c'/>", "<a b=/c//>"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(texts); i++) {
		assert_null(parsed("<domain>", texts[i]));
		expect_as_parsed("<domain>", texts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_fragments_are_what_the_parser_makes_of_them),
		cmocka_unit_test(values_and_names_of_any_length_are_read),
		cmocka_unit_test(values_without_quotes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
