/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The affinity of interrupts. They are all optional: an interrupt that cannot be moved is no reason
 * to refuse a start. Vectors of a passed-through device do not exist before the guest's driver asks
 * for them, so what is found here is what the host has at `started`.
 */
#include "sys/wanted.h"

#include <errno.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/paths.h"
#include "sys/resource_kinds.h"

#define AFFINITY       "smp_affinity_list"
#define RETRIES	       3
#define RETRY_MS       5
#define IRQ_NUMBER_MAX UINT32_MAX

static bool read_affinity(
	const struct fit_fsroot *root, const char *path, struct fit_cpuset *ret_affinity)
{
	fit_autofree char *text = fit_fsroot_try_read(root, path);

	return text && fit_cpuset_parse_list(text, ret_affinity, NULL) == 0;
}

void fit_irqs_expand_elsewhere(struct fit_expansion *expansion, const struct fit_op *op)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autostrlist struct fit_strlist numbers = {0};
	uint64_t number;

	/* First: it would move them back. */
	fit_irqbalance_expand_cpus(expansion, op);
	if (fit_fsroot_list(root, FIT_PATH_PROC_IRQ, &numbers, NULL) < 0)
		return;
	for (size_t i = 0; i < numbers.count; i++) {
		fit_autofree char *path = NULL;
		struct fit_cpuset affinity;

		if (!fit_parse_uint(numbers.items[i], IRQ_NUMBER_MAX, &number))
			continue;
		path = fit_xasprintf(FIT_PATH_PROC_IRQ "/%s/" AFFINITY, numbers.items[i]);
		if (read_affinity(root, path, &affinity) &&
			fit_cpuset_intersects(&affinity, &op->cpus))
			fit_wanted_set(&expansion->wanted, FIT_RESOURCE_IRQ, op, FIT_STEAL(path),
				fit_irq_contribution(true, &op->cpus));
	}
}

void fit_irqs_expand_device(struct fit_expansion *expansion, const struct fit_op *op)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autofree char *directory =
		fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s/msi_irqs", FIT_PCIADDR_STR(op->device));
	fit_autostrlist struct fit_strlist numbers = {0};
	bool irqbalance;
	uint64_t number;

	if (fit_fsroot_list(root, directory, &numbers, NULL) < 0)
		return;
	irqbalance = fit_irqbalance_runs(root);
	for (size_t i = 0; i < numbers.count; i++) {
		fit_autofree char *path = NULL;

		if (!fit_parse_uint(numbers.items[i], IRQ_NUMBER_MAX, &number))
			continue;
		/* A vector is listed before it is requested: then it has no affinity yet. */
		path = fit_xasprintf(FIT_PATH_PROC_IRQ "/%s/" AFFINITY, numbers.items[i]);
		if (!fit_fsroot_exists(root, path))
			continue;
		if (irqbalance)
			fit_irqbalance_expand_irq(expansion, op, numbers.items[i]);
		fit_wanted_set(&expansion->wanted, FIT_RESOURCE_IRQ, op, FIT_STEAL(path),
			fit_irq_contribution(false, &op->cpus));
	}
}

static bool equal_lists(enum fit_resource_kind kind FIT_UNUSED, const char *a, const char *b)
{
	struct fit_cpuset set_a, set_b;

	if (fit_cpuset_parse_list(a, &set_a, NULL) == 0 &&
		fit_cpuset_parse_list(b, &set_b, NULL) == 0)
		return fit_cpuset_equal(&set_a, &set_b);
	return fit_streq(a, b);
}

char *fit_irq_contribution(bool avoid, const struct fit_cpuset *cpus)
{
	fit_autofree char *list = fit_cpuset_format_list(cpus);

	return fit_xasprintf("%s:%s", avoid ? "avoid" : "to", list);
}

static char *describe(enum fit_resource_kind kind FIT_UNUSED, const char *contribution)
{
	const char *list = strchr(contribution, ':');
	fit_autofree char *described = NULL;
	struct fit_cpuset cpus;

	if (!list || fit_cpuset_parse_list(list + 1, &cpus, NULL) < 0)
		return fit_xstrdup(contribution);
	described = fit_cpuset_describe(&cpus, "CPU");
	return fit_xasprintf(
		"%s %s", fit_starts_with(contribution, "avoid:") ? "off" : "to", described);
}

static char *steer(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online)
{
	struct fit_cpuset affinity = {0};
	struct fit_cpuset avoided = {0};
	const char *latest = NULL;

	for (size_t i = 0; i < contributions->count; i++) {
		const char *text = contributions->items[i];
		struct fit_cpuset cpus;

		if (fit_starts_with(text, "to:"))
			latest = text + strlen("to:");
		else if (fit_starts_with(text, "avoid:") &&
			 fit_cpuset_parse_list(text + strlen("avoid:"), &cpus, NULL) == 0)
			fit_cpuset_unite(&avoided, &cpus);
	}
	if (latest)
		return fit_xstrdup(latest);
	if (fit_cpuset_is_empty(&avoided) || fit_cpuset_parse_list(baseline, &affinity, NULL) < 0 ||
		!fit_resource_avoid(&affinity, &avoided, online))
		return fit_xstrdup(baseline);
	return fit_cpuset_format_list(&affinity);
}

static int write_affinity(const struct fit_state *state, enum fit_resource_kind kind FIT_UNUSED,
	const char *path, const char *target, struct fit_err *err)
{
	struct fit_err problem = FIT_ERR_INIT;
	fit_autofree char *now = NULL;

	/* ENOSPC: no free vector on those CPUs. EBUSY: the previous move is not finished. Both may
	 * pass. EPERM (EIO before Linux 6.12) does not: the kernel manages that interrupt. */
	for (int i = 0; fit_fsroot_write(state->root, path, target, &problem) < 0; i++) {
		if ((problem.sys_errno != ENOSPC && problem.sys_errno != EBUSY) || i == RETRIES ||
			!fit_clock_wait(RETRY_MS, state->deadline)) {
			if (err)
				*err = problem;
			return -1;
		}
	}
	now = fit_fsroot_try_read(state->root, path);
	if (now && fit_resource_equal(FIT_RESOURCE_IRQ, now, target))
		return 0;
	return fit_err_set(err, FIT_ERR_REFUSED, "/%s: '%s' was written, '%s' is there", path,
		target, now ? now : "");
}

/* Numbers are used again when a driver comes back: /sys/kernel/irq (Linux 4.9) tells whether it is
 * the same interrupt. */
static char *identity_of(const struct fit_fsroot *root, const char *path)
{
	static const char *const parts[] = {"chip_name", "hwirq", "actions"};
	const char *number = path + strlen(FIT_PATH_PROC_IRQ "/");
	int length = (int)strcspn(number, "/");
	struct fit_buffer identity = {0};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(parts); i++) {
		fit_autofree char *file =
			fit_xasprintf(FIT_PATH_KERNEL_IRQ "/%.*s/%s", length, number, parts[i]);
		fit_autofree char *text = fit_fsroot_try_read(root, file);

		fit_buffer_add(&identity, i ? "|" : "");
		fit_buffer_add(&identity, text ? text : "");
	}
	return fit_buffer_steal(&identity);
}

const struct fit_resource_ops fit_resource_irq = {
	.name = "irq",
	.equal = equal_lists,
	.target = steer,
	.describe = describe,
	.write = write_affinity,
	.identity = identity_of,
};
