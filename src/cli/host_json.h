/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FIT_CLI_HOST_JSON_H
#define FIT_CLI_HOST_JSON_H

#include <json-c/json.h>

#include "core/host.h"

/* The whole host model, what is unknown as null. */
/* @stale: what the host's policy says of starts that come too early; NULL: nothing. */
struct json_object *fit_json_host(
	const struct fit_host *host, const char *stale, const struct fit_strlist *warnings);

#endif
