/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virt-fit set DOMAIN PROFILE...: writes the request and fits, in one define. */
#include "cli/verbs.h"

static int add_profiles(struct fit_request *request, const char *words, struct fit_err *err)
{
	size_t before = request->profiles.count;

	fit_strlist_split(&request->profiles, words, " ,");
	for (size_t i = before; i < request->profiles.count; i++)
		if (!fit_profile_name_is_valid(request->profiles.items[i]))
			return fit_err_set(err, FIT_ERR_INVALID,
				"'%s' is no name of a profile; 'virt-fit profiles' lists them",
				request->profiles.items[i]);
	if (request->profiles.count == before)
		return fit_err_set(err, FIT_ERR_INVALID, "the name of a profile is missing");
	return 0;
}

static int make_request(const struct fit_cli *cli, struct fit_request *request, struct fit_err *err)
{
	for (int i = 1; i < cli->arg_count; i++)
		if (add_profiles(request, cli->args[i], err) < 0)
			return -1;
	fit_cli_add_options(cli, request);
	request->stale = cli->stale;
	return 0;
}

int fit_cmd_set(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct fit_request request = {0};
	struct fit_err err = FIT_ERR_INIT;
	int code = FIT_EXIT_DONE;

	if (make_request(cli, &request, &err) < 0 || fit_session_connect(&session, &err) < 0 ||
		fit_cli_survey(&session, &err) < 0 ||
		fit_cli_fit(&session, cli->args[0], &request, &err) < 0)
		code = fit_cli_fail(&err);
	fit_request_clear(&request);
	fit_session_close(&session);
	return code;
}
