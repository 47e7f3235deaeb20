/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/limited.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/clock.h"

#define POLL_MS 5

/* As long as it lives it would keep whatever we have open: the lock, for which everybody else
 * waits, and the pipes that libvirt reads from a hook until they are closed. */
static void close_all_but(int kept)
{
	if ((kept > 0 && syscall(SYS_close_range, 0, kept - 1, 0) < 0) ||
		syscall(SYS_close_range, kept + 1, ~0U, 0) < 0)
		for (int fd = 0; fd < sysconf(_SC_OPEN_MAX); fd++)
			if (fd != kept)
				close(fd);
}

/* The exit status: the error's number, which fits. */
static void write_and_exit(const struct fit_fsroot *root, const char *path, const char *value)
{
	struct fit_err err = FIT_ERR_INIT;

	close_all_but(root->fd);
	signal(SIGALRM, SIG_DFL);
	_exit(fit_fsroot_write(root, path, value, &err) == 0 ? 0
		: err.sys_errno				     ? err.sys_errno & 0xff
							     : EIO);
}

/* False: it has not ended by the deadline. */
static bool wait_for(pid_t child, int64_t deadline, int *ret_status)
{
	pid_t ended;

	for (;;) {
		ended = waitpid(child, ret_status, WNOHANG);
		if (ended == child || (ended < 0 && errno != EINTR))
			return ended == child;
		if (!fit_clock_wait(POLL_MS, deadline))
			return false;
	}
}

int fit_limited_write(const struct fit_fsroot *root, const char *path, const char *value,
	int64_t deadline, struct fit_err *err)
{
	int status = 0;
	pid_t child;

	/* Of another root nothing takes long, and who observes it wants to see it. */
	if (!root->real)
		return fit_fsroot_write(root, path, value, err);
	if (fit_clock_passed(deadline))
		return fit_err_sys(err, ETIMEDOUT, "cannot write '%s' to /%s", value, path);
	child = fork();
	if (child < 0)
		return fit_err_sys(err, errno, "cannot start a process to write to /%s", path);
	if (!child)
		write_and_exit(root, path, value);
	if (!wait_for(child, deadline, &status)) {
		kill(child, SIGKILL);
		/* Once more, for one that can die. */
		(void)wait_for(child, fit_clock_ms() + POLL_MS * 4, &status);
		return fit_err_sys(err, ETIMEDOUT, "cannot write '%s' to /%s", value, path);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return fit_err_sys(err, WIFEXITED(status) ? WEXITSTATUS(status) : EINTR,
		"cannot write '%s' to /%s", value, path);
}
