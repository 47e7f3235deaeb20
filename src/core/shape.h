/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which elements and attributes a definition has, and where. That is what libvirt is asked its
 * schema for: what the schema does not know, its parser drops without a word, while a value that is
 * wrong the parser refuses itself. Reading the schema takes libvirt ten times as long as a define,
 * so whoever defines again and again asks only about what he has not asked before.
 */
#ifndef FIT_CORE_SHAPE_H
#define FIT_CORE_SHAPE_H

#include <libxml/tree.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fit_shapes {
	uint64_t *items; /* sorted */
	size_t count;
};

void fit_shapes_clear(struct fit_shapes *shapes);

/* Adds all that @doc has. */
void fit_shapes_add(struct fit_shapes *shapes, xmlDoc *doc);

/* Has all of @doc been in documents that were added? */
bool fit_shapes_know(const struct fit_shapes *shapes, xmlDoc *doc);

#endif
