/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for all edits of a definition. */
#ifndef FIT_TESTS_SUPPORT_REWRITE_H
#define FIT_TESTS_SUPPORT_REWRITE_H

#include <libxml/tree.h>

#include "core/edit.h"

/* As an empty profile would have them. Fails the test when they are refused. */
void fit_test_apply(xmlDoc *doc, const struct fit_edits *edits);

/* Fails the test unless the edits are a fixpoint, and are taken back to the byte. @doc stays as it
 * is. */
void fit_test_check_rewriting(xmlDoc *doc, const struct fit_edits *edits);

#endif
