/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_host.h"

#include "support.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "support_tree.h"
#include "sys/probe.h"

static const char *top(void)
{
	return getenv("TOP") ? getenv("TOP") : ".";
}

struct fit_fsroot fit_test_root(const char *manifest)
{
	const char *scratch = getenv("TEST_DIR");
	fit_autofree char *path = fit_xasprintf("%s/root.XXXXXX", scratch ? scratch : "/tmp");
	struct fit_err err = FIT_ERR_INIT;
	struct fit_fsroot root = {.fd = -1};

	if (!mkdtemp(path) || fit_fsroot_open(path, &root, &err) < 0)
		fail_msg("cannot make the temporary directory %s: %s", path, err.message);
	fit_test_root_add(&root, manifest);
	return root;
}

void fit_test_root_add(const struct fit_fsroot *root, const char *manifest)
{
	struct fit_err err = FIT_ERR_INIT;

	if (fit_test_tree_build(root, manifest, &err) < 0)
		fail_msg("%s", err.message);
}

/* What tests/hosts/describe prints. */
static char *describe(const char *name)
{
	fit_autofree char *command = fit_xasprintf("%s/tests/hosts/describe %s", top(), name);
	struct fit_buffer text = {0};
	FILE *pipe = popen(command, "r");
	char block[4096];
	size_t got;

	if (!pipe)
		fail_msg("cannot run %s", command);
	while ((got = fread(block, 1, sizeof(block), pipe)) > 0)
		fit_buffer_add_bytes(&text, block, got);
	if (pclose(pipe) != 0)
		fail_msg("%s failed", command);
	return fit_buffer_steal(&text);
}

struct fit_fsroot fit_test_host_root(const char *name)
{
	fit_autofree char *manifest = describe(name);

	return fit_test_root(manifest);
}

static int remove_entry(const char *path, FIT_UNUSED const struct stat *status, FIT_UNUSED int type,
	FIT_UNUSED struct FTW *place)
{
	return remove(path);
}

void fit_test_root_remove(struct fit_fsroot *root)
{
	nftw(root->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	fit_fsroot_close(root);
}

struct fit_host fit_test_host(const char *name)
{
	struct fit_fsroot root = fit_test_host_root(name);
	struct fit_host host = {0};
	struct fit_err err = FIT_ERR_INIT;
	int result = fit_probe(&root, FIT_PROBE_ALL, &host, NULL, &err);

	fit_test_root_remove(&root);
	if (result < 0)
		fail_msg("host %s: %s", name, err.message);
	return host;
}

void fit_test_host_names(struct fit_strlist *names)
{
	fit_autofree char *list = describe("--list");

	fit_strlist_split(names, list, "\n");
}
