/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/profile_steps.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/overlay.h"
#include "core/profile_grammar.h"
#include "core/profile_write.h"

static const char overlay_name[] = "domain";

void fit_steps_names(struct fit_strlist *ret_names)
{
	for (size_t i = 0; i < fit_profile_element_count; i++)
		if (!fit_strlist_contains(ret_names, fit_profile_elements[i].name))
			fit_strlist_add(ret_names, fit_profile_elements[i].name);
	fit_strlist_split(ret_names, FIT_HOST_WRITES, " ");
	fit_strlist_add(ret_names, overlay_name);
}

static int check_name(const char *name, const struct fit_strlist *known, struct fit_err *err)
{
	fit_autofree char *shown = fit_printable(name);
	fit_autofree char *list = fit_strlist_join(known, ", ");

	if (fit_strlist_contains(known, name))
		return 0;
	return fit_err_set(
		err, FIT_ERR_INVALID, "there is no intent \"%s\"; intents: %s", shown, list);
}

int fit_steps_only(const char *text, struct fit_strlist *ret_names, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist known = {0};
	fit_autostrlist struct fit_strlist wanted = {0};

	fit_steps_names(&known);
	fit_strlist_split(&wanted, text, ", ");
	for (size_t i = 0; i < wanted.count; i++)
		if (check_name(wanted.items[i], &known, err) < 0)
			return -1;
	if (wanted.count == 0)
		return check_name(text, &known, err);
	for (size_t i = 0; i < known.count; i++)
		if (fit_strlist_contains(&wanted, known.items[i]))
			fit_strlist_add(ret_names, known.items[i]);
	return 0;
}

int fit_steps_upto(const char *name, struct fit_strlist *ret_names, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist known = {0};

	fit_steps_names(&known);
	if (check_name(name, &known, err) < 0)
		return -1;
	for (size_t i = 0; i < known.count; i++) {
		fit_strlist_add(ret_names, known.items[i]);
		if (fit_streq(known.items[i], name))
			break;
	}
	return 0;
}

void fit_steps_limit(struct fit_profile *profile, const struct fit_strlist *names)
{
	fit_autostrlist struct fit_strlist writes = {0};

	for (size_t i = 0; i < fit_profile_element_count; i++) {
		const struct fit_profile_element *element = &fit_profile_elements[i];

		if (fit_strlist_contains(names, element->name))
			continue;
		fit_profile_clear_intent(element, profile);
		memset(fit_profile_intent(element, profile), 0, element->size);
	}
	fit_strlist_split(&writes, FIT_HOST_WRITES, " ");
	for (size_t i = 0; i < writes.count; i++)
		if (!fit_strlist_contains(names, writes.items[i]))
			fit_host_writes_drop(profile, fit_host_setting_find(writes.items[i]));
	if (!fit_strlist_contains(names, overlay_name)) {
		fit_overlay_free(profile->overlay);
		profile->overlay = NULL;
	}
	for (size_t i = 0; i < names->count; i++)
		fit_strlist_add(&profile->only, names->items[i]);
}

char *fit_profile_title(const struct fit_profile *profile)
{
	fit_autofree char *names = fit_strlist_join(&profile->names, " ");
	fit_autofree char *only = fit_strlist_join(&profile->only, " ");

	return *only ? fit_xasprintf("%s, only %s", names, only) : FIT_STEAL(names);
}
