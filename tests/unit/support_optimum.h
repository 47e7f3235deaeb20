/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The planner's objective written a second time, in the plainest way, and its optimum by trying
 * everything: all sets of cores × vCPUs for each core × sets of VFs, or for floating vCPUs all sets
 * of nodes × shares of each. For hosts of at most 16 cores and 6 VFs and up to 64 vCPUs.
 */
#ifndef FIT_TESTS_SUPPORT_OPTIMUM_H
#define FIT_TESTS_SUPPORT_OPTIMUM_H

#include "core/place.h"
#include "support_case.h"
#include "support_plan.h"

#define FIT_OPTIMUM_CORES 16
#define FIT_OPTIMUM_VFS	  FIT_CASE_VFS

/* False when there is no placement at all. */
bool fit_optimum_find(const struct fit_bench *b, struct fit_cost *ret_cost);

#endif
