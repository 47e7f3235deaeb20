/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a domain's definition stands to its request on this host. */
#ifndef FIT_FITTING_STANDING_H
#define FIT_FITTING_STANDING_H

#include "fitting/session.h"

enum fit_standing_kind {
	FIT_STANDING_NONE,     /* requests nothing */
	FIT_STANDING_FITTED,   /* `apply` would change nothing */
	FIT_STANDING_PARTIAL,  /* so it is, with the intents that it was limited to: see reason */
	FIT_STANDING_OUTDATED, /* `apply` would change it; it starts as it is all the same */
	FIT_STANDING_STALE,    /* so it would, and a start is the business of the policy stale= */
	FIT_STANDING_UNFITTED, /* the same, and it never was fitted */
	FIT_STANDING_REFUSED,  /* `apply` would fail: see reason */
};

struct fit_standing {
	enum fit_standing_kind kind;
	struct fit_strlist profiles; /* requested */
	struct fit_strlist edits;    /* what the user changed of what we wrote */
	char *reason;		     /* one sentence; NULL */
	/* What it runs with is not what its definition says, but this: profiles, "" for none. NULL:
	 * it does not run, or runs with its definition. */
	char *runs_with;
};

const char *fit_standing_name(enum fit_standing_kind kind);
void fit_standing_clear(struct fit_standing *standing);

/* The session must be surveyed. Fails when the domain is gone or libvirt is. */
int fit_standing_find(struct fit_session *session, const struct fit_virt_domain *domain,
	struct fit_standing *ret_standing, struct fit_err *err);

#endif
