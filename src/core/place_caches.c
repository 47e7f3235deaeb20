/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of the L3 caches and of the memory bandwidth, which libvirt gets from the kernel (resctrl)
 * when the domain starts. They are for groups of vCPUs: those that use the same caches. libvirt
 * takes cache only in whole pieces (one for each bit of the mask) that nobody else has, and refuses
 * groups that overlap, also those of <cachetune> with those of <memorytune>.
 */
#include "core/place.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/target.h"

#define PERCENT_MAX 100

struct group {
	struct fit_cpuset vcpus;
	struct fit_cpuset caches; /* indexes into the host's L3 caches */
};

struct groups {
	struct group *items;
	size_t count;
};

static struct fit_cpuset cpus_of(const struct fit_planner *planner, unsigned int vcpu)
{
	const struct fit_domain *domain = planner->domain;
	const struct fit_plan *plan = planner->plan;

	if (vcpu < plan->vcpu_count && !fit_cpuset_is_empty(&plan->vcpus[vcpu].cpus))
		return plan->vcpus[vcpu].cpus;
	for (size_t i = 0; i < domain->vcpu_pin_count; i++)
		if (domain->vcpu_pins[i].id == vcpu)
			return domain->vcpu_pins[i].cpus;
	return domain->has_vcpu_cpuset ? domain->vcpu_cpuset : planner->host->online;
}

static struct fit_cpuset caches_of(const struct fit_host *host, const struct fit_cpuset *cpus)
{
	struct fit_cpuset caches = {0};

	fit_cpuset_for_each (id, cpus) {
		const struct fit_cpu *cpu = fit_host_cpu(host, (unsigned int)id);

		if (cpu && cpu->l3 >= 0 && cpu->l3 < FIT_CPUSET_MAX)
			fit_cpuset_add(&caches, (unsigned int)cpu->l3);
	}
	return caches;
}

static struct group *find_group(struct groups *groups, const struct fit_cpuset *caches)
{
	struct group *group;

	for (size_t i = 0; i < groups->count; i++)
		if (fit_cpuset_equal(&groups->items[i].caches, caches))
			return &groups->items[i];
	group = FIT_APPEND(groups->items, groups->count);
	*group = (struct group){.caches = *caches};
	return group;
}

static void group_vcpus(const struct fit_planner *planner, struct groups *groups)
{
	struct fit_cpuset last = {0};
	struct fit_cpuset caches = {0};

	for (unsigned int i = 0; i < planner->domain->vcpus; i++) {
		const struct fit_cpuset cpus = cpus_of(planner, i);

		/* Floating ones all have the same. */
		if (i == 0 || !fit_cpuset_equal(&cpus, &last))
			caches = caches_of(planner->host, &cpus);
		fit_cpuset_add(&find_group(groups, &caches)->vcpus, i);
		last = cpus;
	}
}

/* Why the kernel cannot have these groups, of @limit; NULL: it can. To be freed. */
static char *groups_obstacle(
	const struct fit_host *host, const struct groups *groups, unsigned int limit)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->items[i];
		fit_autofree char *vcpus = fit_cpuset_describe(&group->vcpus, "vCPU");

		if (!host->l3_caches || fit_cpuset_is_empty(&group->caches))
			return fit_xasprintf("no L3 cache of %s is known", vcpus);
		fit_cpuset_for_each (index, &group->caches)
			if (host->l3_caches[index].id < 0 || !host->l3_caches[index].size_kib)
				return fit_xasprintf(
					"the kernel does not say number and size of the L3 cache of %s",
					vcpus);
	}
	if (groups->count >= limit)
		return fit_xasprintf(
			"it needs %zu group%s of vCPUs by the caches they use, and the kernel has "
			"%u besides its own",
			groups->count, fit_plural(groups->count), limit ? limit - 1 : 0);
	return NULL;
}

static char *cache_obstacle(const struct fit_planner *planner, const struct groups *groups)
{
	const struct fit_host *host = planner->host;
	enum fit_cache_type type = planner->profile->cachetune.type;
	const struct fit_cache_control *control = &host->l3_control[type];

	if (!control->bits && host->l3_control[FIT_CACHE_BOTH].bits)
		return fit_xstrdup("code and data share the parts of the caches on this host: "
				   "type=\"both\" (or resctrl mounted with cdp)");
	if (!control->bits && host->l3_control[FIT_CACHE_CODE].bits)
		return fit_xstrdup("code and data have parts of their own on this host (resctrl "
				   "is mounted with cdp): type=\"code\" or \"data\"");
	if (!control->bits)
		return fit_xstrdup("the host does not give out parts of its L3 caches: the CPU "
				   "cannot, or resctrl is not mounted");
	return groups_obstacle(host, groups, control->groups);
}

static char *bandwidth_obstacle(const struct fit_planner *planner, const struct groups *groups)
{
	const struct fit_bandwidth_control *control = &planner->host->bandwidth_control;

	if (!control->step)
		return fit_xstrdup("the host does not limit memory bandwidth: the CPU cannot, or "
				   "resctrl is not mounted");
	if (control->absolute)
		return fit_xstrdup("the host counts memory bandwidth as a rate, not in percent");
	return groups_obstacle(planner->host, groups, control->groups);
}

/* Sets of vCPUs of the definition that are others than the groups, and not apart from them. */
static bool overlaps(const struct groups *groups, const struct fit_strlist *lists)
{
	for (size_t i = 0; i < lists->count; i++) {
		struct fit_cpuset set;

		if (fit_cpuset_parse_list(lists->items[i], &set, NULL) < 0)
			return true;
		for (size_t j = 0; j < groups->count; j++)
			if (fit_cpuset_intersects(&set, &groups->items[j].vcpus) &&
				!fit_cpuset_equal(&set, &groups->items[j].vcpus))
				return true;
	}
	return false;
}

/* One of the two, of which both are alike. */
struct kind {
	const struct fit_intent *intent;
	bool wanted;
	bool missing_refuse;
	const char *topic; /* libvirt's element */
	const char *what;
	const struct fit_strlist *found; /* in the definition */
	enum fit_feature feature;
	char *(*obstacle)(const struct fit_planner *planner, const struct groups *groups);
};

static void leave_out(struct fit_planner *planner, enum fit_reason_kind reason,
	const struct kind *kind, const char *why)
{
	fit_planner_reason(planner, reason, kind->topic, "%s is left out: %s", kind->what, why);
}

/* 1 it is to be planned, 0 not, -1 with FIT_ERR_REFUSED. */
static int consider(
	struct fit_planner *planner, const struct kind *kind, const struct groups *groups)
{
	fit_autofree char *why = NULL;

	if (!kind->wanted)
		return 0;
	why = fit_xasprintf("cputune/%s[", kind->topic);
	if (fit_plan_is_covered(planner->input, why)) {
		fit_planner_reason(planner, FIT_REASON_NOTE, kind->topic,
			"%s is left out: the profile's <domain> has a <%s>", kind->what,
			kind->topic);
		return 0;
	}
	fit_xreplace(&why, NULL);
	if (kind->found->count && kind->intent->existing == FIT_EXISTING_KEEP) {
		fit_planner_reason(planner, FIT_REASON_KEPT, kind->topic,
			"<%s> of the definition stays as it is", kind->topic);
		return 0;
	}
	if (!fit_target_has(fit_planner_target(planner), planner->domain, kind->feature, &why)) {
		leave_out(planner, FIT_REASON_NOTE, kind, why);
		return 0;
	}
	why = kind->obstacle(planner, groups);
	if (!why)
		return 1;
	if (kind->missing_refuse)
		return fit_planner_refuse(planner, "%s cannot be had: %s", kind->what, why);
	leave_out(planner, FIT_REASON_WARNING, kind, why);
	return 0;
}

/* Does @kind go because the definition has the other for other groups, and that stays? 1 it does, 0
 * not, -1 with FIT_ERR_REFUSED. */
static int gives_way(struct fit_planner *planner, const struct kind *kind, const struct kind *other,
	const struct groups *groups)
{
	fit_autofree char *why = NULL;

	if (!overlaps(groups, other->found))
		return 0;
	why = fit_xasprintf("<%s> of the definition stays and is for other groups of vCPUs, which "
			    "libvirt does not let overlap",
		other->topic);
	if (kind->missing_refuse)
		return fit_planner_refuse(planner, "%s cannot be had: %s", kind->what, why);
	leave_out(planner, FIT_REASON_NOTE, kind, why);
	return 1;
}

static char *format_bytes(uint64_t bytes)
{
	return bytes % 1024 ? fit_xasprintf("%llu bytes", (unsigned long long)bytes)
			    : fit_format_size_kib(bytes / 1024);
}

/* Whole pieces of a cache, as many as hold what is wanted. */
static int size_part(struct fit_planner *planner, const struct fit_l3 *cache, uint64_t *ret_bytes,
	unsigned int *pieces_needed)
{
	const struct fit_intent_cachetune *wanted = &planner->profile->cachetune;
	const struct fit_cache_control *control = &planner->host->l3_control[wanted->type];
	uint64_t piece = cache->size_kib * 1024 / control->bits;
	uint64_t pieces = control->bits;
	fit_autofree char *size = fit_format_size_kib(wanted->size_kib);
	fit_autofree char *all = fit_format_size_kib(cache->size_kib);
	fit_autofree char *one = format_bytes(piece);
	fit_autofree char *most = format_bytes(piece * (control->bits - 1));

	if (wanted->size_kib < cache->size_kib)
		pieces = (wanted->size_kib * 1024 + piece - 1) / piece;
	if (pieces < control->min_bits)
		pieces = control->min_bits;
	planner->lacks = pieces >= control->bits ? FIT_LACKS_CACHE : 0;
	if (planner->lacks)
		return fit_planner_refuse(planner,
			"%s of L3 cache %d wanted (%s:%u), which has %s: at most %s can be had, in "
			"pieces of %s, because all others need a piece",
			size, cache->id, wanted->intent.file ? wanted->intent.file : "the profile",
			wanted->intent.line, all, most, one);
	*ret_bytes = pieces * piece;
	*pieces_needed += (unsigned int)pieces;
	if (*ret_bytes != wanted->size_kib * 1024) {
		fit_autofree char *given = format_bytes(*ret_bytes);

		fit_planner_reason(planner, FIT_REASON_CHOICE, "cachetune",
			"%s of L3 cache %d for the %s wanted: it is given out in pieces of %s, at "
			"least %u",
			given, cache->id, size, one, control->min_bits);
	}
	return 0;
}

/* libvirt looks for room when the domain starts, and a default group that has all of the cache
 * leaves none. */
static void warn_of_room(struct fit_planner *planner, const unsigned int *needed)
{
	const struct fit_host *host = planner->host;
	enum fit_cache_type type = planner->profile->cachetune.type;

	for (size_t i = 0; i < host->l3_count; i++) {
		const struct fit_l3 *cache = &host->l3_caches[i];

		if (needed[i] > cache->room[type])
			fit_planner_reason(planner, FIT_REASON_WARNING, "cachetune",
				"the domain will not start before the host's default group of "
				"resctrl gives up %u of the %u bits of L3 cache %d in its "
				"schemata: now %u are free",
				needed[i], host->l3_control[type].bits, cache->id,
				cache->room[type]);
	}
}

static unsigned int round_bandwidth(struct fit_planner *planner)
{
	const struct fit_bandwidth_control *control = &planner->host->bandwidth_control;
	unsigned int wanted = planner->profile->memorytune.bandwidth;
	unsigned int value = wanted > control->min ? wanted : control->min;

	value = (value + control->step - 1) / control->step * control->step;
	if (value > PERCENT_MAX)
		value = PERCENT_MAX - PERCENT_MAX % control->step;
	if (value != wanted)
		fit_planner_reason(planner, FIT_REASON_CHOICE, "memorytune",
			"%u percent of the memory bandwidth for the %u wanted: it goes in steps of "
			"%u, from %u on",
			value, wanted, control->step, control->min);
	return value;
}

static int compare_ids(const void *a, const void *b)
{
	const struct fit_planned_cache *left = a;
	const struct fit_planned_cache *right = b;

	return (left->id > right->id) - (left->id < right->id);
}

/* Each group in the order of its caches' numbers, as libvirt prints them. */
static int plan_caches(struct fit_planner *planner, const struct groups *groups, bool with_cache,
	bool with_bandwidth)
{
	const struct fit_host *host = planner->host;
	struct fit_plan *plan = planner->plan;
	fit_autofree unsigned int *needed = fit_xcalloc(host->l3_count, sizeof(*needed));
	unsigned int bandwidth = with_bandwidth ? round_bandwidth(planner) : 0;

	for (size_t i = 0; i < groups->count; i++) {
		size_t first = plan->cache_count;

		fit_cpuset_for_each (index, &groups->items[i].caches) {
			const struct fit_l3 *cache = &host->l3_caches[index];
			uint64_t bytes = 0;

			if (with_cache && size_part(planner, cache, &bytes, &needed[index]) < 0)
				return -1;
			*FIT_APPEND(plan->caches, plan->cache_count) = (struct fit_planned_cache){
				.vcpus = groups->items[i].vcpus,
				.id = (unsigned int)cache->id,
				.bytes = bytes,
				.bandwidth = bandwidth,
			};
		}
		qsort(&plan->caches[first], plan->cache_count - first, sizeof(*plan->caches),
			compare_ids);
	}
	if (with_cache)
		warn_of_room(planner, needed);
	return 0;
}

int fit_place_caches_commit(struct fit_planner *planner)
{
	const struct fit_intent_cachetune *cachetune = &planner->profile->cachetune;
	const struct fit_intent_memorytune *memorytune = &planner->profile->memorytune;
	const struct kind cache = {&cachetune->intent, cachetune->intent.set && cachetune->size_kib,
		cachetune->missing_refuse, "cachetune", "the part of the L3 cache",
		&planner->domain->cache_tunes, FIT_FEATURE_CACHE_TUNE, cache_obstacle};
	const struct kind memory = {&memorytune->intent,
		memorytune->intent.set && memorytune->bandwidth, memorytune->missing_refuse,
		"memorytune", "the limit of memory bandwidth", &planner->domain->memory_tunes,
		FIT_FEATURE_MEMORY_TUNE, bandwidth_obstacle};
	struct groups groups = {0};
	int with_cache, with_memory;
	int gone = 0;
	int result = -1;

	if (!cache.wanted && !memory.wanted)
		return 0;
	group_vcpus(planner, &groups);
	with_cache = consider(planner, &cache, &groups);
	with_memory = with_cache < 0 ? -1 : consider(planner, &memory, &groups);
	if (with_cache > 0 && with_memory == 0) {
		gone = gives_way(planner, &cache, &memory, &groups);
		with_cache = !gone;
	} else if (with_memory > 0 && with_cache == 0) {
		gone = gives_way(planner, &memory, &cache, &groups);
		with_memory = !gone;
	}
	if (gone >= 0 && with_cache >= 0 && with_memory >= 0)
		result = with_cache || with_memory
				 ? plan_caches(planner, &groups, with_cache, with_memory)
				 : 0;
	free(groups.items);
	return result;
}
