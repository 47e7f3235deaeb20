/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virt-fit list: the domains that request profiles. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "fitting/standing.h"

struct row {
	const struct fit_virt_domain *domain;
	struct fit_standing standing;
};

static void print_table(const struct row *rows, size_t count)
{
	static const char *const head[] = {"NAME", "STATE", "PROFILES", "DEFINITION"};
	struct fit_table table = {.columns = FIT_ARRAY_SIZE(head)};

	for (size_t i = 0; count && i < FIT_ARRAY_SIZE(head); i++)
		fit_table_add(&table, fit_xstrdup(head[i]));
	for (size_t i = 0; i < count; i++) {
		const struct fit_standing *standing = &rows[i].standing;
		const char *reason = standing->reason ? standing->reason : "";

		fit_table_add(&table, fit_printable(rows[i].domain->name));
		fit_table_add(&table, fit_xstrdup(rows[i].domain->state));
		fit_table_add(&table, fit_strlist_join(&standing->profiles, " "));
		fit_table_add(
			&table, fit_xasprintf("%s%s%.*s", fit_standing_name(standing->kind),
					*reason ? ": " : "", (int)strcspn(reason, "\n"), reason));
	}
	fit_table_print(&table);
	fit_table_clear(&table);
}

static int print_json(const struct row *rows, size_t count)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < count; i++) {
		const struct fit_virt_domain *domain = rows[i].domain;
		const struct fit_standing *standing = &rows[i].standing;
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "name", json_object_new_string(domain->name));
		json_object_object_add(object, "uuid", json_object_new_string(domain->uuid));
		json_object_object_add(object, "state", json_object_new_string(domain->state));
		json_object_object_add(object, "profiles", fit_json_strings(&standing->profiles));
		json_object_object_add(object, "definition",
			json_object_new_string(fit_standing_name(standing->kind)));
		json_object_object_add(object, "reason", fit_json_string_or_null(standing->reason));
		json_object_array_add(array, object);
	}
	return fit_cli_print_json(array);
}

/* Rows of the domains that request something, or tried to. */
static int make_rows(struct fit_session *session, const struct fit_virt_domains *domains,
	struct row **ret_rows, size_t *ret_count, struct fit_err *err)
{
	struct row *rows = fit_xcalloc(domains->count + 1, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < domains->count; i++) {
		struct row *row = &rows[count];
		struct fit_err problem = FIT_ERR_INIT;

		row->domain = &domains->items[i];
		if (fit_standing_find(session, row->domain, &row->standing, &problem) == 0) {
			if (row->standing.kind != FIT_STANDING_NONE)
				count++;
		} else if (problem.code != FIT_ERR_NOTFOUND) { /* not just undefined meanwhile */
			while (count)
				fit_standing_clear(&rows[--count].standing);
			free(rows);
			return fit_err_set(err, problem.code, "%s", problem.message);
		}
	}
	*ret_rows = rows;
	*ret_count = count;
	return 0;
}

int fit_cmd_list(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct fit_virt_domains domains = {0};
	fit_autofree struct row *rows = NULL;
	struct fit_err err = FIT_ERR_INIT;
	size_t count = 0;
	int code = FIT_EXIT_DONE;

	if (fit_session_connect(&session, &err) < 0 || fit_cli_survey(&session, &err) < 0 ||
		fit_virt_list(&session.virt, &domains, &err) < 0 ||
		make_rows(&session, &domains, &rows, &count, &err) < 0)
		code = fit_cli_fail(&err);
	else if (cli->json)
		code = print_json(rows, count);
	else
		print_table(rows, count);
	for (size_t i = 0; i < count; i++)
		fit_standing_clear(&rows[i].standing);
	fit_virt_domains_clear(&domains);
	fit_session_close(&session);
	return code;
}
