/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything is checked while the record is read (who may edit the metadata may write anything),
 * before the document is touched: unknown attributes and elements, paths, and that each value
 * parses to what its path names.
 */
#include "core/record.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/device_address.h"
#include "core/fragment.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/xml.h"

#define NAMESPACE_STEM "urn:virt-fit:applied:"
#define PREFIX	       "applied"
#define FACETS_MAX     65536

static void facet_clear(struct fit_facet *facet)
{
	free(facet->path);
	free(facet->before);
	free(facet->wrote);
	free(facet->lead);
}

void fit_record_clear(struct fit_record *record)
{
	for (size_t i = 0; i < record->facet_count; i++)
		facet_clear(&record->facets[i]);
	free(record->facets);
	free(record->version);
	free(record->profile);
	free(record->digest);
	free(record->host);
	free(record->controllers);
	free(record->only);
	free(record->floating);
	*record = (struct fit_record){0};
}

bool fit_record_has_written(const struct fit_record *record, const char *path)
{
	for (size_t i = 0; i < record->facet_count; i++)
		if (fit_streq(record->facets[i].path, path))
			return record->facets[i].wrote;
	return false;
}

static xmlNode *next_record(xmlNode *node)
{
	for (; node; node = node->next)
		if (fit_xml_is_in(node, FIT_RECORD_NAMESPACE, "fitted"))
			return node;
	return NULL;
}

xmlNode *fit_record_find(xmlDoc *doc)
{
	xmlNode *metadata = fit_xml_child(xmlDocGetRootElement(doc), "metadata");

	return metadata ? next_record(metadata->children) : NULL;
}

struct fit_cpuset fit_record_floating(xmlDoc *doc)
{
	const xmlNode *node = fit_record_find(doc);
	fit_autofree char *list = node ? fit_xml_attr(node, "floating") : NULL;
	struct fit_cpuset vcpus = {0};

	if (list && fit_cpuset_parse_list(list, &vcpus, NULL) < 0)
		return (struct fit_cpuset){0};
	return vcpus;
}

/* Where a message points to. */
struct place {
	const char *name;
	const xmlNode *node;
	struct fit_lookup *lookup; /* in the document */
};

#define refuse(place, err, format, ...) \
	fit_err_set((err), FIT_ERR_INVALID, "%s:%u: record of virt-fit: " format, (place)->name, \
		fit_xml_line((place)->node), ##__VA_ARGS__)

static int check_attributes(
	const struct place *place, const char *const *known, size_t count, struct fit_err *err)
{
	for (const xmlAttr *attr = place->node->properties; attr; attr = attr->next) {
		bool found = false;

		for (size_t i = 0; i < count && !attr->ns; i++)
			found = found || strcmp((const char *)attr->name, known[i]) == 0;
		if (!found)
			return refuse(place, err, "unknown attribute '%s' of <%s>", attr->name,
				place->node->name);
	}
	return 0;
}

static int read_flag(
	const struct place *place, const char *attribute, bool *ret_flag, struct fit_err *err)
{
	fit_autofree char *value = fit_xml_attr(place->node, attribute);

	if (value && strcmp(value, "yes") != 0)
		return refuse(place, err, "%s='%.80s', only 'yes' is possible", attribute, value);
	*ret_flag = value;
	return 0;
}

static int read_number(
	const struct place *place, const char *attribute, int *ret_number, struct fit_err *err)
{
	fit_autofree char *value = fit_xml_attr(place->node, attribute);
	uint64_t number;

	if (!value) {
		*ret_number = -1;
		return 0;
	}
	if (!fit_parse_uint(value, INT_MAX, &number))
		return refuse(place, err, "%s='%.80s' is not a number", attribute, value);
	*ret_number = (int)number;
	return 0;
}

/* <before> and <wrote> of an element facet. */
static int read_values(const struct place *place, struct fit_facet *facet, struct fit_err *err)
{
	for (xmlNode *node = place->node->children; node; node = node->next) {
		char **slot = NULL;

		if (node->type != XML_ELEMENT_NODE)
			continue;
		if (fit_xml_is_in(node, FIT_RECORD_NAMESPACE, "before"))
			slot = &facet->before;
		else if (fit_xml_is_in(node, FIT_RECORD_NAMESPACE, "wrote"))
			slot = &facet->wrote;
		if (!slot || *slot || node->properties)
			return refuse(&((struct place){place->name, node, NULL}), err,
				"<%s> is not expected here", node->name);
		*slot = fit_xml_text(node);
	}
	return 0;
}

static int check_element(xmlNode *scope, const struct fit_path *path, const char *value,
	const char *where, struct fit_err *err)
{
	const struct fit_path_step *step = &path->steps[path->step_count - 1];
	xmlNode *node;
	bool matches;

	if (!value)
		return 0;
	node = fit_fragment_element(scope, value, where, err);
	if (!node)
		return -1;
	matches = fit_path_step_matches(step, node);
	xmlFreeNode(node);
	return matches ? 0
		       : fit_err_set(err, FIT_ERR_INVALID, "%s: '%.80s' is not what the path names",
				 where, value);
}

/* Where the path leads to, as far as it exists: prefixes may be declared anywhere on the way. */
static xmlNode *scope_of(const struct place *place, const struct fit_path *path)
{
	xmlNode *root = xmlDocGetRootElement(place->node->doc);

	for (size_t count = path->step_count - 1; count > 0; count--) {
		xmlNode *node = fit_lookup_path(place->lookup, path, count, root);

		if (node)
			return node;
	}
	return root;
}

static bool is_metadata(const struct fit_path *path)
{
	return path->step_count == 1 && strcmp(path->steps[0].name, "metadata") == 0;
}

static int check_values(const struct place *place, const struct fit_facet *facet,
	const struct fit_path *path, struct fit_err *err)
{
	fit_autofree char *where =
		fit_xasprintf("%s: record of virt-fit: facet %s", place->name, facet->path);
	xmlNode *scope;

	/* <metadata> itself may have been created for the record. */
	if (!fit_path_is_editable(path) && (!facet->container || !is_metadata(path)))
		return refuse(place, err, "facet %s: virt-fit does not change <%s>", facet->path,
			path->steps[0].name);
	if (facet->container)
		return facet->before || facet->wrote || path->kind != FIT_PATH_ELEMENT
			       ? refuse(place, err, "facet %s is a container with a value",
					 facet->path)
			       : 0;
	if (path->kind == FIT_PATH_ATTRIBUTE || (path->kind == FIT_PATH_TEXT && !facet->before))
		return 0;
	scope = scope_of(place, path);
	if (path->kind == FIT_PATH_TEXT)
		return fit_fragment_check_content(scope, facet->before, where, err);
	if (!facet->before && !facet->wrote)
		return fit_device_address_is(path)
			       ? 0
			       : refuse(place, err, "facet %s has no value", facet->path);
	if (check_element(scope, path, facet->before, where, err) < 0)
		return -1;
	return check_element(scope, path, facet->wrote, where, err);
}

static int read_facet(const struct place *place, struct fit_facet *facet, struct fit_err *err)
{
	static const char *const known[] = {
		"path", "before", "wrote", "lead", "position", "rank", "container", "sole"};
	fit_autopath struct fit_path path = {0};

	if (check_attributes(place, known, FIT_ARRAY_SIZE(known), err) < 0)
		return -1;
	facet->path = fit_xml_attr(place->node, "path");
	if (!facet->path)
		return refuse(place, err, "<facet> without path=");
	if (fit_path_parse(facet->path, &path, err) < 0)
		return fit_err_prefix(
			err, "%s:%u: record of virt-fit: ", place->name, fit_xml_line(place->node));
	facet->before = fit_xml_attr(place->node, "before");
	facet->wrote = fit_xml_attr(place->node, "wrote");
	facet->lead = fit_xml_attr(place->node, "lead");
	if (path.kind == FIT_PATH_ELEMENT && (facet->before || facet->wrote))
		return refuse(place, err, "facet %s is an element with a value as attribute",
			facet->path);
	if (read_values(place, facet, err) < 0 ||
		read_flag(place, "container", &facet->container, err) < 0 ||
		read_flag(place, "sole", &facet->sole, err) < 0 ||
		read_number(place, "position", &facet->position, err) < 0 ||
		read_number(place, "rank", &facet->rank, err) < 0)
		return -1;
	return check_values(place, facet, &path, err);
}

static int read_fitted(const struct place *place, struct fit_record *record, struct fit_err *err)
{
	static const char *const known[] = {"version", "profile", "digest", "host", "controllers",
		"sole", "qemu-namespace", "metadata", "only", "floating"};
	struct fit_cpuset floating;

	if (check_attributes(place, known, FIT_ARRAY_SIZE(known), err) < 0 ||
		read_flag(place, "sole", &record->sole, err) < 0 ||
		read_flag(place, "qemu-namespace", &record->qemu_declared, err) < 0 ||
		read_flag(place, "metadata", &record->had_metadata, err) < 0)
		return -1;
	record->version = fit_xml_attr(place->node, "version");
	record->profile = fit_xml_attr(place->node, "profile");
	record->digest = fit_xml_attr(place->node, "digest");
	record->host = fit_xml_attr(place->node, "host");
	record->controllers = fit_xml_attr(place->node, "controllers");
	record->only = fit_xml_attr(place->node, "only");
	record->floating = fit_xml_attr(place->node, "floating");
	if (!record->version || !record->profile || !record->digest || !record->host)
		return refuse(place, err, "version=, profile=, digest= and host= are needed");
	if (record->floating && fit_cpuset_parse_list(record->floating, &floating, NULL) < 0)
		return refuse(place, err, "floating='%.80s' is no list of vCPUs", record->floating);
	for (xmlNode *node = place->node->children; node; node = node->next) {
		const struct place facet = {place->name, node, place->lookup};

		if (node->type != XML_ELEMENT_NODE)
			continue;
		if (!fit_xml_is_in(node, FIT_RECORD_NAMESPACE, "facet"))
			return refuse(&facet, err, "<%s> is not expected here", node->name);
		if (record->facet_count == FACETS_MAX)
			return refuse(&facet, err, "more than %d facets", FACETS_MAX);
		if (read_facet(&facet, FIT_APPEND(record->facets, record->facet_count), err) < 0)
			return -1;
	}
	return 0;
}

/* Another format of the record, or something else in its namespace. */
static int refuse_foreign(xmlDoc *doc, const char *name, struct fit_err *err)
{
	const xmlNode *metadata = fit_xml_child(xmlDocGetRootElement(doc), "metadata");

	for (const xmlNode *node = metadata ? metadata->children : NULL; node; node = node->next) {
		const struct place place = {name, node, NULL};

		if (node->type != XML_ELEMENT_NODE || !node->ns || !node->ns->href ||
			!fit_starts_with((const char *)node->ns->href, NAMESPACE_STEM) ||
			fit_xml_is_in(node, FIT_RECORD_NAMESPACE, "fitted"))
			continue;
		return refuse(&place, err,
			"<%s> of namespace %s is not understood: it was written by another version "
			"of virt-fit, which can revert it",
			node->name, node->ns->href);
	}
	return 0;
}

static int add_remedy(struct fit_err *err)
{
	struct fit_err cause;

	if (!err)
		return -1;
	cause = *err;
	return fit_err_set(err, cause.code,
		"%s; put it back as it was, or take <fitted> out of <metadata> (virsh edit): what was "
		"fitted counts as the definition's own then",
		cause.message);
}

int fit_record_read(
	xmlDoc *doc, const char *name, struct fit_record *ret_record, struct fit_err *err)
{
	fit_autolookup struct fit_lookup lookup = {0};
	const struct place place = {name, fit_record_find(doc), &lookup};
	struct fit_record record = {0};

	if (refuse_foreign(doc, name, err) < 0)
		return -1;
	if (!place.node)
		return 0;
	if (next_record(place.node->next))
		return refuse(&place, err, "there are two, remove one");
	if (read_fitted(&place, &record, err) < 0) {
		fit_record_clear(&record);
		return add_remedy(err);
	}
	*ret_record = record;
	return 1;
}

static void set(xmlNode *node, const char *attribute, const char *value)
{
	if (value)
		xmlNewProp(node, (const xmlChar *)attribute, (const xmlChar *)value);
}

static void set_number(xmlNode *node, const char *attribute, int number)
{
	fit_autofree char *text = fit_xasprintf("%d", number);

	set(node, attribute, number >= 0 ? text : NULL);
}

static void add_value(xmlNode *facet, const char *name, const char *value)
{
	if (value)
		xmlNewTextChild(facet, facet->ns, (const xmlChar *)name, (const xmlChar *)value);
}

static void add_facet(xmlNode *parent, const struct fit_facet *facet)
{
	xmlNode *node = xmlNewChild(parent, parent->ns, (const xmlChar *)"facet", NULL);
	fit_autopath struct fit_path path = {0};

	set(node, "path", facet->path);
	set(node, "container", facet->container ? "yes" : NULL);
	set(node, "sole", facet->sole ? "yes" : NULL);
	set(node, "lead", facet->lead);
	set_number(node, "position", facet->position);
	set_number(node, "rank", facet->rank);
	if (fit_path_parse(facet->path, &path, NULL) == 0 && path.kind == FIT_PATH_ELEMENT) {
		add_value(node, "before", facet->before);
		add_value(node, "wrote", facet->wrote);
	} else {
		set(node, "before", facet->before);
		set(node, "wrote", facet->wrote);
	}
}

xmlNode *fit_record_print(xmlDoc *doc, const struct fit_record *record)
{
	xmlNode *node = xmlNewDocNode(doc, NULL, (const xmlChar *)"fitted", NULL);

	xmlSetNs(node,
		xmlNewNs(node, (const xmlChar *)FIT_RECORD_NAMESPACE, (const xmlChar *)PREFIX));
	set(node, "version", record->version);
	set(node, "profile", record->profile);
	set(node, "digest", record->digest);
	set(node, "host", record->host);
	set(node, "only", record->only);
	set(node, "floating", record->floating);
	set(node, "controllers", record->controllers);
	set(node, "sole", record->sole ? "yes" : NULL);
	set(node, "qemu-namespace", record->qemu_declared ? "yes" : NULL);
	set(node, "metadata", record->had_metadata ? "yes" : NULL);
	for (size_t i = 0; i < record->facet_count; i++)
		add_facet(node, &record->facets[i]);
	return node;
}
