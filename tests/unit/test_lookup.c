/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lookup finds what a search without memory finds, whatever changes in between. */
#include "support.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "core/lookup.h"
#include "core/xml.h"
#include "support_domain.h"

#define ROW 24 /* long enough for a table */

static unsigned int pick(unsigned int count)
{
	return (unsigned int)rand() % count;
}

/* Two rows with identities of their own, of a child, and of a child's child; some are there twice.
 */
static xmlDoc *make_document(void)
{
	struct fit_buffer text = {0};
	fit_autofree char *xml = NULL;

	fit_buffer_add(&text, "<d><a>");
	for (unsigned int i = 0; i < ROW; i++)
		fit_buffer_addf(&text, "<x k='%u'><t><u v='%u'/></t></x>", pick(ROW), pick(ROW));
	fit_buffer_add(&text, "</a><b>");
	for (unsigned int i = 0; i < ROW; i++)
		fit_buffer_addf(&text, "<x k='%u'/><y k='%u'/>", pick(ROW), pick(ROW));
	fit_buffer_add(&text, "</b></d>");
	xml = fit_buffer_steal(&text);
	return fit_test_parse(xml);
}

static xmlNode *random_child(xmlNode *parent)
{
	xmlNode *node = fit_xml_child(parent, NULL);

	for (unsigned int i = pick(2 * ROW); i > 0 && fit_xml_next(node, NULL); i--)
		node = fit_xml_next(node, NULL);
	return node;
}

static xmlNode *new_child(xmlDoc *doc)
{
	xmlNode *node = xmlNewDocNode(doc, NULL, (const xmlChar *)(pick(4) ? "x" : "y"), NULL);
	xmlNode *holder = xmlNewChild(node, NULL, (const xmlChar *)"t", NULL);
	fit_autofree char *key = fit_xasprintf("%u", pick(ROW));

	xmlNewProp(node, (const xmlChar *)"k", (const xmlChar *)key);
	xmlNewProp(xmlNewChild(holder, NULL, (const xmlChar *)"u", NULL), (const xmlChar *)"v",
		(const xmlChar *)key);
	return node;
}

static void set_attribute(struct fit_lookup *lookup, xmlNode *node, const char *name)
{
	fit_autofree char *value = fit_xasprintf("%u", pick(ROW));

	if (!node)
		return;
	fit_lookup_attribute_changed(lookup, name);
	xmlSetProp(node, (const xmlChar *)name, (const xmlChar *)value);
}

static void remove_node(struct fit_lookup *lookup, xmlNode *node)
{
	if (!node)
		return;
	fit_lookup_element_removed(lookup, node);
	xmlUnlinkNode(node);
	xmlFreeNode(node);
}

static void change(struct fit_lookup *lookup, xmlDoc *doc)
{
	xmlNode *root = xmlDocGetRootElement(doc);
	xmlNode *parent = fit_xml_child(root, pick(2) ? "a" : "b");
	xmlNode *node = random_child(parent);
	xmlNode *fresh;

	switch (pick(8)) {
	case 0:
		set_attribute(lookup, node, "k");
		break;
	case 1:
		set_attribute(lookup, fit_xml_find(node, "t/u"), "v");
		break;
	case 2:
		remove_node(lookup, fit_xml_find(node, pick(2) ? "t/u" : "t"));
		break;
	case 3:
		remove_node(lookup, node);
		break;
	case 4:
		fresh = xmlNewChild(fit_xml_child(node, "t") ? fit_xml_child(node, "t") : node,
			NULL, (const xmlChar *)"u", NULL);
		xmlNewProp(fresh, (const xmlChar *)"v", (const xmlChar *)"3");
		fit_lookup_element_added(lookup, fresh);
		break;
	case 5: /* one in its place */
		fresh = new_child(doc);
		fit_lookup_element_removed(lookup, node);
		xmlReplaceNode(node, fresh);
		fit_lookup_element_added(lookup, fresh);
		xmlFreeNode(node);
		break;
	default:
		fresh = new_child(doc);
		if (pick(2))
			xmlAddNextSibling(node, fresh);
		else
			xmlAddChild(parent, fresh);
		fit_lookup_element_added(lookup, fresh);
	}
}

/* The first two that match, by a search of its own. */
static void expect_as_without(struct fit_lookup *lookup, const char *text, const xmlNode *parent)
{
	fit_autopath struct fit_path path = {0};
	struct fit_err err = FIT_ERR_INIT;
	xmlNode *first = NULL, *second = NULL, *other;

	if (fit_path_parse(text, &path, &err) < 0)
		fail_msg("%s", err.message);
	fit_xml_for_each (node, parent, path.steps[0].name) {
		if (!fit_path_step_matches(&path.steps[0], node))
			continue;
		second = first && !second ? node : second;
		first = first ? first : node;
	}
	if (pick(2)) {
		assert_ptr_equal(fit_lookup_step(lookup, &path.steps[0], parent, NULL), first);
		return;
	}
	assert_ptr_equal(fit_lookup_step(lookup, &path.steps[0], parent, &other), first);
	assert_ptr_equal(other, second);
}

static void it_finds_what_is_there(void **state)
{
	static const char *const steps[][2] = {{"x[@k='", "']"}, {"x[t/u/@v='", "']"},
		{"x[t/u/@v='", "'][@k='1']"}, {"y[@k='", "']"}, {"x[@k='", "'][t/u/@v='2']"},
		{"x[@k='0", "']"}};

	(void)state;
	srand(1);
	for (int round = 0; round < 200; round++) {
		fit_autodoc xmlDoc *doc = make_document();
		fit_autolookup struct fit_lookup lookup = {0};
		const char *const *step = steps[0];

		for (int i = 0; i < 60; i++) {
			fit_autofree char *text = NULL;

			if (pick(6) == 0)
				step = steps[pick(FIT_ARRAY_SIZE(steps))];
			text = fit_xasprintf("%s%u%s", step[0], pick(ROW), step[1]);
			if (pick(3) == 0)
				change(&lookup, doc);
			expect_as_without(&lookup, text,
				fit_xml_child(xmlDocGetRootElement(doc), pick(8) ? "a" : "b"));
		}
	}
}

static xmlNode *find(struct fit_lookup *lookup, const char *text, const xmlNode *parent)
{
	fit_autopath struct fit_path path = {0};

	assert_int_equal(fit_path_parse(text, &path, NULL), 0);
	return fit_lookup_step(lookup, &path.steps[0], parent, NULL);
}

/* Of two with the same identity the first of the row is found, also when one was there before it.
 */
static void what_comes_last_is_not_found_first(void **state)
{
	fit_autolookup struct fit_lookup lookup = {0};
	struct fit_buffer text = {0};
	fit_autofree char *xml = NULL;
	fit_autodoc xmlDoc *doc = NULL;
	xmlNode *root, *first, *second, *last;

	(void)state;
	fit_buffer_add(&text, "<d><x k='5'/><x k='5'/>");
	for (unsigned int i = 0; i < ROW; i++)
		fit_buffer_add(&text, "<x k='1'/>");
	fit_buffer_add(&text, "</d>");
	xml = fit_buffer_steal(&text);
	doc = fit_test_parse(xml);
	root = xmlDocGetRootElement(doc);
	second = fit_xml_next(root->children, "x");
	/* Through all of the row, twice. */
	assert_null(find(&lookup, "x[@k='7']", root));
	assert_null(find(&lookup, "x[@k='7']", root));
	assert_true(lookup.has_table);
	assert_ptr_equal(find(&lookup, "x[@k='5']", root), root->children);
	first = root->children;
	fit_lookup_element_removed(&lookup, first);
	xmlUnlinkNode(first);
	assert_ptr_equal(find(&lookup, "x[@k='5']", root), second);
	last = xmlNewChild(root, NULL, (const xmlChar *)"x", NULL);
	xmlNewProp(last, (const xmlChar *)"k", (const xmlChar *)"5");
	fit_lookup_element_added(&lookup, last);
	assert_ptr_equal(find(&lookup, "x[@k='5']", root), second);
	xmlFreeNode(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_finds_what_is_there),
		cmocka_unit_test(what_comes_last_is_not_found_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
