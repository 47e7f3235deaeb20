/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cpufreq governor. The resource is the policy: several CPUs may share one, and
 * /sys/devices/system/cpu/cpuN/cpufreq is a link to it.
 */
#include "sys/wanted.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"

/* The governor file of a CPU; NULL when it has no cpufreq. To be freed. */
static char *governor_path(const struct fit_fsroot *root, unsigned int cpu)
{
	fit_autofree char *link = fit_xasprintf(FIT_PATH_CPU "/cpu%u/cpufreq", cpu);
	fit_autofree char *policy = fit_fsroot_link_name(root, link);
	char *path = policy ? fit_xasprintf(FIT_PATH_CPU "/cpufreq/%s/scaling_governor", policy)
			    : fit_xasprintf("%s/scaling_governor", link);

	if (fit_fsroot_exists(root, path))
		return path;
	free(path);
	return NULL;
}

/* The governors that can be chosen there. A host that does not say so is asked by the write. */
static bool is_available(const struct fit_fsroot *root, const char *path, const char *governor,
	struct fit_strlist *available)
{
	fit_autofree char *file = fit_sibling_path(path, "scaling_available_governors");
	fit_autofree char *text = fit_fsroot_try_read(root, file);
	fit_autostrlist struct fit_strlist words = {0};

	if (!text)
		return true;
	fit_strlist_split(&words, text, " \t\n");
	if (fit_strlist_contains(&words, governor))
		return true;
	for (size_t i = 0; i < words.count; i++)
		if (!fit_strlist_contains(available, words.items[i]))
			fit_strlist_add(available, words.items[i]);
	return false;
}

int fit_governor_expand(
	struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autostrlist struct fit_strlist available = {0};
	struct fit_cpuset lacking = {0};
	fit_autofree char *list = NULL;
	fit_autofree char *message = NULL;

	fit_cpuset_for_each (cpu, &op->cpus) {
		fit_autofree char *path = governor_path(root, (unsigned int)cpu);

		if (path && is_available(root, path, op->value, &available))
			fit_wanted_set(&expansion->wanted, FIT_RESOURCE_GOVERNOR, op,
				FIT_STEAL(path), fit_xstrdup(op->value));
		else
			fit_cpuset_add(&lacking, (unsigned int)cpu);
	}
	if (fit_cpuset_is_empty(&lacking))
		return 0;
	list = fit_cpuset_describe(&lacking, "CPU");
	if (available.count) {
		fit_autofree char *names = fit_strlist_join(&available, ", ");

		message = fit_xasprintf("governor '%s' cannot be set on %s: offered are %s",
			op->value, list, names);
	} else {
		message = fit_xasprintf(
			"governor '%s' cannot be set on %s: no cpufreq there", op->value, list);
	}
	if (!op->optional)
		return fit_err_set(err, FIT_ERR_REFUSED, "%s", message);
	if (expansion->notes)
		fit_strlist_add(expansion->notes, message);
	return 0;
}
