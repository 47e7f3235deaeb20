/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is done for each operation. The journal is the memory between them: start and started do
 * nothing for a domain that was not prepared, stopped and release take back what is recorded,
 * whatever the XML says by then.
 */
#include "engine.h"

#include <strings.h>

#include "base/memory.h"
#include "core/domain.h"
#include "core/hostops.h"
#include "core/profile.h"
#include "core/request.h"
#include "sys/executor.h"

/* By UUID; by name when the XML could not be read. */
static struct fit_journal *find_journal(const struct fit_call *call, const struct fit_state *state)
{
	return call->uuid ? fit_state_journal(state, call->uuid)
			  : fit_state_journal_by_name(state, call->name);
}

/* Would planning anew find other CPUs? Pins of the user's own stay where the profile places no
 * vCPUs, and cores that it shares with whoever has them are what a profile can ask for, with a
 * warning of the plan. */
static bool can_move(const struct fit_order *order)
{
	const struct fit_intent_vcpus *vcpus = &order->profile.vcpus;

	return vcpus->intent.set && vcpus->place != FIT_PLACE_NONE &&
	       !(vcpus->shared && vcpus->place == FIT_PLACE_CORES);
}

/* It would work, at the cost of what somebody was promised. */
static int check_sharing(struct fit_call *call, const struct fit_state *state,
	const struct fit_journal *journal, const struct fit_order *order, bool incoming,
	struct fit_err *err)
{
	if (fit_state_check_sharing(state, journal, err) == 0)
		return 0;
	if (!incoming && can_move(order))
		return fit_order_decide(call, order, true, err);
	fit_call_log_error(call, err);
	return 0;
}

static int claim_host(struct fit_call *call, struct fit_state *state, const struct fit_order *order,
	bool incoming, struct fit_strlist *notes, struct fit_err *err)
{
	struct fit_journal *journal =
		fit_state_add_journal(state, call->uuid, call->name, FIT_STAGE_PREPARED);

	fit_journal_hold(journal, &order->domain, &order->ops);
	journal->unfitted = order->unfitted ? FIT_UNFITTED_WHOLE : FIT_UNFITTED_NOT;
	if (fit_state_check_holders(state, journal, err) < 0)
		return incoming ? -1 : fit_order_decide(call, order, false, err);
	if (check_sharing(call, state, journal, order, incoming, err) < 0)
		return -1;
	fit_state_note_floating(state, journal, notes);
	/* What start will want is checked now, before anything is changed. */
	if (fit_executor_check(state, journal, &order->ops, FIT_PHASE_START, err) < 0)
		return -1;
	if (fit_state_save_journal(state, journal, err) < 0)
		return -1;
	if (fit_executor_apply(state, journal, &order->ops, FIT_PHASE_PREPARE, notes, err) == 0)
		return 0;
	(void)fit_executor_undo(state, call->uuid, FIT_PHASE_RELEASE, notes, NULL);
	return -1;
}

static int check_fitted(struct fit_call *call, struct fit_order *order, struct fit_err *err)
{
	if (fit_order_check_fitted(call, order, err) == 0)
		return 0;
	order->unfitted = true;
	return err->code == FIT_ERR_STALE ? fit_order_decide(call, order, true, err) : -1;
}

/* A domain that arrives by migration or from a saved state was fitted elsewhere or before, and
 * cannot be fitted now: refusing it would lose the state. So only what cannot work is refused. */
static int prepare(struct fit_call *call, struct fit_state *state, struct fit_err *err)
{
	struct fit_journal *old = fit_state_journal(state, call->uuid);
	bool incoming = old && fit_state_is_incoming(&call->root, old);
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_order order = {0};
	int result;

	/* The remains of a start that nobody cleaned up: see journal.h. */
	if (old && fit_executor_undo(state, call->uuid, FIT_PHASE_RELEASE, &notes, err) < 0)
		return -1;
	result = fit_order_read(call, incoming, &order, err);
	if (result > 0) {
		result = incoming ? 0 : check_fitted(call, &order, err);
		if (result == 0 && fit_order_check_host(call, &order, err) < 0)
			result = incoming ? -1 : fit_order_decide(call, &order, false, err);
		if (result == 0)
			result = claim_host(call, state, &order, incoming, &notes, err);
		fit_order_clear(&order);
	}
	fit_call_log(call, &notes);
	return result;
}

int fit_call_prepare(struct fit_call *call, struct fit_err *err)
{
	struct fit_request request = {0};
	struct fit_state state;
	int result;

	if (!call->doc)
		return fit_err_set(err, call->xml_failure.code, "%s", call->xml_failure.message);
	result = fit_request_read(call->doc, call->name, &request, err);
	if (result <= 0)
		return result;
	fit_request_clear(&request);
	if (!call->uuid)
		return fit_err_set(err, FIT_ERR_INVALID, "the definition has no UUID");
	if (fit_call_open_state_and_ask(call, false, &state, err) < 0)
		return -1;
	result = prepare(call, &state, err);
	fit_state_close(&state);
	return result;
}

static int apply_phase(
	struct fit_call *call, enum fit_phase phase, enum fit_stage stage, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_journal *journal;
	struct fit_order order = {0};
	struct fit_state state;
	int result = fit_order_read(call, true, &order, err);

	if (result <= 0)
		return result;
	result = fit_call_open_state_and_ask(call, phase == FIT_PHASE_STARTED, &state, err);
	if (result == 0) {
		journal = find_journal(call, &state);
		if (journal) {
			journal->stage = stage;
			result = fit_state_save_journal(&state, journal, err);
		}
		if (journal && result == 0)
			result =
				fit_executor_apply(&state, journal, &order.ops, phase, &notes, err);
		fit_state_close(&state);
	}
	fit_call_log(call, &notes);
	fit_order_clear(&order);
	return result;
}

int fit_call_start(struct fit_call *call, struct fit_err *err)
{
	return apply_phase(call, FIT_PHASE_START, FIT_STAGE_PREPARED, err);
}

int fit_call_started(struct fit_call *call, struct fit_err *err)
{
	return apply_phase(call, FIT_PHASE_STARTED, FIT_STAGE_STARTED, err);
}

static int take_back(struct fit_call *call, enum fit_phase phase, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist notes = {0};
	fit_autofree char *uuid = NULL;
	struct fit_journal *journal;
	struct fit_state state;
	int result;

	if (fit_call_open_state_and_ask(call, false, &state, err) < 0)
		return -1;
	journal = find_journal(call, &state);
	/* Without a journal there can still be something that an earlier call was killed over. */
	uuid = fit_xstrdup(journal ? journal->uuid : "");
	result = fit_executor_undo(&state, uuid, phase, &notes, err);
	fit_state_close(&state);
	fit_call_log(call, &notes);
	return result;
}

int fit_call_stopped(struct fit_call *call, struct fit_err *err)
{
	return take_back(call, FIT_PHASE_STOPPED, err);
}

int fit_call_release(struct fit_call *call, struct fit_err *err)
{
	return take_back(call, FIT_PHASE_RELEASE, err);
}

/* The journal and the ledger have outlived the daemon: what they say still holds, and baselines
 * must not be taken anew from a host that is prepared. */
int fit_call_reconnect(struct fit_call *call, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_state state;

	if (fit_state_snapshot(&call->root, &state, err) < 0)
		return -1;
	if (!find_journal(call, &state))
		fit_strlist_add(&notes, "runs without having been prepared by virt-fit");
	fit_state_close(&state);
	fit_call_log(call, &notes);
	return 0;
}
