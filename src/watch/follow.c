/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The follower's thread: it waits for the lock of the state, which nobody else should. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "sys/clock.h"
#include "watch/follower.h"

struct fit_follow {
	pthread_t thread;
	struct fit_follower follower; /* the thread's own */

	pthread_mutex_t lock; /* for the rest */
	pthread_cond_t woken;
	struct fit_strlist hurried; /* UUIDs of guests that have started or were reset */
	bool changed;		    /* the journals have */
	bool ends;
};

static void tell(void *context, enum fit_log_level level, const char *domain, const char *text)
{
	(void)context;
	fit_watch_log(level, domain, NULL, "%s", text);
}

/* With the lock, until there is something to do. */
static void wait_for_work(struct fit_follow *follow)
{
	int64_t due = fit_follower_due(&follow->follower);
	struct timespec until = {.tv_sec = due / 1000, .tv_nsec = due % 1000 * 1000000};

	while (!follow->ends && !follow->changed && !follow->hurried.count &&
		(due == FIT_QUEUE_NEVER || fit_clock_ms() < due)) {
		if (due == FIT_QUEUE_NEVER)
			pthread_cond_wait(&follow->woken, &follow->lock);
		else
			pthread_cond_timedwait(&follow->woken, &follow->lock, &until);
	}
}

static void *run(void *context)
{
	struct fit_follow *follow = context;
	bool ends = false;

	while (!ends) {
		fit_autostrlist struct fit_strlist hurried = {0};
		bool changed;

		pthread_mutex_lock(&follow->lock);
		wait_for_work(follow);
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
	pthread_cond_signal(&follow->woken);
	pthread_mutex_unlock(&follow->lock);
}

struct fit_follow *fit_follow_start(struct fit_watch *watch, struct fit_err *err)
{
	struct fit_follow *follow = fit_xcalloc(1, sizeof(*follow));
	pthread_condattr_t attributes;
	int errnum;

	fit_follower_init(&follow->follower, watch->options->root, tell, NULL);
	pthread_mutex_init(&follow->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&follow->woken, &attributes);
	pthread_condattr_destroy(&attributes);
	errnum = pthread_create(&follow->thread, NULL, run, follow);
	if (errnum == 0)
		return follow;
	free(follow);
	fit_err_sys(err, errnum, "cannot start a thread");
	return NULL;
}

void fit_follow_stop(struct fit_follow *follow)
{
	pthread_mutex_lock(&follow->lock);
	follow->ends = true;
	pthread_cond_signal(&follow->woken);
	pthread_mutex_unlock(&follow->lock);
	pthread_join(follow->thread, NULL);
	fit_follower_clear(&follow->follower);
	fit_strlist_clear(&follow->hurried);
	free(follow);
}
