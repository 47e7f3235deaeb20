/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record as XML, inside the rewriter:
 *
 *   <applied:fitted xmlns:applied="urn:virt-fit:applied:1" version="0.1.0" profile="low-latency"
 *       digest="…" host="…" controllers="0 1 2">
 *     <applied:facet path="cpu" container="yes"/>
 *     <applied:facet path="cpu/@mode" wrote="host-passthrough"/>
 *     <applied:facet path="cputune/vcpupin[@vcpu='0']">
 *       <applied:wrote>&lt;vcpupin vcpu="0" cpuset="2"/&gt;</applied:wrote>
 *     </applied:facet>
 *   </applied:fitted>
 *
 * floating="0-3" lists vCPUs whose pins look like those of vCPUs that have their CPUs for
 * themselves, and that share them with whoever comes. Elements are kept as text: libvirt re-indents
 * elements in <metadata>, but keeps text and attributes as they are. The number at the end of the
 * namespace is the version of this format.
 */
#ifndef FIT_CORE_RECORD_H
#define FIT_CORE_RECORD_H

#include "core/cpuset.h"
#include "core/rewrite.h"

/* The record's element; NULL when there is none. */
xmlNode *fit_record_find(xmlDoc *doc);

/* The vCPUs that float by the record (attribute floating), none where it is no list. */
struct fit_cpuset fit_record_floating(xmlDoc *doc);

/* A new, unlinked element. */
xmlNode *fit_record_print(xmlDoc *doc, const struct fit_record *record);

#endif
