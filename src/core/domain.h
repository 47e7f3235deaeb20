/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the planner, the rewriter and the hook need to know of a domain definition: a read-only view
 * of the document. Libvirt's defaults are applied (unit KiB, iothread ids from 1, …). Sizes are
 * KiB.
 */
#ifndef FIT_CORE_DOMAIN_H
#define FIT_CORE_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <libxml/tree.h>

#include "base/err.h"
#include "base/strlist.h"
#include "core/cpuset.h"
#include "core/pciaddr.h"

struct fit_topology {
	unsigned int sockets;
	unsigned int dies;     /* 1 when absent */
	unsigned int clusters; /* 1 when absent */
	unsigned int cores;
	unsigned int threads;
};

/* "2 sockets, 4 cores, 2 threads": to be freed. */
char *fit_topology_describe(const struct fit_topology *topology);

struct fit_thread_pin {
	unsigned int id; /* vCPU or iothread number */
	struct fit_cpuset cpus;
};

/* A NUMA cell of the guest. */
struct fit_domain_cell {
	uint64_t memory_kib;
	uint64_t device_kib;	 /* memory devices whose pages are as its own */
	struct fit_cpuset vcpus; /* those that no cell names are in cell 0, as in libvirt */
	bool has_hugepages;
	uint64_t hugepage_kib;	 /* 0: the host's default size */
	bool has_memnode;	 /* <memnode>: a binding of its own */
	struct fit_cpuset nodes; /* of it */
	bool binds;		 /* mode strict or restrictive */
};

/* A memory device whose pages are of another size than its cell's, or for other nodes. */
struct fit_domain_memory_device {
	unsigned int cell; /* 0 also where the guest has none */
	uint64_t kib;
	uint64_t page_kib; /* 0: as the cell's */
	bool has_nodes;
	struct fit_cpuset nodes;
};

struct fit_domain_disk {
	char *target; /* "vda" */
	char *type;   /* "file", "block", "network", … */
	char *bus;    /* "virtio", …; "" when absent and the target does not tell */
	char *device; /* "disk", "cdrom", "lun", "floppy" */
	char *cache;  /* driver attributes; NULL when absent */
	char *io;
	char *file;	       /* of the host, with its path; NULL for other disks */
	unsigned int iothread; /* 0: none */
	bool has_iothread_map; /* <driver><iothreads> */
};

struct fit_domain_controller {
	char *type;	/* "scsi", "pci", … */
	char *model;	/* "" when absent */
	bool has_index; /* false: of PCI or USB, and libvirt has not numbered it yet */
	unsigned int index;
	unsigned int iothread;	 /* 0: none */
	bool has_iothread_map;	 /* <driver><iothreads> */
	char *alias;		 /* NULL when absent */
	unsigned int bus_number; /* of an expander bus; 0: none is given */
	int cell;		 /* the guest's that it belongs to; -1: none */
};

struct fit_domain_interface {
	char *type;    /* "network", "bridge", "hostdev", … */
	char *mac;     /* NULL when absent */
	char *model;   /* "" when absent */
	char *network; /* <source network=>; NULL */
	char *alias;   /* NULL when absent */
	bool has_teaming;
};

struct fit_guest_slot {
	unsigned int bus;
	unsigned int slot;
};

struct fit_domain_hostdev {
	struct fit_pciaddr source;
	bool is_interface; /* <interface type='hostdev'> rather than <hostdev> or an NVMe disk */
	bool ours;	   /* by its alias */
	bool managed;	   /* libvirt gives it the driver it needs, and its own one back */
	char *alias;	   /* NULL when absent */
};

struct fit_domain {
	char *name;
	char *uuid; /* lower-case with dashes; NULL when absent */
	char *type; /* "kvm", "qemu", "xen", … */
	char *arch; /* "" when absent */
	char *machine;
	unsigned int vcpus; /* maximum */
	unsigned int vcpus_current;
	bool vcpu_placement_auto;
	bool has_vcpu_cpuset;
	struct fit_cpuset vcpu_cpuset;
	uint64_t memory_kib; /* where there are guest NUMA cells, their sum: as in libvirt */
	uint64_t current_memory_kib; /* 0: no <currentMemory> */
	char *dump_core;	     /* <memory dumpCore=>; NULL when absent */
	char *cpu_mode;		     /* NULL without <cpu mode=>; "custom" when only a model */
	bool cpu_is_default;	     /* no <cpu>, or only what libvirt adds by itself */
	bool has_cpu_cache;
	bool cpu_cache_is_passthrough;
	bool has_topoext; /* <feature name='topoext'>, whatever its policy */
	bool has_topology;
	struct fit_topology topology;
	struct fit_domain_cell *cells; /* guest NUMA cells, by number */
	size_t cell_count;
	struct fit_domain_memory_device *memory_devices;
	size_t memory_device_count;
	uint64_t memory_devices_kib; /* the sizes of all, which without cells are in memory_kib */
	uint64_t whole_device_kib;   /* without cells: what would be a cell's device_kib */
	bool has_cell_users;	     /* memory devices or expander buses refer to cells by number */
	/* By our record these share their CPUs with other domains, however few these are. */
	struct fit_cpuset floating_vcpus;
	struct fit_thread_pin *vcpu_pins;
	size_t vcpu_pin_count;
	bool has_emulator_pin;
	struct fit_cpuset emulator_pin;
	unsigned int *iothread_ids; /* ascending; from <iothreadids> or counted from 1 */
	size_t iothread_count;
	bool has_iothreads;    /* <iothreads> or <iothreadids> is there, and not for none */
	bool has_iothread_ids; /* <iothreadids> is there, and not empty */
	struct fit_thread_pin *iothread_pins;
	size_t iothread_pin_count;
	struct fit_strlist vcpu_schedulers;	/* <vcpusched vcpus=>, as written */
	struct fit_strlist iothread_schedulers; /* <iothreadsched iothreads=> */
	struct fit_strlist cache_tunes;		/* <cachetune vcpus=> */
	struct fit_strlist memory_tunes;	/* <memorytune vcpus=> */
	bool has_numatune;
	bool numatune_auto;  /* placement='auto' */
	char *numatune_mode; /* NULL without <memory> */
	struct fit_cpuset numatune_nodes;
	bool has_memnodes;
	struct fit_cpuset memnode_nodes; /* the union of their node sets */
	bool has_hugepages;
	uint64_t hugepage_kib;		 /* 0: the host's default size */
	bool has_hugepage_nodesets;	 /* <page nodeset=>: several sizes */
	char *memory_source;		 /* "memfd", …; NULL: not said */
	bool backing_excludes_hugepages; /* source 'anonymous' or allocation 'ondemand' */
	bool has_locked;
	struct fit_strlist qemu_args; /* of <qemu:commandline>, as they are given to QEMU */
	struct fit_domain_disk *disks;
	size_t disk_count;
	struct fit_domain_controller *controllers;
	size_t controller_count;
	struct fit_domain_interface *interfaces;
	size_t interface_count;
	struct fit_cpuset pci_buses;	  /* of the guest: provided by a controller, or used */
	struct fit_guest_slot *pci_slots; /* of the guest: taken */
	size_t pci_slot_count;
	struct fit_domain_hostdev *hostdevs; /* PCI ones only, NVMe disks included */
	size_t hostdev_count;
	struct fit_strlist aliases_like_ours; /* of all devices */
};

void fit_domain_clear(struct fit_domain *domain);

/* Is it a <domain> at all? */
int fit_domain_check(xmlDoc *doc, const char *name, struct fit_err *err);

/* @name is for messages. Refuses documents that are no <domain>, lack a name, have no or absurd
 * vCPU counts (above 8192), unreadable numbers, CPU lists or addresses: with the line. */
int fit_domain_read(
	xmlDoc *doc, const char *name, struct fit_domain *ret_domain, struct fit_err *err);

/* The iothreads alone. */
int fit_domain_read_iothreads(
	xmlDoc *doc, const char *name, struct fit_domain *ret_domain, struct fit_err *err);

bool fit_uuid_is_valid(const char *text); /* 8-4-4-4-12 hexadecimal digits */

/* The union of all vCPU pins (of <vcpu cpuset=> where a vCPU has no pin of its own). */
struct fit_cpuset fit_domain_vcpu_cpus(const struct fit_domain *domain);

/* Do the vCPUs wander over more CPUs than they are? Then none of these is the domain's own. */
bool fit_domain_floats(const struct fit_domain *domain);

/* CPUs of the vCPUs that are not more than those that may use them: of all, or where these float
 * together, of each pin that has no CPU in common with others. */
struct fit_cpuset fit_domain_held_cpus(const struct fit_domain *domain);

/* Those of iothreads on cores of their own. */
void fit_domain_add_own_iothreads(const struct fit_domain *domain, struct fit_cpuset *cpus);

/* The CPUs that the domain has for itself: those held by vCPUs and, if there are such, those of
 * iothreads on cores of their own. */
struct fit_cpuset fit_domain_own_cpus(const struct fit_domain *domain);

/* Pages of @page_kib (not 0) that hold so much memory, and those of a cell with its devices. */
uint64_t fit_pages_for(uint64_t kib, uint64_t page_kib);
uint64_t fit_domain_cell_pages(const struct fit_domain_cell *cell, uint64_t page_kib);

/* Pages of @page_kib (not 0) that hold the memory: QEMU rounds every guest NUMA cell up. */
uint64_t fit_domain_pages(const struct fit_domain *domain, uint64_t page_kib);

/* Is this slot of the guest taken by a device with an address? */
bool fit_domain_has_slot(const struct fit_domain *domain, unsigned int bus, unsigned int slot);

/* Does the definition pass this PCI device of the host through? */
bool fit_domain_passes_through(const struct fit_domain *domain, struct fit_pciaddr addr);

/* Huge pages of one size on the same nodes. */
struct fit_page_demand {
	uint64_t page_kib;	 /* 0: the host's default size */
	uint64_t pages;		 /* 0 where the size is not known */
	uint64_t memory_kib;	 /* what they hold */
	struct fit_cpuset nodes; /* empty: any */
	bool nodes_preferred;	 /* when they are full, from elsewhere */
};

/* All huge pages the domain needs, each size and set of nodes once. To be freed. */
struct fit_page_demand *fit_domain_page_demands(const struct fit_domain *domain, size_t *ret_count);

/* Pages of that size that memory devices have which are not as their cells, where they could be on
 * @nodes. None without cells: there they are in memory_kib. */
uint64_t fit_domain_device_pages(
	const struct fit_domain *domain, uint64_t page_kib, const struct fit_cpuset *nodes);

/* Could pages be on the same node? What is bound to none (the empty set) may be anywhere. */
bool fit_nodes_may_meet(const struct fit_cpuset *nodes, const struct fit_cpuset *others);

/* Does <numatune> of this mode bind? NULL does not. */
bool fit_numatune_mode_binds(const char *mode);

/* Are its pages in a memfd? Otherwise huge ones are in files of a hugetlbfs. */
bool fit_domain_has_memfd(const struct fit_domain *domain);

/* Nodes the memory is wanted from; the empty set: it may come from anywhere. */
struct fit_cpuset fit_domain_memory_nodes(const struct fit_domain *domain);

#endif
