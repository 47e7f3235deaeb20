/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void fit_windows_clear(struct fit_windows *windows)
{
	free(windows->items);
	*windows = (struct fit_windows){0};
}

static struct fit_window *find(const struct fit_windows *windows, const char *uuid)
{
	for (size_t i = 0; i < windows->count; i++)
		if (strcmp(windows->items[i].uuid, uuid) == 0)
			return &windows->items[i];
	return NULL;
}

static void drop(struct fit_windows *windows, struct fit_window *window)
{
	*window = windows->items[--windows->count];
}

void fit_windows_open(struct fit_windows *windows, const char *uuid)
{
	struct fit_window *window = find(windows, uuid);

	if (!window)
		window = FIT_APPEND(windows->items, windows->count);
	*window = (struct fit_window){.judgment = FIT_QUEUE_NEVER};
	snprintf(window->uuid, sizeof(window->uuid), "%s", uuid);
}

void fit_windows_defining(struct fit_windows *windows, const char *uuid)
{
	struct fit_window *window = find(windows, uuid);

	if (window)
		window->defining = true;
}

void fit_windows_defined(struct fit_windows *windows, const char *uuid, int64_t now)
{
	struct fit_window *window = find(windows, uuid);

	if (window)
		window->judgment = now + FIT_WINDOW_GRACE_MS;
}

bool fit_windows_drop(struct fit_windows *windows, const char *uuid)
{
	struct fit_window *window = find(windows, uuid);
	bool taken = window && window->defined_after;

	if (window)
		drop(windows, window);
	return taken;
}

/* Of several defines that are reported after ours was called, one is ours; the first is as good as
 * any, because the others remain reasons to look. */
static bool note_define(struct fit_window *window, bool added)
{
	if (!window->defined_before && !window->defined_after)
		window->added = added;
	if (!window->defining) {
		window->defined_before++;
		return false;
	}
	return ++window->defined_after == 1;
}

bool fit_windows_event(struct fit_windows *windows, const char *uuid, enum fit_window_event event)
{
	struct fit_window *window = find(windows, uuid);

	if (!window)
		return false;
	switch (event) {
	case FIT_WINDOW_ADDED:
		return note_define(window, true);
	case FIT_WINDOW_REDEFINED:
		return note_define(window, false);
	case FIT_WINDOW_UNDEFINED:
		if (window->defined_before || window->defined_after)
			window->undefined_last = true;
		else
			window->undefined++;
		break;
	}
	return false;
}

int64_t fit_windows_due(const struct fit_windows *windows)
{
	int64_t due = FIT_QUEUE_NEVER;

	for (size_t i = 0; i < windows->count; i++)
		if (windows->items[i].judgment < due)
			due = windows->items[i].judgment;
	return due;
}

static enum fit_verdict judge(const struct fit_window *window)
{
	if (window->undefined && window->added && !window->undefined_last &&
		!window->defined_before && window->defined_after == 1)
		return FIT_VERDICT_BROUGHT_BACK;
	if (!window->undefined_last && window->defined_before + window->defined_after > 1)
		return FIT_VERDICT_OVERLAPPED;
	return FIT_VERDICT_CLEAN;
}

bool fit_windows_judge(struct fit_windows *windows, int64_t now, char ret_uuid[FIT_QUEUE_UUID_SIZE],
	enum fit_verdict *ret_verdict)
{
	for (size_t i = 0; i < windows->count; i++) {
		struct fit_window *window = &windows->items[i];

		if (window->judgment > now)
			continue;
		memcpy(ret_uuid, window->uuid, sizeof(window->uuid));
		*ret_verdict = judge(window);
		drop(windows, window);
		return true;
	}
	return false;
}
