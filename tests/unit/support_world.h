/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host on which domains come and go at random, for test_executor_random.c: what each of them
 * wants, the calls of the hook as the engine answers them, and what else happens to the host.
 */
#ifndef FIT_TESTS_SUPPORT_WORLD_H
#define FIT_TESTS_SUPPORT_WORLD_H

#include "base/buffer.h"
#include "support_executor.h"

#define DOMAINS	   6
#define IRQBALANCE "run/irqbalance"

struct domain {
	unsigned int number;
	char uuid[40];
	char name[8];
	char cpu[4];
	char vf[16];
	struct fit_hostops ops;
	int64_t pages; /* that it asks for */
	int64_t taken; /* that its QEMU has */
	bool grouped;  /* its QEMU has control groups */
	int next;      /* call of the hook, as in hook_call() */
	bool calls[3]; /* of this life went well */
	bool there;    /* prepare was called, and nobody has said that it is all gone */
};

struct world {
	struct fixture f;
	bool systemd;
	struct domain domains[DOMAINS];
	uint64_t seed;	   /* of this sequence; 0: none runs */
	uint64_t compared; /* the first one since trees were compared */
	uint64_t random;
	unsigned int may_happen, happened; /* the test's */
	unsigned int changed;		   /* by somebody else: bits of a table, */
	const char *left[32];		   /* to these values */
	unsigned int boots, restarts;
	int64_t added_pages; /* by somebody else */
	struct fit_buffer story;
};

uint64_t draw(uint64_t *state, uint64_t limit);
void tell(struct world *w, const char *format, ...) FIT_PRINTF(2, 3);
const char *phase_name(int phase);

void world_make(struct world *w, bool systemd);
void world_end(struct world *w);

/* Draws what the domains want. */
void world_begin(struct world *w, uint64_t seed);

/* What QEMU does before the hook is called: it takes its pages, or gives them back. */
void world_live(struct world *w, struct domain *domain, int phase);

/* A call of the hook as the engine does it; what came of it is noted by the second, because it can
 * be made in another process. PHASE_UNDO: by hand, also of a domain that runs. */
#define PHASE_UNDO 5
int world_call(struct world *w, struct domain *domain, int phase, struct fit_strlist *notes,
	struct fit_err *err);
void world_note_call(struct domain *domain, int phase, bool good);

/* Somebody else changes something that domains may have claimed; the pool of pages, too, if @pages.
 */
void world_interfere(struct world *w, bool pages);
void world_restart_irqbalance(struct world *w);
void world_boot(struct world *w);

bool world_has_vf(const struct world *w, const struct domain *domain);

/* Domains that run have what they asked for. */
void world_expect_claims(const struct world *w);
/* All are gone: what somebody else changed is still so, and is put back. */
void world_put_back(struct world *w);

#endif
