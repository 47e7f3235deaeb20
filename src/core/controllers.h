/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCI controllers. Libvirt adds a root port (or bridge) for a device that has no place on the
 * guest's PCI buses. One that it added for a device of ours goes with that device: a controller
 * that the original did not have, whose bus a device of ours was on, and that nothing uses now.
 */
#ifndef FIT_CORE_CONTROLLERS_H
#define FIT_CORE_CONTROLLERS_H

#include "core/cpuset.h"
#include "core/remains.h"

/* Indexes of the PCI controllers, "0 1 2"; NULL when the definition has none: then libvirt has not
 * laid out its buses yet. To be freed. */
char *fit_controllers_list(xmlNode *root);

/* Adds the guest PCI bus of @device. */
void fit_controllers_note_bus(const xmlNode *device, struct fit_cpuset *buses);

/* @original: as from fit_controllers_list(). */
void fit_controllers_remove(xmlNode *root, const char *original, const struct fit_cpuset *buses,
	struct fit_remains *remains);

/* Puts those back that are in use again. */
void fit_controllers_restore(xmlNode *root, struct fit_remains *remains);

#endif
