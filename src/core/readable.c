/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/readable.h"

#include "core/layout.h"
#include "core/record.h"
#include "core/xml.h"

static void drop(xmlNode *node)
{
	fit_layout_drop(node);
	xmlFreeNode(node);
}

char *fit_readable(const char *xml, size_t length, const char *name, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, length, name, err);
	xmlNode *record = doc ? fit_record_find(doc) : NULL;
	xmlNode *metadata;

	if (record)
		drop(record);
	/* Ours alone, or left by it: libvirt drops an empty one. */
	metadata = doc ? fit_xml_child(xmlDocGetRootElement(doc), "metadata") : NULL;
	if (metadata && fit_layout_is_hollow(metadata))
		drop(metadata);
	return doc ? fit_xml_print(doc) : NULL;
}
