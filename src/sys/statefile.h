/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The form of our state files: a line "virt-fit-KIND 2", a line "boot ID", lines of words, and a
 * line "end", so that a file that was cut is never taken for one that says less. Words are
 * separated by one space and escaped, so a word can be empty and a domain's name cannot forge a
 * line. Files of version 1, which had no end line, are read: virt-fit is upgraded while domains
 * run.
 */
#ifndef FIT_SYS_STATEFILE_H
#define FIT_SYS_STATEFILE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/err.h"
#include "base/strlist.h"

void fit_statefile_begin(struct fit_buffer *text, const char *kind, const char *boot_id);
void fit_statefile_add(struct fit_buffer *text, const struct fit_strlist *words);
void fit_statefile_end(struct fit_buffer *text);

/* Takes one line; false: it is malformed. NULL: when salvaging, here is one that cannot be read. */
typedef bool (*fit_statefile_taker)(void *context, const struct fit_strlist *words);

/* FIT_ERR_NOTFOUND: the file is of another boot. FIT_ERR_INVALID: it is malformed. */
int fit_statefile_parse(const char *text, const char *path, const char *kind, const char *boot_id,
	fit_statefile_taker take, void *context, struct fit_err *err);

/* The same, but of a damaged file all lines are taken that can be read; the error is the first
 * damage. */
int fit_statefile_salvage(const char *text, const char *path, const char *kind, const char *boot_id,
	fit_statefile_taker take, void *context, struct fit_err *err);

#endif
