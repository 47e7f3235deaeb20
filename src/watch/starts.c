/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts of domains that came too early and were refused. Each has a thread, because a start takes
 * seconds, and they share a connection.
 *
 * The request stays until libvirt has answered: a watcher that is killed meanwhile is followed by
 * one that sees it. When the start is refused as unfitted once more, because the definition was
 * edited in between, the hook has left another request in its place, which stays. So that two
 * programs cannot keep each other busy that way, a domain is tried ATTEMPTS_MAX times in a row.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sys/clock.h"
#include "sys/watcher.h"
#include "virt/domains.h"
#include "virt/events.h"
#include "watch/parts.h"

#define ATTEMPTS_MAX 3
#define ATTEMPTS_MS  30000 /* in this time */

struct attempts {
	char uuid[FIT_QUEUE_UUID_SIZE];
	unsigned int count;
	int64_t first;
};

struct fit_starts {
	struct fit_watch *watch;
	bool connected;
	struct fit_virt virt;
	struct attempts *attempts;
	size_t attempt_count;
};

struct start {
	struct fit_starts *starts;
	char *name;
	char *profiles;
	char uuid[FIT_QUEUE_UUID_SIZE];
	struct fit_start_request request;
};

struct fit_starts *fit_starts_new(struct fit_watch *watch)
{
	struct fit_starts *starts = fit_xcalloc(1, sizeof(*starts));

	starts->watch = watch;
	return starts;
}

void fit_starts_free(struct fit_starts *starts)
{
	struct fit_watch *watch = starts->watch;

	pthread_mutex_lock(&watch->lock);
	while (watch->starters)
		pthread_cond_wait(&watch->started, &watch->lock);
	pthread_mutex_unlock(&watch->lock);
	if (starts->connected)
		fit_virt_close(&starts->virt);
	free(starts->attempts);
	free(starts);
}

/* Counts; false when it was too often. */
static bool may_try(struct fit_starts *starts, const char *uuid)
{
	int64_t now = fit_clock_ms();
	struct attempts *found = NULL;

	for (size_t i = 0; i < starts->attempt_count;) {
		struct attempts *attempts = &starts->attempts[i];

		if (now - attempts->first > ATTEMPTS_MS) {
			*attempts = starts->attempts[--starts->attempt_count];
			continue;
		}
		if (strcmp(attempts->uuid, uuid) == 0)
			found = attempts;
		i++;
	}
	if (!found) {
		found = FIT_APPEND(starts->attempts, starts->attempt_count);
		memcpy(found->uuid, uuid, sizeof(found->uuid));
		found->first = now;
	}
	return ++found->count <= ATTEMPTS_MAX;
}

static void start_domain(const struct start *start)
{
	struct fit_virt_domain domain = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_virt_find_uuid(&start->starts->virt, start->uuid, &domain, &err) < 0) {
		fit_watch_log(FIT_LOG_WARNING, start->name, start->profiles, "%s", err.message);
		return;
	}
	/* Whoever wanted it has tried again, with success. */
	if (!domain.active && fit_virt_start(&domain, &err) == 0)
		fit_watch_log(
			FIT_LOG_NOTICE, domain.name, start->profiles, "started, as was asked for");
	else if (!domain.active)
		fit_watch_log(FIT_LOG_WARNING, domain.name, start->profiles, "%s", err.message);
	fit_virt_domain_clear(&domain);
}

static void *run(void *context)
{
	struct start *start = context;
	struct fit_watch *watch = start->starts->watch;

	start_domain(start);
	fit_start_request_remove(watch->options->root, start->uuid, &start->request);
	fit_start_request_clear(&start->request);
	free(start->name);
	free(start->profiles);
	free(start);
	pthread_mutex_lock(&watch->lock);
	watch->starters--;
	pthread_cond_broadcast(&watch->started);
	pthread_mutex_unlock(&watch->lock);
	return NULL;
}

static int connect(struct fit_starts *starts, struct fit_err *err)
{
	if (starts->connected && fit_virt_is_alive(&starts->virt))
		return 0;
	if (starts->connected) {
		/* Threads that still use the old one hold references of their own to it only
		 * through us, so they must have ended. */
		pthread_mutex_lock(&starts->watch->lock);
		while (starts->watch->starters)
			pthread_cond_wait(&starts->watch->started, &starts->watch->lock);
		pthread_mutex_unlock(&starts->watch->lock);
		fit_virt_close(&starts->virt);
		starts->connected = false;
	}
	if (fit_virt_open(starts->watch->uri, &starts->virt, err) < 0)
		return -1;
	fit_virt_keep_alive(&starts->virt);
	starts->connected = true;
	return 0;
}

static void spawn(struct start *start)
{
	struct fit_watch *watch = start->starts->watch;
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_mutex_lock(&watch->lock);
	watch->starters++;
	pthread_mutex_unlock(&watch->lock);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	/* Without a thread to spare it is done here. */
	if (pthread_create(&thread, &attributes, run, start) != 0)
		run(start);
	pthread_attr_destroy(&attributes);
}

int fit_starts_begin(struct fit_starts *starts, const struct fit_virt_domain *domain,
	const char *profiles, struct fit_err *err)
{
	const char *uuid = domain->uuid;
	struct fit_start_request request = {0};
	struct start *start;
	int found = fit_start_request_read(starts->watch->options->root, uuid, &request, err);

	if (found <= 0)
		return found;
	if (!may_try(starts, uuid)) {
		fit_start_request_remove(starts->watch->options->root, uuid, &request);
		fit_start_request_clear(&request);
		return fit_err_set(err, FIT_ERR_REFUSED,
			"it is not started: its definition keeps changing in between (%d attempts)",
			ATTEMPTS_MAX);
	}
	if (connect(starts, err) < 0) {
		fit_start_request_clear(&request);
		return -1;
	}
	start = fit_xcalloc(1, sizeof(*start));
	*start = (struct start){.starts = starts,
		.name = fit_xstrdup(domain->name),
		.profiles = fit_xstrdup(profiles),
		.request = request};
	memcpy(start->uuid, uuid, sizeof(start->uuid));
	spawn(start);
	return 0;
}
