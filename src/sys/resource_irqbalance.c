/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What irqbalance leaves alone: the CPUs of domains, and the interrupts that were steered. Without
 * the first it would move interrupts of others back to the domains' CPUs, without the second those
 * of their devices away. Below another root than "/" two files stand for it.
 *
 * It takes its time to take in what it is told, so what it says is not always up to date: see
 * `lags` in sys/resource.h. And it can take seconds to answer, so it is asked before the lock is
 * taken. A claim for one that did not answer has no entry in the ledger until it does.
 */
#include "sys/resource_kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/cpuset.h"
#include "sys/irqbalance.h"
#include "sys/paths.h"
#include "sys/value.h"
#include "sys/wanted.h"

#define NONE	 "none"
#define CPUS_KEY FIT_PATH_IRQBALANCE "/cpus"
#define IRQS_KEY FIT_IRQBALANCE_IRQS_KEY
#define ROOM	 FIT_PATH_IRQBALANCE "/room"

/* A release that is deaf between two scans (1.9.2) is so for seconds: the watcher asks again. */
#define ASK_MS 1000

static enum fit_irqbalance_list list_of(enum fit_resource_kind kind)
{
	return kind == FIT_RESOURCE_BANNED_CPUS ? FIT_IRQBALANCE_CPUS : FIT_IRQBALANCE_IRQS;
}

static void ask(const struct fit_fsroot *root, struct fit_irqbalance_answer *ret_answer)
{
	int64_t room = 0;

	if (root->real) {
		fit_irqbalance_ask(root, ASK_MS, ret_answer);
		return;
	}
	(void)fit_fsroot_try_read_int(root, ROOM, &room);
	*ret_answer = (struct fit_irqbalance_answer){
		.cpus = fit_fsroot_try_read(root, CPUS_KEY),
		.irqs = fit_fsroot_try_read(root, IRQS_KEY),
		.room = room > 0 ? (size_t)room : SIZE_MAX,
	};
}

static char *list_in(const struct fit_irqbalance_answer *answer, enum fit_resource_kind kind)
{
	return kind == FIT_RESOURCE_BANNED_CPUS ? answer->cpus : answer->irqs;
}

/* For who only looks. */
static char *read_list(
	const struct fit_fsroot *root, enum fit_resource_kind kind, const char *path FIT_UNUSED)
{
	struct fit_irqbalance_answer answer;
	char *list;

	ask(root, &answer);
	list = list_in(&answer, kind);
	list = list ? fit_xstrdup(list) : NULL;
	fit_irqbalance_answer_clear(&answer);
	return list;
}

static const char *heard_list(const struct fit_state *state, enum fit_resource_kind kind)
{
	return list_in(&state->irqbalance, kind);
}

static int write_list(const struct fit_state *state, enum fit_resource_kind kind, const char *path,
	const char *target, struct fit_err *err)
{
	return state->root->real ? fit_irqbalance_write(state->root, list_of(kind), target,
					   state->irqbalance.room, err)
				 : fit_fsroot_write(state->root, path, target, err);
}

static char *identity_of(const struct fit_fsroot *root, const char *path FIT_UNUSED)
{
	char *name = root->real ? fit_irqbalance_find(root)
				: fit_fsroot_try_read(root, FIT_PATH_IRQBALANCE "/name");

	return name ? name : fit_xstrdup("");
}

static bool equal_cpus(enum fit_resource_kind kind FIT_UNUSED, const char *a, const char *b)
{
	struct fit_cpuset set_a, set_b;

	if (fit_cpuset_parse_list(a, &set_a, NULL) == 0 &&
		fit_cpuset_parse_list(b, &set_b, NULL) == 0)
		return fit_cpuset_equal(&set_a, &set_b);
	return fit_streq(a, b);
}

/* All of them. A baseline that is unchanged stays as it is written. */
static char *unite_cpus(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online FIT_UNUSED)
{
	struct fit_cpuset cpus = {0};
	struct fit_cpuset more;

	if (!fit_streq(baseline, NONE) && fit_cpuset_parse_list(baseline, &cpus, NULL) < 0)
		return fit_xstrdup(baseline);
	for (size_t i = 0; i < contributions->count; i++)
		if (fit_cpuset_parse_list(contributions->items[i], &more, NULL) == 0)
			fit_cpuset_unite(&cpus, &more);
	return fit_cpuset_format_list(&cpus);
}

static char *unite_irqs(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online FIT_UNUSED)
{
	fit_autostrlist struct fit_strlist all = {0};
	fit_autostrlist struct fit_strlist each = {0};

	if (!fit_streq(baseline, NONE))
		fit_strlist_split(&all, baseline, " ");
	for (size_t i = 0; i < contributions->count; i++)
		fit_strlist_split(&each, contributions->items[i], " ");
	for (size_t i = 0; i < each.count; i++)
		if (!fit_strlist_contains(&all, each.items[i]))
			fit_strlist_add(&all, each.items[i]);
	return all.count ? fit_strlist_join(&all, " ") : fit_xstrdup(NONE);
}

static char *describe_cpus(enum fit_resource_kind kind FIT_UNUSED, const char *contribution)
{
	struct fit_cpuset cpus;
	fit_autofree char *described = NULL;

	if (fit_cpuset_parse_list(contribution, &cpus, NULL) < 0)
		return fit_xstrdup(contribution);
	described = fit_cpuset_describe(&cpus, "CPU");
	return fit_xasprintf("irqbalance off %s", described);
}

static char *describe_irqs(enum fit_resource_kind kind FIT_UNUSED, const char *contribution)
{
	return fit_xasprintf("irqbalance leaves alone: %s", contribution);
}

const struct fit_resource_ops fit_resource_banned_cpus = {
	.name = "banned-cpus",
	.equal = equal_cpus,
	.target = unite_cpus,
	.describe = describe_cpus,
	.read = read_list,
	.heard = heard_list,
	.write = write_list,
	.identity = identity_of,
	.lags = true,
};

const struct fit_resource_ops fit_resource_banned_irqs = {
	.name = "banned-irqs",
	.target = unite_irqs,
	.describe = describe_irqs,
	.read = read_list,
	.heard = heard_list,
	.write = write_list,
	.identity = identity_of,
	.lags = true,
};

bool fit_irqbalance_runs(const struct fit_fsroot *root)
{
	fit_autofree char *identity = identity_of(root, "");

	return *identity;
}

static bool is_banned_kind(enum fit_resource_kind kind)
{
	return kind == FIT_RESOURCE_BANNED_CPUS || kind == FIT_RESOURCE_BANNED_IRQS;
}

static bool has_claim(const struct fit_state *state, bool without_entry)
{
	for (size_t i = 0; i < state->journal_count; i++)
		for (size_t j = 0; j < state->journals[i].claim_count; j++) {
			const struct fit_claim_entry *claim = &state->journals[i].claims[j];

			if (is_banned_kind(claim->kind) &&
				!(without_entry && fit_ledger_find(&state->ledger, claim->path)))
				return true;
		}
	return false;
}

bool fit_irqbalance_is_claimed(const struct fit_state *state)
{
	for (size_t i = 0; i < state->ledger.count; i++)
		if (is_banned_kind(state->ledger.items[i].kind))
			return true;
	return has_claim(state, false);
}

bool fit_irqbalance_is_awaited(const struct fit_state *state)
{
	return has_claim(state, true);
}

/* Without the lock: what changes in between is no harm. */
static bool was_told(const struct fit_fsroot *root)
{
	struct fit_state state;
	bool told;

	if (fit_state_snapshot(root, &state, NULL) < 0)
		return false;
	told = fit_irqbalance_is_claimed(&state);
	fit_state_close(&state);
	return told;
}

int fit_irqbalance_open_state(const struct fit_fsroot *root, bool tells, int64_t wait_ms,
	int64_t work_ms, struct fit_state *ret_state, struct fit_err *err)
{
	struct fit_irqbalance_answer answer = {0};

	if (fit_irqbalance_runs(root) && (tells || was_told(root)))
		ask(root, &answer);
	if (fit_state_open(root, wait_ms, work_ms, ret_state, err) < 0) {
		fit_irqbalance_answer_clear(&answer);
		return -1;
	}
	ret_state->irqbalance = answer;
	return 0;
}

size_t fit_irqbalance_room(const struct fit_state *state, const struct fit_journal *journal)
{
	const struct fit_ledger_entry *entry = fit_ledger_find(&state->ledger, IRQS_KEY);
	const char *baseline = entry ? entry->baseline : state->irqbalance.irqs;
	fit_autostrlist struct fit_strlist others = {0};
	fit_autofree char *list = NULL;
	fit_autofree char *command = NULL;
	size_t taken;

	for (size_t i = 0; i < state->journal_count; i++)
		for (size_t j = 0; j < state->journals[i].claim_count; j++)
			if (state->journals[i].claims[j].kind == FIT_RESOURCE_BANNED_IRQS &&
				&state->journals[i] != journal)
				fit_strlist_add(&others, state->journals[i].claims[j].contribution);
	list = unite_irqs(FIT_RESOURCE_BANNED_IRQS, baseline ? baseline : NONE, &others, NULL);
	command = fit_irqbalance_command(FIT_IRQBALANCE_IRQS, list);
	taken = strlen(command);
	return taken < state->irqbalance.room ? state->irqbalance.room - taken : 0;
}

void fit_irqbalance_expand_cpus(struct fit_expansion *expansion, const struct fit_op *op)
{
	if (fit_irqbalance_runs(expansion->state->root))
		fit_wanted_set(&expansion->wanted, FIT_RESOURCE_BANNED_CPUS, op,
			fit_xstrdup(CPUS_KEY), fit_cpuset_format_list(&op->cpus));
}

/* Those that were made while it did not answer. */
static void add_entries(struct fit_state *state)
{
	for (size_t i = 0; i < state->journal_count; i++)
		for (size_t j = 0; j < state->journals[i].claim_count; j++) {
			const struct fit_claim_entry *claim = &state->journals[i].claims[j];

			if (is_banned_kind(claim->kind) && heard_list(state, claim->kind) &&
				!fit_ledger_find(&state->ledger, claim->path))
				fit_ledger_add(&state->ledger, claim->kind, claim->path, "",
					heard_list(state, claim->kind));
		}
}

static bool has_to_be_told(const struct fit_state *state, const struct fit_ledger_entry *entry)
{
	fit_autofree char *identity = identity_of(state->root, entry->path);

	return is_banned_kind(entry->kind) && heard_list(state, entry->kind) && *identity &&
	       !fit_streq(identity, entry->identity);
}

static void renew(struct fit_state *state, struct fit_ledger_entry *entry)
{
	struct fit_cpuset online = fit_online_cpus(state->root);
	const char *heard = heard_list(state, entry->kind);
	fit_autofree char *identity = identity_of(state->root, entry->path);
	fit_autofree char *target = NULL;

	fit_xreplace(&entry->baseline, heard);
	fit_xreplace(&entry->identity, identity);
	fit_strlist_clear(&entry->written);
	target = fit_value_target(state, entry, &online);
	fit_value_announce(state, entry, heard, target);
}

int fit_irqbalance_reassert(struct fit_state *state, struct fit_err *err)
{
	struct fit_cpuset online = fit_online_cpus(state->root);
	struct fit_ledger *ledger = &state->ledger;
	fit_autofree bool *due = NULL;
	bool any = false;
	int result = 0;

	add_entries(state);
	due = fit_xcalloc(ledger->count + 1, sizeof(*due));
	for (size_t i = 0; i < ledger->count; i++) {
		due[i] = has_to_be_told(state, &ledger->items[i]);
		any |= due[i];
		if (due[i])
			renew(state, &ledger->items[i]);
	}
	if (any && fit_state_save_ledger(state, err) < 0)
		return -1;
	for (size_t i = 0; i < ledger->count; i++) {
		fit_autofree char *target =
			due[i] ? fit_value_target(state, &ledger->items[i], &online) : NULL;

		if (target && fit_value_write(state, &ledger->items[i], target, err) < 0)
			result = -1;
	}
	return result;
}
