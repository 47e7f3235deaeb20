/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interrupt vectors of passed-through devices: which CPU each goes to, and how often it is put
 * back there when somebody else moves it. PURE: the time comes from the caller, in milliseconds of
 * a monotonic clock.
 *
 * An x86 interrupt comes to one CPU, whatever its mask says, so a device with several queues gets
 * the most from vectors on several CPUs. A vector keeps its CPU as long as it lives; others come to
 * where the fewest are.
 */
#ifndef FIT_CORE_VECTORS_H
#define FIT_CORE_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A CPU that vectors can go to. */
struct fit_vector_cpu {
	unsigned int cpu;
	unsigned int core; /* threads of one core have one number */
	unsigned int load; /* vectors that it has */
};

/* The CPU for one more vector, which is counted: of the core with the fewest vectors, there the CPU
 * with the fewest, there the first. @count is not 0. */
unsigned int fit_vectors_choose(struct fit_vector_cpu *cpus, size_t count);

/* A vector is put back that often within that time. Whoever moves it more often means it. */
#define FIT_PATIENCE_TIMES 5
#define FIT_PATIENCE_MS	   60000

struct fit_patience_entry {
	unsigned int number; /* of the interrupt */
	uint64_t birth;	     /* numbers are used again: differs then */
	unsigned int used;
	int64_t times[FIT_PATIENCE_TIMES]; /* when it was put back, as a ring */
};

/* Zero-initialised is full of it. */
struct fit_patience {
	struct fit_patience_entry *items;
	size_t count;
};

void fit_patience_clear(struct fit_patience *patience);

/* Has this interrupt been met before? If not, it is now. */
bool fit_patience_meet(struct fit_patience *patience, unsigned int number, uint64_t birth);

/* May the interrupt be put back once more, now? If so, that counts. (What was not met may.) */
bool fit_patience_spend(struct fit_patience *patience, unsigned int number, int64_t now);

#endif
