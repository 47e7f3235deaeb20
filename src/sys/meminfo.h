/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc says about memory, without the rest of the probe: for the hook, too. */
#ifndef FIT_SYS_MEMINFO_H
#define FIT_SYS_MEMINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/hugetlbfs.h"
#include "sys/fsroot.h"

/* The number after @key in the text of a meminfo file: "Node 0 MemTotal:   1234 kB" or, in /proc,
 * "MemTotal:   1234 kB". False when it is not there. */
FIT_MUST_CHECK bool fit_meminfo_find(const char *text, const char *key, uint64_t *ret_value);

/* Same for a file. */
FIT_MUST_CHECK bool fit_meminfo_read(
	const struct fit_fsroot *root, const char *path, const char *key, uint64_t *ret_value);

/* To be cleared. */
struct fit_hugetlbfs fit_hugetlbfs_read(const struct fit_fsroot *root);

#endif
