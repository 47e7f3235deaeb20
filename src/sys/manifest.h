/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directory trees as text, so that hosts can be captured, read and made again. A manifest has a
 * line for each entry; parents are made as needed, what exists is replaced:
 *
 *     # a comment
 *     sys/devices/system/cpu/online = 0-3            file with this text and a newline
 *     sys/bus/pci/devices/0000:00:01.0/config := \x86\x80    file with exactly these bytes
 *     sys/bus/pci/devices/0000:41:00.0 -> ../../../devices/0000:41:00.0    symbolic link
 *     sys/devices/system/node/                       directory
 *
 * Texts may contain \n, \t, \\ and \xHH.
 */
#ifndef FIT_SYS_MANIFEST_H
#define FIT_SYS_MANIFEST_H

#include "base/buffer.h"
#include "base/err.h"
#include "sys/fsroot.h"

/* Makes the tree below @root, which nothing in the manifest can leave. @file is for messages. */
int fit_manifest_build(
	const struct fit_fsroot *root, const char *manifest, const char *file, struct fit_err *err);

/* Adds the line of a file. */
void fit_manifest_add_file(
	struct fit_buffer *manifest, const char *path, const char *bytes, size_t length);

#endif
