/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of the watcher. */
#ifndef FIT_WATCH_PARTS_H
#define FIT_WATCH_PARTS_H

#include <pthread.h>
#include <stdbool.h>

#include "base/attr.h"
#include "virt/domains.h"
#include "watch/queue.h"
#include "watch/watch.h"
#include "watch/windows.h"

struct fit_follow;

struct fit_watch {
	const struct fit_watch_options *options;
	const char *uri;

	/* Everything from here on is guarded by the lock. */
	pthread_mutex_t lock;
	pthread_cond_t changed; /* there is something new for the worker */
	pthread_cond_t started; /* a starter has ended */
	struct fit_queue queue;
	struct fit_windows windows;
	unsigned int starters;
	bool lost; /* the connection for events has ended */
	bool ends;

	struct fit_follow *follow; /* has a lock of its own */
};

/* Puts something into the queue, now. */
void fit_watch_add(struct fit_watch *watch, const char *uuid, unsigned int causes);
void fit_watch_lose(struct fit_watch *watch);
void fit_watch_end(struct fit_watch *watch);
bool fit_watch_ends(struct fit_watch *watch); /* has it been told to end? */

/* The worker's thread; @context is the struct fit_watch. */
void *fit_watch_work(void *context);

/* Starts a domain for the request that was left, in a thread of its own. */
struct fit_starts;
struct fit_starts *fit_starts_new(struct fit_watch *watch);
void fit_starts_free(struct fit_starts *starts); /* waits for the threads */
int fit_starts_begin(struct fit_starts *starts, const struct fit_virt_domain *domain,
	const char *profiles, struct fit_err *err);

/* The thread that follows the interrupts of running domains' devices: see watch/follower.h. */
struct fit_follow *fit_follow_start(struct fit_watch *watch, struct fit_err *err);
void fit_follow_stop(struct fit_follow *follow);
/* The journals have changed. With a UUID (else NULL): its guest has started or was reset. */
void fit_follow_wake(struct fit_follow *follow, const char *uuid);

/* Files and devices. */
struct fit_sources;
struct fit_sources *fit_sources_open(struct fit_watch *watch, struct fit_err *err);
void fit_sources_close(struct fit_sources *sources);

/* Does this message of the kernel (text, NUL between its lines) say that CPUs, memory, or devices
 * that a domain could get have come or gone? */
bool fit_sources_is_hardware(const char *message, size_t length);

/* The service: READY and the like for systemd, signals. */
struct fit_service;
struct fit_service *fit_service_open(struct fit_watch *watch, struct fit_err *err);
void fit_service_ready(struct fit_service *service);
void fit_service_turn(struct fit_service *service); /* after each turn of the loop */
void fit_service_close(struct fit_service *service);
void fit_service_status(const char *format, ...) FIT_PRINTF(1, 2);

/* A line for the journal, or on stderr. @domain and @profile may be NULL. */
enum fit_log_level { FIT_LOG_WARNING, FIT_LOG_NOTICE, FIT_LOG_INFO };
void fit_watch_log(enum fit_log_level level, const char *domain, const char *profile,
	const char *format, ...) FIT_PRINTF(4, 5);

#endif
