/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/manifest.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static bool unescape(const char *text, struct fit_buffer *bytes)
{
	for (; *text; text++) {
		char c = *text;

		if (c == '\\') {
			uint64_t value;

			c = *++text;
			if (c == 'n') {
				c = '\n';
			} else if (c == 't') {
				c = '\t';
			} else if (c == 'x') {
				char digits[3] = {text[1], text[1] ? text[2] : '\0', '\0'};

				if (!digits[1] || !fit_parse_hex(digits, 0xff, &value))
					return false;
				c = (char)value;
				text += 2;
			} else if (c != '\\') {
				return false;
			}
		}
		fit_buffer_add_bytes(bytes, &c, 1);
	}
	return true;
}

static void escape(const char *bytes, size_t length, struct fit_buffer *text)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if (c == '\n')
			fit_buffer_add(text, "\\n");
		else if (c == '\t')
			fit_buffer_add(text, "\\t");
		else if (c == '\\')
			fit_buffer_add(text, "\\\\");
		else if (c < 0x20 || c >= 0x7f)
			fit_buffer_addf(text, "\\x%02x", c);
		else
			fit_buffer_add_bytes(text, bytes + i, 1);
	}
}

void fit_manifest_add_file(
	struct fit_buffer *manifest, const char *path, const char *bytes, size_t length)
{
	bool newline = length && bytes[length - 1] == '\n';

	fit_buffer_addf(manifest, "%s %s ", path, newline ? "=" : ":=");
	escape(bytes, length - newline, manifest);
	fit_buffer_add(manifest, "\n");
}

static int make_parents(const struct fit_fsroot *root, const char *path, struct fit_err *err)
{
	const char *slash = strrchr(path, '/');
	fit_autofree char *parent = fit_xstrndup(path, slash ? (size_t)(slash - path) : 0);

	return fit_fsroot_make_directories(root, parent, 0755, err);
}

static int build_file(const struct fit_fsroot *root, const char *path, const char *text,
	bool add_newline, struct fit_err *err)
{
	fit_autobuffer struct fit_buffer bytes = {0};

	if (!unescape(text, &bytes))
		return fit_err_set(err, FIT_ERR_INVALID, "malformed escape in '%.80s'", text);
	fit_buffer_add(&bytes, add_newline ? "\n" : "");
	return make_parents(root, path, err) < 0
		       ? -1
		       : fit_fsroot_replace(root, path, bytes.text, bytes.length, err);
}

/* Cuts @line at the first " @sign " or a " @sign" that ends it; the text behind it, or NULL. */
static char *cut(char *line, const char *sign)
{
	size_t length = strlen(sign);

	for (char *p = line; (p = strchr(p, ' ')); p++) {
		char *end = p + 1 + length;

		if (strncmp(p + 1, sign, length) != 0 || (*end && *end != ' '))
			continue;
		*p = '\0';
		return end + (*end == ' ');
	}
	return NULL;
}

static int build_line(const struct fit_fsroot *root, char *line, struct fit_err *err)
{
	size_t length = strlen(line);
	const char *text;

	if (!length || *line == '#')
		return 0;
	if (line[length - 1] == '/')
		return fit_fsroot_make_directories(root, line, 0755, err);
	if ((text = cut(line, "->")))
		return make_parents(root, line, err) < 0 ? -1
							 : fit_fsroot_link(root, line, text, err);
	if ((text = cut(line, "=")))
		return build_file(root, line, text, true, err);
	if ((text = cut(line, ":=")))
		return build_file(root, line, text, false, err);
	return fit_err_set(err, FIT_ERR_INVALID, "'%.80s' is no entry of a manifest", line);
}

int fit_manifest_build(
	const struct fit_fsroot *root, const char *manifest, const char *file, struct fit_err *err)
{
	for (unsigned int number = 1; *manifest; number++) {
		size_t length = strcspn(manifest, "\n");
		fit_autofree char *line = fit_xstrndup(manifest, length);

		if (build_line(root, line, err) < 0)
			return fit_err_prefix(err, "%s:%u: ", file, number);
		manifest += length + (manifest[length] == '\n');
	}
	return 0;
}
