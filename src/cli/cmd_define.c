/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virt-fit define FILE [--start]: what a watcher would do afterwards is done before. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/verbs.h"
#include "core/domain.h"
#include "core/profile_steps.h"
#include "core/xml.h"

struct definition {
	struct fit_subject subject;
	struct fit_domain domain; /* the view of the file */
	bool requests;
};

static int read_definition(
	struct fit_session *session, const char *path, struct definition *def, struct fit_err *err)
{
	struct fit_request request = {0};
	fit_autodoc xmlDoc *doc = NULL;
	int found;

	if (fit_session_fetch(session, path, &def->subject, err) < 0)
		return -1;
	if (def->subject.is_domain)
		return fit_err_set(err, FIT_ERR_INVALID,
			"%s is a domain that is defined already: 'virt-fit apply' fits it",
			def->subject.name);
	doc = fit_xml_parse(def->subject.xml, def->subject.length, def->subject.name, err);
	if (!doc || fit_domain_read(doc, def->subject.name, &def->domain, err) < 0)
		return -1;
	found = fit_request_read(doc, def->subject.name, &request, err);
	fit_request_clear(&request);
	def->requests = found > 0;
	return found < 0 ? -1 : 0;
}

static int define(struct fit_session *session, const struct definition *def, struct fit_err *err)
{
	fit_autofree char *name = fit_printable(def->domain.name);
	fit_autofree char *profiles = NULL;
	struct fit_render_result result = {0};
	int status;

	if (!def->requests) {
		status = fit_virt_define(&session->virt, def->subject.xml, err);
		if (status == 0)
			printf("%s: defined; it requests no profile\n", name);
		return status;
	}
	if (fit_cli_survey(session, err) < 0 || fit_session_render(session, &def->subject, NULL,
							session->only, false, &result, err) < 0)
		return -1;
	fit_cli_print_notes(&def->subject, &result);
	profiles = fit_profile_title(&result.profile);
	status = fit_virt_define(&session->virt, result.xml, err);
	if (status == 0)
		printf("%s: defined and fitted (%s)\n", name, profiles);
	fit_render_result_clear(&result);
	return status;
}

static int start(const struct fit_session *session, const char *name, struct fit_err *err)
{
	struct fit_virt_domain domain = {0};
	fit_autofree char *shown = fit_printable(name);
	int status = fit_virt_find(&session->virt, name, &domain, err);

	if (status < 0)
		return -1;
	status = fit_virt_start(&domain, err);
	if (status == 0)
		printf("%s: started\n", shown);
	fit_virt_domain_clear(&domain);
	return status;
}

int fit_cmd_define(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct definition def = {0};
	struct fit_err err = FIT_ERR_INIT;
	int code = FIT_EXIT_DONE;

	if (read_definition(&session, cli->args[0], &def, &err) < 0 ||
		fit_session_connect(&session, &err) < 0 || define(&session, &def, &err) < 0 ||
		(cli->start && start(&session, def.domain.name, &err) < 0))
		code = fit_cli_fail(&err);
	fit_domain_clear(&def.domain);
	fit_subject_clear(&def.subject);
	fit_session_close(&session);
	return code;
}
