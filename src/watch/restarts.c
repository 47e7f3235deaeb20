/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/restarts.h"

#include <fcntl.h>

#include "base/fd.h"
#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "watch/inotify.h"
#include "watch/queue.h"

#define COMES (IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)
#define GOES  (IN_DELETE_SELF | IN_MOVE_SELF)

void fit_restarts_init(struct fit_restarts *restarts)
{
	*restarts = (struct fit_restarts){.inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
		.socket = -1,
		.parent = -1,
		.due = FIT_QUEUE_NEVER};
}

void fit_restarts_clear(struct fit_restarts *restarts)
{
	fit_close_fd(&restarts->inotify);
}

/* By descriptor: the root may be another one. */
static int arm(const struct fit_restarts *restarts, const struct fit_fsroot *root, const char *path,
	uint32_t mask)
{
	fit_autoclose int fd = fit_fsroot_openat(root, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fit_autofree char *name = fit_xasprintf(FIT_SELF_FD "/%d", fd);

	return fd >= 0 ? inotify_add_watch(restarts->inotify, name, mask) : -1;
}

static void disarm(const struct fit_restarts *restarts, int *watch)
{
	if (*watch >= 0)
		(void)inotify_rm_watch(restarts->inotify, *watch);
	*watch = -1;
}

/* The one above first: what comes between the two is seen. */
static void arm_both(struct fit_restarts *restarts, const struct fit_fsroot *root)
{
	restarts->parent = arm(restarts, root, FIT_PATH_RUN, COMES);
	restarts->socket = arm(restarts, root, FIT_PATH_IRQBALANCE, COMES | GOES);
	if (restarts->socket >= 0)
		disarm(restarts, &restarts->parent);
}

void fit_restarts_watch(
	struct fit_restarts *restarts, const struct fit_fsroot *root, bool needed, int64_t now)
{
	if (needed && !restarts->needed) {
		arm_both(restarts, root);
		restarts->due = now;
	} else if (!needed) {
		disarm(restarts, &restarts->socket);
		disarm(restarts, &restarts->parent);
		restarts->due = FIT_QUEUE_NEVER;
	}
	restarts->needed = needed;
}

static bool is_about_it(void *context, const struct inotify_event *event, const char *name)
{
	const struct fit_restarts *restarts = context;

	return event->mask & IN_Q_OVERFLOW || event->wd == restarts->socket ||
	       (event->wd == restarts->parent && fit_streq(name, FIT_NAME_IRQBALANCE));
}

void fit_restarts_notice(struct fit_restarts *restarts, const struct fit_fsroot *root, int64_t now)
{
	if (!fit_inotify_take(restarts->inotify, is_about_it, restarts) || !restarts->needed)
		return;
	arm_both(restarts, root);
	restarts->due = now + FIT_RESTARTS_SETTLE_MS;
}

bool fit_restarts_take(struct fit_restarts *restarts, int64_t now)
{
	bool take = restarts->now || restarts->due <= now;

	restarts->now = false;
	if (restarts->due <= now)
		restarts->due = FIT_QUEUE_NEVER;
	return take;
}
