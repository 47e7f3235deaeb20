/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Controllers. Libvirt adds a root port (or bridge) for a device that has no place on the guest's
 * PCI buses, and a controller for disks and channels that lack theirs. One that it added for a
 * device of ours goes with that device: a controller that the original did not have, which a device
 * of ours is on, and no other.
 */
#ifndef FIT_CORE_CONTROLLERS_H
#define FIT_CORE_CONTROLLERS_H

#include "core/remains.h"

/* Indexes of the PCI controllers and names of the others, "0 1:multifunction 2 scsi/0"; NULL when
 * there are none or one of PCI has no index: then libvirt has not laid out the buses yet. To be
 * freed. */
char *fit_controllers_list(xmlNode *root);

/* Removes what libvirt added for the @count devices of @ours, which are still there. @original: as
 * from fit_controllers_list(). */
void fit_controllers_remove(xmlNode *root, const char *original, xmlNode *const *ours, size_t count,
	struct fit_remains *remains);

/* Puts those back that are in use again. */
void fit_controllers_restore(xmlNode *root, struct fit_remains *remains);

#endif
