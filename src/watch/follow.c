/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The follower's thread: it waits for the lock of the state, which nobody else should. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/memory.h"
#include "sys/clock.h"
#include "watch/follower.h"

struct fit_follow {
	pthread_t thread;
	struct fit_follower follower; /* the thread's own */

	int wake;

	pthread_mutex_t lock;	    /* for the rest */
	struct fit_strlist hurried; /* UUIDs of guests that have started or were reset */
	bool changed;		    /* the journals have */
	bool ends;
};

static void tell(void *context, enum fit_log_level level, const char *domain, const char *text)
{
	(void)context;
	fit_watch_log(level, domain, NULL, "%s", text);
}

static void wait_for_work(const struct fit_follow *follow)
{
	struct pollfd fds[] = {{.fd = follow->wake, .events = POLLIN},
		{.fd = fit_follower_fd(&follow->follower), .events = POLLIN}};
	int64_t due = fit_follower_due(&follow->follower);
	int64_t left = due == FIT_QUEUE_NEVER ? -1 : due - fit_clock_ms();
	eventfd_t count;

	if (due != FIT_QUEUE_NEVER && left < 0)
		left = 0;
	(void)poll(fds, FIT_ARRAY_SIZE(fds), left > INT_MAX ? INT_MAX : (int)left);
	(void)eventfd_read(follow->wake, &count);
}

static void *run(void *context)
{
	struct fit_follow *follow = context;
	bool ends = false;

	while (!ends) {
		fit_autostrlist struct fit_strlist hurried = {0};
		bool changed;

		wait_for_work(follow);
		pthread_mutex_lock(&follow->lock);
		hurried = follow->hurried;
		follow->hurried = (struct fit_strlist){0};
		changed = follow->changed;
		follow->changed = false;
		ends = follow->ends;
		pthread_mutex_unlock(&follow->lock);
		if (ends)
			break;
		if (changed)
			fit_follower_load(&follow->follower, fit_clock_ms());
		for (size_t i = 0; i < hurried.count; i++)
			fit_follower_hurry(&follow->follower, hurried.items[i], fit_clock_ms());
		fit_follower_turn(&follow->follower, fit_clock_ms());
	}
	return NULL;
}

void fit_follow_wake(struct fit_follow *follow, const char *uuid)
{
	pthread_mutex_lock(&follow->lock);
	follow->changed = true;
	if (uuid && !fit_strlist_contains(&follow->hurried, uuid))
		fit_strlist_add(&follow->hurried, uuid);
	pthread_mutex_unlock(&follow->lock);
	(void)eventfd_write(follow->wake, 1);
}

static void release(struct fit_follow *follow)
{
	fit_follower_clear(&follow->follower);
	fit_strlist_clear(&follow->hurried);
	fit_close_fd(&follow->wake);
	free(follow);
}

struct fit_follow *fit_follow_start(struct fit_watch *watch, struct fit_err *err)
{
	struct fit_follow *follow = fit_xcalloc(1, sizeof(*follow));
	int errnum;

	fit_follower_init(&follow->follower, watch->options->root, tell, NULL);
	pthread_mutex_init(&follow->lock, NULL);
	follow->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	errnum = follow->wake < 0 || fit_follower_fd(&follow->follower) < 0 ? errno : 0;
	if (!errnum)
		errnum = pthread_create(&follow->thread, NULL, run, follow);
	if (!errnum)
		return follow;
	fit_err_sys(err, errnum, "cannot start the thread that follows interrupts");
	release(follow);
	return NULL;
}

void fit_follow_stop(struct fit_follow *follow)
{
	pthread_mutex_lock(&follow->lock);
	follow->ends = true;
	pthread_mutex_unlock(&follow->lock);
	(void)eventfd_write(follow->wake, 1);
	pthread_join(follow->thread, NULL);
	release(follow);
}
