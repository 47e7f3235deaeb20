/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Hyper-V enlightenments: what a guest with Windows does otherwise the hard way. They depend on
 * each other (QEMU's docs/hyperv.txt), and neither libvirt before 11.9 nor the schema checks that:
 * a domain that has one without the others fails at start.
 */
#ifndef FIT_CORE_HYPERV_H
#define FIT_CORE_HYPERV_H

#include "base/attr.h"
#include "core/target.h"

/* Each after those that it needs. */
enum fit_hyperv {
	FIT_HYPERV_RELAXED,
	FIT_HYPERV_VAPIC,
	FIT_HYPERV_SPINLOCKS,
	FIT_HYPERV_VPINDEX,
	FIT_HYPERV_RUNTIME,
	FIT_HYPERV_SYNIC,
	FIT_HYPERV_CLOCK,
	FIT_HYPERV_STIMER,
	FIT_HYPERV_FREQUENCIES,
	FIT_HYPERV_TLBFLUSH,
	FIT_HYPERV_IPI,
	FIT_HYPERV_RESET,
	FIT_HYPERV_REENLIGHTENMENT,
	FIT_HYPERV_EVMCS,
	FIT_HYPERV_AVIC,
	FIT_HYPERV_EMSR_BITMAP,
	FIT_HYPERV_XMM_INPUT,
	FIT_HYPERV_COUNT,
};

/* A set of them: bit N is enlightenment N. */
typedef unsigned int fit_hyperv_set;

struct fit_hyperv_entry {
	const char *name;  /* libvirt's */
	const char *path;  /* core/edit.h */
	const char *value; /* the element */
	const char *state; /* path of the attribute that says whether it is on */
	const char *on;	   /* its value then */
	fit_hyperv_set needs;
	bool in_all; /* good for every guest with Windows */
	enum fit_feature feature;
};

extern const struct fit_hyperv_entry fit_hyperv_entries[FIT_HYPERV_COUNT];

/* "all evmcs", "relaxed vapic", "none": names separated by white space, with what they need. */
FIT_MUST_CHECK bool fit_hyperv_parse(const char *text, fit_hyperv_set *ret_set);

/* What fit_hyperv_parse() accepts, the same text for the same set; to be freed. */
char *fit_hyperv_format(fit_hyperv_set set);

#endif
