/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_arrival.h"

#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"

static void drop(xmlNode *node)
{
	xmlUnlinkNode(node);
	xmlFreeNode(node);
}

static void drop_children(xmlNode *parent, const char *name)
{
	xmlNode *node;

	while (parent && (node = fit_xml_child(parent, name)))
		drop(node);
}

static void drop_placements(xmlDoc *doc)
{
	xmlNode *root = xmlDocGetRootElement(doc);
	xmlNode *devices = fit_xml_child(root, "devices");

	for (const char *const *name = (const char *const[]){"metadata", "cputune", "numatune",
		     "iothreads", "iothreadids", NULL};
		*name; name++)
		drop_children(root, *name);
	drop_children(fit_xml_child(root, "memoryBacking"), "hugepages");
	for (xmlNode *device = devices ? fit_xml_child(devices, NULL) : NULL; device;
		device = fit_xml_next(device, NULL)) {
		xmlNode *driver = fit_xml_child(device, "driver");
		const xmlNode *alias = fit_xml_child(device, "alias");
		fit_autofree char *name = alias ? fit_xml_attr(alias, "name") : NULL;

		if (name && fit_starts_with(name, "ua-virt-fit-vf"))
			drop_children(device, "source");
		if (!driver)
			continue;
		xmlUnsetProp(driver, (const xmlChar *)"iothread");
		drop_children(driver, "iothreads");
		if (!driver->properties && !fit_xml_child(driver, NULL))
			drop(driver);
	}
	if (fit_xml_child(root, "memoryBacking") &&
		!fit_xml_child(fit_xml_child(root, "memoryBacking"), NULL))
		drop_children(root, "memoryBacking");
}

bool fit_test_same_for_the_guest(xmlDoc *before, xmlDoc *after)
{
	drop_placements(before);
	drop_placements(after);
	return fit_xml_equivalent(xmlDocGetRootElement(before), xmlDocGetRootElement(after));
}
