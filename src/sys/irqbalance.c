/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/irqbalance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fd.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/cpuset.h"
#include "sys/paths.h"

#define PREFIX	   "irqbalance"
#define SUFFIX	   ".sock"
#define NONE	   "none"
#define ANSWER_MS  2500
#define ANSWER_MAX 65536
#define IRQ_MAX	   UINT32_MAX

/* No command of any release: nothing is done and nothing answered. */
#define NOTHING "nothing"

/* Releases before 1.9.5 cut a command after 500 bytes, in the middle of a number; those from then
 * on take one of up to 16383. A second command takes the place of the first. */
#define ROOM_SHORT 490
#define ROOM_LONG  16383

static bool is_socket_name(const char *name)
{
	size_t length = strlen(name);

	return fit_starts_with(name, PREFIX) && length > strlen(SUFFIX) &&
	       fit_streq(name + length - strlen(SUFFIX), SUFFIX);
}

/* One that was killed leaves its socket, to which nobody can connect. */
static int connect_to(const struct fit_fsroot *root, const char *name, int wait_ms)
{
	struct timeval limit = {.tv_sec = wait_ms / 1000, .tv_usec = wait_ms % 1000 * 1000};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	/* Below any root, and short enough for a socket's address. */
	fit_autofree char *path =
		fit_xasprintf(FIT_SELF_FD "/%d/" FIT_PATH_IRQBALANCE "/%s", root->fd, name);
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0 ||
			       setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0 ||
			       connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)) {
		fit_close_fd(&fd);
		return -1;
	}
	return fd;
}

/* A descriptor. (Without the directory, which systemd makes for it, it
 * falls back to an abstract one; of some releases that has no name to find it by.) */
static int connect_any(const struct fit_fsroot *root, int wait_ms)
{
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_list(root, FIT_PATH_IRQBALANCE, &names, NULL) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		int fd = is_socket_name(names.items[i]) ? connect_to(root, names.items[i], wait_ms)
							: -1;

		if (fd >= 0)
			return fd;
	}
	return -1;
}

static bool say(int fd, const char *command)
{
	return send(fd, command, strlen(command), MSG_NOSIGNAL) == (ssize_t)strlen(command);
}

/* Whoever connects must say something: release 1.9.2 takes what is left of the command before for
 * one that says nothing. */
static bool lives(const struct fit_fsroot *root, const char *name)
{
	size_t digits = strspn(name + strlen(PREFIX), "0123456789");
	fit_autofree char *path =
		fit_xasprintf(FIT_PATH_PROC "/%.*s/comm", (int)digits, name + strlen(PREFIX));
	fit_autofree char *program = fit_fsroot_try_read(root, path);
	fit_autoclose int fd = -1;

	if (fit_streq(program, PREFIX))
		return true;
	fd = connect_to(root, name, ANSWER_MS);
	return fd >= 0 && say(fd, NOTHING);
}

char *fit_irqbalance_find(const struct fit_fsroot *root)
{
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_list(root, FIT_PATH_IRQBALANCE, &names, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < names.count; i++)
		if (is_socket_name(names.items[i]) && lives(root, names.items[i]))
			return fit_xstrdup(names.items[i]);
	return NULL;
}

/*
 * How long a command it takes whole; 0: it does not look at its connections for @wait_ms. It does
 * when it has taken a command and hung up; when it has not read all of that, as a reset. At times
 * it does not for as long as it sleeps between two scans. Who asks something then and does not wait
 * so long kills it: it answers to nobody, and no release handles the signal for that.
 */
static size_t room_of(const struct fit_fsroot *root, int wait_ms)
{
	fit_autoclose int fd = connect_any(root, wait_ms);
	char command[ROOM_LONG + 1];
	char byte;

	memset(command, ' ', ROOM_LONG);
	memcpy(command, NOTHING, strlen(NOTHING));
	command[ROOM_LONG] = '\0';
	if (fd < 0 || !say(fd, command))
		return 0;
	if (recv(fd, &byte, 1, 0) == 0)
		return ROOM_LONG;
	return errno == ECONNRESET ? ROOM_SHORT : 0;
}

static char *setup_of(const struct fit_fsroot *root)
{
	fit_autoclose int fd = connect_any(root, ANSWER_MS);
	struct fit_buffer answer = {0};
	char chunk[4096];
	ssize_t got;

	if (fd < 0 || !say(fd, "setup"))
		return NULL;
	while ((got = recv(fd, chunk, sizeof(chunk), 0)) > 0 && answer.length < ANSWER_MAX)
		fit_buffer_add_bytes(&answer, chunk, (size_t)got);
	if (got == 0 && answer.length)
		return fit_buffer_steal(&answer);
	fit_buffer_clear(&answer);
	return NULL;
}

static char *parse_cpus(const struct fit_strlist *words)
{
	struct fit_cpuset cpus;

	for (size_t i = 0; i + 1 < words->count; i++)
		if (fit_streq(words->items[i], "BANNED") &&
			fit_cpuset_parse_mask(words->items[i + 1], &cpus, NULL) == 0)
			return fit_cpuset_is_empty(&cpus) ? fit_xstrdup(NONE)
							  : fit_cpuset_format_list(&cpus);
	return NULL;
}

static char *parse_irqs(const struct fit_strlist *words)
{
	fit_autostrlist struct fit_strlist numbers = {0};
	uint64_t number;

	for (size_t i = 0; i + 1 < words->count; i++) {
		if (!fit_streq(words->items[i], "IRQ"))
			continue;
		if (!fit_parse_uint(words->items[i + 1], IRQ_MAX, &number))
			return NULL;
		fit_strlist_add(&numbers, words->items[i + 1]);
	}
	return numbers.count ? fit_strlist_join(&numbers, " ") : fit_xstrdup(NONE);
}

char *fit_irqbalance_parse(const char *setup, enum fit_irqbalance_list list)
{
	fit_autostrlist struct fit_strlist words = {0};

	fit_strlist_split(&words, setup, " \t\n");
	if (!fit_strlist_contains(&words, "BANNED"))
		return NULL;
	return list == FIT_IRQBALANCE_CPUS ? parse_cpus(&words) : parse_irqs(&words);
}

/* Nothing must be said by its own word: an empty list crashes some releases, and bans interrupt 0.
 */
char *fit_irqbalance_command(enum fit_irqbalance_list list, const char *value)
{
	bool none = fit_streq(value, NONE);

	if (!*value)
		return NULL;
	if (list == FIT_IRQBALANCE_CPUS)
		return fit_xasprintf("settings cpus %s", none ? "NULL" : value);
	return fit_xasprintf("settings ban irqs %s", none ? "NONE" : value);
}

void fit_irqbalance_answer_clear(struct fit_irqbalance_answer *answer)
{
	free(answer->cpus);
	free(answer->irqs);
	*answer = (struct fit_irqbalance_answer){0};
}

void fit_irqbalance_ask(
	const struct fit_fsroot *root, int wait_ms, struct fit_irqbalance_answer *ret_answer)
{
	struct fit_irqbalance_answer answer = {.room = room_of(root, wait_ms)};
	fit_autofree char *setup = answer.room ? setup_of(root) : NULL;

	if (setup) {
		answer.cpus = fit_irqbalance_parse(setup, FIT_IRQBALANCE_CPUS);
		answer.irqs = fit_irqbalance_parse(setup, FIT_IRQBALANCE_IRQS);
	}
	*ret_answer = answer;
}

int fit_irqbalance_write(const struct fit_fsroot *root, enum fit_irqbalance_list list,
	const char *value, size_t room, struct fit_err *err)
{
	fit_autofree char *command = fit_irqbalance_command(list, value);
	fit_autoclose int fd = -1;

	if (!command || strlen(command) > (room ? room : ROOM_SHORT))
		return fit_err_set(err, FIT_ERR_REFUSED,
			"irqbalance cannot be told in %zu bytes, which is all that it takes, to "
			"leave these alone: '%s'",
			room ? room : ROOM_SHORT, value);
	fd = connect_any(root, ANSWER_MS);
	if (fd < 0 || !say(fd, command))
		return fit_err_sys(err, errno, "cannot tell irqbalance '%s'", command);
	return 0;
}
