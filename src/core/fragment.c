/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fragment is parsed as the content of a wrapper element that declares the namespaces in scope,
 * by the same parser as documents; then its nodes change over to the document.
 */
#include "core/fragment.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "core/xml.h"

static char *escape(const char *text)
{
	struct fit_buffer out = {0};

	for (const char *p = text; *p; p++) {
		if (*p == '&')
			fit_buffer_add(&out, "&amp;");
		else if (*p == '<')
			fit_buffer_add(&out, "&lt;");
		else if (*p == '"')
			fit_buffer_add(&out, "&quot;");
		else
			fit_buffer_add_bytes(&out, p, 1);
	}
	return fit_buffer_steal(&out);
}

static void add_namespaces(struct fit_buffer *out, xmlNode *scope)
{
	xmlNs **list = xmlGetNsList(scope->doc, scope);

	for (size_t i = 0; list && list[i]; i++) {
		fit_autofree char *uri = escape((const char *)list[i]->href);

		if (list[i]->prefix)
			fit_buffer_addf(
				out, " xmlns:%s=\"%s\"", (const char *)list[i]->prefix, uri);
		else
			fit_buffer_addf(out, " xmlns=\"%s\"", uri);
	}
	xmlFree(list);
}

static xmlDoc *parse_wrapped(
	xmlNode *scope, const char *text, const char *name, struct fit_err *err)
{
	fit_autobuffer struct fit_buffer wrapped = {0};

	fit_buffer_add(&wrapped, "<scope");
	add_namespaces(&wrapped, scope);
	fit_buffer_add(&wrapped, ">");
	fit_buffer_add(&wrapped, text);
	fit_buffer_add(&wrapped, "</scope>");
	return fit_xml_parse(wrapped.text, wrapped.length, name, err);
}

/* The namespace of the same prefix at @scope, for one that the wrapper declares or, as that of the
 * prefix "xml", its document owns. */
static xmlNs *adopt_namespace(xmlNs *ns, const xmlNode *wrapper, xmlNode *scope)
{
	for (const xmlNs *own = wrapper->nsDef; own; own = own->next)
		if (ns == own)
			return xmlSearchNs(scope->doc, scope, ns->prefix);
	for (const xmlNs *own = wrapper->doc->oldNs; own; own = own->next)
		if (ns == own)
			return xmlSearchNs(scope->doc, scope, ns->prefix);
	return ns;
}

static void adopt_namespaces(xmlNode *node, const xmlNode *wrapper, xmlNode *scope)
{
	node->ns = adopt_namespace(node->ns, wrapper, scope);
	for (xmlAttr *attr = node->properties; attr; attr = attr->next)
		attr->ns = adopt_namespace(attr->ns, wrapper, scope);
	for (xmlNode *child = node->children; child; child = child->next)
		if (child->type == XML_ELEMENT_NODE)
			adopt_namespaces(child, wrapper, scope);
}

xmlNode *fit_fragment_element(
	xmlNode *scope, const char *text, const char *name, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = parse_wrapped(scope, text, name, err);
	xmlNode *wrapper = doc ? xmlDocGetRootElement(doc) : NULL;
	xmlNode *node = wrapper ? wrapper->children : NULL;

	if (!doc)
		return NULL;
	if (!node || node->next || node->type != XML_ELEMENT_NODE) {
		fit_err_set(err, FIT_ERR_INVALID, "%s: '%.80s' is not one XML element", name, text);
		return NULL;
	}
	adopt_namespaces(node, wrapper, scope);
	xmlUnlinkNode(node);
	xmlSetTreeDoc(node, scope->doc);
	return node;
}

static xmlDoc *parse_content(
	xmlNode *scope, const char *text, const char *name, struct fit_err *err)
{
	xmlDoc *doc = parse_wrapped(scope, text, name, err);
	const xmlNode *wrapper = doc ? xmlDocGetRootElement(doc) : NULL;

	for (const xmlNode *node = wrapper ? wrapper->children : NULL; node; node = node->next)
		if (node->type == XML_ELEMENT_NODE) {
			fit_err_set(
				err, FIT_ERR_INVALID, "%s: '%.80s' is not plain text", name, text);
			xmlFreeDoc(doc);
			return NULL;
		}
	return doc;
}

int fit_fragment_check_content(
	xmlNode *scope, const char *text, const char *name, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = parse_content(scope, text, name, err);

	return doc ? 0 : -1;
}

int fit_fragment_set_content(
	xmlNode *element, const char *text, const char *name, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = parse_content(element, text, name, err);
	xmlNode *node;

	if (!doc)
		return -1;
	while (element->children) {
		node = element->children;
		xmlUnlinkNode(node);
		xmlFreeNode(node);
	}
	while ((node = xmlDocGetRootElement(doc)->children)) {
		xmlUnlinkNode(node);
		xmlAddChild(element, node);
	}
	return 0;
}

char *fit_fragment_content(const xmlNode *element)
{
	struct fit_buffer out = {0};

	for (xmlNode *node = element->children; node; node = node->next) {
		fit_autofree char *text = fit_xml_print_node(node);

		fit_buffer_add(&out, text);
	}
	return fit_buffer_steal(&out);
}
