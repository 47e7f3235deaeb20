/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Step by step: a profile of which only some intents are applied, so that one can be added at a
 * time and measured. Intents are called as in profiles ("vcpus", "governor", "domain"); their order
 * is that of the grammar (core/profile_grammar.h), <domain> last.
 */
#ifndef FIT_CORE_PROFILE_STEPS_H
#define FIT_CORE_PROFILE_STEPS_H

#include "base/err.h"
#include "base/strlist.h"
#include "core/profile.h"

/* The names of all intents, in order. */
void fit_steps_names(struct fit_strlist *ret_names);

/* Those named in @text, separated by commas, in order. */
FIT_MUST_CHECK int fit_steps_only(
	const char *text, struct fit_strlist *ret_names, struct fit_err *err);

/* All up to and with the one that is called @name. */
FIT_MUST_CHECK int fit_steps_upto(
	const char *name, struct fit_strlist *ret_names, struct fit_err *err);

/* Makes @profile, whose digest stays, one that states no other intents than @names. */
void fit_steps_limit(struct fit_profile *profile, const struct fit_strlist *names);

/* "low-latency sriov", and what it is limited to: "low-latency, only cpu vcpus". To be freed. */
char *fit_profile_title(const struct fit_profile *profile);

#endif
