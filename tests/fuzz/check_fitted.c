/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One rendering: it is sound, it can be made again from itself, and taken back. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libxml/relaxng.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/record.h"
#include "core/xml.h"
#include "draw.h"
#include "support_libvirt.h"

#define SCHEMA "/usr/share/libvirt/schemas/domain.rng"
#define MARK   "urn:mark"

static void be_silent(FIT_UNUSED void *data, FIT_UNUSED const char *format, ...)
{
}

static xmlRelaxNG *read_schema(void)
{
	xmlRelaxNGParserCtxt *parser;
	xmlRelaxNG *schema;

	if (access(SCHEMA, R_OK) < 0)
		return NULL;
	parser = xmlRelaxNGNewParserCtxt(SCHEMA);
	schema = xmlRelaxNGParse(parser);
	xmlRelaxNGFreeParserCtxt(parser);
	return schema;
}

/* By the schema of the installed libvirt; without one everything is. Where elements that the schema
 * has in one group stand apart, libxml2 loses its way as soon as others are added: hence libvirt's
 * order. */
static bool is_valid(const char *xml)
{
	static xmlRelaxNG *schema;
	static bool tried;
	xmlRelaxNGValidCtxt *context;
	fit_autodoc xmlDoc *doc = NULL;
	int result;

	if (!tried)
		schema = read_schema();
	tried = true;
	if (!schema)
		return true;
	doc = fit_fuzz_parse(xml);
	sort_as_libvirt(doc);
	context = xmlRelaxNGNewValidCtxt(schema);
	xmlRelaxNGSetValidErrors(context, be_silent, be_silent, NULL);
	result = xmlRelaxNGValidateDoc(context, doc);
	xmlRelaxNGFreeValidCtxt(context);
	return result == 0;
}

static bool check_identity(struct check *check, const xmlDoc *before, const xmlDoc *after)
{
	static const char *const kept[] = {"name", "uuid"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(kept); i++) {
		fit_autofree char *was =
			fit_xml_text(fit_xml_child(xmlDocGetRootElement(before), kept[i]));
		fit_autofree char *is =
			fit_xml_text(fit_xml_child(xmlDocGetRootElement(after), kept[i]));

		if (!fit_streq(was, is))
			return fit_fuzz_broken(check, "identity", "<%s> was %s and is %s", kept[i],
				was ? was : "absent", is ? is : "absent");
	}
	return true;
}

static bool check_record(struct check *check, xmlDoc *doc)
{
	fit_autofree char *missing = NULL;
	struct fit_record record = {0};
	struct fit_err err = FIT_ERR_INIT;
	int found = fit_record_read(doc, "vm.xml", &record, &err);
	bool holds = found == 1 && fit_rewrite_holds(doc, &record, &missing);

	fit_record_clear(&record);
	if (found != 1)
		return fit_fuzz_broken(
			check, "record", "%s", found ? err.message : "there is none");
	return holds || fit_fuzz_broken(check, "record", "%s does not hold", missing);
}

/* Gives every element a number, in a namespace that is nobody's. */
static unsigned int mark(xmlNode *node, xmlNs *ns, unsigned int next)
{
	for (; node; node = node->next) {
		fit_autofree char *number = NULL;

		if (node->type != XML_ELEMENT_NODE)
			continue;
		number = fit_xasprintf("%u", next++);
		xmlSetNsProp(node, ns, (const xmlChar *)"n", (const xmlChar *)number);
		next = mark(node->children, ns, next);
	}
	return next;
}

/* "NUMBER-in-NUMBER-of-the-parent" of all that have one, in document order. */
static void list_marks(const xmlNode *node, struct fit_strlist *list)
{
	for (; node; node = node->next) {
		xmlChar *own, *above;

		if (node->type != XML_ELEMENT_NODE)
			continue;
		own = xmlGetNsProp(node, (const xmlChar *)"n", (const xmlChar *)MARK);
		above = xmlGetNsProp(node->parent, (const xmlChar *)"n", (const xmlChar *)MARK);
		if (own)
			fit_strlist_addf(
				list, "%s in %s", (char *)own, above ? (char *)above : "the root");
		xmlFree(own);
		xmlFree(above);
		list_marks(node->children, list);
	}
}

/* What replaced or removed elements had inside. */
static void list_recorded_marks(xmlDoc *doc, struct fit_strlist *list)
{
	struct fit_record record = {0};

	if (fit_record_read(doc, "vm.xml", &record, NULL) != 1)
		return;
	for (size_t i = 0; i < record.facet_count; i++) {
		const char *at = record.facets[i].before;

		while (at && (at = strstr(at, ":n=\""))) {
			at += strlen(":n=\"");
			fit_strlist_addf(list, "%.*s", (int)strcspn(at, "\""), at);
		}
	}
	fit_record_clear(&record);
}

static bool is_recorded(const struct fit_strlist *recorded, const char *mark_text)
{
	fit_autofree char *number = fit_xstrndup(mark_text, strcspn(mark_text, " "));

	return fit_strlist_contains(recorded, number);
}

static bool compare_marks(struct check *check, xmlDoc *before, xmlDoc *after)
{
	fit_autostrlist struct fit_strlist was = {0};
	fit_autostrlist struct fit_strlist is = {0};
	fit_autostrlist struct fit_strlist recorded = {0};
	size_t at = 0;

	list_marks(xmlDocGetRootElement(before)->children, &was);
	list_marks(xmlDocGetRootElement(after)->children, &is);
	list_recorded_marks(after, &recorded);
	for (size_t i = 0; i < was.count; i++) {
		if (at < is.count && strcmp(was.items[i], is.items[at]) == 0)
			at++;
		else if (!is_recorded(&recorded, was.items[i]))
			return fit_fuzz_broken(check, "untouched",
				"element %s is gone or elsewhere, and no facet says so",
				was.items[i]);
	}
	return at == is.count ||
	       fit_fuzz_broken(check, "untouched", "element %s has moved", is.items[at]);
}

/* All elements of the definition are where they were, or in the record. */
static bool check_untouched(struct check *check)
{
	fit_autodoc xmlDoc *doc = fit_fuzz_parse(check->plain);
	xmlNode *root = xmlDocGetRootElement(doc);
	struct fit_render_result rendered = {0};
	fit_autofree char *marked = NULL;
	fit_autodoc xmlDoc *fitted = NULL;
	struct fit_err err;

	mark(root->children, xmlNewNs(root, (const xmlChar *)MARK, (const xmlChar *)"mark"), 0);
	marked = fit_xml_print(doc);
	/* A request of the definition's own takes no other attributes. */
	if (fit_fuzz_render(check, marked, "first", &rendered, &err) < 0)
		return check->result.outcome != FIT_FUZZ_BROKEN;
	fitted = fit_fuzz_parse(rendered.xml);
	fit_render_result_clear(&rendered);
	return compare_marks(check, doc, fitted);
}

bool fit_fuzz_check_fitted(struct check *check)
{
	fit_autodoc xmlDoc *before = fit_fuzz_parse(check->plain);
	fit_autodoc xmlDoc *after = NULL;
	struct fit_err err = FIT_ERR_INIT;

	after = fit_xml_parse(check->fitted, strlen(check->fitted), "fitted", &err);
	if (!after)
		return fit_fuzz_broken(check, "well-formed", "%s", err.message);
	if (!check_identity(check, before, after) || !check_record(check, after))
		return false;
	/* Without <os> the schema takes a definition for one of another hypervisor. */
	if (fit_xml_child(xmlDocGetRootElement(before), "os") && is_valid(check->plain) &&
		!is_valid(check->fitted))
		return fit_fuzz_broken(
			check, "valid", "the schema refuses what it accepted before");
	return check_untouched(check);
}

bool fit_fuzz_check_fixpoint(struct check *check)
{
	struct fit_render_result again = {0};
	fit_autofree char *back = NULL;
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err;
	bool same;

	if (fit_fuzz_render(check, check->fitted, "first", &again, &err) < 0)
		return fit_fuzz_broken(check, "fixpoint", "refused: %s", err.message);
	same = fit_fuzz_same(check, "fixpoint", check->fitted, again.xml);
	if (same && again.notes.count)
		same = fit_fuzz_broken(check, "fixpoint", "noted: %s", again.notes.items[0]);
	fit_render_result_clear(&again);
	if (!same)
		return false;
	back = fit_fuzz_revert(check, check->fitted, &notes);
	if (notes.count)
		return fit_fuzz_broken(check, "revert", "noted: %s", notes.items[0]);
	return fit_fuzz_same(check, "revert", check->plain, back);
}

/* Rendered again after libvirt has defined and printed it. */
static bool check_defined(struct check *check, const char *fitted)
{
	fit_autofree char *defined = fit_fuzz_as_libvirt(fitted);
	struct fit_render_result again = {0};
	struct fit_err err;
	bool same;

	if (fit_fuzz_render(check, defined, "first", &again, &err) < 0)
		return fit_fuzz_broken(check, "defined", "refused: %s", err.message);
	same = fit_fuzz_same(check, "defined", defined, again.xml);
	if (same && again.notes.count)
		same = fit_fuzz_broken(check, "defined", "noted: %s", again.notes.items[0]);
	fit_render_result_clear(&again);
	return same;
}

bool fit_fuzz_check_libvirt(struct check *check)
{
	fit_autofree char *plain = fit_fuzz_as_libvirt(check->plain);
	fit_autofree char *stable = fit_fuzz_as_libvirt(plain);
	struct fit_render_result rendered = {0};
	fit_autofree char *fitted = NULL;
	fit_autofree char *defined = NULL;
	fit_autofree char *back = NULL;
	fit_autofree char *back_defined = NULL;
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err;

	if (!check_defined(check, check->fitted))
		return false;
	if (!fit_fuzz_same(check, "model of libvirt", plain, stable))
		return false;
	if (fit_fuzz_render(check, plain, "first", &rendered, &err) < 0)
		return check->result.outcome != FIT_FUZZ_BROKEN;
	fitted = FIT_STEAL(rendered.xml);
	fit_render_result_clear(&rendered);
	if (!check_defined(check, fitted))
		return false;
	defined = fit_fuzz_as_libvirt(fitted);
	back = fit_fuzz_revert(check, defined, &notes);
	if (!back)
		return false;
	if (notes.count)
		return fit_fuzz_broken(check, "defined revert", "noted: %s", notes.items[0]);
	back_defined = fit_fuzz_as_libvirt(back);
	return fit_fuzz_same(check, "defined revert", plain, back_defined);
}
