/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does what was fitted before still obey the host's policy? Compared is what it says, not the file:
 * a comment, or another domain's VF, is no reason to refuse a start. Nor is it that the emulator
 * would run elsewhere now.
 */
#include "core/host_policy.h"

#include "base/memory.h"
#include "base/text.h"
#include "core/rewrite.h"

/* CPUs of cores that housekeeping has a thread of; a host of one core shares it. */
static struct fit_cpuset beside_housekeeping(
	const struct fit_host *host, const struct fit_cpuset *cpus)
{
	struct fit_cpuset found = {0};

	fit_cpuset_for_each (id, cpus) {
		const struct fit_cpu *cpu = fit_host_cpu(host, (unsigned int)id);

		if (fit_cpuset_contains(&host->housekeeping, (unsigned int)id) ||
			(cpu && fit_cpuset_intersects(&cpu->siblings, &host->housekeeping) &&
				!fit_cpuset_equal(&cpu->siblings, &host->online)))
			fit_cpuset_add(&found, (unsigned int)id);
	}
	return found;
}

static char *check_pin(
	const struct fit_host *host, const char *who, const struct fit_cpuset *cpus, bool is_vcpu)
{
	struct fit_cpuset found = *cpus;
	fit_autofree char *list = NULL;

	fit_cpuset_subtract(&found, &host->online);
	if (host->limited_by && !fit_cpuset_is_empty(&found)) {
		list = fit_cpuset_describe(&found, "CPU");
		return fit_xasprintf(
			"%s is pinned to %s, not allowed by %s", who, list, host->limited_by);
	}
	found = beside_housekeeping(host, cpus);
	if (!is_vcpu || !host->housekeeping_source || fit_cpuset_is_empty(&found))
		return NULL;
	list = fit_cpuset_describe(&found, "CPU");
	return fit_xasprintf("%s is pinned to %s, of the cores for housekeeping by %s", who, list,
		host->housekeeping_source);
}

static char *check_threads(const struct fit_host *host, const struct fit_record *record,
	const struct fit_thread_pin *pins, size_t count, const char *kind)
{
	bool is_vcpu = fit_streq(kind, "vcpu");
	char *conflict = NULL;

	for (size_t i = 0; i < count && !conflict; i++) {
		fit_autofree char *path =
			fit_xasprintf("cputune/%spin[@%s='%u']", kind, kind, pins[i].id);
		fit_autofree char *who =
			fit_xasprintf("%s %u", is_vcpu ? "vCPU" : kind, pins[i].id);

		if (fit_record_has_written(record, path))
			conflict = check_pin(host, who, &pins[i].cpus, is_vcpu);
	}
	return conflict;
}

static char *check_devices(const struct fit_host *host, const struct fit_domain *fitted)
{
	for (size_t i = 0; i < fitted->hostdev_count; i++) {
		const struct fit_domain_hostdev *hostdev = &fitted->hostdevs[i];
		const char *source = hostdev->ours ? fit_host_kept(host, hostdev->source) : NULL;

		if (source)
			return fit_xasprintf("%s is kept for the host by %s",
				FIT_PCIADDR_STR(hostdev->source), source);
	}
	return NULL;
}

char *fit_host_policy_conflict(const struct fit_host *host, const struct fit_domain *fitted,
	const struct fit_record *record)
{
	char *conflict =
		check_threads(host, record, fitted->vcpu_pins, fitted->vcpu_pin_count, "vcpu");

	if (!conflict)
		conflict = check_threads(host, record, fitted->iothread_pins,
			fitted->iothread_pin_count, "iothread");
	if (!conflict && fit_record_has_written(record, "cputune/emulatorpin"))
		conflict = check_pin(host, "the emulator", &fitted->emulator_pin, false);
	return conflict ? conflict : check_devices(host, fitted);
}
