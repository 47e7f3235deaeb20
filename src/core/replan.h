/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A domain that arrives, by migration or from a saved state: its guest runs already, so nothing
 * that the guest sees may change. Its *placements* are planned anew for this host: what libvirt's
 * check of the ABI does not look at, and the host does.
 *
 * What else we had written is for now as if the user had; only the record knows better.
 */
#ifndef FIT_CORE_REPLAN_H
#define FIT_CORE_REPLAN_H

#include <stdbool.h>

#include "base/err.h"
#include "core/domain.h"
#include "core/edit.h"
#include "core/profile.h"

struct fit_replan {
	struct fit_edits kept; /* of ours, no placements, and still as we wrote them */
	struct fit_edits vfs;  /* VFs of ours among them: where they come from is a placement */
	bool pages;	       /* huge pages are a placement: of another size, or none */
	bool recorded;	       /* the domain was fitted: */
	char *digest;	       /* by this */
	char *only;	       /* and limited to these intents; NULL: all */
};

void fit_replan_clear(struct fit_replan *replan);

/* Reads what is ours in @doc, @arrived its view. @profile is limited to intents that
 * have to do with placements, or with the host. */
int fit_replan_begin(xmlDoc *doc, const char *name, const struct fit_domain *arrived,
	struct fit_profile *profile, struct fit_replan *ret_replan, struct fit_err *err);

/* Makes of the edits of a plan for @doc those that may be made: @kept, @vfs from where the plan has
 * them, and the placements. */
int fit_replan_limit(struct fit_replan *replan, xmlDoc *doc, const char *name,
	struct fit_edits *edits, struct fit_err *err);

/* Do they say something else, the record aside? */
bool fit_replan_differs(xmlDoc *before, xmlDoc *after);

#endif
