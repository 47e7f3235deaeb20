/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUs of a group of the host's processes (system.slice, user.slice, init.scope) as a value:
 *
 *   unset            the group is not limited
 *   0-3              it is limited to these
 *   0-3 runtime      the same, by a setting that ends with the boot (systemd's drop-in in /run)
 *
 * A domain contributes the CPUs that it is to have for itself ("4-7"). Functions of text only; how
 * such a value gets into the host is in resource_slice.c.
 */
#ifndef FIT_SYS_SLICE_H
#define FIT_SYS_SLICE_H

#include <stdbool.h>

#include "base/strlist.h"
#include "core/cpuset.h"
#include "sys/resource.h"

struct fit_fsroot;

struct fit_slice_value {
	struct fit_cpuset cpus; /* empty: unset */
	bool runtime;
};

bool fit_slice_parse(const char *text, struct fit_slice_value *ret_value);
char *fit_slice_format(const struct fit_slice_value *value); /* to be freed */

/* The baseline without the CPUs of all contributions, but never without a CPU: where all that the
 * group may use are contributed, it keeps them. @runtime: as such a setting. To be freed. */
char *fit_slice_target(const char *baseline, const struct fit_strlist *contributions,
	const struct fit_cpuset *online, bool runtime);

/* For struct fit_resource_ops. */
bool fit_slice_equal(enum fit_resource_kind kind, const char *a, const char *b);
char *fit_slice_describe(enum fit_resource_kind kind, const char *contribution);

/* All CPUs that the host can have, so that one which comes later is not left out. */
struct fit_cpuset fit_slice_all_cpus(const struct fit_fsroot *root);

#endif
