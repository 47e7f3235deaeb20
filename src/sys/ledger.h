/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger: for every resource that has been claimed, the host's value before the first claim
 * (baseline) and the values that may be there because of us (written). One file, replaced as a
 * whole before the host is changed.
 *
 * One that is damaged must not keep all domains from starting and stopping for ever. What can be
 * read of it counts. What was there before is not known of the rest: that stays as it is when its
 * claims end, which is said, and whoever claims it anew takes what is there for its baseline.
 */
#ifndef FIT_SYS_LEDGER_H
#define FIT_SYS_LEDGER_H

#include <stdbool.h>

#include "base/err.h"
#include "base/strlist.h"
#include "sys/fsroot.h"
#include "sys/resource.h"

struct fit_ledger_entry {
	enum fit_resource_kind kind;
	char *path;
	uint64_t hash;	/* of the path: hosts have thousands of interrupts */
	char *identity; /* irq: which interrupt had the number; "" when the host does not say */
	char *baseline;
	struct fit_strlist written;
	bool pending; /* an undo could not write the value yet: the next one tries again */
	bool decided; /* by the undo that is going on; in memory only */
};

struct fit_ledger {
	struct fit_ledger_entry *items;
	size_t count;
	char *damage; /* why this is only part of what was there; NULL: it is all */
};

void fit_ledger_clear(struct fit_ledger *ledger);
struct fit_ledger_entry *fit_ledger_find(const struct fit_ledger *ledger, const char *path);
struct fit_ledger_entry *fit_ledger_add(struct fit_ledger *ledger, enum fit_resource_kind kind,
	const char *path, const char *identity, const char *baseline);
void fit_ledger_drop(struct fit_ledger *ledger, const char *path);

/* Can @current be there because of us: the baseline, or what we wrote (for hugepages also anything
 * between the two)? If not, somebody else changed it. */
bool fit_ledger_entry_is_ours(const struct fit_ledger_entry *entry, const char *current);

/* Is @value what was written last, or about to be? */
bool fit_ledger_entry_wrote_last(const struct fit_ledger_entry *entry, const char *value);

/* Notes that @value is about to be written. */
void fit_ledger_entry_will_write(struct fit_ledger_entry *entry, const char *value);

/* Text form, for the file and its tests. A ledger of another boot reads as an empty one. */
char *fit_ledger_print(const struct fit_ledger *ledger, const char *boot_id);
void fit_ledger_parse(
	const char *text, const char *path, const char *boot_id, struct fit_ledger *ret_ledger);

int fit_ledger_load(const struct fit_fsroot *root, const char *boot_id,
	struct fit_ledger *ret_ledger, struct fit_err *err);
/* One that is empty and whole has no file. */
int fit_ledger_save(const struct fit_fsroot *root, const struct fit_ledger *ledger,
	const char *boot_id, struct fit_err *err);

#endif
