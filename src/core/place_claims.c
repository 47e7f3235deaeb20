/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other domains' claims in an order of their own, and by device, so that neither the order of
 * domains nor their number matters. */
#include "core/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *fit_claim_state(const struct fit_claim *claim)
{
	if (claim->state)
		return claim->state;
	return claim->running ? "running" : "shut off";
}

/* Running ones first, then by name. */
static int compare_claims(const struct fit_claim *left, const struct fit_claim *right)
{
	int order = strcmp(left->name, right->name);

	if (left->running != right->running)
		return left->running ? -1 : 1;
	if (order == 0 && left->uuid && right->uuid)
		order = strcmp(left->uuid, right->uuid);
	return order;
}

static int compare_claim_pointers(const void *a, const void *b)
{
	return compare_claims(
		*(const struct fit_claim *const *)a, *(const struct fit_claim *const *)b);
}

static int compare_held(const void *a, const void *b)
{
	const struct fit_held_device *left = a;
	const struct fit_held_device *right = b;
	int order = fit_pciaddr_compare(left->addr, right->addr);

	return order ? order : compare_claims(left->claim, right->claim);
}

void fit_place_claims_prepare(struct fit_planner *planner)
{
	const struct fit_claims *claims = planner->input->claims;

	if (!claims || !claims->count)
		return;
	for (size_t i = 0; i < claims->count; i++) {
		const struct fit_claim *claim = &claims->items[i];

		*FIT_APPEND(planner->claims, planner->claim_count) = claim;
		for (size_t d = 0; d < claim->device_count; d++)
			*FIT_APPEND(planner->held, planner->held_count) = (struct fit_held_device){
				.addr = claim->devices[d],
				.claim = claim,
			};
	}
	qsort(planner->claims, planner->claim_count, sizeof(*planner->claims),
		compare_claim_pointers);
	if (planner->held_count)
		qsort(planner->held, planner->held_count, sizeof(*planner->held), compare_held);
}

void fit_place_claims_clear(struct fit_planner *planner)
{
	free(planner->claims);
	free(planner->held);
}

/* Who has the device, a running domain before a shut-off one; NULL when nobody has. */
const struct fit_claim *fit_planner_device_holder(
	const struct fit_planner *planner, struct fit_pciaddr addr)
{
	size_t low = 0;
	size_t high = planner->held_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (fit_pciaddr_compare(planner->held[middle].addr, addr) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < planner->held_count && fit_pciaddr_equal(planner->held[low].addr, addr))
		return planner->held[low].claim;
	return NULL;
}
