/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a check on everything in the corpus of real domain definitions and hosts ($CORPUS, may be
 * absent). */
#ifndef FIT_TESTS_SUPPORT_CORPUS_H
#define FIT_TESTS_SUPPORT_CORPUS_H

#include <stddef.h>

/* Calls @check for each *.xml in the corpus' directories; skips the test when there is none. */
void fit_corpus_for_each(
	void (*check)(const char *path, const char *text, size_t length, void *context),
	void *context);

struct fit_fsroot;

/* The same for each captured host, unpacked. */
void fit_corpus_for_each_host(void (*check)(const char *path, const struct fit_fsroot *root));

#endif
