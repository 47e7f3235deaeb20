/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One profile file, as written: checked against the grammar, but parameters are not yet put in and
 * nothing is composed. Internal to core/profile_*.c.
 */
#ifndef FIT_CORE_PROFILE_PARSE_H
#define FIT_CORE_PROFILE_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/profile.h"
#include "core/profile_grammar.h"
#include "core/profile_value.h"
#include "core/profile_write.h"

struct fit_profile_include {
	char *name;
	unsigned int line;
};

/* An intent as one file states it. */
struct fit_profile_statement {
	const struct fit_profile_element *element;
	char *texts[FIT_PROFILE_ATTRIBUTES_MAX]; /* as element->attributes; NULL: not stated */
	unsigned int line;
};

struct fit_profile_source {
	const char *file; /* as given to fit_profile_parse() */
	char *summary;
	struct fit_profile_include *includes;
	size_t include_count;
	struct fit_profile_param *params; /* `value` is NULL, `fallback` is canonical */
	size_t param_count;
	struct fit_profile_statement *statements;
	size_t statement_count;
	struct fit_host_writes writes;
	struct fit_overlay *overlay; /* NULL: none */
};

void fit_profile_source_clear(struct fit_profile_source *source);
void fit_profile_param_clear(struct fit_profile_param *param);

/* @file must outlive the source. */
int fit_profile_parse(const char *name, const char *file, const char *text, size_t length,
	struct fit_profile_source *ret_source, struct fit_err *err);

/* The parameter name in a "${name}" at @text; *ret_end points behind it. NULL when @text does not
 * begin with a well-formed reference. To be freed. */
char *fit_profile_reference(const char *text, const char **ret_end);

#endif
