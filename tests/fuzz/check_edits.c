/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happens to a fitted definition in between: edits, another profile, a record that somebody
 * has changed. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/contain.h"
#include "core/fragment.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/record.h"
#include "core/xml.h"
#include "draw.h"

bool fit_fuzz_check_second(struct check *check)
{
	struct fit_render_result second = {0};
	struct fit_render_result again = {0};
	fit_autofree char *back = NULL;
	struct fit_err err;
	bool same;

	if (fit_fuzz_render(check, check->fitted, "second", &second, &err) < 0)
		return check->result.outcome != FIT_FUZZ_BROKEN;
	back = fit_fuzz_revert(check, second.xml, NULL);
	same = fit_fuzz_same(check, "second revert", check->plain, back);
	if (same && fit_fuzz_render(check, second.xml, "second", &again, &err) < 0)
		same = fit_fuzz_broken(check, "second fixpoint", "refused: %s", err.message);
	same = same && fit_fuzz_same(check, "second fixpoint", second.xml, again.xml);
	fit_render_result_clear(&second);
	fit_render_result_clear(&again);
	return same;
}

/* Reverting what was rendered from an edited definition gives what reverting that gives. */
static bool check_edited(struct check *check, const char *property, const char *edited)
{
	struct fit_render_result again = {0};
	fit_autofree char *back = fit_fuzz_revert(check, edited, NULL);
	fit_autofree char *back_again = NULL;
	struct fit_err err;

	if (!back)
		return false;
	if (fit_fuzz_render(check, edited, "first", &again, &err) < 0)
		return check->result.outcome != FIT_FUZZ_BROKEN;
	back_again = fit_fuzz_revert(check, again.xml, NULL);
	fit_render_result_clear(&again);
	return fit_fuzz_same(check, property, back, back_again);
}

static const char *other_value(const char *value)
{
	static const char *const values[] = {"0", "1", "3", "none", "7"};
	const char *other;

	do
		other = fit_draw_from(values);
	while (fit_value_equal(other, value));
	return other;
}

/* Changes something that the facet wrote. Returns the value it has now, NULL when there is nothing
 * to change; *@ret_node, *@ret_name: where. */
static const char *edit_facet(
	xmlDoc *doc, const struct fit_facet *facet, xmlNode **ret_node, char **ret_name)
{
	fit_autolookup struct fit_lookup lookup = {0};
	fit_autopath struct fit_path path = {0};
	xmlNode *node;
	xmlNode *wrote;
	const char *value = NULL;

	if (!facet->wrote || fit_path_parse(facet->path, &path, NULL) < 0)
		return NULL;
	node = fit_lookup_path(&lookup, &path, path.step_count, xmlDocGetRootElement(doc));
	if (!node)
		return NULL;
	*ret_node = node;
	if (path.kind == FIT_PATH_ATTRIBUTE) {
		value = other_value(facet->wrote);
		*ret_name = fit_xstrdup(path.attribute);
		xmlSetNsProp(node, NULL, (const xmlChar *)path.attribute, (const xmlChar *)value);
	} else if (path.kind == FIT_PATH_ELEMENT) {
		wrote = fit_fragment_element(node, facet->wrote, "wrote", NULL);
		/* The last attribute: the first ones are the element's identity. */
		for (const xmlAttr *attr = wrote->properties; attr; attr = attr->next)
			if (!attr->next && wrote->properties != attr) {
				fit_autofree char *had =
					fit_xml_attr(wrote, (const char *)attr->name);

				value = other_value(had);
				*ret_name = fit_xstrdup((const char *)attr->name);
				xmlSetNsProp(node, NULL, attr->name, (const xmlChar *)value);
			}
		xmlFreeNode(wrote);
	}
	return value;
}

/* One of ours is changed: revert keeps and reports it. */
static bool check_own_edit(struct check *check)
{
	fit_autodoc xmlDoc *doc = fit_fuzz_parse(check->fitted);
	struct fit_record record = {0};
	fit_autostrlist struct fit_strlist notes = {0};
	fit_autofree char *path = NULL;
	fit_autofree char *name = NULL;
	fit_autofree char *edited = NULL;
	fit_autofree char *back = NULL;
	const char *value = NULL;
	xmlNode *node;

	if (fit_record_read(doc, "vm.xml", &record, NULL) == 1 && record.facet_count) {
		const struct fit_facet *facet =
			&record.facets[fit_draw((unsigned int)record.facet_count)];

		path = fit_xstrdup(facet->path);
		value = edit_facet(doc, facet, &node, &name);
	}
	fit_record_clear(&record);
	if (!value)
		return true;
	edited = fit_xml_print(doc);
	back = fit_fuzz_revert(check, edited, &notes);
	if (!back)
		return false;
	if (!notes.count)
		return fit_fuzz_broken(
			check, "own edit", "%s is now %s='%s', and no note", path, name, value);
	return check_edited(check, "own edit", edited);
}

/* Elsewhere means: not in our record. */
static bool check_edit_elsewhere(struct check *check)
{
	fit_autodoc xmlDoc *doc = fit_fuzz_parse(check->fitted);
	fit_autofree char *edited = NULL;
	xmlNode *record = fit_record_find(doc);
	xmlNode *metadata = record->parent;

	xmlUnlinkNode(record);
	fit_fuzz_edit_elsewhere(doc);
	if (metadata->parent != xmlDocGetRootElement(doc)) {
		xmlFreeNode(record);
		return true;
	}
	xmlAddChild(metadata, record);
	edited = fit_xml_print(doc);
	return check_edited(check, "edit elsewhere", edited);
}

bool fit_fuzz_check_edits(struct check *check)
{
	return check_own_edit(check) && check_edit_elsewhere(check);
}

static void tamper(xmlNode *record)
{
	static const char *const paths[] = {"name/text()", "uuid", "devices", "cpu", "vcpu/text()",
		"metadata", "cputune/vcpupin[@vcpu='0']", "devices/disk", "memory/@unit", "x",
		"iothreads/text()", "cpu/@mode", "devices/disk[target/@dev='vda']/driver/@cache"};
	static const char *const values[] = {"", "0", "<cpu/>", "<devices/>", "<a><b/></a>", "yes",
		"1", "&lt;x", "<!-- c -->", "99999", "\n  "};
	static const char *const names[] = {"path", "before", "wrote", "lead", "position",
		"container", "sole", "digest", "version", "controllers", "host"};
	xmlNode *node = record;
	unsigned int count = (unsigned int)xmlChildElementCount(record);

	if (count && fit_chance(80)) {
		node = xmlFirstElementChild(record);
		for (count = fit_draw(count); count > 0; count--)
			node = xmlNextElementSibling(node);
	}
	if (node != record && fit_chance(20)) {
		xmlUnlinkNode(node);
		xmlFreeNode(node);
	} else if (node != record && fit_chance(20)) {
		xmlAddNextSibling(node, xmlCopyNode(node, 1));
	} else if (node != record && node->children && fit_chance(40)) {
		xmlNodeSetContent(
			xmlFirstElementChild(node), (const xmlChar *)fit_draw_from(values));
	} else {
		const char *name = fit_draw_from(names);

		xmlSetNsProp(node, NULL, (const xmlChar *)name,
			(const xmlChar *)(strcmp(name, "path") == 0 ? fit_draw_from(paths)
								    : fit_draw_from(values)));
	}
}

static bool check_name(struct check *check, const char *text)
{
	fit_autodoc xmlDoc *before = fit_fuzz_parse(check->plain);
	fit_autodoc xmlDoc *after = fit_fuzz_parse(text);
	fit_autofree char *was = fit_xml_text(fit_xml_child(xmlDocGetRootElement(before), "name"));
	fit_autofree char *is = fit_xml_text(fit_xml_child(xmlDocGetRootElement(after), "name"));

	return fit_streq(was, is) ||
	       fit_fuzz_broken(check, "tampered", "the name was %s and is %s", was, is);
}

/* Whatever a record says: it is refused, or the result is a definition of the same name. */
bool fit_fuzz_check_tampered(struct check *check)
{
	fit_autodoc xmlDoc *doc = fit_fuzz_parse(check->fitted);
	struct fit_render_result again = {0};
	struct fit_render_result third = {0};
	fit_autostrlist struct fit_strlist notes = {0};
	fit_autofree char *tampered = NULL;
	fit_autofree char *back = NULL;
	struct fit_err err = FIT_ERR_INIT;
	bool changed;

	for (unsigned int i = 1 + fit_draw(3); i > 0; i--)
		tamper(fit_record_find(doc));
	tampered = fit_xml_print(doc);
	if (fit_revert(tampered, strlen(tampered), "vm.xml", &notes, &back, &changed, &err) == 0 &&
		!check_name(check, back))
		return false;
	if (fit_fuzz_render(check, tampered, "first", &again, &err) < 0)
		return check->result.outcome != FIT_FUZZ_BROKEN;
	if (check_name(check, again.xml) &&
		fit_fuzz_render(check, again.xml, "first", &third, &err) < 0)
		fit_fuzz_broken(check, "tampered", "refused: %s", err.message);
	fit_render_result_clear(&again);
	fit_render_result_clear(&third);
	return check->result.outcome != FIT_FUZZ_BROKEN;
}
