/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree of a capture must not stay behind, even when we are killed. So a child waits for the end
 * of a pipe that only we have open for writing, and then removes the tree.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/memory.h"
#include "base/text.h"
#include "sys/capture.h"
#include "sys/capture_parts.h"
#include "sys/manifest.h"

#define REMOVE_FDS 16

static int remove_entry(const char *path, FIT_UNUSED const struct stat *status, FIT_UNUSED int kind,
	FIT_UNUSED struct FTW *where)
{
	remove(path);
	return 0;
}

static FIT_NORETURN void keep_until_the_end(const char *path, int fd)
{
	char byte;

	/* Signals stay blocked: what ends our process group must not end this, too. */
	setsid();
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	nftw(path, remove_entry, REMOVE_FDS, FTW_DEPTH | FTW_PHYS);
	_exit(0);
}

/* No signal may come between the directory and the child that removes it. */
static int make_directory(struct fit_unpacked *tree, struct fit_err *err)
{
	sigset_t all;
	sigset_t before;
	int ends[2];
	int errnum = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fit_err_sys(err, errno, "cannot make a pipe");
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (!mkdtemp(tree->path)) {
		errnum = errno;
	} else if ((tree->keeper = fork()) == 0) {
		close(ends[1]);
		keep_until_the_end(tree->path, ends[0]);
	} else if (tree->keeper < 0) {
		errnum = errno;
		rmdir(tree->path);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[0]);
	if (errnum) {
		close(ends[1]);
		return fit_err_sys(err, errnum, "cannot make a temporary directory %s", tree->path);
	}
	tree->keeper_fd = ends[1];
	return 0;
}

/* The first and the last line say that the capture is one, and whole. */
static int check_whole(const char *file, const char *text, size_t length, struct fit_err *err)
{
	static const char end[] = "\n" FIT_CAPTURE_END "\n";
	unsigned int lines = 1;

	if (strlen(text) != length || !fit_starts_with(text, FIT_CAPTURE_BEGIN "\n"))
		return fit_err_set(err, FIT_ERR_INVALID,
			"%s:1: no capture of a host: 'virt-fit host --save FILE' makes one", file);
	if (length >= strlen(end) && fit_streq(text + length - strlen(end), end))
		return 0;
	for (const char *line = text; (line = strchr(line, '\n')) && line[1]; line++)
		lines++;
	return fit_err_set(err, FIT_ERR_INVALID,
		"%s:%u: the capture is cut off here: its last line must be '" FIT_CAPTURE_END "'",
		file, lines);
}

static int read_capture(const char *file, char **ret_text, struct fit_err *err)
{
	fit_autofree char *text = NULL;
	struct fit_fsroot here;
	fit_autofree char *full = realpath(file, NULL);
	size_t length = 0;
	int status;

	if (!full)
		return fit_err_sys(err, errno, "cannot open %s", file);
	if (fit_fsroot_open("/", &here, err) < 0)
		return -1;
	status = fit_fsroot_read(&here, full, &text, &length, err);
	fit_fsroot_close(&here);
	if (status < 0 || check_whole(file, text, length, err) < 0)
		return -1;
	*ret_text = FIT_STEAL(text);
	return 0;
}

static int build(struct fit_unpacked *tree, const char *text, const char *file, struct fit_err *err)
{
	struct fit_fsroot root;
	int status;

	if (fit_fsroot_open(tree->path, &root, err) < 0)
		return -1;
	status = fit_manifest_build(&root, text, file, err);
	fit_fsroot_close(&root);
	return status;
}

int fit_capture_unpack(const char *file, struct fit_unpacked *ret_tree, struct fit_err *err)
{
	const char *directory = getenv("TMPDIR");
	struct fit_unpacked tree = {.keeper_fd = -1};
	fit_autofree char *text = NULL;

	if (read_capture(file, &text, err) < 0)
		return -1;
	tree.path = fit_xasprintf(
		"%s/virt-fit-host.XXXXXX", directory && *directory ? directory : P_tmpdir);
	if (make_directory(&tree, err) < 0) {
		free(tree.path);
		return -1;
	}
	if (build(&tree, text, file, err) < 0) {
		fit_capture_remove(&tree);
		return -1;
	}
	*ret_tree = tree;
	return 0;
}

void fit_capture_remove(struct fit_unpacked *tree)
{
	if (!tree->path)
		return;
	close(tree->keeper_fd);
	while (waitpid(tree->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	free(tree->path);
	*tree = (struct fit_unpacked){.keeper_fd = -1};
}
