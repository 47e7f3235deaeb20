/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The planner finds the optimum of its objective, and a plan whenever there is one: on thousands of
 * random small hosts (support_case.h) against trying everything (support_optimum.c).
 * $FIT_OPTIMUM_CASES says how many, $FIT_OPTIMUM_FIRST from which on.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support_case.h"
#include "support_optimum.h"

#define CASES 15000

static unsigned int setting(const char *name, unsigned int otherwise)
{
	const char *text = getenv(name);

	return text ? (unsigned int)strtoul(text, NULL, 10) : otherwise;
}

static bool find_plan(struct fit_bench *b, struct fit_cost *ret_cost)
{
	bool found = fit_case_search(b, ret_cost);

	if (!found)
		assert_int_equal(b->err.code, FIT_ERR_REFUSED);
	return found;
}

/* What there were plans for. */
struct kinds {
	unsigned int planned, spread, floating, fixed, cells;
};

static void count_kinds(
	struct kinds *kinds, const struct fit_bench *b, const struct fit_cost *optimum)
{
	bool spread = optimum->level[FIT_COST_NODES] > 1;

	kinds->planned++;
	kinds->spread += spread;
	kinds->floating += b->profile.vcpus.place == FIT_PLACE_NODE;
	kinds->fixed += b->domain.vcpu_pin_count > 0;
	kinds->cells += spread && (b->profile.cells.intent.set || b->domain.cell_count);
}

static void the_plan_is_the_best_there_is(void **state)
{
	unsigned int first = setting("FIT_OPTIMUM_FIRST", 0);
	unsigned int cases = setting("FIT_OPTIMUM_CASES", CASES);
	struct kinds kinds = {0};

	(void)state;
	for (unsigned int number = first; number < first + cases; number++) {
		struct fit_bench b = fit_made_case(number);
		struct fit_cost optimum, cost;
		bool possible = fit_optimum_find(&b, &optimum);

		if (find_plan(&b, &cost) != possible)
			fail_msg("case %u: a plan %s, but: %s", number,
				possible ? "exists" : "cannot be", b.err.message);
		for (int i = 0; possible && i < FIT_COST_LEVELS; i++)
			if (cost.level[i] != optimum.level[i])
				fail_msg("case %u: cost level %d is %llu, of the best %llu", number,
					i, (unsigned long long)cost.level[i],
					(unsigned long long)optimum.level[i]);
		if (possible)
			count_kinds(&kinds, &b, &optimum);
		fit_bench_end(&b);
	}
	/* Refusals only, or one node only, would be easy. */
	assert_true(cases < CASES || kinds.planned > cases / 2);
	assert_true(cases < CASES || kinds.spread > cases / 20);
	assert_true(cases < CASES || kinds.floating > cases / 20);
	assert_true(cases < CASES || kinds.fixed > cases / 20);
	assert_true(cases < CASES || kinds.cells > cases / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plan_is_the_best_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
