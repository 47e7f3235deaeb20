/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each benchmark is a program of one file. */
#ifndef FIT_TESTS_BENCH_MEDIAN_H
#define FIT_TESTS_BENCH_MEDIAN_H

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Sorts them. */
static double median(double *times, size_t count)
{
	qsort(times, count, sizeof(*times), by_value);
	return times[count / 2];
}

#endif
