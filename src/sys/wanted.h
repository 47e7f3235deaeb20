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
#include "sys/paths.h"
#include "sys/state.h"

struct fit_wanted {
	enum fit_resource_kind kind;
	char *path;
	uint64_t hash; /* of the path */
	char *contribution;
	enum fit_phase undo;
	bool compact;  /* pages: see fit_pages_compact() */
	bool optional; /* what the kernel refuses is left out with a note */
	bool replaces; /* the domain's claim of that kind and path, if it has one */
	bool deferred; /* nothing is known of it now: it is only recorded */
	int refused;   /* after an attempt: the kernel's errno, -1 when it took something else */
	char *found;   /* what was there just now; NULL: not looked at yet */
};

struct fit_wanted_list {
	struct fit_wanted *items;
	size_t count;
};

void fit_wanted_clear(struct fit_wanted_list *list);

/* Adds a claim, or gives the one for the same path another contribution, and returns it until the
 * next one is added. Both strings are taken over. */
struct fit_wanted *fit_wanted_set(struct fit_wanted_list *list, enum fit_resource_kind kind,
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

/* The host cannot give what @op asks for, as @message says: refused, unless it may be missing; then
 * that is noted. */
int fit_wanted_lacks(struct fit_expansion *expansion, const struct fit_op *op, const char *message,
	struct fit_err *err);

int fit_vf_expand(struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err);
int fit_pages_expand(struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err);
/* Has the kernel move together what is in use of the memory that the pool takes its pages from.
 * @notes (may be NULL) gets what came of it. False: nothing did. */
bool fit_pages_compact(const struct fit_state *state, const char *path, struct fit_strlist *notes);
int fit_host_setting_expand(
	struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err);
int fit_isolation_expand(
	struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err);
/* The same where there is no systemd. */
void fit_groups_expand(struct fit_expansion *expansion, const struct fit_op *op);
/* Why these CPUs cannot be isolated partitions for the domain; NULL: they can. To be freed. */
char *fit_partition_obstacle(const struct fit_expansion *expansion, const struct fit_cpuset *cpus);
void fit_partition_expand(struct fit_expansion *expansion, const struct fit_op *op);
int fit_vf_attribute_expand(
	struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err);
int fit_ethtool_expand(
	struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err);
int fit_driver_expand(
	struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err);
int fit_pf_up_expand(struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err);

/* The PF of a VF that may not exist yet, and the VF's number. */
int fit_vf_find(const struct fit_fsroot *root, struct fit_pciaddr vf, struct fit_pciaddr *ret_pf,
	unsigned int *ret_index, struct fit_err *err);

/* Which VF of the PF with that directory a guest other than @uuid runs with: "VF 1 (0000:41:10.2)
 * is held by the domain 'a'". NULL: none; one that is only about to start or has ended does not
 * count. To be freed. */
char *fit_vf_other_user(const struct fit_state *state, const char *pf_directory, const char *uuid);

/* Of /sys/bus/pci/devices/ADDRESS; NULL: none. Of several (representors of a switch) the device's
 * own is there first and has the lowest number. To be freed. */
char *fit_pci_netdev(const struct fit_fsroot *root, const char *directory);

/* What irqbalance, if it runs, is to leave alone. */
#define FIT_IRQBALANCE_IRQS_KEY FIT_PATH_IRQBALANCE "/irqs"
void fit_irqbalance_expand_cpus(struct fit_expansion *expansion, const struct fit_op *op);

/* The key of an interrupt's claims. To be freed. */
char *fit_irq_affinity_path(unsigned int number);
void fit_irqs_expand_elsewhere(struct fit_expansion *expansion, const struct fit_op *op);

#endif
