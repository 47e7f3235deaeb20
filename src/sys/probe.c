/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the parts of the probe and finds out which host it is. What identifies the host must not
 * depend on the parts asked for: the hook's short probe and the planner's long one must agree.
 */
#include "sys/probe.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/paths.h"
#include "sys/probe_parts.h"

/* The first processor's entry: the others say the same, and cost time. */
#define CPUINFO_START 8192

void fit_probe_warn(const struct fit_probe_run *run, const char *format, ...)
{
	va_list args;
	char text[512];

	if (!run->warnings)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fit_strlist_add(run->warnings, text);
}

char *fit_probe_text(const struct fit_probe_run *run, const char *directory, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return fit_fsroot_try_read(run->root, path);
}

int fit_probe_int(
	const struct fit_probe_run *run, const char *directory, const char *name, int fallback)
{
	char path[512];
	int64_t value;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (!fit_fsroot_try_read_int(run->root, path, &value) || value < -1 || value > INT32_MAX)
		return fallback;
	return (int)value;
}

uint64_t fit_probe_uint64(const struct fit_probe_run *run, const char *directory, const char *name)
{
	fit_autofree char *text = fit_probe_text(run, directory, name);
	uint64_t value = 0;

	return fit_parse_uint(text, UINT64_MAX, &value) ? value : 0;
}

bool fit_probe_cpuset(const struct fit_probe_run *run, const char *directory, const char *list,
	const char *mask, struct fit_cpuset *ret_set)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *list_text = fit_probe_text(run, directory, list);
	fit_autofree char *mask_text = NULL;

	if (list_text && fit_cpuset_parse_list(list_text, ret_set, &err) == 0)
		return true;
	if (list_text)
		fit_probe_warn(run, "%s/%s: %s", directory, list, err.message);
	if (mask)
		mask_text = fit_probe_text(run, directory, mask);
	if (mask_text && fit_cpuset_parse_mask(mask_text, ret_set, &err) == 0)
		return true;
	if (mask_text)
		fit_probe_warn(run, "%s/%s: %s", directory, mask, err.message);
	*ret_set = (struct fit_cpuset){0};
	return false;
}

bool fit_probe_numbered(const char *name, const char *prefix, unsigned int max, unsigned int *ret)
{
	const char *number = name + strlen(prefix);
	uint64_t value;

	/* No leading zeros: two names with one number would give one id twice. */
	if (!fit_starts_with(name, prefix) || (number[0] == '0' && number[1]) ||
		!fit_parse_uint(number, max, &value))
		return false;
	*ret = (unsigned int)value;
	return true;
}

/* The value of the first "key : value" line of cpuinfo; "" when there is none. To be freed. */
static char *cpuinfo_value(const char *cpuinfo, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = cpuinfo; *line;
		line += strcspn(line, "\n"), line += *line == '\n') {
		const char *value = line + length;

		if (strncmp(line, key, length) != 0)
			continue;
		value += strspn(value, " \t");
		if (*value != ':')
			continue;
		value++;
		value += strspn(value, " \t");
		return fit_xstrndup(value, strcspn(value, "\n"));
	}
	return fit_xstrdup("");
}

/* A captured root does not say what uname(2) said. The CPU does, where only one kernel runs on it:
 * 64-bit x86 and Arm, s390x and RISC-V. "" for the others (POWER has two byte orders). */
static const char *arch_of(const char *cpuinfo)
{
	fit_autofree char *flags = cpuinfo_value(cpuinfo, "flags");
	fit_autofree char *arm = cpuinfo_value(cpuinfo, "CPU architecture");
	fit_autofree char *vendor = cpuinfo_value(cpuinfo, "vendor_id");
	fit_autofree char *isa = cpuinfo_value(cpuinfo, "isa");

	if (strstr(flags, " lm "))
		return "x86_64";
	if (fit_streq(arm, "8") || fit_streq(arm, "AArch64"))
		return "aarch64";
	if (fit_streq(vendor, "IBM/S390"))
		return "s390x";
	return fit_starts_with(isa, "rv64") ? "riscv64" : "";
}

static char *find_arch(const struct fit_fsroot *root, const char *cpuinfo)
{
	struct utsname name;

	if (root->real && uname(&name) == 0)
		return fit_xstrdup(name.machine);
	return fit_xstrdup(arch_of(cpuinfo));
}

static char *find_identity(const struct fit_probe_run *run, const char *cpuinfo)
{
	const struct fit_host *host = run->host;
	fit_autofree char *machine_id = fit_fsroot_try_read(run->root, FIT_PATH_MACHINE_ID);
	fit_autofree char *model = NULL;
	fit_autostrlist struct fit_strlist nodes = {0};
	uint64_t print = FIT_FINGERPRINT_INIT;
	unsigned int node;

	/* "uninitialized": an image before its first boot, machine-id(5). */
	if (machine_id && !strpbrk(machine_id, " \t\n") && !fit_streq(machine_id, "uninitialized"))
		return FIT_STEAL(machine_id);
	model = cpuinfo_value(cpuinfo, "model name");
	print = fit_fingerprint(print, host->arch, strlen(host->arch) + 1);
	print = fit_fingerprint(print, host->cpu_vendor, strlen(host->cpu_vendor) + 1);
	print = fit_fingerprint(print, model, strlen(model) + 1);
	for (size_t i = 0; i < host->cpu_count; i++)
		print = fit_fingerprint(print, &host->cpus[i].id, sizeof(host->cpus[i].id));
	fit_fsroot_list(run->root, FIT_PATH_NODE, &nodes, NULL);
	for (size_t i = 0; i < nodes.count; i++)
		if (fit_probe_numbered(nodes.items[i], "node", UINT32_MAX, &node))
			print = fit_fingerprint(print, &node, sizeof(node));
	return fit_xasprintf("topology-%016llx", (unsigned long long)print);
}

static void find_names(const struct fit_probe_run *run)
{
	struct fit_host *host = run->host;
	fit_autofree char *cpuinfo =
		fit_fsroot_try_read_start(run->root, FIT_PATH_CPUINFO, CPUINFO_START);

	if (!cpuinfo)
		cpuinfo = fit_xstrdup("");
	host->name = fit_fsroot_try_read(run->root, FIT_PATH_HOSTNAME);
	if (!host->name)
		host->name = fit_xstrdup("");
	host->arch = find_arch(run->root, cpuinfo);
	host->cpu_vendor = cpuinfo_value(cpuinfo, "vendor_id");
	host->identity = find_identity(run, cpuinfo);
}

/* Kernels without a limit for real-time threads have no such files. */
static void find_real_time_limit(const struct fit_probe_run *run)
{
	run->host->rt_period_us = fit_probe_int(run, FIT_PATH_SCHED, "sched_rt_period_us", 0);
	run->host->rt_runtime_us = fit_probe_int(run, FIT_PATH_SCHED, "sched_rt_runtime_us", -1);
}

int fit_probe(const struct fit_fsroot *root, unsigned int parts, struct fit_host *ret_host,
	struct fit_strlist *warnings, struct fit_err *err)
{
	struct fit_host host = {0};
	const struct fit_probe_run run = {.root = root, .host = &host, .warnings = warnings};

	if (fit_probe_cpu_list(&run, err) < 0) {
		fit_host_clear(&host);
		return -1;
	}
	find_names(&run);
	if (parts & (FIT_PROBE_CPUS | FIT_PROBE_NODES))
		fit_probe_nodes(&run, parts & FIT_PROBE_NODES);
	if (parts & FIT_PROBE_CPUS) {
		fit_probe_topology(&run);
		fit_probe_resctrl(&run);
		find_real_time_limit(&run);
	}
	if (parts & FIT_PROBE_PCI) {
		fit_probe_pci(&run);
		fit_probe_block(&run);
	}
	if (parts & FIT_PROBE_IRQS)
		fit_probe_irqs(&run);
	*ret_host = host;
	return 0;
}
