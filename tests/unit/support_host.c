/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_host.h"

#include "support.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "support_tree.h"
#include "sys/probe.h"

/* Trees have thousands of files: on a disk, making them takes most of a test's time. The directory
 * that tests/run gives is in memory too, and removed when the test dies. */
#define MEMORY	      "/dev/shm"
#define ENOUGH_MEMORY ((uint64_t)512 << 20)

static const char *top(void)
{
	return getenv("TOP") ? getenv("TOP") : ".";
}

char *fit_test_directory(void)
{
	const char *given = getenv("TEST_DIR"), *place = given ? given : "/tmp";
	struct statvfs memory;
	char *path;

	if (!given && statvfs(MEMORY, &memory) == 0 && access(MEMORY, W_OK) == 0 &&
		memory.f_bavail * memory.f_frsize > ENOUGH_MEMORY)
		place = MEMORY;
	path = fit_xasprintf("%s/virt-fit-test.XXXXXX", place);
	if (!mkdtemp(path))
		fail_msg("cannot make a temporary directory in %s", place);
	return path;
}

struct fit_fsroot fit_test_root(const char *manifest)
{
	fit_autofree char *path = fit_test_directory();
	struct fit_err err = FIT_ERR_INIT;
	struct fit_fsroot root = {.fd = -1};

	if (fit_fsroot_open(path, &root, &err) < 0)
		fail_msg("%s", err.message);
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

/* The tree of the last host: tests that want one want it again and again. */
static struct {
	char *name;
	struct fit_fsroot root;
	pid_t owner;
} kept;

static void remove_kept(void)
{
	if (!kept.name || kept.owner != getpid())
		return;
	fit_test_root_remove(&kept.root);
	free(kept.name);
	kept.name = NULL;
}

struct fit_host fit_test_host(const char *name)
{
	struct fit_host host = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (!kept.name || !fit_streq(kept.name, name)) {
		if (!kept.owner)
			atexit(remove_kept);
		remove_kept();
		kept.root = fit_test_host_root(name);
		kept.name = fit_xstrdup(name);
		kept.owner = getpid();
	}
	if (fit_probe(&kept.root, FIT_PROBE_ALL, &host, NULL, &err) < 0)
		fail_msg("host %s: %s", name, err.message);
	fit_probe_msix(&kept.root, &host, NULL);
	return host;
}

void fit_test_host_names(struct fit_strlist *names)
{
	fit_autofree char *list = describe("--list");

	fit_strlist_split(names, list, "\n");
}
