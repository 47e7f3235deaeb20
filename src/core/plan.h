/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan: (host, domain, profile, claims of others) → placements with reasons. Pure and
 * deterministic: the same inputs give the same plan, whatever the order of devices in sysfs.
 */
#ifndef FIT_CORE_PLAN_H
#define FIT_CORE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strlist.h"
#include "core/claims.h"
#include "core/cpuset.h"
#include "core/domain.h"
#include "core/host.h"
#include "core/profile.h"
#include "core/request.h"

enum fit_reason_kind {
	FIT_REASON_CHOICE,    /* what was chosen and what it won against */
	FIT_REASON_REJECTION, /* what was not chosen and why */
	FIT_REASON_KEPT,      /* the user's own setting, planned around */
	FIT_REASON_NOTE, /* something the user asked for that is done differently: shown always */
	FIT_REASON_WARNING, /* works, but probably not as wanted: shown always */
};

struct fit_reason {
	enum fit_reason_kind kind;
	const char *topic; /* "vcpus", "memory", "vf", "cpu", "iothreads", … : static */
	char *text;	   /* one sentence */
	/* The same for programs, as far as there is more to it */
	char *subject;	       /* what was chosen or rejected: "node 0", "enp65s0f0"; NULL */
	const char *criterion; /* what decided: "devices", "l3-groups", …; NULL. Static */
	bool has_values;
	uint64_t value;	 /* of the subject by that criterion, less is better */
	uint64_t chosen; /* of what won */
};

/* Where the guest sees a device. */
struct fit_guest_place {
	bool set; /* false: libvirt chooses */
	unsigned int bus;
	unsigned int slot;
	unsigned int function;
	bool multifunction; /* function 0 of several */
};

struct fit_planned_vf {
	struct fit_pciaddr pf;
	struct fit_pciaddr vf;
	unsigned int index;  /* VF number on its PF, from 0 */
	bool exists;	     /* false: to be created at start */
	bool is_interface;   /* <interface type='hostdev'> or <hostdev> */
	int iommu_group;     /* -1 unknown */
	char *pf_netdev;     /* for people; NULL */
	int node;	     /* of the PF; -1 unknown */
	const char *network; /* libvirt takes one of this network at start: there is no address and
			      * index; else NULL. Of the profile */
	bool has_pf;	     /* false: of a network that is not known */
	char *mac;	     /* NULL: libvirt makes one, and the definition keeps it */
	unsigned int vlan;   /* 0: none */
	const char *standby; /* alias of the NIC that stands in, of `standbys`; NULL: none */
	struct fit_guest_place place;
};

/* A NIC of the definition that stands in while a VF is unplugged. */
struct fit_planned_standby {
	char *identity; /* its MAC as the definition has it */
	char *mac;
	char *alias;
	bool names_itself; /* the alias is the definition's */
};

/* A whole device, or one function of it. */
struct fit_planned_device {
	struct fit_pciaddr addr;
	const char *kind; /* "GPU", "NVMe controller", "device": static */
	char *what;	  /* "display", "audio", …: of this function */
	int iommu_group;
	int node;	 /* -1 unknown */
	const char *rom; /* <rom bar=>; NULL: none. Of the profile */
	struct fit_guest_place place;
};

/* A pcie-expander-bus that we add for a guest cell, on the root bus. */
struct fit_planned_expander {
	unsigned int cell;
	unsigned int index; /* of the controller: the bus it provides */
	unsigned int slot;
	unsigned int bus_number; /* that the guest sees: those above it are for what is behind */
};

/* A root port that we add for a device. */
struct fit_planned_port {
	unsigned int index; /* of the controller: the bus it provides */
	unsigned int bus;   /* where it is itself */
	unsigned int slot;
};

struct fit_disk_iothread {
	char *target; /* a disk, or NULL: the scsi controller `controller` */
	unsigned int controller;
	unsigned int iothread; /* 0: its queues are mapped to all iothreads */
};

/* A NUMA cell of the guest. */
struct fit_planned_cell {
	struct fit_cpuset vcpus;	/* every vCPU of the maximum is in one cell */
	struct fit_cpuset nodes;	/* host nodes of its vCPUs: one for cells that we make */
	struct fit_cpuset memory_nodes; /* host nodes that its memory comes from; empty: any */
	uint64_t memory_kib;
	uint64_t device_kib; /* memory devices of the definition, in pages of the same size */
	uint64_t page_kib;   /* 0: normal pages */
	bool is_guest;	     /* no cell, but the whole guest, to which we give none */
};

/* What vCPUs get of one L3 cache that they use. Those of the same vCPUs are neighbours. */
struct fit_planned_cache {
	struct fit_cpuset vcpus;
	unsigned int id;	/* the kernel's */
	uint64_t bytes;		/* of the cache, for them alone; 0: not said */
	unsigned int bandwidth; /* percent of that to memory; 0: not said */
};

const char *fit_cpu_mode_name(enum fit_cpu_mode mode); /* libvirt's; NULL for KEEP */

struct fit_plan {
	/* Placements. What the profile does not ask for, or the user keeps, is absent. */
	struct fit_thread_pin *vcpus; /* by vCPU number, all of the maximum */
	size_t vcpu_count;
	bool vcpus_kept;	      /* `vcpus` repeats the user's own pins: nothing to write */
	struct fit_cpuset vcpu_cpus;  /* union */
	struct fit_cpuset vcpu_nodes; /* nodes of those CPUs */
	bool has_topology;
	struct fit_topology topology;
	enum fit_cpu_mode cpu_mode; /* KEEP: as it is */
	bool passthrough_cache;
	bool require_topoext; /* AMD with guest SMT */
	bool vcpus_dedicated; /* each vCPU has a CPU that no other domain gets */
	struct fit_cpuset
		pooled_vcpus; /* they float, the others have CPUs of their own; or empty */
	bool vcpus_real_time; /* the scheduler of those is set: each has a CPU alone */
	bool emulator_real_time;
	bool iothreads_real_time;
	struct fit_planned_cache *caches;
	size_t cache_count;
	bool has_emulator;
	struct fit_cpuset emulator;
	bool iothreads_kept;
	struct fit_thread_pin *iothreads; /* ids and CPUs (empty set: not pinned) */
	size_t iothread_count;
	struct fit_disk_iothread *disk_iothreads;
	size_t disk_iothread_count;
	bool has_memory;
	bool memory_strict;
	struct fit_cpuset memory_nodes;
	uint64_t page_kib;   /* 0: normal pages */
	bool pages_differ;   /* guest cells have pages of several sizes: see there */
	uint64_t pages;	     /* of all sizes */
	bool memory_rounded; /* memory was no multiple of the page size */
	uint64_t memory_kib; /* after rounding up */
	bool memory_locked;
	struct fit_planned_cell *cells; /* by number; none: the guest has no cells */
	size_t cell_count;
	bool cells_kept;     /* they are the definition's own */
	bool cell_distances; /* the guest is told the distances of the nodes */
	struct fit_planned_vf *vfs;
	size_t vf_count;
	struct fit_planned_standby *standbys; /* of the first VFs, in their order */
	size_t standby_count;
	struct fit_planned_device *devices; /* functions of one slot are neighbours */
	size_t device_count;
	struct fit_planned_expander *expanders; /* by cell */
	size_t expander_count;
	struct fit_planned_port *ports;
	size_t port_count;

	struct fit_cpuset housekeeping;
	struct fit_reason *reasons;
	size_t reason_count;
};

void fit_plan_clear(struct fit_plan *plan);

/* What it returns is valid until the next. */
struct fit_reason *fit_plan_reason(struct fit_plan *plan, enum fit_reason_kind kind,
	const char *topic, const char *format, ...) FIT_PRINTF(4, 5);

struct fit_networks;
struct fit_target;

/* Is the file @path known to be where it can be read through the host's cache only (no O_DIRECT)?
 */
typedef bool (*fit_is_buffered)(void *context, const char *path);

struct fit_plan_input {
	const struct fit_host *host;
	const struct fit_domain *domain;   /* the original, without our edits */
	const struct fit_domain *previous; /* as it is now, with our edits; NULL: never fitted */
	const struct fit_request *request; /* devices; may be NULL */
	const struct fit_profile *profile;
	const struct fit_claims *claims;     /* of other domains; may be NULL */
	const struct fit_networks *networks; /* of libvirt; NULL: not known */
	const struct fit_target *target;     /* NULL: fit_target_default */
	xmlDoc *original; /* that `domain` is the view of; may be NULL in tests */
	/* Paths of what is as the profile's <domain> says, whatever intents do; NULL: none. */
	const struct fit_strlist *covered;
	bool without_advice;	     /* a refusal need not say what would fit */
	fit_is_buffered is_buffered; /* NULL: no file is */
	void *is_buffered_context;
};

/*
 * FIT_ERR_REFUSED when the request cannot be met: the message says what was wanted, what is free,
 * who holds the rest, and what would fit.
 */
int fit_plan_make(
	const struct fit_plan_input *input, struct fit_plan *ret_plan, struct fit_err *err);

/* Does the profile's <domain> say something whose path begins so? */
bool fit_plan_is_covered(const struct fit_plan_input *input, const char *path);

struct fit_hostops;

/* The plan as the text `virt-fit plan` prints: one aligned row for each placement, then @ops (what
 * the host is given at start; NULL: no such row), notes and warnings; @why adds choices and
 * rejections. To be freed. */
char *fit_plan_report(const struct fit_plan *plan, const struct fit_plan_input *input,
	const struct fit_hostops *ops, bool why);

#endif
