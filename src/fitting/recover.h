/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives the host back what domains that do not run still hold.
 *
 * Only libvirt knows what runs. It must be asked before the lock of the state is taken: a start
 * that waits for the lock in its hook blocks every call that touches its domain. So: look at the
 * journals, ask libvirt, take the lock, and undo only journals that are still the same. A start in
 * between has undone the old journal and written a new one with other sequence numbers.
 */
#ifndef FIT_FITTING_RECOVER_H
#define FIT_FITTING_RECOVER_H

#include "fitting/session.h"

/* What was done for the domain @name, or, with an empty UUID, for what no domain claims any more.
 * @failure: it could not be; NULL otherwise. */
typedef void (*fit_recovery_teller)(void *context, const char *name, const char *uuid,
	const char *what, const struct fit_strlist *notes, const struct fit_err *failure);

struct fit_recovery {
	struct fit_session *session; /* its dry_run counts */
	const char *which; /* one domain, by name or UUID; NULL: all, and what nobody claims */
	bool by_itself;	   /* nobody asked: what arrives by migration is left, it runs only soon */
	fit_recovery_teller tell;
	void *context;
};

/* Fails when nothing was tried; what could not be undone is told. */
int fit_recover(const struct fit_recovery *recovery, struct fit_err *err);

#endif
