/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hosts, domains, profiles and claims made in memory, for tests of the planner. */
#ifndef FIT_TESTS_SUPPORT_PLAN_H
#define FIT_TESTS_SUPPORT_PLAN_H

#include "core/plan.h"

#define GIB (1024ULL * 1024)

struct fit_host_shape {
	unsigned int nodes;
	unsigned int l3_groups; /* for each node */
	unsigned int cores;	/* for each L3 group */
	unsigned int threads;	/* for each core */
};

/* CPUs numbered as on most x86 hosts: the first threads of all cores, then the second ones. Nodes
 * are 10 from themselves and 21 from each other and have 64 GiB, nearly all free, and pools of 2
 * MiB and 1 GiB pages without a page. */
struct fit_host fit_made_host(struct fit_host_shape shape);

/* Lets it give out its L3 caches, of @mib each, in 16 pieces with at least one each to 7 groups and
 * the default group, and memory bandwidth in steps of 10 percent. All of it is free. */
void fit_made_resctrl(struct fit_host *host, unsigned int mib);

struct fit_cpuset fit_made_set(const char *list);

/* Takes a CPU offline. */
void fit_made_offline(struct fit_host *host, unsigned int cpu);

/* Adds a PCI device. Addresses may come in any order. What it returns is valid until the next. */
struct fit_pci_device *fit_made_device(
	struct fit_host *host, const char *addr, uint32_t class_code, int node, int group);

/* A network PF with @numvfs of @total VFs; VF i has IOMMU group 100 * bus + i. */
void fit_made_pf(struct fit_host *host, const char *addr, const char *netdev, int node,
	unsigned int total, unsigned int numvfs);

/* A KVM domain of x86 without settings. */
struct fit_domain fit_made_domain(const char *name, unsigned int vcpus, uint64_t memory_kib);
void fit_made_pin(struct fit_domain *domain, unsigned int vcpu, const char *cpus);
void fit_made_disk(struct fit_domain *domain, const char *target, const char *bus);
void fit_made_hostdev(struct fit_domain *domain, const char *addr, bool ours);

/* The intents of low-latency, with pages of 1 GiB, 2 MiB or none. */
struct fit_profile fit_made_profile(void);

void fit_made_claim(struct fit_claims *claims, const char *name, bool running, const char *cpus);

/* A definition that has what the plan says, as emission would leave it. */
struct fit_domain fit_made_fitted(const struct fit_domain *domain, const struct fit_plan *plan);

/* Does the plan call things by the names that programs find them by? */
void fit_test_check_reasons(const struct fit_plan *plan);

/* Plans, or fails the test. */
struct fit_plan fit_made_plan(const struct fit_plan_input *input);

/* The first reason of a kind that contains @text, or NULL. */
const struct fit_reason *fit_made_reason(
	const struct fit_plan *plan, enum fit_reason_kind kind, const char *text);

/* "3,11,4,12": the pins in the order of the vCPUs; to be freed. */
char *fit_made_pins(const struct fit_plan *plan);

/* A bench that a test changes as it likes and then plans on. */
struct fit_bench {
	struct fit_host host;
	struct fit_domain domain;
	struct fit_profile profile;
	struct fit_claims claims;
	struct fit_request request;
	const struct fit_networks *networks;
	const struct fit_target *target;
	struct fit_domain previous;
	bool has_previous;
	struct fit_plan plan;
	struct fit_err err;
};

struct fit_bench fit_bench(struct fit_host_shape shape, unsigned int vcpus);
struct fit_plan_input fit_bench_input(const struct fit_bench *b);
void fit_bench_request(struct fit_bench *b, const char *netdev);
void fit_bench_plan(struct fit_bench *b); /* replaces b->plan */
/* What it planned is the domain's previous placement from now on. */
void fit_bench_keep_plan(struct fit_bench *b);
void fit_bench_end(struct fit_bench *b);
void fit_expect_refusal(struct fit_bench *b, const char *part);
void fit_expect_pins(const struct fit_bench *b, const char *pins);
void fit_expect_set(const struct fit_cpuset *set, const char *list);
void fit_expect_reason(const struct fit_bench *b, enum fit_reason_kind kind, const char *text);
void fit_expect_topology(
	const struct fit_bench *b, unsigned int sockets, unsigned int cores, unsigned int threads);

#endif
