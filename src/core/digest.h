/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a definition was fitted from: the profile with its parameters, and the request's devices. */
#ifndef FIT_CORE_DIGEST_H
#define FIT_CORE_DIGEST_H

#include "core/profile.h"
#include "core/request.h"

#define FIT_DIGEST_TEXT 17

/* The digest of the record: a definition with another one is stale. */
void fit_digest_make(const struct fit_profile *profile, const struct fit_request *request,
	char ret_digest[FIT_DIGEST_TEXT]);

#endif
