/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between executor.c and the kinds of resources (resource_*.c): each kind turns an operation into
 * wanted claims, checking all that can be checked without a change.
 */
#ifndef FIT_SYS_WANTED_H
#define FIT_SYS_WANTED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/strlist.h"
#include "core/hostops.h"
#include "sys/state.h"

struct fit_wanted {
	enum fit_resource_kind kind;
	char *path;
	char *contribution;
	enum fit_phase undo;
	bool optional; /* what the kernel refuses is left out with a note */
};

struct fit_wanted_list {
	struct fit_wanted *items;
	size_t count;
};

void fit_wanted_clear(struct fit_wanted_list *list);

/* Adds a claim, or gives the one for the same path another contribution. Both strings are taken
 * over. */
void fit_wanted_set(struct fit_wanted_list *list, enum fit_resource_kind kind,
	const struct fit_op *op, char *path, char *contribution);

/* "DIRECTORY/NAME" for a file in DIRECTORY. To be freed. */
char *fit_sibling_path(const char *path, const char *name);

/* What the expansions need. */
struct fit_expansion {
	const struct fit_state *state;
	const struct fit_journal *journal; /* of the domain it is for */
	struct fit_wanted_list wanted;
	struct fit_strlist *notes; /* may be NULL */
};

int fit_vf_expand(struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err);
int fit_pages_expand(struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err);
int fit_host_setting_expand(
	struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err);
int fit_isolation_expand(
	struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err);
/* The same where there is no systemd. */
void fit_groups_expand(struct fit_expansion *expansion, const struct fit_op *op);
void fit_irqs_expand_elsewhere(struct fit_expansion *expansion, const struct fit_op *op);
void fit_irqs_expand_device(struct fit_expansion *expansion, const struct fit_op *op);

#endif
