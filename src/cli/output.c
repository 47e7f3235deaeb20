/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Talk to stderr, data to stdout. Whether stdout could be written is checked once, in main.c. */
#include <stdarg.h>
#include <stdio.h>

#include <json-c/json.h>

#include "cli/cli.h"

int fit_cli_fail(const struct fit_err *err)
{
	fprintf(stderr, "virt-fit: %s\n", err->message);
	return FIT_EXIT_FAILED;
}

void fit_cli_note(const char *format, ...)
{
	va_list args;

	fputs("virt-fit: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

int fit_cli_print_json(struct json_object *value)
{
	puts(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PRETTY |
							   JSON_C_TO_STRING_SPACED |
							   JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(value);
	return FIT_EXIT_DONE;
}
