/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkroot DIR           makes the tree that the manifest on stdin describes in DIR
 * mkroot --dump DIR    prints the manifest of DIR: equal trees, equal text
 *
 * The format is described in src/sys/manifest.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_tree.h"

static int fail(const struct fit_err *err)
{
	fprintf(stderr, "mkroot: %s\n", err->message);
	return 1;
}

int main(int argc, char **argv)
{
	bool dump = argc == 3 && fit_streq(argv[1], "--dump");
	struct fit_err err = FIT_ERR_INIT;
	struct fit_fsroot machine;
	struct fit_fsroot root;
	fit_autofree char *text = NULL;
	size_t length;

	if (argc != 2 && !dump) {
		fputs("usage: mkroot [--dump] DIR\n", stderr);
		return 2;
	}
	if (fit_fsroot_open(argv[argc - 1], &root, &err) < 0)
		return fail(&err);
	if (dump) {
		text = fit_test_tree_dump(&root);
		fputs(text, stdout);
	} else if (fit_fsroot_open("/", &machine, &err) < 0 ||
		   fit_fsroot_read(&machine, "dev/stdin", &text, &length, &err) < 0 ||
		   fit_test_tree_build(&root, text, &err) < 0) {
		return fail(&err);
	} else {
		fit_fsroot_close(&machine);
	}
	fit_fsroot_close(&root);
	return 0;
}
