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
		free(list->items[i].found);
	}
	free(list->items);
	*list = (struct fit_wanted_list){0};
}

struct fit_wanted *fit_wanted_set(struct fit_wanted_list *list, enum fit_resource_kind kind,
	const struct fit_op *op, char *path, char *contribution)
{
	uint64_t hash = fit_text_hash(path);
	struct fit_wanted *wanted;

	for (size_t i = 0; i < list->count; i++) {
		wanted = &list->items[i];
		if (wanted->hash == hash && fit_streq(wanted->path, path)) {
			free(path);
			free(wanted->contribution);
			wanted->contribution = contribution;
			wanted->compact |= op->compact;
			return wanted;
		}
	}
	wanted = FIT_APPEND(list->items, list->count);
	*wanted = (struct fit_wanted){
		.kind = kind,
		.path = path,
		.hash = hash,
		.contribution = contribution,
		.undo = op->undo,
		.compact = op->compact,
		.optional = kind == FIT_RESOURCE_IRQ || kind == FIT_RESOURCE_AUTOPROBE ||
			    kind == FIT_RESOURCE_BANNED_CPUS || kind == FIT_RESOURCE_BANNED_IRQS ||
			    fit_resource_ops(kind)->together || op->optional,
	};
	return wanted;
}

int fit_wanted_lacks(struct fit_expansion *expansion, const struct fit_op *op, const char *message,
	struct fit_err *err)
{
	if (!op->optional)
		return fit_err_set(err, FIT_ERR_REFUSED, "%s", message);
	if (expansion->notes)
		fit_strlist_add(expansion->notes, message);
	return 0;
}

char *fit_sibling_path(const char *path, const char *name)
{
	return fit_xasprintf("%.*s/%s", (int)(strrchr(path, '/') - path), path, name);
}
