/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A domain that was started before it was fitted (stale="warn") gets what libvirt can change while
 * it runs. Its CPUs are claimed in its journal before its threads are moved there, so that a domain
 * that starts in between is not given them, and what another one has for itself is not touched.
 */
#ifndef FIT_FITTING_LIVE_FIT_H
#define FIT_FITTING_LIVE_FIT_H

#include "fitting/session.h"

/* Was it started unfitted, and nothing done about it yet? */
bool fit_domain_awaits_live_fit(
	const struct fit_session *session, const struct fit_virt_domain *domain);

/* Does what can be done. @ret_done gets a line for each change. On failure it can be tried again.
 * The session must be surveyed. */
int fit_domain_fit_live(struct fit_session *session, const struct fit_virt_domain *domain,
	struct fit_strlist *ret_done, struct fit_err *err);

/* What a domain that was started unfitted lacks: what could still be done while it runs, as
 * fit_live_describe() has it; what waits for its next start: paths (core/edit.h), or the
 * removal of what is there; and what the host
 * would be given for CPUs of its own. */
int fit_domain_list_missing(struct fit_session *session, const struct fit_virt_domain *domain,
	struct fit_strlist *ret_missing, struct fit_err *err);

#endif
