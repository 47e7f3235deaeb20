/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/watch.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "sys/clock.h"
#include "sys/watcher.h"
#include "virt/loop.h"
#include "watch/parts.h"

void fit_watch_add(struct fit_watch *watch, const char *uuid, unsigned int causes)
{
	pthread_mutex_lock(&watch->lock);
	fit_queue_add(&watch->queue, uuid, causes, fit_clock_ms());
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->lock);
}

void fit_watch_lose(struct fit_watch *watch)
{
	pthread_mutex_lock(&watch->lock);
	watch->lost = true;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->lock);
}

void fit_watch_end(struct fit_watch *watch)
{
	pthread_mutex_lock(&watch->lock);
	watch->ends = true;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->lock);
}

bool fit_watch_ends(struct fit_watch *watch)
{
	bool ends;

	pthread_mutex_lock(&watch->lock);
	ends = watch->ends;
	pthread_mutex_unlock(&watch->lock);
	return ends;
}

static int serve(struct fit_watch *watch, struct fit_service *service, struct fit_err *err)
{
	pthread_t worker;
	int errnum = pthread_create(&worker, NULL, fit_watch_work, watch);
	int status = 0;

	if (errnum)
		return fit_err_sys(err, errnum, "cannot start a thread");
	fit_service_ready(service);
	while (status == 0 && !fit_watch_ends(watch)) {
		status = fit_virt_loop_turn(err);
		fit_service_turn(service);
	}
	/* The worker ends its connections, whose last words the loop must still deliver. */
	fit_watch_end(watch);
	pthread_join(worker, NULL);
	return status;
}

/* The follower needs no libvirt: guests run, and their vectors come and go, also while its daemon
 * does not. So it is there before the first look at the domains. Journals of those that have ended
 * unnoticed are no harm to it: a device that QEMU has let go of has no vectors, and what is claimed
 * for those ends. Whoever wakes it comes after it. */
static int open_and_serve(struct fit_watch *watch, struct fit_err *err)
{
	struct fit_service *service = fit_service_open(watch, err);
	struct fit_sources *sources;
	int status;

	watch->follow = service ? fit_follow_start(watch, err) : NULL;
	sources = watch->follow ? fit_sources_open(watch, err) : NULL;
	status = sources ? serve(watch, service, err) : -1;
	if (sources)
		fit_sources_close(sources);
	if (watch->follow)
		fit_follow_stop(watch->follow);
	if (service)
		fit_service_close(service);
	return status;
}

int fit_watch_run(const struct fit_watch_options *options, struct fit_err *err)
{
	struct fit_watch watch = {.options = options,
		.uri = options->connect ? options->connect : FIT_WATCH_URI,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.started = PTHREAD_COND_INITIALIZER};
	pthread_condattr_t attributes;
	fit_autoclose int claim = -1;
	int status;

	if (fit_watcher_claim(options->root, &claim, err) < 0 || fit_virt_loop_init(err) < 0)
		return -1;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&watch.changed, &attributes);
	pthread_condattr_destroy(&attributes);
	status = open_and_serve(&watch, err);
	fit_windows_clear(&watch.windows);
	fit_queue_clear(&watch.queue);
	return status;
}
