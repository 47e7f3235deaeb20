/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virt-fit undo [DOMAIN]: gives the host back what domains that do not run still hold.
 *
 * Only libvirt knows what runs. It must be asked before the lock of the state is taken: a start
 * that waits for the lock in its hook blocks every call that touches its domain. So: look at the
 * journals, ask libvirt, take the lock, and undo only journals that are still the same. A start in
 * between has undone the old journal and written a new one with other sequence numbers.
 *
 * Without DOMAIN also what no journal claims any more: the host's values that a stop could not
 * write or was killed over.
 */
#include <stdio.h>
#include <strings.h>

#include <json-c/json.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/verbs.h"
#include "sys/executor.h"
#include "sys/state.h"
#include "sys/value.h"

enum { LOCK_WAIT_MS = 30000, WORK_MS = 30000 };

struct undo {
	struct fit_session session;
	const struct fit_cli *cli;
	struct fit_state seen;	 /* before libvirt was asked */
	struct fit_state state;	 /* with the lock; not open with --dry-run */
	struct fit_strlist idle; /* UUIDs of journals whose domains do not run */
	struct json_object *done;
	bool failed;
};

static int is_running(struct undo *undo, const struct fit_journal *journal, struct fit_err *err)
{
	struct fit_virt_domain domain = {0};
	struct fit_err problem = FIT_ERR_INIT;
	bool active;

	if (fit_virt_find_uuid(&undo->session.virt, journal->uuid, &domain, &problem) < 0) {
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

static void report(struct undo *undo, const char *name, const char *uuid, const char *what,
	const struct fit_strlist *notes)
{
	fit_autofree char *shown = fit_printable(name);
	struct json_object *object;

	if (!undo->cli->json) {
		printf("%s: %s\n", shown, what);
		for (size_t i = 0; i < notes->count; i++)
			printf("  %s\n", notes->items[i]);
		return;
	}
	object = json_object_new_object();
	json_object_object_add(object, "name", json_object_new_string(name));
	json_object_object_add(object, "uuid", json_object_new_string(uuid));
	json_object_object_add(object, "result", json_object_new_string(what));
	json_object_object_add(object, "notes", fit_json_strings(notes));
	json_object_array_add(undo->done, object);
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
	report(undo, journal->name, journal->uuid, "would be undone", &notes);
}

static void undo_one(struct undo *undo, const char *uuid)
{
	const struct fit_journal *journal = fit_state_journal(&undo->seen, uuid);
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (!is_unchanged(undo, uuid)) {
		report(undo, journal->name, uuid, "left alone: it was started or stopped just now",
			&notes);
		return;
	}
	if (fit_executor_undo(&undo->state, uuid, FIT_PHASE_RELEASE, &notes, &err) < 0) {
		undo->failed = true;
		fit_cli_note("%s: %s", journal->name, err.message);
	} else {
		report(undo, journal->name, uuid, "undone", &notes);
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

	if (undo->cli->dry_run) {
		report(undo, name, "", "would be undone", leftovers);
		return;
	}
	if (fit_executor_undo(&undo->state, "", FIT_PHASE_RELEASE, &notes, &err) < 0) {
		undo->failed = true;
		fit_cli_note("%s: %s", name, err.message);
		return;
	}
	find_leftovers(&undo->state, &still);
	report(undo, name, "", still.count ? "cannot be undone yet" : "undone", &notes);
}

static int run(struct undo *undo, const char *which, struct fit_err *err)
{
	const struct fit_cli *cli = undo->cli;
	fit_autostrlist struct fit_strlist leftovers = {0};

	if (fit_state_snapshot(&cli->root, &undo->seen, err) < 0)
		return -1;
	if (fit_session_connect(&undo->session, err) < 0)
		return fit_err_prefix(err, "libvirt must say which domains run: ");
	if (!fit_virt_is_system(&undo->session.virt))
		return fit_err_set(err, FIT_ERR_REFUSED,
			"%s is not this machine's system QEMU driver, whose domains hold the "
			"host's settings",
			undo->session.virt.uri);
	if (choose(undo, which, err) < 0)
		return -1;
	if (!which)
		find_leftovers(&undo->seen, &leftovers);
	if (!cli->dry_run && (undo->idle.count || leftovers.count) &&
		fit_state_open(&cli->root, LOCK_WAIT_MS, WORK_MS, &undo->state, err) < 0)
		return -1;
	for (size_t i = 0; i < undo->idle.count; i++) {
		if (cli->dry_run)
			rehearse(undo, undo->idle.items[i]);
		else
			undo_one(undo, undo->idle.items[i]);
	}
	if (leftovers.count)
		undo_leftovers(undo, &leftovers);
	return 0;
}

int fit_cmd_undo(struct fit_cli *cli)
{
	struct undo undo = {.session = fit_cli_session(cli),
		.cli = cli,
		.seen = {.lock_fd = -1},
		.state = {.lock_fd = -1},
		.done = json_object_new_array()};
	struct fit_err err = FIT_ERR_INIT;
	int code = FIT_EXIT_DONE;

	if (run(&undo, cli->arg_count ? cli->args[0] : NULL, &err) < 0)
		code = fit_cli_fail(&err);
	else if (cli->json)
		code = fit_cli_print_json(json_object_get(undo.done));
	json_object_put(undo.done);
	fit_strlist_clear(&undo.idle);
	fit_state_close(&undo.state);
	fit_state_close(&undo.seen);
	fit_session_close(&undo.session);
	return undo.failed ? FIT_EXIT_FAILED : code;
}
