/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by emit.c and its parts. Private to them. */
#ifndef FIT_CORE_EMIT_PARTS_H
#define FIT_CORE_EMIT_PARTS_H

#include "core/emit.h"

struct fit_emitter {
	const struct fit_plan *plan;
	const struct fit_domain *domain;
	const struct fit_profile *profile;
	struct fit_edits *edits;
	struct fit_err *err;
};

/*
 * What the profile says about a setting @what which the definition has as @found (NULL: not at all)
 * and we would write as @wanted: 1 write it, 0 leave it, -1 with FIT_ERR_REFUSED.
 */
int fit_emit_decide(const struct fit_emitter *emitter, const struct fit_intent *intent,
	const char *what, const char *found, const char *wanted);

int fit_emit_cpu(const struct fit_emitter *emitter);
int fit_emit_threads(const struct fit_emitter *emitter);
int fit_emit_memory(const struct fit_emitter *emitter);
int fit_emit_devices(const struct fit_emitter *emitter);

#endif
