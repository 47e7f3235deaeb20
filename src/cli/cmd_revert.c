/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virt-fit revert DOMAIN|FILE: takes out what was fitted, by the record alone: no host, no profile.
 * virt-fit unset DOMAIN...: the same, and the request.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/verbs.h"
#include "core/request_edit.h"
#include "core/rewrite.h"
#include "core/xml.h"

struct reverting {
	bool unset;
	struct fit_strlist notes;
};

static int has_request(const struct fit_subject *subject, struct fit_err *err)
{
	struct fit_request request = {0};
	fit_autodoc xmlDoc *doc = fit_xml_parse(subject->xml, subject->length, subject->name, err);
	int status = doc ? fit_request_read(doc, subject->name, &request, err) : -1;

	fit_request_clear(&request);
	return status;
}

/* Is an empty <metadata> to be left, because there was one before? */
static bool keeps_metadata(const struct fit_subject *subject)
{
	struct fit_record record = {0};
	fit_autodoc xmlDoc *doc = fit_xml_parse(subject->xml, subject->length, subject->name, NULL);
	bool keeps = doc && fit_record_read(doc, subject->name, &record, NULL) > 0 &&
		     record.had_metadata;

	fit_record_clear(&record);
	return keeps;
}

static int change(struct fit_session *session FIT_UNUSED, const struct fit_subject *subject,
	void *context, char **ret_xml, struct fit_err *err)
{
	struct reverting *reverting = context;
	fit_autofree char *xml = NULL;
	bool changed;

	fit_strlist_clear(&reverting->notes);
	if (fit_revert(subject->xml, subject->length, subject->name, &reverting->notes, &xml,
		    &changed, err) < 0)
		return -1;
	if (reverting->unset && has_request(subject, NULL) != 0)
		return fit_request_remove(
			xml, strlen(xml), subject->name, keeps_metadata(subject), ret_xml, err);
	if (changed)
		*ret_xml = FIT_STEAL(xml);
	return 0;
}

static int revert_domain(
	struct fit_session *session, const char *which, bool unset, struct fit_err *err)
{
	struct reverting reverting = {.unset = unset};
	struct fit_subject subject = {0};
	int status = fit_redefine(session, which, change, &reverting, &subject, err);

	if (status >= 0) {
		fit_autofree char *shown = fit_printable(subject.name);

		for (size_t i = 0; i < reverting.notes.count; i++)
			fit_cli_note("%s: %s", shown, reverting.notes.items[i]);
		if (status > 0)
			fit_cli_report(session, &subject, unset ? "unset" : "reverted", "");
		else
			printf("%s: %s\n", shown, unset ? "requests no profile" : "is not fitted");
	}
	fit_strlist_clear(&reverting.notes);
	fit_subject_clear(&subject);
	return status < 0 ? -1 : 0;
}

static int revert_file(const struct fit_subject *subject, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist notes = {0};
	fit_autofree char *xml = NULL;
	bool changed;

	if (fit_revert(subject->xml, subject->length, subject->name, &notes, &xml, &changed, err) <
		0)
		return -1;
	for (size_t i = 0; i < notes.count; i++)
		fit_cli_note("%s: %s", subject->name, notes.items[i]);
	fputs(xml, stdout);
	return 0;
}

int fit_cmd_revert(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct fit_subject subject = {0};
	struct fit_err err = FIT_ERR_INIT;
	int status = fit_session_fetch(&session, cli->args[0], &subject, &err);

	if (status == 0)
		status = subject.is_domain ? revert_domain(&session, cli->args[0], false, &err)
					   : revert_file(&subject, &err);
	fit_subject_clear(&subject);
	fit_session_close(&session);
	return status < 0 ? fit_cli_fail(&err) : FIT_EXIT_DONE;
}

int fit_cmd_unset(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct fit_err err = FIT_ERR_INIT;
	int code = FIT_EXIT_DONE;

	for (int i = 0; i < cli->arg_count; i++)
		if (revert_domain(&session, cli->args[i], true, &err) < 0)
			code = fit_cli_fail(&err);
	fit_session_close(&session);
	return code;
}
