/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fitting/standing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/host_policy.h"
#include "core/record.h"
#include "core/request.h"
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
	case FIT_STANDING_OUTDATED:
		return "outdated";
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
	free(standing->runs_with);
	*standing = (struct fit_standing){0};
}

/* What the hook would find at a start; NULL: nothing. To be freed. */
static char *find_stale(const struct fit_record *record, const struct fit_render_result *result,
	const struct fit_host *host, xmlDoc *doc, const char *name)
{
	struct fit_domain domain = {0};
	char *conflict;
	fit_autofree char *profiles = fit_strlist_join(&result->profile.names, " ");

	if (record->profile && strcmp(record->profile, profiles) != 0)
		return fit_xasprintf("fitted for '%s'", record->profile);
	if (record->host && host->identity && strcmp(record->host, host->identity) != 0)
		return fit_xstrdup("fitted for another host");
	if (record->digest && strcmp(record->digest, result->digest) != 0)
		return fit_xstrdup("a profile or the request has changed");
	if (result->notes.count)
		return fit_xstrdup("the definition was edited");
	if (fit_domain_read(doc, name, &domain, NULL) < 0)
		return NULL;
	conflict = fit_host_policy_conflict(host, &domain, record);
	fit_domain_clear(&domain);
	return conflict;
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
		standing->reason = find_stale(&record, &result, &session->host, doc, subject->name);
		standing->kind = standing->reason ? FIT_STANDING_STALE : FIT_STANDING_OUTDATED;
		if (!standing->reason)
			standing->reason = fit_xstrdup("a plan made now differs");
	} else {
		standing->kind = FIT_STANDING_UNFITTED;
	}
	for (size_t i = 0; i < result.notes.count; i++)
		fit_strlist_add(&standing->edits, result.notes.items[i]);
	fit_record_clear(&record);
	fit_render_result_clear(&result);
}

/* The record of a definition in one form, whatever libvirt has made of its layout; NULL: there is
 * none. To be freed. */
static char *record_text(xmlDoc *doc, const char *name, char **ret_profiles)
{
	struct fit_record record = {0};
	xmlNode *node;
	char *text = NULL;

	if (fit_record_read(doc, name, &record, NULL) > 0) {
		node = fit_record_print(doc, &record);
		text = fit_xml_print_node(node);
		xmlFreeNode(node);
		fit_xreplace(ret_profiles, record.profile ? record.profile : "");
	}
	fit_record_clear(&record);
	return text;
}

/* A definition that is fitted while its domain runs is for the next start. */
static void look_at_running(
	const struct fit_virt_domain *domain, xmlDoc *doc, struct fit_standing *standing)
{
	fit_autofree char *xml = domain->active ? fit_virt_running(domain, NULL) : NULL;
	fit_autodoc xmlDoc *running =
		xml ? fit_xml_parse(xml, strlen(xml), domain->name, NULL) : NULL;
	fit_autofree char *profiles = fit_xstrdup("");
	fit_autofree char *defined_profiles = NULL;
	fit_autofree char *now = running ? record_text(running, domain->name, &profiles) : NULL;
	fit_autofree char *defined = record_text(doc, domain->name, &defined_profiles);

	if (running && !fit_streq(now, defined))
		standing->runs_with = FIT_STEAL(profiles);
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
	if (doc)
		look_at_running(domain, doc, &standing);
	fit_request_clear(&request);
	free(subject.xml);
	*ret_standing = standing;
	return 0;
}
