/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is left of a host, by the rules of the planner: it prepares as for a domain that wants
 * nothing, and what it could choose from is counted. */
#include <stdlib.h>

#include "base/memory.h"
#include "core/packing.h"
#include "core/place.h"

static void count_cores(const struct fit_planner *planner, struct fit_left *left)
{
	const struct fit_host *host = planner->host;

	for (size_t i = 0; i < host->node_count; i++) {
		struct fit_left_node *node = FIT_APPEND(left->nodes, left->node_count);
		size_t count;
		const struct fit_core *cores =
			fit_planner_node_cores(planner, (int)host->nodes[i].id, &count);

		node->id = host->nodes[i].id;
		node->cores = count;
		for (size_t c = 0; c < count; c++) {
			if (!fit_core_is_free(planner, &cores[c]))
				continue;
			node->free_cores++;
			fit_cpuset_unite(&node->free_cpus, &cores[c].usable);
		}
	}
}

static void count_vfs(const struct fit_planner *planner, struct fit_left *left)
{
	for (size_t i = 0; i < planner->source_count; i++) {
		const struct fit_vf_source *source = &planner->sources[i];
		struct fit_left_pf *pf = FIT_APPEND(left->pfs, left->pf_count);

		pf->pf = source->pf;
		pf->free = source->offer_count;
		pf->exist = source->pf->vf_count > 0;
	}
}

static int compare_pfs(const void *a, const void *b)
{
	return fit_pciaddr_compare(((const struct fit_left_pf *)a)->pf->addr,
		((const struct fit_left_pf *)b)->pf->addr);
}

void fit_left_find(
	const struct fit_host *host, const struct fit_claims *claims, struct fit_left *ret_left)
{
	static const enum fit_vf_class classes[] = {FIT_VF_NETWORK, FIT_VF_NVME};
	char name[] = "";
	const struct fit_domain domain = {.name = name, .vcpus = 1};
	struct fit_left left = {0};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(classes); i++) {
		const struct fit_profile profile = {.vfs.class = classes[i]};
		const struct fit_plan_input input = {
			.host = host, .domain = &domain, .profile = &profile, .claims = claims};
		struct fit_plan plan = {0};
		struct fit_err err = FIT_ERR_INIT;
		struct fit_planner planner = {.input = &input,
			.host = host,
			.domain = &domain,
			.profile = &profile,
			.plan = &plan,
			.err = &err};

		fit_place_claims_prepare(&planner);
		fit_place_cores_prepare(&planner);
		if (i == 0)
			count_cores(&planner, &left);
		if (fit_place_devices_prepare(&planner) == 0)
			fit_place_vfs_find(&planner);
		count_vfs(&planner, &left);
		fit_planner_clear(&planner);
		fit_plan_clear(&plan);
	}
	if (left.pf_count)
		qsort(left.pfs, left.pf_count, sizeof(*left.pfs), compare_pfs);
	*ret_left = left;
}
