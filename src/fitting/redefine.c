/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fitting/redefine.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"

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

static bool is_known(const struct fit_session *session, const char *xml)
{
	fit_autodoc xmlDoc *doc = NULL;

	/* A command that defines once has asked about nothing. */
	if (!session->shapes.count)
		return false;
	doc = fit_xml_parse(xml, strlen(xml), "", NULL);
	return doc && fit_shapes_know(&session->shapes, doc);
}

static void learn(struct fit_session *session, const char *xml)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "", NULL);

	if (doc)
		fit_shapes_add(&session->shapes, doc);
}

static int compare_and_define(struct fit_session *session,
	const struct fit_redefinition *redefinition, struct fit_err *err)
{
	const struct fit_subject *subject = &redefinition->subject;
	fit_autofree char *now = NULL;
	int status;

	tell(session, subject, FIT_DEFINING_READS);
	now = fit_virt_definition(&subject->domain, err);
	if (!now)
		return -1;
	if (!fit_streq(now, subject->xml))
		return 0;
	tell(session, subject, FIT_DEFINING_DEFINES);
	status = redefinition->is_known
			 ? fit_virt_define_known(&session->virt, redefinition->xml, err)
			 : fit_virt_define(&session->virt, redefinition->xml, err);
	if (status < 0)
		return fit_err_prefix(err, "domain %s: ", subject->name);
	return 1;
}

int fit_redefinition_commit(struct fit_session *session,
	const struct fit_redefinition *redefinition, struct fit_err *err)
{
	int status = compare_and_define(session, redefinition, err);

	tell(session, &redefinition->subject, status > 0 ? FIT_DEFINING_DONE : FIT_DEFINING_FAILED);
	if (status > 0 && !redefinition->is_known)
		learn(session, redefinition->xml);
	return status;
}

void fit_redefinition_clear(struct fit_redefinition *redefinition)
{
	fit_subject_clear(&redefinition->subject);
	free(redefinition->xml);
	*redefinition = (struct fit_redefinition){0};
}

int fit_redefinition_make(struct fit_session *session, const char *which,
	fit_redefine_change change, void *context, struct fit_redefinition *ret_redefinition,
	struct fit_err *err)
{
	struct fit_redefinition made = {0};

	if (fit_session_fetch(session, which, &made.subject, err) < 0)
		return -1;
	if (check_persistent(&made.subject, err) < 0 ||
		change(session, &made.subject, context, &made.xml, err) < 0) {
		fit_redefinition_clear(&made);
		return -1;
	}
	made.is_known = made.xml && is_known(session, made.xml);
	*ret_redefinition = made;
	return 0;
}

static int try_once(struct fit_session *session, const char *which, fit_redefine_change change,
	void *context, struct fit_subject *ret_subject, bool *ret_done, struct fit_err *err)
{
	struct fit_redefinition made = {0};
	int status;

	if (fit_redefinition_make(session, which, change, context, &made, err) < 0)
		return -1;
	if (!made.xml || session->dry_run) {
		status = made.xml ? 1 : 0;
		*ret_done = true;
	} else {
		status = fit_redefinition_commit(session, &made, err);
		*ret_done = status > 0;
	}
	if (*ret_done) {
		*ret_subject = made.subject;
		made.subject = (struct fit_subject){0};
	}
	fit_redefinition_clear(&made);
	return status;
}

int fit_redefine(struct fit_session *session, const char *which, fit_redefine_change change,
	void *context, struct fit_subject *ret_subject, struct fit_err *err)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		bool done = false;
		int status = try_once(session, which, change, context, ret_subject, &done, err);

		if (done || status < 0)
			return status;
	}
	return fit_err_set(err, FIT_ERR_REFUSED,
		"domain %s: somebody else keeps changing its definition; try again later", which);
}
