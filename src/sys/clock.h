/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deadlines for everything that waits: while a hook runs, every libvirt client that lists domains
 * hangs. A deadline is a point of the monotonic clock in milliseconds.
 */
#ifndef FIT_SYS_CLOCK_H
#define FIT_SYS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define FIT_NO_DEADLINE INT64_MAX

int64_t fit_clock_ms(void);
bool fit_clock_passed(int64_t deadline);

/* Sleeps @ms, but not past the deadline. False, at once, when that has passed already. */
bool fit_clock_wait(int64_t ms, int64_t deadline);

#endif
