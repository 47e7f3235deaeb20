/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A resource is one value of the kernel that domains claim a part in; its key is the path of the
 * file. The value is a function of the baseline (before the first claim) and of all contributions,
 * so the stop of one domain never disturbs another and the last one brings back the baseline.
 *
 *   kind      file                        contribution        value
 *   vfs       PF/sriov_numvfs             "N" VFs             the largest of all, and baseline
 *   autoprobe PF/sriov_drivers_autoprobe  "0"                 the latest; baseline when none
 *   pages     nodeN/…/nr_hugepages        "ADDED/WANTED"      baseline + sum of ADDED
 *   governor  policyN/scaling_governor    a governor          the latest; baseline when none
 *   irq       irq/N/smp_affinity_list     "avoid:CPUS"        baseline - all avoided CPUs
 *                                         "to:CPUS"           the latest such set
 */
#ifndef FIT_SYS_RESOURCE_H
#define FIT_SYS_RESOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/strlist.h"
#include "core/cpuset.h"

enum fit_resource_kind {
	FIT_RESOURCE_VFS,
	FIT_RESOURCE_AUTOPROBE,
	FIT_RESOURCE_PAGES,
	FIT_RESOURCE_GOVERNOR,
	FIT_RESOURCE_IRQ,
};

const char *fit_resource_kind_name(enum fit_resource_kind kind);
FIT_MUST_CHECK bool fit_resource_kind_parse(const char *name, enum fit_resource_kind *ret_kind);

/* Do two values of that kind mean the same ("0,1" and "0-1" for an interrupt)? */
bool fit_resource_equal(enum fit_resource_kind kind, const char *a, const char *b);

/* The value for the baseline and all contributions in the order of their claims. To be freed. */
char *fit_resource_target(enum fit_resource_kind kind, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online);

/* Contributions as text, to be freed, and back (0 where malformed). ADDED: pages the pool was to
 * grow by; WANTED: pages the domain will use. */
char *fit_pages_contribution(uint64_t added, uint64_t wanted);
void fit_pages_contribution_read(const char *text, uint64_t *ret_added, uint64_t *ret_wanted);
char *fit_irq_contribution(bool avoid, const struct fit_cpuset *cpus);

/* A contribution for people: "off CPU 1", "8 pages, 4 of them added". To be freed. */
char *fit_contribution_describe(enum fit_resource_kind kind, const char *contribution);

/* The number that @text is; 0 when it is none. */
uint64_t fit_resource_number(const char *text);

#endif
