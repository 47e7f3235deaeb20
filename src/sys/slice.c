/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/slice.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/value.h"

#define UNSET	"unset"
#define RUNTIME " runtime"

bool fit_slice_parse(const char *text, struct fit_slice_value *ret_value)
{
	fit_autofree char *list = fit_xstrdup(text);
	struct fit_slice_value value = {0};
	size_t length = strlen(list);

	if (length > strlen(RUNTIME) && fit_streq(list + length - strlen(RUNTIME), RUNTIME)) {
		value.runtime = true;
		list[length - strlen(RUNTIME)] = '\0';
	}
	if (!fit_streq(list, UNSET) && (fit_cpuset_parse_list(list, &value.cpus, NULL) < 0 ||
					       fit_cpuset_is_empty(&value.cpus)))
		return false;
	*ret_value = value;
	return true;
}

char *fit_slice_format(const struct fit_slice_value *value)
{
	fit_autofree char *list = fit_cpuset_is_empty(&value->cpus)
					  ? fit_xstrdup(UNSET)
					  : fit_cpuset_format_list(&value->cpus);

	return fit_xasprintf("%s%s", list, value->runtime ? RUNTIME : "");
}

bool fit_slice_equal(enum fit_resource_kind kind FIT_UNUSED, const char *a, const char *b)
{
	struct fit_slice_value value_a, value_b;

	return fit_slice_parse(a, &value_a) && fit_slice_parse(b, &value_b) &&
	       value_a.runtime == value_b.runtime && fit_cpuset_equal(&value_a.cpus, &value_b.cpus);
}

char *fit_slice_target(const char *baseline, const struct fit_strlist *contributions,
	const struct fit_cpuset *online, bool runtime)
{
	struct fit_slice_value value = {0};
	struct fit_cpuset before;
	struct fit_cpuset cpus;

	if (!fit_slice_parse(baseline, &value))
		return fit_xstrdup(baseline);
	if (fit_cpuset_is_empty(&value.cpus))
		value.cpus = *online;
	before = value.cpus;
	for (size_t i = 0; i < contributions->count; i++)
		if (fit_cpuset_parse_list(contributions->items[i], &cpus, NULL) == 0)
			fit_cpuset_subtract(&value.cpus, &cpus);
	if (fit_cpuset_is_empty(&value.cpus) || fit_cpuset_equal(&value.cpus, &before))
		return fit_xstrdup(baseline);
	value.runtime = runtime;
	return fit_slice_format(&value);
}

char *fit_slice_describe(enum fit_resource_kind kind FIT_UNUSED, const char *contribution)
{
	fit_autofree char *described = NULL;
	struct fit_cpuset cpus;

	if (fit_cpuset_parse_list(contribution, &cpus, NULL) < 0)
		return fit_xstrdup(contribution);
	described = fit_cpuset_describe(&cpus, "CPU");
	return fit_xasprintf("off %s", described);
}

struct fit_cpuset fit_slice_all_cpus(const struct fit_fsroot *root)
{
	fit_autofree char *text = fit_fsroot_try_read(root, FIT_PATH_CPU_POSSIBLE);
	struct fit_cpuset cpus;

	return text && fit_cpuset_parse_list(text, &cpus, NULL) == 0 ? cpus : fit_online_cpus(root);
}
