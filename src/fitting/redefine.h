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

/* The two steps of it: a change that is made ahead, and done when its time has come. */
struct fit_redefinition {
	struct fit_subject subject; /* the domain as it was read */
	char *xml;		    /* NULL: nothing is to be changed */
	bool is_known;		    /* libvirt's schema has nothing new to say of it */
};

void fit_redefinition_clear(struct fit_redefinition *redefinition);

int fit_redefinition_make(struct fit_session *session, const char *which,
	fit_redefine_change change, void *context, struct fit_redefinition *ret_redefinition,
	struct fit_err *err);

/* 1: defined, 0: not, the definition has changed since it was read. */
int fit_redefinition_commit(struct fit_session *session,
	const struct fit_redefinition *redefinition, struct fit_err *err);

/*
 * Both: changes the definition of domain @which. 1: it was changed (with a dry run: would be), 0:
 * nothing was to be changed. @ret_subject is the domain as it was before.
 */
int fit_redefine(struct fit_session *session, const char *which, fit_redefine_change change,
	void *context, struct fit_subject *ret_subject, struct fit_err *err);

#endif
