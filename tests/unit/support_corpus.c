/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_corpus.h"
#include "support_host.h"
#include "support_tree.h"
#include "sys/fsroot.h"

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

static char *unpack(const char *archive)
{
	fit_autofree char *directory = fit_test_directory();
	fit_autofree char *command = NULL;

	command = fit_xasprintf("tar -C '%s' --strip-components=1 --exclude='memory[0-9]*' "
				"--exclude=power --exclude=cpuidle --exclude=stats -xf '%s'",
		directory, archive);
	if (system(command) != 0)
		fail_msg("%s failed", command);
	return FIT_STEAL(directory);
}

void fit_corpus_for_each_host(void (*check)(const char *path, const struct fit_fsroot *root))
{
	const char *corpus = getenv("CORPUS") ? getenv("CORPUS") : "";
	fit_autofree char *pattern = fit_xasprintf("%s/hosts/*.tar.xz", corpus);
	glob_t archives;

	if (glob(pattern, 0, NULL, &archives) != 0)
		skip();
	for (size_t i = 0; i < archives.gl_pathc; i++) {
		fit_autofree char *directory = unpack(archives.gl_pathv[i]);
		struct fit_fsroot root;
		struct fit_err err = FIT_ERR_INIT;

		if (fit_fsroot_open(directory, &root, &err) < 0)
			fail_msg("%s", err.message);
		check(archives.gl_pathv[i], &root);
		fit_test_root_remove(&root);
	}
	globfree(&archives);
}
