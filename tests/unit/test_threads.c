/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads beside a running guest: found by their names, placed, and only those that are meant. */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_host.h"
#include "sys/threads.h"

#define SCOPE "/machine.slice/machine-qemu-1-vm.scope"

/* A thread, where it may run, and the files that stand for what is set. */
#define THREAD(tid, name, cpus, group) \
	"proc/" tid "/comm = " name "\n" \
	"proc/" tid "/status = Name:\\t" name "\\nCpus_allowed_list:\\t" cpus "\\nx:\\t0\n" \
	"proc/" tid "/cgroup = 0::" group "\n" \
	"proc/" tid "/affinity = " cpus "\n" \
	"proc/" tid "/scheduler = other\n"
#define STAT(tid, name, flags)	       "proc/" tid "/stat = " tid " (" name ") S 2 0 0 0 -1 " flags " 0 0\n"
#define KERNEL(tid, name, cpus, group) THREAD(tid, name, cpus, group) STAT(tid, name, "2129984")
#define TASK(tid, name, cpus, group) \
	"proc/500/task/" tid "/comm = " name "\n" THREAD(tid, name, cpus, SCOPE "/libvirt/" group)

/* clang-format off */
static const char host[] =
	"run/libvirt/qemu/vm.pid = 500\n"
	"sys/fs/cgroup" SCOPE "/libvirt/emulator/cgroup.threads = 500\n"
	TASK("500", "qemu-system-x86", "0-1", "emulator")
	TASK("501", "CPU 0/KVM", "4", "vcpu0")
	TASK("502", "IO iothread1", "6", "iothread1")
	TASK("503", "worker", "4", "emulator")
	TASK("504", "worker", "6", "iothread1")
	TASK("505", "vhost-500", "0-7", "emulator")
	TASK("506", "kvm-nx-lpage-re", "4", "vcpu0")
	KERNEL("600", "kvm-pit/500", "0-7", "/")
	KERNEL("601", "kvm-pit/5000", "0-7", "/")
	KERNEL("602", "vhost-50", "0-7", "/")
	KERNEL("603", "kvm-nx-lpage-recovery-500", "0-7", "/")
	KERNEL("604", "kvm-nx-lpage-recovery-501", "0-7", "/")
	KERNEL("605", "kvm-nx-lpage-re", "0-7", SCOPE "/libvirt/vcpu0")
	KERNEL("606", "kthreadd) S 2", "0-7", "/")
	THREAD("607", "kvm-pit/500", "0-7", "/") STAT("607", "kvm-pit/500", "4194304")
	THREAD("608", "vhost-500", "0-7", "/")
	"proc/self/comm = test\n";
/* clang-format on */

/* The kernel: a thread can only have CPUs of its group. */
static int refuse(void *context, const char *path, const char *value)
{
	const struct fit_fsroot *root = context;
	fit_autofree char *moved =
		fit_fsroot_try_read(root, "sys/fs/cgroup" SCOPE "/libvirt/emulator/cgroup.threads");

	(void)value;
	return fit_streq(path, "proc/506/affinity") && !fit_streq(moved, "506") ? EINVAL : 0;
}

static struct fit_op *add_op(struct fit_hostops *ops, enum fit_thread_kind kind)
{
	struct fit_op *op = FIT_APPEND(ops->items, ops->count);

	op->kind = FIT_OP_THREADS;
	op->threads = kind;
	op->cpus = fit_test_cpus("0-1");
	op->avoid = fit_test_cpus("4-5");
	return op;
}

/* @file of the threads in @tids, and of no other, is @value. */
static void expect(
	const struct fit_fsroot *root, const char *tids, const char *file, const char *value)
{
	for (int tid = 500; tid < 609; tid++) {
		fit_autofree char *path = fit_xasprintf("proc/%d/%s", tid, file);
		fit_autofree char *number = fit_xasprintf("%d", tid);
		fit_autofree char *found = fit_fsroot_try_read(root, path);

		if (found && fit_streq(found, value) != (strstr(tids, number) != NULL))
			fail_msg("%s is %s", path, found);
	}
}

static void threads_that_are_meant_are_placed(void **unused)
{
	struct fit_fsroot root = fit_test_root(host);
	const struct fit_fs_observer kernel = {.before = refuse, .context = &root};
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_hostops ops = {0};
	struct fit_op *op;

	(void)unused;
	root.observer = &kernel;
	add_op(&ops, FIT_THREADS_KVM);
	op = add_op(&ops, FIT_THREADS_VHOST);
	op->scheduling.policy = fit_xstrdup("fifo");
	op->scheduling.priority = 2;
	add_op(&ops, FIT_THREADS_QEMU);
	fit_threads_place(&root, "vm", &ops, &notes);
	if (notes.count)
		fail_msg("%s", notes.items[0]);
	/* Where QEMU's own are allowed to be already they stay. */
	expect(&root, "500 503 505 506 600 603 605", "affinity", "0-1");
	expect(&root, "505", "scheduler", "fifo 2");
	fit_hostops_clear(&ops);
	root.observer = NULL;
	fit_test_root_remove(&root);
}

static void what_cannot_be_done_is_said(void **unused)
{
	struct fit_fsroot root = fit_test_root(host);
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_hostops ops = {0};

	(void)unused;
	assert_int_equal(fit_fsroot_remove(&root, "proc/600/affinity", NULL), 0);
	add_op(&ops, FIT_THREADS_KVM);
	fit_threads_place(&root, "vm", &ops, &notes);
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.items[0], "thread 600 (kvm-pit/500) stays as it is"));
	fit_threads_place(&root, "other", &ops, &notes);
	assert_int_equal(notes.count, 2);
	assert_non_null(strstr(notes.items[1], "/run/libvirt/qemu"));
	fit_hostops_clear(&ops);
	fit_test_root_remove(&root);
}

static void names_lead_nowhere_else(void **unused)
{
	struct fit_fsroot root = fit_test_root("run/secret.pid = 1\nrun/libvirt/qemu/a.pid = x\n"
					       "run/libvirt/qemu/b.pid = 0\n");

	(void)unused;
	assert_int_equal(fit_threads_qemu(&root, "../../secret"), 0);
	assert_int_equal(fit_threads_qemu(&root, "a"), 0);
	assert_int_equal(fit_threads_qemu(&root, "b"), 0);
	assert_int_equal(fit_threads_qemu(&root, ""), 0);
	fit_test_root_remove(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_are_meant_are_placed),
		cmocka_unit_test(what_cannot_be_done_is_said),
		cmocka_unit_test(names_lead_nowhere_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
