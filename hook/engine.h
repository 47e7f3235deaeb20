/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of the engine: a hook call and what is done for each operation. */
#ifndef FIT_HOOK_ENGINE_H
#define FIT_HOOK_ENGINE_H

#include "base/attr.h"
#include "core/xml.h"
#include "sys/fsroot.h"
#include "sys/profile_store.h"
#include "sys/state.h"

struct fit_call {
	const char *name; /* of the domain, as libvirt calls it */
	const char *operation;
	struct fit_fsroot root;
	struct fit_profile_store store;
	char *xml;
	size_t xml_length;
	xmlDoc *doc;		    /* NULL: the XML cannot be parsed, */
	struct fit_err xml_failure; /* for this reason */
	char *uuid;		    /* NULL when the XML has none */
};

/* Operations that start a domain. An error is the answer to libvirt. */
int fit_call_prepare(struct fit_call *call, struct fit_err *err);
int fit_call_start(struct fit_call *call, struct fit_err *err);

/* Operations of a running or ended domain: an error is for the log only. */
int fit_call_started(struct fit_call *call, struct fit_err *err);
int fit_call_stopped(struct fit_call *call, struct fit_err *err);
int fit_call_release(struct fit_call *call, struct fit_err *err);
int fit_call_reconnect(struct fit_call *call, struct fit_err *err);

/* A domain comes by migration, or from a saved state, and is planned for anew (engine_incoming.c).
 * A prepare follows, for which it is marked. An error is the answer to libvirt. */
int fit_call_migrate(struct fit_call *call, struct fit_err *err);
int fit_call_restore(struct fit_call *call, struct fit_err *err);

/* Waits for others who change the host, up to a limit; then the operation has its time. */
int fit_call_open_state(struct fit_call *call, struct fit_state *ret_state, struct fit_err *err);

/* The same for what can tell irqbalance something, which is asked before; @tells: it will. */
int fit_call_open_state_and_ask(
	struct fit_call *call, bool tells, struct fit_state *ret_state, struct fit_err *err);

/* Logs what an operation did differently. */
void fit_call_log(const struct fit_call *call, const struct fit_strlist *notes);
void fit_call_log_error(const struct fit_call *call, const struct fit_err *err);

/* The request, its profile and the view of the definition. */
struct fit_order {
	struct fit_domain domain;
	struct fit_profile profile;
	struct fit_request request;
	struct fit_hostops ops;
	enum fit_stale stale; /* what the request says of it, else the profile */
	bool unfitted;	      /* it starts all the same */
};

void fit_order_clear(struct fit_order *order);

/* Reads them from the call's XML. 1: here they are, 0: there is no request. @lenient: a profile
 * that cannot be had is logged and stands for one that asks for nothing. */
int fit_order_read(
	struct fit_call *call, bool lenient, struct fit_order *ret_order, struct fit_err *err);

/* Is the definition what virt-fit made of this request, this profile, on this host? */
int fit_order_check_fitted(
	struct fit_call *call, const struct fit_order *order, struct fit_err *err);

/*
 * What becomes of a start that @err stands in the way of: the definition is not fitted, or what it
 * is fitted for is not free. 0: it goes on. -1: it is refused, by @err, which says so if the
 * watcher fits and starts the domain; it has been asked to, then. @may_go_on: a definition can be
 * started without being fitted, but not on what others hold.
 */
int fit_order_decide(
	struct fit_call *call, const struct fit_order *order, bool may_go_on, struct fit_err *err);

/* Does the host have the CPUs and nodes that the definition names, and a hugetlbfs for its pages?
 */
int fit_order_check_host(
	const struct fit_call *call, const struct fit_order *order, struct fit_err *err);

#endif
