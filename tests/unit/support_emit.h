/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for every emission. */
#ifndef FIT_TEST_SUPPORT_EMIT_H
#define FIT_TEST_SUPPORT_EMIT_H

#include "core/edit.h"
#include "core/plan.h"

/* A profile "p" of p.xml with these elements in its first line. To be cleared. */
struct fit_profile fit_test_profile(const char *intents);

/* Fails the test unless each edit writes an element that its path finds, and each reason belongs to
 * a topic that people know. */
void fit_test_check_emitted(const struct fit_plan *plan, const struct fit_edits *edits);

#endif
