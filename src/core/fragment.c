/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fragment is parsed as the content of a wrapper element that declares the namespaces in scope,
 * by the same parser as documents; then its nodes change over to the document. Nearly all are one
 * empty element with plain attributes, such as the pin of each vCPU: those are read here, as to set
 * up a parser takes far longer than that.
 */
#include "core/fragment.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
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

/* Those that @text may use. */
static void add_namespaces(struct fit_buffer *out, xmlNode *scope, const char *text)
{
	xmlNs **list = xmlGetNsList(scope->doc, scope);

	for (size_t i = 0; list && list[i]; i++) {
		const char *prefix = (const char *)list[i]->prefix;
		fit_autofree char *uri = NULL;

		if (prefix && !strstr(text, prefix))
			continue;
		uri = escape((const char *)list[i]->href);
		if (prefix)
			fit_buffer_addf(out, " xmlns:%s=\"%s\"", prefix, uri);
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
	add_namespaces(&wrapped, scope, text);
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

static xmlNode *parse_element(
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

#define NAME_MAX_LENGTH	 32
#define VALUE_MAX_LENGTH 256

/* Takes a name of letters. False: it is none, or too long to be one of libvirt's. */
static bool take_name(const char **text, char name[NAME_MAX_LENGTH])
{
	size_t length = strspn(*text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

	if (length == 0 || length >= NAME_MAX_LENGTH)
		return false;
	memcpy(name, *text, length);
	name[length] = '\0';
	*text += length;
	return true;
}

/* Takes a value in quotes of either kind that means what it says: printable ASCII without escapes.
 */
static bool take_value(const char **text, char value[VALUE_MAX_LENGTH])
{
	char quote = **text;
	size_t length = 0;

	if (quote != '\'' && quote != '"')
		return false;
	for (const char *p = ++*text; *p != quote; p++) {
		if (*p < ' ' || *p > '~' || *p == '<' || *p == '&' ||
			length + 1 == VALUE_MAX_LENGTH)
			return false;
		value[length++] = *p;
	}
	value[length] = '\0';
	*text += length + 1;
	return true;
}

static bool take_attributes(xmlNode *node, const char **text)
{
	char name[NAME_MAX_LENGTH], value[VALUE_MAX_LENGTH];

	while (**text == ' ') {
		*text += strspn(*text, " ");
		if (**text == '/')
			break;
		if (!take_name(text, name) || *(*text)++ != '=' || !take_value(text, value) ||
			fit_streq(name, "xmlns") || xmlHasProp(node, (const xmlChar *)name))
			return false;
		xmlNewProp(node, (const xmlChar *)name, (const xmlChar *)value);
	}
	return fit_streq(*text, "/>");
}

/* One empty element without a namespace, and nothing that a parser would have to look at twice.
 * NULL: it may be well-formed all the same. */
static xmlNode *read_plain(xmlNode *scope, const char *text)
{
	char name[NAME_MAX_LENGTH];
	xmlNode *node;

	if (*text++ != '<' || !take_name(&text, name) || xmlSearchNs(scope->doc, scope, NULL))
		return NULL;
	node = xmlNewDocNode(scope->doc, NULL, (const xmlChar *)name, NULL);
	if (take_attributes(node, &text)) {
		/* As the parser has it. */
		node->line = 1;
		return node;
	}
	xmlFreeNode(node);
	return NULL;
}

xmlNode *fit_fragment_element(
	xmlNode *scope, const char *text, const char *name, struct fit_err *err)
{
	xmlNode *plain = read_plain(scope, text);

	return plain ? plain : parse_element(scope, text, name, err);
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
