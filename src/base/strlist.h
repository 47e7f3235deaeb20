/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of strings that owns its items. Zero-initialised is empty. */
#ifndef FIT_BASE_STRLIST_H
#define FIT_BASE_STRLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct fit_strlist {
	char **items;
	size_t count;
};

void fit_strlist_clear(struct fit_strlist *list);
void fit_strlist_add(struct fit_strlist *list, const char *text);
void fit_strlist_addf(struct fit_strlist *list, const char *format, ...) FIT_PRINTF(2, 3);
void fit_strlist_remove(struct fit_strlist *list, const char *text); /* each that is equal */
bool fit_strlist_contains(const struct fit_strlist *list, const char *text);

void fit_strlist_sort(struct fit_strlist *list); /* by bytes */

/* Adds the words of @text, separated by any of the characters in @separators; empty words are
 * skipped. */
void fit_strlist_split(struct fit_strlist *list, const char *text, const char *separators);

/* The items with @separator between them; to be freed. */
char *fit_strlist_join(const struct fit_strlist *list, const char *separator);

#define fit_autostrlist FIT_CLEANUP(fit_strlist_clear)

#endif
