/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virt-fit render [DOMAIN|FILE]: a filter from a definition to the fitted one. */
#include <stdio.h>

#include "cli/verbs.h"

int fit_cmd_render(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct fit_subject subject = {0};
	struct fit_render_result result = {0};
	struct fit_err err = FIT_ERR_INIT;
	int code = FIT_EXIT_DONE;

	if (fit_session_fetch(&session, cli->arg_count ? cli->args[0] : "-", &subject, &err) < 0 ||
		fit_cli_survey(&session, &err) < 0 ||
		fit_session_render(&session, &subject, NULL, &cli->only, false, &result, &err) <
			0) {
		code = fit_cli_fail(&err);
	} else {
		fit_cli_print_notes(&subject, &result);
		fputs(result.xml, stdout);
	}
	fit_render_result_clear(&result);
	fit_subject_clear(&subject);
	fit_session_close(&session);
	return code;
}
