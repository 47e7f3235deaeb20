/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All of virt-fit's state below FIT_PATH_STATE: the lock, the ledger and the journals.
 *
 * Whoever changes the host opens the state, which takes the lock, and works on the copy in memory;
 * the functions of executor.h save what they must before each change. `virt-fit status` takes a
 * snapshot without the lock.
 *
 * Files are stamped with the boot id: what another boot left is dropped, because the settings it
 * describes are gone as well.
 */
#ifndef FIT_SYS_STATE_H
#define FIT_SYS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/claims.h"
#include "sys/fsroot.h"
#include "sys/irqbalance.h"
#include "sys/journal.h"
#include "sys/ledger.h"

struct fit_state {
	const struct fit_fsroot *root;
	int lock_fd;	  /* -1: a snapshot */
	int64_t deadline; /* for everything done with it: see clock.h */
	char *boot_id;
	struct fit_ledger ledger;
	struct fit_journal *journals; /* by UUID */
	size_t journal_count;
	struct fit_irqbalance_answer irqbalance; /* what it said before the lock was taken */
};

/* Takes the lock (creating the state directory) and loads everything. Waits @wait_ms at most for
 * the lock. What is done then has @work_ms, however long the wait was: a start that had to wait for
 * another one is not refused for being late. */
int fit_state_open(const struct fit_fsroot *root, int64_t wait_ms, int64_t work_ms,
	struct fit_state *ret_state, struct fit_err *err);

/* Without the lock: to look at only. A host where nothing was ever done gives an empty state. */
int fit_state_snapshot(
	const struct fit_fsroot *root, struct fit_state *ret_state, struct fit_err *err);

void fit_state_close(struct fit_state *state);

/* NULL when there is none. Valid until a journal is added or removed. */
struct fit_journal *fit_state_journal(const struct fit_state *state, const char *uuid);
struct fit_journal *fit_state_journal_by_name(const struct fit_state *state, const char *name);

/* A new journal, in memory only until it is saved. */
struct fit_journal *fit_state_add_journal(
	struct fit_state *state, const char *uuid, const char *name, enum fit_stage stage);
int fit_state_save_journal(
	struct fit_state *state, const struct fit_journal *journal, struct fit_err *err);
int fit_state_save_ledger(struct fit_state *state, struct fit_err *err);
int fit_state_remove_journal(
	struct fit_state *state, struct fit_journal *journal, struct fit_err *err);

/* Seconds since the journal was saved last; 0 when that cannot be told. */
int64_t fit_state_journal_age_s(const struct fit_fsroot *root, const struct fit_journal *journal);

/* Is it of a domain that is announced, and on its way? libvirt goes from migrate or restore to
 * prepare at once: an older mark is of an attempt that got no further. */
bool fit_state_is_incoming(const struct fit_fsroot *root, const struct fit_journal *journal);

/* What all domains but the one with this UUID have for themselves, as claims for planning: those
 * that run, and those that are on their way. */
void fit_state_claims(
	const struct fit_state *state, const char *uuid, struct fit_claims *ret_claims);

/* Refuses, naming the holder, when another domain has CPUs or devices of @mine for itself. */
int fit_state_check_holders(
	const struct fit_state *state, const struct fit_journal *mine, struct fit_err *err);

/*
 * STALE when vCPUs of @mine may run on what another domain has for itself, or the other way round:
 * planning anew finds other CPUs. It does not where others merely float over CPUs of @mine, who
 * would else take whole nodes from everybody: that is only noted.
 */
int fit_state_check_sharing(
	const struct fit_state *state, const struct fit_journal *mine, struct fit_err *err);
void fit_state_note_floating(
	const struct fit_state *state, const struct fit_journal *mine, struct fit_strlist *notes);

#endif
