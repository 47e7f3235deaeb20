/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/qemu_namespace.h"

#include "core/xml.h"

xmlNs *fit_qemu_namespace_find(xmlNode *node)
{
	return xmlSearchNsByHref(node->doc, node, (const xmlChar *)FIT_QEMU_NAMESPACE);
}

xmlNs *fit_qemu_namespace_declare(xmlNode *root)
{
	return xmlNewNs(root, (const xmlChar *)FIT_QEMU_NAMESPACE, (const xmlChar *)"qemu");
}

static bool is_used(const xmlNode *node, const xmlNs *ns)
{
	if (node->ns == ns)
		return true;
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
		if (attr->ns == ns)
			return true;
	for (const xmlNode *child = node->children; child; child = child->next)
		if (child->type == XML_ELEMENT_NODE && is_used(child, ns))
			return true;
	return false;
}

bool fit_qemu_namespace_drop(xmlNode *root)
{
	xmlNs **link = &root->nsDef;

	while (*link && !xmlStrEqual((*link)->href, (const xmlChar *)FIT_QEMU_NAMESPACE))
		link = &(*link)->next;
	if (*link && is_used(root, *link))
		return false;
	if (*link) {
		xmlNs *unused = *link;

		*link = unused->next;
		xmlFreeNs(unused);
	}
	return true;
}
