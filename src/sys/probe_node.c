/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NUMA nodes: one for each nodeN directory (only online nodes have one; ids have gaps, node 0 may
 * be missing, nodes may have no CPUs or no memory). A kernel without NUMA has no such directory;
 * then the whole machine is node 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/meminfo.h"
#include "sys/paths.h"
#include "sys/probe_parts.h"

#define DIRECTORY_MAX 128

static void read_memory(const struct fit_probe_run *run, const char *path, struct fit_node *node)
{
	fit_autofree char *meminfo = fit_fsroot_try_read(run->root, path);

	if (!meminfo)
		return;
	if (!fit_meminfo_find(meminfo, "MemTotal:", &node->memory_kib))
		node->memory_kib = 0;
	if (!fit_meminfo_find(meminfo, "MemFree:", &node->free_kib))
		node->free_kib = 0;
	if (node->free_kib > node->memory_kib) {
		fit_probe_warn(run, "%s: more memory is free than there is: taken as none", path);
		node->free_kib = 0;
	}
}

static int compare_pools(const void *a, const void *b)
{
	const struct fit_page_pool *left = a;
	const struct fit_page_pool *right = b;

	return (left->page_kib > right->page_kib) - (left->page_kib < right->page_kib);
}

static void add_pool(const struct fit_probe_run *run, const char *directory, uint64_t page_kib,
	struct fit_node *node)
{
	struct fit_page_pool *pool = FIT_APPEND(node->pools, node->pool_count);

	pool->page_kib = page_kib;
	pool->total = fit_probe_uint64(run, directory, "nr_hugepages");
	pool->free = fit_probe_uint64(run, directory, "free_hugepages");
	if (pool->free > pool->total || pool->total > UINT64_MAX / page_kib) {
		fit_probe_warn(run,
			"%s: %llu of %llu pages are free, which cannot be: taken as none",
			directory, (unsigned long long)pool->free, (unsigned long long)pool->total);
		pool->free = pool->total = 0;
	}
}

/* Directories "hugepages-2048kB". */
static void read_pools(const struct fit_probe_run *run, const char *path, struct fit_node *node)
{
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_list(run->root, path, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.items[i];
		const char *size = name + strlen("hugepages-");
		fit_autofree char *pool = fit_xasprintf("%s/%s", path, name);
		uint64_t page_kib;

		if (!fit_starts_with(name, "hugepages-") ||
			!fit_scan_uint(&size, UINT64_MAX, &page_kib) || !page_kib ||
			!fit_streq(size, "kB"))
			continue;
		add_pool(run, pool, page_kib, node);
	}
	if (node->pool_count)
		qsort(node->pools, node->pool_count, sizeof(*node->pools), compare_pools);
}

/* A row of the SLIT has an entry for each online node, in the order of their ids. */
static unsigned int *parse_distances(const char *text, const struct fit_host *host, size_t self)
{
	fit_autostrlist struct fit_strlist words = {0};
	fit_autofree unsigned int *distances = fit_xcalloc(host->node_count, sizeof(*distances));

	fit_strlist_split(&words, text, " \t");
	if (words.count != host->node_count)
		return NULL;
	for (size_t i = 0; i < words.count; i++) {
		uint64_t value;

		if (!fit_parse_uint(words.items[i], 255, &value))
			return NULL;
		distances[i] = (unsigned int)value;
	}
	for (size_t i = 0; i < words.count; i++)
		if (distances[i] < distances[self])
			return NULL;
	return FIT_STEAL(distances);
}

static void read_distances(const struct fit_probe_run *run, const char *directory, size_t self)
{
	struct fit_node *node = &run->host->nodes[self];
	fit_autofree char *text = fit_probe_text(run, directory, "distance");

	if (!text)
		return;
	node->distances = parse_distances(text, run->host, self);
	if (!node->distances)
		fit_probe_warn(run,
			"%s/distance: '%.80s' are not the distances of node %u to %zu nodes: "
			"ignored",
			directory, text, node->id, run->host->node_count);
}

/* The cpuN links of a node's directory: captures may have nothing else. */
static void read_links(
	const struct fit_probe_run *run, const char *directory, struct fit_cpuset *ret_cpus)
{
	fit_autostrlist struct fit_strlist names = {0};
	unsigned int cpu;

	*ret_cpus = (struct fit_cpuset){0};
	if (fit_fsroot_list(run->root, directory, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.count; i++)
		if (fit_probe_numbered(names.items[i], "cpu", FIT_CPUSET_MAX - 1, &cpu))
			fit_cpuset_add(ret_cpus, cpu);
}

/* The node's online CPUs that no other node has claimed. */
static void read_cpus(const struct fit_probe_run *run, const char *directory, struct fit_node *node,
	struct fit_cpuset *claimed)
{
	if (!fit_probe_cpuset(run, directory, "cpulist", "cpumap", &node->cpus))
		read_links(run, directory, &node->cpus);
	fit_cpuset_intersect(&node->cpus, &run->host->online);
	if (fit_cpuset_intersects(&node->cpus, claimed)) {
		fit_probe_warn(
			run, "node %u names CPUs that another node has: they stay there", node->id);
		fit_cpuset_subtract(&node->cpus, claimed);
	}
	fit_cpuset_unite(claimed, &node->cpus);
}

static void list_nodes(const struct fit_probe_run *run)
{
	struct fit_host *host = run->host;
	fit_autostrlist struct fit_strlist names = {0};
	unsigned int id;

	if (fit_fsroot_list(run->root, FIT_PATH_NODE, &names, NULL) < 0)
		return;
	/* Sorted by number, because fit_fsroot_list() sorts numbers as numbers. */
	for (size_t i = 0; i < names.count; i++)
		if (fit_probe_numbered(names.items[i], "node", FIT_CPUSET_MAX - 1, &id))
			*FIT_APPEND(host->nodes, host->node_count) = (struct fit_node){.id = id};
}

static void make_single_node(const struct fit_probe_run *run, bool with_memory)
{
	struct fit_host *host = run->host;
	struct fit_node *node = FIT_APPEND(host->nodes, host->node_count);

	node->cpus = host->online;
	if (with_memory) {
		read_memory(run, FIT_PATH_MEMINFO, node);
		read_pools(run, FIT_PATH_HUGEPAGES, node);
	}
}

void fit_probe_nodes(const struct fit_probe_run *run, bool with_memory)
{
	struct fit_host *host = run->host;
	struct fit_cpuset claimed = {0};

	list_nodes(run);
	for (size_t i = 0; i < host->node_count; i++) {
		struct fit_node *node = &host->nodes[i];
		char directory[DIRECTORY_MAX];
		char path[2 * DIRECTORY_MAX];

		snprintf(directory, sizeof(directory), FIT_PATH_NODE "/node%u", node->id);
		read_cpus(run, directory, node, &claimed);
		if (!with_memory)
			continue;
		snprintf(path, sizeof(path), "%s/meminfo", directory);
		read_memory(run, path, node);
		snprintf(path, sizeof(path), "%s/hugepages", directory);
		read_pools(run, path, node);
		read_distances(run, directory, i);
	}
	if (!host->node_count)
		make_single_node(run, with_memory);
	if (with_memory)
		host->hugetlbfs = fit_hugetlbfs_read(run->root);
	for (size_t i = 0; i < host->cpu_count; i++)
		for (size_t n = 0; n < host->node_count; n++)
			if (fit_cpuset_contains(&host->nodes[n].cpus, host->cpus[i].id))
				host->cpus[i].node = (int)host->nodes[n].id;
}
