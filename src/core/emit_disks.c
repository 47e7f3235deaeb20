/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disks and the controllers of SCSI disks: their iothreads, what is in <driver>.
 *
 * What is valid depends on the disk. The host's cache and the way of its I/O can be chosen for a
 * file or block device only; discard for all but vhost-user disks, whose data QEMU never sees; and
 * queues belong to what the guest talks to: a virtio disk, or the virtio controller of SCSI disks.
 */
#include "core/emit_parts.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"

#define TOPIC "disks"

static const struct fit_domain_disk *find_disk(const struct fit_domain *domain, const char *target)
{
	for (size_t i = 0; i < domain->disk_count; i++)
		if (fit_streq(domain->disks[i].target, target))
			return &domain->disks[i];
	return NULL;
}

static char *disk_path(const struct fit_domain_disk *disk)
{
	return fit_xasprintf("devices/disk[target/@dev='%s']", disk->target);
}

static char *controller_path(unsigned int index)
{
	return fit_xasprintf("devices/controller[@type='scsi'][@index='%u']", index);
}

static const struct fit_domain_controller *find_scsi(
	const struct fit_domain *domain, unsigned int index)
{
	for (size_t i = 0; i < domain->controller_count; i++)
		if (fit_streq(domain->controllers[i].type, "scsi") &&
			domain->controllers[i].index == index)
			return &domain->controllers[i];
	return NULL;
}

static char *format_map(const struct fit_plan *plan)
{
	fit_autobuffer struct fit_buffer text = {0};

	/* Without queues QEMU maps all of them, in turn. */
	fit_buffer_add(&text, "<iothreads>");
	for (size_t i = 0; i < plan->iothread_count; i++)
		fit_buffer_addf(&text, "<iothread id='%u'/>", plan->iothreads[i].id);
	fit_buffer_add(&text, "</iothreads>");
	return fit_buffer_steal(&text);
}

/* What a disk or controller has of iothreads. */
struct has {
	unsigned int iothread; /* 0: none */
	bool map;
};

/* @iothread: 0 for a map of the queues to all iothreads. */
static int emit_iothread(const struct fit_emitter *emitter, const char *path, const char *device,
	struct has has, unsigned int iothread)
{
	static const char mapped[] = "a map to queues";
	fit_autofree char *what = fit_xasprintf("the iothread of %s", device);
	fit_autofree char *attribute = fit_xasprintf("%s/driver/@iothread", path);
	fit_autofree char *map = fit_xasprintf("%s/driver/iothreads", path);
	fit_autofree char *wanted = iothread ? fit_xasprintf("%u", iothread) : fit_xstrdup(mapped);
	fit_autofree char *found = has.map	  ? fit_xstrdup(mapped)
				   : has.iothread ? fit_xasprintf("%u", has.iothread)
						  : NULL;
	fit_autofree char *value = iothread ? fit_xstrdup(wanted) : format_map(emitter->plan);
	int decision =
		fit_emit_decide(emitter, &emitter->profile->disks.intent, what, found, wanted);

	if (decision <= 0)
		return decision;
	if (iothread ? has.map : has.iothread > 0)
		fit_edits_remove(emitter->edits, iothread ? map : attribute);
	fit_edits_set(emitter->edits, iothread ? attribute : map, value);
	return decision;
}

static int emit_disk_iothread(const struct fit_emitter *emitter, const struct fit_domain_disk *disk,
	unsigned int iothread)
{
	fit_autofree char *device = fit_xasprintf("disk %s", disk->target);
	fit_autofree char *path = disk_path(disk);

	return emit_iothread(emitter, path, device,
		(struct has){disk->iothread, disk->has_iothread_map}, iothread);
}

static int emit_controller_iothread(
	const struct fit_emitter *emitter, unsigned int index, unsigned int iothread)
{
	const struct fit_domain_controller *controller = find_scsi(emitter->domain, index);
	fit_autofree char *device = fit_xasprintf("scsi controller %u", index);
	fit_autofree char *path = controller_path(index);

	if (!controller)
		return 0;
	return emit_iothread(emitter, path, device,
		(struct has){controller->iothread, controller->has_iothread_map}, iothread);
}

static int emit_iothreads(const struct fit_emitter *emitter)
{
	const struct fit_plan *plan = emitter->plan;

	for (size_t i = 0; i < plan->disk_iothread_count; i++) {
		const struct fit_disk_iothread *assigned = &plan->disk_iothreads[i];
		const struct fit_domain_disk *disk = find_disk(emitter->domain, assigned->target);
		int result = 0;

		if (!assigned->target)
			result = emit_controller_iothread(
				emitter, assigned->controller, assigned->iothread);
		else if (disk)
			result = emit_disk_iothread(emitter, disk, assigned->iothread);
		if (result < 0)
			return -1;
	}
	return 0;
}

/* One attribute of <driver>; NULL leaves it. */
static int emit_driver(const struct fit_emitter *emitter, const char *path, const char *device,
	const char *attribute, const char *value, enum fit_feature feature)
{
	fit_autofree char *what = fit_xasprintf("%s of %s", attribute, device);
	fit_autofree char *place = fit_xasprintf("%s/driver/@%s", path, attribute);

	if (!value)
		return 0;
	return fit_emit_setting(emitter, &emitter->profile->disks.intent,
		&(struct fit_setting){.topic = TOPIC,
			.what = what,
			.path = place,
			.value = value,
			.feature = feature});
}

static int emit_disk_driver(const struct fit_emitter *emitter, const struct fit_domain_disk *disk,
	const char *attribute, const char *value, enum fit_feature feature)
{
	fit_autofree char *device = fit_xasprintf("disk %s", disk->target);
	fit_autofree char *path = disk_path(disk);

	return emit_driver(emitter, path, device, attribute, value, feature);
}

static bool is_direct(const char *cache)
{
	return fit_streq(cache, "none") || fit_streq(cache, "directsync");
}

/* io= as the target has it. */
static const char *choose_io(
	const struct fit_emitter *emitter, const struct fit_domain_disk *disk, const char *io)
{
	fit_autofree char *why = NULL;

	if (!fit_streq(io, "io_uring") ||
		fit_target_has(emitter->target, emitter->domain, FIT_FEATURE_IO_URING, &why))
		return io;
	if (!disk->io)
		fit_plan_reason(emitter->plan, FIT_REASON_NOTE, TOPIC,
			"io of disk %s is native: %s", disk->target, why);
	return "native";
}

/* QEMU opens the file of a disk that is not cached with O_DIRECT, and does not start where its file
 * system has none. */
static bool excludes_direct(const struct fit_emitter *emitter, const struct fit_domain_disk *disk)
{
	return disk->file && emitter->is_buffered &&
	       emitter->is_buffered(emitter->is_buffered_context, disk->file);
}

/* The cache mode that can be written; NULL leaves it as it is. */
static const char *choose_cache(
	const struct fit_emitter *emitter, const struct fit_domain_disk *disk, const char *io)
{
	const struct fit_intent_disks *disks = &emitter->profile->disks;
	const char *cache = disks->cache;

	if (disk->cache && disks->intent.existing == FIT_EXISTING_KEEP)
		return cache;
	if (cache && !is_direct(cache) && !io && fit_streq(disk->io, "native")) {
		fit_plan_reason(emitter->plan, FIT_REASON_NOTE, TOPIC,
			"the cache mode of disk %s stays: its io='native' excludes %s",
			disk->target, cache);
		return NULL;
	}
	if (is_direct(cache) && !is_direct(disk->cache) && excludes_direct(emitter, disk)) {
		fit_plan_reason(emitter->plan, FIT_REASON_NOTE, TOPIC,
			"disk %s stays in the host's cache: the file system of %s has no direct "
			"I/O (O_DIRECT)",
			disk->target, disk->file);
		return NULL;
	}
	return cache;
}

/* libvirt refuses io='native' on a disk that is cached on the host. */
static int emit_host_file(const struct fit_emitter *emitter, const struct fit_domain_disk *disk)
{
	const struct fit_intent_disks *disks = &emitter->profile->disks;
	const char *io = choose_io(emitter, disk, disks->io);
	const char *cache = choose_cache(emitter, disk, io);
	int decision;

	decision = emit_disk_driver(emitter, disk, "cache", cache, FIT_FEATURE_ANYWHERE);
	if (decision < 0)
		return -1;
	if (fit_streq(io, "native") && !is_direct(decision > 0 ? cache : disk->cache))
		return 0;
	return emit_disk_driver(emitter, disk, "io", io, FIT_FEATURE_ANYWHERE);
}

/* Network, volume and vhost-user disks have no host file whose cache and I/O could be chosen. */
static bool has_host_file(const struct fit_domain_disk *disk)
{
	return (fit_streq(disk->type, "file") || fit_streq(disk->type, "block")) &&
	       fit_streq(disk->device, "disk");
}

unsigned int fit_emit_queues(
	const struct fit_emitter *emitter, unsigned int wanted, unsigned int most)
{
	if (wanted != FIT_AUTO)
		return wanted;
	return emitter->domain->vcpus < most ? emitter->domain->vcpus : most;
}

static char *format_queues(const struct fit_emitter *emitter)
{
	const struct fit_intent_disks *disks = &emitter->profile->disks;
	unsigned int queues = fit_emit_queues(emitter, disks->queues, disks->queues_max);

	return queues ? fit_xasprintf("%u", queues) : NULL;
}

/* Without a number of its own QEMU makes a queue for each vCPU. @others: vectors for what is no
 * queue of requests. */
static int emit_vectors(const struct fit_emitter *emitter, const char *device, const char *path,
	const char *alias, unsigned int others)
{
	const struct fit_intent_disks *disks = &emitter->profile->disks;

	return fit_emit_vectors(emitter, &(struct fit_vectors){
						 .intent = &disks->intent,
						 .topic = TOPIC,
						 .device = device,
						 .path = path,
						 .alias = alias,
						 .wanted = disks->vectors,
						 .queues_unstated = emitter->domain->vcpus,
						 .per_queue = 1,
						 .others = others,
					 });
}

/* What serves the queues of a vhost-user disk is another process: only their number is QEMU's. */
static int emit_virtio(
	const struct fit_emitter *emitter, const char *path, const char *device, bool vhost_user)
{
	const struct fit_intent_disks *disks = &emitter->profile->disks;
	fit_autofree char *queues = format_queues(emitter);

	if (emit_driver(emitter, path, device, "queues", queues, FIT_FEATURE_ANYWHERE) < 0)
		return -1;
	if (vhost_user)
		return 0;
	if (emit_driver(emitter, path, device, "packed", disks->packed, FIT_FEATURE_PACKED) < 0)
		return -1;
	return emit_driver(
		emitter, path, device, "ioeventfd", disks->ioeventfd, FIT_FEATURE_ANYWHERE);
}

static int emit_virtio_disk(const struct fit_emitter *emitter, const struct fit_domain_disk *disk)
{
	fit_autofree char *device = fit_xasprintf("disk %s", disk->target);
	fit_autofree char *path = disk_path(disk);

	if (emit_virtio(emitter, path, device, fit_streq(disk->type, "vhostuser")) < 0 ||
		emit_driver(emitter, path, device, "queue_size", emitter->profile->disks.queue_size,
			FIT_FEATURE_DISK_QUEUE_SIZE) < 0)
		return -1;
	/* The configuration. */
	return emit_vectors(emitter, device, path, disk->target, 1);
}

static int emit_disk(const struct fit_emitter *emitter, const struct fit_domain_disk *disk)
{
	const struct fit_intent_disks *disks = &emitter->profile->disks;
	bool is_disk = fit_streq(disk->device, "disk") || fit_streq(disk->device, "lun");

	if (has_host_file(disk) && emit_host_file(emitter, disk) < 0)
		return -1;
	if (fit_streq(disk->device, "disk") && !fit_streq(disk->type, "vhostuser") &&
		(emit_disk_driver(emitter, disk, "discard", disks->discard, FIT_FEATURE_ANYWHERE) <
				0 ||
			emit_disk_driver(emitter, disk, "detect_zeroes", disks->detect_zeroes,
				FIT_FEATURE_ANYWHERE) < 0))
		return -1;
	return is_disk && fit_streq(disk->bus, "virtio") ? emit_virtio_disk(emitter, disk) : 0;
}

static int emit_controller(
	const struct fit_emitter *emitter, const struct fit_domain_controller *controller)
{
	fit_autofree char *device = fit_xasprintf("scsi controller %u", controller->index);
	fit_autofree char *path = controller_path(controller->index);
	fit_autofree char *alias = fit_xasprintf("scsi%u", controller->index);

	if (emit_virtio(emitter, path, device, false) < 0)
		return -1;
	/* The configuration, the control and the event queue. */
	return emit_vectors(emitter, device, path, alias, 3);
}

int fit_emit_disks(const struct fit_emitter *emitter)
{
	const struct fit_domain *domain = emitter->domain;

	if (emit_iothreads(emitter) < 0)
		return -1;
	if (!emitter->profile->disks.intent.set)
		return 0;
	for (size_t i = 0; i < domain->disk_count; i++)
		if (emit_disk(emitter, &domain->disks[i]) < 0)
			return -1;
	for (size_t i = 0; i < domain->controller_count; i++)
		if (fit_streq(domain->controllers[i].type, "scsi") &&
			fit_starts_with(domain->controllers[i].model, "virtio") &&
			emit_controller(emitter, &domain->controllers[i]) < 0)
			return -1;
	return 0;
}
