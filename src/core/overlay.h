/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The overlay: literal libvirt XML in a profile, for all that has no intent of its own.
 *
 *   <domain existing="replace">
 *     <features><pmu state="off"/></features>
 *     <devices><disk><target dev="vda"/><driver discard="unmap"/></disk></devices>
 *   </domain>
 *
 * Its elements are libvirt's, in the profile's namespace or in none. They are merged into a
 * definition attribute by attribute; which element is meant is told by libvirt's own identities
 * (core/overlay_step.h). A *place* is an attribute, a text or an element without either. Overlays
 * of several profiles compose left to right, and the last one wins place by place; what an overlay
 * says wins over intents, whoever states them; existing= says what happens where the definition
 * has something else. The name, the uuid and the metadata of a domain are out of bounds.
 */
#ifndef FIT_CORE_OVERLAY_H
#define FIT_CORE_OVERLAY_H

#include <libxml/tree.h>

#include "base/err.h"
#include "base/strlist.h"
#include "core/edit.h"
#include "core/profile.h"

/* @domain: the element of a profile, in @file, which must outlive the overlay. Refuses what cannot
 * be merged, with file and line. Parameters are not put in yet. */
int fit_overlay_read(const xmlNode *domain, const char *file, struct fit_overlay **ret_overlay,
	struct fit_err *err);

void fit_overlay_free(struct fit_overlay *overlay);

/* Puts parameters into @text, which stands in line @line. *ret_text is to be freed. */
typedef int (*fit_overlay_substitute)(
	void *context, unsigned int line, const char *text, char **ret_text);

/* Lays what @from says, with its parameters put in, over *into (NULL: nothing yet). */
int fit_overlay_merge(struct fit_overlay **into, const struct fit_overlay *from,
	fit_overlay_substitute substitute, void *context, struct fit_err *err);

struct fit_overlay_place {
	char *path;  /* as in core/edit.h */
	char *value; /* "" for an element */
	enum fit_existing existing;
	const char *file;
	unsigned int line;
};

/* All places, in document order. The array and what is in it is to be freed. */
size_t fit_overlay_places(const struct fit_overlay *overlay, struct fit_overlay_place **ret_places);
void fit_overlay_places_free(struct fit_overlay_place *places, size_t count);

/* What an overlay does to a definition. */
struct fit_overlay_effect {
	struct fit_edits edits;
	struct fit_strlist covered; /* paths of all places that are as the overlay says */
	struct fit_strlist kept;    /* sentences: what the definition has instead */
};

void fit_overlay_effect_clear(struct fit_overlay_effect *effect);

/* FIT_ERR_REFUSED: existing="require", and the definition has something else. */
int fit_overlay_emit(const struct fit_overlay *overlay, xmlDoc *doc, const char *name,
	struct fit_overlay_effect *ret_effect, struct fit_err *err);

/* Appends to the effect's edits those of @edits (moved; @edits is empty then) that do not touch
 * what the overlay covers. @ret_dropped gets the paths of the others. */
void fit_overlay_join(struct fit_overlay_effect *effect, struct fit_edits *edits,
	struct fit_strlist *ret_dropped);

#endif
