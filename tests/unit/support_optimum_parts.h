/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of the optimum (support_optimum*.c). Sets of nodes, cores and VFs are bits.
 */
#ifndef FIT_TESTS_SUPPORT_OPTIMUM_PARTS_H
#define FIT_TESTS_SUPPORT_OPTIMUM_PARTS_H

#include "support_optimum.h"

#define NODES 4
#define VCPUS 64

struct core {
	struct fit_cpuset cpus;
	struct fit_cpuset usable;
	unsigned int order[8]; /* the usable CPUs */
	unsigned int threads;  /* how many */
	unsigned int node, l3;
	int id_of_cluster;
	unsigned int cluster; /* its lowest CPU; the L3 group where cores of this kind have none */
	bool efficiency, isolated, running, defined, kept, previous, previous_thread;
};

struct vf {
	unsigned int pf;
	int node;
	bool exists, previous, defined, linked;
};

struct trial {
	const struct fit_bench *b;
	struct core cores[FIT_OPTIMUM_CORES];
	unsigned int core_count;
	struct vf vfs[FIT_OPTIMUM_VFS];
	unsigned int vf_count;
	unsigned int widest; /* threads of the widest free core */
	bool has_isolated;
	int previous[VCPUS];		       /* by vCPU, -1: none */
	const struct fit_cpuset *fixed[VCPUS]; /* pins that stay, or NULL */
	int fixed_node[VCPUS];		       /* -1: on several */
	struct fit_cpuset fixed_cpus;
	unsigned int open;	   /* vCPUs to be placed */
	unsigned int kept_threads; /* of the topology that stays; 0: none does */
	struct fit_cpuset housekeeping;
	bool found;
	struct fit_cost best;
	/* What depends on the set of nodes only. */
	bool known[1 << NODES], possible[1 << NODES];
	struct fit_cost of_nodes[1 << NODES];
};

/* support_optimum_cores.c */
void fit_optimum_list_cores(struct trial *t);
bool fit_optimum_is_free(const struct trial *t, const struct core *core);

/* support_optimum_vfs.c */
void fit_optimum_list_vfs(struct trial *t);
bool fit_optimum_add_vfs(const struct trial *t, unsigned int nodes, struct fit_cost *cost);

/* support_optimum_memory.c */
unsigned int fit_optimum_distance(const struct trial *t, unsigned int from, unsigned int to);
/* From @node to the nearest node of the set, 0 within it. */
unsigned int fit_optimum_way(const struct trial *t, unsigned int set, int node);
/* Guest cells, memory and pages, for the node of each vCPU (-1: any of @nodes). False when they
 * cannot be. */
bool fit_optimum_add_memory(const struct trial *t, unsigned int nodes, const int *node_of,
	bool floats, struct fit_cost *cost);
/* Does the guest get cells of ours so? */
bool fit_optimum_has_cells(const struct trial *t, const int *node_of);
bool fit_optimum_cells_can_be(const struct trial *t);

/* support_optimum_floating.c */
void fit_optimum_try_floating(struct trial *t, unsigned int nodes);

/* support_optimum.c */
bool fit_optimum_is_less(const struct fit_cost *a, const struct fit_cost *b);
void fit_optimum_add(struct fit_cost *cost, const struct fit_cost *more);
/* Threads of QEMU that want a core for themselves and get none beside @cpus. */
unsigned int fit_optimum_coreless(
	const struct trial *t, unsigned int nodes, const struct fit_cpuset *cpus);
/* @cost without what depends on the nodes, and on the memory. */
void fit_optimum_take_if_best(
	struct trial *t, unsigned int nodes, const int *node_of, bool floats, struct fit_cost cost);

#endif
