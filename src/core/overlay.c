/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An overlay is a tree without namespaces, comments and white space. Every element and attribute of
 * a composed one knows where it was stated last (`_private`, a struct origin).
 */
#include "core/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/alias.h"
#include "core/overlay_parts.h"
#include "core/overlay_step.h"
#include "core/path.h"
#include "core/profile_parse.h"
#include "core/xml.h"

#define fail(err, file, node, format, ...) \
	fit_err_set((err), FIT_ERR_INVALID, "%s:%u: " format, (file), fit_xml_line(node), \
		##__VA_ARGS__)

static struct fit_overlay *overlay_new(void)
{
	struct fit_overlay *overlay = fit_xcalloc(1, sizeof(*overlay));

	overlay->doc = xmlNewDoc((const xmlChar *)"1.0");
	if (!overlay->doc)
		abort();
	xmlDocSetRootElement(
		overlay->doc, xmlNewDocNode(overlay->doc, NULL, (const xmlChar *)"domain", NULL));
	return overlay;
}

void fit_overlay_free(struct fit_overlay *overlay)
{
	if (!overlay)
		return;
	xmlFreeDoc(overlay->doc);
	free(overlay->existing);
	for (size_t i = 0; i < overlay->origin_count; i++)
		free(overlay->origins[i]);
	free(overlay->origins);
	free(overlay);
}

static xmlNode *add_element(xmlNode *parent, const xmlNode *like)
{
	xmlNode *node = xmlNewDocNode(parent->doc, NULL, like->name, NULL);

	if (!node)
		abort();
	node->line = like->line;
	xmlAddChild(parent, node);
	return node;
}

/* Libvirt's elements stand in the profile's namespace, or in none. */
static bool is_libvirt(const xmlNode *node)
{
	return !node->ns || fit_streq((const char *)node->ns->href, FIT_PROFILE_NAMESPACE);
}

static int check_reference(
	const xmlNode *node, const char *file, const char *text, struct fit_err *err)
{
	while ((text = strstr(text, "${"))) {
		fit_autofree char *name = fit_profile_reference(text, &text);

		if (!name)
			return fail(err, file, node, "<%s>: \"${\" begins a parameter: ${name}",
				node->name);
	}
	return 0;
}

static int check_element(const xmlNode *node, const char *file, struct fit_err *err)
{
	static const char *const forbidden[] = {"name", "uuid", "metadata"};
	bool is_top = fit_streq((const char *)node->parent->name, "domain");

	if (!is_libvirt(node))
		return fail(err, file, node,
			"<%s%s%s> of namespace %s cannot be merged: write it into the definition "
			"itself",
			node->ns->prefix ? (const char *)node->ns->prefix : "",
			node->ns->prefix ? ":" : "", node->name, node->ns->href);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(forbidden); i++)
		if (is_top && fit_streq((const char *)node->name, forbidden[i]))
			return fail(err, file, node,
				"a profile does not change the <%s> of a domain", forbidden[i]);
	return 0;
}

static int copy_attributes(const xmlNode *from, xmlNode *to, const char *file, struct fit_err *err)
{
	for (const xmlAttr *attr = from->properties; attr; attr = attr->next) {
		fit_autofree char *value = NULL;

		if (attr->ns)
			return fail(err, file, from, "<%s>: attribute %s:%s cannot be merged",
				from->name, attr->ns->prefix, attr->name);
		value = fit_xml_attr(from, (const char *)attr->name);
		if (check_reference(from, file, value, err) < 0)
			return -1;
		xmlNewProp(to, attr->name, (const xmlChar *)value);
	}
	return 0;
}

bool fit_overlay_has_elements(const xmlNode *node)
{
	for (const xmlNode *child = node->children; child; child = child->next)
		if (child->type == XML_ELEMENT_NODE)
			return true;
	return false;
}

static int copy_text(const xmlNode *from, xmlNode *to, const char *file, struct fit_err *err)
{
	fit_autofree char *text = NULL;

	for (const xmlNode *child = from->children; child && fit_overlay_has_elements(from);
		child = child->next)
		if ((child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) &&
			!xmlIsBlankNode(child))
			return fail(err, file, child,
				"<%s> has both elements and text, which libvirt never has",
				from->name);
	if (fit_overlay_has_elements(from))
		return 0;
	text = fit_xml_text(from);
	if (check_reference(from, file, text, err) < 0)
		return -1;
	if (*text)
		xmlAddChild(to, xmlNewDocText(to->doc, (const xmlChar *)text));
	return 0;
}

static int copy_children(const xmlNode *from, xmlNode *to, const char *file, struct fit_err *err)
{
	for (const xmlNode *child = from->children; child; child = child->next) {
		xmlNode *node;

		if (child->type != XML_ELEMENT_NODE)
			continue;
		if (check_element(child, file, err) < 0)
			return -1;
		node = add_element(to, child);
		if (copy_attributes(child, node, file, err) < 0 ||
			copy_text(child, node, file, err) < 0 ||
			copy_children(child, node, file, err) < 0)
			return -1;
	}
	return 0;
}

/* Every element must say which one is meant. */
static int check_steps(const xmlNode *parent, const char *file, struct fit_err *err)
{
	fit_xml_for_each (node, parent, NULL) {
		fit_autofree char *problem = NULL;
		fit_autofree char *step = fit_overlay_step(node, &problem);

		if (!step)
			return fail(err, file, node, "<%s> %s", node->name, problem);
		if (check_steps(node, file, err) < 0)
			return -1;
	}
	return 0;
}

static bool parse_existing(const char *text, enum fit_existing *ret_existing)
{
	static const char *const words[] = {
		[FIT_EXISTING_KEEP] = "keep",
		[FIT_EXISTING_REPLACE] = "replace",
		[FIT_EXISTING_REQUIRE] = "require",
	};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(words); i++) {
		if (!fit_streq(words[i], text))
			continue;
		*ret_existing = (enum fit_existing)i;
		return true;
	}
	return false;
}

static int read_existing(struct fit_overlay *overlay, const xmlNode *domain, struct fit_err *err)
{
	fit_autofree char *text = fit_xml_attr(domain, "existing");
	enum fit_existing existing;

	for (const xmlAttr *attr = domain->properties; attr; attr = attr->next)
		if (attr->ns || !fit_streq((const char *)attr->name, "existing"))
			return fail(err, overlay->file, domain,
				"<domain> has no attribute %s; it has existing", attr->name);
	overlay->existing = text ? FIT_STEAL(text) : fit_xstrdup("keep");
	if (check_reference(domain, overlay->file, overlay->existing, err) < 0)
		return -1;
	if (!strstr(overlay->existing, "${") && !parse_existing(overlay->existing, &existing))
		return fail(err, overlay->file, domain,
			"<domain existing=\"%s\">: existing must be \"keep\", \"replace\" or "
			"\"require\"",
			overlay->existing);
	return 0;
}

static int read_overlay(struct fit_overlay *overlay, const xmlNode *domain, struct fit_err *err)
{
	xmlNode *root = xmlDocGetRootElement(overlay->doc);

	root->line = domain->line;
	if (read_existing(overlay, domain, err) < 0)
		return -1;
	if (!fit_overlay_has_elements(domain))
		return fail(err, overlay->file, domain,
			"<domain> holds elements of libvirt to be merged, and here are none");
	if (copy_text(domain, root, overlay->file, err) < 0 ||
		copy_children(domain, root, overlay->file, err) < 0)
		return -1;
	return check_steps(root, overlay->file, err);
}

int fit_overlay_read(const xmlNode *domain, const char *file, struct fit_overlay **ret_overlay,
	struct fit_err *err)
{
	struct fit_overlay *overlay = overlay_new();

	overlay->file = file;
	if (read_overlay(overlay, domain, err) < 0) {
		fit_overlay_free(overlay);
		return -1;
	}
	*ret_overlay = overlay;
	return 0;
}

struct merge {
	struct fit_overlay *into;
	const struct fit_overlay *from;
	enum fit_existing existing;
	fit_overlay_substitute substitute;
	void *context;
	struct fit_err *err;
};

static struct fit_overlay_origin *new_origin(struct merge *merge, const xmlNode *node)
{
	struct fit_overlay_origin *origin = fit_xcalloc(1, sizeof(*origin));

	*origin = (struct fit_overlay_origin){
		.existing = merge->existing,
		.file = merge->from->file,
		.line = fit_xml_line(node),
		.round = merge->into->rounds,
	};
	*FIT_APPEND(merge->into->origins, merge->into->origin_count) = origin;
	return origin;
}

/* A copy of @from below @to, with parameters put in. */
static int resolve(struct merge *merge, const xmlNode *from, xmlNode *to)
{
	unsigned int line = fit_xml_line(from);
	fit_autofree char *text =
		fit_overlay_has_elements(from) ? fit_xstrdup("") : fit_xml_text(from);
	fit_autofree char *resolved = NULL;

	for (const xmlAttr *attr = from->properties; attr; attr = attr->next) {
		fit_autofree char *value = fit_xml_attr(from, (const char *)attr->name);
		fit_autofree char *resolved_value = NULL;

		if (merge->substitute(merge->context, line, value, &resolved_value) < 0)
			return -1;
		xmlNewProp(to, attr->name, (const xmlChar *)resolved_value);
	}
	if (merge->substitute(merge->context, line, text, &resolved) < 0)
		return -1;
	if (*resolved)
		xmlAddChild(to, xmlNewDocText(to->doc, (const xmlChar *)resolved));
	fit_xml_for_each (child, from, NULL)
		if (resolve(merge, child, add_element(to, child)) < 0)
			return -1;
	return 0;
}

/* Libvirt prints sizes in KiB; written so, they are found again. */
static int convert_size(struct merge *merge, xmlNode *node)
{
	static const char *const names[] = {"size", "memory"};
	fit_autofree char *unit = fit_xml_attr(node, "unit");
	fit_autofree char *number = NULL;
	fit_autofree char *kib_text = NULL;
	const char *name = NULL;
	uint64_t kib;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(names) && !number; i++) {
		number = fit_xml_attr(node, names[i]);
		name = number ? names[i] : NULL;
	}
	if (!number && !fit_overlay_has_elements(node))
		number = fit_xml_text(node);
	if (!unit || !number || !*number)
		return 0;
	if (!fit_parse_size_kib(number, unit, &kib))
		return fail(merge->err, merge->from->file, node, "<%s>: %s %s is no size",
			node->name, number, unit);
	kib_text = fit_xasprintf("%llu", (unsigned long long)kib);
	xmlSetProp(node, (const xmlChar *)"unit", (const xmlChar *)"KiB");
	if (name)
		xmlSetProp(node, (const xmlChar *)name, (const xmlChar *)kib_text);
	else
		xmlNodeSetContent(node, (const xmlChar *)kib_text);
	return 0;
}

/* With parameters put in. */
static int check_identity(struct merge *merge, const xmlNode *node, const char *step)
{
	fit_autopath struct fit_path path = {0};
	fit_autofree char *alias = fit_xml_attr(fit_xml_child(node, "alias"), "name");

	if (fit_path_parse(step, &path, merge->err) < 0)
		return fit_err_prefix(merge->err, "%s:%u: ", merge->from->file, fit_xml_line(node));
	if (!fit_alias_is_ours(alias))
		return 0;
	return fail(merge->err, merge->from->file, node,
		"<%s>: aliases with %s are for devices that virt-fit adds by itself", node->name,
		FIT_ALIAS_PREFIX);
}

/* Libvirt prints MAC addresses in lower case. */
static void convert_mac(xmlNode *node)
{
	fit_autofree char *address = fit_xml_attr(node, "address");

	if (!fit_xml_is(node, "mac") || !address)
		return;
	for (char *p = address; *p; p++)
		if (*p >= 'A' && *p <= 'F')
			*p = (char)(*p + 'a' - 'A');
	xmlSetProp(node, (const xmlChar *)"address", (const xmlChar *)address);
}

static xmlNode *find_like(xmlNode *parent, const char *step)
{
	fit_xml_for_each (node, parent, NULL) {
		fit_autofree char *problem = NULL;
		fit_autofree char *own = fit_overlay_step(node, &problem);

		if (fit_streq(own, step))
			return node;
	}
	return NULL;
}

/* Lays @from, resolved already, over @to. */
static int lay_over(struct merge *merge, xmlNode *from, xmlNode *to)
{
	struct fit_overlay_origin *origin = new_origin(merge, from);
	fit_autofree char *text =
		fit_overlay_has_elements(from) ? fit_xstrdup("") : fit_xml_text(from);

	convert_mac(from);
	if (convert_size(merge, from) < 0)
		return -1;
	to->_private = origin;
	to->line = from->line;
	for (const xmlAttr *attr = from->properties; attr; attr = attr->next) {
		fit_autofree char *value = fit_xml_attr(from, (const char *)attr->name);

		xmlSetProp(to, attr->name, (const xmlChar *)value)->_private = origin;
	}
	if (*text) {
		free(text);
		text = fit_xml_text(from);
		xmlNodeSetContent(to, (const xmlChar *)"");
		xmlAddChild(to, xmlNewDocText(to->doc, (const xmlChar *)text));
	}
	fit_xml_for_each (child, from, NULL) {
		fit_autofree char *problem = NULL;
		fit_autofree char *step = fit_overlay_step(child, &problem);
		xmlNode *like = find_like(to, step);
		const struct fit_overlay_origin *earlier = like ? like->_private : NULL;

		if (check_identity(merge, child, step) < 0)
			return -1;
		if (earlier && earlier->round == merge->into->rounds)
			return fail(merge->err, merge->from->file, child,
				"<%s> is there twice, the first is in line %u", step,
				earlier->line);
		if (!like)
			like = add_element(to, child);
		if (lay_over(merge, child, like) < 0)
			return -1;
	}
	return 0;
}

/* Steps are good, but paths have a greatest depth and length. */
static int check_paths(struct merge *merge)
{
	struct fit_overlay_place *places;
	size_t count = fit_overlay_places(merge->into, &places);
	int status = 0;

	for (size_t i = 0; i < count && status == 0; i++) {
		fit_autopath struct fit_path path = {0};

		status = fit_path_parse(places[i].path, &path, merge->err);
		if (status < 0)
			fit_err_prefix(merge->err, "%s:%u: ", places[i].file, places[i].line);
	}
	fit_overlay_places_free(places, count);
	return status;
}

static int merge_resolved(struct merge *merge, xmlDoc *doc)
{
	const xmlNode *from = xmlDocGetRootElement(merge->from->doc);
	fit_autofree char *existing = NULL;
	xmlNode *root = xmlNewDocNode(doc, NULL, (const xmlChar *)"domain", NULL);

	xmlDocSetRootElement(doc, root);
	if (merge->substitute(
		    merge->context, fit_xml_line(from), merge->from->existing, &existing) < 0)
		return -1;
	if (!parse_existing(existing, &merge->existing))
		return fail(merge->err, merge->from->file, from,
			"<domain existing=\"%s\"> (with its parameters put in): existing must be "
			"\"keep\", \"replace\" or \"require\"",
			existing);
	if (resolve(merge, from, root) < 0)
		return -1;
	root->line = from->line;
	if (lay_over(merge, root, xmlDocGetRootElement(merge->into->doc)) < 0)
		return -1;
	return check_paths(merge);
}

int fit_overlay_merge(struct fit_overlay **into, const struct fit_overlay *from,
	fit_overlay_substitute substitute, void *context, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = xmlNewDoc((const xmlChar *)"1.0");
	struct merge merge = {
		.from = from, .substitute = substitute, .context = context, .err = err};

	if (!*into)
		*into = overlay_new();
	merge.into = *into;
	merge.into->rounds++;
	return merge_resolved(&merge, doc);
}

char *fit_overlay_path(const xmlNode *node, const char *parent)
{
	fit_autofree char *problem = NULL;
	fit_autofree char *step = fit_overlay_step(node, &problem);

	return *parent ? fit_xasprintf("%s/%s", parent, step) : FIT_STEAL(step);
}

bool fit_overlay_is_bare(const xmlNode *node)
{
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
		if (!fit_overlay_is_identity(node, (const char *)attr->name))
			return false;
	return !node->children;
}

struct list {
	struct fit_overlay_place *places;
	size_t count;
};

static void add_place(
	struct list *list, const struct fit_overlay_origin *origin, char *path, char *value)
{
	*FIT_APPEND(list->places, list->count) = (struct fit_overlay_place){
		.path = path,
		.value = value,
		.existing = origin->existing,
		.file = origin->file,
		.line = origin->line,
	};
}

static void list_children(struct list *list, const xmlNode *parent, const char *parent_path)
{
	fit_xml_for_each (node, parent, NULL) {
		fit_autofree char *path = fit_overlay_path(node, parent_path);

		for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
			if (!fit_overlay_is_identity(node, (const char *)attr->name))
				add_place(list, attr->_private,
					fit_xasprintf("%s/@%s", path, attr->name),
					fit_xml_attr(node, (const char *)attr->name));
		/* Attributes of a bare element without an identity are another one's identity. */
		if (fit_overlay_is_bare(node) &&
			(!node->properties || strchr(path + strlen(parent_path), '[')))
			add_place(list, node->_private, fit_xstrdup(path), fit_xstrdup(""));
		else if (node->children && !fit_overlay_has_elements(node))
			add_place(list, node->_private, fit_xasprintf("%s/text()", path),
				fit_xml_text(node));
		list_children(list, node, path);
	}
}

size_t fit_overlay_places(const struct fit_overlay *overlay, struct fit_overlay_place **ret_places)
{
	struct list list = {0};

	list_children(&list, xmlDocGetRootElement(overlay->doc), "");
	*ret_places = list.places;
	return list.count;
}

void fit_overlay_places_free(struct fit_overlay_place *places, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(places[i].path);
		free(places[i].value);
	}
	free(places);
}
