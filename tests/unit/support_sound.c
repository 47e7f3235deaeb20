/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_sound.h"

#include "support.h"

static const char *current; /* what is being probed, for messages */

static void check_cpus(const struct fit_host *host)
{
	size_t online = 0;

	EXPECT_OF(current, !fit_cpuset_is_empty(&host->online));
	for (size_t i = 0; i < host->cpu_count; i++) {
		const struct fit_cpu *cpu = &host->cpus[i];

		EXPECT_OF(current, i == 0 || host->cpus[i - 1].id < cpu->id);
		EXPECT_OF(current, cpu->online == fit_cpuset_contains(&host->online, cpu->id));
		EXPECT_OF(current, fit_cpuset_is_subset(&cpu->siblings, &host->online));
		EXPECT_OF(current, fit_cpuset_contains(&cpu->siblings, cpu->id) == cpu->online);
		fit_cpuset_for_each (sibling, &cpu->siblings)
			EXPECT_OF(current,
				fit_host_cpu(host, (unsigned int)sibling)->node == cpu->node ||
					fit_host_cpu(host, (unsigned int)sibling)->node < 0 ||
					cpu->node < 0);
		fit_cpuset_for_each (sibling, &cpu->siblings)
			EXPECT_OF(current,
				fit_cpuset_equal(&cpu->siblings,
					&fit_host_cpu(host, (unsigned int)sibling)->siblings));
		EXPECT_OF(current, cpu->l3 < (int)host->l3_count);
		EXPECT_OF(current,
			cpu->l3 < 0 || fit_cpuset_contains(&host->l3_groups[cpu->l3], cpu->id));
		EXPECT_OF(current,
			cpu->node < 0 ||
				fit_cpuset_contains(
					&fit_host_node(host, (unsigned int)cpu->node)->cpus,
					cpu->id));
		online += cpu->online;
	}
	EXPECT_OF(current, online == fit_cpuset_count(&host->online));
}

static void check_l3_groups(const struct fit_host *host)
{
	struct fit_cpuset seen = {0};

	for (size_t i = 0; i < host->l3_count; i++) {
		EXPECT_OF(current, fit_cpuset_is_subset(&host->l3_groups[i], &host->online));
		EXPECT_OF(current, !fit_cpuset_intersects(&host->l3_groups[i], &seen));
		fit_cpuset_unite(&seen, &host->l3_groups[i]);
	}
}

static void check_nodes(const struct fit_host *host)
{
	struct fit_cpuset seen = {0};

	EXPECT_OF(current, host->node_count > 0);
	for (size_t i = 0; i < host->node_count; i++) {
		const struct fit_node *node = &host->nodes[i];

		EXPECT_OF(current, i == 0 || host->nodes[i - 1].id < node->id);
		EXPECT_OF(current, fit_cpuset_is_subset(&node->cpus, &host->online));
		EXPECT_OF(current, !fit_cpuset_intersects(&node->cpus, &seen));
		fit_cpuset_unite(&seen, &node->cpus);
		EXPECT_OF(current, node->free_kib <= node->memory_kib);
		for (size_t p = 0; p < node->pool_count; p++)
			EXPECT_OF(current, node->pools[p].free <= node->pools[p].total);
		for (size_t p = 1; p < node->pool_count; p++)
			EXPECT_OF(current, node->pools[p - 1].page_kib < node->pools[p].page_kib);
		for (size_t other = 0; node->distances && other < host->node_count; other++)
			EXPECT_OF(current, node->distances[i] <= node->distances[other]);
	}
}

static void check_devices(const struct fit_host *host)
{
	for (size_t i = 0; i < host->pci_count; i++) {
		const struct fit_pci_device *device = &host->pci[i];

		EXPECT_OF(current,
			i == 0 || fit_pciaddr_compare(host->pci[i - 1].addr, device->addr) < 0);
		EXPECT_OF(current, fit_cpuset_is_subset(&device->local_cpus, &host->online));
		EXPECT_OF(current,
			device->node < 0 || fit_host_node(host, (unsigned int)device->node));
		for (size_t v = 0; v < device->vf_count; v++) {
			const struct fit_pci_device *vf = fit_host_pci(host, device->vfs[v]);

			EXPECT_OF(current,
				vf && vf->is_vf && fit_pciaddr_equal(vf->physfn, device->addr));
		}
		for (size_t n = 0; n < device->netdev_count; n++)
			EXPECT_OF(current, device->netdevs[n].name != NULL);
	}
	for (size_t i = 0; i < host->irq_count; i++) {
		EXPECT_OF(current, i == 0 || host->irqs[i - 1].number < host->irqs[i].number);
		EXPECT_OF(current, host->irqs[i].chip && host->irqs[i].name);
	}
}

void fit_expect_sound_host(const char *what, const struct fit_host *host)
{
	current = what;
	EXPECT_OF(current, host->name && host->arch && host->cpu_vendor);
	EXPECT_OF(current, host->identity && *host->identity);
	check_cpus(host);
	check_l3_groups(host);
	check_nodes(host);
	check_devices(host);
}
