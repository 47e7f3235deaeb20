/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_groups.h"
#include "support_world.h"

/* What a running domain has, as soon as the call number `from` has been made. */
static const struct {
	enum fit_op_kind kind;
	enum fit_host_setting_id setting; /* of FIT_OP_SETTING */
	int from;
	const char *path;
	enum { OFF_CPUS, OFF_MASK, ON_CPUS, SAYS } how;
	const char *text;
} promises[] = {
	{FIT_OP_ISOLATE, 0, 1, "sys/fs/cgroup/system.slice/cpuset.cpus", OFF_CPUS, NULL},
	{FIT_OP_IRQS_ELSEWHERE, 0, 2, "proc/irq/9/smp_affinity_list", OFF_CPUS, NULL},
	{FIT_OP_IRQS_ELSEWHERE, 0, 2, IRQBALANCE "/cpus", ON_CPUS, NULL},
	{FIT_OP_IRQS_DEVICE, 0, 2, IRQBALANCE "/irqs", SAYS, "3"},
	{FIT_OP_PF_UP, 0, 0, PF "/net/enp65s0f0/flags", SAYS, "0x1003"},
	{FIT_OP_VF, 0, 0, PF "/sriov_drivers_autoprobe", SAYS, "0"},
	{FIT_OP_SETTING, FIT_SETTING_WORKQUEUES, 1,
		"sys/devices/virtual/workqueue/cpumask_requested", OFF_MASK, NULL},
	{FIT_OP_SETTING, FIT_SETTING_NEW_INTERRUPTS, 1, "proc/irq/default_smp_affinity", OFF_MASK,
		NULL},
	{FIT_OP_SETTING, FIT_SETTING_LOCKUP_WATCHDOG, 1, "proc/sys/kernel/watchdog_cpumask",
		OFF_CPUS, NULL},
};

static bool holds(const struct world *w, const struct domain *domain, size_t which)
{
	fit_autofree char *text = fit_fsroot_try_read(&w->f.root, promises[which].path);
	struct fit_cpuset own = fit_test_cpus(domain->cpu);
	struct fit_cpuset cpus;

	if (promises[which].how == SAYS)
		return text && strstr(text, promises[which].text);
	if ((promises[which].how == OFF_MASK ? fit_cpuset_parse_mask : fit_cpuset_parse_list)(
		    text, &cpus, NULL) < 0)
		return false;
	return fit_cpuset_intersects(&cpus, &own) == (promises[which].how == ON_CPUS);
}

static void expect_promises(const struct world *w, const struct domain *domain)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(promises); i++) {
		for (size_t j = 0; j < domain->ops.count; j++) {
			const struct fit_op *op = &domain->ops.items[j];

			if (domain->calls[promises[i].from] && op->kind == promises[i].kind &&
				(op->kind != FIT_OP_SETTING ||
					op->setting == promises[i].setting) &&
				!holds(w, domain, i))
				fail_msg(
					"%s is not as %u has it", promises[i].path, domain->number);
		}
	}
}

static void expect_partition(const struct world *w, const struct domain *domain)
{
	fit_autofree char *path = fit_xasprintf(
		MACHINE "/%s.scope/libvirt/vcpu0/cpuset.cpus.partition", domain->name);
	fit_autofree char *found = fit_fsroot_try_read(&w->f.root, path);

	if (!fit_streq(found, "isolated"))
		fail_msg("%s: '%s'", path, found ? found : "nothing");
}

static bool wants(const struct domain *domain, enum fit_op_kind kind)
{
	for (size_t i = 0; i < domain->ops.count; i++)
		if (domain->ops.items[i].kind == kind)
			return true;
	return false;
}

bool world_has_vf(const struct world *w, const struct domain *domain)
{
	fit_autofree char *path = fit_xasprintf("sys/bus/pci/devices/%s/physfn", domain->vf);

	return fit_fsroot_exists(&w->f.root, path);
}

void world_expect_claims(const struct world *w)
{
	for (const struct domain *domain = w->domains; domain < w->domains + DOMAINS; domain++) {
		if (domain->calls[0] && wants(domain, FIT_OP_VF) && !world_has_vf(w, domain))
			fail_msg("%s of %u is gone", domain->vf, domain->number);
		expect_promises(w, domain);
		if (domain->calls[2] && domain->grouped && wants(domain, FIT_OP_PARTITION))
			expect_partition(w, domain);
	}
}
