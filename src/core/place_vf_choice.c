/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which VFs a candidate takes: those of one PF when one has enough that no other domain is defined
 * with and that have a link, otherwise of the fewest PFs that have; and of these the nearest. Among
 * equally near PFs those whose VFs exist win: creating VFs interrupts the link of the PF, except
 * for a domain that is defined on such VFs already, which stays where it is.
 *
 * A PF's offers are sorted by what they cost, so of a set of PFs the best VFs are found by taking
 * the best next one. Where there are too many PFs to try all sets, the best VFs of any are taken.
 */
#include "core/place.h"

#include <stdlib.h>

#include "base/memory.h"

#define ALL_SETS_UP_TO 6 /* PFs */

static void rate_offer(const struct fit_vf_source *source, const struct fit_vf_offer *offer,
	unsigned int distance, struct fit_cost *cost)
{
	cost->level[FIT_COST_OVERLAP] += offer->defined != NULL;
	cost->level[FIT_COST_LINK] += !source->linked;
	cost->level[FIT_COST_DEVICES] += distance;
	cost->level[FIT_COST_CREATION] += !offer->exists && !offer->previous;
	cost->level[FIT_COST_MOVED] += !offer->previous;
}

/* VFs of some of the sources. */
struct selection {
	const struct fit_vf_source **sources;
	size_t source_count;
	struct fit_vf_pick *picks; /* as many as are wanted */
	struct fit_cost cost;
};

/* The source whose next offer is the best; NULL when all are used up. */
static size_t best_source(const struct selection *selection, const size_t *used,
	const unsigned int *distances, struct fit_cost *ret_cost)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < selection->source_count; i++) {
		const struct fit_vf_source *source = selection->sources[i];
		struct fit_cost cost = {0};

		if (used[i] == source->offer_count)
			continue;
		rate_offer(source, &source->offers[used[i]], distances[i], &cost);
		if (best == SIZE_MAX || fit_cost_compare(&cost, ret_cost) < 0) {
			best = i;
			*ret_cost = cost;
		}
	}
	return best;
}

/* The best offers of the selected sources, each of which has its own in that order; @nodes NULL:
 * wherever they are. False when they have too few. */
static bool take_offers(const struct fit_planner *planner, const struct fit_cpuset *nodes,
	struct selection *selection)
{
	size_t count = selection->source_count;
	fit_autofree size_t *used = fit_xcalloc(count, sizeof(*used));
	fit_autofree unsigned int *distances = fit_xcalloc(count, sizeof(*distances));
	struct fit_cost cost;

	selection->cost = (struct fit_cost){0};
	for (size_t i = 0; i < count && nodes; i++)
		distances[i] =
			fit_nodes_distance(planner->host, nodes, selection->sources[i]->node);
	for (size_t taken = 0; taken < planner->vfs_wanted; taken++) {
		size_t best = best_source(selection, used, distances, &cost);
		const struct fit_vf_source *source;

		if (best == SIZE_MAX)
			return false;
		source = selection->sources[best];
		selection->picks[taken] = (struct fit_vf_pick){
			.source = source, .offer = &source->offers[used[best]]};
		selection->cost.level[FIT_COST_PFS] += used[best]++ == 0;
		for (size_t i = 0; i < FIT_COST_LEVELS; i++)
			selection->cost.level[i] += cost.level[i];
	}
	return true;
}

/* What no choice of VFs can be better than. */
void fit_place_vfs_bound(struct fit_planner *planner)
{
	struct selection all = {0};

	if (!planner->vfs_wanted)
		return;
	all.source_count = planner->source_count;
	all.sources = fit_xcalloc(all.source_count, sizeof(*all.sources));
	all.picks = fit_xcalloc(planner->vfs_wanted, sizeof(*all.picks));
	for (size_t i = 0; i < all.source_count; i++)
		all.sources[i] = &planner->sources[i];
	take_offers(planner, NULL, &all);
	planner->vf_overlap = all.cost.level[FIT_COST_OVERLAP];
	planner->vfs_without_link = all.cost.level[FIT_COST_LINK];
	free(all.sources);
	free(all.picks);
}

/* More PFs are worth it only for these. */
static bool is_sound(const struct fit_planner *planner, const struct selection *selection)
{
	return selection->picks && selection->cost.level[FIT_COST_OVERLAP] == planner->vf_overlap &&
	       selection->cost.level[FIT_COST_LINK] == planner->vfs_without_link;
}

static void try_sources(const struct fit_planner *planner, const struct fit_candidate *candidate,
	struct selection *trial, struct selection *best)
{
	if (!trial->picks)
		trial->picks = fit_xcalloc(planner->vfs_wanted, sizeof(*trial->picks));
	if (!take_offers(planner, &candidate->nodes, trial) ||
		(best->picks && fit_cost_compare(&trial->cost, &best->cost) >= 0))
		return;
	free(best->picks);
	best->picks = FIT_STEAL(trial->picks);
	best->cost = trial->cost;
}

static void try_sets_of_sources(const struct fit_planner *planner,
	const struct fit_candidate *candidate, size_t size, struct selection *trial,
	struct selection *best)
{
	for (unsigned int bits = 1; bits < 1U << planner->source_count; bits++) {
		if ((size_t)__builtin_popcount(bits) != size)
			continue;
		trial->source_count = 0;
		for (size_t i = 0; i < planner->source_count; i++)
			if (bits >> i & 1)
				trial->sources[trial->source_count++] = &planner->sources[i];
		try_sources(planner, candidate, trial, best);
	}
}

/* Which VF gets which number must not depend on the order in which the sources were found. */
static int compare_picks(const void *a, const void *b)
{
	const struct fit_vf_pick *left = a;
	const struct fit_vf_pick *right = b;

	return fit_pciaddr_compare(left->offer->vf, right->offer->vf);
}

void fit_place_vfs_complete(const struct fit_planner *planner, struct fit_candidate *candidate)
{
	size_t count = planner->source_count;
	fit_autofree const struct fit_vf_source **sources = NULL;
	struct selection trial = {0}, best = {0};

	if (!planner->vfs_wanted || !count)
		return;
	trial.sources = sources = fit_xcalloc(count, sizeof(*sources));
	trial.source_count = 1;
	for (size_t i = 0; i < count; i++) {
		sources[0] = &planner->sources[i];
		try_sources(planner, candidate, &trial, &best);
	}
	for (size_t size = 2; count <= ALL_SETS_UP_TO && size <= count && !is_sound(planner, &best);
		size++)
		try_sets_of_sources(planner, candidate, size, &trial, &best);
	if (!is_sound(planner, &best)) {
		trial.source_count = count;
		for (size_t i = 0; i < count; i++)
			sources[i] = &planner->sources[i];
		try_sources(planner, candidate, &trial, &best);
	}
	free(trial.picks);
	candidate->vfs = best.picks;
	candidate->vf_count = planner->vfs_wanted;
	for (size_t i = 0; i < FIT_COST_LEVELS; i++)
		candidate->cost.level[i] += best.cost.level[i];
	qsort(candidate->vfs, candidate->vf_count, sizeof(*candidate->vfs), compare_picks);
}
