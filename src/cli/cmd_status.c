/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virt-fit status [DOMAIN]: definitions, running domains, and what they hold of the host. */
#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/status.h"
#include "cli/status_vectors.h"
#include "cli/verbs.h"
#include "sys/paths.h"
#include "sys/value.h"

static void print_row(const char *topic, const char *text)
{
	printf("  %-17s %s\n", topic, text);
}

/* A host has hundreds of interrupts: what is the same for many files is one row. --json has all. */
static void print_files(
	enum fit_resource_kind kind, const char *text, const char *path, size_t count)
{
	printf("  %-17s %s: /%s", fit_resource_kind_name(kind), text, path);
	if (count > 1)
		printf(" and %zu more", count - 1);
	puts("");
}

static bool is_same_claim(const struct fit_claim_entry *a, const struct fit_claim_entry *b)
{
	return a->kind == b->kind && fit_streq(a->contribution, b->contribution);
}

/* Those of vectors are shown with these. */
static void print_claims(struct fit_journal *journal)
{
	const struct fit_claim_entry *claims = journal->claims;
	size_t count = journal->claim_count;

	for (size_t i = 0; i < count; i++) {
		fit_autofree char *text =
			fit_contribution_describe(claims[i].kind, claims[i].contribution);
		size_t first = 0;
		size_t same = 0;

		while (!is_same_claim(&claims[first], &claims[i]))
			first++;
		if (first < i || fit_vectors_claim(journal, claims[i].path) == &claims[i])
			continue;
		for (size_t j = i; j < count; j++)
			same += is_same_claim(&claims[j], &claims[i]);
		print_files(claims[i].kind, text, claims[i].path, same);
	}
}

static void print_journal(const struct fit_fsroot *root, struct fit_journal *journal)
{
	fit_autofree char *cpus = fit_cpuset_describe(&journal->exclusive_cpus, "CPU");

	if (!fit_cpuset_is_empty(&journal->exclusive_cpus))
		print_row("alone on", cpus);
	for (size_t i = 0; i < journal->device_count; i++)
		print_row("device", FIT_PCIADDR_STR(journal->devices[i]));
	fit_status_print_vectors(root, journal);
	print_claims(journal);
}

static const char *state_of(const struct fit_status *status, const struct fit_status_domain *domain)
{
	if (domain->domain)
		return domain->domain->state;
	return status->connected ? "not known to libvirt" : "state unknown";
}

static void print_running(const struct fit_standing *standing)
{
	fit_autofree char *text = NULL;

	if (!standing->runs_with)
		return;
	text = *standing->runs_with
		       ? fit_xasprintf(
				 "%s as it was fitted before; what is said above takes effect at "
				 "the next start",
				 standing->runs_with)
		       : fit_xstrdup("a definition that was not fitted, until the next start");
	print_row("runs with", text);
}

/* When does it get what it is missing? */
static void print_unfitted(const struct fit_status *status, const struct fit_status_domain *domain)
{
	const char *when = "what follows it gets at its next start";
	fit_autofree char *text = NULL;

	if (!domain->domain || !domain->domain->persistent)
		when = "what follows it has not, and it has no definition for another start";
	else if (domain->standing.kind != FIT_STANDING_FITTED)
		when = status->watched ? "what follows it gets when it is fitted and started anew"
				       : "what follows it gets after 'virt-fit apply' and another "
					 "start";
	text = fit_xasprintf("it was started before it was fitted: %s", when);
	print_row("warning", text);
}

static void print_domain(const struct fit_status *status, const struct fit_status_domain *domain,
	const struct fit_fsroot *root)
{
	const struct fit_standing *standing = &domain->standing;
	fit_autofree char *name = fit_printable(domain->name);
	fit_autofree char *profiles = fit_strlist_join(&standing->profiles, " ");

	printf("%s: %s", name, state_of(status, domain));
	if (domain->domain)
		printf(", %s", fit_standing_name(standing->kind));
	printf("%s%s%s\n", profiles[0] ? " (" : "", profiles, profiles[0] ? ")" : "");
	if (standing->reason)
		print_row("because", standing->reason);
	print_running(standing);
	for (size_t i = 0; i < standing->edits.count; i++)
		print_row("edited", standing->edits.items[i]);
	if (domain->journal)
		print_journal(root, domain->journal);
	if (domain->journal && domain->journal->damage)
		print_row("damaged", domain->journal->damage);
	if (domain->unfitted)
		print_unfitted(status, domain);
	for (size_t i = 0; i < domain->waits.count; i++)
		print_row("missing", domain->waits.items[i]);
	if (domain->unprepared)
		print_row("warning", "the hook was not called when it started: the host is not "
				     "prepared for it");
	if (domain->journal && domain->domain && !domain->domain->active)
		print_row("warning",
			"it does not run, but holds this: 'virt-fit undo' gives it back");
}

static void print_host(const struct fit_status *status, const struct fit_fsroot *root)
{
	const struct fit_ledger *ledger = &status->state.ledger;
	fit_autostrlist struct fit_strlist texts = {0};

	if (ledger->damage)
		printf("host: what was there before is not known of everything: %s\n",
			ledger->damage);
	if (ledger->count)
		puts("host: changed while domains run");
	for (size_t i = 0; i < ledger->count; i++) {
		fit_autofree char *now =
			fit_value_read(root, ledger->items[i].kind, ledger->items[i].path);

		fit_strlist_addf(
			&texts, "%s, was %s", now ? now : "gone", ledger->items[i].baseline);
	}
	for (size_t i = 0; i < ledger->count; i++) {
		size_t first = 0;
		size_t same = 0;

		while (ledger->items[first].kind != ledger->items[i].kind ||
			!fit_streq(texts.items[first], texts.items[i]))
			first++;
		if (first < i)
			continue;
		for (size_t j = i; j < ledger->count; j++)
			same += ledger->items[j].kind == ledger->items[i].kind &&
				fit_streq(texts.items[j], texts.items[i]);
		print_files(ledger->items[i].kind, texts.items[i], ledger->items[i].path, same);
	}
}

static void print_hook(const struct fit_status_hook *hook)
{
	if (!hook->path)
		puts("hook: not installed: the host is not prepared, whatever the definitions say");
	else if (!hook->executable)
		printf("hook: /%s is not executable; libvirt skips it\n", hook->path);
	else if (!hook->engine)
		printf("hook: /%s is installed, but " FIT_ENGINE " is not\n", hook->path);
	else
		printf("hook: /%s\n", hook->path);
}

static void print_watcher(bool runs)
{
	puts(runs ? "watcher: runs"
		  : "watcher: does not run: definitions are fitted by 'virt-fit apply' only");
}

static struct json_object *json_journal(const struct fit_fsroot *root, struct fit_journal *journal)
{
	struct json_object *object = json_object_new_object();
	struct json_object *devices = json_object_new_array();
	struct json_object *claims = json_object_new_array();

	for (size_t i = 0; i < journal->device_count; i++)
		json_object_array_add(
			devices, json_object_new_string(FIT_PCIADDR_STR(journal->devices[i])));
	for (size_t i = 0; i < journal->claim_count; i++) {
		const struct fit_claim_entry *claim = &journal->claims[i];
		struct json_object *item = json_object_new_object();

		json_object_object_add(
			item, "kind", json_object_new_string(fit_resource_kind_name(claim->kind)));
		json_object_object_add(item, "path", json_object_new_string(claim->path));
		json_object_object_add(
			item, "contribution", json_object_new_string(claim->contribution));
		json_object_array_add(claims, item);
	}
	json_object_object_add(
		object, "stage", json_object_new_string(fit_stage_name(journal->stage)));
	json_object_object_add(object, "damage", fit_json_string_or_null(journal->damage));
	json_object_object_add(object, "cpus", fit_json_cpus(&journal->exclusive_cpus));
	json_object_object_add(object, "devices", devices);
	json_object_object_add(object, "interrupts", fit_status_json_vectors(root, journal));
	json_object_object_add(object, "claims", claims);
	return object;
}

/* Profiles; none where that definition was not fitted; null when it runs with the one it has. */
static struct json_object *json_running(const struct fit_standing *standing)
{
	fit_autostrlist struct fit_strlist profiles = {0};

	if (!standing->runs_with)
		return NULL;
	fit_strlist_split(&profiles, standing->runs_with, " ");
	return fit_json_strings(&profiles);
}

static struct json_object *json_domain(
	const struct fit_fsroot *root, const struct fit_status_domain *domain)
{
	const struct fit_standing *standing = &domain->standing;
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "name", json_object_new_string(domain->name));
	json_object_object_add(object, "uuid", json_object_new_string(domain->uuid));
	json_object_object_add(object, "state",
		fit_json_string_or_null(domain->domain ? domain->domain->state : NULL));
	json_object_object_add(object, "definition",
		fit_json_string_or_null(domain->domain ? fit_standing_name(standing->kind) : NULL));
	json_object_object_add(object, "reason", fit_json_string_or_null(standing->reason));
	json_object_object_add(object, "profiles", fit_json_strings(&standing->profiles));
	json_object_object_add(object, "edited", fit_json_strings(&standing->edits));
	json_object_object_add(object, "runs_with", json_running(standing));
	json_object_object_add(
		object, "holds", domain->journal ? json_journal(root, domain->journal) : NULL);
	json_object_object_add(object, "unprepared", json_object_new_boolean(domain->unprepared));
	json_object_object_add(object, "unfitted", json_object_new_boolean(domain->unfitted));
	json_object_object_add(object, "missing", fit_json_strings(&domain->waits));
	return object;
}

static struct json_object *json_host(const struct fit_ledger *ledger, const struct fit_fsroot *root)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < ledger->count; i++) {
		const struct fit_ledger_entry *entry = &ledger->items[i];
		struct json_object *object = json_object_new_object();
		fit_autofree char *now = fit_value_read(root, entry->kind, entry->path);

		json_object_object_add(object, "kind",
			json_object_new_string(fit_resource_kind_name(entry->kind)));
		json_object_object_add(object, "path", json_object_new_string(entry->path));
		json_object_object_add(object, "baseline", json_object_new_string(entry->baseline));
		json_object_object_add(object, "now", fit_json_string_or_null(now));
		json_object_array_add(array, object);
	}
	return array;
}

static int print_json(const struct fit_status *status, const struct fit_fsroot *root)
{
	struct json_object *object = json_object_new_object();
	struct json_object *domains = json_object_new_array();
	struct json_object *hook = json_object_new_object();

	for (size_t i = 0; i < status->domain_count; i++)
		json_object_array_add(domains, json_domain(root, &status->domains[i]));
	json_object_object_add(hook, "path", fit_json_string_or_null(status->hook.path));
	json_object_object_add(
		hook, "executable", json_object_new_boolean(status->hook.executable));
	json_object_object_add(hook, "engine", json_object_new_boolean(status->hook.engine));
	json_object_object_add(object, "domains", domains);
	json_object_object_add(object, "host", json_host(&status->state.ledger, root));
	if (status->state.ledger.damage)
		json_object_object_add(
			object, "damage", json_object_new_string(status->state.ledger.damage));
	json_object_object_add(object, "hook", hook);
	json_object_object_add(object, "watcher", json_object_new_boolean(status->watched));
	return fit_cli_print_json(object);
}

int fit_cmd_status(struct fit_cli *cli)
{
	struct fit_session session = fit_cli_session(cli);
	struct fit_status status;
	struct fit_err err = FIT_ERR_INIT;
	int code = FIT_EXIT_DONE;

	if (fit_status_collect(&session, cli->arg_count ? cli->args[0] : NULL, &status, &err) < 0) {
		code = fit_cli_fail(&err);
	} else {
		if (cli->json) {
			code = print_json(&status, &cli->root);
		} else {
			for (size_t i = 0; i < status.domain_count; i++)
				print_domain(&status, &status.domains[i], &cli->root);
			print_host(&status, &cli->root);
			print_hook(&status.hook);
			print_watcher(status.watched);
		}
		fit_status_clear(&status);
	}
	fit_session_close(&session);
	return code;
}
