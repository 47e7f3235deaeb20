/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host as text: all that the probe reads of it, as a manifest (sys/manifest.h) with a first and a
 * last line of its own, so that a capture that was cut off is known. What only identifies the
 * machine is not in it or made up: host name and machine id, MAC addresses, mount points. The same
 * tree gives the same bytes.
 */
#ifndef FIT_SYS_CAPTURE_H
#define FIT_SYS_CAPTURE_H

#include <sys/types.h>

#include "base/err.h"
#include "sys/fsroot.h"

/* @name: the host name in the capture. To be freed. */
char *fit_capture_make(const struct fit_fsroot *root, const char *name);

/* A capture as a tree. */
struct fit_unpacked {
	char *path; /* of the tree; NULL: nothing is unpacked */
	int keeper_fd;
	pid_t keeper;
};

/* Unpacks the capture in @file below a new temporary directory, which is removed by
 * fit_capture_remove() or when this process ends, however it does. */
int fit_capture_unpack(const char *file, struct fit_unpacked *ret_tree, struct fit_err *err);
void fit_capture_remove(struct fit_unpacked *tree);

#endif
