/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/edit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"

void fit_edits_clear(struct fit_edits *edits)
{
	for (size_t i = 0; i < edits->count; i++) {
		free(edits->items[i].path);
		free(edits->items[i].value);
	}
	free(edits->items);
	*edits = (struct fit_edits){0};
}

static struct fit_edit *append(struct fit_edits *edits, const char *path)
{
	struct fit_edit *edit = FIT_APPEND(edits->items, edits->count);

	edit->path = fit_xstrdup(path);
	return edit;
}

void fit_edits_set(struct fit_edits *edits, const char *path, const char *value)
{
	append(edits, path)->value = fit_xstrdup(value);
}

void fit_edits_setf(struct fit_edits *edits, const char *path, const char *format, ...)
{
	struct fit_edit *edit = append(edits, path);
	va_list args;

	va_start(args, format);
	edit->value = fit_xvasprintf(format, args);
	va_end(args);
}

void fit_edits_remove(struct fit_edits *edits, const char *path)
{
	append(edits, path);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Is one of the elements, which are sorted, on the way to @path? */
static bool is_inside(const char *path, const struct fit_strlist *elements)
{
	fit_autofree char *way = fit_xstrdup(path);

	for (char *end = strrchr(way, '/'); end; end = strrchr(way, '/')) {
		*end = '\0';
		if (bsearch(&way, elements->items, elements->count, sizeof(*elements->items),
			    compare_texts))
			return true;
	}
	return false;
}

void fit_edits_drop_void(struct fit_edits *edits)
{
	fit_autostrlist struct fit_strlist removed = {0};
	struct fit_edits kept = {0};

	for (size_t i = 0; i < edits->count; i++) {
		if (!edits->items[i].value)
			fit_strlist_add(&removed, edits->items[i].path);
	}
	if (removed.count == 0)
		return;
	qsort(removed.items, removed.count, sizeof(*removed.items), compare_texts);
	for (size_t i = 0; i < edits->count; i++) {
		const struct fit_edit *edit = &edits->items[i];

		if (!is_inside(edit->path, &removed))
			append(&kept, edit->path)->value =
				edit->value ? fit_xstrdup(edit->value) : NULL;
	}
	fit_edits_clear(edits);
	*edits = kept;
}
