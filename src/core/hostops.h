/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host must be given before and while a fitted domain runs, as data: derived from the
 * fitted definition (placements) and the root-owned profile (settings), the same way for `plan`
 * (which prints it) and for the hook (which does it). Paths and values of the kernel are the
 * business of src/sys.
 */
#ifndef FIT_CORE_HOSTOPS_H
#define FIT_CORE_HOSTOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strlist.h"
#include "core/cpuset.h"
#include "core/domain.h"
#include "core/pciaddr.h"
#include "core/phase.h"
#include "core/profile.h"

enum fit_op_kind {
	FIT_OP_VF,	     /* VF `device` must exist: PREPARE, undone at RELEASE */
	FIT_OP_PAGES,	     /* `pages` of `page_kib` free on `nodes`: PREPARE, STOPPED */
	FIT_OP_SETTING,	     /* `setting` to `value`: as its row says, STOPPED */
	FIT_OP_ISOLATE,	     /* the host's processes off `cpus`: START, STOPPED */
	FIT_OP_PARTITION,    /* `cpus`, of vCPUs, in isolated cpusets: STARTED, STOPPED */
	FIT_OP_VF_ATTRIBUTE, /* `path` of VF `device` to `value`: START, RELEASE */
	FIT_OP_ETHTOOL, /* `path` of the PFs of VFs among `devices` to `value`: START, RELEASE */
	FIT_OP_DRIVER,	/* `devices` get the driver `value`: PREPARE, RELEASE */
	FIT_OP_PF_UP,	/* the PF of VF `device` is brought up: PREPARE, RELEASE */
	FIT_OP_THREADS, /* `threads` to `cpus`, with `scheduling`: STARTED, never */
	FIT_OP_IRQS_ELSEWHERE, /* no interrupt of others on `cpus`: STARTED, STOPPED */
	FIT_OP_IRQS_DEVICE,    /* interrupts of `device` to `cpus`: STARTED, STOPPED */
};

struct fit_op {
	enum fit_op_kind kind;
	enum fit_thread_kind threads;
	struct fit_cpuset avoid;	  /* FIT_OP_THREADS: the vCPUs' CPUs */
	struct fit_scheduling scheduling; /* FIT_OP_THREADS; no policy: leave */
	enum fit_phase apply;
	enum fit_phase undo;
	struct fit_cpuset cpus;
	struct fit_cpuset nodes; /* FIT_OP_PAGES; empty: anywhere */
	bool nodes_preferred;	 /* when they are full, from elsewhere */
	struct fit_pciaddr device;
	uint64_t page_kib; /* 0: the host's default huge page size */
	uint64_t pages;	   /* computed by rounding up; 0 when page_kib is 0: see memory_kib */
	uint64_t memory_kib;
	bool compact;	     /* FIT_OP_PAGES: memory in use may be moved together for them */
	unsigned int create; /* FIT_OP_VF: VFs to create at least (fit_intent_vfs.create) */
	enum fit_host_setting_id setting; /* FIT_OP_SETTING: for `cpus` or `devices` by its scope */
	struct fit_pciaddr *devices;
	size_t device_count;
	char *path;	/* of a literal write, in the setting's scope; an attribute's name, or what
			 * ethtool sets, as in sys/ethtool.h */
	char *value;	/* as profiles spell it; of a literal write as it is written */
	char *where;	/* "FILE:LINE" of the profile that asks for it; NULL: not said */
	bool partition; /* FIT_OP_ISOLATE: FIT_OP_PARTITION follows */
	bool optional;	/* a host without it gets a warning, not a refusal */
};

struct fit_hostops {
	struct fit_op *items;
	size_t count;
	struct fit_cpuset exclusive_cpus; /* of vCPUs for which the profile says shared="no" */
	struct fit_cpuset own_cpus;	  /* those and the iothreads' own cores: what is tuned */
	struct fit_cpuset interrupt_cpus; /* for those of its devices; empty: as they come */
	bool interrupts_spread;		  /* each to one of them, not all to all */
};

void fit_hostops_clear(struct fit_hostops *ops);

/* @fitted is the view of a fitted definition. FIT_OP_VF only for devices we added. */
void fit_hostops_derive(const struct fit_domain *fitted, const struct fit_profile *profile,
	struct fit_hostops *ret_ops);

/* The elements of <host> that are for CPUs of the domain's own, when it has none: @ret_names, the
 * caller's. True: one of them says missing="refuse". */
bool fit_hostops_left_out(const struct fit_profile *profile, const struct fit_hostops *ops,
	struct fit_strlist *ret_names);

/* One line for people, as in `virt-fit plan`: "16 pages of 1 GiB on node 1". To be freed. */
char *fit_op_describe(const struct fit_op *op);

#endif
