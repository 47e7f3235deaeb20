/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fuzzer: random definitions and profiles on random hosts through render and revert. A case is
 * text and numbers, so that it can be written to a file, run again and made smaller.
 */
#ifndef FIT_TESTS_FUZZ_H
#define FIT_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libxml/tree.h>

#include "base/strlist.h"
#include "core/claims.h"
#include "core/host.h"

/* Profiles of the case, by the names that fit_fuzz_check() requests. */
#define FIT_FUZZ_PROFILES 2

struct fit_fuzz_case {
	uint64_t host; /* seeds: of the host, and of what the checks do to the definition */
	uint64_t edits;
	char *domain;
	char *profiles[FIT_FUZZ_PROFILES]; /* named "first" and "second" */
};

void fit_fuzz_case_clear(struct fit_fuzz_case *c);
struct fit_fuzz_case fit_fuzz_case_copy(const struct fit_fuzz_case *c);

/* A case as text and back; read aborts the program with a message when it is no case. */
char *fit_fuzz_case_print(const struct fit_fuzz_case *c);
struct fit_fuzz_case fit_fuzz_case_read(const char *path);

/* What cases are made of besides the grammars. */
struct fit_fuzz_material {
	struct fit_strlist definitions; /* of the corpus ($CORPUS); none when there is none */
	struct fit_strlist profiles;	/* names of the shipped ones */
};

struct fit_fuzz_material fit_fuzz_material_read(void);

struct fit_fuzz_case fit_fuzz_make(
	uint64_t seed, uint64_t number, const struct fit_fuzz_material *material);

char *fit_fuzz_read_file(const char *path); /* or ends the program */

/* From the grammars of definitions and of profiles; what is made depends on fit_draw(). Most of it
 * suits the host, so that most cases are not refused at once. */
char *fit_fuzz_domain(const struct fit_host *host);
char *fit_fuzz_profile(
	const char *name, const struct fit_strlist *shipped, const struct fit_host *host);

/* A variation of a definition: its layout, and a few of its nodes. */
char *fit_fuzz_vary(const char *domain);

/* Changes that libvirt would not notice, at random places. */
void fit_fuzz_edit_elsewhere(xmlDoc *doc);

/* Those of tests/hosts: once, before the first fit_fuzz_host(). */
void fit_fuzz_hosts_read(void);

/* The host of this number, valid until the next call, and the claims of other domains. */
const struct fit_host *fit_fuzz_host(uint64_t number, struct fit_claims *ret_claims);

enum fit_fuzz_outcome {
	FIT_FUZZ_HELD,
	FIT_FUZZ_REFUSED, /* held too, but there is no rendering to look at */
	FIT_FUZZ_BROKEN,
};

struct fit_fuzz_result {
	enum fit_fuzz_outcome outcome;
	const char *property; /* that does not hold; static */
	char *detail;	      /* of it, or the refusal */
};

void fit_fuzz_check(const struct fit_fuzz_case *c, struct fit_fuzz_result *ret_result);

/* A smaller case for which @still holds. */
void fit_fuzz_reduce(struct fit_fuzz_case *c,
	bool (*still)(const struct fit_fuzz_case *c, void *context), void *context);

#endif
