/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An overlay against a definition. What is there is changed attribute by attribute; what is not
 * there is added whole, where that is one thing (a device, a timer), or grows from its parts, where
 * others may have parts beside ours (<features>, <cputune>).
 */
#include "core/overlay_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/contain.h"
#include "core/overlay_step.h"
#include "core/path.h"
#include "core/xml.h"

struct emission {
	const char *name; /* for messages */
	struct fit_overlay_effect *effect;
	struct fit_err *err;
};

void fit_overlay_effect_clear(struct fit_overlay_effect *effect)
{
	fit_edits_clear(&effect->edits);
	fit_strlist_clear(&effect->covered);
	fit_strlist_clear(&effect->kept);
}

/* 1: the place is to become what the overlay says, 0: it stays as it is, -1: refused. */
static int decide(struct emission *emission, const struct fit_overlay_origin *origin,
	const char *path, const char *found, const char *wanted)
{
	bool same = found && fit_value_equal(found, wanted);

	if (!found || same || origin->existing == FIT_EXISTING_REPLACE) {
		fit_strlist_add(&emission->effect->covered, path);
		return !same;
	}
	if (origin->existing == FIT_EXISTING_REQUIRE)
		return fit_err_set(emission->err, FIT_ERR_REFUSED,
			"%s: cannot fit: %s is %s, but %s:%u requires %s: change the definition, or "
			"say existing=\"keep\" or \"replace\" in the profile",
			emission->name, path, *found ? found : "empty", origin->file, origin->line,
			wanted);
	fit_strlist_addf(&emission->effect->kept, "%s of the definition stays %s, not %s (%s:%u)",
		path, *found ? found : "empty", wanted, origin->file, origin->line);
	return 0;
}

static int emit_value(struct emission *emission, const struct fit_overlay_origin *origin,
	const char *path, const char *found, const char *wanted)
{
	int decision = decide(emission, origin, path, found, wanted);

	if (decision > 0)
		fit_edits_set(&emission->effect->edits, path, wanted);
	return decision < 0 ? -1 : 0;
}

static int emit_attributes(
	struct emission *emission, const xmlNode *node, const xmlNode *have, const char *path)
{
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
		const char *name = (const char *)attr->name;
		fit_autofree char *place = fit_xasprintf("%s/@%s", path, name);
		fit_autofree char *wanted = fit_xml_attr(node, name);
		fit_autofree char *found = fit_xml_attr(have, name);

		if (fit_overlay_is_identity(node, name))
			continue;
		if (emit_value(emission, attr->_private, place, found, wanted) < 0)
			return -1;
	}
	return 0;
}

static int emit_text(
	struct emission *emission, const xmlNode *node, const xmlNode *have, const char *path)
{
	fit_autofree char *place = fit_xasprintf("%s/text()", path);
	fit_autofree char *wanted = fit_xml_text(node);
	fit_autofree char *found = fit_xml_text(have);

	if (!node->children || fit_overlay_has_elements(node))
		return 0;
	return emit_value(emission, node->_private, place, found && *found ? found : NULL, wanted);
}

static void cover(struct emission *emission, const xmlNode *node, const char *path)
{
	struct fit_strlist *covered = &emission->effect->covered;

	fit_strlist_add(covered, path);
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
		fit_strlist_addf(covered, "%s/@%s", path, attr->name);
	if (node->children && !fit_overlay_has_elements(node))
		fit_strlist_addf(covered, "%s/text()", path);
	fit_xml_for_each (child, node, NULL) {
		fit_autofree char *child_path = fit_overlay_path(child, path);

		cover(emission, child, child_path);
	}
}

static void add_whole(struct emission *emission, xmlNode *node, const char *path)
{
	fit_autofree char *text = fit_xml_print_node(node);

	fit_edits_set(&emission->effect->edits, path, text);
	cover(emission, node, path);
}

/* A size in another unit than KiB, which the overlay's have: number and unit are changed, and later
 * taken back, together. */
static bool has_other_unit(const xmlNode *node, const xmlNode *have)
{
	fit_autofree char *wanted = fit_xml_attr(node, "unit");
	fit_autofree char *found = fit_xml_attr(have, "unit");

	return wanted && found && !fit_streq(found, wanted);
}

static int emit_size(struct emission *emission, xmlNode *node, xmlNode *have, const char *path)
{
	fit_autofree char *found = fit_xml_print_node(have);
	fit_autofree char *wanted = fit_xml_print_node(node);
	xmlNode *changed;
	int decision;

	if (fit_xml_contains(have, node)) {
		cover(emission, node, path);
		return 0;
	}
	decision = decide(emission, node->_private, path, found, wanted);
	if (decision <= 0)
		return decision;
	changed = xmlCopyNode(have, 1);
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
		fit_autofree char *value = fit_xml_attr(node, (const char *)attr->name);

		xmlSetProp(changed, attr->name, (const xmlChar *)value);
	}
	if (node->children && !fit_overlay_has_elements(node)) {
		fit_autofree char *text = fit_xml_text(node);

		xmlNodeSetContent(changed, (const xmlChar *)text);
	}
	add_whole(emission, changed, path);
	xmlFreeNode(changed);
	return 0;
}

static xmlNode *find(xmlNode *parent, const char *step)
{
	fit_autopath struct fit_path path = {0};

	if (!parent || fit_path_parse(step, &path, NULL) < 0)
		return NULL;
	return fit_path_step_find(&path.steps[0], parent);
}

/* Found by an alias a disk may leave out what it is called, but not where it is new. */
static int check_new(struct emission *emission, const xmlNode *node)
{
	const struct fit_overlay_origin *origin = node->_private;
	fit_autofree char *target = fit_xml_attr(fit_xml_child(node, "target"), "dev");

	if (!fit_xml_is(node, "disk") || !fit_xml_is(node->parent, "devices") || target)
		return 0;
	return fit_err_set(emission->err, FIT_ERR_REFUSED,
		"%s: cannot fit: the definition has no disk with the alias of the <disk> at %s:%u, "
		"and a new one needs <target dev=>",
		emission->name, origin->file, origin->line);
}

static int emit_children(
	struct emission *emission, const xmlNode *parent, xmlNode *have, const char *path);

static int emit_element(
	struct emission *emission, xmlNode *node, xmlNode *have_parent, const char *parent_path)
{
	fit_autofree char *path = fit_overlay_path(node, parent_path);
	fit_autofree char *problem = NULL;
	fit_autofree char *step = fit_overlay_step(node, &problem);
	xmlNode *have = find(have_parent, step);

	if (!have && (strchr(step, '[') || !fit_overlay_has_elements(node))) {
		if (check_new(emission, node) < 0)
			return -1;
		add_whole(emission, node, path);
		return 0;
	}
	if (have && has_other_unit(node, have)) {
		if (emit_size(emission, node, have, path) < 0)
			return -1;
	} else if (emit_attributes(emission, node, have, path) < 0 ||
		   emit_text(emission, node, have, path) < 0) {
		return -1;
	}
	if (fit_overlay_is_bare(node))
		fit_strlist_add(&emission->effect->covered, path);
	return emit_children(emission, node, have, path);
}

static int emit_children(
	struct emission *emission, const xmlNode *parent, xmlNode *have, const char *path)
{
	fit_xml_for_each (node, parent, NULL)
		if (emit_element(emission, node, have, path) < 0)
			return -1;
	return 0;
}

int fit_overlay_emit(const struct fit_overlay *overlay, xmlDoc *doc, const char *name,
	struct fit_overlay_effect *ret_effect, struct fit_err *err)
{
	struct fit_overlay_effect effect = {0};
	struct emission emission = {.name = name, .effect = &effect, .err = err};

	if (emit_children(&emission, xmlDocGetRootElement(overlay->doc), xmlDocGetRootElement(doc),
		    "") < 0) {
		fit_overlay_effect_clear(&effect);
		return -1;
	}
	*ret_effect = effect;
	return 0;
}

/* Would the edit touch the place, or what it is part of? */
static bool touches(const struct fit_edit *edit, const char *place)
{
	size_t length = strlen(edit->path);

	return strncmp(edit->path, place, length) == 0 &&
	       (place[length] == '\0' || place[length] == '/');
}

static bool is_covered(const struct fit_overlay_effect *effect, const struct fit_edit *edit)
{
	for (size_t i = 0; i < effect->covered.count; i++)
		if (touches(edit, effect->covered.items[i]))
			return true;
	return false;
}

void fit_overlay_join(
	struct fit_overlay_effect *effect, struct fit_edits *edits, struct fit_strlist *ret_dropped)
{
	for (size_t i = 0; i < edits->count; i++) {
		struct fit_edit *edit = &edits->items[i];

		if (is_covered(effect, edit)) {
			fit_strlist_add(ret_dropped, edit->path);
			continue;
		}
		*FIT_APPEND(effect->edits.items, effect->edits.count) = *edit;
		*edit = (struct fit_edit){0};
	}
	fit_edits_clear(edits);
}
