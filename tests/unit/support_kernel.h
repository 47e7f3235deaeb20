/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel for tests: an observer of a root that reacts to writes as Linux does (refuses what it
 * would refuse, creates and removes VFs, gives fewer huge pages than asked, prints values its own
 * way), and that makes the Nth change of any file fail, or kills the writer before or after it.
 */
#ifndef FIT_TESTS_SUPPORT_KERNEL_H
#define FIT_TESTS_SUPPORT_KERNEL_H

#include "core/cpuset.h"
#include "sys/fsroot.h"

enum fit_test_fault {
	FIT_TEST_NO_FAULT,
	FIT_TEST_FAIL,	     /* the change does not happen, the caller gets EIO */
	FIT_TEST_DIE_BEFORE, /* the process ends at once, with this code: */
	FIT_TEST_DIE_AFTER,
};
#define FIT_TEST_DEATH 42

struct fit_test_kernel {
	const struct fit_fsroot *root;
	struct fit_fs_observer observer;
	uint64_t page_limit;	    /* no pool gets more pages; 0: no limit */
	bool compactable;	    /* there is no limit any more after a compaction */
	unsigned int page_delay_ms; /* how long a pool takes to change */
	struct fit_cpuset managed;  /* interrupts that cannot be moved (as numbers) */
	uint64_t scan_limit;	    /* more is taken as this, as drivers do that know a limit */
	bool vfs_stay_away;	    /* created VFs do not appear */
	unsigned int vf_refusals;   /* so often attributes of VFs are refused, */
	int vf_errno;		    /* with this */
	int ethtool_errno;	    /* what cards answer to numbers; 0: they take them */
	bool channels_stay;	    /* cards have as many with VFs as without, */
	bool channels_wait;	    /* and change them only without */
	bool drivers_are_deaf;	    /* probing binds nothing */
	bool systemd_is_deaf;	    /* it answers and does nothing */
	bool cpuset_in_use;	    /* below a group: the controller cannot be disabled */
	bool no_room;		    /* our state can be removed, not written */
	enum fit_test_fault fault;
	unsigned int fault_at;	  /* counted from 1 */
	bool fault_is_refused;	  /* it would have been after a change that was refused */
	unsigned int changes;	  /* so far */
	unsigned int host_writes; /* those outside our state */
	struct fit_strlist log;	  /* "PATH=VALUE" of the host writes that happened */
	uint64_t old_number;	  /* of the value being written */
	uint64_t in_use;	  /* pages of the pool being written */
	char *choice;		  /* how the choice being written is shown then */
};

/* Puts @kernel under @root, which then must not move. */
void fit_test_kernel_boot(struct fit_test_kernel *kernel, struct fit_fsroot *root);
/* Changes of the tree by somebody else (a manifest, see support_tree.h), neither observed nor
 * reacted to. */
void fit_test_kernel_set(const struct fit_test_kernel *kernel, const char *manifest);
/* The same for the value of a file that is there. */
void fit_test_kernel_write(
	const struct fit_test_kernel *kernel, const char *path, const char *value);

void fit_test_kernel_halt(struct fit_test_kernel *kernel, struct fit_fsroot *root);

#endif
