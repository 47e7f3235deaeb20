/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grammar of intents as one table: which elements a profile may have, their attributes, the
 * values of each, and where they go in struct fit_profile. A new intent is an entry here, its
 * attributes in the profile_grammar_*.c of its area and a struct in core/profile.h (and, for
 * editors, a pattern in profiles/profile.rng). The order is that in which intents are listed and
 * applied step by step.
 */
#ifndef FIT_CORE_PROFILE_GRAMMAR_H
#define FIT_CORE_PROFILE_GRAMMAR_H

#include <stddef.h>

#include "core/profile.h"

#define FIT_PROFILE_ATTRIBUTES_MAX 20

struct fit_profile_word {
	const char *word;
	unsigned int value;
};

struct fit_profile_field;

struct fit_profile_attribute {
	const char *name;
	const struct fit_profile_field *field; /* how it is stored: core/profile_field.h */
	size_t offset;			       /* of the field in its intent */
	const struct fit_profile_word *words;  /* ends with {0}; NULL: none */
	const char *type;     /* of what is accepted besides the words; NULL: nothing */
	const char *unstated; /* value when no profile states it; NULL: it must be */
};

struct fit_profile_element {
	const char *parent; /* NULL: directly below <profile> */
	const char *name;
	const char *of;	   /* value of its attribute of=, which selects this entry; NULL: none */
	const char *label; /* for people */
	size_t offset;	   /* of the intent in struct fit_profile; it begins with a fit_intent */
	size_t size;	   /* of the intent */
	const struct fit_profile_attribute *attributes; /* name NULL ends */
};

extern const struct fit_profile_element fit_profile_elements[];
extern const size_t fit_profile_element_count;

#define fit_profile_for_each_attribute(attribute, element) \
	for (const struct fit_profile_attribute *attribute = (element)->attributes; \
		attribute->name; attribute++)

struct fit_intent *fit_profile_intent(
	const struct fit_profile_element *element, struct fit_profile *profile);

/* Stores @text as this attribute of @profile. Returns its canonical spelling, to be freed, or NULL
 * when it is no value of the attribute; @profile is unchanged then. */
char *fit_profile_store(const struct fit_profile_element *element,
	const struct fit_profile_attribute *attribute, struct fit_profile *profile,
	const char *text);

/* Frees what was stored; the intents are as if nobody had stated them. */
void fit_profile_clear_intent(
	const struct fit_profile_element *element, struct fit_profile *profile);
void fit_profile_clear_intents(struct fit_profile *profile);

/* What may stand in the attribute, to follow "must be". To be freed. */
char *fit_profile_attribute_wanted(const struct fit_profile_attribute *attribute);

#endif
