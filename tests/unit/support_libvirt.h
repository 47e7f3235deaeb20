/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FIT_TESTS_SUPPORT_LIBVIRT_H
#define FIT_TESTS_SUPPORT_LIBVIRT_H

#include <libxml/tree.h>

/*
 * Does to a document what libvirt does on define: its own order, indentation, spelling of sizes and
 * CPU lists, defaults, MACs, addresses and root ports of interfaces; no comments outside
 * <metadata>, no empty <cputune> and the like. The attributes change their order, too.
 */
void normalise_as_libvirt(xmlDoc *doc);

/* Only the order. */
void sort_as_libvirt(xmlDoc *doc);

#endif
