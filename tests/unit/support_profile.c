/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_profile.h"

static int load(void *context, const char *name, char **ret_path, char **ret_text,
	size_t *ret_length, struct fit_err *err)
{
	for (const struct fit_test_file *file = context; file->name; file++) {
		if (strcmp(file->name, name) != 0)
			continue;
		*ret_path = fit_xasprintf("%s.xml", name);
		*ret_text = fit_xstrdup(file->text);
		*ret_length = strlen(file->text);
		return 0;
	}
	return fit_err_set(err, FIT_ERR_NOTFOUND, "there is no profile \"%s\"", name);
}

int fit_test_try_compose(const struct fit_test_file *files, const char *names, const char *params,
	struct fit_profile *profile, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist list = {0};
	fit_autostrlist struct fit_strlist pairs = {0};
	struct fit_param given[4] = {0};
	struct fit_test_file copy[8] = {0};
	size_t count;
	int status;

	for (size_t i = 0; files[i].name; i++)
		copy[i] = files[i];
	fit_strlist_split(&list, names, " ");
	fit_strlist_split(&pairs, params, " ");
	for (count = 0; count < pairs.count; count++) {
		char *equals = strchr(pairs.items[count], '=');

		*equals = '\0';
		given[count] = (struct fit_param){pairs.items[count], equals + 1};
	}
	status = fit_profile_compose(&list, given, count, load, copy, profile, err);
	return status;
}

struct fit_profile fit_test_compose(
	const struct fit_test_file *files, const char *names, const char *params)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_profile profile = {0};

	if (fit_test_try_compose(files, names, params, &profile, &err) < 0)
		fail_msg("%s: %s", names, err.message);
	return profile;
}
