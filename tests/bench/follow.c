/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * follow DIR
 *
 * What it costs to follow the interrupts of ten domains with two devices of five vectors each, long
 * after they have booted: prints the processor time, in nanoseconds, of a look at all of them, of
 * reading once what is read then (lists, affinities) without anything else, and of a second of
 * following. The host is made in the empty directory DIR.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "sys/manifest.h"
#include "sys/vectors.h"
#include "watch/follower.h"

#define DOMAINS 10
#define DEVICES 2
#define VECTORS 5
#define TURNS	1000

static struct fit_pciaddr address_of(unsigned int domain, unsigned int number)
{
	return (struct fit_pciaddr){
		.bus = 0x41, .slot = (uint8_t)domain, .function = (uint8_t)number};
}

static unsigned int irq_of(unsigned int domain, unsigned int number, unsigned int vector)
{
	return 100 + (domain * DEVICES + number) * VECTORS + vector;
}

static void add_device(struct fit_buffer *manifest, unsigned int domain, unsigned int number)
{
	fit_autofree char *device = fit_xstrdup(FIT_PCIADDR_STR(address_of(domain, number)));

	fit_buffer_addf(manifest, "sys/bus/pci/devices/%s/driver -> ../vfio-pci\n", device);
	for (unsigned int i = 0; i < VECTORS; i++) {
		unsigned int irq = irq_of(domain, number, i);

		fit_buffer_addf(manifest,
			"sys/bus/pci/devices/%s/msi_irqs/%u = msix\n"
			"sys/kernel/irq/%u/actions = vfio-msix[%u](%s)\n"
			"proc/irq/%u/smp_affinity_list = 0-63\n",
			device, irq, irq, i, device, irq);
	}
}

static void add_domain(struct fit_state *state, unsigned int domain)
{
	fit_autofree char *uuid = fit_xasprintf("aaaaaaaa-0000-4000-8000-0000000000%02u", domain);
	struct fit_journal *journal =
		fit_state_add_journal(state, uuid, "domain", FIT_STAGE_STARTED);

	journal->interrupts_spread = true;
	for (unsigned int i = 0; i < 4; i++)
		fit_cpuset_add(&journal->interrupt_cpus, 4 * domain + i);
	for (unsigned int i = 0; i < DEVICES; i++)
		*FIT_APPEND(journal->devices, journal->device_count) = address_of(domain, i);
	if (fit_state_save_journal(state, journal, NULL) < 0)
		abort();
}

static void make_host(const struct fit_fsroot *root)
{
	struct fit_buffer manifest = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;

	fit_buffer_add(&manifest, "sys/devices/system/cpu/online = 0-63\n");
	for (unsigned int domain = 0; domain < DOMAINS; domain++)
		for (unsigned int i = 0; i < DEVICES; i++)
			add_device(&manifest, domain, i);
	if (fit_manifest_build(root, manifest.text, "host", &err) < 0 ||
		fit_state_open(root, 1000, 1000, &state, &err) < 0) {
		fprintf(stderr, "follow: %s\n", err.message);
		exit(2);
	}
	for (unsigned int domain = 0; domain < DOMAINS; domain++)
		add_domain(&state, domain);
	fit_state_close(&state);
	fit_buffer_clear(&manifest);
}

static void hear(void *context, enum fit_log_level level, const char *domain, const char *text)
{
	(void)context;
	if (level == FIT_LOG_WARNING)
		fprintf(stderr, "follow: %s: %s\n", domain ? domain : "", text);
}

static int64_t used_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void follow(struct fit_follower *follower, int64_t *now, int turns)
{
	for (int i = 0; i < turns; i++) {
		*now = fit_follower_due(follower);
		fit_follower_turn(follower, *now);
	}
}

static void read_list(const struct fit_fsroot *root, struct fit_pciaddr device)
{
	fit_autofree char *path = fit_vectors_directory(device);
	DIR *list = fdopendir(openat(root->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));

	if (!list)
		abort();
	while (readdir(list))
		;
	closedir(list);
}

static void read_affinity(const struct fit_fsroot *root, unsigned int irq)
{
	char path[64];
	char text[64];
	int fd;

	snprintf(path, sizeof(path), "proc/irq/%u/smp_affinity_list", irq);
	fd = openat(root->fd, path, O_RDONLY | O_CLOEXEC);
	if (read(fd, text, sizeof(text)) <= 0)
		abort();
	close(fd);
}

static int64_t read_all(const struct fit_fsroot *root)
{
	int64_t used = used_ns();

	for (int turn = 0; turn < TURNS; turn++) {
		for (unsigned int device = 0; device < DOMAINS * DEVICES; device++) {
			unsigned int domain = device / DEVICES;
			unsigned int number = device % DEVICES;

			read_list(root, address_of(domain, number));
			for (unsigned int i = 0; i < VECTORS; i++)
				read_affinity(root, irq_of(domain, number, i));
		}
	}
	return (used_ns() - used) / TURNS;
}

int main(int argc, char **argv)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_fsroot root;
	struct fit_follower follower;
	int64_t now = 1000000;
	int64_t began, used;

	if (argc != 2 || fit_fsroot_open(argv[1], &root, &err) < 0) {
		fprintf(stderr, "usage: follow DIR\n%s\n", err.message);
		return 2;
	}
	make_host(&root);
	fit_follower_init(&follower, &root, hear, NULL);
	fit_follower_load(&follower, now);
	while (now < 1000000 + 2 * FIT_FOLLOW_BOOT_MS)
		follow(&follower, &now, 1);
	began = now;
	used = used_ns();
	follow(&follower, &now, TURNS);
	used = used_ns() - used;
	printf("%lld %lld %lld\n", (long long)used / TURNS, (long long)read_all(&root),
		(long long)(used * 1000 / (now - began)));
	fit_follower_clear(&follower);
	fit_fsroot_close(&root);
	return 0;
}
