/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's CPU, what the hypervisor shows and hides, and its clocks. */
#include "core/profile_grammar_parts.h"

#define ON_OFF_KEEP WORDS({"on", 1}, {"off", 1}, {"keep", 0})
#define YES_NO_KEEP WORDS({"yes", 1}, {"no", 1}, {"keep", 0})

const struct fit_profile_attribute fit_grammar_cpu[] = {
	{"mode", &fit_field_enum, FIELD(cpu, mode),
		WORDS({"host-passthrough", FIT_CPU_MODE_HOST_PASSTHROUGH},
			{"host-model", FIT_CPU_MODE_HOST_MODEL}, {"keep", FIT_CPU_MODE_KEEP}),
		NULL, "keep"},
	{"migratable", &fit_field_word, FIELD(cpu, migratable), ON_OFF_KEEP, NULL, "keep"},
	{"topology", &fit_field_flag, FIELD(cpu, mirror_topology), KEEP_OR("mirror"), NULL, "keep"},
	{"threads", &fit_field_count, FIELD(cpu, threads), WORDS({"host", 0}), "count", "host"},
	{"cache", &fit_field_flag, FIELD(cpu, passthrough_cache), KEEP_OR("passthrough"), NULL,
		"keep"},
	{"maxphysaddr", &fit_field_flag, FIELD(cpu, passthrough_bits), KEEP_OR("passthrough"), NULL,
		"keep"},
	{"require", &fit_field_text, FIELD(cpu, require), WORDS({"none", 0}), "names", "none"},
	{"disable", &fit_field_text, FIELD(cpu, disable), WORDS({"none", 0}), "names", "none"},
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_features[] = {
	{"pmu", &fit_field_word, FIELD(features, pmu), ON_OFF_KEEP, NULL, "keep"},
	{"hidden", &fit_field_word, FIELD(features, hidden), ON_OFF_KEEP, NULL, "keep"},
	{"hint-dedicated", &fit_field_word, FIELD(features, hint_dedicated), ON_OFF_KEEP, NULL,
		"keep"},
	{"poll-control", &fit_field_word, FIELD(features, poll_control), ON_OFF_KEEP, NULL, "keep"},
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_hyperv[] = {
	{"features", &fit_field_hyperv, FIELD(hyperv, features), NULL, "hyperv", "none"},
	{"vendor_id", &fit_field_text, FIELD(hyperv, vendor_id), WORDS({"keep", 0}), "vendor-id",
		"keep"},
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_clock[] = {
	{"offset", &fit_field_word, FIELD(clock, offset),
		WORDS({"utc", 1}, {"localtime", 1}, {"keep", 0}), NULL, "keep"},
	{"rtc", &fit_field_word, FIELD(clock, rtc),
		WORDS({"catchup", 1}, {"delay", 1}, {"keep", 0}), NULL, "keep"},
	{"pit", &fit_field_word, FIELD(clock, pit),
		WORDS({"delay", 1}, {"catchup", 1}, {"discard", 1}, {"keep", 0}), NULL, "keep"},
	{"hpet", &fit_field_word, FIELD(clock, hpet), YES_NO_KEEP, NULL, "keep"},
	{"kvmclock", &fit_field_word, FIELD(clock, kvmclock), YES_NO_KEEP, NULL, "keep"},
	{"tsc", &fit_field_word, FIELD(clock, tsc), WORDS({"native", 1}, {"keep", 0}), NULL,
		"keep"},
	EXISTING,
	{0},
};
