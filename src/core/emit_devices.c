/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks and controllers get their iothreads and drivers. */
#include "core/emit_parts.h"

#include "base/memory.h"
#include "base/text.h"

static const struct fit_domain_disk *find_disk(const struct fit_domain *domain, const char *target)
{
	for (size_t i = 0; i < domain->disk_count; i++)
		if (fit_streq(domain->disks[i].target, target))
			return &domain->disks[i];
	return NULL;
}

static char *disk_path(const struct fit_domain_disk *disk, const char *rest)
{
	return fit_xasprintf("devices/disk[target/@dev='%s']/driver/%s", disk->target, rest);
}

static int emit_disk_iothread(const struct fit_emitter *emitter, const struct fit_domain_disk *disk,
	unsigned int iothread)
{
	fit_autofree char *what = fit_xasprintf("the iothread of disk %s", disk->target);
	fit_autofree char *wanted = fit_xasprintf("%u", iothread);
	fit_autofree char *found = disk->has_iothread_map ? fit_xstrdup("a map to queues")
				   : disk->iothread	  ? fit_xasprintf("%u", disk->iothread)
							  : NULL;
	fit_autofree char *attribute = disk_path(disk, "@iothread");
	fit_autofree char *map = disk_path(disk, "iothreads");
	int decision =
		fit_emit_decide(emitter, &emitter->profile->disks.intent, what, found, wanted);

	if (decision > 0 && disk->has_iothread_map)
		fit_edits_remove(emitter->edits, map);
	if (decision > 0)
		fit_edits_set(emitter->edits, attribute, wanted);
	return decision;
}

/* A controller that libvirt has not numbered yet is known by its type, if it is the only one. */
static char *controller_path(const struct fit_domain *domain, unsigned int index)
{
	size_t unnumbered = 0;
	size_t total = 0;

	for (size_t i = 0; i < domain->controller_count; i++) {
		if (!fit_streq(domain->controllers[i].type, "scsi"))
			continue;
		total++;
		unnumbered += !domain->controllers[i].has_index;
	}
	if (unnumbered == 0)
		return fit_xasprintf(
			"devices/controller[@type='scsi'][@index='%u']/driver/@iothread", index);
	return total == 1 ? fit_xstrdup("devices/controller[@type='scsi']/driver/@iothread") : NULL;
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

static int emit_controller_iothread(
	const struct fit_emitter *emitter, unsigned int index, unsigned int iothread)
{
	const struct fit_domain_controller *controller = find_scsi(emitter->domain, index);
	fit_autofree char *path = controller_path(emitter->domain, index);
	fit_autofree char *what = fit_xasprintf("the iothread of scsi controller %u", index);
	fit_autofree char *wanted = fit_xasprintf("%u", iothread);
	fit_autofree char *found = controller && controller->iothread
					   ? fit_xasprintf("%u", controller->iothread)
					   : NULL;
	int decision;

	if (!controller || !path)
		return 0;
	decision = fit_emit_decide(emitter, &emitter->profile->disks.intent, what, found, wanted);
	if (decision > 0)
		fit_edits_set(emitter->edits, path, wanted);
	return decision;
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

/* Sets a driver attribute of a disk by policy; *@ret_final is what it will be, NULL for none. */
static int emit_driver(const struct fit_emitter *emitter, const struct fit_domain_disk *disk,
	const char *attribute, const char *found, const char *wanted, const char **ret_final)
{
	fit_autofree char *what = fit_xasprintf("%s of disk %s", attribute + 1, disk->target);
	fit_autofree char *path = disk_path(disk, attribute);
	int decision = 0;

	if (wanted)
		decision = fit_emit_decide(
			emitter, &emitter->profile->disks.intent, what, found, wanted);
	if (decision > 0)
		fit_edits_set(emitter->edits, path, wanted);
	*ret_final = decision > 0 ? wanted : found;
	return decision;
}

/* Network, volume and vhost-user disks have no host file whose cache and I/O could be chosen. */
static bool has_host_file(const struct fit_domain_disk *disk)
{
	return (fit_streq(disk->type, "file") || fit_streq(disk->type, "block")) &&
	       fit_streq(disk->device, "disk");
}

/* libvirt refuses io='native' on a disk that is cached on the host. */
static int emit_disk_driver(const struct fit_emitter *emitter, const struct fit_domain_disk *disk)
{
	const struct fit_intent_disks *disks = &emitter->profile->disks;
	const char *cache = disk->cache;
	const char *io;

	if (emit_driver(emitter, disk, "@cache", disk->cache, disks->cache, &cache) < 0)
		return -1;
	if (fit_streq(disks->io, "native") && !fit_streq(cache, "none") &&
		!fit_streq(cache, "directsync"))
		return 0;
	return emit_driver(emitter, disk, "@io", disk->io, disks->io, &io);
}

int fit_emit_devices(const struct fit_emitter *emitter)
{
	const struct fit_domain *domain = emitter->domain;

	if (emit_iothreads(emitter) < 0)
		return -1;
	for (size_t i = 0; i < domain->disk_count && emitter->profile->disks.intent.set; i++)
		if (has_host_file(&domain->disks[i]) &&
			emit_disk_driver(emitter, &domain->disks[i]) < 0)
			return -1;
	return 0;
}
