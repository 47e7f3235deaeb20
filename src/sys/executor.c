/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applying writes the ledger, then the journal, then the host; taking back writes the ledger (new
 * values that will be there because of us), the host, the journal, and the ledger again. So on disk
 * every claim has its entry, every value of ours is in its entry's `written` before it is in the
 * kernel, and an entry that has lost its last claim is settled by whoever comes next.
 */
#include "sys/executor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/paths.h"
#include "sys/threads.h"
#include "sys/undo.h"
#include "sys/value.h"
#include "sys/vectors.h"
#include "sys/wanted.h"

static void note(struct fit_strlist *notes, const char *text)
{
	if (notes)
		fit_strlist_add(notes, text);
}

static uint64_t next_sequence(const struct fit_state *state)
{
	uint64_t last = 0;

	for (size_t i = 0; i < state->journal_count; i++)
		for (size_t j = 0; j < state->journals[i].claim_count; j++)
			if (state->journals[i].claims[j].sequence > last)
				last = state->journals[i].claims[j].sequence;
	return last + 1;
}

static int expand_one(struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err)
{
	switch (op->kind) {
	case FIT_OP_VF:
		return fit_vf_expand(expansion, op, err);
	case FIT_OP_PAGES:
		return fit_pages_expand(expansion, op, err);
	case FIT_OP_SETTING:
		return fit_host_setting_expand(expansion, op, err);
	case FIT_OP_ISOLATE:
		return fit_isolation_expand(expansion, op, err);
	case FIT_OP_PARTITION:
		fit_partition_expand(expansion, op);
		break;
	case FIT_OP_VF_ATTRIBUTE:
		return fit_vf_attribute_expand(expansion, op, err);
	case FIT_OP_ETHTOOL:
		return fit_ethtool_expand(expansion, op, err);
	case FIT_OP_DRIVER:
		return fit_driver_expand(expansion, op, err);
	case FIT_OP_PF_UP:
		return fit_pf_up_expand(expansion, op, err);
	case FIT_OP_THREADS:	 /* nothing of the host's */
	case FIT_OP_IRQS_DEVICE: /* by the journal: they come and go, see vectors.h */
		break;
	case FIT_OP_IRQS_ELSEWHERE:
		fit_irqs_expand_elsewhere(expansion, op);
		break;
	}
	return 0;
}

/* Says of the notes from @first on which line of a profile asked for it. */
static void place_notes(struct fit_strlist *notes, size_t first, const char *where)
{
	for (size_t i = first; notes && i < notes->count; i++) {
		char *placed = fit_xasprintf("%s: %s", where, notes->items[i]);

		free(notes->items[i]);
		notes->items[i] = placed;
	}
}

static int expand(struct fit_expansion *expansion, const struct fit_hostops *ops,
	enum fit_phase phase, struct fit_err *err)
{
	for (size_t i = 0; i < ops->count; i++) {
		const struct fit_op *op = &ops->items[i];
		size_t noted = expansion->notes ? expansion->notes->count : 0;

		if (op->apply != phase)
			continue;
		if (expand_one(expansion, op, err) < 0)
			return op->where ? fit_err_prefix(err, "%s: ", op->where) : -1;
		if (op->where)
			place_notes(expansion->notes, noted, op->where);
	}
	return 0;
}

int fit_executor_check(const struct fit_state *state, const struct fit_journal *journal,
	const struct fit_hostops *ops, enum fit_phase phase, struct fit_err *err)
{
	struct fit_expansion expansion = {
		.state = state,
		.journal = journal,
	};
	int result = expand(&expansion, ops, phase, err);

	fit_wanted_clear(&expansion.wanted);
	return result;
}

static void drop_claim(struct fit_journal *journal, struct fit_claim_entry *claim)
{
	size_t index = (size_t)(claim - journal->claims);

	fit_claim_entry_clear(claim);
	memmove(claim, claim + 1, (journal->claim_count - index - 1) * sizeof(*claim));
	journal->claim_count--;
}

/* The vector of another domain is gone, which nobody has looked for yet, and its number is another
 * interrupt by now: that is not to go where the vector was. The claim ends on disk before the entry
 * there is of the new one. */
static int end_placement(struct fit_state *state, const struct fit_journal *journal,
	const struct fit_wanted *wanted, struct fit_err *err)
{
	const struct fit_ledger_entry *entry = fit_ledger_find(&state->ledger, wanted->path);

	if (wanted->kind != FIT_RESOURCE_IRQ || !entry)
		return 0;
	for (size_t i = 0; i < state->journal_count; i++) {
		struct fit_journal *other = &state->journals[i];
		struct fit_claim_entry *claim = fit_vectors_claim(other, wanted->path);
		fit_autofree char *identity =
			claim ? fit_value_identity(state->root, wanted->kind, wanted->path) : NULL;

		if (other == journal || !claim || fit_streq(entry->identity, identity))
			continue;
		drop_claim(other, claim);
		if (fit_state_save_journal(state, other, err) < 0)
			return -1;
	}
	return 0;
}

/* The entry of a resource that is about to be claimed. A value that somebody else set since the
 * last claim, or an interrupt that took over the number, is a new baseline. */
static struct fit_ledger_entry *claim_entry(struct fit_state *state,
	const struct fit_wanted *wanted, const char *current, const struct fit_cpuset *online)
{
	fit_autofree char *identity = fit_value_identity(state->root, wanted->kind, wanted->path);
	struct fit_ledger_entry *entry = fit_ledger_find(&state->ledger, wanted->path);
	uint64_t claimed;

	if (!entry)
		return fit_ledger_add(
			&state->ledger, wanted->kind, wanted->path, identity, current);
	if (fit_ledger_entry_is_ours(entry, current) && fit_streq(entry->identity, identity))
		return entry;
	if (entry->kind == FIT_RESOURCE_PAGES) {
		fit_autofree char *expected = fit_value_target(state, entry, online);
		uint64_t value = fit_resource_number(current);

		claimed = fit_resource_number(expected) - fit_resource_number(entry->baseline);
		free(entry->baseline);
		entry->baseline = fit_xasprintf(
			"%llu", (unsigned long long)(value > claimed ? value - claimed : 0));
	} else {
		fit_xreplace(&entry->baseline, current);
	}
	fit_xreplace(&entry->identity, identity);
	return entry;
}

/* The pool must grow by ADDED from what is there now, which can be more than what the claims add up
 * to: surplus pages that are still in use. They become part of this claim. */
static char *adjust_pages(const struct fit_state *state, const struct fit_ledger_entry *entry,
	const char *contribution, const struct fit_cpuset *online)
{
	fit_autofree char *expected = fit_value_target(state, entry, online);
	uint64_t added, wanted;
	int64_t total;

	fit_pages_contribution_read(contribution, &added, &wanted);
	if (!fit_fsroot_try_read_int(state->root, entry->path, &total))
		total = 0;
	total += (int64_t)added - (int64_t)fit_resource_number(expected);
	return fit_pages_contribution(added && total > 0 ? (uint64_t)total : 0, wanted);
}

/* A new one, or the one that @wanted takes the place of. */
static struct fit_claim_entry *claim_for(
	const struct fit_state *state, struct fit_journal *journal, const struct fit_wanted *wanted)
{
	struct fit_claim_entry claim = {
		.sequence = next_sequence(state),
		.kind = wanted->kind,
		.undo = wanted->undo,
	};
	struct fit_claim_entry *made;

	for (size_t i = 0; wanted->replaces && i < journal->claim_count; i++)
		if (journal->claims[i].kind == wanted->kind &&
			fit_streq(journal->claims[i].path, wanted->path))
			return &journal->claims[i];
	made = FIT_APPEND(journal->claims, journal->claim_count);
	*made = claim;
	made->path = fit_xstrdup(wanted->path);
	made->hash = wanted->hash;
	return made;
}

static bool suffices(const struct fit_ledger_entry *entry, const char *current, const char *target)
{
	const struct fit_resource_ops *ops = fit_resource_ops(entry->kind);

	return ops->suffices && fit_ledger_entry_is_ours(entry, current) &&
	       ops->suffices(current, target);
}

/* Other writes of the same phase do not change it: of a thousand interrupts each reading counts. */
static bool stays_as_found(const struct fit_wanted *wanted)
{
	return wanted->kind == FIT_RESOURCE_IRQ;
}

/* What cannot be read now, and takes long to: what was written last. NULL: it is not known. */
static char *assume(const struct fit_state *state, const struct fit_wanted *wanted)
{
	const struct fit_ledger_entry *entry = fit_ledger_find(&state->ledger, wanted->path);
	fit_autofree char *identity = fit_value_identity(state->root, wanted->kind, wanted->path);

	if (!entry || !fit_streq(identity, entry->identity))
		return NULL;
	return fit_xstrdup(entry->written.count ? entry->written.items[entry->written.count - 1]
						: entry->baseline);
}

static char *find_current(const struct fit_state *state, struct fit_wanted *wanted)
{
	char *current = wanted->found ? fit_xstrdup(wanted->found)
				      : fit_value_now(state, wanted->kind, wanted->path);

	if (current || !fit_resource_ops(wanted->kind)->lags)
		return current;
	current = assume(state, wanted);
	wanted->deferred = !current;
	return current;
}

static int claim_one(struct fit_state *state, struct fit_journal *journal,
	struct fit_wanted *wanted, const struct fit_cpuset *online, struct fit_err *err)
{
	fit_autofree char *current = find_current(state, wanted);
	fit_autofree char *target = NULL;
	fit_autofree char *obstacle = NULL;
	fit_autofree char *contribution = NULL;
	struct fit_ledger_entry *entry;

	if (wanted->deferred)
		fit_xreplace(
			&claim_for(state, journal, wanted)->contribution, wanted->contribution);
	if (wanted->deferred || (!current && wanted->kind == FIT_RESOURCE_IRQ))
		return 0;
	if (!current)
		return fit_err_set(err, FIT_ERR_REFUSED, "/%s cannot be read", wanted->path);
	if (end_placement(state, journal, wanted, err) < 0)
		return -1;
	entry = claim_entry(state, wanted, current, online);
	contribution = wanted->kind == FIT_RESOURCE_PAGES
			       ? adjust_pages(state, entry, wanted->contribution, online)
			       : fit_xstrdup(wanted->contribution);
	fit_xreplace(&claim_for(state, journal, wanted)->contribution, contribution);
	target = fit_value_target(state, entry, online);
	if (suffices(entry, current, target)) {
		entry->pending |= !fit_resource_equal(entry->kind, current, target);
		return 0;
	}
	obstacle = fit_value_obstacle(state, entry, current, target, journal->uuid);
	if (obstacle)
		return fit_err_set(err, FIT_ERR_REFUSED, "%s", obstacle);
	fit_value_announce(state, entry, current, target);
	if (stays_as_found(wanted) && !wanted->found)
		wanted->found = FIT_STEAL(current);
	return 0;
}

/* Writes the value of one claim. 1: there was nothing to do or it is done, 0: left out. */
static int write_claim(struct fit_state *state, struct fit_wanted *wanted,
	const struct fit_cpuset *online, struct fit_strlist *notes, struct fit_err *err)
{
	struct fit_ledger_entry *entry = fit_ledger_find(&state->ledger, wanted->path);
	bool lags = fit_resource_ops(wanted->kind)->lags;
	fit_autofree char *current = wanted->found ? fit_xstrdup(wanted->found)
				     : lags	   ? NULL
					    : fit_value_now(state, wanted->kind, wanted->path);
	fit_autofree char *target = entry ? fit_value_target(state, entry, online) : NULL;
	struct fit_err problem = FIT_ERR_INIT;

	if (wanted->deferred)
		note(notes, "irqbalance does not answer: the watcher, if it runs, has it leave "
			    "the domain's CPUs and interrupts alone when it does");
	if (wanted->deferred || !entry)
		return 1;
	if (current && (fit_resource_equal(entry->kind, current, target) ||
			       suffices(entry, current, target)))
		return 1;
	if (fit_clock_passed(state->deadline))
		return fit_err_set(err, FIT_ERR_SYSTEM,
			"out of time: the host took too long to be prepared (at /%s)",
			wanted->path);
	if (fit_value_write(state, entry, target, &problem) == 0)
		return 1;
	if (wanted->compact && problem.code == FIT_ERR_REFUSED &&
		fit_pages_compact(state, wanted->path, notes) &&
		fit_value_write(state, entry, target, &problem) == 0)
		return 1;
	if (!wanted->optional) {
		if (err)
			*err = problem;
		return -1;
	}
	wanted->refused = problem.sys_errno ? problem.sys_errno : -1;
	if (wanted->kind != FIT_RESOURCE_IRQ)
		note(notes, problem.message);
	return 0;
}

/* Of what is of no use alone, all, when one has been refused. */
static void leave_out_together(const struct fit_wanted_list *list, struct fit_strlist *left_out)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct fit_wanted *wanted = &list->items[i];

		if (fit_resource_ops(wanted->kind)->together &&
			!fit_strlist_contains(left_out, wanted->path))
			fit_strlist_add(left_out, wanted->path);
	}
}

int fit_executor_claim(struct fit_state *state, struct fit_journal *journal,
	struct fit_wanted_list *list, struct fit_strlist *notes, struct fit_err *err)
{
	struct fit_cpuset online = fit_online_cpus(state->root);
	fit_autostrlist struct fit_strlist left_out = {0};
	struct fit_claim_filter dropped = {.until = FIT_PHASE_RELEASE, .paths = &left_out};
	size_t interrupts = 0;
	bool broken = false;

	for (size_t i = 0; i < list->count; i++)
		if (claim_one(state, journal, &list->items[i], &online, err) < 0)
			return -1;
	if (fit_state_save_ledger(state, err) < 0 ||
		fit_state_save_journal(state, journal, err) < 0)
		return -1;
	for (size_t i = 0; i < list->count; i++) {
		struct fit_wanted *wanted = &list->items[i];
		bool together = fit_resource_ops(wanted->kind)->together;
		int written;

		if (together && broken)
			continue;
		written = write_claim(state, wanted, &online, notes, err);
		if (written < 0)
			return -1;
		if (written)
			continue;
		broken |= together;
		fit_strlist_add(&left_out, wanted->path);
		interrupts += wanted->kind == FIT_RESOURCE_IRQ;
	}
	if (interrupts && notes)
		fit_strlist_addf(
			notes, "%zu of %zu interrupts cannot be moved", interrupts, list->count);
	if (broken)
		leave_out_together(list, &left_out);
	/* What cannot be taken back either stays pending. */
	if (left_out.count)
		(void)fit_undo_claims(state, journal, &dropped, notes, NULL);
	return 0;
}

int fit_executor_apply(struct fit_state *state, struct fit_journal *journal,
	const struct fit_hostops *ops, enum fit_phase phase, struct fit_strlist *notes,
	struct fit_err *err)
{
	struct fit_expansion expansion = {
		.state = state,
		.journal = journal,
		.notes = notes,
	};
	struct fit_claim_filter new_ones = {
		.first = next_sequence(state),
		.until = FIT_PHASE_RELEASE,
	};
	int result = expand(&expansion, ops, phase, err);

	if (result == 0 && expansion.wanted.count) {
		result = fit_executor_claim(state, journal, &expansion.wanted, notes, err);
		/* The first error is the one to report. */
		if (result < 0)
			(void)fit_undo_claims(state, journal, &new_ones, notes, NULL);
	}
	fit_wanted_clear(&expansion.wanted);
	if (result < 0 || phase != FIT_PHASE_STARTED)
		return result;
	fit_threads_place(state->root, journal->name, ops, notes);
	if (fit_vectors_place(state, journal, NULL, 0, NULL, err) < 0)
		return -1;
	return fit_vectors_ban(state, journal, notes, err);
}

int fit_executor_undo(struct fit_state *state, const char *uuid, enum fit_phase phase,
	struct fit_strlist *notes, struct fit_err *err)
{
	struct fit_journal *journal = fit_state_journal(state, uuid);
	struct fit_claim_filter filter = {.until = phase, .last = phase == FIT_PHASE_RELEASE};

	if (journal && phase >= FIT_PHASE_STOPPED)
		journal->stage = FIT_STAGE_STOPPED;
	return fit_undo_claims(state, journal, &filter, notes, err);
}
