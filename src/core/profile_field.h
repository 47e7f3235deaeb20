/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the values of intents' attributes are stored in struct fit_profile: a kind of field each.
 * What a kind allocates it also frees.
 */
#ifndef FIT_CORE_PROFILE_FIELD_H
#define FIT_CORE_PROFILE_FIELD_H

#include "core/profile_grammar.h"

struct fit_profile_field {
	/* Stores @text into @field and gives its canonical spelling, to be freed, or NULL when it
	 * is no value of this attribute; the field is untouched then. What the field held is freed.
	 */
	char *(*store)(
		const struct fit_profile_attribute *attribute, void *field, const char *text);
	void (*clear)(void *field); /* NULL: there is nothing to free */
};

/* The attribute's words … */
extern const struct fit_profile_field fit_field_flag; /* into a bool: is the value not 0? */
extern const struct fit_profile_field fit_field_enum; /* the value into an enumeration */
extern const struct fit_profile_field fit_field_word; /* the word into a string; value 0: NULL */
/* … or a value of its type. */
extern const struct fit_profile_field fit_field_count;	/* a number, or the value of a word */
extern const struct fit_profile_field fit_field_number; /* a number of its type, or of a word */
extern const struct fit_profile_field fit_field_size;	/* KiB into a uint64_t, or of a word */
extern const struct fit_profile_field fit_field_text;	/* the canonical spelling into a string */
extern const struct fit_profile_field fit_field_hyperv; /* enlightenments into a fit_hyperv_set */
/* Kinds of one intent only: the field is the whole intent. */
extern const struct fit_profile_field fit_field_iothread_count; /* of fit_intent_iothreads */
extern const struct fit_profile_field fit_field_disk_iothreads; /* of fit_intent_disks */
extern const struct fit_profile_field fit_field_page_sizes;	/* of fit_intent_memory */

#endif
