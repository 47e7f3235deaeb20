/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A resource is one value of the host that domains claim a part in; its key is the path of the file
 * (a kind whose value is in no file makes one up). The value is a function of the baseline (before
 * the first claim) and of all contributions, so the stop of one domain never disturbs another and
 * the last one brings back the baseline.
 *
 *   kind      file                        contribution        value
 *   vfs       PF/sriov_numvfs             "N" VFs             the largest of all, and baseline
 *   autoprobe PF/sriov_drivers_autoprobe  "0"                 the latest; baseline when none
 *   pages     nodeN/…/nr_hugepages        "ADDED/WANTED"      baseline + sum of ADDED
 *   irq       irq/N/smp_affinity_list     "avoid:CPUS"        baseline - all avoided CPUs
 *                                         "to:CPUS"           the latest such set
 *                                         "left:CPUS"         (none: it is in another's hands)
 *   slice     UNIT.d/50-AllowedCPUs.conf  CPUs to be off      baseline - all of them
 *   group     cgroup/GROUP/cpuset.cpus    the same, without systemd
 *   controllers  cgroup/cgroup.subtree_control   "cpuset"     baseline and that
 *   exclusive GROUP/cpuset.cpus.exclusive     CPUs        baseline and all of them
 *   partition GROUP/cpuset.cpus.partition     "isolated"  that
 *   pf-up     PF/net/NAME/flags           "up"                that
 *   vf-attribute  PF/sriov/N/NAME (made up)  as it is set     the latest; baseline when none
 *   ethtool   PF/ethtool/SETTING (made up)   the same         the latest; baseline when none
 *   driver    DEVICE/driver               the driver          the latest; with driver_override
 *   banned-cpus, -irqs  irqbalance/… (made up)  CPUs, numbers  baseline and all of them
 *   settings  as core/host_settings.def says   the kernel's text   by the row: latest, lowest,
 * highest a CPU list          baseline - all of them
 *
 * What is peculiar to a kind is in its struct fit_resource_ops; a new kind is one of these in a
 * file resource_*.c, an entry in the table of resource.c, and an operation that wants it
 * (sys/wanted.h).
 */
#ifndef FIT_SYS_RESOURCE_H
#define FIT_SYS_RESOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/strlist.h"
#include "core/cpuset.h"
#include "core/host_setting.h"

enum fit_resource_kind {
	FIT_RESOURCE_VFS,
	FIT_RESOURCE_AUTOPROBE,
	FIT_RESOURCE_PAGES,
	FIT_RESOURCE_IRQ,
	FIT_RESOURCE_SLICE,
	FIT_RESOURCE_GROUP,
	FIT_RESOURCE_CONTROLLERS,
	FIT_RESOURCE_EXCLUSIVE,
	FIT_RESOURCE_PARTITION,
	FIT_RESOURCE_PF_UP,
	FIT_RESOURCE_VF_ATTRIBUTE,
	FIT_RESOURCE_ETHTOOL,
	FIT_RESOURCE_DRIVER,
	FIT_RESOURCE_BANNED_CPUS,
	FIT_RESOURCE_BANNED_IRQS,
	FIT_RESOURCE_SETTING, /* and those that follow: one for each row of core/host_settings.def
			       */
	FIT_RESOURCE_COUNT = FIT_RESOURCE_SETTING + FIT_SETTING_COUNT,
};

struct fit_err;
struct fit_fsroot;
struct fit_ledger_entry;
struct fit_state;

/* What a kind does its own way; NULL is the usual: values are one word, the latest contribution is
 * the value, and the file is read and written as it is. */
struct fit_resource_ops {
	const char *name;
	bool (*equal)(enum fit_resource_kind kind, const char *a, const char *b);
	/* There is at least one contribution. To be freed. */
	char *(*target)(enum fit_resource_kind kind, const char *baseline,
		const struct fit_strlist *contributions, const struct fit_cpuset *online);
	char *(*describe)(enum fit_resource_kind kind, const char *contribution);
	/* The value as it is now; NULL when it cannot be read. To be freed. */
	char *(*read)(const struct fit_fsroot *root, enum fit_resource_kind kind, const char *path);
	/* Writes and reads back. */
	int (*write)(const struct fit_state *state, enum fit_resource_kind kind, const char *path,
		const char *target, struct fit_err *err);
	/* Notes in @entry what can be found on the way to @target. */
	void (*announce)(
		const struct fit_fsroot *root, struct fit_ledger_entry *entry, const char *target);
	/* What tells whether the path still stands for the same thing. To be freed. */
	char *(*identity)(const struct fit_fsroot *root, const char *path);
	/* What is read is not always up to date yet. So values that were written once stay known,
	 * and the last one counts as what is there. */
	bool lags;
	/* Of a kind that it takes long to read: what was read before the lock was taken. NULL:
	 * nothing. */
	const char *(*heard)(const struct fit_state *state, enum fit_resource_kind kind);
	/* One is of no use without the others of such kinds that a domain wants: all of them are
	 * optional, and when one is refused all are left out. */
	bool together;
	/* Is @current, which is from us, good enough for claims that add up to @target? NULL: only
	 * @target is. It is brought down to that by an undo, when nothing is in the way. */
	bool (*suffices)(const char *current, const char *target);
	/* Why the value cannot change from @current to @target for the domain @uuid; NULL: it can.
	 * To be freed. */
	char *(*obstacle)(const struct fit_state *state, const struct fit_ledger_entry *entry,
		const char *current, const char *target, const char *uuid);
};

const struct fit_resource_ops *fit_resource_ops(enum fit_resource_kind kind);

/* The setting of a kind from FIT_RESOURCE_SETTING on, and the kind of a setting. */
const struct fit_host_setting *fit_resource_setting(enum fit_resource_kind kind);
enum fit_resource_kind fit_resource_of_setting(enum fit_host_setting_id id);

const char *fit_resource_kind_name(enum fit_resource_kind kind);
FIT_MUST_CHECK bool fit_resource_kind_parse(const char *name, enum fit_resource_kind *ret_kind);

/* Do two values of that kind mean the same ("0,1" and "0-1" for an interrupt)? */
bool fit_resource_equal(enum fit_resource_kind kind, const char *a, const char *b);

/* The value for the baseline and all contributions in the order of their claims. To be freed. */
char *fit_resource_target(enum fit_resource_kind kind, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online);

/* Contributions as text, to be freed, and back (0 where malformed). ADDED: pages the pool was to
 * grow by; WANTED: pages the domain will use. */
char *fit_pages_contribution(uint64_t added, uint64_t wanted);
void fit_pages_contribution_read(const char *text, uint64_t *ret_added, uint64_t *ret_wanted);

/* What a domain wants of an interrupt: that it is off some CPUs; that it comes to some; or that was
 * so, and it is left as others or the kernel have it. */
enum fit_irq_wish { FIT_IRQ_AVOID, FIT_IRQ_TO, FIT_IRQ_LEFT };
char *fit_irq_contribution(enum fit_irq_wish wish, const struct fit_cpuset *cpus);
FIT_MUST_CHECK bool fit_irq_contribution_read(
	const char *text, enum fit_irq_wish *ret_wish, struct fit_cpuset *ret_cpus);

/* A contribution for people: "off CPU 1", "8 pages, 4 of them added". To be freed. */
char *fit_contribution_describe(enum fit_resource_kind kind, const char *contribution);

/* The number that @text is; 0 when it is none. */
uint64_t fit_resource_number(const char *text);

/* Do both say the same number? */
bool fit_resource_equal_numbers(enum fit_resource_kind kind, const char *a, const char *b);

/*
 * Makes *@cpus what is left of it without @avoided. What runs on CPUs must keep an online one:
 * where none is left it goes to all that nobody avoids. False: if there are none either, or nothing
 * changes, *@cpus stays as it was.
 */
FIT_MUST_CHECK bool fit_resource_avoid(
	struct fit_cpuset *cpus, const struct fit_cpuset *avoided, const struct fit_cpuset *online);

#endif
