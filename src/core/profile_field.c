/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/profile_field.h"

#include <limits.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/profile_value.h"

static const struct fit_profile_word *find_word(
	const struct fit_profile_attribute *attribute, const char *text)
{
	for (const struct fit_profile_word *word = attribute->words; word && word->word; word++)
		if (fit_streq(word->word, text))
			return word;
	return NULL;
}

/* One of the words into a bool: is its value not 0? */
static char *store_flag(
	const struct fit_profile_attribute *attribute, void *field, const char *text)
{
	const struct fit_profile_word *word = find_word(attribute, text);

	if (!word)
		return NULL;
	*(bool *)field = word->value != 0;
	return fit_xstrdup(text);
}

/* The value of one of the words into an enumeration, which GCC makes an unsigned int. */
static char *store_enum(
	const struct fit_profile_attribute *attribute, void *field, const char *text)
{
	const struct fit_profile_word *word = find_word(attribute, text);

	if (!word)
		return NULL;
	*(unsigned int *)field = word->value;
	return fit_xstrdup(text);
}

/* One of the words itself into a string; the one with value 0 ("keep") is NULL there. */
static char *store_word(
	const struct fit_profile_attribute *attribute, void *field, const char *text)
{
	const struct fit_profile_word *word = find_word(attribute, text);

	if (!word)
		return NULL;
	fit_xreplace(field, word->value ? text : NULL);
	return fit_xstrdup(text);
}

/* A number, or the value of one of the words. */
static char *store_count(
	const struct fit_profile_attribute *attribute, void *field, const char *text)
{
	const struct fit_profile_word *word = find_word(attribute, text);
	char *canonical;
	unsigned int count;

	if (word) {
		*(unsigned int *)field = word->value;
		return fit_xstrdup(text);
	}
	canonical = fit_value_canonical(fit_value_type_find(attribute->type), NULL, text);
	if (canonical && fit_value_parse_count(canonical, &count))
		*(unsigned int *)field = count;
	return canonical;
}

/* A number of the attribute's type, or the value of one of the words. */
static char *store_number(
	const struct fit_profile_attribute *attribute, void *field, const char *text)
{
	const struct fit_profile_word *word = find_word(attribute, text);
	char *canonical =
		word ? fit_xstrdup(text)
		     : fit_value_canonical(fit_value_type_find(attribute->type), NULL, text);
	uint64_t value;

	if (!canonical)
		return NULL;
	if (word)
		value = word->value;
	else if (!fit_parse_uint(canonical, UINT_MAX, &value))
		abort(); /* every such type is that of a number */
	*(unsigned int *)field = (unsigned int)value;
	return canonical;
}

struct fit_cpuset fit_intent_vcpus_dedicated(
	const struct fit_intent_vcpus *vcpus, unsigned int count)
{
	struct fit_cpuset set = {0};

	if (!vcpus->shared &&
		!fit_value_parse_vcpus(vcpus->dedicated ? vcpus->dedicated : "all", count, &set))
		abort(); /* it was read as such */
	return set;
}

/* A size, or the value of one of the words. */
static char *store_size(
	const struct fit_profile_attribute *attribute, void *field, const char *text)
{
	const struct fit_profile_word *word = find_word(attribute, text);
	uint64_t kib = word ? word->value : 0;

	if (!word && !fit_value_parse_size(text, &kib))
		return NULL;
	*(uint64_t *)field = kib;
	return word ? fit_xstrdup(text)
		    : fit_value_canonical(fit_value_type_find(attribute->type), NULL, text);
}

/* "auto" or a number: two fields. */
static char *store_iothread_count(
	const struct fit_profile_attribute *attribute, void *field, const char *text)
{
	struct fit_intent_iothreads *iothreads = field;
	char *canonical = store_count(attribute, &iothreads->count, text);

	if (canonical)
		iothreads->automatic = fit_streq(canonical, "auto");
	return canonical;
}

/* "spread", "map" or "keep": two fields. */
static char *store_disk_iothreads(
	const struct fit_profile_attribute *attribute, void *field, const char *text)
{
	const struct fit_profile_word *word = find_word(attribute, text);
	struct fit_intent_disks *disks = field;

	if (!word)
		return NULL;
	disks->spread_iothreads = word->value >= 1;
	disks->map_iothreads = word->value >= 2;
	return fit_xstrdup(text);
}

static char *store_page_sizes(
	const struct fit_profile_attribute *attribute, void *field, const char *text)
{
	struct fit_intent_memory *memory = field;
	uint64_t *sizes;
	size_t count;

	if (!fit_value_parse_page_sizes(text, &sizes, &count))
		return NULL;
	free(memory->page_sizes);
	memory->page_sizes = sizes;
	memory->page_size_count = count;
	return fit_value_canonical(fit_value_type_find(attribute->type), NULL, text);
}

/* The canonical spelling into a string, or a word as above. */
static char *store_text(
	const struct fit_profile_attribute *attribute, void *field, const char *text)
{
	char *canonical = store_word(attribute, field, text);

	if (canonical || !attribute->type)
		return canonical;
	canonical = fit_value_canonical(fit_value_type_find(attribute->type), NULL, text);
	if (canonical)
		fit_xreplace(field, canonical);
	return canonical;
}

static char *store_hyperv(
	const struct fit_profile_attribute *attribute FIT_UNUSED, void *field, const char *text)
{
	fit_hyperv_set set;

	if (!fit_hyperv_parse(text, &set))
		return NULL;
	*(fit_hyperv_set *)field = set;
	return fit_hyperv_format(set);
}

static void clear_string(void *field)
{
	free(*(char **)field);
}

static void clear_page_sizes(void *field)
{
	struct fit_intent_memory *memory = field;

	free(memory->page_sizes);
}

const struct fit_profile_field fit_field_flag = {store_flag, NULL};
const struct fit_profile_field fit_field_enum = {store_enum, NULL};
const struct fit_profile_field fit_field_count = {store_count, NULL};
const struct fit_profile_field fit_field_number = {store_number, NULL};
const struct fit_profile_field fit_field_size = {store_size, NULL};
const struct fit_profile_field fit_field_iothread_count = {store_iothread_count, NULL};
const struct fit_profile_field fit_field_disk_iothreads = {store_disk_iothreads, NULL};
const struct fit_profile_field fit_field_word = {store_word, clear_string};
const struct fit_profile_field fit_field_text = {store_text, clear_string};
const struct fit_profile_field fit_field_hyperv = {store_hyperv, NULL};
const struct fit_profile_field fit_field_page_sizes = {store_page_sizes, clear_page_sizes};
