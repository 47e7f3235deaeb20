/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_libvirt.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/cpuset.h"
#include "core/layout.h"
#include "core/xml.h"

/* The order in which libvirt prints: of another source than the rewriter's own table, which it is
 * there to test. Elements that are not listed come last, as they stood. */
static const struct {
	const char *parent;
	const char *const *children;
} orders[] = {
	{"domain", (const char *const[]){"name", "uuid", "genid", "title", "description",
			   "metadata", "maxMemory", "memory", "currentMemory", "blkiotune",
			   "memtune", "memoryBacking", "vcpu", "vcpus", "iothreads", "iothreadids",
			   "defaultiothread", "cputune", "numatune", "resource", "sysinfo", "os",
			   "features", "cpu", "clock", "on_poweroff", "on_reboot", "on_crash", "pm",
			   "perf", "devices", "seclabel", "launchSecurity", NULL}},
	{"memoryBacking", (const char *const[]){"hugepages", "nosharepages", "locked", "source",
				  "access", "allocation", "discard", NULL}},
	{"cputune",
		(const char *const[]){"shares", "period", "quota", "global_period", "global_quota",
			"emulator_period", "emulator_quota", "iothread_period", "iothread_quota",
			"vcpupin", "emulatorpin", "iothreadpin", "emulatorsched", "vcpusched",
			"iothreadsched", "cachetune", "memorytune", NULL}},
	{"numatune", (const char *const[]){"memory", "memnode", NULL}},
	{"cpu", (const char *const[]){"model", "vendor", "topology", "cache", "maxphysaddr",
			"feature", "numa", NULL}},
	{"devices", (const char *const[]){"emulator", "disk", "controller", "lease", "filesystem",
			    "interface", "smartcard", "serial", "parallel", "console", "channel",
			    "input", "tpm", "graphics", "sound", "audio", "video", "hostdev",
			    "redirdev", "hub", "watchdog", "memballoon", "rng", "nvram", "panic",
			    "shmem", "memory", "crypto", "iommu", "vsock", NULL}},
	{"disk", (const char *const[]){"driver", "auth", "source", "backingStore", "geometry",
			 "blockio", "mirror", "target", "iotune", "readonly", "shareable",
			 "transient", "serial", "wwn", "vendor", "product", "boot", "encryption",
			 "alias", "address", NULL}},
	{"interface", (const char *const[]){"mac", "source", "vlan", "model", "driver", "boot",
			      "rom", "link", "teaming", "alias", "address", NULL}},
	{"hostdev",
		(const char *const[]){"driver", "source", "boot", "rom", "alias", "address", NULL}},
	{"controller", (const char *const[]){"driver", "model", "target", "address", NULL}},
};

static size_t rank(const xmlNode *node)
{
	size_t i = 0;

	for (size_t j = 0; j < FIT_ARRAY_SIZE(orders); j++) {
		const char *const *children = orders[j].children;

		if (!fit_xml_is(node->parent, orders[j].parent))
			continue;
		while (children[i] && !fit_xml_is(node, children[i]))
			i++;
		break;
	}
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

static unsigned int number_of(const xmlNode *node, const char *attribute)
{
	fit_autofree char *text = fit_xml_attr(node, attribute);

	return text ? (unsigned int)strtoul(text, NULL, 0) : 0;
}

/* Does libvirt print @a behind @b, which has the same name? */
static bool is_later(const xmlNode *a, const xmlNode *b)
{
	static const struct {
		const char *name;
		const char *number;
	} numbered[] = {{"vcpupin", "vcpu"}, {"iothreadpin", "iothread"}, {"memnode", "cellid"},
		{"vcpusched", "vcpus"}, {"iothreadsched", "iothreads"}};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(numbered); i++)
		if (fit_xml_is(a, numbered[i].name))
			return number_of(a, numbered[i].number) > number_of(b, numbered[i].number);
	if (fit_xml_is(a, "disk")) {
		const xmlNode *a_target = fit_xml_child(a, "target");
		const xmlNode *b_target = fit_xml_child(b, "target");
		fit_autofree char *bus = fit_xml_attr(a_target, "bus");
		fit_autofree char *a_name = fit_xml_attr(a_target, "dev");
		fit_autofree char *b_name = fit_xml_attr(b_target, "dev");

		return bus && b_target && attribute_is(b_target, "bus", bus) && a_name && b_name &&
		       strcmp(a_name, b_name) > 0;
	}
	return false;
}

/* Stable: what libvirt does not sort keeps its order. */
static bool is_behind(const xmlNode *a, const xmlNode *b)
{
	if (rank(a) != rank(b) || a->type != XML_ELEMENT_NODE ||
		!fit_xml_is(b, (const char *)a->name))
		return rank(a) > rank(b);
	return is_later(a, b);
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

/* Libvirt has an order for the attributes of each element; here it is that of the alphabet,
 * backwards, which nobody writes. */
static void sort_attributes(xmlNode *node)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (xmlAttr *attr = node->properties; attr && attr->next; attr = attr->next) {
			xmlAttr *next = attr->next;

			if (attr->ns || next->ns ||
				strcmp((const char *)attr->name, (const char *)next->name) >= 0)
				continue;
			fit_layout_move_attribute(next, fit_layout_position((xmlNode *)attr));
			moved = true;
			break;
		}
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

static void set_number(xmlNode *node, const char *name, unsigned int value)
{
	fit_autofree char *number = fit_xasprintf("%u", value);

	set(node, name, number);
}

static bool has_iothread(const xmlNode *ids, unsigned int id)
{
	fit_xml_for_each (node, ids, "iothread")
		if (number_of(node, "id") == id)
			return true;
	return false;
}

/* The number counts at least the ids; where one has an id, all get one. */
static void count_iothreads(xmlNode *root)
{
	xmlNode *count = fit_xml_child(root, "iothreads");
	xmlNode *ids = fit_xml_child(root, "iothreadids");
	fit_autofree char *stated = fit_xml_text(count);
	unsigned long number = stated ? strtoul(stated, NULL, 10) : 0;
	unsigned long listed = 0;
	fit_autofree char *text = NULL;

	while (count && fit_xml_next(count, "iothreads"))
		drop(fit_xml_next(count, "iothreads"));
	fit_xml_for_each (node, ids, "iothread")
		listed++;
	for (unsigned int id = 1; listed && listed < number && number < 1000; id++) {
		if (has_iothread(ids, id))
			continue;
		set_number(xmlNewChild(ids, NULL, (const xmlChar *)"iothread", NULL), "id", id);
		listed++;
	}
	number = listed > number ? listed : number;
	if (count && number == 0)
		drop(count);
	if (number == 0)
		return;
	if (!count)
		count = xmlNewChild(root, NULL, (const xmlChar *)"iothreads", NULL);
	text = fit_xasprintf("%lu", number);
	xmlNodeSetContent(count, (const xmlChar *)text);
}

static bool is_dropped_when_empty(const xmlNode *node)
{
	static const char *const names[] = {"cputune", "numatune", "memoryBacking", "iothreadids"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(names); i++)
		if (fit_xml_is(node, names[i]))
			return !node->children;
	return false;
}

/* <metadata>, and what libvirt knows of other namespaces below the root: but for white space. */
static bool is_kept(const xmlNode *node)
{
	return fit_xml_is(node, "metadata") ||
	       (node->type == XML_ELEMENT_NODE && node->ns &&
		       node->parent == xmlDocGetRootElement(node->doc));
}

static void drop_foreign_attributes(const xmlNode *node)
{
	xmlAttr *next;

	for (xmlAttr *attr = node->properties; attr; attr = next) {
		next = attr->next;
		if (attr->ns)
			xmlRemoveProp(attr);
	}
}

static bool is_text(const xmlNode *node)
{
	return node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE;
}

static void clean_inside(xmlNode *node)
{
	xmlNode *next;

	for (xmlNode *child = node->children; child; child = next) {
		next = child->next;
		if (xmlIsBlankNode(child))
			drop(child);
		else
			clean_inside(child);
	}
}

static void clean(xmlNode *node)
{
	/* A name is read as text, whatever else is in it. */
	bool has_elements = !fit_xml_is(node, "name") &&
			    (fit_xml_child(node, NULL) || fit_xml_is(node, "devices"));
	xmlNode *next;

	drop_foreign_attributes(node);
	for (xmlNode *child = node->children; child; child = next) {
		next = child->next;
		if (is_kept(child)) {
			clean_inside(child);
		} else if (child->type == XML_ELEMENT_NODE && !child->ns) {
			clean(child);
			if (is_dropped_when_empty(child))
				drop(child);
		} else if (!is_text(child) || has_elements || xmlIsBlankNode(child)) {
			drop(child);
		}
	}
	spell(node);
	add_defaults(node);
}

static void add_controller(xmlNode *devices, unsigned int index, const char *model)
{
	xmlNode *node = xmlNewChild(devices, NULL, (const xmlChar *)"controller", NULL);

	set(node, "type", "pci");
	set_number(node, "index", index);
	set(node, "model", model);
}

/* The first bus that no controller provides and no device is on; there is a root bus. */
static unsigned int next_bus(xmlNode *devices)
{
	bool has_root = false;
	unsigned int highest = 0;

	fit_xml_for_each (node, devices, NULL) {
		bool provides = fit_xml_is(node, "controller") && attribute_is(node, "type", "pci");
		unsigned int bus = number_of(fit_xml_child(node, "address"), "bus");

		has_root = has_root || provides;
		if (provides && number_of(node, "index") > bus)
			bus = number_of(node, "index");
		highest = bus > highest ? bus : highest;
	}
	if (!has_root)
		add_controller(devices, 0, "pcie-root");
	return highest + 1;
}

static bool has_controller(const xmlNode *devices, const char *type, unsigned int index)
{
	fit_xml_for_each (node, devices, "controller")
		if (attribute_is(node, "type", type) && has_attribute(node, "index") &&
			number_of(node, "index") == index)
			return true;
	return false;
}

/* The lowest numbers that are free. */
static void number_controllers(xmlNode *devices)
{
	fit_xml_for_each (node, devices, "controller") {
		fit_autofree char *type = fit_xml_attr(node, "type");
		unsigned int index = 0;

		if (!type || has_attribute(node, "index") || fit_streq(type, "usb"))
			continue;
		while (has_controller(devices, type, index))
			index++;
		set_number(node, "index", index);
	}
}

/* Those that disks are on, and all below. */
static void add_disk_controllers(xmlNode *devices)
{
	fit_xml_for_each (disk, devices, "disk") {
		fit_autofree char *bus = fit_xml_attr(fit_xml_child(disk, "target"), "bus");
		const xmlNode *address = fit_xml_child(disk, "address");
		unsigned int last = attribute_is(address, "type", "drive")
					    ? number_of(address, "controller")
					    : 0;

		if (!fit_streq(bus, "scsi") && !fit_streq(bus, "sata"))
			continue;
		for (unsigned int index = 0; index <= last && index < 8; index++) {
			xmlNode *node;

			if (has_controller(devices, bus, index))
				continue;
			node = xmlNewChild(devices, NULL, (const xmlChar *)"controller", NULL);
			set(node, "type", bus);
			set_number(node, "index", index);
		}
	}
}

#define BUS_MAX 255

static bool needs_port(const xmlNode *device)
{
	return !fit_xml_child(device, "address") &&
	       (fit_xml_is(device, "interface") ||
		       (fit_xml_is(device, "memballoon") &&
			       attribute_is(device, "model", "virtio")));
}

/* Every interface gets a MAC, and it and the balloon a root port behind those that are there. What
 * is none has no address. */
static void lay_out_buses(xmlNode *devices)
{
	unsigned int next = next_bus(devices);
	unsigned int serial = 0;

	fit_xml_for_each (node, devices, NULL) {
		fit_autofree char *mac = fit_xasprintf("52:54:00:00:00:%02x", serial);
		fit_autofree char *bus = fit_xasprintf("0x%02x", next);
		xmlNode *address;

		serial += fit_xml_is(node, "interface");
		if (fit_xml_is(node, "interface") && !fit_xml_child(node, "mac"))
			set(xmlNewChild(node, NULL, (const xmlChar *)"mac", NULL), "address", mac);
		if (fit_xml_is(node, "memballoon") && attribute_is(node, "model", "none"))
			while (node->children)
				drop(node->children);
		if (!needs_port(node) || next > BUS_MAX)
			continue;
		address = xmlNewChild(node, NULL, (const xmlChar *)"address", NULL);
		set(address, "type", "pci");
		set(address, "bus", bus);
		add_controller(devices, next++, "pcie-root-port");
	}
}

/* Each before the first one of its type that has a higher number, wherever that is. */
static void sort_controllers(xmlNode *devices)
{
	xmlNode *next;

	for (xmlNode *node = fit_xml_child(devices, "controller"); node; node = next) {
		fit_autofree char *type = fit_xml_attr(node, "type");

		next = fit_xml_next(node, "controller");
		fit_xml_for_each (other, devices, "controller") {
			if (other == node)
				break;
			if (!type || !attribute_is(other, "type", type) ||
				number_of(other, "index") <= number_of(node, "index"))
				continue;
			xmlAddPrevSibling(other, node);
			break;
		}
	}
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

static void sort(xmlNode *node)
{
	sort_attributes(node);
	sort_children(node);
	fit_xml_for_each (child, node, NULL)
		if (!is_kept(child))
			sort(child);
}

void sort_as_libvirt(xmlDoc *doc)
{
	sort(xmlDocGetRootElement(doc));
}

void normalise_as_libvirt(xmlDoc *doc)
{
	xmlNode *root = xmlDocGetRootElement(doc);

	clean(root);
	count_iothreads(root);
	if (!fit_xml_child(root, "devices"))
		xmlNewChild(root, NULL, (const xmlChar *)"devices", NULL);
	number_controllers(fit_xml_child(root, "devices"));
	add_disk_controllers(fit_xml_child(root, "devices"));
	lay_out_buses(fit_xml_child(root, "devices"));
	sort_controllers(fit_xml_child(root, "devices"));
	sort(root);
	indent(root, 0);
}
