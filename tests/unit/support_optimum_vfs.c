/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_optimum_parts.h"

#include "support.h"

static bool had_before(const struct fit_bench *b, struct fit_pciaddr addr)
{
	for (size_t i = 0; b->has_previous && i < b->previous.hostdev_count; i++)
		if (fit_pciaddr_equal(b->previous.hostdevs[i].source, addr))
			return true;
	return false;
}

static void offer(struct trial *t, const struct fit_pci_device *pf, unsigned int number,
	struct fit_pciaddr addr)
{
	struct vf vf = {
		.pf = number,
		.node = pf->node,
		.exists = pf->vf_count > 0,
		.linked = pf->netdevs[0].carrier,
		.previous = had_before(t->b, addr),
	};

	for (size_t i = 0; i < t->b->claims.count; i++) {
		const struct fit_claim *claim = &t->b->claims.items[i];

		for (size_t d = 0; d < claim->device_count; d++) {
			if (!fit_pciaddr_equal(claim->devices[d], addr))
				continue;
			if (claim->running)
				return;
			vf.defined = true;
		}
	}
	assert_true(t->vf_count < FIT_OPTIMUM_VFS);
	t->vfs[t->vf_count++] = vf;
}

void fit_optimum_list_vfs(struct trial *t)
{
	for (size_t i = 0; i < t->b->host.pci_count; i++) {
		const struct fit_pci_device *pf = &t->b->host.pci[i];
		unsigned int count = pf->vf_count ? (unsigned int)pf->vf_count : pf->sriov_total;

		for (unsigned int v = 0; v < count && !pf->is_vf; v++)
			offer(t, pf, (unsigned int)i,
				pf->vf_count ? pf->vfs[v]
					     : fit_pciaddr_vf(pf->addr, pf->sriov_offset,
						       pf->sriov_stride, v));
	}
}

static struct fit_cost rate_vfs(const struct trial *t, unsigned int nodes, unsigned int chosen)
{
	struct fit_cost cost = {0};
	unsigned int pfs = 0;

	for (unsigned int i = 0; i < t->vf_count; i++) {
		const struct vf *vf = &t->vfs[i];

		if (!(chosen >> i & 1))
			continue;
		pfs |= 1U << vf->pf;
		cost.level[FIT_COST_OVERLAP] += vf->defined;
		cost.level[FIT_COST_LINK] += !vf->linked;
		cost.level[FIT_COST_DEVICES] += fit_optimum_way(t, nodes, vf->node);
		cost.level[FIT_COST_CREATION] += !vf->exists && !vf->previous;
		cost.level[FIT_COST_MOVED] += !vf->previous;
	}
	cost.level[FIT_COST_PFS] = (uint64_t)__builtin_popcount(pfs);
	return cost;
}

bool fit_optimum_add_vfs(const struct trial *t, unsigned int nodes, struct fit_cost *cost)
{
	unsigned int wanted = t->b->profile.vfs.intent.set ? t->b->profile.vfs.count : 0;
	struct fit_cost best;
	bool found = false;

	for (unsigned int chosen = 0; chosen < 1U << t->vf_count; chosen++) {
		struct fit_cost trial;

		if ((unsigned int)__builtin_popcount(chosen) != wanted)
			continue;
		trial = rate_vfs(t, nodes, chosen);
		if (!found || fit_optimum_is_less(&trial, &best))
			best = trial;
		found = true;
	}
	if (found)
		fit_optimum_add(cost, &best);
	return found;
}
