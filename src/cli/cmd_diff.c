/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virt-fit diff DOMAIN|FILE: what `apply` would change, as a unified diff of the definitions as
 * core/readable.h prints them: no record, and no differences in quotes.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/verbs.h"
#include "core/readable.h"
#include "sys/paths.h"

/* A file in memory that diff(1) opens below FIT_SELF_FD: it must survive the exec. */
static int memory_file(const char *text, struct fit_err *err)
{
	size_t length = strlen(text);
	int fd = memfd_create("virt-fit-diff", 0);

	if (fd < 0)
		return fit_err_sys(err, errno, "cannot make a file in memory");
	for (size_t done = 0; done < length;) {
		ssize_t count = write(fd, text + done, length - done);

		if (count < 0 && errno != EINTR) {
			fit_err_sys(err, errno, "cannot write a file in memory");
			close(fd);
			return -1;
		}
		done += count > 0 ? (size_t)count : 0;
	}
	return fd;
}

static int run_diff(int before, int after, const char *name, struct fit_err *err)
{
	fit_autofree char *before_path = fit_xasprintf(FIT_SELF_FD "/%d", before);
	fit_autofree char *after_path = fit_xasprintf(FIT_SELF_FD "/%d", after);
	fit_autofree char *before_label = fit_xasprintf("--label=%s (now)", name);
	fit_autofree char *after_label = fit_xasprintf("--label=%s (fitted)", name);
	char *argv[] = {(char[]){"diff"}, (char[]){"-u"}, before_label, after_label, before_path,
		after_path, NULL};
	posix_spawnattr_t attributes;
	sigset_t signals;
	pid_t pid;
	int status;

	/* We ignore SIGPIPE, which an exec would hand down. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	status = posix_spawnp(&pid, "diff", NULL, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	if (status != 0)
		return fit_err_sys(err, status, "cannot run diff (of the package diffutils)");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fit_err_sys(err, errno, "cannot wait for diff");
	/* 1: there are differences, which is what we are for. */
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
		return fit_err_set(err, FIT_ERR_SYSTEM, "diff failed");
	return 0;
}

static int show(const struct fit_subject *subject, const struct fit_render_result *result,
	struct fit_err *err)
{
	fit_autofree char *before = fit_readable(subject->xml, subject->length, subject->name, err);
	fit_autofree char *after =
		fit_readable(result->xml, strlen(result->xml), subject->name, err);
	int before_fd;
	int after_fd;
	int status = -1;

	if (!before || !after)
		return -1;
	if (strcmp(before, after) == 0) {
		fit_cli_note("%s: only the record of what was fitted changes", subject->name);
		return 0;
	}
	before_fd = memory_file(before, err);
	if (before_fd < 0)
		return -1;
	after_fd = memory_file(after, err);
	if (after_fd >= 0) {
		status = run_diff(before_fd, after_fd, subject->name, err);
		close(after_fd);
	}
	close(before_fd);
	return status;
}

int fit_cmd_diff(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct fit_subject subject = {0};
	struct fit_render_result result = {0};
	struct fit_err err = FIT_ERR_INIT;
	int code = FIT_EXIT_DONE;

	if (fit_session_fetch(&session, cli->args[0], &subject, &err) < 0 ||
		fit_cli_survey(&session, &err) < 0 ||
		fit_session_render(&session, &subject, NULL, &cli->only, false, &result, &err) <
			0) {
		code = fit_cli_fail(&err);
	} else {
		fit_cli_print_notes(&subject, &result);
		if (result.changed && show(&subject, &result, &err) < 0)
			code = fit_cli_fail(&err);
	}
	fit_render_result_clear(&result);
	fit_subject_clear(&subject);
	fit_session_close(&session);
	return code;
}
