/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the watcher and the hook. The watcher holds a lock as long as it lives. While it does,
 * the hook can leave a request for a start that came too early: a file below FIT_PATH_REQUESTS,
 * named by the domain's UUID. The watcher removes it when it is done with it, so that one that is
 * killed leaves it to the next.
 */
#ifndef FIT_SYS_WATCHER_H
#define FIT_SYS_WATCHER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/err.h"
#include "base/strlist.h"
#include "sys/fsroot.h"

/* Becomes the watcher, until *ret_fd is closed. FIT_ERR_REFUSED when there is one. */
int fit_watcher_claim(const struct fit_fsroot *root, int *ret_fd, struct fit_err *err);

/* Does one run? */
bool fit_watcher_runs(const struct fit_fsroot *root);

struct fit_start_request {
	char *name;    /* of the domain, then */
	int64_t age_s; /* since it was written */
	ino_t inode;   /* and when: another one is another request */
	struct timespec written;
};

void fit_start_request_clear(struct fit_start_request *request);

int fit_start_request_put(
	const struct fit_fsroot *root, const char *uuid, const char *name, struct fit_err *err);

/* 1: here it is, 0: there is none (of this boot), -1: it cannot be read. */
int fit_start_request_read(const struct fit_fsroot *root, const char *uuid,
	struct fit_start_request *ret_request, struct fit_err *err);

/* Removes the request that was read; one that was written since stays. */
void fit_start_request_remove(
	const struct fit_fsroot *root, const char *uuid, const struct fit_start_request *request);

/* The UUIDs of all. */
void fit_start_request_list(const struct fit_fsroot *root, struct fit_strlist *ret_uuids);

#endif
