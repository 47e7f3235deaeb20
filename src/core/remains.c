/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/remains.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/layout.h"
#include "core/qemu_namespace.h"

struct fit_remains *fit_remains_new(void)
{
	return fit_xcalloc(1, sizeof(struct fit_remains));
}

struct fit_remain *fit_remains_add(struct fit_remains *remains, const char *path)
{
	struct fit_remain *remain = FIT_APPEND(remains->items, remains->count);

	remain->path = fit_xstrdup(path);
	remains->top = remains->count;
	return remain;
}

void fit_remains_add_restored(
	struct fit_remains *remains, const struct fit_facet *facet, int landed)
{
	struct fit_remain *remain = fit_remains_add(remains, facet->path);

	remain->restored = true;
	remain->landed = landed;
	remain->facet_position = facet->position;
	remain->facet_rank = facet->rank;
	remain->facet_lead = facet->lead ? fit_xstrdup(facet->lead) : NULL;
}

static struct fit_remain *take(struct fit_remains *remains, const char *path, bool kept)
{
	for (size_t i = remains ? remains->top : 0; i > 0; i--) {
		struct fit_remain *remain = &remains->items[i - 1];

		if (remain->taken || remain->kept != kept || strcmp(remain->path, path) != 0)
			continue;
		remain->taken = true;
		while (remains->top > 0 && remains->items[remains->top - 1].taken)
			remains->top--;
		return remain;
	}
	return NULL;
}

struct fit_remain *fit_remains_take(struct fit_remains *remains, const char *path)
{
	return take(remains, path, false);
}

void fit_remains_add_kept(struct fit_remains *remains, const char *path, bool sole)
{
	struct fit_remain *remain = fit_remains_add(remains, path);

	remain->kept = true;
	remain->sole = sole;
	remains->kept_count++;
}

bool fit_remains_take_kept(struct fit_remains *remains, const char *path, bool *ret_sole)
{
	const struct fit_remain *remain =
		remains && remains->kept_count ? take(remains, path, true) : NULL;

	if (remain)
		*ret_sole = remain->sole;
	return remain;
}

void fit_remains_add_spellings(
	struct fit_remains *remains, const struct fit_record *record, xmlNode *root)
{
	fit_autolookup struct fit_lookup lookup = {0};

	for (size_t i = 0; i < record->facet_count; i++) {
		fit_autopath struct fit_path path = {0};
		struct fit_spelling *spelling;

		if (fit_path_parse(record->facets[i].path, &path, NULL) < 0 ||
			path.step_count <= FIT_PATH_DEVICE_STEPS ||
			!path.steps[FIT_PATH_DEVICE_STEPS - 1].number)
			continue;
		spelling = FIT_APPEND(remains->spellings, remains->spelling_count);
		spelling->device = fit_lookup_path(&lookup, &path, FIT_PATH_DEVICE_STEPS, root);
		spelling->path = fit_path_format_steps(&path, FIT_PATH_DEVICE_STEPS);
	}
}

char *fit_remains_spell(const struct fit_remains *remains, struct fit_lookup *lookup,
	const struct fit_path *path, const char *text, xmlNode *root)
{
	const xmlNode *device;

	if (path->step_count <= FIT_PATH_DEVICE_STEPS)
		return NULL;
	device = fit_lookup_path(lookup, path, FIT_PATH_DEVICE_STEPS, root);
	for (size_t i = 0; i < remains->spelling_count && device; i++) {
		fit_autofree char *now = NULL;

		if (remains->spellings[i].device != device)
			continue;
		now = fit_path_format_steps(path, FIT_PATH_DEVICE_STEPS);
		return fit_xasprintf("%s%s", remains->spellings[i].path, text + strlen(now));
	}
	return NULL;
}

xmlNode *fit_remains_replace(struct fit_remains *remains, xmlNode *node)
{
	xmlNode *placeholder = xmlNewDocPI(node->doc, (const xmlChar *)"virt-fit", NULL);

	if (!placeholder)
		abort();
	placeholder->_private = remains;
	xmlReplaceNode(node, placeholder);
	return placeholder;
}

void fit_remain_put(struct fit_remain *remain, xmlNode *node)
{
	xmlReplaceNode(remain->placeholder, node);
	xmlFreeNode(remain->placeholder);
	remain->placeholder = NULL;
	if (remain->trail && (!node->next || fit_layout_is_placeholder(node->parent->last)))
		xmlAddChild(node->parent, FIT_STEAL(remain->trail));
}

static void drop_placeholder(struct fit_remain *remain)
{
	if (!remain->placeholder)
		return;
	fit_layout_drop(remain->placeholder);
	xmlFreeNode(remain->placeholder);
	remain->placeholder = NULL;
}

static bool has_placeholder(const xmlNode *node)
{
	for (const xmlNode *child = node->children; child; child = child->next)
		if (fit_layout_is_placeholder(child) ||
			(child->type == XML_ELEMENT_NODE && has_placeholder(child)))
			return true;
	return false;
}

static void drop_placeholder_inside(struct fit_remain *remain, const xmlNode *ancestor)
{
	const xmlNode *node = remain->placeholder;

	while (node && node != ancestor)
		node = node->parent;
	if (node)
		drop_placeholder(remain);
}

void fit_remains_forget(struct fit_remains *remains, const xmlNode *node)
{
	for (size_t i = 0; remains && i < remains->spelling_count; i++)
		if (remains->spellings[i].device == node)
			remains->spellings[i].device = NULL;
	if (!remains || !has_placeholder(node))
		return;
	for (size_t i = 0; i < remains->count; i++)
		drop_placeholder_inside(&remains->items[i], node);
}

static void drop_node(struct fit_remain *remain)
{
	if (remain->node)
		xmlFreeNode(remain->node);
	if (remain->trail)
		xmlFreeNode(remain->trail);
	remain->node = remain->trail = NULL;
}

void fit_remains_drop(struct fit_remains *remains)
{
	/* A container holds the placeholders of its children: all of those go first. */
	for (size_t i = 0; i < remains->count; i++)
		drop_placeholder(&remains->items[i]);
	for (size_t i = 0; i < remains->controller_count; i++)
		drop_placeholder(&remains->controller_items[i]);
	for (size_t i = 0; i < remains->count; i++)
		drop_node(&remains->items[i]);
	for (size_t i = 0; i < remains->controller_count; i++)
		drop_node(&remains->controller_items[i]);
	if (remains->qemu_declared_on)
		fit_qemu_namespace_drop(remains->qemu_declared_on);
}

static void free_items(struct fit_remain *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(items[i].path);
		free(items[i].wrote);
		free(items[i].value);
		free(items[i].facet_lead);
	}
	free(items);
}

void fit_remains_free(struct fit_remains **remains)
{
	if (!*remains)
		return;
	fit_remains_drop(*remains);
	free_items((*remains)->items, (*remains)->count);
	free_items((*remains)->controller_items, (*remains)->controller_count);
	free((*remains)->controllers);
	for (size_t i = 0; i < (*remains)->spelling_count; i++)
		free((*remains)->spellings[i].path);
	free((*remains)->spellings);
	fit_strlist_clear(&(*remains)->recreated);
	free(*remains);
	*remains = NULL;
}
