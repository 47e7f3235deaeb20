/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vCPUs and the threads beside them. */
#include "core/profile_grammar_parts.h"

/* Where the auxiliary threads may run. */
#define THREAD_PLACES \
	WORDS({"housekeeping", FIT_PLACE_HOUSEKEEPING}, {"own-core", FIT_PLACE_OWN_CORE}, \
		{"vcpus", FIT_PLACE_VCPUS}, {"node", FIT_PLACE_NODE}, {"none", FIT_PLACE_NONE})

const struct fit_profile_attribute fit_grammar_vcpus[] = {
	{"place", &fit_field_enum, FIELD(vcpus, place),
		WORDS({"cores", FIT_PLACE_CORES}, {"node", FIT_PLACE_NODE},
			{"none", FIT_PLACE_NONE}),
		NULL, "none"},
	{"shared", &fit_field_flag, FIELD(vcpus, shared), YES_NO, NULL, "no"},
	{"near", &fit_field_flag, FIELD(vcpus, near_devices), WORDS({"devices", 1}, {"none", 0}),
		NULL, "none"},
	{"span", &fit_field_flag, FIELD(vcpus, span_nodes), WORDS({"node", 0}, {"nodes", 1}), NULL,
		"node"},
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_emulator[] = {
	{"place", &fit_field_enum, FIELD(emulator, place), THREAD_PLACES, NULL, "none"},
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_iothreads[] = {
	{"count", &fit_field_iothread_count, 0, WORDS({"auto", 0}), "count", "auto"},
	{"place", &fit_field_enum, FIELD(iothreads, place), THREAD_PLACES, NULL, "none"},
	EXISTING,
	{0},
};
