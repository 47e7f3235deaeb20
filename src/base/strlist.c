/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strlist.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

void fit_strlist_clear(struct fit_strlist *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct fit_strlist){0};
}

void fit_strlist_add(struct fit_strlist *list, const char *text)
{
	*FIT_APPEND(list->items, list->count) = fit_xstrdup(text);
}

void fit_strlist_addf(struct fit_strlist *list, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = fit_xvasprintf(format, args);
	va_end(args);
	*FIT_APPEND(list->items, list->count) = text;
}

void fit_strlist_remove(struct fit_strlist *list, const char *text)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i], text) == 0)
			free(list->items[i]);
		else
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

bool fit_strlist_contains(const struct fit_strlist *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], text) == 0)
			return true;
	return false;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void fit_strlist_sort(struct fit_strlist *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare);
}

void fit_strlist_split(struct fit_strlist *list, const char *text, const char *separators)
{
	while (*(text += strspn(text, separators))) {
		size_t length = strcspn(text, separators);

		*FIT_APPEND(list->items, list->count) = fit_xstrndup(text, length);
		text += length;
	}
}

char *fit_strlist_join(const struct fit_strlist *list, const char *separator)
{
	struct fit_buffer buffer = {0};

	for (size_t i = 0; i < list->count; i++) {
		if (i)
			fit_buffer_add(&buffer, separator);
		fit_buffer_add(&buffer, list->items[i]);
	}
	return fit_buffer_steal(&buffer);
}
