/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variations of a definition: how it is laid out, and what a careless hand does to it. Names of
 * elements stay, so most results are still definitions. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/xml.h"
#include "draw.h"

#define NODES_MAX 4096

struct nodes {
	xmlNode *items[NODES_MAX];
	unsigned int count;
};

static void collect(struct nodes *nodes, xmlNode *node)
{
	for (; node && nodes->count < NODES_MAX; node = node->next)
		if (node->type == XML_ELEMENT_NODE) {
			nodes->items[nodes->count++] = node;
			collect(nodes, node->children);
		}
}

/* Any element below the root, or NULL. */
static xmlNode *any_element(xmlDoc *doc)
{
	struct nodes nodes = {.count = 0};

	collect(&nodes, xmlDocGetRootElement(doc)->children);
	return nodes.count ? nodes.items[fit_draw(nodes.count)] : NULL;
}

static xmlAttr *any_attribute(const xmlNode *node)
{
	unsigned int count = 0;
	xmlAttr *attr;

	for (attr = node->properties; attr; attr = attr->next)
		count++;
	count = fit_draw(count);
	for (attr = node->properties; attr && count > 0; attr = attr->next)
		count--;
	return attr;
}

static void drop_blanks(xmlNode *node)
{
	xmlNode *next;

	for (; node; node = next) {
		next = node->next;
		if (xmlIsBlankNode(node)) {
			xmlUnlinkNode(node);
			xmlFreeNode(node);
		} else if (node->type == XML_ELEMENT_NODE) {
			drop_blanks(node->children);
		}
	}
}

static bool has_text(const xmlNode *node)
{
	for (const xmlNode *child = node->children; child; child = child->next)
		if (child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE)
			return true;
	return false;
}

static xmlNode *new_space(const xmlNode *node, const char *unit, int depth, bool odd)
{
	fit_autofree char *text = fit_xstrdup("\n");

	for (int i = 0; i < depth; i++) {
		char *longer = fit_xasprintf("%s%s", text, unit);

		free(text);
		text = longer;
	}
	if (odd && fit_chance(15)) {
		free(text);
		text = fit_xstrdup(fit_draw_from(
			((const char *const[]){"\n\n", " ", "\n \t ", "\n      ", "\t"})));
	}
	return xmlNewDocText(node->doc, (const xmlChar *)text);
}

static void indent(xmlNode *node, const char *unit, int depth, bool odd)
{
	if (!node->children || has_text(node))
		return;
	for (xmlNode *child = node->children; child; child = child->next) {
		if (!odd || fit_chance(90))
			xmlAddPrevSibling(child, new_space(node, unit, depth + 1, odd));
		if (child->type == XML_ELEMENT_NODE)
			indent(child, unit, depth + 1, odd);
	}
	if (!odd || fit_chance(90))
		xmlAddNextSibling(node->last, new_space(node, unit, depth, odd));
}

static void lay_out(xmlDoc *doc)
{
	static const char *const units[] = {"  ", "  ", "  ", "\t", "    ", ""};
	xmlNode *root = xmlDocGetRootElement(doc);

	drop_blanks(root->children);
	if (fit_chance(85))
		indent(root, fit_draw_from(units), 0, fit_chance(30));
}

static void add_comment(xmlDoc *doc, xmlNode *node)
{
	xmlNode *comment = xmlNewDocComment(doc, (const xmlChar *)" note & <b> ");

	if (fit_chance(50))
		xmlAddPrevSibling(node, comment);
	else
		xmlAddChild(node, comment);
}

static void add_instruction(xmlDoc *doc, xmlNode *node)
{
	xmlAddNextSibling(
		node, xmlNewDocPI(doc, (const xmlChar *)"tool", (const xmlChar *)"a='1'"));
}

static void add_foreign(xmlDoc *doc, xmlNode *node)
{
	xmlNode *foreign = xmlNewDocNode(doc, NULL, (const xmlChar *)"mark", NULL);

	xmlSetNs(foreign, xmlNewNs(foreign, (const xmlChar *)"urn:f", (const xmlChar *)"f"));
	if (fit_chance(50))
		xmlAddNextSibling(node, foreign);
	else
		xmlAddChild(node, foreign);
}

static void add_foreign_attribute(FIT_UNUSED xmlDoc *doc, xmlNode *node)
{
	xmlNs *ns = xmlSearchNsByHref(node->doc, node, (const xmlChar *)"urn:g");

	if (!ns)
		ns = xmlNewNs(node, (const xmlChar *)"urn:g", (const xmlChar *)"g");
	if (ns)
		xmlSetNsProp(node, ns, (const xmlChar *)"note", (const xmlChar *)"\"\n'");
}

static void add_unknown(xmlDoc *doc, xmlNode *node)
{
	xmlAddNextSibling(node,
		xmlNewDocNode(doc, NULL, (const xmlChar *)"unheard-of", (const xmlChar *)"x"));
}

static void use_cdata(xmlDoc *doc, xmlNode *node)
{
	xmlNode *text = node->children;

	if (!text || text->next || text->type != XML_TEXT_NODE)
		return;
	xmlReplaceNode(
		text, xmlNewCDataBlock(doc, text->content, (int)strlen((char *)text->content)));
	xmlFreeNode(text);
}

static void surround(FIT_UNUSED xmlDoc *doc, xmlNode *node)
{
	xmlNode *text = node->children;
	fit_autofree char *spaced = NULL;

	if (!text || text->next || text->type != XML_TEXT_NODE)
		return;
	spaced = fit_xasprintf("\n %s\t", (const char *)text->content);
	xmlFree(text->content);
	text->content = xmlStrdup((const xmlChar *)spaced);
}

static void swap_with_next(FIT_UNUSED xmlDoc *doc, xmlNode *node)
{
	xmlNode *next = fit_xml_next(node, NULL);

	if (next) {
		xmlUnlinkNode(node);
		xmlAddNextSibling(next, node);
	}
}

static void reverse_attributes(FIT_UNUSED xmlDoc *doc, xmlNode *node)
{
	xmlAttr *first = node->properties;

	if (first && first->next) {
		xmlUnlinkNode((xmlNode *)first);
		xmlAddChild(node, (xmlNode *)first);
	}
}

static void drop_element(FIT_UNUSED xmlDoc *doc, xmlNode *node)
{
	xmlUnlinkNode(node);
	xmlFreeNode(node);
}

static void repeat_element(FIT_UNUSED xmlDoc *doc, xmlNode *node)
{
	xmlAddNextSibling(node, xmlCopyNode(node, 1));
}

static void move_element(xmlDoc *doc, xmlNode *node)
{
	xmlNode *to = any_element(doc);
	const xmlNode *up = to;

	while (up && up != node)
		up = up->parent;
	if (to && !up) {
		xmlUnlinkNode(node);
		xmlAddNextSibling(to, node);
	}
}

static void drop_attribute(FIT_UNUSED xmlDoc *doc, xmlNode *node)
{
	xmlAttr *attr = any_attribute(node);

	if (attr)
		xmlRemoveProp(attr);
}

static const char *const odd_values[] = {"0", "1", "2", "3", "7", "-1", "", " ", "0x1", "512",
	"300", "99999999999999999999", "yes", "no", "on", "off", "none", "virtio", "scsi", "0-3",
	"^1", "1,1", "vda", "native", "threads", "strict", "hostdev", "ua-virt-fit-vf0",
	"0000:41:00.0", "host-passthrough", "pci", "'", "\"", "ä"};

static void set_attribute(FIT_UNUSED xmlDoc *doc, xmlNode *node)
{
	xmlAttr *attr = any_attribute(node);

	if (attr)
		xmlSetNsProp(
			node, attr->ns, attr->name, (const xmlChar *)fit_draw_from(odd_values));
}

static void set_text(FIT_UNUSED xmlDoc *doc, xmlNode *node)
{
	if (node->children && !node->children->next && node->children->type == XML_TEXT_NODE)
		xmlNodeSetContent(node, (const xmlChar *)fit_draw_from(odd_values));
}

typedef void (*change)(xmlDoc *doc, xmlNode *node);

/* What changes nothing for libvirt. */
static const change harmless[] = {add_comment, add_comment, add_instruction, add_foreign,
	add_foreign_attribute, add_unknown, use_cdata, surround, swap_with_next,
	reverse_attributes};

static const change harmful[] = {drop_element, drop_element, repeat_element, move_element,
	drop_attribute, set_attribute, set_attribute, set_text};

static void change_some(xmlDoc *doc, const change *changes, unsigned int kinds, unsigned int times)
{
	for (; times > 0; times--) {
		xmlNode *node = any_element(doc);

		if (node)
			changes[fit_draw(kinds)](doc, node);
	}
}

void fit_fuzz_edit_elsewhere(xmlDoc *doc)
{
	change_some(doc, harmless, FIT_ARRAY_SIZE(harmless), 1 + fit_draw(2));
}

char *fit_fuzz_vary(const char *text)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(text, strlen(text), "varied", NULL);

	if (!doc)
		return fit_xstrdup(text);
	if (fit_chance(80))
		lay_out(doc);
	if (fit_chance(50))
		change_some(doc, harmless, FIT_ARRAY_SIZE(harmless), fit_draw(6));
	if (fit_chance(35))
		change_some(doc, harmful, FIT_ARRAY_SIZE(harmful), 1 + fit_draw(3));
	return fit_xml_print(doc);
}
