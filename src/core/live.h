/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be changed of a domain while it runs: libvirt moves its threads, and adds iothreads. All
 * else that a definition was fitted with waits for the next start.
 */
#ifndef FIT_CORE_LIVE_H
#define FIT_CORE_LIVE_H

#include <libxml/tree.h>

#include "base/err.h"
#include "base/strlist.h"
#include "core/cpuset.h"

enum fit_live_kind {
	FIT_LIVE_ADD_IOTHREAD,
	FIT_LIVE_PIN_IOTHREAD,
	FIT_LIVE_PIN_VCPU,
	FIT_LIVE_PIN_EMULATOR,
};

struct fit_live_change {
	enum fit_live_kind kind;
	unsigned int id;	/* of the iothread or vCPU */
	struct fit_cpuset cpus; /* of a pin */
};

struct fit_live {
	struct fit_live_change *changes; /* in the order in which they can be made */
	size_t change_count;
	/* What waits for the next start: paths (core/edit.h), and "removal of " such. */
	struct fit_strlist missing;
};

void fit_live_clear(struct fit_live *live);

/* What @running lacks of what was written into @fitted, by its record. A pin of a vCPU that is not
 * plugged in waits, too. */
int fit_live_compare(xmlDoc *running, xmlDoc *fitted, const char *name, struct fit_live *ret_live,
	struct fit_err *err);

/* "vCPU 3 to CPU 5", for people. To be freed. */
char *fit_live_describe(const struct fit_live_change *change);

#endif
