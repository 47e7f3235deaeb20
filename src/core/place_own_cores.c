/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cores for QEMU's own threads that want one each: on the vCPUs' nodes, after the vCPUs. How many
 * get one is part of the candidate's cost; which ones follows a rank.
 */
#include "core/place.h"

#include "base/memory.h"

/* The emulator is many threads, which the scheduler does not spread over isolated CPUs. */
static bool can_be_own(const struct fit_planner *planner, const struct fit_candidate *candidate,
	const struct fit_core *core, bool for_emulator)
{
	struct fit_cpuset pool = candidate->pool;

	if (core->threads == 0 || core->node < 0 || core->running || core->defined ||
		(for_emulator && core->isolated) ||
		fit_cpuset_intersects(&core->cpus, &candidate->cpus))
		return false;
	for (size_t i = 0; i < candidate->own_core_count; i++) {
		if (candidate->own_cores[i] == core)
			return false;
	}
	/* vCPUs that float need CPUs more. */
	fit_cpuset_subtract(&pool, &core->cpus);
	return !fit_cpuset_intersects(&candidate->pool, &core->cpus) ||
	       fit_cpuset_count(&pool) >= fit_cpuset_count(&planner->pooled);
}

static unsigned int rank_own(
	const struct fit_candidate *candidate, const struct fit_core *core, bool for_emulator)
{
	bool moves = for_emulator ? !core->previous_emulator : !core->previous_iothread;

	return core->kept * 16U + moves * 8U + (core->isolated != candidate->isolated_only) * 4U +
	       (core->efficiency != candidate->efficiency) * 2U +
	       !fit_cpuset_contains(&candidate->l3_groups, core->l3);
}

static const struct fit_core *best_own(const struct fit_planner *planner,
	const struct fit_candidate *candidate, const struct fit_core *cores, size_t count,
	bool for_emulator, const struct fit_core *best)
{
	for (size_t i = 0; i < count; i++) {
		if (can_be_own(planner, candidate, &cores[i], for_emulator) &&
			(!best || rank_own(candidate, &cores[i], for_emulator) <
					  rank_own(candidate, best, for_emulator)))
			best = &cores[i];
	}
	return best;
}

/* Takes one more core for QEMU's threads, anywhere when the vCPUs have no place of their own. The
 * lowest rank wins, the first among equals. */
static bool take_own_core(const struct fit_planner *planner, struct fit_candidate *candidate,
	const struct fit_cpuset *nodes, bool for_emulator)
{
	const struct fit_core *best = NULL;

	if (fit_cpuset_is_empty(nodes))
		best = best_own(planner, candidate, planner->cores, planner->core_count,
			for_emulator, NULL);
	fit_cpuset_for_each (node, nodes) {
		size_t count;
		const struct fit_core *cores = fit_planner_node_cores(planner, node, &count);

		best = best_own(planner, candidate, cores, count, for_emulator, best);
	}
	if (!best)
		return false;
	*FIT_APPEND(candidate->own_cores, candidate->own_core_count) = best;
	fit_cpuset_subtract(&candidate->pool, &best->cpus);
	return true;
}

/* One for each node; returns how many have none. */
static size_t take_core_per_node(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	size_t missing = 0;

	fit_cpuset_for_each (node, &candidate->nodes) {
		struct fit_cpuset one = {0};

		fit_cpuset_add(&one, (unsigned int)node);
		missing += !take_own_core(planner, candidate, &one, false);
	}
	return missing;
}

/* Where the emulator takes no node's last core, which an iothread of that node is to have. */
static struct fit_cpuset roomy_nodes(
	const struct fit_planner *planner, struct fit_candidate *candidate)
{
	struct fit_cpuset nodes = {0};

	fit_cpuset_for_each (node, &candidate->nodes) {
		size_t count, free = 0;
		const struct fit_core *cores = fit_planner_node_cores(planner, node, &count);

		for (size_t i = 0; i < count; i++)
			free += can_be_own(planner, candidate, &cores[i], false);
		if (free > 1)
			fit_cpuset_add(&nodes, (unsigned int)node);
	}
	return nodes;
}

static bool take_emulator_core(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	struct fit_cpuset roomy = {0};

	if (planner->iothreads_per_node && planner->own_cores_wanted > 1)
		roomy = roomy_nodes(planner, candidate);
	return (!fit_cpuset_is_empty(&roomy) && take_own_core(planner, candidate, &roomy, true)) ||
	       take_own_core(planner, candidate, &candidate->nodes, true);
}

void fit_place_threads_complete(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	size_t wanted = planner->own_cores_wanted;
	size_t missing;

	if (fit_place_emulator_wants_core(planner)) {
		candidate->emulator_has_core = take_emulator_core(planner, candidate);
		wanted--;
	}
	if (wanted && planner->iothreads_per_node) {
		missing = !candidate->emulator_has_core && fit_place_emulator_wants_core(planner);
		missing += take_core_per_node(planner, candidate);
	} else {
		while (wanted > 0 && take_own_core(planner, candidate, &candidate->nodes, false))
			wanted--;
		missing = planner->own_cores_wanted - candidate->own_core_count;
	}
	candidate->cost.level[FIT_COST_OWN_CORES] = missing;
}
