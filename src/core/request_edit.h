/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a request into a domain document, or takes it out. */
#ifndef FIT_CORE_REQUEST_EDIT_H
#define FIT_CORE_REQUEST_EDIT_H

#include "base/err.h"
#include "core/request.h"

/* The document with @request instead of the one it has. *ret_had_metadata: an empty <metadata> was
 * there, which fit_request_remove() shall keep. *ret_xml is to be freed. */
int fit_request_put(const char *xml, size_t length, const char *name,
	const struct fit_request *request, char **ret_xml, bool *ret_had_metadata,
	struct fit_err *err);

/* The document without a request, and without a <metadata> that held nothing else unless
 * @keep_metadata. *ret_xml is to be freed. */
int fit_request_remove(const char *xml, size_t length, const char *name, bool keep_metadata,
	char **ret_xml, struct fit_err *err);

#endif
