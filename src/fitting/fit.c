/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fitting/fit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/domain.h"
#include "core/profile_steps.h"
#include "core/request_edit.h"
#include "core/rewrite.h"
#include "core/xml.h"

struct fitting {
	const struct fit_request *request; /* NULL: the one that is there */
	char *xml;			   /* the fitted definition */
	struct fit_fitted result;
};

void fit_fitted_clear(struct fit_fitted *fitted)
{
	free(fitted->profiles);
	fit_strlist_clear(&fitted->notes);
	fit_strlist_clear(&fitted->warnings);
	fit_strlist_clear(&fitted->remarks);
	fit_subject_clear(&fitted->subject);
	*fitted = (struct fit_fitted){0};
}

static void clear(struct fitting *fitting)
{
	free(fitting->xml);
	fit_fitted_clear(&fitting->result);
	*fitting = (struct fitting){.request = fitting->request};
}

/* Is this the request that the document has already? */
static bool has_request(const struct fit_subject *subject, const struct fit_request *request)
{
	struct fit_request found = {0};
	fit_autodoc xmlDoc *doc = fit_xml_parse(subject->xml, subject->length, subject->name, NULL);
	fit_autofree char *wanted = fit_request_print(request);
	fit_autofree char *there = NULL;

	if (!doc || fit_request_read(doc, subject->name, &found, NULL) != 1)
		return false;
	there = fit_request_print(&found);
	fit_request_clear(&found);
	return fit_streq(there, wanted);
}

/* What the definition is limited to, by the record. */
static void read_steps(const struct fit_subject *subject, struct fit_strlist *only)
{
	struct fit_record record = {0};
	fit_autodoc xmlDoc *doc = fit_xml_parse(subject->xml, subject->length, subject->name, NULL);

	if (doc && fit_record_read(doc, subject->name, &record, NULL) > 0 && record.only)
		fit_strlist_split(only, record.only, " ");
	fit_record_clear(&record);
}

static void take_reasons(
	const struct fit_plan *plan, enum fit_reason_kind kind, struct fit_strlist *texts)
{
	for (size_t i = 0; i < plan->reason_count; i++)
		if (plan->reasons[i].kind == kind)
			fit_strlist_add(texts, plan->reasons[i].text);
}

static int change(struct fit_session *session, const struct fit_subject *subject, void *context,
	char **ret_xml, struct fit_err *err)
{
	struct fitting *fitting = context;
	struct fit_render_result result = {0};
	fit_autofree char *requested = NULL;
	fit_autostrlist struct fit_strlist steps = {0};
	bool had_metadata = false;

	clear(fitting);
	if (!session->only)
		read_steps(subject, &steps);
	if (fitting->request && !has_request(subject, fitting->request) &&
		fit_request_put(subject->xml, subject->length, subject->name, fitting->request,
			&requested, &had_metadata, err) < 0)
		return -1;
	if (fit_session_render(session, subject, requested, session->only ? session->only : &steps,
		    had_metadata, &result, err) < 0)
		return -1;
	fitting->result.profiles = fit_profile_title(&result.profile);
	fitting->xml = fit_xstrdup(result.xml);
	fitting->result.notes = result.notes;
	result.notes = (struct fit_strlist){0};
	take_reasons(&result.plan, FIT_REASON_WARNING, &fitting->result.warnings);
	take_reasons(&result.plan, FIT_REASON_NOTE, &fitting->result.remarks);
	if (result.changed || requested)
		*ret_xml = FIT_STEAL(result.xml);
	fit_render_result_clear(&result);
	return 0;
}

/* The next domain of the same command must see what this one is defined on now. A running domain
 * still holds what it runs with. */
static void update_claim(
	struct fit_session *session, const struct fit_subject *subject, const char *xml)
{
	struct fit_domain view = {0};
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), subject->name, NULL);

	if (subject->domain.active || !doc || fit_domain_read(doc, subject->name, &view, NULL) < 0)
		return;
	fit_claims_drop(&session->claims, &view);
	fit_claims_add(&session->claims, &view, false);
	fit_domain_clear(&view);
}

int fit_domain_fit(struct fit_session *session, const char *which,
	const struct fit_request *request, struct fit_fitted *ret_fitted, struct fit_err *err)
{
	struct fitting fitting = {.request = request};
	struct fit_subject subject = {0};
	int status = fit_redefine(session, which, change, &fitting, &subject, err);

	if (status >= 0) {
		update_claim(session, &subject, fitting.xml);
		*ret_fitted = fitting.result;
		fitting.result = (struct fit_fitted){0};
		ret_fitted->changed = status > 0;
		ret_fitted->subject = subject;
	}
	clear(&fitting);
	return status < 0 ? -1 : 0;
}

void fit_prepared_clear(struct fit_prepared *prepared)
{
	fit_redefinition_clear(&prepared->redefinition);
	fit_fitted_clear(&prepared->fitted);
}

int fit_domain_prepare(struct fit_session *session, const char *which,
	struct fit_prepared *ret_prepared, struct fit_err *err)
{
	struct fitting fitting = {0};
	struct fit_prepared prepared = {0};
	int status = fit_redefinition_make(
		session, which, change, &fitting, &prepared.redefinition, err);

	if (status == 0) {
		prepared.fitted = fitting.result;
		fitting.result = (struct fit_fitted){0};
		*ret_prepared = prepared;
	}
	clear(&fitting);
	return status;
}

int fit_domain_fit_prepared(struct fit_session *session, struct fit_prepared *prepared,
	struct fit_fitted *ret_fitted, struct fit_err *err)
{
	struct fit_redefinition *redefinition = &prepared->redefinition;
	int status = fit_redefinition_commit(session, redefinition, err);

	if (status <= 0)
		return status;
	update_claim(session, &redefinition->subject, redefinition->xml);
	*ret_fitted = prepared->fitted;
	ret_fitted->changed = true;
	ret_fitted->subject = redefinition->subject;
	prepared->fitted = (struct fit_fitted){0};
	redefinition->subject = (struct fit_subject){0};
	return 1;
}
