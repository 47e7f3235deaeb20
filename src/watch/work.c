/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the worker does with a domain that is due. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/render.h"
#include "core/request.h"
#include "core/xml.h"
#include "fitting/fit.h"
#include "fitting/live_fit.h"
#include "fitting/recover.h"
#include "fitting/redefine.h"
#include "sys/clock.h"
#include "sys/watcher.h"
#include "watch/worker.h"

/* A request that nobody honoured that long: whoever left it has given up. */
#define REQUEST_MAX_S 60

#define WARNINGS_MAX 3

/* Says what is new, once. */
static void tell_survey(struct fit_worker *worker, const char *problem)
{
	fit_autofree char *notes = fit_strlist_join(&worker->session.notes, "; ");
	fit_autofree char *text = fit_xasprintf(
		"%s%s%s", problem ? problem : "", problem && *notes ? "; " : "", notes);

	if (*text && !fit_streq(text, worker->told))
		fit_watch_log(FIT_LOG_WARNING, NULL, NULL, "%s", text);
	fit_xreplace(&worker->told, *text ? text : NULL);
}

int fit_worker_survey(struct fit_worker *worker, struct fit_err *err)
{
	struct fit_err problem = FIT_ERR_INIT;
	int64_t now = fit_clock_ms();
	int status;

	if (worker->surveyed && now - worker->surveyed <= FIT_SURVEY_GOOD_MS)
		return 0;
	fit_prepared_clear(&worker->ahead);
	fit_session_forget(&worker->session);
	status = fit_session_survey(&worker->session, &problem);
	/* A daemon that has just gone is no problem of the host. */
	if (status == 0 || fit_virt_is_alive(&worker->session.virt))
		tell_survey(worker, status < 0 ? problem.message : NULL);
	worker->surveyed = status == 0 ? now : 0;
	if (status < 0)
		return fit_err_set(err, problem.code, "%s", problem.message);
	return 0;
}

/* Returns if it is said now, which it is once. */
static bool fail(
	struct fit_worker *worker, const char *uuid, const char *name, const struct fit_err *err)
{
	struct fit_watch *watch = worker->watch;
	bool is_new;

	pthread_mutex_lock(&watch->lock);
	is_new = fit_queue_fail(&watch->queue, uuid, err->message);
	pthread_mutex_unlock(&watch->lock);
	is_new = is_new && !worker->host_failed;
	if (is_new)
		fit_watch_log(FIT_LOG_WARNING, name, NULL, "%s", err->message);
	return is_new;
}

/* Without the name, which the line begins with. */
static const char *reason_of(const struct fit_err *err, const char *name)
{
	size_t length = name && fit_starts_with(err->message, name) ? strlen(name) : 0;

	return length && fit_starts_with(err->message + length, ": ") ? err->message + length + 2
								      : err->message;
}

static bool succeed(struct fit_worker *worker, const char *uuid)
{
	struct fit_watch *watch = worker->watch;
	bool had_failed;

	pthread_mutex_lock(&watch->lock);
	had_failed = fit_queue_succeed(&watch->queue, uuid);
	pthread_mutex_unlock(&watch->lock);
	return had_failed;
}

/* There is no such domain any more; nobody waits for its start. */
static void forget(struct fit_worker *worker, const char *uuid)
{
	struct fit_watch *watch = worker->watch;
	const struct fit_fsroot *root = watch->options->root;
	struct fit_start_request request = {0};

	pthread_mutex_lock(&watch->lock);
	fit_queue_forget(&watch->queue, uuid);
	pthread_mutex_unlock(&watch->lock);
	if (fit_start_request_read(root, uuid, &request, NULL) <= 0)
		return;
	fit_start_request_remove(root, uuid, &request);
	fit_watch_log(
		FIT_LOG_NOTICE, request.name, NULL, "it was to be started, and has been undefined");
	fit_start_request_clear(&request);
}

/* Shut-off domains that are defined on what @uuid, which runs, has for itself. */
static void find_conflicts(struct fit_worker *worker, const char *uuid)
{
	const struct fit_claims *claims = &worker->session.claims;
	const struct fit_claim *mine = NULL;

	for (size_t i = 0; i < claims->count; i++)
		if (claims->items[i].uuid && strcasecmp(claims->items[i].uuid, uuid) == 0)
			mine = &claims->items[i];
	for (size_t i = 0; mine && i < claims->count; i++) {
		const struct fit_claim *other = &claims->items[i];

		if (other != mine && !other->running && other->uuid &&
			fit_claims_collide(mine, other))
			fit_watch_add(worker->watch, other->uuid, FIT_CAUSE_CONFLICT);
	}
}

/* On a crowded host there is one for each domain that is in the way. */
static void tell_warnings(const struct fit_fitted *fitted)
{
	const struct fit_strlist *warnings = &fitted->warnings;
	const char *name = fitted->subject.name;

	for (size_t i = 0; i < warnings->count && i < WARNINGS_MAX; i++)
		fit_watch_log(FIT_LOG_WARNING, name, fitted->profiles, "%s", warnings->items[i]);
	if (warnings->count > WARNINGS_MAX)
		fit_watch_log(FIT_LOG_WARNING, name, fitted->profiles,
			"and %zu more warnings; 'virt-fit plan' shows them",
			warnings->count - WARNINGS_MAX);
}

static void tell_fitted(const struct fit_fitted *fitted, bool had_failed)
{
	const struct fit_virt_domain *domain = &fitted->subject.domain;

	for (size_t i = 0; i < fitted->notes.count && fitted->changed; i++)
		fit_watch_log(FIT_LOG_NOTICE, domain->name, fitted->profiles, "%s",
			fitted->notes.items[i]);
	if (fitted->changed)
		tell_warnings(fitted);
	if (fitted->changed || had_failed)
		fit_watch_log(FIT_LOG_NOTICE, domain->name, fitted->profiles, "fitted (%s)%s",
			fitted->profiles,
			domain->active ? "; it runs: takes effect at the next start" : "");
}

/* Somebody tried to start it, and it is fitted now; or it cannot be, for the reason @refused, which
 * is empty when the log has just said it. */
static void answer_start(struct fit_worker *worker, const struct fit_virt_domain *domain,
	const char *profiles, const char *refused)
{
	const struct fit_fsroot *root = worker->watch->options->root;
	struct fit_start_request request = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_start_request_read(root, domain->uuid, &request, &err) < 0)
		fit_watch_log(FIT_LOG_WARNING, domain->name, NULL, "%s", err.message);
	else if (domain->active || request.age_s > REQUEST_MAX_S || refused)
		fit_start_request_remove(root, domain->uuid, &request);
	else if (fit_starts_begin(worker->starts, domain, profiles, &err) < 0)
		fit_watch_log(FIT_LOG_WARNING, domain->name, profiles, "%s", err.message);
	if (refused && request.name)
		fit_watch_log(FIT_LOG_WARNING, domain->name, NULL,
			"it was to be started, and is not%s%s", *refused ? ": " : "", refused);
	fit_start_request_clear(&request);
}

static bool may_request(const char *xml)
{
	return strstr(xml, FIT_REQUEST_NAMESPACE);
}

/* Does the domain request something? Whatever is wrong with its request is said when it is fitted.
 */
static int requests(const struct fit_virt_domain *domain, struct fit_err *err)
{
	fit_autofree char *xml = fit_virt_definition(domain, err);
	fit_autodoc xmlDoc *doc = NULL;
	struct fit_request request = {0};
	int found;

	if (!xml)
		return -1;
	if (!may_request(xml))
		return 0;
	doc = fit_xml_parse(xml, strlen(xml), domain->name, NULL);
	found = doc ? fit_request_read(doc, domain->name, &request, NULL) : -1;
	fit_request_clear(&request);
	return found != 0;
}

static int fit(struct fit_worker *worker, const struct fit_virt_domain *domain, unsigned int causes,
	struct fit_err *err)
{
	struct fit_fitted fitted = {0};

	/* That has been said, and need not be for each domain. */
	worker->host_failed = fit_worker_survey(worker, err) < 0;
	if (worker->host_failed ||
		fit_domain_fit(&worker->session, domain->uuid, NULL, &fitted, err) < 0)
		return -1;
	tell_fitted(&fitted, succeed(worker, domain->uuid));
	if (causes & FIT_CAUSE_START)
		answer_start(worker, domain, fitted.profiles, NULL);
	fit_fitted_clear(&fitted);
	return 0;
}

/* Causes that ask for nothing but a fitted definition. */
#define PLAIN (FIT_CAUSE_CHANGED | FIT_CAUSE_WORLD | FIT_CAUSE_REQUEST)

void fit_worker_prepare(struct fit_worker *worker, const struct fit_queue_item *next)
{
	struct fit_prepared *ahead = &worker->ahead;
	const struct fit_virt_domain *domain = &ahead->redefinition.subject.domain;

	if (fit_worker_survey(worker, NULL) < 0 || next->causes & ~(unsigned int)PLAIN ||
		fit_streq(next->uuid, FIT_QUEUE_ALL))
		return;
	fit_prepared_clear(ahead);
	/* What is wrong with it is said when it is due. */
	if (fit_domain_prepare(&worker->session, next->uuid, ahead, NULL) == 0 &&
		(domain->saved || domain->active))
		fit_prepared_clear(ahead);
}

static bool is_prepared(const struct fit_worker *worker, const struct fit_queue_item *item)
{
	const struct fit_redefinition *ahead = &worker->ahead.redefinition;

	return ahead->xml && strcmp(ahead->subject.domain.uuid, item->uuid) == 0 &&
	       !(item->causes & ~(unsigned int)PLAIN) && worker->surveyed > item->last &&
	       fit_clock_ms() - worker->surveyed <= FIT_SURVEY_GOOD_MS;
}

/* Does what was worked out ahead. If it cannot, all is done anew. */
static bool fit_prepared(struct fit_worker *worker, const struct fit_queue_item *item)
{
	struct fit_fitted fitted = {0};
	bool done = is_prepared(worker, item) &&
		    fit_domain_fit_prepared(&worker->session, &worker->ahead, &fitted, NULL) > 0;

	fit_prepared_clear(&worker->ahead);
	if (done)
		tell_fitted(&fitted, succeed(worker, item->uuid));
	fit_fitted_clear(&fitted);
	return done;
}

static int revert(struct fit_session *session FIT_UNUSED, const struct fit_subject *subject,
	void *context, char **ret_xml, struct fit_err *err)
{
	struct fit_strlist *notes = context;
	fit_autofree char *xml = NULL;
	bool changed;

	fit_strlist_clear(notes);
	if (fit_revert(subject->xml, subject->length, subject->name, notes, &xml, &changed, err) <
		0)
		return -1;
	if (changed)
		*ret_xml = FIT_STEAL(xml);
	return 0;
}

/* The request was taken out, as by 'virsh metadata --remove', which asks for what `unset` does. A
 * definition that never had one, and was fitted with options, stays. */
static int take_back(
	struct fit_worker *worker, const struct fit_virt_domain *domain, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_subject subject = {0};
	int status = fit_redefine(&worker->session, domain->uuid, revert, &notes, &subject, err);

	fit_subject_clear(&subject);
	if (status < 0)
		return -1;
	(void)succeed(worker, domain->uuid);
	for (size_t i = 0; i < notes.count && status > 0; i++)
		fit_watch_log(FIT_LOG_NOTICE, domain->name, NULL, "%s", notes.items[i]);
	if (status > 0)
		fit_watch_log(FIT_LOG_NOTICE, domain->name, NULL,
			"it requests no profile any more: as it was before%s",
			domain->active ? "; it runs: takes effect at the next start" : "");
	return 0;
}

/* Another domain may have been started on the CPUs since the survey. */
#define LIVE_ATTEMPTS 2

static int fit_live(
	struct fit_worker *worker, const struct fit_virt_domain *domain, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist done = {0};
	fit_autofree char *list = NULL;
	int status = -1;

	for (int i = 0; i < LIVE_ATTEMPTS && status < 0; i++) {
		if (i > 0)
			worker->surveyed = 0;
		if (fit_worker_survey(worker, err) < 0)
			return -1;
		status = fit_domain_fit_live(&worker->session, domain, &done, err);
	}
	if (status < 0)
		return -1;
	list = fit_strlist_join(&done, ", ");
	fit_watch_log(FIT_LOG_NOTICE, domain->name, NULL,
		"it was started before it was fitted; now it has %s, and the rest at its next "
		"start ('virt-fit status' lists it)",
		*list ? list : "nothing new");
	return 0;
}

static int look_at(struct fit_worker *worker, const struct fit_virt_domain *domain,
	unsigned int causes, struct fit_err *err)
{
	int found = 0;

	if (causes & (FIT_CAUSE_STARTED | FIT_CAUSE_PLUGGED | FIT_CAUSE_SCANNED) &&
		fit_worker_note_devices(worker, domain, err) < 0)
		return -1;
	if (causes == FIT_CAUSE_PLUGGED)
		return 0;
	/* A domain that starts may be in the way of others, whether it is ours or not. */
	if (causes & FIT_CAUSE_STARTED && fit_worker_survey(worker, NULL) == 0)
		find_conflicts(worker, domain->uuid);
	/* What a saved image resumes with is what it was saved with, so there is nothing to gain
	 * from another definition until it is gone. A transient domain has none. */
	if (domain->persistent && !domain->saved) {
		found = requests(domain, err);
		if (found == 0 && causes & FIT_CAUSE_REQUEST && take_back(worker, domain, err) < 0)
			return -1;
	}
	if (found < 0 || (found > 0 && fit(worker, domain, causes, err) < 0))
		return -1;
	if (domain->active && fit_domain_awaits_live_fit(&worker->session, domain))
		return fit_live(worker, domain, err);
	return 0;
}

static void scan(struct fit_worker *worker)
{
	struct fit_watch *watch = worker->watch;
	struct fit_virt_domains domains = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_virt_list(&worker->session.virt, &domains, &err) < 0) {
		fit_watch_log(FIT_LOG_WARNING, NULL, NULL, "%s", err.message);
		return;
	}
	pthread_mutex_lock(&watch->lock);
	for (size_t i = 0; i < domains.count; i++)
		fit_queue_add(
			&watch->queue, domains.items[i].uuid, FIT_CAUSE_SCANNED, fit_clock_ms());
	pthread_mutex_unlock(&watch->lock);
	fit_virt_domains_clear(&domains);
}

/* Undefined while it was worked on. (A profile can be what is not found, too.) */
static bool is_gone(struct fit_worker *worker, const char *uuid)
{
	struct fit_virt_domain domain = {0};
	struct fit_err err = FIT_ERR_INIT;
	bool gone = fit_virt_find_uuid(&worker->session.virt, uuid, &domain, &err) < 0 &&
		    err.code == FIT_ERR_NOTFOUND;

	fit_virt_domain_clear(&domain);
	return gone;
}

void fit_worker_do(struct fit_worker *worker, const struct fit_queue_item *item)
{
	struct fit_virt_domain domain = {0};
	struct fit_err err = FIT_ERR_INIT;
	int status;

	if (fit_streq(item->uuid, FIT_QUEUE_ALL)) {
		worker->surveyed = 0;
		scan(worker);
		return;
	}
	/* What was seen before it happened is no help. */
	if (worker->surveyed <= item->last)
		worker->surveyed = 0;
	worker->host_failed = false;
	if (fit_prepared(worker, item))
		return;
	status = fit_virt_find_uuid(&worker->session.virt, item->uuid, &domain, &err);
	if (status == 0)
		status = look_at(worker, &domain, item->causes, &err);
	if (status < 0 && !fit_virt_is_alive(&worker->session.virt)) {
		/* Nothing is known of the domain: the next connection looks at all. Only who wants
		 * to start it is not found that way. */
		fit_watch_add(worker->watch, item->uuid, item->causes);
		fit_watch_lose(worker->watch);
	} else if (status < 0 && is_gone(worker, item->uuid)) {
		forget(worker, item->uuid);
	} else if (status < 0) {
		bool said = fail(worker, item->uuid, domain.name, &err);

		if (item->causes & FIT_CAUSE_START)
			answer_start(
				worker, &domain, NULL, said ? "" : reason_of(&err, domain.name));
	}
	fit_virt_domain_clear(&domain);
}

static void tell_recovered(void *context, const char *name, const char *uuid, const char *what,
	const struct fit_strlist *notes, const struct fit_err *failure)
{
	fit_autofree char *details = fit_strlist_join(notes, "; ");
	const char *domain = *uuid ? name : NULL;

	(void)context;
	if (failure)
		fit_watch_log(FIT_LOG_WARNING, domain, NULL,
			"what it holds of the host cannot be given back: %s", failure->message);
	else
		fit_watch_log(FIT_LOG_NOTICE, domain, NULL,
			"what a crash left of its settings of the host: %s%s%s", what,
			*details ? ": " : "", details);
}

void fit_worker_recover(struct fit_worker *worker)
{
	const struct fit_recovery recovery = {
		.session = &worker->session, .by_itself = true, .tell = tell_recovered};
	struct fit_err err = FIT_ERR_INIT;

	/* What domains of other drivers hold is not in our journals. */
	if (!fit_virt_is_system(&worker->session.virt))
		return;
	if (fit_recover(&recovery, &err) < 0)
		fit_watch_log(FIT_LOG_WARNING, NULL, NULL, "%s", err.message);
}

void fit_worker_settle(struct fit_worker *worker, const char *uuid, enum fit_verdict verdict)
{
	struct fit_virt_domain domain = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (verdict == FIT_VERDICT_CLEAN ||
		fit_virt_find_uuid(&worker->session.virt, uuid, &domain, &err) < 0)
		return;
	if (verdict == FIT_VERDICT_OVERLAPPED)
		fit_watch_log(FIT_LOG_WARNING, domain.name, NULL,
			"it was edited in the very moment in which it was fitted; look whether that "
			"edit is in the definition");
	else if (fit_virt_undefine(&domain, &err) == 0)
		fit_watch_log(FIT_LOG_NOTICE, domain.name, NULL,
			"it was undefined in the very moment in which it was fitted, which brought "
			"it back: undefined again");
	else
		fit_watch_log(FIT_LOG_WARNING, domain.name, NULL,
			"it was undefined in the very moment in which it was fitted, which brought "
			"it back: %s",
			err.message);
	fit_virt_domain_clear(&domain);
}
