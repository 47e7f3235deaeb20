/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trees of tests as manifests: see sys/manifest.h. What is dumped is the canonical form: sorted,
 * each entry once, directories only when empty.
 */
#ifndef FIT_TESTS_SUPPORT_TREE_H
#define FIT_TESTS_SUPPORT_TREE_H

#include "base/err.h"
#include "sys/fsroot.h"

int fit_test_tree_build(const struct fit_fsroot *root, const char *manifest, struct fit_err *err);

/* The tree as a manifest, to be freed: two trees are equal when their dumps are. */
char *fit_test_tree_dump(const struct fit_fsroot *root);

#endif
