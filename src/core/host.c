/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

static void clear_nodes(struct fit_host *host)
{
	for (size_t i = 0; i < host->node_count; i++) {
		free(host->nodes[i].pools);
		free(host->nodes[i].distances);
	}
	free(host->nodes);
}

static void clear_pci(struct fit_host *host)
{
	for (size_t i = 0; i < host->pci_count; i++) {
		struct fit_pci_device *device = &host->pci[i];

		for (size_t n = 0; n < device->netdev_count; n++) {
			free(device->netdevs[n].name);
			free(device->netdevs[n].use);
		}
		free(device->netdevs);
		free(device->vfs);
		free(device->vf_numbers);
		free(device->driver);
		free(device->in_use);
	}
	free(host->pci);
}

static void clear_irqs(struct fit_host *host)
{
	for (size_t i = 0; i < host->irq_count; i++) {
		free(host->irqs[i].chip);
		free(host->irqs[i].name);
	}
	free(host->irqs);
}

void fit_host_clear(struct fit_host *host)
{
	for (size_t i = 0; i < host->kept_count; i++)
		free(host->kept[i].source);
	free(host->kept);
	free(host->housekeeping_source);
	free(host->limited_by);
	clear_nodes(host);
	clear_pci(host);
	clear_irqs(host);
	fit_hugetlbfs_clear(&host->hugetlbfs);
	free(host->cpus);
	free(host->l3_groups);
	free(host->l3_caches);
	free(host->name);
	free(host->identity);
	free(host->acs_override);
	free(host->arch);
	free(host->cpu_vendor);
	*host = (struct fit_host){0};
}

static int compare_cpu(const void *key, const void *element)
{
	unsigned int id = *(const unsigned int *)key;
	const struct fit_cpu *cpu = element;

	return (id > cpu->id) - (id < cpu->id);
}

static int compare_node(const void *key, const void *element)
{
	unsigned int id = *(const unsigned int *)key;
	const struct fit_node *node = element;

	return (id > node->id) - (id < node->id);
}

static int compare_pci(const void *key, const void *element)
{
	const struct fit_pci_device *device = element;

	return fit_pciaddr_compare(*(const struct fit_pciaddr *)key, device->addr);
}

static int compare_kept(const void *key, const void *element)
{
	const struct fit_kept_device *kept = element;

	return fit_pciaddr_compare(*(const struct fit_pciaddr *)key, kept->addr);
}

/* bsearch(3) that accepts the NULL of an empty array. */
static const void *find(const void *key, const void *items, size_t count, size_t size,
	int (*compare)(const void *, const void *))
{
	return count ? bsearch(key, items, count, size, compare) : NULL;
}

const struct fit_cpu *fit_host_cpu(const struct fit_host *host, unsigned int id)
{
	return find(&id, host->cpus, host->cpu_count, sizeof(*host->cpus), compare_cpu);
}

const struct fit_node *fit_host_node(const struct fit_host *host, unsigned int id)
{
	return find(&id, host->nodes, host->node_count, sizeof(*host->nodes), compare_node);
}

const struct fit_pci_device *fit_host_pci(const struct fit_host *host, struct fit_pciaddr addr)
{
	return find(&addr, host->pci, host->pci_count, sizeof(*host->pci), compare_pci);
}

const struct fit_pci_device *fit_host_pci_by_netdev(const struct fit_host *host, const char *name)
{
	for (size_t i = 0; i < host->pci_count; i++)
		for (size_t n = 0; n < host->pci[i].netdev_count; n++)
			if (fit_streq(host->pci[i].netdevs[n].name, name))
				return &host->pci[i];
	return NULL;
}

unsigned int fit_pci_vf_number(const struct fit_pci_device *pf, size_t place)
{
	return pf->vf_numbers ? pf->vf_numbers[place] : (unsigned int)place;
}

bool fit_pci_find_vf(
	const struct fit_pci_device *pf, unsigned int number, struct fit_pciaddr *ret_addr)
{
	size_t place = number;

	for (size_t i = 0; pf->vf_numbers && i < pf->vf_count; i++)
		place = pf->vf_numbers[i] <= number ? i : place;
	if (place < pf->vf_count && fit_pci_vf_number(pf, place) == number) {
		*ret_addr = pf->vfs[place];
		return true;
	}
	if (number >= pf->sriov_total ||
		!fit_pciaddr_has_vf(pf->addr, pf->sriov_offset, pf->sriov_stride, number))
		return false;
	*ret_addr = fit_pciaddr_vf(pf->addr, pf->sriov_offset, pf->sriov_stride, number);
	return true;
}

const char *fit_host_kept(const struct fit_host *host, struct fit_pciaddr addr)
{
	const struct fit_kept_device *kept =
		find(&addr, host->kept, host->kept_count, sizeof(*host->kept), compare_kept);

	return kept ? kept->source : NULL;
}

bool fit_host_limit(struct fit_host *host, const struct fit_cpuset *allowed, const char *source)
{
	fit_autofree char *both = NULL;

	if (!fit_cpuset_intersects(&host->online, allowed))
		return false;
	if (host->limited_by && fit_cpuset_is_subset(&host->online, allowed))
		return true;
	fit_cpuset_unite(&host->barred, &host->online);
	fit_cpuset_intersect(&host->online, allowed);
	fit_cpuset_subtract(&host->barred, &host->online);
	for (size_t i = 0; i < host->cpu_count; i++) {
		struct fit_cpu *cpu = &host->cpus[i];

		cpu->online = fit_cpuset_contains(&host->online, cpu->id);
		fit_cpuset_unite(&cpu->barred_siblings, &cpu->siblings);
		fit_cpuset_subtract(&cpu->barred_siblings, &host->online);
		if (cpu->online)
			fit_cpuset_intersect(&cpu->siblings, allowed);
		else
			cpu->siblings = (struct fit_cpuset){0};
	}
	for (size_t i = 0; i < host->node_count; i++)
		fit_cpuset_intersect(&host->nodes[i].cpus, allowed);
	for (size_t i = 0; i < host->l3_count; i++)
		fit_cpuset_intersect(&host->l3_groups[i], allowed);
	if (host->limited_by)
		both = fit_xasprintf("%s and %s", host->limited_by, source);
	fit_xreplace(&host->limited_by, both ? both : source);
	return true;
}

unsigned int fit_host_threads_per_core(const struct fit_host *host)
{
	size_t most = 1;

	for (size_t i = 0; i < host->cpu_count; i++) {
		size_t threads = fit_cpuset_count(&host->cpus[i].siblings);

		most = threads > most ? threads : most;
	}
	return (unsigned int)most;
}

static const struct fit_page_pool *find_pool(const struct fit_node *node, uint64_t page_kib)
{
	for (size_t i = 0; i < node->pool_count; i++)
		if (node->pools[i].page_kib == page_kib)
			return &node->pools[i];
	return NULL;
}

uint64_t fit_node_free_pages(const struct fit_node *node, uint64_t page_kib)
{
	const struct fit_page_pool *pool = find_pool(node, page_kib);

	return pool ? pool->free : 0;
}

bool fit_node_has_page_size(const struct fit_node *node, uint64_t page_kib)
{
	return find_pool(node, page_kib) != NULL;
}

unsigned int fit_host_distance(const struct fit_host *host, unsigned int from, unsigned int to)
{
	const struct fit_node *source = fit_host_node(host, from);
	const struct fit_node *target = fit_host_node(host, to);

	if (source && target && source->distances)
		return source->distances[target - host->nodes];
	return from == to ? 10 : 20;
}
