/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles from memory. */
#ifndef FIT_TESTS_SUPPORT_PROFILE_H
#define FIT_TESTS_SUPPORT_PROFILE_H

#include "core/profile.h"
#include "core/profile_grammar.h"

/* Files by name; the file of "a" is called "a.xml". */
struct fit_test_file {
	const char *name;
	const char *text;
};

#define P(name, content) \
	{ \
		name, "<profile xmlns='" FIT_PROFILE_NAMESPACE "' name='" name \
		      "'><summary>S " name "</summary>\n" content "</profile>" \
	}

/* Composes @names (separated by spaces) of @files, which end with one without a name, with
 * parameters "name=value name=value". */
int fit_test_try_compose(const struct fit_test_file *files, const char *names, const char *params,
	struct fit_profile *profile, struct fit_err *err);

/* The same, or the test fails. To be cleared. */
struct fit_profile fit_test_compose(
	const struct fit_test_file *files, const char *names, const char *params);

#endif
