/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/memory.h"

bool fit_streq(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	return strcmp(a, b) == 0;
}

bool fit_starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

char *fit_trim(char *text)
{
	char *end;

	while (is_space(*text))
		text++;
	end = text + strlen(text);
	while (end > text && is_space(end[-1]))
		end--;
	*end = '\0';
	return text;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool scan(const char **text, unsigned int base, uint64_t max, uint64_t *ret_value)
{
	const char *p = *text;
	uint64_t value = 0;
	int digit = digit_value(*p);

	if (digit < 0 || (unsigned int)digit >= base)
		return false;
	for (; (digit = digit_value(*p)) >= 0 && (unsigned int)digit < base; p++) {
		if (__builtin_mul_overflow(value, base, &value) ||
			__builtin_add_overflow(value, (uint64_t)digit, &value) || value > max)
			return false;
	}
	*text = p;
	*ret_value = value;
	return true;
}

static bool parse_whole(const char *text, unsigned int base, uint64_t max, uint64_t *ret_value)
{
	uint64_t value;

	if (!text || !scan(&text, base, max, &value) || *text)
		return false;
	*ret_value = value;
	return true;
}

bool fit_parse_uint(const char *text, uint64_t max, uint64_t *ret_value)
{
	return parse_whole(text, 10, max, ret_value);
}

bool fit_parse_hex(const char *text, uint64_t max, uint64_t *ret_value)
{
	return parse_whole(text, 16, max, ret_value);
}

bool fit_parse_c_uint(const char *text, uint64_t max, uint64_t *ret_value)
{
	if (text && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return parse_whole(text + 2, 16, max, ret_value);
	return parse_whole(text, text && text[0] == '0' ? 8 : 10, max, ret_value);
}

bool fit_scan_uint(const char **text, uint64_t max, uint64_t *ret_value)
{
	return scan(text, 10, max, ret_value);
}

/* libvirt's virScaleInteger(): "KB" is 1000, "K" and "KiB" are 1024. */
static bool unit_bytes(const char *unit, uint64_t *ret_bytes)
{
	static const char letters[] = "kmgtpe";
	const char *letter;
	uint64_t base;
	uint64_t bytes = 1;

	if (strcasecmp(unit, "b") == 0 || strcasecmp(unit, "byte") == 0 ||
		strcasecmp(unit, "bytes") == 0) {
		*ret_bytes = 1;
		return true;
	}
	letter = unit[0] ? strchr(letters, unit[0] | 0x20) : NULL;
	if (!letter)
		return false;
	if (unit[1] == '\0' || strcasecmp(unit + 1, "iB") == 0)
		base = 1024;
	else if (strcasecmp(unit + 1, "B") == 0)
		base = 1000;
	else
		return false;
	for (long i = 0; i <= letter - letters; i++)
		bytes *= base;
	*ret_bytes = bytes;
	return true;
}

bool fit_parse_size_kib(const char *number, const char *unit, uint64_t *ret_kib)
{
	uint64_t value;
	uint64_t scale;

	if (!fit_parse_uint(number, UINT64_MAX, &value) || !unit_bytes(unit ? unit : "KiB", &scale))
		return false;
	if (__builtin_mul_overflow(value, scale, &value))
		return false;
	*ret_kib = value / 1024 + (value % 1024 != 0);
	return true;
}

char *fit_format_size_kib(uint64_t kib)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
	size_t unit = 0;

	while (kib && kib % 1024 == 0 && unit + 1 < FIT_ARRAY_SIZE(units)) {
		kib /= 1024;
		unit++;
	}
	return fit_xasprintf("%llu %s", (unsigned long long)kib, units[unit]);
}

char *fit_format_size_option(uint64_t kib)
{
	fit_autofree char *size = fit_format_size_kib(kib);
	size_t digits = strspn(size, "0123456789");

	return fit_xasprintf("%.*s%c", (int)digits, size, size[digits + 1]);
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char *fit_escape_word(const char *text)
{
	struct fit_buffer buffer = {0};

	for (;;) {
		size_t plain = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					    "0123456789._:/,+-");

		fit_buffer_add_bytes(&buffer, text, plain);
		text += plain;
		if (!*text)
			return fit_buffer_steal(&buffer);
		fit_buffer_addf(&buffer, "%%%02X", (unsigned char)*text++);
	}
}

char *fit_unescape_word(const char *text)
{
	fit_autobuffer struct fit_buffer buffer = {0};

	for (;;) {
		size_t plain = strcspn(text, "%");
		int high, low;
		char c;

		fit_buffer_add_bytes(&buffer, text, plain);
		text += plain;
		if (!*text)
			return fit_buffer_steal(&buffer);
		high = digit_value(text[1]);
		low = high < 0 ? -1 : digit_value(text[2]);
		if (low < 0 || (high == 0 && low == 0))
			return NULL;
		c = (char)(high * 16 + low);
		fit_buffer_add_bytes(&buffer, &c, 1);
		text += 3;
	}
}

char *fit_shell_quote(const char *text)
{
	struct fit_buffer buffer = {0};
	bool plain = *text != '\0';

	for (const char *p = text; *p; p++)
		if (!is_alnum(*p) && !strchr("._:/,+-@%", *p))
			plain = false;
	if (plain)
		return fit_xstrdup(text);
	fit_buffer_add(&buffer, "'");
	for (; *text; text++) {
		if (*text == '\'')
			fit_buffer_add(&buffer, "'\\''");
		else
			fit_buffer_add_bytes(&buffer, text, 1);
	}
	fit_buffer_add(&buffer, "'");
	return fit_buffer_steal(&buffer);
}

char *fit_printable(const char *text)
{
	char *copy = fit_xstrdup(text);

	for (char *p = copy; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	return copy;
}

const char *fit_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

uint64_t fit_fingerprint(uint64_t state, const void *data, size_t length)
{
	const unsigned char *byte = data;

	for (size_t i = 0; i < length; i++)
		state = (state ^ byte[i]) * 0x100000001b3ULL;
	return state;
}

uint64_t fit_text_hash(const char *text)
{
	return fit_fingerprint(FIT_FINGERPRINT_INIT, text, strlen(text));
}
