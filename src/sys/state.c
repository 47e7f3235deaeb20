/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/domain.h"
#include "sys/clock.h"
#include "sys/lock.h"
#include "sys/paths.h"

#define INCOMING_MAX_S 60

static void drop_journal(struct fit_state *state, size_t index)
{
	struct fit_journal *journal = &state->journals[index];

	fit_journal_clear(journal);
	memmove(journal, journal + 1, (state->journal_count - index - 1) * sizeof(*journal));
	state->journal_count--;
}

/* Of a domain that was announced and did not come. It holds nothing, and a prepare that does come
 * is that of a start. */
static bool is_expired(const struct fit_fsroot *root, const struct fit_journal *journal)
{
	return journal->stage == FIT_STAGE_INCOMING && !journal->claim_count && !journal->damage &&
	       !fit_state_is_incoming(root, journal);
}

static void drop_expired(const struct fit_state *state, struct fit_journal *journal)
{
	/* If that is not possible now, the next one does it. */
	if (state->lock_fd >= 0)
		(void)fit_journal_remove(state->root, journal->uuid, NULL);
	fit_journal_clear(journal);
}

static int load_journal(struct fit_state *state, const char *name, struct fit_err *err)
{
	fit_autofree char *path = fit_journal_path(name);
	fit_autofree char *text = NULL;
	struct fit_err problem = FIT_ERR_INIT;
	struct fit_journal journal;
	size_t length;

	/* What a writer left that was killed before its rename. */
	if (name[0] == '.')
		return state->lock_fd >= 0 ? fit_fsroot_remove(state->root, path, err) : 0;
	if (fit_fsroot_read(state->root, path, &text, &length, &problem) < 0) {
		/* A snapshot races with removals. */
		if (problem.sys_errno == ENOENT)
			return 0;
		return fit_err_sys(err, problem.sys_errno, "cannot read /%s", path);
	}
	if (fit_journal_parse(text, path, state->boot_id, &journal, &problem) == 0) {
		if (is_expired(state->root, &journal))
			drop_expired(state, &journal);
		else
			*FIT_APPEND(state->journals, state->journal_count) = journal;
		return 0;
	}
	if (problem.code != FIT_ERR_NOTFOUND && fit_uuid_is_valid(name)) {
		fit_journal_salvage(text, path, name, state->boot_id, &journal);
		*FIT_APPEND(state->journals, state->journal_count) = journal;
		return 0;
	}
	if (problem.code != FIT_ERR_NOTFOUND)
		return fit_err_set(err, problem.code, "%s; after a look at the host, remove it",
			problem.message);
	return state->lock_fd >= 0 ? fit_fsroot_remove(state->root, path, err) : 0;
}

static int remove_remains(struct fit_state *state, const char *path, struct fit_err *err)
{
	return state->lock_fd >= 0 && fit_fsroot_exists(state->root, path)
		       ? fit_fsroot_remove(state->root, path, err)
		       : 0;
}

static int load_ledger(struct fit_state *state, struct fit_err *err)
{
	if (fit_ledger_load(state->root, state->boot_id, &state->ledger, err) < 0 ||
		remove_remains(state, FIT_PATH_LEDGER_NEW, err) < 0)
		return -1;
	/* An empty one has no file: that one is of another boot. */
	return state->ledger.count || state->ledger.damage
		       ? 0
		       : remove_remains(state, FIT_PATH_LEDGER, err);
}

static int load(struct fit_state *state, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist names = {0};
	struct fit_err problem = FIT_ERR_INIT;

	state->boot_id = fit_fsroot_try_read(state->root, FIT_PATH_BOOT_ID);
	if (!state->boot_id)
		state->boot_id = fit_xstrdup("unknown");
	if (load_ledger(state, err) < 0)
		return -1;
	if (fit_fsroot_list(state->root, FIT_PATH_DOMAINS, &names, &problem) < 0) {
		if (problem.sys_errno == ENOENT)
			return 0;
		return fit_err_sys(err, problem.sys_errno, "cannot list /" FIT_PATH_DOMAINS);
	}
	for (size_t i = 0; i < names.count; i++)
		if (load_journal(state, names.items[i], err) < 0)
			return -1;
	return 0;
}

int fit_state_open(const struct fit_fsroot *root, int64_t wait_ms, int64_t work_ms,
	struct fit_state *ret_state, struct fit_err *err)
{
	struct fit_state state = {.root = root, .lock_fd = -1};

	if (fit_fsroot_make_directories(root, FIT_PATH_DOMAINS, 0700, err) < 0 ||
		fit_lock_take(root, fit_clock_ms() + wait_ms, &state.lock_fd, err) < 0)
		return -1;
	state.deadline = fit_clock_ms() + work_ms;
	if (load(&state, err) < 0) {
		fit_state_close(&state);
		return -1;
	}
	*ret_state = state;
	return 0;
}

int fit_state_snapshot(
	const struct fit_fsroot *root, struct fit_state *ret_state, struct fit_err *err)
{
	struct fit_state state = {.root = root, .lock_fd = -1, .deadline = FIT_NO_DEADLINE};

	if (load(&state, err) < 0) {
		fit_state_close(&state);
		return -1;
	}
	*ret_state = state;
	return 0;
}

void fit_state_close(struct fit_state *state)
{
	fit_ledger_clear(&state->ledger);
	while (state->journal_count)
		drop_journal(state, state->journal_count - 1);
	free(state->journals);
	free(state->boot_id);
	fit_irqbalance_answer_clear(&state->irqbalance);
	fit_lock_drop(state->lock_fd);
	*state = (struct fit_state){.lock_fd = -1};
}

struct fit_journal *fit_state_journal(const struct fit_state *state, const char *uuid)
{
	for (size_t i = 0; i < state->journal_count; i++)
		if (strcasecmp(state->journals[i].uuid, uuid) == 0)
			return &state->journals[i];
	return NULL;
}

struct fit_journal *fit_state_journal_by_name(const struct fit_state *state, const char *name)
{
	for (size_t i = 0; i < state->journal_count; i++)
		if (fit_streq(state->journals[i].name, name))
			return &state->journals[i];
	return NULL;
}

struct fit_journal *fit_state_add_journal(
	struct fit_state *state, const char *uuid, const char *name, enum fit_stage stage)
{
	struct fit_journal *journal = FIT_APPEND(state->journals, state->journal_count);

	journal->uuid = fit_xstrdup(uuid);
	journal->name = fit_xstrdup(name);
	journal->stage = stage;
	return journal;
}

int fit_state_save_journal(
	struct fit_state *state, const struct fit_journal *journal, struct fit_err *err)
{
	return fit_journal_save(state->root, journal, state->boot_id, err);
}

int64_t fit_state_journal_age_s(const struct fit_fsroot *root, const struct fit_journal *journal)
{
	fit_autofree char *path = fit_journal_path(journal->uuid);
	struct timespec now;
	struct stat status;

	if (fit_fsroot_stat(root, path, &status) < 0 || clock_gettime(CLOCK_REALTIME, &now) < 0)
		return 0;
	return now.tv_sec > status.st_mtim.tv_sec ? now.tv_sec - status.st_mtim.tv_sec : 0;
}

bool fit_state_is_incoming(const struct fit_fsroot *root, const struct fit_journal *journal)
{
	return (journal->stage == FIT_STAGE_INCOMING || journal->announced) &&
	       fit_state_journal_age_s(root, journal) <= INCOMING_MAX_S;
}

void fit_state_claims(
	const struct fit_state *state, const char *uuid, struct fit_claims *ret_claims)
{
	for (size_t i = 0; i < state->journal_count; i++) {
		const struct fit_journal *journal = &state->journals[i];
		struct fit_claim *claim;

		if (strcasecmp(journal->uuid, uuid) == 0 ||
			(journal->stage == FIT_STAGE_INCOMING &&
				!fit_state_is_incoming(state->root, journal)))
			continue;
		claim = FIT_APPEND(ret_claims->items, ret_claims->count);
		claim->name = fit_xstrdup(journal->name);
		claim->uuid = fit_xstrdup(journal->uuid);
		claim->running = true;
		claim->state = journal->stage == FIT_STAGE_INCOMING ? "arriving" : NULL;
		if (journal->stage != FIT_STAGE_STOPPED)
			claim->cpus = journal->held_cpus;
		for (size_t j = 0; j < journal->device_count; j++)
			*FIT_APPEND(claim->devices, claim->device_count) = journal->devices[j];
	}
}

static bool has_claims(const struct fit_state *state)
{
	for (size_t i = 0; i < state->journal_count; i++)
		if (state->journals[i].claim_count)
			return true;
	return false;
}

int fit_state_save_ledger(struct fit_state *state, struct fit_err *err)
{
	/* Nobody needs what is lost any more. */
	if (!state->ledger.count && !has_claims(state)) {
		free(state->ledger.damage);
		state->ledger.damage = NULL;
	}
	return fit_ledger_save(state->root, &state->ledger, state->boot_id, err);
}

int fit_state_remove_journal(
	struct fit_state *state, struct fit_journal *journal, struct fit_err *err)
{
	if (fit_journal_remove(state->root, journal->uuid, err) < 0)
		return -1;
	drop_journal(state, (size_t)(journal - state->journals));
	return 0;
}

/* What both have of @a and @b, as text; NULL when that is nothing, or when @other has no QEMU any
 * more, so that its CPUs are free. To be freed. */
static char *describe_common(
	const struct fit_cpuset *a, const struct fit_cpuset *b, const struct fit_journal *other)
{
	struct fit_cpuset both = *a;
	fit_autofree char *list = NULL;

	fit_cpuset_intersect(&both, b);
	if (other->stage == FIT_STAGE_STOPPED || fit_cpuset_is_empty(&both))
		return NULL;
	list = fit_cpuset_describe(&both, "CPU");
	return fit_xasprintf("%s %s", list, fit_cpuset_count(&both) == 1 ? "is" : "are");
}

/* CPUs are free at `stopped`, devices only at `release`. */
static int check_against(
	const struct fit_journal *mine, const struct fit_journal *other, struct fit_err *err)
{
	fit_autofree char *name = fit_printable(other->name);
	fit_autofree char *cpus =
		describe_common(&mine->exclusive_cpus, &other->exclusive_cpus, other);

	if (cpus)
		return fit_err_set(
			err, FIT_ERR_REFUSED, "%s held by the running domain '%s'", cpus, name);
	if (other->holdings_lost &&
		(mine->device_count || !fit_cpuset_is_empty(&mine->exclusive_cpus)))
		return fit_err_set(err, FIT_ERR_REFUSED,
			"what CPUs and devices the domain '%s' holds cannot be read (%s). Stop it; "
			"if it does not run, give them back with: virt-fit undo %s",
			name, other->damage, other->uuid);
	for (size_t i = 0; i < mine->device_count; i++)
		if (fit_journal_has_device(other, mine->devices[i]))
			return fit_err_set(err, FIT_ERR_REFUSED,
				"device %s is held by the running domain '%s'",
				FIT_PCIADDR_STR(mine->devices[i]), name);
	return 0;
}

static int check_sharing(
	const struct fit_journal *mine, const struct fit_journal *other, struct fit_err *err)
{
	fit_autofree char *name = fit_printable(other->name);
	fit_autofree char *theirs =
		describe_common(&mine->vcpu_cpus, &other->exclusive_cpus, other);
	fit_autofree char *ours = describe_common(&mine->exclusive_cpus, &other->held_cpus, other);

	if (theirs || ours)
		return fit_err_set(err, FIT_ERR_STALE, "%s held by the running domain '%s'",
			theirs ? theirs : ours, name);
	return 0;
}

typedef int (*check)(
	const struct fit_journal *mine, const struct fit_journal *other, struct fit_err *err);

static int check_others(const struct fit_state *state, const struct fit_journal *mine,
	check against, struct fit_err *err)
{
	for (size_t i = 0; i < state->journal_count; i++) {
		const struct fit_journal *other = &state->journals[i];

		/* What is only planned for one that is on its way is nobody's yet. */
		if (strcasecmp(other->uuid, mine->uuid) == 0 || other->stage == FIT_STAGE_INCOMING)
			continue;
		if (against(mine, other, err) < 0)
			return -1;
	}
	return 0;
}

int fit_state_check_holders(
	const struct fit_state *state, const struct fit_journal *mine, struct fit_err *err)
{
	return check_others(state, mine, check_against, err);
}

int fit_state_check_sharing(
	const struct fit_state *state, const struct fit_journal *mine, struct fit_err *err)
{
	return check_others(state, mine, check_sharing, err);
}

void fit_state_note_floating(
	const struct fit_state *state, const struct fit_journal *mine, struct fit_strlist *notes)
{
	for (size_t i = 0; i < state->journal_count; i++) {
		const struct fit_journal *other = &state->journals[i];
		fit_autofree char *name = fit_printable(other->name);
		fit_autofree char *cpus = NULL;

		if (strcasecmp(other->uuid, mine->uuid) == 0 || other->stage == FIT_STAGE_INCOMING)
			continue;
		cpus = describe_common(&mine->exclusive_cpus, &other->vcpu_cpus, other);
		if (cpus)
			fit_strlist_addf(notes,
				"%s among those that vCPUs of the running domain '%s' float over, "
				"until that is started anew",
				cpus, name);
	}
}
