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
	{"dedicated", &fit_field_text, FIELD(vcpus, dedicated), WORDS({"all", 0}), "vcpus", "all"},
	{"near", &fit_field_flag, FIELD(vcpus, near_devices), WORDS({"devices", 1}, {"none", 0}),
		NULL, "none"},
	{"span", &fit_field_flag, FIELD(vcpus, span_nodes), WORDS({"node", 0}, {"nodes", 1}), NULL,
		"node"},
	{"pin", &fit_field_flag, FIELD(vcpus, pin_set), WORDS({"one", 0}, {"set", 1}), NULL, "one"},
	SCHEDULING(vcpus),
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_emulator[] = {
	{"place", &fit_field_enum, FIELD(emulator, place), THREAD_PLACES, NULL, "none"},
	SCHEDULING(emulator),
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_iothreads[] = {
	{"count", &fit_field_iothread_count, 0,
		WORDS({"auto", 0}, {"per-disk", FIT_IOTHREADS_PER_DISK},
			{"per-node", FIT_IOTHREADS_PER_NODE}),
		"count", "auto"},
	{"place", &fit_field_enum, FIELD(iothreads, place), THREAD_PLACES, NULL, "none"},
	SCHEDULING(iothreads),
	{"poll-max", &fit_field_number, FIELD(iothreads, poll_max),
		WORDS({"off", FIT_IOTHREADS_POLL_OFF}, {"keep", 0}), "nanoseconds", "keep"},
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_shares[] = {
	{"value", &fit_field_number, FIELD(shares, value), WORDS({"keep", 0}), "shares", NULL},
	EXISTING,
	{0},
};

#define MISSING(intent) \
	{ \
		"missing", &fit_field_flag, FIELD(intent, missing_refuse), \
			WORDS({"warn", 0}, {"refuse", 1}), NULL, "warn" \
	}

const struct fit_profile_attribute fit_grammar_cachetune[] = {
	{"level", &fit_field_enum, FIELD(cachetune, level), WORDS({"3", 3}), NULL, "3"},
	{"type", &fit_field_enum, FIELD(cachetune, type),
		WORDS({"both", FIT_CACHE_BOTH}, {"code", FIT_CACHE_CODE}, {"data", FIT_CACHE_DATA}),
		NULL, "both"},
	{"size", &fit_field_size, FIELD(cachetune, size_kib), WORDS({"keep", 0}), "size", NULL},
	MISSING(cachetune),
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_memorytune[] = {
	{"bandwidth", &fit_field_number, FIELD(memorytune, bandwidth), WORDS({"keep", 0}),
		"percent", NULL},
	MISSING(memorytune),
	EXISTING,
	{0},
};
