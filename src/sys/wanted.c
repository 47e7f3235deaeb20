/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/wanted.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

void fit_wanted_clear(struct fit_wanted_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].path);
		free(list->items[i].contribution);
	}
	free(list->items);
	*list = (struct fit_wanted_list){0};
}

void fit_wanted_set(struct fit_wanted_list *list, enum fit_resource_kind kind,
	const struct fit_op *op, char *path, char *contribution)
{
	for (size_t i = 0; i < list->count; i++) {
		struct fit_wanted *wanted = &list->items[i];

		if (fit_streq(wanted->path, path)) {
			free(path);
			free(wanted->contribution);
			wanted->contribution = contribution;
			wanted->compact |= op->compact;
			return;
		}
	}
	*FIT_APPEND(list->items, list->count) = (struct fit_wanted){
		.kind = kind,
		.path = path,
		.contribution = contribution,
		.undo = op->undo,
		.compact = op->compact,
		.optional = kind == FIT_RESOURCE_IRQ || kind == FIT_RESOURCE_AUTOPROBE ||
			    kind == FIT_RESOURCE_BANNED_CPUS || kind == FIT_RESOURCE_BANNED_IRQS ||
			    fit_resource_ops(kind)->together || op->optional,
	};
}

char *fit_sibling_path(const char *path, const char *name)
{
	return fit_xasprintf("%.*s/%s", (int)(strrchr(path, '/') - path), path, name);
}
