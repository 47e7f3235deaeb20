/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   fuzz [SEED [SECONDS [DIRECTORY [CASES]]]]	random cases until the time is over, or so many
 *   fuzz FILE...			the cases in these files
 *
 * Cases run in a child process, so that one that crashes or hangs is a finding like others. Each
 * finding is made smaller and written to a file in DIRECTORY; the exit code is 1 then.
 */
#include "fuzz.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

#define CASE_SECONDS   20 /* no case takes nearly as long, also with sanitizers */
#define REDUCE_SECONDS 40
#define FINDINGS_MAX   8

/* What the child tells the parent. */
struct shared {
	uint64_t number; /* of the case that runs, or ran last */
	uint64_t held;
	uint64_t refused;
	enum fit_fuzz_outcome outcome;
	char property[64];
	char detail[2000];
};

static struct shared *shared;
static bool verbose;

/* In the sanitizers' library. */
__attribute__((weak)) int __lsan_do_recoverable_leak_check(void);

/* Of processor time, so that a busy machine is no finding; 0: none. */
static void limit(time_t seconds)
{
	const struct itimerval timer = {.it_value.tv_sec = seconds};

	setitimer(ITIMER_PROF, &timer, NULL);
}

static void run(const struct fit_fuzz_case *c)
{
	struct fit_fuzz_result result;

	limit(CASE_SECONDS);
	fit_fuzz_check(c, &result);
	limit(0);
	if (result.outcome != FIT_FUZZ_BROKEN && __lsan_do_recoverable_leak_check &&
		__lsan_do_recoverable_leak_check())
		result = (struct fit_fuzz_result){FIT_FUZZ_BROKEN, "leak", result.detail};
	shared->outcome = result.outcome;
	snprintf(shared->property, sizeof(shared->property), "%s",
		result.property ? result.property : "");
	snprintf(shared->detail, sizeof(shared->detail), "%s", result.detail ? result.detail : "");
	free(result.detail);
	if (verbose && shared->outcome == FIT_FUZZ_REFUSED)
		printf("refused: %s\n", shared->detail);
}

/* Waits for a child that ran cases; one that died is a finding. */
static void wait_for(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) < 0)
		abort();
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	shared->outcome = FIT_FUZZ_BROKEN;
	snprintf(shared->property, sizeof(shared->property), "%s",
		WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
	shared->detail[0] = '\0';
}

static pid_t fork_or_abort(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child < 0)
		abort();
	return child;
}

static void run_in_child(const struct fit_fuzz_case *c, bool silent)
{
	pid_t child = fork_or_abort();

	if (child == 0) {
		if (silent &&
			(!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout)))
			_exit(2);
		run(c);
		_exit(0);
	}
	wait_for(child);
}

struct finding {
	const char *property;
	time_t end; /* of making it smaller */
};

static bool fails_alike(const struct fit_fuzz_case *c, void *context)
{
	const struct finding *finding = context;

	if (time(NULL) > finding->end)
		return false;
	run_in_child(c, true);
	return shared->outcome == FIT_FUZZ_BROKEN &&
	       strcmp(shared->property, finding->property) == 0;
}

static void report(struct fit_fuzz_case *c, uint64_t seed, uint64_t number, const char *directory)
{
	fit_autofree char *property = fit_xstrdup(shared->property);
	fit_autofree char *path = fit_xasprintf(
		"%s/fuzz-%ju-%ju.case", directory, (uintmax_t)seed, (uintmax_t)number);
	fit_autofree char *text = NULL;
	struct finding finding = {property, time(NULL) + REDUCE_SECONDS};
	FILE *file;

	fit_fuzz_reduce(c, fails_alike, &finding);
	run_in_child(c, false);
	text = fit_fuzz_case_print(c);
	file = fopen(path, "we");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
		fprintf(stderr, "fuzz: cannot write %s\n", path);
		exit(2);
	}
	printf("%s: %s\n  case %ju of seed %ju, made smaller: %s\n", property, shared->detail,
		(uintmax_t)number, (uintmax_t)seed, path);
}

static uint64_t cases_max = UINT64_MAX; /* for a run that is always the same */

/* Cases from @first on, until one fails or there are enough, or the time is over. */
static void run_cases(
	uint64_t seed, uint64_t first, time_t end, const struct fit_fuzz_material *material)
{
	for (uint64_t number = first; number < cases_max && time(NULL) < end; number++) {
		struct fit_fuzz_case c;

		shared->number = number;
		c = fit_fuzz_make(seed, number, material);
		run(&c);
		fit_fuzz_case_clear(&c);
		if (shared->outcome == FIT_FUZZ_BROKEN)
			return;
		shared->held += shared->outcome == FIT_FUZZ_HELD;
		shared->refused += shared->outcome == FIT_FUZZ_REFUSED;
	}
}

static int fuzz(uint64_t seed, unsigned int seconds, const char *directory)
{
	struct fit_fuzz_material material = fit_fuzz_material_read();
	time_t end = time(NULL) + (time_t)seconds;
	unsigned int findings = 0;
	uint64_t next = 0;

	while (findings < FINDINGS_MAX) {
		pid_t child = fork_or_abort();
		struct fit_fuzz_case c;

		if (child == 0) {
			run_cases(seed, next, end, &material);
			fflush(stdout);
			_exit(0);
		}
		shared->outcome = FIT_FUZZ_HELD;
		wait_for(child);
		if (shared->outcome != FIT_FUZZ_BROKEN)
			break;
		findings++;
		next = shared->number + 1;
		c = fit_fuzz_make(seed, shared->number, &material);
		report(&c, seed, next - 1, directory);
		fit_fuzz_case_clear(&c);
		end = time(NULL) > end ? 0 : end;
	}
	fit_strlist_clear(&material.definitions);
	fit_strlist_clear(&material.profiles);
	printf("seed %ju: %ju cases held, %ju were refused, %u findings\n", (uintmax_t)seed,
		(uintmax_t)shared->held, (uintmax_t)shared->refused, findings);
	return findings || shared->held == 0;
}

static int run_files(int count, char **paths)
{
	int failed = 0;

	for (int i = 0; i < count; i++) {
		struct fit_fuzz_case c = fit_fuzz_case_read(paths[i]);

		run_in_child(&c, false);
		fit_fuzz_case_clear(&c);
		if (shared->outcome == FIT_FUZZ_BROKEN) {
			printf("%s: %s: %s\n", paths[i], shared->property, shared->detail);
			failed = 1;
		}
	}
	return failed;
}

int main(int argc, char **argv)
{
	uint64_t seed = 1;
	uint64_t seconds = 10;

	verbose = getenv("VERBOSE");
	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	fit_fuzz_hosts_read();
	if (argc > 1 && !fit_parse_uint(argv[1], UINT64_MAX, &seed))
		return run_files(argc - 1, argv + 1);
	if (argc > 2 && !fit_parse_uint(argv[2], 1000000, &seconds))
		return 2;
	if (argc > 4 && !fit_parse_uint(argv[4], UINT64_MAX, &cases_max))
		return 2;
	return fuzz(seed, (unsigned int)seconds, argc > 3 ? argv[3] : ".");
}
