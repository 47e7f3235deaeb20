/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Claims are read from definitions, whoever wrote them: pins by hand hold their CPUs as ours do.
 * What a domain merely may use (a floating domain, an emulator that shares the housekeeping CPUs
 * with everybody) it does not hold.
 */
#include "core/claims.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

static void clear_claim(struct fit_claim *claim)
{
	free(claim->name);
	free(claim->uuid);
	free(claim->devices);
	free(claim->pages);
}

void fit_claims_clear(struct fit_claims *claims)
{
	for (size_t i = 0; i < claims->count; i++)
		clear_claim(&claims->items[i]);
	free(claims->items);
	*claims = (struct fit_claims){0};
}

void fit_claims_add(struct fit_claims *claims, const struct fit_domain *domain, bool running)
{
	struct fit_claim *claim = FIT_APPEND(claims->items, claims->count);

	claim->name = fit_xstrdup(domain->name);
	claim->uuid = domain->uuid ? fit_xstrdup(domain->uuid) : NULL;
	claim->running = running;
	claim->cpus = fit_domain_own_cpus(domain);
	for (size_t i = 0; i < domain->hostdev_count; i++)
		*FIT_APPEND(claim->devices, claim->device_count) = domain->hostdevs[i].source;
	claim->pages = fit_domain_page_demands(domain, &claim->page_demand_count);
}

bool fit_claim_is_of(const struct fit_claim *claim, const struct fit_domain *domain)
{
	if (claim->uuid && domain->uuid)
		return fit_streq(claim->uuid, domain->uuid);
	return fit_streq(claim->name, domain->name);
}

bool fit_claims_collide(const struct fit_claim *a, const struct fit_claim *b)
{
	struct fit_cpuset both = a->cpus;

	fit_cpuset_intersect(&both, &b->cpus);
	if (!fit_cpuset_is_empty(&both))
		return true;
	for (size_t i = 0; i < a->device_count; i++)
		for (size_t j = 0; j < b->device_count; j++)
			if (fit_pciaddr_equal(a->devices[i], b->devices[j]))
				return true;
	return false;
}

void fit_claims_drop(struct fit_claims *claims, const struct fit_domain *domain)
{
	size_t kept = 0;

	for (size_t i = 0; i < claims->count; i++) {
		if (fit_claim_is_of(&claims->items[i], domain))
			clear_claim(&claims->items[i]);
		else
			claims->items[kept++] = claims->items[i];
	}
	claims->count = kept;
}
