/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void *checked(void *pointer)
{
	if (!pointer)
		abort();
	return pointer;
}

void *fit_xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

char *fit_xstrdup(const char *text)
{
	return checked(strdup(text));
}

char *fit_xstrndup(const char *text, size_t length)
{
	return checked(strndup(text, length));
}

char *fit_xvasprintf(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		abort();
	return text;
}

char *fit_xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = fit_xvasprintf(format, args);
	va_end(args);
	return text;
}

void fit_xreplace(char **slot, const char *text)
{
	char *copy = text ? fit_xstrdup(text) : NULL;

	free(*slot);
	*slot = copy;
}

void *fit_grow(void *items, size_t count, size_t size)
{
	/* The capacity is always the power of two that holds `count`, so it need not be stored. */
	if (count == 0 || (count & (count - 1)) == 0) {
		size_t capacity = count ? 2 * count : 1;

		items = checked(reallocarray(items, capacity, size));
	}
	memset((char *)items + count * size, 0, size);
	return items;
}

void fit_free_pointer(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}
