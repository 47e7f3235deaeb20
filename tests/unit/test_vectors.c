/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPU a vector goes to, and how often it is put back. */
#include "support.h"

#include <limits.h>
#include <stdlib.h>

#include "core/vectors.h"

#define CORES	4
#define THREADS 2
#define CPUS	(CORES * THREADS)

/* CPUs as on many hosts: the second threads after all first ones. */
static void make_cpus(struct fit_vector_cpu *cpus)
{
	for (unsigned int i = 0; i < CPUS; i++)
		cpus[i] = (struct fit_vector_cpu){.cpu = 10 + i, .core = 10 + i % CORES};
}

static unsigned int core_load(const struct fit_vector_cpu *cpus, unsigned int core)
{
	return cpus[core].load + cpus[core + CORES].load;
}

static void vectors_are_spread_over_cores_then_over_their_threads(void **unused)
{
	struct fit_vector_cpu cpus[CPUS];

	(void)unused;
	make_cpus(cpus);
	for (unsigned int count = 1; count <= 3 * CPUS; count++) {
		unsigned int chosen = fit_vectors_choose(cpus, CPUS);

		assert_true(chosen >= 10 && chosen < 10 + CPUS);
		for (unsigned int a = 0; a < CORES; a++) {
			assert_true(core_load(cpus, a) >= count / CORES);
			assert_true(core_load(cpus, a) <= (count + CORES - 1) / CORES);
			assert_in_range(cpus[a].load - cpus[a + CORES].load, 0, 1);
		}
	}
}

static void a_vector_goes_where_the_fewest_are(void **unused)
{
	struct fit_vector_cpu cpus[CPUS];

	(void)unused;
	make_cpus(cpus);
	for (unsigned int i = 0; i < CPUS; i++)
		cpus[i].load = 5;
	cpus[2].load = 1;
	cpus[6].load = 3;
	assert_int_equal(fit_vectors_choose(cpus, CPUS), 12);
	assert_int_equal(cpus[2].load, 2);
}

/* Whatever there is already, no step makes it less even. */
static void it_gets_even_from_anything(void **unused)
{
	(void)unused;
	srand(7);
	for (int round = 0; round < 200; round++) {
		struct fit_vector_cpu cpus[CPUS];
		unsigned int before, after;

		make_cpus(cpus);
		for (unsigned int i = 0; i < CPUS; i++)
			cpus[i].load = (unsigned int)rand() % 6;
		for (int step = 0; step < 8 * CPUS; step++) {
			before = UINT_MAX;
			for (unsigned int core = 0; core < CORES; core++)
				if (core_load(cpus, core) < before)
					before = core_load(cpus, core);
			after = fit_vectors_choose(cpus, CPUS) - 10;
			assert_int_equal(core_load(cpus, after % CORES), before + 1);
		}
	}
}

static void patience_has_an_end_and_comes_back(void **unused)
{
	struct fit_patience patience = {0};
	int64_t now = 1000;

	(void)unused;
	assert_false(fit_patience_meet(&patience, 50, 1));
	assert_true(fit_patience_meet(&patience, 50, 1));
	for (int i = 0; i < FIT_PATIENCE_TIMES; i++)
		assert_true(fit_patience_spend(&patience, 50, now + i));
	assert_false(fit_patience_spend(&patience, 50, now + FIT_PATIENCE_MS - 1));
	/* The others have theirs. */
	assert_false(fit_patience_meet(&patience, 51, 1));
	assert_true(fit_patience_spend(&patience, 51, now));
	/* One for each that is long enough ago. */
	assert_true(fit_patience_spend(&patience, 50, now + FIT_PATIENCE_MS));
	assert_false(fit_patience_spend(&patience, 50, now + FIT_PATIENCE_MS));
	/* Another interrupt with its number starts anew. */
	assert_false(fit_patience_meet(&patience, 50, 2));
	for (int i = 0; i < FIT_PATIENCE_TIMES; i++)
		assert_true(fit_patience_spend(&patience, 50, now + FIT_PATIENCE_MS));
	assert_false(fit_patience_spend(&patience, 50, now + FIT_PATIENCE_MS));
	fit_patience_clear(&patience);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_are_spread_over_cores_then_over_their_threads),
		cmocka_unit_test(a_vector_goes_where_the_fewest_are),
		cmocka_unit_test(it_gets_even_from_anything),
		cmocka_unit_test(patience_has_an_end_and_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
