/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by profile_grammar.c and the tables of its areas. Private to them. */
#ifndef FIT_CORE_PROFILE_GRAMMAR_PARTS_H
#define FIT_CORE_PROFILE_GRAMMAR_PARTS_H

#include "core/profile_field.h"
#include "core/profile_grammar.h"

extern const struct fit_profile_attribute fit_grammar_cpu[];
extern const struct fit_profile_attribute fit_grammar_features[];
extern const struct fit_profile_attribute fit_grammar_hyperv[];
extern const struct fit_profile_attribute fit_grammar_clock[];
extern const struct fit_profile_attribute fit_grammar_vcpus[];
extern const struct fit_profile_attribute fit_grammar_emulator[];
extern const struct fit_profile_attribute fit_grammar_iothreads[];
extern const struct fit_profile_attribute fit_grammar_shares[];
extern const struct fit_profile_attribute fit_grammar_cachetune[];
extern const struct fit_profile_attribute fit_grammar_memorytune[];
extern const struct fit_profile_attribute fit_grammar_disks[];
extern const struct fit_profile_attribute fit_grammar_interfaces[];
extern const struct fit_profile_attribute fit_grammar_memballoon[];
extern const struct fit_profile_attribute fit_grammar_watchdog[];
extern const struct fit_profile_attribute fit_grammar_iommu[];
extern const struct fit_profile_attribute fit_grammar_lean[];
extern const struct fit_profile_attribute fit_grammar_memory[];
extern const struct fit_profile_attribute fit_grammar_cells[];
extern const struct fit_profile_attribute fit_grammar_interrupts_of_others[];
extern const struct fit_profile_attribute fit_grammar_interrupts_of_devices[];
extern const struct fit_profile_attribute fit_grammar_vfs[];
extern const struct fit_profile_attribute fit_grammar_gpus[];
extern const struct fit_profile_attribute fit_grammar_passthrough[];
extern const struct fit_profile_attribute fit_grammar_start[];
extern const struct fit_profile_attribute fit_grammar_isolate[];
extern const struct fit_profile_attribute fit_grammar_threads[];
extern const struct fit_profile_attribute fit_grammar_ethtool[];
extern const struct fit_profile_attribute fit_grammar_device_driver[];

#define WORDS(...) ((const struct fit_profile_word[]){__VA_ARGS__, {0}})
/* Real-time scheduling. */
#define SCHEDULING(intent) \
	{"scheduler", &fit_field_word, FIELD(intent, scheduling.policy), \
		WORDS({"fifo", 1}, {"rr", 1}, {"keep", 0}), NULL, "keep"}, \
	{ \
		"priority", &fit_field_number, FIELD(intent, scheduling.priority), NULL, \
			"priority", "1" \
	}

#define KEEP_OR(other) WORDS({other, 1}, {"keep", 0})
#define YES_NO	       WORDS({"yes", 1}, {"no", 0})

/* Every intent that writes into the definition says who wins there. */
#define EXISTING \
	{ \
		"existing", &fit_field_enum, offsetof(struct fit_intent, existing), \
			WORDS({"keep", FIT_EXISTING_KEEP}, {"replace", FIT_EXISTING_REPLACE}, \
				{"require", FIT_EXISTING_REQUIRE}), \
			NULL, "keep" \
	}

#define FIELD(intent, field) offsetof(struct fit_intent_##intent, field)

#endif
