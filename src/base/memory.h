/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocation that cannot fail: out of memory aborts. The host state is journalled before every
 * write, so an abort leaves nothing that the next call cannot undo.
 */
#ifndef FIT_BASE_MEMORY_H
#define FIT_BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/attr.h"

void *fit_xcalloc(size_t count, size_t size) __attribute__((returns_nonnull));
char *fit_xstrdup(const char *text) __attribute__((returns_nonnull));
char *fit_xstrndup(const char *text, size_t length) __attribute__((returns_nonnull));
char *fit_xasprintf(const char *format, ...) FIT_PRINTF(1, 2) __attribute__((returns_nonnull));
char *fit_xvasprintf(const char *format, va_list args) FIT_PRINTF(1, 0)
	__attribute__((returns_nonnull));

/* Replaces *@slot by a copy of @text (NULL clears), freeing what was there. */
void fit_xreplace(char **slot, const char *text);

/* Room for one more element of @size bytes at the end of the @count elements at @items; new memory
 * is zeroed. Returns the array, to be assigned back. Grows by powers of two. */
void *fit_grow(void *items, size_t count, size_t size) __attribute__((returns_nonnull));

/* Appends a zeroed element to the array `items` of `count` elements and gives its address. */
#define FIT_APPEND(items, count) \
	((items) = fit_grow((items), (count), sizeof(*(items))), &(items)[(count)++])

void fit_free_pointer(void *pointer_to_pointer);
#define fit_autofree FIT_CLEANUP(fit_free_pointer)

/* Gives the value of a cleanup variable away and clears it. */
#define FIT_STEAL(variable) \
	({ \
		__typeof__(variable) fit_stolen_ = (variable); \
		(variable) = NULL; \
		fit_stolen_; \
	})

#endif
