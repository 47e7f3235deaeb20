/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/capture_parts.h"

#define DIGITS 12

/* The digits of a MAC address at @text, written "52:54:00:12:34:56" or, behind "enx", in one. How
 * long that is; 0 when there is none. */
static size_t find_mac(const char *text, bool colons, char digits[DIGITS + 1])
{
	size_t at = 0;

	for (size_t i = 0; i < DIGITS; i++) {
		if (colons && i && i % 2 == 0 && text[at++] != ':')
			return 0;
		if (!isxdigit((unsigned char)text[at]))
			return 0;
		digits[i] = (char)tolower((unsigned char)text[at++]);
	}
	digits[DIGITS] = '\0';
	return isxdigit((unsigned char)text[at]) || (colons && text[at] == ':') ? 0 : at;
}

static unsigned int number_of(struct fit_strlist *known, const char *digits)
{
	for (size_t i = 0; i < known->count; i++)
		if (fit_streq(known->items[i], digits))
			return (unsigned int)i;
	fit_strlist_add(known, digits);
	return (unsigned int)known->count - 1;
}

void fit_capture_replace_macs(char *text)
{
	fit_autostrlist struct fit_strlist known = {0};
	char digits[DIGITS + 1];
	char made_up[18];
	bool inside = false; /* of a number that began before */

	while (*text) {
		bool named = fit_starts_with(text, "enx");
		char *start = named ? text + 3 : text;
		size_t length = inside && !named ? 0 : find_mac(start, !named, digits);
		unsigned int number;

		if (!length) {
			inside = isxdigit((unsigned char)*text) || *text == ':';
			text++;
			continue;
		}
		number = number_of(&known, digits);
		snprintf(made_up, sizeof(made_up),
			named ? "020000%02x%02x%02x" : "02:00:00:%02x:%02x:%02x",
			number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
		memcpy(start, made_up, length);
		text = start + length;
		inside = false;
	}
}
