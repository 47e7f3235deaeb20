/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parsing: a document type declaration is refused at its first byte (the SAX callback stops the
 * parser), so no entity is ever declared; libxml2 itself limits the depth to 256 elements, because
 * XML_PARSE_HUGE is never given. Names are not kept in a dictionary (XML_PARSE_NODICT): libxml2
 * 2.9 cannot move nodes between documents whose dictionaries differ.
 *
 * Printing: libxml2's serialiser without formatting. The XML declaration is written here, because
 * libxml2 either writes one for every document or writes non-ASCII text as character references.
 */
#include "core/xml.h"

#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlsave.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"

/* What went wrong first: libxml2 goes on to follow-up errors. */
struct parse_failure {
	char *message;
	int line;
};

#define PARSE_OPTIONS \
	(XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NODICT | \
		XML_PARSE_BIG_LINES)

/* The signature of the callback changed in libxml2 2.12 (const), hence the cast where it is set. */
static void note_error(void *data, xmlError *error)
{
	struct parse_failure *failure = data;
	fit_autofree char *text = NULL;

	if (failure->message || error->level < XML_ERR_ERROR)
		return;
	text = fit_xstrdup(error->message ? error->message : "unknown error");
	failure->message = fit_printable(fit_trim(text));
	failure->line = error->line;
}

static void refuse_dtd(void *data, const xmlChar *name FIT_UNUSED,
	const xmlChar *external_id FIT_UNUSED, const xmlChar *system_id FIT_UNUSED)
{
	xmlParserCtxt *context = data;
	struct parse_failure *failure = context->_private;

	if (!failure->message) {
		failure->message = fit_xstrdup("a document type declaration (<!DOCTYPE …>) is not "
					       "accepted: remove it");
		failure->line = context->input ? context->input->line : 0;
	}
	xmlStopParser(context);
}

static xmlDoc *parse(const char *text, size_t length, struct parse_failure *failure)
{
	/* Character set conversion reports through the thread's handler, not the context's. */
	xmlStructuredErrorFunc outer = xmlStructuredError;
	void *outer_data = xmlStructuredErrorContext;
	xmlParserCtxt *context = xmlNewParserCtxt();
	xmlDoc *doc;

	if (!context)
		abort();
	context->_private = failure;
	context->sax->internalSubset = refuse_dtd;
	xmlSetStructuredErrorFunc(failure, (xmlStructuredErrorFunc)note_error);
	doc = xmlCtxtReadMemory(context, text, (int)length, NULL, NULL, PARSE_OPTIONS);
	xmlSetStructuredErrorFunc(outer_data, outer);
	xmlFreeParserCtxt(context);
	if (doc && failure->message) {
		xmlFreeDoc(doc);
		return NULL;
	}
	return doc;
}

xmlDoc *fit_xml_parse(const char *text, size_t length, const char *name, struct fit_err *err)
{
	struct parse_failure failure = {0};
	fit_autofree char *message = NULL;
	xmlDoc *doc;

	if (length == 0) {
		fit_err_set(err, FIT_ERR_INVALID, "%s: empty, an XML document is wanted", name);
		return NULL;
	}
	if (length > FIT_XML_SIZE_MAX) {
		fit_err_set(err, FIT_ERR_INVALID, "%s: %zu bytes, the limit is %u MiB", name,
			length, FIT_XML_SIZE_MAX / (1024 * 1024));
		return NULL;
	}
	doc = parse(text, length, &failure);
	message = failure.message;
	if (doc)
		return doc;
	fit_err_set(err, FIT_ERR_INVALID, "%s:%d: %s", name, failure.line,
		message ? message : "not an XML document");
	return NULL;
}

static void add_declaration(struct fit_buffer *out, const xmlDoc *doc)
{
	/* libxml2: -1 no declaration, -2 a declaration that does not mention standalone. */
	if (doc->standalone == -1)
		return;
	fit_buffer_addf(out, "<?xml version=\"%s\"", (const char *)doc->version);
	if (doc->encoding)
		fit_buffer_add(out, " encoding=\"UTF-8\"");
	if (doc->standalone >= 0)
		fit_buffer_addf(out, " standalone=\"%s\"", doc->standalone ? "yes" : "no");
	fit_buffer_add(out, "?>\n");
}

static void add_tree(struct fit_buffer *out, xmlDoc *doc, xmlNode *node)
{
	xmlBuffer *buffer = xmlBufferCreate();
	xmlSaveCtxt *save = xmlSaveToBuffer(buffer, "UTF-8", XML_SAVE_NO_DECL | XML_SAVE_AS_XML);

	if (!buffer || !save)
		abort();
	if (node)
		xmlSaveTree(save, node);
	else
		xmlSaveDoc(save, doc);
	xmlSaveClose(save);
	fit_buffer_add_bytes(
		out, (const char *)xmlBufferContent(buffer), (size_t)xmlBufferLength(buffer));
	xmlBufferFree(buffer);
}

char *fit_xml_print(xmlDoc *doc)
{
	struct fit_buffer out = {0};

	add_declaration(&out, doc);
	add_tree(&out, doc, NULL);
	return fit_buffer_steal(&out);
}

char *fit_xml_print_node(xmlNode *node)
{
	struct fit_buffer out = {0};

	add_tree(&out, NULL, node);
	return fit_buffer_steal(&out);
}

bool fit_xml_is(const xmlNode *node, const char *name)
{
	return node && node->type == XML_ELEMENT_NODE && !node->ns &&
	       strcmp((const char *)node->name, name) == 0;
}

bool fit_xml_is_in(const xmlNode *node, const char *uri, const char *name)
{
	return node && node->type == XML_ELEMENT_NODE && node->ns && node->ns->href &&
	       strcmp((const char *)node->name, name) == 0 &&
	       strcmp((const char *)node->ns->href, uri) == 0;
}

static xmlNode *first_match(xmlNode *node, const char *name)
{
	for (; node; node = node->next)
		if (node->type == XML_ELEMENT_NODE && !node->ns &&
			(!name || strcmp((const char *)node->name, name) == 0))
			return node;
	return NULL;
}

xmlNode *fit_xml_child(const xmlNode *parent, const char *name)
{
	return parent ? first_match(parent->children, name) : NULL;
}

xmlNode *fit_xml_next(const xmlNode *node, const char *name)
{
	return first_match(node->next, name);
}

xmlNode *fit_xml_find(const xmlNode *node, const char *slash_path)
{
	fit_autostrlist struct fit_strlist steps = {0};
	xmlNode *found = NULL;

	fit_strlist_split(&steps, slash_path, "/");
	for (size_t i = 0; i < steps.count; i++) {
		found = fit_xml_child(i == 0 ? node : found, steps.items[i]);
		if (!found)
			return NULL;
	}
	return found;
}

static char *take(xmlChar *text)
{
	char *copy = text ? fit_xstrdup((const char *)text) : NULL;

	xmlFree(text);
	return copy;
}

/* What an attribute says. That is one piece of text: without a document type there are no entities
 * that a tree would refer to. */
static const char *value_of(const xmlAttr *attr)
{
	const xmlNode *text = attr->children;

	return text && text->content ? (const char *)text->content : "";
}

char *fit_xml_attr(const xmlNode *node, const char *name)
{
	if (!node || node->type != XML_ELEMENT_NODE)
		return NULL;
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
		if (!attr->ns && strcmp((const char *)attr->name, name) == 0)
			return fit_xstrdup(value_of(attr));
	return NULL;
}

char *fit_xml_text(const xmlNode *node)
{
	fit_autofree char *text = node ? take(xmlNodeGetContent(node)) : NULL;

	return text ? fit_xstrdup(fit_trim(text)) : NULL;
}

bool fit_xml_pciaddr(const xmlNode *node, struct fit_pciaddr *ret_addr, const char **ret_attribute)
{
	static const struct {
		const char *attribute;
		uint64_t max;
	} parts[] = {{"domain", UINT32_MAX}, {"bus", 0xff}, {"slot", 0x1f}, {"function", 7}};
	uint64_t values[FIT_ARRAY_SIZE(parts)] = {0};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(parts); i++) {
		fit_autofree char *text = fit_xml_attr(node, parts[i].attribute);

		if (!text || fit_parse_c_uint(text, parts[i].max, &values[i]))
			continue;
		if (ret_attribute)
			*ret_attribute = parts[i].attribute;
		return false;
	}
	*ret_addr = (struct fit_pciaddr){
		.domain = (uint32_t)values[0],
		.bus = (uint8_t)values[1],
		.slot = (uint8_t)values[2],
		.function = (uint8_t)values[3],
	};
	return true;
}

char *fit_xml_escape(const char *text)
{
	return take(xmlEncodeSpecialChars(NULL, (const xmlChar *)text));
}

unsigned int fit_xml_line(const xmlNode *node)
{
	long line = xmlGetLineNo(node);

	return line > 0 ? (unsigned int)line : 0;
}

/* Every part of a canonical form is preceded by its length, so no two trees share one. */
static void add_part(struct fit_buffer *out, char kind, const char *text)
{
	fit_buffer_addf(out, "%c%zu:", kind, strlen(text));
	fit_buffer_add(out, text);
}

static void add_name(struct fit_buffer *out, const xmlNs *ns, const xmlChar *name)
{
	add_part(out, 'u', ns && ns->href ? (const char *)ns->href : "");
	add_part(out, 'n', (const char *)name);
}

static void add_sorted(struct fit_buffer *out, char kind, struct fit_strlist *parts)
{
	fit_strlist_sort(parts);
	for (size_t i = 0; i < parts->count; i++)
		add_part(out, kind, parts->items[i]);
}

static void add_attributes(struct fit_buffer *out, const xmlNode *node)
{
	fit_autostrlist struct fit_strlist parts = {0};

	for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
		fit_autobuffer struct fit_buffer part = {0};
		const char *value = value_of(attr);

		add_name(&part, attr->ns, attr->name);
		add_part(&part, 'v', value);
		fit_strlist_add(&parts, part.text);
	}
	add_sorted(out, 'a', &parts);
}

static bool is_text(const xmlNode *node)
{
	return node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE;
}

/* The element with its attributes and children sorted; depth is bounded by the parser. */
static char *canonical(const xmlNode *node)
{
	fit_autostrlist struct fit_strlist children = {0};
	fit_autobuffer struct fit_buffer text = {0};
	struct fit_buffer out = {0};

	add_name(&out, node->ns, node->name);
	add_attributes(&out, node);
	for (const xmlNode *child = node->children; child; child = child->next) {
		if (child->type == XML_ELEMENT_NODE)
			*FIT_APPEND(children.items, children.count) = canonical(child);
		else if (is_text(child))
			fit_buffer_add(&text, (const char *)child->content);
	}
	add_part(&out, 't', text.text ? fit_trim(text.text) : "");
	add_sorted(&out, 'c', &children);
	return fit_buffer_steal(&out);
}

static size_t count_elements(const xmlNode *node)
{
	size_t count = 1;

	for (const xmlNode *child = node->children; child; child = child->next)
		if (child->type == XML_ELEMENT_NODE)
			count += count_elements(child);
	return count;
}

/* The text of the element itself, trimmed; NULL when it is white space. */
static char *own_text(const xmlNode *node)
{
	fit_autobuffer struct fit_buffer text = {0};

	for (const xmlNode *child = node->children; child; child = child->next)
		if (is_text(child) && !xmlIsBlankNode(child))
			fit_buffer_add(&text, (const char *)child->content);
	return text.text ? fit_xstrdup(fit_trim(text.text)) : NULL;
}

static const char *uri_of(const xmlNs *ns)
{
	return ns && ns->href ? (const char *)ns->href : "";
}

static bool same_name(
	const xmlNs *a_ns, const xmlChar *a_name, const xmlNs *b_ns, const xmlChar *b_name)
{
	return xmlStrEqual(a_name, b_name) && strcmp(uri_of(a_ns), uri_of(b_ns)) == 0;
}

static bool same_attributes(const xmlNode *a, const xmlNode *b)
{
	const xmlAttr *left = a->properties, *right = b->properties;

	for (; left && right; left = left->next, right = right->next)
		if (!same_name(left->ns, left->name, right->ns, right->name) ||
			strcmp(value_of(left), value_of(right)) != 0)
			return false;
	return left == right;
}

static const xmlNode *next_element(const xmlNode *node)
{
	while (node && node->type != XML_ELEMENT_NODE)
		node = node->next;
	return node;
}

/* Equivalent, and attributes and elements in the same order as well. */
static bool same_in_order(const xmlNode *a, const xmlNode *b)
{
	fit_autofree char *a_text = own_text(a);
	fit_autofree char *b_text = own_text(b);
	const xmlNode *left = next_element(a->children);
	const xmlNode *right = next_element(b->children);

	if (!same_name(a->ns, a->name, b->ns, b->name) || !fit_streq(a_text, b_text) ||
		!same_attributes(a, b))
		return false;
	while (left && right && same_in_order(left, right)) {
		left = next_element(left->next);
		right = next_element(right->next);
	}
	return !left && !right;
}

bool fit_xml_equivalent(const xmlNode *a, const xmlNode *b)
{
	fit_autofree char *a_text = NULL;
	fit_autofree char *b_text = NULL;

	/* Nearly always one of these tells, in far less time. */
	if (count_elements(a) != count_elements(b))
		return false;
	if (same_in_order(a, b))
		return true;
	a_text = canonical(a);
	b_text = canonical(b);
	return strcmp(a_text, b_text) == 0;
}

void fit_xml_free_doc(xmlDoc **doc)
{
	xmlFreeDoc(*doc);
}
