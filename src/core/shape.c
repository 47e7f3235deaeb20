/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* More than all that libvirt knows; who has met that many starts anew. */
#define SHAPES_MAX 8192

void fit_shapes_clear(struct fit_shapes *shapes)
{
	free(shapes->items);
	*shapes = (struct fit_shapes){0};
}

/* Where @shape is, or would be. */
static size_t position(const struct fit_shapes *shapes, uint64_t shape)
{
	size_t low = 0;
	size_t high = shapes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (shapes->items[middle] < shape)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_known(const struct fit_shapes *shapes, uint64_t shape)
{
	size_t at = position(shapes, shape);

	return at < shapes->count && shapes->items[at] == shape;
}

static void add(struct fit_shapes *shapes, uint64_t shape)
{
	size_t at = position(shapes, shape);

	if (at < shapes->count && shapes->items[at] == shape)
		return;
	(void)FIT_APPEND(shapes->items, shapes->count);
	memmove(&shapes->items[at + 1], &shapes->items[at],
		(shapes->count - 1 - at) * sizeof(*shapes->items));
	shapes->items[at] = shape;
}

static uint64_t extend(uint64_t shape, const xmlChar *text)
{
	/* With its end, so that what follows is not taken for more of it. */
	return text ? fit_fingerprint(shape, text, strlen((const char *)text) + 1) : shape;
}

/* What else may be in an element depends on these attributes. */
static bool decides(const xmlAttr *attr)
{
	static const char *const names[] = {"type", "model", "bus", "mode", "device", "match"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(names); i++)
		if (strcmp((const char *)attr->name, names[i]) == 0)
			return true;
	return false;
}

static uint64_t shape_of(const xmlNode *node, uint64_t above)
{
	uint64_t shape = extend(extend(above, node->ns ? node->ns->href : NULL), node->name);

	for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
		if (decides(attr) && attr->children)
			shape = extend(extend(shape, attr->name), attr->children->content);
	return shape;
}

static bool is_metadata(const xmlNode *node)
{
	return node->parent == xmlDocGetRootElement(node->doc) && !node->ns &&
	       strcmp((const char *)node->name, "metadata") == 0;
}

static void collect(const xmlNode *node, uint64_t above, struct fit_shapes *found)
{
	uint64_t shape = shape_of(node, above);

	add(found, shape);
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
		add(found, extend(extend(shape, (const xmlChar *)"@"), attr->name));
	/* Anything may be in metadata. */
	for (const xmlNode *child = node->children; child; child = child->next)
		if (child->type == XML_ELEMENT_NODE && !is_metadata(child))
			collect(child, shape, found);
}

void fit_shapes_add(struct fit_shapes *shapes, xmlDoc *doc)
{
	if (shapes->count > SHAPES_MAX)
		fit_shapes_clear(shapes);
	collect(xmlDocGetRootElement(doc), FIT_FINGERPRINT_INIT, shapes);
}

bool fit_shapes_know(const struct fit_shapes *shapes, xmlDoc *doc)
{
	struct fit_shapes found = {0};
	bool known = true;

	collect(xmlDocGetRootElement(doc), FIT_FINGERPRINT_INIT, &found);
	for (size_t i = 0; i < found.count && known; i++)
		known = is_known(shapes, found.items[i]);
	fit_shapes_clear(&found);
	return known;
}
