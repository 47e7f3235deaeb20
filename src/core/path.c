/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/contain.h"
#include "core/controller_index.h"
#include "core/xml.h"

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_part(char c)
{
	return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/* Moves *text behind a name and returns it; NULL when there is none. */
static char *scan_name(const char **text)
{
	const char *start = *text;

	if (!is_name_start(*start))
		return NULL;
	while (is_name_part(**text))
		(*text)++;
	return fit_xstrndup(start, (size_t)(*text - start));
}

static bool skip(const char **text, const char *expected)
{
	if (!fit_starts_with(*text, expected))
		return false;
	*text += strlen(expected);
	return true;
}

/* CHILD/CHILD/, as far as there are names; without the last slash. NULL when there are none. */
static bool scan_way(const char **text, char **ret_way)
{
	const char *start = *text;

	while (**text != '@') {
		fit_autofree char *name = scan_name(text);

		if (!name || !skip(text, "/"))
			return false;
	}
	*ret_way = *text > start ? fit_xstrndup(start, (size_t)(*text - start) - 1) : NULL;
	return true;
}

/* @ATTRIBUTE='VALUE'] or CHILD/@ATTRIBUTE='VALUE'], behind the opening bracket. */
static bool scan_condition(const char **text, struct fit_path_condition *condition)
{
	size_t length;

	if (!scan_way(text, &condition->child))
		return false;
	if (!skip(text, "@"))
		return false;
	condition->attribute = scan_name(text);
	if (!condition->attribute || !skip(text, "='"))
		return false;
	for (length = 0; (*text)[length] && (*text)[length] != '\''; length++)
		if ((unsigned char)(*text)[length] < ' ')
			return false;
	condition->value = fit_xstrndup(*text, length);
	*text += length;
	return skip(text, "']");
}

/* NUMBER], behind the opening bracket. */
static bool scan_number(const char **text, unsigned int *ret_number)
{
	size_t length = strspn(*text, "0123456789");
	fit_autofree char *digits = fit_xstrndup(*text, length);
	uint64_t number;

	if (!fit_parse_uint(digits, UINT32_MAX, &number) || number == 0)
		return false;
	*text += length;
	*ret_number = (unsigned int)number;
	return skip(text, "]");
}

/* The elements of libvirt's QEMU namespace that a path may have, from the first step on. */
static const char *const qemu_elements[] = {"override", "device", "frontend", "property"};

/* All steps or none: an element of that namespace has no other parent, and no other content. */
static bool scan_element(const char **text, const struct fit_path *path)
{
	size_t depth = path->step_count - 1;
	struct fit_path_step *step = &path->steps[depth];

	step->qemu = skip(text, FIT_PATH_QEMU_PREFIX);
	step->name = scan_name(text);
	if (!step->name || path->steps[0].qemu != step->qemu)
		return false;
	return !step->qemu || (depth < FIT_ARRAY_SIZE(qemu_elements) &&
				      strcmp(step->name, qemu_elements[depth]) == 0);
}

static bool scan_step(const char **text, struct fit_path *path)
{
	struct fit_path_step *step = FIT_APPEND(path->steps, path->step_count);

	if (!scan_element(text, path))
		return false;
	while (skip(text, "[")) {
		if (**text >= '0' && **text <= '9')
			return scan_number(text, &step->number);
		if (!scan_condition(text, FIT_APPEND(step->conditions, step->condition_count)))
			return false;
	}
	return true;
}

static bool scan_path(const char *text, struct fit_path *path)
{
	while (path->step_count < FIT_PATH_STEPS_MAX) {
		if (!scan_step(&text, path))
			return false;
		if (*text == '\0')
			return true;
		if (!skip(&text, "/"))
			return false;
		if (strcmp(text, "text()") == 0) {
			path->kind = FIT_PATH_TEXT;
			return true;
		}
		if (skip(&text, "@")) {
			path->kind = FIT_PATH_ATTRIBUTE;
			path->attribute = scan_name(&text);
			return path->attribute && *text == '\0';
		}
	}
	return false;
}

int fit_path_parse(const char *text, struct fit_path *ret_path, struct fit_err *err)
{
	fit_autopath struct fit_path path = {0};
	fit_autofree char *shown = NULL;

	if (strlen(text) <= FIT_PATH_LENGTH_MAX && scan_path(text, &path)) {
		*ret_path = path;
		path = (struct fit_path){0};
		return 0;
	}
	shown = fit_printable(text);
	return fit_err_set(err, FIT_ERR_INVALID,
		"'%.200s' is not a path such as cputune/vcpupin[@vcpu='3'] or cpu/@mode", shown);
}

static void clear_step(struct fit_path_step *step)
{
	for (size_t i = 0; i < step->condition_count; i++) {
		free(step->conditions[i].child);
		free(step->conditions[i].attribute);
		free(step->conditions[i].value);
	}
	free(step->conditions);
	free(step->name);
}

void fit_path_clear(struct fit_path *path)
{
	for (size_t i = 0; i < path->step_count; i++)
		clear_step(&path->steps[i]);
	free(path->steps);
	free(path->attribute);
	*path = (struct fit_path){0};
}

char *fit_path_format_steps(const struct fit_path *path, size_t count)
{
	struct fit_buffer out = {0};

	for (size_t i = 0; i < count; i++) {
		const struct fit_path_step *step = &path->steps[i];

		fit_buffer_addf(&out, "%s%s%s", i ? "/" : "",
			step->qemu ? FIT_PATH_QEMU_PREFIX : "", step->name);
		for (size_t j = 0; j < step->condition_count; j++) {
			const struct fit_path_condition *condition = &step->conditions[j];

			fit_buffer_addf(&out, "[%s%s@%s='%s']",
				condition->child ? condition->child : "",
				condition->child ? "/" : "", condition->attribute,
				condition->value);
		}
		if (step->number)
			fit_buffer_addf(&out, "[%u]", step->number);
	}
	return fit_buffer_steal(&out);
}

bool fit_path_step_is_creatable(const struct fit_path_step *step)
{
	for (size_t i = 0; i < step->condition_count; i++)
		if (step->conditions[i].child)
			return false;
	return step->number == 0;
}

bool fit_path_is_editable(const struct fit_path *path)
{
	static const char *const fixed[] = {"metadata", "name", "uuid"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(fixed); i++)
		if (strcmp(path->steps[0].name, fixed[i]) == 0)
			return false;
	return true;
}

/* A controller has its number before libvirt writes it. One that stands alone, as in a record, may
 * have any. */
static bool index_is(const xmlNode *node, const struct fit_path_condition *condition)
{
	uint64_t wanted;
	unsigned int index;

	return strcmp(condition->attribute, "index") == 0 &&
	       fit_parse_uint(condition->value, UINT32_MAX, &wanted) &&
	       fit_controller_index_expected(node, &index) && (!node->parent || index == wanted);
}

/* Is the attribute so at the end of one of the ways @way from @node? */
static bool holds_below(
	const struct fit_path_condition *condition, const xmlNode *node, const char *way)
{
	size_t length = strcspn(way, "/");
	fit_autofree char *name = fit_xstrndup(way, length);

	if (!*way)
		return fit_attribute_is(node, condition->attribute, condition->value) ||
		       index_is(node, condition);
	fit_xml_for_each (child, node, name)
		if (holds_below(condition, child, way + length + (way[length] == '/')))
			return true;
	return false;
}

static bool condition_holds(const struct fit_path_condition *condition, const xmlNode *node)
{
	return holds_below(condition, node, condition->child ? condition->child : "");
}

bool fit_path_step_matches(const struct fit_path_step *step, const xmlNode *node)
{
	if (step->qemu ? !fit_xml_is_in(node, FIT_QEMU_NAMESPACE, step->name)
		       : !fit_xml_is(node, step->name))
		return false;
	for (size_t i = 0; i < step->condition_count; i++)
		if (!condition_holds(&step->conditions[i], node))
			return false;
	return true;
}

xmlNode *fit_path_step_find(const struct fit_path_step *step, const xmlNode *parent)
{
	unsigned int left = step->number;

	for (xmlNode *node = parent->children; node; node = node->next)
		if (fit_path_step_matches(step, node) && (left == 0 || --left == 0))
			return node;
	return NULL;
}
