/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lease FILE: whoever opens FILE to write waits, until this process ends. For a kernel file whose
 * write takes for ever. Prints a line when it is so.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;

	signal(SIGIO, SIG_IGN);
	if (fd < 0 || fcntl(fd, F_SETLEASE, F_RDLCK) < 0) {
		perror("lease");
		return 1;
	}
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}
