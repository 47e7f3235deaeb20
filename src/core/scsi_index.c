/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/scsi_index.h"

#include "base/memory.h"
#include "base/text.h"
#include "core/cpuset.h"
#include "core/xml.h"

static bool is_scsi(const xmlNode *node)
{
	fit_autofree char *type = fit_xml_attr(node, "type");

	return fit_xml_is(node, "controller") && fit_streq(type, "scsi");
}

static bool has_index(const xmlNode *node)
{
	return xmlHasNsProp(node, (const xmlChar *)"index", NULL);
}

static struct fit_cpuset given_numbers(const xmlNode *devices)
{
	struct fit_cpuset given = {0};

	fit_xml_for_each (node, devices, "controller") {
		fit_autofree char *text = is_scsi(node) ? fit_xml_attr(node, "index") : NULL;
		uint64_t index;

		if (text && fit_parse_uint(text, FIT_CPUSET_MAX - 1, &index))
			fit_cpuset_add(&given, (unsigned int)index);
	}
	return given;
}

bool fit_scsi_index_expected(const xmlNode *controller, unsigned int *ret_index)
{
	struct fit_cpuset given;
	unsigned int index = 0;

	if (!is_scsi(controller) || has_index(controller))
		return false;
	given = given_numbers(controller->parent);
	fit_xml_for_each (node, controller->parent, "controller") {
		if (!is_scsi(node) || has_index(node))
			continue;
		while (index + 1 < FIT_CPUSET_MAX && fit_cpuset_contains(&given, index))
			index++;
		if (node == controller)
			break;
		index++;
	}
	*ret_index = index;
	return true;
}
