/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which PCI devices have storage that the host uses: mounted, swapped to, or part of a volume
 * group, a RAID or an encrypted volume. Such a device must not be taken from the host's driver. The
 * path of a disk in sysfs says which device it is on; NVMe disks with several paths are virtual
 * devices, of which each controller has a hidden part: nvme0c1n1 is a path to nvme0n1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/probe_parts.h"

struct disk {
	char *name; /* as below /dev, without the partition */
	struct fit_pciaddr addr;
};

struct block {
	const struct fit_probe_run *run;
	struct fit_strlist names; /* of disks and partitions */
	struct disk *disks;
	size_t disk_count;
};

/* The last PCI address in the path of a device. */
static bool address_in(const char *path, struct fit_pciaddr *ret_addr)
{
	fit_autostrlist struct fit_strlist parts = {0};

	fit_strlist_split(&parts, path, "/");
	for (size_t i = parts.count; i > 0; i--)
		if (strchr(parts.items[i - 1], '.') &&
			fit_pciaddr_parse(parts.items[i - 1], ret_addr))
			return true;
	return false;
}

/* "nvme0n1" for the path "nvme0c1n1" to it, otherwise the name itself. To be freed. */
static char *head_of(const char *name)
{
	unsigned int controller;
	unsigned int path;
	unsigned int space;

	if (sscanf(name, "nvme%uc%un%u", &controller, &path, &space) == 3)
		return fit_xasprintf("nvme%un%u", controller, space);
	return fit_xstrdup(name);
}

static void list_disks(struct block *block)
{
	for (size_t i = 0; i < block->names.count; i++) {
		fit_autofree char *path =
			fit_xasprintf(FIT_PATH_BLOCK "/%s", block->names.items[i]);
		fit_autofree char *target = fit_fsroot_link_target(block->run->root, path);
		struct fit_pciaddr addr;

		if (target && address_in(target, &addr))
			*FIT_APPEND(block->disks, block->disk_count) =
				(struct disk){head_of(block->names.items[i]), addr};
	}
}

/* Is @name the disk or a partition of it: sda1, nvme0n1p1? */
static bool is_part_of(const char *name, const char *disk)
{
	size_t length = strlen(disk);
	const char *rest = name + length;

	if (!fit_starts_with(name, disk))
		return false;
	if (*rest && strchr("0123456789", disk[length - 1]) && *rest++ != 'p')
		return false;
	return rest[strspn(rest, "0123456789")] == '\0';
}

static void mark(const struct block *block, const char *name, const char *how, const char *what)
{
	for (size_t i = 0; i < block->disk_count; i++) {
		const struct disk *disk = &block->disks[i];

		if (!is_part_of(name, disk->name))
			continue;
		for (size_t p = 0; p < block->run->host->pci_count; p++) {
			struct fit_pci_device *device = &block->run->host->pci[p];

			if (!device->in_use && fit_pciaddr_equal(device->addr, disk->addr))
				device->in_use =
					fit_xasprintf(FIT_PATH_DEV "%s %s%s", name, how, what);
		}
	}
}

/* "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [FIELD...] - TYPE SOURCE OPTIONS" */
static void mark_mounted(const struct block *block, const char *line)
{
	fit_autostrlist struct fit_strlist words = {0};
	size_t source = 0;

	fit_strlist_split(&words, line, " ");
	for (size_t i = 6; i + 2 < words.count && !source; i++)
		if (fit_streq(words.items[i], "-"))
			source = i + 2;
	if (source && fit_starts_with(words.items[source], FIT_PATH_DEV))
		mark(block, words.items[source] + strlen(FIT_PATH_DEV), "is mounted on ",
			words.items[4]);
}

static void mark_swap(const struct block *block, const char *line)
{
	fit_autostrlist struct fit_strlist words = {0};

	fit_strlist_split(&words, line, " \t");
	if (words.count && fit_starts_with(words.items[0], FIT_PATH_DEV))
		mark(block, words.items[0] + strlen(FIT_PATH_DEV), "is swap space", "");
}

static void for_each_line(const struct block *block, const char *path,
	void (*look)(const struct block *block, const char *line))
{
	fit_autofree char *text = fit_fsroot_try_read(block->run->root, path);
	fit_autostrlist struct fit_strlist lines = {0};

	if (text)
		fit_strlist_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.count; i++)
		look(block, lines.items[i]);
}

static void mark_held(const struct block *block)
{
	for (size_t i = 0; i < block->names.count; i++) {
		fit_autofree char *path =
			fit_xasprintf(FIT_PATH_BLOCK "/%s/holders", block->names.items[i]);
		fit_autostrlist struct fit_strlist holders = {0};

		if (fit_fsroot_list(block->run->root, path, &holders, NULL) == 0 && holders.count)
			mark(block, block->names.items[i], "is part of ", holders.items[0]);
	}
}

void fit_probe_block(const struct fit_probe_run *run)
{
	struct block block = {.run = run};

	if (fit_fsroot_list(run->root, FIT_PATH_BLOCK, &block.names, NULL) < 0)
		return;
	list_disks(&block);
	for_each_line(&block, FIT_PATH_MOUNTS, mark_mounted);
	for_each_line(&block, FIT_PATH_SWAPS, mark_swap);
	mark_held(&block);
	for (size_t i = 0; i < block.disk_count; i++)
		free(block.disks[i].name);
	free(block.disks);
	fit_strlist_clear(&block.names);
}
