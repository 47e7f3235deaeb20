/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /etc/virt-fit/host.xml: what belongs to the host, whatever profiles ask for.
 *
 *     <host xmlns="urn:virt-fit:host:1">
 *       <housekeeping cpus="0-1,32-33"/>           or cores-per-node="1"
 *       <allowed cpus="0-15,32-47"/>               or "self": what this process may use
 *       <keep device="eno1"/>                      a device, and the VFs it has or could have
 *       <keep device="0000:41:00.0" vfs="0-3"/>    VFs of a PF by their number
 *       <keep device="0000:42:02.1"/>              one VF
 *       <start stale="refuse"/>                    see core/stale.h
 *     </host>
 *
 * Parsing needs no host; applying finds what is named on one and notes it there, where the planner
 * looks. Profiles name no CPUs of the host, so there is nothing to unite housekeeping with: what
 * is stated here replaces the core that the planner would set apart by itself.
 */
#ifndef FIT_CORE_HOST_POLICY_H
#define FIT_CORE_HOST_POLICY_H

#include "base/err.h"
#include "base/strlist.h"
#include "core/domain.h"
#include "core/host.h"
#include "core/stale.h"

#define FIT_HOST_NAMESPACE "urn:virt-fit:host:1"

struct fit_policy_device {
	char *name;    /* a PCI address or a network interface */
	bool some_vfs; /* only those VFs of it, not itself */
	struct fit_cpuset vfs;
	unsigned int line;
};

struct fit_host_policy {
	char *file; /* as messages name it */
	struct fit_cpuset housekeeping;
	unsigned int cores_per_node;	/* instead of `housekeeping`; 0: not stated */
	unsigned int housekeeping_line; /* 0: neither is stated */
	struct fit_cpuset allowed; /* with `allowed_self`: to be filled in before it is applied */
	bool allowed_self;
	unsigned int allowed_line; /* 0: not stated */
	struct fit_policy_device *devices;
	size_t device_count;
	enum fit_stale stale;
};

void fit_host_policy_clear(struct fit_host_policy *policy);

/* FIT_ERR_INVALID, with file and line, for whatever is not known or said twice. */
int fit_host_policy_parse(const char *file, const char *text, size_t length,
	struct fit_host_policy *ret_policy, struct fit_err *err);

struct fit_record;

/* What virt-fit has written into the definition and the host's policy, applied to @host, forbids
 * now; NULL: nothing. What the user wrote stays the user's business. To be freed. */
char *fit_host_policy_conflict(const struct fit_host *host, const struct fit_domain *fitted,
	const struct fit_record *record);

/* FIT_ERR_REFUSED when it names CPUs, devices or VFs that the host does not have, or leaves no core
 * for domains: nothing is noted then. A housekeeping CPU that is offline is a warning. */
int fit_host_policy_apply(const struct fit_host_policy *policy, struct fit_host *host,
	struct fit_strlist *warnings, struct fit_err *err);

#endif
