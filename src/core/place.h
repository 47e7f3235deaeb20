/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by plan.c and its parts (place_*.c), private to them. How a plan is found:
 *
 *   1. prepare   cores with their state (place_cores.c), devices and VFs that can be had
 *                (place_devices.c, place_vfs.c), how many cores QEMU's own threads want
 *                (place_iothreads.c), which guest topologies are possible (place_guest.c)
 *   2. search    every set of nodes × kind of core × vCPUs for each core is a candidate. The parts
 *                complete it (which cores, which memory, which VFs) or rule it out, and rate what
 *                they chose in its cost vector; the smallest vector wins (place_search.c)
 *   3. commit    the parts write the winner into the plan, with reasons
 *
 * Costs are sums over independent parts, so the best choice of every part for the same nodes is the
 * best joint choice for them.
 */
#ifndef FIT_CORE_PLACE_H
#define FIT_CORE_PLACE_H

#include "base/attr.h"
#include "core/plan.h"

/* What is compared, most important first. Less is better. */
enum fit_cost_level {
	FIT_COST_CROWDED,	 /* floating vCPUs without a CPU for each */
	FIT_COST_OVERLAP,	 /* cores and VFs that shut-off domains, kept pins name */
	FIT_COST_NOT_ISOLATED,	 /* the host has isolated CPUs but these are others */
	FIT_COST_EFFICIENCY,	 /* efficiency cores on a hybrid host */
	FIT_COST_LINK,		 /* VFs whose PF has no link */
	FIT_COST_PFS,		 /* PFs that the VFs are of */
	FIT_COST_DEVICES,	 /* distance from the devices and VFs */
	FIT_COST_CREATION,	 /* VFs to be created: that drops the link of their PF */
	FIT_COST_CELL_SPILL,	 /* memory of guest cells on other nodes than their vCPUs */
	FIT_COST_NODES,		 /* nodes used */
	FIT_COST_NODES_APART,	 /* distance of the nodes used from each other */
	FIT_COST_HOUSEKEEPING,	 /* floating vCPUs that have only housekeeping's CPUs left */
	FIT_COST_UNEVEN,	 /* vCPUs that the largest guest cell has more than the smallest */
	FIT_COST_OWN_CORES,	 /* threads of QEMU that get no core of their own here */
	FIT_COST_PAGES,		 /* place of the page size in the profile's list */
	FIT_COST_MEMORY,	 /* distance from the memory */
	FIT_COST_L3,		 /* L3 groups used */
	FIT_COST_CLUSTERS,	 /* clusters used */
	FIT_COST_HIDDEN_SMT,	 /* vCPUs share cores although the guest sees no threads */
	FIT_COST_IDLE_THREADS,	 /* threads of the chosen cores without a vCPU */
	FIT_COST_MOVED,		 /* vCPUs and VFs that would leave their previous place */
	FIT_COST_FRAGMENT_L3,	 /* free cores left in the L3 groups used */
	FIT_COST_FRAGMENT_NODES, /* free cores left on the nodes used */
	FIT_COST_LEVELS
};

struct fit_cost {
	uint64_t level[FIT_COST_LEVELS];
};

/* A core: the online SMT siblings of one CPU. What the search looks at comes first: it has to pass
 * over thousands of them. */
struct fit_core {
	unsigned int cpu;     /* its lowest CPU, by which it is known */
	int node;	      /* -1 unknown */
	unsigned int l3;      /* lowest CPU of its L3 group; of its node when that is unknown */
	unsigned int cluster; /* lowest CPU of its cluster; its L3 group where there are none */
	unsigned int first;   /* the lowest usable CPU; @cpu when there is none */
	unsigned int threads; /* number of usable CPUs */
	bool efficiency;
	bool isolated;
	bool previous;			 /* a vCPU of the domain is there now */
	bool previous_emulator;		 /* the domain's emulator has the core now */
	bool previous_iothread;		 /* an iothread of it has */
	bool kept;			 /* QEMU's threads may be there by pins that are kept */
	const struct fit_claim *running; /* holder, or NULL */
	const struct fit_claim *defined; /* a shut-off domain's claim, or NULL */
	struct fit_cpuset cpus;		 /* all of it */
	struct fit_cpuset usable;	 /* what a domain can have of it; empty for housekeeping */
};

#define FIT_NO_CORE UINT16_MAX

/* A device the domain should be near to. */
struct fit_anchor {
	struct fit_pciaddr addr;
	int node; /* -1 unknown */
};

/* A VF that could be had. */
struct fit_vf_offer {
	struct fit_pciaddr vf;
	unsigned int index;
	bool exists;
	const char *up; /* an interface of it that is up for nothing; NULL */
	bool previous;	/* the domain has it now */
	int iommu_group;
	const struct fit_claim *defined; /* a shut-off domain's claim, or NULL */
};

/* A PF with the VFs that could be had of it, the best first. */
struct fit_vf_source {
	const struct fit_pci_device *pf;
	int node;
	bool linked; /* false: it has network interfaces, none with a link */
	struct fit_vf_offer *offers;
	size_t offer_count;
};

struct fit_vf_pick {
	const struct fit_vf_source *source;
	const struct fit_vf_offer *offer;
};

struct fit_held_device {
	struct fit_pciaddr addr;
	const struct fit_claim *claim;
};

struct fit_group_member {
	int group; /* IOMMU group */
	const struct fit_pci_device *device;
};

struct fit_candidate {
	/* What is tried */
	struct fit_cpuset nodes;
	bool isolated_only;
	bool efficiency;
	bool uniform;	       /* only cores with at least @per_core threads */
	unsigned int per_core; /* vCPUs for each core */
	bool prefer_previous;
	/* Places that each of the nodes gives, in their order, while it is tried; NULL: shares are
	 * as equal as they can be. */
	const size_t *shares;

	/* What the parts chose */
	const struct fit_core **cores; /* in the order of the vCPUs */
	size_t core_count;
	size_t capacity;		   /* vCPUs that the usable cores could take */
	const struct fit_core **own_cores; /* for QEMU's threads, the emulator's first */
	size_t own_core_count;
	bool emulator_has_core;
	struct fit_cpuset cpus;	     /* of the vCPUs: all they can have of their cores */
	struct fit_cpuset pool;	     /* that vCPUs without cores float over */
	struct fit_cpuset l3_groups; /* of these cores */
	struct fit_cpuset clusters;  /* of these cores */
	struct fit_cpuset memory_nodes;
	bool memory_spills;		/* nodes farther away had to be added for size */
	struct fit_planned_cell *cells; /* none: the guest has no cells */
	size_t cell_count;
	struct fit_planned_cell whole; /* the guest as one cell, where it has none */
	struct fit_vf_pick *vfs;
	size_t vf_count;
	struct fit_cost cost;
};

/* What a refusal is for want of. */
enum fit_lack {
	FIT_LACKS_CORES = 1,
	FIT_LACKS_MEMORY = 2,
	FIT_LACKS_VFS = 4,
	FIT_LACKS_CELLS = 8, /* nodes for guest NUMA cells */
	FIT_LACKS_CACHE = 16,
};

struct fit_planner {
	const struct fit_plan_input *input;
	const struct fit_host *host;
	const struct fit_domain *domain;
	const struct fit_profile *profile;
	struct fit_plan *plan; /* collects the reasons; placements are written at commit */
	struct fit_err *err;
	unsigned int lacks; /* fit_lack, after a refusal: something smaller may fit */

	unsigned int cells_wanted;  /* as fit_intent_cells.count; 0: none are made */
	enum fit_place vcpus_place; /* NONE: the vCPUs are not placed at all */
	struct fit_core *cores;	    /* by node and lowest CPU */
	size_t core_count;
	uint16_t *core_of;  /* by CPU: index into @cores, FIT_NO_CORE for none */
	int *previous_cpus; /* by vCPU: where it is pinned now, -1 for nowhere */
	bool has_previous;  /* a vCPU or a thread of QEMU has a place now */
	bool vcpus_kept;    /* the definition's pins are the placement */
	/* Some vCPUs have pins that are kept, the others are placed around them: the former by
	 * vCPU, NULL when there are none, and how many the latter are, of those that get cores. */
	const struct fit_thread_pin **fixed;
	unsigned int open_vcpus;
	struct fit_cpuset fixed_cpus;
	struct fit_cpuset pooled;	 /* vCPUs without a core of their own: dedicated= */
	struct fit_cpuset allowed;	 /* online, within a <vcpu cpuset=> that is kept */
	const struct fit_claim **claims; /* of others: running first, then by name */
	size_t claim_count;
	struct fit_held_device *held; /* their devices, by address */
	size_t held_count;
	bool has_isolated;
	bool has_efficiency;
	bool has_clusters[2];		/* cores of performance, of efficiency */
	unsigned int max_guest_threads; /* what this machine type can have */
	unsigned int kept_threads;   /* threads of the topology that is kept; 0: ours to choose */
	unsigned int wanted_threads; /* that the profile wants of each guest core; 0: any */
	size_t own_cores_wanted;     /* iothreads per node: for the first */
	bool iothreads_per_node;     /* iothread i belongs to the i-th node of the vCPUs */
	struct fit_group_member *group_members; /* by group and address */
	size_t group_member_count;
	struct fit_anchor *anchors;
	size_t anchor_count;
	struct fit_vf_source *sources;
	size_t source_count;
	size_t vfs_wanted;
	uint64_t vf_overlap; /* of the VFs, if any may be chosen: with shut-off domains */
	uint64_t vfs_without_link;
	const struct fit_pci_device *network_pf; /* of the network that gives the VFs; or NULL */
};

/* plan.c: the first step, on a planner with its input, plan and err, and what undoes it. Between
 * them a test can look at what the search finds. */
int fit_planner_prepare(struct fit_planner *planner);
void fit_planner_clear(struct fit_planner *planner);

/* Reasons (plan.c). @text is taken over / formatted. */
struct fit_reason *fit_planner_reason(struct fit_planner *planner, enum fit_reason_kind kind,
	const char *topic, const char *format, ...) FIT_PRINTF(4, 5);

/* "NAME: cannot fit: …": returns -1. */
int fit_planner_refuse(struct fit_planner *planner, const char *format, ...) FIT_PRINTF(2, 3);

/* Of the libvirt and QEMU that will read the definition. */
const struct fit_target *fit_planner_target(const struct fit_planner *planner);

/* Does the profile say to keep what the definition has of this intent? */
bool fit_intent_keeps(const struct fit_intent *intent);

/* place_claims.c */
void fit_place_claims_prepare(struct fit_planner *planner);
void fit_place_claims_clear(struct fit_planner *planner);
const struct fit_claim *fit_planner_device_holder(
	const struct fit_planner *planner, struct fit_pciaddr addr);
const char *fit_claim_state(const struct fit_claim *claim); /* "running", "shut off", … */

/* place_cores.c */
void fit_place_cores_prepare(struct fit_planner *planner);
/* The cores of a node; *@ret_count of them. */
const struct fit_core *fit_planner_node_cores(
	const struct fit_planner *planner, int node, size_t *ret_count);
void fit_place_cores_clear(struct fit_planner *planner);
const struct fit_core *fit_planner_core_of(
	const struct fit_planner *planner, int cpu); /* or NULL */
bool fit_core_is_free(const struct fit_planner *planner, const struct fit_core *core);

/* place_cpus.c */
/* False when the candidate has too few cores. */
bool fit_place_cpus_complete(const struct fit_planner *planner, struct fit_candidate *candidate);
/* Into guest order: by node, L3 group, cluster and CPU, so that neighbours in the guest are near
 * each other. */
void fit_cores_sort(const struct fit_core **cores, size_t count);
unsigned int fit_core_room(const struct fit_candidate *candidate, const struct fit_core *core);
bool fit_core_suits(const struct fit_planner *planner, const struct fit_candidate *candidate,
	const struct fit_core *core);

bool fit_core_overlaps(const struct fit_core *core); /* with what it is only better not to */

/* place_exact.c: the best of all choices of cores, if there are not too many to tell; *ret_found is
 * false when none of them uses all of the candidate's nodes. */
bool fit_place_cores_exactly(
	const struct fit_planner *planner, struct fit_candidate *candidate, bool *ret_found);

/* place_pins.c: from chosen cores to pins; pins that are kept */
void fit_place_order(
	const struct fit_planner *planner, const struct fit_candidate *candidate, int *ret_cpus);
struct fit_thread_pin *fit_place_pins(
	const struct fit_planner *planner, const struct fit_candidate *candidate);
/* Room that the candidate must have: guest cores stay whole. */
size_t fit_place_need(const struct fit_planner *planner, const struct fit_candidate *candidate);
/* Is the vCPU to be given a place on a core? */
bool fit_vcpu_is_open(const struct fit_planner *planner, size_t vcpu);
/* The vCPUs that this room is for, in their order. */
void fit_place_list(const struct fit_planner *planner, const struct fit_candidate *candidate,
	size_t *ret_vcpus);
/* The one node that all of these CPUs are on; -1: none or several. */
int fit_planner_node_of(const struct fit_planner *planner, const struct fit_cpuset *cpus);
/* How many vCPUs each node has, by its place in fit_host.nodes: those with pins that are kept. */
void fit_place_count_fixed(const struct fit_planner *planner, size_t *ret_counts);
/* Refuses pins beside which the others are placed, if their CPUs are not online. */
int fit_place_check_fixed(struct fit_planner *planner);
bool fit_place_pins_are_sets(
	const struct fit_planner *planner, const struct fit_candidate *candidate);
int fit_place_pins_kept(struct fit_planner *planner, struct fit_candidate *candidate);
void fit_place_cpus_commit(struct fit_planner *planner, const struct fit_candidate *candidate);
/* Refuses a kept pin that names CPUs which are not online. */
int fit_pin_check(struct fit_planner *planner, const char *what, const struct fit_cpuset *cpus);

/* place_search.c */
int fit_place_search(struct fit_planner *planner, struct fit_candidate *ret_best);
void fit_candidate_clear(struct fit_candidate *candidate);
int fit_cost_compare(const struct fit_cost *a, const struct fit_cost *b);

/* place_shares.c */
/* Other shares of the nodes than those that are as equal as they can be: @try each with which the
 * memory costs less than @pages (FIT_COST_PAGES). */
void fit_place_shares_each(const struct fit_planner *planner, const struct fit_candidate *trial,
	uint64_t pages, void (*try)(void *context, const struct fit_candidate *trial),
	void *context);

/* place_refuse.c */
int fit_place_refuse_cores(struct fit_planner *planner);

/* place_advice.c: adds to the refusal what would fit */
void fit_place_advise(const struct fit_planner *refused);

/* place_topology.c */
int fit_place_topology_prepare(struct fit_planner *planner);
unsigned int fit_guest_threads(
	const struct fit_planner *planner, const struct fit_candidate *candidate);
void fit_place_topology_commit(struct fit_planner *planner, const struct fit_candidate *candidate);

/* place_guest.c */
void fit_place_guest_commit(struct fit_planner *planner);

/* place_cells.c */
int fit_place_cells_prepare(struct fit_planner *planner);
/* Which vCPUs are in which cell. False when the candidate does not have the cells wanted. */
bool fit_place_cells_complete(const struct fit_planner *planner, struct fit_candidate *candidate);
/* Splits the memory in whole pages of @page_kib (0: normal ones), as the vCPUs are split, as far as
 * each cell's nodes have room. False when a cell would have none. */
bool fit_place_cells_split(
	const struct fit_planner *planner, struct fit_candidate *candidate, uint64_t page_kib);
void fit_place_cells_commit(struct fit_planner *planner, const struct fit_candidate *candidate);
/* The cells, or the whole guest as one. */
struct fit_planned_cell *fit_candidate_parts(struct fit_candidate *candidate, size_t *ret_count);

/* place_pages_given.c */
int fit_place_pages_prepare(struct fit_planner *planner);
bool fit_place_pages_are_kept(const struct fit_planner *planner);
bool fit_host_has_page_size(const struct fit_host *host, uint64_t page_kib);
bool fit_place_pages_lack_hugetlbfs(const struct fit_planner *planner, uint64_t page_kib);

/* place_pages_room.c */
/* Of that size for a part, with its memory devices. */
uint64_t fit_place_pages_of(const struct fit_planned_cell *part, uint64_t page_kib);
/* Some rounding is the price of large pages; 1 GiB for a guest of 200 MiB is not. */
bool fit_place_pages_round_too_much(uint64_t memory_kib, uint64_t page_kib);
/* Are there, or can be made, such pages for part @number on its nodes (all, when none is named)?
 * *ret_why, if not NULL, becomes the reason for either answer. */
bool fit_place_pages_are_there(const struct fit_planner *planner,
	const struct fit_planned_cell *parts, size_t number, uint64_t page_kib, char **ret_why);

/* place_pages.c */
/* Chooses a page size for each part; false when none of the profile's fits. */
bool fit_place_pages_complete(const struct fit_planner *planner, struct fit_candidate *candidate);
int fit_place_pages_refuse(struct fit_planner *planner, struct fit_candidate *candidate);
void fit_place_pages_commit(struct fit_planner *planner, struct fit_candidate *candidate);

/* place_memory.c */
int fit_place_memory_prepare(struct fit_planner *planner);
bool fit_place_binding_is_kept(const struct fit_planner *planner);
bool fit_place_memory_complete(const struct fit_planner *planner, struct fit_candidate *candidate);
/* Refuses more memory than there is, where the guest needs all of it at once. */
int fit_place_memory_check(struct fit_planner *planner, const struct fit_candidate *candidate);
void fit_place_memory_commit(struct fit_planner *planner, struct fit_candidate *candidate);

/* place_devices.c */
int fit_place_devices_prepare(struct fit_planner *planner);
void fit_place_devices_rate(const struct fit_planner *planner, struct fit_candidate *candidate);
/* The host's device that an entry of the request names; NULL when there is none. */
const struct fit_pci_device *fit_planner_requested_device(
	const struct fit_planner *planner, const struct fit_request_device *wanted);
void fit_planner_add_anchor(struct fit_planner *planner, const struct fit_pci_device *device);
int fit_device_node(const struct fit_host *host, const struct fit_pci_device *device);
unsigned int fit_nodes_distance(
	const struct fit_host *host, const struct fit_cpuset *nodes, int node);
char *fit_iommu_group_problem(
	const struct fit_planner *planner, int group, struct fit_pciaddr except);
/* Why a device is not to be had: a program has it. NULL: none has. To be freed. */
char *fit_device_opened_problem(
	const struct fit_planner *planner, const struct fit_pci_device *device);
void fit_place_devices_commit(struct fit_planner *planner);
void fit_place_devices_clear(struct fit_planner *planner);

/* place_passthrough.c: whole devices; called when all requested devices are known to exist */
int fit_place_passthrough_prepare(struct fit_planner *planner);
bool fit_plan_has_device(const struct fit_plan *plan, struct fit_pciaddr addr);

/* place_vfs.c */
int fit_place_vfs_prepare(struct fit_planner *planner);
void fit_place_vfs_find(struct fit_planner *planner); /* the sources of any PF of the class */
void fit_place_vfs_commit(struct fit_planner *planner, const struct fit_candidate *candidate);
void fit_place_vfs_clear(struct fit_planner *planner);

/* place_vf_choice.c */
void fit_place_vfs_bound(struct fit_planner *planner); /* when the sources are known */
void fit_place_vfs_complete(const struct fit_planner *planner, struct fit_candidate *candidate);

/* place_networks.c: what VFs are in the definition, and those of libvirt's networks */
int fit_place_networks_prepare(struct fit_planner *planner);
size_t fit_place_networks_kept(
	const struct fit_planner *planner);		    /* of the network, already there */
int fit_place_networks_choose(struct fit_planner *planner); /* @vfs_wanted is known */
void fit_place_networks_commit(struct fit_planner *planner);

/* place_bus.c: where the guest sees what is added; when all of that is chosen */
void fit_place_bus_commit(struct fit_planner *planner);

/* place_sched.c: real-time schedulers; needs the pins and the iothreads */
void fit_place_scheduling_commit(struct fit_planner *planner);

/* place_caches.c: parts of the L3 caches and of memory bandwidth; needs the pins */
int fit_place_caches_commit(struct fit_planner *planner);

/* place_why.c: what else won against what; when all is chosen */
void fit_place_why(struct fit_planner *planner, const struct fit_candidate *candidate);

/* place_qemu_args.c: warns where <qemu:commandline> contradicts the plan */
void fit_place_qemu_args_check(struct fit_planner *planner);

/* place_own_cores.c */
void fit_place_threads_complete(const struct fit_planner *planner, struct fit_candidate *candidate);

/* place_iothreads.c: emulator, iothreads, disks */
bool fit_place_emulator_wants_core(const struct fit_planner *planner); /* of its own */
/* The definition's pin of an iothread where it stays, else NULL. */
const struct fit_thread_pin *fit_place_kept_iothread(
	const struct fit_planner *planner, unsigned int id);
int fit_place_threads_prepare(struct fit_planner *planner);
void fit_place_threads_commit(struct fit_planner *planner, const struct fit_candidate *candidate);

#endif
