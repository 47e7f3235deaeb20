/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fitting/redefine.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { ATTEMPTS = 5 };

/* Without a definition that outlives it there is nothing to change, and defining it would turn it
 * into a persistent domain. */
static int check_persistent(const struct fit_subject *subject, struct fit_err *err)
{
	if (!subject->is_domain)
		return fit_err_set(err, FIT_ERR_INVALID,
			"%s is a file; this verb changes domains (plan, diff, render and revert "
			"take files)",
			subject->name);
	if (!subject->domain.persistent)
		return fit_err_set(err, FIT_ERR_REFUSED,
			"domain %s is transient: it has no definition that outlives it; fit its "
			"XML with 'virt-fit render' before it is created",
			subject->name);
	return 0;
}

static void tell(
	struct fit_session *session, const struct fit_subject *subject, enum fit_defining step)
{
	if (session->defining)
		session->defining(session->defining_context, subject->domain.uuid, step);
}

/* 1: defined, 0: it changed since @subject was read. */
static int compare_and_define(struct fit_session *session, const struct fit_subject *subject,
	const char *xml, struct fit_err *err)
{
	fit_autofree char *now = NULL;

	tell(session, subject, FIT_DEFINING_READS);
	now = fit_virt_definition(&subject->domain, err);
	if (!now)
		return -1;
	if (!fit_streq(now, subject->xml))
		return 0;
	tell(session, subject, FIT_DEFINING_DEFINES);
	if (fit_virt_define(&session->virt, xml, err) < 0)
		return fit_err_prefix(err, "domain %s: ", subject->name);
	return 1;
}

static int define_if_same(struct fit_session *session, const struct fit_subject *subject,
	const char *xml, struct fit_err *err)
{
	int status = compare_and_define(session, subject, xml, err);

	tell(session, subject, status > 0 ? FIT_DEFINING_DONE : FIT_DEFINING_FAILED);
	return status;
}

static int try_once(struct fit_session *session, const char *which, fit_redefine_change change,
	void *context, struct fit_subject *subject, bool *ret_done, struct fit_err *err)
{
	fit_autofree char *xml = NULL;
	int status;

	if (fit_session_fetch(session, which, subject, err) < 0)
		return -1;
	if (check_persistent(subject, err) < 0 || change(session, subject, context, &xml, err) < 0)
		return -1;
	*ret_done = true;
	if (!xml || session->dry_run)
		return xml ? 1 : 0;
	status = define_if_same(session, subject, xml, err);
	*ret_done = status > 0;
	return status;
}

int fit_redefine(struct fit_session *session, const char *which, fit_redefine_change change,
	void *context, struct fit_subject *ret_subject, struct fit_err *err)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		struct fit_subject subject = {0};
		bool done = false;
		int status = try_once(session, which, change, context, &subject, &done, err);

		if (done && status >= 0) {
			*ret_subject = subject;
			return status;
		}
		fit_subject_clear(&subject);
		if (status < 0)
			return -1;
	}
	return fit_err_set(err, FIT_ERR_REFUSED,
		"domain %s: somebody else keeps changing its definition; try again later", which);
}
