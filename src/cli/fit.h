/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `apply` and `set` share: a domain's definition becomes the fitted one. */
#ifndef FIT_CLI_FIT_H
#define FIT_CLI_FIT_H

#include "cli/session.h"
#include "core/request.h"

/* Fits domain @which, for @request if that is given (which is then written, too), and prints what
 * happened, with the plan's warnings if something changed. When the request cannot be met nothing
 * is changed. The session must be surveyed. */
int fit_domain_fit(struct fit_session *session, const char *which,
	const struct fit_request *request, struct fit_err *err);

#endif
