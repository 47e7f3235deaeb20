/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fit_err_set(struct fit_err *err, enum fit_err_code code, const char *format, ...)
{
	va_list args;

	if (!err)
		return -1;
	err->code = code;
	err->sys_errno = 0;
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return -1;
}

int fit_err_sys(struct fit_err *err, int errnum, const char *format, ...)
{
	va_list args;
	size_t used;

	if (!err)
		return -1;
	err->code = FIT_ERR_SYSTEM;
	err->sys_errno = errnum;
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, ": %s", strerrordesc_np(errnum));
	return -1;
}

int fit_err_prefix(struct fit_err *err, const char *format, ...)
{
	char prefix[FIT_ERR_MESSAGE_MAX];
	va_list args;
	size_t length;

	if (!err)
		return -1;
	va_start(args, format);
	vsnprintf(prefix, sizeof(prefix), format, args);
	va_end(args);
	length = strlen(prefix);
	/* What does not fit falls off the end of the old message, never off the new context. */
	memmove(err->message + length, err->message, sizeof(err->message) - length);
	memcpy(err->message, prefix, length);
	err->message[sizeof(err->message) - 1] = '\0';
	return -1;
}

void fit_err_append(struct fit_err *err, const char *format, ...)
{
	static const char cut[] = "\n  ...";
	/* Somebody may put a name in front. */
	const size_t most = sizeof(err->message) - 256;
	char text[FIT_ERR_MESSAGE_MAX / 2];
	va_list args;
	size_t length, used;

	if (!err)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	length = strlen(text);
	used = strlen(err->message);
	if (used + length > most) {
		used = most - length - sizeof(cut);
		while (used > 0 && err->message[used] != '\n')
			used--;
		memcpy(err->message + used, cut, sizeof(cut));
		used += strlen(cut);
	}
	memcpy(err->message + used, text, length + 1);
}
