/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The domain view: disks, controllers, passed-through PCI devices, QEMU's own command line. */
#include "core/domain_parts.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/alias.h"
#include "core/controller_index.h"
#include "core/target.h"
#include "core/xml.h"

#define PCI_BUS_MAX 0xff

/* libvirt's default, where we need to know it: a disk called vdX is a virtio disk. */
static char *disk_bus(const xmlNode *target, const char *name)
{
	return fit_domain_attr_or(target, "bus", fit_starts_with(name, "vd") ? "virtio" : "");
}

static int read_disk(const struct fit_domain_reader *reader, const xmlNode *node)
{
	struct fit_domain *domain = reader->domain;
	const xmlNode *target = fit_xml_child(node, "target");
	const xmlNode *driver = fit_xml_child(node, "driver");
	fit_autofree char *name = fit_xml_attr(target, "dev");
	struct fit_domain_disk *disk;
	unsigned int iothread;
	bool present;

	if (!name || strchr(name, '\''))
		return fit_domain_fail(reader, node, "the disk has no (sensible) <target dev=>");
	if (fit_domain_optional_uint(reader, driver, "iothread", UINT32_MAX, &present, &iothread) <
		0)
		return -1;
	disk = FIT_APPEND(domain->disks, domain->disk_count);
	disk->target = FIT_STEAL(name);
	disk->type = fit_domain_attr_or(node, "type", "file");
	disk->bus = disk_bus(target, disk->target);
	disk->device = fit_domain_attr_or(node, "device", "disk");
	disk->cache = fit_xml_attr(driver, "cache");
	disk->io = fit_xml_attr(driver, "io");
	if (fit_streq(disk->type, "file"))
		disk->file = fit_xml_attr(fit_xml_child(node, "source"), "file");
	disk->iothread = iothread;
	disk->has_iothread_map = fit_xml_child(driver, "iothreads");
	return 0;
}

static int read_controller(const struct fit_domain_reader *reader, const xmlNode *node)
{
	struct fit_domain *domain = reader->domain;
	const xmlNode *driver = fit_xml_child(node, "driver");
	struct fit_domain_controller *controller;
	const xmlNode *target = fit_xml_child(node, "target");
	const xmlNode *cell = fit_xml_child(target, "node");
	fit_autofree char *cell_text = fit_xml_text(cell);
	unsigned int index;
	unsigned int iothread;
	unsigned int bus_number;
	uint64_t cell_number;
	bool has_index;
	bool present;

	if (fit_domain_optional_uint(reader, node, "index", UINT32_MAX, &has_index, &index) < 0 ||
		fit_domain_optional_uint(
			reader, driver, "iothread", UINT32_MAX, &present, &iothread) < 0 ||
		fit_domain_optional_uint(
			reader, target, "busNr", PCI_BUS_MAX, &present, &bus_number) < 0)
		return -1;
	if (!has_index)
		has_index = fit_controller_index_expected(node, &index);
	controller = FIT_APPEND(domain->controllers, domain->controller_count);
	controller->type = fit_domain_attr_or(node, "type", "");
	controller->model = fit_domain_attr_or(node, "model", "");
	controller->has_index = has_index;
	controller->index = index;
	controller->iothread = iothread;
	controller->alias = fit_xml_attr(fit_xml_child(node, "alias"), "name");
	controller->bus_number = bus_number;
	controller->cell =
		fit_parse_uint(cell_text, INT32_MAX, &cell_number) ? (int)cell_number : -1;
	if (has_index && fit_streq(controller->type, "pci") && index <= PCI_BUS_MAX)
		fit_cpuset_add(&domain->pci_buses, index);
	controller->has_iothread_map = fit_xml_child(driver, "iothreads");
	return 0;
}

static int read_pci_address(
	const struct fit_domain_reader *reader, const xmlNode *node, struct fit_pciaddr *ret_addr)
{
	const char *attribute;
	fit_autofree char *text = NULL;

	if (fit_xml_pciaddr(node, ret_addr, &attribute))
		return 0;
	text = fit_xml_attr(node, attribute);
	return fit_domain_fail(
		reader, node, "%s='%s' is no part of a PCI address", attribute, text);
}

static int add_hostdev(
	const struct fit_domain_reader *reader, const xmlNode *node, bool is_interface)
{
	struct fit_domain *domain = reader->domain;
	const xmlNode *address = fit_xml_find(node, "source/address");
	struct fit_domain_hostdev *hostdev;
	struct fit_pciaddr source;

	if (!address)
		return fit_domain_fail(reader, node, "the device has no <source><address>");
	if (read_pci_address(reader, address, &source) < 0)
		return -1;
	hostdev = FIT_APPEND(domain->hostdevs, domain->hostdev_count);
	hostdev->source = source;
	hostdev->is_interface = is_interface;
	hostdev->managed = fit_domain_attr_is(
		fit_xml_is(node, "disk") ? fit_xml_child(node, "source") : node, "managed", "yes");
	hostdev->alias = fit_xml_attr(fit_xml_child(node, "alias"), "name");
	hostdev->ours = fit_alias_is_ours(hostdev->alias);
	return 0;
}

/* Where the guest sees a device. */
static int read_guest_address(const struct fit_domain_reader *reader, const xmlNode *device)
{
	struct fit_domain *domain = reader->domain;

	fit_xml_for_each (node, device, "address") {
		struct fit_pciaddr addr;

		if (!fit_domain_attr_is(node, "type", "pci"))
			continue;
		if (read_pci_address(reader, node, &addr) < 0)
			return -1;
		fit_cpuset_add(&domain->pci_buses, addr.bus);
		*FIT_APPEND(domain->pci_slots, domain->pci_slot_count) =
			(struct fit_guest_slot){addr.bus, addr.slot};
	}
	return 0;
}

static bool is_pci_hostdev(const xmlNode *node)
{
	fit_autofree char *mode = fit_domain_attr_or(node, "mode", "subsystem");

	return fit_streq(mode, "subsystem") && fit_domain_attr_is(node, "type", "pci");
}

static bool is_pci_interface(const xmlNode *node)
{
	const xmlNode *address = fit_xml_find(node, "source/address");

	return fit_domain_attr_is(node, "type", "hostdev") &&
	       !fit_domain_attr_is(address, "type", "usb");
}

static void read_qemu_args(const xmlNode *root, struct fit_strlist *args)
{
	for (const xmlNode *line = root->children; line; line = line->next) {
		if (!fit_xml_is_in(line, FIT_QEMU_NAMESPACE, "commandline"))
			continue;
		for (const xmlNode *arg = line->children; arg; arg = arg->next) {
			fit_autofree char *value = NULL;

			if (!fit_xml_is_in(arg, FIT_QEMU_NAMESPACE, "arg"))
				continue;
			value = fit_xml_attr(arg, "value");
			if (value)
				fit_strlist_add(args, value);
		}
	}
}

static void add_interface(struct fit_domain *domain, const xmlNode *node)
{
	struct fit_domain_interface *interface =
		FIT_APPEND(domain->interfaces, domain->interface_count);

	interface->type = fit_domain_attr_or(node, "type", "");
	interface->mac = fit_xml_attr(fit_xml_child(node, "mac"), "address");
	interface->model = fit_domain_attr_or(fit_xml_child(node, "model"), "type", "");
	interface->network = fit_xml_attr(fit_xml_child(node, "source"), "network");
	interface->alias = fit_xml_attr(fit_xml_child(node, "alias"), "name");
	interface->has_teaming = fit_xml_child(node, "teaming");
}

/* As big as the pages of the system itself: for libvirt that is no huge page. */
static bool is_normal_page(const struct fit_domain *domain, uint64_t page_kib)
{
	return page_kib <= 4 || (page_kib == 64 && !(fit_machine_of(domain) & FIT_MACHINE_X86));
}

static int read_memory_source(const struct fit_domain_reader *reader, const xmlNode *node,
	struct fit_domain_memory_device *device, bool *ret_normal)
{
	const xmlNode *source = fit_xml_child(node, "source");
	const xmlNode *pagesize = fit_xml_child(source, "pagesize");
	const xmlNode *nodemask = fit_xml_child(source, "nodemask");
	fit_autofree char *nodes = fit_xml_text(nodemask);
	struct fit_err err = FIT_ERR_INIT;

	if (pagesize && fit_domain_read_size(reader, pagesize, &device->page_kib) < 0)
		return -1;
	if (nodemask && fit_cpuset_parse_list(nodes, &device->nodes, &err) < 0)
		return fit_domain_fail(reader, nodemask, "%s", err.message);
	device->has_nodes = !fit_cpuset_is_empty(&device->nodes);
	*ret_normal = pagesize && is_normal_page(reader->domain, device->page_kib);
	return 0;
}

/* A DIMM is allocated at start as its cell's memory is, unless it has a page size or nodes of its
 * own. Of virtio-mem the guest plugs what is requested as soon as it runs. Others are files or
 * enclaves. Libvirt gives what names no cell to the first. */
static int read_memory_device(const struct fit_domain_reader *reader, const xmlNode *node)
{
	const xmlNode *target = fit_xml_child(node, "target");
	const xmlNode *size = fit_xml_child(target, "size");
	const xmlNode *requested = fit_xml_child(target, "requested");
	fit_autofree char *text = fit_xml_text(fit_xml_child(target, "node"));
	bool is_virtio = fit_domain_attr_is(node, "model", "virtio-mem");
	struct fit_domain *domain = reader->domain;
	struct fit_domain_memory_device device = {0};
	uint64_t cell = 0, size_kib;
	bool is_normal = false;

	if (!size)
		return 0;
	if (fit_domain_read_size(reader, size, &size_kib) < 0)
		return -1;
	domain->memory_devices_kib += size_kib;
	if ((text && !fit_parse_uint(text, UINT32_MAX, &cell)) ||
		(!is_virtio && !fit_domain_attr_is(node, "model", "dimm")) ||
		(domain->cell_count && cell >= domain->cell_count))
		return 0;
	device.cell = domain->cell_count ? (unsigned int)cell : 0;
	device.kib = is_virtio ? 0 : size_kib;
	if (is_virtio && requested && fit_domain_read_size(reader, requested, &device.kib) < 0)
		return -1;
	if (read_memory_source(reader, node, &device, &is_normal) < 0)
		return -1;
	if (!device.kib || is_normal)
		return 0;
	if (device.page_kib || device.has_nodes)
		*FIT_APPEND(domain->memory_devices, domain->memory_device_count) = device;
	else if (domain->cell_count)
		domain->cells[cell].device_kib += device.kib;
	else
		domain->whole_device_kib += device.kib;
	return 0;
}

static int read_device(const struct fit_domain_reader *reader, const xmlNode *node)
{
	if (fit_xml_is(node, "disk")) {
		if (read_disk(reader, node) < 0)
			return -1;
		return fit_domain_attr_is(node, "type", "nvme") ? add_hostdev(reader, node, false)
								: 0;
	}
	if (fit_xml_is(node, "controller"))
		return read_controller(reader, node);
	if (fit_xml_is(node, "memory"))
		return read_memory_device(reader, node);
	if (fit_xml_is(node, "hostdev") && is_pci_hostdev(node))
		return add_hostdev(reader, node, false);
	if (!fit_xml_is(node, "interface"))
		return 0;
	add_interface(reader->domain, node);
	return is_pci_interface(node) ? add_hostdev(reader, node, true) : 0;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Libvirt refuses two disks of one target, and for us it is what a disk is known by. */
static int check_targets(const struct fit_domain_reader *reader, const xmlNode *devices)
{
	const struct fit_domain *domain = reader->domain;
	fit_autofree const char **targets = fit_xcalloc(domain->disk_count, sizeof(*targets));

	for (size_t i = 0; i < domain->disk_count; i++)
		targets[i] = domain->disks[i].target;
	if (domain->disk_count)
		qsort(targets, domain->disk_count, sizeof(*targets), compare_texts);
	for (size_t i = 1; i < domain->disk_count; i++)
		if (strcmp(targets[i - 1], targets[i]) == 0)
			return fit_domain_fail(
				reader, devices, "two disks have the target '%s'", targets[i]);
	return 0;
}

static int compare_controllers(const void *a, const void *b)
{
	const struct fit_domain_controller *left = *(const struct fit_domain_controller *const *)a;
	const struct fit_domain_controller *right = *(const struct fit_domain_controller *const *)b;
	int order = strcmp(left->type, right->type);

	return order ? order : (left->index > right->index) - (left->index < right->index);
}

/* Type and index are what a controller is known by, and libvirt refuses two of the same. The parts
 * of one USB controller share their index. */
static int check_controllers(const struct fit_domain_reader *reader, const xmlNode *devices)
{
	const struct fit_domain *domain = reader->domain;
	fit_autofree const struct fit_domain_controller **numbered =
		fit_xcalloc(domain->controller_count, sizeof(struct fit_domain_controller *));
	size_t count = 0;

	for (size_t i = 0; i < domain->controller_count; i++)
		if (domain->controllers[i].has_index &&
			!fit_streq(domain->controllers[i].type, "usb"))
			numbered[count++] = &domain->controllers[i];
	if (count)
		qsort(numbered, count, sizeof(struct fit_domain_controller *), compare_controllers);
	for (size_t i = 1; i < count; i++)
		if (compare_controllers(&numbered[i - 1], &numbered[i]) == 0)
			return fit_domain_fail(reader, devices,
				"two %s controllers have the index %u", numbered[i]->type,
				numbered[i]->index);
	return 0;
}

static void add_alias(struct fit_domain *domain, const xmlNode *device)
{
	fit_autofree char *alias = fit_xml_attr(fit_xml_child(device, "alias"), "name");

	if (fit_alias_is_ours(alias))
		fit_strlist_add(&domain->aliases_like_ours, alias);
}

/* A memory device, or a bus that belongs to a guest cell. */
static bool refers_to_cell(const xmlNode *node)
{
	const xmlNode *target = fit_xml_child(node, "target");

	return (fit_xml_is(node, "memory") || fit_xml_is(node, "controller")) &&
	       fit_xml_child(target, "node");
}

int fit_domain_read_devices(const struct fit_domain_reader *reader, const xmlNode *root)
{
	const xmlNode *devices = fit_xml_child(root, "devices");

	read_qemu_args(root, &reader->domain->qemu_args);
	fit_xml_for_each (node, devices, NULL) {
		if (read_device(reader, node) < 0 || read_guest_address(reader, node) < 0)
			return -1;
		add_alias(reader->domain, node);
		reader->domain->has_cell_users |= refers_to_cell(node);
	}
	return check_targets(reader, devices) < 0 ? -1 : check_controllers(reader, devices);
}

bool fit_domain_has_slot(const struct fit_domain *domain, unsigned int bus, unsigned int slot)
{
	for (size_t i = 0; i < domain->pci_slot_count; i++)
		if (domain->pci_slots[i].bus == bus && domain->pci_slots[i].slot == slot)
			return true;
	return false;
}

bool fit_domain_passes_through(const struct fit_domain *domain, struct fit_pciaddr addr)
{
	for (size_t i = 0; i < domain->hostdev_count; i++)
		if (fit_pciaddr_equal(domain->hostdevs[i].source, addr))
			return true;
	return false;
}
