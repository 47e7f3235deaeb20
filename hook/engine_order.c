/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a domain asks for, and whether its definition may start. Placements come from the XML,
 * settings from profiles, which only root can write: whatever stands in the metadata, it names no
 * path and no value of the kernel.
 */
#include "engine.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/alias.h"
#include "core/digest.h"
#include "core/domain.h"
#include "core/host_policy.h"
#include "core/hostops.h"
#include "core/profile.h"
#include "core/profile_steps.h"
#include "core/request.h"
#include "core/rewrite.h"
#include "sys/meminfo.h"
#include "sys/paths.h"
#include "sys/policy.h"
#include "sys/probe.h"
#include "sys/value.h"

void fit_order_clear(struct fit_order *order)
{
	fit_hostops_clear(&order->ops);
	fit_profile_clear(&order->profile);
	fit_request_clear(&order->request);
	fit_domain_clear(&order->domain);
}

/* A definition that was fitted in part is prepared for in part, and not for what only looks like
 * ours. */
static void heed_record(const struct fit_call *call, struct fit_order *order)
{
	fit_autostrlist struct fit_strlist only = {0};
	struct fit_record record = {0};

	if (fit_record_read(call->doc, call->name, &record, NULL) > 0 && record.only) {
		fit_strlist_split(&only, record.only, " ");
		fit_steps_limit(&order->profile, &only);
	}
	fit_alias_disown_unrecorded(&order->domain, &record);
	fit_record_clear(&record);
}

int fit_order_read(
	struct fit_call *call, bool lenient, struct fit_order *ret_order, struct fit_err *err)
{
	struct fit_order order = {0};
	struct fit_err problem = FIT_ERR_INIT;
	int found;

	if (!call->doc)
		return fit_err_set(err, call->xml_failure.code, "%s", call->xml_failure.message);
	found = fit_request_read(call->doc, call->name, &order.request, err);
	if (found <= 0)
		return found;
	if (fit_domain_read(call->doc, call->name, &order.domain, err) < 0) {
		fit_order_clear(&order);
		return -1;
	}
	if (fit_profile_compose(&order.request.profiles, order.request.params,
		    order.request.param_count, fit_profile_store_load, &call->store, &order.profile,
		    &problem) < 0) {
		if (!lenient) {
			fit_order_clear(&order);
			return fit_err_set(err, problem.code, "%s", problem.message);
		}
		fit_call_log_error(call, &problem);
	}
	/* It holds for what is fitted in part, too. */
	order.stale = order.request.stale ? order.request.stale : order.profile.start.stale;
	heed_record(call, &order);
	fit_hostops_derive(&order.domain, &order.profile, &order.ops);
	*ret_order = order;
	return 1;
}

/* Why the record does not belong to the request and the profile, NULL if it does; to be freed. */
static char *compare_record(
	const struct fit_call *call, const struct fit_order *order, const struct fit_record *record)
{
	fit_autofree char *requested = fit_strlist_join(&order->request.profiles, " ");
	fit_autofree char *machine = fit_fsroot_try_read(&call->root, FIT_PATH_MACHINE_ID);
	char digest[FIT_DIGEST_TEXT];

	if (!fit_streq(record->profile, requested))
		return fit_xasprintf("it is fitted for the profile '%s' and asks for '%s'",
			record->profile ? record->profile : "", requested);
	fit_digest_make(&order->profile, &order->request, digest);
	if (!fit_streq(record->digest, digest))
		return fit_xasprintf(
			"the profile '%s', a parameter or a device has changed since", requested);
	/* Without a machine id a host is identified by more than can be read in this hurry; what
	 * counts then is that its CPUs and nodes exist. */
	if (machine && record->host && strlen(machine) == strlen(record->host) &&
		!fit_streq(machine, record->host))
		return fit_xstrdup("it is fitted for another host");
	return NULL;
}

/* What the host's policy says now against what is fitted; NULL: nothing. A policy that cannot be
 * read is no reason to keep domains from starting. To be freed. */
static char *compare_policy(
	struct fit_call *call, const struct fit_order *order, const struct fit_record *record)
{
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_err problem = FIT_ERR_INIT;
	struct fit_host host = {0};
	char *conflict = NULL;

	if (!fit_policy_exists(&call->root))
		return NULL;
	if (fit_probe(&call->root, FIT_PROBE_CPUS | FIT_PROBE_NODES | FIT_PROBE_PCI, &host, NULL,
		    &problem) == 0 &&
		fit_policy_load(&call->root, &host, &warnings, &problem) == 0)
		conflict = fit_host_policy_conflict(&host, &order->domain, record);
	else
		fit_call_log_error(call, &problem);
	fit_host_clear(&host);
	return conflict;
}

static int refuse_unfitted(const struct fit_call *call, const char *why, struct fit_err *err)
{
	fit_autofree char *shown = fit_printable(call->name);

	return fit_err_set(err, FIT_ERR_STALE, "domain '%s' is not fitted: %s", shown, why);
}

int fit_order_check_fitted(
	struct fit_call *call, const struct fit_order *order, struct fit_err *err)
{
	struct fit_record record = {0};
	fit_autofree char *why = NULL;
	fit_autofree char *missing = NULL;
	int found = fit_record_read(call->doc, call->name, &record, err);

	if (found < 0)
		return -1;
	if (!found)
		return refuse_unfitted(call, "virt-fit has not written into it yet", err);
	why = compare_record(call, order, &record);
	if (!why && !fit_rewrite_holds(call->doc, &record, &missing))
		why = fit_xasprintf("%s was changed since", missing);
	if (!why)
		why = compare_policy(call, order, &record);
	fit_record_clear(&record);
	return why ? refuse_unfitted(call, why, err) : 0;
}

static int check_cpus(const struct fit_cpuset *pin, const struct fit_cpuset *online,
	const char *who, struct fit_err *err)
{
	struct fit_cpuset missing = *pin;
	fit_autofree char *missing_list = NULL;
	fit_autofree char *online_list = NULL;

	fit_cpuset_subtract(&missing, online);
	if (fit_cpuset_is_empty(&missing))
		return 0;
	missing_list = fit_cpuset_describe(&missing, "CPU");
	online_list = fit_cpuset_format_list(online);
	return fit_err_set(err, FIT_ERR_REFUSED, "%s is pinned to %s: not online (online: %s)", who,
		missing_list, online_list);
}

static int check_pins(const struct fit_thread_pin *pins, size_t count,
	const struct fit_cpuset *online, const char *kind, struct fit_err *err)
{
	for (size_t i = 0; i < count; i++) {
		fit_autofree char *who = fit_xasprintf("%s %u", kind, pins[i].id);

		if (check_cpus(&pins[i].cpus, online, who, err) < 0)
			return -1;
	}
	return 0;
}

static int check_nodes(
	const struct fit_call *call, const struct fit_domain *domain, struct fit_err *err)
{
	fit_autofree char *text = fit_fsroot_try_read(&call->root, FIT_PATH_NODE_ONLINE);
	fit_autofree char *list = NULL;
	struct fit_cpuset missing = domain->numatune_nodes;
	struct fit_cpuset nodes = {0};

	/* A kernel without NUMA has one node, 0, and no directory. */
	if (!text)
		fit_cpuset_add(&nodes, 0);
	else if (fit_cpuset_parse_list(text, &nodes, err) < 0)
		return -1;
	fit_cpuset_subtract(&missing, &nodes);
	if (fit_cpuset_is_empty(&missing))
		return 0;
	list = fit_cpuset_describe(&missing, "node");
	return fit_err_set(err, FIT_ERR_REFUSED,
		"its memory is bound to %s, which this host does not have (nodes: %s)", list,
		text ? text : "0");
}

/* Before pages are made in vain: libvirt refuses sizes without a hugetlbfs. */
static int check_pages(
	const struct fit_call *call, const struct fit_domain *domain, struct fit_err *err)
{
	struct fit_hugetlbfs mounts = fit_hugetlbfs_read(&call->root);
	fit_autofree struct fit_page_demand *demands = NULL;
	size_t count;
	int result = 0;

	demands = fit_domain_page_demands(domain, &count);
	for (size_t i = 0; i < count && result == 0; i++) {
		uint64_t page_kib = demands[i].page_kib;
		fit_autofree char *complaint = NULL;

		if (!fit_hugetlbfs_lacks(&mounts, page_kib, fit_domain_has_memfd(domain)))
			continue;
		complaint = fit_hugetlbfs_complaint(&mounts, page_kib);
		result = fit_err_set(err, FIT_ERR_REFUSED, "for its huge pages %s", complaint);
	}
	fit_hugetlbfs_clear(&mounts);
	return result;
}

int fit_order_check_host(
	const struct fit_call *call, const struct fit_order *order, struct fit_err *err)
{
	const struct fit_domain *domain = &order->domain;
	struct fit_cpuset online = fit_online_cpus(&call->root);

	if (fit_cpuset_is_empty(&online))
		return fit_err_set(err, FIT_ERR_REFUSED, "/%s does not say which CPUs are online",
			FIT_PATH_CPU_ONLINE);
	if (check_pins(domain->vcpu_pins, domain->vcpu_pin_count, &online, "vCPU", err) < 0 ||
		check_pins(domain->iothread_pins, domain->iothread_pin_count, &online, "iothread",
			err) < 0 ||
		check_cpus(&domain->vcpu_cpuset, &online, "the domain", err) < 0 ||
		check_cpus(&domain->emulator_pin, &online, "the emulator", err) < 0)
		return -1;
	if (check_nodes(call, domain, err) < 0)
		return -1;
	return check_pages(call, domain, err);
}
