/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The affinity of interrupts. They are all optional: an interrupt that cannot be moved is no reason
 * to refuse a start. Those of a passed-through device are placed by sys/vectors.c.
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

#define RETRIES	       3
#define RETRY_MS       5
#define IRQ_NUMBER_MAX UINT32_MAX

static bool touches(const char *affinity, const struct fit_cpuset *cpus)
{
	struct fit_cpuset set;

	return fit_cpuset_parse_list(affinity, &set, NULL) == 0 &&
	       fit_cpuset_intersects(&set, cpus);
}

char *fit_irq_affinity_path(unsigned int number)
{
	return fit_xasprintf(FIT_PATH_PROC_IRQ "/%u/smp_affinity_list", number);
}

void fit_irqs_expand_elsewhere(struct fit_expansion *expansion, const struct fit_op *op)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autofree char *contribution = fit_irq_contribution(FIT_IRQ_AVOID, &op->cpus);
	fit_autostrlist struct fit_strlist numbers = {0};
	uint64_t number;

	/* First: it would move them back. */
	fit_irqbalance_expand_cpus(expansion, op);
	if (fit_fsroot_list(root, FIT_PATH_PROC_IRQ, &numbers, NULL) < 0)
		return;
	for (size_t i = 0; i < numbers.count; i++) {
		fit_autofree char *path = NULL;
		fit_autofree char *affinity = NULL;
		struct fit_wanted *wanted;

		if (!fit_parse_uint(numbers.items[i], IRQ_NUMBER_MAX, &number))
			continue;
		path = fit_irq_affinity_path((unsigned int)number);
		affinity = fit_fsroot_try_read(root, path);
		if (!affinity || !touches(affinity, &op->cpus))
			continue;
		wanted = fit_wanted_set(&expansion->wanted, FIT_RESOURCE_IRQ, op, FIT_STEAL(path),
			fit_xstrdup(contribution));
		free(wanted->found);
		wanted->found = FIT_STEAL(affinity);
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

#define AVOID "avoid:"
#define TO    "to:"
#define LEFT  "left:"

char *fit_irq_contribution(enum fit_irq_wish wish, const struct fit_cpuset *cpus)
{
	static const char *const words[] = {
		[FIT_IRQ_AVOID] = AVOID, [FIT_IRQ_TO] = TO, [FIT_IRQ_LEFT] = LEFT};
	fit_autofree char *list = fit_cpuset_format_list(cpus);

	return fit_xasprintf("%s%s", words[wish], list);
}

bool fit_irq_contribution_read(
	const char *text, enum fit_irq_wish *ret_wish, struct fit_cpuset *ret_cpus)
{
	const char *list = strchr(text, ':');

	if (!list || fit_cpuset_parse_list(list + 1, ret_cpus, NULL) < 0)
		return false;
	*ret_wish = fit_starts_with(text, TO)	  ? FIT_IRQ_TO
		    : fit_starts_with(text, LEFT) ? FIT_IRQ_LEFT
						  : FIT_IRQ_AVOID;
	return true;
}

static char *describe(enum fit_resource_kind kind FIT_UNUSED, const char *contribution)
{
	static const char *const words[] = {
		[FIT_IRQ_AVOID] = "off", [FIT_IRQ_TO] = "to", [FIT_IRQ_LEFT] = "left, not on"};
	fit_autofree char *described = NULL;
	enum fit_irq_wish wish;
	struct fit_cpuset cpus;

	if (!fit_irq_contribution_read(contribution, &wish, &cpus))
		return fit_xstrdup(contribution);
	described = fit_cpuset_describe(&cpus, "CPU");
	return fit_xasprintf("%s %s", words[wish], described);
}

static char *steer(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online)
{
	struct fit_cpuset affinity = {0};
	struct fit_cpuset avoided = {0};
	const char *latest = NULL;

	for (size_t i = 0; i < contributions->count; i++) {
		const char *text = contributions->items[i];
		enum fit_irq_wish wish;
		struct fit_cpuset cpus;

		if (!fit_irq_contribution_read(text, &wish, &cpus))
			continue;
		if (wish == FIT_IRQ_TO)
			latest = text + strlen(TO);
		else if (wish == FIT_IRQ_AVOID)
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
