/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the host below a root into core's host model. Each part is one file (probe_cpu.c, …) and
 * can be asked for alone, because the hook needs little and has no time. What a host lacks is left
 * at "unknown"; what contradicts itself gets a warning, never a wrong number.
 */
#ifndef FIT_SYS_PROBE_H
#define FIT_SYS_PROBE_H

#include "base/err.h"
#include "base/strlist.h"
#include "core/host.h"
#include "sys/fsroot.h"

#define FIT_PROBE_CPUS	0x1U /* topology, caches, kind, nodes' CPUs */
#define FIT_PROBE_NODES 0x2U /* memory, distances, pools, hugetlbfs (implies the online CPUs) */
#define FIT_PROBE_PCI	0x4U
#define FIT_PROBE_IRQS	0x8U
#define FIT_PROBE_ALL	0xfU
/* What the planner looks at. The interrupts of a large host alone take longer than all of this. */
#define FIT_PROBE_PLAN (FIT_PROBE_CPUS | FIT_PROBE_NODES | FIT_PROBE_PCI)

/* @warnings may be NULL. Fails only when nothing sensible can be said: no CPU list at all under
 * that root, or the root cannot be read. */
int fit_probe(const struct fit_fsroot *root, unsigned int parts, struct fit_host *ret_host,
	struct fit_strlist *warnings, struct fit_err *err);

/* Adds the sizes of the MSI-X tables to a host whose PCI devices are known. Not one of the parts:
 * it takes libpci, which the hook, that has no use for them, is spared to load. */
void fit_probe_msix(
	const struct fit_fsroot *root, struct fit_host *host, struct fit_strlist *warnings);

#endif
