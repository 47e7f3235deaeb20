/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which domains are to be looked at, why, and when. PURE: the time comes from the caller, in
 * milliseconds of a monotonic clock.
 *
 * A domain waits from its first event until there was none for it for FIT_QUEUE_QUIET_MS, and at
 * most FIT_QUEUE_PATIENCE_MS: people and programs edit in bursts, and a definition that is written
 * in the middle of one can take an edit back. However many events come, it waits once. Taking it
 * out forgets it, so what happens while it is worked on puts it in again, and nothing is lost.
 *
 * A domain that could not be fitted is remembered with what was said about it. It comes back when
 * it changes itself, or, by fit_queue_retry(), when something else has changed that may help; what
 * was said is not said again.
 */
#ifndef FIT_WATCH_QUEUE_H
#define FIT_WATCH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIT_QUEUE_QUIET_MS    150
#define FIT_QUEUE_PATIENCE_MS 2000
#define FIT_QUEUE_UUID_SIZE   37
#define FIT_QUEUE_NEVER	      INT64_MAX

/* Stands for "look at all domains" in place of a UUID. */
#define FIT_QUEUE_ALL "all"

enum fit_cause {
	FIT_CAUSE_CHANGED = 1 << 0,  /* its definition or its request */
	FIT_CAUSE_WORLD = 1 << 1,    /* the host, a profile, or what others hold */
	FIT_CAUSE_SCANNED = 1 << 2,  /* found when all were looked for: does not wait */
	FIT_CAUSE_STARTED = 1 << 3,  /* it runs: others may have to make room */
	FIT_CAUSE_CONFLICT = 1 << 4, /* a domain runs on what it is defined on: does not wait */
	FIT_CAUSE_START = 1 << 5,    /* somebody tried to start it: does not wait */
	FIT_CAUSE_PLUGGED = 1 << 6,  /* a device came or went while it runs: does not wait */
	FIT_CAUSE_REQUEST = 1 << 7,  /* its request was written or taken out */
};

struct fit_queue_item {
	char uuid[FIT_QUEUE_UUID_SIZE];
	unsigned int causes; /* of enum fit_cause */
	int64_t first;	     /* when it came in */
	int64_t last;	     /* when something happened last */
	int64_t due;
};

struct fit_queue_failure {
	char uuid[FIT_QUEUE_UUID_SIZE];
	uint64_t message; /* its fingerprint */
};

struct fit_queue {
	struct fit_queue_item *items;
	size_t count;
	struct fit_queue_failure *failures;
	size_t failure_count;
};

void fit_queue_clear(struct fit_queue *queue);

void fit_queue_add(struct fit_queue *queue, const char *uuid, unsigned int causes, int64_t now);

/* Takes out what is due: one that is to be started before others, then the longest due. */
bool fit_queue_take(struct fit_queue *queue, int64_t now, struct fit_queue_item *ret_item);

/* What is due next, now or later; NULL when there is nothing. */
const struct fit_queue_item *fit_queue_next(const struct fit_queue *queue);

/* When something will be due, FIT_QUEUE_NEVER when there is nothing. */
int64_t fit_queue_due(const struct fit_queue *queue);

/* There is no such domain any more. */
void fit_queue_forget(struct fit_queue *queue, const char *uuid);

/* It could not be fitted. Is @message another one than last time, to be told? */
bool fit_queue_fail(struct fit_queue *queue, const char *uuid, const char *message);

/* It is fitted. Could it not be, last time? */
bool fit_queue_succeed(struct fit_queue *queue, const char *uuid);

/* Something has changed that may help those that could not be fitted. */
void fit_queue_retry(struct fit_queue *queue, int64_t now);

#endif
