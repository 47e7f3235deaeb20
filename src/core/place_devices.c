/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices that the domain should be near to: those of the request and the host devices that the
 * definition passes through, which are checked here too, because libvirt accepts any address and
 * fails only at start.
 */
#include "core/place.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

#define CLASS_PCI_BRIDGE 0x0604U

/* The node of a device: what the firmware says, else the one node that has all its local CPUs. */
int fit_device_node(const struct fit_host *host, const struct fit_pci_device *device)
{
	const struct fit_pci_device *physfn = NULL;

	if (device->node >= 0 && fit_host_node(host, (unsigned int)device->node))
		return device->node;
	if (device->is_vf)
		physfn = fit_host_pci(host, device->physfn);
	if (physfn && !physfn->is_vf)
		return fit_device_node(host, physfn);
	for (size_t i = 0; i < host->node_count; i++) {
		if (!fit_cpuset_is_empty(&device->local_cpus) &&
			fit_cpuset_is_subset(&device->local_cpus, &host->nodes[i].cpus))
			return (int)host->nodes[i].id;
	}
	return -1;
}

/* Distance from @node to the nearest of @nodes, beyond that of a node to itself: 0 when it is one
 * of them, or when nothing is known. */
unsigned int fit_nodes_distance(
	const struct fit_host *host, const struct fit_cpuset *nodes, int node)
{
	unsigned int best = UINT32_MAX;

	if (node < 0 || fit_cpuset_is_empty(nodes) ||
		fit_cpuset_contains(nodes, (unsigned int)node))
		return 0;
	fit_cpuset_for_each (other, nodes) {
		unsigned int distance =
			fit_host_distance(host, (unsigned int)node, (unsigned int)other);

		if (distance < best)
			best = distance;
	}
	/* Never 0 for another node, even where the firmware's table says so. */
	return best > 10 ? best - 10 : 1;
}

/* Does the domain have the device, or will it? */
static bool is_of_domain(const struct fit_planner *planner, struct fit_pciaddr addr)
{
	const struct fit_domain *previous = planner->input->previous;

	return fit_domain_passes_through(planner->domain, addr) ||
	       fit_plan_has_device(planner->plan, addr) ||
	       (previous && fit_domain_passes_through(previous, addr));
}

char *fit_device_opened_problem(
	const struct fit_planner *planner, const struct fit_pci_device *device)
{
	if (fit_streq(device->driver, "uio_pci_generic") || fit_streq(device->driver, "igb_uio"))
		return fit_xasprintf("its driver %s gives it to a program (DPDK)", device->driver);
	if (device->opened && !is_of_domain(planner, device->addr))
		return fit_xasprintf(
			"a program (DPDK, or a domain of another libvirt) has it open (driver %s)",
			device->driver);
	return NULL;
}

/* "0000:01:00.1 (driver xhci_hcd)"; NULL: it leaves the group viable. To be freed. */
static char *member_problem(const struct fit_planner *planner, const struct fit_pci_device *device)
{
	const struct fit_claim *claim = fit_planner_device_holder(planner, device->addr);
	const char *addr = FIT_PCIADDR_STR(device->addr);

	if (!device->driver || is_of_domain(planner, device->addr))
		return NULL;
	/* A group has one user at a time. */
	if (claim && claim->running)
		return fit_xasprintf("%s for %s (%s)", addr, claim->name, fit_claim_state(claim));
	if (device->opened)
		return fit_xasprintf("%s for a program (driver %s)", addr, device->driver);
	if (fit_starts_with(device->driver, "vfio") || fit_streq(device->driver, "pci-stub"))
		return NULL;
	return fit_xasprintf("%s (driver %s)", addr, device->driver);
}

/*
 * VFIO takes a device only when no member of its IOMMU group is in the hands of another driver.
 * Bridges do not count. @except is the device that is to be passed through. NULL when the group is
 * viable; otherwise the members in the way, then the others, to be freed.
 */
char *fit_iommu_group_problem(
	const struct fit_planner *planner, int group, struct fit_pciaddr except)
{
	fit_autostrlist struct fit_strlist members = {0};
	fit_autostrlist struct fit_strlist others = {0};
	fit_autofree char *list = NULL;
	fit_autofree char *other_list = NULL;
	size_t low = 0;
	size_t high = planner->group_member_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (planner->group_members[middle].group < group)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < planner->group_member_count && planner->group_members[low].group == group;
		low++) {
		const struct fit_pci_device *device = planner->group_members[low].device;
		fit_autofree char *problem = NULL;

		if (fit_pciaddr_equal(device->addr, except) ||
			device->class_code >> 8 == CLASS_PCI_BRIDGE)
			continue;
		problem = member_problem(planner, device);
		fit_strlist_add(problem ? &members : &others,
			problem ? problem : FIT_PCIADDR_STR(device->addr));
	}
	if (!members.count)
		return NULL;
	list = fit_strlist_join(&members, ", ");
	other_list = fit_strlist_join(&others, ", ");
	return fit_xasprintf("%s%s%s%s", list, others.count ? " (also in the group: " : "",
		other_list, others.count ? ")" : "");
}

void fit_planner_add_anchor(struct fit_planner *planner, const struct fit_pci_device *device)
{
	struct fit_anchor *anchor;

	for (size_t i = 0; i < planner->anchor_count; i++) {
		if (fit_pciaddr_equal(planner->anchors[i].addr, device->addr))
			return;
	}
	anchor = FIT_APPEND(planner->anchors, planner->anchor_count);
	anchor->addr = device->addr;
	anchor->node = fit_device_node(planner->host, device);
}

const struct fit_pci_device *fit_planner_requested_device(
	const struct fit_planner *planner, const struct fit_request_device *wanted)
{
	return wanted->netdev ? fit_host_pci_by_netdev(planner->host, wanted->netdev)
			      : fit_host_pci(planner->host, wanted->address);
}

static int add_requested(struct fit_planner *planner)
{
	const struct fit_request *request = planner->input->request;

	for (size_t i = 0; request && i < request->device_count; i++) {
		const struct fit_request_device *wanted = &request->devices[i];
		const struct fit_pci_device *device = fit_planner_requested_device(planner, wanted);

		if (!device && wanted->netdev)
			return fit_planner_refuse(planner,
				"the request names network interface '%s', which no PCI device of "
				"this host has",
				wanted->netdev);
		if (!device)
			return fit_planner_refuse(planner,
				"the request names device %s, which this host does not have",
				FIT_PCIADDR_STR(wanted->address));
		fit_planner_add_anchor(planner, device);
	}
	return 0;
}

static int check_hostdev(struct fit_planner *planner, const struct fit_pci_device *device)
{
	fit_autofree char *problem = NULL;

	if (device->iommu_group < 0) {
		fit_planner_reason(planner, FIT_REASON_WARNING, "devices",
			"%s has no IOMMU group: the IOMMU is off (intel_iommu=on, or the "
			"firmware's VT-d, AMD-Vi or SMMU setting) and the domain will not start",
			FIT_PCIADDR_STR(device->addr));
		return 0;
	}
	problem = fit_iommu_group_problem(planner, device->iommu_group, device->addr);
	if (!problem)
		return 0;
	return fit_planner_refuse(planner,
		"%s cannot be passed through: IOMMU group %d is not viable while the host uses %s; "
		"pass these through too, or unbind them",
		FIT_PCIADDR_STR(device->addr), device->iommu_group, problem);
}

static int add_hostdevs(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	for (size_t i = 0; i < domain->hostdev_count; i++) {
		const struct fit_pci_device *device =
			fit_host_pci(planner->host, domain->hostdevs[i].source);

		if (!device) {
			fit_planner_reason(planner, FIT_REASON_WARNING, "devices",
				"the definition passes %s through, which this host does not have",
				FIT_PCIADDR_STR(domain->hostdevs[i].source));
			continue;
		}
		if (fit_host_kept(planner->host, device->addr))
			fit_planner_reason(planner, FIT_REASON_WARNING, "devices",
				"the definition passes %s through, which is kept for the host by "
				"%s",
				FIT_PCIADDR_STR(device->addr),
				fit_host_kept(planner->host, device->addr));
		if (check_hostdev(planner, device) < 0)
			return -1;
		if (planner->profile->vcpus.near_devices)
			fit_planner_add_anchor(planner, device);
	}
	return 0;
}

static int compare_anchors(const void *a, const void *b)
{
	const struct fit_anchor *left = a;
	const struct fit_anchor *right = b;

	return fit_pciaddr_compare(left->addr, right->addr);
}

static int compare_members(const void *a, const void *b)
{
	const struct fit_group_member *left = a;
	const struct fit_group_member *right = b;

	if (left->group != right->group)
		return left->group < right->group ? -1 : 1;
	return fit_pciaddr_compare(left->device->addr, right->device->addr);
}

static void list_groups(struct fit_planner *planner)
{
	for (size_t i = 0; i < planner->host->pci_count; i++) {
		const struct fit_pci_device *device = &planner->host->pci[i];

		if (device->iommu_group >= 0)
			*FIT_APPEND(planner->group_members, planner->group_member_count) =
				(struct fit_group_member){device->iommu_group, device};
	}
	if (planner->group_member_count)
		qsort(planner->group_members, planner->group_member_count,
			sizeof(*planner->group_members), compare_members);
}

static void explain(struct fit_planner *planner)
{
	for (size_t i = 0; i < planner->anchor_count; i++) {
		const struct fit_anchor *anchor = &planner->anchors[i];

		if (anchor->node < 0)
			fit_planner_reason(planner, FIT_REASON_CHOICE, "devices",
				"%s: this host does not say which node it is near to",
				FIT_PCIADDR_STR(anchor->addr));
		else
			fit_planner_reason(planner, FIT_REASON_CHOICE, "devices",
				"%s is near node %d", FIT_PCIADDR_STR(anchor->addr), anchor->node);
	}
}

int fit_place_devices_prepare(struct fit_planner *planner)
{
	list_groups(planner);
	if (add_requested(planner) < 0 || fit_place_passthrough_prepare(planner) < 0 ||
		fit_place_networks_prepare(planner) < 0 || add_hostdevs(planner) < 0)
		return -1;
	if (!planner->profile->vcpus.near_devices)
		planner->anchor_count = 0;
	if (planner->anchor_count)
		qsort(planner->anchors, planner->anchor_count, sizeof(*planner->anchors),
			compare_anchors);
	explain(planner);
	return 0;
}

/* Of a node without any CPUs none could be had. */
static bool has_cpus(const struct fit_host *host, int node)
{
	for (size_t i = 0; i < host->cpu_count; i++)
		if (host->cpus[i].node == node)
			return true;
	return false;
}

/* One warning for each node that has such devices. */
static void warn_of_far_devices(struct fit_planner *planner)
{
	const struct fit_cpuset *vcpu_nodes = &planner->plan->vcpu_nodes;
	fit_autofree char *where = fit_cpuset_describe(vcpu_nodes, "node");
	struct fit_cpuset told = *vcpu_nodes;

	for (size_t i = 0; i < planner->anchor_count && !fit_cpuset_is_empty(vcpu_nodes); i++) {
		int node = planner->anchors[i].node;
		fit_autostrlist struct fit_strlist far = {0};
		fit_autofree char *list = NULL;

		if (node < 0 || !has_cpus(planner->host, node) ||
			fit_cpuset_contains(&told, (unsigned int)node))
			continue;
		fit_cpuset_add(&told, (unsigned int)node);
		for (size_t j = i; j < planner->anchor_count; j++)
			if (planner->anchors[j].node == node)
				fit_strlist_add(&far, FIT_PCIADDR_STR(planner->anchors[j].addr));
		list = fit_strlist_join(&far, ", ");
		fit_planner_reason(planner, FIT_REASON_WARNING, "devices",
			"%s %s on node %d, but the vCPUs on %s", list,
			far.count == 1 ? "is" : "are", node, where);
	}
}

/* With the override, the kernel believes that devices are apart which the hardware lets talk to
 * each other. */
void fit_place_devices_commit(struct fit_planner *planner)
{
	const struct fit_plan *plan = planner->plan;

	if (planner->host->acs_override &&
		(plan->vf_count || plan->device_count || planner->domain->hostdev_count))
		fit_planner_reason(planner, FIT_REASON_WARNING, "devices",
			"the kernel was started with %s: IOMMU groups are smaller than what the "
			"hardware keeps apart, and the guest may reach devices of the host or of "
			"other guests",
			planner->host->acs_override);
	warn_of_far_devices(planner);
}

void fit_place_devices_clear(struct fit_planner *planner)
{
	free(planner->anchors);
	free(planner->group_members);
}

void fit_place_devices_rate(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	for (size_t i = 0; i < planner->anchor_count; i++)
		candidate->cost.level[FIT_COST_DEVICES] += fit_nodes_distance(
			planner->host, &candidate->nodes, planner->anchors[i].node);
}
