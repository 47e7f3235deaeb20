/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device that was none (<memballoon model='none'/>, <video><model type='none'/>) and becomes one
 * gets an address from libvirt, and a port to be on. The record has a facet for that address, with
 * neither a value before nor one that we wrote, right before the facet of the model.
 */
#ifndef FIT_CORE_DEVICE_ADDRESS_H
#define FIT_CORE_DEVICE_ADDRESS_H

#include <stdbool.h>

#include <libxml/tree.h>

#include "core/path.h"

/* The device that comes to be when the attribute at @path, of @element, is no longer @have; NULL:
 * none does. */
xmlNode *fit_device_switched_on(const struct fit_path *path, xmlNode *element, const char *have);

bool fit_device_is_none(const xmlNode *device);

/* Is it the path of a device's address? */
bool fit_device_address_is(const struct fit_path *path);

#endif
