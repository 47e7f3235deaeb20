/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/request_edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/memory.h"
#include "core/xml.h"

/* The white space that indents @node, "" when the document is not indented. To be freed. */
static char *indent_of(const xmlNode *node)
{
	const xmlNode *before = node ? node->prev : NULL;

	return fit_xstrdup(before && xmlIsBlankNode(before) ? (const char *)before->content : "");
}

static void remove_indented(xmlNode *node)
{
	xmlNode *before = node->prev;

	if (before && xmlIsBlankNode(before)) {
		xmlUnlinkNode(before);
		xmlFreeNode(before);
	}
	xmlUnlinkNode(node);
	xmlFreeNode(node);
}

static bool holds_nothing(const xmlNode *node)
{
	for (const xmlNode *child = node->children; child; child = child->next)
		if (!xmlIsBlankNode(child))
			return false;
	return true;
}

/* Puts @node behind @before (first in @parent when NULL) on a line of its own. The indentation
 * goes in last: libxml2 merges text nodes that become neighbours. */
static void insert_indented(xmlNode *parent, xmlNode *before, xmlNode *node, const char *indent)
{
	if (before)
		xmlAddNextSibling(before, node);
	else if (parent->children)
		xmlAddPrevSibling(parent->children, node);
	else
		xmlAddChild(parent, node);
	if (indent[0])
		xmlAddPrevSibling(node, xmlNewDocText(parent->doc, (const xmlChar *)indent));
}

/* Where libvirt prints it: behind what names and describes the domain. */
static xmlNode *make_metadata(xmlNode *root)
{
	static const char *const before[] = {"description", "title", "genid", "uuid", "name"};
	xmlNode *anchor = NULL;
	xmlNode *metadata = xmlNewDocNode(root->doc, NULL, (const xmlChar *)"metadata", NULL);
	fit_autofree char *indent = NULL;

	for (size_t i = 0; !anchor && i < FIT_ARRAY_SIZE(before); i++)
		anchor = fit_xml_child(root, before[i]);
	indent = indent_of(anchor);
	insert_indented(root, anchor, metadata, indent);
	if (indent[0])
		xmlAddChild(metadata, xmlNewDocText(root->doc, (const xmlChar *)indent));
	return metadata;
}

static void take_out(xmlNode *metadata)
{
	xmlNode *next;

	for (xmlNode *node = metadata->children; node; node = next) {
		next = node->next;
		if (fit_xml_is_in(node, FIT_REQUEST_NAMESPACE, "domain"))
			remove_indented(node);
	}
}

static int put_in(
	xmlNode *metadata, const struct fit_request *request, const char *name, struct fit_err *err)
{
	fit_autofree char *text = fit_request_print(request);
	fit_autodoc xmlDoc *doc = fit_xml_parse(text, strlen(text), name, err);
	fit_autofree char *outer = indent_of(metadata);
	fit_autofree char *indent = outer[0] ? fit_xasprintf("%s  ", outer) : fit_xstrdup("");
	xmlNode *last = metadata->last;

	if (!doc)
		return -1;
	while (last && xmlIsBlankNode(last))
		last = last->prev;
	insert_indented(metadata, last, xmlDocCopyNode(xmlDocGetRootElement(doc), metadata->doc, 1),
		indent);
	return 0;
}

int fit_request_put(const char *xml, size_t length, const char *name,
	const struct fit_request *request, char **ret_xml, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, length, name, err);
	xmlNode *root;
	xmlNode *metadata;

	if (!doc)
		return -1;
	root = xmlDocGetRootElement(doc);
	if (!fit_xml_is(root, "domain"))
		return fit_err_set(err, FIT_ERR_INVALID,
			"%s is no domain: its root element is <%s>", name, root->name);
	metadata = fit_xml_child(root, "metadata");
	if (metadata)
		take_out(metadata);
	if (request && put_in(metadata ? metadata : make_metadata(root), request, name, err) < 0)
		return -1;
	if (!request && metadata && holds_nothing(metadata))
		remove_indented(metadata);
	*ret_xml = fit_xml_print(doc);
	return 0;
}
