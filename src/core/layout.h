/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * White space and places. A new element stands where libvirt would print it, behind a *lead*: the
 * white space before it, copied from its neighbours. Removing an element takes the lead along, so
 * that an insertion and its removal leave every byte as it was.
 *
 *   <cputune>           the gap between two nodes is one text node (libxml2 merges
 *     <shares/>         adjacent ones when it parses); what is inserted goes to the
 *     <vcpupin/>        start of the gap: its lead, itself, then the old gap
 *   </cputune>
 *
 * Positions count all children but text. *Placeholders* (processing instructions that the rewriter
 * puts where an element of ours was, marked by a non-NULL _private) count as nothing.
 */
#ifndef FIT_CORE_LAYOUT_H
#define FIT_CORE_LAYOUT_H

#include <stdbool.h>

#include <libxml/tree.h>

bool fit_layout_is_placeholder(const xmlNode *node);

/* Nothing inside but white space and placeholders. */
bool fit_layout_is_hollow(const xmlNode *node);

/* Inserts @node below @parent in libvirt's order. True: @parent had no content at all, and got a
 * lead for its end tag as well. */
bool fit_layout_insert(xmlNode *parent, xmlNode *node);

/* The same where @last (may be NULL), inserted by these, was the last change to the document: one
 * of the same name goes behind it without a search through all that comes after. */
bool fit_layout_insert_next(xmlNode *parent, xmlNode *node, xmlNode *last);

/* Indents the content of an element that was put where another one was, if it has no white space
 * of its own. */
void fit_layout_indent(xmlNode *node);

/* Inserts @node so that @position nodes come before it, or as the last one when there are fewer.
 * @lead: the white space before it; NULL: what its neighbours have. */
void fit_layout_insert_at(xmlNode *parent, xmlNode *node, int position, const char *lead);

/* Position of a child; for an attribute the number of attributes before it. */
int fit_layout_position(const xmlNode *node);

/* How many siblings of the same name come before it. */
int fit_layout_rank(const xmlNode *node);

/* @position, if it gives an element of this name that rank (-1: whatever it is); else the nearest
 * position that does: libvirt sorts devices by kind and keeps the order within a kind. */
int fit_layout_position_of_rank(const xmlNode *parent, const xmlChar *name, int position, int rank);

/*
 * Unlinks @node and the text before it. Returns that text when fit_layout_insert_at() would not
 * restore it from a NULL lead, else NULL; to be freed.
 */
char *fit_layout_remove(xmlNode *node);

/* Unlinks an element that fit_layout_insert() put there, with its lead. */
void fit_layout_drop(xmlNode *node);

/* Undoes an insertion that returned true: drops the lead of the end tag, or unlinks and returns it
 * (may be NULL), if nothing else is left. */
void fit_layout_close(xmlNode *parent);
xmlNode *fit_layout_take_trail(xmlNode *parent);

/* Moves an attribute that was just added to its position among the attributes. */
void fit_layout_move_attribute(xmlAttr *attribute, int position);

#endif
