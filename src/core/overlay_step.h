/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which element of a definition an element of an overlay means: the step of a path (core/edit.h)
 * with libvirt's identity of such elements in its conditions. Internal to core/overlay*.c.
 */
#ifndef FIT_CORE_OVERLAY_STEP_H
#define FIT_CORE_OVERLAY_STEP_H

#include <stdbool.h>

#include <libxml/tree.h>

#include "base/err.h"

/* "disk[target/@dev='vda']". NULL when @node lacks what tells it from its like, or when nothing
 * does: *ret_problem says so, to follow "<disk>". Both are to be freed. */
char *fit_overlay_step(const xmlNode *node, char **ret_problem);

/* Is it part of the identity of @node or, as the target of a disk, of what it belongs to? */
bool fit_overlay_is_identity(const xmlNode *node, const char *attribute);

#endif
