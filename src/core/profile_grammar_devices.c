/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices. */
#include "core/profile_grammar_parts.h"

const struct fit_profile_attribute fit_grammar_disks[] = {
	{"iothread", &fit_field_flag, FIELD(disks, spread_iothreads), KEEP_OR("spread"), NULL,
		"keep"},
	{"cache", &fit_field_word, FIELD(disks, cache),
		WORDS({"none", 1}, {"writeback", 1}, {"writethrough", 1}, {"directsync", 1},
			{"unsafe", 1}, {"keep", 0}),
		NULL, "keep"},
	{"io", &fit_field_word, FIELD(disks, io),
		WORDS({"native", 1}, {"threads", 1}, {"io_uring", 1}, {"keep", 0}), NULL, "keep"},
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_vfs[] = {
	{"count", &fit_field_count, FIELD(vfs, count), NULL, "count", "1"},
	{"class", &fit_field_enum, FIELD(vfs, class),
		WORDS({"network", FIT_VF_NETWORK}, {"nvme", FIT_VF_NVME}), NULL, "network"},
	{"pf", &fit_field_text, FIELD(vfs, pf), NULL, "pf", "nearest"},
	{"create", &fit_field_count, FIELD(vfs, create), WORDS({"needed", 0}), "count", "needed"},
	{"as", &fit_field_enum, FIELD(vfs, as),
		WORDS({"interface", FIT_VF_AS_INTERFACE}, {"hostdev", FIT_VF_AS_HOSTDEV},
			{"network", FIT_VF_AS_NETWORK}),
		NULL, "interface"},
	{"network", &fit_field_text, FIELD(vfs, network), WORDS({"none", 0}), "text", "none"},
	{"mac", &fit_field_text, FIELD(vfs, macs), WORDS({"auto", 0}), "macs", "auto"},
	{"vlan", &fit_field_count, FIELD(vfs, vlan), WORDS({"none", 0}), "vlan", "none"},
	{"teaming", &fit_field_flag, FIELD(vfs, with_standby), WORDS({"none", 0}, {"standby", 1}),
		NULL, "none"},
	EXISTING,
	{0},
};

#define PASSTHROUGH \
	{"devices", &fit_field_flag, FIELD(passthrough, requested), \
		WORDS({"requested", 1}, {"none", 0}), NULL, "requested"}, \
	{ \
		"functions", &fit_field_flag, FIELD(passthrough, named_only), \
			WORDS({"all", 0}, {"named", 1}), NULL, "all" \
	}

const struct fit_profile_attribute fit_grammar_gpus[] = {
	PASSTHROUGH,
	{"rom", &fit_field_word, FIELD(passthrough, rom), WORDS({"on", 1}, {"off", 1}, {"keep", 0}),
		NULL, "keep"},
	{"console", &fit_field_flag, FIELD(passthrough, takes_console),
		WORDS({"keep", 0}, {"take", 1}), NULL, "keep"},
	{0},
};

const struct fit_profile_attribute fit_grammar_passthrough[] = {
	PASSTHROUGH,
	{0},
};
