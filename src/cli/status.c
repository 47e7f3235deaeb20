/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/status.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "fitting/live_fit.h"
#include "sys/paths.h"
#include "sys/watcher.h"

void fit_status_clear(struct fit_status *status)
{
	for (size_t i = 0; i < status->domain_count; i++) {
		fit_standing_clear(&status->domains[i].standing);
		fit_strlist_clear(&status->domains[i].waits);
	}
	free(status->domains);
	fit_virt_domains_clear(&status->all);
	fit_state_close(&status->state);
	*status = (struct fit_status){0};
}

static bool is_our_gate(const struct fit_fsroot *root, const char *path)
{
	static const char mark[] = FIT_GATE_MARKER;
	fit_autofree char *text = NULL;
	size_t length;

	return fit_fsroot_read(root, path, &text, &length, NULL) == 0 &&
	       memmem(text, length, mark, sizeof(mark) - 1);
}

static void find_hook(const struct fit_fsroot *root, struct fit_status_hook *hook)
{
	if (fit_fsroot_exists(root, FIT_PATH_HOOK_EXTRA))
		hook->path = FIT_PATH_HOOK_EXTRA;
	else if (is_our_gate(root, FIT_PATH_HOOK))
		hook->path = FIT_PATH_HOOK;
	hook->executable = hook->path && faccessat(root->fd, hook->path, X_OK, 0) == 0;
	hook->engine = fit_fsroot_exists(root, FIT_ENGINE);
}

static int add_domain(struct fit_session *session, const struct fit_virt_domain *domain,
	bool always, struct fit_status *status, struct fit_err *err)
{
	struct fit_status_domain found = {.name = domain->name,
		.uuid = domain->uuid,
		.domain = domain,
		.journal = fit_state_journal(&status->state, domain->uuid)};
	struct fit_err problem = FIT_ERR_INIT;

	if (fit_standing_find(session, domain, &found.standing, &problem) < 0) {
		if (problem.code == FIT_ERR_NOTFOUND) /* undefined meanwhile */
			return 0;
		return fit_err_set(err, problem.code, "%s", problem.message);
	}
	if (!always && found.standing.kind == FIT_STANDING_NONE && !found.journal) {
		fit_standing_clear(&found.standing);
		return 0;
	}
	found.unprepared =
		domain->active && !found.journal && found.standing.kind != FIT_STANDING_NONE;
	found.unfitted = domain->active && found.journal && found.journal->unfitted;
	if (found.unfitted && fit_domain_list_missing(session, domain, &found.waits, &problem) < 0)
		fit_strlist_add(&found.waits, problem.message);
	*FIT_APPEND(status->domains, status->domain_count) = found;
	return 0;
}

static bool is_listed(const struct fit_virt_domains *all, const struct fit_journal *journal)
{
	for (size_t i = 0; i < all->count; i++)
		if (fit_streq(all->items[i].uuid, journal->uuid))
			return true;
	return false;
}

/* Journals of domains that libvirt does not know: left by a crash, or libvirt was not asked. */
static void add_leftovers(const char *which, struct fit_status *status)
{
	for (size_t i = 0; i < status->state.journal_count; i++) {
		struct fit_journal *journal = &status->state.journals[i];

		if (is_listed(&status->all, journal))
			continue;
		if (which && !fit_streq(which, journal->name) && !fit_streq(which, journal->uuid))
			continue;
		*FIT_APPEND(status->domains, status->domain_count) = (struct fit_status_domain){
			.name = journal->name, .uuid = journal->uuid, .journal = journal};
	}
}

static int add_domains(struct fit_session *session, const char *which, struct fit_status *status,
	struct fit_err *err)
{
	struct fit_virt_domain named = {0};

	if (which) {
		if (fit_virt_find(&session->virt, which, &named, err) < 0)
			return fit_state_journal(&status->state, which) ||
					       fit_state_journal_by_name(&status->state, which)
				       ? 0
				       : -1;
		*FIT_APPEND(status->all.items, status->all.count) = named;
	} else if (fit_virt_list(&session->virt, &status->all, err) < 0) {
		return -1;
	}
	for (size_t i = 0; i < status->all.count; i++)
		if (add_domain(session, &status->all.items[i], which, status, err) < 0)
			return -1;
	return 0;
}

static int collect(struct fit_session *session, const char *which, struct fit_status *status,
	struct fit_err *err)
{
	struct fit_err problem = FIT_ERR_INIT;

	if (fit_state_snapshot(session->root, &status->state, err) < 0)
		return -1;
	find_hook(session->root, &status->hook);
	status->watched = fit_watcher_runs(session->root);
	/* Also where the host's policy cannot be read: what is held is on record. */
	if (fit_session_connect(session, &problem) == 0 && fit_cli_survey(session, &problem) == 0) {
		status->connected = true;
		if (add_domains(session, which, status, err) < 0)
			return -1;
	} else {
		fit_cli_note("only what is held of the host is known: %s", problem.message);
	}
	add_leftovers(which, status);
	if (which && !status->domain_count)
		return fit_err_set(err, FIT_ERR_NOTFOUND, "nothing is held for '%s'", which);
	return 0;
}

int fit_status_collect(struct fit_session *session, const char *which,
	struct fit_status *ret_status, struct fit_err *err)
{
	struct fit_status status = {.state = {.lock_fd = -1}};

	if (collect(session, which, &status, err) < 0) {
		fit_status_clear(&status);
		return -1;
	}
	*ret_status = status;
	return 0;
}
