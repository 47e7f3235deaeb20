/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/profile_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/host_write.h"
#include "core/profile_value.h"

static void clear_write(struct fit_host_write *write)
{
	free(write->name);
	free(write->value);
	*write = (struct fit_host_write){0};
}

void fit_host_writes_clear(struct fit_host_writes *writes)
{
	for (size_t i = 0; i < writes->count; i++)
		clear_write(&writes->items[i]);
	free(writes->items);
	*writes = (struct fit_host_writes){0};
}

/* Do both name the same file? */
static bool is_same(const struct fit_host_write *a, const struct fit_host_write *b)
{
	fit_autofree char *path_a = fit_host_write_path(a->setting, a->name);
	fit_autofree char *path_b = fit_host_write_path(b->setting, b->name);

	return a->setting == b->setting && fit_streq(path_a, path_b);
}

static int check_name(
	const struct fit_strict *in, const xmlNode *node, const struct fit_host_write *write)
{
	const char *attribute = fit_host_write_attribute(write->setting);
	fit_autofree char *objection = NULL;
	fit_autofree char *shown = NULL;

	if (!write->name || !write->value)
		return fit_strict_fail(
			in, node, "<%s> needs %s= and value=", node->name, attribute);
	shown = fit_printable(write->name);
	objection = fit_host_write_objection(write->setting, write->name);
	if (objection)
		return fit_strict_fail(
			in, node, "<%s %s=\"%s\">: %s", node->name, attribute, shown, objection);
	return 0;
}

static int check_value(
	const struct fit_strict *in, const xmlNode *node, const struct fit_host_write *write)
{
	const struct fit_value_type *text = fit_value_type_find("text");
	fit_autofree char *canonical = fit_value_canonical(text, NULL, write->value);
	fit_autofree char *wanted = fit_value_wanted(text, NULL);

	if (!canonical)
		return fit_strict_fail(in, node, "<%s>: value must be %s", node->name, wanted);
	/* The kernel would take it for nothing, or for 0. */
	if (!write->value[strspn(write->value, " ")])
		return fit_strict_fail(in, node, "<%s>: value must not be blank", node->name);
	if (strstr(write->value, "${"))
		return fit_strict_fail(in, node,
			"<%s>: value=\"%s\" cannot have parameters: they can be set in a domain's "
			"metadata, and what is written literally is the profile's alone",
			node->name, write->value);
	return 0;
}

static int fill(const struct fit_strict *in, const xmlNode *node, struct fit_host_write *write)
{
	fit_autofree char *missing = fit_xml_attr(node, "missing");
	fit_autofree char *known =
		fit_xasprintf("%s value missing", fit_host_write_attribute(write->setting));

	if (fit_strict_attributes(in, node, known) < 0 || fit_strict_childless(in, node) < 0)
		return -1;
	write->file = in->file;
	write->line = fit_xml_line(node);
	write->name = fit_xml_attr(node, fit_host_write_attribute(write->setting));
	write->value = fit_xml_attr(node, "value");
	write->missing_refuse = fit_streq(missing, "refuse");
	if (missing && !write->missing_refuse && !fit_streq(missing, "warn"))
		return fit_strict_fail(
			in, node, "<%s>: missing must be \"warn\" or \"refuse\"", node->name);
	return check_name(in, node, write) < 0 ? -1 : check_value(in, node, write);
}

int fit_host_writes_read(
	const struct fit_strict *in, const xmlNode *node, struct fit_host_writes *writes)
{
	struct fit_host_write write = {.setting = fit_host_setting_find((const char *)node->name)};

	if (!fit_xml_is_in(node, FIT_PROFILE_NAMESPACE, (const char *)node->name) ||
		!fit_host_write_attribute(write.setting))
		return 0;
	if (fill(in, node, &write) < 0) {
		clear_write(&write);
		return -1;
	}
	for (size_t i = 0; i < writes->count; i++) {
		if (!is_same(&writes->items[i], &write))
			continue;
		clear_write(&write);
		return fit_strict_fail(in, node, "second <%s> of %s: the first is in line %u",
			node->name, writes->items[i].name, writes->items[i].line);
	}
	*FIT_APPEND(writes->items, writes->count) = write;
	return 1;
}

static int compare(const void *a, const void *b)
{
	const struct fit_host_write *write_a = a;
	const struct fit_host_write *write_b = b;

	if (write_a->setting != write_b->setting)
		return write_a->setting < write_b->setting ? -1 : 1;
	return strcmp(write_a->name, write_b->name);
}

void fit_host_writes_merge(struct fit_profile *profile, const struct fit_host_writes *writes)
{
	for (size_t i = 0; i < writes->count; i++) {
		struct fit_host_write *slot = NULL;

		for (size_t j = 0; j < profile->write_count && !slot; j++)
			if (is_same(&profile->writes[j], &writes->items[i]))
				slot = &profile->writes[j];
		if (slot)
			clear_write(slot);
		else
			slot = FIT_APPEND(profile->writes, profile->write_count);
		*slot = writes->items[i];
		slot->name = fit_xstrdup(writes->items[i].name);
		slot->value = fit_xstrdup(writes->items[i].value);
	}
	if (profile->write_count)
		qsort(profile->writes, profile->write_count, sizeof(*profile->writes), compare);
}

void fit_host_writes_list(struct fit_profile *profile, struct fit_strlist *facts)
{
	static const char *const intents[] = {
		[FIT_SETTING_SYSCTL] = "host sysctl",
		[FIT_SETTING_SYSFS] = "host sysfs",
	};

	for (size_t i = 0; i < profile->write_count; i++) {
		const struct fit_host_write *write = &profile->writes[i];
		struct fit_profile_setting setting = {
			.intent = intents[write->setting],
			.attribute = fit_xstrdup(write->name),
			.value = fit_xasprintf("%s%s", write->value,
				write->missing_refuse ? ", missing=refuse" : ""),
			.file = write->file,
			.line = write->line,
		};

		fit_strlist_addf(
			facts, "%s %s=%s", setting.intent, setting.attribute, setting.value);
		*FIT_APPEND(profile->settings, profile->setting_count) = setting;
	}
}

void fit_host_writes_drop(struct fit_profile *profile, enum fit_host_setting_id setting)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->write_count; i++) {
		if (profile->writes[i].setting == setting)
			clear_write(&profile->writes[i]);
		else
			profile->writes[kept++] = profile->writes[i];
	}
	profile->write_count = kept;
}
