/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The watcher's queue and the windows of its defines: pure, with a made-up clock. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "watch/queue.h"
#include "watch/windows.h"

#define A "aaaaaaaa-0000-4000-8000-000000000001"
#define B "bbbbbbbb-0000-4000-8000-000000000002"

static void a_burst_is_answered_once_and_when_it_is_over(void **state)
{
	struct fit_queue queue = {0};
	struct fit_queue_item item;

	(void)state;
	for (int64_t now = 0; now <= 400; now += 100)
		fit_queue_add(&queue, A, FIT_CAUSE_CHANGED, now);
	assert_int_equal(fit_queue_due(&queue), 400 + FIT_QUEUE_QUIET_MS);
	assert_false(fit_queue_take(&queue, 400 + FIT_QUEUE_QUIET_MS - 1, &item));
	assert_true(fit_queue_take(&queue, 400 + FIT_QUEUE_QUIET_MS, &item));
	assert_string_equal(item.uuid, A);
	assert_false(fit_queue_take(&queue, FIT_QUEUE_NEVER - 1, &item));
	assert_int_equal(fit_queue_due(&queue), FIT_QUEUE_NEVER);
	fit_queue_clear(&queue);
}

static void endless_edits_do_not_put_it_off_for_ever(void **state)
{
	struct fit_queue queue = {0};
	struct fit_queue_item item;
	int64_t now = 1000;

	(void)state;
	for (; !fit_queue_take(&queue, now, &item); now += FIT_QUEUE_QUIET_MS / 2)
		fit_queue_add(&queue, A, FIT_CAUSE_CHANGED, now);
	assert_in_range(now, 1000 + FIT_QUEUE_PATIENCE_MS,
		1000 + FIT_QUEUE_PATIENCE_MS + FIT_QUEUE_QUIET_MS);
	fit_queue_clear(&queue);
}

static void who_waits_for_a_start_is_served_at_once_and_first(void **state)
{
	struct fit_queue queue = {0};
	struct fit_queue_item item;

	(void)state;
	fit_queue_add(&queue, B, FIT_CAUSE_SCANNED, 0);
	fit_queue_add(&queue, A, FIT_CAUSE_CHANGED, 10);
	fit_queue_add(&queue, A, FIT_CAUSE_START, 20);
	/* Another event does not put it off again. */
	fit_queue_add(&queue, A, FIT_CAUSE_CHANGED, 21);
	assert_true(fit_queue_take(&queue, 21, &item));
	assert_string_equal(item.uuid, A);
	assert_int_equal(item.causes, FIT_CAUSE_CHANGED | FIT_CAUSE_START);
	assert_true(fit_queue_take(&queue, 21, &item));
	assert_string_equal(item.uuid, B);
	fit_queue_clear(&queue);
}

static void what_was_said_is_said_again_only_when_it_differs(void **state)
{
	struct fit_queue queue = {0};
	struct fit_queue_item item;

	(void)state;
	assert_true(fit_queue_fail(&queue, A, "no cores"));
	assert_false(fit_queue_fail(&queue, A, "no cores"));
	assert_true(fit_queue_fail(&queue, B, "no cores"));
	assert_true(fit_queue_fail(&queue, A, "no pages"));
	/* It comes back only when something has changed. */
	assert_false(fit_queue_take(&queue, FIT_QUEUE_NEVER - 1, &item));
	fit_queue_retry(&queue, 0);
	assert_int_equal(queue.count, 2);
	assert_true(fit_queue_succeed(&queue, A));
	assert_false(fit_queue_succeed(&queue, A));
	assert_true(fit_queue_fail(&queue, A, "no pages"));
	fit_queue_forget(&queue, A);
	fit_queue_forget(&queue, B);
	fit_queue_retry(&queue, 0);
	assert_int_equal(queue.count, 0);
	fit_queue_clear(&queue);
}

/* Whatever comes in whatever order: each domain that had an event since it was last taken out is
 * taken out once, within the patience, with all its causes; no other is. */
static void no_event_is_lost_and_none_made_up(void **state)
{
	enum { DOMAINS = 7, STEPS = 20000 };
	struct fit_queue queue = {0};
	struct fit_queue_item item;
	unsigned int wanted[DOMAINS] = {0};
	int64_t since[DOMAINS] = {0};
	char uuid[FIT_QUEUE_UUID_SIZE];
	int64_t now = 0;

	(void)state;
	srand(7);
	for (int step = 0; step < STEPS; step++) {
		int which = rand() % DOMAINS;
		unsigned int cause = 1U << (rand() % 6);

		now += rand() % 40;
		if (rand() % 3) {
			snprintf(uuid, sizeof(uuid), "%s", A);
			uuid[35] = (char)('0' + which);
			if (!wanted[which])
				since[which] = now;
			wanted[which] |= cause;
			fit_queue_add(&queue, uuid, cause, now);
		}
		while (fit_queue_take(&queue, now, &item)) {
			which = item.uuid[35] - '0';
			assert_int_equal(item.causes, wanted[which]);
			assert_true(item.causes);
			assert_true(item.due <= now);
			wanted[which] = 0;
		}
		for (int i = 0; i < DOMAINS; i++) {
			assert_false(wanted[i] && now - since[i] >= FIT_QUEUE_PATIENCE_MS);
			/* Nothing that does not wait is left. */
			assert_false(wanted[i] & FIT_CAUSE_START);
		}
		assert_true(queue.count <= DOMAINS);
		assert_true(!queue.count == (fit_queue_due(&queue) == FIT_QUEUE_NEVER));
	}
	fit_queue_clear(&queue);
}

/* The life of a window in letters: r it is read, d our define is called, . it has returned; A, D,
 * U: events. A capital after a star must be taken for our own. */
static enum fit_verdict play(const char *story)
{
	struct fit_windows windows = {0};
	enum fit_verdict verdict = FIT_VERDICT_CLEAN;
	char uuid[FIT_QUEUE_UUID_SIZE];

	for (const char *at = story; *at; at++) {
		bool ours = *at == '*';

		at += ours;
		switch (*at) {
		case 'r':
			fit_windows_open(&windows, A);
			break;
		case 'd':
			fit_windows_defining(&windows, A);
			break;
		case '.':
			fit_windows_defined(&windows, A, 1000);
			break;
		case 'A':
			assert_int_equal(fit_windows_event(&windows, A, FIT_WINDOW_ADDED), ours);
			break;
		case 'D':
			assert_int_equal(
				fit_windows_event(&windows, A, FIT_WINDOW_REDEFINED), ours);
			break;
		case 'U':
			assert_false(fit_windows_event(&windows, A, FIT_WINDOW_UNDEFINED));
			break;
		default:
			fail_msg("%s", story);
		}
		/* Others are not affected. */
		assert_false(fit_windows_event(&windows, B, FIT_WINDOW_ADDED));
	}
	assert_int_equal(fit_windows_due(&windows), 1000 + FIT_WINDOW_GRACE_MS);
	assert_false(fit_windows_judge(&windows, 1000 + FIT_WINDOW_GRACE_MS - 1, uuid, &verdict));
	assert_true(fit_windows_judge(&windows, 1000 + FIT_WINDOW_GRACE_MS, uuid, &verdict));
	assert_string_equal(uuid, A);
	assert_int_equal(windows.count, 0);
	fit_windows_clear(&windows);
	return verdict;
}

static void a_domain_that_was_brought_back_is_known(void **state)
{
	(void)state;
	assert_int_equal(play("rd*D."), FIT_VERDICT_CLEAN);
	assert_int_equal(play("rd.*D"), FIT_VERDICT_CLEAN);
	assert_int_equal(play("rUd*A."), FIT_VERDICT_BROUGHT_BACK);
	assert_int_equal(play("rdU*A."), FIT_VERDICT_BROUGHT_BACK);
	assert_int_equal(play("rd.U*A"), FIT_VERDICT_BROUGHT_BACK);
	/* It is gone again, or was undefined after us. */
	assert_int_equal(play("rdU*A.U"), FIT_VERDICT_CLEAN);
	assert_int_equal(play("rd*D.U"), FIT_VERDICT_CLEAN);
}

/* What somebody else has defined is not ours to undefine. */
static void what_others_defined_is_left(void **state)
{
	static const char *const stories[] = {
		"rUAd*D.", /* undefined and defined before us */
		"rUd*AD.", /* in between; which is ours is not known */
		"rdU*A.D", /* we brought it back, then somebody defined it */
		"rd*D.UA", /* undefined and defined after us */
		"rUAd.",   /* ours has not been reported yet */
		"rd*DD.",  /* an edit */
		"rDd*D.",
		"rd*A.", /* nobody undefined it */
		"rd.",
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(stories); i++)
		if (play(stories[i]) == FIT_VERDICT_BROUGHT_BACK)
			fail_msg("%s", stories[i]);
	assert_int_equal(play("rd*DD."), FIT_VERDICT_OVERLAPPED);
	assert_int_equal(play("rDd*D."), FIT_VERDICT_OVERLAPPED);
	assert_int_equal(play("rUAd*D."), FIT_VERDICT_OVERLAPPED);
}

/* When our define failed, the event that was taken for its own was another's. */
static void a_define_that_failed_gives_its_event_back(void **state)
{
	struct fit_windows windows = {0};

	(void)state;
	fit_windows_open(&windows, A);
	fit_windows_defining(&windows, A);
	assert_true(fit_windows_event(&windows, A, FIT_WINDOW_REDEFINED));
	assert_true(fit_windows_drop(&windows, A));
	fit_windows_open(&windows, A);
	assert_false(fit_windows_event(&windows, A, FIT_WINDOW_REDEFINED));
	assert_false(fit_windows_drop(&windows, A));
	assert_int_equal(fit_windows_due(&windows), FIT_QUEUE_NEVER);
	fit_windows_clear(&windows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_is_answered_once_and_when_it_is_over),
		cmocka_unit_test(endless_edits_do_not_put_it_off_for_ever),
		cmocka_unit_test(who_waits_for_a_start_is_served_at_once_and_first),
		cmocka_unit_test(what_was_said_is_said_again_only_when_it_differs),
		cmocka_unit_test(no_event_is_lost_and_none_made_up),
		cmocka_unit_test(a_domain_that_was_brought_back_is_known),
		cmocka_unit_test(what_others_defined_is_left),
		cmocka_unit_test(a_define_that_failed_gives_its_event_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
