/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The request: what a domain's owner wrote into its <metadata> in our namespace.
 *
 *   <fit:domain xmlns:fit="urn:virt-fit:domain:1" profile="low-latency sriov" stale="refuse">
 *     <fit:param name="vfs" value="2"/>
 *     <fit:device address="0000:41:00.0"/>      (or netdev="enp65s0f0")
 *   </fit:domain>
 *
 * What stale= can be, which may be absent, is in core/stale.h. The namespace decides, never the
 * prefix.
 */
#ifndef FIT_CORE_REQUEST_H
#define FIT_CORE_REQUEST_H

#include <libxml/tree.h>

#include "base/err.h"
#include "base/strlist.h"
#include "core/pciaddr.h"
#include "core/stale.h"

#define FIT_REQUEST_NAMESPACE "urn:virt-fit:domain:1"

struct fit_param {
	char *name;
	char *value;
};

struct fit_request_device {
	char *netdev; /* NULL when an address was given */
	struct fit_pciaddr address;
};

struct fit_request {
	struct fit_strlist profiles; /* in order, at least one */
	struct fit_param *params;
	size_t param_count;
	struct fit_request_device *devices; /* to be near to, or to be passed through */
	size_t device_count;
	enum fit_stale stale; /* stale= */
};

void fit_request_clear(struct fit_request *request);

/* Reads the request of a domain document. Returns 1 when there is one, 0 when there is none, -1
 * when it is malformed: no or bad profile names, unknown attribute or child, a param twice, two
 * requests, or a request that lacks the namespace (which libvirt would drop silently). */
int fit_request_read(
	xmlDoc *doc, const char *name, struct fit_request *ret_request, struct fit_err *err);

/* What @more asks for on top: its profiles, when it names any, instead of those of @request; its
 * parameters and devices besides, a parameter of the same name with its value. */
void fit_request_merge(struct fit_request *request, const struct fit_request *more);

/* The request as an XML element, for `virsh metadata`-like setting. To be freed. */
char *fit_request_print(const struct fit_request *request);

/* A profile name: [A-Za-z0-9][A-Za-z0-9._-]*, at most 64 characters, no "..". */
bool fit_profile_name_is_valid(const char *name);

#endif
