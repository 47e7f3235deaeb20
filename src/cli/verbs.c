/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/verbs.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct fit_session fit_cli_session(struct fit_cli *cli)
{
	struct fit_session session = {
		.root = &cli->root,
		.store = &cli->store,
		.connect = cli->connect,
		.other_host = cli->sysroot,
		.allowed = cli->allowed,
		.dry_run = cli->dry_run,
		.stated = cli->target,
		.only = &cli->only,
	};

	fit_cli_add_options(cli, &session.asked);
	return session;
}

int fit_cli_survey(struct fit_session *session, struct fit_err *err)
{
	int status = fit_session_survey(session, err);

	for (size_t i = 0; i < session->notes.count; i++)
		fit_cli_note("%s", session->notes.items[i]);
	fit_strlist_clear(&session->notes);
	return status;
}

static void add_param(struct fit_request *request, const char *param)
{
	const char *equals = strchr(param, '='); /* options.c has checked that it is there */
	struct fit_param *added = FIT_APPEND(request->params, request->param_count);

	added->name = fit_xstrndup(param, (size_t)(equals - param));
	added->value = fit_xstrdup(equals + 1);
}

static void add_device(struct fit_request *request, const char *device)
{
	struct fit_request_device *added = FIT_APPEND(request->devices, request->device_count);

	if (!fit_pciaddr_parse(device, &added->address))
		added->netdev = fit_xstrdup(device);
}

void fit_cli_add_options(const struct fit_cli *cli, struct fit_request *request)
{
	for (size_t i = 0; i < cli->profiles.count; i++)
		fit_strlist_add(&request->profiles, cli->profiles.items[i]);
	for (size_t i = 0; i < cli->params.count; i++)
		add_param(request, cli->params.items[i]);
	for (size_t i = 0; i < cli->devices.count; i++)
		add_device(request, cli->devices.items[i]);
}

void fit_cli_print_notes(const struct fit_subject *subject, const struct fit_render_result *result)
{
	fit_autofree char *name = fit_printable(subject->name);

	for (size_t i = 0; i < result->notes.count; i++)
		fit_cli_note("%s: %s", name, result->notes.items[i]);
}

void fit_cli_report(const struct fit_session *session, const struct fit_subject *subject,
	const char *what, const char *detail)
{
	const struct fit_virt_domain *domain = &subject->domain;
	fit_autofree char *name = fit_printable(subject->name);

	printf("%s: %s%s%s%s%s", name, session->dry_run ? "would be " : "", what,
		detail[0] ? " (" : "", detail, detail[0] ? ")" : "");
	if (domain->active)
		printf("; it runs: takes effect at the next start");
	else if (domain->saved)
		printf("; its saved state resumes with the old definition");
	printf("\n");
}

int fit_cli_fit(struct fit_session *session, const char *which, const struct fit_request *request,
	struct fit_err *err)
{
	struct fit_fitted fitted = {0};
	fit_autofree char *shown = NULL;
	const char *part = session->only && session->only->count ? " in part" : "";

	if (fit_domain_fit(session, which, request, &fitted, err) < 0)
		return -1;
	shown = fit_printable(fitted.subject.name);
	for (size_t i = 0; i < fitted.notes.count; i++)
		fit_cli_note("%s: %s", shown, fitted.notes.items[i]);
	for (size_t i = 0; i < fitted.warnings.count && fitted.changed; i++)
		fit_cli_note("%s: warning: %s", shown, fitted.warnings.items[i]);
	for (size_t i = 0; i < fitted.remarks.count && fitted.changed; i++)
		fit_cli_note("%s: note: %s", shown, fitted.remarks.items[i]);
	if (fitted.changed)
		fit_cli_report(session, &fitted.subject, part[0] ? "fitted in part" : "fitted",
			fitted.profiles);
	else
		printf("%s: already fitted%s (%s)\n", shown, part, fitted.profiles);
	fit_fitted_clear(&fitted);
	return 0;
}
