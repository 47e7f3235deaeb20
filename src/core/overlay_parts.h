/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by core/overlay*.c. Private to them. */
#ifndef FIT_CORE_OVERLAY_PARTS_H
#define FIT_CORE_OVERLAY_PARTS_H

#include "core/overlay.h"

/* Where a place was stated last. */
struct fit_overlay_origin {
	enum fit_existing existing;
	const char *file;
	unsigned int line;
	unsigned int round; /* which of the merges */
};

struct fit_overlay {
	xmlDoc *doc;	  /* <domain>; `_private` of a composed one: struct fit_overlay_origin */
	char *existing;	  /* as written, of one that was read */
	const char *file; /* likewise */
	struct fit_overlay_origin **origins;
	size_t origin_count;
	unsigned int rounds;
};

bool fit_overlay_has_elements(const xmlNode *node);

/* The path of @node, which is a child of what @parent leads to ("": the domain). To be freed. */
char *fit_overlay_path(const xmlNode *node, const char *parent);

/* Is there nothing in the element but its identity? */
bool fit_overlay_is_bare(const xmlNode *node);

#endif
