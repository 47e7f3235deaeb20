/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/clock.h"

#include <time.h>

int64_t fit_clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool fit_clock_passed(int64_t deadline)
{
	return deadline != FIT_NO_DEADLINE && fit_clock_ms() >= deadline;
}

bool fit_clock_wait(int64_t ms, int64_t deadline)
{
	int64_t left = deadline == FIT_NO_DEADLINE ? ms : deadline - fit_clock_ms();
	struct timespec pause;

	if (left <= 0)
		return false;
	if (ms > left)
		ms = left;
	pause = (struct timespec){.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000};
	/* Interrupted by the hook's alarm: the caller looks at the clock again. */
	nanosleep(&pause, NULL);
	return true;
}
