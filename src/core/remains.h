/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What undo leaves behind for apply, inside the rewriter. Facets are undone last to first and
 * applied first to last, so the remains are a stack: for a path that occurs twice, the one that was
 * left last is the one that is wanted first.
 */
#ifndef FIT_CORE_REMAINS_H
#define FIT_CORE_REMAINS_H

#include "core/lookup.h"
#include "core/rewrite.h"

struct fit_remain {
	char *path;
	xmlNode *node;	      /* the element as it was, unlinked and owned; NULL for values */
	xmlNode *placeholder; /* in its place; NULL when something else stands there */
	char *wrote;	      /* what of it was ours, as XML; NULL for containers */
	char *value;	      /* an attribute or text as it was */
	int position;	      /* of the attribute then */
	xmlNode *trail;	      /* sole elements: the lead of the parent's end tag, unlinked */
	bool sole;	      /* as in its facet */
	bool taken;
	bool kept; /* a container that stayed in the document with what others put into it */
	/* Something we had removed is there again: at @landed, which is not where the facet says if
	 * libvirt has changed the order. Removed from there, it gets the facet it had. */
	bool restored;
	int landed;
	int facet_position;
	int facet_rank;
	char *facet_lead;
};

/* A device that the record has by its number, because it had no better identity before libvirt
 * gave it one. It keeps that name, or every path would change with the first define. */
struct fit_spelling {
	const xmlNode *device;
	char *path;
};

struct fit_remains {
	struct fit_remain *items;
	size_t count;
	size_t top;	   /* items from here on are taken */
	size_t kept_count; /* of the items */
	char *controllers; /* of the record */
	bool had_metadata; /* likewise */
	/* The root, on which the record says that we declared the namespace of <qemu:override>, or
	 * NULL. */
	xmlNode *qemu_declared_on;
	/* PCI controllers that libvirt added for our devices, with their placeholders. */
	struct fit_remain *controller_items;
	size_t controller_count;
	struct fit_spelling *spellings;
	size_t spelling_count;
	/* Elements that undo created because libvirt had dropped them when they were empty. */
	struct fit_strlist recreated;
};

struct fit_remains *fit_remains_new(void);

/* The container at @path stayed: whether it is still ours depends on what is put into it again. */
void fit_remains_add_kept(struct fit_remains *remains, const char *path, bool sole);
bool fit_remains_take_kept(struct fit_remains *remains, const char *path, bool *ret_sole);

/* To be filled by the caller; its path is a copy of @path. */
struct fit_remain *fit_remains_add(struct fit_remains *remains, const char *path);

/* The remain of @path, once; NULL when there is none or @remains is NULL. */
struct fit_remain *fit_remains_take(struct fit_remains *remains, const char *path);

/* The remain of something that was put back for @facet. */
void fit_remains_add_restored(
	struct fit_remains *remains, const struct fit_facet *facet, int landed);

/* Notes what the record calls the devices of the document, which is undone now. */
void fit_remains_add_spellings(
	struct fit_remains *remains, const struct fit_record *record, xmlNode *root);

/* What the record called the device that @path, written as @text, leads to: @text with that, to be
 * freed; NULL: nothing. */
char *fit_remains_spell(const struct fit_remains *remains, struct fit_lookup *lookup,
	const struct fit_path *path, const char *text, xmlNode *root);

/* Unlinks @node and puts a placeholder there. */
xmlNode *fit_remains_replace(struct fit_remains *remains, xmlNode *node);

/* Unlinks the placeholder and puts @node there. */
void fit_remain_put(struct fit_remain *remain, xmlNode *node);

/* @node goes, and with it the places inside it: the record must not have them. */
void fit_remains_forget(struct fit_remains *remains, const xmlNode *node);

/* Drops placeholders and elements that were not taken. */
void fit_remains_drop(struct fit_remains *remains);

#endif
