/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The number of a SCSI controller, also before libvirt has given it one. */
#ifndef FIT_CORE_SCSI_INDEX_H
#define FIT_CORE_SCSI_INDEX_H

#include <stdbool.h>

#include <libxml/tree.h>

/*
 * What libvirt will number @controller: those without index= get the lowest numbers that no other
 * one has, in the order of the document (virDomainAssignControllerIndexes()). False when it is no
 * <controller type='scsi'>, or has an index= (whatever it says).
 */
bool fit_scsi_index_expected(const xmlNode *controller, unsigned int *ret_index);

#endif
