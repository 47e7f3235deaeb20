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

static bool take_line(char *line, fit_statefile_taker take, void *context)
{
	fit_autostrlist struct fit_strlist words = {0};

	return read_words(line, &words) && take(context, &words);
}

static int refuse(const char *path, unsigned int number, const char *why, struct fit_err *err)
{
	return fit_err_set(err, FIT_ERR_INVALID, "/%s:%u: damaged state file%s", path, number, why);
}

/* Version 1 had no end line. 0: it is neither. */
static unsigned int version_of(const char *line, const char *kind)
{
	fit_autofree char *magic = fit_xasprintf("virt-fit-%s ", kind);
	const char *number = fit_starts_with(line, magic) ? line + strlen(magic) : "";

	return fit_streq(number, "2") ? 2 : fit_streq(number, "1") ? 1 : 0;
}

int fit_statefile_parse(const char *text, const char *path, const char *kind, const char *boot_id,
	fit_statefile_taker take, void *context, struct fit_err *err)
{
	fit_autofree char *copy = fit_xstrdup(text);
	unsigned int version = 0;
	bool ended = false;
	char *rest = copy;
	char *line;

	for (unsigned int number = 1; (line = strsep(&rest, "\n")); number++) {
		bool good = true;

		if (!rest && !*line && number > 2)
			return ended || version == 1
				       ? 0
				       : refuse(path, number, " (its end is missing)", err);
		if (number == 1)
			version = version_of(line, kind);
		else if (number == 2)
			good = fit_starts_with(line, "boot ");
		else if (version > 1 && fit_streq(line, END) && !ended)
			ended = true;
		else
			good = !ended && take_line(line, take, context);
		/* Without its newline the line is cut. */
		if (!version || !good || !rest)
			return refuse(path, number, "", err);
		if (number == 2 && !fit_streq(line + strlen("boot "), boot_id))
			return fit_err_set(err, FIT_ERR_NOTFOUND, "/%s is of another boot", path);
	}
	return fit_err_set(err, FIT_ERR_INVALID, "/%s: empty state file", path);
}
