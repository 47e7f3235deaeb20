/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What would fit instead of a request that was refused. Nothing is guessed: each proposal has been
 * planned, and each number is the largest of which that is true, found by halving.
 *
 * First each thing that is lacking is tried alone: fewer vCPUs, less memory, fewer VFs, or a
 * setting of the profile. Where that is not enough, all of them together are made as small as they
 * can be, and then each as large as it can be again.
 */
#include "core/place.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

/* The input, changed: copies of domain and profile whose parts belong to the originals. */
struct trial {
	const struct fit_planner *refused;
	struct fit_plan_input input;
	struct fit_domain domain;
	struct fit_profile profile;
	uint64_t memory_unit; /* KiB */
	unsigned int vcpu_unit;
};

typedef void (*set_amount)(struct trial *trial, uint64_t amount);

static void start(struct trial *trial, const struct fit_planner *refused)
{
	const struct fit_intent_memory *memory = &refused->profile->memory;
	uint64_t unit = fit_place_pages_are_kept(refused) ? refused->domain->hugepage_kib : 0;

	*trial = (struct trial){
		.refused = refused,
		.input = *refused->input,
		.domain = *refused->domain,
		.profile = *refused->profile,
	};
	for (size_t i = 0; i < memory->page_size_count && !fit_place_pages_are_kept(refused); i++)
		if (memory->page_sizes[i] && (!unit || memory->page_sizes[i] < unit))
			unit = memory->page_sizes[i];
	trial->memory_unit = unit ? unit : 1024;
	trial->vcpu_unit =
		refused->wanted_threads ? refused->wanted_threads : refused->kept_threads;
	trial->vcpu_unit = trial->vcpu_unit ? trial->vcpu_unit : 1;
}

/* @ret_cores: that the vCPUs have, 0 where they have no core each; may be NULL. */
static bool fits(struct trial *trial, size_t *ret_cores)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_plan plan = {0};
	struct fit_cpuset cores = {0};

	trial->input.domain = &trial->domain;
	trial->input.profile = &trial->profile;
	trial->input.without_advice = true;
	if (fit_plan_make(&trial->input, &plan, &err) < 0)
		return false;
	for (size_t i = 0; i < plan.vcpu_count; i++) {
		int cpu = fit_cpuset_next(&plan.vcpus[i].cpus, 0);
		const struct fit_core *core = fit_planner_core_of(trial->refused, cpu);

		if (core)
			fit_cpuset_add(&cores, core->cpu);
	}
	if (ret_cores)
		*ret_cores = trial->profile.vcpus.place == FIT_PLACE_CORES &&
					     fit_cpuset_is_empty(&plan.pooled_vcpus)
				     ? fit_cpuset_count(&cores)
				     : 0;
	fit_plan_clear(&plan);
	return true;
}

/* The largest amount from @low to below @high that fits, to which the trial is set; 0: none. */
static uint64_t find_largest(struct trial *trial, set_amount set, uint64_t low, uint64_t high)
{
	if (low >= high)
		return 0;
	set(trial, low);
	if (!fits(trial, NULL))
		return 0;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		set(trial, middle);
		if (fits(trial, NULL))
			low = middle;
		else
			high = middle;
	}
	set(trial, low);
	return low;
}

static void set_vcpus(struct trial *trial, uint64_t units)
{
	unsigned int current = trial->refused->domain->vcpus_current;

	trial->domain.vcpus = (unsigned int)units * trial->vcpu_unit;
	trial->domain.vcpus_current = current < trial->domain.vcpus ? current : trial->domain.vcpus;
}

static void set_memory(struct trial *trial, uint64_t units)
{
	trial->domain.memory_kib = units * trial->memory_unit;
}

static void set_vfs(struct trial *trial, uint64_t count)
{
	trial->profile.vfs.count = (unsigned int)count - 1;
}

static void set_cells(struct trial *trial, uint64_t count)
{
	trial->profile.cells.count = (unsigned int)count;
}

static void set_cache(struct trial *trial, uint64_t kib)
{
	trial->profile.cachetune.size_kib = kib;
}

/* Amounts that are asked for, in units: they do not fit. */
static uint64_t wanted_vcpus(const struct trial *trial)
{
	return (trial->refused->domain->vcpus + trial->vcpu_unit - 1) / trial->vcpu_unit;
}

static uint64_t wanted_memory(const struct trial *trial)
{
	return fit_pages_for(trial->refused->domain->memory_kib, trial->memory_unit);
}

/* Without a VF counts as one. */
static uint64_t wanted_vfs(const struct trial *trial)
{
	return trial->refused->profile->vfs.count + 1ULL;
}

static char *describe_vcpus(struct trial *trial)
{
	size_t cores = 0;
	unsigned int vcpus = trial->domain.vcpus;

	if (!fits(trial, &cores) || !cores)
		return fit_xasprintf("%u vCPU%s", vcpus, fit_plural(vcpus));
	return fit_xasprintf(
		"%zu core%s (%u vCPU%s)", cores, fit_plural(cores), vcpus, fit_plural(vcpus));
}

static char *describe_memory(const struct trial *trial)
{
	fit_autofree char *size = fit_format_size_kib(trial->domain.memory_kib);

	return fit_xasprintf("%s of memory", size);
}

static char *describe_vfs(const struct trial *trial)
{
	unsigned int count = trial->profile.vfs.count;

	return count ? fit_xasprintf("%u VF%s", count, fit_plural(count)) : fit_xstrdup("no VF");
}

/* " (--param span=nodes)" where there is a parameter of that name. To be freed. */
static char *as_param(const struct trial *trial, const char *name, const char *value)
{
	for (size_t i = 0; i < trial->profile.param_count; i++)
		if (fit_streq(trial->profile.params[i].name, name))
			return fit_xasprintf(" (--param %s=%s)", name, value);
	return fit_xstrdup("");
}

static void propose_vcpus(
	const struct fit_planner *refused, struct fit_strlist *proposals, uint64_t *ret_units)
{
	fit_autofree char *text = NULL;
	struct trial trial;

	start(&trial, refused);
	*ret_units = find_largest(&trial, set_vcpus, 1, wanted_vcpus(&trial));
	if (!*ret_units)
		return;
	text = describe_vcpus(&trial);
	fit_strlist_add(proposals, text);
}

/* All of it on several nodes, or more than the @units on one. */
static void propose_span(
	const struct fit_planner *refused, struct fit_strlist *proposals, uint64_t units)
{
	fit_autofree char *param = NULL;
	fit_autofree char *text = NULL;
	struct trial trial;

	if (refused->profile->vcpus.span_nodes || refused->host->node_count < 2)
		return;
	start(&trial, refused);
	trial.profile.vcpus.span_nodes = true;
	param = as_param(&trial, "span", "nodes");
	if (fits(&trial, NULL)) {
		fit_strlist_addf(proposals, "vcpus span=\"nodes\"%s", param);
		return;
	}
	if (!units || !find_largest(&trial, set_vcpus, units + 1, wanted_vcpus(&trial)))
		return;
	text = describe_vcpus(&trial);
	fit_strlist_addf(proposals, "%s with vcpus span=\"nodes\"%s", text, param);
}

static void propose_shared(const struct fit_planner *refused, struct fit_strlist *proposals)
{
	fit_autofree char *param = NULL;
	struct trial trial;

	if (refused->profile->vcpus.shared || refused->vcpus_place != FIT_PLACE_CORES)
		return;
	start(&trial, refused);
	trial.profile.vcpus.shared = true;
	param = as_param(&trial, "shared", "yes");
	if (fits(&trial, NULL))
		fit_strlist_addf(proposals, "vcpus shared=\"yes\"%s", param);
}

static void propose_memory(const struct fit_planner *refused, struct fit_strlist *proposals)
{
	fit_autofree char *text = NULL;
	struct trial trial;

	start(&trial, refused);
	if (refused->domain->cell_count ||
		!find_largest(&trial, set_memory, 1, wanted_memory(&trial)))
		return;
	text = describe_memory(&trial);
	fit_strlist_add(proposals, text);
}

static void propose_normal_pages(const struct fit_planner *refused, struct fit_strlist *proposals)
{
	const struct fit_intent_memory *memory = &refused->profile->memory;
	fit_autofree uint64_t *sizes = fit_xcalloc(memory->page_size_count + 1, sizeof(*sizes));
	fit_autofree char *param = NULL;
	struct trial trial;

	start(&trial, refused);
	for (size_t i = 0; i < memory->page_size_count; i++)
		sizes[i] = memory->page_sizes[i];
	trial.profile.memory.page_sizes = sizes;
	trial.profile.memory.page_size_count++;
	param = as_param(&trial, "pages", "none");
	if (fits(&trial, NULL))
		fit_strlist_addf(proposals,
			"normal pages: \"none\" as the last of the profile's page sizes%s", param);
}

static void propose_vfs(const struct fit_planner *refused, struct fit_strlist *proposals)
{
	fit_autofree char *text = NULL;
	struct trial trial;

	start(&trial, refused);
	if (!find_largest(&trial, set_vfs, 1, wanted_vfs(&trial)))
		return;
	text = describe_vfs(&trial);
	fit_strlist_add(proposals, text);
}

static void propose_cells(const struct fit_planner *refused, struct fit_strlist *proposals)
{
	unsigned int wanted = refused->profile->cells.count;
	struct trial trial;
	uint64_t count;

	start(&trial, refused);
	count = find_largest(&trial, set_cells, 1, wanted);
	if (count)
		fit_strlist_addf(proposals, "%llu guest NUMA cell%s", (unsigned long long)count,
			fit_plural(count));
	set_cells(&trial, FIT_CELLS_AUTO);
	if (wanted != FIT_CELLS_AUTO && fits(&trial, NULL))
		fit_strlist_add(proposals, "cells count=\"auto\"");
}

static void propose_cache(const struct fit_planner *refused, struct fit_strlist *proposals)
{
	fit_autofree char *size = NULL;
	struct trial trial;
	uint64_t kib;

	start(&trial, refused);
	kib = find_largest(&trial, set_cache, 1, refused->profile->cachetune.size_kib);
	size = fit_format_size_kib(kib);
	if (kib)
		fit_strlist_addf(proposals, "%s of L3 cache", size);
}

/* Less of all that the plan has to find room for, as far as that must be: "4 cores (8 vCPUs) with 2
 * GiB of memory and no VF". */
static void propose_all(const struct fit_planner *refused, struct fit_strlist *proposals)
{
	bool has_memory = refused->profile->memory.intent.set && !refused->domain->cell_count;
	bool has_vfs = refused->profile->vfs.intent.set && refused->profile->vfs.count;
	fit_autofree char *vcpus = NULL;
	fit_autofree char *memory = NULL;
	fit_autofree char *vfs = NULL;
	struct trial trial;

	start(&trial, refused);
	set_vcpus(&trial, 1);
	if (has_memory)
		set_memory(&trial, 1);
	if (has_vfs)
		set_vfs(&trial, 1);
	if (!fits(&trial, NULL))
		return;
	find_largest(&trial, set_vcpus, 1, wanted_vcpus(&trial) + 1);
	if (has_memory)
		find_largest(&trial, set_memory, 1, wanted_memory(&trial) + 1);
	if (has_vfs)
		find_largest(&trial, set_vfs, 1, wanted_vfs(&trial) + 1);
	has_memory &= trial.domain.memory_kib < refused->domain->memory_kib;
	has_vfs &= trial.profile.vfs.count < refused->profile->vfs.count;
	vcpus = describe_vcpus(&trial);
	memory = has_memory ? describe_memory(&trial) : NULL;
	vfs = has_vfs ? describe_vfs(&trial) : NULL;
	fit_strlist_addf(proposals, "%s%s%s%s%s", vcpus, memory || vfs ? " with " : "",
		memory ? memory : "", memory && vfs ? " and " : "", vfs ? vfs : "");
}

void fit_place_advise(const struct fit_planner *refused)
{
	fit_autostrlist struct fit_strlist proposals = {0};
	fit_autofree char *text = NULL;
	unsigned int lacks = refused->lacks;
	uint64_t units = 0;

	if (!lacks || refused->input->without_advice)
		return;
	if (lacks & FIT_LACKS_CORES)
		propose_vcpus(refused, &proposals, &units);
	if (lacks & FIT_LACKS_MEMORY) {
		propose_memory(refused, &proposals);
		propose_normal_pages(refused, &proposals);
	}
	if (lacks & (FIT_LACKS_CORES | FIT_LACKS_MEMORY))
		propose_span(refused, &proposals, units);
	if (lacks & FIT_LACKS_CORES)
		propose_shared(refused, &proposals);
	if (lacks & FIT_LACKS_VFS)
		propose_vfs(refused, &proposals);
	if (lacks & FIT_LACKS_CELLS)
		propose_cells(refused, &proposals);
	if (lacks & FIT_LACKS_CACHE)
		propose_cache(refused, &proposals);
	if (!proposals.count)
		propose_all(refused, &proposals);
	text = fit_strlist_join(&proposals, ", or ");
	if (proposals.count)
		fit_err_append(refused->err, "\n  would fit: %s", text);
	else
		fit_err_append(refused->err, "\n  nothing smaller would fit either");
}
