/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virt-fit host: the host as the planner sees it. Large hosts have hundreds of CPUs, devices and
 * interrupts: what is alike is told once, and what nobody would give to a domain is only counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/host_json.h"
#include "cli/host_save.h"
#include "sys/policy.h"
#include "sys/probe.h"

#define SHOWN_IN_FULL 4 /* of alike things: more are cut to the first two and the last */

static void print_row(const char *label, const char *text)
{
	fit_autofree char *printable = fit_printable(text);

	printf("%-12s  %s\n", label, printable);
}

/* "64 GiB", "3.8 GiB"; below 1 GiB in MiB. To be freed. */
static char *format_memory(uint64_t kib)
{
	const char *unit = kib >= 1 << 20 ? "GiB" : "MiB";
	uint64_t tenths = kib * 10 / (kib >= 1 << 20 ? 1 << 20 : 1 << 10);

	if (tenths % 10 == 0)
		return fit_xasprintf("%llu %s", (unsigned long long)tenths / 10, unit);
	return fit_xasprintf("%llu.%llu %s", (unsigned long long)tenths / 10,
		(unsigned long long)tenths % 10, unit);
}

static size_t count_cores(const struct fit_host *host)
{
	size_t cores = 0;

	fit_cpuset_for_each (id, &host->online)
		cores += fit_cpuset_next(&fit_host_cpu(host, (unsigned int)id)->siblings, 0) == id;
	return cores;
}

static void print_heading(const struct fit_host *host)
{
	size_t cpus = fit_cpuset_count(&host->online);
	size_t cores = count_cores(host);
	fit_autofree char *name = fit_printable(*host->name ? host->name : "host");
	fit_autofree char *vendor = fit_printable(host->cpu_vendor);

	printf("%s: %s%s%s%s%zu CPU%s", name, host->arch, *host->arch ? ", " : "", vendor,
		*vendor ? ", " : "", cpus, fit_plural(cpus));
	if (cores < cpus)
		printf(" in %zu cores", cores);
	if (cores < cpus && cores * fit_host_threads_per_core(host) == cpus)
		printf(" of %u threads", fit_host_threads_per_core(host));
	printf(", %zu node%s\n", host->node_count, fit_plural(host->node_count));
}

/* How far core @next lies behind core @core, when it has the same shape; 0 when not. */
static unsigned int core_step(const struct fit_cpuset *core, const struct fit_cpuset *next)
{
	int step = fit_cpuset_next(next, 0) - fit_cpuset_next(core, 0);
	struct fit_cpuset shifted = {0};

	fit_cpuset_for_each (cpu, core)
		if (cpu + step < FIT_CPUSET_MAX)
			fit_cpuset_add(&shifted, (unsigned int)(cpu + step));
	return fit_cpuset_equal(&shifted, next) ? (unsigned int)step : 0;
}

static const struct fit_cpuset *siblings(const struct fit_host *host, unsigned int cpu)
{
	return &fit_host_cpu(host, cpu)->siblings;
}

static void add_core(struct fit_buffer *text, const struct fit_cpuset *core)
{
	fit_autofree char *list = fit_cpuset_format_list(core);

	fit_buffer_addf(text, " %s", list);
}

/* Cores that follow each other at equal steps: " 0,16 1,17 ... 7,23". */
static void add_run(struct fit_buffer *text, const struct fit_host *host,
	const unsigned int *first_cpus, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (count > SHOWN_IN_FULL && i == 2)
			fit_buffer_add(text, " ...");
		if (count <= SHOWN_IN_FULL || i < 2 || i == count - 1)
			add_core(text, siblings(host, first_cpus[i]));
	}
}

/* "cores 0,16 1,17 2,18 3,19", "CPUs 0-7", or both where only some cores have SMT. */
static char *describe_cores(const struct fit_host *host, const struct fit_cpuset *cpus)
{
	struct fit_buffer text = {0};
	struct fit_cpuset lone = {0};
	fit_autofree unsigned int *cores = NULL; /* by their first CPU */
	fit_autofree char *list = NULL;
	size_t count = 0;

	fit_cpuset_for_each (id, cpus) {
		const struct fit_cpu *cpu = fit_host_cpu(host, (unsigned int)id);

		if (fit_cpuset_count(&cpu->siblings) == 1)
			fit_cpuset_add(&lone, cpu->id);
		else if (fit_cpuset_next(&cpu->siblings, 0) == id)
			*FIT_APPEND(cores, count) = cpu->id;
	}
	if (count)
		fit_buffer_add(&text, "cores");
	for (size_t i = 0, end; i < count; i = end) {
		unsigned int step = 0;

		for (end = i + 1; end < count; end++) {
			unsigned int next = core_step(
				siblings(host, cores[end - 1]), siblings(host, cores[end]));

			if (!next || (step && next != step))
				break;
			step = next;
		}
		add_run(&text, host, &cores[i], end - i);
	}
	list = fit_cpuset_describe(&lone, "CPU");
	if (!fit_cpuset_is_empty(&lone))
		fit_buffer_addf(&text, "%s%s", count ? "; " : "", list);
	return fit_buffer_steal(&text);
}

/* The members of @cpus with this cache (-1: none) and kind. */
static struct fit_cpuset select_cpus(
	const struct fit_host *host, const struct fit_cpuset *cpus, int l3, enum fit_cpu_kind kind)
{
	struct fit_cpuset selected = {0};

	fit_cpuset_for_each (id, cpus) {
		const struct fit_cpu *cpu = fit_host_cpu(host, (unsigned int)id);

		if (cpu->l3 == l3 && cpu->kind == kind)
			fit_cpuset_add(&selected, cpu->id);
	}
	return selected;
}

static void print_cpus(const struct fit_host *host, const struct fit_cpuset *cpus)
{
	static const char *const kinds[] = {
		[FIT_CPU_UNIFORM] = "",
		[FIT_CPU_PERFORMANCE] = "performance ",
		[FIT_CPU_EFFICIENCY] = "efficiency ",
	};

	for (int l3 = -1; l3 < (int)host->l3_count; l3++) {
		for (size_t kind = 0; kind < FIT_ARRAY_SIZE(kinds); kind++) {
			const struct fit_cpuset part =
				select_cpus(host, cpus, l3, (enum fit_cpu_kind)kind);
			fit_autofree char *cores = describe_cores(host, &part);
			fit_autofree char *text = fit_xasprintf("%s%s", kinds[kind], cores);

			if (!fit_cpuset_is_empty(&part))
				print_row(l3 < 0 ? "  CPUs" : "  L3", text);
		}
	}
}

static void print_pools(const struct fit_node *node)
{
	fit_autobuffer struct fit_buffer text = {0};

	for (size_t i = 0; i < node->pool_count; i++) {
		const struct fit_page_pool *pool = &node->pools[i];
		fit_autofree char *size = fit_format_size_kib(pool->page_kib);

		if (pool->total)
			fit_buffer_addf(&text, "%s%llu of %s, %llu free", text.length ? "; " : "",
				(unsigned long long)pool->total, size,
				(unsigned long long)pool->free);
		else
			fit_buffer_addf(&text, "%sno %s", text.length ? "; " : "", size);
	}
	if (text.length)
		print_row("  huge pages", text.text);
}

static void print_node(const struct fit_host *host, const struct fit_node *node)
{
	fit_autofree char *label = fit_xasprintf("node %u", node->id);
	fit_autofree char *memory = format_memory(node->memory_kib);
	fit_autofree char *unused = format_memory(node->free_kib);
	fit_autobuffer struct fit_buffer text = {0};

	if (node->memory_kib)
		fit_buffer_addf(&text, "%s, %s free", memory, unused);
	else
		fit_buffer_add(&text, "no memory");
	if (node->distances && host->node_count > 1) {
		fit_buffer_add(&text, "; distances");
		for (size_t i = 0; i < host->node_count; i++)
			fit_buffer_addf(&text, " %u", node->distances[i]);
	}
	print_row(label, text.text);
	print_cpus(host, &node->cpus);
	print_pools(node);
}

/* The sizes of the nodes' pools that libvirt can give to a domain, and those that it cannot. */
static void print_hugetlbfs(const struct fit_host *host)
{
	fit_autofree char *mounted = fit_hugetlbfs_format(&host->hugetlbfs);
	fit_autostrlist struct fit_strlist missing = {0};
	fit_autofree char *missing_list = NULL;
	fit_autofree char *text = NULL;

	if (!host->hugetlbfs.known)
		return;
	for (size_t i = 0; i < host->node_count; i++) {
		for (size_t p = 0; p < host->nodes[i].pool_count; p++) {
			uint64_t page_kib = host->nodes[i].pools[p].page_kib;
			fit_autofree char *size = fit_format_size_kib(page_kib);

			if (fit_hugetlbfs_lacks(&host->hugetlbfs, page_kib, false) &&
				!fit_strlist_contains(&missing, size))
				fit_strlist_add(&missing, size);
		}
	}
	if (!missing.count && !*mounted)
		return;
	missing_list = fit_strlist_join(&missing, ", ");
	text = fit_xasprintf("%s%s%s%s%s", *mounted ? "mounted for " : "", mounted,
		*mounted && missing.count ? "; " : "",
		missing.count ? "libvirt lacks one for " : "", missing_list);
	print_row("hugetlbfs", text);
}

static void print_set(const char *label, const struct fit_cpuset *set)
{
	fit_autofree char *text = fit_cpuset_describe(set, "CPU");

	if (!fit_cpuset_is_empty(set))
		print_row(label, text);
}

/* What a policy says of CPUs, and where it does; without one every plan says what it took. */
static void print_stated(const char *label, const struct fit_cpuset *set, const char *source)
{
	fit_autofree char *cpus = fit_cpuset_describe(set, "CPU");
	fit_autofree char *text = NULL;

	if (!source)
		return;
	text = fit_xasprintf("%s, by %s", cpus, source);
	print_row(label, text);
}

/* What the kernel can give to groups of threads. One group is its own. */
static void print_resctrl(const struct fit_host *host)
{
	static const char *const whats[] = {
		[FIT_CACHE_BOTH] = "L3 cache",
		[FIT_CACHE_CODE] = "L3 cache for code",
		[FIT_CACHE_DATA] = "L3 cache for data",
	};
	const struct fit_bandwidth_control *bandwidth = &host->bandwidth_control;
	const char *label = "resctrl";

	for (size_t type = 0; type < FIT_ARRAY_SIZE(whats); type++) {
		const struct fit_cache_control *control = &host->l3_control[type];
		fit_autofree char *text =
			fit_xasprintf("%s in %u pieces, at least %u, for up to %u groups",
				whats[type], control->bits, control->min_bits, control->groups);

		if (!control->bits)
			continue;
		print_row(label, text);
		label = "";
	}
	if (bandwidth->step) {
		fit_autofree char *text = fit_xasprintf(
			"memory bandwidth in steps of %u%s, at least %u, for up to %u groups",
			bandwidth->step, bandwidth->absolute ? "" : " percent", bandwidth->min,
			bandwidth->groups);

		print_row(label, text);
	}
}

static void print_nodes(const struct fit_host *host)
{
	struct fit_cpuset homeless = host->online;
	struct fit_cpuset offline = {0};

	for (size_t i = 0; i < host->node_count; i++) {
		print_node(host, &host->nodes[i]);
		fit_cpuset_subtract(&homeless, &host->nodes[i].cpus);
	}
	for (size_t i = 0; i < host->cpu_count; i++)
		if (!host->cpus[i].online)
			fit_cpuset_add(&offline, host->cpus[i].id);
	if (!fit_cpuset_is_empty(&homeless)) {
		puts("no node");
		print_cpus(host, &homeless);
	}
	print_hugetlbfs(host);
	print_set(host->limited_by ? "not usable" : "offline", &offline);
	print_set("isolated", &host->isolated);
	print_stated("allowed", &host->online, host->limited_by);
	print_stated("housekeeping", &host->housekeeping, host->housekeeping_source);
	print_resctrl(host);
	if (host->acs_override)
		print_row("IOMMU groups", host->acs_override);
}

/* What the device is for, or NULL when nobody would give it to a domain (PCI Code and ID
 * Assignment, class and subclass). */
static const char *purpose(const struct fit_pci_device *device)
{
	static const struct {
		unsigned int first, last;
		const char *name;
	} classes[] = {
		{0x0108, 0x0108, "nvme"},
		{0x0100, 0x01ff, "storage"},
		{0x0200, 0x02ff, "network"},
		{0x0300, 0x03ff, "display"},
		{0x0400, 0x04ff, "multimedia"},
		{0x0c03, 0x0c03, "usb"},
		{0x0c04, 0x0c04, "storage"},
		{0x0c06, 0x0c06, "network"},
		{0x0d00, 0x0dff, "wireless"},
		{0x1000, 0x10ff, "crypto"},
		{0x1200, 0x12ff, "accelerator"},
	};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(classes); i++)
		if (device->class_code >> 8 >= classes[i].first &&
			device->class_code >> 8 <= classes[i].last)
			return classes[i].name;
	return device->sriov_total ? "other" : NULL;
}

/* A second line for a PF: which VFs there are, their drivers and IOMMU groups. */
static void print_vfs(const struct fit_host *host, const struct fit_pci_device *pf)
{
	fit_autostrlist struct fit_strlist drivers = {0};
	fit_autobuffer struct fit_buffer text = {0};
	struct fit_cpuset groups = {0};
	fit_autofree char *driver_list = NULL;
	fit_autofree char *group_list = NULL;
	fit_autofree char *printable = NULL;

	for (size_t i = 0; i < pf->vf_count; i++) {
		const struct fit_pci_device *vf = fit_host_pci(host, pf->vfs[i]);
		const char *driver = vf && vf->driver ? vf->driver : "no driver";

		if (!fit_strlist_contains(&drivers, driver))
			fit_strlist_add(&drivers, driver);
		if (vf && vf->iommu_group >= 0 && vf->iommu_group < FIT_CPUSET_MAX)
			fit_cpuset_add(&groups, (unsigned int)vf->iommu_group);
		if (pf->vf_count > SHOWN_IN_FULL && i == 2)
			fit_buffer_add(&text, " ...");
		if (pf->vf_count <= SHOWN_IN_FULL || i < 2 || i == pf->vf_count - 1)
			fit_buffer_addf(&text, " %s", FIT_PCIADDR_STR(pf->vfs[i]));
	}
	driver_list = fit_strlist_join(&drivers, ", ");
	group_list = fit_cpuset_format_list(&groups);
	fit_buffer_addf(
		&text, "; %s; IOMMU groups %s", driver_list, *group_list ? group_list : "-");
	printable = fit_printable(text.text);
	printf("  VFs%s\n", printable);
}

/* VFs that do not exist yet have no address that says anything to people: by number. */
static void add_kept(
	struct fit_buffer *text, const struct fit_host *host, const struct fit_pci_device *device)
{
	const char *source = fit_host_kept(host, device->addr);
	const char *source_of_vf = NULL;
	struct fit_cpuset vfs = {0};
	fit_autofree char *list = NULL;

	if (source)
		fit_buffer_addf(text, "; kept by %s", source);
	for (unsigned int i = 0; !source && i < device->sriov_total && i < FIT_CPUSET_MAX; i++) {
		struct fit_pciaddr addr;
		const char *of_vf =
			fit_pci_find_vf(device, i, &addr) ? fit_host_kept(host, addr) : NULL;

		if (!of_vf)
			continue;
		source_of_vf = of_vf;
		fit_cpuset_add(&vfs, i);
	}
	list = fit_cpuset_describe(&vfs, "VF");
	if (source_of_vf)
		fit_buffer_addf(text, "; %s kept by %s", list, source_of_vf);
}

static char *describe_device(const struct fit_host *host, const struct fit_pci_device *device)
{
	fit_autobuffer struct fit_buffer text = {0};
	unsigned int irqs = 0;

	fit_buffer_add(&text, purpose(device));
	for (size_t i = 0; i < device->netdev_count; i++)
		fit_buffer_addf(&text, "%s %s %s", i ? "," : "", device->netdevs[i].name,
			!device->netdevs[i].up	     ? "down"
			: device->netdevs[i].carrier ? "up"
						     : "without link");
	for (size_t i = 0; i < host->irq_count; i++)
		irqs += host->irqs[i].has_device &&
			fit_pciaddr_equal(host->irqs[i].device, device->addr);
	if (irqs)
		fit_buffer_addf(&text, "; %u IRQ%s", irqs, fit_plural(irqs));
	if (device->msix_vectors > 0)
		fit_buffer_addf(&text, "; MSI-X %d", device->msix_vectors);
	if (device->sriov_total)
		fit_buffer_addf(&text, "; %zu of %u VFs", device->vf_count, device->sriov_total);
	add_kept(&text, host, device);
	return fit_printable(text.text);
}

/* "21", "41 (2 devices)", "-". */
static char *describe_group(const struct fit_host *host, const struct fit_pci_device *device)
{
	size_t members = 0;

	if (device->iommu_group < 0)
		return fit_xstrdup("-");
	for (size_t i = 0; i < host->pci_count; i++)
		members += host->pci[i].iommu_group == device->iommu_group;
	if (members == 1)
		return fit_xasprintf("%d", device->iommu_group);
	return fit_xasprintf("%d (%zu devices)", device->iommu_group, members);
}

/* A VF whose PF lists it is told with the PF. */
static bool has_row(const struct fit_host *host, const struct fit_pci_device *device)
{
	const struct fit_pci_device *pf = device->is_vf ? fit_host_pci(host, device->physfn) : NULL;

	for (size_t i = 0; pf && i < pf->vf_count; i++)
		if (fit_pciaddr_equal(pf->vfs[i], device->addr))
			return false;
	return purpose(device) != NULL;
}

/* Columns as wide as what is in them. */
struct widths {
	int address;
	int driver;
};

static struct widths find_widths(const struct fit_host *host)
{
	struct widths widths = {
		.address = (int)strlen("0000:00:00.0"),
		.driver = (int)strlen("DRIVER"),
	};

	for (size_t i = 0; i < host->pci_count; i++) {
		const struct fit_pci_device *device = &host->pci[i];
		int address = (int)strlen(FIT_PCIADDR_STR(device->addr));
		int driver = device->driver ? (int)strlen(device->driver) : 0;

		widths.address = address > widths.address ? address : widths.address;
		if (has_row(host, device) && driver > widths.driver)
			widths.driver = driver;
	}
	return widths;
}

static void print_device(
	const struct fit_host *host, const struct fit_pci_device *device, struct widths widths)
{
	fit_autofree char *group = describe_group(host, device);
	fit_autofree char *what = describe_device(host, device);
	fit_autofree char *driver = fit_printable(device->driver ? device->driver : "-");
	fit_autofree char *node =
		device->node < 0 ? fit_xstrdup("-") : fit_xasprintf("%d", device->node);

	printf("%-*s  %-4s  %-14s  %-*s  %s\n", widths.address, FIT_PCIADDR_STR(device->addr), node,
		group, widths.driver, driver, what);
	if (device->vf_count)
		print_vfs(host, device);
}

static void print_devices(const struct fit_host *host)
{
	const struct widths widths = find_widths(host);
	size_t others = 0;

	if (host->pci_count)
		printf("\n%-*s  %-4s  %-14s  %-*s  %s\n", widths.address, "DEVICE", "NODE",
			"IOMMU GROUP", widths.driver, "DRIVER", "WHAT");
	for (size_t i = 0; i < host->pci_count; i++) {
		const struct fit_pci_device *device = &host->pci[i];

		if (has_row(host, device))
			print_device(host, device, widths);
		else
			others += !device->is_vf;
	}
	if (others == 1)
		puts("and 1 bridge or system device");
	else if (others)
		printf("and %zu bridges and system devices\n", others);
}

struct irq_group {
	const struct fit_cpuset *affinity;
	size_t count;
};

/* Largest first; equal ones in the order of their first interrupt. */
static int compare_irq_groups(const void *a, const void *b)
{
	const struct irq_group *left = a;
	const struct irq_group *right = b;

	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return (left->affinity > right->affinity) - (left->affinity < right->affinity);
}

static void print_irqs(const struct fit_host *host)
{
	fit_autofree struct irq_group *groups = NULL;
	size_t group_count = 0;
	size_t of_devices = 0;
	size_t rest = host->irq_count;
	size_t shown = 0;

	for (size_t i = 0; i < host->irq_count; i++) {
		size_t g = 0;

		while (g < group_count &&
			!fit_cpuset_equal(groups[g].affinity, &host->irqs[i].affinity))
			g++;
		if (g == group_count)
			FIT_APPEND(groups, group_count)->affinity = &host->irqs[i].affinity;
		groups[g].count++;
		of_devices += host->irqs[i].has_device;
	}
	if (!group_count)
		return;
	qsort(groups, group_count, sizeof(*groups), compare_irq_groups);
	printf("\n%zu interrupt%s, %zu of them of PCI devices\n", host->irq_count,
		fit_plural(host->irq_count), of_devices);
	/* Drivers spread queues, a CPU each: small groups say nothing one by one. */
	while (shown < group_count &&
		(groups[shown].count * 20 >= host->irq_count || shown + 1 == group_count)) {
		fit_autofree char *cpus = fit_cpuset_describe(groups[shown].affinity, "CPU");

		printf("  %zu to %s\n", groups[shown].count,
			fit_cpuset_is_empty(groups[shown].affinity) ? "unknown CPUs" : cpus);
		rest -= groups[shown++].count;
	}
	if (rest)
		printf("  %zu to %zu %sset%s of CPUs\n", rest, group_count - shown,
			shown ? "other " : "", fit_plural(group_count - shown));
}

static int show(struct fit_cli *cli)
{
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_host host = {0};
	struct fit_err err = FIT_ERR_INIT;
	const char *stale;

	if (fit_probe(&cli->root, FIT_PROBE_ALL, &host, &warnings, &err) < 0)
		return fit_cli_fail(&err);
	fit_probe_msix(&cli->root, &host, &warnings);
	if (fit_policy_load(&cli->root, &host, &warnings, &err) < 0 ||
		(cli->allowed &&
			fit_policy_limit(&cli->root, &host, cli->allowed, "--allowed", &err) < 0)) {
		fit_host_clear(&host);
		return fit_cli_fail(&err);
	}
	stale = fit_stale_name(fit_policy_stale(&cli->root));
	if (cli->json) {
		fit_cli_print_json(fit_json_host(&host, stale, &warnings));
	} else {
		print_heading(&host);
		print_nodes(&host);
		if (stale)
			print_row("early starts", stale);
		print_devices(&host);
		print_irqs(&host);
		for (size_t i = 0; i < warnings.count; i++)
			fit_cli_note("%s", warnings.items[i]);
	}
	fit_host_clear(&host);
	return FIT_EXIT_DONE;
}

int fit_cmd_host(struct fit_cli *cli)
{
	return cli->save ? fit_host_save(cli) : show(cli);
}
