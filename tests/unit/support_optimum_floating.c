/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_optimum_parts.h"

/* What vCPUs without cores float over. */
struct pool {
	unsigned int nodes;
	struct fit_cpuset cpus;
	unsigned int of_node[NODES]; /* CPUs */
	struct fit_cost cost;
};

/* No node has too many vCPUs; or, if all nodes together have, all have as many too many. */
static bool are_fair(const struct trial *t, const struct pool *pool, const unsigned int *shares)
{
	bool crowded = t->open > fit_cpuset_count(&pool->cpus);
	unsigned int most = 0, least = UINT32_MAX;

	for (unsigned int i = 0; i < NODES; i++) {
		unsigned int excess = shares[i] - pool->of_node[i];

		if (!(pool->nodes >> i & 1))
			continue;
		if (crowded ? shares[i] < pool->of_node[i] : shares[i] > pool->of_node[i])
			return false;
		most = excess > most ? excess : most;
		least = excess < least ? excess : least;
	}
	return !crowded || most - least <= 1;
}

/* Every node has a cell's vCPUs. */
static void try_shares(struct trial *t, const struct pool *pool, const unsigned int *shares)
{
	int node_of[VCPUS];
	unsigned int used = 0, vcpu = 0;

	if (!are_fair(t, pool, shares))
		return;
	for (unsigned int i = 0; i < t->b->domain.vcpus; i++)
		node_of[i] = t->fixed[i] ? t->fixed_node[i] : -1;
	for (unsigned int i = 0; i < NODES; i++)
		for (unsigned int n = shares[i]; n > 0; vcpu++)
			if (!t->fixed[vcpu]) {
				node_of[vcpu] = (int)i;
				n--;
			}
	for (unsigned int i = 0; i < t->b->domain.vcpus; i++)
		used |= node_of[i] < 0 ? 0 : 1U << node_of[i];
	if ((pool->nodes & ~used) == 0)
		fit_optimum_take_if_best(t, pool->nodes, node_of, true, pool->cost);
}

/* All shares of the nodes from @node on. */
static void choose_shares(struct trial *t, const struct pool *pool, unsigned int node,
	unsigned int left, unsigned int shares[NODES])
{
	unsigned int end = pool->nodes >> node & 1 ? left : 0;

	if (node == NODES && !left)
		try_shares(t, pool, shares);
	for (unsigned int share = 0; node < NODES && share <= end; share++) {
		shares[node] = share;
		choose_shares(t, pool, node + 1, left - share, shares);
	}
}

static void add_housekeeping(const struct trial *t, struct pool *pool)
{
	const struct fit_domain *domain = &t->b->domain;

	if (fit_cpuset_count(&pool->cpus) >= t->open || t->b->host.housekeeping_source)
		return;
	fit_cpuset_for_each (cpu, &t->housekeeping)
		if (!domain->has_vcpu_cpuset ||
			fit_cpuset_contains(&domain->vcpu_cpuset, (unsigned int)cpu))
			fit_cpuset_add(&pool->cpus, (unsigned int)cpu);
}

static void float_over(struct trial *t, unsigned int nodes, bool efficiency)
{
	struct pool pool = {.nodes = nodes};
	bool housekeeping = false;
	size_t before;
	unsigned int shares[NODES];
	int node_of[VCPUS];

	for (unsigned int i = 0; i < t->core_count; i++) {
		const struct core *core = &t->cores[i];

		if (core->isolated || core->running || core->efficiency != efficiency ||
			!(nodes >> core->node & 1))
			continue;
		fit_cpuset_unite(&pool.cpus, &core->usable);
		housekeeping |= fit_cpuset_intersects(&core->cpus, &t->housekeeping);
	}
	fit_cpuset_subtract(&pool.cpus, &t->b->host.isolated);
	before = fit_cpuset_count(&pool.cpus);
	if (housekeeping)
		add_housekeeping(t, &pool);
	for (size_t i = before; i < t->open && i < fit_cpuset_count(&pool.cpus); i++)
		pool.cost.level[FIT_COST_HOUSEKEEPING]++;
	fit_cpuset_for_each (cpu, &pool.cpus)
		pool.of_node[t->b->host.cpus[cpu].node]++;
	for (unsigned int i = 0; i < NODES; i++)
		if (nodes >> i & 1 && !pool.of_node[i])
			return;
	if (t->open > fit_cpuset_count(&pool.cpus))
		pool.cost.level[FIT_COST_CROWDED] = t->open - fit_cpuset_count(&pool.cpus);
	pool.cost.level[FIT_COST_EFFICIENCY] = efficiency;
	pool.cost.level[FIT_COST_OWN_CORES] = fit_optimum_coreless(t, nodes, &pool.cpus);
	if (t->b->profile.cells.intent.set && t->b->profile.cells.count) {
		choose_shares(t, &pool, 0, t->open, shares);
		return;
	}
	for (unsigned int i = 0; i < t->b->domain.vcpus; i++)
		node_of[i] = t->fixed[i] ? t->fixed_node[i] : -1;
	fit_optimum_take_if_best(t, nodes, node_of, true, pool.cost);
}

void fit_optimum_try_floating(struct trial *t, unsigned int nodes)
{
	float_over(t, nodes, false);
	float_over(t, nodes, true);
}
