/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/readable.h"

#include "core/layout.h"
#include "core/record.h"
#include "core/xml.h"

char *fit_readable(const char *xml, size_t length, const char *name, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, length, name, err);
	xmlNode *record = doc ? fit_record_find(doc) : NULL;

	if (record) {
		fit_layout_drop(record);
		xmlFreeNode(record);
	}
	return doc ? fit_xml_print(doc) : NULL;
}
