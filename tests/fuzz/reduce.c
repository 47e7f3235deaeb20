/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Smaller by halving: of the nodes of a document, ever smaller runs are left out as long as what is
 * looked for remains. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/xml.h"

struct nodes {
	xmlNode **items;
	size_t count;
};

static void collect(struct nodes *nodes, xmlNode *node)
{
	for (; node; node = node->next) {
		*FIT_APPEND(nodes->items, nodes->count) = node;
		if (node->type != XML_ELEMENT_NODE)
			continue;
		for (xmlAttr *attr = node->properties; attr; attr = attr->next)
			*FIT_APPEND(nodes->items, nodes->count) = (xmlNode *)attr;
		collect(nodes, node->children);
	}
}

/* @text without @count of its nodes from @first on; NULL when there are no such. */
static char *without(const char *text, size_t first, size_t count)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(text, strlen(text), "reduced", NULL);
	struct nodes nodes = {0};
	char *result = NULL;

	if (!doc)
		return NULL;
	collect(&nodes, xmlDocGetRootElement(doc)->children);
	if (first < nodes.count) {
		size_t end = first + count < nodes.count ? first + count : nodes.count;

		/* All are unlinked before one is freed: some are inside of others. */
		for (size_t i = first; i < end; i++)
			xmlUnlinkNode(nodes.items[i]);
		for (size_t i = first; i < end; i++)
			if (nodes.items[i]->type == XML_ATTRIBUTE_NODE)
				xmlFreeProp((xmlAttr *)nodes.items[i]);
			else
				xmlFreeNode(nodes.items[i]);
		result = fit_xml_print(doc);
	}
	free(nodes.items);
	return result;
}

static size_t count_nodes(const char *text)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(text, strlen(text), "reduced", NULL);
	struct nodes nodes = {0};

	if (doc)
		collect(&nodes, xmlDocGetRootElement(doc)->children);
	free(nodes.items);
	return nodes.count;
}

/* True: @slot is smaller now. */
static bool reduce_once(struct fit_fuzz_case *c, char **slot, size_t run,
	bool (*still)(const struct fit_fuzz_case *c, void *context), void *context)
{
	bool smaller = false;
	size_t first = 0;
	char *shorter;

	while ((shorter = without(*slot, first, run))) {
		char *had = *slot;

		*slot = shorter;
		if (still(c, context)) {
			free(had);
			smaller = true;
			continue;
		}
		*slot = had;
		free(shorter);
		first += run;
	}
	return smaller;
}

void fit_fuzz_reduce(struct fit_fuzz_case *c,
	bool (*still)(const struct fit_fuzz_case *c, void *context), void *context)
{
	char **const slots[] = {&c->domain, &c->profiles[0], &c->profiles[1]};
	bool smaller = true;

	while (smaller) {
		smaller = false;
		for (size_t i = 0; i < FIT_ARRAY_SIZE(slots); i++)
			for (size_t run = count_nodes(*slots[i]); run > 0; run /= 2)
				smaller |= reduce_once(c, slots[i], run, still, context);
	}
}
