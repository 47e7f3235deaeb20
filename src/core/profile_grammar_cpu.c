/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's CPU. */
#include "core/profile_grammar_parts.h"

const struct fit_profile_attribute fit_grammar_cpu[] = {
	{"mode", &fit_field_flag, FIELD(cpu, host_passthrough), KEEP_OR("host-passthrough"), NULL,
		"keep"},
	{"topology", &fit_field_flag, FIELD(cpu, mirror_topology), KEEP_OR("mirror"), NULL, "keep"},
	{"cache", &fit_field_flag, FIELD(cpu, passthrough_cache), KEEP_OR("passthrough"), NULL,
		"keep"},
	EXISTING,
	{0},
};
