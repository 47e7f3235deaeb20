/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virt-fit plan DOMAIN|FILE: what the domain would get, and with --why, why. With --all: what all
 * domains would, and what is left then. */
#include <stdio.h>

#include "base/text.h"
#include "cli/json.h"
#include "cli/packing.h"
#include "cli/verbs.h"

static int show(const struct fit_cli *cli, const struct fit_subject *subject,
	const struct fit_render_result *result)
{
	if (cli->json)
		return fit_cli_print_json(fit_json_plan(subject->name, result));
	fit_cli_print_notes(subject, result);
	fputs(result->report, stdout);
	return FIT_EXIT_DONE;
}

/* A program that asked for JSON gets it for a refusal, too. */
static int show_error(const struct fit_cli *cli, const struct fit_err *err)
{
	if (cli->json)
		fit_cli_print_json(fit_json_error(cli->all ? "--all" : cli->args[0], err));
	return fit_cli_fail(err);
}

static int plan_all(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct fit_packing packing = {0};
	struct fit_err err = FIT_ERR_INIT;
	int code = FIT_EXIT_DONE;

	session.report = cli->why ? FIT_REPORT_WHY : FIT_REPORT_NONE;
	if (fit_packing_make(cli, &session, &packing, &err) < 0)
		code = show_error(cli, &err);
	else if (cli->json)
		fit_cli_print_json(fit_packing_json(&session.host, &packing));
	else
		fit_packing_show(&session.host, &packing);
	if (packing.refused) {
		fit_cli_note("%zu of %zu domain%s cannot fit", packing.refused, packing.count,
			fit_plural(packing.count));
		code = FIT_EXIT_FAILED;
	}
	fit_packing_clear(&packing);
	fit_session_close(&session);
	return code;
}

static int plan_one(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct fit_subject subject = {0};
	struct fit_render_result result = {0};
	struct fit_err err = FIT_ERR_INIT;
	int code;

	session.report = cli->why ? FIT_REPORT_WHY : FIT_REPORT_PLAIN;
	if (fit_session_fetch(&session, cli->args[0], &subject, &err) < 0 ||
		fit_cli_survey(&session, &err) < 0 ||
		fit_session_render(&session, &subject, NULL, &cli->only, false, &result, &err) < 0)
		code = show_error(cli, &err);
	else
		code = show(cli, &subject, &result);
	fit_render_result_clear(&result);
	fit_subject_clear(&subject);
	fit_session_close(&session);
	return code;
}

int fit_cmd_plan(struct fit_cli *cli)
{
	return cli->all ? plan_all(cli) : plan_one(cli);
}
