/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/request_edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/domain.h"
#include "core/layout.h"
#include "core/xml.h"

static void drop(xmlNode *node)
{
	fit_layout_drop(node);
	xmlFreeNode(node);
}

static void take_out(xmlNode *metadata)
{
	xmlNode *next;

	for (xmlNode *node = metadata->children; node; node = next) {
		next = node->next;
		if (fit_xml_is_in(node, FIT_REQUEST_NAMESPACE, "domain"))
			drop(node);
	}
}

static xmlNode *make_metadata(xmlNode *root)
{
	xmlNode *metadata = xmlNewDocNode(root->doc, NULL, (const xmlChar *)"metadata", NULL);

	if (!metadata)
		abort();
	fit_layout_insert(root, metadata);
	return metadata;
}

static int put_in(
	xmlNode *root, const struct fit_request *request, const char *name, struct fit_err *err)
{
	fit_autofree char *text = fit_request_print(request);
	fit_autodoc xmlDoc *doc = fit_xml_parse(text, strlen(text), name, err);
	xmlNode *metadata = fit_xml_child(root, "metadata");
	xmlNode *node = doc ? xmlDocCopyNode(xmlDocGetRootElement(doc), root->doc, 1) : NULL;

	if (!node)
		return -1;
	fit_layout_insert(metadata ? metadata : make_metadata(root), node);
	return 0;
}

static xmlDoc *read_domain(const char *xml, size_t length, const char *name, struct fit_err *err)
{
	xmlDoc *doc = fit_xml_parse(xml, length, name, err);

	if (doc && fit_domain_check(doc, name, err) < 0) {
		xmlFreeDoc(doc);
		return NULL;
	}
	return doc;
}

int fit_request_put(const char *xml, size_t length, const char *name,
	const struct fit_request *request, char **ret_xml, bool *ret_had_metadata,
	struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = read_domain(xml, length, name, err);
	xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
	xmlNode *metadata = fit_xml_child(root, "metadata");
	bool had_metadata = metadata && fit_layout_is_hollow(metadata);

	if (!doc)
		return -1;
	if (metadata)
		take_out(metadata);
	if (put_in(root, request, name, err) < 0)
		return -1;
	*ret_xml = fit_xml_print(doc);
	*ret_had_metadata = had_metadata;
	return 0;
}

int fit_request_remove(const char *xml, size_t length, const char *name, bool keep_metadata,
	char **ret_xml, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = read_domain(xml, length, name, err);
	xmlNode *metadata = doc ? fit_xml_child(xmlDocGetRootElement(doc), "metadata") : NULL;

	if (!doc)
		return -1;
	if (metadata)
		take_out(metadata);
	if (metadata && fit_layout_is_hollow(metadata)) {
		if (keep_metadata)
			fit_layout_close(metadata);
		else
			drop(metadata);
	}
	*ret_xml = fit_xml_print(doc);
	return 0;
}
