/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a network VF is in the definition: an <interface> of its own, a plain <hostdev>, or one that
 * libvirt takes from a network of forward mode 'hostdev' at start; and its MAC, its VLAN and the
 * virtio NIC that stands in while it is unplugged (<teaming>). That NIC is one of the definition's:
 * it stays what it is, the guest's way out when the VF is gone, and gives the VF its MAC.
 */
#include "core/place.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/alias.h"
#include "core/networks.h"
#include "core/profile_value.h"
#include "core/target.h"

static bool is_set(const struct fit_intent_vfs *vfs)
{
	return vfs->intent.set && vfs->count > 0;
}

/* What only an <interface> can have. */
static int check_settings(struct fit_planner *planner)
{
	const struct fit_intent_vfs *vfs = &planner->profile->vfs;
	const char *problem = vfs->macs		  ? "a MAC"
			      : vfs->vlan	  ? "a VLAN"
			      : vfs->with_standby ? "a standby interface"
						  : NULL;

	if (vfs->class == FIT_VF_NVME && problem)
		return fit_planner_refuse(
			planner, "VFs with %s are wanted, which NVMe VFs do not have", problem);
	if (vfs->as == FIT_VF_AS_HOSTDEV && vfs->with_standby)
		return fit_planner_refuse(planner,
			"VFs with %s are wanted, which a <hostdev> does not have: only "
			"as=\"interface\" and as=\"network\" can have it",
			problem);
	if (vfs->qos && (!vfs->vlan || vfs->as != FIT_VF_AS_HOSTDEV))
		return fit_planner_refuse(planner,
			"VFs with a priority of their VLAN are wanted: that goes with vlan= and "
			"as=\"hostdev\", libvirt has none for an <interface>");
	if (vfs->as == FIT_VF_AS_NETWORK && vfs->class == FIT_VF_NVME)
		return fit_planner_refuse(
			planner, "NVMe VFs are wanted from a libvirt network, which gives NICs");
	if (vfs->as == FIT_VF_AS_NETWORK && !vfs->network)
		return fit_planner_refuse(planner, "VFs of a libvirt network are wanted, but the "
						   "profile does not say of which: network=");
	if (vfs->macs && vfs->with_standby)
		return fit_planner_refuse(planner,
			"VFs with a standby interface have its MAC: "
			"mac= and teaming=\"standby\" exclude each other");
	return 0;
}

static const struct fit_pci_device *network_pf(
	const struct fit_planner *planner, const struct fit_network *network)
{
	const struct fit_pci_device *vf;

	if (network->pf)
		return fit_host_pci_by_netdev(planner->host, network->pf);
	vf = network->vf_count ? fit_host_pci(planner->host, network->vfs[0]) : NULL;
	return vf && vf->is_vf ? fit_host_pci(planner->host, vf->physfn) : vf;
}

/* Libvirt chooses among the VFs and knows nothing of those that are kept. */
static int check_kept(struct fit_planner *planner)
{
	const struct fit_pci_device *pf = planner->network_pf;
	const char *name = planner->profile->vfs.network;
	const char *kept = pf ? fit_host_kept(planner->host, pf->addr) : NULL;

	if (kept)
		return fit_planner_refuse(planner,
			"libvirt network '%s' gives VFs of %s, which is kept for the host by %s",
			name, FIT_PCIADDR_STR(pf->addr), kept);
	for (size_t i = 0; pf && i < pf->vf_count && !kept; i++)
		kept = fit_host_kept(planner->host, pf->vfs[i]);
	if (kept)
		fit_planner_reason(planner, FIT_REASON_WARNING, "vf",
			"libvirt network '%s' may give a VF that is kept for the host by %s", name,
			kept);
	return 0;
}

static int check_network(struct fit_planner *planner)
{
	const char *name = planner->profile->vfs.network;
	const struct fit_networks *networks = planner->input->networks;
	const struct fit_network *network = networks ? fit_networks_find(networks, name) : NULL;

	if (!networks) {
		fit_planner_reason(planner, FIT_REASON_NOTE, "vf",
			"whether libvirt has a network '%s' that gives VFs was not looked at",
			name);
		return 0;
	}
	if (!network)
		return fit_planner_refuse(planner, "there is no libvirt network '%s'", name);
	if (!network->gives_vfs)
		return fit_planner_refuse(planner,
			"libvirt network '%s' gives no VFs: its forward mode is not 'hostdev'",
			name);
	if (!network->active)
		fit_planner_reason(planner, FIT_REASON_WARNING, "vf",
			"libvirt network '%s' is not active and the domain will not start: virsh "
			"net-start",
			name);
	planner->network_pf = network_pf(planner, network);
	if (check_kept(planner) < 0)
		return -1;
	if (planner->network_pf)
		fit_planner_add_anchor(planner, planner->network_pf);
	else
		fit_planner_reason(planner, FIT_REASON_WARNING, "vf",
			"libvirt network '%s' gives VFs of %s, which this host does not have", name,
			network->pf ? network->pf : "addresses");
	return 0;
}

int fit_place_networks_prepare(struct fit_planner *planner)
{
	const struct fit_intent_vfs *vfs = &planner->profile->vfs;

	if (!is_set(vfs))
		return 0;
	if (check_settings(planner) < 0)
		return -1;
	return vfs->as == FIT_VF_AS_NETWORK ? check_network(planner) : 0;
}

size_t fit_place_networks_kept(const struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;
	size_t count = 0;

	for (size_t i = 0; i < domain->interface_count; i++)
		count += fit_streq(domain->interfaces[i].type, "network") &&
			 fit_streq(domain->interfaces[i].network, planner->profile->vfs.network);
	return count;
}

/* Can it stand in for a VF? Only virtio NICs can; one that the user has paired already is taken. */
static bool can_stand_by(const struct fit_planner *planner, const struct fit_domain_interface *nic)
{
	return fit_streq(nic->model, "virtio") && !fit_streq(nic->type, "hostdev") &&
	       !nic->has_teaming &&
	       !(planner->profile->vfs.as == FIT_VF_AS_NETWORK &&
		       fit_streq(nic->network, planner->profile->vfs.network));
}

static int add_standby(struct fit_planner *planner, const struct fit_domain_interface *nic)
{
	struct fit_plan *plan = planner->plan;
	fit_autofree char *mac = nic->mac ? fit_value_mac(nic->mac) : NULL;
	struct fit_planned_standby *standby;
	bool has_alias = nic->alias && fit_starts_with(nic->alias, "ua-");

	if (!mac)
		return fit_planner_refuse(planner,
			"the NIC that is to stand in for VF %zu has no MAC yet: give it one, or "
			"define the domain first, then libvirt does",
			plan->standby_count + 1);
	standby = FIT_APPEND(plan->standbys, plan->standby_count);
	standby->identity = fit_xstrdup(nic->mac);
	standby->mac = FIT_STEAL(mac);
	standby->names_itself = has_alias;
	standby->alias =
		has_alias ? fit_xstrdup(nic->alias)
			  : fit_alias_make(planner->domain, "standby%zu", plan->standby_count - 1);
	fit_planner_reason(planner, FIT_REASON_CHOICE, "vf",
		"the NIC %s stands in for VF %zu, with the same MAC", standby->mac,
		plan->standby_count);
	return 0;
}

/* A NIC of the definition for each VF that is added. */
static int choose_standbys(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;
	struct fit_plan *plan = planner->plan;
	fit_autofree char *why = NULL;

	if (!fit_target_has(fit_planner_target(planner), domain, FIT_FEATURE_TEAMING, &why)) {
		fit_planner_reason(
			planner, FIT_REASON_NOTE, "vf", "no NIC stands in for the VFs: %s", why);
		return 0;
	}
	for (size_t i = 0; i < domain->interface_count; i++)
		if (plan->standby_count < planner->vfs_wanted &&
			can_stand_by(planner, &domain->interfaces[i]) &&
			add_standby(planner, &domain->interfaces[i]) < 0)
			return -1;
	planner->lacks = plan->standby_count < planner->vfs_wanted ? FIT_LACKS_VFS : 0;
	if (planner->lacks)
		return fit_planner_refuse(planner,
			"a virtio NIC that stands in is wanted for each of %zu VF%s, the definition "
			"has %zu",
			planner->vfs_wanted, fit_plural(planner->vfs_wanted), plan->standby_count);
	return 0;
}

/* A switch that knows an address at two ports delivers to one of them. */
static int check_mac(struct fit_planner *planner, const struct fit_strlist *macs, size_t number)
{
	const struct fit_domain *domain = planner->domain;
	fit_autofree char *mac = fit_value_mac(macs->items[number]);

	for (size_t i = 0; mac && i < domain->interface_count; i++) {
		const char *text =
			domain->interfaces[i].has_teaming ? NULL : domain->interfaces[i].mac;
		fit_autofree char *other = text ? fit_value_mac(text) : NULL;

		if (fit_streq(mac, other))
			return fit_planner_refuse(planner,
				"mac= names %s, which is that of a NIC of the definition; name another "
				"one, or say teaming=\"standby\" if the NIC shall stand in for the VF",
				mac);
	}
	for (size_t i = 0; mac && i < number; i++) {
		fit_autofree char *other = fit_value_mac(macs->items[i]);

		if (fit_streq(mac, other))
			return fit_planner_refuse(planner, "mac= names %s twice", mac);
	}
	return 0;
}

int fit_place_networks_choose(struct fit_planner *planner)
{
	const struct fit_intent_vfs *vfs = &planner->profile->vfs;
	fit_autostrlist struct fit_strlist macs = {0};

	if (vfs->macs)
		fit_strlist_split(&macs, vfs->macs, " ");
	if (vfs->macs && macs.count < planner->vfs_wanted)
		return fit_planner_refuse(planner, "%zu VF%s added, but mac= names %zu",
			planner->vfs_wanted, planner->vfs_wanted == 1 ? " is" : "s are",
			macs.count);
	for (size_t i = 0; i < macs.count && i < planner->vfs_wanted; i++)
		if (check_mac(planner, &macs, i) < 0)
			return -1;
	return vfs->with_standby ? choose_standbys(planner) : 0;
}

/* VFs of a network are libvirt's to choose, when the domain starts. */
static void add_network_vfs(struct fit_planner *planner)
{
	struct fit_plan *plan = planner->plan;
	const struct fit_pci_device *pf = planner->network_pf;

	for (size_t i = 0; i < planner->vfs_wanted; i++)
		*FIT_APPEND(plan->vfs, plan->vf_count) = (struct fit_planned_vf){
			.is_interface = true,
			.network = planner->profile->vfs.network,
			.has_pf = pf != NULL,
			.pf = pf ? pf->addr : (struct fit_pciaddr){0},
			.iommu_group = -1,
			.node = pf ? fit_device_node(planner->host, pf) : -1,
		};
}

void fit_place_networks_commit(struct fit_planner *planner)
{
	const struct fit_intent_vfs *vfs = &planner->profile->vfs;
	struct fit_plan *plan = planner->plan;
	fit_autostrlist struct fit_strlist macs = {0};

	if (vfs->as == FIT_VF_AS_NETWORK)
		add_network_vfs(planner);
	if (vfs->macs)
		fit_strlist_split(&macs, vfs->macs, " ");
	for (size_t i = 0; i < plan->vf_count; i++) {
		struct fit_planned_vf *vf = &plan->vfs[i];

		vf->vlan = vfs->vlan;
		vf->standby = i < plan->standby_count ? plan->standbys[i].alias : NULL;
		if (vf->standby)
			vf->mac = fit_xstrdup(plan->standbys[i].mac);
		else if (vfs->macs)
			vf->mac = fit_xstrdup(macs.items[i]);
	}
}
