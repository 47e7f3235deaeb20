/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice PATH           the CPUs of a unit of the systemd that runs here, as our state has them
 * slice PATH VALUE     sets them
 *
 * PATH is that of the unit's drop-in file. Answers within two seconds.
 */
#include <stdio.h>

#include "base/memory.h"
#include "sys/clock.h"
#include "sys/resource.h"
#include "sys/state.h"
#include "sys/value.h"

#define TIME_MS 2000

static int fail(const struct fit_err *err)
{
	fprintf(stderr, "slice: %s\n", err->message);
	return 1;
}

int main(int argc, char **argv)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_fsroot root;
	struct fit_state state = {.root = &root, .deadline = fit_clock_ms() + TIME_MS};
	const struct fit_resource_ops *ops = fit_resource_ops(FIT_RESOURCE_SLICE);
	fit_autofree char *value = NULL;

	if (argc != 2 && argc != 3) {
		fputs("usage: slice PATH [VALUE]\n", stderr);
		return 2;
	}
	if (fit_fsroot_open("/", &root, &err) < 0)
		return fail(&err);
	if (argc == 3 && ops->write(&state, FIT_RESOURCE_SLICE, argv[1], argv[2], &err) < 0)
		return fail(&err);
	if (argc == 2) {
		value = fit_value_read(&root, FIT_RESOURCE_SLICE, argv[1]);
		puts(value);
	}
	fit_fsroot_close(&root);
	return 0;
}
