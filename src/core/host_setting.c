/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host_setting.h"

#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "core/profile_grammar_parts.h"
#include "core/profile_value.h"

#define TEXTS(...) ((const char *const[]){__VA_ARGS__})

const struct fit_host_setting fit_host_settings[FIT_SETTING_COUNT] = {
#define SETTING(id, element, attribute, known, type, ...) \
	[FIT_SETTING_##id] = {.name = (element), .words = (known), __VA_ARGS__},
#define DERIVED(id, element, ...) [FIT_SETTING_##id] = {.name = (element), __VA_ARGS__},
#include "core/host_settings.def"
#undef SETTING
#undef DERIVED
};

bool fit_host_setting_needs_cpus(const struct fit_host_setting *setting)
{
	return setting->scope == FIT_SCOPE_CPU || setting->scope == FIT_SCOPE_POLICY ||
	       setting->combine == FIT_COMBINE_WITHOUT;
}

bool fit_host_setting_needs_devices(const struct fit_host_setting *setting)
{
	return setting->scope == FIT_SCOPE_DEVICE || setting->scope == FIT_SCOPE_LINK;
}

enum fit_host_setting_id fit_host_setting_find(const char *name)
{
	unsigned int id = 0;

	while (id < FIT_SETTING_COUNT && !fit_streq(fit_host_settings[id].name, name))
		id++;
	return (enum fit_host_setting_id)id;
}

/* "devices/system/cpu/cpufreq/policy0/scaling_governor" for the files of policies. */
static bool is_policy_file(const char *path, const char *file)
{
	static const char policies[] = "devices/system/cpu/cpufreq/policy";
	const char *rest = path + strlen(policies);
	uint64_t number;

	return fit_starts_with(path, policies) && fit_scan_uint(&rest, UINT32_MAX, &number) &&
	       *rest == '/' && fit_streq(rest + 1, file);
}

static bool has_file(
	const struct fit_host_setting *setting, enum fit_host_setting_scope scope, const char *path)
{
	fit_autostrlist struct fit_strlist files = {0};

	fit_strlist_split(&files, setting->files ? setting->files : "", " ");
	if (setting->scope == FIT_SCOPE_POLICY && scope == FIT_SCOPE_SYSFS)
		return is_policy_file(path, setting->files);
	return setting->scope == scope && fit_strlist_contains(&files, path);
}

enum fit_host_setting_id fit_host_setting_of_file(
	enum fit_host_setting_scope scope, const char *path)
{
	unsigned int id = 0;

	while (id < FIT_SETTING_COUNT && !has_file(&fit_host_settings[id], scope, path))
		id++;
	return (enum fit_host_setting_id)id;
}

static const struct fit_profile_word *find_word(
	const struct fit_host_setting *setting, const char *value, const char *text)
{
	for (const struct fit_profile_word *word = setting->words; word && word->word; word++) {
		const char *spelled = word->word;

		if (setting->texts && word->value)
			spelled = setting->texts[word->value - 1];
		if (word->value &&
			(value ? fit_streq(word->word, value) : fit_streq(spelled, text)))
			return word;
	}
	return NULL;
}

char *fit_host_setting_text(const struct fit_host_setting *setting, const char *value)
{
	const struct fit_profile_word *word = find_word(setting, value, NULL);
	uint64_t number;

	if (word)
		return fit_xstrdup(setting->texts ? setting->texts[word->value - 1] : word->word);
	if (!setting->unit || !fit_value_parse_time(value, setting->unit, &number))
		return fit_xstrdup(value);
	if (setting->format == FIT_FORMAT_LATENCY && number == 0)
		return fit_xstrdup("n/a");
	return fit_xasprintf("%llu", (unsigned long long)number);
}

char *fit_host_setting_value(const struct fit_host_setting *setting, const char *text)
{
	const struct fit_profile_word *word = find_word(setting, NULL, text);
	fit_autofree char *time = NULL;

	if (word)
		return fit_xstrdup(word->word);
	if (!setting->unit)
		return fit_xstrdup(text);
	if (setting->format == FIT_FORMAT_LATENCY && fit_streq(text, "n/a"))
		text = "0";
	time = fit_xasprintf("%s%s", text, setting->unit);
	return fit_value_canonical(fit_value_type_find("time"), NULL, time) ?: fit_xstrdup(text);
}
