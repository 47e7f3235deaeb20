/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_optimum.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NODES 4

struct core {
	struct fit_cpuset cpus;
	struct fit_cpuset usable;
	unsigned int order[8]; /* the usable CPUs */
	unsigned int threads;  /* how many */
	unsigned int node, l3;
	int id_of_cluster;
	unsigned int cluster; /* its lowest CPU; the L3 group where cores of this kind have none */
	bool efficiency, isolated, running, defined, kept, previous, previous_thread;
};

struct vf {
	unsigned int pf;
	int node;
	bool exists, previous, defined, linked;
};

struct trial {
	const struct fit_bench *b;
	struct core cores[FIT_OPTIMUM_CORES];
	unsigned int core_count;
	struct vf vfs[FIT_OPTIMUM_VFS];
	unsigned int vf_count;
	unsigned int widest; /* threads of the widest free core */
	bool has_isolated;
	int previous[FIT_OPTIMUM_CORES * 8]; /* by vCPU, -1: none */
	bool found;
	struct fit_cost best;
	/* What depends on the set of nodes only. */
	bool known[1 << NODES], possible[1 << NODES];
	struct fit_cost of_nodes[1 << NODES];
};

static const struct fit_claim *holder(
	const struct fit_bench *b, const struct fit_cpuset *cpus, bool running)
{
	for (size_t i = 0; i < b->claims.count; i++)
		if (b->claims.items[i].running == running &&
			fit_cpuset_intersects(&b->claims.items[i].cpus, cpus))
			return &b->claims.items[i];
	return NULL;
}

static bool is_free(const struct trial *t, const struct core *core)
{
	return core->threads && (!core->running || t->b->profile.vcpus.shared);
}

static bool overlaps(const struct core *core)
{
	return core->running || core->defined || core->kept;
}

static void add_core(struct trial *t, const struct fit_cpu *cpu)
{
	const struct fit_host *host = &t->b->host;
	struct core *core = &t->cores[t->core_count++];

	assert_true(t->core_count <= FIT_OPTIMUM_CORES);
	core->cpus = core->usable = cpu->siblings;
	core->node = (unsigned int)cpu->node;
	core->l3 = (unsigned int)fit_cpuset_next(&host->l3_groups[cpu->l3], 0);
	core->id_of_cluster = cpu->cluster;
	core->efficiency = cpu->kind == FIT_CPU_EFFICIENCY;
	core->isolated = fit_cpuset_is_subset(&cpu->siblings, &host->isolated);
	core->running = holder(t->b, &core->cpus, true) != NULL;
	core->defined = holder(t->b, &core->cpus, false) != NULL;
	t->has_isolated |= core->isolated;
}

/* The first core that is not isolated is housekeeping's; of a lone core the first thread. */
static void set_housekeeping(struct trial *t)
{
	struct core *best = NULL;

	for (unsigned int i = 0; i < t->core_count; i++) {
		struct core *core = &t->cores[i];

		if (!best || (best->isolated && !core->isolated) ||
			(best->isolated == core->isolated &&
				fit_cpuset_next(&core->cpus, 0) < fit_cpuset_next(&best->cpus, 0)))
			best = core;
	}
	if (!best)
		return;
	if (t->core_count == 1 && fit_cpuset_count(&best->cpus) > 1)
		fit_cpuset_remove(&best->usable, (unsigned int)fit_cpuset_next(&best->cpus, 0));
	else
		best->usable = (struct fit_cpuset){0};
}

static void set_previous(struct trial *t)
{
	const struct fit_domain *previous = &t->b->previous;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(t->previous); i++)
		t->previous[i] = -1;
	for (size_t i = 0; t->b->has_previous && i < previous->vcpu_pin_count; i++)
		t->previous[previous->vcpu_pins[i].id] =
			fit_cpuset_next(&previous->vcpu_pins[i].cpus, 0);
	for (unsigned int c = 0; t->b->has_previous && c < t->core_count; c++) {
		struct core *core = &t->cores[c];

		for (size_t i = 0; i < previous->vcpu_pin_count; i++)
			core->previous |=
				fit_cpuset_intersects(&previous->vcpu_pins[i].cpus, &core->cpus);
		core->previous_thread = previous->has_emulator_pin &&
					fit_cpuset_equal(&previous->emulator_pin, &core->cpus);
		for (size_t i = 0; i < previous->iothread_pin_count; i++)
			core->previous_thread |=
				fit_cpuset_equal(&previous->iothread_pins[i].cpus, &core->cpus);
	}
}

static bool share_cluster(const struct core *a, const struct core *b)
{
	return a->l3 == b->l3 && a->efficiency == b->efficiency && a->id_of_cluster >= 0 &&
	       a->id_of_cluster == b->id_of_cluster;
}

/* A kind of core of which no two share a cluster has no clusters. */
static void set_clusters(struct trial *t)
{
	bool exist[2] = {false, false};

	for (unsigned int i = 0; i < t->core_count; i++) {
		unsigned int *lowest = &t->cores[i].cluster;

		*lowest = (unsigned int)fit_cpuset_next(&t->cores[i].cpus, 0);
		for (unsigned int j = 0; j < t->core_count; j++) {
			unsigned int cpu = (unsigned int)fit_cpuset_next(&t->cores[j].cpus, 0);

			if (i == j || !share_cluster(&t->cores[i], &t->cores[j]))
				continue;
			*lowest = cpu < *lowest ? cpu : *lowest;
			exist[t->cores[i].efficiency] = true;
		}
	}
	for (unsigned int i = 0; i < t->core_count; i++)
		if (!exist[t->cores[i].efficiency])
			t->cores[i].cluster = t->cores[i].l3;
}

static int compare_cores(const void *a, const void *b)
{
	const struct core *left = a;
	const struct core *right = b;

	if (left->node != right->node)
		return left->node < right->node ? -1 : 1;
	if (left->l3 != right->l3)
		return left->l3 < right->l3 ? -1 : 1;
	if (left->cluster != right->cluster)
		return left->cluster < right->cluster ? -1 : 1;
	return fit_cpuset_next(&left->cpus, 0) < fit_cpuset_next(&right->cpus, 0) ? -1 : 1;
}

static void list_cores(struct trial *t)
{
	const struct fit_domain *domain = &t->b->domain;

	for (size_t i = 0; i < t->b->host.cpu_count; i++) {
		const struct fit_cpu *cpu = &t->b->host.cpus[i];

		if (cpu->online && fit_cpuset_next(&cpu->siblings, 0) == (int)cpu->id)
			add_core(t, cpu);
	}
	set_housekeeping(t);
	set_clusters(t);
	qsort(t->cores, t->core_count, sizeof(*t->cores), compare_cores);
	set_previous(t);
	t->widest = 1;
	for (unsigned int i = 0; i < t->core_count; i++) {
		struct core *core = &t->cores[i];

		fit_cpuset_for_each (cpu, &core->usable)
			core->order[core->threads++] = (unsigned int)cpu;
		core->kept = domain->has_emulator_pin &&
			     fit_cpuset_intersects(&core->cpus, &domain->emulator_pin);
		if (is_free(t, core) && core->threads > t->widest)
			t->widest = core->threads;
	}
}

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

static void list_vfs(struct trial *t)
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

static bool is_less(const struct fit_cost *a, const struct fit_cost *b)
{
	for (size_t i = 0; i < FIT_COST_LEVELS; i++)
		if (a->level[i] != b->level[i])
			return a->level[i] < b->level[i];
	return false;
}

static void add(struct fit_cost *cost, const struct fit_cost *more)
{
	for (size_t i = 0; i < FIT_COST_LEVELS; i++)
		cost->level[i] += more->level[i];
}

static unsigned int distance(const struct trial *t, unsigned int from, unsigned int to)
{
	return t->b->host.nodes[from].distances[to];
}

/* From @node to the nearest node of the set, 0 within it. */
static unsigned int way(const struct trial *t, unsigned int set, int node)
{
	unsigned int best = UINT32_MAX;

	if (node < 0 || set == 0 || set >> node & 1)
		return 0;
	for (unsigned int i = 0; i < NODES; i++)
		if (set >> i & 1 && distance(t, (unsigned int)node, i) < best)
			best = distance(t, (unsigned int)node, i);
	return best - 10;
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
		cost.level[FIT_COST_DEVICES] += way(t, nodes, vf->node);
		cost.level[FIT_COST_CREATION] += !vf->exists && !vf->previous;
		cost.level[FIT_COST_MOVED] += !vf->previous;
	}
	cost.level[FIT_COST_PFS] = (uint64_t)__builtin_popcount(pfs);
	return cost;
}

static bool add_vfs(const struct trial *t, unsigned int nodes, struct fit_cost *cost)
{
	unsigned int wanted = t->b->profile.vfs.intent.set ? t->b->profile.vfs.count : 0;
	struct fit_cost best;
	bool found = false;

	for (unsigned int chosen = 0; chosen < 1U << t->vf_count; chosen++) {
		struct fit_cost trial;

		if ((unsigned int)__builtin_popcount(chosen) != wanted)
			continue;
		trial = rate_vfs(t, nodes, chosen);
		if (!found || is_less(&trial, &best))
			best = trial;
		found = true;
	}
	if (found)
		add(cost, &best);
	return found;
}

static bool has_memory_and_cpus(const struct trial *t, unsigned int node)
{
	return node < t->b->host.node_count && t->b->host.nodes[node].memory_kib &&
	       !fit_cpuset_is_empty(&t->b->host.nodes[node].cpus);
}

/* The node outside @taken that is nearest to any of @from; NODES when there is none. */
static unsigned int nearest(const struct trial *t, unsigned int from, unsigned int taken)
{
	unsigned int best = NODES;
	unsigned int least = UINT32_MAX;

	for (unsigned int to = 0; to < NODES; to++)
		for (unsigned int i = 0; i < NODES; i++)
			if (from >> i & 1 && !(taken >> to & 1) && has_memory_and_cpus(t, to) &&
				distance(t, i, to) < least) {
				best = to;
				least = distance(t, i, to);
			}
	return best;
}

static uint64_t memory_of(const struct trial *t, unsigned int nodes)
{
	uint64_t kib = 0;

	for (unsigned int i = 0; i < NODES; i++)
		kib += nodes >> i & 1 ? t->b->host.nodes[i].memory_kib : 0;
	return kib;
}

/* Pages of 2 MiB can be made of free memory, those of 1 GiB only when there is no other size and
 * twice as much is free. */
static bool has_pages(const struct trial *t, unsigned int nodes, uint64_t page_kib, bool is_last)
{
	uint64_t memory = t->b->domain.memory_kib;
	uint64_t wanted = (memory + page_kib - 1) / page_kib;
	uint64_t free = 0, free_kib = 0, all_kib = 0, missing_kib;

	if (wanted * page_kib - memory > memory / 8)
		return false;
	for (unsigned int i = 0; i < t->b->host.node_count; i++) {
		const struct fit_node *node = &t->b->host.nodes[i];

		if (nodes && !(nodes >> i & 1))
			continue;
		free += node->pools[page_kib == GIB].free;
		free_kib += node->free_kib;
		all_kib += node->memory_kib;
	}
	if (free >= wanted)
		return true;
	missing_kib = (wanted - free) * page_kib;
	if (page_kib == GIB)
		return is_last && free_kib >= 2 * missing_kib;
	return free_kib >= missing_kib + all_kib / 32;
}

static bool add_memory(const struct trial *t, unsigned int nodes, struct fit_cost *cost)
{
	const struct fit_intent_memory *memory = &t->b->profile.memory;
	unsigned int there = 0;
	size_t size = 0;
	bool spills = false;

	for (unsigned int i = 0; i < NODES; i++)
		if (nodes >> i & 1 && nearest(t, 1U << i, 0) < NODES)
			there |= 1U << nearest(t, 1U << i, 0);
	while (there && memory_of(t, there) < t->b->domain.memory_kib &&
		nearest(t, nodes, there) < NODES) {
		there |= 1U << nearest(t, nodes, there);
		spills = true;
	}
	for (unsigned int i = 0; i < NODES; i++)
		cost->level[FIT_COST_MEMORY] += nodes >> i & 1 ? way(t, there, (int)i) : 0;
	cost->level[FIT_COST_MEMORY] += spills ? FIT_CPUSET_MAX : 0;
	while (size < memory->page_size_count && memory->page_sizes[size] &&
		!has_pages(t, there, memory->page_sizes[size], size == memory->page_size_count - 1))
		size++;
	cost->level[FIT_COST_PAGES] = size;
	return memory->page_size_count == 0 || size < memory->page_size_count;
}

static bool rate_nodes(const struct trial *t, unsigned int nodes, struct fit_cost *cost)
{
	*cost = (struct fit_cost){0};
	cost->level[FIT_COST_NODES] = (uint64_t)__builtin_popcount(nodes);
	for (unsigned int i = 0; i < NODES; i++)
		for (unsigned int j = 0; j < NODES; j++)
			if (nodes >> i & 1 && nodes >> j & 1)
				cost->level[FIT_COST_NODES_APART] += distance(t, i, j);
	for (size_t i = 0; i < t->b->domain.hostdev_count; i++)
		cost->level[FIT_COST_DEVICES] += way(
			t, nodes, fit_host_pci(&t->b->host, t->b->domain.hostdevs[i].source)->node);
	return add_vfs(t, nodes, cost) && add_memory(t, nodes, cost);
}

/* Threads of QEMU that want a core for themselves and get none of those that are left. */
static unsigned int count_coreless(const struct trial *t, unsigned int nodes, unsigned int chosen)
{
	const struct fit_profile *profile = &t->b->profile;
	const struct fit_domain *domain = &t->b->domain;
	unsigned int left[NODES] = {0}, here = 0, all = 0;
	bool emulator = profile->emulator.place == FIT_PLACE_OWN_CORE && !domain->has_emulator_pin;
	bool any = false, roomy = false; /* a core for the emulator; beside another on its node */
	unsigned int iothreads = profile->iothreads.place == FIT_PLACE_OWN_CORE
					 ? (unsigned int)domain->disk_count
					 : 0;

	for (int pass = 0; pass < 2; pass++)
		for (unsigned int i = 0; i < t->core_count; i++) {
			const struct core *core = &t->cores[i];

			if (chosen >> i & 1 || !(nodes >> core->node & 1) || !core->threads ||
				core->running || core->defined)
				continue;
			if (pass == 0) {
				here += left[core->node]++ == 0;
				all++;
				continue;
			}
			any |= !core->isolated;
			roomy |= !core->isolated && left[core->node] > 1;
		}
	if (!profile->iothreads.automatic && iothreads) {
		unsigned int wanted = (unsigned int)__builtin_popcount(nodes);
		unsigned int given = here + (emulator && roomy);

		return emulator + wanted - given;
	}
	if (emulator && any)
		return iothreads > all - 1 ? iothreads - (all - 1) : 0;
	return emulator + (iothreads > all ? iothreads - all : 0);
}

/* Threads that the guest sees where each core has @density vCPUs. */
static unsigned int guest_threads(const struct trial *t, unsigned int density)
{
	unsigned int threads = 1;

	while (!t->b->profile.vcpus.pin_set && threads * 2 <= density &&
		t->b->domain.vcpus % (threads * 2) == 0)
		threads *= 2;
	return threads;
}

/* Fills the chosen cores in their order; false when they are too many or too few. */
static bool fill(
	const struct trial *t, unsigned int chosen, unsigned int density, struct fit_cost *cost)
{
	unsigned int vcpus = t->b->domain.vcpus, vcpu = 0;
	unsigned int of_node[NODES] = {0};
	unsigned int most = 0, least = UINT32_MAX;

	for (unsigned int i = 0; i < t->core_count; i++) {
		const struct core *core = &t->cores[i];

		if (!(chosen >> i & 1))
			continue;
		if (vcpu >= vcpus)
			return false;
		for (unsigned int p = 0; p < density && p < core->threads && vcpu < vcpus; p++) {
			int previous = t->previous[vcpu++];

			of_node[core->node]++;
			cost->level[FIT_COST_MOVED] +=
				previous >= 0 && previous != (int)core->order[p];
		}
	}
	for (unsigned int i = 0; i < NODES; i++) {
		most = of_node[i] > most ? of_node[i] : most;
		least = of_node[i] && of_node[i] < least ? of_node[i] : least;
	}
	cost->level[FIT_COST_UNEVEN] = vcpu ? most - least : 0;
	return vcpu == vcpus;
}

static void rate_cores(
	const struct trial *t, unsigned int nodes, unsigned int chosen, struct fit_cost *cost)
{
	uint64_t l3_groups = 0, clusters = 0;
	bool isolated = true;

	for (unsigned int i = 0; i < t->core_count; i++) {
		const struct core *core = &t->cores[i];

		if (!(chosen >> i & 1)) {
			cost->level[FIT_COST_MOVED] +=
				t->b->profile.vcpus.pin_set && core->previous;
			continue;
		}
		l3_groups |= 1ULL << core->l3;
		clusters |= 1ULL << core->cluster;
		isolated &= core->isolated;
		cost->level[FIT_COST_EFFICIENCY] = core->efficiency;
		cost->level[FIT_COST_OVERLAP] += overlaps(core);
		cost->level[FIT_COST_IDLE_THREADS] += core->threads;
		cost->level[FIT_COST_MOVED] += !core->previous && core->previous_thread;
	}
	cost->level[FIT_COST_NOT_ISOLATED] =
		t->has_isolated && !t->b->profile.vcpus.shared && !isolated;
	cost->level[FIT_COST_L3] = (uint64_t)__builtin_popcountll(l3_groups);
	cost->level[FIT_COST_CLUSTERS] = (uint64_t)__builtin_popcountll(clusters);
	cost->level[FIT_COST_IDLE_THREADS] -= t->b->domain.vcpus;
	for (unsigned int i = 0; i < t->core_count; i++) {
		const struct core *core = &t->cores[i];

		if (chosen >> i & 1 || !(nodes >> core->node & 1) || !is_free(t, core) ||
			overlaps(core))
			continue;
		cost->level[FIT_COST_FRAGMENT_NODES]++;
		cost->level[FIT_COST_FRAGMENT_L3] += l3_groups >> core->l3 & 1;
	}
	cost->level[FIT_COST_OWN_CORES] = count_coreless(t, nodes, chosen);
}

static void take_if_best(
	struct trial *t, unsigned int nodes, unsigned int chosen, const struct fit_cost *filled)
{
	struct fit_cost cost = *filled;

	if (!t->known[nodes])
		t->possible[nodes] = rate_nodes(t, nodes, &t->of_nodes[nodes]);
	t->known[nodes] = true;
	if (!t->possible[nodes])
		return;
	rate_cores(t, nodes, chosen, &cost);
	add(&cost, &t->of_nodes[nodes]);
	if (!t->found || is_less(&cost, &t->best))
		t->best = cost;
	t->found = true;
}

/* @density vCPUs on each core; where the guest sees no threads, or @to_the_full, cores with fewer
 * threads are filled too. */
static void try_density(struct trial *t, unsigned int nodes, unsigned int chosen,
	unsigned int density, bool to_the_full)
{
	unsigned int threads = to_the_full ? 1 : guest_threads(t, density);
	struct fit_cost cost = {0};

	if (density % threads)
		return;
	for (unsigned int i = 0; i < t->core_count && !to_the_full; i++)
		if (chosen >> i & 1 && t->cores[i].threads < density)
			return;
	if (!fill(t, chosen, density, &cost))
		return;
	cost.level[FIT_COST_HIDDEN_SMT] = !t->b->profile.vcpus.pin_set && density > threads;
	take_if_best(t, nodes, chosen, &cost);
}

static void try_cores(struct trial *t, unsigned int chosen)
{
	unsigned int nodes = 0, kinds = 0, room = 0;

	for (unsigned int i = 0; i < t->core_count; i++) {
		if (!(chosen >> i & 1))
			continue;
		nodes |= 1U << t->cores[i].node;
		kinds |= 1U << t->cores[i].efficiency;
		room += t->cores[i].threads;
	}
	if (kinds == 3 || room < t->b->domain.vcpus ||
		(__builtin_popcount(nodes) > 1 && !t->b->profile.vcpus.span_nodes))
		return;
	for (unsigned int density = 1; density <= t->widest; density++)
		try_density(t, nodes, chosen, density, false);
	try_density(t, nodes, chosen, t->widest, true);
}

bool fit_optimum_find(const struct fit_bench *b, struct fit_cost *ret_cost)
{
	struct trial t = {.b = b};
	unsigned int usable = 0;

	list_cores(&t);
	list_vfs(&t);
	for (unsigned int i = 0; i < t.core_count; i++)
		usable |= is_free(&t, &t.cores[i]) ? 1U << i : 0;
	for (unsigned int chosen = usable; chosen; chosen = (chosen - 1) & usable)
		if ((unsigned int)__builtin_popcount(chosen) <= b->domain.vcpus)
			try_cores(&t, chosen);
	if (t.found)
		*ret_cost = t.best;
	return t.found;
}
