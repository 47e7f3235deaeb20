/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/controller_index.h"

#include "base/memory.h"
#include "base/text.h"
#include "core/cpuset.h"
#include "core/xml.h"

/* The type of a controller that is numbered by itself; NULL for the others. To be freed. */
static char *numbered_type(const xmlNode *node)
{
	char *type = fit_xml_is(node, "controller") ? fit_xml_attr(node, "type") : NULL;

	if (fit_streq(type, "pci") || fit_streq(type, "usb"))
		fit_xreplace(&type, NULL);
	return type;
}

static bool is_of_type(const xmlNode *node, const char *type)
{
	fit_autofree char *own = numbered_type(node);

	return fit_streq(own, type);
}

static bool has_index(const xmlNode *node)
{
	return xmlHasNsProp(node, (const xmlChar *)"index", NULL);
}

static struct fit_cpuset given_numbers(const xmlNode *devices, const char *type)
{
	struct fit_cpuset given = {0};

	fit_xml_for_each (node, devices, "controller") {
		fit_autofree char *text =
			is_of_type(node, type) ? fit_xml_attr(node, "index") : NULL;
		uint64_t index;

		if (text && fit_parse_uint(text, FIT_CPUSET_MAX - 1, &index))
			fit_cpuset_add(&given, (unsigned int)index);
	}
	return given;
}

bool fit_controller_index_expected(const xmlNode *controller, unsigned int *ret_index)
{
	fit_autofree char *type = has_index(controller) ? NULL : numbered_type(controller);
	struct fit_cpuset given;
	unsigned int index = 0;

	if (!type)
		return false;
	given = given_numbers(controller->parent, type);
	fit_xml_for_each (node, controller->parent, "controller") {
		if (!is_of_type(node, type) || has_index(node))
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
