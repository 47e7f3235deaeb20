/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/edit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

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
	if (vasprintf(&edit->value, format, args) < 0)
		abort();
	va_end(args);
}

void fit_edits_remove(struct fit_edits *edits, const char *path)
{
	append(edits, path);
}
