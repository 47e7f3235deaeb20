/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
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
	return fit_fsroot_replace(root, path, bytes.text, bytes.length, err);
}

static int build_link(
	const struct fit_fsroot *root, const char *path, const char *target, struct fit_err *err)
{
	unlinkat(root->fd, path, 0);
	if (symlinkat(target, root->fd, path) < 0)
		return fit_err_sys(err, errno, "cannot make the link %s", path);
	return 0;
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
		return make_parents(root, line, err) < 0 ? -1 : build_link(root, line, text, err);
	if ((text = cut(line, "=")))
		return make_parents(root, line, err) < 0 ? -1
							 : build_file(root, line, text, true, err);
	if ((text = cut(line, ":=")))
		return make_parents(root, line, err) < 0 ? -1
							 : build_file(root, line, text, false, err);
	return fit_err_set(err, FIT_ERR_INVALID, "'%.80s' is no entry of a manifest", line);
}

int fit_test_tree_build(const struct fit_fsroot *root, const char *manifest, struct fit_err *err)
{
	for (unsigned int number = 1; *manifest; number++) {
		size_t length = strcspn(manifest, "\n");
		fit_autofree char *line = fit_xstrndup(manifest, length);

		if (build_line(root, line, err) < 0)
			return fit_err_prefix(err, "manifest line %u: ", number);
		manifest += length + (manifest[length] == '\n');
	}
	return 0;
}

static void dump_file(const struct fit_fsroot *root, const char *path, struct fit_buffer *out)
{
	struct fit_err err;
	fit_autofree char *text = NULL;
	size_t length;
	bool newline;

	if (fit_fsroot_read(root, path, &text, &length, &err) < 0) {
		fit_buffer_addf(out, "# %s\n", err.message);
		return;
	}
	newline = length && text[length - 1] == '\n';
	fit_buffer_addf(out, "%s %s ", path, newline ? "=" : ":=");
	escape(text, length - newline, out);
	fit_buffer_add(out, "\n");
}

static void dump_entry(const struct fit_fsroot *root, const char *path, struct fit_buffer *out)
{
	fit_autostrlist struct fit_strlist names = {0};
	char target[4096] = "";
	struct stat status;

	if (fstatat(root->fd, path, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (S_ISLNK(status.st_mode)) {
		if (readlinkat(root->fd, path, target, sizeof(target) - 1) > 0)
			fit_buffer_addf(out, "%s -> %s\n", path, target);
	} else if (!S_ISDIR(status.st_mode)) {
		dump_file(root, path, out);
	} else if (fit_fsroot_list(root, path, &names, NULL) == 0 && !names.count) {
		fit_buffer_addf(out, "%s/\n", path);
	}
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *inner = fit_xasprintf("%s/%s", path, names.items[i]);

		dump_entry(root, inner, out);
	}
}

char *fit_test_tree_dump(const struct fit_fsroot *root)
{
	fit_autostrlist struct fit_strlist names = {0};
	struct fit_buffer out = {0};

	if (fit_fsroot_list(root, "", &names, NULL) < 0)
		abort();
	for (size_t i = 0; i < names.count; i++)
		dump_entry(root, names.items[i], &out);
	return fit_buffer_steal(&out);
}
