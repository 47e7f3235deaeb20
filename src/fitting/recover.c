/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fitting/recover.h"

#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/executor.h"
#include "sys/state.h"
#include "sys/value.h"

enum { LOCK_WAIT_MS = 30000, WORK_MS = 30000 };

struct undo {
	const struct fit_recovery *recovery;
	struct fit_session *session;
	struct fit_state seen;	 /* before libvirt was asked */
	struct fit_state state;	 /* with the lock; not open for a dry run */
	struct fit_strlist idle; /* UUIDs of journals whose domains do not run */
};

static int is_running(struct undo *undo, const struct fit_journal *journal, struct fit_err *err)
{
	struct fit_virt_domain domain = {0};
	struct fit_err problem = FIT_ERR_INIT;
	bool active;

	if (fit_virt_find_uuid(&undo->session->virt, journal->uuid, &domain, &problem) < 0) {
		if (problem.code == FIT_ERR_NOTFOUND)
			return 0;
		return fit_err_set(err, problem.code, "%s", problem.message);
	}
	active = domain.active;
	fit_virt_domain_clear(&domain);
	return active;
}

static bool is_named(const struct fit_journal *journal, const char *which)
{
	return !which || fit_streq(journal->name, which) || strcasecmp(journal->uuid, which) == 0;
}

/* Which journals may be undone: @which, or all. */
static int choose(struct undo *undo, const char *which, struct fit_err *err)
{
	bool found = false;

	for (size_t i = 0; i < undo->seen.journal_count; i++) {
		const struct fit_journal *journal = &undo->seen.journals[i];
		int running;

		if (!is_named(journal, which))
			continue;
		found = true;
		running = is_running(undo, journal, err);
		if (running < 0)
			return -1;
		if (running && which)
			return fit_err_set(err, FIT_ERR_REFUSED,
				"domain %s runs and needs what it holds; it is given back when it "
				"stops",
				journal->name);
		if (undo->recovery->by_itself && journal->stage == FIT_STAGE_INCOMING)
			continue;
		if (!running)
			fit_strlist_add(&undo->idle, journal->uuid);
	}
	if (which && !found)
		return fit_err_set(err, FIT_ERR_NOTFOUND, "nothing is held for '%s'", which);
	return 0;
}

static bool is_unchanged(const struct undo *undo, const char *uuid)
{
	const struct fit_journal *now = fit_state_journal(&undo->state, uuid);
	fit_autofree char *before_text =
		fit_journal_print(fit_state_journal(&undo->seen, uuid), undo->seen.boot_id);
	fit_autofree char *now_text = now ? fit_journal_print(now, undo->state.boot_id) : NULL;

	return fit_streq(before_text, now_text);
}

static void tell(const struct undo *undo, const char *name, const char *uuid, const char *what,
	const struct fit_strlist *notes, const struct fit_err *failure)
{
	undo->recovery->tell(undo->recovery->context, name, uuid, what, notes, failure);
}

/* What would be undone: each claim, and the value before the first one. */
static void rehearse(struct undo *undo, const char *uuid)
{
	const struct fit_journal *journal = fit_state_journal(&undo->seen, uuid);
	fit_autostrlist struct fit_strlist notes = {0};

	for (size_t i = 0; i < journal->claim_count; i++) {
		const struct fit_claim_entry *claim = &journal->claims[i];
		const struct fit_ledger_entry *entry =
			fit_ledger_find(&undo->seen.ledger, claim->path);

		fit_strlist_addf(&notes, "%s %s of /%s, which was %s before",
			fit_resource_kind_name(claim->kind), claim->contribution, claim->path,
			entry ? entry->baseline : "unknown");
	}
	tell(undo, journal->name, journal->uuid, "would be undone", &notes, NULL);
}

static void undo_one(struct undo *undo, const char *uuid)
{
	const struct fit_journal *journal = fit_state_journal(&undo->seen, uuid);
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (!is_unchanged(undo, uuid)) {
		tell(undo, journal->name, uuid, "left alone: it was started or stopped just now",
			&notes, NULL);
		return;
	}
	if (fit_executor_undo(&undo->state, uuid, FIT_PHASE_RELEASE, &notes, &err) < 0) {
		tell(undo, journal->name, uuid, "not undone", &notes, &err);
	} else {
		tell(undo, journal->name, uuid, "undone", &notes, NULL);
	}
}

/* Describes what no journal claims. */
static void find_leftovers(const struct fit_state *state, struct fit_strlist *leftovers)
{
	for (size_t i = 0; i < state->ledger.count; i++) {
		const struct fit_ledger_entry *entry = &state->ledger.items[i];

		if (!fit_value_is_claimed(state, entry->path))
			fit_strlist_addf(leftovers, "%s /%s, which was %s before",
				fit_resource_kind_name(entry->kind), entry->path, entry->baseline);
	}
}

static void undo_leftovers(struct undo *undo, const struct fit_strlist *leftovers)
{
	static const char name[] = "left by earlier stops";
	fit_autostrlist struct fit_strlist notes = {0};
	fit_autostrlist struct fit_strlist still = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (undo->session->dry_run) {
		tell(undo, name, "", "would be undone", leftovers, NULL);
		return;
	}
	if (fit_executor_undo(&undo->state, "", FIT_PHASE_RELEASE, &notes, &err) < 0) {
		tell(undo, name, "", "not undone", &notes, &err);
		return;
	}
	find_leftovers(&undo->state, &still);
	tell(undo, name, "", still.count ? "cannot be undone yet" : "undone", &notes, NULL);
}

static int run(struct undo *undo, const char *which, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist leftovers = {0};

	if (fit_state_snapshot(undo->session->root, &undo->seen, err) < 0)
		return -1;
	if (fit_session_connect(undo->session, err) < 0)
		return fit_err_prefix(err, "libvirt must say which domains run: ");
	if (!fit_virt_is_system(&undo->session->virt))
		return fit_err_set(err, FIT_ERR_REFUSED,
			"%s is not this machine's system QEMU driver, whose domains hold the "
			"host's settings",
			undo->session->virt.uri);
	if (choose(undo, which, err) < 0)
		return -1;
	if (!which)
		find_leftovers(&undo->seen, &leftovers);
	if (!undo->session->dry_run && (undo->idle.count || leftovers.count) &&
		fit_irqbalance_open_state(
			undo->session->root, false, LOCK_WAIT_MS, WORK_MS, &undo->state, err) < 0)
		return -1;
	for (size_t i = 0; i < undo->idle.count; i++) {
		if (undo->session->dry_run)
			rehearse(undo, undo->idle.items[i]);
		else
			undo_one(undo, undo->idle.items[i]);
	}
	if (leftovers.count)
		undo_leftovers(undo, &leftovers);
	return 0;
}

int fit_recover(const struct fit_recovery *recovery, struct fit_err *err)
{
	struct undo undo = {.recovery = recovery,
		.session = recovery->session,
		.seen = {.lock_fd = -1},
		.state = {.lock_fd = -1}};
	int status = run(&undo, recovery->which, err);

	fit_strlist_clear(&undo.idle);
	fit_state_close(&undo.state);
	fit_state_close(&undo.seen);
	return status;
}
