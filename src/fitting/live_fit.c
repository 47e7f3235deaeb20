/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fitting/live_fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/live.h"
#include "core/xml.h"
#include "sys/state.h"
#include "virt/live.h"

enum { LOCK_WAIT_MS = 10000, WORK_MS = 10000 };

/* What the domain runs with, and what it would. */
struct pair {
	char *xml;
	struct fit_render_result result;
	struct fit_live live;
	struct fit_domain planned;
};

static void pair_clear(struct pair *pair)
{
	free(pair->xml);
	fit_render_result_clear(&pair->result);
	fit_live_clear(&pair->live);
	fit_domain_clear(&pair->planned);
}

static int make_pair(struct fit_session *session, const struct fit_virt_domain *domain, bool all,
	struct pair *pair, struct fit_err *err)
{
	fit_autodoc xmlDoc *running = NULL;
	fit_autodoc xmlDoc *planned = NULL;

	pair->xml = fit_virt_running(domain, err);
	if (!pair->xml ||
		fit_session_render_running(session, domain, pair->xml, all, &pair->result, err) < 0)
		return -1;
	running = fit_xml_parse(pair->xml, strlen(pair->xml), domain->name, err);
	planned = fit_xml_parse(pair->result.xml, strlen(pair->result.xml), domain->name, err);
	if (!running || !planned || fit_domain_read(planned, domain->name, &pair->planned, err) < 0)
		return -1;
	return fit_live_compare(running, planned, domain->name, &pair->live, err);
}

bool fit_domain_awaits_live_fit(
	const struct fit_session *session, const struct fit_virt_domain *domain)
{
	struct fit_state state;
	const struct fit_journal *journal;
	bool unfitted;

	if (fit_state_snapshot(session->root, &state, NULL) < 0)
		return false;
	journal = fit_state_journal(&state, domain->uuid);
	unfitted = journal && journal->stage == FIT_STAGE_STARTED &&
		   journal->unfitted == FIT_UNFITTED_WHOLE;
	fit_state_close(&state);
	return unfitted;
}

static int claim(struct fit_state *state, const struct fit_virt_domain *domain,
	const struct pair *pair, struct fit_err *err)
{
	struct fit_journal *journal = fit_state_journal(state, domain->uuid);

	/* Started anew meanwhile, and perhaps fitted: that has claims of its own. */
	if (!journal || journal->stage != FIT_STAGE_STARTED ||
		journal->unfitted != FIT_UNFITTED_WHOLE)
		return fit_err_set(err, FIT_ERR_NOTFOUND, "it has just ended");
	fit_journal_hold(journal, &pair->planned, &pair->result.ops);
	if (fit_state_check_holders(state, journal, err) < 0 ||
		fit_state_check_sharing(state, journal, err) < 0)
		return -1;
	journal->unfitted = FIT_UNFITTED_LIVE;
	return fit_state_save_journal(state, journal, err);
}

/* The lock is not kept while libvirt is asked: a start that waits for it would block that. */
static int claim_cpus(const struct fit_session *session, const struct fit_virt_domain *domain,
	const struct pair *pair, struct fit_err *err)
{
	struct fit_state state;
	int status;

	if (fit_state_open(session->root, LOCK_WAIT_MS, WORK_MS, &state, err) < 0)
		return -1;
	status = claim(&state, domain, pair, err);
	fit_state_close(&state);
	return status;
}

/* What is claimed by now stays claimed: some threads may be there. */
static void take_note_of_failure(
	const struct fit_session *session, const struct fit_virt_domain *domain)
{
	struct fit_state state;
	struct fit_journal *journal;

	if (fit_state_open(session->root, LOCK_WAIT_MS, WORK_MS, &state, NULL) < 0)
		return;
	journal = fit_state_journal(&state, domain->uuid);
	if (journal) {
		journal->unfitted = FIT_UNFITTED_WHOLE;
		(void)fit_state_save_journal(&state, journal, NULL);
	}
	fit_state_close(&state);
}

static int change(struct fit_session *session, const struct fit_virt_domain *domain,
	const struct pair *pair, struct fit_strlist *done, struct fit_err *err)
{
	const struct fit_live *live = &pair->live;

	if (claim_cpus(session, domain, pair, err) < 0)
		return fit_err_prefix(
			err, "domain %s, which was started before it was fitted: ", domain->name);
	for (size_t i = 0; i < live->change_count; i++) {
		fit_autofree char *what = fit_live_describe(&live->changes[i]);

		if (fit_virt_change(domain, &live->changes[i], err) < 0) {
			take_note_of_failure(session, domain);
			return -1;
		}
		fit_strlist_add(done, what);
	}
	return 0;
}

int fit_domain_fit_live(struct fit_session *session, const struct fit_virt_domain *domain,
	struct fit_strlist *ret_done, struct fit_err *err)
{
	struct pair pair = {0};
	int status = make_pair(session, domain, false, &pair, err);

	if (status == 0)
		status = change(session, domain, &pair, ret_done, err);
	pair_clear(&pair);
	return status;
}

static bool is_for_own_cpus(const struct fit_op *op, const struct fit_hostops *ops)
{
	return (op->kind == FIT_OP_ISOLATE || op->kind == FIT_OP_SETTING ||
		       op->kind == FIT_OP_IRQS_ELSEWHERE) &&
	       fit_cpuset_intersects(&op->cpus, &ops->own_cpus);
}

int fit_domain_list_missing(struct fit_session *session, const struct fit_virt_domain *domain,
	struct fit_strlist *ret_missing, struct fit_err *err)
{
	struct pair pair = {0};
	int status = make_pair(session, domain, true, &pair, err);

	for (size_t i = 0; status == 0 && i < pair.live.change_count; i++) {
		fit_autofree char *what = fit_live_describe(&pair.live.changes[i]);

		fit_strlist_add(ret_missing, what);
	}
	for (size_t i = 0; status == 0 && i < pair.live.missing.count; i++)
		fit_strlist_add(ret_missing, pair.live.missing.items[i]);
	for (size_t i = 0; status == 0 && i < pair.result.ops.count; i++) {
		const struct fit_op *op = &pair.result.ops.items[i];
		fit_autofree char *what = fit_op_describe(op);

		if (is_for_own_cpus(op, &pair.result.ops))
			fit_strlist_add(ret_missing, what);
	}
	pair_clear(&pair);
	return status;
}
