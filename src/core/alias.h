/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What devices of ours are called. A device of the definition may have such a name already: one
 * that the user has edited is the user's from then on, and of a definition that was copied without
 * its record all are. It keeps the name, and ours gets another.
 */
#ifndef FIT_CORE_ALIAS_H
#define FIT_CORE_ALIAS_H

#include "core/domain.h"
#include "core/rewrite.h"

/* Devices we add carry a user alias with this prefix, which libvirt keeps. */
#define FIT_ALIAS_PREFIX "ua-virt-fit-"

/* "ua-virt-fit-vf0" for "vf0", or "ua-virt-fit-vf0-2" where the definition has a device of that
 * name. @domain: without our edits. To be freed. */
char *fit_alias_make(const struct fit_domain *domain, const char *format, ...) FIT_PRINTF(2, 3);

bool fit_alias_is_ours(const char *alias); /* has it the prefix? NULL has not */

/* Does the definition have a device of that name? */
bool fit_alias_is_taken(const struct fit_domain *domain, const char *alias);

/* Of the devices of @fitted that are named like ours those are the user's that the definition has
 * without our edits, as the record says or the definition itself. */
void fit_alias_disown_unrecorded(struct fit_domain *fitted, const struct fit_record *record);
void fit_alias_disown_taken(struct fit_domain *fitted, const struct fit_domain *original);

#endif
