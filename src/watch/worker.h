/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the worker's loop and what it does. */
#ifndef FIT_WATCH_WORKER_H
#define FIT_WATCH_WORKER_H

#include "fitting/fit.h"
#include "virt/events.h"
#include "watch/parts.h"

/* A survey that old is as good as new; and that much before a domain is due, one is made, and the
 * domain's definition with it, which is then only to be defined. */
#define FIT_SURVEY_GOOD_MS  150
#define FIT_SURVEY_AHEAD_MS 60

struct fit_worker {
	struct fit_watch *watch;
	struct fit_virt_handlers handlers;
	struct fit_virt_events events;
	struct fit_session session;
	struct fit_starts *starts;
	bool connected;
	bool complained; /* that there is no connection */
	int64_t backoff;
	int64_t recovery;	   /* when to look for what dead domains hold; FIT_QUEUE_NEVER */
	int64_t surveyed;	   /* when; 0: there is no survey */
	struct fit_prepared ahead; /* with that survey, for what is due next; or nothing */
	char *told;		   /* what the last survey had to say; NULL: nothing */
	bool host_failed;	   /* for that the domain that is worked on could not be fitted */
};

/* Looks at the host and at what domains hold, unless that was done just now. */
int fit_worker_survey(struct fit_worker *worker, struct fit_err *err);

/* Works out ahead what will be done with @next, if nothing happens to it until it is due. */
void fit_worker_prepare(struct fit_worker *worker, const struct fit_queue_item *next);

void fit_worker_do(struct fit_worker *worker, const struct fit_queue_item *item);

/* Has the journal of a running domain say which devices it has by now. */
int fit_worker_note_devices(
	struct fit_worker *worker, const struct fit_virt_domain *domain, struct fit_err *err);

/* Gives the host back what domains that do not run still hold. */
void fit_worker_recover(struct fit_worker *worker);

/* What came of a define. */
void fit_worker_settle(struct fit_worker *worker, const char *uuid, enum fit_verdict verdict);

#endif
