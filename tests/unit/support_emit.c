/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_emit.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/fragment.h"
#include "core/path.h"
#include "core/xml.h"
#include "support.h"
#include "support_domain.h"
#include "support_plan.h"

static int load(void *context, const char *name, char **ret_path, char **ret_text,
	size_t *ret_length, struct fit_err *err FIT_UNUSED)
{
	*ret_path = fit_xstrdup("p.xml");
	*ret_text = fit_xasprintf("<profile xmlns='%s' name='%s'><summary>s</summary>%s</profile>",
		FIT_PROFILE_NAMESPACE, name, (const char *)context);
	*ret_length = strlen(*ret_text);
	return 0;
}

struct fit_profile fit_test_profile(const char *intents)
{
	fit_autostrlist struct fit_strlist names = {0};
	fit_autofree char *context = fit_xstrdup(intents);
	struct fit_profile profile = {0};
	struct fit_err err = FIT_ERR_INIT;

	fit_strlist_add(&names, "p");
	if (fit_profile_compose(&names, NULL, 0, load, context, &profile, &err) < 0)
		fail_msg("%s\n%s", err.message, intents);
	return profile;
}

static void check_edit(const struct fit_edit *edit)
{
	fit_autodoc xmlDoc *doc = fit_test_parse("<x xmlns:qemu='" FIT_QEMU_NAMESPACE "'/>");
	fit_autopath struct fit_path path = {0};
	struct fit_err err = FIT_ERR_INIT;
	xmlNode *element;

	if (fit_path_parse(edit->path, &path, &err) < 0)
		fail_msg("%s: %s", edit->path, err.message);
	if (!fit_path_is_editable(&path))
		fail_msg("%s is not ours to change", edit->path);
	if (!edit->value || path.kind != FIT_PATH_ELEMENT)
		return;
	element = fit_fragment_element(xmlDocGetRootElement(doc), edit->value, edit->path, &err);
	if (!element)
		fail_msg("%s", err.message);
	if (!fit_path_step_matches(&path.steps[path.step_count - 1], element))
		fail_msg("%s does not find %s", edit->path, edit->value);
	xmlFreeNode(element);
}

void fit_test_check_emitted(const struct fit_plan *plan, const struct fit_edits *edits)
{
	for (size_t i = 0; i < edits->count; i++)
		check_edit(&edits->items[i]);
	fit_test_check_reasons(plan);
}
