/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_plan.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct fit_cpuset fit_made_set(const char *list)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_cpuset set = {0};

	if (fit_cpuset_parse_list(list, &set, &err) < 0)
		fail_msg("'%s': %s", list, err.message);
	return set;
}

static void make_cpus(struct fit_host *host, struct fit_host_shape shape)
{
	unsigned int cores = shape.nodes * shape.l3_groups * shape.cores;

	host->cpu_count = (size_t)cores * shape.threads;
	host->cpus = fit_xcalloc(host->cpu_count, sizeof(*host->cpus));
	host->l3_count = (size_t)shape.nodes * shape.l3_groups;
	host->l3_groups = fit_xcalloc(host->l3_count, sizeof(*host->l3_groups));
	for (unsigned int id = 0; id < host->cpu_count; id++) {
		unsigned int core = id % cores;
		struct fit_cpu *cpu = &host->cpus[id];

		*cpu = (struct fit_cpu){
			.id = id,
			.online = true,
			.package = (int)(core / (shape.l3_groups * shape.cores)),
			.core = (int)core,
			.node = (int)(core / (shape.l3_groups * shape.cores)),
			.l3 = (int)(core / shape.cores),
		};
		for (unsigned int t = 0; t < shape.threads; t++)
			fit_cpuset_add(&cpu->siblings, core + t * cores);
		fit_cpuset_add(&host->online, id);
		fit_cpuset_add(&host->l3_groups[cpu->l3], id);
	}
}

static void make_nodes(struct fit_host *host, unsigned int count)
{
	host->node_count = count;
	host->nodes = fit_xcalloc(count, sizeof(*host->nodes));
	for (unsigned int id = 0; id < count; id++) {
		struct fit_node *node = &host->nodes[id];

		node->id = id;
		node->memory_kib = 64 * GIB;
		node->free_kib = 62 * GIB;
		node->pool_count = 2;
		node->pools = fit_xcalloc(2, sizeof(*node->pools));
		node->pools[0].page_kib = 2048;
		node->pools[1].page_kib = GIB;
		node->distances = fit_xcalloc(count, sizeof(*node->distances));
		for (unsigned int to = 0; to < count; to++)
			node->distances[to] = to == id ? 10 : 21;
	}
	for (size_t i = 0; i < host->cpu_count; i++)
		fit_cpuset_add(&host->nodes[host->cpus[i].node].cpus, host->cpus[i].id);
}

struct fit_host fit_made_host(struct fit_host_shape shape)
{
	struct fit_host host = {
		.name = fit_xstrdup("made"),
		.identity = fit_xstrdup("made"),
		.arch = fit_xstrdup("x86_64"),
		.cpu_vendor = fit_xstrdup("GenuineIntel"),
	};

	make_cpus(&host, shape);
	make_nodes(&host, shape.nodes);
	return host;
}

void fit_made_resctrl(struct fit_host *host, unsigned int mib)
{
	host->l3_caches = fit_xcalloc(host->l3_count, sizeof(*host->l3_caches));
	for (size_t i = 0; i < host->l3_count; i++)
		host->l3_caches[i] = (struct fit_l3){
			.id = (int)i, .size_kib = (uint64_t)mib << 10, .room = {16}};
	host->l3_control[FIT_CACHE_BOTH] =
		(struct fit_cache_control){.bits = 16, .min_bits = 1, .groups = 8};
	host->bandwidth_control =
		(struct fit_bandwidth_control){.step = 10, .min = 10, .groups = 8};
}

void fit_made_offline(struct fit_host *host, unsigned int id)
{
	fit_cpuset_remove(&host->online, id);
	for (size_t i = 0; i < host->cpu_count; i++) {
		fit_cpuset_remove(&host->cpus[i].siblings, id);
		if (host->cpus[i].id == id) {
			host->cpus[i].online = false;
			host->cpus[i].siblings = (struct fit_cpuset){0};
		}
	}
	for (size_t i = 0; i < host->node_count; i++)
		fit_cpuset_remove(&host->nodes[i].cpus, id);
	for (size_t i = 0; i < host->l3_count; i++)
		fit_cpuset_remove(&host->l3_groups[i], id);
}

static struct fit_pciaddr parse_addr(const char *text)
{
	struct fit_pciaddr addr;

	if (!fit_pciaddr_parse(text, &addr))
		fail_msg("'%s' is no address", text);
	return addr;
}

static struct fit_pci_device *insert_device(
	struct fit_host *host, struct fit_pciaddr addr, uint32_t class_code, int node, int group)
{
	struct fit_pci_device *device;
	size_t place = host->pci_count;

	FIT_APPEND(host->pci, host->pci_count);
	while (place > 0 && fit_pciaddr_compare(host->pci[place - 1].addr, addr) > 0) {
		host->pci[place] = host->pci[place - 1];
		place--;
	}
	device = &host->pci[place];
	*device = (struct fit_pci_device){
		.addr = addr,
		.class_code = class_code,
		.node = node,
		.iommu_group = group,
		.msix_vectors = -1,
	};
	return device;
}

struct fit_pci_device *fit_made_device(
	struct fit_host *host, const char *addr, uint32_t class_code, int node, int group)
{
	return insert_device(host, parse_addr(addr), class_code, node, group);
}

void fit_made_pf(struct fit_host *host, const char *text, const char *netdev, int node,
	unsigned int total, unsigned int numvfs)
{
	struct fit_pciaddr addr = parse_addr(text);
	struct fit_pci_device *pf = insert_device(host, addr, 0x020000, node, 100 * addr.bus + 99);
	struct fit_netdev *interface = FIT_APPEND(pf->netdevs, pf->netdev_count);

	*interface = (struct fit_netdev){.name = fit_xstrdup(netdev), .up = true, .carrier = true};
	pf->driver = fit_xstrdup("igb");
	pf->sriov_total = total;
	pf->sriov_numvfs = numvfs;
	pf->sriov_offset = 128;
	pf->sriov_stride = 1;
	for (unsigned int i = 0; i < numvfs; i++)
		*FIT_APPEND(pf->vfs, pf->vf_count) = fit_pciaddr_vf(addr, 128, 1, i);
	for (unsigned int i = 0; i < numvfs; i++) {
		struct fit_pci_device *vf = insert_device(host, fit_pciaddr_vf(addr, 128, 1, i),
			0x020000, node, 100 * addr.bus + (int)i);

		vf->is_vf = true;
		vf->physfn = addr;
		vf->driver = fit_xstrdup("igbvf");
	}
}

struct fit_domain fit_made_domain(const char *name, unsigned int vcpus, uint64_t memory_kib)
{
	return (struct fit_domain){
		.name = fit_xstrdup(name),
		.type = fit_xstrdup("kvm"),
		.arch = fit_xstrdup("x86_64"),
		.machine = fit_xstrdup("q35"),
		.vcpus = vcpus,
		.vcpus_current = vcpus,
		.memory_kib = memory_kib,
		.cpu_is_default = true,
	};
}

void fit_made_pin(struct fit_domain *domain, unsigned int vcpu, const char *cpus)
{
	struct fit_thread_pin *pin = FIT_APPEND(domain->vcpu_pins, domain->vcpu_pin_count);

	pin->id = vcpu;
	pin->cpus = fit_made_set(cpus);
}

void fit_made_disk(struct fit_domain *domain, const char *target, const char *bus)
{
	struct fit_domain_disk *disk = FIT_APPEND(domain->disks, domain->disk_count);

	disk->target = fit_xstrdup(target);
	disk->type = fit_xstrdup("file");
	disk->bus = fit_xstrdup(bus);
	disk->device = fit_xstrdup("disk");
}

void fit_made_hostdev(struct fit_domain *domain, const char *addr, bool ours)
{
	struct fit_domain_hostdev *hostdev = FIT_APPEND(domain->hostdevs, domain->hostdev_count);

	hostdev->source = parse_addr(addr);
	hostdev->ours = ours;
}

struct fit_profile fit_made_profile(void)
{
	struct fit_profile profile = {
		.cpu = {.intent = {.set = true},
			.mode = FIT_CPU_MODE_HOST_PASSTHROUGH,
			.mirror_topology = true,
			.passthrough_cache = true},
		.vcpus = {.intent = {.set = true}, .place = FIT_PLACE_CORES, .near_devices = true},
		.emulator = {.intent = {.set = true}, .place = FIT_PLACE_HOUSEKEEPING},
		.iothreads = {.intent = {.set = true},
			.automatic = true,
			.place = FIT_PLACE_OWN_CORE},
		.disks = {.intent = {.set = true}, .spread_iothreads = true},
		.memory = {.intent = {.set = true}, .nodes_as_cpus = true, .strict = true},
	};

	fit_strlist_add(&profile.names, "made");
	for (int i = 0; i < 3; i++)
		*FIT_APPEND(profile.memory.page_sizes, profile.memory.page_size_count) =
			(uint64_t[]){GIB, 2048, 0}[i];
	return profile;
}

void fit_made_claim(struct fit_claims *claims, const char *name, bool running, const char *cpus)
{
	struct fit_claim *claim = FIT_APPEND(claims->items, claims->count);

	claim->name = fit_xstrdup(name);
	claim->running = running;
	claim->cpus = fit_made_set(cpus);
}

struct fit_domain fit_made_fitted(const struct fit_domain *domain, const struct fit_plan *plan)
{
	struct fit_domain fitted = fit_made_domain(domain->name, domain->vcpus, domain->memory_kib);

	for (size_t i = 0; i < plan->vcpu_count; i++)
		*FIT_APPEND(fitted.vcpu_pins, fitted.vcpu_pin_count) = plan->vcpus[i];
	for (size_t i = 0; i < plan->iothread_count; i++)
		*FIT_APPEND(fitted.iothread_pins, fitted.iothread_pin_count) = plan->iothreads[i];
	fitted.has_emulator_pin = plan->has_emulator;
	fitted.emulator_pin = plan->emulator;
	fitted.has_hugepages = plan->page_kib > 0 || plan->pages_differ;
	for (size_t i = 0; i < plan->cell_count; i++)
		*FIT_APPEND(fitted.cells, fitted.cell_count) = (struct fit_domain_cell){
			.memory_kib = plan->cells[i].memory_kib,
			.vcpus = plan->cells[i].vcpus,
			.has_hugepages = plan->cells[i].page_kib > 0,
			.hugepage_kib = plan->cells[i].page_kib,
			.has_memnode = true,
			.nodes = plan->cells[i].memory_nodes,
			.binds = plan->memory_strict,
		};
	for (size_t i = 0; i < domain->memory_device_count; i++)
		*FIT_APPEND(fitted.memory_devices, fitted.memory_device_count) =
			domain->memory_devices[i];
	fitted.hugepage_kib = plan->page_kib;
	fitted.has_numatune = plan->has_memory && !fit_cpuset_is_empty(&plan->memory_nodes);
	fitted.numatune_nodes = plan->memory_nodes;
	for (size_t i = 0; i < plan->vf_count; i++)
		fit_made_hostdev(&fitted, FIT_PCIADDR_STR(plan->vfs[i].vf), true);
	return fitted;
}

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fit_streq(words[i], word))
			return true;
	return false;
}

void fit_test_check_reasons(const struct fit_plan *plan)
{
	static const char *const topics[] = {"bus", "cachetune", "cells", "clock", "cores", "cpu",
		"devices", "disks", "domain", "emulator", "features", "host", "housekeeping",
		"interfaces", "iommu", "iothreads", "lean", "memballoon", "memory", "memorytune",
		"nodes", "profile", "scheduler", "shares", "vcpus", "vf", "watchdog"};
	static const char *const criteria[] = {"cell-memory", "clusters", "crowded", "devices",
		"distance", "efficiency-cores", "equal-cells", "hidden-threads", "holder",
		"housekeeping", "idle-threads", "in-use", "isolated", "kind", "l3-fragments",
		"l3-groups", "link", "memory", "moved", "node-fragments", "nodes", "nodes-apart",
		"order", "overlap", "own-cores", "page-size", "pfs", "room", "vfs-to-create"};

	for (size_t i = 0; i < plan->reason_count; i++) {
		const struct fit_reason *reason = &plan->reasons[i];

		if (!is_one_of(reason->topic, topics, FIT_ARRAY_SIZE(topics)))
			fail_msg("topic %s: %s", reason->topic, reason->text);
		if (reason->criterion &&
			!is_one_of(reason->criterion, criteria, FIT_ARRAY_SIZE(criteria)))
			fail_msg("criterion %s: %s", reason->criterion, reason->text);
	}
}

struct fit_plan fit_made_plan(const struct fit_plan_input *input)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_plan plan = {0};

	if (fit_plan_make(input, &plan, &err) < 0)
		fail_msg("%s", err.message);
	fit_test_check_reasons(&plan);
	return plan;
}

const struct fit_reason *fit_made_reason(
	const struct fit_plan *plan, enum fit_reason_kind kind, const char *text)
{
	for (size_t i = 0; i < plan->reason_count; i++) {
		if (plan->reasons[i].kind == kind && strstr(plan->reasons[i].text, text))
			return &plan->reasons[i];
	}
	return NULL;
}

char *fit_made_pins(const struct fit_plan *plan)
{
	fit_autostrlist struct fit_strlist pins = {0};

	for (size_t i = 0; i < plan->vcpu_count; i++) {
		fit_autofree char *list = fit_cpuset_format_list(&plan->vcpus[i].cpus);

		fit_strlist_add(&pins, list);
	}
	return fit_strlist_join(&pins, ",");
}

struct fit_bench fit_bench(struct fit_host_shape shape, unsigned int vcpus)
{
	return (struct fit_bench){
		.host = fit_made_host(shape),
		.domain = fit_made_domain("web01", vcpus, 4 * GIB),
		.profile = fit_made_profile(),
		.err = FIT_ERR_INIT,
	};
}

struct fit_plan_input fit_bench_input(const struct fit_bench *b)
{
	return (struct fit_plan_input){
		.host = &b->host,
		.domain = &b->domain,
		.previous = b->has_previous ? &b->previous : NULL,
		.request = &b->request,
		.profile = &b->profile,
		.claims = &b->claims,
		.networks = b->networks,
		.target = b->target,
	};
}

void fit_bench_plan(struct fit_bench *b)
{
	struct fit_plan_input input = fit_bench_input(b);

	fit_plan_clear(&b->plan);
	b->plan = fit_made_plan(&input);
}

void fit_expect_refusal(struct fit_bench *b, const char *part)
{
	struct fit_plan_input input = fit_bench_input(b);

	b->err = FIT_ERR_INIT;
	if (fit_plan_make(&input, &b->plan, &b->err) == 0)
		fail_msg("planned, expected a refusal with '%s'", part);
	assert_int_equal(b->err.code, FIT_ERR_REFUSED);
	if (!strstr(b->err.message, part))
		fail_msg("'%s' lacks '%s'", b->err.message, part);
}

void fit_bench_keep_plan(struct fit_bench *b)
{
	b->previous = fit_made_fitted(&b->domain, &b->plan);
	b->has_previous = true;
}

void fit_bench_end(struct fit_bench *b)
{
	fit_plan_clear(&b->plan);
	fit_host_clear(&b->host);
	fit_domain_clear(&b->domain);
	if (b->has_previous)
		fit_domain_clear(&b->previous);
	fit_profile_clear(&b->profile);
	fit_claims_clear(&b->claims);
	fit_request_clear(&b->request);
}

void fit_expect_pins(const struct fit_bench *b, const char *pins)
{
	fit_autofree char *found = fit_made_pins(&b->plan);

	assert_string_equal(found, pins);
}

void fit_expect_set(const struct fit_cpuset *set, const char *list)
{
	fit_autofree char *found = fit_cpuset_format_list(set);

	assert_string_equal(found, list);
}

void fit_expect_reason(const struct fit_bench *b, enum fit_reason_kind kind, const char *text)
{
	if (!fit_made_reason(&b->plan, kind, text))
		fail_msg("no reason of kind %d has '%s'", (int)kind, text);
}

void fit_expect_topology(
	const struct fit_bench *b, unsigned int sockets, unsigned int cores, unsigned int threads)
{
	assert_true(b->plan.has_topology);
	assert_int_equal(b->plan.topology.sockets, sockets);
	assert_int_equal(b->plan.topology.cores, cores);
	assert_int_equal(b->plan.topology.threads, threads);
}

void fit_bench_request(struct fit_bench *b, const char *netdev)
{
	FIT_APPEND(b->request.devices, b->request.device_count)->netdev = fit_xstrdup(netdev);
}
