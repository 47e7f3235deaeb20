/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grammar of definitions, as a table of rules. In a rule's text:
 *
 *   $name      a rule of this name (when there are several, any), or one of the built-in ones
 *   {a|b|}     one of the alternatives
 *   ?{a}       perhaps
 *   *{a}       none to four times
 *   #{1-16}    a number
 */
#ifndef FIT_TESTS_FUZZ_GRAMMAR_H
#define FIT_TESTS_FUZZ_GRAMMAR_H

#include <stddef.h>

struct fit_fuzz_rule {
	const char *name;
	const char *text;
};

extern const struct fit_fuzz_rule fit_fuzz_rules[];
extern const size_t fit_fuzz_rule_count;

struct fit_buffer;
struct fit_host;

/* Adds what a rule makes. */
void fit_fuzz_expand(struct fit_buffer *out, const char *name);

#endif
