/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A start that comes too early: see core/stale.h. libvirt raises no event for a start that is
 * refused, so the watcher is left a request.
 */
#include "engine.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/stale.h"
#include "sys/paths.h"
#include "sys/policy.h"
#include "sys/watcher.h"

/* The XML does not say, and libvirt cannot be asked. */
static bool is_persistent(const struct fit_call *call)
{
	fit_autofree char *path = fit_xasprintf(FIT_PATH_DEFINITIONS "/%s.xml", call->name);

	return !strchr(call->name, '/') && fit_fsroot_exists(&call->root, path);
}

/* A transient domain cannot be defined anew, and when it is refused nothing is left of it. */
static enum fit_stale policy_of(
	const struct fit_call *call, const struct fit_order *order, bool persistent)
{
	enum fit_stale stale = order->stale ? order->stale : fit_policy_stale(&call->root);

	if (stale == FIT_STALE_UNSTATED || (stale == FIT_STALE_REFIT && !persistent))
		return persistent ? FIT_STALE_REFIT : FIT_STALE_WARN;
	return stale;
}

/* The command that does @verb with @name, for a shell. To be freed. */
static char *command_for(const char *verb, const char *name)
{
	fit_autofree char *quoted = fit_shell_quote(name);

	return fit_xasprintf("virt-fit %s %s%s", verb, *name == '-' ? "-- " : "", quoted);
}

static int name_command(const struct fit_call *call, struct fit_err *err)
{
	fit_autofree char *command = command_for("apply", call->name);
	fit_autofree char *why = fit_xstrdup(err->message);

	if (err->code != FIT_ERR_STALE)
		return -1;
	return fit_err_set(err, err->code, "%s. Fit it with: %s", why, command);
}

static int ask_watcher(struct fit_call *call, bool may_go_on, struct fit_err *err)
{
	struct fit_err problem = FIT_ERR_INIT;
	fit_autofree char *why = fit_xstrdup(err->message);
	fit_autofree char *command = command_for("wait", call->name);

	if (fit_start_request_put(&call->root, call->uuid, call->name, &problem) < 0) {
		fit_call_log_error(call, &problem);
		return -1;
	}
	return fit_err_set(err, FIT_ERR_STALE,
		"%s. The watcher %s; do not start it again (it cannot know of flags such as "
		"--paused). Whether it can is said by: %s",
		why,
		may_go_on ? "fits it and starts it now"
			  : "starts it as soon as it has found another place for it",
		command);
}

int fit_order_decide(
	struct fit_call *call, const struct fit_order *order, bool may_go_on, struct fit_err *err)
{
	bool persistent = is_persistent(call);
	enum fit_stale policy = policy_of(call, order, persistent);

	if (policy == FIT_STALE_WARN && may_go_on) {
		fit_call_log_error(call, err);
		return 0;
	}
	if (policy == FIT_STALE_REFIT && fit_watcher_runs(&call->root))
		return ask_watcher(call, may_go_on, err);
	return name_command(call, err);
}
