/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The values that stand in profiles: in attributes of intents and as parameters. Each kind has one
 * canonical spelling, so that a profile that means the same has the same digest.
 */
#ifndef FIT_CORE_PROFILE_VALUE_H
#define FIT_CORE_PROFILE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/strlist.h"
#include "core/cpuset.h"

#define FIT_VALUE_COUNT_MAX 8192

FIT_MUST_CHECK bool fit_value_parse_count(const char *text, unsigned int *ret_count);

/* A size with its unit, nothing between: "2MiB". Not 0. */
FIT_MUST_CHECK bool fit_value_parse_size(const char *text, uint64_t *ret_kib);

/* "1GiB 2MiB none": KiB in order of preference, 0 for "none", which comes last. Each is a power of
 * two, as page sizes are on every architecture. The array is to be freed. */
FIT_MUST_CHECK bool fit_value_parse_page_sizes(
	const char *text, uint64_t **ret_sizes, size_t *ret_count);

/* vCPUs by number, a list as libvirt's, or "^" and a list: all others; "all". Those below @count.
 */
FIT_MUST_CHECK bool fit_value_parse_vcpus(
	const char *text, unsigned int count, struct fit_cpuset *ret_vcpus);

/* A time with its unit, nothing between: "10us", "2s"; of 1000 s at most. In whole @unit ("ns",
 * "us", "ms" or "s"), rounded up. */
FIT_MUST_CHECK bool fit_value_parse_time(const char *text, const char *unit, uint64_t *ret_number);

/* A MAC address of one card in lower case, NULL when @text is none. To be freed. */
char *fit_value_mac(const char *text);

/* The type of a parameter, by its name in type=; NULL when there is none such. */
struct fit_value_type;
const struct fit_value_type *fit_value_type_find(const char *name);

/* Is it the type whose values are listed in allowed=? */
bool fit_value_type_is_choice(const struct fit_value_type *type);

/* The canonical spelling of @text, or NULL when it is no value of this type. @allowed: the choices,
 * separated by spaces; NULL for other types. To be freed. */
char *fit_value_canonical(const struct fit_value_type *type, const char *allowed, const char *text);

/* What such a value is, to follow "must be". To be freed. */
char *fit_value_wanted(const struct fit_value_type *type, const char *allowed);

/* "count, size or text": for messages. To be freed. */
char *fit_value_type_names(void);

/* "a, b or c", each quoted if @quote. To be freed. */
char *fit_value_alternatives(const struct fit_strlist *words, bool quote);

#endif
