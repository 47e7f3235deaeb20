/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The huge pages that a domain needs: of its guest cells, or of the whole guest, and of memory
 * devices that have others than their cell. */
#include "core/domain_parts.h"

#include "base/memory.h"
#include "base/text.h"

bool fit_numatune_mode_binds(const char *mode)
{
	return fit_streq(mode, "strict") || fit_streq(mode, "restrictive");
}

uint64_t fit_pages_for(uint64_t kib, uint64_t page_kib)
{
	return kib / page_kib + (kib % page_kib != 0);
}

uint64_t fit_domain_cell_pages(const struct fit_domain_cell *cell, uint64_t page_kib)
{
	return fit_pages_for(cell->memory_kib, page_kib) +
	       fit_pages_for(cell->device_kib, page_kib);
}

uint64_t fit_domain_pages(const struct fit_domain *domain, uint64_t page_kib)
{
	uint64_t pages = 0;

	if (domain->cell_count == 0)
		return fit_pages_for(domain->memory_kib, page_kib);
	for (size_t i = 0; i < domain->cell_count; i++)
		pages += fit_domain_cell_pages(&domain->cells[i], page_kib);
	return pages;
}

static struct fit_page_demand *find_demand(
	struct fit_page_demand *demands, size_t count, const struct fit_page_demand *like)
{
	for (size_t i = 0; i < count; i++)
		if (demands[i].page_kib == like->page_kib &&
			demands[i].nodes_preferred == like->nodes_preferred &&
			fit_cpuset_equal(&demands[i].nodes, &like->nodes))
			return &demands[i];
	return NULL;
}

static struct fit_page_demand demand_of_cell(
	const struct fit_domain *domain, const struct fit_domain_cell *cell)
{
	struct fit_page_demand demand = {
		.page_kib = cell->hugepage_kib,
		.memory_kib = cell->memory_kib + cell->device_kib,
	};
	bool binds =
		cell->has_memnode ? cell->binds : fit_numatune_mode_binds(domain->numatune_mode);

	if (cell->has_memnode)
		demand.nodes = cell->nodes;
	else if (!domain->numatune_auto)
		demand.nodes = domain->numatune_nodes;
	if (demand.page_kib)
		demand.pages = fit_domain_cell_pages(cell, demand.page_kib);
	demand.nodes_preferred = !fit_cpuset_is_empty(&demand.nodes) && !binds;
	return demand;
}

/* Guests without cells have one: all of <memory> but the memory devices. */
static struct fit_domain_cell whole_guest(const struct fit_domain *domain)
{
	uint64_t devices = domain->memory_devices_kib;
	bool fits = devices < domain->memory_kib;

	return (struct fit_domain_cell){
		.memory_kib = fits ? domain->memory_kib - devices : domain->memory_kib,
		.device_kib = fits ? domain->whole_device_kib : 0,
		.has_hugepages = domain->has_hugepages,
		.hugepage_kib = domain->hugepage_kib,
	};
}

/* Nodes of its own are for it as the mode of its cell says; without a mode it is bound. */
static struct fit_page_demand demand_of_device(const struct fit_domain *domain,
	const struct fit_domain_cell *cell, const struct fit_domain_memory_device *device)
{
	const struct fit_domain_cell memory = {
		.memory_kib = device->kib,
		.has_hugepages = true,
		.hugepage_kib = device->page_kib ? device->page_kib : cell->hugepage_kib,
		.has_memnode = device->has_nodes || cell->has_memnode,
		.nodes = device->has_nodes ? device->nodes : cell->nodes,
		.binds = cell->has_memnode ? cell->binds
					   : !domain->numatune_mode ||
						     fit_numatune_mode_binds(domain->numatune_mode),
	};

	return demand_of_cell(domain, &memory);
}

static void add_demand(
	struct fit_page_demand *demands, size_t *count, struct fit_page_demand demand)
{
	struct fit_page_demand *same = find_demand(demands, *count, &demand);

	if (!same) {
		demands[(*count)++] = demand;
		return;
	}
	same->pages += demand.pages;
	same->memory_kib += demand.memory_kib;
}

struct fit_page_demand *fit_domain_page_demands(const struct fit_domain *domain, size_t *ret_count)
{
	const struct fit_domain_cell whole = whole_guest(domain);
	const struct fit_domain_cell *cells = domain->cell_count ? domain->cells : &whole;
	size_t count = domain->cell_count ? domain->cell_count : 1;
	struct fit_page_demand *demands =
		fit_xcalloc(count + domain->memory_device_count, sizeof(*demands));

	*ret_count = 0;
	for (size_t i = 0; i < count; i++)
		if (cells[i].has_hugepages)
			add_demand(demands, ret_count, demand_of_cell(domain, &cells[i]));
	for (size_t i = 0; i < domain->memory_device_count; i++) {
		const struct fit_domain_memory_device *device = &domain->memory_devices[i];
		const struct fit_domain_cell *cell = &cells[device->cell];

		if (device->page_kib || cell->has_hugepages)
			add_demand(demands, ret_count, demand_of_device(domain, cell, device));
	}
	return demands;
}

uint64_t fit_domain_device_pages(
	const struct fit_domain *domain, uint64_t page_kib, const struct fit_cpuset *nodes)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < domain->memory_device_count && domain->cell_count; i++) {
		const struct fit_domain_memory_device *device = &domain->memory_devices[i];
		const struct fit_domain_cell *cell = &domain->cells[device->cell];
		struct fit_page_demand demand = demand_of_device(domain, cell, device);

		if ((device->page_kib || cell->has_hugepages) && demand.page_kib == page_kib &&
			fit_nodes_may_meet(&demand.nodes, nodes))
			pages += demand.pages;
	}
	return pages;
}

bool fit_nodes_may_meet(const struct fit_cpuset *nodes, const struct fit_cpuset *others)
{
	return fit_cpuset_is_empty(nodes) || fit_cpuset_is_empty(others) ||
	       fit_cpuset_intersects(nodes, others);
}
