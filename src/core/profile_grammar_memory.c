/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory and the guest's NUMA cells. */
#include "core/profile_grammar_parts.h"

const struct fit_profile_attribute fit_grammar_memory[] = {
	{"nodes", &fit_field_flag, FIELD(memory, nodes_as_cpus), KEEP_OR("as-cpus"), NULL, "keep"},
	{"binding", &fit_field_flag, FIELD(memory, strict), WORDS({"strict", 1}, {"preferred", 0}),
		NULL, "preferred"},
	{"pages", &fit_field_page_sizes, 0, NULL, "sizes", "none"},
	{"compact", &fit_field_flag, FIELD(memory, compact), YES_NO, NULL, "no"},
	{"locked", &fit_field_flag, FIELD(memory, locked), YES_NO, NULL, "no"},
	{"sharepages", &fit_field_flag, FIELD(memory, no_sharing), WORDS({"no", 1}, {"keep", 0}),
		NULL, "keep"},
	{"allocation", &fit_field_flag, FIELD(memory, immediate), KEEP_OR("immediate"), NULL,
		"keep"},
	{"threads", &fit_field_count, FIELD(memory, allocation_threads),
		WORDS({"auto", FIT_ALLOCATION_THREADS_AUTO}, {"keep", 0}), "count", "keep"},
	{"source", &fit_field_flag, FIELD(memory, memfd), KEEP_OR("memfd"), NULL, "keep"},
	{"access", &fit_field_word, FIELD(memory, access),
		WORDS({"shared", 1}, {"private", 1}, {"keep", 0}), NULL, "keep"},
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_cells[] = {
	{"count", &fit_field_count, FIELD(cells, count),
		WORDS({"auto", FIT_CELLS_AUTO}, {"none", 0}), "count", "none"},
	{"distances", &fit_field_flag, FIELD(cells, mirror_distances),
		WORDS({"mirror", 1}, {"none", 0}), NULL, "mirror"},
	EXISTING,
	{0},
};
