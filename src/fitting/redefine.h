/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Get, change, compare, define: the one way in which a domain's definition is changed. The
 * definition is read again just before it is defined; if somebody edited it meanwhile, the change
 * is made again from what is there now, so that no edit is lost.
 */
#ifndef FIT_FITTING_REDEFINE_H
#define FIT_FITTING_REDEFINE_H

#include "fitting/session.h"

/* Makes the new definition of @subject. *ret_xml stays NULL when nothing is to be changed. */
typedef int (*fit_redefine_change)(struct fit_session *session, const struct fit_subject *subject,
	void *context, char **ret_xml, struct fit_err *err);

/*
 * Changes the definition of domain @which. 1: it was changed (with a dry run: would be), 0: nothing
 * was to be changed. @ret_subject is the domain as it was before.
 */
int fit_redefine(struct fit_session *session, const char *which, fit_redefine_change change,
	void *context, struct fit_subject *ret_subject, struct fit_err *err);

#endif
