/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All domains of a host at once (`virt-fit plan --all`): in which order they are planned, and what
 * each of them takes, so that the next one is planned as if those before it ran.
 */
#ifndef FIT_CORE_PACKING_H
#define FIT_CORE_PACKING_H

#include "core/claims.h"
#include "core/host.h"
#include "core/plan.h"

/* In this order they are planned. */
enum fit_packing_rank {
	FIT_PACKING_RUNNING,   /* kept: nothing moves under a running domain */
	FIT_PACKING_UNMANAGED, /* kept as defined: without a request, so not ours to move */
	FIT_PACKING_PLACED,    /* fitted, or pinned by hand: stays where it is if that is free */
	FIT_PACKING_NEW,       /* takes what is left: the largest first, while there is room */
	FIT_PACKING_RANKS
};

/* Whose turn it is. */
struct fit_packing_turn {
	enum fit_packing_rank rank;
	unsigned int vcpus; /* these two count among the new ones only */
	uint64_t memory_kib;
	const char *name;
	const char *uuid; /* or NULL */
};

/* Never depends on the order in which the domains were found. */
int fit_packing_compare(const struct fit_packing_turn *a, const struct fit_packing_turn *b);

/* Adds the claim of a domain that does not run as one that nobody else can have. @state says in
 * messages what it is ("planned"); static. Its huge pages and memory are taken from what is free on
 * @host. With a @plan (else NULL), the VFs that libvirt will choose are counted, too. */
void fit_packing_take(struct fit_host *host, struct fit_claims *claims,
	const struct fit_domain *domain, const struct fit_plan *plan, const char *state);

struct fit_left_node {
	unsigned int id;
	size_t cores; /* of online CPUs */
	struct fit_cpuset free_cpus;
	size_t free_cores; /* whole ones that vCPUs could have */
};

struct fit_left_pf {
	const struct fit_pci_device *pf;
	size_t free; /* VFs that a domain could have */
	bool exist;  /* false: to be created */
};

struct fit_left {
	struct fit_left_node *nodes; /* as in fit_host */
	size_t node_count;
	struct fit_left_pf *pfs; /* by address */
	size_t pf_count;
};

void fit_left_clear(struct fit_left *left);

/* What the planner would find free on @host, beside @claims. Memory and huge pages are the host's
 * own figures. place_left.c */
void fit_left_find(
	const struct fit_host *host, const struct fit_claims *claims, struct fit_left *ret_left);

#endif
