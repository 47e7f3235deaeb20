/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the verbs that plan have in common: where a definition comes from (a domain of libvirt, a
 * file, standard input), the host it is planned for, and what other domains hold.
 */
#ifndef FIT_CLI_SESSION_H
#define FIT_CLI_SESSION_H

#include "cli/cli.h"
#include "core/claims.h"
#include "core/host.h"
#include "core/networks.h"
#include "core/render.h"
#include "core/request.h"
#include "virt/domains.h"

struct fit_session {
	struct fit_cli *cli;
	bool connected;
	struct fit_virt virt;
	struct fit_host host;
	struct fit_target target; /* what definitions are written for */
	struct fit_claims claims;
	bool knows_networks;
	struct fit_networks networks;
};

/* A definition and where it is from. */
struct fit_subject {
	char *name; /* the domain's name, the file's path: for messages */
	bool is_domain;
	struct fit_virt_domain domain;
	char *xml;
	size_t length;
};

void fit_session_close(struct fit_session *session);
void fit_subject_clear(struct fit_subject *subject);

/* Connects to libvirt, if that was not done yet. */
int fit_session_connect(struct fit_session *session, struct fit_err *err);

/* Finds what the argument means (see DOMAIN_HELP in main.c) and reads it; connects for a domain. */
int fit_session_fetch(struct fit_session *session, const char *argument,
	struct fit_subject *ret_subject, struct fit_err *err);

/* Reads the host and what other domains hold. Without a connection, one is made if possible (with
 * --sysroot, if --connect is given); if not, a note says that other domains are not considered. */
int fit_session_survey(struct fit_session *session, struct fit_err *err);

/* What --profile, --param and --device ask for. */
void fit_session_add_options(const struct fit_cli *cli, struct fit_request *request);

/* fit_render() for the surveyed host of @xml, or of the subject's own document when that is NULL,
 * with what the options ask for on top of the request. @only: see core/profile_steps.h;
 * @had_metadata: see fit_record. */
int fit_session_render(struct fit_session *session, const struct fit_subject *subject,
	const char *xml, const struct fit_strlist *only, bool had_metadata,
	struct fit_render_result *ret_result, struct fit_err *err);

/* What the user should know about the result goes to stderr: edits of theirs that were kept. */
void fit_session_print_notes(
	const struct fit_subject *subject, const struct fit_render_result *result);

#endif
