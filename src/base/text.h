/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locale-free text: numbers, sizes, escaping, shell quoting, a fingerprint. */
#ifndef FIT_BASE_TEXT_H
#define FIT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

bool fit_streq(const char *a, const char *b); /* NULL equals only NULL */
bool fit_starts_with(const char *text, const char *prefix);

/* Cuts white space off both ends, in place; returns the new start inside @text. */
char *fit_trim(char *text);

/* The whole of @text is one unsigned number no larger than @max: decimal digits only, no sign, no
 * space. False (and *ret_value untouched) otherwise. */
FIT_MUST_CHECK bool fit_parse_uint(const char *text, uint64_t max, uint64_t *ret_value);
/* Same in base 16, without "0x". */
FIT_MUST_CHECK bool fit_parse_hex(const char *text, uint64_t max, uint64_t *ret_value);
/* Same as C and libvirt's PCI addresses spell numbers: 0x1f, 037, 31. */
FIT_MUST_CHECK bool fit_parse_c_uint(const char *text, uint64_t max, uint64_t *ret_value);

/* The prefix of @text that is a decimal number; moves *text behind it. */
FIT_MUST_CHECK bool fit_scan_uint(const char **text, uint64_t max, uint64_t *ret_value);

/* A size with a unit in libvirt's spelling (b, bytes, KB, k, KiB, M, MiB, G, GiB, T, TiB,
 * case-less; none means KiB) in KiB, rounded up as libvirt does. False if it is no size or too
 * large. */
FIT_MUST_CHECK bool fit_parse_size_kib(const char *number, const char *unit, uint64_t *ret_kib);

/* "2 MiB", "1 GiB", "1536 KiB": the largest unit that divides @kib. To be freed. */
char *fit_format_size_kib(uint64_t kib);
/* "2M", "1G", as mount(8) and the kernel's command line have it. To be freed. */
char *fit_format_size_option(uint64_t kib);

/* Percent-escapes everything but [A-Za-z0-9._:/,+-] so that the result is one word of one line; the
 * inverse returns NULL on a malformed escape. To be freed. */
char *fit_escape_word(const char *text);
char *fit_unescape_word(const char *text);

/* @text quoted for a POSIX shell, unquoted when it needs none. A leading dash is kept: callers put
 * "--" before it. To be freed. */
char *fit_shell_quote(const char *text);

/* @text with control characters replaced, so that a name cannot forge a line of output. */
char *fit_printable(const char *text);

/* The ending of a noun: "s", or "" for one. */
const char *fit_plural(uint64_t count);

/* FNV-1a, 64 bits. It tells whether something changed; it is no protection against forgery. */
#define FIT_FINGERPRINT_INIT 0xcbf29ce484222325ULL
uint64_t fit_fingerprint(uint64_t state, const void *data, size_t length);

/* Of a text, to tell most others from it without a comparison. */
uint64_t fit_text_hash(const char *text);

#endif
