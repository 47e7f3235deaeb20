/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of a domain: what it holds and what was claimed for it, one file below
 * FIT_PATH_DOMAINS, named by UUID. It is complete on disk before the host is changed, so whoever
 * finds it (the hook at `stopped`, the next start, `virt-fit undo`) can take everything back.
 *
 * libvirt serialises the hook calls of one domain, and a domain that is prepared cannot be running:
 * a journal that prepare finds is of a start that nobody cleaned up, and is undone first.
 *
 * A journal that is damaged must not keep other domains from starting and stopping for ever. What
 * can be read of it counts; the resources that nobody else claims are taken for its own and stay as
 * they are until it ends (undo.c). What it may lose is its part in a resource that others claim as
 * well, when these come or go: it is then tuned less, and the host still gets its baseline back.
 * Only where not even its CPUs and devices are known, nobody is given any of these.
 */
#ifndef FIT_SYS_JOURNAL_H
#define FIT_SYS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/cpuset.h"
#include "core/hostops.h"
#include "core/pciaddr.h"
#include "sys/fsroot.h"
#include "sys/resource.h"

enum fit_stage {
	/* The migrate or restore hook announced the domain. It holds nothing: what is said of it
	 * here is what it will. */
	FIT_STAGE_INCOMING,
	FIT_STAGE_PREPARED,
	FIT_STAGE_STARTED, /* QEMU runs: its hugepages are no longer free */
	FIT_STAGE_STOPPED,
};

/* A domain's part in the value of a resource. */
struct fit_claim_entry {
	uint64_t sequence; /* over all domains: the order in which they were made */
	enum fit_resource_kind kind;
	char *path;	    /* of the resource: its key in the ledger */
	uint64_t hash;	    /* of the path */
	char *contribution; /* see resource.h */
	enum fit_phase undo;
	unsigned int moved; /* an interrupt: so often others have moved it away since */
};

/* Of a domain that was started before it was fitted (stale="warn"). */
enum fit_unfitted {
	FIT_UNFITTED_NOT,   /* it was fitted */
	FIT_UNFITTED_WHOLE, /* nothing was done about it yet */
	FIT_UNFITTED_LIVE,  /* what can be changed of a running domain was */
};

struct fit_journal {
	char *uuid;
	char *name;
	char *damage;	    /* why this is only part of what was there; NULL: it is all */
	bool holdings_lost; /* and why CPUs and devices can be missing, not only claims */
	enum fit_stage stage;
	enum fit_unfitted unfitted;
	/* It was announced although it seems to run: libvirt asks the hook first, and looks then.
	 */
	bool announced;
	struct fit_cpuset exclusive_cpus;
	/* Files of versions without these are read as if they were empty. */
	struct fit_cpuset vcpu_cpus; /* all that its vCPUs are pinned to, alone or with others */
	struct fit_cpuset
		held_cpus; /* all that planning takes for its own: fit_domain_own_cpus() */
	struct fit_cpuset interrupt_cpus; /* for interrupts of its devices; empty: as they come */
	bool interrupts_spread;		  /* each to one of them, not all to all */
	struct fit_pciaddr *devices;	  /* host devices the domain has for itself */
	size_t device_count;
	struct fit_claim_entry *claims; /* by sequence */
	size_t claim_count;
};

void fit_claim_entry_clear(struct fit_claim_entry *claim);
void fit_journal_clear(struct fit_journal *journal);

/* Notes what the domain has for itself: by its XML, and what the host was given for it. */
void fit_journal_hold(struct fit_journal *journal, const struct fit_domain *domain,
	const struct fit_hostops *ops);

bool fit_journal_has_device(const struct fit_journal *journal, struct fit_pciaddr device);
const char *fit_stage_name(enum fit_stage stage);

/* Text form, for the file and its tests. A journal of another boot reads as NOTFOUND. */
char *fit_journal_print(const struct fit_journal *journal, const char *boot_id);
int fit_journal_parse(const char *text, const char *path, const char *boot_id,
	struct fit_journal *ret_journal, struct fit_err *err);

/* What can still be read of one that fit_journal_parse() finds damaged. */
void fit_journal_salvage(const char *text, const char *path, const char *uuid, const char *boot_id,
	struct fit_journal *ret_journal);

char *fit_journal_path(const char *uuid); /* to be freed */
int fit_journal_save(const struct fit_fsroot *root, const struct fit_journal *journal,
	const char *boot_id, struct fit_err *err);
int fit_journal_remove(const struct fit_fsroot *root, const char *uuid, struct fit_err *err);

#endif
