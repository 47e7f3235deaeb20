/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `virt-fit status` shows, collected from libvirt (what is defined and runs), from our state
 * (what was claimed of the host, baselines) and from the file system (the hook).
 */
#ifndef FIT_CLI_STATUS_H
#define FIT_CLI_STATUS_H

#include "cli/verbs.h"
#include "fitting/standing.h"
#include "sys/state.h"

struct fit_status_domain {
	const char *name;
	const char *uuid;
	const struct fit_virt_domain *domain; /* NULL: libvirt has (or shows) no such domain */
	struct fit_standing standing;
	struct fit_journal *journal; /* NULL: nothing is held */
	/* It runs with a request, but the hook has not prepared the host for it. */
	bool unprepared;
	bool unfitted;		  /* it runs, and was not fitted when it started */
	struct fit_strlist waits; /* what it has to be started again for, then */
};

struct fit_status_hook {
	const char *path; /* below the root; NULL: not installed */
	bool executable;  /* libvirt skips it without a word when it is not */
	bool engine;
};

struct fit_status {
	bool connected;
	struct fit_virt_domains all;
	struct fit_state state;
	struct fit_status_domain *domains;
	size_t domain_count;
	struct fit_status_hook hook;
	bool watched; /* the watcher runs */
};

void fit_status_clear(struct fit_status *status);

/* @which NULL: all domains that request or hold something. Without libvirt, a note says so, and
 * what is known from our state is all there is. */
int fit_status_collect(struct fit_session *session, const char *which,
	struct fit_status *ret_status, struct fit_err *err);

#endif
