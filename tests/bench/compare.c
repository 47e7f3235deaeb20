/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare RUNS STDIN SUBJECT... ::: BASELINE... [::: CLEANUP...]...
 *
 * Runs two commands in turn, RUNS times each, with the file STDIN as standard input, and prints the
 * median time of each in microseconds. The times include exec and exit: that is what the caller of
 * a hook waits for. They are interleaved so that a slower moment of the machine hits both. The
 * cleanup commands run after each run of the subject and are not counted. All must exit with 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "median.h"

#define COMMANDS_MAX 8

struct bench {
	size_t runs;
	const char *input;
	char **commands[COMMANDS_MAX]; /* subject, baseline, cleanups */
	size_t count;
};

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static double run(char **command, const char *input)
{
	posix_spawn_file_actions_t actions;
	double start;
	pid_t pid;
	int status, error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	start = now_us();
	error = posix_spawn(&pid, command[0], &actions, NULL, command, environ);
	if (error) {
		fprintf(stderr, "compare: %s: %s\n", command[0], strerror(error));
		exit(2);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	start = now_us() - start;
	posix_spawn_file_actions_destroy(&actions);
	if (status != 0) {
		fprintf(stderr, "compare: %s: wait status %d\n", command[0], status);
		exit(2);
	}
	return start;
}

static int parse(int argc, char **argv, struct bench *bench)
{
	uint64_t runs;

	if (argc < 6 || !fit_parse_uint(argv[1], 100000, &runs) || runs == 0)
		return -1;
	bench->runs = (size_t)runs;
	bench->input = argv[2];
	bench->commands[bench->count++] = &argv[3];
	for (int i = 3; i < argc; i++) {
		if (!fit_streq(argv[i], ":::"))
			continue;
		if (bench->count == COMMANDS_MAX || i + 1 == argc)
			return -1;
		argv[i] = NULL;
		bench->commands[bench->count++] = &argv[i + 1];
	}
	return bench->count >= 2 ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct bench bench = {0};
	double *subject, *baseline;

	if (parse(argc, argv, &bench) != 0) {
		fprintf(stderr, "usage: compare RUNS STDIN SUBJECT... ::: BASELINE... [::: "
				"CLEANUP...]...\n");
		return 2;
	}
	subject = fit_xcalloc(bench.runs, sizeof(*subject));
	baseline = fit_xcalloc(bench.runs, sizeof(*baseline));
	for (size_t i = 0; i < bench.runs; i++) {
		subject[i] = run(bench.commands[0], bench.input);
		for (size_t c = 2; c < bench.count; c++)
			run(bench.commands[c], bench.input);
		baseline[i] = run(bench.commands[1], bench.input);
	}
	printf("%.0f %.0f\n", median(subject, bench.runs), median(baseline, bench.runs));
	free(subject);
	free(baseline);
	return 0;
}
