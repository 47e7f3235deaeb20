/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System roots for tests, in temporary directories:
 *
 *     struct fit_fsroot root = fit_test_host_root("two-node");
 *     ... fit_probe(&root, FIT_PROBE_ALL, &host, &warnings, &err) ...
 *     fit_test_root_remove(&root);
 *
 * The hosts are the scripts tests/hosts/NAME.sh; shell tests make them with
 * `tests/hosts/make NAME DIR`. Tests run in the top directory or have $TOP set. Whatever fails here
 * fails the test.
 */
#ifndef FIT_TESTS_SUPPORT_HOST_H
#define FIT_TESTS_SUPPORT_HOST_H

#include "base/strlist.h"
#include "core/host.h"
#include "sys/fsroot.h"

/* A new directory, in memory if there is room; its path is to be freed. */
char *fit_test_directory(void);

/* A root with what the manifest says: see support_tree.h. */
struct fit_fsroot fit_test_root(const char *manifest);
struct fit_fsroot fit_test_host_root(const char *name);

/* Adds or replaces entries of a root. */
void fit_test_root_add(const struct fit_fsroot *root, const char *manifest);

/* Closes the root and removes its directory. */
void fit_test_root_remove(struct fit_fsroot *root);

/* Everything that can be probed of tests/hosts/NAME.sh, for tests that need a host but no files. */
struct fit_host fit_test_host(const char *name);

/* The names of all hosts in tests/hosts. */
void fit_test_host_names(struct fit_strlist *names);

#endif
