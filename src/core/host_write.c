/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host_write.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define PATH_MAX_LENGTH 256

/* The first that fits decides. */
struct rule {
	const char *prefix;
	const char *objection; /* NULL: it may be written */
};

#define ONCE   "it acts once, and cannot be taken back"
#define PAGES  "huge pages are made for domains, by <memory pages=>"
#define ZAPS   "it changes all running guests, and \"never\" cannot be taken back"
#define PAIRED "it changes another setting with it, which could not be taken back"
#define GUARDS "it protects the host"
#define ONLINE "virt-fit plans with the CPUs that are online"

/* Of net/ only what is the same for all interfaces and no filter, route or limit of trust. */
static const struct rule sysctls[] = {
	{"vm/nr_hugepages", PAGES},
	{"vm/nr_overcommit_hugepages", PAGES},
	{"vm/drop_caches", ONCE},
	{"vm/compact_memory", ONCE},
	{"vm/stat_refresh", ONCE},
	{"vm/mmap_", GUARDS},
	{"vm/memfd_noexec", GUARDS},
	{"vm/unprivileged_userfaultfd", GUARDS},
	{"vm/legacy_va_layout", GUARDS},
	{"vm/hugetlb_shm_group", "it gives rights"},
	{"vm/panic_on_oom", "it decides what happens to the whole host"},
	{"vm/memory_failure_", "it decides what happens to the whole host"},
	{"vm/dirty_bytes", PAIRED},
	{"vm/dirty_background_bytes", PAIRED},
	{"vm/overcommit_kbytes", PAIRED},
	{"vm/overcommit_ratio", PAIRED},
	{"vm/", NULL},
	{"kernel/sched_", NULL},
	{"kernel/numa_balancing", NULL},
	{"kernel/watchdog_thresh", NULL},
	{"kernel/nmi_watchdog", NULL},
	{"kernel/soft_watchdog", NULL},
	{"kernel/hung_task_check_", NULL},
	{"kernel/hung_task_timeout_secs", NULL},
	{"kernel/hung_task_warnings", NULL},
	{"kernel/perf_cpu_time_max_percent", NULL},
	{"kernel/perf_event_max_sample_rate", NULL},
	{"net/core/bpf_", GUARDS},
	{"net/core/tstamp_allow_data", "it gives rights"},
	{"net/core/devconf_inherit_init_net", "it decides what happens to the whole host"},
	{"net/core/", NULL},
	{0},
};

static const struct rule sysfs[] = {
	{"kernel/mm/hugepages/", PAGES},
	{"kernel/mm/damon/", ONCE},
	{"kernel/mm/", NULL},
	{"kernel/rcu_expedited", NULL},
	{"kernel/rcu_normal", NULL},
	{"module/kvm/parameters/nx_huge_pages", ZAPS},
	{"module/kvm/parameters/force_emulation_prefix", GUARDS},
	{"module/kvm/parameters/", NULL},
	{"module/kvm_intel/parameters/vmentry_l1d_flush", GUARDS},
	{"module/kvm_intel/parameters/", NULL},
	{"module/kvm_amd/parameters/", NULL},
	{"devices/system/cpu/cpufreq/", NULL},
	{"devices/system/cpu/intel_pstate/status", PAIRED},
	{"devices/system/cpu/intel_pstate/", NULL},
	{"devices/system/cpu/amd_pstate/status", PAIRED},
	{"devices/system/cpu/amd_pstate/", NULL},
	{"devices/system/cpu/cpuidle/", NULL},
	{"devices/system/cpu/", ONLINE},
	{"devices/virtual/workqueue/", NULL},
	{0},
};

const char *fit_host_write_attribute(enum fit_host_setting_id setting)
{
	if (setting == FIT_SETTING_SYSCTL)
		return "name";
	return setting == FIT_SETTING_SYSFS ? "path" : NULL;
}

/* As sysctl(8) has it: the first separator decides. In "net/core/a.b" the dot belongs to the name.
 */
char *fit_host_write_path(enum fit_host_setting_id setting, const char *name)
{
	char *path = fit_xstrdup(name);

	if (setting == FIT_SETTING_SYSCTL && path[strcspn(path, "./")] == '.')
		for (char *p = path; *p; p++)
			*p = *p == '.' ? '/' : *p == '/' ? '.' : *p;
	return path;
}

/* Components of names that the kernel has: none empty, none that begins with a dot. */
static bool is_plain(const char *path)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+:@.";

	if (strlen(path) > PATH_MAX_LENGTH)
		return false;
	for (;;) {
		size_t length = strspn(path, letters);

		if (length == 0 || *path == '.')
			return false;
		if (!path[length])
			return true;
		if (path[length] != '/')
			return false;
		path += length + 1;
	}
}

static char *list_allowed(const struct rule *rules)
{
	fit_autostrlist struct fit_strlist prefixes = {0};

	for (; rules->prefix; rules++)
		if (!rules->objection)
			fit_strlist_addf(&prefixes, "%s%s", rules->prefix,
				rules->prefix[strlen(rules->prefix) - 1] == '_' ? "*" : "");
	return fit_strlist_join(&prefixes, ", ");
}

/* The element whose setting has the file @path; NULL: none has. */
static const char *element_for(enum fit_host_setting_scope scope, const char *path)
{
	enum fit_host_setting_id id = fit_host_setting_of_file(scope, path);

	for (unsigned int i = 0; id && id != FIT_SETTING_COUNT && i < FIT_SETTING_COUNT; i++)
		if (fit_host_settings[i].alternative == id)
			return fit_host_settings[i].name;
	return id == FIT_SETTING_COUNT ? NULL : fit_host_settings[id].name;
}

char *fit_host_write_objection(enum fit_host_setting_id setting, const char *name)
{
	const struct rule *rules = setting == FIT_SETTING_SYSCTL ? sysctls : sysfs;
	fit_autofree char *path = fit_host_write_path(setting, name);
	fit_autofree char *allowed = list_allowed(rules);
	const char *element = element_for(fit_host_settings[setting].scope, path);

	if (!is_plain(path))
		return fit_xasprintf("it must be a plain name below %s, without \"..\"",
			setting == FIT_SETTING_SYSCTL ? "kernel, vm or net" : "the mount of sysfs");
	if (element)
		return fit_xasprintf("it is set by <%s>", element);
	for (const struct rule *rule = rules; rule->prefix; rule++)
		if (fit_starts_with(path, rule->prefix))
			return rule->objection ? fit_xstrdup(rule->objection) : NULL;
	return fit_xasprintf("only what is below these may be written: %s", allowed);
}
