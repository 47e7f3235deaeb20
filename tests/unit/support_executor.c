/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_executor.h"

#include "support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_host.h"
#include "support_tree.h"
#include "sys/executor.h"

/* clang-format off */
static const char host[] =
	"proc/sys/kernel/random/boot_id = 11111111-2222-3333-4444-555555555555\n"
	"proc/meminfo = MemTotal: 16777216 kB\\nMemFree: 8388608 kB\\nHugepagesize: 2048 kB\n"
	CPU_DIR "/online = 0-7\n"
	"sys/devices/system/node/online = 0-1\n"
	POLICY(0) "/scaling_governor = powersave\n"
	POLICY(0) "/scaling_available_governors = performance powersave\n"
	POLICY(0) "/energy_performance_preference = balance_performance\n"
	POLICY(0) "/energy_performance_available_preferences = "
		"default performance balance_performance power\n"
	POLICY(2) "/scaling_governor = schedutil\n"
	POLICY(2) "/scaling_available_governors = performance schedutil\n"
	POLICY(2) "/energy_performance_preference = power\n"
	POLICY(2) "/energy_performance_available_preferences = performance power\n"
	CPU_DIR "/cpu2/cpufreq -> ../cpufreq/policy2\n"
	CPU_DIR "/cpu3/cpufreq -> ../cpufreq/policy2\n"
	CPU_DIR "/cpu4/cpufreq -> ../cpufreq/policy2\n"
	CPU_DIR "/cpu5/cpufreq -> ../cpufreq/policy0\n"
	CPU_DIR "/cpu2/power/pm_qos_resume_latency_us = 0\n"
	CPU_DIR "/cpu3/power/pm_qos_resume_latency_us = 100\n"
	CPU_DIR "/cpu4/power/pm_qos_resume_latency_us = 5\n"
	CPU_DIR "/cpu5/power/pm_qos_resume_latency_us = n/a\n"
	CPU_DIR "/cpu6/power/pm_qos_resume_latency_us = 0\n"
	CPU_DIR "/intel_pstate/no_turbo = 0\n"
	POOL(0) "/nr_hugepages = 512\n"
	POOL(0) "/free_hugepages = 100\n"
	POOL(0) "/surplus_hugepages = 0\n"
	POOL(1) "/nr_hugepages = 0\n"
	POOL(1) "/free_hugepages = 0\n"
	POOL(1) "/surplus_hugepages = 0\n"
	PF "/sriov_totalvfs = 8\n"
	PF "/sriov_numvfs = 0\n"
	PF "/sriov_offset = 128\n"
	PF "/sriov_stride = 2\n"
	PF "/sriov_drivers_autoprobe = 1\n"
	"sys/bus/pci/devices/0000:42:00.0 -> ../../../devices/pci0000:40/0000:40:02.0/0000:42:00.0\n"
	"sys/bus/pci/devices/0000:42:00.1 -> ../../../devices/pci0000:40/0000:40:02.0/0000:42:00.1\n"
	"sys/bus/pci/drivers_probe = \n"
	"sys/bus/pci/drivers/nvme/unbind = \n"
	"sys/bus/pci/drivers/vfio-pci/unbind = \n"
	FUNCTION(0) "/driver -> ../../../../bus/pci/drivers/nvme\n"
	FUNCTION(0) "/driver_override = (null)\n"
	FUNCTION(0) "/iommu_group -> ../../../../kernel/iommu_groups/7\n"
	FUNCTION(1) "/driver_override = nobody\n"
	FUNCTION(1) "/iommu_group -> ../../../../kernel/iommu_groups/8\n"
	"sys/kernel/iommu_groups/7/devices/0000:42:00.0 -> ../../../../devices/pci0000:40/0000:40:02.0/0000:42:00.0\n"
	"sys/kernel/iommu_groups/8/devices/0000:42:00.1 -> ../../../../devices/pci0000:40/0000:40:02.0/0000:42:00.1\n"
	"sys/devices/pci0000:40/0000:40:02.0/0000:42:00.0/power/control = auto\n"
	"sys/devices/pci0000:40/0000:40:02.0/0000:42:00.0/link/l1_aspm = 1\n"
	"sys/devices/pci0000:40/0000:40:02.0/0000:42:00.0/link/l1_1_aspm = 1\n"
	"sys/devices/pci0000:40/0000:40:02.0/0000:42:00.0/link/l1_2_aspm = 0\n"
	"sys/devices/pci0000:40/0000:40:02.0/0000:42:00.1/power/control = on\n"
	"sys/devices/pci0000:40/0000:40:02.0/0000:42:00.1/link/l1_aspm = 1\n"
	"sys/devices/pci0000:40/0000:40:02.0/0000:42:00.1/link/l1_1_aspm = 1\n"
	"sys/devices/pci0000:40/0000:40:02.0/0000:42:00.1/link/l1_2_aspm = 0\n"
	"sys/kernel/mm/transparent_hugepage/enabled = always [madvise] never\n"
	"sys/kernel/mm/transparent_hugepage/defrag = always defer defer+madvise [madvise] never\n"
	"sys/kernel/mm/ksm/run = 1\n"
	"sys/kernel/mm/ksm/pages_to_scan = 100\n"
	"sys/module/kvm/parameters/halt_poll_ns = 200000\n"
	"sys/devices/virtual/workqueue/cpumask = 9f\n"
	"sys/devices/virtual/workqueue/cpumask_requested = ff\n"
	"proc/sys/kernel/numa_balancing = 1\n"
	"proc/sys/kernel/timer_migration = 1\n"
	"proc/sys/kernel/sched_rt_runtime_us = 950000\n"
	"proc/sys/kernel/watchdog_cpumask = 0-7\n"
	"proc/sys/vm/stat_interval = 1\n"
	"proc/sys/vm/compaction_proactiveness = 20\n"
	"proc/sys/vm/lowmem_reserve_ratio = 256\\t256\\t32\n"
	"proc/irq/9/smp_affinity_list = 0-7\n"
	"proc/irq/24/smp_affinity_list = 2\n"
	"proc/irq/25/smp_affinity_list = 4-5\n"
	"proc/irq/26/smp_affinity_list = 0\n"
	"proc/irq/default_smp_affinity = ff\n"
	PF "/net/enp65s0f0/ifindex = 4\n"
	PF "/net/enp65s0f0/flags = 0x1002\n"
	PF "/ethtool/combined-channels = 8\n"
	PF "/ethtool/rx-usecs = 3\n"
	PF "/ethtool/features/rx-gro = on\n"
	PF "/sriov/0/trust = off\n"
	PF "/sriov/1/trust = off\n"
	"run/systemd/system/\n"
	"run/systemd/system.control/\n"
	"run/systemd/transient/\n"
	"sys/devices/system/cpu/possible = 0-7\n"
	"sys/fs/cgroup/cgroup.controllers = cpuset cpu io memory\n"
	"sys/fs/cgroup/cgroup.subtree_control = cpuset cpu io memory\n"
	"sys/fs/cgroup/system.slice/cgroup.procs = 812\n"
	"sys/fs/cgroup/system.slice/cpuset.cpus = 0-7\n"
	"sys/fs/cgroup/user.slice/cgroup.procs = 934\n"
	"sys/fs/cgroup/user.slice/cpuset.cpus = 0-7\n"
	"sys/fs/cgroup/init.scope/cgroup.procs = 1\n"
	"sys/fs/cgroup/init.scope/cpuset.cpus = 0-7\n"
	"sys/fs/cgroup/machine.slice/cgroup.procs = \n"
	"sys/fs/cgroup/machine.slice/cpuset.cpus = \n";
/* clang-format on */

struct fit_pciaddr device(const char *text)
{
	struct fit_pciaddr addr = {0};

	assert_true(fit_pciaddr_parse(text, &addr));
	return addr;
}

/* Directories for the settings of units say nothing without them. */
static bool is_empty_drop_in(const char *line)
{
	return fit_starts_with(line, "run/systemd/") && line[strlen(line) - 1] == '/';
}

char *dump(const struct fixture *f)
{
	fit_autofree char *all = fit_test_tree_dump(&f->root);
	fit_autostrlist struct fit_strlist lines = {0};
	struct fit_buffer kept = {0};

	fit_strlist_split(&lines, all, "\n");
	for (size_t i = 0; i < lines.count; i++)
		if (!fit_starts_with(lines.items[i], "run/virt-fit/") &&
			!is_empty_drop_in(lines.items[i]))
			fit_buffer_addf(&kept, "%s\n", lines.items[i]);
	return fit_buffer_steal(&kept);
}

void setup(struct fixture *f)
{
	/* State lives in memory on a real host; thousands of renames are slow on a disk. */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TEST_DIR", "/dev/shm", 1);
	*f = (struct fixture){.root = fit_test_root(host)};
	f->before = dump(f);
	fit_test_kernel_boot(&f->kernel, &f->root);
}

void teardown(struct fixture *f)
{
	fit_test_kernel_halt(&f->kernel, &f->root);
	fit_test_root_remove(&f->root);
	free(f->before);
}

void has_value(const struct fixture *f, const char *path, const char *value)
{
	fit_autofree char *found = fit_fsroot_try_read(&f->root, path);

	if (!fit_streq(found, value))
		fail_msg("%s: '%s' wanted, '%s' found", path, value, found ? found : "(none)");
}

void expect_as_before(const struct fixture *f)
{
	fit_autofree char *now = dump(f);
	fit_autostrlist struct fit_strlist journals = {0};

	assert_string_equal(now, f->before);
	assert_int_equal(fit_fsroot_list(&f->root, "run/virt-fit/domains", &journals, NULL), 0);
	assert_int_equal(journals.count, 0);
	assert_false(fit_fsroot_exists(&f->root, "run/virt-fit/ledger"));
}

void open_state(const struct fixture *f, struct fit_state *state)
{
	struct fit_err err = FIT_ERR_INIT;

	if (fit_irqbalance_open_state(&f->root, true, 5000, 5000, state, &err) < 0)
		fail_msg("%s", err.message);
}

struct fit_op *add_op(
	struct fit_hostops *ops, enum fit_op_kind kind, enum fit_phase apply, enum fit_phase undo)
{
	struct fit_op *op = FIT_APPEND(ops->items, ops->count);

	op->kind = kind;
	op->apply = apply;
	op->undo = undo;
	return op;
}

struct fit_op *add_setting_op(struct fit_hostops *ops, enum fit_host_setting_id id,
	const char *value, const char *cpus, const char *pci_device)
{
	struct fit_op *op =
		add_op(ops, FIT_OP_SETTING, fit_host_settings[id].phase, FIT_PHASE_STOPPED);

	op->setting = id;
	op->value = fit_xstrdup(value);
	op->cpus = fit_test_cpus(cpus);
	if (pci_device)
		*FIT_APPEND(op->devices, op->device_count) = device(pci_device);
	return op;
}

/* Of every setting that the host has, a value that is not there. */
static const char *setting_value(unsigned int id)
{
	static const char *const values[FIT_SETTING_COUNT] = {
		[FIT_SETTING_ENERGY_PREFERENCE] = "performance",
		[FIT_SETTING_GOVERNOR] = "performance",
		[FIT_SETTING_WAKEUP_LATENCY] = "10us",
		[FIT_SETTING_TURBO] = "off",
		[FIT_SETTING_DEVICE_POWER] = "on",
		[FIT_SETTING_ASPM] = "off",
		[FIT_SETTING_TRANSPARENT_HUGEPAGES] = "never",
		[FIT_SETTING_TRANSPARENT_HUGEPAGES_DEFRAG] = "defer+madvise",
		[FIT_SETTING_KSM] = "unmerge",
		[FIT_SETTING_NUMA_BALANCING] = "off",
		[FIT_SETTING_COMPACTION] = "0",
		[FIT_SETTING_STAT_INTERVAL] = "10s",
		[FIT_SETTING_TIMER_MIGRATION] = "off",
		[FIT_SETTING_RT_RUNTIME] = "unlimited",
		[FIT_SETTING_HALT_POLL] = "50us",
		[FIT_SETTING_WORKQUEUES] = "elsewhere",
		[FIT_SETTING_LOCKUP_WATCHDOG] = "elsewhere",
		[FIT_SETTING_NEW_INTERRUPTS] = "elsewhere",
	};

	return values[id];
}

static void add_ethtool_op(
	struct fit_hostops *ops, const char *vf, const char *setting, const char *value)
{
	struct fit_op *op = add_op(ops, FIT_OP_ETHTOOL, FIT_PHASE_START, FIT_PHASE_RELEASE);

	op->path = fit_xstrdup(setting);
	op->value = fit_xstrdup(value);
	*FIT_APPEND(op->devices, op->device_count) = device(vf);
}

void make_ops(struct fit_hostops *ops, const struct guest *guest)
{
	struct fit_op *op = add_op(ops, FIT_OP_PF_UP, FIT_PHASE_PREPARE, FIT_PHASE_RELEASE);

	op->device = device(guest->vf);
	op = add_op(ops, FIT_OP_VF, FIT_PHASE_PREPARE, FIT_PHASE_RELEASE);

	op->device = device(guest->vf);
	op = add_op(ops, FIT_OP_DRIVER, FIT_PHASE_PREPARE, FIT_PHASE_RELEASE);
	op->value = fit_xstrdup("vfio-pci");
	*FIT_APPEND(op->devices, op->device_count) = device(guest->device);
	op = add_op(ops, FIT_OP_PAGES, FIT_PHASE_PREPARE, FIT_PHASE_STOPPED);
	fit_cpuset_add(&op->nodes, guest->node);
	op->page_kib = 2048;
	op->pages = 1024;
	for (unsigned int id = 0; id < FIT_SETTING_COUNT; id++)
		if (setting_value(id))
			add_setting_op(ops, (enum fit_host_setting_id)id, setting_value(id),
				guest->cpus, guest->device);
	add_ethtool_op(ops, guest->vf, "combined-channels", "1");
	add_ethtool_op(ops, guest->vf, "rx-usecs", "0");
	add_ethtool_op(ops, guest->vf, "features/rx-gro", "off");
	op = add_op(ops, FIT_OP_VF_ATTRIBUTE, FIT_PHASE_START, FIT_PHASE_RELEASE);
	op->device = device(guest->vf);
	op->path = fit_xstrdup("trust");
	op->value = fit_xstrdup("on");
	op = add_op(ops, FIT_OP_ISOLATE, FIT_PHASE_START, FIT_PHASE_STOPPED);
	op->cpus = fit_test_cpus(guest->cpus);
	op = add_op(ops, FIT_OP_IRQS_ELSEWHERE, FIT_PHASE_STARTED, FIT_PHASE_STOPPED);
	op->cpus = fit_test_cpus(guest->cpus);
	ops->exclusive_cpus = fit_test_cpus(guest->cpus);
}

const struct guest guest_a = {A, 0, "0000:41:10.0", "2-3", "0000:42:00.0"};
const struct guest guest_b = {B, 0, "0000:41:10.2", "4-5", "0000:42:00.1"};

int hook_call(struct fixture *f, const struct guest *guest, int phase, struct fit_err *err)
{
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fit_journal *journal;
	int result = -1;

	make_ops(&ops, guest);
	if (fit_irqbalance_open_state(&f->root, true, 5000, 5000, &state, err) < 0)
		goto out;
	if (phase >= 3) {
		result = fit_executor_undo(&state, guest->uuid,
			phase == 3 ? FIT_PHASE_STOPPED : FIT_PHASE_RELEASE, NULL, err);
	} else {
		journal = fit_state_journal(&state, guest->uuid);
		if (!journal)
			journal = fit_state_add_journal(
				&state, guest->uuid, "guest", FIT_STAGE_PREPARED);
		if (phase == 0) {
			journal->exclusive_cpus = ops.exclusive_cpus;
			*FIT_APPEND(journal->devices, journal->device_count) = device(guest->vf);
		}
		if (phase == 2)
			journal->stage = FIT_STAGE_STARTED;
		result = fit_state_save_journal(&state, journal, err);
		if (result == 0)
			result = fit_executor_apply(
				&state, journal, &ops, (enum fit_phase)phase, NULL, err);
	}
	fit_state_close(&state);
out:
	fit_hostops_clear(&ops);
	return result;
}

void call(struct fixture *f, const struct guest *guest, int phase)
{
	struct fit_err err = FIT_ERR_INIT;

	if (hook_call(f, guest, phase, &err) < 0)
		fail_msg("phase %d: %s", phase, err.message);
}

void without_systemd(struct fixture *f)
{
	static const char *const groups[] = {"system.slice", "user.slice", "machine.slice"};
	static const char *const scope[] = {"sys/fs/cgroup/init.scope/cpuset.cpus",
		"sys/fs/cgroup/init.scope/cgroup.procs", "sys/fs/cgroup/init.scope"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(groups); i++) {
		fit_autofree char *path = fit_xasprintf("sys/fs/cgroup/%s/cpuset.cpus", groups[i]);

		assert_int_equal(unlinkat(f->root.fd, path, 0), 0);
	}
	fit_fsroot_remove_empty_directory(&f->root, "run/systemd/system");
	for (size_t i = 0; i < FIT_ARRAY_SIZE(scope); i++)
		assert_int_equal(unlinkat(f->root.fd, scope[i], i == 2 ? AT_REMOVEDIR : 0), 0);
	fit_test_kernel_set(&f->kernel, "sys/fs/cgroup/cgroup.subtree_control = cpu io memory\n");
	free(f->before);
	f->before = dump(f);
}

void run_up(struct fixture *f, const struct guest *guest)
{
	for (int phase = 0; phase < 3; phase++)
		call(f, guest, phase);
}

void run_down(struct fixture *f, const struct guest *guest)
{
	call(f, guest, 3);
	call(f, guest, 4);
}

void refused(struct fixture *f, const struct guest *guest, int phase, const char *part)
{
	struct fit_err err = FIT_ERR_INIT;

	assert_int_equal(hook_call(f, guest, phase, &err), -1);
	if (!strstr(err.message, part))
		fail_msg("'%s' does not say '%s'", err.message, part);
}

int prepare_new(struct fit_state *state, const char *uuid, const struct fit_hostops *ops,
	struct fit_err *err)
{
	return fit_executor_apply(state,
		fit_state_add_journal(state, uuid, "guest", FIT_STAGE_PREPARED), ops,
		FIT_PHASE_PREPARE, NULL, err);
}

int run_with_fault(struct fixture *f, enum fit_test_fault fault, unsigned int at,
	int (*work)(struct fixture *f, const void *context), const void *context)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		f->kernel.fault = fault;
		f->kernel.fault_at = at;
		f->kernel.changes = 0;
		_exit(work(f, context));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}
