/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For our own XML files: whatever is not known is an error, with file and line. */
#ifndef FIT_CORE_STRICT_H
#define FIT_CORE_STRICT_H

#include "base/err.h"
#include "core/xml.h"

/* The file that is read, as messages name it, and where the error goes. */
struct fit_strict {
	const char *file;
	struct fit_err *err;
};

#define fit_strict_fail(in, node, format, ...) \
	fit_err_set((in)->err, FIT_ERR_INVALID, "%s:%u: " format, (in)->file, fit_xml_line(node), \
		##__VA_ARGS__)

/* Moves *@child to the next child element (from NULL: to the first), NULL at the end. Refuses
 * text. */
int fit_strict_next(const struct fit_strict *in, const xmlNode *parent, const xmlNode **child);

/* Refuses child elements and text. */
int fit_strict_childless(const struct fit_strict *in, const xmlNode *node);

/* Refuses attributes that are not among @known, separated by spaces. */
int fit_strict_attributes(const struct fit_strict *in, const xmlNode *node, const char *known);

#endif
