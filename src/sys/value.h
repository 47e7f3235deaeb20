/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The value of a resource: what it should be by all claims, and how it gets into the kernel. */
#ifndef FIT_SYS_VALUE_H
#define FIT_SYS_VALUE_H

#include "sys/state.h"

/* Empty when the host does not say. */
struct fit_cpuset fit_online_cpus(const struct fit_fsroot *root);

/* The value of @entry by all claims in the state. To be freed. */
char *fit_value_target(const struct fit_state *state, const struct fit_ledger_entry *entry,
	const struct fit_cpuset *online);

bool fit_value_is_claimed(const struct fit_state *state, const char *path);

/* The value as it is now; NULL when it cannot be read. To be freed. */
char *fit_value_read(const struct fit_fsroot *root, enum fit_resource_kind kind, const char *path);

/* The same for who holds the lock: what takes long to read was read before. */
char *fit_value_now(const struct fit_state *state, enum fit_resource_kind kind, const char *path);

/* What tells whether the file still stands for the same thing. To be freed. */
char *fit_value_identity(
	const struct fit_fsroot *root, enum fit_resource_kind kind, const char *path);

/* Why @entry cannot go from @current to @target; NULL when nothing speaks against it. @uuid: the
 * domain it is done for. To be freed. */
char *fit_value_obstacle(const struct fit_state *state, const struct fit_ledger_entry *entry,
	const char *current, const char *target, const char *uuid);

/* Before @target is written over @current, all that may then be found there is noted in @entry
 * (for the caller to save). */
void fit_value_announce(const struct fit_state *state, struct fit_ledger_entry *entry,
	const char *current, const char *target);

/*
 * Writes and reads back; an error when the value is not there then. What the kernel made of it
 * ("0100" is 64 to it) is from us all the same, and is noted in @entry, on disk, too, before
 * anybody can be killed over it for long. @entry is one of the state's.
 */
int fit_value_write(struct fit_state *state, struct fit_ledger_entry *entry, const char *target,
	struct fit_err *err);

#endif
