/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCI devices, read attribute by attribute below /sys/bus/pci/devices. One listing of a device's
 * directory says which of the optional attributes it has. VFs are those that the virtfnN links
 * name: offset and stride only tell where VFs would be that do not exist yet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/probe_parts.h"

/* A device on its way: where it is, and what its directory has. */
struct entry {
	const struct fit_probe_run *run;
	const struct fit_probe_net *net;
	char directory[128];
	struct fit_strlist names;
	struct fit_pci_device *device;
};

static uint32_t hex_attribute(const struct entry *entry, const char *name, uint32_t max)
{
	fit_autofree char *text = fit_probe_text(entry->run, entry->directory, name);
	uint64_t value;

	if (!text || !fit_starts_with(text, "0x") || !fit_parse_hex(text + 2, max, &value))
		return 0;
	return (uint32_t)value;
}

static unsigned int count_attribute(const struct entry *entry, const char *name)
{
	int value = fit_probe_int(entry->run, entry->directory, name, 0);

	return value < 0 ? 0 : (unsigned int)value;
}

static char *link_attribute(const struct entry *entry, const char *name)
{
	char path[256];

	if (!fit_strlist_contains(&entry->names, name))
		return NULL;
	snprintf(path, sizeof(path), "%s/%s", entry->directory, name);
	return fit_fsroot_link_name(entry->run->root, path);
}

/* A link to another device: physfn, virtfnN. */
static bool device_attribute(
	const struct entry *entry, const char *name, struct fit_pciaddr *ret_addr)
{
	fit_autofree char *target = link_attribute(entry, name);

	if (target && fit_pciaddr_parse(target, ret_addr))
		return true;
	fit_probe_warn(
		entry->run, "%s/%s does not name a PCI device: ignored", entry->directory, name);
	return false;
}

static void read_place(const struct entry *entry)
{
	struct fit_pci_device *device = entry->device;
	fit_autofree char *group = link_attribute(entry, "iommu_group");
	uint64_t number;

	device->iommu_group = fit_parse_uint(group, INT32_MAX, &number) ? (int)number : -1;
	device->node = fit_probe_int(entry->run, entry->directory, "numa_node", -1);
	fit_probe_cpuset(
		entry->run, entry->directory, "local_cpulist", "local_cpus", &device->local_cpus);
	fit_cpuset_intersect(&device->local_cpus, &entry->run->host->online);
	if (entry->run->host->node_count && device->node >= 0 &&
		!fit_host_node(entry->run->host, (unsigned int)device->node))
		device->node = -1; /* The node is offline. */
}

static void add_vf(struct fit_pci_device *pf, struct fit_pciaddr vf, unsigned int number)
{
	size_t count = pf->vf_count;

	*FIT_APPEND(pf->vfs, pf->vf_count) = vf;
	*FIT_APPEND(pf->vf_numbers, count) = number;
}

static void read_sriov(const struct entry *entry)
{
	struct fit_pci_device *device = entry->device;
	struct fit_pciaddr vf;
	unsigned int number;

	if (fit_strlist_contains(&entry->names, "physfn"))
		device->is_vf = device_attribute(entry, "physfn", &device->physfn);
	if (!fit_strlist_contains(&entry->names, "sriov_totalvfs"))
		return;
	device->sriov_total = count_attribute(entry, "sriov_totalvfs");
	device->sriov_numvfs = count_attribute(entry, "sriov_numvfs");
	device->sriov_offset = count_attribute(entry, "sriov_offset");
	device->sriov_stride = count_attribute(entry, "sriov_stride");
	/* In order of their number: the listing sorts numbers as numbers. */
	for (size_t i = 0; i < entry->names.count; i++)
		if (fit_probe_numbered(entry->names.items[i], "virtfn", UINT16_MAX, &number) &&
			device_attribute(entry, entry->names.items[i], &vf))
			add_vf(device, vf, number);
}

static void read_netdevs(const struct entry *entry)
{
	struct fit_pci_device *device = entry->device;
	fit_autostrlist struct fit_strlist names = {0};
	char path[256];

	if (!fit_strlist_contains(&entry->names, "net"))
		return;
	snprintf(path, sizeof(path), "%s/net", entry->directory);
	if (fit_fsroot_list(entry->run->root, path, &names, NULL) < 0)
		return;
	/* The kernel shows only those of our namespace, and no directory where there is none. */
	device->netdevs_elsewhere = names.count == 0;
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *inner = fit_xasprintf("%s/%s", path, names.items[i]);
		fit_autofree char *operstate = fit_probe_text(entry->run, inner, "operstate");
		struct fit_netdev *netdev = FIT_APPEND(device->netdevs, device->netdev_count);

		netdev->name = fit_xstrdup(names.items[i]);
		netdev->up = fit_streq(operstate, "up");
		/* Reading the carrier of an interface that is down fails: no link then. */
		netdev->carrier = fit_probe_int(entry->run, inner, "carrier", 0) == 1;
		netdev->use = fit_probe_net_use(entry->run, entry->net, inner, netdev);
	}
}

static void read_device(const struct entry *entry)
{
	struct fit_pci_device *device = entry->device;

	device->class_code = hex_attribute(entry, "class", 0xffffff);
	device->vendor = (uint16_t)hex_attribute(entry, "vendor", UINT16_MAX);
	device->device = (uint16_t)hex_attribute(entry, "device", UINT16_MAX);
	device->subsystem_vendor = (uint16_t)hex_attribute(entry, "subsystem_vendor", UINT16_MAX);
	device->subsystem_device = (uint16_t)hex_attribute(entry, "subsystem_device", UINT16_MAX);
	device->driver = link_attribute(entry, "driver");
	device->msix_vectors = -1;
	/* vfio-pci enables a device when it is opened, until it is closed. */
	device->opened = device->driver && fit_starts_with(device->driver, "vfio") &&
			 fit_probe_int(entry->run, entry->directory, "enable", 0) > 0;
	/* Only displays have it. */
	device->boot_vga = fit_strlist_contains(&entry->names, "boot_vga") &&
			   fit_probe_int(entry->run, entry->directory, "boot_vga", 0) == 1;
	read_place(entry);
	read_sriov(entry);
	read_netdevs(entry);
}

static int compare_devices(const void *a, const void *b)
{
	return fit_pciaddr_compare(
		((const struct fit_pci_device *)a)->addr, ((const struct fit_pci_device *)b)->addr);
}

static void keep_vf(struct fit_pci_device *pf, size_t from, size_t to)
{
	pf->vfs[to] = pf->vfs[from];
	pf->vf_numbers[to] = pf->vf_numbers[from];
}

static bool has_gaps(const struct fit_pci_device *pf)
{
	return pf->vf_count && pf->vf_numbers[pf->vf_count - 1] != pf->vf_count - 1;
}

/* Keeps the VFs that exist and name this PF in turn. */
static void check_vfs(const struct fit_probe_run *run, struct fit_pci_device *pf)
{
	size_t kept = 0;

	for (size_t i = 0; i < pf->vf_count; i++) {
		const struct fit_pci_device *vf = fit_host_pci(run->host, pf->vfs[i]);

		if (vf && vf->is_vf && fit_pciaddr_equal(vf->physfn, pf->addr))
			keep_vf(pf, i, kept++);
		else
			fit_probe_warn(run, "%s names the VF %s, which %s: ignored",
				FIT_PCIADDR_STR(pf->addr), FIT_PCIADDR_STR(pf->vfs[i]),
				vf ? "is not a VF of it" : "does not exist");
	}
	pf->vf_count = kept;
	if (!has_gaps(pf)) {
		free(pf->vf_numbers);
		pf->vf_numbers = NULL;
	}
}

/* A patch that distributions for workstations have. */
void fit_probe_acs_override(const struct fit_probe_run *run)
{
	fit_autofree char *text = fit_fsroot_try_read(run->root, FIT_PATH_CMDLINE);
	fit_autostrlist struct fit_strlist words = {0};

	if (text)
		fit_strlist_split(&words, text, " \t\n");
	for (size_t i = 0; i < words.count; i++)
		if (fit_starts_with(words.items[i], "pcie_acs_override="))
			fit_xreplace(&run->host->acs_override, words.items[i]);
}

void fit_probe_pci(const struct fit_probe_run *run)
{
	struct fit_host *host = run->host;
	fit_autostrlist struct fit_strlist names = {0};
	struct fit_probe_net net;

	fit_probe_acs_override(run);
	if (fit_fsroot_list(run->root, FIT_PATH_PCI_DEVICES, &names, NULL) < 0)
		return;
	fit_probe_net(run, &net);
	for (size_t i = 0; i < names.count; i++) {
		struct entry entry = {.run = run, .net = &net};
		struct fit_pciaddr addr;

		snprintf(entry.directory, sizeof(entry.directory), FIT_PATH_PCI_DEVICES "/%s",
			names.items[i]);
		/* The kernel's spelling only: one address must not come twice. */
		if (!fit_pciaddr_parse(names.items[i], &addr) ||
			!fit_streq(FIT_PCIADDR_STR(addr), names.items[i]) ||
			fit_fsroot_list(run->root, entry.directory, &entry.names, NULL) < 0) {
			fit_probe_warn(run, "%s is no PCI device: ignored", entry.directory);
			continue;
		}
		entry.device = FIT_APPEND(host->pci, host->pci_count);
		entry.device->addr = addr;
		read_device(&entry);
		fit_strlist_clear(&entry.names);
	}
	fit_probe_net_clear(&net);
	if (host->pci_count)
		qsort(host->pci, host->pci_count, sizeof(*host->pci), compare_devices);
	for (size_t i = 0; i < host->pci_count; i++)
		check_vfs(run, &host->pci[i]);
}
