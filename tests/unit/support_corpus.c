/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "support_corpus.h"

static char *read_file(const char *path, size_t *ret_length)
{
	FILE *file = fopen(path, "r");
	char *text;
	long size;

	if (!file || fseek(file, 0, SEEK_END) < 0 || (size = ftell(file)) < 0) {
		fail_msg("cannot read %s", path);
		abort();
	}
	rewind(file);
	text = fit_xcalloc((size_t)size + 1, 1);
	*ret_length = fread(text, 1, (size_t)size, file);
	fclose(file);
	return text;
}

void fit_corpus_for_each(
	void (*check)(const char *path, const char *text, size_t length, void *context),
	void *context)
{
	static const char *const directories[] = {"domains", "libvirt", "cases"};
	const char *corpus = getenv("CORPUS");
	size_t seen = 0;

	for (size_t i = 0; corpus && i < FIT_ARRAY_SIZE(directories); i++) {
		fit_autofree char *pattern = fit_xasprintf("%s/%s/*.xml", corpus, directories[i]);
		glob_t found;

		if (glob(pattern, 0, NULL, &found) != 0)
			continue;
		for (size_t j = 0; j < found.gl_pathc; j++) {
			size_t length;
			fit_autofree char *text = read_file(found.gl_pathv[j], &length);

			check(found.gl_pathv[j], text, length, context);
			seen++;
		}
		globfree(&found);
	}
	if (seen == 0)
		skip();
}
