/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virt-fit profiles: what there is to choose from; virt-fit profiles NAME...: what these profiles
 * ask for together, attribute by attribute with the place that states it, and what can be adjusted.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "core/profile.h"
#include "sys/paths.h"

/* Composes @names as they are when nobody gives their parameters other values. */
static int compose(struct fit_cli *cli, const struct fit_strlist *names,
	struct fit_profile *profile, struct fit_err *err)
{
	return fit_profile_compose(
		names, NULL, 0, fit_profile_store_load, &cli->store, profile, err);
}

static int compose_one(
	struct fit_cli *cli, const char *name, struct fit_profile *profile, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist names = {0};

	fit_strlist_add(&names, name);
	return compose(cli, &names, profile, err);
}

static int longest(const struct fit_strlist *names)
{
	int width = 0;

	for (size_t i = 0; i < names->count; i++)
		if ((int)strlen(names->items[i]) > width)
			width = (int)strlen(names->items[i]);
	return width;
}

static const char *origin_note(enum fit_profile_origin origin)
{
	switch (origin) {
	case FIT_PROFILE_SHIPPED:
		return "shipped";
	case FIT_PROFILE_LOCAL:
		return "local";
	case FIT_PROFILE_OVERRIDES:
		return "overridden";
	}
	return "";
}

/* One row of the list. A profile that cannot be used is listed with what is wrong with it. */
static bool list_one(struct fit_cli *cli, const char *name, int width, struct json_object *array)
{
	const char *origin = origin_note(fit_profile_store_origin(&cli->store, name));
	struct fit_err err = FIT_ERR_INIT;
	struct fit_profile profile = {0};
	bool good = compose_one(cli, name, &profile, &err) == 0;
	struct json_object *object;

	if (array) {
		object = json_object_new_object();
		json_object_object_add(object, "name", json_object_new_string(name));
		json_object_object_add(object, "origin", json_object_new_string(origin));
		json_object_object_add(object, "summary", fit_json_string_or_null(profile.summary));
		json_object_object_add(
			object, "error", fit_json_string_or_null(good ? NULL : err.message));
		json_object_array_add(array, object);
	} else {
		printf("%-*s  %-10s  %s\n", width, name, origin,
			good ? profile.summary : "(cannot be used, see below)");
	}
	if (!good)
		fit_cli_note("%s: %s", name, err.message);
	fit_profile_clear(&profile);
	return good;
}

static int list(struct fit_cli *cli)
{
	fit_autostrlist struct fit_strlist names = {0};
	struct json_object *array = cli->json ? json_object_new_array() : NULL;
	struct fit_err err = FIT_ERR_INIT;
	int width = (int)strlen("NAME");
	bool good = true;

	if (fit_profile_store_list(&cli->store, &names, &err) < 0) {
		json_object_put(array);
		return fit_cli_fail(&err);
	}
	width = longest(&names) > width ? longest(&names) : width;
	if (!array && names.count)
		printf("%-*s  %-10s  SUMMARY\n", width, "NAME", "ORIGIN");
	for (size_t i = 0; i < names.count; i++)
		good &= list_one(cli, names.items[i], width, array);
	if (array)
		fit_cli_print_json(array);
	if (!names.count) {
		fit_cli_note("no profiles in /" FIT_PATH_ETC_PROFILES " or %s: is virt-fit "
			     "installed? --profiles DIR names another place",
			cli->store.shipped ? cli->store.shipped : FIT_SHIPPED_PROFILES);
		return FIT_EXIT_FAILED;
	}
	return good ? FIT_EXIT_DONE : FIT_EXIT_FAILED;
}

static struct json_object *json_params(const struct fit_profile *profile)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < profile->param_count; i++) {
		const struct fit_profile_param *param = &profile->params[i];
		struct json_object *object = json_object_new_object();
		fit_autostrlist struct fit_strlist allowed = {0};

		json_object_object_add(object, "name", json_object_new_string(param->name));
		json_object_object_add(object, "type", json_object_new_string(param->type));
		json_object_object_add(object, "default", json_object_new_string(param->fallback));
		if (param->allowed) {
			fit_strlist_split(&allowed, param->allowed, " \t\r\n");
			json_object_object_add(object, "allowed", fit_json_strings(&allowed));
		}
		json_object_object_add(
			object, "description", fit_json_string_or_null(param->description));
		json_object_object_add(object, "profile", json_object_new_string(param->profile));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *json_settings(const struct fit_profile *profile)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < profile->setting_count; i++) {
		const struct fit_profile_setting *setting = &profile->settings[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "intent", json_object_new_string(setting->intent));
		json_object_object_add(
			object, "attribute", json_object_new_string(setting->attribute));
		json_object_object_add(object, "value", json_object_new_string(setting->value));
		json_object_object_add(object, "file", fit_json_string_or_null(setting->file));
		json_object_object_add(object, "line",
			setting->file ? json_object_new_int64(setting->line) : NULL);
		json_object_array_add(array, object);
	}
	return array;
}

static int print_json(const struct fit_profile *profile)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "names", fit_json_strings(&profile->names));
	json_object_object_add(object, "summary", json_object_new_string(profile->summary));
	json_object_object_add(object, "digest", json_object_new_string(profile->digest));
	json_object_object_add(object, "composition", fit_json_strings(&profile->included));
	json_object_object_add(object, "files", fit_json_strings(&profile->files));
	json_object_object_add(object, "parameters", json_params(profile));
	json_object_object_add(object, "settings", json_settings(profile));
	return fit_cli_print_json(object);
}

static void print_composition(const struct fit_profile *profile)
{
	fit_autofree char *names = fit_strlist_join(&profile->names, " ");
	int width = longest(&profile->included);

	if (profile->names.count == 1)
		printf("%s: %s\n", names, profile->summary);
	else
		printf("%s\n", names);
	puts("\nComposed of:");
	/* The lists run in step. */
	for (size_t i = 0; i < profile->files.count; i++)
		printf("  %-*s  %s\n", width, profile->included.items[i], profile->files.items[i]);
}

static void print_params(const struct fit_profile *profile)
{
	if (profile->param_count)
		puts("\nParameters, with their defaults:");
	for (size_t i = 0; i < profile->param_count; i++) {
		const struct fit_profile_param *param = &profile->params[i];
		fit_autofree char *text = fit_xasprintf("%s=\"%s\"", param->name, param->fallback);

		printf("  %-30s  %s%s%s\n", text, param->type, param->allowed ? ": " : "",
			param->allowed ? param->allowed : "");
		if (*param->description)
			printf("      %s\n", param->description);
	}
}

/* Intents one after the other, each attribute with the place that states it. */
static void print_settings(const struct fit_profile *profile)
{
	const char *intent = NULL;

	if (profile->setting_count)
		puts("\nIntents:");
	for (size_t i = 0; i < profile->setting_count; i++) {
		const struct fit_profile_setting *setting = &profile->settings[i];
		const char *slash = setting->file ? strrchr(setting->file, '/') : NULL;
		fit_autofree char *text =
			fit_xasprintf("%s=\"%s\"", setting->attribute, setting->value);

		if (!fit_streq(intent, setting->intent))
			printf("  %s\n", setting->intent);
		intent = setting->intent;
		if (setting->file)
			printf("    %-28s  %s:%u\n", text, slash ? slash + 1 : setting->file,
				setting->line);
		else
			printf("    %-28s  (default)\n", text);
	}
}

static int show(struct fit_cli *cli)
{
	fit_autostrlist struct fit_strlist names = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_profile profile;

	for (int i = 0; i < cli->arg_count; i++)
		fit_strlist_add(&names, cli->args[i]);
	if (compose(cli, &names, &profile, &err) < 0)
		return fit_cli_fail(&err);
	if (cli->json) {
		print_json(&profile);
	} else {
		print_composition(&profile);
		print_params(&profile);
		print_settings(&profile);
	}
	fit_profile_clear(&profile);
	return FIT_EXIT_DONE;
}

int fit_cmd_profiles(struct fit_cli *cli)
{
	return cli->arg_count ? show(cli) : list(cli);
}
