/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The service manager, asked over D-Bus: it owns the control groups below the root, so the CPUs of
 * a slice are changed by it or not at all. Every call opens a connection of its own, is answered
 * within a time limit, and starts no program.
 */
#ifndef FIT_SYS_SYSTEMD_H
#define FIT_SYS_SYSTEMD_H

#include <stdint.h>

#include "base/err.h"
#include "core/cpuset.h"

/* AllowedCPUs= of @unit; empty when it is not set. @deadline: see clock.h. */
int fit_systemd_get_cpus(
	const char *unit, int64_t deadline, struct fit_cpuset *ret_cpus, struct fit_err *err);

/* Sets it until the next boot; empty @cpus: unset. systemd changes the control group a little after
 * it has answered. */
int fit_systemd_set_cpus(
	const char *unit, const struct fit_cpuset *cpus, int64_t deadline, struct fit_err *err);

#endif
