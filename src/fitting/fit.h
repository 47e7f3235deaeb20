/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A domain's definition becomes the fitted one. */
#ifndef FIT_FITTING_FIT_H
#define FIT_FITTING_FIT_H

#include "core/request.h"
#include "fitting/session.h"

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

#endif
