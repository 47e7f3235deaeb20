/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Turns a plan into the edits of the domain document (emit_*.c, one per part of the document). */
#ifndef FIT_CORE_EMIT_H
#define FIT_CORE_EMIT_H

#include "core/edit.h"
#include "core/plan.h"

/* @input as given to fit_plan_make(). Settings that the profile says to keep and the definition has
 * give no edit; `require` gives FIT_ERR_REFUSED when they differ. What the target cannot express is
 * added to the reasons of @plan. */
int fit_emit(struct fit_plan *plan, const struct fit_plan_input *input, struct fit_edits *ret_edits,
	struct fit_err *err);

#endif
