/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/statefile.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define END "end"

void fit_statefile_begin(struct fit_buffer *text, const char *kind, const char *boot_id)
{
	fit_buffer_addf(text, "virt-fit-%s 2\nboot %s\n", kind, boot_id);
}

void fit_statefile_end(struct fit_buffer *text)
{
	fit_buffer_add(text, END "\n");
}

void fit_statefile_add(struct fit_buffer *text, const struct fit_strlist *words)
{
	for (size_t i = 0; i < words->count; i++) {
		fit_autofree char *word = fit_escape_word(words->items[i]);

		fit_buffer_add(text, i ? " " : "");
		fit_buffer_add(text, word);
	}
	fit_buffer_add(text, "\n");
}

static bool read_words(char *line, struct fit_strlist *words)
{
	char *word;

	while ((word = strsep(&line, " "))) {
		fit_autofree char *plain = fit_unescape_word(word);

		if (!plain)
			return false;
		fit_strlist_add(words, plain);
	}
	return true;
}

/* Of one file. */
struct reading {
	const char *path;
	fit_statefile_taker take;
	void *context;
	bool salvages;
	struct fit_err damage; /* the first */
};

static bool take_line(const struct reading *reading, char *line)
{
	fit_autostrlist struct fit_strlist words = {0};

	return read_words(line, &words) && reading->take(reading->context, &words);
}

static void note_damage(struct reading *reading, unsigned int number, const char *why)
{
	if (reading->damage.code == FIT_OK)
		(void)fit_err_set(&reading->damage, FIT_ERR_INVALID, "/%s:%u: damaged state file%s",
			reading->path, number, why);
	if (reading->salvages)
		(void)reading->take(reading->context, NULL);
}

/* Version 1 had no end line. 0: it is neither. */
static unsigned int version_of(const char *line, const char *kind)
{
	fit_autofree char *magic = fit_xasprintf("virt-fit-%s ", kind);
	const char *number = fit_starts_with(line, magic) ? line + strlen(magic) : "";

	return fit_streq(number, "2") ? 2 : fit_streq(number, "1") ? 1 : 0;
}

/* What is noted as damage is not returned. */
static int read_lines(struct reading *reading, char *rest, const char *kind, const char *boot_id)
{
	unsigned int version = 0;
	bool ended = false;
	char *line;

	for (unsigned int number = 1; (line = strsep(&rest, "\n")); number++) {
		bool good = true;

		if (!rest && !*line && number > 2) {
			if (!ended && version > 1)
				note_damage(reading, number, " (its end is missing)");
			return 0;
		}
		if (number == 1)
			version = version_of(line, kind);
		else if (number == 2)
			good = fit_starts_with(line, "boot ");
		else if (version > 1 && fit_streq(line, END) && !ended)
			ended = true;
		else
			good = !ended && rest && take_line(reading, line);
		/* Without its newline the line is cut. */
		if (version && good && rest) {
			if (number == 2 && !fit_streq(line + strlen("boot "), boot_id))
				return -1;
			continue;
		}
		note_damage(reading, number, "");
		if (!reading->salvages || number < 3 || !rest)
			return 0;
	}
	return 0;
}

static int read_file(struct reading *reading, const char *text, const char *kind,
	const char *boot_id, struct fit_err *err)
{
	fit_autofree char *copy = fit_xstrdup(text);

	if (read_lines(reading, copy, kind, boot_id) < 0)
		return fit_err_set(err, FIT_ERR_NOTFOUND, "/%s is of another boot", reading->path);
	if (reading->damage.code == FIT_OK)
		return 0;
	return fit_err_set(err, FIT_ERR_INVALID, "%s", reading->damage.message);
}

int fit_statefile_parse(const char *text, const char *path, const char *kind, const char *boot_id,
	fit_statefile_taker take, void *context, struct fit_err *err)
{
	struct reading reading = {
		.path = path, .take = take, .context = context, .damage = FIT_ERR_INIT};

	return read_file(&reading, text, kind, boot_id, err);
}

int fit_statefile_salvage(const char *text, const char *path, const char *kind, const char *boot_id,
	fit_statefile_taker take, void *context, struct fit_err *err)
{
	struct reading reading = {.path = path,
		.take = take,
		.context = context,
		.salvages = true,
		.damage = FIT_ERR_INIT};

	return read_file(&reading, text, kind, boot_id, err);
}
