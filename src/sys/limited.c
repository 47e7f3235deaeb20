/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/limited.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "sys/clock.h"

#define DYING_MS 20

/* As long as it lives it would keep whatever we have open: the lock, for which everybody else
 * waits, and the pipes that libvirt reads from a hook until they are closed. */
static void close_all_but(int one, int other)
{
	int low = one < other ? one : other;
	int high = one < other ? other : one;

	if ((low > 0 && syscall(SYS_close_range, 0, low - 1, 0) < 0) ||
		(high > low + 1 && syscall(SYS_close_range, low + 1, high - 1, 0) < 0) ||
		syscall(SYS_close_range, high + 1, ~0U, 0) < 0)
		for (int fd = 0; fd < sysconf(_SC_OPEN_MAX); fd++)
			if (fd != low && fd != high)
				close(fd);
}

static void write_and_exit(
	const struct fit_fsroot *root, const char *path, const char *value, int answer)
{
	struct fit_err err = FIT_ERR_INIT;
	int errnum = 0;

	close_all_but(root->fd, answer);
	signal(SIGALRM, SIG_DFL);
	if (fit_fsroot_write(root, path, value, &err) < 0)
		errnum = err.sys_errno ? err.sys_errno : EIO;
	_exit(write(answer, &errnum, sizeof(errnum)) == sizeof(errnum) ? 0 : 1);
}

/*
 * Not by its exit status: whoever started us may have SIGCHLD ignored, and the kernel keeps none
 * then. The error's number; EINTR: it has died; ETIMEDOUT: it has not ended by the deadline.
 */
static int result_of(int answer, int64_t deadline)
{
	struct pollfd fd = {.fd = answer, .events = POLLIN};
	int errnum;

	for (;;) {
		int64_t left = deadline - fit_clock_ms();
		int ready = poll(&fd, 1, left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left);

		if (ready > 0)
			break;
		if (ready == 0 && fit_clock_passed(deadline))
			return ETIMEDOUT;
	}
	return read(answer, &errnum, sizeof(errnum)) == sizeof(errnum) ? errnum : EINTR;
}

/* One that is stuck may live on. */
static void end(pid_t child, bool stuck)
{
	pid_t ended;

	if (stuck)
		kill(child, SIGKILL);
	for (int64_t until = fit_clock_ms() + DYING_MS;;) {
		ended = waitpid(child, NULL, stuck ? WNOHANG : 0);
		if (ended == child || (ended < 0 && errno != EINTR))
			return;
		if (stuck && !fit_clock_wait(DYING_MS / 4, until))
			return;
	}
}

static int fail(const char *path, const char *value, int errnum, struct fit_err *err)
{
	return fit_err_sys(err, errnum, "cannot write '%s' to /%s", value, path);
}

int fit_limited_write(const struct fit_fsroot *root, const char *path, const char *value,
	int64_t deadline, struct fit_err *err)
{
	fit_autoclose int answer = -1;
	int ends[2];
	int errnum;
	pid_t child;

	/* Of another root nothing takes long, and who observes it wants to see it. */
	if (!root->real)
		return fit_fsroot_write(root, path, value, err);
	if (fit_clock_passed(deadline))
		return fail(path, value, ETIMEDOUT, err);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(path, value, errno, err);
	answer = ends[0];
	child = fork();
	if (!child)
		write_and_exit(root, path, value, ends[1]);
	errnum = errno;
	close(ends[1]);
	if (child < 0)
		return fit_err_sys(err, errnum, "cannot start a process to write to /%s", path);
	errnum = result_of(answer, deadline);
	/* As long as the pipe is open it is that process. */
	end(child, errnum == ETIMEDOUT);
	return errnum ? fail(path, value, errnum, err) : 0;
}
