/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/host_json.h"

#include "base/memory.h"
#include "cli/json.h"

static void add(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

static struct json_object *number(uint64_t value)
{
	return json_object_new_uint64(value);
}

/* NULL is json-c's null. */
static struct json_object *known_or_null(int value)
{
	return value < 0 ? NULL : json_object_new_int(value);
}

static struct json_object *hex(unsigned int digits, uint32_t value)
{
	fit_autofree char *text = fit_xasprintf("0x%0*x", (int)digits, value);

	return json_object_new_string(text);
}

static struct json_object *address(struct fit_pciaddr addr)
{
	return json_object_new_string(FIT_PCIADDR_STR(addr));
}

static const char *kind_name(enum fit_cpu_kind kind)
{
	switch (kind) {
	case FIT_CPU_PERFORMANCE:
		return "performance";
	case FIT_CPU_EFFICIENCY:
		return "efficiency";
	case FIT_CPU_UNIFORM:
		break;
	}
	return "uniform";
}

static struct json_object *json_cpu(const struct fit_cpu *cpu)
{
	struct json_object *object = json_object_new_object();

	add(object, "id", number(cpu->id));
	add(object, "online", json_object_new_boolean(cpu->online));
	add(object, "isolated", json_object_new_boolean(cpu->isolated));
	add(object, "package", known_or_null(cpu->package));
	add(object, "die", known_or_null(cpu->die));
	add(object, "cluster", known_or_null(cpu->cluster));
	add(object, "core", known_or_null(cpu->core));
	add(object, "node", known_or_null(cpu->node));
	add(object, "l3_group", known_or_null(cpu->l3));
	add(object, "kind", json_object_new_string(kind_name(cpu->kind)));
	add(object, "siblings", fit_json_cpus(&cpu->siblings));
	return object;
}

static struct json_object *json_node(const struct fit_host *host, const struct fit_node *node)
{
	struct json_object *object = json_object_new_object();
	struct json_object *pools = json_object_new_array();
	struct json_object *distances = node->distances ? json_object_new_array() : NULL;

	for (size_t i = 0; i < node->pool_count; i++) {
		struct json_object *pool = json_object_new_object();

		add(pool, "page_kib", number(node->pools[i].page_kib));
		add(pool, "total", number(node->pools[i].total));
		add(pool, "free", number(node->pools[i].free));
		json_object_array_add(pools, pool);
	}
	for (size_t i = 0; distances && i < host->node_count; i++)
		json_object_array_add(distances, number(node->distances[i]));
	add(object, "id", number(node->id));
	add(object, "cpus", fit_json_cpus(&node->cpus));
	add(object, "memory_kib", number(node->memory_kib));
	add(object, "free_kib", number(node->free_kib));
	add(object, "pools", pools);
	add(object, "distances", distances);
	return object;
}

/* null where it is not known. */
static struct json_object *json_hugetlbfs(const struct fit_hugetlbfs *mounts)
{
	struct json_object *sizes = mounts->known ? json_object_new_array() : NULL;

	for (size_t i = 0; sizes && i < mounts->size_count; i++)
		json_object_array_add(sizes, number(mounts->sizes[i]));
	return sizes;
}

static struct json_object *json_sriov(const struct fit_pci_device *device)
{
	struct json_object *object = json_object_new_object();
	struct json_object *vfs = json_object_new_array();

	for (size_t i = 0; i < device->vf_count; i++)
		json_object_array_add(vfs, address(device->vfs[i]));
	add(object, "total", number(device->sriov_total));
	add(object, "number", number(device->sriov_numvfs));
	add(object, "offset", number(device->sriov_offset));
	add(object, "stride", number(device->sriov_stride));
	add(object, "vfs", vfs);
	return object;
}

static struct json_object *json_netdevs(const struct fit_pci_device *device)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < device->netdev_count; i++) {
		const struct fit_netdev *netdev = &device->netdevs[i];
		struct json_object *object = json_object_new_object();

		add(object, "name", json_object_new_string(netdev->name));
		add(object, "up", json_object_new_boolean(netdev->up));
		add(object, "carrier", json_object_new_boolean(netdev->carrier));
		add(object, "use", fit_json_string_or_null(netdev->use));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *json_device(
	const struct fit_host *host, const struct fit_pci_device *device)
{
	struct json_object *object = json_object_new_object();

	add(object, "address", address(device->addr));
	add(object, "class", hex(6, device->class_code));
	add(object, "vendor", hex(4, device->vendor));
	add(object, "device", hex(4, device->device));
	add(object, "subsystem_vendor", hex(4, device->subsystem_vendor));
	add(object, "subsystem_device", hex(4, device->subsystem_device));
	add(object, "driver", fit_json_string_or_null(device->driver));
	add(object, "node", known_or_null(device->node));
	add(object, "local_cpus", fit_json_cpus(&device->local_cpus));
	add(object, "iommu_group", known_or_null(device->iommu_group));
	add(object, "physfn", device->is_vf ? address(device->physfn) : NULL);
	add(object, "sriov", device->sriov_total ? json_sriov(device) : NULL);
	add(object, "msix_vectors", known_or_null(device->msix_vectors));
	add(object, "netdevs", json_netdevs(device));
	add(object, "kept_by", fit_json_string_or_null(fit_host_kept(host, device->addr)));
	return object;
}

static struct json_object *json_irq(const struct fit_irq *irq)
{
	struct json_object *object = json_object_new_object();

	add(object, "number", number(irq->number));
	add(object, "chip", json_object_new_string(irq->chip));
	add(object, "name", json_object_new_string(irq->name));
	add(object, "device", irq->has_device ? address(irq->device) : NULL);
	add(object, "affinity", fit_json_cpus(&irq->affinity));
	return object;
}

static struct json_object *json_control(
	unsigned int parts, const char *parts_name, unsigned int min, unsigned int groups)
{
	struct json_object *object = json_object_new_object();

	add(object, parts_name, number(parts));
	add(object, "min", number(min));
	add(object, "groups", number(groups));
	return object;
}

/* What the kernel can give to groups of threads; null for what it cannot. */
static struct json_object *json_resctrl(const struct fit_host *host)
{
	static const char *const names[] = {
		[FIT_CACHE_BOTH] = "l3",
		[FIT_CACHE_CODE] = "l3_code",
		[FIT_CACHE_DATA] = "l3_data",
	};
	const struct fit_bandwidth_control *bandwidth = &host->bandwidth_control;
	struct json_object *object = json_object_new_object();
	struct json_object *memory = NULL;

	for (size_t type = 0; type < FIT_ARRAY_SIZE(names); type++) {
		const struct fit_cache_control *control = &host->l3_control[type];

		add(object, names[type],
			control->bits ? json_control(control->bits, "pieces", control->min_bits,
						control->groups)
				      : NULL);
	}
	if (bandwidth->step) {
		memory = json_control(bandwidth->step, "step", bandwidth->min, bandwidth->groups);
		add(memory, "percent", json_object_new_boolean(!bandwidth->absolute));
	}
	add(object, "memory_bandwidth", memory);
	return object;
}

static struct json_object *json_l3_caches(const struct fit_host *host)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < host->l3_count; i++) {
		struct json_object *object = json_object_new_object();

		add(object, "id", known_or_null(host->l3_caches[i].id));
		add(object, "size_kib", number(host->l3_caches[i].size_kib));
		add(object, "cpus", fit_json_cpus(&host->l3_groups[i]));
		json_object_array_add(array, object);
	}
	return array;
}

struct json_object *fit_json_host(
	const struct fit_host *host, const char *stale, const struct fit_strlist *warnings)
{
	struct json_object *object = json_object_new_object();
	struct json_object *cpus = json_object_new_array();
	struct json_object *l3_groups = json_object_new_array();
	struct json_object *nodes = json_object_new_array();
	struct json_object *pci = json_object_new_array();
	struct json_object *irqs = json_object_new_array();

	for (size_t i = 0; i < host->cpu_count; i++)
		json_object_array_add(cpus, json_cpu(&host->cpus[i]));
	for (size_t i = 0; i < host->l3_count; i++)
		json_object_array_add(l3_groups, fit_json_cpus(&host->l3_groups[i]));
	for (size_t i = 0; i < host->node_count; i++)
		json_object_array_add(nodes, json_node(host, &host->nodes[i]));
	for (size_t i = 0; i < host->pci_count; i++)
		json_object_array_add(pci, json_device(host, &host->pci[i]));
	for (size_t i = 0; i < host->irq_count; i++)
		json_object_array_add(irqs, json_irq(&host->irqs[i]));
	add(object, "name", json_object_new_string(host->name));
	add(object, "identity", json_object_new_string(host->identity));
	add(object, "arch", json_object_new_string(host->arch));
	add(object, "cpu_vendor", json_object_new_string(host->cpu_vendor));
	add(object, "online", fit_json_cpus(&host->online));
	add(object, "isolated", fit_json_cpus(&host->isolated));
	add(object, "limited_by", fit_json_string_or_null(host->limited_by));
	add(object, "housekeeping", fit_json_cpus(&host->housekeeping));
	add(object, "acs_override", fit_json_string_or_null(host->acs_override));
	add(object, "housekeeping_by", fit_json_string_or_null(host->housekeeping_source));
	add(object, "start_stale", fit_json_string_or_null(stale));
	add(object, "cpus", cpus);
	add(object, "l3_groups", l3_groups);
	add(object, "l3_caches", json_l3_caches(host));
	add(object, "resctrl", json_resctrl(host));
	add(object, "nodes", nodes);
	add(object, "hugetlbfs_page_kib", json_hugetlbfs(&host->hugetlbfs));
	add(object, "pci", pci);
	add(object, "irqs", irqs);
	add(object, "warnings", fit_json_strings(warnings));
	return object;
}
