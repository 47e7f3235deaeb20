/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_kernel.h"

#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/pciaddr.h"
#include "support_host.h"

#define ALLOWED_CPUS "/50-AllowedCPUs.conf"

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) && fit_streq(text + length - strlen(end), end);
}

static char *beside(const char *path, const char *name)
{
	return fit_xasprintf("%.*s/%s", (int)(strrchr(path, '/') - path), path, name);
}

static uint64_t number_in(const struct fit_fsroot *root, const char *path)
{
	int64_t value;

	return fit_fsroot_try_read_int(root, path, &value) ? (uint64_t)value : 0;
}

/* The root for the kernel's own writes, which are not observed. */
static struct fit_fsroot unobserved(const struct fit_test_kernel *kernel)
{
	struct fit_fsroot root = *kernel->root;

	root.observer = NULL;
	return root;
}

void fit_test_kernel_set(const struct fit_test_kernel *kernel, const char *manifest)
{
	struct fit_fsroot root = unobserved(kernel);

	fit_test_root_add(&root, manifest);
}

void fit_test_kernel_write(
	const struct fit_test_kernel *kernel, const char *path, const char *value)
{
	struct fit_fsroot root = unobserved(kernel);

	assert_int_equal(fit_fsroot_write(&root, path, value, NULL), 0);
}

static void set_number(const struct fit_test_kernel *kernel, const char *path, uint64_t value)
{
	fit_autofree char *text = fit_xasprintf("%llu", (unsigned long long)value);

	fit_test_kernel_write(kernel, path, text);
}

static int refuse_vfs(struct fit_test_kernel *kernel, const char *path, uint64_t wanted)
{
	fit_autofree char *total = beside(path, "sriov_totalvfs");

	if (wanted > number_in(kernel->root, total))
		return ERANGE;
	return kernel->old_number && wanted && wanted != kernel->old_number ? EBUSY : 0;
}

static int refuse_affinity(struct fit_test_kernel *kernel, const char *path, const char *value)
{
	struct fit_cpuset cpus, online;
	fit_autofree char *text =
		fit_fsroot_try_read(kernel->root, "sys/devices/system/cpu/online");
	const char *number = path + strlen("proc/irq/");
	uint64_t irq;

	assert_true(fit_scan_uint(&number, UINT32_MAX, &irq));
	assert_int_equal(fit_cpuset_parse_list(text, &online, NULL), 0);
	if (fit_cpuset_contains(&kernel->managed, (unsigned int)irq))
		return EPERM;
	return fit_cpuset_parse_list(value, &cpus, NULL) < 0 ||
			       !fit_cpuset_intersects(&cpus, &online)
		       ? EINVAL
		       : 0;
}

/* One of the words of the file beside it. */
static int refuse_word(
	const struct fit_test_kernel *kernel, const char *path, const char *list, const char *word)
{
	fit_autofree char *available = beside(path, list);
	fit_autofree char *text = fit_fsroot_try_read(kernel->root, available);
	fit_autostrlist struct fit_strlist words = {0};

	fit_strlist_split(&words, text, " ");
	return fit_strlist_contains(&words, word) ? 0 : EINVAL;
}

/* As intel_pstate. */
static int refuse_preference(
	const struct fit_test_kernel *kernel, const char *path, const char *word)
{
	fit_autofree char *governor = beside(path, "scaling_governor");
	fit_autofree char *text = fit_fsroot_try_read(kernel->root, governor);

	if (fit_streq(text, "performance") && !fit_streq(word, "performance"))
		return EBUSY;
	return refuse_word(kernel, path, "energy_performance_available_preferences", word);
}

static bool is_choice(const char *path)
{
	return strstr(path, "/transparent_hugepage/");
}

static bool is_mask(const char *path)
{
	return fit_streq(path, "proc/irq/default_smp_affinity") ||
	       fit_streq(path, "sys/devices/virtual/workqueue/cpumask");
}

/* The line of a choice with other brackets; NULL when @word is not in it. */
static char *choose(const struct fit_test_kernel *kernel, const char *path, const char *word)
{
	fit_autofree char *text = fit_fsroot_try_read(kernel->root, path);
	fit_autostrlist struct fit_strlist words = {0};
	fit_autostrlist struct fit_strlist shown = {0};

	fit_strlist_split(&words, text, " []");
	for (size_t i = 0; i < words.count; i++)
		fit_strlist_addf(
			&shown, fit_streq(words.items[i], word) ? "[%s]" : "%s", words.items[i]);
	return fit_strlist_contains(&words, word) ? fit_strlist_join(&shown, " ") : NULL;
}

static int refuse_choice(struct fit_test_kernel *kernel, const char *path, const char *word)
{
	free(kernel->choice);
	kernel->choice = choose(kernel, path, word);
	return kernel->choice ? 0 : EINVAL;
}

static int refuse_mask(const char *value)
{
	struct fit_cpuset cpus;

	if (strchr(value, ','))
		return EOVERFLOW;
	return fit_cpuset_parse_mask(value, &cpus, NULL) < 0 || fit_cpuset_is_empty(&cpus) ? EINVAL
											   : 0;
}

/* The kernel, of groups, and systemd, of units. */
static int refuse_group(struct fit_test_kernel *kernel, const char *path, const char *value)
{
	fit_autofree char *procs = beside(path, "cgroup.procs");
	fit_autofree char *members = fit_fsroot_try_read(kernel->root, procs);
	struct fit_cpuset cpus;

	if (ends_with(path, "/cpuset.cpus.partition"))
		return fit_streq(value, "isolated") || fit_streq(value, "member") ? 0 : EINVAL;
	if (ends_with(path, "/cpuset.cpus.exclusive"))
		return *value && fit_cpuset_parse_list(value, &cpus, NULL) < 0 ? EINVAL : 0;
	if (ends_with(path, "/cgroup.subtree_control"))
		return fit_streq(value, "-cpuset") && kernel->cpuset_in_use ? EBUSY : 0;
	if (ends_with(path, "/cpuset.cpus") && !*value)
		return members ? ENOSPC : 0;
	return ends_with(path, "/cpuset.cpus") && fit_cpuset_parse_list(value, &cpus, NULL) < 0
		       ? EINVAL
		       : 0;
}

/* With VFs the card has 2 channels, without 8. */
static unsigned int most_channels(const struct fit_test_kernel *kernel, const char *path)
{
	fit_autofree char *pf = fit_xstrndup(path, strstr(path, "/ethtool/") - path);
	fit_autofree char *numvfs = fit_xasprintf("%s/sriov_numvfs", pf);

	return number_in(kernel->root, numvfs) && !kernel->channels_stay ? 2 : 8;
}

static int refuse_channels(
	const struct fit_test_kernel *kernel, const char *path, const char *value)
{
	uint64_t number;

	if (kernel->channels_wait)
		return EBUSY;
	return fit_parse_uint(value, most_channels(kernel, path), &number) && number ? 0 : EINVAL;
}

static char *device_of(const char *address, const char *file)
{
	return fit_xasprintf("sys/bus/pci/devices/%s/%s", address, file);
}

/* The driver of a device, or "". To be freed. */
static char *driver_of(const struct fit_test_kernel *kernel, const char *address)
{
	fit_autofree char *link = device_of(address, "driver");
	char *driver = fit_fsroot_link_name(kernel->root, link);

	return driver ? driver : fit_xstrdup("");
}

/* Of the driver's files those that are named by an address. */
static int refuse_driver(
	const struct fit_test_kernel *kernel, const char *path, const char *address)
{
	fit_autofree char *driver = driver_of(kernel, address);
	fit_autofree char *unbind = fit_xasprintf("sys/bus/pci/drivers/%s/unbind", driver);

	return ends_with(path, "/unbind") && !fit_streq(path, unbind) ? ENODEV : 0;
}

static int refuse(struct fit_test_kernel *kernel, const char *path, const char *value)
{
	uint64_t number = 0;

	if (strstr(path, "cgroup") || ends_with(path, ALLOWED_CPUS))
		return refuse_group(kernel, path, value);
	if (ends_with(path, "/unbind") || ends_with(path, "/drivers_probe"))
		return refuse_driver(kernel, path, value);
	if (ends_with(path, "/driver_override"))
		return 0;
	/* Programs, and what is no file of the kernel's, are told any text. */
	if (fit_starts_with(path, "run/irqbalance/"))
		return 0;
	if (strstr(path, "/sriov/"))
		return kernel->vf_refusals ? (kernel->vf_refusals--, kernel->vf_errno) : 0;
	if (strstr(path, "/ethtool/features/"))
		return fit_streq(value, "on") || fit_streq(value, "off") ? 0 : EINVAL;
	if (strstr(path, "/ethtool/") && kernel->ethtool_errno)
		return kernel->ethtool_errno;
	if (ends_with(path, "-channels"))
		return refuse_channels(kernel, path, value);
	if (ends_with(path, "/flags"))
		return fit_starts_with(value, "0x") ? 0 : EINVAL;

	if (ends_with(path, "/smp_affinity_list"))
		return refuse_affinity(kernel, path, value);
	if (ends_with(path, "/scaling_governor"))
		return refuse_word(kernel, path, "scaling_available_governors", value);
	if (ends_with(path, "/energy_performance_preference"))
		return refuse_preference(kernel, path, value);
	if (is_choice(path))
		return refuse_choice(kernel, path, value);
	if (is_mask(path))
		return refuse_mask(value);
	if (ends_with(path, "/power/control"))
		return fit_streq(value, "on") || fit_streq(value, "auto") ? 0 : EINVAL;
	if (ends_with(path, "/watchdog_cpumask") || ends_with(path, "/lowmem_reserve_ratio"))
		return 0;
	if (fit_streq(value, "n/a") && ends_with(path, "/pm_qos_resume_latency_us"))
		return 0;
	if (fit_streq(value, "-1") && ends_with(path, "/sched_rt_runtime_us"))
		return 0;
	if (!fit_parse_uint(value, UINT32_MAX, &number))
		return EINVAL;
	kernel->old_number = number_in(kernel->root, path);
	if (ends_with(path, "/sriov_numvfs"))
		return refuse_vfs(kernel, path, number);
	if (ends_with(path, "/nr_hugepages")) {
		fit_autofree char *unused = beside(path, "free_hugepages");

		kernel->in_use = kernel->old_number - number_in(kernel->root, unused);
	}
	return 0;
}

static void remove_directory(const struct fit_fsroot *root, const char *path)
{
	assert_int_equal(unlinkat(root->fd, path, AT_REMOVEDIR), 0);
}

static void change_vfs(struct fit_test_kernel *kernel, const char *path, uint64_t wanted)
{
	const struct fit_fsroot *root = kernel->root;
	fit_autofree char *pf_directory = fit_xstrndup(path, strrchr(path, '/') - path);
	fit_autofree char *offset = beside(path, "sriov_offset");
	fit_autofree char *stride = beside(path, "sriov_stride");
	fit_autofree char *channels = beside(path, "ethtool/combined-channels");
	struct fit_pciaddr pf;

	assert_true(fit_pciaddr_parse(strrchr(pf_directory, '/') + 1, &pf));
	if (wanted == kernel->old_number || kernel->vfs_stay_away)
		return;
	kernel->channels_wait &= wanted > 0;
	if (fit_fsroot_exists(root, channels) && !kernel->channels_stay)
		set_number(kernel, channels, wanted ? 2 : 8);
	for (unsigned int i = 0; i < wanted + kernel->old_number; i++) {
		struct fit_pciaddr vf = fit_pciaddr_vf(pf, (unsigned int)number_in(root, offset),
			(unsigned int)number_in(root, stride), i);
		const char *name = FIT_PCIADDR_STR(vf);
		fit_autofree char *link = fit_xasprintf("%s/virtfn%u", pf_directory, i);
		fit_autofree char *directory = fit_xasprintf("sys/bus/pci/devices/%s", name);
		fit_autofree char *physfn = fit_xasprintf("%s/physfn", directory);
		fit_autofree char *manifest = fit_xasprintf("%s -> ../%s\n%s -> ../%s\n", link,
			name, physfn, strrchr(pf_directory, '/') + 1);

		if (wanted) {
			fit_test_kernel_set(kernel, manifest);
			continue;
		}
		unlinkat(root->fd, link, 0);
		unlinkat(root->fd, physfn, 0);
		remove_directory(root, directory);
	}
}

static void change_pages(struct fit_test_kernel *kernel, const char *path, uint64_t wanted)
{
	fit_autofree char *unused = beside(path, "free_hugepages");
	fit_autofree char *surplus = beside(path, "surplus_hugepages");
	uint64_t total = wanted;

	usleep(kernel->page_delay_ms * 1000);
	if (kernel->page_limit && total > kernel->page_limit)
		total = kernel->old_number > kernel->page_limit ? kernel->old_number
								: kernel->page_limit;
	if (total < kernel->in_use)
		total = kernel->in_use;
	set_number(kernel, path, total);
	set_number(kernel, unused, total - kernel->in_use);
	set_number(kernel, surplus, total > wanted ? total - wanted : 0);
}

/* Substates of L1 do not go without it. All functions of the card show one link. */
static void change_link(struct fit_test_kernel *kernel, const char *path, const char *value)
{
	const char *link = strstr(path, "/0000:42:00.") + strlen("/0000:42:00.0/");

	for (int function = 0; function < 2; function++) {
		fit_autofree char *card =
			fit_xasprintf("sys/bus/pci/devices/0000:42:00.%d", function);
		fit_autofree char *same = fit_xasprintf("%s/%s", card, link);
		fit_autofree char *l1 = fit_xasprintf("%s/link/l1_aspm", card);
		fit_autofree char *l1_1 = fit_xasprintf("%s/link/l1_1_aspm", card);

		fit_test_kernel_write(kernel, same, value);
		if (fit_streq(same, l1) && fit_streq(value, "0"))
			fit_test_kernel_write(kernel, l1_1, "0");
		if (fit_streq(same, l1_1) && fit_streq(value, "1"))
			fit_test_kernel_write(kernel, l1, "1");
	}
}

/* Two digits for eight CPUs. Work queues run where they were asked to, which is kept beside, but
 * not on CPUs that a cpuset has isolated: 5 and 6 here. */
static void change_mask(struct fit_test_kernel *kernel, const char *path, const char *value)
{
	fit_autofree char *requested = beside(path, "cpumask_requested");
	fit_autofree char *text = NULL;
	struct fit_cpuset cpus;

	assert_int_equal(fit_cpuset_parse_mask(value, &cpus, NULL), 0);
	if (ends_with(path, "/workqueue/cpumask")) {
		text = fit_xasprintf("%02x", (unsigned int)cpus.words[0]);
		fit_test_kernel_write(kernel, requested, text);
		free(text);
		cpus.words[0] &= ~0x60UL;
	}
	text = fit_xasprintf("%02x", (unsigned int)cpus.words[0]);
	fit_test_kernel_write(kernel, path, text);
}

/* systemd never writes the CPUs of a unit that has none set any more. */
static void change_unit(struct fit_test_kernel *kernel, const char *path, const char *value)
{
	const char *list = value ? strstr(value, "AllowedCPUs=") : NULL;
	fit_autofree char *unit = fit_xstrndup(path, strlen(path) - strlen(".d" ALLOWED_CPUS));
	fit_autofree char *group =
		fit_xasprintf("sys/fs/cgroup/%s/cpuset.cpus", strrchr(unit, '/') + 1);
	fit_autofree char *cpus = list ? fit_xstrdup(list + strlen("AllowedCPUs=")) : NULL;

	if (!cpus || !*fit_trim(cpus) || kernel->systemd_is_deaf)
		return;
	fit_test_kernel_write(kernel, group, fit_trim(cpus));
}

static struct fit_cpuset cpus_in(const struct fit_test_kernel *kernel, const char *path)
{
	fit_autofree char *text = fit_fsroot_try_read(kernel->root, path);
	struct fit_cpuset cpus = {0};

	if (text)
		assert_int_equal(fit_cpuset_parse_list(text, &cpus, NULL), 0);
	return cpus;
}

/* A partition has CPUs that all groups above it have for it, and no group beside these. */
static bool is_valid_partition(const struct fit_test_kernel *kernel, const char *path)
{
	static const char *const beside[] = {"system.slice", "user.slice", "init.scope"};
	fit_autofree char *group = fit_xstrndup(path, strrchr(path, '/') - path);
	fit_autofree char *own = fit_xasprintf("%s/cpuset.cpus.exclusive", group);
	struct fit_cpuset cpus = cpus_in(kernel, own);

	if (fit_cpuset_is_empty(&cpus))
		return false;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(beside); i++) {
		fit_autofree char *theirs =
			fit_xasprintf("sys/fs/cgroup/%s/cpuset.cpus", beside[i]);
		struct fit_cpuset others = cpus_in(kernel, theirs);

		if (fit_cpuset_intersects(&others, &cpus))
			return false;
	}
	while (*strrchr(group, '/') = '\0', !ends_with(group, "/cgroup")) {
		fit_autofree char *above = fit_xasprintf("%s/cpuset.cpus.exclusive", group);
		struct fit_cpuset all = cpus_in(kernel, above);

		if (!fit_cpuset_is_subset(&cpus, &all))
			return false;
	}
	return true;
}

static void change_controllers(struct fit_test_kernel *kernel, const char *value)
{
	static const char *const groups[] = {"system.slice", "user.slice", "machine.slice"};
	bool enable = fit_streq(value, "+cpuset");

	fit_test_kernel_write(kernel, "sys/fs/cgroup/cgroup.subtree_control",
		enable ? "cpuset cpu io memory" : "cpu io memory");
	for (size_t i = 0; i < FIT_ARRAY_SIZE(groups); i++) {
		fit_autofree char *path = fit_xasprintf("sys/fs/cgroup/%s/cpuset.cpus", groups[i]);
		fit_autofree char *manifest = fit_xasprintf("%s = \n", path);

		if (enable)
			fit_test_kernel_set(kernel, manifest);
		else
			unlinkat(kernel->root->fd, path, 0);
	}
}

/* The file itself cannot be read. */
static void compact(struct fit_test_kernel *kernel, const char *path)
{
	fit_test_kernel_write(kernel, path, "");
	if (kernel->compactable)
		kernel->page_limit = 0;
}

/* The files of drivers cannot be read. Without driver_override "nvme" takes what there is. */
static void change_driver(const struct fit_test_kernel *kernel, const char *path, const char *value)
{
	fit_autofree char *link = device_of(value, "driver");
	fit_autofree char *override_path = device_of(value, "driver_override");
	fit_autofree char *override = NULL;
	fit_autofree char *manifest = NULL;
	fit_autofree char *driver = NULL;

	if (ends_with(path, "/driver_override")) {
		if (!*value)
			fit_test_kernel_write(kernel, path, "(null)");
		return;
	}
	fit_test_kernel_write(kernel, path, "");
	if (ends_with(path, "/unbind")) {
		assert_int_equal(unlinkat(kernel->root->fd, link, 0), 0);
		return;
	}
	override = fit_fsroot_try_read(kernel->root, override_path);
	if (fit_streq(override, "(null)"))
		fit_xreplace(&override, "nvme");
	driver = fit_xasprintf("sys/bus/pci/drivers/%s", override);
	manifest = fit_xasprintf("%s -> ../../../../bus/pci/drivers/%s\n", link, override);
	if (fit_fsroot_exists(kernel->root, driver) && !fit_fsroot_exists(kernel->root, link) &&
		!kernel->drivers_are_deaf)
		fit_test_kernel_set(kernel, manifest);
}

/* proc_dointvec(): of any base in, decimal with tabs out. */
static void respell(const struct fit_test_kernel *kernel, const char *path, const char *value)
{
	fit_autostrlist struct fit_strlist words = {0};
	fit_autostrlist struct fit_strlist numbers = {0};
	fit_autofree char *text = NULL;

	fit_strlist_split(&words, value, " \t");
	for (size_t i = 0; i < words.count; i++)
		fit_strlist_addf(&numbers, "%lu", strtoul(words.items[i], NULL, 0));
	text = fit_strlist_join(&numbers, "\t");
	fit_test_kernel_write(kernel, path, text);
}

static void react(struct fit_test_kernel *kernel, const char *path, const char *value)
{
	uint64_t number = 0;
	struct fit_cpuset cpus;

	if (ends_with(path, ALLOWED_CPUS))
		change_unit(kernel, path, value);
	else if (ends_with(path, "/unbind") || ends_with(path, "/drivers_probe") ||
		 ends_with(path, "/driver_override"))
		change_driver(kernel, path, value);
	else if (ends_with(path, "/cgroup.subtree_control"))
		change_controllers(kernel, value);
	if (!value)
		return;
	if (ends_with(path, "/cpuset.cpus.partition") && fit_streq(value, "isolated") &&
		!is_valid_partition(kernel, path))
		fit_test_kernel_write(
			kernel, path, "isolated invalid (Cpu list in cpuset.cpus not exclusive)");
	if (ends_with(path, "/lowmem_reserve_ratio"))
		respell(kernel, path, value);
	if (ends_with(path, "/smp_affinity_list") || ends_with(path, "/watchdog_cpumask")) {
		fit_autofree char *list = NULL;

		assert_int_equal(fit_cpuset_parse_list(value, &cpus, NULL), 0);
		list = fit_cpuset_format_list(&cpus);
		fit_test_kernel_write(kernel, path, list);
	} else if (is_choice(path)) {
		fit_test_kernel_write(kernel, path, kernel->choice);
	} else if (is_mask(path)) {
		change_mask(kernel, path, value);
	} else if (strstr(path, "/link/")) {
		change_link(kernel, path, value);
	} else if (fit_parse_uint(value, UINT32_MAX, &number)) {
		if (ends_with(path, "/compact"))
			compact(kernel, path);
		else if (ends_with(path, "/sriov_numvfs"))
			change_vfs(kernel, path, number);
		else if (ends_with(path, "/nr_hugepages"))
			change_pages(kernel, path, number);
		else if (ends_with(path, "/pages_to_scan") && number > kernel->scan_limit)
			set_number(kernel, path, kernel->scan_limit);
	}
}

static bool is_state(const char *path)
{
	return fit_starts_with(path, "run/virt-fit");
}

static int before(void *context, const char *path, const char *value)
{
	struct fit_test_kernel *kernel = context;
	bool now = ++kernel->changes == kernel->fault_at;
	int error;

	if (now && kernel->fault == FIT_TEST_DIE_BEFORE)
		_exit(FIT_TEST_DEATH);
	if (now && kernel->fault == FIT_TEST_FAIL)
		return EIO;
	if (is_state(path))
		return kernel->no_room && value ? ENOSPC : 0;
	error = refuse(kernel, path, value);
	kernel->fault_is_refused |= now && error;
	return error;
}

static void after(void *context, const char *path, const char *value)
{
	struct fit_test_kernel *kernel = context;

	if (!is_state(path)) {
		kernel->host_writes++;
		fit_strlist_addf(&kernel->log, "%s=%s", path, value ? value : "");
		react(kernel, path, value);
	}
	if (kernel->changes == kernel->fault_at && kernel->fault == FIT_TEST_DIE_AFTER)
		_exit(FIT_TEST_DEATH);
}

void fit_test_kernel_boot(struct fit_test_kernel *kernel, struct fit_fsroot *root)
{
	kernel->root = root;
	kernel->scan_limit = 1000;
	kernel->observer = (struct fit_fs_observer){before, after, kernel};
	root->observer = &kernel->observer;
}

void fit_test_kernel_halt(struct fit_test_kernel *kernel, struct fit_fsroot *root)
{
	root->observer = NULL;
	fit_strlist_clear(&kernel->log);
	free(kernel->choice);
	kernel->choice = NULL;
}
