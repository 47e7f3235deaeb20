/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking claims back. For every resource concerned: the value that the remaining claims ask for is
 * there already: nothing. What is there can be from us: the value is written. Otherwise somebody
 * else changed it: it is left and said. A value that cannot go back yet, because somebody uses what
 * would go away, keeps its entry in the ledger and is tried again at every later undo.
 *
 * The stop of a domain cannot be refused, also when there is no room for the state. Then a value
 * that the ledger on disk knows already (a baseline, above all) is written all the same: whoever
 * comes next recognises it.
 */
#include "sys/undo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/irqbalance.h"
#include "sys/value.h"
#include "sys/wanted.h"

/* What is to be done about one resource. */
struct restore {
	char *path;
	uint64_t hash; /* of it */
	char *target;  /* NULL: nothing is written */
	bool known;    /* the ledger on disk tells that @target can be there because of us */
	bool refused;  /* by the host, just now */
};

struct restores {
	struct restore *items;
	size_t count;
};

static void clear_restores(struct restores *restores)
{
	for (size_t i = 0; i < restores->count; i++) {
		free(restores->items[i].path);
		free(restores->items[i].target);
	}
	free(restores->items);
}

/* In front of the one at @index. */
static void insert_restore(struct restores *restores, size_t index, const char *path)
{
	struct restore *items;

	(void)FIT_APPEND(restores->items, restores->count);
	items = restores->items;
	memmove(items + index + 1, items + index, (restores->count - index - 1) * sizeof(*items));
	items[index] = (struct restore){.path = fit_xstrdup(path), .hash = fit_text_hash(path)};
}

static bool is_selected(const struct fit_claim_filter *filter, const struct fit_claim_entry *claim)
{
	return claim->sequence >= filter->first && claim->undo <= filter->until &&
	       (!filter->paths || fit_strlist_contains(filter->paths, claim->path));
}

/* Takes the claims out of the journal (in memory) and lists their resources, latest first. */
static void release_claims(struct fit_journal *journal, const struct fit_claim_filter *filter,
	struct restores *restores)
{
	size_t kept = 0;

	for (size_t i = journal->claim_count; i-- > 0;)
		if (is_selected(filter, &journal->claims[i]))
			insert_restore(restores, restores->count, journal->claims[i].path);
	for (size_t i = 0; i < journal->claim_count; i++) {
		struct fit_claim_entry *claim = &journal->claims[i];

		if (is_selected(filter, claim))
			fit_claim_entry_clear(claim);
		else
			journal->claims[kept++] = *claim;
	}
	journal->claim_count = kept;
}

static bool is_of(const struct restore *restore, const struct fit_ledger_entry *entry)
{
	return restore->hash == entry->hash && fit_streq(restore->path, entry->path);
}

/* What earlier undos had to leave, or were killed over; but not what can be claimed by a domain
 * whose journal is damaged and stays. Latest first, as above, and among those: the channels of a
 * card go back before its VFs do. */
static void add_unsettled(
	const struct fit_state *state, const struct fit_journal *leaving, struct restores *restores)
{
	size_t place = 0; /* behind those of later entries */

	for (size_t i = 0; i < state->journal_count; i++)
		if (state->journals[i].damage && &state->journals[i] != leaving)
			return;
	for (size_t i = state->ledger.count; i-- > 0;) {
		const struct fit_ledger_entry *entry = &state->ledger.items[i];
		size_t found = restores->count;

		for (size_t j = 0; j < restores->count && found == restores->count; j++)
			if (is_of(&restores->items[j], entry))
				found = j;
		if (found < restores->count)
			place = found + 1 > place ? found + 1 : place;
		else if (entry->pending || !fit_value_is_claimed(state, entry->path))
			insert_restore(restores, place++, entry->path);
	}
}

/* A pool that somebody else enlarged meanwhile gives back our part only: the rest is theirs. */
static bool rebase_pages(struct fit_ledger_entry *entry, const char *current)
{
	uint64_t value = fit_resource_number(current);
	uint64_t ours = fit_resource_number(entry->baseline);

	if (entry->kind != FIT_RESOURCE_PAGES)
		return false;
	for (size_t i = 0; i < entry->written.count; i++)
		if (fit_resource_number(entry->written.items[i]) > ours)
			ours = fit_resource_number(entry->written.items[i]);
	if (value <= ours)
		return false;
	value = fit_resource_number(entry->baseline) + value - ours;
	free(entry->baseline);
	entry->baseline = fit_xasprintf("%llu", (unsigned long long)value);
	return true;
}

static void decide(struct fit_state *state, struct restore *restore, const char *uuid,
	const struct fit_cpuset *online, struct fit_strlist *notes)
{
	struct fit_ledger_entry *entry = fit_ledger_find(&state->ledger, restore->path);
	fit_autofree char *current = entry ? fit_value_now(state, entry->kind, entry->path) : NULL;
	fit_autofree char *identity =
		entry ? fit_value_identity(state->root, entry->kind, entry->path) : NULL;
	fit_autofree char *target = NULL;
	fit_autofree char *obstacle = NULL;
	bool waited;
	bool lags;

	if (!entry && state->ledger.damage && notes)
		fit_strlist_addf(notes,
			"/%s: what was there before is not known any more (%s): left as it is",
			restore->path, state->ledger.damage);
	/* A call of the hook that came twice has made two claims: one write is enough. After a
	 * second one that failed half-way, what it left would not be known as ours any more. */
	if (!entry || entry->decided)
		return;
	entry->decided = true;
	waited = entry->pending;
	entry->pending = false;
	lags = fit_resource_ops(entry->kind)->lags;
	if (!current && lags && fit_streq(identity, entry->identity))
		current = fit_xstrdup(entry->baseline);
	/* The device or the interrupt is gone, and its settings with it. */
	if (!current || !fit_streq(identity, entry->identity)) {
		if (current && waited && notes && entry->kind != FIT_RESOURCE_IRQ)
			fit_strlist_addf(notes,
				"/%s: it could not be given back before, and is another one by "
				"now: left at '%s' (it was '%s' before)",
				entry->path, current, entry->baseline);
		return;
	}
	target = fit_value_target(state, entry, online);
	if (fit_resource_equal(entry->kind, current, target) &&
		(!lags || fit_ledger_entry_wrote_last(entry, target)))
		return;
	if (!fit_ledger_entry_is_ours(entry, current)) {
		if (!rebase_pages(entry, current)) {
			/* irqbalance moves interrupts as it likes. */
			if (notes && (entry->kind != FIT_RESOURCE_IRQ ||
					     !fit_irqbalance_runs(state->root)))
				fit_strlist_addf(notes,
					"/%s: '%s' is there, which is not from virt-fit: left so "
					"(it was '%s' before)",
					entry->path, current, entry->baseline);
			return;
		}
		free(target);
		target = fit_value_target(state, entry, online);
	}
	obstacle = fit_value_obstacle(state, entry, current, target, uuid);
	if (obstacle) {
		entry->pending = true;
		/* Beside other domains that is as it should be. */
		if (notes && !fit_value_is_claimed(state, entry->path))
			fit_strlist_add(notes, obstacle);
		return;
	}
	restore->known = fit_ledger_entry_is_ours(entry, target);
	fit_value_announce(state, entry, current, target);
	restore->target = FIT_STEAL(target);
}

/* Returns -1 when a value that matters could not be restored. It is tried again at the next undo.
 */
static int write_restore(struct fit_state *state, struct restore *restore,
	struct fit_strlist *notes, struct fit_err *err)
{
	struct fit_ledger_entry *entry = fit_ledger_find(&state->ledger, restore->path);
	struct fit_err problem = FIT_ERR_INIT;

	restore->refused = false;
	if (fit_value_write(state, entry, restore->target, &problem) == 0) {
		/* What else was announced cannot be there any more. */
		if (!fit_resource_ops(entry->kind)->lags)
			fit_strlist_clear(&entry->written);
		fit_ledger_entry_will_write(entry, restore->target);
		entry->pending = false;
		return 0;
	}
	if (problem.sys_errno == ENOENT)
		return 0;
	restore->refused = true;
	if (notes)
		fit_strlist_add(notes, problem.message);
	entry->pending = true;
	if (entry->kind == FIT_RESOURCE_IRQ)
		return 0;
	if (err)
		*err = problem;
	return -1;
}

static void drop_unclaimed(struct fit_state *state, const struct restores *restores)
{
	for (size_t i = 0; i < restores->count; i++) {
		const char *path = restores->items[i].path;
		const struct fit_ledger_entry *entry = fit_ledger_find(&state->ledger, path);

		if (entry && !entry->pending && !fit_value_is_claimed(state, path))
			fit_ledger_drop(&state->ledger, path);
	}
}

/* Without its claims the journal is saved, or removed at the end, which needs no room. */
static int settle_journal(struct fit_state *state, struct fit_journal *journal,
	const struct fit_claim_filter *filter, struct fit_err *err)
{
	if (!journal)
		return 0;
	return filter->last ? fit_state_remove_journal(state, journal, err)
			    : fit_state_save_journal(state, journal, err);
}

/* A card that does not take a setting while it has VFs may do so when they are gone, which is by
 * the same undo. What else is different then was made so by us: it is the same card. */
static bool beside_vfs(const struct fit_state *state, const struct restore *restore)
{
	return fit_ledger_find(&state->ledger, restore->path)->kind == FIT_RESOURCE_ETHTOOL;
}

static int write_refused(struct fit_state *state, struct restores *restores,
	struct fit_strlist *notes, struct fit_err *err)
{
	int result = 0;

	for (size_t i = 0; i < restores->count; i++) {
		struct restore *restore = &restores->items[i];
		struct fit_ledger_entry *entry;
		fit_autofree char *current = NULL;
		fit_autofree char *identity = NULL;

		if (!restore->refused || !beside_vfs(state, restore))
			continue;
		entry = fit_ledger_find(&state->ledger, restore->path);
		identity = fit_value_identity(state->root, entry->kind, entry->path);
		fit_xreplace(&entry->identity, identity);
		/* The card itself may have gone back with its VFs. */
		current = fit_value_now(state, entry->kind, entry->path);
		if (!current || !fit_ledger_entry_is_ours(entry, current))
			entry->pending = false;
		else if (write_restore(state, restore, notes, err) < 0)
			result = -1;
	}
	return result;
}

/* @unsaved: why the ledger on disk does not know what is about to be written; NULL: it does. */
static int write_restores(struct fit_state *state, struct restores *restores,
	const struct fit_err *unsaved, struct fit_strlist *notes, struct fit_err *err)
{
	int result = 0;

	for (size_t i = 0; i < restores->count; i++) {
		struct restore *restore = &restores->items[i];
		bool again = restore->target && beside_vfs(state, restore);

		if (!restore->target)
			continue;
		if (unsaved && !restore->known) {
			fit_ledger_find(&state->ledger, restore->path)->pending = true;
			result = fit_err_set(err, unsaved->code, "%s", unsaved->message);
		} else if (write_restore(state, restore, again ? NULL : notes, again ? NULL : err) <
				   0 &&
			   !again) {
			result = -1;
		}
	}
	return write_refused(state, restores, notes, err) < 0 ? -1 : result;
}

int fit_undo_claims(struct fit_state *state, struct fit_journal *journal,
	const struct fit_claim_filter *filter, struct fit_strlist *notes, struct fit_err *err)
{
	FIT_CLEANUP(clear_restores) struct restores restores = {0};
	struct fit_cpuset online = fit_online_cpus(state->root);
	struct fit_err problem = FIT_ERR_INIT;
	bool writes = false;
	bool saved;
	int result;

	if (journal)
		release_claims(journal, filter, &restores);
	add_unsettled(state, filter->last ? journal : NULL, &restores);
	if (!restores.count)
		return settle_journal(state, journal, filter, err);
	for (size_t i = 0; i < state->ledger.count; i++)
		state->ledger.items[i].decided = false;
	for (size_t i = 0; i < restores.count; i++) {
		decide(state, &restores.items[i], journal ? journal->uuid : "", &online, notes);
		writes |= restores.items[i].target != NULL;
	}
	saved = !writes || fit_state_save_ledger(state, &problem) == 0;
	result = write_restores(state, &restores, saved ? NULL : &problem, notes, err);
	/* What the journal on disk still claims keeps its entry. */
	if (settle_journal(state, journal, filter, err) < 0)
		return -1;
	drop_unclaimed(state, &restores);
	return fit_state_save_ledger(state, err) < 0 ? -1 : result;
}
