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
	fit_layout_indent(node);
	return 0;
}

int fit_request_put(const char *xml, size_t length, const char *name,
	const struct fit_request *request, char **ret_xml, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, length, name, err);
	xmlNode *root;
	xmlNode *metadata;

	if (!doc || fit_domain_check(doc, name, err) < 0)
		return -1;
	root = xmlDocGetRootElement(doc);
	metadata = fit_xml_child(root, "metadata");
	if (metadata)
		take_out(metadata);
	if (request && put_in(root, request, name, err) < 0)
		return -1;
	if (!request && metadata && fit_layout_is_hollow(metadata))
		drop(metadata);
	*ret_xml = fit_xml_print(doc);
	return 0;
}
