/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between executor.c and undo.c. */
#ifndef FIT_SYS_UNDO_H
#define FIT_SYS_UNDO_H

#include "core/hostops.h"
#include "sys/state.h"

/* Which claims of a journal. */
struct fit_claim_filter {
	uint64_t first;			 /* claims of this sequence and later */
	enum fit_phase until;		 /* that end at this phase or before */
	const struct fit_strlist *paths; /* of these resources; NULL: all */
	bool last;			 /* the journal ends with them */
};

/*
 * Takes the claims of @journal that @filter selects back, and settles the entries of the ledger
 * that have lost their last claim earlier. @journal may be NULL: then only those. Saves ledger and
 * journal; a last one is removed, and is gone from the state then.
 */
int fit_undo_claims(struct fit_state *state, struct fit_journal *journal,
	const struct fit_claim_filter *filter, struct fit_strlist *notes, struct fit_err *err);

#endif
