/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_vectors.h"

#include "support.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "sys/executor.h"
#include "sys/vectors.h"

static const char *const hardware =
	"sys/bus/pci/devices/" VF_A "/driver -> ../../drivers/vfio-pci\n"
	"sys/bus/pci/devices/" VF_B "/driver -> ../../drivers/vfio-pci\n"
	"sys/bus/pci/devices/" VF_A "/irq = 0\n"
	"sys/bus/pci/devices/" VF_B "/irq = 0\n"
	"sys/kernel/irq/9/actions = acpi\n";

static void hear(void *context, enum fit_log_level level, const char *domain, const char *text)
{
	struct scene *scene = context;

	(void)level;
	fit_strlist_addf(&scene->said, "%s: %s", domain ? domain : "", text);
}

void scene_open(struct scene *scene)
{
	*scene = (struct scene){.now = 1000000};
	setup(&scene->f);
	fit_test_kernel_set(&scene->f.kernel, hardware);
	free(scene->f.before);
	scene->f.before = dump(&scene->f);
	scene_start_guest(scene, "2-5", true);
}

void scene_close(struct scene *scene)
{
	scene_end_following(scene);
	fit_strlist_clear(&scene->said);
	teardown(&scene->f);
}

void scene_expect_as_before(struct scene *scene)
{
	expect_as_before(&scene->f);
}

void scene_start_guest(struct scene *scene, const char *cpus, bool spread)
{
	struct fit_state state;
	struct fit_journal *journal;

	open_state(&scene->f, &state);
	journal = fit_state_journal(&state, A);
	if (!journal)
		journal = fit_state_add_journal(&state, A, "web", FIT_STAGE_STARTED);
	journal->interrupt_cpus = fit_test_cpus(cpus);
	journal->interrupts_spread = spread;
	journal->device_count = 0;
	*FIT_APPEND(journal->devices, journal->device_count) = device(VF_A);
	*FIT_APPEND(journal->devices, journal->device_count) = device(VF_B);
	assert_int_equal(fit_state_save_journal(&state, journal, NULL), 0);
	fit_state_close(&state);
}

void scene_stop_guest(struct scene *scene, struct fit_strlist *notes)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;

	open_state(&scene->f, &state);
	if (fit_executor_undo(&state, A, FIT_PHASE_STOPPED, notes, &err) < 0 ||
		fit_executor_undo(&state, A, FIT_PHASE_RELEASE, notes, &err) < 0)
		fail_msg("%s", err.message);
	fit_state_close(&state);
}

void scene_begin_to_follow(struct scene *scene)
{
	scene_end_following(scene);
	fit_follower_init(&scene->follower, &scene->f.root, hear, scene);
	fit_follower_load(&scene->follower, scene->now);
	fit_follower_turn(&scene->follower, scene->now);
}

void scene_end_following(struct scene *scene)
{
	if (scene->follower.root)
		fit_follower_clear(&scene->follower);
}

bool scene_is_called(const struct scene *scene)
{
	struct pollfd fd = {.fd = fit_follower_fd(&scene->follower), .events = POLLIN};

	return poll(&fd, 1, 0) > 0;
}

void scene_wait(struct scene *scene, int64_t ms)
{
	int64_t end = scene->now + ms;
	int64_t due;

	while ((due = fit_follower_due(&scene->follower)) <= end || scene_is_called(scene)) {
		if (due > scene->now && !scene_is_called(scene))
			scene->now = due;
		fit_follower_turn(&scene->follower, scene->now);
		assert_true(fit_follower_due(&scene->follower) > scene->now);
	}
	scene->now = end;
}

void vector_listed(struct scene *scene, const char *device_name, unsigned int number)
{
	fit_autofree char *manifest =
		fit_xasprintf("sys/bus/pci/devices/%s/msi_irqs/%u = msix\n"
			      "sys/kernel/irq/%u/actions = \n"
			      "sys/kernel/irq/%u/chip_name = IR-PCI-MSIX-%s\n",
			device_name, number, number, number, device_name);

	fit_test_kernel_set(&scene->f.kernel, manifest);
}

void vector_requested(
	struct scene *scene, const char *device_name, unsigned int number, unsigned int index)
{
	fit_autofree char *manifest =
		fit_xasprintf("proc/irq/%u/smp_affinity_list = " BIRTH "\n"
			      "sys/kernel/irq/%u/hwirq = %u\n"
			      "sys/kernel/irq/%u/actions = vfio-msix[%u](%s)\n",
			number, number, index, number, index, device_name);

	fit_test_kernel_set(&scene->f.kernel, manifest);
}

void vector_appears(
	struct scene *scene, const char *device_name, unsigned int number, unsigned int index)
{
	vector_listed(scene, device_name, number);
	vector_requested(scene, device_name, number, index);
}

static void remove_path(struct scene *scene, int flags, const char *format, unsigned int number)
{
	fit_autofree char *path = fit_xasprintf("%s/%u", format, number);

	(void)unlinkat(scene->f.root.fd, path, flags);
}

void vector_vanishes(struct scene *scene, const char *device_name, unsigned int number)
{
	static const char *const files[] = {"actions", "chip_name", "hwirq"};
	fit_autofree char *list = fit_xasprintf("sys/bus/pci/devices/%s/msi_irqs", device_name);
	fit_autofree char *affinity = fit_xasprintf("proc/irq/%u/smp_affinity_list", number);

	remove_path(scene, 0, list, number);
	(void)unlinkat(scene->f.root.fd, list, AT_REMOVEDIR); /* as old kernels do */
	(void)unlinkat(scene->f.root.fd, affinity, 0);
	remove_path(scene, AT_REMOVEDIR, "proc/irq", number);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(files); i++) {
		fit_autofree char *path = fit_xasprintf("sys/kernel/irq/%u/%s", number, files[i]);

		(void)unlinkat(scene->f.root.fd, path, 0);
	}
	remove_path(scene, AT_REMOVEDIR, "sys/kernel/irq", number);
}

void vector_moved(struct scene *scene, unsigned int number, const char *cpus)
{
	fit_autofree char *manifest =
		fit_xasprintf("proc/irq/%u/smp_affinity_list = %s\n", number, cpus);

	fit_test_kernel_set(&scene->f.kernel, manifest);
}

char *vector_cpus(const struct scene *scene, unsigned int number)
{
	fit_autofree char *path = fit_xasprintf("proc/irq/%u/smp_affinity_list", number);
	char *text = fit_fsroot_try_read(&scene->f.root, path);

	return text ? text : fit_xstrdup("");
}

void vector_is_on(const struct scene *scene, unsigned int number, const char *cpus)
{
	fit_autofree char *found = vector_cpus(scene, number);

	if (!fit_streq(found, cpus))
		fail_msg("interrupt %u: CPUs %s wanted, %s found", number, cpus, found);
}

char *vector_claim(const struct scene *scene, unsigned int number)
{
	fit_autofree char *path = fit_xasprintf("proc/irq/%u/smp_affinity_list", number);
	struct fit_claim_entry *claim = NULL;
	struct fit_state state;
	struct fit_journal *journal;
	char *text;

	assert_int_equal(fit_state_snapshot(&scene->f.root, &state, NULL), 0);
	journal = fit_state_journal(&state, A);
	if (journal)
		claim = fit_vectors_claim(journal, path);
	text = claim ? fit_xstrdup(claim->contribution) : NULL;
	fit_state_close(&state);
	return text;
}

bool scene_has_said(const struct scene *scene, const char *part)
{
	for (size_t i = 0; i < scene->said.count; i++)
		if (strstr(scene->said.items[i], part))
			return true;
	return false;
}
