/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/profile_grammar.h"

#include <stdlib.h>
#include <string.h>

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
	unsigned int count;

	if (word) {
		*(unsigned int *)field = word->value;
		return fit_xstrdup(text);
	}
	if (!fit_value_parse_count(text, &count))
		return NULL;
	*(unsigned int *)field = count;
	return fit_xasprintf("%u", count);
}

/* "auto" or a number: two fields. */
static char *store_iothread_count(
	const struct fit_profile_attribute *attribute, void *field, const char *text)
{
	struct fit_intent_iothreads *iothreads = field;
	char *canonical = store_count(attribute, &iothreads->count, text);

	if (canonical)
		iothreads->automatic = find_word(attribute, text) != NULL;
	return canonical;
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

/* The canonical spelling into a string. */
static char *store_text(
	const struct fit_profile_attribute *attribute, void *field, const char *text)
{
	char *canonical = fit_value_canonical(fit_value_type_find(attribute->type), NULL, text);

	if (canonical)
		fit_xreplace(field, canonical);
	return canonical;
}

#define WORDS(...)     ((const struct fit_profile_word[]){__VA_ARGS__, {0}})
#define KEEP_OR(other) WORDS({other, 1}, {"keep", 0})
#define YES_NO	       WORDS({"yes", 1}, {"no", 0})

/* Where the auxiliary threads may run. */
#define THREAD_PLACES \
	WORDS({"housekeeping", FIT_PLACE_HOUSEKEEPING}, {"own-core", FIT_PLACE_OWN_CORE}, \
		{"vcpus", FIT_PLACE_VCPUS}, {"node", FIT_PLACE_NODE}, {"none", FIT_PLACE_NONE})

#define EXISTING \
	{ \
		"existing", store_enum, offsetof(struct fit_intent, existing), \
			WORDS({"keep", FIT_EXISTING_KEEP}, {"replace", FIT_EXISTING_REPLACE}, \
				{"require", FIT_EXISTING_REQUIRE}), \
			NULL, "keep" \
	}

#define FIELD(intent, field) offsetof(struct fit_intent_##intent, field)
#define INTENT(field)	     offsetof(struct fit_profile, field)

const struct fit_profile_element fit_profile_elements[] = {
	{NULL, "cpu", NULL, "cpu", INTENT(cpu),
		{
			{"mode", store_flag, FIELD(cpu, host_passthrough),
				KEEP_OR("host-passthrough"), NULL, "keep"},
			{"topology", store_flag, FIELD(cpu, mirror_topology), KEEP_OR("mirror"),
				NULL, "keep"},
			{"cache", store_flag, FIELD(cpu, passthrough_cache), KEEP_OR("passthrough"),
				NULL, "keep"},
			EXISTING,
		}},
	{NULL, "vcpus", NULL, "vcpus", INTENT(vcpus),
		{
			{"place", store_enum, FIELD(vcpus, place),
				WORDS({"cores", FIT_PLACE_CORES}, {"node", FIT_PLACE_NODE},
					{"none", FIT_PLACE_NONE}),
				NULL, "none"},
			{"shared", store_flag, FIELD(vcpus, shared), YES_NO, NULL, "no"},
			{"near", store_flag, FIELD(vcpus, near_devices),
				WORDS({"devices", 1}, {"none", 0}), NULL, "none"},
			{"span", store_flag, FIELD(vcpus, span_nodes),
				WORDS({"node", 0}, {"nodes", 1}), NULL, "node"},
			EXISTING,
		}},
	{NULL, "emulator", NULL, "emulator", INTENT(emulator),
		{
			{"place", store_enum, FIELD(emulator, place), THREAD_PLACES, NULL, "none"},
			EXISTING,
		}},
	{NULL, "iothreads", NULL, "iothreads", INTENT(iothreads),
		{
			{"count", store_iothread_count, 0, WORDS({"auto", 0}), "count", "auto"},
			{"place", store_enum, FIELD(iothreads, place), THREAD_PLACES, NULL, "none"},
			EXISTING,
		}},
	{NULL, "disks", NULL, "disks", INTENT(disks),
		{
			{"iothread", store_flag, FIELD(disks, spread_iothreads), KEEP_OR("spread"),
				NULL, "keep"},
			{"cache", store_word, FIELD(disks, cache),
				WORDS({"none", 1}, {"writeback", 1}, {"writethrough", 1},
					{"directsync", 1}, {"unsafe", 1}, {"keep", 0}),
				NULL, "keep"},
			{"io", store_word, FIELD(disks, io),
				WORDS({"native", 1}, {"threads", 1}, {"io_uring", 1}, {"keep", 0}),
				NULL, "keep"},
			EXISTING,
		}},
	{NULL, "memory", NULL, "memory", INTENT(memory),
		{
			{"nodes", store_flag, FIELD(memory, nodes_as_cpus), KEEP_OR("as-cpus"),
				NULL, "keep"},
			{"binding", store_flag, FIELD(memory, strict),
				WORDS({"strict", 1}, {"preferred", 0}), NULL, "preferred"},
			{"pages", store_page_sizes, 0, NULL, "sizes", "none"},
			{"locked", store_flag, FIELD(memory, locked), YES_NO, NULL, "no"},
			EXISTING,
		}},
	{NULL, "interrupts", "others", "interrupts of others", INTENT(interrupts),
		{
			{"to", store_flag, FIELD(interrupts, others_elsewhere),
				KEEP_OR("elsewhere"), NULL, NULL},
		}},
	{NULL, "interrupts", "devices", "interrupts of devices", INTENT(interrupts),
		{
			{"to", store_enum, FIELD(interrupts, devices_to),
				WORDS({"vcpus", FIT_PLACE_VCPUS},
					{"housekeeping", FIT_PLACE_HOUSEKEEPING},
					{"node", FIT_PLACE_NODE}, {"keep", FIT_PLACE_NONE}),
				NULL, NULL},
		}},
	{NULL, "vfs", NULL, "vfs", INTENT(vfs),
		{
			{"count", store_count, FIELD(vfs, count), NULL, "count", "1"},
			{"class", store_enum, FIELD(vfs, class),
				WORDS({"network", FIT_VF_NETWORK}, {"nvme", FIT_VF_NVME}), NULL,
				"network"},
			{"pf", store_text, FIELD(vfs, pf), NULL, "pf", "nearest"},
			{"create", store_count, FIELD(vfs, create), WORDS({"needed", 0}), "count",
				"needed"},
			EXISTING,
		}},
	{"host", "governor", NULL, "host governor", INTENT(governor),
		{
			{"value", store_text, FIELD(governor, value), NULL, "text", "performance"},
			{"missing", store_flag, FIELD(governor, missing_refuse),
				WORDS({"warn", 0}, {"refuse", 1}), NULL, "warn"},
		}},
};

const size_t fit_profile_element_count = FIT_ARRAY_SIZE(fit_profile_elements);

struct fit_intent *fit_profile_intent(
	const struct fit_profile_element *element, struct fit_profile *profile)
{
	return (struct fit_intent *)((char *)profile + element->offset);
}

char *fit_profile_store(const struct fit_profile_element *element,
	const struct fit_profile_attribute *attribute, struct fit_profile *profile,
	const char *text)
{
	return attribute->store(
		attribute, (char *)fit_profile_intent(element, profile) + attribute->offset, text);
}

char *fit_profile_attribute_wanted(const struct fit_profile_attribute *attribute)
{
	fit_autostrlist struct fit_strlist words = {0};
	fit_autofree char *alternatives = NULL;
	fit_autofree char *other = NULL;

	for (const struct fit_profile_word *word = attribute->words; word && word->word; word++)
		fit_strlist_add(&words, word->word);
	alternatives = fit_value_alternatives(&words, true);
	if (!attribute->type)
		return FIT_STEAL(alternatives);
	other = fit_value_wanted(fit_value_type_find(attribute->type), NULL);
	return words.count ? fit_xasprintf("%s or %s", alternatives, other) : FIT_STEAL(other);
}
