/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/value.h"

#include <errno.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/resource_kinds.h"
#include "sys/wanted.h"

struct fit_cpuset fit_online_cpus(const struct fit_fsroot *root)
{
	fit_autofree char *text = fit_fsroot_try_read(root, FIT_PATH_CPU_ONLINE);
	struct fit_cpuset online = {0};

	if (text && fit_cpuset_parse_list(text, &online, NULL) < 0)
		online = (struct fit_cpuset){0};
	return online;
}

static int compare_claims(const void *a, const void *b)
{
	const struct fit_claim_entry *const *claim_a = a;
	const struct fit_claim_entry *const *claim_b = b;

	return ((*claim_a)->sequence > (*claim_b)->sequence) -
	       ((*claim_a)->sequence < (*claim_b)->sequence);
}

char *fit_value_target(const struct fit_state *state, const struct fit_ledger_entry *entry,
	const struct fit_cpuset *online)
{
	fit_autostrlist struct fit_strlist contributions = {0};
	fit_autofree const struct fit_claim_entry **claims = NULL;
	size_t count = 0;

	for (size_t i = 0; i < state->journal_count; i++) {
		const struct fit_journal *journal = &state->journals[i];

		for (size_t j = 0; j < journal->claim_count; j++)
			if (journal->claims[j].hash == entry->hash &&
				fit_streq(journal->claims[j].path, entry->path))
				*FIT_APPEND(claims, count) = &journal->claims[j];
	}
	if (count)
		qsort(claims, count, sizeof(*claims), compare_claims);
	for (size_t i = 0; i < count; i++)
		fit_strlist_add(&contributions, claims[i]->contribution);
	return fit_resource_target(entry->kind, entry->baseline, &contributions, online);
}

bool fit_value_is_claimed(const struct fit_state *state, const char *path)
{
	uint64_t hash = fit_text_hash(path);

	for (size_t i = 0; i < state->journal_count; i++) {
		const struct fit_journal *journal = &state->journals[i];

		for (size_t j = 0; j < journal->claim_count; j++)
			if (journal->claims[j].hash == hash &&
				fit_streq(journal->claims[j].path, path))
				return true;
	}
	return false;
}

char *fit_value_read(const struct fit_fsroot *root, enum fit_resource_kind kind, const char *path)
{
	const struct fit_resource_ops *ops = fit_resource_ops(kind);

	return ops->read ? ops->read(root, kind, path) : fit_fsroot_try_read(root, path);
}

char *fit_value_now(const struct fit_state *state, enum fit_resource_kind kind, const char *path)
{
	const struct fit_resource_ops *ops = fit_resource_ops(kind);
	const char *heard = ops->heard ? ops->heard(state, kind) : NULL;

	if (ops->heard)
		return heard ? fit_xstrdup(heard) : NULL;
	return fit_value_read(state->root, kind, path);
}

char *fit_value_identity(
	const struct fit_fsroot *root, enum fit_resource_kind kind, const char *path)
{
	const struct fit_resource_ops *ops = fit_resource_ops(kind);

	return ops->identity ? ops->identity(root, path) : fit_xstrdup("");
}

char *fit_value_obstacle(const struct fit_state *state, const struct fit_ledger_entry *entry,
	const char *current, const char *target, const char *uuid)
{
	const struct fit_resource_ops *ops = fit_resource_ops(entry->kind);

	return ops->obstacle ? ops->obstacle(state, entry, current, target, uuid) : NULL;
}

static int write_and_read(const struct fit_state *state, const struct fit_ledger_entry *entry,
	const char *target, struct fit_err *err)
{
	const struct fit_resource_ops *ops = fit_resource_ops(entry->kind);
	fit_autofree char *now = NULL;

	if (ops->write)
		return ops->write(state, entry->kind, entry->path, target, err);
	if (fit_fsroot_write(state->root, entry->path, target, err) < 0)
		return -1;
	now = fit_value_now(state, entry->kind, entry->path);
	if (now && fit_resource_equal(entry->kind, now, target))
		return 0;
	return fit_err_set(err, FIT_ERR_REFUSED, "/%s: '%s' was written, '%s' is there",
		entry->path, target, now ? now : "");
}

int fit_value_write(struct fit_state *state, struct fit_ledger_entry *entry, const char *target,
	struct fit_err *err)
{
	struct fit_err problem = FIT_ERR_INIT;
	fit_autofree char *now = NULL;

	if (write_and_read(state, entry, target, &problem) == 0)
		return 0;
	if (problem.sys_errno == EINTR)
		(void)fit_err_prefix(&problem, "the kernel took too long: ");
	if (!fit_resource_ops(entry->kind)->lags && problem.code == FIT_ERR_REFUSED)
		now = fit_value_now(state, entry->kind, entry->path);
	/* When there is no room for that, it is known in memory at least. */
	if (now && !fit_ledger_entry_is_ours(entry, now)) {
		fit_ledger_entry_will_write(entry, now);
		(void)fit_state_save_ledger(state, NULL);
	}
	if (err)
		*err = problem;
	return -1;
}

void fit_value_announce(const struct fit_state *state, struct fit_ledger_entry *entry,
	const char *current, const char *target)
{
	/* What was written earlier cannot come back. */
	if (!fit_resource_ops(entry->kind)->lags)
		fit_strlist_clear(&entry->written);
	fit_ledger_entry_will_write(entry, current);
	fit_ledger_entry_will_write(entry, target);
	if (entry->kind == FIT_RESOURCE_VFS)
		fit_ledger_entry_will_write(entry, "0");
	if (fit_resource_ops(entry->kind)->announce)
		fit_resource_ops(entry->kind)->announce(state->root, entry, target);
}
