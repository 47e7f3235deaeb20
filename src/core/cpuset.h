/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of CPU numbers. Node numbers use the same type (a "nodeset"). Three text forms exist, never
 * to be mixed up: a CPU *list* ("0-3,8"), a CPU *mask* (hex groups, "000000ff,00000000") and the
 * set itself. It is a plain value of fixed size: nothing to free, copied by assignment.
 */
#ifndef FIT_CORE_CPUSET_H
#define FIT_CORE_CPUSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/* The kernel's largest NR_CPUS (x86 MAXSMP: arch/x86/Kconfig). */
#define FIT_CPUSET_MAX 8192

struct fit_cpuset {
	uint64_t words[FIT_CPUSET_MAX / 64];
};

void fit_cpuset_add(struct fit_cpuset *set, unsigned int cpu); /* @cpu < FIT_CPUSET_MAX */
void fit_cpuset_remove(struct fit_cpuset *set, unsigned int cpu);
bool fit_cpuset_contains(const struct fit_cpuset *set, unsigned int cpu);
bool fit_cpuset_is_empty(const struct fit_cpuset *set);
bool fit_cpuset_equal(const struct fit_cpuset *a, const struct fit_cpuset *b);
bool fit_cpuset_intersects(const struct fit_cpuset *a, const struct fit_cpuset *b);
bool fit_cpuset_is_subset(const struct fit_cpuset *inner, const struct fit_cpuset *outer);
size_t fit_cpuset_count(const struct fit_cpuset *set);

/* *set = *set op *other */
void fit_cpuset_unite(struct fit_cpuset *set, const struct fit_cpuset *other);
void fit_cpuset_intersect(struct fit_cpuset *set, const struct fit_cpuset *other);
void fit_cpuset_subtract(struct fit_cpuset *set, const struct fit_cpuset *other);

/* Smallest member >= @from, or -1. */
int fit_cpuset_next(const struct fit_cpuset *set, unsigned int from);
#define fit_cpuset_for_each(cpu, set) \
	for (int cpu = fit_cpuset_next((set), 0); cpu >= 0; \
		cpu = fit_cpuset_next((set), (unsigned int)cpu + 1))

/*
 * Kernel CPU list, plus libvirt's "^N" exclusions and spaces around items; surrounding white space
 * is ignored and an empty text is the empty set. Refuses numbers >= FIT_CPUSET_MAX and ranges that
 * run backwards. The kernel's "a-b:used/group" stride form is accepted.
 */
FIT_MUST_CHECK int fit_cpuset_parse_list(
	const char *text, struct fit_cpuset *ret_set, struct fit_err *err);

/* Hex mask in comma-separated groups of up to 32 bits, most significant first. */
FIT_MUST_CHECK int fit_cpuset_parse_mask(
	const char *text, struct fit_cpuset *ret_set, struct fit_err *err);

/* "0-3,8", the form the kernel and libvirt print; "" for the empty set. To be freed. */
char *fit_cpuset_format_list(const struct fit_cpuset *set);

/* The same for people, after a noun: "CPU 3", "CPUs 0-3,8", "node 1". To be freed. */
char *fit_cpuset_describe(const struct fit_cpuset *set, const char *noun);

/* Numbers of iothreads. libvirt reads lists of them up to this (VIR_DOMAIN_CPUMASK_LEN), which is
 * more than there are CPUs: the second part has those from FIT_CPUSET_MAX on, less by that. */
#define FIT_IOTHREAD_IDS_MAX (2 * FIT_CPUSET_MAX)

struct fit_iothread_ids {
	struct fit_cpuset parts[2];
};

FIT_MUST_CHECK int fit_iothread_ids_parse(
	const char *text, struct fit_iothread_ids *ret_set, struct fit_err *err);
void fit_iothread_ids_remove(struct fit_iothread_ids *set, unsigned int number);
int fit_iothread_ids_next(const struct fit_iothread_ids *set, unsigned int from);
#define fit_iothread_ids_for_each(number, set) \
	for (int number = fit_iothread_ids_next((set), 0); number >= 0; \
		number = fit_iothread_ids_next((set), (unsigned int)number + 1))
char *fit_iothread_ids_format(const struct fit_iothread_ids *set); /* to be freed */

#endif
