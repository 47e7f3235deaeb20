/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/redefine.h"
#include "core/domain.h"
#include "core/profile_steps.h"
#include "core/request_edit.h"
#include "core/xml.h"

struct fitting {
	const struct fit_request *request; /* NULL: the one that is there */
	char *profiles;
	char *xml; /* the fitted definition */
	struct fit_strlist notes;
	struct fit_strlist warnings; /* of the plan */
};

static void clear(struct fitting *fitting)
{
	free(fitting->profiles);
	free(fitting->xml);
	fit_strlist_clear(&fitting->notes);
	fit_strlist_clear(&fitting->warnings);
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

static int change(struct fit_session *session, const struct fit_subject *subject, void *context,
	char **ret_xml, struct fit_err *err)
{
	struct fitting *fitting = context;
	struct fit_render_result result = {0};
	fit_autofree char *requested = NULL;
	bool had_metadata = false;

	clear(fitting);
	if (fitting->request && !has_request(subject, fitting->request) &&
		fit_request_put(subject->xml, subject->length, subject->name, fitting->request,
			&requested, &had_metadata, err) < 0)
		return -1;
	if (fit_session_render(session, subject, requested, &session->cli->only, had_metadata,
		    &result, err) < 0)
		return -1;
	fitting->profiles = fit_profile_title(&result.profile);
	fitting->xml = fit_xstrdup(result.xml);
	fitting->notes = result.notes;
	result.notes = (struct fit_strlist){0};
	for (size_t i = 0; i < result.plan.reason_count; i++)
		if (result.plan.reasons[i].kind == FIT_REASON_WARNING)
			fit_strlist_add(&fitting->warnings, result.plan.reasons[i].text);
	if (result.changed || requested)
		*ret_xml = FIT_STEAL(result.xml);
	fit_render_result_clear(&result);
	return 0;
}

/* The next domain of the same command must see what this one is defined on now. A running domain
 * still holds what it runs with. */
static void update_claim(struct fit_session *session, const struct fit_subject *subject,
	const struct fitting *fitting)
{
	struct fit_domain view = {0};
	fit_autodoc xmlDoc *doc =
		fit_xml_parse(fitting->xml, strlen(fitting->xml), subject->name, NULL);

	if (subject->domain.active || !doc || fit_domain_read(doc, subject->name, &view, NULL) < 0)
		return;
	fit_claims_drop(&session->claims, &view);
	fit_claims_add(&session->claims, &view, false);
	fit_domain_clear(&view);
}

int fit_domain_fit(struct fit_session *session, const char *which,
	const struct fit_request *request, struct fit_err *err)
{
	struct fitting fitting = {.request = request};
	struct fit_subject subject = {0};
	int status = fit_redefine(session, which, change, &fitting, &subject, err);

	if (status >= 0) {
		fit_autofree char *shown = fit_printable(subject.name);

		for (size_t i = 0; i < fitting.notes.count; i++)
			fit_cli_note("%s: %s", shown, fitting.notes.items[i]);
		for (size_t i = 0; i < fitting.warnings.count && status > 0; i++)
			fit_cli_note("%s: warning: %s", shown, fitting.warnings.items[i]);
		if (status > 0)
			fit_redefine_report(session, &subject,
				session->cli->only.count ? "fitted in part" : "fitted",
				fitting.profiles);
		else
			printf("%s: already fitted%s (%s)\n", shown,
				session->cli->only.count ? " in part" : "", fitting.profiles);
		update_claim(session, &subject, &fitting);
	}
	clear(&fitting);
	fit_subject_clear(&subject);
	return status < 0 ? -1 : 0;
}
