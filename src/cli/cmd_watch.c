/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virt-fit watch: the service; with --once, what it does when it begins. */
#include <string.h>

#include "cli/verbs.h"
#include "fitting/standing.h"
#include "watch/watch.h"

/* Is it one that the service would fit? */
static bool is_wanted(struct fit_session *session, const struct fit_virt_domain *domain)
{
	struct fit_standing standing = {0};
	bool wanted = domain->persistent && !domain->saved &&
		      fit_standing_find(session, domain, &standing, NULL) == 0 &&
		      standing.kind != FIT_STANDING_NONE;

	fit_standing_clear(&standing);
	return wanted;
}

static int fit_all(struct fit_session *session, struct fit_err *err)
{
	struct fit_virt_domains domains = {0};
	int code = FIT_EXIT_DONE;

	if (fit_session_connect(session, err) < 0 || fit_cli_survey(session, err) < 0 ||
		fit_virt_list(&session->virt, &domains, err) < 0)
		return fit_cli_fail(err);
	session->by_uuid = true;
	session->only = NULL;
	for (size_t i = 0; i < domains.count; i++)
		if (is_wanted(session, &domains.items[i]) &&
			fit_cli_fit(session, domains.items[i].uuid, NULL, err) < 0)
			code = fit_cli_fail(err);
	fit_virt_domains_clear(&domains);
	return code;
}

int fit_cmd_watch(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	const struct fit_watch_options options = {.connect = cli->connect,
		.other_host = cli->sysroot,
		.root = &cli->root,
		.store = &cli->store};
	struct fit_err err = FIT_ERR_INIT;
	int code = FIT_EXIT_DONE;

	if (!session.connect)
		session.connect = FIT_WATCH_URI;
	if (cli->once)
		code = fit_all(&session, &err);
	else if (fit_watch_run(&options, &err) < 0)
		code = fit_cli_fail(&err);
	fit_session_close(&session);
	return code;
}
