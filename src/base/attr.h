/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiler attributes under short names. */
#ifndef FIT_BASE_ATTR_H
#define FIT_BASE_ATTR_H

#define FIT_PRINTF(index, first) __attribute__((__format__(__printf__, index, first)))
#define FIT_MUST_CHECK		 __attribute__((warn_unused_result))
#define FIT_NORETURN		 __attribute__((noreturn))
#define FIT_UNUSED		 __attribute__((unused))

/* Runs @function(&variable) when the variable goes out of scope. */
#define FIT_CLEANUP(function) __attribute__((cleanup(function)))

#define FIT_ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
