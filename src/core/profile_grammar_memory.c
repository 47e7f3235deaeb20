/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory. */
#include "core/profile_grammar_parts.h"

const struct fit_profile_attribute fit_grammar_memory[] = {
	{"nodes", &fit_field_flag, FIELD(memory, nodes_as_cpus), KEEP_OR("as-cpus"), NULL, "keep"},
	{"binding", &fit_field_flag, FIELD(memory, strict), WORDS({"strict", 1}, {"preferred", 0}),
		NULL, "preferred"},
	{"pages", &fit_field_page_sizes, 0, NULL, "sizes", "none"},
	{"locked", &fit_field_flag, FIELD(memory, locked), YES_NO, NULL, "no"},
	EXISTING,
	{0},
};
