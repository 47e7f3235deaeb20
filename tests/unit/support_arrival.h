/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may change of a domain that arrives. */
#ifndef FIT_TESTS_SUPPORT_ARRIVAL_H
#define FIT_TESTS_SUPPORT_ARRIVAL_H

#include <stdbool.h>

#include <libxml/tree.h>

/* Do they differ in nothing but what libvirt lets a hook change of a guest that runs? That is taken
 * out of both; by elements, and not by the paths of core/replan.c. */
bool fit_test_same_for_the_guest(xmlDoc *before, xmlDoc *after);

#endif
