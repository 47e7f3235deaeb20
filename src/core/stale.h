/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a start does with a definition that is not fitted, because it comes too early, or what it
 * was fitted for has changed. Said in the request, else in a profile, else in host.xml.
 */
#ifndef FIT_CORE_STALE_H
#define FIT_CORE_STALE_H

#include <stdbool.h>

enum fit_stale {
	FIT_STALE_UNSTATED,
	FIT_STALE_REFIT,  /* it is refused, fitted, and then started by the watcher */
	FIT_STALE_REFUSE, /* it is refused */
	FIT_STALE_WARN,	  /* it goes on, with a line in the log */
};

/* "refit", …; NULL for unstated. */
const char *fit_stale_name(enum fit_stale stale);

bool fit_stale_parse(const char *text, enum fit_stale *ret_stale);

#define FIT_STALE_WORDS "refit, refuse or warn"

#endif
