/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Composition in four steps: gather the files, includes before the profile that includes them, each
 * once; merge their parameters and put in the request's values; apply every statement in order, so
 * that the last one wins attribute by attribute; take the fingerprint of what came out.
 */
#include "core/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/overlay.h"
#include "core/profile_grammar.h"
#include "core/profile_parse.h"
#include "core/profile_value.h"

/* Nobody needs more; it bounds the recursion. */
#define INCLUDE_DEPTH_MAX 32

struct slot {
	struct fit_profile_setting setting; /* `value` is NULL where nothing is set */
	const char *text;		    /* the same before parameters were put in */
};

struct composition {
	fit_profile_loader load;
	void *context;
	struct fit_err *err;
	struct fit_strlist chain; /* from a requested profile to the one that is being read */
	struct fit_profile_source *sources;
	size_t source_count;
	struct fit_profile profile;
	/* By element of the grammar, of each FIT_PROFILE_ATTRIBUTES_MAX by attribute; NULL: not
	 * stated. */
	struct slot **slots;
	struct fit_strlist overlay_params; /* that overlays refer to */
};

static void clear_setting(struct fit_profile_setting *setting)
{
	free(setting->attribute);
	free(setting->value);
}

static void clear_slots(struct slot *slots)
{
	if (!slots)
		return;
	for (size_t i = 0; i < FIT_PROFILE_ATTRIBUTES_MAX; i++)
		clear_setting(&slots[i].setting);
	free(slots);
}

void fit_profile_clear(struct fit_profile *profile)
{
	fit_strlist_clear(&profile->names);
	fit_strlist_clear(&profile->files);
	fit_strlist_clear(&profile->included);
	fit_strlist_clear(&profile->only);
	fit_strlist_clear(&profile->idle);
	free(profile->summary);
	for (size_t i = 0; i < profile->param_count; i++)
		fit_profile_param_clear(&profile->params[i]);
	free(profile->params);
	for (size_t i = 0; i < profile->setting_count; i++)
		clear_setting(&profile->settings[i]);
	free(profile->settings);
	fit_profile_clear_intents(profile);
	fit_host_writes_clear(&(struct fit_host_writes){profile->writes, profile->write_count});
	fit_overlay_free(profile->overlay);
	*profile = (struct fit_profile){0};
}

static void clear_composition(struct composition *composition)
{
	fit_strlist_clear(&composition->chain);
	for (size_t i = 0; i < composition->source_count; i++)
		fit_profile_source_clear(&composition->sources[i]);
	free(composition->sources);
	for (size_t i = 0; i < fit_profile_element_count; i++)
		clear_slots(composition->slots[i]);
	free(composition->slots);
	fit_strlist_clear(&composition->overlay_params);
	fit_profile_clear(&composition->profile);
}

static int gather(struct composition *composition, const char *name);

static int gather_includes(struct composition *composition, const struct fit_profile_source *source)
{
	for (size_t i = 0; i < source->include_count; i++) {
		const struct fit_profile_include *include = &source->includes[i];

		if (fit_strlist_contains(&composition->chain, include->name)) {
			fit_autofree char *chain = fit_strlist_join(&composition->chain, " -> ");

			return fit_err_set(composition->err, FIT_ERR_INVALID,
				"%s:%u: profiles include each other: %s -> %s", source->file,
				include->line, chain, include->name);
		}
		if (composition->chain.count == INCLUDE_DEPTH_MAX)
			return fit_err_set(composition->err, FIT_ERR_INVALID,
				"%s:%u: includes are more than %d deep", source->file,
				include->line, INCLUDE_DEPTH_MAX);
		if (gather(composition, include->name) < 0) {
			/* The included file's own errors begin with its place. */
			if (composition->err && composition->err->code == FIT_ERR_NOTFOUND)
				fit_err_prefix(
					composition->err, "%s:%u: ", source->file, include->line);
			return -1;
		}
	}
	return 0;
}

static int gather(struct composition *composition, const char *name)
{
	struct fit_profile *profile = &composition->profile;
	struct fit_profile_source source = {0};
	fit_autofree char *path = NULL;
	fit_autofree char *text = NULL;
	struct fit_strlist *chain = &composition->chain;
	size_t length;

	if (fit_strlist_contains(&profile->included, name))
		return 0;
	if (composition->load(composition->context, name, &path, &text, &length, composition->err) <
			0 ||
		fit_profile_parse(name, path, text, length, &source, composition->err) < 0)
		return -1;
	fit_strlist_add(chain, name);
	if (gather_includes(composition, &source) < 0) {
		fit_profile_source_clear(&source);
		return -1;
	}
	free(chain->items[--chain->count]);
	*FIT_APPEND(composition->sources, composition->source_count) = source;
	*FIT_APPEND(profile->files.items, profile->files.count) = FIT_STEAL(path);
	fit_strlist_add(&profile->included, name);
	return 0;
}

static int gather_all(struct composition *composition, const struct fit_strlist *names)
{
	struct fit_profile *profile = &composition->profile;

	for (size_t i = 0; i < names->count; i++) {
		if (!fit_profile_name_is_valid(names->items[i])) {
			fit_autofree char *shown = fit_printable(names->items[i]);

			return fit_err_set(composition->err, FIT_ERR_INVALID,
				"\"%s\" is no profile name", shown);
		}
		if (fit_strlist_contains(&profile->names, names->items[i]))
			return fit_err_set(composition->err, FIT_ERR_INVALID,
				"the profile \"%s\" is named twice", names->items[i]);
		if (gather(composition, names->items[i]) < 0)
			return -1;
		fit_strlist_add(&profile->names, names->items[i]);
		/* The arrays run in step: `included` has a name for every source. */
		for (size_t j = 0; j < composition->source_count; j++)
			if (fit_streq(profile->included.items[j], names->items[i]))
				fit_xreplace(&profile->summary, composition->sources[j].summary);
	}
	return 0;
}

static struct fit_profile_param *find_param(const struct fit_profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->param_count; i++)
		if (fit_streq(profile->params[i].name, name))
			return &profile->params[i];
	return NULL;
}

/* For messages. To be freed. */
static char *known_params(const struct fit_profile *profile)
{
	fit_autostrlist struct fit_strlist names = {0};

	if (profile->param_count == 0)
		return fit_xstrdup("there are none");
	for (size_t i = 0; i < profile->param_count; i++)
		fit_strlist_add(&names, profile->params[i].name);
	return fit_strlist_join(&names, ", ");
}

/* A later declaration of the same parameter gives it another default, not another type. */
static int merge_param(struct composition *composition, const char *profile_name,
	const struct fit_profile_param *declared)
{
	struct fit_profile *profile = &composition->profile;
	struct fit_profile_param *param = find_param(profile, declared->name);

	if (param && !fit_streq(param->type, declared->type))
		return fit_err_set(composition->err, FIT_ERR_INVALID,
			"%s:%u: parameter %s has type %s here and type %s in %s:%u", declared->file,
			declared->line, declared->name, declared->type, param->type, param->file,
			param->line);
	if (!param)
		param = FIT_APPEND(profile->params, profile->param_count);
	fit_xreplace(&param->name, declared->name);
	fit_xreplace(&param->type, declared->type);
	fit_xreplace(&param->value, declared->fallback);
	fit_xreplace(&param->fallback, declared->fallback);
	fit_xreplace(&param->allowed, declared->allowed);
	fit_xreplace(&param->description, declared->description);
	fit_xreplace(&param->profile, profile_name);
	param->file = declared->file;
	param->line = declared->line;
	return 0;
}

static int merge_params(struct composition *composition)
{
	for (size_t i = 0; i < composition->source_count; i++) {
		const struct fit_profile_source *source = &composition->sources[i];
		const char *name = composition->profile.included.items[i];

		for (size_t j = 0; j < source->param_count; j++)
			if (merge_param(composition, name, &source->params[j]) < 0)
				return -1;
	}
	return 0;
}

static int override_param(struct composition *composition, const struct fit_param *given)
{
	struct fit_profile_param *param = find_param(&composition->profile, given->name);
	fit_autofree char *name = fit_printable(given->name);
	const struct fit_value_type *type;
	char *canonical;

	if (!param) {
		fit_autofree char *known = known_params(&composition->profile);

		return fit_err_set(composition->err, FIT_ERR_INVALID,
			"the profiles have no parameter \"%s\"; parameters: %s", name, known);
	}
	type = fit_value_type_find(param->type);
	canonical = fit_value_canonical(type, param->allowed, given->value);
	if (!canonical) {
		fit_autofree char *wanted = fit_value_wanted(type, param->allowed);
		fit_autofree char *shown = fit_printable(given->value);

		return fit_err_set(composition->err, FIT_ERR_INVALID,
			"parameter %s=\"%s\" must be %s (%s:%u)", name, shown, wanted, param->file,
			param->line);
	}
	free(param->value);
	param->value = canonical;
	return 0;
}

/* @text with parameters put in. */
static int substitute(const struct composition *composition,
	const struct fit_profile_source *source, unsigned int line, const char *text,
	char **ret_text)
{
	fit_autobuffer struct fit_buffer buffer = {0};

	if (!strstr(text, "${")) {
		*ret_text = fit_xstrdup(text);
		return 0;
	}
	while (*text) {
		const char *next = text + 1;
		fit_autofree char *name = fit_profile_reference(text, &next);
		const struct fit_profile_param *param;

		if (!name) {
			fit_buffer_add_bytes(&buffer, text, 1);
			text = next;
			continue;
		}
		param = find_param(&composition->profile, name);
		if (!param) {
			fit_autofree char *known = known_params(&composition->profile);

			return fit_err_set(composition->err, FIT_ERR_INVALID,
				"%s:%u: ${%s}: no profile declares this parameter; parameters: %s",
				source->file, line, name, known);
		}
		fit_buffer_add(&buffer, param->value);
		text = next;
	}
	*ret_text = fit_buffer_steal(&buffer);
	return 0;
}

static struct slot *slot_of(const struct composition *composition,
	const struct fit_profile_element *element, size_t attribute)
{
	struct slot **row = &composition->slots[element - fit_profile_elements];

	if (!*row)
		*row = fit_xcalloc(FIT_PROFILE_ATTRIBUTES_MAX, sizeof(**row));
	return &(*row)[attribute];
}

static int apply_attribute(struct composition *composition, const struct fit_profile_source *source,
	const struct fit_profile_statement *statement,
	const struct fit_profile_attribute *attribute)
{
	const struct fit_profile_element *element = statement->element;
	size_t index = (size_t)(attribute - element->attributes);
	struct slot *slot = slot_of(composition, element, index);
	const char *stated = statement->texts[index];
	fit_autofree char *text = NULL;
	char *canonical;

	if (!stated && slot->setting.value)
		return 0;
	if (substitute(composition, source, statement->line, stated ? stated : attribute->unstated,
		    &text) < 0)
		return -1;
	canonical = fit_profile_store(element, attribute, &composition->profile, text);
	if (!canonical) {
		fit_autofree char *wanted = fit_profile_attribute_wanted(attribute);
		fit_autofree char *shown = fit_printable(text);

		return fit_err_set(composition->err, FIT_ERR_INVALID,
			"%s:%u: <%s %s=\"%s\"> (with its parameters put in): %s must be %s",
			source->file, statement->line, element->name, attribute->name, shown,
			attribute->name, wanted);
	}
	clear_setting(&slot->setting);
	slot->text = stated;
	slot->setting = (struct fit_profile_setting){
		.intent = element->label,
		.attribute = fit_xstrdup(attribute->name),
		.value = canonical,
		.file = stated ? source->file : NULL,
		.line = statement->line,
	};
	return 0;
}

/* Adds the parameters that @text refers to. */
static void list_references(const char *text, struct fit_strlist *names)
{
	while (*text) {
		const char *next = text + 1;
		fit_autofree char *name = fit_profile_reference(text, &next);

		if (name)
			fit_strlist_add(names, name);
		text = next;
	}
}

static bool refers_to(const char *text, const char *name)
{
	fit_autostrlist struct fit_strlist names = {0};

	if (text)
		list_references(text, &names);
	return fit_strlist_contains(&names, name);
}

/* Whose text it is that parameters are put into. */
struct place {
	struct composition *composition;
	const struct fit_profile_source *source;
};

static int substitute_in_overlay(
	void *context, unsigned int line, const char *text, char **ret_text)
{
	const struct place *place = context;

	list_references(text, &place->composition->overlay_params);
	return substitute(place->composition, place->source, line, text, ret_text);
}

static int apply_overlay(struct composition *composition, const struct fit_profile_source *source)
{
	struct place place = {composition, source};

	if (!source->overlay)
		return 0;
	return fit_overlay_merge(&composition->profile.overlay, source->overlay,
		substitute_in_overlay, &place, composition->err);
}

static int apply_source(struct composition *composition, const struct fit_profile_source *source)
{
	for (size_t i = 0; i < source->statement_count; i++) {
		const struct fit_profile_statement *statement = &source->statements[i];
		struct fit_intent *intent =
			fit_profile_intent(statement->element, &composition->profile);

		fit_profile_for_each_attribute (attribute, statement->element)
			if (apply_attribute(composition, source, statement, attribute) < 0)
				return -1;
		intent->set = true;
		intent->file = source->file;
		intent->line = statement->line;
	}
	fit_host_writes_merge(&composition->profile, &source->writes);
	return apply_overlay(composition, source);
}

static bool is_in_effect(const struct composition *composition, const char *name)
{
	for (size_t i = 0; i < fit_profile_element_count * FIT_PROFILE_ATTRIBUTES_MAX; i++) {
		const struct slot *row = composition->slots[i / FIT_PROFILE_ATTRIBUTES_MAX];

		if (row && refers_to(row[i % FIT_PROFILE_ATTRIBUTES_MAX].text, name))
			return true;
	}
	return fit_strlist_contains(&composition->overlay_params, name);
}

/* What is stated instead of something that refers to the parameter. False: nothing ever does. */
static bool find_statement_instead(
	struct composition *composition, const char *name, const char *value)
{
	for (size_t i = 0; i < composition->source_count; i++) {
		const struct fit_profile_source *source = &composition->sources[i];

		for (size_t j = 0; j < source->statement_count; j++) {
			const struct fit_profile_statement *statement = &source->statements[j];
			const struct fit_profile_element *element = statement->element;

			fit_profile_for_each_attribute (attribute, element) {
				size_t index = (size_t)(attribute - element->attributes);
				const struct fit_profile_setting *setting =
					&slot_of(composition, element, index)->setting;

				if (!refers_to(statement->texts[index], name))
					continue;
				fit_strlist_addf(&composition->profile.idle,
					"parameter %s=\"%s\" changes nothing: %s:%u says <%s "
					"%s=\"%s\">",
					name, value, setting->file, setting->line, element->name,
					attribute->name, setting->value);
				return true;
			}
		}
	}
	return false;
}

/* A profile may state by itself what one that it includes has a parameter for. */
static void find_idle(struct composition *composition, const struct fit_param *params, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct fit_profile_param *param =
			find_param(&composition->profile, params[i].name);

		if (param && !is_in_effect(composition, param->name) &&
			!find_statement_instead(composition, param->name, param->value))
			fit_strlist_addf(&composition->profile.idle,
				"parameter %s=\"%s\" changes nothing: no profile refers to it",
				param->name, param->value);
	}
}

/* A CPU feature that is both wanted and not wanted. */
static int check_features(const struct fit_intent_cpu *cpu, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist required = {0};
	fit_autostrlist struct fit_strlist disabled = {0};

	fit_strlist_split(&required, cpu->require ? cpu->require : "", " ");
	fit_strlist_split(&disabled, cpu->disable ? cpu->disable : "", " ");
	for (size_t i = 0; i < required.count; i++)
		if (fit_strlist_contains(&disabled, required.items[i]))
			return fit_err_set(err, FIT_ERR_INVALID,
				"%s:%u: <cpu> has '%s' in require= and in disable=",
				cpu->intent.file, cpu->intent.line, required.items[i]);
	return 0;
}

/* What single attributes cannot tell. libvirt refuses both on define. */
static int check_sense(const struct fit_profile *profile, struct fit_err *err)
{
	const struct fit_intent_disks *disks = &profile->disks;

	if (check_features(&profile->cpu, err) < 0)
		return -1;
	if (fit_streq(disks->io, "native") && disks->cache && !fit_streq(disks->cache, "none") &&
		!fit_streq(disks->cache, "directsync"))
		return fit_err_set(err, FIT_ERR_INVALID,
			"%s:%u: <disks io=\"native\"> needs cache=\"none\" or \"directsync\", and "
			"it is \"%s\"",
			disks->intent.file, disks->intent.line, disks->cache);
	return 0;
}

/* The settings of <domain>: the policy, where it changes, and the places. */
static void add_overlay_settings(struct fit_profile *profile, struct fit_strlist *facts)
{
	static const char *const words[] = {
		[FIT_EXISTING_KEEP] = "keep",
		[FIT_EXISTING_REPLACE] = "replace",
		[FIT_EXISTING_REQUIRE] = "require",
	};
	struct fit_overlay_place *places = NULL;
	size_t count = profile->overlay ? fit_overlay_places(profile->overlay, &places) : 0;

	for (size_t i = 0; i < count; i++) {
		const struct fit_overlay_place *place = &places[i];
		struct fit_profile_setting setting = {
			.intent = "domain", .file = place->file, .line = place->line};

		if (i == 0 || place->existing != places[i - 1].existing) {
			setting.attribute = fit_xstrdup("existing");
			setting.value = fit_xstrdup(words[place->existing]);
			*FIT_APPEND(profile->settings, profile->setting_count) = setting;
		}
		setting.attribute = fit_xstrdup(place->path);
		setting.value = fit_xstrdup(place->value);
		*FIT_APPEND(profile->settings, profile->setting_count) = setting;
		fit_strlist_addf(facts, "domain %s=%s existing=%s", place->path, place->value,
			words[place->existing]);
	}
	fit_overlay_places_free(places, count);
}

/* "@intent @attribute=@value", of which there are many. */
static void add_fact(
	struct fit_strlist *facts, const char *intent, const char *attribute, const char *value)
{
	struct fit_buffer fact = {0};

	fit_buffer_add(&fact, intent);
	fit_buffer_add(&fact, " ");
	fit_buffer_add(&fact, attribute);
	fit_buffer_add(&fact, "=");
	fit_buffer_add(&fact, value);
	*FIT_APPEND(facts->items, facts->count) = fit_buffer_steal(&fact);
}

static void take_slots(struct slot *slots, struct fit_profile *profile, struct fit_strlist *facts)
{
	for (size_t i = 0; i < FIT_PROFILE_ATTRIBUTES_MAX; i++) {
		struct fit_profile_setting *setting = &slots[i].setting;

		if (!setting->value)
			continue;
		add_fact(facts, setting->intent, setting->attribute, setting->value);
		*FIT_APPEND(profile->settings, profile->setting_count) = *setting;
		*setting = (struct fit_profile_setting){0};
	}
}

/* Moves what is set out of the slots, and takes the fingerprint. */
static void finish(struct composition *composition)
{
	struct fit_profile *profile = &composition->profile;
	fit_autostrlist struct fit_strlist facts = {0};
	uint64_t digest = FIT_FINGERPRINT_INIT;

	for (size_t i = 0; i < fit_profile_element_count; i++)
		if (composition->slots[i])
			take_slots(composition->slots[i], profile, &facts);
	fit_host_writes_list(profile, &facts);
	add_overlay_settings(profile, &facts);
	for (size_t i = 0; i < profile->param_count; i++)
		fit_strlist_addf(
			&facts, "${%s}=%s", profile->params[i].name, profile->params[i].value);
	fit_strlist_sort(&facts);
	/* The terminating NUL separates the facts: no value contains one. */
	for (size_t i = 0; i < facts.count; i++)
		digest = fit_fingerprint(digest, facts.items[i], strlen(facts.items[i]) + 1);
	snprintf(profile->digest, sizeof(profile->digest), "%016llx", (unsigned long long)digest);
}

static int compose(struct composition *composition, const struct fit_strlist *names,
	const struct fit_param *params, size_t param_count)
{
	if (names->count == 0)
		return fit_err_set(composition->err, FIT_ERR_INVALID, "no profile is named");
	if (gather_all(composition, names) < 0 || merge_params(composition) < 0)
		return -1;
	for (size_t i = 0; i < param_count; i++)
		if (override_param(composition, &params[i]) < 0)
			return -1;
	for (size_t i = 0; i < composition->source_count; i++)
		if (apply_source(composition, &composition->sources[i]) < 0)
			return -1;
	if (check_sense(&composition->profile, composition->err) < 0)
		return -1;
	find_idle(composition, params, param_count);
	finish(composition);
	return 0;
}

int fit_profile_compose(const struct fit_strlist *names, const struct fit_param *params,
	size_t param_count, fit_profile_loader load, void *context, struct fit_profile *ret_profile,
	struct fit_err *err)
{
	struct composition composition = {.load = load, .context = context, .err = err};
	int status;

	composition.slots = fit_xcalloc(fit_profile_element_count, sizeof(*composition.slots));
	status = compose(&composition, names, params, param_count);
	if (status == 0) {
		*ret_profile = composition.profile;
		composition.profile = (struct fit_profile){0};
	}
	clear_composition(&composition);
	return status;
}
