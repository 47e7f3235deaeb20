/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Huge pages of one size, per node. A domain's part is what is missing when it is prepared: pages
 * wanted minus free ones that no other domain has been promised and not taken yet.
 * The kernel gives what it can and says nothing when that is less, so the pool is read back.
 *
 * A pool can always shrink: pages in use turn into surplus, which the kernel frees when their user
 * ends, and takes back into the pool when it grows. Surplus pages are included in nr_hugepages; the
 * value that was asked for is nr_hugepages - surplus_hugepages.
 */
#include "sys/wanted.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/limited.h"
#include "sys/meminfo.h"
#include "sys/paths.h"
#include "sys/resource_kinds.h"

#define TRIES	     3
#define GIGANTIC_KIB (1024ULL * 1024)

struct pool {
	char *path;	    /* of nr_hugepages */
	uint64_t available; /* free and not promised to anybody */
	uint64_t room;	    /* pages that fit into the node's free memory */
	uint64_t taken;	    /* pages of `available` this domain will use */
	uint64_t added;
};

struct pools {
	struct pool *items;
	size_t count;
};

static void clear_pools(struct pools *pools)
{
	for (size_t i = 0; i < pools->count; i++)
		free(pools->items[i].path);
	free(pools->items);
}

/* Pages that prepared domains have been promised and not taken yet. */
static uint64_t promised(const struct fit_expansion *expansion, const char *path)
{
	const struct fit_state *state = expansion->state;
	uint64_t pages = 0;

	for (size_t i = 0; i < state->journal_count; i++) {
		const struct fit_journal *other = &state->journals[i];

		if (other->stage != FIT_STAGE_PREPARED ||
			fit_streq(other->uuid, expansion->journal->uuid))
			continue;
		for (size_t j = 0; j < other->claim_count; j++) {
			uint64_t added, wanted;

			if (!fit_streq(other->claims[j].path, path))
				continue;
			fit_pages_contribution_read(other->claims[j].contribution, &added, &wanted);
			pages += wanted;
		}
	}
	return pages;
}

static int refuse_size(const struct fit_fsroot *root, const char *directory, const char *where,
	uint64_t page_kib, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist names = {0};
	fit_autostrlist struct fit_strlist sizes = {0};
	fit_autofree char *size = fit_format_size_kib(page_kib);
	fit_autofree char *list = NULL;

	/* No directory: no sizes. */
	(void)fit_fsroot_list(root, directory, &names, NULL);
	for (size_t i = 0; i < names.count; i++) {
		const char *text = names.items[i];
		fit_autofree char *offered = NULL;
		uint64_t kib;

		if (!fit_starts_with(text, "hugepages-"))
			continue;
		text += strlen("hugepages-");
		if (!fit_scan_uint(&text, UINT64_MAX, &kib))
			continue;
		offered = fit_format_size_kib(kib);
		fit_strlist_add(&sizes, offered);
	}
	list = fit_strlist_join(&sizes, ", ");
	return fit_err_set(err, FIT_ERR_REFUSED, "%s has no pages of %s; sizes there: %s", where,
		size, sizes.count ? list : "none");
}

/* What this domain's operations before have of the pool: two of its guest cells can meet there. */
static void claimed_before(const struct fit_expansion *expansion, const char *path,
	uint64_t *ret_added, uint64_t *ret_taken)
{
	*ret_added = *ret_taken = 0;
	for (size_t i = 0; i < expansion->wanted.count; i++)
		if (fit_streq(expansion->wanted.items[i].path, path))
			fit_pages_contribution_read(
				expansion->wanted.items[i].contribution, ret_added, ret_taken);
}

/* @directory holds one subdirectory per page size. */
static int add_pool(const struct fit_expansion *expansion, struct pools *pools,
	const char *directory, const char *where, const char *memory, uint64_t page_kib,
	struct fit_err *err)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autofree char *path = fit_xasprintf(
		"%s/hugepages-%llukB/nr_hugepages", directory, (unsigned long long)page_kib);
	fit_autofree char *free_path = fit_sibling_path(path, "free_hugepages");
	uint64_t others = promised(expansion, path);
	struct pool pool = {0};
	uint64_t added, taken, free_kib;
	int64_t free_pages;

	if (!fit_fsroot_exists(root, path))
		return refuse_size(root, directory, where, page_kib, err);
	if (!fit_fsroot_try_read_int(root, free_path, &free_pages) || free_pages < 0)
		free_pages = 0;
	claimed_before(expansion, path, &added, &taken);
	others += taken - added;
	/* More promised than free: one of them is taking its pages right now. */
	if ((uint64_t)free_pages > others)
		pool.available = (uint64_t)free_pages - others;
	pool.room = fit_meminfo_read(root, memory, "MemFree:", &free_kib) ? free_kib / page_kib
									  : UINT64_MAX;
	if (pool.room != UINT64_MAX)
		pool.room -= added < pool.room ? added : pool.room;
	pool.path = FIT_STEAL(path);
	*FIT_APPEND(pools->items, pools->count) = pool;
	return 0;
}

static int add_node(const struct fit_expansion *expansion, struct pools *pools, unsigned int node,
	uint64_t page_kib, struct fit_err *err)
{
	fit_autofree char *directory = fit_xasprintf(FIT_PATH_NODE "/node%u/hugepages", node);
	fit_autofree char *memory = fit_xasprintf(FIT_PATH_NODE "/node%u/meminfo", node);
	fit_autofree char *where = fit_xasprintf("node %u", node);

	return add_pool(expansion, pools, directory, where, memory, page_kib, err);
}

/* All nodes that have memory; empty on a host without node directory. */
static struct fit_cpuset memory_nodes(const struct fit_fsroot *root)
{
	static const char *const files[] = {FIT_PATH_NODE "/has_memory", FIT_PATH_NODE_ONLINE};
	struct fit_cpuset nodes = {0};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(files); i++) {
		fit_autofree char *text = fit_fsroot_try_read(root, files[i]);

		if (text && fit_cpuset_parse_list(text, &nodes, NULL) == 0)
			break;
	}
	return nodes;
}

static int find_pools(const struct fit_expansion *expansion, const struct fit_op *op,
	uint64_t page_kib, struct pools *pools, struct fit_err *err)
{
	const struct fit_fsroot *root = expansion->state->root;
	struct fit_cpuset nodes = memory_nodes(root);

	if (fit_cpuset_is_empty(&nodes))
		return add_pool(expansion, pools, FIT_PATH_HUGEPAGES, "the host", FIT_PATH_MEMINFO,
			page_kib, err);
	if (!fit_cpuset_is_empty(&op->nodes))
		nodes = op->nodes;
	fit_cpuset_for_each (node, &nodes) {
		if (add_node(expansion, pools, (unsigned int)node, page_kib, err) < 0)
			return -1;
	}
	return 0;
}

/* The nodes that the operation does not name: some may not have pages of the size. */
static void find_other_pools(const struct fit_expansion *expansion, const struct fit_op *op,
	uint64_t page_kib, struct pools *pools)
{
	struct fit_cpuset nodes = memory_nodes(expansion->state->root);

	fit_cpuset_subtract(&nodes, &op->nodes);
	fit_cpuset_for_each (node, &nodes)
		(void)add_node(expansion, pools, (unsigned int)node, page_kib, NULL);
}

/* Free pages first, then new ones evenly over the nodes as far as their free memory goes. Looks at
 * the pools from @first on. Returns how many do not fit anywhere. */
static uint64_t share_out(struct pools *pools, size_t first, uint64_t missing)
{
	for (size_t i = first; i < pools->count && missing; i++) {
		struct pool *pool = &pools->items[i];

		pool->taken = missing < pool->available ? missing : pool->available;
		missing -= pool->taken;
	}
	for (size_t i = first; i < pools->count && missing; i++) {
		struct pool *pool = &pools->items[i];
		uint64_t nodes_left = pools->count - i;
		uint64_t share = (missing + nodes_left - 1) / nodes_left;
		uint64_t more = share < pool->room ? share : pool->room;

		pool->taken += more;
		pool->added += more;
		missing -= more;
	}
	return missing;
}

/* What makes sure of pages of this size. To be freed. */
static char *boot_options(uint64_t page_kib)
{
	fit_autofree char *size = fit_format_size_option(page_kib);

	return fit_xasprintf("reserve them at boot (kernel command line: hugepagesz=%s "
			     "hugepages=N)",
		size);
}

/* For small pages the kernel can free memory that is in use as cache; for a whole GiB it only
 * searches, for long. */
static int refuse_gigantic(const struct fit_op *op, uint64_t page_kib, uint64_t wanted,
	uint64_t missing, struct fit_err *err)
{
	fit_autofree char *size = fit_format_size_kib(page_kib);
	fit_autofree char *nodes = fit_cpuset_describe(&op->nodes, "node");
	fit_autofree char *options = boot_options(page_kib);
	bool bound = !fit_cpuset_is_empty(&op->nodes) && !op->nodes_preferred;

	return fit_err_set(err, FIT_ERR_REFUSED,
		"%llu pages of %s wanted%s%s, but there are free pages and free memory for %llu: "
		"free some memory, or %s",
		(unsigned long long)wanted, size, bound ? " on " : "", bound ? nodes : "",
		(unsigned long long)(wanted - missing), options);
}

int fit_pages_expand(struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err)
{
	FIT_CLEANUP(clear_pools) struct pools pools = {0};
	uint64_t page_kib = op->page_kib;
	uint64_t wanted = op->pages;
	size_t named;
	uint64_t missing;

	if (!page_kib && (!fit_meminfo_read(expansion->state->root, FIT_PATH_MEMINFO,
				  "Hugepagesize:", &page_kib) ||
				 !page_kib))
		return fit_err_set(err, FIT_ERR_REFUSED,
			"huge pages are wanted, but this host has none (no Hugepagesize in "
			"/" FIT_PATH_MEMINFO ")");
	if (!wanted)
		wanted = (op->memory_kib + page_kib - 1) / page_kib;
	if (find_pools(expansion, op, page_kib, &pools, err) < 0)
		return -1;
	named = pools.count;
	missing = share_out(&pools, 0, wanted);
	if (missing && op->nodes_preferred) {
		find_other_pools(expansion, op, page_kib, &pools);
		missing = share_out(&pools, named, missing);
	}
	if (missing && page_kib >= GIGANTIC_KIB)
		return refuse_gigantic(op, page_kib, wanted, missing, err);
	/* The answer of the first node says how much is missing. */
	pools.items[0].taken += missing;
	pools.items[0].added += missing;
	for (size_t i = 0; i < pools.count; i++) {
		struct pool *pool = &pools.items[i];
		uint64_t added, taken;

		claimed_before(expansion, pool->path, &added, &taken);
		fit_wanted_set(&expansion->wanted, FIT_RESOURCE_PAGES, op, FIT_STEAL(pool->path),
			fit_pages_contribution(pool->added + added, pool->taken + taken));
	}
	return 0;
}

char *fit_pages_contribution(uint64_t added, uint64_t wanted)
{
	return fit_xasprintf("%llu/%llu", (unsigned long long)added, (unsigned long long)wanted);
}

void fit_pages_contribution_read(const char *text, uint64_t *ret_added, uint64_t *ret_wanted)
{
	*ret_added = 0;
	*ret_wanted = 0;
	if (fit_scan_uint(&text, UINT64_MAX / 2, ret_added) && *text == '/')
		*ret_wanted = fit_resource_number(text + 1);
}

static char *describe(enum fit_resource_kind kind FIT_UNUSED, const char *contribution)
{
	uint64_t added, wanted;

	fit_pages_contribution_read(contribution, &added, &wanted);
	return fit_xasprintf("%llu page%s, %llu of them added", (unsigned long long)wanted,
		fit_plural(wanted), (unsigned long long)added);
}

static char *sum(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online FIT_UNUSED)
{
	uint64_t value = fit_resource_number(baseline);

	for (size_t i = 0; i < contributions->count; i++) {
		uint64_t added, wanted;

		fit_pages_contribution_read(contributions->items[i], &added, &wanted);
		value += added;
	}
	return fit_xasprintf("%llu", (unsigned long long)value);
}

/* The size a pool was asked to have. */
static char *read_size(
	const struct fit_fsroot *root, enum fit_resource_kind kind FIT_UNUSED, const char *path)
{
	fit_autofree char *surplus_path = fit_sibling_path(path, "surplus_hugepages");
	fit_autofree char *text = fit_fsroot_try_read(root, path);
	int64_t surplus;
	uint64_t total;

	if (!text || !fit_fsroot_try_read_int(root, surplus_path, &surplus) || surplus <= 0)
		return FIT_STEAL(text);
	total = fit_resource_number(text);
	return fit_xasprintf("%llu",
		(unsigned long long)(total > (uint64_t)surplus ? total - (uint64_t)surplus : 0));
}

/* Of a pool's file, ".../hugepages-2048kB/nr_hugepages"; 0 of another. */
static uint64_t page_size_of(const char *path)
{
	static const char prefix[] = "/hugepages-";
	const char *size = strstr(path, prefix);
	uint64_t page_kib = 0;

	if (size)
		size += strlen(prefix);
	return size && fit_scan_uint(&size, UINT64_MAX, &page_kib) ? page_kib : 0;
}

static int write_size(const struct fit_state *state, enum fit_resource_kind kind, const char *path,
	const char *target, struct fit_err *err)
{
	uint64_t wanted = fit_resource_number(target);
	uint64_t before = 0;
	uint64_t now = 0;
	fit_autofree char *options = boot_options(page_size_of(path));

	/* A second write can get more: the kernel has moved pages together meanwhile. */
	for (int i = 0; i < TRIES; i++) {
		fit_autofree char *text = NULL;

		if (fit_fsroot_write(state->root, path, target, err) < 0)
			return -1;
		text = read_size(state->root, kind, path);
		now = text ? fit_resource_number(text) : 0;
		if (now == wanted)
			return 0;
		if ((i && now <= before) || fit_clock_passed(state->deadline))
			break;
		before = now;
	}
	if (fit_clock_passed(state->deadline))
		return fit_err_set(err, FIT_ERR_REFUSED,
			"/%s: %llu huge pages wanted in all, %llu got when the time for preparing "
			"the host was over: start the domain again, or %s",
			path, (unsigned long long)wanted, (unsigned long long)now, options);
	return fit_err_set(err, FIT_ERR_REFUSED,
		"/%s: %llu huge pages wanted in all, %llu got: memory is used or fragmented; free "
		"some, or %s",
		path, (unsigned long long)wanted, (unsigned long long)now, options);
}

/* It acts once, and there is nothing to restore. Of a host without nodes all memory. */
bool fit_pages_compact(const struct fit_state *state, const char *path, struct fit_strlist *notes)
{
	const char *pools = strstr(path, "/hugepages/");
	bool has_node = fit_starts_with(path, FIT_PATH_NODE "/") && pools;
	fit_autofree char *file = has_node
					  ? fit_xasprintf("%.*s/compact", (int)(pools - path), path)
					  : fit_xstrdup(FIT_PATH_COMPACT);
	struct fit_err problem = FIT_ERR_INIT;

	if (fit_clock_passed(state->deadline))
		return false;
	if (fit_limited_write(state->root, file, "1", state->deadline, &problem) < 0) {
		if (notes)
			fit_strlist_addf(notes, "memory cannot be compacted for huge pages: %s",
				problem.message);
		return false;
	}
	if (notes)
		fit_strlist_addf(notes, "memory was compacted for huge pages (/%s)", file);
	return true;
}

const struct fit_resource_ops fit_resource_pages = {
	.name = "pages",
	.equal = fit_resource_equal_numbers,
	.target = sum,
	.describe = describe,
	.read = read_size,
	.write = write_size,
};
