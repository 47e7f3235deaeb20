/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's own threads: the emulator and the iothreads, and which disk has which iothread. Cores of
 * their own: place_own_cores.c. Where these run out, iothreads share what there is, and without any
 * they run on the housekeeping CPUs.
 */
#include "core/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/target.h"

#define AUTOMATIC_MAX 4 /* iothreads; more gain little and cost a core each */

struct thread_cpus {
	struct fit_cpuset cpus;
	bool is_fallback; /* housekeeping instead of what was asked for */
};

static bool emulator_is_kept(const struct fit_planner *planner)
{
	return planner->domain->has_emulator_pin &&
	       fit_intent_keeps(&planner->profile->emulator.intent);
}

bool fit_place_emulator_wants_core(const struct fit_planner *planner)
{
	const struct fit_intent_emulator *emulator = &planner->profile->emulator;

	return emulator->intent.set && emulator->place == FIT_PLACE_OWN_CORE &&
	       !emulator_is_kept(planner);
}

const struct fit_thread_pin *fit_place_kept_iothread(
	const struct fit_planner *planner, unsigned int id)
{
	const struct fit_domain *domain = planner->domain;

	if (!fit_intent_keeps(&planner->profile->iothreads.intent))
		return NULL;
	for (size_t i = 0; i < domain->iothread_pin_count; i++) {
		if (domain->iothread_pins[i].id == id)
			return &domain->iothread_pins[i];
	}
	return NULL;
}

/* The data of a vhost-user disk is moved by another process, and libvirt refuses an iothread. */
static bool is_virtio_disk(const struct fit_domain_disk *disk)
{
	return fit_streq(disk->bus, "virtio") && !fit_streq(disk->type, "vhostuser");
}

/* A CD-ROM drive is nothing to spend a core on. */
static bool has_scsi_disks(const struct fit_domain *domain)
{
	for (size_t i = 0; i < domain->disk_count; i++) {
		if (fit_streq(domain->disks[i].bus, "scsi") &&
			!fit_streq(domain->disks[i].device, "cdrom"))
			return true;
	}
	return false;
}

/* "virtio-scsi", "virtio-transitional", "virtio-non-transitional". */
static bool is_virtio_scsi(
	const struct fit_domain *domain, const struct fit_domain_controller *controller)
{
	return fit_streq(controller->type, "scsi") &&
	       fit_starts_with(controller->model, "virtio") && has_scsi_disks(domain);
}

/* Disks and controllers that can use an iothread. */
static size_t count_users(const struct fit_domain *domain)
{
	size_t count = 0;

	for (size_t i = 0; i < domain->disk_count; i++)
		count += is_virtio_disk(&domain->disks[i]);
	for (size_t i = 0; i < domain->controller_count; i++)
		count += is_virtio_scsi(domain, &domain->controllers[i]);
	return count;
}

/* How many there should be; of those per node the first. */
static size_t count_wanted(const struct fit_planner *planner)
{
	const struct fit_intent_iothreads *iothreads = &planner->profile->iothreads;
	size_t users = count_users(planner->domain);

	if (iothreads->automatic)
		return users < AUTOMATIC_MAX ? users : AUTOMATIC_MAX;
	if (iothreads->count == FIT_IOTHREADS_PER_DISK)
		return users;
	if (iothreads->count == FIT_IOTHREADS_PER_NODE)
		return users ? 1 : 0;
	return iothreads->count;
}

static bool has_id(const struct fit_plan *plan, unsigned int id)
{
	for (size_t i = 0; i < plan->iothread_count; i++) {
		if (plan->iothreads[i].id == id)
			return true;
	}
	return false;
}

static int compare_ids(const void *a, const void *b)
{
	const struct fit_thread_pin *left = a;
	const struct fit_thread_pin *right = b;

	return (left->id > right->id) - (left->id < right->id);
}

/* The lowest ids that are unused, until there are @wanted. */
static void add_ids(struct fit_plan *plan, size_t wanted)
{
	for (unsigned int id = 1; plan->iothread_count < wanted; id++) {
		if (!has_id(plan, id))
			FIT_APPEND(plan->iothreads, plan->iothread_count)->id = id;
	}
	if (plan->iothread_count)
		qsort(plan->iothreads, plan->iothread_count, sizeof(*plan->iothreads), compare_ids);
}

/* The definition's ids stay, since disks refer to them; new ones are the lowest unused. */
static void choose_ids(struct fit_planner *planner)
{
	const struct fit_intent_iothreads *iothreads = &planner->profile->iothreads;
	const struct fit_domain *domain = planner->domain;
	struct fit_plan *plan = planner->plan;
	size_t wanted = count_wanted(planner);

	for (size_t i = 0; i < domain->iothread_count; i++)
		FIT_APPEND(plan->iothreads, plan->iothread_count)->id = domain->iothread_ids[i];
	if (domain->has_iothreads && fit_intent_keeps(&iothreads->intent)) {
		fit_planner_reason(planner, FIT_REASON_KEPT, "iothreads",
			"the iothreads of the definition stay (%zu)", domain->iothread_count);
		return;
	}
	add_ids(plan, wanted);
	planner->iothreads_per_node =
		!iothreads->automatic && iothreads->count == FIT_IOTHREADS_PER_NODE && wanted;
	if (!wanted && (iothreads->automatic || iothreads->count))
		fit_planner_reason(planner, FIT_REASON_CHOICE, "iothreads",
			"none: no disk is virtio or on a virtio-scsi controller");
	else if (iothreads->automatic)
		fit_planner_reason(planner, FIT_REASON_CHOICE, "iothreads",
			"%zu: one for each virtio disk or virtio-scsi controller, at most %d",
			wanted, AUTOMATIC_MAX);
}

int fit_place_threads_prepare(struct fit_planner *planner)
{
	const struct fit_intent_iothreads *iothreads = &planner->profile->iothreads;
	const struct fit_intent_emulator *emulator = &planner->profile->emulator;
	struct fit_plan *plan = planner->plan;

	if (emulator_is_kept(planner) && emulator->intent.set &&
		fit_pin_check(planner, "the emulator", &planner->domain->emulator_pin) < 0)
		return -1;
	planner->own_cores_wanted = fit_place_emulator_wants_core(planner);
	if (!iothreads->intent.set)
		return 0;
	choose_ids(planner);
	for (size_t i = 0; i < plan->iothread_count; i++) {
		const struct fit_thread_pin *pin =
			fit_place_kept_iothread(planner, plan->iothreads[i].id);
		fit_autofree char *what = fit_xasprintf("iothread %u", plan->iothreads[i].id);

		if (pin && fit_pin_check(planner, what, &pin->cpus) < 0)
			return -1;
		planner->own_cores_wanted += !pin && iothreads->place == FIT_PLACE_OWN_CORE;
	}
	return 0;
}

/* CPUs of the vCPUs' nodes over which QEMU's threads may float. */
static struct fit_cpuset floating_cpus(
	const struct fit_planner *planner, const struct fit_candidate *candidate)
{
	bool exclusive = planner->vcpus_place == FIT_PLACE_CORES && !planner->profile->vcpus.shared;
	struct fit_cpuset cpus = {0};

	for (size_t i = 0; i < planner->core_count; i++) {
		const struct fit_core *core = &planner->cores[i];

		if (core->node >= 0 && !core->isolated && !core->running &&
			fit_cpuset_contains(&candidate->nodes, (unsigned int)core->node))
			fit_cpuset_unite(&cpus, &core->cpus);
	}
	fit_cpuset_subtract(&cpus, &planner->host->isolated);
	fit_cpuset_subtract(&cpus, &planner->host->housekeeping);
	if (exclusive || planner->vcpus_kept)
		fit_cpuset_subtract(&cpus, &candidate->cpus);
	for (size_t i = 0; i < candidate->own_core_count; i++)
		fit_cpuset_subtract(&cpus, &candidate->own_cores[i]->cpus);
	return cpus;
}

/* @core: the thread's own core, NULL when there is none. */
static struct thread_cpus cpus_of_place(const struct fit_planner *planner,
	const struct fit_candidate *candidate, enum fit_place place, const struct fit_core *core)
{
	struct thread_cpus result = {0};

	switch (place) {
	case FIT_PLACE_NONE:
	case FIT_PLACE_CORES:
		return result;
	case FIT_PLACE_HOUSEKEEPING:
		result.cpus = planner->plan->housekeeping;
		return result;
	case FIT_PLACE_OWN_CORE:
		if (core)
			result.cpus = core->usable;
		break;
	case FIT_PLACE_VCPUS:
		result.cpus = fit_cpuset_is_empty(&candidate->pool) ? planner->plan->vcpu_cpus
								    : candidate->pool;
		break;
	case FIT_PLACE_NODE:
		result.cpus = floating_cpus(planner, candidate);
		break;
	}
	if (fit_cpuset_is_empty(&result.cpus)) {
		result.cpus = planner->plan->housekeeping;
		result.is_fallback = true;
	}
	return result;
}

static const char *place_name(enum fit_place place)
{
	switch (place) {
	case FIT_PLACE_OWN_CORE:
		return "no core is free beside the vCPUs";
	case FIT_PLACE_VCPUS:
		return "the vCPUs have no CPUs of their own";
	default:
		return "no CPU of the vCPUs' nodes is left";
	}
}

/* Pins that are kept leave no choice when they name most of the host. */
static void warn_of_company(struct fit_planner *planner, const struct fit_candidate *candidate,
	const char *who, const struct fit_cpuset *pin)
{
	struct fit_cpuset both = candidate->cpus;
	fit_autofree char *list = NULL;

	fit_cpuset_intersect(&both, pin);
	if (planner->vcpus_kept || planner->vcpus_place != FIT_PLACE_CORES ||
		planner->profile->vcpus.shared || fit_cpuset_is_empty(&both))
		return;
	list = fit_cpuset_describe(&both, "CPU");
	fit_planner_reason(planner, FIT_REASON_WARNING, "vcpus",
		"the vCPUs share %s with %s, whose pin in the definition is kept", list, who);
}

static void commit_emulator(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	const struct fit_intent_emulator *emulator = &planner->profile->emulator;
	struct thread_cpus chosen;

	if (!emulator->intent.set)
		return;
	if (emulator_is_kept(planner)) {
		fit_autofree char *list =
			fit_cpuset_describe(&planner->domain->emulator_pin, "CPU");

		fit_planner_reason(planner, FIT_REASON_KEPT, "emulator",
			"the emulator pin of the definition stays (%s)", list);
		warn_of_company(planner, candidate, "the emulator", &planner->domain->emulator_pin);
		return;
	}
	chosen = cpus_of_place(planner, candidate, emulator->place,
		candidate->emulator_has_core ? candidate->own_cores[0] : NULL);
	planner->plan->has_emulator = !fit_cpuset_is_empty(&chosen.cpus);
	planner->plan->emulator = chosen.cpus;
	if (chosen.is_fallback)
		fit_planner_reason(planner, FIT_REASON_WARNING, "emulator",
			"the emulator is on the housekeeping CPUs: %s",
			place_name(emulator->place));
}

static int compare_cores(const void *a, const void *b)
{
	const struct fit_core *left = *(const struct fit_core *const *)a;
	const struct fit_core *right = *(const struct fit_core *const *)b;

	return (left->cpu > right->cpu) - (left->cpu < right->cpu);
}

static void explain_iothreads(
	struct fit_planner *planner, size_t unpinned, size_t cores, bool is_fallback)
{
	enum fit_place place = planner->profile->iothreads.place;

	if (is_fallback)
		fit_planner_reason(planner, FIT_REASON_WARNING, "iothreads",
			"iothreads are on the housekeeping CPUs: %s", place_name(place));
	else if (place == FIT_PLACE_OWN_CORE && cores < unpinned)
		fit_planner_reason(planner, FIT_REASON_WARNING, "iothreads",
			"%zu iothreads share %zu core%s: no more are free beside the vCPUs",
			unpinned, cores, fit_plural(cores));
}

/* To the @number-th node of the vCPUs, if that leaves anything. */
static void confine_to_node(const struct fit_planner *planner,
	const struct fit_candidate *candidate, size_t number, struct fit_cpuset *cpus)
{
	struct fit_cpuset here = {0};

	fit_cpuset_for_each (id, &candidate->nodes) {
		const struct fit_node *node = fit_host_node(planner->host, (unsigned int)id);

		if (number-- == 0 && node)
			here = node->cpus;
	}
	fit_cpuset_intersect(&here, cpus);
	if (!fit_cpuset_is_empty(&here))
		*cpus = here;
}

static void commit_iothreads(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	const struct fit_intent_iothreads *iothreads = &planner->profile->iothreads;
	struct fit_plan *plan = planner->plan;
	size_t first = candidate->emulator_has_core;
	size_t cores = candidate->own_core_count - first;
	fit_autofree const struct fit_core **own = fit_xcalloc(cores, sizeof(*own));
	size_t unpinned = 0;
	bool is_fallback = false;

	if (!iothreads->intent.set || plan->iothread_count == 0)
		return;
	for (size_t i = 0; i < cores; i++)
		own[i] = candidate->own_cores[first + i];
	if (!planner->iothreads_per_node)
		qsort(own, cores, sizeof(*own), compare_cores);
	for (size_t i = 0; i < plan->iothread_count; i++) {
		struct fit_thread_pin *thread = &plan->iothreads[i];
		const struct fit_thread_pin *kept = fit_place_kept_iothread(planner, thread->id);
		struct thread_cpus chosen;

		if (kept) {
			fit_autofree char *who = fit_xasprintf("iothread %u", thread->id);

			thread->cpus = kept->cpus;
			warn_of_company(planner, candidate, who, &kept->cpus);
			continue;
		}
		chosen = cpus_of_place(
			planner, candidate, iothreads->place, cores ? own[unpinned % cores] : NULL);
		if (planner->iothreads_per_node && iothreads->place == FIT_PLACE_NODE)
			confine_to_node(planner, candidate, i, &chosen.cpus);
		thread->cpus = chosen.cpus;
		is_fallback |= chosen.is_fallback;
		unpinned++;
	}
	plan->iothreads_kept = planner->domain->has_iothreads && unpinned == 0;
	explain_iothreads(planner, unpinned, cores, is_fallback);
}

/* Disks by target, "vdb" before "vdaa", then controllers: libvirt's order. */
static int compare_targets(const void *a, const void *b)
{
	const struct fit_disk_iothread *left = a;
	const struct fit_disk_iothread *right = b;
	size_t left_length, right_length;

	if (!left->target || !right->target)
		return !left->target != !right->target
			       ? (!left->target ? 1 : -1)
			       : (left->controller > right->controller) -
					 (left->controller < right->controller);
	left_length = strlen(left->target);
	right_length = strlen(right->target);
	if (left_length != right_length)
		return left_length < right_length ? -1 : 1;
	return strcmp(left->target, right->target);
}

/* How many disks and controllers that stay as they are have this iothread. */
static size_t kept_users(const struct fit_planner *planner, unsigned int id)
{
	const struct fit_domain *domain = planner->domain;
	size_t users = 0;

	if (!fit_intent_keeps(&planner->profile->disks.intent))
		return 0;
	for (size_t i = 0; i < domain->disk_count; i++)
		users += domain->disks[i].iothread == id;
	for (size_t i = 0; i < domain->controller_count; i++)
		users += domain->controllers[i].iothread == id;
	return users;
}

static void list_disks(struct fit_planner *planner)
{
	const struct fit_domain *domain = planner->domain;
	bool keep = fit_intent_keeps(&planner->profile->disks.intent);
	struct fit_plan *plan = planner->plan;

	for (size_t i = 0; i < domain->disk_count; i++) {
		const struct fit_domain_disk *disk = &domain->disks[i];

		if (!is_virtio_disk(disk) || !disk->target)
			continue;
		if (keep && (disk->has_iothread_map || disk->iothread)) {
			fit_planner_reason(planner, FIT_REASON_KEPT, "disks",
				"disk %s keeps its iothread", disk->target);
			continue;
		}
		FIT_APPEND(plan->disk_iothreads, plan->disk_iothread_count)->target =
			fit_xstrdup(disk->target);
	}
	for (size_t i = 0; i < domain->controller_count; i++) {
		const struct fit_domain_controller *controller = &domain->controllers[i];

		if (is_virtio_scsi(domain, controller) && controller->has_index &&
			!(keep && (controller->iothread || controller->has_iothread_map)))
			FIT_APPEND(plan->disk_iothreads, plan->disk_iothread_count)->controller =
				controller->index;
	}
	if (plan->disk_iothread_count)
		qsort(plan->disk_iothreads, plan->disk_iothread_count,
			sizeof(*plan->disk_iothreads), compare_targets);
}

/* Can all iothreads serve it? Says why not, once. */
static bool can_map(struct fit_planner *planner, const struct fit_disk_iothread *user, bool *told)
{
	const struct fit_target *target = planner->input->target;
	fit_autofree char *why = NULL;

	if (!planner->profile->disks.map_iothreads || planner->plan->iothread_count < 2)
		return false;
	if (fit_target_has(target ? target : &fit_target_default, planner->domain,
		    user->target ? FIT_FEATURE_DISK_IOTHREAD_MAP : FIT_FEATURE_SCSI_IOTHREAD_MAP,
		    &why))
		return true;
	if (!*told)
		fit_planner_reason(planner, FIT_REASON_NOTE, "disks",
			"one iothread for each disk or controller instead of all: %s", why);
	*told = true;
	return false;
}

/* Round robin: each disk in turn gets the iothread with the fewest users so far. */
static void commit_disks(struct fit_planner *planner)
{
	const struct fit_intent_disks *disks = &planner->profile->disks;
	struct fit_plan *plan = planner->plan;
	fit_autofree size_t *users = fit_xcalloc(plan->iothread_count, sizeof(*users));
	bool told = false;

	if (!disks->intent.set || !disks->spread_iothreads || plan->iothread_count == 0)
		return;
	for (size_t i = 0; i < plan->iothread_count; i++)
		users[i] = kept_users(planner, plan->iothreads[i].id);
	list_disks(planner);
	for (size_t d = 0; d < plan->disk_iothread_count; d++) {
		size_t best = 0;

		if (can_map(planner, &plan->disk_iothreads[d], &told))
			continue;
		for (size_t i = 1; i < plan->iothread_count; i++) {
			if (users[i] < users[best])
				best = i;
		}
		plan->disk_iothreads[d].iothread = plan->iothreads[best].id;
		users[best]++;
	}
}

void fit_place_threads_commit(struct fit_planner *planner, const struct fit_candidate *candidate)
{
	if (planner->iothreads_per_node)
		add_ids(planner->plan, fit_cpuset_count(&candidate->nodes));
	commit_emulator(planner, candidate);
	commit_iothreads(planner, candidate);
	commit_disks(planner);
}
