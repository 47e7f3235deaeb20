/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directory trees as text, so that fixtures can be read, made and compared. A manifest has a line
 * for each entry; parents are made as needed, what exists is replaced:
 *
 *     # a comment
 *     sys/devices/system/cpu/online = 0-3            file with this text and a newline
 *     sys/bus/pci/devices/0000:00:01.0/config := \x86\x80    file with exactly these bytes
 *     sys/bus/pci/devices/0000:41:00.0 -> ../../../devices/0000:41:00.0    symbolic link
 *     sys/devices/system/node/                       directory
 *
 * Texts may contain \n, \t, \\ and \xHH. What a manifest dumps is its canonical form: sorted, each
 * entry once, directories only when empty.
 */
#ifndef FIT_TESTS_SUPPORT_TREE_H
#define FIT_TESTS_SUPPORT_TREE_H

#include "base/err.h"
#include "sys/fsroot.h"

int fit_test_tree_build(const struct fit_fsroot *root, const char *manifest, struct fit_err *err);

/* The tree as a manifest, to be freed: two trees are equal when their dumps are. */
char *fit_test_tree_dump(const struct fit_fsroot *root);

#endif
