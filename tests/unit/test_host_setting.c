/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of settings, and which files profiles may name. */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/host_write.h"
#include "core/hostops.h"
#include "core/profile_grammar.h"
#include "core/profile_value.h"
#include "sys/resource.h"

static bool is_literal(unsigned int id)
{
	return fit_host_write_attribute((enum fit_host_setting_id)id) != NULL;
}

static const struct fit_profile_element *element_of(const struct fit_host_setting *setting)
{
	for (size_t i = 0; i < fit_profile_element_count; i++)
		if (fit_streq(fit_profile_elements[i].parent, "host") &&
			fit_streq(fit_profile_elements[i].name, setting->name))
			return &fit_profile_elements[i];
	return NULL;
}

static void check_row(unsigned int id)
{
	const struct fit_host_setting *setting = &fit_host_settings[id];
	enum fit_resource_kind kind = FIT_RESOURCE_VFS;
	bool has_cpus = setting->format == FIT_FORMAT_MASK || setting->format == FIT_FORMAT_LIST;

	assert_non_null(setting->name);
	assert_non_null(setting->noun);
	assert_int_equal(fit_host_setting_find(setting->name), id);
	/* Its name is a word of our state, and of no other kind. */
	assert_true(fit_resource_kind_parse(setting->name, &kind));
	assert_int_equal(kind, fit_resource_of_setting((enum fit_host_setting_id)id));
	assert_true(setting->phase < FIT_PHASE_STOPPED);
	assert_true((setting->files == NULL) == is_literal(id));
	assert_true(has_cpus == (setting->combine == FIT_COMBINE_WITHOUT));
	if (setting->combine == FIT_COMBINE_LOWEST || setting->combine == FIT_COMBINE_HIGHEST)
		assert_true(setting->format == FIT_FORMAT_NUMBER ||
			    setting->format == FIT_FORMAT_LATENCY);
	if (setting->bound)
		assert_true(setting->combine == FIT_COMBINE_LOWEST ||
			    setting->combine == FIT_COMBINE_HIGHEST);
	if (element_of(setting))
		assert_true(setting->bound ==
			    (fit_streq(element_of(setting)->attributes[0].name, "max") ||
				    fit_streq(element_of(setting)->attributes[0].name, "min")));
}

static void every_row_makes_sense(void **unused)
{
	(void)unused;
	for (unsigned int id = 0; id < FIT_SETTING_COUNT; id++)
		check_row(id);
}

/* What a word means in the kernel means the same word on the way back; "keep" means nothing. */
static void words_are_translated_both_ways(void **unused)
{
	size_t words = 0;

	(void)unused;
	for (unsigned int id = 0; id < FIT_SETTING_COUNT; id++) {
		const struct fit_host_setting *setting = &fit_host_settings[id];

		for (const struct fit_profile_word *word = setting->words; word && word->word;
			word++) {
			fit_autofree char *text = fit_host_setting_text(setting, word->word);
			fit_autofree char *back = fit_host_setting_value(setting, text);

			if (!word->value)
				assert_string_equal(word->word, "keep");
			assert_string_equal(back, word->word);
			words++;
		}
	}
	assert_true(words > 30);
}

static void expect_text(enum fit_host_setting_id id, const char *value, const char *text)
{
	fit_autofree char *found = fit_host_setting_text(&fit_host_settings[id], value);
	fit_autofree char *back = fit_host_setting_value(&fit_host_settings[id], text);

	assert_string_equal(found, text);
	if (!fit_streq(value, "1ms"))
		assert_string_equal(back, value);
}

static void times_are_in_the_units_of_the_kernel(void **unused)
{
	(void)unused;
	expect_text(FIT_SETTING_WAKEUP_LATENCY, "0us", "n/a");
	expect_text(FIT_SETTING_WAKEUP_LATENCY, "10us", "10");
	expect_text(FIT_SETTING_WAKEUP_LATENCY, "2ms", "2000");
	expect_text(FIT_SETTING_HALT_POLL, "0us", "0");
	expect_text(FIT_SETTING_HALT_POLL, "50us", "50000");
	expect_text(FIT_SETTING_STAT_INTERVAL, "10s", "10");
	/* Rounded up. */
	expect_text(FIT_SETTING_STAT_INTERVAL, "1ms", "1");
	expect_text(FIT_SETTING_RT_RUNTIME, "950ms", "950000");
	expect_text(FIT_SETTING_RT_RUNTIME, "unlimited", "-1");
	expect_text(FIT_SETTING_TURBO, "off", "1");
	expect_text(FIT_SETTING_BOOST, "off", "0");
	expect_text(FIT_SETTING_GOVERNOR, "performance", "performance");
}

static void what_is_done_to_a_setting_is_told_in_words(void **unused)
{
	static const struct {
		enum fit_host_setting_id id;
		const char *value, *text;
	} cases[] = {
		{FIT_SETTING_ENERGY_PREFERENCE, "power", "energy preference power on CPUs 2-3"},
		{FIT_SETTING_GOVERNOR, "powersave", "governor powersave on CPUs 2-3"},
		{FIT_SETTING_WAKEUP_LATENCY, "1us", "wakeup latency at most 1us on CPUs 2-3"},
		{FIT_SETTING_TURBO, "off", "turbo off"},
		{FIT_SETTING_DEVICE_POWER, "on", "runtime power on of 0000:42:00.0"},
		{FIT_SETTING_ASPM, "off", "link power saving off of 0000:42:00.0"},
		{FIT_SETTING_TRANSPARENT_HUGEPAGES, "never", "transparent huge pages never"},
		{FIT_SETTING_TRANSPARENT_HUGEPAGES_DEFRAG, "defer",
			"waiting for transparent huge pages defer"},
		{FIT_SETTING_KSM, "off", "merging of equal pages off"},
		{FIT_SETTING_NUMA_BALANCING, "off", "NUMA balancing off"},
		{FIT_SETTING_COMPACTION, "5", "proactive compaction at most 5"},
		{FIT_SETTING_STAT_INTERVAL, "9s", "interval of memory statistics at least 9s"},
		{FIT_SETTING_TIMER_MIGRATION, "off", "migration of timers off"},
		{FIT_SETTING_RT_RUNTIME, "unlimited", "time for real-time threads unlimited"},
		{FIT_SETTING_HALT_POLL, "9us", "halt polling 9us"},
		{FIT_SETTING_WORKQUEUES, "elsewhere", "unbound work queues off CPUs 2-3"},
		{FIT_SETTING_LOCKUP_WATCHDOG, "elsewhere", "lockup watchdog off CPUs 2-3"},
		{FIT_SETTING_NEW_INTERRUPTS, "elsewhere", "new interrupts off CPUs 2-3"},
	};
	struct fit_pciaddr device = {.bus = 0x42};

	(void)unused;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		bool of_device = fit_host_setting_needs_devices(&fit_host_settings[cases[i].id]);
		fit_autofree char *value = fit_xstrdup(cases[i].value);
		struct fit_op op = {.kind = FIT_OP_SETTING,
			.setting = cases[i].id,
			.value = value,
			.devices = &device,
			.device_count = of_device};
		fit_autofree char *text = NULL;

		fit_cpuset_add(&op.cpus, 2);
		fit_cpuset_add(&op.cpus, 3);
		text = fit_op_describe(&op);
		assert_string_equal(text, cases[i].text);
	}
}

static void times_have_units(void **unused)
{
	static const struct {
		const char *text, *canonical;
	} cases[] = {
		{"10us", "10us"},
		{"1000us", "1ms"},
		{"1000000000ns", "1s"},
		{"0s", "0us"},
		{"0ns", "0us"},
		{"1500ms", "1500ms"},
		{"1000s", "1000s"},
		{"1001s", NULL},
		{"99999999999999999999s", NULL},
		{"10", NULL},
		{"us", NULL},
		{"10 us", NULL},
		{"-1us", NULL},
		{"10min", NULL},
		{"", NULL},
	};

	(void)unused;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *canonical =
			fit_value_canonical(fit_value_type_find("time"), NULL, cases[i].text);

		if (!fit_streq(canonical, cases[i].canonical))
			fail_msg("%s: '%s'", cases[i].text, canonical ? canonical : "(none)");
	}
}

/* As libvirt and the guest take it. */
static void vendor_ids_have_twelve_characters(void **unused)
{
	static const char *const good[] = {"a", "GenuineIntel", "A b.c-d_e"};
	static const char *const bad[] = {"", " a", "a ", "GenuineIntel1", "a,b", "a\nb"};
	const struct fit_value_type *type = fit_value_type_find("vendor-id");

	(void)unused;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(good); i++) {
		fit_autofree char *canonical = fit_value_canonical(type, NULL, good[i]);

		assert_string_equal(canonical, good[i]);
	}
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++)
		assert_null(fit_value_canonical(type, NULL, bad[i]));
}

static void expect_objection(enum fit_host_setting_id id, const char *name, const char *part)
{
	fit_autofree char *objection = fit_host_write_objection(id, name);

	if (part ? !objection || !strstr(objection, part) : objection != NULL)
		fail_msg("%s: '%s', wanted '%s'", name, objection ? objection : "(none)",
			part ? part : "(none)");
}

/* Names and part of the objection; NULL: there is none. */
static const struct {
	const char *name, *part;
} sysctls[] = {
	{"vm.dirty_ratio", NULL},
	{"vm/dirty_ratio", NULL},
	{"net.core.busy_poll", NULL},
	{"kernel.sched_cfs_bandwidth_slice_us", NULL},
	{"vm.stat_interval", "set by <stat-interval>"},
	{"kernel/numa_balancing", "set by <numa-balancing>"},
	{"kernel.watchdog_cpumask", "set by <lockup-watchdog>"},
	{"vm.nr_hugepages", "<memory pages=>"},
	{"vm.nr_hugepages_mempolicy", "<memory pages=>"},
	{"vm.nr_overcommit_hugepages", "<memory pages=>"},
	{"vm.drop_caches", "acts once"},
	{"vm.compact_memory", "acts once"},
	{"vm.stat_refresh", "acts once"},
	{"vm.dirty_bytes", "could not be taken back"},
	{"vm.dirty_background_bytes", "could not be taken back"},
	{"vm.overcommit_kbytes", "could not be taken back"},
	{"vm.overcommit_ratio", "could not be taken back"},
	{"vm.overcommit_memory", NULL},
	{"vm.hugetlb_shm_group", "gives rights"},
	{"vm.panic_on_oom", "the whole host"},
	{"vm.memory_failure_recovery", "the whole host"},
	{"kernel.watchdog", "only what is below"},
	{"kernel.watchdog_thresh", NULL},
	{"kernel.nmi_watchdog", NULL},
	{"kernel.soft_watchdog", NULL},
	{"kernel.numa_balancing_promote_rate_limit_MBps", NULL},
	{"kernel.timer_migration", "set by <timer-migration>"},
	{"kernel.hung_task_check_interval_secs", NULL},
	{"kernel.hung_task_timeout_secs", NULL},
	{"kernel.hung_task_warnings", NULL},
	{"kernel.hung_task_panic", "only what is below"},
	{"kernel.perf_cpu_time_max_percent", NULL},
	{"kernel.perf_event_max_sample_rate", NULL},
	{"kernel.perf_event_paranoid", "only what is below"},
	{"net.core.bpf_jit_harden", "protects"},
	{"net.core.tstamp_allow_data", "gives rights"},
	{"net.core.devconf_inherit_init_net", "the whole host"},
	{"vm.mmap_min_addr", "protects"},
	{"vm.memfd_noexec", "protects"},
	{"vm.unprivileged_userfaultfd", "protects"},
	{"vm.legacy_va_layout", "protects"},
	{"kernel.core_pattern", "only what is below"},
	{"kernel.modprobe", "only what is below"},
	{"kernel.poweroff_cmd", "only what is below"},
	{"kernel.randomize_va_space", "only what is below"},
	{"net.ipv4.ip_forward", "only what is below"},
	{"fs.binfmt_misc.register", "only what is below"},
	{"vm", "only what is below"},
	{"vm/../kernel/core_pattern", "plain name"},
	{"vm/./dirty_ratio", "plain name"},
	{"vm//dirty_ratio", "plain name"},
	{"/vm/dirty_ratio", "plain name"},
	{"vm/dirty_ratio/", "plain name"},
	{"vm..dirty_ratio", "plain name"},
	{"vm.dirty ratio", "plain name"},
	{"vm.dirty\n", "plain name"},
	{"../vm/dirty_ratio", "plain name"},
	{"", "plain name"},
};
static const struct {
	const char *name, *part;
} sysfs[] = {
	{"kernel/mm/ksm/pages_to_scan", NULL},
	{"kernel/mm/transparent_hugepage/shmem_enabled", NULL},
	{"module/kvm/parameters/halt_poll_ns_grow", NULL},
	{"devices/system/cpu/cpufreq/policy0/scaling_min_freq", NULL},
	{"kernel/mm/ksm/run", "set by <ksm>"},
	{"module/kvm/parameters/halt_poll_ns", "set by <halt-poll>"},
	{"devices/system/cpu/cpufreq/policy12/scaling_governor", "set by <governor>"},
	{"devices/system/cpu/cpufreq/policy0/energy_performance_preference",
		"set by <energy-preference>"},
	{"devices/system/cpu/cpufreq/boost", "set by <turbo>"},
	{"kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "<memory pages=>"},
	{"module/kvm/parameters/nx_huge_pages", "cannot be taken back"},
	{"module/kvm/parameters/ignore_msrs", NULL},
	{"module/kvm/parameters/force_emulation_prefix", "protects"},
	{"module/kvm_intel/parameters/vmentry_l1d_flush", "protects"},
	{"module/kvm_intel/parameters/ple_gap", NULL},
	{"module/kvm_amd/parameters/avic", NULL},
	{"module/vfio/parameters/x", "only what is below"},
	{"kernel/rcu_expedited", NULL},
	{"kernel/rcu_normal", NULL},
	{"devices/system/cpu/intel_pstate/status", "could not be taken back"},
	{"devices/system/cpu/intel_pstate/max_perf_pct", NULL},
	{"devices/system/cpu/amd_pstate/status", "could not be taken back"},
	{"devices/system/cpu/amd_pstate/prefcore", NULL},
	{"devices/system/cpu/cpuidle/current_governor", NULL},
	{"devices/virtual/workqueue/writeback/nice", NULL},
	{"kernel/mm/damon/admin/kdamonds/nr_kdamonds", "acts once"},
	{"devices/system/cpu/cpu3/online", "CPUs that are online"},
	{"power/state", "only what is below"},
	{"kernel/uevent_helper", "only what is below"},
	{"bus/pci/rescan", "only what is below"},
	{"kernel/mm/../uevent_helper", "plain name"},
	{"kernel/mm/..", "plain name"},
	{"/sys/kernel/mm/ksm/pages_to_scan", "plain name"},
};

static void only_files_on_the_list_may_be_written(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(sysctls); i++)
		expect_objection(FIT_SETTING_SYSCTL, sysctls[i].name, sysctls[i].part);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(sysfs); i++)
		expect_objection(FIT_SETTING_SYSFS, sysfs[i].name, sysfs[i].part);
	expect_objection(FIT_SETTING_SYSCTL, "kernel.modprobe",
		": vm/, kernel/sched_*, kernel/numa_balancing, kernel/watchdog_thresh, ");
}

/* As sysctl(8): the separator that comes first is the one. */
static void names_of_sysctls_have_dots_or_slashes(void **unused)
{
	static const struct {
		const char *name, *path;
	} cases[] = {
		{"vm.dirty_ratio", "vm/dirty_ratio"},
		{"vm/dirty_ratio", "vm/dirty_ratio"},
		{"net/core/a.b", "net/core/a.b"},
		{"net.core.a/b", "net/core/a.b"},
		{"vm", "vm"},
	};

	(void)unused;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *path = fit_host_write_path(FIT_SETTING_SYSCTL, cases[i].name);

		assert_string_equal(path, cases[i].path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_makes_sense),
		cmocka_unit_test(words_are_translated_both_ways),
		cmocka_unit_test(times_are_in_the_units_of_the_kernel),
		cmocka_unit_test(what_is_done_to_a_setting_is_told_in_words),
		cmocka_unit_test(times_have_units),
		cmocka_unit_test(vendor_ids_have_twelve_characters),
		cmocka_unit_test(only_files_on_the_list_may_be_written),
		cmocka_unit_test(names_of_sysctls_have_dots_or_slashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
