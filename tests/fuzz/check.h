/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A check in progress: what the files check*.c share. */
#ifndef FIT_TESTS_FUZZ_CHECK_H
#define FIT_TESTS_FUZZ_CHECK_H

#include "base/attr.h"
#include "core/render.h"
#include "fuzz.h"

struct check {
	const struct fit_fuzz_case *c;
	const struct fit_host *host;
	struct fit_claims claims;
	char *plain;  /* the definition as it is printed */
	char *fitted; /* the rendering of it with the profile "first" */
	struct fit_fuzz_result result;
};

/* Keeps the first failure. False, for a caller that returns. */
bool fit_fuzz_broken(struct check *check, const char *property, const char *format, ...)
	FIT_PRINTF(3, 4);

/* With the profile of this name. An error is a refusal; to be cleared otherwise. */
int fit_fuzz_render(struct check *check, const char *xml, const char *profile,
	struct fit_render_result *ret_result, struct fit_err *err);

/* The same of a domain that arrives. */
int fit_fuzz_render_arrived(struct check *check, const char *xml,
	struct fit_render_result *ret_result, struct fit_err *err);

/* The text after revert, NULL when it is refused; to be freed. @notes may be NULL. */
char *fit_fuzz_revert(struct check *check, const char *xml, struct fit_strlist *notes);

/* Where two texts differ first; to be freed. */
char *fit_fuzz_difference(const char *wanted, const char *found);
bool fit_fuzz_same(
	struct check *check, const char *property, const char *wanted, const char *found);

xmlDoc *fit_fuzz_parse(const char *xml); /* what is well-formed; else aborts */
char *fit_fuzz_as_libvirt(const char *xml);

/* The properties; false at the first that does not hold. */
bool fit_fuzz_check_fitted(struct check *check);   /* well-formed, valid, complete */
bool fit_fuzz_check_fixpoint(struct check *check); /* rendered again, and reverted */
bool fit_fuzz_check_libvirt(struct check *check);  /* the same with libvirt in between */
bool fit_fuzz_check_edits(struct check *check);	   /* what a user changes stays */
bool fit_fuzz_check_second(struct check *check);   /* another profile leaves nothing behind */
bool fit_fuzz_check_tampered(struct check *check); /* a record that is not ours any more */
bool fit_fuzz_check_arrival(struct check *check);  /* on another host, which @check has then */

#endif
