/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host is given, and what becomes of a start. */
#include "core/profile_grammar_parts.h"

const struct fit_profile_attribute fit_grammar_interrupts_of_others[] = {
	{"to", &fit_field_flag, FIELD(interrupts, others_elsewhere), KEEP_OR("elsewhere"), NULL,
		NULL},
	{0},
};

const struct fit_profile_attribute fit_grammar_interrupts_of_devices[] = {
	{"to", &fit_field_enum, FIELD(interrupts, devices_to),
		WORDS({"vcpus", FIT_PLACE_VCPUS}, {"housekeeping", FIT_PLACE_HOUSEKEEPING},
			{"node", FIT_PLACE_NODE}, {"keep", FIT_PLACE_NONE}),
		NULL, NULL},
	{0},
};

const struct fit_profile_attribute fit_grammar_start[] = {
	{"stale", &fit_field_enum, FIELD(start, stale),
		WORDS({"refit", FIT_STALE_REFIT}, {"refuse", FIT_STALE_REFUSE},
			{"warn", FIT_STALE_WARN}),
		NULL, NULL},
	{0},
};

const struct fit_profile_attribute fit_grammar_isolate[] = {
	{"cpus", &fit_field_enum, FIELD(isolate, cpus),
		WORDS({"vcpus", FIT_ISOLATE_VCPUS}, {"own", FIT_ISOLATE_OWN},
			{"none", FIT_ISOLATE_NOTHING}),
		NULL, "vcpus"},
	{"partition", &fit_field_flag, FIELD(isolate, partition),
		WORDS({"isolated", 1}, {"none", 0}), NULL, "none"},
	{"missing", &fit_field_flag, FIELD(isolate, missing_refuse),
		WORDS({"warn", 0}, {"refuse", 1}), NULL, "warn"},
	{0},
};

const struct fit_profile_attribute fit_grammar_threads[] = {
	{"to", &fit_field_flag, FIELD(threads, to_emulator), KEEP_OR("emulator"), NULL, "keep"},
	SCHEDULING(threads),
	{0},
};

#define SWITCH(name, field) \
	{ \
		name, &fit_field_word, FIELD(ethtool, field), \
			WORDS({"on", 1}, {"off", 1}, {"keep", 0}), NULL, "keep" \
	}
#define VALUE(name, field, type) \
	{ \
		name, &fit_field_text, FIELD(ethtool, field), WORDS({"keep", 0}), type, "keep" \
	}

const struct fit_profile_attribute fit_grammar_ethtool[] = {
	VALUE("rx-usecs", rx_usecs, "number"),
	VALUE("rx-frames", rx_frames, "number"),
	VALUE("tx-usecs", tx_usecs, "number"),
	VALUE("tx-frames", tx_frames, "number"),
	SWITCH("adaptive-rx", adaptive_rx),
	SWITCH("adaptive-tx", adaptive_tx),
	VALUE("rx-ring", rx_ring, "positive"),
	VALUE("tx-ring", tx_ring, "positive"),
	VALUE("rx-channels", rx_channels, "positive"),
	VALUE("tx-channels", tx_channels, "positive"),
	VALUE("combined-channels", combined_channels, "positive"),
	VALUE("features-on", features_on, "features"),
	VALUE("features-off", features_off, "features"),
	{"missing", &fit_field_flag, FIELD(ethtool, missing_refuse),
		WORDS({"warn", 0}, {"refuse", 1}), NULL, "warn"},
	{0},
};

const struct fit_profile_attribute fit_grammar_device_driver[] = {
	{"value", &fit_field_text, FIELD(setting, value), WORDS({"keep", 0}), "text", NULL},
	{"missing", &fit_field_flag, FIELD(setting, missing_refuse),
		WORDS({"warn", 0}, {"refuse", 1}), NULL, "refuse"},
	{0},
};
