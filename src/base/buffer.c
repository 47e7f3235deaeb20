/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void reserve(struct fit_buffer *buffer, size_t more)
{
	size_t wanted = buffer->length + more + 1;
	size_t capacity = buffer->capacity ? buffer->capacity : 64;

	if (wanted <= buffer->capacity)
		return;
	while (capacity < wanted)
		capacity *= 2;
	buffer->text = realloc(buffer->text, capacity);
	if (!buffer->text)
		abort();
	buffer->capacity = capacity;
}

void fit_buffer_clear(struct fit_buffer *buffer)
{
	free(buffer->text);
	*buffer = (struct fit_buffer){0};
}

void fit_buffer_add_bytes(struct fit_buffer *buffer, const char *bytes, size_t length)
{
	reserve(buffer, length);
	memcpy(buffer->text + buffer->length, bytes, length);
	buffer->length += length;
	buffer->text[buffer->length] = '\0';
}

void fit_buffer_add(struct fit_buffer *buffer, const char *text)
{
	fit_buffer_add_bytes(buffer, text, strlen(text));
}

void fit_buffer_addf(struct fit_buffer *buffer, const char *format, ...)
{
	fit_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = fit_xvasprintf(format, args);
	va_end(args);
	fit_buffer_add(buffer, text);
}

char *fit_buffer_steal(struct fit_buffer *buffer)
{
	char *text = buffer->text ? buffer->text : fit_xstrdup("");

	*buffer = (struct fit_buffer){0};
	return text;
}
