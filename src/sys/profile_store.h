/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds profile files: /etc/virt-fit/profiles (below the root handle) overrides by name what is
 * shipped in the data directory. A file that its group or others may write, or that neither root
 * nor the caller owns, is refused, and so is one in such a directory: profiles decide what root
 * writes.
 */
#ifndef FIT_SYS_PROFILE_STORE_H
#define FIT_SYS_PROFILE_STORE_H

#include "base/err.h"
#include "base/strlist.h"
#include "sys/fsroot.h"

struct fit_profile_store {
	const struct fit_fsroot *root;
	const char *shipped; /* directory of shipped profiles, NULL: FIT_DATADIR "/profiles" */
};

/* A fit_profile_loader; @context is a struct fit_profile_store. */
int fit_profile_store_load(void *context, const char *name, char **ret_path, char **ret_text,
	size_t *ret_length, struct fit_err *err);

enum fit_profile_origin {
	FIT_PROFILE_SHIPPED,
	FIT_PROFILE_LOCAL,     /* in /etc only */
	FIT_PROFILE_OVERRIDES, /* in /etc, instead of a shipped one */
};

/* Where the profile of that name, which exists, comes from. */
enum fit_profile_origin fit_profile_store_origin(
	const struct fit_profile_store *store, const char *name);

/* Names of all profiles that can be loaded, sorted, each once. */
int fit_profile_store_list(
	const struct fit_profile_store *store, struct fit_strlist *ret_names, struct fit_err *err);

#endif
