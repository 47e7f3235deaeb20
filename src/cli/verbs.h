/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What verbs share: a session from the options, and how results are told. */
#ifndef FIT_CLI_VERBS_H
#define FIT_CLI_VERBS_H

#include "cli/cli.h"
#include "fitting/fit.h"
#include "fitting/redefine.h"
#include "fitting/session.h"

/* For fit_session_close(); @cli must outlive it. */
struct fit_session fit_cli_session(struct fit_cli *cli);

/* fit_session_survey(), and its notes go to stderr. */
int fit_cli_survey(struct fit_session *session, struct fit_err *err);

/* What --profile, --param and --device ask for. */
void fit_cli_add_options(const struct fit_cli *cli, struct fit_request *request);

/* What the user should know about the result goes to stderr: edits of theirs that were kept. */
void fit_cli_print_notes(const struct fit_subject *subject, const struct fit_render_result *result);

/* Prints "web01: fitted (low-latency)", or "would be fitted" with --dry-run, and when it counts. */
void fit_cli_report(const struct fit_session *session, const struct fit_subject *subject,
	const char *what, const char *detail);

/* fit_domain_fit(), and prints what happened, with the plan's warnings if something changed. */
int fit_cli_fit(struct fit_session *session, const char *which, const struct fit_request *request,
	struct fit_err *err);

#endif
