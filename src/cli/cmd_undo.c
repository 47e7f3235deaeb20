/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virt-fit undo [DOMAIN]: gives the host back what domains that do not run still hold. */
#include <stdio.h>

#include <json-c/json.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/verbs.h"
#include "fitting/recover.h"

struct undo {
	const struct fit_cli *cli;
	struct json_object *done;
	bool failed;
};

static void tell(void *context, const char *name, const char *uuid, const char *what,
	const struct fit_strlist *notes, const struct fit_err *failure)
{
	struct undo *undo = context;
	fit_autofree char *shown = fit_printable(name);
	struct json_object *object;

	if (failure) {
		undo->failed = true;
		fit_cli_note("%s: %s", shown, failure->message);
		return;
	}
	if (!undo->cli->json) {
		printf("%s: %s\n", shown, what);
		for (size_t i = 0; i < notes->count; i++)
			printf("  %s\n", notes->items[i]);
		return;
	}
	object = json_object_new_object();
	json_object_object_add(object, "name", json_object_new_string(name));
	json_object_object_add(object, "uuid", json_object_new_string(uuid));
	json_object_object_add(object, "result", json_object_new_string(what));
	json_object_object_add(object, "notes", fit_json_strings(notes));
	json_object_array_add(undo->done, object);
}

int fit_cmd_undo(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct undo undo = {.cli = cli, .done = json_object_new_array()};
	const struct fit_recovery recovery = {.session = &session,
		.which = cli->arg_count ? cli->args[0] : NULL,
		.tell = tell,
		.context = &undo};
	struct fit_err err = FIT_ERR_INIT;
	int code = FIT_EXIT_DONE;

	if (fit_recover(&recovery, &err) < 0)
		code = fit_cli_fail(&err);
	else if (cli->json)
		code = fit_cli_print_json(json_object_get(undo.done));
	json_object_put(undo.done);
	fit_session_close(&session);
	return undo.failed ? FIT_EXIT_FAILED : code;
}
