/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows the interrupt vectors of the devices that running domains have. No event of the kernel
 * tells of a vector, so the directories that list them are read again and again, by kept handles:
 * often while a guest boots or has just changed something, seldom otherwise, and never while no
 * domain runs that has such a device. What is listed is compared with the claims in the journals;
 * only where they differ is the state locked and something done.
 *
 * What is known comes from the journals alone: of libvirt there are only hints that make it look
 * sooner. The time comes from the caller, in milliseconds of a monotonic clock.
 *
 * irqbalance, which forgets what it was told when it is restarted, is told again
 * (watch/restarts.h).
 */
#ifndef FIT_WATCH_FOLLOWER_H
#define FIT_WATCH_FOLLOWER_H

#include "core/vectors.h"
#include "sys/fsroot.h"
#include "watch/parts.h"
#include "watch/restarts.h"

/* How often the lists are read, and, seldom only, the affinities. */
#define FIT_FOLLOW_OFTEN_MS  100
#define FIT_FOLLOW_SELDOM_MS 1500
/* It is done often for so long after a guest's start or reset, and after each change. */
#define FIT_FOLLOW_BOOT_MS   120000
#define FIT_FOLLOW_CHANGE_MS 15000
/* irqbalance that does not answer is asked again: between two scans it can be deaf for 10 seconds.
 */
#define FIT_FOLLOW_DEAF_MS 12000

typedef void (*fit_follower_teller)(
	void *context, enum fit_log_level level, const char *domain, const char *text);

struct fit_followed;

struct fit_follower {
	const struct fit_fsroot *root;
	fit_follower_teller tell;
	void *context;
	struct fit_followed *items; /* domains */
	size_t count;
	struct fit_patience patience;
	char *online;	 /* CPUs, at the last check; NULL: not known */
	char *complaint; /* what was said of the state that cannot be read; NULL */
	struct fit_restarts irqbalance;
};

void fit_follower_init(struct fit_follower *follower, const struct fit_fsroot *root,
	fit_follower_teller tell, void *context);
void fit_follower_clear(struct fit_follower *follower);

/* The journals may have changed: domains that have started are followed from now on, those that
 * have stopped are not. */
void fit_follower_load(struct fit_follower *follower, int64_t now);

/* The guest has started or was reset. */
void fit_follower_hurry(struct fit_follower *follower, const char *uuid, int64_t now);

/* When there is something to do; FIT_QUEUE_NEVER. There is, too, when the descriptor can be read.
 */
int fit_follower_fd(const struct fit_follower *follower);
int64_t fit_follower_due(const struct fit_follower *follower);

/* Does what is due. */
void fit_follower_turn(struct fit_follower *follower, int64_t now);

#endif
