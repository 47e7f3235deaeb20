/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds on a host what its policy names. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/host_policy.h"

struct application {
	const struct fit_host_policy *policy;
	const struct fit_host *host;
	struct fit_strlist *warnings;
	struct fit_cpuset housekeeping;
	struct fit_kept_device *kept;
	size_t kept_count;
	struct fit_err *err;
};

#define refuse(app, line, format, ...) \
	fit_err_set((app)->err, FIT_ERR_REFUSED, "%s:%u: " format, (app)->policy->file, line, \
		##__VA_ARGS__)

static int take_stated_cpus(struct application *app)
{
	const struct fit_host *host = app->host;
	unsigned int line = app->policy->housekeeping_line;
	struct fit_cpuset absent = app->policy->housekeeping;
	struct fit_cpuset offline = app->policy->housekeeping;
	fit_autofree char *list = NULL;

	for (size_t i = 0; i < host->cpu_count; i++)
		fit_cpuset_remove(&absent, host->cpus[i].id);
	if (!fit_cpuset_is_empty(&absent)) {
		list = fit_cpuset_describe(&absent, "CPU");
		return refuse(
			app, line, "housekeeping names %s, which this host does not have", list);
	}
	app->housekeeping = app->policy->housekeeping;
	fit_cpuset_intersect(&app->housekeeping, &host->online);
	fit_cpuset_subtract(&offline, &host->online);
	if (fit_cpuset_is_empty(&offline))
		return 0;
	list = fit_cpuset_describe(&offline, "CPU");
	if (fit_cpuset_is_empty(&app->housekeeping))
		return refuse(app, line, "no housekeeping CPU is online: %s", list);
	fit_strlist_addf(app->warnings, "%s:%u: housekeeping names %s, offline now",
		app->policy->file, line, list);
	return 0;
}

/* The first cores of each node, by their lowest CPU, that are not isolated. */
static void take_cores_of_nodes(struct application *app)
{
	const struct fit_host *host = app->host;

	for (size_t i = 0; i < host->node_count; i++) {
		struct fit_cpuset left = host->nodes[i].cpus;
		unsigned int count = 0;

		fit_cpuset_intersect(&left, &host->online);
		fit_cpuset_subtract(&left, &host->isolated);
		fit_cpuset_for_each (id, &left) {
			struct fit_cpuset core = fit_host_cpu(host, (unsigned int)id)->siblings;

			if (count == app->policy->cores_per_node || fit_cpuset_next(&core, 0) < id)
				continue;
			fit_cpuset_unite(&app->housekeeping, &core);
			count++;
		}
	}
}

/* Cores are given whole: is one without housekeeping left? A host of one core shares it. */
static bool leaves_a_core(const struct application *app)
{
	struct fit_cpuset left = app->host->online;

	fit_cpuset_subtract(&left, &app->housekeeping);
	fit_cpuset_for_each (id, &left) {
		const struct fit_cpu *cpu = fit_host_cpu(app->host, (unsigned int)id);

		if (!cpu || !fit_cpuset_intersects(&cpu->siblings, &app->housekeeping) ||
			fit_cpuset_equal(&cpu->siblings, &app->host->online))
			return true;
	}
	return false;
}

/* A node without a core for domains is one in name only. */
static void warn_of_full_nodes(const struct application *app)
{
	const struct fit_host *host = app->host;
	struct fit_cpuset full = {0};
	fit_autofree char *list = NULL;

	for (size_t i = 0; i < host->node_count; i++) {
		bool has_room = fit_cpuset_is_empty(&host->nodes[i].cpus);

		fit_cpuset_for_each (id, &host->nodes[i].cpus)
			has_room |= !fit_cpuset_intersects(
				&fit_host_cpu(host, (unsigned int)id)->siblings,
				&app->housekeeping);
		if (!has_room)
			fit_cpuset_add(&full, host->nodes[i].id);
	}
	if (fit_cpuset_is_empty(&full) || host->node_count == 1)
		return;
	list = fit_cpuset_describe(&full, "node");
	fit_strlist_addf(app->warnings,
		"%s:%u: housekeeping has a CPU of every core of %s: no vCPU is placed there",
		app->policy->file, app->policy->housekeeping_line, list);
}

static int apply_housekeeping(struct application *app)
{
	if (!app->policy->housekeeping_line)
		return 0;
	if (app->policy->cores_per_node)
		take_cores_of_nodes(app);
	else if (take_stated_cpus(app) < 0)
		return -1;
	if (fit_cpuset_is_empty(&app->housekeeping))
		return refuse(app, app->policy->housekeeping_line,
			"every CPU of this host is isolated: name the housekeeping CPUs, with "
			"cpus=");
	if (!leaves_a_core(app))
		return refuse(app, app->policy->housekeeping_line,
			"housekeeping has a CPU of every core: none is left for domains");
	warn_of_full_nodes(app);
	return 0;
}

static void keep(
	struct application *app, const struct fit_policy_device *stated, struct fit_pciaddr addr)
{
	for (size_t i = 0; i < app->kept_count; i++)
		if (fit_pciaddr_equal(app->kept[i].addr, addr))
			return;
	*FIT_APPEND(app->kept, app->kept_count) = (struct fit_kept_device){
		.addr = addr,
		.source = fit_xasprintf("%s:%u", app->policy->file, stated->line),
	};
}

static int keep_vfs(struct application *app, const struct fit_policy_device *stated,
	const struct fit_pci_device *pf)
{
	struct fit_pciaddr addr;

	if (!pf->sriov_total)
		return refuse(app, stated->line, "VFs of '%s' are to be kept, which has no SR-IOV",
			stated->name);
	fit_cpuset_for_each (index, &stated->vfs) {
		if (!fit_pci_find_vf(pf, (unsigned int)index, &addr))
			return refuse(app, stated->line,
				"VF %d of '%s' is to be kept, which can have %u (counted from 0)",
				index, stated->name, pf->sriov_total);
		keep(app, stated, addr);
	}
	return 0;
}

/* A VF that does not exist yet has an address already. */
static bool could_be_vf(const struct fit_host *host, struct fit_pciaddr wanted)
{
	struct fit_pciaddr addr;

	for (size_t i = 0; i < host->pci_count; i++)
		for (unsigned int v = 0; v < host->pci[i].sriov_total; v++)
			if (fit_pci_find_vf(&host->pci[i], v, &addr) &&
				fit_pciaddr_equal(addr, wanted))
				return true;
	return false;
}

static int apply_device(struct application *app, const struct fit_policy_device *stated)
{
	const struct fit_pci_device *device;
	struct fit_pciaddr addr = {0};
	bool is_address = fit_pciaddr_parse(stated->name, &addr);
	fit_autofree char *shown = fit_printable(stated->name);

	device = is_address ? fit_host_pci(app->host, addr)
			    : fit_host_pci_by_netdev(app->host, stated->name);
	if (!device && is_address && !stated->some_vfs && could_be_vf(app->host, addr)) {
		keep(app, stated, addr);
		return 0;
	}
	if (!device)
		return refuse(app, stated->line,
			"device '%s' is to be kept, which this host does not have", shown);
	if (device->is_vf && !is_address)
		return refuse(app, stated->line,
			"'%s' is a VF's interface, whose name is gone while a domain has the VF: "
			"name it by its address, %s",
			shown, FIT_PCIADDR_STR(device->addr));
	if (stated->some_vfs)
		return keep_vfs(app, stated, device);
	keep(app, stated, device->addr);
	for (size_t i = 0; i < device->vf_count; i++)
		keep(app, stated, device->vfs[i]);
	for (unsigned int i = 0; i < device->sriov_total; i++)
		if (fit_pci_find_vf(device, i, &addr))
			keep(app, stated, addr);
	return 0;
}

static int compare_kept(const void *a, const void *b)
{
	const struct fit_kept_device *left = a;
	const struct fit_kept_device *right = b;

	return fit_pciaddr_compare(left->addr, right->addr);
}

static void clear_kept(struct application *app)
{
	for (size_t i = 0; i < app->kept_count; i++)
		free(app->kept[i].source);
	free(app->kept);
}

static int check_allowed(struct application *app)
{
	const struct fit_host_policy *policy = app->policy;
	struct fit_cpuset common = policy->allowed;
	fit_autofree char *list = fit_cpuset_describe(&policy->allowed, "CPU");

	fit_cpuset_intersect(&common, &app->host->online);
	if (fit_cpuset_is_empty(&common))
		return refuse(app, policy->allowed_line,
			"no CPU is left for domains: allowed %s %s, none of which is online",
			fit_cpuset_count(&policy->allowed) == 1 ? "is" : "are", list);
	if (fit_cpuset_is_empty(&app->housekeeping))
		return 0;
	fit_cpuset_intersect(&app->housekeeping, &common);
	if (fit_cpuset_is_empty(&app->housekeeping))
		return refuse(app, policy->allowed_line,
			"none of the housekeeping CPUs (line %u) is allowed, which are %s",
			policy->housekeeping_line, list);
	fit_cpuset_subtract(&common, &app->housekeeping);
	if (fit_cpuset_is_empty(&common))
		return refuse(app, policy->allowed_line,
			"the allowed CPUs (%s) are all housekeeping's: none is left for domains",
			list);
	return 0;
}

static void limit(const struct fit_host_policy *policy, struct fit_host *host)
{
	fit_autofree char *source = fit_xasprintf("%s:%u%s", policy->file, policy->allowed_line,
		policy->allowed_self ? " (what this process may use)" : "");

	fit_host_limit(host, &policy->allowed, source);
}

int fit_host_policy_apply(const struct fit_host_policy *policy, struct fit_host *host,
	struct fit_strlist *warnings, struct fit_err *err)
{
	struct application app = {.policy = policy, .host = host, .warnings = warnings, .err = err};
	int status = apply_housekeeping(&app);

	for (size_t i = 0; i < policy->device_count && status == 0; i++)
		status = apply_device(&app, &policy->devices[i]);
	if (status == 0 && policy->allowed_line)
		status = check_allowed(&app);
	if (status < 0) {
		clear_kept(&app);
		return -1;
	}
	if (app.kept_count)
		qsort(app.kept, app.kept_count, sizeof(*app.kept), compare_kept);
	host->housekeeping = app.housekeeping;
	if (policy->housekeeping_line)
		host->housekeeping_source =
			fit_xasprintf("%s:%u", policy->file, policy->housekeeping_line);
	host->kept = app.kept;
	host->kept_count = app.kept_count;
	if (policy->allowed_line)
		limit(policy, host);
	return 0;
}
