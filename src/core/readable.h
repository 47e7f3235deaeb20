/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A definition as people compare it. */
#ifndef FIT_CORE_READABLE_H
#define FIT_CORE_READABLE_H

#include <stddef.h>

#include "base/err.h"

/* The document without our record, which repeats what the rest of it says, printed by the one
 * printer, so that two documents differ only in what they say. NULL and @err when it is no XML. To
 * be freed. */
char *fit_readable(const char *xml, size_t length, const char *name, struct fit_err *err);

#endif
