/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What everybody who plans has in common: where a definition comes from (a domain of libvirt, a
 * file, standard input), the host it is planned for, and what other domains hold.
 */
#ifndef FIT_FITTING_SESSION_H
#define FIT_FITTING_SESSION_H

#include "core/claims.h"
#include "core/host.h"
#include "core/networks.h"
#include "core/render.h"
#include "core/request.h"
#include "core/shape.h"
#include "sys/fsroot.h"
#include "sys/profile_store.h"
#include "virt/domains.h"

enum fit_defining {
	FIT_DEFINING_READS,   /* the definition is read for the last time */
	FIT_DEFINING_DEFINES, /* it is defined */
	FIT_DEFINING_DONE,
	FIT_DEFINING_FAILED, /* or it was found to have changed */
};

struct fit_session {
	struct fit_fsroot *root;
	struct fit_profile_store *store;
	const char *connect;	  /* libvirt's URI; NULL: its default */
	bool other_host;	  /* the root is not this machine's */
	const char *allowed;	  /* only these CPUs, as fit_policy_limit() has it; NULL: all */
	bool dry_run;		  /* change nothing */
	enum fit_report report;	  /* of what is rendered */
	bool by_uuid;		  /* domains are named by UUID only: see fit_virt_find_uuid() */
	struct fit_target stated; /* what definitions are to be written for; 0: not stated */
	struct fit_request asked; /* on top of every request; cleared with the session */
	/* Only these intents, if there are any; NULL: those the definition is fitted for. */
	const struct fit_strlist *only;
	/* Told of each step of a define; NULL: nobody. */
	void (*defining)(void *context, const char *uuid, enum fit_defining step);
	void *defining_context;
	struct fit_strlist notes; /* what is worth knowing although it works: to be told */

	bool connected;
	struct fit_virt virt;
	struct fit_shapes shapes; /* what its schema has been asked about */
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

/* Finds what the argument means (a file if it contains a slash, or ends in .xml and is
 * one; - is standard input; otherwise a domain) and reads it; connects for a domain. */
int fit_session_fetch(struct fit_session *session, const char *argument,
	struct fit_subject *ret_subject, struct fit_err *err);

/* Reads the host and what other domains hold. Without a connection, one is made if possible (with
 * another host, if a URI is given); if not, a note says that other domains are not considered. */
int fit_session_survey(struct fit_session *session, struct fit_err *err);

/* Drops what was surveyed, and keeps the connection. */
void fit_session_forget(struct fit_session *session);

/* fit_render() for the surveyed host of @xml, or of the subject's own document when that is NULL,
 * with what the session asks for on top of the request. @only: see core/profile_steps.h;
 * @had_metadata: see fit_record. */
int fit_session_render(struct fit_session *session, const struct fit_subject *subject,
	const char *xml, const struct fit_strlist *only, bool had_metadata,
	struct fit_render_result *ret_result, struct fit_err *err);

/* The same of a running domain, @xml being what it runs with: all of it, or no more than what can
 * be of a guest that runs (core/replan.h). */
int fit_session_render_running(struct fit_session *session, const struct fit_virt_domain *domain,
	const char *xml, bool all, struct fit_render_result *ret_result, struct fit_err *err);

#endif
