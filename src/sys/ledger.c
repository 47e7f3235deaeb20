/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/statefile.h"

#define KIND "ledger"

/* First word of an entry's line */
#define SETTLED "settled"
#define PENDING "pending"

/* First word of the line that says so */
#define DAMAGE "damage"

static void clear_entry(struct fit_ledger_entry *entry)
{
	free(entry->path);
	free(entry->identity);
	free(entry->baseline);
	fit_strlist_clear(&entry->written);
}

void fit_ledger_clear(struct fit_ledger *ledger)
{
	for (size_t i = 0; i < ledger->count; i++)
		clear_entry(&ledger->items[i]);
	free(ledger->items);
	free(ledger->damage);
	*ledger = (struct fit_ledger){0};
}

struct fit_ledger_entry *fit_ledger_find(const struct fit_ledger *ledger, const char *path)
{
	uint64_t hash = fit_text_hash(path);

	for (size_t i = 0; i < ledger->count; i++)
		if (ledger->items[i].hash == hash && fit_streq(ledger->items[i].path, path))
			return &ledger->items[i];
	return NULL;
}

struct fit_ledger_entry *fit_ledger_add(struct fit_ledger *ledger, enum fit_resource_kind kind,
	const char *path, const char *identity, const char *baseline)
{
	struct fit_ledger_entry *entry = FIT_APPEND(ledger->items, ledger->count);

	*entry = (struct fit_ledger_entry){
		.kind = kind,
		.path = fit_xstrdup(path),
		.hash = fit_text_hash(path),
		.identity = fit_xstrdup(identity),
		.baseline = fit_xstrdup(baseline),
	};
	return entry;
}

void fit_ledger_drop(struct fit_ledger *ledger, const char *path)
{
	struct fit_ledger_entry *entry = fit_ledger_find(ledger, path);
	size_t index;

	if (!entry)
		return;
	index = (size_t)(entry - ledger->items);
	clear_entry(entry);
	memmove(entry, entry + 1, (ledger->count - index - 1) * sizeof(*entry));
	ledger->count--;
}

bool fit_ledger_entry_is_ours(const struct fit_ledger_entry *entry, const char *current)
{
	uint64_t baseline = fit_resource_number(entry->baseline);
	uint64_t value = fit_resource_number(current);

	if (fit_resource_equal(entry->kind, entry->baseline, current))
		return true;
	for (size_t i = 0; i < entry->written.count; i++) {
		const char *written = entry->written.items[i];

		if (fit_resource_equal(entry->kind, written, current))
			return true;
		/* The kernel may give fewer pages than it was asked for. */
		if (entry->kind == FIT_RESOURCE_PAGES && value > baseline &&
			value < fit_resource_number(written))
			return true;
	}
	return false;
}

void fit_ledger_entry_will_write(struct fit_ledger_entry *entry, const char *value)
{
	fit_strlist_remove(&entry->written, value);
	fit_strlist_add(&entry->written, value);
}

bool fit_ledger_entry_wrote_last(const struct fit_ledger_entry *entry, const char *value)
{
	size_t count = entry->written.count;

	return count && fit_resource_equal(entry->kind, entry->written.items[count - 1], value);
}

char *fit_ledger_print(const struct fit_ledger *ledger, const char *boot_id)
{
	struct fit_buffer text = {0};

	fit_statefile_begin(&text, KIND, boot_id);
	if (ledger->damage) {
		fit_autostrlist struct fit_strlist words = {0};

		fit_strlist_add(&words, DAMAGE);
		fit_strlist_add(&words, ledger->damage);
		fit_statefile_add(&text, &words);
	}
	for (size_t i = 0; i < ledger->count; i++) {
		const struct fit_ledger_entry *entry = &ledger->items[i];
		fit_autostrlist struct fit_strlist words = {0};

		fit_strlist_add(&words, entry->pending ? PENDING : SETTLED);
		fit_strlist_add(&words, fit_resource_kind_name(entry->kind));
		fit_strlist_add(&words, entry->path);
		fit_strlist_add(&words, entry->identity);
		fit_strlist_add(&words, entry->baseline);
		for (size_t j = 0; j < entry->written.count; j++)
			fit_strlist_add(&words, entry->written.items[j]);
		fit_statefile_add(&text, &words);
	}
	fit_statefile_end(&text);
	return fit_buffer_steal(&text);
}

static bool take_entry(struct fit_ledger *ledger, const struct fit_strlist *words)
{
	char **word = words->items;
	struct fit_ledger_entry *entry;
	enum fit_resource_kind kind;

	if (words->count < 5 || (!fit_streq(word[0], SETTLED) && !fit_streq(word[0], PENDING)) ||
		!fit_resource_kind_parse(word[1], &kind) || !*word[2] ||
		fit_ledger_find(ledger, word[2]))
		return false;
	entry = fit_ledger_add(ledger, kind, word[2], word[3], word[4]);
	entry->pending = fit_streq(word[0], PENDING);
	for (size_t i = 5; i < words->count; i++)
		fit_strlist_add(&entry->written, word[i]);
	return true;
}

static bool take_line(void *context, const struct fit_strlist *words)
{
	struct fit_ledger *ledger = context;

	if (!words)
		return true;
	if (words->count != 2 || !fit_streq(words->items[0], DAMAGE))
		return take_entry(ledger, words);
	fit_xreplace(&ledger->damage, words->items[1]);
	return true;
}

void fit_ledger_parse(
	const char *text, const char *path, const char *boot_id, struct fit_ledger *ret_ledger)
{
	struct fit_ledger ledger = {0};
	struct fit_err problem = FIT_ERR_INIT;

	if (fit_statefile_salvage(text, path, KIND, boot_id, take_line, &ledger, &problem) < 0 &&
		problem.code != FIT_ERR_NOTFOUND)
		fit_xreplace(&ledger.damage, problem.message);
	*ret_ledger = ledger;
}

int fit_ledger_load(const struct fit_fsroot *root, const char *boot_id,
	struct fit_ledger *ret_ledger, struct fit_err *err)
{
	fit_autofree char *text = NULL;
	struct fit_err problem = FIT_ERR_INIT;
	size_t length;

	if (fit_fsroot_read(root, FIT_PATH_LEDGER, &text, &length, &problem) == 0) {
		fit_ledger_parse(text, FIT_PATH_LEDGER, boot_id, ret_ledger);
		return 0;
	}
	if (problem.sys_errno != ENOENT)
		return fit_err_sys(err, problem.sys_errno, "cannot read /" FIT_PATH_LEDGER);
	*ret_ledger = (struct fit_ledger){0};
	return 0;
}

int fit_ledger_save(const struct fit_fsroot *root, const struct fit_ledger *ledger,
	const char *boot_id, struct fit_err *err)
{
	fit_autofree char *text = NULL;

	if (!ledger->count && !ledger->damage)
		return fit_fsroot_remove(root, FIT_PATH_LEDGER, err);
	text = fit_ledger_print(ledger, boot_id);
	return fit_fsroot_replace(root, FIT_PATH_LEDGER, text, strlen(text), err);
}
