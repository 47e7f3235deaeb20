/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/resource.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/resource_kinds.h"

static const struct fit_resource_ops *const kinds[] = {
	[FIT_RESOURCE_VFS] = &fit_resource_vfs,
	[FIT_RESOURCE_AUTOPROBE] = &fit_resource_autoprobe,
	[FIT_RESOURCE_PAGES] = &fit_resource_pages,
	[FIT_RESOURCE_IRQ] = &fit_resource_irq,
	[FIT_RESOURCE_SLICE] = &fit_resource_slice,
	[FIT_RESOURCE_GROUP] = &fit_resource_group,
	[FIT_RESOURCE_CONTROLLERS] = &fit_resource_controllers,
	[FIT_RESOURCE_EXCLUSIVE] = &fit_resource_exclusive,
	[FIT_RESOURCE_PARTITION] = &fit_resource_partition,
	[FIT_RESOURCE_PF_UP] = &fit_resource_pf_up,
	[FIT_RESOURCE_VF_ATTRIBUTE] = &fit_resource_vf_attribute,
	[FIT_RESOURCE_ETHTOOL] = &fit_resource_ethtool,
	[FIT_RESOURCE_DRIVER] = &fit_resource_driver,
	[FIT_RESOURCE_BANNED_CPUS] = &fit_resource_banned_cpus,
	[FIT_RESOURCE_BANNED_IRQS] = &fit_resource_banned_irqs,
	[FIT_RESOURCE_SETTING] = &fit_resource_settings,
};

const struct fit_resource_ops *fit_resource_ops(enum fit_resource_kind kind)
{
	return kinds[kind < FIT_RESOURCE_SETTING ? kind : FIT_RESOURCE_SETTING];
}

const struct fit_host_setting *fit_resource_setting(enum fit_resource_kind kind)
{
	return &fit_host_settings[kind - FIT_RESOURCE_SETTING];
}

enum fit_resource_kind fit_resource_of_setting(enum fit_host_setting_id id)
{
	return (enum fit_resource_kind)(FIT_RESOURCE_SETTING + id);
}

const char *fit_resource_kind_name(enum fit_resource_kind kind)
{
	return kind < FIT_RESOURCE_SETTING ? kinds[kind]->name : fit_resource_setting(kind)->name;
}

bool fit_resource_kind_parse(const char *name, enum fit_resource_kind *ret_kind)
{
	for (unsigned int i = 0; i < FIT_RESOURCE_COUNT; i++) {
		if (fit_streq(name, fit_resource_kind_name((enum fit_resource_kind)i))) {
			*ret_kind = (enum fit_resource_kind)i;
			return true;
		}
	}
	return false;
}

uint64_t fit_resource_number(const char *text)
{
	uint64_t value;

	return fit_parse_uint(text, UINT64_MAX / 2, &value) ? value : 0;
}

bool fit_resource_equal_numbers(
	enum fit_resource_kind kind FIT_UNUSED, const char *a, const char *b)
{
	uint64_t number_a, number_b;

	if (fit_parse_uint(a, UINT64_MAX, &number_a) && fit_parse_uint(b, UINT64_MAX, &number_b))
		return number_a == number_b;
	return fit_streq(a, b);
}

bool fit_resource_equal(enum fit_resource_kind kind, const char *a, const char *b)
{
	const struct fit_resource_ops *ops = fit_resource_ops(kind);

	return ops->equal ? ops->equal(kind, a, b) : fit_streq(a, b);
}

char *fit_contribution_describe(enum fit_resource_kind kind, const char *contribution)
{
	const struct fit_resource_ops *ops = fit_resource_ops(kind);

	return ops->describe ? ops->describe(kind, contribution) : fit_xstrdup(contribution);
}

char *fit_resource_target(enum fit_resource_kind kind, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online)
{
	const struct fit_resource_ops *ops = fit_resource_ops(kind);

	if (!contributions->count)
		return fit_xstrdup(baseline);
	return ops->target ? ops->target(kind, baseline, contributions, online)
			   : fit_xstrdup(contributions->items[contributions->count - 1]);
}

bool fit_resource_avoid(
	struct fit_cpuset *cpus, const struct fit_cpuset *avoided, const struct fit_cpuset *online)
{
	struct fit_cpuset left = *cpus;

	fit_cpuset_subtract(&left, avoided);
	if (!fit_cpuset_intersects(&left, online)) {
		left = *online;
		fit_cpuset_subtract(&left, avoided);
	}
	if (fit_cpuset_is_empty(&left) || fit_cpuset_equal(&left, cpus))
		return false;
	*cpus = left;
	return true;
}
