/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What won against what, where the parts have not said it while they chose: cores within their
 * nodes, QEMU's threads, memory nodes and page sizes, PFs, guest threads and buses, caches. A line
 * for each choice, and for each group of what was not chosen for the same reason.
 */
#include "core/place.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

#define LINES_MAX 12 /* of one kind */

/* A line about what lost by a number. */
static void reject(struct fit_planner *planner, const char *topic, char *subject,
	const char *criterion, uint64_t value, uint64_t chosen, const char *why)
{
	struct fit_reason *reason =
		fit_planner_reason(planner, FIT_REASON_REJECTION, topic, "%s: %s", subject, why);

	reason->subject = subject;
	reason->criterion = criterion;
	reason->has_values = true;
	reason->value = value;
	reason->chosen = chosen;
}

static void choose(struct fit_planner *planner, const char *topic, char *subject, const char *why)
{
	fit_planner_reason(planner, FIT_REASON_CHOICE, topic, "%s: %s", subject, why)->subject =
		subject;
}

/* The cores of one L3 cache on one node. */
struct group {
	unsigned int l3;
	struct fit_cpuset cpus; /* of those that could be had */
	size_t free;		/* without those that overlap, unless such ones were chosen */
	size_t used;
};

struct groups {
	struct group *items;
	size_t count;
	size_t wanted; /* cores chosen on the node */
	bool overlap;  /* some chosen cores are of shut-off domains or beside kept pins */
	bool previous; /* some had the vCPUs before */
};

static struct group *group_of(struct groups *groups, unsigned int l3)
{
	for (size_t i = groups->count; i > 0; i--)
		if (groups->items[i - 1].l3 == l3)
			return &groups->items[i - 1];
	FIT_APPEND(groups->items, groups->count)->l3 = l3;
	return &groups->items[groups->count - 1];
}

static void count_groups(const struct fit_planner *planner, const struct fit_candidate *candidate,
	unsigned int node, struct groups *groups)
{
	size_t count;
	const struct fit_core *cores = fit_planner_node_cores(planner, (int)node, &count);

	for (size_t i = 0; i < candidate->core_count; i++) {
		if (candidate->cores[i]->node != (int)node)
			continue;
		groups->wanted++;
		groups->overlap |= fit_core_overlaps(candidate->cores[i]);
		groups->previous |= candidate->cores[i]->previous;
		group_of(groups, candidate->cores[i]->l3)->used++;
	}
	for (size_t i = 0; i < count; i++) {
		struct group *group;

		if (!fit_core_suits(planner, candidate, &cores[i]) ||
			(!groups->overlap && fit_core_overlaps(&cores[i])))
			continue;
		group = group_of(groups, cores[i].l3);
		group->free++;
		fit_cpuset_unite(&group->cpus, &cores[i].usable);
	}
}

/* Free cores that the chosen groups keep. */
static size_t cores_left(const struct groups *groups)
{
	size_t left = 0;

	for (size_t i = 0; i < groups->count; i++)
		if (groups->items[i].used)
			left += groups->items[i].free > groups->items[i].used
					? groups->items[i].free - groups->items[i].used
					: 0;
	return left;
}

static void reject_group(
	struct fit_planner *planner, const struct groups *groups, const struct group *group)
{
	fit_autofree char *cpus = fit_cpuset_describe(&group->cpus, "CPU");
	char *subject = fit_xasprintf("%s of another L3 cache", cpus);
	size_t left = cores_left(groups);
	fit_autofree char *why = NULL;

	if (group->free < groups->wanted) {
		why = fit_xasprintf("%zu core%s free, %zu wanted", group->free,
			group->free == 1 ? " is" : "s are", groups->wanted);
		reject(planner, "cores", subject, "room", group->free, groups->wanted, why);
	} else if (groups->previous) {
		reject(planner, "cores", subject, "moved", 1, 0, "the vCPUs would move");
	} else if (group->free - groups->wanted > left) {
		why = fit_xasprintf("more free cores that share a cache would be broken up (%zu, "
				    "where they are %zu)",
			group->free - groups->wanted, left);
		reject(planner, "cores", subject, "l3-fragments", group->free - groups->wanted,
			left, why);
	} else {
		reject(planner, "cores", subject, "order", 1, 0,
			"no better, and others come first");
	}
}

static void explain_groups(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	size_t said = 0;

	fit_cpuset_for_each (node, &candidate->nodes) {
		struct groups groups = {0};

		count_groups(planner, candidate, (unsigned int)node, &groups);
		for (size_t i = 0; i < groups.count && said < LINES_MAX; i++) {
			if (groups.items[i].used)
				continue;
			reject_group(planner, &groups, &groups.items[i]);
			said++;
		}
		free(groups.items);
	}
}

/* Cores of the chosen nodes that others have. */
static void explain_holders(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	struct fit_cpuset here = {0};
	size_t said = 0;

	for (size_t i = 0; i < planner->core_count; i++)
		if (planner->cores[i].node >= 0 && fit_cpuset_contains(&candidate->nodes,
							   (unsigned int)planner->cores[i].node))
			fit_cpuset_unite(&here, &planner->cores[i].cpus);
	for (size_t i = 0; i < planner->claim_count && said < LINES_MAX; i++) {
		const struct fit_claim *claim = planner->claims[i];
		struct fit_cpuset held = claim->cpus;
		fit_autofree char *why = NULL;

		fit_cpuset_intersect(&held, &here);
		/* Those that are shared have a warning. */
		if (fit_cpuset_is_empty(&held) || fit_cpuset_intersects(&held, &candidate->cpus))
			continue;
		why = fit_xasprintf("%s (%s) %s", claim->name, fit_claim_state(claim),
			claim->running ? "has them"
				       : "is defined on them, and there is room beside");
		reject(planner, "cores", fit_cpuset_describe(&held, "CPU"), "holder", 1, 0, why);
		said++;
	}
}

static void explain_cores(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	const struct fit_cpuset *housekeeping = &planner->plan->housekeeping;

	if (planner->vcpus_kept || planner->vcpus_place != FIT_PLACE_CORES)
		return;
	if (!planner->host->housekeeping_source && !fit_cpuset_is_empty(housekeeping))
		choose(planner, "housekeeping", fit_cpuset_describe(housekeeping, "CPU"),
			"housekeeping, as the host's first core that is not isolated");
	explain_holders(planner, candidate);
	explain_groups(planner, candidate);
}

/* NULL: it is there for want of another place, which is warned of. */
static const char *why_place(
	const struct fit_planner *planner, enum fit_place place, const struct fit_cpuset *cpus)
{
	bool in_housekeeping = fit_cpuset_equal(cpus, &planner->plan->housekeeping);

	switch (place) {
	case FIT_PLACE_HOUSEKEEPING:
		return "housekeeping, as the profile says, where it takes no time from vCPUs";
	case FIT_PLACE_OWN_CORE:
		return in_housekeeping ? NULL
				       : "the nearest core to the vCPUs that is free beside them";
	case FIT_PLACE_VCPUS:
		return in_housekeeping ? NULL : "with the vCPUs, as the profile says";
	case FIT_PLACE_NODE:
		return in_housekeeping ? NULL : "what the vCPUs leave of their nodes";
	case FIT_PLACE_NONE:
	case FIT_PLACE_CORES:
		break;
	}
	return NULL;
}

static void explain_disk(struct fit_planner *planner, const struct fit_disk_iothread *disk)
{
	char *subject = disk->target ? fit_xasprintf("disk %s", disk->target)
				     : fit_xasprintf("SCSI controller %u", disk->controller);
	fit_autofree char *why =
		disk->iothread
			? fit_xasprintf("iothread %u, which has the fewest disks", disk->iothread)
			: fit_xstrdup("all iothreads, a queue at a time");

	choose(planner, "disks", subject, why);
}

static void explain_threads(struct fit_planner *planner)
{
	const struct fit_plan *plan = planner->plan;
	const char *why = why_place(planner, planner->profile->emulator.place, &plan->emulator);

	if (plan->has_emulator && why) {
		fit_autofree char *cpus = fit_cpuset_describe(&plan->emulator, "CPU");
		fit_autofree char *text = fit_xasprintf("%s: %s", cpus, why);

		choose(planner, "emulator", fit_xstrdup("the emulator"), text);
	}
	for (size_t i = 0; i < plan->iothread_count; i++) {
		const struct fit_thread_pin *thread = &plan->iothreads[i];
		fit_autofree char *cpus = fit_cpuset_describe(&thread->cpus, "CPU");
		fit_autofree char *text = NULL;

		if (fit_place_kept_iothread(planner, thread->id)) {
			fit_planner_reason(planner, FIT_REASON_KEPT, "iothreads",
				"the pin of iothread %u in the definition stays (%s)", thread->id,
				cpus);
			continue;
		}
		why = why_place(planner, planner->profile->iothreads.place, &thread->cpus);
		if (!why || fit_cpuset_is_empty(&thread->cpus))
			continue;
		text = fit_xasprintf("%s: %s", cpus, why);
		choose(planner, "iothreads", fit_xasprintf("iothread %u", thread->id), text);
	}
	for (size_t i = 0; i < plan->disk_iothread_count; i++)
		explain_disk(planner, &plan->disk_iothreads[i]);
}

/* Distance of the node's memory from the vCPUs, as the firmware tells it. */
static unsigned int distance_of(const struct fit_planner *planner,
	const struct fit_candidate *candidate, const struct fit_node *node)
{
	unsigned int best = UINT32_MAX;

	fit_cpuset_for_each (id, &candidate->nodes) {
		unsigned int distance =
			fit_host_distance(planner->host, (unsigned int)id, node->id);

		best = distance < best ? distance : best;
	}
	return best;
}

/* CPUs of @node that are online but not allowed. */
static struct fit_cpuset barred_cpus(const struct fit_host *host, const struct fit_node *node)
{
	struct fit_cpuset cpus = {0};

	fit_cpuset_for_each (id, &host->barred) {
		const struct fit_cpu *cpu = fit_host_cpu(host, (unsigned int)id);

		if (cpu && cpu->node == (int)node->id)
			fit_cpuset_add(&cpus, cpu->id);
	}
	return cpus;
}

/* Why memory is not from @node. To be freed. */
static char *why_not_node(const struct fit_planner *planner, const struct fit_candidate *candidate,
	const struct fit_node *node)
{
	struct fit_cpuset barred = barred_cpus(planner->host, node);

	if (!node->memory_kib)
		return fit_xstrdup("no memory");
	if (fit_cpuset_is_empty(&node->cpus) && !fit_cpuset_is_empty(&barred))
		return fit_xasprintf(
			"none of its CPUs is allowed, by %s: only by name (<numatune>)",
			planner->host->limited_by);
	if (fit_cpuset_is_empty(&node->cpus))
		return fit_xstrdup("no CPUs: slower memory, only by name (<numatune>)");
	return fit_xasprintf(
		"farther from the vCPUs (distance %u)", distance_of(planner, candidate, node));
}

static void reject_node(struct fit_planner *planner, const struct fit_candidate *candidate,
	const struct fit_node *node, char *subject, const char *why)
{
	if (node->memory_kib && !fit_cpuset_is_empty(&node->cpus))
		reject(planner, "memory", subject, "distance",
			distance_of(planner, candidate, node), 10, why);
	else
		reject(planner, "memory", subject, "kind", 1, 0, why);
}

static void explain_memory_nodes(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	const struct fit_host *host = planner->host;
	const struct fit_cpuset *chosen = &planner->plan->memory_nodes;
	fit_autostrlist struct fit_strlist whys = {0};
	struct fit_cpuset told = *chosen;

	if (!planner->plan->has_memory || fit_place_binding_is_kept(planner) ||
		fit_cpuset_is_empty(chosen))
		return;
	if (fit_cpuset_equal(chosen, &candidate->nodes))
		choose(planner, "memory", fit_cpuset_describe(chosen, "node"),
			"the memory is where the vCPUs are");
	for (size_t i = 0; i < host->node_count; i++) {
		fit_autofree char *why = why_not_node(planner, candidate, &host->nodes[i]);

		fit_strlist_add(&whys, why);
	}
	for (size_t i = 0, said = 0; i < host->node_count && said < LINES_MAX; i++) {
		struct fit_cpuset alike = {0};

		if (fit_cpuset_contains(&told, host->nodes[i].id))
			continue;
		for (size_t j = i; j < host->node_count; j++)
			if (!fit_cpuset_contains(&told, host->nodes[j].id) &&
				fit_streq(whys.items[i], whys.items[j]))
				fit_cpuset_add(&alike, host->nodes[j].id);
		fit_cpuset_unite(&told, &alike);
		reject_node(planner, candidate, &host->nodes[i],
			fit_cpuset_describe(&alike, "node"), whys.items[i]);
		said++;
	}
}

/* Sizes behind the smallest that was chosen were not looked at. */
static void explain_page_sizes(struct fit_planner *planner)
{
	const struct fit_intent_memory *memory = &planner->profile->memory;
	const struct fit_plan *plan = planner->plan;
	bool behind = false;

	if (!plan->has_memory || fit_place_pages_are_kept(planner) || plan->pages_differ ||
		!plan->page_kib)
		return;
	for (size_t i = 0; i < memory->page_size_count; i++) {
		fit_autofree char *size = fit_format_size_kib(memory->page_sizes[i]);
		char *subject;

		if (!behind) {
			behind = memory->page_sizes[i] == plan->page_kib;
			continue;
		}
		subject = memory->page_sizes[i] ? fit_xasprintf("pages of %s", size)
						: fit_xstrdup("normal pages");
		reject(planner, "memory", subject, "page-size", i, 0,
			"they come behind in the profile's list");
	}
}

static bool is_picked(const struct fit_candidate *candidate, const struct fit_vf_source *source)
{
	for (size_t i = 0; i < candidate->vf_count; i++)
		if (candidate->vfs[i].source == source)
			return true;
	return false;
}

/* What a PF's best VF costs, most important first, as place_vf_choice.c rates it. */
struct pf_cost {
	const char *criterion;
	const char *text;
	uint64_t value;
};

enum { PF_COSTS = 5 };

static void rate_pf(const struct fit_planner *planner, const struct fit_candidate *candidate,
	const struct fit_vf_source *source, const struct fit_vf_offer *offer,
	struct pf_cost costs[PF_COSTS])
{
	const struct pf_cost all[PF_COSTS] = {
		{"overlap", "shut-off domains are defined with its VFs", offer->defined != NULL},
		{"link", "it has no link", !source->linked},
		{"devices", "it is farther from the vCPUs",
			fit_nodes_distance(planner->host, &candidate->nodes, source->node)},
		{"vfs-to-create", "its VFs would have to be created, which interrupts its link",
			!offer->exists && !offer->previous},
		{"moved", "the domain has VFs of another", !offer->previous},
	};

	memcpy(costs, all, sizeof(all));
}

static void reject_pf(struct fit_planner *planner, const struct fit_candidate *candidate,
	const struct fit_vf_source *source, char *subject)
{
	const struct fit_vf_pick *pick = &candidate->vfs[0];
	struct pf_cost costs[PF_COSTS], chosen[PF_COSTS];
	fit_autofree char *why = NULL;

	if (source->offer_count < candidate->vf_count) {
		why = fit_xasprintf("%zu of its VFs can be had, %zu are wanted",
			source->offer_count, candidate->vf_count);
		reject(planner, "vf", subject, "room", source->offer_count, candidate->vf_count,
			why);
		return;
	}
	rate_pf(planner, candidate, source, &source->offers[candidate->vf_count - 1], costs);
	rate_pf(planner, candidate, pick->source, pick->offer, chosen);
	for (size_t i = 0; i < PF_COSTS; i++) {
		if (costs[i].value <= chosen[i].value)
			continue;
		reject(planner, "vf", subject, costs[i].criterion, costs[i].value, chosen[i].value,
			costs[i].text);
		return;
	}
	reject(planner, "vf", subject, "order", 1, 0, "no better, and others come first");
}

static const char *pf_name(const struct fit_pci_device *pf, char text[FIT_PCIADDR_TEXT])
{
	return pf->netdev_count ? pf->netdevs[0].name : fit_pciaddr_format(pf->addr, text);
}

static void explain_pfs(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	size_t said = 0;

	for (size_t i = 0; i < planner->source_count && candidate->vf_count; i++) {
		const struct fit_vf_source *source = &planner->sources[i];
		char text[FIT_PCIADDR_TEXT];
		char *subject = fit_xstrdup(pf_name(source->pf, text));
		fit_autofree char *why = NULL;

		if (is_picked(candidate, source)) {
			why = fit_xasprintf("%zu VF%s can be had, the lowest are taken%s%s",
				source->offer_count, fit_plural(source->offer_count),
				source->linked ? "; it has a link" : "",
				fit_nodes_distance(planner->host, &candidate->nodes, source->node)
					? ""
					: "; it is where the vCPUs are");
			choose(planner, "vf", subject, why);
		} else if (said < LINES_MAX) {
			reject_pf(planner, candidate, source, subject);
			said++;
		} else {
			free(subject);
		}
	}
}

static void explain_cpu(struct fit_planner *planner)
{
	const struct fit_plan *plan = planner->plan;
	const char *mode = fit_cpu_mode_name(plan->cpu_mode);

	if (mode && plan->cpu_mode == planner->profile->cpu.mode)
		choose(planner, "cpu", fit_xstrdup(mode), "the profile says so");
	if (plan->has_topology)
		choose(planner, "cpu",
			fit_xasprintf("%u thread%s for each guest core", plan->topology.threads,
				fit_plural(plan->topology.threads)),
			plan->topology.threads > 1
				? "neighbouring vCPUs are threads of one core of the host"
				: "no two vCPUs are threads of one core that the guest would see");
}

static void explain_place(
	struct fit_planner *planner, struct fit_pciaddr addr, const struct fit_guest_place *place)
{
	fit_autofree char *why = NULL;

	if (place->set)
		why = fit_xasprintf("on the guest's bus %u, slot %u, function %u", place->bus,
			place->slot, place->function);
	choose(planner, "bus", fit_xstrdup(FIT_PCIADDR_STR(addr)),
		why ? why
		    : "libvirt chooses the guest's slot: neither its node nor its functions ask "
		      "for one");
}

static void explain_buses(struct fit_planner *planner)
{
	const struct fit_plan *plan = planner->plan;

	for (size_t i = 0; i < plan->vf_count; i++)
		if (!plan->vfs[i].network)
			explain_place(planner, plan->vfs[i].vf, &plan->vfs[i].place);
	for (size_t i = 0; i < plan->device_count; i++)
		explain_place(planner, plan->devices[i].addr, &plan->devices[i].place);
}

static void explain_caches(struct fit_planner *planner)
{
	for (size_t i = 0; i < planner->plan->cache_count; i++) {
		const struct fit_planned_cache *cache = &planner->plan->caches[i];
		fit_autofree char *vcpus = fit_cpuset_describe(&cache->vcpus, "vCPU");
		fit_autofree char *why = fit_xasprintf("%s use it and no other", vcpus);

		choose(planner, cache->bytes ? "cachetune" : "memorytune",
			fit_xasprintf("a part of L3 cache %u", cache->id), why);
	}
}

void fit_place_why(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	explain_cores(planner, candidate);
	explain_cpu(planner);
	explain_threads(planner);
	explain_memory_nodes(planner, candidate);
	explain_page_sizes(planner);
	explain_pfs(planner, candidate);
	explain_buses(planner);
	explain_caches(planner);
}
