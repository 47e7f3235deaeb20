/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Literal writes in profiles: from the XML of one, and composed of several. Internal to
 * core/profile_*.c. */
#ifndef FIT_CORE_PROFILE_WRITE_H
#define FIT_CORE_PROFILE_WRITE_H

#include "core/profile.h"
#include "core/strict.h"

/* Their elements, for messages and for profiles step by step. */
#define FIT_HOST_WRITES "sysctl sysfs"

struct fit_host_writes {
	struct fit_host_write *items;
	size_t count;
};

void fit_host_writes_clear(struct fit_host_writes *writes);

/* Reads one element of <host>. 1: it was a literal write, 0: it is something else. Parameters are
 * not put in: a request could then name files and values. */
int fit_host_writes_read(
	const struct fit_strict *in, const xmlNode *node, struct fit_host_writes *writes);

/* Those of a later profile replace earlier ones of the same file. */
void fit_host_writes_merge(struct fit_profile *profile, const struct fit_host_writes *writes);

/* Adds them to the settings of @profile, and to the facts of its fingerprint. */
void fit_host_writes_list(struct fit_profile *profile, struct fit_strlist *facts);

/* Takes those of @setting out of @profile. */
void fit_host_writes_drop(struct fit_profile *profile, enum fit_host_setting_id setting);

#endif
