/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random benches, each made from its number alone: hosts of at most 16 CPUs, 4 nodes and 6 VFs with
 * whatever is odd about hosts, other domains, a previous placement, and a definition and a profile
 * that ask for all that the planner looks at.
 */
#ifndef FIT_TESTS_SUPPORT_CASE_H
#define FIT_TESTS_SUPPORT_CASE_H

#include "core/place.h"
#include "support_plan.h"

#define FIT_CASE_VFS 6

struct fit_bench fit_made_case(unsigned int number);

/* The cost of the best plan that the search finds; false: it finds none. */
bool fit_case_search(struct fit_bench *b, struct fit_cost *ret_cost);

/* More of the random numbers that the last case was made of. */
unsigned int fit_case_draw(unsigned int below);
bool fit_case_chance(unsigned int percent);

#endif
