/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Apply performs the edits one after the other and keeps a facet for each change it makes. What an
 * undo of the same document left behind goes back to where it was, with what libvirt had made of
 * it.
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

struct apply {
	xmlNode *root;
	const char *name; /* for messages */
	const struct fit_edits *edits;
	struct fit_record record;
	struct fit_remains *remains; /* may be NULL */
	struct fit_lookup lookup;
	xmlNode *added,
		*added_before; /* by this edit and by the one before, if nothing else was done */
	struct fit_err *err;
};

/* Attributes that libvirt fills in once another one is written: undo must take them back too. */
static const struct {
	const char *cause;
	const char *path;
} companions[] = {
	{"cpu/@mode", "cpu/@check"},
	{"cpu/@mode", "cpu/@migratable"},
};

static struct fit_facet *add_facet(struct apply *apply, const char *path)
{
	struct fit_facet *facet = FIT_APPEND(apply->record.facets, apply->record.facet_count);

	facet->path = fit_xstrdup(path);
	facet->position = -1;
	facet->rank = -1;
	return facet;
}

/* Only what can stand in an XML document. */
static bool is_xml_text(const char *text)
{
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' && !strchr("\t\n\r", *p))
			return false;
	return xmlCheckUTF8((const xmlChar *)text);
}

static xmlNode *new_element(xmlNode *parent, const struct fit_path_step *step)
{
	xmlNode *node = xmlNewDocNode(parent->doc, NULL, (const xmlChar *)step->name, NULL);

	if (!node)
		abort();
	if (step->qemu)
		xmlSetNs(node, fit_qemu_namespace_find(parent));
	for (size_t i = 0; i < step->condition_count; i++)
		xmlNewProp(node, (const xmlChar *)step->conditions[i].attribute,
			(const xmlChar *)step->conditions[i].value);
	return node;
}

/* Where the remain's placeholder is, if it is still where the path leads. */
static bool has_place(const struct fit_remain *remain, const xmlNode *parent)
{
	return remain && remain->placeholder && remain->placeholder->parent == parent;
}

static xmlNode *create_container(
	struct apply *apply, xmlNode *parent, const struct fit_path *path, size_t count)
{
	fit_autofree char *made = fit_path_format_steps(path, count);
	struct fit_remain *remain = fit_remains_take(apply->remains, made);
	struct fit_facet *facet = add_facet(apply, made);
	xmlNode *node;

	facet->container = true;
	if (has_place(remain, parent)) {
		node = FIT_STEAL(remain->node);
		fit_remain_put(remain, node);
		facet->sole = remain->sole;
	} else {
		node = new_element(parent, &path->steps[count - 1]);
		facet->sole = fit_layout_insert(parent, node);
	}
	fit_lookup_element_added(&apply->lookup, node);
	return node;
}

/* What we had created once is ours to remove, also when libvirt or the user filled it since. */
static void claim_container(struct apply *apply, const struct fit_path *path, size_t count)
{
	fit_autofree char *made = fit_path_format_steps(path, count);
	struct fit_facet *facet;
	bool sole;

	if (!fit_remains_take_kept(apply->remains, made, &sole))
		return;
	facet = add_facet(apply, made);
	facet->container = true;
	facet->sole = sole;
}

static xmlNode *find(struct apply *apply, const struct fit_path *path, size_t count)
{
	return fit_lookup_path(&apply->lookup, path, count, apply->root);
}

/* Before the first element of the QEMU namespace is created. */
static int declare_qemu(struct apply *apply)
{
	if (fit_qemu_namespace_find(apply->root))
		return 0;
	if (!fit_qemu_namespace_declare(apply->root))
		return fit_err_set(apply->err, FIT_ERR_INVALID,
			"%s: the prefix 'qemu' is declared as something else than %s", apply->name,
			FIT_QEMU_NAMESPACE);
	apply->record.qemu_declared = true;
	return 0;
}

/* The element that the first @count steps lead to; those that are missing are created. */
static xmlNode *reach(
	struct apply *apply, const struct fit_path *path, size_t count, bool *ret_created)
{
	xmlNode *node = apply->root;

	for (size_t i = 0; i < count; i++) {
		xmlNode *next = fit_lookup_step(&apply->lookup, &path->steps[i], node, NULL);

		*ret_created = !next;
		if (!next && path->steps[i].qemu && declare_qemu(apply) < 0)
			return NULL;
		if (!next && !fit_path_step_is_creatable(&path->steps[i])) {
			fit_autofree char *missing = fit_path_format_steps(path, i + 1);

			fit_err_set(apply->err, FIT_ERR_INVALID, "%s: there is no %s", apply->name,
				missing);
			return NULL;
		}
		if (next)
			claim_container(apply, path, i + 1);
		node = next ? next : create_container(apply, node, path, i + 1);
	}
	return node;
}

/* Attributes and children of the remembered element that were not ours go over to the new one:
 * what libvirt or the user added to a device stays when the host device behind it changes. */
static void move_additions(xmlNode *node, xmlNode *old, const xmlNode *wrote)
{
	xmlNode *next;

	for (const xmlAttr *attr = old->properties; attr; attr = attr->next) {
		fit_autofree char *value = NULL;

		if (attr->ns || xmlHasProp(wrote, attr->name) || xmlHasProp(node, attr->name))
			continue;
		value = fit_xml_attr(old, (const char *)attr->name);
		xmlNewProp(node, attr->name, (const xmlChar *)value);
	}
	for (xmlNode *child = fit_xml_child(old, NULL); child; child = next) {
		const char *name = (const char *)child->name;

		next = fit_xml_next(child, NULL);
		if (fit_xml_child(wrote, name) || fit_xml_child(node, name))
			continue;
		xmlUnlinkNode(child);
		fit_layout_insert(node, child);
	}
}

/* The element to write for @fresh: the one that was there before undo, if it says the same. */
static int choose(
	struct apply *apply, struct fit_remain *remain, xmlNode *fresh, xmlNode **ret_node)
{
	xmlNode *wrote;

	*ret_node = fresh;
	if (!remain || !remain->node)
		return 0;
	if (fit_xml_contains(remain->node, fresh)) {
		xmlFreeNode(fresh);
		*ret_node = FIT_STEAL(remain->node);
		return 0;
	}
	if (!remain->wrote)
		return 0;
	wrote = fit_fragment_element(apply->root, remain->wrote, apply->name, apply->err);
	if (!wrote)
		return -1;
	move_additions(fresh, remain->node, wrote);
	xmlFreeNode(wrote);
	return 0;
}

static void add_element(struct apply *apply, const struct fit_edit *edit, xmlNode *parent,
	xmlNode *node, struct fit_remain *remain)
{
	struct fit_facet *facet = add_facet(apply, edit->path);

	facet->wrote = fit_xstrdup(edit->value);
	if (has_place(remain, parent)) {
		fit_remain_put(remain, node);
		fit_layout_indent(node);
		facet->sole = remain->sole;
	} else {
		facet->sole = fit_layout_insert_next(parent, node, apply->added_before);
		apply->added = node;
	}
	fit_lookup_element_added(&apply->lookup, node);
}

static void replace_element(
	struct apply *apply, const struct fit_edit *edit, xmlNode *have, xmlNode *node)
{
	struct fit_facet *facet = add_facet(apply, edit->path);

	fit_remains_forget(apply->remains, have);
	facet->before = fit_xml_print_node(have);
	facet->wrote = fit_xstrdup(edit->value);
	fit_lookup_element_removed(&apply->lookup, have);
	xmlReplaceNode(have, node);
	fit_lookup_element_added(&apply->lookup, node);
	xmlFreeNode(have);
	fit_layout_indent(node);
}

/* Where the removed thing was: as the facet had it before undo, if it is where undo put it. */
static void set_position(struct fit_facet *facet, const struct fit_remain *remain, int position)
{
	bool unmoved = remain && remain->restored && remain->landed == position;

	facet->position = unmoved ? remain->facet_position : position;
	facet->rank = unmoved ? remain->facet_rank : facet->rank;
	if (!unmoved || !remain->facet_lead)
		return;
	free(facet->lead);
	facet->lead = fit_xstrdup(remain->facet_lead);
}

static void remove_element(struct apply *apply, const struct fit_edit *edit, xmlNode *have)
{
	const struct fit_remain *remain = fit_remains_take(apply->remains, edit->path);
	struct fit_facet *facet = add_facet(apply, edit->path);
	int position = fit_layout_position(have);

	fit_remains_forget(apply->remains, have);
	facet->before = fit_xml_print_node(have);
	fit_lookup_element_removed(&apply->lookup, have);
	if (fit_xml_is(have->parent, "devices"))
		facet->rank = fit_layout_rank(have);
	facet->lead = fit_layout_remove(have);
	set_position(facet, remain, position);
	xmlFreeNode(have);
}

static int set_element(
	struct apply *apply, const struct fit_edit *edit, const struct fit_path *path)
{
	const struct fit_path_step *step = &path->steps[path->step_count - 1];
	bool created;
	xmlNode *parent = reach(apply, path, path->step_count - 1, &created);
	struct fit_remain *remain;
	xmlNode *have, *node;

	node = parent ? fit_fragment_element(parent, edit->value, apply->name, apply->err) : NULL;
	if (!node)
		return -1;
	have = fit_lookup_step(&apply->lookup, step, parent, NULL);
	if (!fit_path_step_matches(step, node)) {
		xmlFreeNode(node);
		return fit_err_set(apply->err, FIT_ERR_INVALID, "%s: '%.80s' is no %s", apply->name,
			edit->value, edit->path);
	}
	if (have && fit_xml_contains(have, node)) {
		xmlFreeNode(node);
		apply->added = apply->added_before;
		return 0;
	}
	remain = fit_remains_take(apply->remains, edit->path);
	if (choose(apply, remain, node, &node) < 0) {
		xmlFreeNode(node);
		return -1;
	}
	if (have)
		replace_element(apply, edit, have, node);
	else
		add_element(apply, edit, parent, node, remain);
	return 0;
}

static int apply_element(
	struct apply *apply, const struct fit_edit *edit, const struct fit_path *path)
{
	xmlNode *parent, *have, *other;

	if (edit->value)
		return set_element(apply, edit, path);
	parent = find(apply, path, path->step_count - 1);
	if (!parent)
		return 0;
	have = fit_lookup_step(&apply->lookup, &path->steps[path->step_count - 1], parent, &other);
	/* For undo the other one would be ours, come again. Libvirt takes the first. */
	if (other)
		return fit_err_set(apply->err, FIT_ERR_INVALID,
			"%s:%u: there is another %s (line %u): remove one of them", apply->name,
			fit_xml_line(other), edit->path, fit_xml_line(have));
	if (have)
		remove_element(apply, edit, have);
	return 0;
}

/* Writes an attribute that is not there, to where it was before undo. */
static void write_new(
	xmlNode *element, const char *name, const char *value, const struct fit_remain *remain)
{
	xmlAttr *attr = xmlNewProp(element, (const xmlChar *)name, (const xmlChar *)value);

	if (remain && remain->value)
		fit_layout_move_attribute(attr, remain->position);
}

/* After cpu/@mode was written to an element that was there before. */
static void add_companions(struct apply *apply, const char *cause, xmlNode *element)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(companions); i++) {
		const char *path = companions[i].path;
		const char *attribute = strrchr(path, '@') + 1;
		const struct fit_remain *remain;

		if (strcmp(companions[i].cause, cause) != 0 ||
			xmlHasProp(element, (const xmlChar *)attribute))
			continue;
		remain = fit_remains_take(apply->remains, path);
		if (remain && remain->value)
			write_new(element, attribute, remain->value, remain);
		add_facet(apply, path);
	}
}

/* Before the facet of the model: undo asks whether the device is none again. */
static void add_address(
	struct apply *apply, const struct fit_path *path, xmlNode *element, const char *have)
{
	fit_autofree char *device_path = NULL;
	fit_autofree char *address = NULL;
	struct fit_remain *remain;
	struct fit_facet *facet;
	xmlNode *device = fit_device_switched_on(path, element, have);
	xmlNode *node;

	if (!device || fit_xml_child(device, "address"))
		return;
	device_path = fit_path_format_steps(path, FIT_PATH_DEVICE_STEPS);
	address = fit_xasprintf("%s/address", device_path);
	remain = fit_remains_take(apply->remains, address);
	facet = add_facet(apply, address);
	facet->sole = remain ? remain->sole : !device->children;
	if (!has_place(remain, device) || !remain->node)
		return;
	node = FIT_STEAL(remain->node);
	fit_remain_put(remain, node);
	fit_lookup_element_added(&apply->lookup, node);
}

static void remove_attribute(
	struct apply *apply, const struct fit_edit *edit, xmlAttr *attr, const char *have)
{
	const struct fit_remain *remain = fit_remains_take(apply->remains, edit->path);
	struct fit_facet *facet = add_facet(apply, edit->path);

	facet->before = fit_xstrdup(have);
	fit_lookup_attribute_changed(&apply->lookup, (const char *)attr->name);
	set_position(facet, remain, fit_layout_position((xmlNode *)attr));
	/* Libvirt's default for what is absent, as it was found by undo. */
	if (remain && remain->value)
		xmlSetNsProp(attr->parent, NULL, attr->name, (const xmlChar *)remain->value);
	else
		xmlRemoveProp(attr);
}

/* The value to write, in the spelling that was there before undo. */
static const char *spelling(const struct fit_remain *remain, const char *value)
{
	return remain && remain->value && fit_value_equal(remain->value, value) ? remain->value
										: value;
}

static void write_attribute(
	struct apply *apply, const struct fit_edit *edit, xmlNode *element, const char *name)
{
	const struct fit_remain *remain = fit_remains_take(apply->remains, edit->path);
	const char *value = spelling(remain, edit->value);

	fit_lookup_attribute_changed(&apply->lookup, name);
	if (xmlHasNsProp(element, (const xmlChar *)name, NULL))
		xmlSetNsProp(element, NULL, (const xmlChar *)name, (const xmlChar *)value);
	else
		write_new(element, name, value, remain);
}

static int apply_attribute(
	struct apply *apply, const struct fit_edit *edit, const struct fit_path *path)
{
	bool created = false;
	xmlNode *element = edit->value ? reach(apply, path, path->step_count, &created)
				       : find(apply, path, path->step_count);
	fit_autofree char *have = fit_xml_attr(element, path->attribute);
	struct fit_facet *facet;

	if (!edit->value) {
		if (have)
			remove_attribute(apply, edit,
				xmlHasNsProp(element, (const xmlChar *)path->attribute, NULL),
				have);
		return 0;
	}
	if (!element)
		return -1;
	if (have && fit_value_equal(have, edit->value))
		return 0;
	add_address(apply, path, element, have);
	write_attribute(apply, edit, element, path->attribute);
	facet = add_facet(apply, edit->path);
	facet->before = FIT_STEAL(have);
	facet->wrote = fit_xstrdup(edit->value);
	if (!created)
		add_companions(apply, edit->path, element);
	return 0;
}

static void set_text(xmlNode *element, const char *text)
{
	xmlNode *node;

	while ((node = element->children)) {
		xmlUnlinkNode(node);
		xmlFreeNode(node);
	}
	if (*text)
		xmlAddChild(element, xmlNewDocText(element->doc, (const xmlChar *)text));
}

static int apply_text(struct apply *apply, const struct fit_edit *edit, const struct fit_path *path)
{
	const char *value = edit->value ? edit->value : "";
	bool created;
	xmlNode *element = edit->value ? reach(apply, path, path->step_count, &created)
				       : find(apply, path, path->step_count);
	fit_autofree char *have = fit_xml_text(element);
	struct fit_facet *facet;

	if (!element)
		return edit->value ? -1 : 0;
	if (xmlFirstElementChild(element))
		return fit_err_set(apply->err, FIT_ERR_INVALID,
			"%s: %s: there are elements where a text is wanted", apply->name,
			edit->path);
	if (fit_value_equal(have, value))
		return 0;
	facet = add_facet(apply, edit->path);
	facet->before = element->children ? fit_fragment_content(element) : NULL;
	facet->wrote = edit->value ? fit_xstrdup(edit->value) : NULL;
	set_text(element, spelling(fit_remains_take(apply->remains, edit->path), value));
	return 0;
}

static int apply_spelled(struct apply *apply, const struct fit_edit *edit)
{
	fit_autopath struct fit_path path = {0};

	if (fit_path_parse(edit->path, &path, apply->err) < 0)
		return fit_err_prefix(apply->err, "%s: ", apply->name);
	if (!fit_path_is_editable(&path))
		return fit_err_set(apply->err, FIT_ERR_INVALID,
			"%s: %s: virt-fit does not change <%s>", apply->name, edit->path,
			path.steps[0].name);
	if (edit->value && !is_xml_text(edit->value))
		return fit_err_set(apply->err, FIT_ERR_INVALID,
			"%s: %s: the value has characters that XML does not allow", apply->name,
			edit->path);
	switch (path.kind) {
	case FIT_PATH_ELEMENT:
		return apply_element(apply, edit, &path);
	case FIT_PATH_ATTRIBUTE:
		return apply_attribute(apply, edit, &path);
	case FIT_PATH_TEXT:
		return apply_text(apply, edit, &path);
	}
	return 0;
}

static int apply_edit(struct apply *apply, const struct fit_edit *edit)
{
	fit_autopath struct fit_path path = {0};
	fit_autofree char *spelled = NULL;

	apply->added_before = FIT_STEAL(apply->added);
	if (apply->remains && apply->remains->spelling_count &&
		fit_path_parse(edit->path, &path, NULL) == 0)
		spelled = fit_remains_spell(
			apply->remains, &apply->lookup, &path, edit->path, apply->root);
	return apply_spelled(apply, spelled ? &(struct fit_edit){spelled, edit->value} : edit);
}

static char *copy_or_empty(const char *text)
{
	return fit_xstrdup(text ? text : "");
}

static int write_record(struct apply *apply, const struct fit_record *info)
{
	fit_autopath struct fit_path path = {0};
	struct fit_record *record = &apply->record;
	bool created;
	xmlNode *metadata;

	if (fit_path_parse("metadata", &path, apply->err) < 0)
		return -1;
	metadata = reach(apply, &path, 1, &created);
	record->version = copy_or_empty(info->version ? info->version : FIT_VERSION);
	record->profile = copy_or_empty(info->profile);
	record->digest = copy_or_empty(info->digest);
	record->host = copy_or_empty(info->host);
	record->only = info->only ? fit_xstrdup(info->only) : NULL;
	record->had_metadata =
		info->had_metadata || (apply->remains && apply->remains->had_metadata);
	record->sole = !metadata->children;
	fit_layout_insert(metadata, fit_record_print(apply->root->doc, record));
	return 0;
}

/* Parents that undo had created again and that are empty once more, as libvirt had dropped them. */
static int drop_recreated(struct apply *apply)
{
	const struct fit_strlist *recreated = &apply->remains->recreated;

	for (size_t i = recreated->count; i > 0; i--) {
		fit_autopath struct fit_path path = {0};
		xmlNode *node;

		if (fit_path_parse(recreated->items[i - 1], &path, apply->err) < 0)
			return -1;
		node = find(apply, &path, path.step_count);
		if (node && !node->properties && fit_layout_is_hollow(node)) {
			fit_layout_drop(node);
			xmlFreeNode(node);
		}
	}
	return 0;
}

/* Fixed by the first apply: what libvirt added since is not the original's. */
static void note_controllers(struct apply *apply)
{
	if (!apply->remains)
		apply->record.controllers = fit_controllers_list(apply->root);
	else if (apply->remains->controllers)
		apply->record.controllers = fit_xstrdup(apply->remains->controllers);
}

static int apply_all(struct apply *apply, const struct fit_record *info)
{
	note_controllers(apply);
	for (size_t i = 0; i < apply->edits->count; i++)
		if (apply_edit(apply, &apply->edits->items[i]) < 0)
			return -1;
	/* Declared by an earlier apply: still ours, if it is of any use. */
	if (apply->remains && apply->remains->qemu_declared_on)
		apply->record.qemu_declared = !fit_qemu_namespace_drop(apply->root);
	if (write_record(apply, info) < 0)
		return -1;
	if (!apply->remains)
		return 0;
	fit_controllers_restore(apply->root, apply->remains);
	fit_remains_drop(apply->remains);
	return drop_recreated(apply);
}

int fit_rewrite_apply(xmlDoc *doc, const char *name, const struct fit_edits *edits,
	const struct fit_record *info, struct fit_remains *remains, struct fit_err *err)
{
	struct apply apply = {
		.root = xmlDocGetRootElement(doc),
		.name = name,
		.edits = edits,
		.remains = remains,
		.err = err,
	};
	int status = apply_all(&apply, info);

	fit_record_clear(&apply.record);
	fit_lookup_clear(&apply.lookup);
	return status;
}
