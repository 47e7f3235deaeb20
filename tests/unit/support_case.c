/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_case.h"

#include "support.h"

#include <stdlib.h>

#include "base/memory.h"

static uint64_t seed;

unsigned int fit_case_draw(unsigned int below)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U;
	return (unsigned int)(seed >> 33) % below;
}

bool fit_case_chance(unsigned int percent)
{
	return fit_case_draw(100) < percent;
}

static struct fit_host_shape draw_shape(void)
{
	struct fit_host_shape shape;

	do {
		shape.nodes = 1 + fit_case_draw(4);
		shape.l3_groups = 1 + fit_case_draw(4);
		shape.cores = 1 + fit_case_draw(5);
		shape.threads = fit_case_chance(50) ? 1 : fit_case_chance(80) ? 2 : 4;
	} while (shape.nodes * shape.l3_groups * shape.cores * shape.threads > 16 ||
		 (shape.nodes * shape.l3_groups * shape.cores > 12 && fit_case_chance(90)));
	return shape;
}

static void harm_cpus(struct fit_host *host)
{
	bool hybrid = fit_case_chance(20);
	unsigned int isolated = fit_case_chance(30) ? 20 + fit_case_draw(60) : 0;
	unsigned int offline = fit_case_chance(50) ? fit_case_draw(30) : 0;

	for (size_t i = 0; i < host->cpu_count; i++) {
		struct fit_cpu *cpu = &host->cpus[i];

		if (hybrid)
			cpu->kind = cpu->core < (int)host->cpu_count / 3 ? FIT_CPU_PERFORMANCE
									 : FIT_CPU_EFFICIENCY;
		if (fit_cpuset_count(&host->online) > 1 && fit_case_chance(offline))
			fit_made_offline(host, cpu->id);
	}
	for (size_t i = 0; i < host->cpu_count; i++)
		if (host->cpus[i].online && fit_case_chance(isolated))
			fit_cpuset_unite(&host->isolated, &host->cpus[i].siblings);
	for (size_t i = 0; i < host->cpu_count; i++)
		if (fit_case_chance(3))
			fit_cpuset_remove(&host->isolated, host->cpus[i].id);
}

static void harm_nodes(struct fit_host *host)
{
	for (size_t i = 0; i < host->node_count; i++) {
		struct fit_node *node = &host->nodes[i];

		for (size_t to = 0; to < i; to++)
			node->distances[to] = host->nodes[to].distances[i] =
				11 + fit_case_draw(3) * 5;
		node->memory_kib = fit_case_chance(15)	 ? 0
				   : fit_case_chance(70) ? 64 * GIB
							 : (1 + fit_case_draw(8)) * GIB;
		node->free_kib = node->memory_kib / 4 * fit_case_draw(5);
		for (size_t p = 0; p < node->pool_count; p++)
			node->pools[p].free = node->pools[p].total =
				fit_case_chance(50) ? 0 : fit_case_draw(9);
	}
}

static void add_claims(struct fit_bench *b)
{
	static const char *const names[] = {"alpha", "beta", "gamma"};

	for (unsigned int i = 0; i < FIT_ARRAY_SIZE(names); i++) {
		if (!fit_case_chance(30))
			continue;
		fit_made_claim(&b->claims, names[i], fit_case_chance(40), "");
		for (unsigned int n = fit_case_draw(5); n > 0; n--)
			fit_cpuset_add(&b->claims.items[b->claims.count - 1].cpus,
				fit_case_draw((unsigned int)b->host.cpu_count));
	}
}

static void claim_vf(struct fit_bench *b, struct fit_pciaddr addr)
{
	struct fit_claim *claim;

	if (fit_case_chance(20) && b->has_previous)
		fit_made_hostdev(&b->previous, FIT_PCIADDR_STR(addr), true);
	if (!b->claims.count || !fit_case_chance(30))
		return;
	claim = &b->claims.items[fit_case_draw((unsigned int)b->claims.count)];
	*FIT_APPEND(claim->devices, claim->device_count) = addr;
}

static void add_vfs(struct fit_bench *b)
{
	unsigned int left = FIT_CASE_VFS;

	b->profile.vfs.intent.set = true;
	for (unsigned int i = fit_case_draw(2); i < 4 && left; i++) {
		fit_autofree char *text = fit_xasprintf("0000:%u1:00.0", i + 4);
		fit_autofree char *name = fit_xasprintf("eth%u", i);
		unsigned int count = 1 + fit_case_draw(left < 4 ? left : 4);
		struct fit_pciaddr addr;

		fit_made_pf(&b->host, text, name,
			(int)fit_case_draw((unsigned int)b->host.node_count), count,
			fit_case_chance(70) ? count : 0);
		assert_true(fit_pciaddr_parse(text, &addr));
		b->host.pci[fit_host_pci(&b->host, addr) - b->host.pci].netdevs[0].carrier =
			fit_case_chance(80);
		for (unsigned int v = 0; v < count; v++)
			claim_vf(b, fit_pciaddr_vf(addr, 128, 1, v));
		left -= count;
	}
	b->profile.vfs.count = fit_case_draw(4);
}

static void add_anchors(struct fit_bench *b)
{
	for (unsigned int i = fit_case_draw(3); i > 0; i--) {
		fit_autofree char *addr = fit_xasprintf("0000:%u2:00.0", i);

		fit_made_device(&b->host, addr, 0x010802,
			(int)fit_case_draw((unsigned int)b->host.node_count), (int)i);
		fit_made_hostdev(&b->domain, addr, false);
	}
}

/* Pins as they may be left of an earlier plan: some vCPUs, wherever they were. */
static void add_previous(struct fit_bench *b)
{
	unsigned int cpus = (unsigned int)b->host.cpu_count;
	unsigned int start = fit_case_draw(cpus), step = 1 + fit_case_draw(2),
		     present = 40 + fit_case_draw(61);

	b->has_previous = true;
	b->previous = fit_made_domain("web01", b->domain.vcpus, b->domain.memory_kib);
	for (unsigned int i = 0; i < b->domain.vcpus && i * step < cpus; i++) {
		fit_autofree char *cpu = fit_xasprintf("%u", (start + i * step) % cpus);

		if (fit_case_chance(present))
			fit_made_pin(&b->previous, i, cpu);
	}
	if (fit_case_chance(30)) {
		b->previous.has_emulator_pin = true;
		b->previous.emulator_pin = b->host.cpus[fit_case_draw(cpus)].siblings;
	}
	if (fit_case_chance(30))
		*FIT_APPEND(b->previous.iothread_pins, b->previous.iothread_pin_count) =
			(struct fit_thread_pin){
				.id = 1, .cpus = b->host.cpus[fit_case_draw(cpus)].siblings};
}

static void set_pages(struct fit_intent_memory *memory)
{
	static const uint64_t lists[][3] = {
		{GIB, 2048, 0}, {2048, 0}, {GIB, 0}, {GIB, 2048}, {2048}, {GIB}, {2048, GIB, 0}};
	static const size_t counts[] = {3, 2, 2, 2, 1, 1, 3};
	unsigned int list = fit_case_draw(FIT_ARRAY_SIZE(counts));

	memory->page_size_count = 0;
	for (size_t i = 0; i < counts[list]; i++)
		*FIT_APPEND(memory->page_sizes, memory->page_size_count) = lists[list][i];
}

static void set_profile(struct fit_bench *b)
{
	struct fit_profile *profile = &b->profile;

	profile->vcpus.span_nodes = fit_case_chance(50);
	profile->vcpus.shared = fit_case_chance(15);
	profile->vcpus.pin_set = fit_case_chance(15);
	profile->emulator.place = fit_case_chance(40) ? FIT_PLACE_OWN_CORE : FIT_PLACE_HOUSEKEEPING;
	if (fit_case_chance(30))
		profile->iothreads.place = FIT_PLACE_HOUSEKEEPING;
	profile->iothreads.automatic = fit_case_chance(50);
	profile->iothreads.count = FIT_IOTHREADS_PER_NODE;
	set_pages(&profile->memory);
	if (fit_case_chance(10)) {
		b->domain.has_emulator_pin = true;
		b->domain.emulator_pin = b->host.cpus[fit_cpuset_next(&b->host.online, 0)].siblings;
		for (unsigned int i = fit_case_draw(3); i > 0; i--)
			fit_cpuset_unite(&b->domain.emulator_pin,
				&b->host.cpus[fit_case_draw((unsigned int)b->host.cpu_count)]
					 .siblings);
	}
}

/* Of cores that need not be neighbours, a few of each L3 group; of some nothing is known. */
static void add_clusters(struct fit_host *host)
{
	int count = 2 + (int)fit_case_draw(2);
	unsigned int unknown = fit_case_draw(20);

	for (size_t i = 0; i < host->cpu_count; i++)
		if (fit_cpuset_next(&host->cpus[i].siblings, 0) == (int)host->cpus[i].id)
			fit_cpuset_for_each (cpu, &host->cpus[i].siblings)
				host->cpus[cpu].cluster =
					fit_case_chance(unknown) ? -1 : host->cpus[i].core % count;
}

/* A CPU that is online. */
static unsigned int draw_cpu(const struct fit_host *host)
{
	unsigned int skip = fit_case_draw((unsigned int)fit_cpuset_count(&host->online));

	fit_cpuset_for_each (cpu, &host->online)
		if (skip-- == 0)
			return (unsigned int)cpu;
	return 0;
}

/* What the definition says and the host's policy. */
static void keep_settings(struct fit_bench *b)
{
	struct fit_domain *domain = &b->domain;

	if (fit_case_chance(10)) {
		b->host.housekeeping_source = fit_xstrdup("host.xml:3");
		for (unsigned int i = 1 + fit_case_draw(2); i > 0; i--)
			fit_cpuset_add(&b->host.housekeeping, draw_cpu(&b->host));
	}
	if (fit_case_chance(10)) {
		domain->has_vcpu_cpuset = true;
		domain->vcpu_cpuset = b->host.online;
		for (unsigned int i = fit_case_draw(4); i > 0; i--)
			fit_cpuset_remove(&domain->vcpu_cpuset, draw_cpu(&b->host));
	}
	if (fit_case_chance(10)) {
		domain->has_topology = true;
		domain->topology.threads = 1 + fit_case_draw(3);
		if (domain->vcpus % domain->topology.threads)
			domain->topology.threads = 1;
	}
}

static void pin_some(struct fit_bench *b)
{
	unsigned int percent = fit_case_chance(30) ? 100 : 20 + fit_case_draw(60);

	for (unsigned int i = 0; i < b->domain.vcpus; i++) {
		fit_autofree char *cpus =
			fit_case_chance(15)
				? fit_xasprintf("%u,%u", draw_cpu(&b->host), draw_cpu(&b->host))
				: fit_xasprintf("%u", draw_cpu(&b->host));

		if (fit_case_chance(percent))
			fit_made_pin(&b->domain, i, cpus);
	}
}

/* Where a vCPU gets no core of its own, or cores are to have so many threads. */
static void set_places(struct fit_bench *b)
{
	struct fit_profile *profile = &b->profile;
	unsigned int threads = fit_host_threads_per_core(&b->host);

	if (fit_case_chance(15)) {
		profile->vcpus.place = FIT_PLACE_NODE;
		profile->vcpus.shared = true;
		profile->vcpus.pin_set = false;
		if (fit_case_chance(30))
			b->domain.vcpus = b->domain.vcpus_current =
				1 + fit_case_draw((unsigned int)b->host.cpu_count + 4);
	} else if (fit_case_chance(15) && !profile->vcpus.pin_set && !b->domain.has_topology) {
		unsigned int wanted = 1 + fit_case_draw(threads);

		if (b->domain.vcpus % wanted == 0)
			profile->cpu.threads = wanted;
	}
	if (fit_case_chance(15) && !profile->vcpus.pin_set && !profile->cpu.threads)
		pin_some(b);
}

/* Cells that are wanted, or those of the definition. */
static void set_cells(struct fit_bench *b)
{
	struct fit_domain *domain = &b->domain;
	unsigned int count = 2 + fit_case_draw(2), next = 0;

	if (fit_case_chance(40)) {
		b->profile.cells.intent.set = true;
		b->profile.cells.count =
			fit_case_chance(70) ? FIT_CELLS_AUTO : 1 + fit_case_draw(3);
		return;
	}
	if (!fit_case_chance(20) || count > domain->vcpus)
		return;
	for (unsigned int i = 0; i < count; i++) {
		struct fit_domain_cell *cell = FIT_APPEND(domain->cells, domain->cell_count);
		unsigned int end = domain->vcpus * (i + 1) / count;

		*cell = (struct fit_domain_cell){
			.memory_kib = fit_case_chance(70) ? (1 + fit_case_draw(3)) * GIB
							  : (1 + fit_case_draw(3000)) * 1024};
		domain->memory_kib = (i ? domain->memory_kib : 0) + cell->memory_kib;
		for (; next < end; next++)
			fit_cpuset_add(&cell->vcpus, next);
	}
}

/* Huge pages that the domain has now, and running domains. */
static void add_pages(struct fit_bench *b)
{
	static const uint64_t sizes[] = {2048, GIB};

	for (size_t i = 0; i < b->host.node_count; i++)
		for (size_t p = 0; p < b->host.nodes[i].pool_count; p++)
			b->host.nodes[i].pools[p].total += fit_case_draw(9);
	for (size_t i = 0; i < b->claims.count; i++) {
		struct fit_claim *claim = &b->claims.items[i];
		struct fit_page_demand demand = {
			.page_kib = sizes[fit_case_draw(2)], .pages = fit_case_draw(9)};

		if (fit_case_chance(50))
			fit_cpuset_add(
				&demand.nodes, fit_case_draw((unsigned int)b->host.node_count));
		if (fit_case_chance(50))
			*FIT_APPEND(claim->pages, claim->page_demand_count) = demand;
	}
	if (!b->has_previous || b->profile.cells.intent.set || b->domain.cell_count ||
		fit_case_chance(50))
		return;
	b->previous.has_hugepages = true;
	b->previous.hugepage_kib = sizes[fit_case_draw(2)];
	b->previous.has_numatune = fit_case_chance(70);
	if (b->previous.has_numatune)
		fit_cpuset_add(&b->previous.numatune_nodes,
			fit_case_draw((unsigned int)b->host.node_count));
}

struct fit_bench fit_made_case(unsigned int number)
{
	struct fit_bench b;

	seed = number * 2654435761U + 1;
	b = fit_bench(draw_shape(), 1);
	b.domain.vcpus = b.domain.vcpus_current =
		1 + fit_case_draw(fit_case_chance(20) ? (unsigned int)b.host.cpu_count : 6);
	b.domain.memory_kib = (1 + fit_case_draw(8)) * GIB +
			      (fit_case_chance(30) ? fit_case_draw(2000) * 1024 : 0);
	harm_cpus(&b.host);
	harm_nodes(&b.host);
	add_claims(&b);
	if (fit_case_chance(50))
		add_previous(&b);
	if (fit_case_chance(60))
		add_vfs(&b);
	add_anchors(&b);
	for (unsigned int i = fit_case_draw(3); i > 0; i--)
		fit_made_disk(&b.domain, (char[]){'v', 'd', (char)('a' + i), '\0'}, "virtio");
	set_profile(&b);
	keep_settings(&b);
	set_places(&b);
	set_cells(&b);
	add_pages(&b);
	if (fit_case_chance(30))
		add_clusters(&b.host);
	return b;
}

bool fit_case_search(struct fit_bench *b, struct fit_cost *ret_cost)
{
	struct fit_plan_input input = fit_bench_input(b);
	struct fit_candidate best = {0};
	struct fit_planner planner = {
		.input = &input,
		.host = &b->host,
		.domain = &b->domain,
		.profile = &b->profile,
		.plan = &b->plan,
		.err = &b->err,
	};
	bool found;

	fit_plan_clear(&b->plan);
	found = fit_planner_prepare(&planner) == 0 && fit_place_search(&planner, &best) == 0;
	if (found)
		*ret_cost = best.cost;
	fit_candidate_clear(&best);
	fit_planner_clear(&planner);
	return found;
}
