/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shares of the nodes in a guest with cells. A cell has memory as it has vCPUs, so how many of them
 * a node gets decides in which pages the memory can be, or whether it fits at all. Where equal
 * shares do not get the best pages, all others are looked at, as far as there are not too many.
 */
#include "core/place.h"

#include <stdlib.h>

#include "base/memory.h"

#define SMALL_HOST 16	/* cores */
#define SHARES_MAX 1024 /* on such a host; a sixteenth of it on larger ones */

/* All shares of @count nodes, with at least one unit each. */
static size_t count_shares(size_t units, size_t count)
{
	size_t sets = 1;

	if (units < count)
		return 0;
	for (size_t i = 1; i < count && sets <= SHARES_MAX; i++)
		sets = sets * (units - i) / i;
	return sets;
}

/* The next shares of @places; false behind the last. */
static bool next_shares(size_t *shares, size_t count, size_t unit, size_t places)
{
	for (size_t i = count - 1; i-- > 0;) {
		size_t given = 0;

		shares[i] += unit;
		for (size_t other = 0; other + 1 < count; other++)
			given += shares[other];
		if (given + unit <= places) {
			shares[count - 1] = places - given;
			return true;
		}
		shares[i] = unit;
	}
	return false;
}

static uint64_t pages_of(const struct fit_planner *planner, const struct fit_candidate *trial)
{
	struct fit_candidate candidate = *trial;
	uint64_t pages = UINT64_MAX;

	/* Which CPUs there are does not depend on it where vCPUs float. */
	if ((planner->vcpus_place == FIT_PLACE_CORES ||
		    fit_place_cpus_complete(planner, &candidate)) &&
		fit_place_cells_complete(planner, &candidate) &&
		fit_place_memory_complete(planner, &candidate))
		pages = candidate.cost.level[FIT_COST_PAGES];
	fit_candidate_clear(&candidate);
	return pages;
}

void fit_place_shares_each(const struct fit_planner *planner, const struct fit_candidate *trial,
	uint64_t pages, void (*try)(void *context, const struct fit_candidate *trial),
	void *context)
{
	size_t count = fit_cpuset_count(&trial->nodes);
	bool cores = planner->vcpus_place == FIT_PLACE_CORES;
	size_t places = cores ? fit_place_need(planner, trial) : planner->open_vcpus;
	size_t unit =
		cores && trial->uniform && places % trial->per_core == 0 ? trial->per_core : 1;
	size_t most = planner->core_count <= SMALL_HOST ? SHARES_MAX : SHARES_MAX / 16;
	struct fit_candidate candidate = *trial;
	fit_autofree size_t *shares = NULL;

	if (count < 2 || !(planner->cells_wanted || (cores && planner->domain->cell_count)) ||
		!count_shares(places / unit, count) || count_shares(places / unit, count) > most)
		return;
	shares = fit_xcalloc(count, sizeof(*shares));
	for (size_t i = 0; i < count; i++)
		shares[i] = i + 1 < count ? unit : places - (count - 1) * unit;
	candidate.shares = shares;
	do {
		if (pages_of(planner, &candidate) < pages)
			try(context, &candidate);
	} while (next_shares(shares, count, unit, places));
}
