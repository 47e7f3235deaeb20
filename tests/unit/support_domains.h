/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Domain documents for properties: every one of the corpus, and synthetic ones in odd layouts. */
#ifndef FIT_TESTS_SUPPORT_DOMAINS_H
#define FIT_TESTS_SUPPORT_DOMAINS_H

#include <stddef.h>

/* Calls @check with every <domain> of $CORPUS that parses; returns how many there were. */
size_t for_each_corpus_domain(void (*check)(const char *name, const char *text, size_t length));

/* Calls @check with every synthetic document. */
void for_each_synthetic_domain(void (*check)(const char *name, const char *text, size_t length));

#endif
