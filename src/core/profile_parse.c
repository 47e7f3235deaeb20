/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a profile file. Everything that is wrong in a file is found here, whether or not another
 * profile overrides it later; only values with "${name}" must wait for the composition.
 */
#include "core/profile_parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/overlay.h"
#include "core/strict.h"
#include "core/xml.h"

#define PARAM_NAME_MAX 64
#define WHITE_SPACE    " \t\r\n"

struct parser {
	struct fit_strict in;
	struct fit_profile_source *source;
};

#define fail(parser, node, format, ...) fit_strict_fail(&(parser)->in, node, format, ##__VA_ARGS__)

void fit_profile_param_clear(struct fit_profile_param *param)
{
	free(param->name);
	free(param->type);
	free(param->value);
	free(param->fallback);
	free(param->allowed);
	free(param->description);
	free(param->profile);
	*param = (struct fit_profile_param){0};
}

void fit_profile_source_clear(struct fit_profile_source *source)
{
	free(source->summary);
	for (size_t i = 0; i < source->include_count; i++)
		free(source->includes[i].name);
	free(source->includes);
	for (size_t i = 0; i < source->param_count; i++)
		fit_profile_param_clear(&source->params[i]);
	free(source->params);
	for (size_t i = 0; i < source->statement_count; i++)
		for (size_t j = 0; j < FIT_PROFILE_ATTRIBUTES_MAX; j++)
			free(source->statements[i].texts[j]);
	free(source->statements);
	fit_host_writes_clear(&source->writes);
	fit_overlay_free(source->overlay);
	*source = (struct fit_profile_source){0};
}

static size_t param_name_length(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char others[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t length = strspn(text, others);

	return *text && strchr(letters, *text) && length <= PARAM_NAME_MAX ? length : 0;
}

char *fit_profile_reference(const char *text, const char **ret_end)
{
	size_t length;

	if (!fit_starts_with(text, "${"))
		return NULL;
	length = param_name_length(text + 2);
	if (length == 0 || text[2 + length] != '}')
		return NULL;
	*ret_end = text + 2 + length + 1;
	return fit_xstrndup(text + 2, length);
}

static bool is_ours(const xmlNode *node, const char *name)
{
	return fit_xml_is_in(node, FIT_PROFILE_NAMESPACE, name);
}

/* The text of an element without children, its white space made single spaces. To be freed. */
static int read_text(const struct parser *parser, const xmlNode *node, char **ret_text)
{
	fit_autofree char *text = fit_xml_text(node);
	struct fit_buffer words = {0};

	for (const xmlNode *child = node->children; child; child = child->next)
		if (child->type == XML_ELEMENT_NODE)
			return fail(
				parser, child, "<%s> cannot contain <%s>", node->name, child->name);
	for (const char *word = text; *(word += strspn(word, WHITE_SPACE));) {
		size_t length = strcspn(word, WHITE_SPACE);

		fit_buffer_add(&words, words.length ? " " : "");
		fit_buffer_add_bytes(&words, word, length);
		word += length;
	}
	*ret_text = fit_buffer_steal(&words);
	return 0;
}

static int read_summary(const struct parser *parser, const xmlNode *node)
{
	struct fit_profile_source *source = parser->source;
	fit_autofree char *text = NULL;

	if (fit_strict_attributes(&parser->in, node, "") < 0 || read_text(parser, node, &text) < 0)
		return -1;
	if (source->summary)
		return fail(parser, node, "second <summary>: a profile has one");
	if (!*text)
		return fail(parser, node,
			"<summary> is empty: say in one line what the profile is for");
	source->summary = FIT_STEAL(text);
	return 0;
}

static int read_include(const struct parser *parser, const xmlNode *node)
{
	struct fit_profile_source *source = parser->source;
	fit_autofree char *name = fit_xml_attr(node, "profile");

	if (fit_strict_attributes(&parser->in, node, "profile") < 0 ||
		fit_strict_childless(&parser->in, node) < 0)
		return -1;
	if (!name || !fit_profile_name_is_valid(name))
		return fail(parser, node,
			"<include> needs the name of a profile: <include profile=\"base\"/>");
	*FIT_APPEND(source->includes, source->include_count) = (struct fit_profile_include){
		.name = FIT_STEAL(name),
		.line = fit_xml_line(node),
	};
	return 0;
}

/* What fit_value_canonical() needs: a known type, and choices where the type has them. */
static int check_param_type(
	const struct parser *parser, const xmlNode *node, const struct fit_profile_param *param)
{
	const struct fit_value_type *type = fit_value_type_find(param->type);
	bool has_choices = param->allowed && param->allowed[strspn(param->allowed, WHITE_SPACE)];

	if (!type) {
		fit_autofree char *names = fit_value_type_names();
		fit_autofree char *shown = fit_printable(param->type);

		return fail(parser, node, "parameter %s has no type \"%s\": types are %s",
			param->name, shown, names);
	}
	if (fit_value_type_is_choice(type) && !has_choices)
		return fail(parser, node,
			"parameter %s: type=\"choice\" needs allowed=\"...\" with the choices",
			param->name);
	if (!fit_value_type_is_choice(type) && param->allowed)
		return fail(parser, node, "parameter %s: allowed= goes with type=\"choice\" only",
			param->name);
	return 0;
}

static int check_param_default(
	const struct parser *parser, const xmlNode *node, struct fit_profile_param *param)
{
	const struct fit_value_type *type = fit_value_type_find(param->type);
	char *canonical = fit_value_canonical(type, param->allowed, param->fallback);

	if (!canonical) {
		fit_autofree char *wanted = fit_value_wanted(type, param->allowed);
		fit_autofree char *shown = fit_printable(param->fallback);

		return fail(parser, node, "parameter %s: default=\"%s\" must be %s", param->name,
			shown, wanted);
	}
	free(param->fallback);
	param->fallback = canonical;
	return 0;
}

static int fill_param(
	const struct parser *parser, const xmlNode *node, struct fit_profile_param *param)
{
	param->file = parser->in.file;
	param->line = fit_xml_line(node);
	param->name = fit_xml_attr(node, "name");
	param->type = fit_xml_attr(node, "type");
	param->fallback = fit_xml_attr(node, "default");
	param->allowed = fit_xml_attr(node, "allowed");
	if (fit_strict_attributes(&parser->in, node, "name type default allowed") < 0)
		return -1;
	if (!param->name || !param->type || !param->fallback)
		return fail(parser, node, "<param> needs name=, type= and default=");
	if (!*param->name || param_name_length(param->name) != strlen(param->name)) {
		fit_autofree char *shown = fit_printable(param->name);

		return fail(parser, node,
			"\"%s\" is no parameter name: names have letters, digits, '_' and '-' and "
			"start with a letter",
			shown);
	}
	if (check_param_type(parser, node, param) < 0 ||
		check_param_default(parser, node, param) < 0)
		return -1;
	return read_text(parser, node, &param->description);
}

static int read_param(const struct parser *parser, const xmlNode *node)
{
	struct fit_profile_source *source = parser->source;
	struct fit_profile_param param = {0};

	if (fill_param(parser, node, &param) < 0) {
		fit_profile_param_clear(&param);
		return -1;
	}
	for (size_t i = 0; i < source->param_count; i++) {
		if (!fit_streq(source->params[i].name, param.name))
			continue;
		fit_profile_param_clear(&param);
		return fail(parser, node, "parameter %s is declared twice", source->params[i].name);
	}
	*FIT_APPEND(source->params, source->param_count) = param;
	return 0;
}

/* Does the text depend on parameters? A "${" that is none is an error, "$" alone is text. */
static int check_references(
	const struct parser *parser, const xmlNode *node, const char *text, bool *ret_has)
{
	bool has = false;

	while ((text = strstr(text, "${"))) {
		fit_autofree char *name = fit_profile_reference(text, &text);

		if (!name)
			return fail(parser, node, "<%s>: \"${\" begins a parameter: ${name}",
				node->name);
		has = true;
	}
	*ret_has = has;
	return 0;
}

/* A trial in a profile that is thrown away. */
static int check_value(const struct parser *parser, const xmlNode *node,
	const struct fit_profile_element *element, const struct fit_profile_attribute *attribute,
	const char *text)
{
	struct fit_profile trial = {0};
	fit_autofree char *canonical = NULL;
	bool has_references = false;

	if (check_references(parser, node, text, &has_references) < 0)
		return -1;
	if (has_references)
		return 0;
	canonical = fit_profile_store(element, attribute, &trial, text);
	fit_profile_clear_intent(element, &trial);
	if (!canonical) {
		fit_autofree char *wanted = fit_profile_attribute_wanted(attribute);
		fit_autofree char *shown = fit_printable(text);

		return fail(parser, node, "<%s %s=\"%s\">: %s must be %s", node->name,
			attribute->name, shown, attribute->name, wanted);
	}
	return 0;
}

static int check_intent_attributes(
	const struct parser *parser, const xmlNode *node, const struct fit_profile_element *element)
{
	fit_autobuffer struct fit_buffer known = {0};

	if (element->of)
		fit_buffer_add(&known, "of ");
	fit_profile_for_each_attribute (attribute, element) {
		fit_buffer_add(&known, attribute->name);
		fit_buffer_add(&known, " ");
	}
	return fit_strict_attributes(&parser->in, node, known.text);
}

static int read_intent(
	const struct parser *parser, const xmlNode *node, const struct fit_profile_element *element)
{
	struct fit_profile_source *source = parser->source;
	struct fit_profile_statement *statement;

	if (check_intent_attributes(parser, node, element) < 0 ||
		fit_strict_childless(&parser->in, node) < 0)
		return -1;
	for (size_t i = 0; i < source->statement_count; i++)
		if (source->statements[i].element == element)
			return fail(parser, node, "second statement of %s: the first is in line %u",
				element->label, source->statements[i].line);
	statement = FIT_APPEND(source->statements, source->statement_count);
	statement->element = element;
	statement->line = fit_xml_line(node);
	fit_profile_for_each_attribute (attribute, element) {
		char *text = fit_xml_attr(node, attribute->name);

		statement->texts[attribute - element->attributes] = text;
		if (text && check_value(parser, node, element, attribute, text) < 0)
			return -1;
		if (!text && !attribute->unstated)
			return fail(parser, node, "<%s> needs %s=", node->name, attribute->name);
	}
	return 0;
}

/* What may stand below @parent, for messages. To be freed. */
static char *known_elements(const char *parent)
{
	fit_autostrlist struct fit_strlist names = {0};

	if (!parent)
		fit_strlist_split(&names, "summary include param", " ");
	for (size_t i = 0; i < fit_profile_element_count; i++) {
		const struct fit_profile_element *element = &fit_profile_elements[i];
		const char *name = !parent && element->parent ? element->parent : element->name;

		if (parent && !fit_streq(element->parent, parent))
			continue;
		if (!fit_strlist_contains(&names, name))
			fit_strlist_add(&names, name);
	}
	fit_strlist_split(&names, parent ? FIT_HOST_WRITES : "domain", " ");
	return fit_strlist_join(&names, ", ");
}

/* @parent: NULL below <profile>, else the name of the group. */
static int read_statement(const struct parser *parser, const xmlNode *node, const char *parent)
{
	fit_autofree char *of = fit_xml_attr(node, "of");
	fit_autostrlist struct fit_strlist selectors = {0};
	fit_autofree char *known = NULL;

	for (size_t i = 0; i < fit_profile_element_count; i++) {
		const struct fit_profile_element *element = &fit_profile_elements[i];

		if (!fit_streq(element->parent, parent) || !is_ours(node, element->name))
			continue;
		if (!element->of || fit_streq(element->of, of))
			return read_intent(parser, node, element);
		fit_strlist_add(&selectors, element->of);
	}
	if (selectors.count) {
		known = fit_value_alternatives(&selectors, true);
		return fail(parser, node, "<%s> needs of=, which must be %s", node->name, known);
	}
	known = known_elements(parent);
	return fail(parser, node, "unknown element <%s>%s: <%s> has %s", node->name,
		node->ns ? "" : ", in no namespace", parent ? parent : "profile", known);
}

static bool is_group(const xmlNode *node)
{
	for (size_t i = 0; i < fit_profile_element_count; i++)
		if (fit_profile_elements[i].parent && is_ours(node, fit_profile_elements[i].parent))
			return true;
	return false;
}

static int read_group(const struct parser *parser, const xmlNode *node)
{
	const xmlNode *child = NULL;
	int found;

	if (fit_strict_attributes(&parser->in, node, "") < 0)
		return -1;
	for (;;) {
		if (fit_strict_next(&parser->in, node, &child) < 0)
			return -1;
		if (!child)
			return 0;
		found = fit_host_writes_read(&parser->in, child, &parser->source->writes);
		if (found < 0 ||
			(!found && read_statement(parser, child, (const char *)node->name) < 0))
			return -1;
	}
}

static int read_overlay(const struct parser *parser, const xmlNode *node)
{
	if (parser->source->overlay)
		return fail(parser, node, "second <domain>: a profile has one");
	return fit_overlay_read(node, parser->in.file, &parser->source->overlay, parser->in.err);
}

static int read_child(const struct parser *parser, const xmlNode *node)
{
	if (is_ours(node, "summary"))
		return read_summary(parser, node);
	if (is_ours(node, "include"))
		return read_include(parser, node);
	if (is_ours(node, "param"))
		return read_param(parser, node);
	if (is_ours(node, "domain"))
		return read_overlay(parser, node);
	if (is_group(node))
		return read_group(parser, node);
	return read_statement(parser, node, NULL);
}

static int read_root(const struct parser *parser, const xmlNode *root, const char *name)
{
	fit_autofree char *stated = fit_xml_attr(root, "name");
	const xmlNode *child = NULL;

	if (!is_ours(root, "profile"))
		return fail(parser, root,
			"<%s> is no profile: it begins with <profile xmlns=\"" FIT_PROFILE_NAMESPACE
			"\" name=\"%s\">",
			root->name, name);
	if (fit_strict_attributes(&parser->in, root, "name") < 0)
		return -1;
	if (!fit_streq(stated, name)) {
		fit_autofree char *shown = fit_printable(stated ? stated : "");

		return fail(parser, root, "name=\"%s\" must be \"%s\", as the file is called",
			shown, name);
	}
	for (;;) {
		if (fit_strict_next(&parser->in, root, &child) < 0)
			return -1;
		if (!child)
			break;
		if (read_child(parser, child) < 0)
			return -1;
	}
	if (!parser->source->summary)
		return fail(parser, root, "no <summary>: say in one line what the profile is for");
	return 0;
}

int fit_profile_parse(const char *name, const char *file, const char *text, size_t length,
	struct fit_profile_source *ret_source, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(text, length, file, err);
	struct fit_profile_source source = {.file = file};
	const struct parser parser = {.in = {file, err}, .source = &source};

	if (!doc)
		return -1;
	if (read_root(&parser, xmlDocGetRootElement(doc), name) < 0) {
		fit_profile_source_clear(&source);
		return -1;
	}
	*ret_source = source;
	return 0;
}
