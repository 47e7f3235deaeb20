/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/controllers.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "core/cpuset.h"
#include "core/layout.h"
#include "core/xml.h"

#define BUS_MAX	      255
#define MULTIFUNCTION ":multifunction"

/* "0x0a" as libvirt prints it, or "10". */
static bool parse_bus(const char *text, unsigned int *ret_bus)
{
	uint64_t value;
	bool valid = fit_starts_with(text, "0x") ? fit_parse_hex(text + 2, BUS_MAX, &value)
						 : fit_parse_uint(text, BUS_MAX, &value);

	if (valid)
		*ret_bus = (unsigned int)value;
	return valid;
}

/* The guest PCI address of a device, NULL when it has none. */
static xmlNode *pci_address(const xmlNode *device)
{
	fit_xml_for_each (address, device, "address") {
		fit_autofree char *type = fit_xml_attr(address, "type");

		if (fit_streq(type, "pci"))
			return address;
	}
	return NULL;
}

/* The guest PCI bus that a device is on. */
static bool device_bus(const xmlNode *device, unsigned int *ret_bus)
{
	fit_autofree char *bus = fit_xml_attr(pci_address(device), "bus");

	return bus && parse_bus(bus, ret_bus);
}

static bool is_multifunction(const xmlNode *device)
{
	fit_autofree char *value = fit_xml_attr(pci_address(device), "multifunction");

	return fit_streq(value, "on");
}

/* The device of @devices that shares a guest slot with @device and is function 0 (@first), or any
 * that is not. */
static xmlNode *neighbour(xmlNode *devices, const xmlNode *device, bool first)
{
	const xmlNode *address = pci_address(device);
	fit_autofree char *bus = fit_xml_attr(address, "bus");
	fit_autofree char *slot = fit_xml_attr(address, "slot");

	fit_xml_for_each (other, devices, NULL) {
		const xmlNode *place = pci_address(other);
		fit_autofree char *other_bus = fit_xml_attr(place, "bus");
		fit_autofree char *other_slot = fit_xml_attr(place, "slot");
		fit_autofree char *function = fit_xml_attr(place, "function");

		if (bus && other != device && fit_streq(bus, other_bus) &&
			fit_streq(slot, other_slot) && fit_streq(function, "0x0") == first)
			return other;
	}
	return NULL;
}

/* The bus that a PCI controller provides. */
static bool controller_bus(const xmlNode *node, unsigned int *ret_bus)
{
	fit_autofree char *type = fit_xml_attr(node, "type");
	fit_autofree char *index = fit_xml_attr(node, "index");

	return fit_xml_is(node, "controller") && fit_streq(type, "pci") && index &&
	       parse_bus(index, ret_bus);
}

/* "scsi/0": a controller that is none of PCI. NULL for one, or without an index. To be freed. */
static char *other_name(const xmlNode *node)
{
	fit_autofree char *type = fit_xml_attr(node, "type");
	fit_autofree char *index = fit_xml_attr(node, "index");

	if (!fit_xml_is(node, "controller") || !type || fit_streq(type, "pci") || !index)
		return NULL;
	return fit_xasprintf("%s/%s", type, index);
}

/* The name of such a controller that a device is on, NULL when it is on none. To be freed. */
static char *device_other(const xmlNode *device)
{
	const xmlNode *address = fit_xml_child(device, "address");
	fit_autofree char *type = fit_xml_attr(address, "type");
	fit_autofree char *controller = fit_xml_attr(address, "controller");
	fit_autofree char *bus = fit_xml_attr(fit_xml_child(device, "target"), "bus");

	if (!controller)
		return NULL;
	if (fit_streq(type, "drive") && bus)
		return fit_xasprintf("%s/%s", bus, controller);
	return fit_streq(type, "virtio-serial") ? fit_xasprintf("virtio-serial/%s", controller)
						: NULL;
}

char *fit_controllers_list(xmlNode *root)
{
	fit_autobuffer struct fit_buffer out = {0};

	fit_xml_for_each (node, fit_xml_child(root, "devices"), "controller") {
		fit_autofree char *type = fit_xml_attr(node, "type");
		fit_autofree char *other = other_name(node);
		unsigned int bus;

		if (other)
			fit_buffer_addf(&out, "%s%s", out.length ? " " : "", other);
		if (!fit_streq(type, "pci"))
			continue;
		if (!controller_bus(node, &bus))
			return NULL;
		fit_buffer_addf(&out, "%s%u%s", out.length ? " " : "", bus,
			is_multifunction(node) ? MULTIFUNCTION : "");
	}
	return out.length ? fit_buffer_steal(&out) : NULL;
}

static void add_bus(const xmlNode *device, struct fit_cpuset *buses)
{
	unsigned int bus;

	if (device_bus(device, &bus))
		fit_cpuset_add(buses, bus);
}

static bool is_one_of(const xmlNode *node, xmlNode *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == node)
			return true;
	return false;
}

/* Buses that devices are on, other than the @count devices of @except. */
static struct fit_cpuset buses_in_use(xmlNode *devices, xmlNode *const *except, size_t count)
{
	struct fit_cpuset buses = {0};

	fit_xml_for_each (device, devices, NULL)
		if (!is_one_of(device, except, count))
			add_bus(device, &buses);
	return buses;
}

/* *@ret_multifunction: those of the list that are the first of several functions. */
static struct fit_cpuset parse_list(const char *text, struct fit_cpuset *ret_multifunction)
{
	fit_autostrlist struct fit_strlist words = {0};
	struct fit_cpuset buses = {0};
	unsigned int bus;

	*ret_multifunction = (struct fit_cpuset){0};
	fit_strlist_split(&words, text, " ");
	for (size_t i = 0; i < words.count; i++) {
		char *mark = strchr(words.items[i], ':');
		bool multifunction = fit_streq(mark, MULTIFUNCTION);

		if (multifunction)
			*mark = '\0';
		if (!parse_bus(words.items[i], &bus))
			continue;
		fit_cpuset_add(&buses, bus);
		if (multifunction)
			fit_cpuset_add(ret_multifunction, bus);
	}
	return buses;
}

/* Libvirt marks a port when it puts another one beside it into its slot: once that one is gone, the
 * mark goes too. The address has it last, as libvirt prints it. */
static void unmark(xmlNode *devices, const xmlNode *removed, const struct fit_cpuset *kept,
	const struct fit_cpuset *multifunction)
{
	xmlNode *first = neighbour(devices, removed, true);
	unsigned int bus;

	if (first && is_multifunction(first) && controller_bus(first, &bus) &&
		fit_cpuset_contains(kept, bus) && !fit_cpuset_contains(multifunction, bus) &&
		neighbour(devices, removed, false) == NULL)
		xmlUnsetProp(pci_address(first), (const xmlChar *)"multifunction");
}

static void mark_again(xmlNode *devices, const xmlNode *restored)
{
	xmlNode *first = neighbour(devices, restored, true);

	if (first && !is_multifunction(first))
		xmlNewProp(pci_address(first), (const xmlChar *)"multifunction",
			(const xmlChar *)"on");
}

static void remove_one(xmlNode *node, struct fit_remains *remains)
{
	struct fit_remain *remain;

	if (!remains) {
		fit_layout_drop(node);
		xmlFreeNode(node);
		return;
	}
	remain = FIT_APPEND(remains->controller_items, remains->controller_count);
	remain->placeholder = fit_remains_replace(remains, node);
	remain->node = node;
}

static bool other_is_used(xmlNode *devices, const char *name, xmlNode *const *except, size_t count)
{
	fit_xml_for_each (device, devices, NULL) {
		fit_autofree char *used = device_other(device);

		if (fit_streq(used, name) && !is_one_of(device, except, count))
			return true;
	}
	return false;
}

/* For the bridge to a conventional bus libvirt adds a root port, numbered before it, and puts the
 * bridge into the first port that is free. The number of that root port; 0 for other devices. */
static unsigned int port_of_bridge(const xmlNode *node)
{
	fit_autofree char *model = fit_xml_attr(node, "model");
	unsigned int bus;

	return fit_streq(model, "pcie-to-pci-bridge") && controller_bus(node, &bus) && bus ? bus - 1
											   : 0;
}

/* Removes those that are not PCI's. Their own buses become candidates. */
static void remove_others(xmlNode *devices, const char *original, xmlNode *const *ours,
	size_t count, struct fit_cpuset *candidates, struct fit_remains *remains)
{
	fit_autostrlist struct fit_strlist kept = {0};
	xmlNode *next;

	fit_strlist_split(&kept, original, " ");
	for (xmlNode *node = fit_xml_child(devices, "controller"); node; node = next) {
		fit_autofree char *name = other_name(node);
		bool is_candidate = false;

		next = fit_xml_next(node, "controller");
		for (size_t i = 0; name && i < count && !is_candidate; i++) {
			fit_autofree char *used = device_other(ours[i]);

			is_candidate = fit_streq(used, name);
		}
		if (!is_candidate || fit_strlist_contains(&kept, name) ||
			other_is_used(devices, name, ours, count))
			continue;
		add_bus(node, candidates);
		remove_one(node, remains);
	}
}

void fit_controllers_remove(xmlNode *root, const char *original, xmlNode *const *ours, size_t count,
	struct fit_remains *remains)
{
	xmlNode *devices = fit_xml_child(root, "devices");
	struct fit_cpuset multifunction;
	const struct fit_cpuset kept = parse_list(original, &multifunction);
	struct fit_cpuset candidates = {0};
	bool again = true;

	for (size_t i = 0; i < count; i++)
		add_bus(ours[i], &candidates);
	remove_others(devices, original, ours, count, &candidates, remains);
	/* A root port may have been on a bridge that libvirt added for it: another round. */
	while (again) {
		struct fit_cpuset used = buses_in_use(devices, ours, count);
		xmlNode *next;
		unsigned int bus;

		again = false;
		fit_cpuset_subtract(&candidates, &kept);
		for (xmlNode *node = fit_xml_child(devices, "controller"); node; node = next) {
			next = fit_xml_next(node, "controller");
			if (!controller_bus(node, &bus) || !fit_cpuset_contains(&candidates, bus) ||
				fit_cpuset_contains(&used, bus) || is_one_of(node, ours, count))
				continue;
			add_bus(node, &candidates);
			if (port_of_bridge(node))
				fit_cpuset_add(&candidates, port_of_bridge(node));
			unmark(devices, node, &kept, &multifunction);
			remove_one(node, remains);
			again = true;
		}
	}
}

static bool came_with_bridge(xmlNode *devices, unsigned int bus)
{
	fit_xml_for_each (node, devices, "controller")
		if (bus && port_of_bridge(node) == bus)
			return true;
	return false;
}

static bool is_used(xmlNode *devices, const xmlNode *controller)
{
	struct fit_cpuset used = buses_in_use(devices, NULL, 0);
	fit_autofree char *name = other_name(controller);
	unsigned int bus;

	if (name)
		return other_is_used(devices, name, NULL, 0);
	return controller_bus(controller, &bus) &&
	       (fit_cpuset_contains(&used, bus) || came_with_bridge(devices, bus));
}

void fit_controllers_restore(xmlNode *root, struct fit_remains *remains)
{
	xmlNode *devices = fit_xml_child(root, "devices");

	/* In the order of removal: a port that is in use again puts the bridge it is on into use.
	 */
	for (size_t i = 0; i < remains->controller_count; i++) {
		struct fit_remain *remain = &remains->controller_items[i];

		if (!is_used(devices, remain->node))
			continue;
		fit_remain_put(remain, remain->node);
		mark_again(devices, remain->node);
		remain->node = NULL;
	}
}
