/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A domain comes by migration, or from a saved state. What the hook prints replaces its XML: the
 * placements are planned anew for this host, from what can be read of it and from the journals of
 * the domains that run (core/replan.h). Others than ours are not known here.
 *
 * A migration is refused when the domain's request cannot be met here, or is for a profile that
 * this host does not have: it runs on where it is. With stale="warn", and from a saved state, which
 * can go nowhere else, it is refused only for what prepare would refuse. Where it is this host that
 * cannot be read, the XML is left as it came.
 */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/render.h"
#include "sys/executor.h"
#include "sys/policy.h"
#include "sys/probe.h"

struct arrival {
	struct fit_call *call;
	struct fit_state *state;
	bool migrates; /* else it is restored */
};

static int survey(const struct arrival *arrival, struct fit_host *host, struct fit_err *err)
{
	const struct fit_fsroot *root = &arrival->call->root;

	if (fit_probe(root, FIT_PROBE_PLAN, host, NULL, err) < 0)
		return -1;
	return fit_policy_load(root, host, NULL, err);
}

/* The oldest that can have written what is there: a hook must not ask. */
static struct fit_target target_of(xmlDoc *doc, const char *name)
{
	struct fit_target target = fit_target_default;
	struct fit_domain domain = {0};

	if (fit_domain_read(doc, name, &domain, NULL) < 0)
		return target;
	for (size_t i = 0; i < domain.disk_count; i++)
		if (domain.disks[i].has_iothread_map)
			target = (struct fit_target){
				FIT_VERSION_OF(10, 0, 0), FIT_VERSION_OF(9, 0, 0)};
	for (size_t i = 0; i < domain.controller_count; i++)
		if (domain.controllers[i].has_iothread_map)
			target = (struct fit_target){
				FIT_VERSION_OF(11, 2, 0), FIT_VERSION_OF(10, 0, 0)};
	fit_domain_clear(&domain);
	return target;
}

static bool is_buffered(void *context, const char *path)
{
	return fit_fsroot_is_buffered(context, path);
}

/* REFUSED: it cannot be had here. */
static int replan(const struct arrival *arrival, const struct fit_host *host,
	struct fit_render_result *ret_result, struct fit_err *err)
{
	struct fit_call *call = arrival->call;
	const struct fit_target target = target_of(call->doc, call->name);
	struct fit_claims claims = {0};
	const struct fit_render_input input = {
		.xml = call->xml,
		.length = call->xml_length,
		.name = call->name,
		.arrives = true,
		.host = host,
		.claims = &claims,
		.target = &target,
		.load = fit_profile_store_load,
		.load_context = &call->store,
		.is_buffered = is_buffered,
		.is_buffered_context = &call->root,
	};
	int status;

	fit_state_claims(arrival->state, call->uuid, &claims);
	status = fit_render(&input, ret_result, err);
	fit_claims_clear(&claims);
	return status;
}

/* One line: those of a refusal that follow the first are indented. */
static int say_in_a_line(struct fit_err *err)
{
	fit_autobuffer struct fit_buffer line = {0};
	const char *part = err->message;

	for (const char *end; (end = strchr(part, '\n')); part = end + 1 + strspn(end + 1, " "))
		fit_buffer_addf(&line, "%.*s; ", (int)(end - part), part);
	fit_buffer_add(&line, part);
	return fit_err_set(err, err->code, "%s", line.text);
}

static bool says_warn(const struct fit_call *call)
{
	struct fit_request request = {0};
	enum fit_stale stale = FIT_STALE_UNSTATED;

	if (fit_request_read(call->doc, call->name, &request, NULL) > 0)
		stale = request.stale;
	fit_request_clear(&request);
	return (stale ? stale : fit_policy_stale(&call->root)) == FIT_STALE_WARN;
}

/* Would prepare start it as it is? */
static bool can_stay(const struct arrival *arrival)
{
	struct fit_call *call = arrival->call;
	struct fit_journal as_it_is = {.uuid = call->uuid};
	struct fit_order order = {0};
	bool can;

	if (fit_order_read(call, true, &order, NULL) <= 0)
		return false;
	fit_journal_hold(&as_it_is, &order.domain, &order.ops);
	can = fit_order_check_host(call, &order, NULL) == 0 &&
	      fit_state_check_holders(arrival->state, &as_it_is, NULL) == 0;
	free(as_it_is.devices);
	fit_order_clear(&order);
	return can;
}

/* What becomes of a domain that cannot be planned for: 0: it goes on as it is. */
static int decide(const struct arrival *arrival, struct fit_err *err)
{
	if ((arrival->migrates && !says_warn(arrival->call)) || !can_stay(arrival))
		return say_in_a_line(err);
	fit_call_log_error(arrival->call, err);
	return 0;
}

/* From now on the domain is what it was made. */
static int take_over(struct fit_call *call, struct fit_render_result *result, struct fit_err *err)
{
	xmlDoc *doc = fit_xml_parse(result->xml, strlen(result->xml), call->name, err);

	/* Too large by what was written into it, for example. */
	if (!doc)
		return -1;
	fit_xml_free_doc(&call->doc);
	call->doc = doc;
	free(call->xml);
	call->xml = FIT_STEAL(result->xml);
	call->xml_length = strlen(call->xml);
	return 0;
}

static int plan(const struct arrival *arrival, bool *ret_changed, struct fit_err *err)
{
	struct fit_render_result result = {0};
	struct fit_order order = {0};
	struct fit_err problem = FIT_ERR_INIT;
	struct fit_host host = {0};
	int status = 0;

	/* Its own or its profile's fault. */
	if (fit_order_read(arrival->call, false, &order, err) < 0)
		return decide(arrival, err);
	fit_order_clear(&order);
	if (survey(arrival, &host, &problem) < 0) {
		fit_call_log_error(arrival->call, &problem);
	} else if (replan(arrival, &host, &result, err) == 0) {
		fit_call_log(arrival->call, &result.notes);
		if (take_over(arrival->call, &result, err) == 0)
			*ret_changed = result.changed;
		else
			fit_call_log_error(arrival->call, err);
	} else if (err->code == FIT_ERR_REFUSED) {
		status = decide(arrival, err);
	} else {
		fit_call_log_error(arrival->call, err);
	}
	fit_render_result_clear(&result);
	fit_host_clear(&host);
	return status;
}

/* For prepare, and for others that arrive meanwhile. */
static int mark(const struct arrival *arrival, struct fit_err *err)
{
	struct fit_call *call = arrival->call;
	struct fit_journal *journal = fit_state_journal(arrival->state, call->uuid);
	struct fit_order order = {0};

	/* libvirt asks before it looks whether the domain runs here already: what that holds must
	 * stay. If it does not, prepare takes it back. */
	journal->announced = journal->stage != FIT_STAGE_INCOMING;
	if (!journal->announced && fit_order_read(call, true, &order, NULL) > 0)
		fit_journal_hold(journal, &order.domain, &order.ops);
	fit_order_clear(&order);
	return fit_state_save_journal(arrival->state, journal, err);
}

static int print(const struct fit_call *call, struct fit_err *err)
{
	const char *text = call->xml;
	size_t left = call->xml_length;

	while (left) {
		ssize_t written = write(STDOUT_FILENO, text, left);

		if (written < 0 && errno != EINTR)
			return fit_err_sys(err, errno, "cannot give libvirt the domain's XML");
		if (written > 0) {
			text += written;
			left -= (size_t)written;
		}
	}
	return 0;
}

static int receive(const struct arrival *arrival, struct fit_err *err)
{
	struct fit_call *call = arrival->call;
	struct fit_err problem = FIT_ERR_INIT;
	bool changed = false;

	if (plan(arrival, &changed, err) < 0)
		return -1;
	if (!fit_state_journal(arrival->state, call->uuid))
		fit_state_add_journal(arrival->state, call->uuid, call->name, FIT_STAGE_INCOMING);
	if (mark(arrival, &problem) < 0) {
		fit_call_log_error(call, &problem);
		return 0;
	}
	return changed ? print(call, err) : 0;
}

/* What only looks like a request is none, and prepare says what is wrong with one that is bad. */
static bool asks(const struct fit_call *call)
{
	struct fit_request request = {0};
	bool found = fit_request_read(call->doc, call->name, &request, NULL) > 0;

	fit_request_clear(&request);
	return found;
}

static int arrive(struct fit_call *call, bool migrates, struct fit_err *err)
{
	struct fit_err problem = FIT_ERR_INIT;
	struct fit_state state;
	const struct arrival arrival = {.call = call, .state = &state, .migrates = migrates};
	int status;

	if (!call->uuid || !asks(call))
		return 0;
	if (fit_call_open_state(call, &state, &problem) < 0) {
		fit_call_log_error(call, &problem);
		return 0;
	}
	status = receive(&arrival, err);
	fit_state_close(&state);
	return status;
}

int fit_call_migrate(struct fit_call *call, struct fit_err *err)
{
	return arrive(call, true, err);
}

int fit_call_restore(struct fit_call *call, struct fit_err *err)
{
	return arrive(call, false, err);
}
