/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The refusal for want of cores: what was wanted, what is free on each node, who holds the rest.
 */
#include "core/place.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

#define HOLDERS_MAX 8

struct node_room {
	size_t cores; /* free ones of the kind the node has most of */
	size_t vcpus; /* they can take */
};

/* How many vCPUs the core can take. */
static size_t vcpus_of(const struct fit_planner *planner, const struct fit_core *core)
{
	unsigned int wanted = planner->wanted_threads;

	if (!wanted)
		return core->threads;
	return core->threads >= wanted ? wanted : 0;
}

static struct node_room room_of(const struct fit_planner *planner, unsigned int node)
{
	struct node_room kinds[2] = {{0}};

	for (size_t i = 0; i < planner->core_count; i++) {
		const struct fit_core *core = &planner->cores[i];

		if (core->node != (int)node || !fit_core_is_free(planner, core))
			continue;
		kinds[core->efficiency].cores++;
		kinds[core->efficiency].vcpus += vcpus_of(planner, core);
	}
	return kinds[kinds[1].vcpus > kinds[0].vcpus];
}

static void add_holders(
	const struct fit_planner *planner, const struct fit_node *node, struct fit_buffer *text)
{
	size_t named = 0;
	size_t more = 0;

	for (size_t i = 0; i < planner->claim_count; i++) {
		const struct fit_claim *claim = planner->claims[i];
		size_t cores = 0;

		for (size_t c = 0; c < planner->core_count; c++)
			cores += planner->cores[c].node == (int)node->id &&
				 fit_cpuset_intersects(&planner->cores[c].cpus, &claim->cpus);
		if (!cores)
			continue;
		if (named++ >= HOLDERS_MAX)
			more++;
		else
			fit_buffer_addf(text, "\n  %s (%s) %s %zu core%s of node %u", claim->name,
				fit_claim_state(claim), claim->running ? "holds" : "is defined on",
				cores, fit_plural(cores), node->id);
	}
	if (more)
		fit_buffer_addf(
			text, "\n  %zu more domain%s on node %u", more, fit_plural(more), node->id);
}

static void add_limits(const struct fit_planner *planner, struct fit_buffer *text)
{
	fit_autofree char *housekeeping = fit_cpuset_describe(&planner->plan->housekeeping, "CPU");

	fit_buffer_addf(text, "\n  %s: housekeeping%s%s", housekeeping,
		planner->host->housekeeping_source ? " by " : "",
		planner->host->housekeeping_source ? planner->host->housekeeping_source : "");
	if (planner->host->limited_by) {
		fit_autofree char *online = fit_cpuset_describe(&planner->host->online, "CPU");

		fit_buffer_addf(
			text, "\n  only %s may be used, by %s", online, planner->host->limited_by);
	}
	if (planner->has_efficiency)
		fit_buffer_add(text, "\n  performance and efficiency cores are not mixed");
}

static bool is_limited(const struct fit_planner *planner)
{
	return !fit_cpuset_equal(&planner->allowed, &planner->host->online);
}

/* Before how much is free, which is of what the definition allows. */
static void add_allowed(const struct fit_planner *planner, struct fit_buffer *text)
{
	fit_autofree char *allowed = fit_cpuset_is_empty(&planner->allowed)
					     ? fit_xstrdup("no CPU that is online")
					     : fit_cpuset_describe(&planner->allowed, "CPU");

	if (is_limited(planner))
		fit_buffer_addf(text,
			"but <vcpu cpuset=> of the definition allows only %s, of whose cores ",
			allowed);
}

/* "5 are free on node 0, 6 are free on each of nodes 1-3": nodes with as many free cores together.
 */
static void add_rooms(const struct fit_planner *planner, struct fit_buffer *text)
{
	const struct fit_host *host = planner->host;
	struct fit_cpuset told = {0};

	for (size_t i = 0; i < host->node_count; i++) {
		size_t cores = room_of(planner, host->nodes[i].id).cores;
		fit_autofree char *nodes = NULL;
		struct fit_cpuset alike = {0};

		if (fit_cpuset_is_empty(&host->nodes[i].cpus) ||
			fit_cpuset_contains(&told, host->nodes[i].id))
			continue;
		for (size_t j = i; j < host->node_count; j++) {
			if (!fit_cpuset_is_empty(&host->nodes[j].cpus) &&
				room_of(planner, host->nodes[j].id).cores == cores)
				fit_cpuset_add(&alike, host->nodes[j].id);
		}
		nodes = fit_cpuset_describe(&alike, "node");
		fit_buffer_addf(text, "%s%zu %s free on %s%s",
			fit_cpuset_is_empty(&told) ? "" : ", ", cores, cores == 1 ? "is" : "are",
			fit_cpuset_count(&alike) > 1 ? "each of " : "", nodes);
		fit_cpuset_unite(&told, &alike);
	}
	if (fit_cpuset_is_empty(&told))
		fit_buffer_add(text, "this host has no node with CPUs");
}

int fit_place_refuse_cores(struct fit_planner *planner)
{
	const struct fit_host *host = planner->host;
	fit_autobuffer struct fit_buffer text = {0};
	fit_autobuffer struct fit_buffer details = {0};
	unsigned int threads =
		planner->wanted_threads ? planner->wanted_threads : fit_host_threads_per_core(host);
	size_t wanted = (planner->open_vcpus + threads - 1) / threads;
	bool one_node = host->node_count > 1 && !planner->profile->vcpus.span_nodes;

	fit_buffer_addf(&text, "%zu whole core%s wanted%s for %u vCPU%s, ", wanted,
		fit_plural(wanted), one_node ? " on one node" : "", planner->open_vcpus,
		fit_plural(planner->open_vcpus));
	add_allowed(planner, &text);
	add_rooms(planner, &text);
	if (!fit_cpuset_is_empty(&planner->pooled))
		fit_buffer_addf(&details,
			"\n  %zu more vCPU%s, for which a CPU must be left that is neither "
			"isolated nor housekeeping's by policy",
			fit_cpuset_count(&planner->pooled),
			fit_cpuset_count(&planner->pooled) == 1 ? " floats" : "s float");
	for (size_t i = 0; i < host->node_count; i++) {
		if (!fit_cpuset_is_empty(&host->nodes[i].cpus))
			add_holders(planner, &host->nodes[i], &details);
	}
	add_limits(planner, &details);
	if (is_limited(planner))
		fit_buffer_add(&details, "\n  take cpuset= out of <vcpu>, or let it allow more");
	planner->lacks = FIT_LACKS_CORES;
	return fit_planner_refuse(planner, "%s%s", text.text, details.text);
}
