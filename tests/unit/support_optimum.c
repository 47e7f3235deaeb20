/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_optimum_parts.h"

#include <string.h>

bool fit_optimum_is_less(const struct fit_cost *a, const struct fit_cost *b)
{
	for (size_t i = 0; i < FIT_COST_LEVELS; i++)
		if (a->level[i] != b->level[i])
			return a->level[i] < b->level[i];
	return false;
}

void fit_optimum_add(struct fit_cost *cost, const struct fit_cost *more)
{
	for (size_t i = 0; i < FIT_COST_LEVELS; i++)
		cost->level[i] += more->level[i];
}

static bool overlaps(const struct core *core)
{
	return core->running || core->defined || core->kept;
}

/* Without the memory. */
static bool rate_nodes(const struct trial *t, unsigned int nodes, struct fit_cost *cost)
{
	*cost = (struct fit_cost){0};
	cost->level[FIT_COST_NODES] = (uint64_t)__builtin_popcount(nodes);
	for (unsigned int i = 0; i < NODES; i++) {
		if (!(nodes >> i & 1))
			continue;
		for (unsigned int j = 0; j < NODES; j++)
			if (nodes >> j & 1)
				cost->level[FIT_COST_NODES_APART] += fit_optimum_distance(t, i, j);
		fit_cpuset_for_each (cpu, &t->fixed_cpus)
			if (t->open)
				cost->level[FIT_COST_NODES_APART] += fit_optimum_distance(
					t, i, (unsigned int)t->b->host.cpus[cpu].node);
	}
	for (size_t i = 0; i < t->b->domain.hostdev_count; i++)
		cost->level[FIT_COST_DEVICES] += fit_optimum_way(
			t, nodes, fit_host_pci(&t->b->host, t->b->domain.hostdevs[i].source)->node);
	return fit_optimum_add_vfs(t, nodes, cost);
}

/* Threads of QEMU that want a core for themselves and get none of those that are left. */
unsigned int fit_optimum_coreless(
	const struct trial *t, unsigned int nodes, const struct fit_cpuset *cpus)
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

			if (fit_cpuset_intersects(&core->cpus, cpus) ||
				!(nodes >> core->node & 1) || !core->threads || core->running ||
				core->defined)
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

	if (t->kept_threads)
		return t->kept_threads;
	if (t->b->profile.cpu.threads)
		return t->b->profile.cpu.threads;
	while (!t->b->profile.vcpus.pin_set && threads * 2 <= density &&
		t->b->domain.vcpus % (threads * 2) == 0)
		threads *= 2;
	return threads;
}

static uint64_t unevenness(const int node_of[VCPUS], unsigned int vcpus)
{
	unsigned int of_node[NODES] = {0};
	unsigned int most = 0, least = UINT32_MAX;

	for (unsigned int i = 0; i < vcpus; i++)
		if (node_of[i] >= 0)
			of_node[node_of[i]]++;
	for (unsigned int i = 0; i < NODES; i++) {
		most = of_node[i] > most ? of_node[i] : most;
		least = of_node[i] && of_node[i] < least ? of_node[i] : least;
	}
	return most ? most - least : 0;
}

/* The vCPUs that threads of cores are for, in their order: of guest cores of @size vCPUs with one
 * that is open all. */
static unsigned int list_places(const struct trial *t, unsigned int size, unsigned int *ret_vcpus)
{
	unsigned int vcpus = t->b->domain.vcpus, count = 0;

	for (unsigned int first = 0; first < vcpus; first += size) {
		bool open = false;

		for (unsigned int i = first; i < first + size && i < vcpus; i++)
			open |= !t->fixed[i];
		for (unsigned int i = first; i < first + size && i < vcpus && open; i++)
			ret_vcpus[count++] = i;
	}
	return count;
}

/* Fills the chosen cores in their order; false when they are too many or too few. */
static bool fill(const struct trial *t, unsigned int chosen, unsigned int density, bool to_the_full,
	int node_of[VCPUS], struct fit_cost *cost)
{
	unsigned int places[VCPUS], next = 0;
	unsigned int count = list_places(t, to_the_full ? 1 : density, places);

	for (unsigned int i = 0; i < t->b->domain.vcpus; i++)
		node_of[i] = t->fixed[i] ? t->fixed_node[i] : -1;
	for (unsigned int i = 0; i < t->core_count; i++) {
		const struct core *core = &t->cores[i];

		if (!(chosen >> i & 1))
			continue;
		if (next >= count)
			return false;
		for (unsigned int p = 0; p < density && p < core->threads && next < count; p++) {
			unsigned int vcpu = places[next++];
			int previous = t->previous[vcpu];

			if (t->fixed[vcpu])
				continue;
			node_of[vcpu] = (int)core->node;
			cost->level[FIT_COST_MOVED] +=
				previous >= 0 && previous != (int)core->order[p];
		}
	}
	cost->level[FIT_COST_UNEVEN] = unevenness(node_of, t->b->domain.vcpus);
	return next == count;
}

static void rate_rest(const struct trial *t, unsigned int nodes, unsigned int chosen,
	uint64_t l3_groups, struct fit_cost *cost)
{
	struct fit_cpuset cpus = {0};

	for (unsigned int i = 0; i < t->core_count; i++) {
		const struct core *core = &t->cores[i];

		if (chosen >> i & 1)
			fit_cpuset_unite(&cpus, &core->usable);
		if (chosen >> i & 1 || !(nodes >> core->node & 1) ||
			!fit_optimum_is_free(t, core) || overlaps(core))
			continue;
		cost->level[FIT_COST_FRAGMENT_NODES]++;
		cost->level[FIT_COST_FRAGMENT_L3] += l3_groups >> core->l3 & 1;
	}
	cost->level[FIT_COST_OWN_CORES] = fit_optimum_coreless(t, nodes, &cpus);
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
	cost->level[FIT_COST_IDLE_THREADS] -= t->open;
	rate_rest(t, nodes, chosen, l3_groups, cost);
}

/* The memory last: it takes long, and only adds to the cost. */
void fit_optimum_take_if_best(
	struct trial *t, unsigned int nodes, const int *node_of, bool floats, struct fit_cost cost)
{
	if (!t->known[nodes])
		t->possible[nodes] = rate_nodes(t, nodes, &t->of_nodes[nodes]);
	t->known[nodes] = true;
	if (!t->possible[nodes])
		return;
	fit_optimum_add(&cost, &t->of_nodes[nodes]);
	if ((t->found && !fit_optimum_is_less(&cost, &t->best)) ||
		!fit_optimum_add_memory(t, nodes, node_of, floats, &cost) ||
		(t->found && !fit_optimum_is_less(&cost, &t->best)))
		return;
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
	int node_of[VCPUS];

	if (density % threads)
		return;
	for (unsigned int i = 0; i < t->core_count && !to_the_full; i++)
		if (chosen >> i & 1 && t->cores[i].threads < density)
			return;
	if (!fill(t, chosen, density, to_the_full, node_of, &cost))
		return;
	cost.level[FIT_COST_HIDDEN_SMT] =
		!t->kept_threads && !t->b->profile.vcpus.pin_set && density > threads;
	rate_cores(t, nodes, chosen, &cost);
	fit_optimum_take_if_best(t, nodes, node_of, false, cost);
}

static bool may_span(const struct trial *t, unsigned int nodes)
{
	const struct fit_profile *profile = &t->b->profile;
	unsigned int count = (unsigned int)__builtin_popcount(nodes);

	if (profile->cells.intent.set && profile->cells.count &&
		profile->cells.count != FIT_CELLS_AUTO)
		return count == profile->cells.count;
	return count == 1 || profile->vcpus.span_nodes;
}

static void try_cores(struct trial *t, unsigned int chosen)
{
	unsigned int nodes = 0, kinds = 0, room = 0, wanted = t->b->profile.cpu.threads;

	for (unsigned int i = 0; i < t->core_count; i++) {
		if (!(chosen >> i & 1))
			continue;
		nodes |= 1U << t->cores[i].node;
		kinds |= 1U << t->cores[i].efficiency;
		room += t->cores[i].threads;
	}
	if (kinds == 3 || room < t->open || !may_span(t, nodes))
		return;
	for (unsigned int density = wanted ? wanted : 1; density <= (wanted ? wanted : t->widest);
		density++)
		try_density(t, nodes, chosen, density, false);
	if (!wanted && t->kept_threads <= 1)
		try_density(t, nodes, chosen, t->widest, true);
}

static void try_all_cores(struct trial *t)
{
	unsigned int usable = 0;

	for (unsigned int i = 0; i < t->core_count; i++)
		usable |= fit_optimum_is_free(t, &t->cores[i]) ? 1U << i : 0;
	for (unsigned int chosen = usable; chosen; chosen = (chosen - 1) & usable)
		if ((unsigned int)__builtin_popcount(chosen) <= t->b->domain.vcpus)
			try_cores(t, chosen);
}

/* All pins stay. */
static void try_kept(struct trial *t)
{
	struct fit_cost cost = {0};
	unsigned int nodes = 0;

	fit_cpuset_for_each (cpu, &t->fixed_cpus)
		nodes |= 1U << t->b->host.cpus[cpu].node;
	cost.level[FIT_COST_OWN_CORES] = fit_optimum_coreless(t, nodes, &t->fixed_cpus);
	fit_optimum_take_if_best(t, nodes, t->fixed_node, true, cost);
}

bool fit_optimum_find(const struct fit_bench *b, struct fit_cost *ret_cost)
{
	struct trial t = {.b = b};

	fit_optimum_list_cores(&t);
	fit_optimum_list_vfs(&t);
	if (!fit_optimum_cells_can_be(&t))
		return false;
	if (!t.open)
		try_kept(&t);
	else if (b->profile.vcpus.place == FIT_PLACE_CORES)
		try_all_cores(&t);
	else
		for (unsigned int nodes = 1; nodes < 1U << b->host.node_count; nodes++)
			if (may_span(&t, nodes))
				fit_optimum_try_floating(&t, nodes);
	if (t.found)
		*ret_cost = t.best;
	return t.found;
}
