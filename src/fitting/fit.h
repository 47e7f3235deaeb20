/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A domain's definition becomes the fitted one. */
#ifndef FIT_FITTING_FIT_H
#define FIT_FITTING_FIT_H

#include "core/request.h"
#include "fitting/redefine.h"

struct fit_fitted {
	struct fit_subject subject;  /* the domain as it was before */
	bool changed;		     /* (with a dry run: would be); else it was fitted already */
	char *profiles;		     /* as a title: fit_profile_title() */
	struct fit_strlist notes;    /* edits of the user's that were kept */
	struct fit_strlist warnings; /* of the plan */
	struct fit_strlist remarks;  /* its notes */
};

void fit_fitted_clear(struct fit_fitted *fitted);

/* Fits domain @which, for @request if that is given (which is then written, too). When the request
 * cannot be met nothing is changed. The session must be surveyed. */
int fit_domain_fit(struct fit_session *session, const char *which,
	const struct fit_request *request, struct fit_fitted *ret_fitted, struct fit_err *err);

/* The same for the request that is there, in two steps: what is worked out ahead is defined when
 * its time has come. */
struct fit_prepared {
	struct fit_redefinition redefinition; /* of nothing, when it is fitted already */
	struct fit_fitted fitted;	      /* what will have been done */
};

void fit_prepared_clear(struct fit_prepared *prepared);

int fit_domain_prepare(struct fit_session *session, const char *which,
	struct fit_prepared *ret_prepared, struct fit_err *err);

/* 1: done, 0: not, the definition has changed meanwhile. For the survey it was prepared with. */
int fit_domain_fit_prepared(struct fit_session *session, struct fit_prepared *prepared,
	struct fit_fitted *ret_fitted, struct fit_err *err);

#endif
