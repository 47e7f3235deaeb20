/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "virt/live.h"

#include "base/memory.h"

/* CPUs that a map is too short for are not in it. */
static unsigned char *make_map(const struct fit_cpuset *cpus, int *ret_length)
{
	unsigned char *map = fit_xcalloc(VIR_CPU_MAPLEN(FIT_CPUSET_MAX), 1);

	*ret_length = 1;
	fit_cpuset_for_each (cpu, cpus) {
		map[cpu / 8] = (unsigned char)(map[cpu / 8] | 1U << cpu % 8);
		*ret_length = VIR_CPU_MAPLEN(cpu + 1);
	}
	return map;
}

int fit_virt_change(const struct fit_virt_domain *domain, const struct fit_live_change *change,
	struct fit_err *err)
{
	int length;
	fit_autofree unsigned char *map = make_map(&change->cpus, &length);
	fit_autofree char *what = NULL;
	int status = -1;

	switch (change->kind) {
	case FIT_LIVE_ADD_IOTHREAD:
		status = virDomainAddIOThread(domain->handle, change->id, VIR_DOMAIN_AFFECT_LIVE);
		break;
	case FIT_LIVE_PIN_IOTHREAD:
		status = virDomainPinIOThread(
			domain->handle, change->id, map, length, VIR_DOMAIN_AFFECT_LIVE);
		break;
	case FIT_LIVE_PIN_VCPU:
		status = virDomainPinVcpuFlags(
			domain->handle, change->id, map, length, VIR_DOMAIN_AFFECT_LIVE);
		break;
	case FIT_LIVE_PIN_EMULATOR:
		status = virDomainPinEmulator(domain->handle, map, length, VIR_DOMAIN_AFFECT_LIVE);
		break;
	}
	if (status == 0)
		return 0;
	what = fit_live_describe(change);
	return fit_virt_fail(err, "domain %s, while it runs, %s", domain->name, what);
}
