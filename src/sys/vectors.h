/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interrupt vectors of devices that are passed through to a running domain. They appear when
 * the guest's driver asks for them, long after `started`, and go and come again, under other
 * numbers, when the guest reboots, reloads the driver, or changes the number of its queues. So they
 * are looked for again and again, by the watcher; the journal says for which devices and where they
 * belong, and holds a claim for each vector, as for any other resource.
 *
 * A vector of MSI or MSI-X is listed in the device's msi_irqs before /proc/irq knows it: it is
 * pending until somebody has requested it (Linux: up to seconds later). The one of a line (INTx) is
 * the device's when nobody else is on that line.
 */
#ifndef FIT_SYS_VECTORS_H
#define FIT_SYS_VECTORS_H

#include "core/vectors.h"
#include "sys/state.h"

struct fit_vector {
	unsigned int number;
	struct fit_pciaddr device;
	char *name; /* as the kernel names it: "vfio-msix[0](0000:41:10.0)"; "" on old kernels */
	char *path; /* of its affinity: the key of its claim */
};

struct fit_vectors {
	struct fit_vector *items; /* by device, in the order of the journal, and name */
	size_t count;
	size_t pending;
};

void fit_vectors_clear(struct fit_vectors *vectors);

/* Those of the journal's devices that a driver for guests (vfio) has. Reads only. */
void fit_vectors_find(const struct fit_fsroot *root, const struct fit_journal *journal,
	struct fit_vectors *ret_vectors);

/* The directory that lists a device's vectors of MSI and MSI-X by number. To be freed. */
char *fit_vectors_directory(struct fit_pciaddr device);

/* For who looks often. The interrupt of the device's line, while a guest has that for itself; 0. */
unsigned int fit_vectors_line(const struct fit_fsroot *root, struct fit_pciaddr device);
/* Can an interrupt that is listed be placed already? */
bool fit_vectors_requested(const struct fit_fsroot *root, unsigned int number);

/* The number in the path of an interrupt's affinity. */
unsigned int fit_vectors_number(const char *path);

/* The domain's claim that places the vector; NULL: there is none. */
struct fit_claim_entry *fit_vectors_claim(struct fit_journal *journal, const char *path);

struct fit_vectors_report {
	size_t placed;		  /* vectors that have their CPUs */
	size_t lagging;		  /* of them, those that still come to another one */
	size_t fresh;		  /* found by this call */
	size_t gone;		  /* missed by this call */
	struct fit_strlist notes; /* what others or the kernel did about it */
};

/*
 * Brings the claims of the domain up to date with the vectors that there are: those of vectors that
 * are gone end, new vectors are placed, one that somebody moved is put back, as often as @patience
 * allows; then it is left, as is one that the kernel does not let anybody move. Does nothing for a
 * domain that does not run. @patience (with @now, see core/vectors.h) and @ret_report may be NULL;
 * the report's notes are the caller's. It is filled on failure too, as far as it came.
 */
int fit_vectors_place(struct fit_state *state, struct fit_journal *journal,
	struct fit_patience *patience, int64_t now, struct fit_vectors_report *ret_report,
	struct fit_err *err);

/* Are others placed than irqbalance was told of? Then it is to be asked, without the lock. */
bool fit_vectors_to_ban(const struct fit_journal *journal);

/* Has irqbalance leave them alone, if it runs; as many as it can be told of, @notes has the rest.
 * The state is one for which it was asked (sys/irqbalance.h). */
int fit_vectors_ban(struct fit_state *state, struct fit_journal *journal, struct fit_strlist *notes,
	struct fit_err *err);

#endif
