/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What irqbalance leaves alone: the CPUs of domains, and the interrupts that were steered. Without
 * the first it would move interrupts of others back to the domains' CPUs, without the second those
 * of their devices away. Below another root than "/" two files stand for it.
 *
 * It takes its time to take in what it is told, so what it says is not always up to date: see
 * `lags` in sys/resource.h.
 */
#include "sys/resource_kinds.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/cpuset.h"
#include "sys/irqbalance.h"
#include "sys/paths.h"
#include "sys/value.h"
#include "sys/wanted.h"

#define NONE "none"

static enum fit_irqbalance_list list_of(enum fit_resource_kind kind)
{
	return kind == FIT_RESOURCE_BANNED_CPUS ? FIT_IRQBALANCE_CPUS : FIT_IRQBALANCE_IRQS;
}

static char *read_list(const struct fit_fsroot *root, enum fit_resource_kind kind, const char *path)
{
	return root->real ? fit_irqbalance_read(root, list_of(kind))
			  : fit_fsroot_try_read(root, path);
}

static int write_list(const struct fit_state *state, enum fit_resource_kind kind, const char *path,
	const char *target, struct fit_err *err)
{
	return state->root->real ? fit_irqbalance_write(state->root, list_of(kind), target, err)
				 : fit_fsroot_write(state->root, path, target, err);
}

static char *identity_of(const struct fit_fsroot *root, const char *path FIT_UNUSED)
{
	char *name = root->real ? fit_irqbalance_find(root)
				: fit_fsroot_try_read(root, FIT_PATH_IRQBALANCE "/name");

	return name ? name : fit_xstrdup("");
}

static bool equal_cpus(enum fit_resource_kind kind FIT_UNUSED, const char *a, const char *b)
{
	struct fit_cpuset set_a, set_b;

	if (fit_cpuset_parse_list(a, &set_a, NULL) == 0 &&
		fit_cpuset_parse_list(b, &set_b, NULL) == 0)
		return fit_cpuset_equal(&set_a, &set_b);
	return fit_streq(a, b);
}

/* All of them. A baseline that is unchanged stays as it is written. */
static char *unite_cpus(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online FIT_UNUSED)
{
	struct fit_cpuset cpus = {0};
	struct fit_cpuset more;

	if (!fit_streq(baseline, NONE) && fit_cpuset_parse_list(baseline, &cpus, NULL) < 0)
		return fit_xstrdup(baseline);
	for (size_t i = 0; i < contributions->count; i++)
		if (fit_cpuset_parse_list(contributions->items[i], &more, NULL) == 0)
			fit_cpuset_unite(&cpus, &more);
	return fit_cpuset_format_list(&cpus);
}

static char *unite_irqs(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online FIT_UNUSED)
{
	fit_autostrlist struct fit_strlist all = {0};
	fit_autostrlist struct fit_strlist each = {0};

	if (!fit_streq(baseline, NONE))
		fit_strlist_split(&all, baseline, " ");
	for (size_t i = 0; i < contributions->count; i++)
		fit_strlist_split(&each, contributions->items[i], " ");
	for (size_t i = 0; i < each.count; i++)
		if (!fit_strlist_contains(&all, each.items[i]))
			fit_strlist_add(&all, each.items[i]);
	return all.count ? fit_strlist_join(&all, " ") : fit_xstrdup(NONE);
}

static char *describe_cpus(enum fit_resource_kind kind FIT_UNUSED, const char *contribution)
{
	struct fit_cpuset cpus;
	fit_autofree char *described = NULL;

	if (fit_cpuset_parse_list(contribution, &cpus, NULL) < 0)
		return fit_xstrdup(contribution);
	described = fit_cpuset_describe(&cpus, "CPU");
	return fit_xasprintf("irqbalance off %s", described);
}

static char *describe_irqs(enum fit_resource_kind kind FIT_UNUSED, const char *contribution)
{
	return fit_xasprintf("irqbalance leaves alone: %s", contribution);
}

const struct fit_resource_ops fit_resource_banned_cpus = {
	.name = "banned-cpus",
	.equal = equal_cpus,
	.target = unite_cpus,
	.describe = describe_cpus,
	.read = read_list,
	.write = write_list,
	.identity = identity_of,
	.lags = true,
};

const struct fit_resource_ops fit_resource_banned_irqs = {
	.name = "banned-irqs",
	.target = unite_irqs,
	.describe = describe_irqs,
	.read = read_list,
	.write = write_list,
	.identity = identity_of,
	.lags = true,
};

bool fit_irqbalance_runs(const struct fit_fsroot *root)
{
	fit_autofree char *identity = identity_of(root, "");

	return *identity;
}

bool fit_irqbalance_answers(const struct fit_fsroot *root)
{
	fit_autofree char *cpus =
		read_list(root, FIT_RESOURCE_BANNED_CPUS, FIT_PATH_IRQBALANCE "/cpus");

	return cpus;
}

void fit_irqbalance_expand_cpus(struct fit_expansion *expansion, const struct fit_op *op)
{
	if (fit_irqbalance_runs(expansion->state->root))
		fit_wanted_set(&expansion->wanted, FIT_RESOURCE_BANNED_CPUS, op,
			fit_xstrdup(FIT_PATH_IRQBALANCE "/cpus"),
			fit_cpuset_format_list(&op->cpus));
}

/* 1: it has to be told. */
static int renew(struct fit_state *state, struct fit_ledger_entry *entry)
{
	struct fit_cpuset online = fit_online_cpus(state->root);
	fit_autofree char *identity = identity_of(state->root, entry->path);
	fit_autofree char *current = NULL;
	fit_autofree char *target = NULL;

	if (!*identity || fit_streq(identity, entry->identity))
		return 0;
	current = read_list(state->root, entry->kind, entry->path);
	if (!current)
		return 0;
	fit_xreplace(&entry->baseline, current);
	fit_xreplace(&entry->identity, identity);
	fit_strlist_clear(&entry->written);
	target = fit_value_target(state, entry, &online);
	fit_value_announce(state, entry, current, target);
	return 1;
}

int fit_irqbalance_reassert(struct fit_state *state, struct fit_err *err)
{
	struct fit_cpuset online = fit_online_cpus(state->root);
	struct fit_ledger *ledger = &state->ledger;
	fit_autofree bool *due = fit_xcalloc(ledger->count + 1, sizeof(*due));
	bool any = false;
	int result = 0;

	for (size_t i = 0; i < ledger->count; i++) {
		enum fit_resource_kind kind = ledger->items[i].kind;

		if (kind == FIT_RESOURCE_BANNED_CPUS || kind == FIT_RESOURCE_BANNED_IRQS)
			any |= due[i] = renew(state, &ledger->items[i]);
	}
	if (any && fit_state_save_ledger(state, err) < 0)
		return -1;
	for (size_t i = 0; i < ledger->count; i++) {
		fit_autofree char *target =
			due[i] ? fit_value_target(state, &ledger->items[i], &online) : NULL;

		if (target && fit_value_write(state, &ledger->items[i], target, err) < 0)
			result = -1;
	}
	return result;
}
