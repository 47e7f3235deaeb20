/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/strict.h"

#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"

int fit_strict_next(const struct fit_strict *in, const xmlNode *parent, const xmlNode **child)
{
	const xmlNode *node = *child ? (*child)->next : parent->children;

	for (; node && node->type != XML_ELEMENT_NODE; node = node->next)
		if (node->type != XML_COMMENT_NODE && node->type != XML_PI_NODE &&
			!xmlIsBlankNode(node))
			return fit_strict_fail(in, node, "<%s> cannot contain text", parent->name);
	*child = node;
	return 0;
}

int fit_strict_childless(const struct fit_strict *in, const xmlNode *node)
{
	const xmlNode *child = NULL;

	if (fit_strict_next(in, node, &child) < 0)
		return -1;
	return child ? fit_strict_fail(
			       in, child, "<%s> cannot contain <%s>", node->name, child->name)
		     : 0;
}

static int unknown_attribute(const struct fit_strict *in, const xmlAttr *attr, const char *known)
{
	fit_autostrlist struct fit_strlist words = {0};
	fit_autofree char *names = NULL;

	fit_strlist_split(&words, known, " ");
	names = fit_strlist_join(&words, ", ");
	return fit_strict_fail(in, attr->parent, "<%s> has no attribute %s%s%s; it has %s",
		attr->parent->name, attr->ns ? (const char *)attr->ns->prefix : "",
		attr->ns ? ":" : "", attr->name, words.count ? names : "none");
}

/* Is @name one of the words of @known, which spaces separate? */
static bool is_known(const char *known, const char *name)
{
	size_t wanted = strlen(name);

	while (*(known += strspn(known, " "))) {
		size_t length = strcspn(known, " ");

		if (length == wanted && memcmp(known, name, length) == 0)
			return true;
		known += length;
	}
	return false;
}

int fit_strict_attributes(const struct fit_strict *in, const xmlNode *node, const char *known)
{
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
		if (attr->ns || !is_known(known, (const char *)attr->name))
			return unknown_attribute(in, attr, known);
	return 0;
}
