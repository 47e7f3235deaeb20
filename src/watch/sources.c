/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can change a fit besides the domains: profiles and host.xml, by inotify on their directories
 * (editors replace files, so files cannot be watched); CPUs, memory and devices, by the kernel's
 * messages about them, which cost nothing while nothing happens and come on hotplug, on
 * `echo 0 > cpuN/online` and for each VF that comes or goes. Also here: requests for a start.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/domain.h"
#include "sys/paths.h"
#include "sys/watcher.h"
#include "virt/loop.h"
#include "watch/inotify.h"
#include "watch/parts.h"

#define KERNEL_GROUP 1 /* its messages; group 2 has those that udevd repeats */

enum place {
	PLACE_ETC,
	PLACE_OWN_ETC,
	PLACE_PROFILES,
	PLACE_SHIPPED,
	PLACE_REQUESTS,
	PLACE_DOMAINS,
	PLACE_COUNT
};

struct fit_sources {
	struct fit_watch *watch;
	int inotify;
	int kernel; /* -1: there are no messages here */
	int watches[PLACE_COUNT];
};

#define CHANGES \
	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | \
		IN_DELETE_SELF | IN_MOVE_SELF)

static void arm(struct fit_sources *sources, enum place place, const char *path, uint32_t mask)
{
	const struct fit_watch_options *options = sources->watch->options;
	fit_autofree char *name = NULL;
	int fd = place == PLACE_SHIPPED
			 ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)
			 : fit_fsroot_openat(options->root, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	sources->watches[place] = -1;
	if (fd < 0)
		return;
	/* By descriptor: the root may be another one. */
	name = fit_xasprintf(FIT_SELF_FD "/%d", fd);
	sources->watches[place] = inotify_add_watch(sources->inotify, name, mask);
	close(fd);
}

/* Directories come and go: done anew after each change; one that is watched already stays so. */
static void arm_all(struct fit_sources *sources)
{
	const char *shipped = sources->watch->options->store->shipped;

	arm(sources, PLACE_OWN_ETC, FIT_PATH_ETC, CHANGES);
	arm(sources, PLACE_PROFILES, FIT_PATH_ETC_PROFILES, CHANGES);
	arm(sources, PLACE_SHIPPED, shipped ? shipped : FIT_SHIPPED_PROFILES, CHANGES);
	arm(sources, PLACE_REQUESTS, FIT_PATH_REQUESTS, IN_MOVED_TO);
	arm(sources, PLACE_DOMAINS, FIT_PATH_DOMAINS, IN_MOVED_TO | IN_DELETE);
	/* Only while there is nothing of ours: others write there, too. */
	if (sources->watches[PLACE_OWN_ETC] < 0)
		arm(sources, PLACE_ETC, FIT_PATH_ETC_ALL, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
	else if (sources->watches[PLACE_ETC] >= 0) {
		(void)inotify_rm_watch(sources->inotify, sources->watches[PLACE_ETC]);
		sources->watches[PLACE_ETC] = -1;
	}
}

static void take_requests(struct fit_sources *sources)
{
	fit_autostrlist struct fit_strlist uuids = {0};

	fit_start_request_list(sources->watch->options->root, &uuids);
	for (size_t i = 0; i < uuids.count; i++)
		fit_watch_add(sources->watch, uuids.items[i], FIT_CAUSE_START);
}

/* Is it a reason to look at all domains? */
static bool take_change(void *context, const struct inotify_event *event, const char *name)
{
	struct fit_sources *sources = context;

	if (event->mask & IN_Q_OVERFLOW) {
		take_requests(sources);
		fit_follow_wake(sources->watch->follow, NULL);
		return true;
	}
	if (event->wd == sources->watches[PLACE_DOMAINS]) {
		fit_follow_wake(sources->watch->follow, NULL);
		return false;
	}
	if (event->wd == sources->watches[PLACE_REQUESTS]) {
		if (fit_uuid_is_valid(name))
			fit_watch_add(sources->watch, name, FIT_CAUSE_START);
		return false;
	}
	if (event->wd == sources->watches[PLACE_ETC])
		return fit_streq(name, FIT_NAME_ETC);
	/* What editors and packagers write on the way to the file itself. */
	return name[0] != '.';
}

static void on_files(void *context)
{
	struct fit_sources *sources = context;

	if (!fit_inotify_take(sources->inotify, take_change, sources))
		return;
	arm_all(sources);
	fit_watch_add(sources->watch, FIT_QUEUE_ALL, FIT_CAUSE_WORLD);
}

/* The value of a line KEY=value of the message, "" when there is none. */
static const char *value_of(const char *message, size_t length, const char *key)
{
	size_t key_length = strlen(key);

	for (const char *line = message; line < message + length; line += strlen(line) + 1)
		if (strncmp(line, key, key_length) == 0)
			return line + key_length;
	return "";
}

bool fit_sources_is_hardware(const char *message, size_t length)
{
	static const char *const subsystems[] = {"cpu", "memory", "node", "pci"};
	static const char *const actions[] = {"add", "remove", "online", "offline"};
	const char *subsystem;
	const char *action;
	bool known = false;
	bool matters = false;

	if (length == 0 || message[length - 1] != '\0')
		return false;
	subsystem = value_of(message, length, "SUBSYSTEM=");
	action = value_of(message, length, "ACTION=");
	for (size_t i = 0; i < FIT_ARRAY_SIZE(subsystems); i++)
		known |= fit_streq(subsystem, subsystems[i]);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(actions); i++)
		matters |= fit_streq(action, actions[i]);
	return known && matters;
}

static void on_kernel(void *context)
{
	struct fit_sources *sources = context;
	struct sockaddr_nl sender = {0};
	socklen_t sender_length = sizeof(sender);
	char message[4096];
	bool changed = false;
	ssize_t got;

	for (;;) {
		got = recvfrom(sources->kernel, message, sizeof(message) - 1, 0,
			(struct sockaddr *)&sender, &sender_length);
		/* Too many at once: something must have changed. */
		if (got < 0 && errno == ENOBUFS) {
			changed = true;
			continue;
		}
		if (got < 0)
			break;
		message[got] = '\0';
		/* Processes can send here, too. */
		if (sender.nl_pid == 0)
			changed |= fit_sources_is_hardware(message, (size_t)got + 1);
	}
	if (changed)
		fit_watch_add(sources->watch, FIT_QUEUE_ALL, FIT_CAUSE_WORLD);
}

static int open_kernel(void)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
	int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

struct fit_sources *fit_sources_open(struct fit_watch *watch, struct fit_err *err)
{
	struct fit_sources *sources = fit_xcalloc(1, sizeof(*sources));

	sources->watch = watch;
	sources->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	sources->kernel = open_kernel();
	for (size_t i = 0; i < PLACE_COUNT; i++)
		sources->watches[i] = -1;
	if (sources->inotify < 0) {
		fit_err_sys(err, errno, "cannot watch files");
		fit_sources_close(sources);
		return NULL;
	}
	if (sources->kernel < 0)
		fit_watch_log(FIT_LOG_WARNING, NULL, NULL,
			"the kernel does not tell of CPUs and devices that come and go (%s); after "
			"such a change, reload the service",
			strerror(errno));
	arm_all(sources);
	if (fit_virt_loop_add_fd(sources->inotify, on_files, sources, err) < 0 ||
		(sources->kernel >= 0 &&
			fit_virt_loop_add_fd(sources->kernel, on_kernel, sources, err) < 0)) {
		fit_sources_close(sources);
		return NULL;
	}
	take_requests(sources);
	fit_follow_wake(watch->follow, NULL);
	return sources;
}

void fit_sources_close(struct fit_sources *sources)
{
	if (sources->inotify >= 0)
		close(sources->inotify);
	if (sources->kernel >= 0)
		close(sources->kernel);
	free(sources);
}
