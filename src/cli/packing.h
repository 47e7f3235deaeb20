/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virt-fit plan --all: all domains of libvirt and the definitions that are named besides, planned
 * one after the other (core/packing.h) and shown. Nothing is changed.
 */
#ifndef FIT_CLI_PACKING_H
#define FIT_CLI_PACKING_H

#include "cli/verbs.h"
#include "core/packing.h"

enum fit_packed_state {
	FIT_PACKED_KEPT,    /* it runs, or has no request */
	FIT_PACKED_PLANNED, /* `result` says how */
	FIT_PACKED_REFUSED, /* `problem` says why */
};

struct fit_packed {
	struct fit_subject subject;
	struct fit_domain view; /* as it would be */
	struct fit_packing_turn turn;
	struct fit_strlist profiles; /* empty: it requests none */
	enum fit_packed_state state;
	struct fit_render_result result;
	struct fit_err problem;
};

struct fit_packing {
	struct fit_packed *items; /* in the order of planning */
	size_t count;
	size_t refused;
	struct fit_strlist notes; /* about several of them */
	struct fit_left left;
};

void fit_packing_clear(struct fit_packing *packing);

/* All domains, and the files that are @cli's arguments. Surveys the session, whose host and claims
 * are then those with all domains. */
int fit_packing_make(const struct fit_cli *cli, struct fit_session *session,
	struct fit_packing *ret_packing, struct fit_err *err);

/* In which order domains are planned, and why. */
extern const char *const fit_packing_order[FIT_PACKING_RANKS];

/* "running", "shut off", "planned", "cannot fit" */
const char *fit_packed_state_name(const struct fit_packed *packed);

/* packing_show.c */
/* Before the table the plans, where the session asked for reports of them. */
void fit_packing_show(const struct fit_host *host, const struct fit_packing *packing);

struct json_object;
struct json_object *fit_packing_json(
	const struct fit_host *host, const struct fit_packing *packing);

#endif
