/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_groups.h"

#include "support.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_host.h"

static const char *const above[] = {"", "/libvirt", "/libvirt/emulator"};
static const char *const files[] = {
	"cpuset.cpus", "cpuset.cpus.exclusive", "cpuset.cpus.partition"};

static char *scope_of(const char *name)
{
	return fit_xasprintf(MACHINE "/%s.scope", name);
}

static void make_group(
	const struct fixture *f, const char *scope, const char *group, const char *cpus)
{
	fit_autofree char *manifest = fit_xasprintf("%s%s/cpuset.cpus = %s\n"
						    "%s%s/cpuset.cpus.exclusive = \n"
						    "%s%s/cpuset.cpus.partition = member\n",
		scope, group, cpus, scope, group, scope, group);

	fit_test_kernel_set(&f->kernel, manifest);
}

void groups_make(const struct fixture *f, const char *name, unsigned int pid, const char *cpus)
{
	struct fit_cpuset set = fit_test_cpus(cpus);
	fit_autofree char *scope = scope_of(name);
	fit_autofree char *process = fit_xasprintf("run/libvirt/qemu/%s.pid = %u\n"
						   "proc/%u/cgroup = 0::%s/libvirt/emulator\n",
		name, pid, pid, scope + strlen(GROUPS));
	unsigned int vcpu = 0;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(above); i++)
		make_group(f, scope, above[i], i == 2 ? "0" : "");
	fit_cpuset_for_each (cpu, &set) {
		fit_autofree char *group = fit_xasprintf("/libvirt/vcpu%u", vcpu++);
		fit_autofree char *list = fit_xasprintf("%d", cpu);

		make_group(f, scope, group, list);
	}
	fit_test_kernel_set(&f->kernel, process);
}

static void remove_path(const struct fixture *f, const char *path, int flags)
{
	if (unlinkat(f->root.fd, path, flags) < 0)
		fail_msg("%s cannot be removed", path);
}

static void remove_group(const struct fixture *f, const char *scope, const char *group)
{
	fit_autofree char *directory = fit_xasprintf("%s%s", scope, group);

	for (size_t i = 0; i < FIT_ARRAY_SIZE(files); i++) {
		fit_autofree char *path = fit_xasprintf("%s/%s", directory, files[i]);

		remove_path(f, path, 0);
	}
	remove_path(f, directory, AT_REMOVEDIR);
}

void groups_remove(const struct fixture *f, const char *name, unsigned int pid, const char *cpus)
{
	struct fit_cpuset set = fit_test_cpus(cpus);
	fit_autofree char *scope = scope_of(name);
	fit_autofree char *pid_file = fit_xasprintf("run/libvirt/qemu/%s.pid", name);
	fit_autofree char *group_file = fit_xasprintf("proc/%u/cgroup", pid);
	fit_autofree char *process = fit_xasprintf("proc/%u", pid);

	for (unsigned int vcpu = 0; vcpu < fit_cpuset_count(&set); vcpu++) {
		fit_autofree char *group = fit_xasprintf("/libvirt/vcpu%u", vcpu);

		remove_group(f, scope, group);
	}
	for (size_t i = FIT_ARRAY_SIZE(above); i-- > 0;)
		remove_group(f, scope, above[i]);
	remove_path(f, pid_file, 0);
	remove_path(f, group_file, 0);
	remove_path(f, process, AT_REMOVEDIR);
}
