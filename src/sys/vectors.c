/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/wanted.h"

#define IRQ_NUMBER_MAX UINT32_MAX

static void clear_vector(struct fit_vector *vector)
{
	free(vector->name);
	free(vector->path);
}

void fit_vectors_clear(struct fit_vectors *vectors)
{
	for (size_t i = 0; i < vectors->count; i++)
		clear_vector(&vectors->items[i]);
	free(vectors->items);
	*vectors = (struct fit_vectors){0};
}

char *fit_vectors_directory(struct fit_pciaddr device)
{
	return fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s/msi_irqs", FIT_PCIADDR_STR(device));
}

/* Interrupts of a device that the host's own driver has (again) are not the guest's. */
static bool is_passed_through(const struct fit_fsroot *root, struct fit_pciaddr device)
{
	fit_autofree char *path =
		fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s/driver", FIT_PCIADDR_STR(device));
	fit_autofree char *driver = fit_fsroot_link_name(root, path);

	return driver && strstr(driver, "vfio");
}

/* Who has requested the interrupt; NULL: nobody has, yet. Kernels before 4.9 do not say who. To be
 * freed. */
static char *handlers_of(const struct fit_fsroot *root, unsigned int number)
{
	fit_autofree char *directory = fit_xasprintf(FIT_PATH_KERNEL_IRQ "/%u", number);
	fit_autofree char *path = fit_xasprintf("%s/actions", directory);
	char *actions = fit_fsroot_try_read(root, path);

	return actions || fit_fsroot_exists(root, directory) ? actions : fit_xstrdup("");
}

static void add(const struct fit_fsroot *root, struct fit_pciaddr device, unsigned int number,
	struct fit_vectors *vectors)
{
	struct fit_vector vector = {.number = number,
		.device = device,
		.name = handlers_of(root, number),
		.path = fit_irq_affinity_path(number)};

	if (vector.name && fit_fsroot_exists(root, vector.path)) {
		*FIT_APPEND(vectors->items, vectors->count) = vector;
	} else {
		vectors->pending++;
		clear_vector(&vector);
	}
}

/* A line that others are on too goes where they have it. */
unsigned int fit_vectors_line(const struct fit_fsroot *root, struct fit_pciaddr device)
{
	fit_autofree char *path =
		fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s/irq", FIT_PCIADDR_STR(device));
	fit_autofree char *name = fit_xasprintf("vfio-intx(%s)", FIT_PCIADDR_STR(device));
	fit_autofree char *handlers = NULL;
	int64_t number;

	if (!fit_fsroot_try_read_int(root, path, &number) || number <= 0 || number > IRQ_NUMBER_MAX)
		return 0;
	handlers = handlers_of(root, (unsigned int)number);
	return handlers && fit_streq(handlers, name) ? (unsigned int)number : 0;
}

bool fit_vectors_requested(const struct fit_fsroot *root, unsigned int number)
{
	fit_autofree char *path = fit_irq_affinity_path(number);
	fit_autofree char *handlers =
		fit_fsroot_exists(root, path) ? handlers_of(root, number) : NULL;

	return handlers;
}

static int compare(const void *a, const void *b)
{
	const struct fit_vector *left = a;
	const struct fit_vector *right = b;
	int names = strverscmp(left->name, right->name);

	return names ? names : (left->number > right->number) - (left->number < right->number);
}

static void find_of(
	const struct fit_fsroot *root, struct fit_pciaddr device, struct fit_vectors *vectors)
{
	fit_autofree char *directory = fit_vectors_directory(device);
	fit_autostrlist struct fit_strlist numbers = {0};
	size_t first = vectors->count;
	unsigned int line;
	uint64_t number;

	if (!is_passed_through(root, device))
		return;
	(void)fit_fsroot_list(root, directory, &numbers, NULL);
	for (size_t i = 0; i < numbers.count; i++)
		if (fit_parse_uint(numbers.items[i], IRQ_NUMBER_MAX, &number))
			add(root, device, (unsigned int)number, vectors);
	line = numbers.count ? 0 : fit_vectors_line(root, device);
	if (line)
		add(root, device, line, vectors);
	if (vectors->count > first)
		qsort(vectors->items + first, vectors->count - first, sizeof(*vectors->items),
			compare);
}

void fit_vectors_find(const struct fit_fsroot *root, const struct fit_journal *journal,
	struct fit_vectors *ret_vectors)
{
	struct fit_vectors vectors = {0};

	for (size_t i = 0; i < journal->device_count; i++)
		find_of(root, journal->devices[i], &vectors);
	*ret_vectors = vectors;
}

unsigned int fit_vectors_number(const char *path)
{
	const char *text = path + strlen(FIT_PATH_PROC_IRQ "/");
	uint64_t number;

	return fit_starts_with(path, FIT_PATH_PROC_IRQ "/") &&
			       fit_scan_uint(&text, IRQ_NUMBER_MAX, &number)
		       ? (unsigned int)number
		       : 0;
}

struct fit_claim_entry *fit_vectors_claim(struct fit_journal *journal, const char *path)
{
	for (size_t i = 0; i < journal->claim_count; i++) {
		struct fit_claim_entry *claim = &journal->claims[i];
		enum fit_irq_wish wish;
		struct fit_cpuset cpus;

		if (claim->kind == FIT_RESOURCE_IRQ && fit_streq(claim->path, path) &&
			fit_irq_contribution_read(claim->contribution, &wish, &cpus) &&
			wish != FIT_IRQ_AVOID)
			return claim;
	}
	return NULL;
}
