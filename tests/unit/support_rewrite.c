/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "base/memory.h"
#include "core/rewrite.h"
#include "core/xml.h"
#include "support_rewrite.h"

static void apply(xmlDoc *doc, const struct fit_edits *edits, struct fit_remains *remains)
{
	static const struct fit_record info = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_rewrite_apply(doc, "vm.xml", edits, &info, remains, &err) < 0)
		fail_msg("%s", err.message);
}

static void undo(xmlDoc *doc, struct fit_remains **ret_remains)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_rewrite_undo(doc, "vm.xml", &notes, ret_remains, &err) < 0)
		fail_msg("%s", err.message);
	if (notes.count)
		fail_msg("%s", notes.items[0]);
}

void fit_test_apply(xmlDoc *doc, const struct fit_edits *edits)
{
	apply(doc, edits, NULL);
}

void fit_test_check_rewriting(xmlDoc *doc, const struct fit_edits *edits)
{
	fit_autodoc xmlDoc *copy = xmlCopyDoc(doc, 1);
	fit_autofree char *before = fit_xml_print(copy);
	fit_autofree char *fitted = NULL;
	fit_autofree char *again = NULL;
	fit_autofree char *reverted = NULL;
	struct fit_remains *remains = NULL;

	apply(copy, edits, NULL);
	fitted = fit_xml_print(copy);
	undo(copy, &remains);
	apply(copy, edits, remains);
	fit_remains_free(&remains);
	again = fit_xml_print(copy);
	assert_string_equal(again, fitted);
	undo(copy, NULL);
	reverted = fit_xml_print(copy);
	assert_string_equal(reverted, before);
}
