/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to a domain between the moment its definition is read for the last time and the
 * moment ours is in place. PURE.
 *
 * libvirt cannot define on a condition, so some milliseconds remain in which somebody undefines the
 * domain, and our define brings it back, or edits it, and our define takes the edit back. Both can
 * be seen afterwards in the events: every define raises exactly one, ours too, which says ADDED
 * when there was no definition. Since one's own event must arrive, that is also how it is known
 * from others', and does not lead to another look at the domain.
 *
 * What is undone is somebody's definition, so a domain counts as brought back only if nothing else
 * fits: it was undefined after the window was opened, then exactly one define was reported, as
 * ADDED, after ours was called, and it was not undefined again.
 */
#ifndef FIT_WATCH_WINDOWS_H
#define FIT_WATCH_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "watch/queue.h"

/* Events come that much after the call that caused them, at most. */
#define FIT_WINDOW_GRACE_MS 250

enum fit_window_event {
	FIT_WINDOW_ADDED,
	FIT_WINDOW_REDEFINED,
	FIT_WINDOW_UNDEFINED,
};

enum fit_verdict {
	FIT_VERDICT_CLEAN,
	FIT_VERDICT_BROUGHT_BACK,
	FIT_VERDICT_OVERLAPPED, /* somebody else defined it in the same moment */
};

struct fit_window {
	char uuid[FIT_QUEUE_UUID_SIZE];
	bool defining;	  /* our define has been called */
	int64_t judgment; /* when it has returned: the time of the verdict; else FIT_QUEUE_NEVER */
	unsigned int defined_before; /* events of defines before ours was called: of others */
	unsigned int defined_after;
	unsigned int undefined; /* before the first define that was reported */
	bool undefined_last;	/* after it */
	bool added;		/* the first define was reported as ADDED */
};

struct fit_windows {
	struct fit_window *items;
	size_t count;
};

void fit_windows_clear(struct fit_windows *windows);

/* Before the definition is read for the last time. */
void fit_windows_open(struct fit_windows *windows, const char *uuid);
/* Before it is defined. */
void fit_windows_defining(struct fit_windows *windows, const char *uuid);
/* It is defined. */
void fit_windows_defined(struct fit_windows *windows, const char *uuid, int64_t now);
/* It was not defined. Was an event taken for that of our define, so that the domain must be looked
 * at again? */
bool fit_windows_drop(struct fit_windows *windows, const char *uuid);

/* Notes an event. Is it of our own define, and no reason to look at the domain? */
bool fit_windows_event(struct fit_windows *windows, const char *uuid, enum fit_window_event event);

/* When there will be a verdict; FIT_QUEUE_NEVER. */
int64_t fit_windows_due(const struct fit_windows *windows);

/* Takes a window out whose time has come. */
bool fit_windows_judge(struct fit_windows *windows, int64_t now, char ret_uuid[FIT_QUEUE_UUID_SIZE],
	enum fit_verdict *ret_verdict);

#endif
