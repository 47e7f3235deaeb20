/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The number of a controller, also before libvirt has given it one. */
#ifndef FIT_CORE_CONTROLLER_INDEX_H
#define FIT_CORE_CONTROLLER_INDEX_H

#include <stdbool.h>

#include <libxml/tree.h>

/*
 * What libvirt will number @controller: those without index= get the lowest numbers that no other
 * one of their type has, in the order of the document (virDomainAssignControllerIndexes()). False
 * when it is no <controller>, has an index= (whatever it says), or is of PCI or USB, which are
 * numbered by other rules.
 */
bool fit_controller_index_expected(const xmlNode *controller, unsigned int *ret_index);

#endif
