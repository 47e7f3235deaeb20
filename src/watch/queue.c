/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define AT_ONCE (FIT_CAUSE_SCANNED | FIT_CAUSE_CONFLICT | FIT_CAUSE_START | FIT_CAUSE_PLUGGED)

void fit_queue_clear(struct fit_queue *queue)
{
	free(queue->items);
	free(queue->failures);
	*queue = (struct fit_queue){0};
}

static struct fit_queue_item *find(const struct fit_queue *queue, const char *uuid)
{
	for (size_t i = 0; i < queue->count; i++)
		if (strcmp(queue->items[i].uuid, uuid) == 0)
			return &queue->items[i];
	return NULL;
}

static struct fit_queue_failure *find_failure(const struct fit_queue *queue, const char *uuid)
{
	for (size_t i = 0; i < queue->failure_count; i++)
		if (strcmp(queue->failures[i].uuid, uuid) == 0)
			return &queue->failures[i];
	return NULL;
}

static void drop(struct fit_queue *queue, struct fit_queue_item *item)
{
	size_t index = (size_t)(item - queue->items);

	memmove(item, item + 1, (queue->count - index - 1) * sizeof(*item));
	queue->count--;
}

static void drop_failure(struct fit_queue *queue, struct fit_queue_failure *failure)
{
	*failure = queue->failures[--queue->failure_count];
}

static int64_t due_time(const struct fit_queue_item *item, int64_t now)
{
	int64_t quiet = now + FIT_QUEUE_QUIET_MS;
	int64_t patience = item->first + FIT_QUEUE_PATIENCE_MS;

	return quiet < patience ? quiet : patience;
}

void fit_queue_add(struct fit_queue *queue, const char *uuid, unsigned int causes, int64_t now)
{
	struct fit_queue_item *item = find(queue, uuid);

	if (!item) {
		item = FIT_APPEND(queue->items, queue->count);
		snprintf(item->uuid, sizeof(item->uuid), "%s", uuid);
		item->first = now;
		item->due = now;
	}
	item->causes |= causes;
	item->last = now;
	/* Who waits for a start has ended his edits. Otherwise edits that go on are waited for. */
	if (item->causes & FIT_CAUSE_START || !(item->causes & ~(unsigned int)AT_ONCE))
		item->due = item->due < now ? item->due : now;
	else if (causes & ~(unsigned int)AT_ONCE)
		item->due = due_time(item, now);
}

static bool comes_before(const struct fit_queue_item *a, const struct fit_queue_item *b)
{
	bool a_starts = a->causes & FIT_CAUSE_START;
	bool b_starts = b->causes & FIT_CAUSE_START;

	return a_starts != b_starts ? a_starts : a->due < b->due;
}

const struct fit_queue_item *fit_queue_next(const struct fit_queue *queue)
{
	const struct fit_queue_item *next = NULL;

	for (size_t i = 0; i < queue->count; i++)
		if (!next || queue->items[i].due < next->due)
			next = &queue->items[i];
	return next;
}

bool fit_queue_take(struct fit_queue *queue, int64_t now, struct fit_queue_item *ret_item)
{
	struct fit_queue_item *chosen = NULL;

	for (size_t i = 0; i < queue->count; i++) {
		struct fit_queue_item *item = &queue->items[i];

		if (item->due <= now && (!chosen || comes_before(item, chosen)))
			chosen = item;
	}
	if (!chosen)
		return false;
	*ret_item = *chosen;
	drop(queue, chosen);
	return true;
}

int64_t fit_queue_due(const struct fit_queue *queue)
{
	const struct fit_queue_item *next = fit_queue_next(queue);

	return next ? next->due : FIT_QUEUE_NEVER;
}

void fit_queue_forget(struct fit_queue *queue, const char *uuid)
{
	struct fit_queue_item *item = find(queue, uuid);

	if (item)
		drop(queue, item);
	(void)fit_queue_succeed(queue, uuid);
}

bool fit_queue_fail(struct fit_queue *queue, const char *uuid, const char *message)
{
	uint64_t print = fit_fingerprint(FIT_FINGERPRINT_INIT, message, strlen(message));
	struct fit_queue_failure *failure = find_failure(queue, uuid);
	bool is_new;

	if (!failure) {
		failure = FIT_APPEND(queue->failures, queue->failure_count);
		snprintf(failure->uuid, sizeof(failure->uuid), "%s", uuid);
	}
	is_new = failure->message != print;
	failure->message = print;
	return is_new;
}

bool fit_queue_succeed(struct fit_queue *queue, const char *uuid)
{
	struct fit_queue_failure *failure = find_failure(queue, uuid);

	if (failure)
		drop_failure(queue, failure);
	return failure;
}

void fit_queue_retry(struct fit_queue *queue, int64_t now)
{
	for (size_t i = 0; i < queue->failure_count; i++)
		fit_queue_add(queue, queue->failures[i].uuid, FIT_CAUSE_WORLD, now);
}
