/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libvirt calls as /etc/libvirt/hooks/qemu (or qemu.d/50-virt-fit), for every operation of
 * every domain: NAME OPERATION SUBOPERATION EXTRA, with the domain's XML on stdin.
 *
 * A domain that never asked for virt-fit costs one program start and a search in memory. Others are
 * handed over to the engine, with the XML in a memory file. Under the AppArmor profile of libvirtd
 * the hook may execute programs in /usr/sbin and little else, so the gate does nothing else.
 *
 * At reconnect libvirt kills the running guest if the hook fails, be it by a signal: there the gate
 * waits for the engine, and its end is good however that ends.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/paths.h"

__attribute__((used)) static const char marker[] = FIT_GATE_MARKER "1";

static const char namespaces[] = "urn:virt-fit:";

#define UUID_LENGTH 36
#define ARGS_MAX    16 /* libvirt gives 4 */

/* Operations that matter. `refuse`: without the engine, the domain must not start; `memory`: what
 * was prepared is undone (or kept) even if the request has been taken out of the XML since;
 * `beside`: the engine's end is not the gate's. */
static const struct operation {
	const char *name;
	const char *sub;
	bool refuse;
	bool memory;
	bool beside;
} operations[] = {
	{"prepare", "begin", true, false, false},
	{"start", "begin", true, false, false},
	{"started", "begin", true, false, false},
	{"stopped", "end", false, true, false},
	{"release", "end", false, true, false},
	{"reconnect", "begin", false, true, true},
	{"migrate", "begin", true, false, false},
	{"restore", "begin", true, false, false},
};

static const struct operation *find_operation(const char *name, const char *sub)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (strcmp(operations[i].name, name) == 0 && strcmp(operations[i].sub, sub) == 0)
			return &operations[i];
	return NULL;
}

/* All of stdin; NULL when there is no memory for it or it cannot be read. */
static char *read_all(size_t *ret_length)
{
	size_t capacity = 65536;
	size_t length = 0;
	char *text = malloc(capacity);

	while (text) {
		ssize_t got;
		char *more;

		if (length == capacity) {
			capacity *= 2;
			more = realloc(text, capacity);
			if (!more)
				break;
			text = more;
		}
		got = read(STDIN_FILENO, text + length, capacity - length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		if (got == 0) {
			*ret_length = length;
			return text;
		}
		length += (size_t)got;
	}
	free(text);
	return NULL;
}

static bool is_uuid(const char *text)
{
	for (size_t i = 0; i < UUID_LENGTH; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		bool digit =
			(text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');

		if (dash ? text[i] != '-' : !digit)
			return false;
	}
	return true;
}

/* Is there a journal for the domain? libvirt prints <uuid> in lower case and without spaces. */
static bool was_prepared(const char *xml, size_t length)
{
	static const char tag[] = "<uuid>";
	const char *uuid = memmem(xml, length, tag, sizeof(tag) - 1);
	char path[sizeof("/" FIT_PATH_DOMAINS "/") + UUID_LENGTH];

	if (!uuid)
		return false;
	uuid += sizeof(tag) - 1;
	if ((size_t)(xml + length - uuid) < UUID_LENGTH || !is_uuid(uuid))
		return false;
	snprintf(path, sizeof(path), "/" FIT_PATH_DOMAINS "/%.*s", UUID_LENGTH, uuid);
	return access(path, F_OK) == 0;
}

static int hand_over(const char *xml, size_t length)
{
	int fd = memfd_create("virt-fit-xml", MFD_CLOEXEC);

	while (fd >= 0 && length) {
		ssize_t written = write(fd, xml, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -1;
		xml += written;
		length -= (size_t)written;
	}
	return fd < 0 || lseek(fd, 0, SEEK_SET) < 0 || dup2(fd, STDIN_FILENO) < 0 ? -1 : 0;
}

static int fail(const struct operation *operation, const char *what)
{
	if (!operation->refuse)
		return 0;
	fprintf(stderr, "virt-fit: %s: %s\n", what, strerror(errno));
	return 1;
}

/* True: in the process that is to become the engine. Without one nothing is lost at reconnect. */
static bool fork_engine(void)
{
	pid_t child = fork();

	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return child == 0;
}

int main(int argc, char **argv)
{
	const struct operation *operation = argc > 3 ? find_operation(argv[2], argv[3]) : NULL;
	const char *args[ARGS_MAX] = {FIT_ENGINE, "--"};
	size_t length;
	bool ours, handed_over;
	char *xml;

	if (!operation)
		return 0;
	xml = read_all(&length);
	if (!xml)
		return fail(operation, "the hook cannot read the domain's XML");
	ours = memmem(xml, length, namespaces, sizeof(namespaces) - 1) ||
	       (operation->memory && was_prepared(xml, length));
	handed_over = ours && hand_over(xml, length) == 0;
	free(xml);
	if (!ours)
		return 0;
	if (!handed_over)
		return fail(operation, "the hook cannot hand the domain's XML over");
	for (int i = 1; i < argc && i + 2 < ARGS_MAX; i++)
		args[i + 1] = argv[i];
	if (operation->beside && !fork_engine())
		return 0;
	execv(FIT_ENGINE, (char *const *)(const void *)args);
	return fail(operation, "the domain asks for virt-fit, but " FIT_ENGINE
			       " cannot be executed; install virt-fit again, or take its request "
			       "out of the domain's metadata");
}
