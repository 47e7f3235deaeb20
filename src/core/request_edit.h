/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a request into a domain document, or takes it out. */
#ifndef FIT_CORE_REQUEST_EDIT_H
#define FIT_CORE_REQUEST_EDIT_H

#include "base/err.h"
#include "core/request.h"

/* The document with @request instead of the one it has, or without any when @request is NULL. A
 * <metadata> that holds nothing else comes and goes with it. *ret_xml is to be freed. */
int fit_request_put(const char *xml, size_t length, const char *name,
	const struct fit_request *request, char **ret_xml, struct fit_err *err);

#endif
