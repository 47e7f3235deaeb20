/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host as the planner sees it: plain data, filled by src/sys/probe_*.c (or by a test), never
 * read from the machine here. Arrays are sorted by id or address, ids may have gaps, and CPU 0 or
 * node 0 may be missing. Sizes are KiB.
 */
#ifndef FIT_CORE_HOST_H
#define FIT_CORE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"
#include "core/cpuset.h"
#include "core/hugetlbfs.h"
#include "core/pciaddr.h"

enum fit_cpu_kind {
	FIT_CPU_UNIFORM,     /* the host has one kind of core (or does not say) */
	FIT_CPU_PERFORMANCE, /* hybrid host: "cpu_core", big */
	FIT_CPU_EFFICIENCY,  /* hybrid host: "cpu_atom", LITTLE */
};

struct fit_cpu {
	unsigned int id;
	bool online;
	bool isolated; /* in /sys/devices/system/cpu/isolated (isolcpus=) */
	int package;   /* kernel ids, unique only within the level above; -1 unknown */
	int die;
	int cluster;
	int core;
	int node; /* NUMA node, -1 unknown */
	int l3;	  /* index into fit_host.l3_groups, -1 unknown */
	enum fit_cpu_kind kind;
	struct fit_cpuset siblings; /* online SMT siblings and the CPU itself; empty when offline */
	struct fit_cpuset barred_siblings; /* those that fit_host_limit() has left out */
};

/* Which accesses a part of a cache is for. */
enum fit_cache_type { FIT_CACHE_BOTH, FIT_CACHE_CODE, FIT_CACHE_DATA, FIT_CACHE_TYPES };

/* A level 3 cache. */
struct fit_l3 {
	int id;		   /* the kernel's, which schemata and libvirt name it by; -1 unknown */
	uint64_t size_kib; /* 0 unknown */
	/* Neighbouring bits of its mask that the default group of resctrl leaves to others. */
	unsigned int room[FIT_CACHE_TYPES];
};

/* What resctrl can give out of every L3 cache. */
struct fit_cache_control {
	unsigned int bits; /* of the mask: the cache's parts, of equal size; 0: nothing */
	unsigned int min_bits;
	unsigned int groups; /* that there can be, the default group included (num_closids) */
};

/* The same for memory bandwidth. */
struct fit_bandwidth_control {
	unsigned int step; /* percent; 0: nothing */
	unsigned int min;
	unsigned int groups;
	bool absolute; /* numbers are no percent, but a rate: AMD, or mounted with mba_MBps */
};

struct fit_page_pool {
	uint64_t page_kib;
	uint64_t total; /* nr_hugepages, in pages */
	uint64_t free;	/* free_hugepages, in pages */
};

struct fit_node {
	unsigned int id;
	struct fit_cpuset cpus;	     /* online CPUs; empty for CPU-less nodes */
	uint64_t memory_kib;	     /* MemTotal; 0 for memoryless nodes */
	uint64_t free_kib;	     /* MemFree */
	struct fit_page_pool *pools; /* by page size, ascending */
	size_t pool_count;
	unsigned int *distances; /* to fit_host.nodes[i], same order; NULL when unknown */
};

struct fit_netdev {
	char *name;
	bool up;      /* operstate up */
	bool carrier; /* link detected */
	char *use;    /* what the host has it for: "has an address"; NULL: nothing that is known */
};

struct fit_pci_device {
	struct fit_pciaddr addr;
	uint32_t class_code; /* 24 bits: class, subclass, programming interface */
	uint16_t vendor;
	uint16_t device;
	uint16_t subsystem_vendor;
	uint16_t subsystem_device;
	char *driver; /* NULL when unbound */
	int node;     /* -1 unknown: normal on one-node hosts */
	struct fit_cpuset local_cpus;
	int iommu_group; /* -1: the IOMMU is off or does not cover it */
	bool is_vf;
	struct fit_pciaddr physfn; /* when is_vf */
	unsigned int sriov_total;  /* sriov_totalvfs; 0: no PF */
	unsigned int sriov_numvfs;
	unsigned int sriov_offset;
	unsigned int sriov_stride;
	struct fit_pciaddr *vfs; /* existing VFs in VF number order (virtfn0, virtfn1, …) */
	size_t vf_count;
	unsigned int *vf_numbers; /* of these; NULL: 0, 1, …, as long as none of them is missing */
	int msix_vectors;	  /* MSI-X table size; -1: none or not readable */
	struct fit_netdev *netdevs;
	size_t netdev_count;
	bool netdevs_elsewhere; /* it has some, in other network namespaces: of containers */
	bool opened;		/* a driver for programs (vfio-pci) has it, and one has opened it */
	bool boot_vga;		/* the firmware's display, and the host's console */
	char *in_use; /* a storage device of it that the host uses: "/dev/nvme0n1p2 is mounted on
		       * /"; NULL: none is known */
};

struct fit_irq {
	unsigned int number;
	char *chip;	 /* "IR-PCI-MSIX-0000:41:00.0", "" when unknown */
	char *name;	 /* the action(s), "" when none */
	bool has_device; /* listed in the msi_irqs of a PCI device */
	struct fit_pciaddr device;
	struct fit_cpuset affinity; /* smp_affinity_list */
};

/* A device or VF that no domain is given. */
struct fit_kept_device {
	struct fit_pciaddr addr;
	char *source; /* what says so: "/etc/virt-fit/host.xml:4" */
};

struct fit_host {
	char *name;	    /* host name, for people */
	char *acs_override; /* "pcie_acs_override=downstream", with which the kernel tells devices
			     * apart that the hardware does not; NULL: it was started without */
	char *identity; /* machine id, or a fingerprint of the topology: which host a plan is for */
	char *arch;	/* uname -m spelling: x86_64, aarch64, … ; "" when unknown */
	char *cpu_vendor; /* "GenuineIntel", "AuthenticAMD", … ; "" when unknown */
	struct fit_cpuset online;
	struct fit_cpuset isolated;
	/* Microseconds that real-time threads may run of each period (sched_rt_runtime_us); -1: no
	 * limit. Without a period nothing is known. */
	int rt_runtime_us;
	int rt_period_us;
	struct fit_cpu *cpus; /* present CPUs, offline ones included */
	size_t cpu_count;
	struct fit_cpuset *l3_groups; /* CPUs that share an L3 cache */
	struct fit_l3 *l3_caches;     /* by group; NULL: nothing is known of them */
	size_t l3_count;
	struct fit_cache_control l3_control[FIT_CACHE_TYPES];
	struct fit_bandwidth_control bandwidth_control;
	struct fit_node *nodes; /* a host without node directory has one node 0 of all CPUs */
	size_t node_count;
	struct fit_hugetlbfs hugetlbfs;
	struct fit_pci_device *pci;
	size_t pci_count;
	struct fit_irq *irqs;
	size_t irq_count;
	/* By core/host_policy.h */
	struct fit_cpuset housekeeping; /* online ones; empty: none are stated */
	char *housekeeping_source;	/* what states them, NULL */
	struct fit_cpuset barred;	/* online ones that are not allowed, by @limited_by */
	char *limited_by; /* what allows no other CPUs than those that are online here; NULL */
	struct fit_kept_device *kept; /* by address; VFs that do not exist yet included */
	size_t kept_count;
};

void fit_host_clear(struct fit_host *host);

/* NULL when there is no such CPU, node or device. Binary search: arrays must be sorted. */
const struct fit_cpu *fit_host_cpu(const struct fit_host *host, unsigned int id);
const struct fit_node *fit_host_node(const struct fit_host *host, unsigned int id);
const struct fit_pci_device *fit_host_pci(const struct fit_host *host, struct fit_pciaddr addr);

/* The device that has a network interface of this name, or NULL. */
const struct fit_pci_device *fit_host_pci_by_netdev(const struct fit_host *host, const char *name);

/* The number of the @place-th VF of those that exist. */
unsigned int fit_pci_vf_number(const struct fit_pci_device *pf, size_t place);

/* The address of VF @number, which may be one that does not exist yet. False when there can be
 * none. */
bool fit_pci_find_vf(
	const struct fit_pci_device *pf, unsigned int number, struct fit_pciaddr *ret_addr);

/* What says that no domain is given the device or VF; NULL: nothing does. */
const char *fit_host_kept(const struct fit_host *host, struct fit_pciaddr addr);

/* Leaves of the online CPUs those that @source allows: the others are as if they were offline.
 * False when that is none: then nothing is changed. */
bool fit_host_limit(struct fit_host *host, const struct fit_cpuset *allowed, const char *source);

/* Largest number of online SMT siblings of any core: 1 without SMT. */
unsigned int fit_host_threads_per_core(const struct fit_host *host);

/* Free pages of a size on a node; 0 when the node or pool does not exist. */
uint64_t fit_node_free_pages(const struct fit_node *node, uint64_t page_kib);
bool fit_node_has_page_size(const struct fit_node *node, uint64_t page_kib);

/* Distance between two nodes by id: the SLIT value, 10 for the same node, 20 when unknown. */
unsigned int fit_host_distance(const struct fit_host *host, unsigned int from, unsigned int to);

#endif
