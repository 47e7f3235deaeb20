/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of XML text (values of edits and of a record) made into nodes of a document. */
#ifndef FIT_CORE_FRAGMENT_H
#define FIT_CORE_FRAGMENT_H

#include <libxml/tree.h>

#include "base/attr.h"
#include "base/err.h"

/* One element, nothing around it. Prefixes are those in scope at @scope, to whose document it
 * belongs, unlinked. @name is for messages. NULL and @err when @text is something else. */
FIT_MUST_CHECK xmlNode *fit_fragment_element(
	xmlNode *scope, const char *text, const char *name, struct fit_err *err);

/* Content without elements: replaces that of @element when it parses. */
FIT_MUST_CHECK int fit_fragment_set_content(
	xmlNode *element, const char *text, const char *name, struct fit_err *err);

/* Parses and throws away: would fit_fragment_set_content() accept it? */
FIT_MUST_CHECK int fit_fragment_check_content(
	xmlNode *scope, const char *text, const char *name, struct fit_err *err);

/* The content of an element as fit_fragment_set_content() takes it. To be freed. */
char *fit_fragment_content(const xmlNode *element);

#endif
