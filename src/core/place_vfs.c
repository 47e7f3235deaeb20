/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VFs. What each PF could give is listed once: existing VFs that nobody uses and whose IOMMU group
 * is viable, or, when the PF has none yet, those it would have (by SR-IOV offset and stride). The
 * kernel does not change the number of VFs of a PF that has some: what is there is all there is.
 * Which of them a candidate takes: place_vf_choice.c.
 */
#include "core/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/target.h"

#define REJECTIONS_SHOWN 12

static const char *class_name(const struct fit_planner *planner)
{
	return planner->profile->vfs.class == FIT_VF_NVME ? "NVMe" : "network";
}

static bool is_of_class(const struct fit_planner *planner, const struct fit_pci_device *device)
{
	if (planner->profile->vfs.class == FIT_VF_NVME)
		return device->class_code >> 8 == 0x0108;
	return device->class_code >> 16 == 0x02;
}

static const char *pf_name(const struct fit_pci_device *pf)
{
	const char *name = NULL;

	for (size_t i = 0; i < pf->netdev_count; i++) {
		if (!name || strcmp(pf->netdevs[i].name, name) < 0)
			name = pf->netdevs[i].name;
	}
	return name;
}

/* "enp65s0f0", or the address of a PF without a network interface. */
static const char *describe_pf(const struct fit_pci_device *pf, char text[FIT_PCIADDR_TEXT])
{
	const char *name = pf_name(pf);

	return name ? name : fit_pciaddr_format(pf->addr, text);
}

#define PF_STR(pf) describe_pf((pf), (char[FIT_PCIADDR_TEXT]){0})

static bool is_previous(const struct fit_planner *planner, struct fit_pciaddr addr)
{
	const struct fit_domain *previous = planner->input->previous;

	for (size_t i = 0; previous && i < previous->hostdev_count; i++) {
		if (previous->hostdevs[i].ours &&
			fit_pciaddr_equal(previous->hostdevs[i].source, addr))
			return true;
	}
	return false;
}

/* Why an existing VF cannot be had; NULL when it can. To be freed. */
static char *vf_problem(const struct fit_planner *planner, const struct fit_pci_device *vf)
{
	fit_autofree char *opened = fit_device_opened_problem(planner, vf);
	fit_autofree char *members = NULL;

	if (opened)
		return FIT_STEAL(opened);
	for (size_t i = 0; i < vf->netdev_count; i++) {
		if (vf->netdevs[i].use)
			return fit_xasprintf("the host uses it: its interface %s %s",
				vf->netdevs[i].name, vf->netdevs[i].use);
	}
	if (vf->netdevs_elsewhere)
		return fit_xstrdup("its interface is in another network namespace: a container "
				   "has it");
	if (vf->in_use)
		return fit_xasprintf("the host uses it: %s", vf->in_use);
	if (vf->iommu_group < 0)
		return fit_xstrdup("it has no IOMMU group: the IOMMU is off");
	members = fit_iommu_group_problem(planner, vf->iommu_group, vf->addr);
	if (members)
		return fit_xasprintf("IOMMU group %d is not viable while the host uses %s",
			vf->iommu_group, members);
	return NULL;
}

static const char *interface_up(const struct fit_pci_device *vf)
{
	for (size_t i = 0; i < vf->netdev_count; i++)
		if (vf->netdevs[i].up)
			return vf->netdevs[i].name;
	return NULL;
}

static void reject_vf(struct fit_planner *planner, const struct fit_pci_device *pf,
	unsigned int index, struct fit_pciaddr addr, const char *why)
{
	struct fit_reason *reason = fit_planner_reason(planner, FIT_REASON_REJECTION, "vf",
		"VF %u of %s (%s): %s", index, PF_STR(pf), FIT_PCIADDR_STR(addr), why);

	reason->subject = fit_xstrdup(FIT_PCIADDR_STR(addr));
	reason->criterion = "in-use";
}

static void offer_vf(struct fit_planner *planner, struct fit_vf_source *source, unsigned int index,
	struct fit_pciaddr addr, const struct fit_pci_device *vf)
{
	const struct fit_claim *claim = fit_planner_device_holder(planner, addr);
	const char *kept = fit_host_kept(planner->host, addr);
	fit_autofree char *problem = NULL;
	struct fit_vf_offer *offer;

	if (kept)
		problem = fit_xasprintf("it is kept for the host by %s", kept);
	else if (claim && claim->running)
		problem = fit_xasprintf("%s (%s) has it", claim->name, fit_claim_state(claim));
	else if (fit_plan_has_device(planner->plan, addr))
		problem = fit_xstrdup("the domain gets it as a requested device");
	else if (fit_domain_passes_through(planner->domain, addr))
		problem = fit_xstrdup("the definition passes it through already");
	else if (vf)
		problem = vf_problem(planner, vf);
	if (problem) {
		reject_vf(planner, source->pf, index, addr, problem);
		return;
	}
	offer = FIT_APPEND(source->offers, source->offer_count);
	*offer = (struct fit_vf_offer){
		.vf = addr,
		.index = index,
		.exists = vf != NULL,
		.up = vf ? interface_up(vf) : NULL,
		.previous = is_previous(planner, addr),
		.iommu_group = vf ? vf->iommu_group : -1,
		.defined = claim,
	};
}

/* Why a PF without VFs cannot be given some; NULL when it can. */
static const char *creation_problem(
	const struct fit_planner *planner, const struct fit_pci_device *pf)
{
	const struct fit_claim *claim = fit_planner_device_holder(planner, pf->addr);

	if (claim && claim->running)
		return "a running domain has the PF itself";
	if (fit_plan_has_device(planner->plan, pf->addr))
		return "the domain gets the PF itself";
	if (pf->iommu_group < 0)
		return "it has no IOMMU group: the IOMMU is off";
	if (!pf->driver || fit_starts_with(pf->driver, "vfio"))
		return "it has no driver that could create VFs";
	if (!fit_pciaddr_has_vf(pf->addr, pf->sriov_offset, pf->sriov_stride, 0))
		return "it does not say which addresses its VFs would have";
	return NULL;
}

/* Those that would have an address. */
static void offer_vfs_to_create(struct fit_planner *planner, struct fit_vf_source *source)
{
	const struct fit_pci_device *pf = source->pf;

	for (unsigned int i = 0; i < pf->sriov_total; i++) {
		if (!fit_pciaddr_has_vf(pf->addr, pf->sriov_offset, pf->sriov_stride, i)) {
			fit_planner_reason(planner, FIT_REASON_REJECTION, "vf",
				"%s: from VF %u on they would have no address: its offset of %u and "
				"stride of %u lead nowhere",
				PF_STR(pf), i, pf->sriov_offset, pf->sriov_stride);
			return;
		}
		offer_vf(planner, source, i,
			fit_pciaddr_vf(pf->addr, pf->sriov_offset, pf->sriov_stride, i), NULL);
	}
}

static int compare_offers(const void *a, const void *b)
{
	const struct fit_vf_offer *left = a;
	const struct fit_vf_offer *right = b;

	if (!left->defined != !right->defined)
		return left->defined ? 1 : -1;
	if (left->previous != right->previous)
		return left->previous ? -1 : 1;
	if (!left->up != !right->up)
		return left->up ? 1 : -1;
	return (left->index > right->index) - (left->index < right->index);
}

static void add_source(struct fit_planner *planner, const struct fit_pci_device *pf)
{
	struct fit_vf_source *source = FIT_APPEND(planner->sources, planner->source_count);
	const char *kept = fit_host_kept(planner->host, pf->addr);
	unsigned int create = planner->profile->vfs.create;
	const char *problem = NULL;

	source->pf = pf;
	source->node = fit_device_node(planner->host, pf);
	source->linked = pf->netdev_count == 0;
	for (size_t i = 0; i < pf->netdev_count; i++)
		source->linked |= pf->netdevs[i].carrier;
	if (kept) {
		fit_planner_reason(planner, FIT_REASON_REJECTION, "vf",
			"%s: it is kept for the host by %s", PF_STR(pf), kept);
		return;
	}
	if (create > pf->sriov_total) {
		fit_planner_reason(planner, FIT_REASON_REJECTION, "vf",
			"%s: create=\"%u\" is more than the %u VFs it can have", PF_STR(pf), create,
			pf->sriov_total);
		return;
	}
	if (pf->sriov_numvfs == 0 && pf->vf_count == 0) {
		problem = creation_problem(planner, pf);
		if (problem)
			fit_planner_reason(
				planner, FIT_REASON_REJECTION, "vf", "%s: %s", PF_STR(pf), problem);
		else
			offer_vfs_to_create(planner, source);
	}
	for (size_t i = 0; i < pf->vf_count; i++) {
		const struct fit_pci_device *vf = fit_host_pci(planner->host, pf->vfs[i]);

		if (vf)
			offer_vf(planner, source, fit_pci_vf_number(pf, i), pf->vfs[i], vf);
	}
	if (source->offer_count)
		qsort(source->offers, source->offer_count, sizeof(*source->offers), compare_offers);
}

/* The PF that the profile names, or NULL with an error. */
static const struct fit_pci_device *named_pf(struct fit_planner *planner, const char *name)
{
	const struct fit_pci_device *pf = NULL;
	struct fit_pciaddr addr;

	if (fit_pciaddr_parse(name, &addr))
		pf = fit_host_pci(planner->host, addr);
	else
		pf = fit_host_pci_by_netdev(planner->host, name);
	if (!pf)
		fit_planner_refuse(
			planner, "VFs of '%s' are wanted, which this host does not have", name);
	else if (pf->sriov_total == 0)
		fit_planner_refuse(planner, "VFs of '%s' are wanted, which has no SR-IOV", name);
	else if (!is_of_class(planner, pf))
		fit_planner_refuse(planner, "VFs of '%s' are wanted, which is no %s device", name,
			class_name(planner));
	else
		return pf;
	return NULL;
}

/* VFs that the definition passes through by itself count as wanted ones. */
static size_t count_kept(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;
	bool network = planner->profile->vfs.class == FIT_VF_NETWORK;
	size_t count = 0;

	if (planner->profile->vfs.as == FIT_VF_AS_NETWORK)
		count = fit_place_networks_kept(planner);
	for (size_t i = 0; i < domain->hostdev_count; i++) {
		const struct fit_domain_hostdev *hostdev = &domain->hostdevs[i];
		const struct fit_pci_device *device = fit_host_pci(planner->host, hostdev->source);

		if (device ? device->is_vf && is_of_class(planner, device)
			   : network && hostdev->is_interface)
			count++;
	}
	return fit_intent_keeps(&planner->profile->vfs.intent) ? count : 0;
}

static int refuse(struct fit_planner *planner, size_t offered)
{
	const struct fit_plan *plan = planner->plan;
	fit_autobuffer struct fit_buffer text = {0};
	size_t shown = 0;

	fit_buffer_addf(&text, "%zu %s VF%s wanted, ", planner->vfs_wanted, class_name(planner),
		fit_plural(planner->vfs_wanted));
	if (planner->source_count == 0)
		fit_buffer_addf(&text, "no %s device of this host has SR-IOV", class_name(planner));
	else
		fit_buffer_addf(&text, "%zu %s free", offered, offered == 1 ? "is" : "are");
	for (size_t i = 0; i < planner->source_count; i++) {
		const struct fit_pci_device *pf = planner->sources[i].pf;

		fit_buffer_addf(&text, "\n  %s: %u of %u VFs exist, %zu can be had", PF_STR(pf),
			pf->sriov_numvfs, pf->sriov_total, planner->sources[i].offer_count);
	}
	for (size_t i = 0; i < plan->reason_count; i++) {
		const struct fit_reason *reason = &plan->reasons[i];

		if (reason->kind == FIT_REASON_REJECTION && fit_streq(reason->topic, "vf") &&
			shown++ < REJECTIONS_SHOWN)
			fit_buffer_addf(&text, "\n  %s", reason->text);
	}
	planner->lacks = FIT_LACKS_VFS;
	if (shown > REJECTIONS_SHOWN)
		fit_buffer_addf(&text, "\n  and %zu more", shown - REJECTIONS_SHOWN);
	return fit_planner_refuse(planner, "%s", text.text);
}

void fit_place_vfs_find(struct fit_planner *planner)
{
	for (size_t i = 0; i < planner->host->pci_count; i++) {
		const struct fit_pci_device *pf = &planner->host->pci[i];

		if (pf->sriov_total && !pf->is_vf && is_of_class(planner, pf))
			add_source(planner, pf);
	}
}

static int list_sources(struct fit_planner *planner)
{
	const char *wanted = planner->profile->vfs.pf;
	size_t offered = 0;

	if (wanted && !fit_streq(wanted, "nearest")) {
		const struct fit_pci_device *pf = named_pf(planner, wanted);

		if (!pf)
			return -1;
		add_source(planner, pf);
	} else {
		fit_place_vfs_find(planner);
	}
	for (size_t i = 0; i < planner->source_count; i++)
		offered += planner->sources[i].offer_count;
	if (offered < planner->vfs_wanted)
		return refuse(planner, offered);
	fit_place_vfs_bound(planner);
	return 0;
}

int fit_place_vfs_prepare(struct fit_planner *planner)
{
	const struct fit_intent_vfs *vfs = &planner->profile->vfs;
	fit_autofree char *why = NULL;
	size_t kept;

	if (!vfs->intent.set || vfs->count == 0)
		return 0;
	kept = count_kept(planner);
	if (kept)
		fit_planner_reason(planner, FIT_REASON_KEPT, "vf",
			"%zu VF%s of the definition count%s", kept, fit_plural(kept),
			kept == 1 ? "s" : "");
	if (kept >= vfs->count)
		return 0;
	planner->vfs_wanted = vfs->count - kept;
	if (!fit_target_has(fit_planner_target(planner), planner->domain,
		    FIT_FEATURE_PCI_PASSTHROUGH, &why))
		return fit_planner_refuse(planner, "VFs are wanted, but %s", why);
	if (fit_place_networks_choose(planner) < 0)
		return -1;
	return vfs->as == FIT_VF_AS_NETWORK ? 0 : list_sources(planner);
}

void fit_place_vfs_clear(struct fit_planner *planner)
{
	for (size_t i = 0; i < planner->source_count; i++)
		free(planner->sources[i].offers);
	free(planner->sources);
}

static void explain(struct fit_planner *planner, const struct fit_vf_pick *pick)
{
	const struct fit_pci_device *pf = pick->source->pf;

	fit_planner_reason(planner, FIT_REASON_CHOICE, "vf", "VF %u of %s (%s)%s",
		pick->offer->index, PF_STR(pf), FIT_PCIADDR_STR(pick->offer->vf),
		pick->offer->exists ? "" : ": to be created at start");
	if (pick->offer->defined)
		fit_planner_reason(planner, FIT_REASON_WARNING, "vf",
			"VF %s: %s (shut off) is defined with it too and no other is free; the two "
			"cannot run at the same time",
			FIT_PCIADDR_STR(pick->offer->vf), pick->offer->defined->name);
	if (pick->offer->up)
		fit_planner_reason(planner, FIT_REASON_NOTE, "vf",
			"VF %s: its interface %s, which is up without an address, goes when the "
			"domain starts",
			FIT_PCIADDR_STR(pick->offer->vf), pick->offer->up);
	if (!pick->source->linked)
		fit_planner_reason(planner, FIT_REASON_WARNING, "vf",
			"VF %s: its PF %s has no link", FIT_PCIADDR_STR(pick->offer->vf),
			PF_STR(pf));
}

void fit_place_vfs_commit(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	struct fit_plan *plan = planner->plan;
	bool several = false;

	for (size_t i = 0; i < candidate->vf_count; i++) {
		const struct fit_vf_pick *pick = &candidate->vfs[i];
		const char *name = pf_name(pick->source->pf);
		struct fit_planned_vf *vf = FIT_APPEND(plan->vfs, plan->vf_count);

		*vf = (struct fit_planned_vf){
			.pf = pick->source->pf->addr,
			.has_pf = true,
			.vf = pick->offer->vf,
			.index = pick->offer->index,
			.exists = pick->offer->exists,
			.is_interface = planner->profile->vfs.class == FIT_VF_NETWORK &&
					planner->profile->vfs.as != FIT_VF_AS_HOSTDEV,
			.node = pick->source->node,
			.iommu_group = pick->offer->iommu_group,
			.pf_netdev = name ? fit_xstrdup(name) : NULL,
		};
		several |= pick->source != candidate->vfs[0].source;
		explain(planner, pick);
	}
	if (several)
		fit_planner_reason(planner, FIT_REASON_NOTE, "vf",
			"no PF has %zu free VFs: they are of several", candidate->vf_count);
}
