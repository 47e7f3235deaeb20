/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing string. Zero-initialised is empty; `text` is NULL until something was added. */
#ifndef FIT_BASE_BUFFER_H
#define FIT_BASE_BUFFER_H

#include <stddef.h>

#include "base/attr.h"

struct fit_buffer {
	char *text; /* NUL-terminated */
	size_t length;
	size_t capacity;
};

void fit_buffer_clear(struct fit_buffer *buffer);
void fit_buffer_add(struct fit_buffer *buffer, const char *text);
void fit_buffer_add_bytes(struct fit_buffer *buffer, const char *bytes, size_t length);
void fit_buffer_addf(struct fit_buffer *buffer, const char *format, ...) FIT_PRINTF(2, 3);

/* Gives the string to the caller (never NULL; to be freed) and empties the buffer. */
char *fit_buffer_steal(struct fit_buffer *buffer) __attribute__((returns_nonnull));

#define fit_autobuffer FIT_CLEANUP(fit_buffer_clear)

#endif
