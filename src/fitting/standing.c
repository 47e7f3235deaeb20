/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fitting/standing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/request.h"
#include "core/rewrite.h"
#include "core/xml.h"

const char *fit_standing_name(enum fit_standing_kind kind)
{
	switch (kind) {
	case FIT_STANDING_NONE:
		return "no request";
	case FIT_STANDING_FITTED:
		return "fitted";
	case FIT_STANDING_PARTIAL:
		return "fitted in part";
	case FIT_STANDING_STALE:
		return "stale";
	case FIT_STANDING_UNFITTED:
		return "not fitted";
	case FIT_STANDING_REFUSED:
		break;
	}
	return "cannot fit";
}

void fit_standing_clear(struct fit_standing *standing)
{
	fit_strlist_clear(&standing->profiles);
	fit_strlist_clear(&standing->edits);
	free(standing->reason);
	*standing = (struct fit_standing){0};
}

/* Why a plan made now differs: what the record says it was made for against what is there. */
static char *explain(const struct fit_record *record, const struct fit_render_result *result,
	const struct fit_host *host)
{
	fit_autofree char *profiles = fit_strlist_join(&result->profile.names, " ");

	if (record->profile && strcmp(record->profile, profiles) != 0)
		return fit_xasprintf("fitted for '%s'", record->profile);
	if (record->host && host->identity && strcmp(record->host, host->identity) != 0)
		return fit_xstrdup("fitted for another host");
	if (record->digest && strcmp(record->digest, result->digest) != 0)
		return fit_xstrdup("a profile or the request has changed");
	if (result->notes.count)
		return fit_xstrdup("the definition was edited");
	return fit_xstrdup("a plan made now differs");
}

/* A refusal for where the domain and "cannot fit" are said already: without either. To be freed. */
static char *shorten(const char *name, const char *message)
{
	static const char known[] = "cannot fit: ";
	size_t length = strlen(name);

	if (strncmp(message, name, length) == 0 && message[length] == ':') {
		message += length + 1;
		if (*message >= '0' && *message <= '9')
			return fit_xasprintf("line %s", message);
		message += strspn(message, " ");
	}
	return fit_xstrdup(fit_starts_with(message, known) ? message + strlen(known) : message);
}

static void judge(struct fit_session *session, const struct fit_subject *subject, xmlDoc *doc,
	struct fit_standing *standing)
{
	struct fit_render_result result = {0};
	struct fit_record record = {0};
	struct fit_err err = FIT_ERR_INIT;
	int recorded = fit_record_read(doc, subject->name, &record, &err);
	fit_autostrlist struct fit_strlist only = {0};

	if (record.only)
		fit_strlist_split(&only, record.only, " ");
	if (recorded < 0 ||
		fit_session_render(session, subject, NULL, &only, false, &result, &err) < 0) {
		standing->kind = FIT_STANDING_REFUSED;
		standing->reason = shorten(subject->name, err.message);
	} else if (!result.changed && only.count) {
		fit_autofree char *names = fit_strlist_join(&only, ", ");

		standing->kind = FIT_STANDING_PARTIAL;
		standing->reason = fit_xasprintf("only %s; 'virt-fit apply' fits the rest", names);
	} else if (!result.changed) {
		standing->kind = FIT_STANDING_FITTED;
	} else if (recorded) {
		standing->kind = FIT_STANDING_STALE;
		standing->reason = explain(&record, &result, &session->host);
	} else {
		standing->kind = FIT_STANDING_UNFITTED;
	}
	for (size_t i = 0; i < result.notes.count; i++)
		fit_strlist_add(&standing->edits, result.notes.items[i]);
	fit_record_clear(&record);
	fit_render_result_clear(&result);
}

int fit_standing_find(struct fit_session *session, const struct fit_virt_domain *domain,
	struct fit_standing *ret_standing, struct fit_err *err)
{
	struct fit_standing standing = {0};
	struct fit_request request = {0};
	struct fit_err problem = FIT_ERR_INIT;
	struct fit_subject subject = {.name = domain->name};
	fit_autodoc xmlDoc *doc = NULL;
	int requested;

	subject.xml = fit_virt_definition(domain, err);
	if (!subject.xml)
		return -1;
	subject.length = strlen(subject.xml);
	doc = fit_xml_parse(subject.xml, subject.length, subject.name, &problem);
	requested = doc ? fit_request_read(doc, subject.name, &request, &problem) : -1;
	if (requested < 0) {
		standing.kind = FIT_STANDING_REFUSED;
		standing.reason = shorten(subject.name, problem.message);
	} else if (requested > 0) {
		standing.profiles = request.profiles;
		request.profiles = (struct fit_strlist){0};
		judge(session, &subject, doc, &standing);
	}
	fit_request_clear(&request);
	free(subject.xml);
	*ret_standing = standing;
	return 0;
}
