/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /etc/virt-fit/host.xml below the root handle: see core/host_policy.h. */
#ifndef FIT_SYS_POLICY_H
#define FIT_SYS_POLICY_H

#include "base/err.h"
#include "base/strlist.h"
#include "core/host.h"
#include "core/stale.h"
#include "sys/fsroot.h"

/* Notes on a probed host what belongs to it. Without the file nothing does. */
int fit_policy_load(const struct fit_fsroot *root, struct fit_host *host,
	struct fit_strlist *warnings, struct fit_err *err);

/* What it says of starts that come too early; unstated too when it cannot be read, which everybody
 * who plans says. */
enum fit_stale fit_policy_stale(const struct fit_fsroot *root);

/* Leaves of the host the CPUs in @text, a list, or "self": those that this process may use (its
 * cgroup and affinity). @source says who wants that. */
int fit_policy_limit(const struct fit_fsroot *root, struct fit_host *host, const char *text,
	const char *source, struct fit_err *err);

bool fit_policy_exists(const struct fit_fsroot *root);

#endif
