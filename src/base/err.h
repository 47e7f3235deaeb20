/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The error value. A function that can fail returns -1 (or NULL), leaves its `ret_` outputs
 * untouched and fills the `struct fit_err` its caller owns: a code for programs, an errno for retry
 * decisions, one sentence for people. Nothing is allocated on the failure path.
 */
#ifndef FIT_BASE_ERR_H
#define FIT_BASE_ERR_H

#include "base/attr.h"

#define FIT_ERR_MESSAGE_MAX 4096

enum fit_err_code {
	FIT_OK = 0,
	FIT_ERR_INVALID,  /* the input is malformed or contradicts itself */
	FIT_ERR_REFUSED,  /* a sound request that this host cannot meet */
	FIT_ERR_NOTFOUND, /* a named domain, profile, device or file does not exist */
	FIT_ERR_STALE,	  /* the definition is not (or no longer) fitted */
	FIT_ERR_SYSTEM,	  /* the operating system said no: see sys_errno */
};

struct fit_err {
	enum fit_err_code code;
	int sys_errno; /* 0 when no system call was involved */
	char message[FIT_ERR_MESSAGE_MAX];
};

#define FIT_ERR_INIT ((struct fit_err){.code = FIT_OK})

/* Fills @err and returns -1, so that a failure is one line: `return fit_err_set(err, ...);`.
 * @err may be NULL. A message that does not fit is cut. */
int fit_err_set(struct fit_err *err, enum fit_err_code code, const char *format, ...)
	FIT_PRINTF(3, 4);

/* Same for a failed system call: code FIT_ERR_SYSTEM, and ": strerror(@errnum)" is appended. */
int fit_err_sys(struct fit_err *err, int errnum, const char *format, ...) FIT_PRINTF(3, 4);

/* Puts context in front of the message on its way up; keeps code and errno. Returns -1. */
int fit_err_prefix(struct fit_err *err, const char *format, ...) FIT_PRINTF(2, 3);

/* Puts more behind the message, whose last lines are dropped where it would be too long. */
void fit_err_append(struct fit_err *err, const char *format, ...) FIT_PRINTF(2, 3);

#endif
