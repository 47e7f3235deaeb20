/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cores of a candidate's nodes the vCPUs get. Inside a node: cores that nobody else is
 * defined on first, then as few L3 groups as possible (the largest groups until the rest fits into
 * one, and that one as small as possible, so that large groups stay whole for others), in them as
 * few clusters. Several nodes get equal shares where they have the room.
 */
#include "core/place.h"

#include <stdlib.h>

#include "base/memory.h"

/* Cores that share an L3 cache, or a cluster in it. */
struct group {
	unsigned int key;
	size_t room; /* vCPUs its cores could still take */
	bool touched;
};

unsigned int fit_core_room(const struct fit_candidate *candidate, const struct fit_core *core)
{
	return core->threads < candidate->per_core ? core->threads : candidate->per_core;
}

/* Could a vCPU of this candidate be on this core, other domains' definitions aside? */
bool fit_core_suits(const struct fit_planner *planner, const struct fit_candidate *candidate,
	const struct fit_core *core)
{
	return fit_core_is_free(planner, core) &&
	       fit_cpuset_contains(&candidate->nodes, (unsigned int)core->node) &&
	       core->efficiency == candidate->efficiency &&
	       (!candidate->isolated_only || core->isolated) &&
	       (!candidate->uniform || core->threads >= candidate->per_core);
}

bool fit_core_overlaps(const struct fit_core *core)
{
	return core->defined || core->running || core->kept;
}

/* Indices of the suitable cores of a node, those with the most room first. */
static size_t list_cores(const struct fit_planner *planner, const struct fit_candidate *candidate,
	int node, bool overlapping, const struct fit_core **ret_list)
{
	size_t core_count;
	const struct fit_core *cores = fit_planner_node_cores(planner, node, &core_count);
	size_t count = 0;

	for (unsigned int room = candidate->per_core; room > 0; room--) {
		for (size_t i = 0; i < core_count; i++) {
			const struct fit_core *core = &cores[i];

			if (fit_core_room(candidate, core) == room &&
				fit_core_overlaps(core) == overlapping &&
				fit_core_suits(planner, candidate, core))
				ret_list[count++] = core;
		}
		if (candidate->uniform)
			break;
	}
	return count;
}

static void take(struct fit_candidate *candidate, const struct fit_core *core, size_t *need)
{
	size_t room = fit_core_room(candidate, core);

	*FIT_APPEND(candidate->cores, candidate->core_count) = core;
	fit_cpuset_add(&candidate->l3_groups, core->l3);
	fit_cpuset_add(&candidate->clusters, core->cluster);
	*need -= room < *need ? room : *need;
}

static unsigned int key_of(const struct fit_core *core, bool clusters)
{
	return clusters ? core->cluster : core->l3;
}

static size_t list_groups(const struct fit_candidate *candidate, const struct fit_core *const *list,
	size_t count, bool clusters, struct group *ret_groups)
{
	const struct fit_cpuset *touched = clusters ? &candidate->clusters : &candidate->l3_groups;
	size_t group_count = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned int key = key_of(list[i], clusters);
		size_t g = 0;

		while (g < group_count && ret_groups[g].key != key)
			g++;
		if (g == group_count)
			ret_groups[group_count++] = (struct group){
				.key = key,
				.touched = fit_cpuset_contains(touched, key),
			};
		ret_groups[g].room += fit_core_room(candidate, list[i]);
	}
	return group_count;
}

static bool group_is_better(const struct group *a, const struct group *b, size_t need)
{
	bool a_fits = a->room >= need;
	bool b_fits = b->room >= need;

	if (a->touched != b->touched)
		return a->touched;
	if (a_fits != b_fits)
		return a_fits;
	if (a->room != b->room)
		return a_fits ? a->room < b->room : a->room > b->room;
	return a->key < b->key;
}

/* Takes cores from @list, group by group, until @need is met or the list is empty: L3 groups, and
 * of each its clusters. */
static void take_groups(struct fit_candidate *candidate, const struct fit_core **list, size_t count,
	bool clusters, size_t *need)
{
	fit_autofree struct group *groups = fit_xcalloc(count, sizeof(*groups));
	fit_autofree const struct fit_core **members = fit_xcalloc(count, sizeof(*members));

	while (*need > 0 && count > 0) {
		size_t group_count = list_groups(candidate, list, count, clusters, groups);
		const struct group *best = &groups[0];
		size_t member_count = 0, left = 0;

		for (size_t g = 1; g < group_count; g++) {
			if (group_is_better(&groups[g], best, *need))
				best = &groups[g];
		}
		for (size_t i = 0; i < count; i++) {
			if (key_of(list[i], clusters) == best->key)
				members[member_count++] = list[i];
			else
				list[left++] = list[i];
		}
		count = left;
		if (!clusters)
			take_groups(candidate, members, member_count, true, need);
		for (size_t i = 0; clusters && i<member_count && * need> 0; i++)
			take(candidate, members[i], need);
	}
}

/* Takes the cores where the vCPUs are now, and moves those of QEMU's threads to the end of the
 * list. */
static void take_previous(
	struct fit_candidate *candidate, const struct fit_core **list, size_t *count, size_t *need)
{
	fit_autofree const struct fit_core **threads = fit_xcalloc(*count, sizeof(*threads));
	size_t thread_count = 0;
	size_t left = 0;

	for (size_t i = 0; i < *count; i++) {
		const struct fit_core *core = list[i];

		if (*need > 0 && core->previous)
			take(candidate, list[i], need);
		else if (core->previous_emulator || core->previous_iothread)
			threads[thread_count++] = list[i];
		else
			list[left++] = list[i];
	}
	for (size_t i = 0; i < thread_count; i++)
		list[left++] = threads[i];
	*count = left;
}

static void take_of_node(
	const struct fit_planner *planner, struct fit_candidate *candidate, int node, size_t need)
{
	fit_autofree const struct fit_core **list = fit_xcalloc(planner->core_count, sizeof(*list));

	for (int overlapping = 0; overlapping <= 1 && need > 0; overlapping++) {
		size_t count = list_cores(planner, candidate, node, overlapping, list);

		if (candidate->prefer_previous)
			take_previous(candidate, list, &count, &need);
		take_groups(candidate, list, count, false, &need);
	}
}

static size_t node_room(const struct fit_planner *planner, const struct fit_candidate *candidate,
	int node, bool overlapping)
{
	size_t core_count;
	const struct fit_core *cores = fit_planner_node_cores(planner, node, &core_count);
	size_t room = 0;

	for (size_t i = 0; i < core_count; i++) {
		const struct fit_core *core = &cores[i];

		if ((overlapping || !fit_core_overlaps(core)) &&
			fit_core_suits(planner, candidate, core))
			room += fit_core_room(candidate, core);
	}
	return room;
}

/* Equal shares in multiples of the vCPUs of a core; a node too small for its share gives all it has
 * and the others take the rest: hence the smallest first. */
static void take_shares(const struct fit_planner *planner, struct fit_candidate *candidate,
	size_t *rooms, size_t left, size_t nodes_left)
{
	while (left > 0 && nodes_left > 0) {
		size_t share = (left + nodes_left - 1) / nodes_left;
		int smallest = -1;

		fit_cpuset_for_each (node, &candidate->nodes) {
			if (rooms[node] && (smallest < 0 || rooms[node] < rooms[smallest]))
				smallest = node;
		}
		if (smallest < 0)
			return;
		share = (share + candidate->per_core - 1) / candidate->per_core *
			candidate->per_core;
		if (share > rooms[smallest])
			share = rooms[smallest];
		if (share > left)
			share = left;
		take_of_node(planner, candidate, smallest, share);
		rooms[smallest] = 0;
		left -= share;
		nodes_left--;
	}
}

static bool take_given(
	const struct fit_planner *planner, struct fit_candidate *candidate, const size_t *rooms)
{
	const size_t *share = candidate->shares;

	fit_cpuset_for_each (node, &candidate->nodes) {
		if (rooms[node] < *share)
			return false;
		take_of_node(planner, candidate, node, *share++);
	}
	return true;
}

/* Where cores differ, those taken last can make earlier ones superfluous. */
static void drop_surplus(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	size_t surplus = 0;
	size_t kept = candidate->core_count;

	for (size_t i = 0; i < candidate->core_count; i++)
		surplus += fit_core_room(candidate, candidate->cores[i]);
	surplus -= fit_place_need(planner, candidate);
	for (size_t i = candidate->core_count; i-- > 0;) {
		size_t room = fit_core_room(candidate, candidate->cores[i]);

		if (room > surplus)
			continue;
		surplus -= room;
		kept--;
		for (size_t later = i; later < kept; later++)
			candidate->cores[later] = candidate->cores[later + 1];
	}
	candidate->core_count = kept;
}

/* A candidate without a core on one of its nodes is another one. */
static bool uses_all_nodes(const struct fit_candidate *candidate)
{
	struct fit_cpuset nodes = {0};

	for (size_t i = 0; i < candidate->core_count; i++)
		fit_cpuset_add(&nodes, (unsigned int)candidate->cores[i]->node);
	return fit_cpuset_equal(&nodes, &candidate->nodes);
}

static size_t last_node(const struct fit_candidate *candidate)
{
	size_t last = 0;

	fit_cpuset_for_each (node, &candidate->nodes)
		last = (size_t)node;
	return last;
}

static bool take_cores(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	/* By the nodes' numbers. */
	fit_autofree size_t *rooms = fit_xcalloc(last_node(candidate) + 1, sizeof(*rooms));
	size_t node_count = fit_cpuset_count(&candidate->nodes);
	size_t need = fit_place_need(planner, candidate);
	bool found;

	for (int overlapping = 0; need && overlapping <= 1; overlapping++) {
		bool everywhere = true;

		candidate->capacity = 0;
		fit_cpuset_for_each (node, &candidate->nodes) {
			rooms[node] = node_room(planner, candidate, node, overlapping);
			candidate->capacity += rooms[node];
			everywhere &= rooms[node] > 0;
		}
		if (candidate->capacity >= need && everywhere) {
			if (fit_place_cores_exactly(planner, candidate, &found))
				return found;
			if (!candidate->shares)
				take_shares(planner, candidate, rooms, need, node_count);
			else if (!take_given(planner, candidate, rooms))
				continue;
			drop_surplus(planner, candidate);
			return uses_all_nodes(candidate);
		}
	}
	return !need;
}

static int compare_places(const void *a, const void *b)
{
	const struct fit_core *left = *(const struct fit_core *const *)a;
	const struct fit_core *right = *(const struct fit_core *const *)b;

	if (left->node != right->node)
		return left->node < right->node ? -1 : 1;
	if (left->l3 != right->l3)
		return left->l3 < right->l3 ? -1 : 1;
	if (left->cluster != right->cluster)
		return left->cluster < right->cluster ? -1 : 1;
	return (left->cpu > right->cpu) - (left->cpu < right->cpu);
}

void fit_cores_sort(const struct fit_core **cores, size_t count)
{
	qsort(cores, count, sizeof(*cores), compare_places);
}

static void rate_fragments(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	struct fit_cost *cost = &candidate->cost;

	fit_cpuset_for_each (node, &candidate->nodes) {
		size_t count;
		const struct fit_core *cores = fit_planner_node_cores(planner, node, &count);

		for (size_t i = 0; i < count; i++) {
			const struct fit_core *core = &cores[i];

			if (!fit_core_is_free(planner, core) || fit_core_overlaps(core) ||
				fit_cpuset_contains(&candidate->cpus, core->first))
				continue;
			cost->level[FIT_COST_FRAGMENT_NODES]++;
			cost->level[FIT_COST_FRAGMENT_L3] +=
				fit_cpuset_contains(&candidate->l3_groups, core->l3);
		}
	}
}

/* vCPUs that the node with the most has more than the one with the least, fixed ones included. */
static size_t rate_shares(const struct fit_planner *planner, const struct fit_candidate *candidate)
{
	size_t vcpus = planner->domain->vcpus, most = 0, least = SIZE_MAX;
	fit_autofree size_t *counts = fit_xcalloc(planner->host->node_count, sizeof(*counts));
	fit_autofree int *cpus = fit_xcalloc(vcpus, sizeof(*cpus));

	fit_place_count_fixed(planner, counts);
	fit_place_order(planner, candidate, cpus);
	for (size_t i = 0; i < vcpus; i++) {
		const struct fit_core *core = fit_planner_core_of(planner, cpus[i]);
		const struct fit_node *node =
			core ? fit_host_node(planner->host, (unsigned int)core->node) : NULL;

		if (node)
			counts[node - planner->host->nodes]++;
	}
	for (size_t i = 0; i < planner->host->node_count; i++) {
		most = counts[i] > most ? counts[i] : most;
		least = counts[i] && counts[i] < least ? counts[i] : least;
	}
	return most ? most - least : 0;
}

static void rate_cores(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	struct fit_cost *cost = &candidate->cost;
	size_t vcpus = planner->open_vcpus;
	size_t threads = 0;
	bool isolated = true;

	for (size_t i = 0; i < candidate->core_count; i++) {
		const struct fit_core *core = candidate->cores[i];

		cost->level[FIT_COST_OVERLAP] += fit_core_overlaps(core);
		isolated &= core->isolated;
		threads += core->threads;
	}
	cost->level[FIT_COST_NOT_ISOLATED] =
		planner->has_isolated && !planner->profile->vcpus.shared && !isolated;
	cost->level[FIT_COST_EFFICIENCY] = candidate->efficiency;
	cost->level[FIT_COST_UNEVEN] = rate_shares(planner, candidate);
	cost->level[FIT_COST_L3] = fit_cpuset_count(&candidate->l3_groups);
	cost->level[FIT_COST_CLUSTERS] = fit_cpuset_count(&candidate->clusters);
	cost->level[FIT_COST_HIDDEN_SMT] =
		!planner->kept_threads && !planner->profile->vcpus.pin_set &&
		candidate->per_core > fit_guest_threads(planner, candidate);
	cost->level[FIT_COST_IDLE_THREADS] = threads - vcpus;
	rate_fragments(planner, candidate);
}

static void rate_moves(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	fit_autofree int *cpus = fit_xcalloc(planner->domain->vcpus, sizeof(*cpus));

	fit_place_order(planner, candidate, cpus);
	for (size_t i = 0; i < planner->domain->vcpus; i++) {
		int previous = planner->previous_cpus[i];

		candidate->cost.level[FIT_COST_MOVED] += previous >= 0 && previous != cpus[i];
	}
	for (size_t i = 0; i < candidate->core_count; i++) {
		const struct fit_core *core = candidate->cores[i];

		/* Beside a vCPU they can stay. */
		candidate->cost.level[FIT_COST_MOVED] +=
			!core->previous && (core->previous_emulator || core->previous_iothread);
	}
	/* Of vCPUs that share a set it is not known which CPU they were on. */
	for (size_t i = 0; i < planner->core_count && planner->profile->vcpus.pin_set; i++) {
		const struct fit_core *core = &planner->cores[i];

		candidate->cost.level[FIT_COST_MOVED] +=
			core->previous && !fit_cpuset_intersects(&core->cpus, &candidate->cpus);
	}
}

/* Any CPU of the nodes' cores of one kind, except isolated ones, between which the scheduler does
 * not move threads, and those of @taken. Housekeeping's CPUs are used only where the others are too
 * few, and never when the host's policy states them. */
static struct fit_cpuset floating_cpus(const struct fit_planner *planner,
	const struct fit_candidate *candidate, size_t vcpus, const struct fit_cpuset *taken)
{
	struct fit_cpuset housekeeping = {0}, cpus = {0};

	for (size_t i = 0; i < planner->core_count; i++) {
		const struct fit_core *core = &planner->cores[i];

		if (core->node < 0 || core->isolated || core->running ||
			core->efficiency != candidate->efficiency ||
			!fit_cpuset_contains(&candidate->nodes, (unsigned int)core->node) ||
			fit_cpuset_intersects(&core->cpus, taken))
			continue;
		fit_cpuset_unite(&cpus, &core->usable);
		if (fit_cpuset_intersects(&core->cpus, &planner->plan->housekeeping))
			fit_cpuset_unite(&housekeeping, &planner->plan->housekeeping);
	}
	fit_cpuset_intersect(&housekeeping, &planner->allowed);
	fit_cpuset_subtract(&cpus, &planner->host->isolated);
	if (fit_cpuset_count(&cpus) < vcpus && !planner->host->housekeeping_source)
		fit_cpuset_unite(&cpus, &housekeeping);
	return cpus;
}

static void rate_crowd(const struct fit_planner *planner, struct fit_candidate *candidate,
	size_t vcpus, const struct fit_cpuset *cpus)
{
	struct fit_cost *cost = &candidate->cost;
	struct fit_cpuset others = *cpus;
	size_t count = fit_cpuset_count(cpus), used = vcpus < count ? vcpus : count, left;

	fit_cpuset_subtract(&others, &planner->plan->housekeeping);
	left = fit_cpuset_count(&others);
	cost->level[FIT_COST_CROWDED] = vcpus - used;
	cost->level[FIT_COST_HOUSEKEEPING] = used > left ? used - left : 0;
}

static bool float_over_nodes(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	const struct fit_cpuset none = {0};
	struct fit_cpuset nodes = {0};

	candidate->cpus = floating_cpus(planner, candidate, planner->open_vcpus, &none);
	candidate->capacity = fit_cpuset_count(&candidate->cpus);
	candidate->cost.level[FIT_COST_EFFICIENCY] = candidate->efficiency;
	rate_crowd(planner, candidate, planner->open_vcpus, &candidate->cpus);
	fit_cpuset_for_each (cpu, &candidate->cpus)
		fit_cpuset_add(&nodes, (unsigned int)fit_planner_core_of(planner, cpu)->node);
	/* A node without a CPU for them would be one in name only. */
	return candidate->capacity > 0 && fit_cpuset_is_subset(&candidate->nodes, &nodes);
}

/* What is left for the vCPUs without cores. */
static bool make_pool(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	size_t vcpus = fit_cpuset_count(&planner->pooled);
	struct fit_cpuset taken = candidate->cpus;

	if (!vcpus)
		return true;
	fit_cpuset_unite(&taken, &planner->fixed_cpus);
	candidate->pool = floating_cpus(planner, candidate, vcpus, &taken);
	rate_crowd(planner, candidate, vcpus, &candidate->pool);
	return !fit_cpuset_is_empty(&candidate->pool);
}

/* Near the vCPUs that are placed already, too. */
static void rate_fixed(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	fit_cpuset_for_each (cpu, &planner->fixed_cpus) {
		const struct fit_core *core = fit_planner_core_of(planner, cpu);

		fit_cpuset_for_each (node, &candidate->nodes)
			if (core && core->node >= 0)
				candidate->cost.level[FIT_COST_NODES_APART] +=
					fit_host_distance(planner->host, (unsigned int)node,
						(unsigned int)core->node);
	}
}

static void rate_nodes(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	struct fit_cost *cost = &candidate->cost;

	cost->level[FIT_COST_NODES] = fit_cpuset_count(&candidate->nodes);
	fit_cpuset_for_each (from, &candidate->nodes) {
		fit_cpuset_for_each (to, &candidate->nodes)
			cost->level[FIT_COST_NODES_APART] += fit_host_distance(
				planner->host, (unsigned int)from, (unsigned int)to);
	}
}

bool fit_place_cpus_complete(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	rate_nodes(planner, candidate);
	if (!planner->vcpus_kept)
		rate_fixed(planner, candidate);
	if (planner->vcpus_kept || planner->vcpus_place == FIT_PLACE_NONE)
		return true;
	if (planner->vcpus_place == FIT_PLACE_NODE)
		return float_over_nodes(planner, candidate);
	if (!take_cores(planner, candidate))
		return false;
	fit_cores_sort(candidate->cores, candidate->core_count);
	candidate->l3_groups = candidate->clusters = (struct fit_cpuset){0};
	for (size_t i = 0; i < candidate->core_count; i++) {
		fit_cpuset_unite(&candidate->cpus, &candidate->cores[i]->usable);
		fit_cpuset_add(&candidate->l3_groups, candidate->cores[i]->l3);
		fit_cpuset_add(&candidate->clusters, candidate->cores[i]->cluster);
	}
	rate_cores(planner, candidate);
	rate_moves(planner, candidate);
	return make_pool(planner, candidate);
}
