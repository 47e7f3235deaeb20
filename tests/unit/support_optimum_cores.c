/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_optimum_parts.h"

#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const struct fit_claim *holder(
	const struct fit_bench *b, const struct fit_cpuset *cpus, bool running)
{
	for (size_t i = 0; i < b->claims.count; i++)
		if (b->claims.items[i].running == running &&
			fit_cpuset_intersects(&b->claims.items[i].cpus, cpus))
			return &b->claims.items[i];
	return NULL;
}

bool fit_optimum_is_free(const struct trial *t, const struct core *core)
{
	return core->threads && (!core->running || t->b->profile.vcpus.shared);
}

static void add_core(struct trial *t, const struct fit_cpu *cpu)
{
	const struct fit_host *host = &t->b->host;
	struct core *core = &t->cores[t->core_count++];

	assert_true(t->core_count <= FIT_OPTIMUM_CORES);
	core->cpus = core->usable = cpu->siblings;
	core->node = (unsigned int)cpu->node;
	core->l3 = (unsigned int)fit_cpuset_next(&host->l3_groups[cpu->l3], 0);
	core->id_of_cluster = cpu->cluster;
	core->efficiency = cpu->kind == FIT_CPU_EFFICIENCY;
	core->isolated = fit_cpuset_is_subset(&cpu->siblings, &host->isolated);
	core->running = holder(t->b, &core->cpus, true) != NULL;
	core->defined = holder(t->b, &core->cpus, false) != NULL;
	t->has_isolated |= core->isolated;
}

/* No vCPU gets a core of stated housekeeping; of a lone core what is left. */
static void set_stated_housekeeping(struct trial *t)
{
	t->housekeeping = t->b->host.housekeeping;
	for (unsigned int i = 0; i < t->core_count; i++) {
		struct core *core = &t->cores[i];

		if (!fit_cpuset_intersects(&core->cpus, &t->housekeeping))
			continue;
		if (t->core_count == 1)
			fit_cpuset_subtract(&core->usable, &t->housekeeping);
		else
			core->usable = (struct fit_cpuset){0};
	}
}

/* The first core that is not isolated is housekeeping's; of a lone core the first thread. */
static void set_housekeeping(struct trial *t)
{
	struct core *best = NULL;

	for (unsigned int i = 0; i < t->core_count; i++) {
		struct core *core = &t->cores[i];

		if (!best || (best->isolated && !core->isolated) ||
			(best->isolated == core->isolated &&
				fit_cpuset_next(&core->cpus, 0) < fit_cpuset_next(&best->cpus, 0)))
			best = core;
	}
	if (!best)
		return;
	if (t->core_count == 1 && fit_cpuset_count(&best->cpus) > 1) {
		fit_cpuset_add(&t->housekeeping, (unsigned int)fit_cpuset_next(&best->cpus, 0));
		fit_cpuset_subtract(&best->usable, &t->housekeeping);
		return;
	}
	t->housekeeping = best->cpus;
	if (!best->isolated)
		fit_cpuset_subtract(&t->housekeeping, &t->b->host.isolated);
	best->usable = (struct fit_cpuset){0};
}

/* Pins that stay, and cores that are out of reach for them or by <vcpu cpuset=>. */
static void set_fixed(struct trial *t)
{
	const struct fit_domain *domain = &t->b->domain;

	t->open = domain->vcpus;
	for (size_t i = 0; i < domain->vcpu_pin_count; i++) {
		const struct fit_thread_pin *pin = &domain->vcpu_pins[i];
		int node = t->b->host.cpus[fit_cpuset_next(&pin->cpus, 0)].node;

		t->fixed[pin->id] = &pin->cpus;
		fit_cpuset_for_each (cpu, &pin->cpus)
			node = t->b->host.cpus[cpu].node == node ? node : -1;
		t->fixed_node[pin->id] = node;
		fit_cpuset_unite(&t->fixed_cpus, &pin->cpus);
		t->open--;
	}
	for (unsigned int i = 0; i < t->core_count; i++) {
		struct core *core = &t->cores[i];

		if (domain->has_vcpu_cpuset)
			fit_cpuset_intersect(&core->usable, &domain->vcpu_cpuset);
		if (t->b->profile.vcpus.place == FIT_PLACE_CORES &&
			fit_cpuset_intersects(&core->cpus, &t->fixed_cpus))
			core->usable = (struct fit_cpuset){0};
	}
}

/* The definition's topology stays where it has one, if the host has such cores. */
static void set_kept_threads(struct trial *t)
{
	const struct fit_domain *domain = &t->b->domain;
	unsigned int widest = 1;

	for (unsigned int i = 0; i < t->core_count; i++)
		if (t->cores[i].threads > widest)
			widest = t->cores[i].threads;
	if (!domain->has_topology && t->b->profile.cpu.mirror_topology)
		return;
	t->kept_threads = domain->has_topology && domain->topology.threads <= widest
				  ? domain->topology.threads
				  : 1;
}

static void set_previous(struct trial *t)
{
	const struct fit_domain *previous = &t->b->previous;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(t->previous); i++)
		t->previous[i] = -1;
	for (size_t i = 0; t->b->has_previous && i < previous->vcpu_pin_count; i++)
		if (!t->fixed[previous->vcpu_pins[i].id])
			t->previous[previous->vcpu_pins[i].id] =
				fit_cpuset_next(&previous->vcpu_pins[i].cpus, 0);
	for (unsigned int c = 0; t->b->has_previous && c < t->core_count; c++) {
		struct core *core = &t->cores[c];

		for (size_t i = 0; i < previous->vcpu_pin_count; i++)
			core->previous |=
				!t->fixed[previous->vcpu_pins[i].id] &&
				fit_cpuset_intersects(&previous->vcpu_pins[i].cpus, &core->cpus);
		core->previous_thread = previous->has_emulator_pin &&
					fit_cpuset_equal(&previous->emulator_pin, &core->cpus);
		for (size_t i = 0; i < previous->iothread_pin_count; i++)
			core->previous_thread |=
				fit_cpuset_equal(&previous->iothread_pins[i].cpus, &core->cpus);
	}
}

static bool share_cluster(const struct core *a, const struct core *b)
{
	return a->l3 == b->l3 && a->efficiency == b->efficiency && a->id_of_cluster >= 0 &&
	       a->id_of_cluster == b->id_of_cluster;
}

/* A kind of core of which no two share a cluster has no clusters. */
static void set_clusters(struct trial *t)
{
	bool exist[2] = {false, false};

	for (unsigned int i = 0; i < t->core_count; i++) {
		unsigned int *lowest = &t->cores[i].cluster;

		*lowest = (unsigned int)fit_cpuset_next(&t->cores[i].cpus, 0);
		for (unsigned int j = 0; j < t->core_count; j++) {
			unsigned int cpu = (unsigned int)fit_cpuset_next(&t->cores[j].cpus, 0);

			if (i == j || !share_cluster(&t->cores[i], &t->cores[j]))
				continue;
			*lowest = cpu < *lowest ? cpu : *lowest;
			exist[t->cores[i].efficiency] = true;
		}
	}
	for (unsigned int i = 0; i < t->core_count; i++)
		if (!exist[t->cores[i].efficiency])
			t->cores[i].cluster = t->cores[i].l3;
}

static int compare_cores(const void *a, const void *b)
{
	const struct core *left = a;
	const struct core *right = b;

	if (left->node != right->node)
		return left->node < right->node ? -1 : 1;
	if (left->l3 != right->l3)
		return left->l3 < right->l3 ? -1 : 1;
	if (left->cluster != right->cluster)
		return left->cluster < right->cluster ? -1 : 1;
	return fit_cpuset_next(&left->cpus, 0) < fit_cpuset_next(&right->cpus, 0) ? -1 : 1;
}

void fit_optimum_list_cores(struct trial *t)
{
	const struct fit_domain *domain = &t->b->domain;

	for (size_t i = 0; i < t->b->host.cpu_count; i++) {
		const struct fit_cpu *cpu = &t->b->host.cpus[i];

		if (cpu->online && fit_cpuset_next(&cpu->siblings, 0) == (int)cpu->id)
			add_core(t, cpu);
	}
	if (t->b->host.housekeeping_source)
		set_stated_housekeeping(t);
	else
		set_housekeeping(t);
	set_fixed(t);
	set_clusters(t);
	qsort(t->cores, t->core_count, sizeof(*t->cores), compare_cores);
	set_previous(t);
	t->widest = 1;
	for (unsigned int i = 0; i < t->core_count; i++) {
		struct core *core = &t->cores[i];

		fit_cpuset_for_each (cpu, &core->usable)
			core->order[core->threads++] = (unsigned int)cpu;
		core->kept = domain->has_emulator_pin &&
			     fit_cpuset_intersects(&core->cpus, &domain->emulator_pin);
		if (fit_optimum_is_free(t, core) && core->threads > t->widest)
			t->widest = core->threads;
	}
	set_kept_threads(t);
}
