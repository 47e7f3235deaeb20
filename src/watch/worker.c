/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worker: connects, and connects again when libvirt's daemon comes back; takes domains out of
 * the queue and fits them.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/watcher.h"
#include "virt/events.h"
#include "watch/worker.h"

/* Between attempts to connect: doubled each time. */
#define BACKOFF_MIN_MS 100
#define BACKOFF_MAX_MS 10000

/* A daemon that has just started gives the host back itself, for domains that it misses. */
#define RECOVERY_MS 3000

static void on_event(void *context, enum fit_virt_event event, const char *uuid)
{
	struct fit_watch *watch = context;
	int64_t now = fit_clock_ms();

	pthread_mutex_lock(&watch->lock);
	switch (event) {
	case FIT_VIRT_ADDED:
	case FIT_VIRT_REDEFINED:
		if (!fit_windows_event(&watch->windows, uuid,
			    event == FIT_VIRT_ADDED ? FIT_WINDOW_ADDED : FIT_WINDOW_REDEFINED))
			fit_queue_add(&watch->queue, uuid, FIT_CAUSE_CHANGED, now);
		break;
	case FIT_VIRT_REQUESTED:
		fit_queue_add(&watch->queue, uuid, FIT_CAUSE_CHANGED | FIT_CAUSE_REQUEST, now);
		break;
	case FIT_VIRT_UNDEFINED:
		(void)fit_windows_event(&watch->windows, uuid, FIT_WINDOW_UNDEFINED);
		fit_queue_forget(&watch->queue, uuid);
		fit_queue_retry(&watch->queue, now);
		break;
	case FIT_VIRT_STARTED:
		fit_queue_add(&watch->queue, uuid, FIT_CAUSE_STARTED, now);
		break;
	case FIT_VIRT_STOPPED:
		fit_queue_retry(&watch->queue, now);
		break;
	case FIT_VIRT_RESET:
		break;
	case FIT_VIRT_PLUGGED:
		fit_queue_add(&watch->queue, uuid, FIT_CAUSE_PLUGGED, now);
		break;
	}
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->lock);
	if (event == FIT_VIRT_STARTED || event == FIT_VIRT_RESET)
		fit_follow_wake(watch->follow, uuid);
}

static void on_lost(void *context)
{
	fit_watch_lose(context);
}

static void on_defining(void *context, const char *uuid, enum fit_defining step)
{
	struct fit_watch *watch = context;
	int64_t now = fit_clock_ms();

	pthread_mutex_lock(&watch->lock);
	switch (step) {
	case FIT_DEFINING_READS:
		fit_windows_open(&watch->windows, uuid);
		break;
	case FIT_DEFINING_DEFINES:
		fit_windows_defining(&watch->windows, uuid);
		break;
	case FIT_DEFINING_DONE:
		fit_windows_defined(&watch->windows, uuid, now);
		break;
	case FIT_DEFINING_FAILED:
		if (fit_windows_drop(&watch->windows, uuid))
			fit_queue_add(&watch->queue, uuid, FIT_CAUSE_CHANGED, now);
		break;
	}
	pthread_mutex_unlock(&watch->lock);
}

static void disconnect(struct fit_worker *worker)
{
	fit_prepared_clear(&worker->ahead);
	fit_virt_events_close(&worker->events);
	fit_session_close(&worker->session);
	worker->surveyed = 0;
	worker->connected = false;
}

/* Everything may have changed meanwhile: all domains are looked at. */
static int connect(struct fit_worker *worker, struct fit_err *err)
{
	struct fit_watch *watch = worker->watch;

	pthread_mutex_lock(&watch->lock);
	watch->lost = false;
	pthread_mutex_unlock(&watch->lock);
	if (fit_virt_events_open(watch->uri, &worker->handlers, &worker->events, err) < 0)
		return -1;
	if (fit_session_connect(&worker->session, err) < 0) {
		disconnect(worker);
		return -1;
	}
	fit_virt_keep_alive(&worker->session.virt);
	worker->connected = true;
	worker->recovery = fit_clock_ms() + RECOVERY_MS;
	pthread_mutex_lock(&watch->lock);
	fit_windows_clear(&watch->windows);
	fit_queue_add(&watch->queue, FIT_QUEUE_ALL, FIT_CAUSE_SCANNED, fit_clock_ms());
	pthread_mutex_unlock(&watch->lock);
	return 0;
}

/* With the lock, until something changes or @until has come. */
static void wait_for_change(struct fit_watch *watch, int64_t until)
{
	struct timespec time = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};

	if (until == FIT_QUEUE_NEVER)
		pthread_cond_wait(&watch->changed, &watch->lock);
	else
		pthread_cond_timedwait(&watch->changed, &watch->lock, &time);
}

static void back_off(struct fit_worker *worker)
{
	struct fit_watch *watch = worker->watch;
	int64_t until = fit_clock_ms() + worker->backoff;

	pthread_mutex_lock(&watch->lock);
	while (!watch->ends && fit_clock_ms() < until)
		wait_for_change(watch, until);
	pthread_mutex_unlock(&watch->lock);
	worker->backoff *= 2;
	if (worker->backoff > BACKOFF_MAX_MS)
		worker->backoff = BACKOFF_MAX_MS;
}

static void try_to_connect(struct fit_worker *worker)
{
	struct fit_err err = FIT_ERR_INIT;

	if (connect(worker, &err) == 0) {
		fit_watch_log(FIT_LOG_INFO, NULL, NULL, "watching the domains of %s",
			worker->session.virt.uri);
		fit_service_status("watching the domains of %s", worker->session.virt.uri);
		worker->backoff = BACKOFF_MIN_MS;
		worker->complained = false;
		return;
	}
	if (!worker->complained) {
		fit_watch_log(
			FIT_LOG_WARNING, NULL, NULL, "%s It is tried again and again", err.message);
		fit_service_status("waiting for libvirt's daemon");
	}
	worker->complained = true;
	back_off(worker);
}

/* Before the next domain is due there is time to look at the host. */
static bool has_time_to_survey(const struct fit_worker *worker, int64_t due, int64_t now)
{
	return due > now && due - now <= FIT_SURVEY_AHEAD_MS &&
	       now - worker->surveyed > FIT_SURVEY_AHEAD_MS;
}

/* One thing that is due, or else waits. */
static void turn(struct fit_worker *worker)
{
	struct fit_watch *watch = worker->watch;
	char uuid[FIT_QUEUE_UUID_SIZE];
	struct fit_queue_item item;
	enum fit_verdict verdict;
	int64_t now = fit_clock_ms();
	int64_t due;
	int64_t other; /* due: verdicts, recovery */

	pthread_mutex_lock(&watch->lock);
	if (watch->ends || watch->lost) {
		pthread_mutex_unlock(&watch->lock);
		disconnect(worker);
		return;
	}
	if (fit_windows_judge(&watch->windows, now, uuid, &verdict)) {
		pthread_mutex_unlock(&watch->lock);
		fit_worker_settle(worker, uuid, verdict);
		return;
	}
	if (fit_queue_take(&watch->queue, now, &item)) {
		pthread_mutex_unlock(&watch->lock);
		fit_worker_do(worker, &item);
		return;
	}
	if (worker->recovery <= now) {
		pthread_mutex_unlock(&watch->lock);
		worker->recovery = FIT_QUEUE_NEVER;
		fit_worker_recover(worker);
		return;
	}
	due = fit_queue_due(&watch->queue);
	if (has_time_to_survey(worker, due, now)) {
		item = *fit_queue_next(&watch->queue);
		pthread_mutex_unlock(&watch->lock);
		fit_worker_prepare(worker, &item);
		return;
	}
	other = fit_windows_due(&watch->windows);
	if (worker->recovery < other)
		other = worker->recovery;
	if (due - FIT_SURVEY_AHEAD_MS > now && due != FIT_QUEUE_NEVER)
		due -= FIT_SURVEY_AHEAD_MS;
	wait_for_change(watch, due < other ? due : other);
	pthread_mutex_unlock(&watch->lock);
}

void *fit_watch_work(void *context)
{
	struct fit_watch *watch = context;
	struct fit_worker worker = {.watch = watch,
		.handlers = {.event = on_event, .lost = on_lost, .context = watch},
		.session = {.root = watch->options->root,
			.store = watch->options->store,
			.connect = watch->uri,
			.other_host = watch->options->other_host,
			.by_uuid = true,
			.defining = on_defining,
			.defining_context = watch},
		.starts = fit_starts_new(watch),
		.backoff = BACKOFF_MIN_MS};

	while (!fit_watch_ends(watch)) {
		if (worker.connected)
			turn(&worker);
		else
			try_to_connect(&worker);
	}
	fit_starts_free(worker.starts);
	disconnect(&worker);
	free(worker.told);
	return NULL;
}
