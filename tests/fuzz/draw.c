/* SPDX-License-Identifier: GPL-2.0-or-later */
/* splitmix64 */
#include "draw.h"

static uint64_t state;

void fit_draw_seed(uint64_t seed, uint64_t number)
{
	state = seed * 0x9e3779b97f4a7c15ULL ^ number * 0xd1b54a32d192ed03ULL;
}

uint64_t fit_draw_number(void)
{
	uint64_t mixed = state += 0x9e3779b97f4a7c15ULL;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ULL;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebULL;
	return mixed ^ mixed >> 31;
}

unsigned int fit_draw(unsigned int below)
{
	return below ? (unsigned int)(fit_draw_number() % below) : 0;
}

bool fit_chance(unsigned int percent)
{
	return fit_draw(100) < percent;
}
