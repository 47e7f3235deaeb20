/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/packing.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

int fit_packing_compare(const struct fit_packing_turn *a, const struct fit_packing_turn *b)
{
	int order;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->rank == FIT_PACKING_NEW && a->vcpus != b->vcpus)
		return a->vcpus > b->vcpus ? -1 : 1;
	if (a->rank == FIT_PACKING_NEW && a->memory_kib != b->memory_kib)
		return a->memory_kib > b->memory_kib ? -1 : 1;
	order = strcmp(a->name, b->name);
	return order ? order : strcmp(a->uuid ? a->uuid : "", b->uuid ? b->uuid : "");
}

static struct fit_page_pool *pool_of(struct fit_node *node, uint64_t page_kib)
{
	for (size_t i = 0; i < node->pool_count; i++)
		if (node->pools[i].page_kib == page_kib)
			return &node->pools[i];
	return NULL;
}

static bool is_on(const struct fit_node *node, const struct fit_cpuset *nodes)
{
	return fit_cpuset_is_empty(nodes) || fit_cpuset_contains(nodes, node->id);
}

/* From the first of @nodes (empty: all) that has some. */
static void take_memory(struct fit_host *host, const struct fit_cpuset *nodes, uint64_t kib)
{
	for (size_t i = 0; i < host->node_count && kib; i++) {
		struct fit_node *node = &host->nodes[i];
		uint64_t taken = node->free_kib < kib ? node->free_kib : kib;

		if (!is_on(node, nodes))
			continue;
		node->free_kib -= taken;
		kib -= taken;
	}
}

/* Those that are there, then what the hook makes at start. */
static void take_pages(struct fit_host *host, const struct fit_page_demand *demand)
{
	uint64_t page_kib = demand->page_kib ? demand->page_kib : host->hugetlbfs.default_kib;
	uint64_t pages = page_kib ? fit_pages_for(demand->memory_kib, page_kib) : 0;

	if (demand->pages)
		pages = demand->pages;
	for (size_t i = 0; i < host->node_count && pages; i++) {
		struct fit_page_pool *pool = pool_of(&host->nodes[i], page_kib);
		uint64_t taken = pool && pool->free < pages ? pool->free : pages;

		if (!pool || !is_on(&host->nodes[i], &demand->nodes))
			continue;
		pool->free -= taken;
		pages -= taken;
	}
	for (size_t i = 0; i < host->node_count && pages; i++) {
		struct fit_node *node = &host->nodes[i];
		struct fit_page_pool *pool = pool_of(node, page_kib);
		uint64_t made = page_kib ? node->free_kib / page_kib : 0;

		if (!pool || !is_on(node, &demand->nodes))
			continue;
		made = made < pages ? made : pages;
		pool->total += made;
		node->free_kib -= made * page_kib;
		pages -= made;
	}
}

static bool is_claimed(const struct fit_claims *claims, struct fit_pciaddr addr)
{
	for (size_t i = 0; i < claims->count; i++)
		for (size_t d = 0; d < claims->items[i].device_count; d++)
			if (fit_pciaddr_equal(claims->items[i].devices[d], addr))
				return true;
	return false;
}

/* Libvirt takes the first VF of the network's PF that nobody has. */
static void take_network_vf(
	const struct fit_host *host, struct fit_claims *claims, struct fit_pciaddr addr)
{
	const struct fit_pci_device *pf = fit_host_pci(host, addr);
	struct fit_claim *claim = &claims->items[claims->count - 1];

	for (size_t i = 0; pf && i < pf->vf_count; i++) {
		if (is_claimed(claims, pf->vfs[i]))
			continue;
		*FIT_APPEND(claim->devices, claim->device_count) = pf->vfs[i];
		return;
	}
}

void fit_packing_take(struct fit_host *host, struct fit_claims *claims,
	const struct fit_domain *domain, const struct fit_plan *plan, const char *state)
{
	const struct fit_cpuset nodes = fit_domain_memory_nodes(domain);
	fit_autofree struct fit_page_demand *demands = NULL;
	uint64_t normal_kib = domain->memory_kib;
	size_t count;

	fit_claims_add(claims, domain, true);
	claims->items[claims->count - 1].state = state;
	demands = fit_domain_page_demands(domain, &count);
	for (size_t i = 0; i < count; i++) {
		take_pages(host, &demands[i]);
		normal_kib -=
			demands[i].memory_kib < normal_kib ? demands[i].memory_kib : normal_kib;
	}
	take_memory(host, &nodes, normal_kib);
	for (size_t i = 0; plan && i < plan->vf_count; i++)
		if (plan->vfs[i].network && plan->vfs[i].has_pf)
			take_network_vf(host, claims, plan->vfs[i].pf);
}

void fit_left_clear(struct fit_left *left)
{
	free(left->nodes);
	free(left->pfs);
	*left = (struct fit_left){0};
}
