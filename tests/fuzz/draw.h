/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers that are the same on every machine: a case is made from its number alone. */
#ifndef FIT_TESTS_FUZZ_DRAW_H
#define FIT_TESTS_FUZZ_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

void fit_draw_seed(uint64_t seed, uint64_t number);

uint64_t fit_draw_number(void);
unsigned int fit_draw(unsigned int below); /* 0 for 0 */
bool fit_chance(unsigned int percent);

#define fit_draw_from(array) ((array)[fit_draw(FIT_ARRAY_SIZE(array))])

#endif
