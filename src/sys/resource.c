/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/resource.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static const char *const kind_names[] = {
	[FIT_RESOURCE_VFS] = "vfs",
	[FIT_RESOURCE_PAGES] = "pages",
	[FIT_RESOURCE_AUTOPROBE] = "autoprobe",
	[FIT_RESOURCE_GOVERNOR] = "governor",
	[FIT_RESOURCE_IRQ] = "irq",
};

const char *fit_resource_kind_name(enum fit_resource_kind kind)
{
	return kind_names[kind];
}

bool fit_resource_kind_parse(const char *name, enum fit_resource_kind *ret_kind)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(kind_names); i++) {
		if (fit_streq(name, kind_names[i])) {
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

bool fit_resource_equal(enum fit_resource_kind kind, const char *a, const char *b)
{
	struct fit_cpuset set_a, set_b;
	uint64_t number_a, number_b;

	switch (kind) {
	case FIT_RESOURCE_IRQ:
		if (fit_cpuset_parse_list(a, &set_a, NULL) == 0 &&
			fit_cpuset_parse_list(b, &set_b, NULL) == 0)
			return fit_cpuset_equal(&set_a, &set_b);
		break;
	case FIT_RESOURCE_VFS:
	case FIT_RESOURCE_PAGES:
		if (fit_parse_uint(a, UINT64_MAX, &number_a) &&
			fit_parse_uint(b, UINT64_MAX, &number_b))
			return number_a == number_b;
		break;
	case FIT_RESOURCE_AUTOPROBE:
	case FIT_RESOURCE_GOVERNOR:
		break;
	}
	return fit_streq(a, b);
}

char *fit_pages_contribution(uint64_t added, uint64_t wanted)
{
	return fit_xasprintf("%llu/%llu", (unsigned long long)added, (unsigned long long)wanted);
}

void fit_pages_contribution_read(const char *text, uint64_t *ret_added, uint64_t *ret_wanted)
{
	*ret_added = 0;
	*ret_wanted = 0;
	if (fit_scan_uint(&text, UINT64_MAX / 2, ret_added) && *text == '/')
		*ret_wanted = fit_resource_number(text + 1);
}

char *fit_irq_contribution(bool avoid, const struct fit_cpuset *cpus)
{
	fit_autofree char *list = fit_cpuset_format_list(cpus);

	return fit_xasprintf("%s:%s", avoid ? "avoid" : "to", list);
}

static char *describe_pages(const char *contribution)
{
	uint64_t added, wanted;

	fit_pages_contribution_read(contribution, &added, &wanted);
	return fit_xasprintf("%llu page%s, %llu of them added", (unsigned long long)wanted,
		fit_plural(wanted), (unsigned long long)added);
}

static char *describe_irq(const char *contribution)
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

char *fit_contribution_describe(enum fit_resource_kind kind, const char *contribution)
{
	switch (kind) {
	case FIT_RESOURCE_PAGES:
		return describe_pages(contribution);
	case FIT_RESOURCE_IRQ:
		return describe_irq(contribution);
	case FIT_RESOURCE_VFS:
	case FIT_RESOURCE_AUTOPROBE:
	case FIT_RESOURCE_GOVERNOR:
		break;
	}
	return fit_xstrdup(contribution);
}

static uint64_t largest(const char *baseline, const struct fit_strlist *contributions)
{
	uint64_t value = fit_resource_number(baseline);

	for (size_t i = 0; i < contributions->count; i++) {
		uint64_t claimed = fit_resource_number(contributions->items[i]);

		if (claimed > value)
			value = claimed;
	}
	return value;
}

static uint64_t sum(const char *baseline, const struct fit_strlist *contributions)
{
	uint64_t value = fit_resource_number(baseline);

	for (size_t i = 0; i < contributions->count; i++) {
		uint64_t added, wanted;

		fit_pages_contribution_read(contributions->items[i], &added, &wanted);
		value += added;
	}
	return value;
}

/* An interrupt must keep an online CPU. One that was bound to avoided CPUs alone goes to all that
 * nobody avoids; if there are none either, it stays where it was. */
static char *steer(const char *baseline, const struct fit_strlist *contributions,
	const struct fit_cpuset *online)
{
	struct fit_cpuset before = {0};
	struct fit_cpuset avoided = {0};
	struct fit_cpuset left;
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
	if (fit_cpuset_is_empty(&avoided) || fit_cpuset_parse_list(baseline, &before, NULL) < 0)
		return fit_xstrdup(baseline);
	left = before;
	fit_cpuset_subtract(&left, &avoided);
	if (!fit_cpuset_intersects(&left, online)) {
		left = *online;
		fit_cpuset_subtract(&left, &avoided);
	}
	if (fit_cpuset_is_empty(&left) || fit_cpuset_equal(&left, &before))
		return fit_xstrdup(baseline);
	return fit_cpuset_format_list(&left);
}

char *fit_resource_target(enum fit_resource_kind kind, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online)
{
	if (contributions->count) {
		switch (kind) {
		case FIT_RESOURCE_VFS:
			return fit_xasprintf(
				"%llu", (unsigned long long)largest(baseline, contributions));
		case FIT_RESOURCE_PAGES:
			return fit_xasprintf(
				"%llu", (unsigned long long)sum(baseline, contributions));
		case FIT_RESOURCE_AUTOPROBE:
		case FIT_RESOURCE_GOVERNOR:
			return fit_xstrdup(contributions->items[contributions->count - 1]);
		case FIT_RESOURCE_IRQ:
			return steer(baseline, contributions, online);
		}
	}
	return fit_xstrdup(baseline);
}
