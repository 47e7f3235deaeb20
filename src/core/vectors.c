/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/vectors.h"

#include <stdlib.h>

#include "base/memory.h"

static unsigned int core_load(const struct fit_vector_cpu *cpus, size_t count, unsigned int core)
{
	unsigned int load = 0;

	for (size_t i = 0; i < count; i++)
		if (cpus[i].core == core)
			load += cpus[i].load;
	return load;
}

unsigned int fit_vectors_choose(struct fit_vector_cpu *cpus, size_t count)
{
	struct fit_vector_cpu *best = cpus;
	unsigned int best_core = core_load(cpus, count, cpus->core);

	for (size_t i = 1; i < count; i++) {
		unsigned int core = core_load(cpus, count, cpus[i].core);

		if (core < best_core || (core == best_core && cpus[i].load < best->load)) {
			best = &cpus[i];
			best_core = core;
		}
	}
	best->load++;
	return best->cpu;
}

void fit_patience_clear(struct fit_patience *patience)
{
	free(patience->items);
	*patience = (struct fit_patience){0};
}

static struct fit_patience_entry *find(const struct fit_patience *patience, unsigned int number)
{
	for (size_t i = 0; i < patience->count; i++)
		if (patience->items[i].number == number)
			return &patience->items[i];
	return NULL;
}

bool fit_patience_meet(struct fit_patience *patience, unsigned int number, uint64_t birth)
{
	struct fit_patience_entry *entry = find(patience, number);

	if (entry && entry->birth == birth)
		return true;
	if (!entry)
		entry = FIT_APPEND(patience->items, patience->count);
	*entry = (struct fit_patience_entry){.number = number, .birth = birth};
	return false;
}

bool fit_patience_spend(struct fit_patience *patience, unsigned int number, int64_t now)
{
	struct fit_patience_entry *entry = find(patience, number);
	int64_t *oldest;

	if (!entry)
		return true;
	oldest = &entry->times[entry->used % FIT_PATIENCE_TIMES];
	if (entry->used >= FIT_PATIENCE_TIMES && now - *oldest < FIT_PATIENCE_MS)
		return false;
	*oldest = now;
	entry->used++;
	return true;
}
