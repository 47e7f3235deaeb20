/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Undo walks the facets backwards, so that every facet finds the document as it was right after it
 * had been applied, unless somebody changed it since; then positions are hints, and a facet whose
 * value is not ours any more is left alone and noted.
 */
#include "core/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/contain.h"
#include "core/controllers.h"
#include "core/device_address.h"
#include "core/fragment.h"
#include "core/layout.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/qemu_namespace.h"
#include "core/record.h"
#include "core/remains.h"
#include "core/xml.h"

struct undo {
	xmlNode *root;
	const char *name; /* for messages */
	struct fit_strlist *notes;
	struct fit_remains *remains; /* NULL: a plain revert */
	struct fit_lookup lookup;
	struct fit_err *err;
};

static xmlNode *find(struct undo *undo, const struct fit_path *path)
{
	return fit_lookup_path(&undo->lookup, path, path->step_count, undo->root);
}

static void note_edited(struct undo *undo, const struct fit_facet *facet, const char *difference)
{
	fit_strlist_addf(undo->notes, "%s was edited: %s, kept", facet->path, difference);
}

static void note_values(struct undo *undo, const struct fit_facet *facet, const char *have)
{
	fit_autofree char *difference = NULL;

	if (have && facet->wrote)
		difference = fit_xasprintf("%s instead of our %s", have, facet->wrote);
	else if (have)
		difference = fit_xasprintf("%s where we had removed it", have);
	else
		difference = fit_xasprintf("our %s was removed", facet->wrote);
	note_edited(undo, facet, difference);
}

/* What the user (not libvirt) added to an element that goes away with it. */
static void note_additions(
	struct undo *undo, const struct fit_facet *facet, const xmlNode *have, const xmlNode *wrote)
{
	fit_xml_for_each (child, have, NULL)
		if (!fit_is_libvirt_child(child) &&
			!fit_xml_child(wrote, (const char *)child->name))
			fit_strlist_addf(undo->notes, "%s goes, and with it the <%s> added to it",
				facet->path, child->name);
}

/* Unlinks an element of ours; apply may want it back. */
static void take_away(struct undo *undo, const struct fit_facet *facet, xmlNode *node)
{
	xmlNode *parent = node->parent;

	fit_lookup_element_removed(&undo->lookup, node);
	if (undo->remains) {
		struct fit_remain *remain = fit_remains_add(undo->remains, facet->path);

		remain->placeholder = fit_remains_replace(undo->remains, node);
		remain->node = node;
		remain->sole = facet->sole;
		remain->trail = facet->sole ? fit_layout_take_trail(parent) : NULL;
		remain->wrote = facet->wrote ? fit_xstrdup(facet->wrote) : NULL;
		return;
	}
	fit_layout_drop(node);
	xmlFreeNode(node);
	if (facet->sole)
		fit_layout_close(parent);
}

static bool is_identity(const struct fit_path_step *step, const char *attribute)
{
	for (size_t i = 0; i < step->condition_count; i++)
		if (!step->conditions[i].child &&
			strcmp(step->conditions[i].attribute, attribute) == 0)
			return true;
	return false;
}

/* Has the element nothing but the identity it was created with and what libvirt fills in? */
static bool only_defaults(const xmlNode *node, const struct fit_path_step *step)
{
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
		const char *name = (const char *)attr->name;
		fit_autofree char *value = attr->ns ? NULL : fit_xml_attr(node, name);

		if (!value)
			return false;
		if (is_identity(step, name))
			continue;
		if (!fit_is_libvirt_default((const char *)node->name, name, value))
			return false;
	}
	return true;
}

static void undo_container(
	struct undo *undo, const struct fit_facet *facet, const struct fit_path *path)
{
	xmlNode *node = find(undo, path);

	if (!node)
		return;
	if (fit_layout_is_hollow(node) && only_defaults(node, &path->steps[path->step_count - 1])) {
		take_away(undo, facet, node);
	} else if (undo->remains) {
		fit_remains_add_kept(undo->remains, facet->path, facet->sole);
	}
}

static int undo_added(struct undo *undo, const struct fit_facet *facet, xmlNode *have)
{
	xmlNode *wrote = fit_fragment_element(undo->root, facet->wrote, undo->name, undo->err);

	if (!wrote)
		return -1;
	if (!have) {
		note_edited(undo, facet, "what we had added was removed");
	} else if (!fit_xml_contains(have, wrote)) {
		fit_autofree char *difference = fit_xml_difference(have, wrote);

		note_edited(undo, facet, difference);
	} else {
		if (!undo->remains)
			note_additions(undo, facet, have, wrote);
		take_away(undo, facet, have);
	}
	xmlFreeNode(wrote);
	return 0;
}

static void put_before(
	struct undo *undo, const struct fit_facet *facet, xmlNode *have, xmlNode *before)
{
	fit_lookup_element_removed(&undo->lookup, have);
	xmlReplaceNode(have, before);
	fit_lookup_element_added(&undo->lookup, before);
	if (undo->remains) {
		struct fit_remain *remain = fit_remains_add(undo->remains, facet->path);

		remain->node = have;
		remain->wrote = fit_xstrdup(facet->wrote);
		return;
	}
	xmlFreeNode(have);
}

static int undo_replaced(struct undo *undo, const struct fit_facet *facet, xmlNode *have)
{
	xmlNode *wrote, *before;

	if (!have) {
		note_edited(undo, facet, "what we had put there was removed");
		return 0;
	}
	wrote = fit_fragment_element(undo->root, facet->wrote, undo->name, undo->err);
	if (!wrote)
		return -1;
	before = fit_fragment_element(have->parent, facet->before, undo->name, undo->err);
	if (before && fit_xml_contains(have, wrote)) {
		put_before(undo, facet, have, before);
	} else if (before) {
		fit_autofree char *difference = fit_xml_difference(have, wrote);

		note_edited(undo, facet, difference);
		xmlFreeNode(before);
	}
	xmlFreeNode(wrote);
	return before ? 0 : -1;
}

/* The parent of an element that we had removed; libvirt drops parents that are empty. */
static xmlNode *parent_again(struct undo *undo, const struct fit_path *path)
{
	xmlNode *node = undo->root;

	for (size_t i = 0; i + 1 < path->step_count; i++) {
		const struct fit_path_step *step = &path->steps[i];
		xmlNode *next = fit_lookup_step(&undo->lookup, step, node, NULL);

		if (!next && step->condition_count)
			return NULL;
		if (!next) {
			next = xmlNewDocNode(node->doc, NULL, (const xmlChar *)step->name, NULL);
			fit_layout_insert(node, next);
			fit_lookup_element_added(&undo->lookup, next);
			if (undo->remains) {
				fit_autofree char *made = fit_path_format_steps(path, i + 1);

				fit_strlist_add(&undo->remains->recreated, made);
			}
		}
		node = next;
	}
	return node;
}

/* Where it goes in: as the facet says, but behind those that its number counts. */
static int position_again(
	const struct fit_facet *facet, const struct fit_path *path, const xmlNode *parent)
{
	struct fit_path_step step = path->steps[path->step_count - 1];
	int position = fit_layout_position_of_rank(
		parent, (const xmlChar *)step.name, facet->position, facet->rank);
	const xmlNode *previous = NULL;
	int least;

	if (step.number > 1) {
		step.number--;
		previous = fit_path_step_find(&step, parent);
	}
	least = previous ? fit_layout_position(previous) + 1 : 0;
	return position < least ? least : position;
}

static int undo_removed(struct undo *undo, const struct fit_facet *facet,
	const struct fit_path *path, const xmlNode *have)
{
	xmlNode *parent = have ? NULL : parent_again(undo, path);
	xmlNode *before;

	if (!parent) {
		note_edited(undo, facet,
			have ? "it is there again" : "the element it belongs to is gone");
		return 0;
	}
	before = fit_fragment_element(parent, facet->before, undo->name, undo->err);
	if (!before)
		return -1;
	fit_layout_insert_at(parent, before, position_again(facet, path, parent), facet->lead);
	fit_lookup_element_added(&undo->lookup, before);
	if (undo->remains)
		fit_remains_add_restored(undo->remains, facet, fit_layout_position(before));
	return 0;
}

static int undo_element(
	struct undo *undo, const struct fit_facet *facet, const struct fit_path *path)
{
	xmlNode *have = find(undo, path);

	if (!facet->wrote && !facet->before) {
		if (have && fit_device_is_none(have->parent))
			take_away(undo, facet, have);
		return 0;
	}
	if (!facet->wrote)
		return undo_removed(undo, facet, path, have);
	return facet->before ? undo_replaced(undo, facet, have) : undo_added(undo, facet, have);
}

static void remember_attribute(struct undo *undo, const struct fit_facet *facet, xmlAttr *have)
{
	struct fit_remain *remain = fit_remains_add(undo->remains, facet->path);

	remain->value = fit_xml_attr(have->parent, (const char *)have->name);
	remain->position = fit_layout_position((xmlNode *)have);
}

static void restore_attribute(
	struct undo *undo, const struct fit_facet *facet, xmlNode *element, const char *name)
{
	xmlAttr *have = xmlHasNsProp(element, (const xmlChar *)name, NULL);

	fit_lookup_attribute_changed(&undo->lookup, name);
	if (undo->remains && have)
		remember_attribute(undo, facet, have);
	if (!facet->before) {
		if (have)
			xmlRemoveProp(have);
		return;
	}
	if (have) {
		xmlSetNsProp(element, NULL, have->name, (const xmlChar *)facet->before);
		return;
	}
	have = xmlNewProp(element, (const xmlChar *)name, (const xmlChar *)facet->before);
	fit_layout_move_attribute(have, facet->position);
	if (undo->remains)
		fit_remains_add_restored(
			undo->remains, facet, fit_layout_position((xmlNode *)have));
}

static void undo_attribute(
	struct undo *undo, const struct fit_facet *facet, const struct fit_path *path)
{
	xmlNode *element = find(undo, path);
	fit_autofree char *have = fit_xml_attr(element, path->attribute);
	bool ours;

	if (!element) {
		if (facet->before || facet->wrote)
			note_edited(undo, facet, "the element it belongs to is gone");
		return;
	}
	if (facet->wrote)
		ours = have && fit_value_equal(have, facet->wrote);
	else
		ours = !have ||
		       fit_is_libvirt_default((const char *)element->name, path->attribute, have);
	if (ours)
		restore_attribute(undo, facet, element, path->attribute);
	else
		note_values(undo, facet, have);
}

static int undo_text(struct undo *undo, const struct fit_facet *facet, const struct fit_path *path)
{
	xmlNode *element = find(undo, path);
	fit_autofree char *have = fit_xml_text(element);

	if (!element) {
		note_edited(undo, facet, "the element it belongs to is gone");
		return 0;
	}
	if (!fit_value_equal(have, facet->wrote ? facet->wrote : "")) {
		note_values(undo, facet, have);
		return 0;
	}
	if (undo->remains)
		fit_remains_add(undo->remains, facet->path)->value = FIT_STEAL(have);
	return fit_fragment_set_content(
		element, facet->before ? facet->before : "", undo->name, undo->err);
}

static int undo_facet(struct undo *undo, const struct fit_facet *facet)
{
	fit_autopath struct fit_path path = {0};

	if (fit_path_parse(facet->path, &path, undo->err) < 0)
		return -1;
	if (facet->container) {
		undo_container(undo, facet, &path);
		return 0;
	}
	switch (path.kind) {
	case FIT_PATH_ELEMENT:
		return undo_element(undo, facet, &path);
	case FIT_PATH_ATTRIBUTE:
		undo_attribute(undo, facet, &path);
		return 0;
	case FIT_PATH_TEXT:
		return undo_text(undo, facet, &path);
	}
	return 0;
}

/* The device of a facet, if it is still there and ours. */
static xmlNode *own_device(struct undo *undo, const struct fit_facet *facet)
{
	fit_autopath struct fit_path path = {0};
	xmlNode *have, *wrote;

	if (!fit_starts_with(facet->path, "devices/") || !facet->wrote || facet->before ||
		fit_path_parse(facet->path, &path, NULL) < 0 || path.kind != FIT_PATH_ELEMENT)
		return NULL;
	have = find(undo, &path);
	wrote = have ? fit_fragment_element(undo->root, facet->wrote, undo->name, NULL) : NULL;
	if (!wrote || !fit_xml_contains(have, wrote))
		have = NULL;
	xmlFreeNode(wrote);
	return have;
}

/* The device that has an address because of us, if the facet of its model will be undone. */
static xmlNode *switched_on_device(
	struct undo *undo, const struct fit_facet *address, const struct fit_facet *model)
{
	fit_autopath struct fit_path path = {0};
	fit_autopath struct fit_path cause = {0};
	fit_autofree char *have = NULL;

	if (address->wrote || address->before || !model->wrote ||
		fit_path_parse(address->path, &path, NULL) < 0 ||
		fit_path_parse(model->path, &cause, NULL) < 0 || !fit_device_address_is(&path) ||
		cause.kind != FIT_PATH_ATTRIBUTE)
		return NULL;
	have = fit_xml_attr(find(undo, &cause), cause.attribute);
	return have && fit_value_equal(have, model->wrote)
		       ? fit_lookup_path(&undo->lookup, &path, FIT_PATH_DEVICE_STEPS, undo->root)
		       : NULL;
}

/* Controllers go before the facets are undone, and come back after all edits are applied: positions
 * of other devices count neither time what libvirt added. */
static void remove_controllers(struct undo *undo, const struct fit_record *record)
{
	fit_autofree xmlNode **ours = NULL;
	size_t count = 0;

	for (size_t i = 0; i < record->facet_count; i++) {
		xmlNode *node = own_device(undo, &record->facets[i]);

		if (!node && i + 1 < record->facet_count)
			node = switched_on_device(undo, &record->facets[i], &record->facets[i + 1]);
		if (node)
			*FIT_APPEND(ours, count) = node;
	}
	fit_lookup_clear(&undo->lookup);
	fit_controllers_remove(undo->root, record->controllers, ours, count, undo->remains);
}

static int undo_record(struct undo *undo, const struct fit_record *record)
{
	xmlNode *element = fit_record_find(undo->root->doc);
	xmlNode *metadata = element->parent;

	fit_layout_drop(element);
	xmlFreeNode(element);
	if (record->sole)
		fit_layout_close(metadata);
	if (record->controllers)
		remove_controllers(undo, record);
	for (size_t i = record->facet_count; i > 0; i--)
		if (undo_facet(undo, &record->facets[i - 1]) < 0)
			return -1;
	/* Apply may use the declaration again, and what it may put back needs it. */
	if (record->qemu_declared && !undo->remains)
		fit_qemu_namespace_drop(undo->root);
	return 0;
}

int fit_rewrite_undo(xmlDoc *doc, const char *name, struct fit_strlist *notes,
	struct fit_remains **ret_remains, struct fit_err *err)
{
	struct fit_record record = {0};
	struct fit_remains *remains = NULL;
	struct undo undo = {
		.root = xmlDocGetRootElement(doc), .name = name, .notes = notes, .err = err};
	int status = fit_record_read(doc, name, &record, err);

	if (status < 0)
		return -1;
	if (status > 0) {
		if (ret_remains) {
			undo.remains = remains = fit_remains_new();
			remains->controllers =
				record.controllers ? fit_xstrdup(record.controllers) : NULL;
			remains->had_metadata = record.had_metadata;
			remains->qemu_declared_on = record.qemu_declared ? undo.root : NULL;
		}
		status = undo_record(&undo, &record);
		if (status == 0 && remains)
			fit_remains_add_spellings(remains, &record, undo.root);
	}
	fit_record_clear(&record);
	fit_lookup_clear(&undo.lookup);
	if (status < 0) {
		fit_remains_free(&remains);
		return -1;
	}
	if (ret_remains)
		*ret_remains = remains;
	return 0;
}
