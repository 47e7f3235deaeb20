/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `plan --all` prints: a row for each domain, what stands in the way, and what is left. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/packing.h"
#include "cli/table.h"

/* Nodes of the CPUs. */
static struct fit_cpuset nodes_of(const struct fit_host *host, const struct fit_cpuset *cpus)
{
	struct fit_cpuset nodes = {0};

	for (size_t i = 0; i < host->node_count; i++)
		if (fit_cpuset_intersects(&host->nodes[i].cpus, cpus))
			fit_cpuset_add(&nodes, host->nodes[i].id);
	return nodes;
}

static char *list_or_dash(const struct fit_cpuset *set)
{
	return fit_cpuset_is_empty(set) ? fit_xstrdup("-") : fit_cpuset_format_list(set);
}

static char *describe_cpus(const struct fit_domain *domain)
{
	const struct fit_cpuset cpus = fit_domain_vcpu_cpus(domain);
	fit_autofree char *list = fit_cpuset_format_list(&cpus);

	if (fit_cpuset_is_empty(&cpus))
		return fit_xstrdup("any");
	return fit_xasprintf("%s%s", list, fit_domain_floats(domain) ? " shared" : "");
}

/* "16 GiB of 1 GiB, node 1" */
static char *describe_memory(const struct fit_domain *domain)
{
	const struct fit_cpuset nodes = fit_domain_memory_nodes(domain);
	fit_autofree char *size = fit_format_size_kib(domain->memory_kib);
	fit_autofree char *places = fit_cpuset_describe(&nodes, "node");
	fit_autobuffer struct fit_buffer text = {0};
	fit_autofree struct fit_page_demand *demands = NULL;
	size_t count;

	fit_buffer_add(&text, size);
	demands = fit_domain_page_demands(domain, &count);
	for (size_t i = 0; i < count; i++) {
		fit_autofree char *page = fit_format_size_kib(demands[i].page_kib);

		if (i == 0 || demands[i].page_kib != demands[i - 1].page_kib)
			fit_buffer_addf(&text, "%s%s", i ? " and " : " in pages of ",
				demands[i].page_kib ? page : "default size");
	}
	if (!fit_cpuset_is_empty(&nodes))
		fit_buffer_addf(&text, ", %s", places);
	return fit_buffer_steal(&text);
}

/* VFs that will be created are known by what they are used as. */
static bool is_vf(const struct fit_host *host, const struct fit_domain_hostdev *hostdev)
{
	const struct fit_pci_device *device = fit_host_pci(host, hostdev->source);

	return device ? device->is_vf : hostdev->is_interface || hostdev->ours;
}

static char *describe_devices(const struct fit_host *host, const struct fit_packed *packed)
{
	const struct fit_domain *domain = &packed->view;
	fit_autobuffer struct fit_buffer text = {0};
	size_t vfs = 0;

	for (size_t i = 0; i < domain->hostdev_count; i++)
		vfs += is_vf(host, &domain->hostdevs[i]);
	if (vfs < domain->hostdev_count)
		fit_buffer_addf(&text, "%zu device%s", domain->hostdev_count - vfs,
			fit_plural(domain->hostdev_count - vfs));
	for (size_t i = 0; i < packed->result.plan.vf_count; i++)
		vfs += packed->result.plan.vfs[i].network != NULL;
	if (vfs)
		fit_buffer_addf(&text, "%s%zu VF%s", text.length ? ", " : "", vfs, fit_plural(vfs));
	return text.length ? fit_buffer_steal(&text) : fit_xstrdup("-");
}

static void add_row(
	struct fit_table *table, const struct fit_host *host, const struct fit_packed *packed)
{
	const struct fit_cpuset cpus = fit_domain_vcpu_cpus(&packed->view);
	const struct fit_cpuset nodes = nodes_of(host, &cpus);
	bool placed = packed->state != FIT_PACKED_REFUSED;
	fit_autofree char *profiles = fit_strlist_join(&packed->profiles, " ");

	fit_table_add(table, fit_printable(packed->turn.name));
	fit_table_add(table, fit_xstrdup(fit_packed_state_name(packed)));
	fit_table_add(table, fit_printable(*profiles ? profiles : "-"));
	fit_table_add(table, placed ? list_or_dash(&nodes) : fit_xstrdup("-"));
	fit_table_add(table, placed ? describe_cpus(&packed->view) : fit_xstrdup("-"));
	fit_table_add(table, placed ? describe_memory(&packed->view) : fit_xstrdup("-"));
	fit_table_add(table, placed ? describe_devices(host, packed) : fit_xstrdup("-"));
}

static void show_rows(const struct fit_host *host, const struct fit_packing *packing)
{
	static const char *const head[] = {
		"DOMAIN", "STATE", "PROFILES", "NODES", "CPUS", "MEMORY", "DEVICES"};
	struct fit_table table = {.columns = FIT_ARRAY_SIZE(head)};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(head); i++)
		fit_table_add(&table, fit_xstrdup(head[i]));
	for (size_t i = 0; i < packing->count; i++)
		add_row(&table, host, &packing->items[i]);
	fit_table_print(&table);
	fit_table_clear(&table);
}

static void show_problems(const struct fit_packed *packed)
{
	const struct fit_plan *plan = &packed->result.plan;
	fit_autofree char *name = fit_printable(packed->turn.name);

	if (packed->state == FIT_PACKED_REFUSED)
		printf("%s\n", packed->problem.message);
	for (size_t i = 0; i < plan->reason_count; i++)
		if (plan->reasons[i].kind == FIT_REASON_WARNING)
			printf("%s: warning: %s\n", name, plan->reasons[i].text);
}

/* "3 of 8 cores (CPUs 5-7), 40 GiB of memory, 8 pages of 1 GiB" */
static char *describe_node(const struct fit_node *node, const struct fit_left_node *left)
{
	fit_autobuffer struct fit_buffer text = {0};
	fit_autofree char *cpus = fit_cpuset_describe(&left->free_cpus, "CPU");
	fit_autofree char *memory = fit_format_size_kib(node->free_kib >> 10 << 10);

	fit_buffer_addf(&text, "%zu of %zu core%s%s%s%s", left->free_cores, left->cores,
		fit_plural(left->cores), left->free_cores ? " (" : "", left->free_cores ? cpus : "",
		left->free_cores ? ")" : "");
	fit_buffer_addf(&text, ", %s of memory", memory);
	for (size_t i = 0; i < node->pool_count; i++) {
		fit_autofree char *size = fit_format_size_kib(node->pools[i].page_kib);

		if (node->pools[i].total)
			fit_buffer_addf(&text, ", %llu page%s of %s",
				(unsigned long long)node->pools[i].free,
				fit_plural(node->pools[i].free), size);
	}
	return fit_buffer_steal(&text);
}

static void show_left(const struct fit_host *host, const struct fit_left *left)
{
	struct fit_table table = {.columns = 2};

	for (size_t i = 0; i < left->node_count; i++) {
		fit_table_add(&table, fit_xasprintf("  node %u", left->nodes[i].id));
		fit_table_add(&table, describe_node(&host->nodes[i], &left->nodes[i]));
	}
	for (size_t i = 0; i < left->pf_count; i++) {
		const struct fit_left_pf *pf = &left->pfs[i];
		const char *address = FIT_PCIADDR_STR(pf->pf->addr);
		fit_autofree char *name =
			fit_printable(pf->pf->netdev_count ? pf->pf->netdevs[0].name : address);
		size_t total = pf->exist ? pf->pf->vf_count : pf->pf->sriov_total;

		fit_table_add(&table, fit_xasprintf("  %s", name));
		fit_table_add(&table,
			fit_xasprintf("%zu of %zu VF%s%s%s%s", pf->free, total, fit_plural(total),
				pf->exist ? "" : ", which do not exist yet",
				pf->pf->netdev_count ? ", " : "",
				pf->pf->netdev_count ? address : ""));
	}
	puts("left when they all run:");
	fit_table_print(&table);
	fit_table_clear(&table);
}

void fit_packing_show(const struct fit_host *host, const struct fit_packing *packing)
{
	for (size_t i = 0; i < packing->count; i++)
		if (packing->items[i].state == FIT_PACKED_PLANNED &&
			packing->items[i].result.report)
			printf("%s\n", packing->items[i].result.report);
	show_rows(host, packing);
	for (size_t i = 0; i < packing->count; i++)
		show_problems(&packing->items[i]);
	for (size_t i = 0; i < packing->notes.count; i++)
		printf("note: %s\n", packing->notes.items[i]);
	show_left(host, &packing->left);
	puts("planned in this order:");
	for (size_t i = 0; i < FIT_PACKING_RANKS; i++)
		printf("  %s\n", fit_packing_order[i]);
}

static struct json_object *pages_json(const struct fit_domain *domain)
{
	struct json_object *array = json_object_new_array();
	fit_autofree struct fit_page_demand *demands = NULL;
	size_t count;

	demands = fit_domain_page_demands(domain, &count);
	for (size_t i = 0; i < count; i++) {
		struct json_object *object = json_object_new_object();

		json_object_object_add(
			object, "page_kib", json_object_new_uint64(demands[i].page_kib));
		json_object_object_add(object, "pages", json_object_new_uint64(demands[i].pages));
		json_object_object_add(object, "nodes", fit_json_cpus(&demands[i].nodes));
		json_object_array_add(array, object);
	}
	return array;
}

static void add_view(
	struct json_object *object, const struct fit_host *host, const struct fit_domain *domain)
{
	const struct fit_cpuset cpus = fit_domain_vcpu_cpus(domain);
	const struct fit_cpuset nodes = nodes_of(host, &cpus);
	const struct fit_cpuset memory_nodes = fit_domain_memory_nodes(domain);
	struct json_object *devices = json_object_new_array();

	json_object_object_add(object, "cpus", fit_json_cpus(&cpus));
	json_object_object_add(
		object, "cpus_shared", json_object_new_boolean(fit_domain_floats(domain)));
	json_object_object_add(object, "nodes", fit_json_cpus(&nodes));
	json_object_object_add(object, "memory_kib", json_object_new_uint64(domain->memory_kib));
	json_object_object_add(object, "memory_nodes", fit_json_cpus(&memory_nodes));
	json_object_object_add(object, "huge_pages", pages_json(domain));
	for (size_t i = 0; i < domain->hostdev_count; i++)
		json_object_array_add(devices,
			json_object_new_string(FIT_PCIADDR_STR(domain->hostdevs[i].source)));
	json_object_object_add(object, "devices", devices);
}

static struct json_object *packed_json(const struct fit_host *host, const struct fit_packed *packed)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "domain", json_object_new_string(packed->turn.name));
	json_object_object_add(object, "uuid", fit_json_string_or_null(packed->turn.uuid));
	json_object_object_add(
		object, "state", json_object_new_string(fit_packed_state_name(packed)));
	json_object_object_add(object, "profiles", fit_json_strings(&packed->profiles));
	if (packed->state == FIT_PACKED_REFUSED) {
		fit_json_add_error(object, &packed->problem);
		return object;
	}
	add_view(object, host, &packed->view);
	if (packed->state == FIT_PACKED_PLANNED)
		json_object_object_add(
			object, "plan", fit_json_plan(packed->subject.name, &packed->result));
	return object;
}

static struct json_object *nodes_json(const struct fit_host *host, const struct fit_left *left)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < left->node_count; i++) {
		const struct fit_left_node *node = &left->nodes[i];
		struct json_object *object = json_object_new_object();
		struct json_object *pools = json_object_new_array();

		for (size_t p = 0; p < host->nodes[i].pool_count; p++) {
			const struct fit_page_pool *pool = &host->nodes[i].pools[p];
			struct json_object *one = json_object_new_object();

			json_object_object_add(
				one, "page_kib", json_object_new_uint64(pool->page_kib));
			json_object_object_add(one, "total", json_object_new_uint64(pool->total));
			json_object_object_add(one, "free", json_object_new_uint64(pool->free));
			json_object_array_add(pools, one);
		}
		json_object_object_add(object, "id", json_object_new_int64(node->id));
		json_object_object_add(
			object, "cores", json_object_new_int64((int64_t)node->cores));
		json_object_object_add(
			object, "free_cores", json_object_new_int64((int64_t)node->free_cores));
		json_object_object_add(object, "free_cpus", fit_json_cpus(&node->free_cpus));
		json_object_object_add(
			object, "free_kib", json_object_new_uint64(host->nodes[i].free_kib));
		json_object_object_add(object, "pools", pools);
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *pfs_json(const struct fit_left *left)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < left->pf_count; i++) {
		const struct fit_left_pf *pf = &left->pfs[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(
			object, "address", json_object_new_string(FIT_PCIADDR_STR(pf->pf->addr)));
		json_object_object_add(object, "netdev",
			fit_json_string_or_null(
				pf->pf->netdev_count ? pf->pf->netdevs[0].name : NULL));
		json_object_object_add(
			object, "free_vfs", json_object_new_int64((int64_t)pf->free));
		json_object_object_add(object, "exist", json_object_new_boolean(pf->exist));
		json_object_array_add(array, object);
	}
	return array;
}

struct json_object *fit_packing_json(const struct fit_host *host, const struct fit_packing *packing)
{
	struct json_object *object = json_object_new_object();
	struct json_object *domains = json_object_new_array();
	struct json_object *left = json_object_new_object();
	struct json_object *order = json_object_new_array();

	for (size_t i = 0; i < FIT_PACKING_RANKS; i++)
		json_object_array_add(order, json_object_new_string(fit_packing_order[i]));
	for (size_t i = 0; i < packing->count; i++)
		json_object_array_add(domains, packed_json(host, &packing->items[i]));
	json_object_object_add(left, "nodes", nodes_json(host, &packing->left));
	json_object_object_add(left, "pfs", pfs_json(&packing->left));
	json_object_object_add(object, "order", order);
	json_object_object_add(object, "domains", domains);
	json_object_object_add(object, "refused", json_object_new_int64((int64_t)packing->refused));
	json_object_object_add(object, "notes", fit_json_strings(&packing->notes));
	json_object_object_add(object, "left", left);
	return object;
}
