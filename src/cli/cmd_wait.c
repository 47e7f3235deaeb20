/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virt-fit wait DOMAIN: until its definition is fitted. Looks again and again, which costs a call
 * of libvirt each time: the definition is judged only when it is another one, and now and then
 * because the host may be.
 */
#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/verbs.h"
#include "fitting/standing.h"
#include "sys/clock.h"
#include "sys/watcher.h"

#define LOOK_MS	 30
#define JUDGE_MS 1000

struct waiting {
	struct fit_session *session;
	struct fit_virt_domain domain;
	char *judged; /* the definition that was looked at last */
	int64_t judged_at;
};

/* 1: there is nothing to wait for, 0: not yet, -1: there will never be. */
static int judge(struct waiting *waiting, struct fit_err *err)
{
	struct fit_standing standing = {0};
	int status = 0;

	fit_session_forget(waiting->session);
	if (fit_cli_survey(waiting->session, err) < 0 ||
		fit_standing_find(waiting->session, &waiting->domain, &standing, err) < 0)
		return -1;
	switch (standing.kind) {
	case FIT_STANDING_NONE:
	case FIT_STANDING_FITTED:
	case FIT_STANDING_PARTIAL:
		status = 1;
		break;
	case FIT_STANDING_REFUSED:
		status = fit_err_set(err, FIT_ERR_REFUSED, "%s: cannot fit: %s",
			waiting->domain.name, standing.reason ? standing.reason : "");
		break;
	case FIT_STANDING_OUTDATED:
	case FIT_STANDING_STALE:
	case FIT_STANDING_UNFITTED:
		break;
	}
	if (status == 0 && !fit_watcher_runs(waiting->session->root))
		status = fit_err_set(err, FIT_ERR_STALE,
			"%s: %s, and the watcher does not run: start it with 'systemctl start "
			"virt-fit', or run 'virt-fit apply %s'",
			waiting->domain.name, fit_standing_name(standing.kind),
			waiting->domain.name);
	fit_standing_clear(&standing);
	return status;
}

static int look(struct waiting *waiting, struct fit_err *err)
{
	fit_autofree char *xml = fit_virt_definition(&waiting->domain, err);

	if (!xml)
		return -1;
	if (fit_streq(xml, waiting->judged) && fit_clock_ms() - waiting->judged_at < JUDGE_MS)
		return 0;
	free(waiting->judged);
	waiting->judged = FIT_STEAL(xml);
	waiting->judged_at = fit_clock_ms();
	return judge(waiting, err);
}

static int wait_for(
	struct waiting *waiting, const char *which, unsigned int timeout_s, struct fit_err *err)
{
	int64_t deadline = fit_clock_ms() + (int64_t)timeout_s * 1000;
	int status;

	if (fit_session_connect(waiting->session, err) < 0 ||
		fit_virt_find(&waiting->session->virt, which, &waiting->domain, err) < 0)
		return -1;
	while ((status = look(waiting, err)) == 0)
		if (!fit_clock_wait(LOOK_MS, deadline))
			return fit_err_set(err, FIT_ERR_STALE,
				"%s: is still not fitted after %u s; 'virt-fit status' says how it "
				"stands",
				waiting->domain.name, timeout_s);
	return status < 0 ? -1 : 0;
}

int fit_cmd_wait(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct waiting waiting = {.session = &session};
	struct fit_err err = FIT_ERR_INIT;
	int code = FIT_EXIT_DONE;

	if (wait_for(&waiting, cli->args[0], cli->timeout_s, &err) < 0)
		code = fit_cli_fail(&err);
	fit_virt_domain_clear(&waiting.domain);
	free(waiting.judged);
	fit_session_close(&session);
	return code;
}
