/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that work for a running domain and that libvirt does not place: they belong to QEMU or to
 * the kernel, and end with the domain, so there is nothing to take back.
 *
 *   vhost  vhost-PID                  network and disk data of virtio devices in the kernel
 *   kvm    kvm-pit/PID                the guest's interval timer
 *          kvm-nx-lpage-recovery-PID  undoes splits of huge pages; libvirt finds it where vCPU 0 is
 *   qemu   worker and the like        made by a vCPU's thread they have its CPU
 */
#ifndef FIT_SYS_THREADS_H
#define FIT_SYS_THREADS_H

#include <sys/types.h>

#include "base/strlist.h"
#include "core/hostops.h"
#include "sys/fsroot.h"

struct fit_thread {
	pid_t tid;
	char name[32];
	enum fit_thread_kind kind;
};

struct fit_threads {
	struct fit_thread *items;
	size_t count;
};

void fit_threads_clear(struct fit_threads *threads);

/* QEMU's process by the file that libvirt keeps of it; 0: none. */
pid_t fit_threads_qemu(const struct fit_fsroot *root, const char *domain);

/* The path of a thread's control group (version 2), as "/machine.slice/…/emulator"; NULL when it
 * has none. To be freed. */
char *fit_threads_group(const struct fit_fsroot *root, pid_t tid);

/* Those of the QEMU process @qemu that are of @kind. */
void fit_threads_find(const struct fit_fsroot *root, pid_t qemu, enum fit_thread_kind kind,
	struct fit_threads *ret_threads);

/* What the operations of @ops for threads ask for. A line in @notes for what could not be done. */
void fit_threads_place(const struct fit_fsroot *root, const char *domain,
	const struct fit_hostops *ops, struct fit_strlist *notes);

#endif
