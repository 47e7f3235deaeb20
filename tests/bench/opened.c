/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opened DIR COMMAND...
 *
 * Runs a command and prints, in their order, what it opened below DIR with success: a line for
 * each, "file PATH", "directory PATH" or "link PATH", which replay does again. Traces with
 * ptrace(2), so that nothing the command does is missed. Paths are as the command gave them to
 * openat2(2), that is relative to DIR, or absolute and in DIR.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_SIZE 4096

/* What a call that was entered is to open. */
struct opening {
	char base[PATH_SIZE]; /* the directory that the path is relative to */
	char path[PATH_SIZE];
	unsigned long long flags;
	int wanted;
};

static void die(const char *what)
{
	fprintf(stderr, "opened: ");
	perror(what);
	exit(2);
}

static int peek(pid_t pid, unsigned long long address, void *to, size_t size)
{
	struct iovec local = {to, size}, remote = {(void *)(uintptr_t)address, size}; // NOLINT

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -1;
}

/* Byte by byte at the end of a page, beyond which nothing may be mapped. */
static void peek_text(pid_t pid, unsigned long long address, char *to, size_t size)
{
	size_t i = 0;

	while (i + 1 < size && peek(pid, address + i, to + i, 1) == 0 && to[i])
		i++;
	to[i] = '\0';
}

static void read_base(pid_t pid, int fd, char base[PATH_SIZE])
{
	char link[64];
	ssize_t length;

	if (fd == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", (int)pid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, fd);
	length = readlink(link, base, PATH_SIZE - 1);
	base[length < 0 ? 0 : length] = '\0';
}

static void enter(pid_t pid, const struct __ptrace_syscall_info *info, struct opening *opening)
{
	unsigned long long number = info->entry.nr;

	opening->wanted = number == SYS_openat || number == SYS_openat2;
	if (!opening->wanted)
		return;
	read_base(pid, (int)info->entry.args[0], opening->base);
	peek_text(pid, info->entry.args[1], opening->path, sizeof(opening->path));
	opening->flags = info->entry.args[2];
	if (number == SYS_openat2 &&
		peek(pid, info->entry.args[2], &opening->flags, sizeof(opening->flags)) < 0)
		opening->wanted = 0;
}

static void leave(const struct __ptrace_syscall_info *info, const struct opening *opening,
	const char *directory)
{
	size_t length = strlen(directory);
	char path[2 * PATH_SIZE + 2];

	if (!opening->wanted || info->exit.is_error)
		return;
	if (*opening->path == '/')
		snprintf(path, sizeof(path), "%s", opening->path);
	else
		snprintf(path, sizeof(path), "%s/%s", opening->base, opening->path);
	if (strncmp(path, directory, length) != 0 || path[length] != '/')
		return;
	if (opening->flags & O_PATH) {
		if (opening->flags & O_NOFOLLOW)
			printf("link %s\n", path + length + 1);
		return;
	}
	printf("%s %s\n",
		opening->flags & O_DIRECTORY		   ? "directory"
		: (opening->flags & O_ACCMODE) != O_RDONLY ? "written"
							   : "file",
		path + length + 1);
}

static int trace(pid_t pid, const char *directory)
{
	struct opening opening = {.wanted = 0};
	struct __ptrace_syscall_info info;
	int status, signal = 0;

	while (ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(intptr_t)signal) == 0) { // NOLINT
		if (waitpid(pid, &status, 0) < 0)
			die("waitpid");
		if (WIFEXITED(status) || WIFSIGNALED(status))
			return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
		signal = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
		if (signal)
			continue;
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info) < 0) // NOLINT
			die("PTRACE_GET_SYSCALL_INFO");
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
			enter(pid, &info, &opening);
		else if (info.op == PTRACE_SYSCALL_INFO_EXIT)
			leave(&info, &opening, directory);
	}
	die("PTRACE_SYSCALL");
	return 2;
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 3) {
		fputs("usage: opened DIR COMMAND...\n", stderr);
		return 2;
	}
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		/* Its output is not ours. */
		if (freopen("/dev/null", "w", stdout))
			execv(argv[2], argv + 2);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
		die("the command does not start");
	ptrace(PTRACE_SETOPTIONS, pid, NULL,
		(void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)); // NOLINT
	return trace(pid, argv[1]);
}
