/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virt-fit apply DOMAIN...: fits definitions to their requests. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/verbs.h"

int fit_cmd_apply(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct fit_err err = FIT_ERR_INIT;
	int code = FIT_EXIT_DONE;

	if (fit_session_connect(&session, &err) < 0 || fit_cli_survey(&session, &err) < 0)
		code = fit_cli_fail(&err);
	else
		for (int i = 0; i < cli->arg_count; i++)
			if (fit_cli_fit(&session, cli->args[i], NULL, &err) < 0)
				code = fit_cli_fail(&err);
	fit_session_close(&session);
	return code;
}
