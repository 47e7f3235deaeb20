/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What other domains hold (running) or are defined on (shut off). */
#ifndef FIT_CORE_CLAIMS_H
#define FIT_CORE_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpuset.h"
#include "core/domain.h"
#include "core/pciaddr.h"

struct fit_claim {
	char *name;
	char *uuid;   /* NULL when the definition has none */
	bool running; /* or planned for as if it did (core/packing.h): nobody else can have it */
	const char *state; /* what messages call that instead of "running"; NULL. Static */
	/* CPUs the domain has for itself. vCPUs that float over more CPUs than they are hold none.
	 */
	struct fit_cpuset cpus;
	struct fit_pciaddr *devices; /* host devices and VFs */
	size_t device_count;
	struct fit_page_demand *pages; /* huge pages of known size */
	size_t page_demand_count;
};

struct fit_claims {
	struct fit_claim *items;
	size_t count;
};

void fit_claims_clear(struct fit_claims *claims);

/* Adds what @domain holds. */
void fit_claims_add(struct fit_claims *claims, const struct fit_domain *domain, bool running);

/* Is it the domain's own? By uuid, by name where one of them has none. */
bool fit_claim_is_of(const struct fit_claim *claim, const struct fit_domain *domain);

/* Do they want the same CPUs or devices? */
bool fit_claims_collide(const struct fit_claim *a, const struct fit_claim *b);

/* Drops the claim of the domain itself. */
void fit_claims_drop(struct fit_claims *claims, const struct fit_domain *domain);

#endif
