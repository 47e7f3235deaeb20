/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the probe share. Only probe*.c include it, and
 * capture_network.c, which writes what fit_probe_net() reads. */
#ifndef FIT_SYS_PROBE_PARTS_H
#define FIT_SYS_PROBE_PARTS_H

#include "base/attr.h"
#include "sys/probe.h"

/* A probe on its way. Parts fill `host` in the order of their declaration below. */
struct fit_probe_run {
	const struct fit_fsroot *root;
	struct fit_host *host;
	struct fit_strlist *warnings; /* NULL: nobody wants them */
};

void fit_probe_warn(const struct fit_probe_run *run, const char *format, ...) FIT_PRINTF(2, 3);

/* The text of "directory/name", as fit_fsroot_try_read() gives it. */
char *fit_probe_text(const struct fit_probe_run *run, const char *directory, const char *name);

/* The number in "directory/name"; @fallback when there is none, or none that is >= -1. */
int fit_probe_int(
	const struct fit_probe_run *run, const char *directory, const char *name, int fallback);
uint64_t fit_probe_uint64(const struct fit_probe_run *run, const char *directory, const char *name);

/* A CPU set from the list file or, on hosts without it, from the mask file (if there can be one) of
 * a directory. False, and *ret_set empty, when there is neither; what cannot be read as a CPU set
 * gets a warning. */
bool fit_probe_cpuset(const struct fit_probe_run *run, const char *directory, const char *list,
	const char *mask, struct fit_cpuset *ret_set);

/* N of a name such as "cpuN" or "nodeN"; false for other names. */
bool fit_probe_numbered(const char *name, const char *prefix, unsigned int max, unsigned int *ret);

/* Network interfaces that the host uses. */
struct fit_probe_net {
	bool known; /* false: the kernel does not say */
	struct fit_strlist addressed;
	struct fit_strlist routed; /* by default */
};

void fit_probe_net(const struct fit_probe_run *run, struct fit_probe_net *ret_net);
void fit_probe_net_clear(struct fit_probe_net *net);

/* What the host uses the interface for whose @directory in sysfs that is; NULL: nothing that is
 * known. To be freed. */
char *fit_probe_net_use(const struct fit_probe_run *run, const struct fit_probe_net *net,
	const char *directory, const struct fit_netdev *netdev);

void fit_probe_acs_override(const struct fit_probe_run *run); /* of the IOMMU groups */

int fit_probe_cpu_list(const struct fit_probe_run *run, struct fit_err *err);
void fit_probe_nodes(const struct fit_probe_run *run, bool with_memory);
void fit_probe_topology(const struct fit_probe_run *run); /* needs the nodes */
void fit_probe_resctrl(const struct fit_probe_run *run);  /* needs the topology */
void fit_probe_pci(const struct fit_probe_run *run);
void fit_probe_block(const struct fit_probe_run *run); /* needs PCI */
void fit_probe_irqs(const struct fit_probe_run *run);

#endif
