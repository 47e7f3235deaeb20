/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/lookup.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/contain.h"
#include "core/xml.h"

/* A row is long from here on. */
#define LONG_ROW 16

struct fit_lookup_entry {
	char *value;
	size_t place;  /* in the row */
	xmlNode *node; /* NULL: it was removed */
};

void fit_lookup_clear(struct fit_lookup *lookup)
{
	for (size_t i = 0; i < lookup->entry_count; i++)
		free(lookup->entries[i].value);
	free(lookup->entries);
	free(lookup->name);
	free(lookup->child);
	free(lookup->attribute);
	*lookup = (struct fit_lookup){0};
}

/* Is it one of the elements on the way "source/address"? */
static bool is_on_way(const char *way, const char *name)
{
	size_t length = strlen(name);

	while (*way) {
		size_t part = strcspn(way, "/");

		if (part == length && memcmp(way, name, length) == 0)
			return true;
		way += part + (way[part] == '/');
	}
	return false;
}

void fit_lookup_attribute_changed(struct fit_lookup *lookup, const char *name)
{
	if (fit_streq(lookup->attribute, name))
		fit_lookup_clear(lookup);
}

static const char *child_of(const struct fit_path_step *step)
{
	return step->conditions[0].child ? step->conditions[0].child : "";
}

static bool is_of(
	const struct fit_lookup *lookup, const struct fit_path_step *step, const xmlNode *parent)
{
	return lookup->parent == parent && fit_streq(lookup->name, step->name) &&
	       fit_streq(lookup->child, child_of(step)) &&
	       fit_streq(lookup->attribute, step->conditions[0].attribute);
}

/* For the next search, which may be the second one. */
static void remember(
	struct fit_lookup *lookup, const struct fit_path_step *step, const xmlNode *parent)
{
	fit_lookup_clear(lookup);
	lookup->parent = parent;
	lookup->name = fit_xstrdup(step->name);
	lookup->child = fit_xstrdup(child_of(step));
	lookup->attribute = fit_xstrdup(step->conditions[0].attribute);
}

static bool is_in_row(const struct fit_lookup *lookup, const xmlNode *node)
{
	return node->parent == lookup->parent && fit_xml_is(node, lookup->name);
}

static int compare_entries(const void *a, const void *b)
{
	const struct fit_lookup_entry *left = a, *right = b;
	int order = strcmp(left->value, right->value);

	return order ? order : (left->place > right->place) - (left->place < right->place);
}

/* One entry for each attribute at the end of the way from @holder. */
static void add_entries(struct fit_lookup *lookup, const xmlNode *holder, const char *way,
	size_t place, xmlNode *node)
{
	size_t length = strcspn(way, "/");
	fit_autofree char *name = fit_xstrndup(way, length);
	fit_autofree char *value = *way ? NULL : fit_xml_attr(holder, lookup->attribute);
	struct fit_lookup_entry *entry;

	if (*way)
		fit_xml_for_each (child, holder, name)
			add_entries(
				lookup, child, way + length + (way[length] == '/'), place, node);
	if (!value)
		return;
	entry = FIT_APPEND(lookup->entries, lookup->entry_count);
	entry->value = fit_attribute_identity(value);
	entry->place = place;
	entry->node = node;
}

static void make_table(struct fit_lookup *lookup)
{
	size_t place = 0;

	lookup->has_table = true;
	fit_xml_for_each (node, lookup->parent, lookup->name)
		add_entries(lookup, node, lookup->child, place++, node);
	if (lookup->entry_count)
		qsort(lookup->entries, lookup->entry_count, sizeof(*lookup->entries),
			compare_entries);
}

/* The first entry of the table that is not before @value. */
static size_t first_entry(const struct fit_lookup *lookup, const char *value)
{
	size_t low = 0;
	size_t high = lookup->entry_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(lookup->entries[middle].value, value) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where a second one of the same identity would come is not known without counting. */
static bool insert_entry(struct fit_lookup *lookup, struct fit_lookup_entry *entry)
{
	size_t at = first_entry(lookup, entry->value);
	size_t behind = lookup->entry_count - at;

	if (behind && strcmp(lookup->entries[at].value, entry->value) == 0) {
		if (lookup->entries[at].node ||
			(behind > 1 && strcmp(lookup->entries[at + 1].value, entry->value) == 0))
			return false;
		free(lookup->entries[at].value);
		lookup->entries[at] = *entry;
		return true;
	}
	(void)FIT_APPEND(lookup->entries, lookup->entry_count);
	memmove(&lookup->entries[at + 1], &lookup->entries[at], behind * sizeof(*entry));
	lookup->entries[at] = *entry;
	return true;
}

/* The entries of one element, to be moved. */
static struct fit_lookup own_entries(const struct fit_lookup *lookup, xmlNode *node)
{
	struct fit_lookup own = {.child = lookup->child, .attribute = lookup->attribute};

	add_entries(&own, node, lookup->child, 0, node);
	own.child = own.attribute = NULL;
	return own;
}

/* True: @node is not one of the row. */
static bool drop_if_on_way(struct fit_lookup *lookup, const xmlNode *node)
{
	if (is_in_row(lookup, node))
		return false;
	if (is_on_way(lookup->child, (const char *)node->name))
		fit_lookup_clear(lookup);
	return true;
}

void fit_lookup_element_added(struct fit_lookup *lookup, xmlNode *node)
{
	struct fit_lookup own;
	bool inserted = true;

	if (!lookup->parent || drop_if_on_way(lookup, node) || !lookup->has_table)
		return;
	own = own_entries(lookup, node);
	for (size_t i = 0; i < own.entry_count && inserted; i++) {
		inserted = insert_entry(lookup, &own.entries[i]);
		if (inserted)
			own.entries[i].value = NULL;
	}
	fit_lookup_clear(&own);
	if (!inserted)
		fit_lookup_clear(lookup);
}

/* Its place stays: whole rows are removed. */
static bool remove_entry(const struct fit_lookup *lookup, const char *value, const xmlNode *node)
{
	for (size_t i = first_entry(lookup, value); i < lookup->entry_count; i++) {
		if (strcmp(lookup->entries[i].value, value) != 0)
			return false;
		if (lookup->entries[i].node != node)
			continue;
		lookup->entries[i].node = NULL;
		return true;
	}
	return false;
}

static bool is_inside(const xmlNode *node, const xmlNode *ancestor)
{
	while (node && node != ancestor)
		node = node->parent;
	return node;
}

void fit_lookup_element_removed(struct fit_lookup *lookup, xmlNode *node)
{
	struct fit_lookup own;
	bool removed = true;

	if (is_inside(lookup->parent, node)) {
		fit_lookup_clear(lookup);
		return;
	}
	if (!lookup->parent || drop_if_on_way(lookup, node) || !lookup->has_table)
		return;
	own = own_entries(lookup, node);
	for (size_t i = 0; i < own.entry_count; i++)
		removed &= remove_entry(lookup, own.entries[i].value, node);
	fit_lookup_clear(&own);
	if (!removed)
		fit_lookup_clear(lookup);
}

/* Takes a match; true when no other is asked for. */
static bool is_enough(xmlNode *node, xmlNode **found, xmlNode **ret_other)
{
	if (*found)
		*ret_other = node;
	else
		*found = node;
	return !ret_other || *found != node;
}

static xmlNode *search_table(
	const struct fit_lookup *lookup, const struct fit_path_step *step, xmlNode **ret_other)
{
	fit_autofree char *value = fit_attribute_identity(step->conditions[0].value);
	xmlNode *found = NULL;

	for (size_t i = first_entry(lookup, value); i < lookup->entry_count; i++) {
		xmlNode *node = lookup->entries[i].node;

		if (strcmp(lookup->entries[i].value, value) != 0)
			break;
		if (node && node != found && fit_path_step_matches(step, node) &&
			is_enough(node, &found, ret_other))
			break;
	}
	return found;
}

static xmlNode *search_row(struct fit_lookup *lookup, const struct fit_path_step *step,
	const xmlNode *parent, xmlNode **ret_other)
{
	xmlNode *found = NULL;
	size_t length = 0;

	fit_xml_for_each (node, parent, step->name) {
		length++;
		if (fit_path_step_matches(step, node) && is_enough(node, &found, ret_other))
			break;
	}
	if (length >= LONG_ROW && step->condition_count)
		remember(lookup, step, parent);
	return found;
}

xmlNode *fit_lookup_step(struct fit_lookup *lookup, const struct fit_path_step *step,
	const xmlNode *parent, xmlNode **ret_other)
{
	if (ret_other)
		*ret_other = NULL;
	if (step->number || step->qemu)
		return fit_path_step_find(step, parent);
	if (!step->condition_count || !is_of(lookup, step, parent))
		return search_row(lookup, step, parent, ret_other);
	if (!lookup->has_table)
		make_table(lookup);
	return search_table(lookup, step, ret_other);
}

xmlNode *fit_lookup_path(
	struct fit_lookup *lookup, const struct fit_path *path, size_t count, xmlNode *root)
{
	xmlNode *node = root;

	for (size_t i = 0; i < count && node; i++)
		node = fit_lookup_step(lookup, &path->steps[i], node, NULL);
	return node;
}
