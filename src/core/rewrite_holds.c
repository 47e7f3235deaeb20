/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a fitted document still as it was fitted? */
#include "core/rewrite.h"

#include <string.h>

#include "base/memory.h"
#include "core/contain.h"
#include "core/fragment.h"
#include "core/lookup.h"
#include "core/path.h"
#include "core/xml.h"

static bool facet_holds(struct fit_lookup *lookup, xmlNode *root, const struct fit_facet *facet)
{
	fit_autopath struct fit_path path = {0};
	fit_autofree char *have = NULL;
	xmlNode *element;
	xmlNode *wrote;
	bool holds;

	if (fit_path_parse(facet->path, &path, NULL) < 0)
		return false;
	element = fit_lookup_path(lookup, &path, path.step_count, root);
	if (facet->container)
		return element;
	if (path.kind == FIT_PATH_ELEMENT) {
		if (!facet->before && !facet->wrote)
			return true;
		if (!facet->wrote || !element)
			return !facet->wrote && !element;
		wrote = fit_fragment_element(root, facet->wrote, facet->path, NULL);
		holds = wrote && fit_xml_contains(element, wrote);
		xmlFreeNode(wrote);
		return holds;
	}
	have = path.kind == FIT_PATH_TEXT ? fit_xml_text(element)
					  : fit_xml_attr(element, path.attribute);
	if (facet->wrote)
		return have && fit_value_equal(have, facet->wrote);
	return !facet->before || !have || *have == '\0' ||
	       (path.attribute &&
		       fit_is_libvirt_default((const char *)element->name, path.attribute, have));
}

bool fit_rewrite_holds(xmlDoc *doc, const struct fit_record *record, char **ret_first_missing)
{
	fit_autolookup struct fit_lookup lookup = {0};

	for (size_t i = 0; i < record->facet_count; i++) {
		if (facet_holds(&lookup, xmlDocGetRootElement(doc), &record->facets[i]))
			continue;
		*ret_first_missing = fit_xstrdup(record->facets[i].path);
		return false;
	}
	return true;
}

static void list(xmlDoc *doc, const struct fit_record *record, bool held, struct fit_edits *edits)
{
	fit_autolookup struct fit_lookup lookup = {0};

	for (size_t i = 0; i < record->facet_count; i++) {
		const struct fit_facet *facet = &record->facets[i];

		/* Containers, and what came with another facet, come again by themselves. */
		if (facet->container || (!facet->before && !facet->wrote) ||
			facet_holds(&lookup, xmlDocGetRootElement(doc), facet) != held)
			continue;
		if (facet->wrote)
			fit_edits_set(edits, facet->path, facet->wrote);
		else
			fit_edits_remove(edits, facet->path);
	}
}

void fit_rewrite_list_held(
	xmlDoc *doc, const struct fit_record *record, struct fit_edits *ret_edits)
{
	list(doc, record, true, ret_edits);
}

void fit_rewrite_list_missing(
	xmlDoc *doc, const struct fit_record *record, struct fit_edits *ret_edits)
{
	list(doc, record, false, ret_edits);
}
