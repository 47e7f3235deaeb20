/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/capture.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/memory.h"
#include "base/text.h"
#include "sys/capture_parts.h"
#include "sys/manifest.h"
#include "sys/paths.h"

#define CONFIG_MAX \
	256 /* bytes: the capabilities, but not the extended ones with the serial number */

/* Components may have wildcards. A name that ends with a slash is a directory that may be empty. */
static const char *const patterns[] = {
	FIT_PATH_INTERRUPTS,
	FIT_PATH_MEMINFO,
	FIT_PATH_PROC_IRQ "/default_smp_affinity",
	FIT_PATH_PROC_IRQ "/*/*affinity*",
	FIT_PATH_SCHED "/sched_rt_*_us",
	FIT_PATH_KERNEL_IRQ "/*/chip_name",
	FIT_PATH_KERNEL_IRQ "/*/hwirq",
	FIT_PATH_KERNEL_IRQ "/*/actions",
	FIT_PATH_HUGEPAGES "/*/*",
	FIT_PATH_CPU_CORE,
	FIT_PATH_CPU_ATOM,
	FIT_PATH_CPU "/online",
	FIT_PATH_CPU "/present",
	FIT_PATH_CPU "/possible",
	FIT_PATH_CPU "/isolated",
	FIT_PATH_CPU "/cpu[0-9]*/",
	FIT_PATH_CPU "/cpu[0-9]*/online",
	FIT_PATH_CPU "/cpu[0-9]*/cpu_capacity",
	FIT_PATH_CPU "/cpu[0-9]*/cpufreq",
	FIT_PATH_CPU "/cpu[0-9]*/cpufreq/cpuinfo_max_freq",
	FIT_PATH_CPU "/cpu[0-9]*/topology/*",
	FIT_PATH_CPU "/cpu[0-9]*/cache/index*/level",
	FIT_PATH_CPU "/cpu[0-9]*/cache/index*/type",
	FIT_PATH_CPU "/cpu[0-9]*/cache/index*/id",
	FIT_PATH_CPU "/cpu[0-9]*/cache/index*/size",
	FIT_PATH_CPU "/cpu[0-9]*/cache/index*/shared_cpu_*",
	FIT_PATH_CPU "/cpufreq/policy*/scaling_governor",
	FIT_PATH_CPU "/cpufreq/policy*/scaling_available_governors",
	FIT_PATH_CPU "/cpufreq/policy*/affected_cpus",
	FIT_PATH_CPU "/cpufreq/policy*/related_cpus",
	FIT_PATH_CPU "/cpufreq/policy*/cpuinfo_m*_freq",
	FIT_PATH_NODE "/online",
	FIT_PATH_NODE "/has_*",
	FIT_PATH_NODE "/node[0-9]*/",
	FIT_PATH_NODE "/node[0-9]*/cpu*",
	FIT_PATH_NODE "/node[0-9]*/distance",
	FIT_PATH_NODE "/node[0-9]*/meminfo",
	FIT_PATH_NODE "/node[0-9]*/hugepages/*/*",
	FIT_PATH_RESCTRL "/schemata",
	FIT_PATH_RESCTRL "/info/*/*",
	FIT_PATH_IOMMU_GROUPS "/*/devices/*",
	FIT_PATH_ETC "/",
	FIT_PATH_HOST_POLICY,
	FIT_PATH_ETC_PROFILES "/*.xml",
};

/* Of a PCI device, below its directory. */
static const char *const device_patterns[] = {
	"class",
	"vendor",
	"device",
	"subsystem_vendor",
	"subsystem_device",
	"revision",
	"numa_node",
	"local_cpu*",
	"driver",
	"driver_override",
	"enable",
	"irq",
	"boot_vga",
	"iommu_group",
	"physfn",
	"virtfn*",
	"sriov_*",
	"msi_irqs/*",
	"net/*/",
	"net/",
	"net/*/operstate",
	"net/*/carrier",
	"net/*/master",
	"net/*/upper_*",
};

static bool examine(const struct fit_fsroot *root, const char *path, struct stat *ret_status)
{
	fit_autoclose int fd = fit_fsroot_openat(root, path, O_PATH | O_NOFOLLOW);

	return fd >= 0 && fstat(fd, ret_status) == 0;
}

void fit_capture_add_link(struct fit_capture *capture, const char *path)
{
	fit_autofree char *target = fit_fsroot_link_target(capture->root, path);

	if (target)
		fit_strlist_addf(&capture->lines, "%s -> %s\n", path, target);
}

void fit_capture_add_text(
	struct fit_capture *capture, const char *path, const char *text, size_t length)
{
	fit_autobuffer struct fit_buffer line = {0};

	fit_manifest_add_file(&line, path, text, length);
	fit_strlist_add(&capture->lines, line.text);
}

/* Root may read what has no permission to be read, and is told by the attribute that it cannot. */
static void add_entry(struct fit_capture *capture, const char *path)
{
	fit_autofree char *text = NULL;
	struct stat status;
	size_t length;

	if (!examine(capture->root, path, &status))
		return;
	if (S_ISLNK(status.st_mode))
		fit_capture_add_link(capture, path);
	else if (S_ISREG(status.st_mode) && (status.st_mode & 0444) &&
		 fit_fsroot_read(capture->root, path, &text, &length, NULL) == 0)
		fit_capture_add_text(capture, path, text, length);
}

/* Adds what @pattern names below the directory @base, which may be "". */
static void add_matching(struct fit_capture *capture, const char *base, const char *pattern)
{
	size_t length = strcspn(pattern, "/");
	fit_autofree char *component = fit_xstrndup(pattern, length);
	const char *rest = pattern[length] ? pattern + length + 1 : NULL;
	fit_autostrlist struct fit_strlist names = {0};

	if (!strpbrk(component, "*["))
		fit_strlist_add(&names, component);
	else if (fit_fsroot_list(capture->root, base, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *path =
			fit_xasprintf("%s%s%s", base, *base ? "/" : "", names.items[i]);
		struct stat status;

		if (fnmatch(component, names.items[i], FNM_PERIOD) != 0)
			continue;
		if (!rest)
			add_entry(capture, path);
		else if (examine(capture->root, path, &status) && S_ISDIR(status.st_mode)) {
			if (*rest)
				add_matching(capture, path, rest);
			else
				fit_strlist_addf(&capture->lines, "%s/\n", path);
		}
	}
}

char *fit_capture_resolve(const struct fit_capture *capture, const char *path)
{
	fit_autoclose int fd = fit_fsroot_openat(capture->root, path, O_PATH);
	fit_autofree char *self = fit_xasprintf(FIT_SELF_FD "/%d", fd);
	fit_autofree char *top = fit_xasprintf(FIT_SELF_FD "/%d", capture->root->fd);
	char found[4096] = "";
	char above[4096] = "";
	size_t length;

	if (fd < 0 || readlink(self, found, sizeof(found) - 1) < 0 ||
		readlink(top, above, sizeof(above) - 1) < 0)
		return NULL;
	length = fit_streq(above, "/") ? 0 : strlen(above);
	if (strncmp(found, above, length) != 0 || found[length] != '/')
		return NULL;
	return fit_xstrdup(found + length + 1);
}

static void add_config(struct fit_capture *capture, const char *directory)
{
	fit_autofree char *path = fit_xasprintf("%s/config", directory);
	fit_autobuffer struct fit_buffer bytes = {0};
	fit_autofree char *text = NULL;
	size_t length;

	if (fit_fsroot_read(capture->root, path, &text, &length, NULL) < 0)
		return;
	fit_buffer_addf(&bytes, "%s := ", path);
	for (size_t i = 0; i < length && i < CONFIG_MAX; i++)
		fit_buffer_addf(&bytes, "\\x%02x", (unsigned char)text[i]);
	fit_buffer_add(&bytes, "\n");
	fit_strlist_add(&capture->lines, bytes.text);
}

static void add_devices(struct fit_capture *capture)
{
	fit_autostrlist struct fit_strlist names = {0};

	fit_strlist_add(&capture->lines, FIT_PATH_PCI_DEVICES "/\n");
	fit_fsroot_list(capture->root, FIT_PATH_PCI_DEVICES, &names, NULL);
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *path = fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s", names.items[i]);
		fit_autofree char *directory = fit_capture_resolve(capture, path);

		fit_capture_add_link(capture, path);
		if (!directory)
			continue;
		for (size_t p = 0; p < FIT_ARRAY_SIZE(device_patterns); p++)
			add_matching(capture, directory, device_patterns[p]);
		add_config(capture, directory);
	}
}

/* Of the CPUs the first one says what all say. */
static void add_cpuinfo(struct fit_capture *capture)
{
	fit_autofree char *text = fit_fsroot_try_read(capture->root, FIT_PATH_CPUINFO);
	char *end = text ? strstr(text, "\n\n") : NULL;

	if (end)
		*end = '\0';
	if (text) {
		fit_autofree char *line = fit_xasprintf("%s\n", text);

		fit_capture_add_text(capture, FIT_PATH_CPUINFO, line, strlen(line));
	}
}

/* Names that the machine does not have: of the capture, and from what is in it. To be freed. */
static char *make_identity(const char *body, const char *name)
{
	uint64_t first = fit_fingerprint(FIT_FINGERPRINT_INIT, body, strlen(body));
	uint64_t second = fit_fingerprint(first, name, strlen(name));

	return fit_xasprintf(FIT_PATH_HOSTNAME
		" = %s\n" FIT_PATH_MACHINE_ID " = %016" PRIx64 "%016" PRIx64 "\n" FIT_PATH_BOOT_ID
		" = %08" PRIx64 "-%04" PRIx64 "-4%03" PRIx64 "-8%03" PRIx64 "-%012" PRIx64 "\n",
		name, first, second, first >> 32, first >> 16 & 0xffff, first & 0xfff, second >> 52,
		second & 0xffffffffffff);
}

/* The lines in order, each once. To be freed. */
static char *join_lines(struct fit_capture *capture)
{
	struct fit_buffer text = {0};
	const char *last = "";

	fit_strlist_sort(&capture->lines);
	for (size_t i = 0; i < capture->lines.count; i++) {
		if (!fit_streq(capture->lines.items[i], last))
			fit_buffer_add(&text, capture->lines.items[i]);
		last = capture->lines.items[i];
	}
	return fit_buffer_steal(&text);
}

char *fit_capture_make(const struct fit_fsroot *root, const char *name)
{
	struct fit_capture capture = {.root = root};
	fit_autofree char *body = NULL;
	fit_autofree char *identity = NULL;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(patterns); i++)
		add_matching(&capture, "", patterns[i]);
	add_devices(&capture);
	add_cpuinfo(&capture);
	fit_capture_add_storage(&capture);
	fit_capture_add_network(&capture);
	fit_strlist_add(&capture.lines, FIT_PATH_RUN "/\n");
	body = join_lines(&capture);
	fit_strlist_clear(&capture.lines);
	fit_capture_replace_macs(body);
	identity = make_identity(body, name);
	return fit_xasprintf(FIT_CAPTURE_BEGIN "\n%s%s" FIT_CAPTURE_END "\n", body, identity);
}
