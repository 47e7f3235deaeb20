/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the elements that paths lead to. A definition may have thousands of disks, and each has
 * several facets: where a search goes through the same long row of siblings for the second time,
 * it makes a table of them by the identity that is asked for.
 *
 * Whoever changes the document meanwhile says so.
 */
#ifndef FIT_CORE_LOOKUP_H
#define FIT_CORE_LOOKUP_H

#include "core/path.h"

struct fit_lookup_entry;

/* Zeroed: nothing is known yet. */
struct fit_lookup {
	const xmlNode *parent; /* of the row */
	char *name;	       /* of its elements, and the condition they are asked for by */
	char *child;	       /* "": an attribute of their own */
	char *attribute;
	bool has_table;			  /* false: it was searched through only once */
	struct fit_lookup_entry *entries; /* by value, then as they stand in the row */
	size_t entry_count;
};

void fit_lookup_clear(struct fit_lookup *lookup);
#define fit_autolookup FIT_CLEANUP(fit_lookup_clear)

/* The child of @parent that the step leads to, NULL when there is none. *@ret_other (may be NULL):
 * another one that it leads to as well. */
xmlNode *fit_lookup_step(struct fit_lookup *lookup, const struct fit_path_step *step,
	const xmlNode *parent, xmlNode **ret_other);

/* The element that the first @count steps lead to; @root itself for 0; NULL when there is none. */
xmlNode *fit_lookup_path(
	struct fit_lookup *lookup, const struct fit_path *path, size_t count, xmlNode *root);

/* @node has been linked, or is going to be unlinked; of another one in its place both is said. */
void fit_lookup_element_added(struct fit_lookup *lookup, xmlNode *node);
void fit_lookup_element_removed(struct fit_lookup *lookup, xmlNode *node);

/* Somewhere an attribute of this name is. */
void fit_lookup_attribute_changed(struct fit_lookup *lookup, const char *name);

#endif
