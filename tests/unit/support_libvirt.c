/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_libvirt.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/cpuset.h"
#include "core/xml.h"

static const char *const order[] = {"name", "uuid", "title", "metadata", "memory", "currentMemory",
	"memoryBacking", "vcpu", "iothreads", "iothreadids", "cputune", "numatune", "os",
	"features", "cpu", "clock", "on_crash", "devices",
	/* cputune, numatune, memoryBacking, cpu */
	"shares", "vcpupin", "emulatorpin", "iothreadpin", "memnode", "hugepages", "locked",
	"model", "topology", "cache", "feature", "numa",
	/* devices */
	"emulator", "disk", "controller", "interface", "console", "memballoon"};

static size_t rank(const xmlNode *node)
{
	size_t i = 0;

	while (i < FIT_ARRAY_SIZE(order) && !fit_xml_is(node, order[i]))
		i++;
	return i;
}

static void set(xmlNode *node, const char *name, const char *value)
{
	xmlSetNsProp(node, NULL, (const xmlChar *)name, (const xmlChar *)value);
}

static bool attribute_is(const xmlNode *node, const char *name, const char *value)
{
	fit_autofree char *have = fit_xml_attr(node, name);

	return fit_streq(have, value);
}

static bool has_attribute(const xmlNode *node, const char *name)
{
	return xmlHasNsProp(node, (const xmlChar *)name, NULL);
}

static void set_default(xmlNode *node, const char *name, const char *value)
{
	if (!has_attribute(node, name))
		set(node, name, value);
}

static void drop(xmlNode *node)
{
	xmlUnlinkNode(node);
	xmlFreeNode(node);
}

/* Stable: elements of one rank keep their order, vcpupins are sorted by number. */
static bool is_behind(const xmlNode *a, const xmlNode *b)
{
	fit_autofree char *a_number = fit_xml_attr(a, "vcpu");
	fit_autofree char *b_number = fit_xml_attr(b, "vcpu");

	if (rank(a) != rank(b) || !a_number || !b_number)
		return rank(a) > rank(b);
	return atoi(a_number) > atoi(b_number);
}

static void sort_children(xmlNode *parent)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (xmlNode *node = parent->children; node && node->next; node = node->next)
			if (is_behind(node, node->next)) {
				xmlAddPrevSibling(node, node->next);
				moved = true;
			}
	}
}

static void reverse_attributes(xmlNode *node)
{
	xmlAttr *last = node->properties;

	while (last && last->next)
		last = last->next;
	node->properties = last;
	for (xmlAttr *attr = last; attr; attr = attr->next) {
		xmlAttr *swap = attr->next;

		attr->next = attr->prev;
		attr->prev = swap;
	}
}

static void spell(xmlNode *node)
{
	static const char *const lists[] = {"cpuset", "nodeset"};
	fit_autofree char *size = fit_xml_attr(node, "size");
	fit_autofree char *unit = fit_xml_attr(node, "unit");
	uint64_t kib;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(lists); i++) {
		fit_autofree char *text = fit_xml_attr(node, lists[i]);
		fit_autofree char *canonical = NULL;
		struct fit_cpuset cpus;

		if (!text || fit_cpuset_parse_list(text, &cpus, NULL) < 0)
			continue;
		canonical = fit_cpuset_format_list(&cpus);
		set(node, lists[i], canonical);
	}
	if (size && unit && fit_parse_size_kib(size, unit, &kib)) {
		fit_autofree char *printed = fit_xasprintf("%ju", (uintmax_t)kib);

		set(node, "size", printed);
		set(node, "unit", "KiB");
	}
}

static void add_defaults(xmlNode *node)
{
	bool like_host = attribute_is(node, "mode", "host-passthrough") ||
			 attribute_is(node, "mode", "maximum");

	if (fit_xml_is(node, "cpu") && like_host) {
		set_default(node, "check", "none");
		set_default(node, "migratable", "on");
	} else if (fit_xml_is(node, "cpu")) {
		set_default(node, "check", "partial");
	} else if (fit_xml_is(node, "topology")) {
		set_default(node, "dies", "1");
		set_default(node, "clusters", "1");
	} else if (fit_xml_is(node, "vcpu")) {
		set_default(node, "placement", "static");
	} else if (fit_xml_is(node, "disk")) {
		xmlNode *driver = fit_xml_child(node, "driver");

		if (!driver)
			driver = xmlNewChild(node, NULL, (const xmlChar *)"driver", NULL);
		set_default(driver, "name", "qemu");
		set_default(driver, "type", "raw");
	}
}

static bool is_dropped_when_empty(const xmlNode *node)
{
	static const char *const names[] = {"cputune", "numatune", "memoryBacking", "iothreadids"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(names); i++)
		if (fit_xml_is(node, names[i]))
			return !node->children;
	return false;
}

static void clean(xmlNode *node, bool outside)
{
	bool has_elements = xmlChildElementCount(node) > 0;
	xmlNode *next;

	for (xmlNode *child = node->children; child; child = next) {
		bool here = outside && !fit_xml_is(child, "metadata");

		next = child->next;
		if (child->type == XML_ELEMENT_NODE) {
			clean(child, here);
			if (here && is_dropped_when_empty(child))
				drop(child);
		} else if (xmlIsBlankNode(child) || (outside && has_elements) ||
			   (outside && child->type != XML_TEXT_NODE &&
				   child->type != XML_CDATA_SECTION_NODE)) {
			drop(child);
		}
	}
	if (!outside)
		return;
	spell(node);
	add_defaults(node);
	sort_children(node);
	reverse_attributes(node);
}

static void set_number(xmlNode *node, const char *name, unsigned int value)
{
	fit_autofree char *number = fit_xasprintf("%u", value);

	set(node, name, number);
}

static void add_controller(xmlNode *devices, unsigned int index, const char *model)
{
	xmlNode *node = xmlNewChild(devices, NULL, (const xmlChar *)"controller", NULL);

	set(node, "type", "pci");
	set_number(node, "index", index);
	set(node, "model", model);
}

static unsigned int number_of(const xmlNode *node, const char *attribute)
{
	fit_autofree char *text = fit_xml_attr(node, attribute);

	return text ? (unsigned int)strtoul(text, NULL, 0) : 0;
}

/* The first bus that no controller provides and no device is on; there is a root bus. */
static unsigned int next_bus(xmlNode *devices)
{
	bool has_root = false;
	unsigned int highest = 0;

	fit_xml_for_each (node, devices, NULL) {
		bool provides = fit_xml_is(node, "controller") && attribute_is(node, "type", "pci");
		unsigned int bus = number_of(fit_xml_child(node, "address"), "bus");

		if (provides && !has_attribute(node, "index"))
			set_number(node, "index", has_root ? highest + 1 : 0);
		has_root = has_root || provides;
		if (provides && number_of(node, "index") > bus)
			bus = number_of(node, "index");
		highest = bus > highest ? bus : highest;
	}
	if (!has_root)
		add_controller(devices, 0, "pcie-root");
	return highest + 1;
}

/* Every interface gets a MAC, and a root port of its own behind those that are there. */
static void lay_out_buses(xmlNode *devices)
{
	unsigned int next = next_bus(devices);
	unsigned int serial = 0;

	fit_xml_for_each (node, devices, "interface") {
		fit_autofree char *mac = fit_xasprintf("52:54:00:00:00:%02x", serial++);
		fit_autofree char *bus = fit_xasprintf("0x%02x", next);
		xmlNode *address;

		if (!fit_xml_child(node, "mac"))
			set(xmlNewChild(node, NULL, (const xmlChar *)"mac", NULL), "address", mac);
		if (fit_xml_child(node, "address"))
			continue;
		address = xmlNewChild(node, NULL, (const xmlChar *)"address", NULL);
		set(address, "type", "pci");
		set(address, "bus", bus);
		add_controller(devices, next++, "pcie-root-port");
	}
	sort_children(devices);
}

static void indent(xmlNode *node, int depth)
{
	fit_autofree char *inner = fit_xasprintf("\n%*s", 2 * depth + 2, "");
	fit_autofree char *outer = fit_xasprintf("\n%*s", 2 * depth, "");

	if (xmlChildElementCount(node) == 0)
		return;
	for (const xmlNode *child = node->children; child; child = child->next)
		if (child->type == XML_TEXT_NODE)
			return;
	for (xmlNode *child = node->children; child; child = child->next) {
		xmlAddPrevSibling(child, xmlNewDocText(node->doc, (const xmlChar *)inner));
		indent(child, depth + 1);
	}
	xmlAddNextSibling(node->last, xmlNewDocText(node->doc, (const xmlChar *)outer));
}

void normalise_as_libvirt(xmlDoc *doc)
{
	xmlNode *root = xmlDocGetRootElement(doc);

	clean(root, true);
	if (!fit_xml_child(root, "devices"))
		xmlNewChild(root, NULL, (const xmlChar *)"devices", NULL);
	lay_out_buses(fit_xml_child(root, "devices"));
	indent(root, 0);
}
