/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay DIR < LIST: opens, reads to the end and closes what opened listed, and does nothing with
 * it; writes a line to the files that were written, which are no good afterwards. What any program
 * costs that reads and writes these files.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int read_file(const char *path)
{
	static char buffer[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -1;
	do
		got = read(fd, buffer, sizeof(buffer));
	while (got > 0);
	close(fd);
	return (int)got;
}

static int write_file(const char *path)
{
	static const char line[] = "00000000,00000000,00000000,00000001\n";
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ssize_t put;

	if (fd < 0)
		return -1;
	put = write(fd, line, sizeof(line) - 1);
	close(fd);
	return put < 0 ? -1 : 0;
}

static int read_directory(const char *path)
{
	DIR *directory = opendir(path);

	if (!directory)
		return -1;
	while (readdir(directory))
		;
	closedir(directory);
	return 0;
}

static int read_link(const char *path)
{
	char target[4096];

	return readlink(path, target, sizeof(target)) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	char kind[16], path[4096];

	if (argc != 2 || chdir(argv[1]) < 0) {
		fputs("usage: replay DIR < LIST\n", stderr);
		return 2;
	}
	while (scanf("%15s %4095[^\n]", kind, path) == 2) {
		int status = strcmp(kind, "link") == 0	      ? read_link(path)
			     : strcmp(kind, "directory") == 0 ? read_directory(path)
			     : strcmp(kind, "written") == 0   ? write_file(path)
							      : read_file(path);

		if (status < 0) {
			fprintf(stderr, "replay: cannot read the %s ", kind);
			perror(path);
			return 1;
		}
	}
	return 0;
}
