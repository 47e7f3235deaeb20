/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What refers to an iothread: its pin, its scheduler, the disks and controllers it serves. libvirt
 * refuses a definition in which the iothread itself is not there.
 *
 * A definition that we fit has none of that. One that was fitted may: the user edited our pin, or
 * gave a disk of his own to our iothread. When the iothread goes, with a revert or because the
 * profile wants it no more, what refers to it goes too, and is told.
 */
#ifndef FIT_CORE_IOTHREAD_USERS_H
#define FIT_CORE_IOTHREAD_USERS_H

#include "core/domain.h"

/* FIT_ERR_INVALID: something refers to an iothread that is not there. */
int fit_iothread_users_check(const struct fit_domain *domain, struct fit_err *err);

/* Takes out what refers to an iothread that @had has and the document, named @name, has not. A note
 * for each; one that the same thing was kept is taken back. */
void fit_iothread_users_drop(
	xmlDoc *doc, const char *name, const struct fit_domain *had, struct fit_strlist *notes);

#endif
