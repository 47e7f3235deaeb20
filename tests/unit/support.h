/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test needs: cmocka with the headers it expects before it. */
#ifndef FIT_TESTS_SUPPORT_H
#define FIT_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Fails the test, naming @what it is about (a text) and the condition, unless that holds. */
#define EXPECT_OF(what, condition) \
	do { \
		if (!(condition)) \
			fail_msg("%s: %s", (what), #condition); \
	} while (0)

#endif
