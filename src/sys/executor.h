/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes the host and changes it back. Order of every change: all checks; the domain's claims in
 * its journal; baselines and intended values in the ledger; then the values, one write each, read
 * back. A kill at any point leaves what undo needs; undo itself can be killed and repeated.
 */
#ifndef FIT_SYS_EXECUTOR_H
#define FIT_SYS_EXECUTOR_H

#include "base/err.h"
#include "base/strlist.h"
#include "core/hostops.h"
#include "sys/state.h"

/* Would the operations of @phase work? Changes nothing; refuses as fit_executor_apply() would. */
int fit_executor_check(const struct fit_state *state, const struct fit_journal *journal,
	const struct fit_hostops *ops, enum fit_phase phase, struct fit_err *err);

/*
 * Does the operations of @phase for the domain of @journal (one of the state's). On failure what
 * this call did is undone. @notes gets a line for everything left out because the host lacks it.
 */
int fit_executor_apply(struct fit_state *state, struct fit_journal *journal,
	const struct fit_hostops *ops, enum fit_phase phase, struct fit_strlist *notes,
	struct fit_err *err);

/*
 * Makes the claims of @wanted for the domain of @journal and writes their values. What the kernel
 * refuses of optional ones is left out, with `refused` set. On failure the claims stay in @journal,
 * in memory and perhaps on disk: for undo.
 */
struct fit_wanted_list;
int fit_executor_claim(struct fit_state *state, struct fit_journal *journal,
	struct fit_wanted_list *wanted, struct fit_strlist *notes, struct fit_err *err);

/*
 * Takes back the claims of a domain that end at @phase or before; FIT_PHASE_RELEASE takes back all
 * and removes the journal. A value that somebody else changed meanwhile is left, with a line in
 * @notes. Without a journal (@uuid may be "") only what earlier calls left is taken back. Fails
 * only when the state cannot be saved or a value cannot be written; what could be restored has
 * been.
 */
int fit_executor_undo(struct fit_state *state, const char *uuid, enum fit_phase phase,
	struct fit_strlist *notes, struct fit_err *err);

#endif
