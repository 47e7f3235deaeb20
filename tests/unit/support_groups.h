/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control groups of a domain that runs, as libvirt makes them: below machine.slice one for the
 * emulator, on CPU 0, and one for each vCPU, with a CPU of its own. */
#ifndef FIT_TESTS_SUPPORT_GROUPS_H
#define FIT_TESTS_SUPPORT_GROUPS_H

#include "support_executor.h"

#define GROUPS	"sys/fs/cgroup"
#define MACHINE GROUPS "/machine.slice"

/* Of the machine: what the kernel has for partitions. */
#define GROUPS_OF_HOST \
	GROUPS "/cpuset.cpus.isolated = \n" MACHINE "/cpuset.cpus.exclusive = \n" \
	       "run/libvirt/qemu/\n"

/* Its scope is @name.scope; @pid is what its QEMU has. */
void groups_make(const struct fixture *f, const char *name, unsigned int pid, const char *cpus);
void groups_remove(const struct fixture *f, const char *name, unsigned int pid, const char *cpus);

#endif
