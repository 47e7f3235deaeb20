/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan as text: what is where in three columns, then what should be known. The rows come from
 * the plan and the host, the sentences are the plan's reasons.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "core/hostops.h"
#include "core/plan.h"
#include "core/profile_steps.h"

struct row {
	char *label;
	char *value;
	char *comment; /* NULL */
};

struct report {
	const struct fit_plan *plan;
	const struct fit_plan_input *input;
	struct row *rows;
	size_t row_count;
};

/* All three are taken over. */
static void add_row(struct report *report, char *label, char *value, char *comment)
{
	struct row *row = FIT_APPEND(report->rows, report->row_count);

	row->label = label;
	row->value = value;
	row->comment = comment;
}

static char *describe_cpus(const struct fit_cpuset *cpus)
{
	return fit_cpuset_is_empty(cpus) ? fit_xstrdup("not pinned")
					 : fit_cpuset_describe(cpus, "CPU");
}

/* The cores that @cpus touch, and whether they are in it whole. */
static size_t count_cores(
	const struct fit_host *host, const struct fit_cpuset *cpus, size_t *ret_l3_groups)
{
	struct fit_cpuset left = *cpus;
	struct fit_cpuset l3_groups = {0};
	size_t cores = 0;

	fit_cpuset_for_each (id, cpus) {
		const struct fit_cpu *cpu = fit_host_cpu(host, (unsigned int)id);

		if (!cpu || !fit_cpuset_contains(&left, (unsigned int)id))
			continue;
		cores++;
		fit_cpuset_remove(&left, (unsigned int)id);
		fit_cpuset_subtract(&left, &cpu->siblings);
		if (cpu->l3 >= 0 && cpu->l3 < FIT_CPUSET_MAX)
			fit_cpuset_add(&l3_groups, (unsigned int)cpu->l3);
	}
	if (ret_l3_groups)
		*ret_l3_groups = fit_cpuset_count(&l3_groups);
	return cores;
}

/* Does it float beside vCPUs that have CPUs of their own? */
static bool is_pooled(const struct fit_plan *plan, size_t vcpu)
{
	return fit_cpuset_contains(&plan->pooled_vcpus, (unsigned int)vcpu);
}

/* In the order of the vCPUs: "18,50,19,51". */
static char *describe_pins(const struct fit_plan *plan)
{
	fit_autobuffer struct fit_buffer text = {0};
	size_t cpus = 0;

	for (size_t i = 0; i < plan->vcpu_count; i++) {
		fit_autofree char *list = fit_cpuset_format_list(&plan->vcpus[i].cpus);

		if (is_pooled(plan, i))
			continue;
		fit_buffer_addf(&text, "%s%s", text.length ? "," : "", *list ? list : "any");
		cpus += *list ? fit_cpuset_count(&plan->vcpus[i].cpus) : 1;
	}
	return fit_xasprintf("CPU%s %s", fit_plural(cpus), text.text);
}

/* A CPU for each vCPU, and not because what they float over has no more. */
static bool is_one_to_one(const struct report *report)
{
	const struct fit_plan *plan = report->plan;

	if (report->input->profile->vcpus.place == FIT_PLACE_NODE && !plan->vcpus_kept)
		return false;
	for (size_t i = 0; i < plan->vcpu_count; i++) {
		if (!is_pooled(plan, i) && fit_cpuset_count(&plan->vcpus[i].cpus) != 1)
			return false;
	}
	return true;
}

/* Devices of the request that are on the vCPUs' nodes. */
static void add_neighbours(const struct report *report, struct fit_buffer *text)
{
	const struct fit_request *request = report->input->request;
	const char *lead = ", next to ";

	for (size_t i = 0; request && i < request->device_count; i++) {
		const struct fit_request_device *wanted = &request->devices[i];
		const struct fit_pci_device *device =
			wanted->netdev ? fit_host_pci_by_netdev(report->input->host, wanted->netdev)
				       : fit_host_pci(report->input->host, wanted->address);

		if (!device || device->node < 0 ||
			!fit_cpuset_contains(&report->plan->vcpu_nodes, (unsigned int)device->node))
			continue;
		fit_buffer_addf(text, "%s%s", lead,
			wanted->netdev ? wanted->netdev : FIT_PCIADDR_STR(device->addr));
		lead = ", ";
	}
}

static char *comment_on_vcpus(const struct report *report)
{
	const struct fit_plan *plan = report->plan;
	const struct fit_intent_vcpus *intent = &report->input->profile->vcpus;
	fit_autobuffer struct fit_buffer text = {0};
	fit_autofree char *nodes = fit_cpuset_describe(&plan->vcpu_nodes, "node");
	bool pinned = is_one_to_one(report);
	struct fit_cpuset cpus = {0};
	size_t l3_groups, cores;

	for (size_t i = 0; i < plan->vcpu_count; i++)
		if (!is_pooled(plan, i))
			fit_cpuset_unite(&cpus, &plan->vcpus[i].cpus);
	cores = count_cores(report->input->host, &cpus, &l3_groups);
	if (plan->vcpus_kept)
		fit_buffer_addf(&text, "kept, on %s", nodes);
	else if (!pinned && intent->place == FIT_PLACE_CORES &&
		 fit_cpuset_count(&plan->vcpu_cpus) == plan->vcpu_count)
		fit_buffer_addf(&text, "each on any of them, on %s", nodes);
	else if (!pinned)
		fit_buffer_addf(&text, "floating over %s", nodes);
	else
		fit_buffer_addf(&text, "%zu %score%s of %s%s", cores,
			intent->shared ? "" : "whole ", fit_plural(cores), nodes,
			intent->shared ? ", shared with others" : "");
	if (!plan->vcpus_kept && pinned && l3_groups == 1)
		fit_buffer_add(&text, ", one L3");
	else if (!plan->vcpus_kept && pinned && l3_groups > 1)
		fit_buffer_addf(&text, ", %zu L3 groups", l3_groups);
	add_neighbours(report, &text);
	return fit_buffer_steal(&text);
}

static void add_pooled_vcpus(struct report *report)
{
	const struct fit_plan *plan = report->plan;
	struct fit_cpuset cpus = {0};

	fit_cpuset_for_each (vcpu, &plan->pooled_vcpus)
		fit_cpuset_unite(&cpus, &plan->vcpus[vcpu].cpus);
	if (!fit_cpuset_is_empty(&cpus))
		add_row(report, fit_cpuset_describe(&plan->pooled_vcpus, "vCPU"),
			describe_cpus(&cpus), fit_xstrdup("floating, shared with others"));
}

static void add_vcpus(struct report *report)
{
	const struct fit_plan *plan = report->plan;
	struct fit_cpuset vcpus = {0};
	char *label;
	char *value;

	if (plan->vcpu_count == 0)
		return;
	for (unsigned int i = 0; i < plan->vcpu_count && i < FIT_CPUSET_MAX; i++)
		if (!is_pooled(plan, i))
			fit_cpuset_add(&vcpus, i);
	label = fit_cpuset_describe(&vcpus, "vCPU");
	value = is_one_to_one(report) || plan->vcpus_kept ? describe_pins(plan)
							  : describe_cpus(&plan->vcpu_cpus);
	if (fit_cpuset_count(&vcpus))
		add_row(report, label, value, comment_on_vcpus(report));
	add_pooled_vcpus(report);
}

static void add_topology(struct report *report)
{
	const struct fit_plan *plan = report->plan;
	const char *mode = fit_cpu_mode_name(plan->cpu_mode);
	fit_autofree char *topology = fit_topology_describe(&plan->topology);
	fit_autobuffer struct fit_buffer text = {0};

	if (mode)
		fit_buffer_add(&text, mode);
	if (plan->passthrough_cache)
		fit_buffer_addf(&text, "%scache passthrough", text.length ? ", " : "");
	if (plan->has_topology)
		fit_buffer_addf(&text, "%s%s", text.length ? ", " : "", topology);
	if (text.length)
		add_row(report, fit_xstrdup("guest CPU"), fit_buffer_steal(&text), NULL);
}

/* What CPUs are, seen from the plan. */
static char *comment_on_cpus(const struct report *report, const struct fit_cpuset *cpus)
{
	const struct fit_plan *plan = report->plan;
	size_t cores = count_cores(report->input->host, cpus, NULL);

	if (fit_cpuset_is_empty(cpus))
		return NULL;
	if (fit_cpuset_equal(cpus, &plan->housekeeping))
		return fit_xstrdup("housekeeping");
	if (fit_cpuset_equal(cpus, &plan->vcpu_cpus))
		return fit_xstrdup("with the vCPUs");
	return fit_xasprintf("%zu core%s", cores, fit_plural(cores));
}

static void add_users(const struct fit_plan *plan, unsigned int id, struct fit_buffer *text)
{
	for (size_t i = 0; i < plan->disk_iothread_count; i++) {
		const struct fit_disk_iothread *disk = &plan->disk_iothreads[i];

		if (disk->iothread && disk->iothread != id)
			continue;
		if (text->length)
			fit_buffer_add(text, ", ");
		if (disk->target)
			fit_buffer_addf(text, "disk %s", disk->target);
		else
			fit_buffer_addf(text, "SCSI controller %u", disk->controller);
	}
}

static void add_threads(struct report *report)
{
	const struct fit_plan *plan = report->plan;
	const struct fit_cpuset *kept = &report->input->domain->emulator_pin;

	if (plan->has_emulator)
		add_row(report, fit_xstrdup("emulator"), describe_cpus(&plan->emulator),
			comment_on_cpus(report, &plan->emulator));
	else if (report->input->profile->emulator.intent.set && !fit_cpuset_is_empty(kept))
		add_row(report, fit_xstrdup("emulator"), describe_cpus(kept), fit_xstrdup("kept"));
	for (size_t i = 0; i < plan->iothread_count; i++) {
		const struct fit_thread_pin *thread = &plan->iothreads[i];
		fit_autobuffer struct fit_buffer text = {0};
		fit_autofree char *place = comment_on_cpus(report, &thread->cpus);

		add_users(plan, thread->id, &text);
		if (place)
			fit_buffer_addf(&text, "%s%s", text.length ? "; " : "", place);
		add_row(report, fit_xasprintf("iothread %u", thread->id),
			describe_cpus(&thread->cpus), text.length ? fit_buffer_steal(&text) : NULL);
	}
}

/* "8 MiB of L3 cache 0; 50 % of its bandwidth": of all caches that the vCPUs use. */
static void add_caches(struct report *report)
{
	for (size_t i = 0; i < report->plan->cache_count; i++) {
		const struct fit_planned_cache *cache = &report->plan->caches[i];
		fit_autofree char *size = fit_format_size_kib(cache->bytes / 1024);
		fit_autofree char *vcpus = fit_cpuset_describe(&cache->vcpus, "vCPU");
		fit_autobuffer struct fit_buffer text = {0};

		if (cache->bytes)
			fit_buffer_addf(&text, "%s alone", size);
		if (cache->bandwidth)
			fit_buffer_addf(&text, "%s%u %% of the bandwidth to memory",
				text.length ? ", " : "", cache->bandwidth);
		add_row(report, fit_xasprintf("L3 cache %u", cache->id), fit_buffer_steal(&text),
			FIT_STEAL(vcpus));
	}
}

static char *comment_on_pages(const struct report *report, const struct fit_cpuset *nodes,
	uint64_t page_kib, uint64_t pages)
{
	fit_autofree char *size = fit_format_size_kib(page_kib);
	uint64_t free = 0;

	if (!page_kib)
		return NULL;
	for (size_t i = 0; i < report->input->host->node_count; i++) {
		const struct fit_node *node = &report->input->host->nodes[i];

		if (fit_cpuset_is_empty(nodes) || fit_cpuset_contains(nodes, node->id))
			free += fit_node_free_pages(node, page_kib);
	}
	return fit_xasprintf("%llu page%s of %s, %llu free", (unsigned long long)pages,
		fit_plural(pages), size, (unsigned long long)free);
}

static void add_cells(struct report *report)
{
	for (size_t i = 0; i < report->plan->cell_count; i++) {
		const struct fit_planned_cell *cell = &report->plan->cells[i];
		fit_autofree char *vcpus = fit_cpuset_describe(&cell->vcpus, "vCPU");
		fit_autofree char *size = fit_format_size_kib(cell->memory_kib);
		fit_autofree char *nodes = fit_cpuset_describe(&cell->memory_nodes, "node");
		bool bound = !fit_cpuset_is_empty(&cell->memory_nodes);
		uint64_t pages = cell->page_kib ? cell->memory_kib / cell->page_kib : 0;

		add_row(report, fit_xasprintf("guest cell %zu", i),
			fit_xasprintf(
				"%s, %s%s%s", vcpus, size, bound ? " on " : "", bound ? nodes : ""),
			comment_on_pages(report, &cell->memory_nodes, cell->page_kib, pages));
	}
}

static void add_memory(struct report *report)
{
	const struct fit_plan *plan = report->plan;
	fit_autofree char *nodes = fit_cpuset_describe(&plan->memory_nodes, "node");
	fit_autofree char *size = fit_format_size_kib(
		plan->memory_kib ? plan->memory_kib : report->input->domain->memory_kib);
	bool bound = !fit_cpuset_is_empty(&plan->memory_nodes);

	if (!plan->has_memory)
		return;
	add_row(report, fit_xstrdup("memory"),
		fit_xasprintf("%s%s%s%s", size, bound ? " on " : "", bound ? nodes : "",
			plan->memory_locked ? ", locked" : ""),
		plan->pages_differ || plan->cell_count
			? NULL
			: comment_on_pages(
				  report, &plan->memory_nodes, plan->page_kib, plan->pages));
}

static size_t count_group(const struct fit_host *host, int group)
{
	size_t count = 0;

	for (size_t i = 0; i < host->pci_count; i++)
		count += host->pci[i].iommu_group == group;
	return count;
}

static char *comment_on_vf(const struct report *report, const struct fit_planned_vf *vf)
{
	const char *pf = vf->pf_netdev ? vf->pf_netdev : FIT_PCIADDR_STR(vf->pf);
	fit_autobuffer struct fit_buffer text = {0};

	if (vf->network)
		fit_buffer_add(&text, "chosen by libvirt at start");
	else if (!vf->exists)
		fit_buffer_addf(&text, "%s, VF %u, created at start", pf, vf->index);
	else
		fit_buffer_addf(&text, "%s, VF %u, IOMMU group %d%s", pf, vf->index,
			vf->iommu_group,
			count_group(report->input->host, vf->iommu_group) == 1 ? ", alone" : "");
	if (vf->mac)
		fit_buffer_addf(&text, ", %s", vf->mac);
	if (vf->vlan)
		fit_buffer_addf(&text, ", VLAN %u", vf->vlan);
	return fit_buffer_steal(&text);
}

static void add_vfs(struct report *report)
{
	const struct fit_plan *plan = report->plan;

	for (size_t i = 0; i < plan->vf_count; i++) {
		const struct fit_planned_vf *vf = &plan->vfs[i];

		add_row(report, fit_xasprintf("VF %zu", i + 1),
			vf->network ? fit_xasprintf("network %s", vf->network)
				    : fit_xstrdup(FIT_PCIADDR_STR(vf->vf)),
			comment_on_vf(report, vf));
	}
}

static void add_devices(struct report *report)
{
	const struct fit_plan *plan = report->plan;

	for (size_t i = 0; i < plan->device_count; i++) {
		const struct fit_planned_device *device = &plan->devices[i];
		fit_autobuffer struct fit_buffer text = {0};

		fit_buffer_addf(&text, "%s, IOMMU group %d", device->what, device->iommu_group);
		if (device->node >= 0)
			fit_buffer_addf(&text, ", node %d", device->node);
		add_row(report, fit_xstrdup(device->kind),
			fit_xstrdup(FIT_PCIADDR_STR(device->addr)), fit_buffer_steal(&text));
	}
}

/* Is it there, or will it be? What the host lacks is warned of and has no interrupts. */
static bool will_exist(const struct report *report, struct fit_pciaddr device)
{
	for (size_t i = 0; i < report->plan->vf_count; i++) {
		if (!report->plan->vfs[i].network &&
			fit_pciaddr_equal(report->plan->vfs[i].vf, device))
			return true;
	}
	return fit_host_pci(report->input->host, device) != NULL;
}

/* The interrupts of all devices go to the same CPUs. */
static char *describe_device_interrupts(const struct report *report, const struct fit_hostops *ops)
{
	fit_autostrlist struct fit_strlist devices = {0};
	fit_autofree char *list = NULL;
	fit_autofree char *cpus = NULL;

	for (size_t i = 0; i < ops->count; i++) {
		const struct fit_op *op = &ops->items[i];

		if (op->kind != FIT_OP_IRQS_DEVICE || !will_exist(report, op->device))
			continue;
		fit_strlist_add(&devices, FIT_PCIADDR_STR(op->device));
		free(cpus);
		cpus = fit_cpuset_describe(&op->cpus, "CPU");
	}
	list = fit_strlist_join(&devices, ", ");
	return cpus ? fit_xasprintf("interrupts of %s to %s", list, cpus) : NULL;
}

/* Texts in rows of a readable width; only the first has the label. */
static void add_wrapped(struct report *report, const char *label, const struct fit_strlist *texts)
{
	const size_t readable = 84;
	fit_autobuffer struct fit_buffer line = {0};

	for (size_t i = 0; i < texts->count; i++) {
		bool last = i + 1 == texts->count;

		fit_buffer_addf(
			&line, "%s%s%s", line.length ? " " : "", texts->items[i], last ? "" : ";");
		if (!last && line.length + strlen(texts->items[i + 1]) < readable)
			continue;
		add_row(report, fit_xstrdup(label), fit_buffer_steal(&line), NULL);
		label = "";
	}
}

static void add_ops(struct report *report, const struct fit_hostops *ops)
{
	fit_autostrlist struct fit_strlist texts = {0};
	fit_autofree char *interrupts = ops ? describe_device_interrupts(report, ops) : NULL;

	for (size_t i = 0; ops && i < ops->count; i++) {
		fit_autofree char *text = fit_op_describe(&ops->items[i]);

		if (ops->items[i].kind != FIT_OP_IRQS_DEVICE)
			fit_strlist_add(&texts, text);
	}
	if (interrupts)
		fit_strlist_add(&texts, interrupts);
	add_wrapped(report, "at start", &texts);
}

static void add_reasons(struct report *report, bool why)
{
	static const char *const labels[] = {
		[FIT_REASON_CHOICE] = "chosen",
		[FIT_REASON_REJECTION] = "rejected",
		[FIT_REASON_KEPT] = "kept",
		[FIT_REASON_NOTE] = "note",
		[FIT_REASON_WARNING] = "warning",
	};

	for (size_t i = 0; i < report->plan->reason_count; i++) {
		const struct fit_reason *reason = &report->plan->reasons[i];
		bool always = reason->kind == FIT_REASON_NOTE || reason->kind == FIT_REASON_WARNING;

		if (why || always)
			add_row(report, fit_xstrdup(labels[reason->kind]),
				why ? fit_xasprintf("%s: %s", reason->topic, reason->text)
				    : fit_xstrdup(reason->text),
				NULL);
	}
}

/* The third column starts where the widest value that has a comment ends, within reason. */
static void print_rows(const struct report *report, struct fit_buffer *text)
{
	const size_t widest_value = 40;
	size_t label = 0;
	size_t value = 0;

	for (size_t i = 0; i < report->row_count; i++) {
		const struct row *row = &report->rows[i];
		size_t width = strlen(row->value);

		if (strlen(row->label) > label)
			label = strlen(row->label);
		if (row->comment && width > value && width <= widest_value)
			value = width;
	}
	for (size_t i = 0; i < report->row_count; i++) {
		const struct row *row = &report->rows[i];

		fit_buffer_addf(text, "  %-*s  ", (int)label, row->label);
		if (row->comment)
			fit_buffer_addf(text, "%-*s  %s\n", (int)value, row->value, row->comment);
		else
			fit_buffer_addf(text, "%s\n", row->value);
	}
}

static void print_head(const struct report *report, struct fit_buffer *text)
{
	const struct fit_host *host = report->input->host;
	fit_autofree char *name = fit_printable(report->input->domain->name);
	fit_autofree char *profiles = fit_profile_title(report->input->profile);
	size_t cores = count_cores(host, &host->online, NULL);
	size_t cpus = fit_cpuset_count(&host->online);

	fit_buffer_addf(text, "%s: %s, on %zu node%s, %zu core%s, %zu CPU%s\n", name, profiles,
		host->node_count, fit_plural(host->node_count), cores, fit_plural(cores), cpus,
		fit_plural(cpus));
}

char *fit_plan_report(const struct fit_plan *plan, const struct fit_plan_input *input,
	const struct fit_hostops *ops, bool why)
{
	struct report report = {.plan = plan, .input = input};
	fit_autobuffer struct fit_buffer text = {0};

	add_vcpus(&report);
	add_topology(&report);
	add_caches(&report);
	add_threads(&report);
	add_memory(&report);
	add_cells(&report);
	add_vfs(&report);
	add_devices(&report);
	add_ops(&report, ops);
	add_reasons(&report, why);
	print_head(&report, &text);
	print_rows(&report, &text);
	for (size_t i = 0; i < report.row_count; i++) {
		free(report.rows[i].label);
		free(report.rows[i].value);
		free(report.rows[i].comment);
	}
	free(report.rows);
	return fit_buffer_steal(&text);
}
