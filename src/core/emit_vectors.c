/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MSI-X vectors of virtio devices. Libvirt has no setting for them, so it is QEMU's own property,
 * by <qemu:override>. That names a device by its alias, and only an alias of the user's ("ua-…") is
 * there before libvirt gives out its own.
 */
#include "core/emit_parts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/alias.h"

#define USER_ALIAS "ua-"
#define PROPERTY \
	"qemu:override/qemu:device[@alias='%s']/qemu:frontend/qemu:property[@name='vectors']"

/* The user's own alias of the device, or one that it gets. */
static char *choose_alias(const struct fit_emitter *emitter, const struct fit_vectors *vectors)
{
	fit_autofree char *path = fit_xasprintf("%s/alias", vectors->path);
	fit_autofree char *attribute = fit_xasprintf("%s/@name", path);
	char *alias = fit_emit_found(emitter, attribute);

	if (alias && fit_starts_with(alias, USER_ALIAS))
		return alias;
	free(alias);
	if (vectors->given)
		return fit_xstrdup(vectors->given);
	alias = fit_alias_make(emitter->domain, "%s", vectors->alias);
	fit_edits_setf(emitter->edits, path, "<alias name='%s'/>", alias);
	return alias;
}

/* The queues that the device will have: what was just written, or is in the definition. */
static unsigned int final_queues(
	const struct fit_emitter *emitter, const struct fit_vectors *vectors)
{
	fit_autofree char *path = fit_xasprintf("%s/driver/@queues", vectors->path);
	fit_autofree char *found = fit_emit_found(emitter, path);
	const struct fit_edits *edits = emitter->edits;
	uint64_t queues;

	for (size_t i = edits->count; i > 0; i--)
		if (fit_streq(edits->items[i - 1].path, path))
			fit_xreplace(&found, edits->items[i - 1].value);
	if (!found || !fit_parse_uint(found, UINT16_MAX, &queues) || queues == 0)
		return vectors->queues_unstated;
	return (unsigned int)queues;
}

int fit_emit_vectors(const struct fit_emitter *emitter, const struct fit_vectors *vectors)
{
	fit_autofree char *what = fit_xasprintf("vectors of %s", vectors->device);
	unsigned int count = vectors->wanted;
	fit_autofree char *why = NULL;
	fit_autofree char *alias = NULL;
	fit_autofree char *text = NULL;
	fit_autofree char *type = NULL;
	fit_autofree char *value = NULL;
	int decision;

	if (!count)
		return 0;
	if (!fit_target_has(emitter->target, emitter->domain, FIT_FEATURE_VIRTIO_VECTORS, &why)) {
		fit_plan_reason(emitter->plan, FIT_REASON_NOTE, vectors->topic,
			"%s is left out: %s", what, why);
		return 0;
	}
	if (count == FIT_AUTO)
		count = vectors->per_queue * final_queues(emitter, vectors) + vectors->others;
	alias = choose_alias(emitter, vectors);
	text = fit_xasprintf("%u", count);
	type = fit_xasprintf(PROPERTY "/@type", alias);
	value = fit_xasprintf(PROPERTY "/@value", alias);
	decision = fit_emit_setting(emitter, vectors->intent,
		&(struct fit_setting){.topic = vectors->topic,
			.what = what,
			.path = value,
			.value = text,
			.feature = FIT_FEATURE_VIRTIO_VECTORS});
	if (decision > 0)
		fit_edits_set(emitter->edits, type, "unsigned");
	return decision;
}
