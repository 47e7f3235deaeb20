/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/threads.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"

#define PID_LIMIT   (1 << 22) /* PID_MAX_LIMIT of the kernel */
#define VHOST	    "vhost-"
#define PIT	    "kvm-pit/"
#define RECOVERY    "kvm-nx-lpage-re" /* where the kernel cuts names */
#define WHOLE_GROUP "0::"

void fit_threads_clear(struct fit_threads *threads)
{
	free(threads->items);
	*threads = (struct fit_threads){0};
}

static bool parse_pid(const char *text, pid_t *ret_pid)
{
	uint64_t number;

	if (!fit_parse_uint(text, PID_LIMIT, &number) || !number)
		return false;
	*ret_pid = (pid_t)number;
	return true;
}

pid_t fit_threads_qemu(const struct fit_fsroot *root, const char *domain)
{
	fit_autofree char *path = fit_xasprintf(FIT_PATH_QEMU_PIDS "/%s.pid", domain);
	fit_autofree char *text = strchr(domain, '/') ? NULL : fit_fsroot_try_read(root, path);
	pid_t pid;

	return text && parse_pid(text, &pid) ? pid : 0;
}

static char *read_of(const struct fit_fsroot *root, pid_t tid, const char *file)
{
	fit_autofree char *path = fit_xasprintf(FIT_PATH_PROC "/%d/%s", (int)tid, file);

	return fit_fsroot_try_read(root, path);
}

char *fit_threads_group(const struct fit_fsroot *root, pid_t tid)
{
	fit_autofree char *text = read_of(root, tid, "cgroup");
	fit_autostrlist struct fit_strlist lines = {0};

	if (text)
		fit_strlist_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.count; i++)
		if (fit_starts_with(lines.items[i], WHOLE_GROUP))
			return fit_xstrdup(lines.items[i] + strlen(WHOLE_GROUP));
	return NULL;
}

/* Without the last component. */
static char *parent_of(const char *group)
{
	const char *slash = strrchr(group, '/');

	return fit_xstrndup(group, slash ? (size_t)(slash - group) : 0);
}

/* Is it of this QEMU, when its name does not say so? The kernel puts it into a group of its. */
static bool is_beside(const struct fit_fsroot *root, pid_t tid, pid_t qemu)
{
	fit_autofree char *group = fit_threads_group(root, tid);
	fit_autofree char *qemus = fit_threads_group(root, qemu);
	fit_autofree char *parent = group ? parent_of(group) : NULL;
	fit_autofree char *qemus_parent = qemus ? parent_of(qemus) : NULL;

	return parent && *parent && fit_streq(parent, qemus_parent);
}

static bool has_number(const char *name, const char *prefix, pid_t qemu)
{
	pid_t pid;

	return fit_starts_with(name, prefix) && parse_pid(name + strlen(prefix), &pid) &&
	       pid == qemu;
}

#define PF_KTHREAD 0x00200000 /* linux/sched.h */

/* Everybody can give his process the name of such a thread; nobody this flag. */
static bool is_of_the_kernel(const struct fit_fsroot *root, pid_t tid)
{
	fit_autofree char *stat = read_of(root, tid, "stat");
	const char *rest = stat ? strrchr(stat, ')') : NULL;
	unsigned int flags;

	/* Behind the name: state, parent, group, session, terminal, its group, flags: proc(5). */
	return rest && sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       (flags & PF_KTHREAD);
}

/* Of a thread of the kernel. */
static bool is_kernel_thread_of(const struct fit_fsroot *root, pid_t tid, const char *name,
	pid_t qemu, enum fit_thread_kind kind)
{
	if (kind == FIT_THREADS_VHOST)
		return has_number(name, VHOST, qemu);
	if (has_number(name, PIT, qemu))
		return true;
	return fit_starts_with(name, RECOVERY) &&
	       (has_number(name, RECOVERY "covery-", qemu) || is_beside(root, tid, qemu));
}

/* Of a thread of QEMU. Those that libvirt pins are no business of ours. */
static bool is_of_kind(const char *name, enum fit_thread_kind kind)
{
	bool vhost = fit_starts_with(name, VHOST);
	bool kvm = fit_starts_with(name, RECOVERY);

	if (kind == FIT_THREADS_VHOST)
		return vhost;
	if (kind == FIT_THREADS_KVM)
		return kvm;
	return !vhost && !kvm && !fit_starts_with(name, "CPU ") &&
	       !fit_starts_with(name, "ALL CPUs") && !fit_starts_with(name, "IO ");
}

static void add(struct fit_threads *threads, pid_t tid, const char *name, enum fit_thread_kind kind)
{
	struct fit_thread *thread = FIT_APPEND(threads->items, threads->count);

	*thread = (struct fit_thread){.tid = tid, .kind = kind};
	snprintf(thread->name, sizeof(thread->name), "%s", name);
}

static void find_in_kernel(const struct fit_fsroot *root, pid_t qemu, enum fit_thread_kind kind,
	struct fit_threads *threads)
{
	fit_autostrlist struct fit_strlist names = {0};
	pid_t pid;

	if (fit_fsroot_list(root, FIT_PATH_PROC, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *name = NULL;

		if (!parse_pid(names.items[i], &pid) || pid == qemu)
			continue;
		name = read_of(root, pid, "comm");
		if (name && is_kernel_thread_of(root, pid, name, qemu, kind) &&
			is_of_the_kernel(root, pid))
			add(threads, pid, name, kind);
	}
}

void fit_threads_find(const struct fit_fsroot *root, pid_t qemu, enum fit_thread_kind kind,
	struct fit_threads *ret_threads)
{
	fit_autofree char *directory = fit_xasprintf(FIT_PATH_PROC "/%d/task", (int)qemu);
	fit_autostrlist struct fit_strlist names = {0};
	struct fit_threads threads = {0};
	pid_t tid;

	if (fit_fsroot_list(root, directory, &names, NULL) == 0) {
		for (size_t i = 0; i < names.count; i++) {
			fit_autofree char *name = NULL;

			if (!parse_pid(names.items[i], &tid))
				continue;
			name = read_of(root, tid, "comm");
			if (name && is_of_kind(name, kind))
				add(&threads, tid, name, kind);
		}
	}
	/* vhost threads are QEMU's since Linux 6.4. */
	if (kind == FIT_THREADS_KVM || (kind == FIT_THREADS_VHOST && !threads.count))
		find_in_kernel(root, qemu, kind, &threads);
	*ret_threads = threads;
}

/* Below another root than "/" a file stands for what the system calls set. 0 or an errno. */
static int set_in_file(
	const struct fit_fsroot *root, pid_t tid, const char *file, const char *value)
{
	fit_autofree char *path = fit_xasprintf(FIT_PATH_PROC "/%d/%s", (int)tid, file);
	struct fit_err problem = FIT_ERR_INIT;

	return fit_fsroot_write(root, path, value, &problem) < 0 ? problem.sys_errno : 0;
}

static int set_affinity(const struct fit_fsroot *root, pid_t tid, const struct fit_cpuset *cpus)
{
	fit_autofree char *list = fit_cpuset_format_list(cpus);
	cpu_set_t *set;
	size_t size = CPU_ALLOC_SIZE(FIT_CPUSET_MAX);
	int errnum;

	if (!root->real)
		return set_in_file(root, tid, "affinity", list);
	set = CPU_ALLOC(FIT_CPUSET_MAX);
	if (!set)
		abort();
	CPU_ZERO_S(size, set);
	fit_cpuset_for_each (cpu, cpus)
		CPU_SET_S((size_t)cpu, size, set);
	errnum = sched_setaffinity(tid, size, set) < 0 ? errno : 0;
	CPU_FREE(set);
	return errnum;
}

static int set_scheduler(
	const struct fit_fsroot *root, pid_t tid, const struct fit_scheduling *scheduling)
{
	struct sched_param param = {.sched_priority = (int)scheduling->priority};
	fit_autofree char *text = fit_xasprintf("%s %u", scheduling->policy, scheduling->priority);
	int policy = fit_streq(scheduling->policy, "rr") ? SCHED_RR : SCHED_FIFO;

	if (!root->real)
		return set_in_file(root, tid, "scheduler", text);
	return sched_setscheduler(tid, policy, &param) < 0 ? errno : 0;
}

/* A group of libvirt's for one vCPU has that vCPU's CPUs alone; the emulator's is beside it. */
static int move_to_emulator(const struct fit_fsroot *root, pid_t tid)
{
	fit_autofree char *group = fit_threads_group(root, tid);
	fit_autofree char *parent = group ? parent_of(group) : NULL;
	fit_autofree char *number = fit_xasprintf("%d", (int)tid);
	struct fit_err problem = FIT_ERR_INIT;
	fit_autofree char *path = NULL;

	if (!parent || !*parent)
		return EINVAL;
	path = fit_xasprintf(FIT_PATH_CGROUP "%s/emulator/cgroup.threads", parent);
	return fit_fsroot_write(root, path, number, &problem) < 0 ? problem.sys_errno : 0;
}

static struct fit_cpuset affinity_of(const struct fit_fsroot *root, pid_t tid)
{
	static const char field[] = "Cpus_allowed_list:";
	fit_autofree char *text = read_of(root, tid, "status");
	char *list = text ? strstr(text, field) : NULL;
	struct fit_cpuset cpus = {0};

	if (!list)
		return cpus;
	list += strlen(field);
	list[strcspn(list, "\n")] = '\0';
	if (fit_cpuset_parse_list(fit_trim(list), &cpus, NULL) < 0)
		cpus = (struct fit_cpuset){0};
	return cpus;
}

/* Threads of QEMU that are where libvirt wants them stay. */
static bool is_in_place(
	const struct fit_fsroot *root, const struct fit_thread *thread, const struct fit_op *op)
{
	struct fit_cpuset cpus = affinity_of(root, thread->tid);

	return thread->kind == FIT_THREADS_QEMU && !fit_cpuset_intersects(&cpus, &op->avoid);
}

static int place(
	const struct fit_fsroot *root, const struct fit_thread *thread, const struct fit_op *op)
{
	int errnum = 0;

	if (!fit_cpuset_is_empty(&op->cpus) && !is_in_place(root, thread, op)) {
		errnum = set_affinity(root, thread->tid, &op->cpus);
		if (errnum == EINVAL) {
			errnum = move_to_emulator(root, thread->tid);
			if (!errnum)
				errnum = set_affinity(root, thread->tid, &op->cpus);
		}
	}
	if (!errnum && op->scheduling.policy)
		errnum = set_scheduler(root, thread->tid, &op->scheduling);
	return errnum;
}

void fit_threads_place(const struct fit_fsroot *root, const char *domain,
	const struct fit_hostops *ops, struct fit_strlist *notes)
{
	pid_t qemu = 0;

	for (size_t i = 0; i < ops->count; i++) {
		const struct fit_op *op = &ops->items[i];
		struct fit_threads threads = {0};

		if (op->kind != FIT_OP_THREADS)
			continue;
		if (!qemu)
			qemu = fit_threads_qemu(root, domain);
		if (!qemu) {
			if (notes)
				fit_strlist_add(notes,
					"threads stay as they are: there is no file with the "
					"process id of QEMU in /" FIT_PATH_QEMU_PIDS);
			return;
		}
		fit_threads_find(root, qemu, op->threads, &threads);
		for (size_t j = 0; j < threads.count; j++) {
			const struct fit_thread *thread = &threads.items[j];
			int errnum = place(root, thread, op);

			/* ESRCH: it has ended meanwhile. */
			if (errnum && errnum != ESRCH && notes)
				fit_strlist_addf(notes, "thread %d (%s) stays as it is: %s",
					(int)thread->tid, thread->name, strerror(errnum));
		}
		fit_threads_clear(&threads);
	}
}
