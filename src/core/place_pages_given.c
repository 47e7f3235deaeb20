/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages whose size the definition says: they stay, and the host must have them. */
#include "core/place.h"

#include "base/memory.h"
#include "base/text.h"
#include "core/target.h"

/* The definition may also exclude huge pages: anonymous or on-demand memory cannot have them. */
bool fit_place_pages_are_kept(const struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;

	return fit_intent_keeps(&planner->profile->memory.intent) &&
	       (domain->has_hugepages || domain->backing_excludes_hugepages);
}

bool fit_host_has_page_size(const struct fit_host *host, uint64_t page_kib)
{
	for (size_t i = 0; i < host->node_count; i++) {
		if (fit_node_has_page_size(&host->nodes[i], page_kib))
			return true;
	}
	return false;
}

/* As emission will leave it. */
static bool has_memfd(const struct fit_planner *planner)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	bool wanted = memory->memfd && fit_target_has(fit_planner_target(planner), planner->domain,
					       FIT_FEATURE_MEMFD, NULL);

	if (!wanted || (planner->domain->memory_source && fit_intent_keeps(&memory->intent)))
		return fit_domain_has_memfd(planner->domain);
	return true;
}

bool fit_place_pages_lack_hugetlbfs(const struct fit_planner *planner, uint64_t page_kib)
{
	return fit_hugetlbfs_lacks(&planner->host->hugetlbfs, page_kib, has_memfd(planner));
}

/* @what of the definition has pages of that size. */
static int check_given(
	struct fit_planner *planner, const char *what, uint64_t page_kib, const char *change)
{
	fit_autofree char *size = fit_format_size_kib(page_kib);
	fit_autofree char *complaint = NULL;

	if (page_kib && !fit_host_has_page_size(planner->host, page_kib))
		return fit_planner_refuse(planner,
			"%s of the definition wants pages of %s, which this host does not have; %s",
			what, size, change);
	if (!fit_place_pages_lack_hugetlbfs(planner, page_kib))
		return 0;
	complaint = fit_hugetlbfs_complaint(&planner->host->hugetlbfs, page_kib);
	return fit_planner_refuse(planner, "for %s of the definition %s", what, complaint);
}

int fit_place_pages_prepare(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;
	size_t count;
	fit_autofree struct fit_page_demand *demands = NULL;

	for (size_t i = 0; i < domain->memory_device_count; i++)
		if (domain->memory_devices[i].page_kib &&
			check_given(planner, "a memory device", domain->memory_devices[i].page_kib,
				"change its <pagesize>") < 0)
			return -1;
	if (!fit_place_pages_are_kept(planner))
		return 0;
	demands = fit_domain_page_demands(domain, &count);
	for (size_t i = 0; i < count; i++)
		if (check_given(planner, "<hugepages>", demands[i].page_kib,
			    "change it, or use a profile that replaces it (existing=\"replace\")") <
			0)
			return -1;
	return 0;
}
