/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole devices. The request names them; the profile says for which kinds of device that means
 * "pass it through" (<passthrough of="gpus">, "nvme", "others") and not only "be near it". With a
 * device go the other functions of its slot, because the driver in the guest expects the card as a
 * whole: a GPU without its sound and USB functions resets badly and shares their IOMMU group.
 * What the host itself uses is refused here: libvirt would take it away without asking.
 */
#include "core/place.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/target.h"

#define CLASS_BRIDGE	  0x06U
#define CLASS_DISPLAY	  0x03U
#define CLASS_ACCELERATOR 0x12U
#define CLASS_NVME	  0x0108U

struct kind {
	const char *name;   /* of one */
	const char *plural; /* as in <passthrough of=> */
	const struct fit_intent_passthrough *intent;
};

static struct kind kind_of(const struct fit_profile *profile, const struct fit_pci_device *device)
{
	unsigned int base = device->class_code >> 16;

	if (base == CLASS_DISPLAY || base == CLASS_ACCELERATOR)
		return (struct kind){"GPU", "gpus", &profile->gpus};
	if (device->class_code >> 8 == CLASS_NVME)
		return (struct kind){"NVMe controller", "nvme", &profile->nvme};
	return (struct kind){"device", "others", &profile->others};
}

static bool is_wanted(const struct kind *kind)
{
	return kind->intent->intent.set && kind->intent->requested;
}

static char *describe_class(uint32_t class_code)
{
	static const struct {
		unsigned int code;
		unsigned int shift;
		const char *name;
	} names[] = {
		{0x0108, 8, "NVMe"},
		{0x0302, 8, "3D"},
		{0x0c03, 8, "USB"},
		{0x0c80, 8, "serial bus"},
		{0x01, 16, "storage"},
		{0x02, 16, "network"},
		{CLASS_DISPLAY, 16, "display"},
		{0x04, 16, "audio"},
		{CLASS_BRIDGE, 16, "bridge"},
		{CLASS_ACCELERATOR, 16, "accelerator"},
	};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(names); i++)
		if (class_code >> names[i].shift == names[i].code)
			return fit_xstrdup(names[i].name);
	return fit_xasprintf("class %04x", class_code >> 8);
}

bool fit_plan_has_device(const struct fit_plan *plan, struct fit_pciaddr addr)
{
	for (size_t i = 0; i < plan->device_count; i++)
		if (fit_pciaddr_equal(plan->devices[i].addr, addr))
			return true;
	return false;
}

/* What speaks against passing @device through; NULL: nothing. To be freed. */
static char *problem_of(const struct fit_planner *planner, const struct fit_pci_device *device,
	const struct kind *kind)
{
	const struct fit_claim *claim = fit_planner_device_holder(planner, device->addr);
	const char *kept = fit_host_kept(planner->host, device->addr);
	fit_autofree char *opened = fit_device_opened_problem(planner, device);

	if (kept)
		return fit_xasprintf("it is kept for the host by %s", kept);
	if (device->class_code >> 16 == CLASS_BRIDGE)
		return fit_xasprintf(
			"it is a bridge; functions=\"named\" in <passthrough of=\"%s\"> leaves out "
			"what else is in its slot",
			kind->plural);
	if (claim && claim->running)
		return fit_xasprintf("%s (%s) has it", claim->name, fit_claim_state(claim));
	if (opened)
		return FIT_STEAL(opened);
	for (size_t i = 0; i < device->netdev_count; i++) {
		const struct fit_netdev *netdev = &device->netdevs[i];

		if (netdev->use || netdev->up)
			return fit_xasprintf("the host uses it: its interface %s %s", netdev->name,
				netdev->use ? netdev->use : "is up");
	}
	if (device->netdevs_elsewhere)
		return fit_xstrdup("its interface is in another network namespace: a container "
				   "has it");
	if (device->in_use)
		return fit_xasprintf("the host uses it: %s", device->in_use);
	if (device->boot_vga && !kind->intent->takes_console)
		return fit_xstrdup("the host's console is on it; console=\"take\" in the profile's "
				   "<passthrough of=\"gpus\"> passes it through all the same");
	if (device->sriov_numvfs)
		return fit_xasprintf("it has %u VFs, which would be gone: remove them first, or "
				     "let the domain have one of them",
			device->sriov_numvfs);
	if (device->iommu_group < 0)
		return fit_xstrdup("it has no IOMMU group: the IOMMU is off (intel_iommu=on, or "
				   "the firmware's VT-d, AMD-Vi or SMMU setting)");
	return NULL;
}

static int add_function(struct fit_planner *planner, const struct fit_pci_device *requested,
	const struct fit_pci_device *device, const struct kind *kind)
{
	const struct fit_claim *claim = fit_planner_device_holder(planner, device->addr);
	struct fit_plan *plan = planner->plan;
	fit_autofree char *problem = NULL;
	fit_autofree char *what = describe_class(device->class_code);
	bool shows = device->class_code >> 16 == CLASS_DISPLAY;

	if (fit_plan_has_device(plan, device->addr))
		return 0;
	if (fit_domain_passes_through(planner->domain, device->addr)) {
		fit_planner_reason(planner, FIT_REASON_KEPT, "devices",
			"the definition passes %s (%s) through already",
			FIT_PCIADDR_STR(device->addr), what);
		return 0;
	}
	problem = problem_of(planner, device, kind);
	if (problem)
		return fit_planner_refuse(planner, "%s (%s) cannot be passed through: %s",
			FIT_PCIADDR_STR(device->addr), what, problem);
	if (claim)
		fit_planner_reason(planner, FIT_REASON_WARNING, "devices",
			"%s: %s (shut off) is defined with it too; the two cannot run at the same "
			"time",
			FIT_PCIADDR_STR(device->addr), claim->name);
	*FIT_APPEND(plan->devices, plan->device_count) = (struct fit_planned_device){
		.addr = device->addr,
		.kind = kind->name,
		.what = FIT_STEAL(what),
		.iommu_group = device->iommu_group,
		.node = fit_device_node(planner->host, device),
		.rom = shows ? kind->intent->rom : NULL,
	};
	if (device == requested)
		fit_planner_reason(planner, FIT_REASON_CHOICE, "devices", "%s: requested",
			FIT_PCIADDR_STR(device->addr));
	else
		fit_planner_reason(planner, FIT_REASON_CHOICE, "devices",
			"%s: in the slot of %s, which is requested", FIT_PCIADDR_STR(device->addr),
			FIT_PCIADDR_STR(requested->addr));
	return 0;
}

/* VFs can have the slot of their PF, but are none of its functions. */
static bool is_of_slot(const struct fit_pci_device *device, const struct fit_pci_device *other)
{
	return !other->is_vf && other->addr.domain == device->addr.domain &&
	       other->addr.bus == device->addr.bus && other->addr.slot == device->addr.slot;
}

static int add_device(
	struct fit_planner *planner, const struct fit_pci_device *device, const struct kind *kind)
{
	const struct fit_host *host = planner->host;

	if (kind->intent->named_only || device->is_vf)
		return add_function(planner, device, device, kind);
	for (size_t i = 0; i < host->pci_count; i++)
		if (is_of_slot(device, &host->pci[i]) &&
			add_function(planner, device, &host->pci[i], kind) < 0)
			return -1;
	return 0;
}

static int check_groups(struct fit_planner *planner)
{
	const struct fit_plan *plan = planner->plan;

	for (size_t i = 0; i < plan->device_count; i++) {
		const struct fit_planned_device *device = &plan->devices[i];
		fit_autofree char *problem =
			fit_iommu_group_problem(planner, device->iommu_group, device->addr);

		if (problem)
			return fit_planner_refuse(planner,
				"%s (%s) cannot be passed through: IOMMU group %d is not viable "
				"while the host uses %s; request these too, with <passthrough "
				"of=\"others\"/> in the profile, or unbind them",
				FIT_PCIADDR_STR(device->addr), device->what, device->iommu_group,
				problem);
	}
	return 0;
}

/* "0000:c1:00.0, 0000:c2:00.0": those that could be named. NULL: there are none. */
static char *candidates(
	const struct fit_planner *planner, const struct fit_intent_passthrough *intent)
{
	fit_autostrlist struct fit_strlist found = {0};

	for (size_t i = 0; i < planner->host->pci_count; i++) {
		const struct fit_pci_device *device = &planner->host->pci[i];
		const struct kind kind = kind_of(planner->profile, device);

		if (kind.intent == intent && !device->is_vf && !device->in_use &&
			(!device->boot_vga || intent->takes_console))
			fit_strlist_add(&found, FIT_PCIADDR_STR(device->addr));
	}
	return found.count ? fit_strlist_join(&found, ", ") : NULL;
}

static bool has_kind(const struct fit_planner *planner, const struct fit_intent_passthrough *intent)
{
	const struct fit_plan *plan = planner->plan;
	const struct fit_domain *domain = planner->domain;

	for (size_t i = 0; i < planner->host->pci_count; i++) {
		const struct fit_pci_device *device = &planner->host->pci[i];
		const struct kind kind = kind_of(planner->profile, device);

		if (kind.intent == intent &&
			(fit_plan_has_device(plan, device->addr) ||
				fit_domain_passes_through(domain, device->addr)))
			return true;
	}
	return false;
}

/* A profile for GPUs without a GPU is probably a mistake. */
static void warn_of_none(
	struct fit_planner *planner, const struct fit_intent_passthrough *intent, const char *name)
{
	fit_autofree char *found = NULL;

	if (!intent->intent.set || !intent->requested || has_kind(planner, intent))
		return;
	found = candidates(planner, intent);
	fit_planner_reason(planner, FIT_REASON_WARNING, "devices",
		"no %s is passed through: the request names none; %s%s%s", name,
		found ? "this host has " : "this host has none to give", found ? found : "",
		found ? ": add one as <fit:device address=\"…\"/>" : "");
}

int fit_place_passthrough_prepare(struct fit_planner *planner)
{
	const struct fit_request *request = planner->input->request;
	const struct fit_profile *profile = planner->profile;
	fit_autofree char *why = NULL;

	for (size_t i = 0; request && i < request->device_count; i++) {
		const struct fit_pci_device *device =
			fit_planner_requested_device(planner, &request->devices[i]);
		const struct kind kind = kind_of(profile, device);

		if (is_wanted(&kind) && add_device(planner, device, &kind) < 0)
			return -1;
	}
	if (planner->plan->device_count &&
		!fit_target_has(fit_planner_target(planner), planner->domain,
			FIT_FEATURE_PCI_PASSTHROUGH, &why))
		return fit_planner_refuse(planner, "devices are to be passed through, but %s", why);
	if (check_groups(planner) < 0)
		return -1;
	warn_of_none(planner, &profile->gpus, "GPU");
	warn_of_none(planner, &profile->nvme, "NVMe controller");
	return 0;
}
