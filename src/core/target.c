/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/target.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"

#define V(major, minor) FIT_VERSION_OF(major, minor, 0)

const struct fit_target fit_target_default = {.libvirt = V(9, 0), .qemu = V(7, 2)};

struct rule {
	const char *name;     /* of what is missing, to follow "has no" */
	unsigned int libvirt; /* since; 0: longer than virt-fit supports */
	unsigned int qemu;
	unsigned int machines; /* of enum fit_machine; 0: all */
	bool needs_kvm;
};

static const struct rule rules[FIT_FEATURE_COUNT] = {
	[FIT_FEATURE_ANYWHERE] = {"", 0, 0, 0, false},
	[FIT_FEATURE_CPU_CACHE] = {"passthrough of the CPU's caches", V(3, 3), 0, FIT_MACHINE_X86,
		false},
	/* QEMU refuses clusters on x86, and dies elsewhere, at start. */
	[FIT_FEATURE_CPU_CLUSTERS] = {"clusters of cores", V(10, 1), V(7, 1), FIT_MACHINE_ARM,
		false},
	[FIT_FEATURE_CPU_DIES] = {"dies of cores", V(6, 1), V(4, 1),
		FIT_MACHINE_PC | FIT_MACHINE_Q35, false},
	[FIT_FEATURE_CPU_HOST_MODEL] = {"CPU mode host-model", 0, 0,
		FIT_MACHINE_X86 | FIT_MACHINE_PSERIES | FIT_MACHINE_S390, false},
	[FIT_FEATURE_CPU_INVTSC] = {"invariant TSC", 0, 0, FIT_MACHINE_X86, true},
	[FIT_FEATURE_CPU_MAXIMUM] = {"CPU mode maximum", V(7, 1), 0,
		FIT_MACHINE_ANY & ~FIT_MACHINE_PSERIES, false},
	[FIT_FEATURE_CPU_MIGRATABLE] = {"choice of migratable CPU features", V(6, 5), 0,
		FIT_MACHINE_X86, false},
	[FIT_FEATURE_CPU_PHYSICAL_BITS] = {"physical address bits of the CPU", V(8, 7), 0,
		FIT_MACHINE_X86, false},
	/* Libvirt takes it for others too, whose CPUs in QEMU have no such property. */
	[FIT_FEATURE_PMU] = {"performance counters to switch", 0, 0,
		FIT_MACHINE_X86 | FIT_MACHINE_ARM, false},
	[FIT_FEATURE_KVM_HIDDEN] = {"KVM to hide", 0, 0, FIT_MACHINE_X86, true},
	[FIT_FEATURE_KVM_HINT_DEDICATED] = {"hint that CPUs are dedicated", V(5, 7), V(2, 12),
		FIT_MACHINE_X86, true},
	[FIT_FEATURE_KVM_POLL_CONTROL] = {"control of polling by the guest", V(6, 10), V(4, 2),
		FIT_MACHINE_X86, true},
	[FIT_FEATURE_HYPERV] = {"Hyper-V enlightenments", 0, 0, FIT_MACHINE_X86, true},
	[FIT_FEATURE_HYPERV_STIMER] = {"direct synthetic timers", V(5, 7), V(4, 1), FIT_MACHINE_X86,
		true},
	[FIT_FEATURE_HYPERV_AVIC] = {"Hyper-V enlightenment avic", V(8, 10), V(6, 2),
		FIT_MACHINE_X86, true},
	[FIT_FEATURE_HYPERV_NESTED] = {"Hyper-V enlightenments emsr_bitmap and xmm_input", V(10, 7),
		V(7, 1), FIT_MACHINE_X86, true},
	[FIT_FEATURE_PC_TIMERS] = {"timers of a PC", 0, 0, FIT_MACHINE_PC | FIT_MACHINE_Q35, false},
	[FIT_FEATURE_KVMCLOCK] = {"clock of KVM", 0, 0, FIT_MACHINE_X86, true},
	[FIT_FEATURE_TSC] = {"TSC", 0, 0, FIT_MACHINE_X86, true},
	[FIT_FEATURE_NUMA_CELLS] = {"NUMA cells", V(3, 10), V(2, 10),
		FIT_MACHINE_ANY & ~(FIT_MACHINE_MICROVM | FIT_MACHINE_S390), false},
	[FIT_FEATURE_IO_URING] = {"io_uring for disks", V(6, 3), V(5, 0), 0, false},
	[FIT_FEATURE_DISK_IOTHREAD_MAP] = {"mapping of iothreads to the queues of a disk", V(10, 0),
		V(9, 0), 0, false},
	[FIT_FEATURE_SCSI_IOTHREAD_MAP] = {"mapping of iothreads to the queues of a controller",
		V(11, 2), V(10, 0), 0, false},
	[FIT_FEATURE_EMULATOR_SCHEDULER] = {"scheduler of the emulator", V(5, 3), 0, 0, false},
	[FIT_FEATURE_CACHE_TUNE] = {"allocation of the host's caches", V(4, 1), 0, FIT_MACHINE_X86,
		true},
	[FIT_FEATURE_MEMORY_TUNE] = {"allocation of memory bandwidth", V(4, 7), 0, FIT_MACHINE_X86,
		true},
	[FIT_FEATURE_IOTHREAD_POLL] = {"poll settings of iothreads", V(9, 4), V(2, 9), 0, false},
	[FIT_FEATURE_MEMFD] = {"memory of type memfd", V(4, 10), V(2, 12), 0, false},
	[FIT_FEATURE_ALLOCATION_THREADS] = {"threads that allocate memory", V(8, 2), V(5, 0), 0,
		false},
	[FIT_FEATURE_QEMU_OVERRIDE] = {"override of device properties", V(8, 2), 0, 0, false},
	[FIT_FEATURE_PCI_PASSTHROUGH] = {"passthrough of PCI devices", 0, 0,
		FIT_MACHINE_PC | FIT_MACHINE_Q35 | FIT_MACHINE_ARM | FIT_MACHINE_PSERIES |
			FIT_MACHINE_S390 | FIT_MACHINE_RISCV,
		false},
	[FIT_FEATURE_EXPANDER_BUS] = {"PCI Express buses with a NUMA node", V(1, 3), 0,
		FIT_MACHINE_Q35 | FIT_MACHINE_ARM, false},
	[FIT_FEATURE_TEAMING] = {"teaming of network interfaces", V(6, 1), V(4, 2), 0, false},
	[FIT_FEATURE_DISK_QUEUE_SIZE] = {"queue size of disks", V(7, 8), 0, 0, false},
	[FIT_FEATURE_PACKED] = {"packed virtqueues", V(6, 3), V(4, 2), 0, false},
	[FIT_FEATURE_VIRTIO_VECTORS] = {"setting of the vectors of virtio devices", V(8, 2), 0,
		FIT_MACHINE_PC | FIT_MACHINE_Q35 | FIT_MACHINE_ARM | FIT_MACHINE_PSERIES |
			FIT_MACHINE_RISCV,
		false},
	[FIT_FEATURE_ITCO] = {"iTCO watchdog", V(9, 1), 0, FIT_MACHINE_Q35, false},
	[FIT_FEATURE_IOMMU_INTEL] = {"Intel IOMMU", V(3, 5), 0, FIT_MACHINE_Q35, false},
	[FIT_FEATURE_IOMMU_VIRTIO] = {"virtio IOMMU", V(8, 3), V(7, 0),
		FIT_MACHINE_Q35 | FIT_MACHINE_ARM, false},
	[FIT_FEATURE_IOMMU_SMMU] = {"SMMUv3", V(5, 5), 0, FIT_MACHINE_ARM, false},
};

static bool is_x86(const char *arch)
{
	return !*arch || fit_streq(arch, "x86_64") || fit_streq(arch, "i686");
}

static enum fit_machine machine_of_x86(const char *machine)
{
	if (fit_streq(machine, "microvm"))
		return FIT_MACHINE_MICROVM;
	if (fit_streq(machine, "q35") || fit_starts_with(machine, "pc-q35"))
		return FIT_MACHINE_Q35;
	if (!*machine || fit_streq(machine, "pc") || fit_starts_with(machine, "pc-"))
		return FIT_MACHINE_PC;
	return FIT_MACHINE_OTHER;
}

enum fit_machine fit_machine_of(const struct fit_domain *domain)
{
	const char *arch = domain->arch ? domain->arch : "";
	const char *machine = domain->machine ? domain->machine : "";
	bool is_virt = !*machine || fit_streq(machine, "virt") || fit_starts_with(machine, "virt-");

	if (is_x86(arch))
		return machine_of_x86(machine);
	if (fit_streq(arch, "aarch64") || fit_starts_with(arch, "armv"))
		return is_virt ? FIT_MACHINE_ARM : FIT_MACHINE_OTHER;
	if (fit_starts_with(arch, "riscv"))
		return is_virt ? FIT_MACHINE_RISCV : FIT_MACHINE_OTHER;
	if (fit_starts_with(arch, "ppc64"))
		return !*machine || fit_starts_with(machine, "pseries") ? FIT_MACHINE_PSERIES
									: FIT_MACHINE_OTHER;
	if (fit_streq(arch, "s390x"))
		return FIT_MACHINE_S390;
	return FIT_MACHINE_OTHER;
}

static char *why_version(
	const char *program, unsigned int have, unsigned int need, const struct rule *rule)
{
	return fit_xasprintf("%s %u.%u has no %s (%u.%u has)", program, have / 1000000,
		have / 1000 % 1000, rule->name, need / 1000000, need / 1000 % 1000);
}

bool fit_target_has(const struct fit_target *target, const struct fit_domain *domain,
	enum fit_feature feature, char **ret_why)
{
	const struct rule *rule = &rules[feature];
	char *why = NULL;

	if (rule->machines && !(rule->machines & fit_machine_of(domain)))
		why = fit_xasprintf("a machine of type %s%s%s has no %s",
			domain->arch && *domain->arch ? domain->arch : "",
			domain->arch && *domain->arch ? " " : "",
			domain->machine && *domain->machine ? domain->machine : "default",
			rule->name);
	else if (rule->needs_kvm && !fit_streq(domain->type, "kvm"))
		why = fit_xasprintf("a domain without KVM has no %s", rule->name);
	else if (target->libvirt < rule->libvirt)
		why = why_version("libvirt", target->libvirt, rule->libvirt, rule);
	else if (target->qemu < rule->qemu)
		why = why_version("QEMU", target->qemu, rule->qemu, rule);
	if (why && ret_why)
		*ret_why = why;
	else
		free(why);
	return !why;
}

/* "9.0" or "9.0.1"; each number below 1000. */
static bool parse_version(const char *text, unsigned int *ret_version)
{
	uint64_t numbers[3] = {0};
	fit_autostrlist struct fit_strlist parts = {0};

	fit_strlist_split(&parts, text, ".");
	if (parts.count < 2 || parts.count > 3)
		return false;
	for (size_t i = 0; i < parts.count; i++)
		if (!fit_parse_uint(parts.items[i], 999, &numbers[i]))
			return false;
	*ret_version = (unsigned int)FIT_VERSION_OF(numbers[0], numbers[1], numbers[2]);
	return true;
}

int fit_target_parse(const char *text, struct fit_target *target, struct fit_err *err)
{
	fit_autostrlist struct fit_strlist parts = {0};
	struct fit_target parsed = *target;

	fit_strlist_split(&parts, text, ",");
	for (size_t i = 0; i < parts.count; i++) {
		const char *part = parts.items[i];
		unsigned int *version = NULL;

		if (fit_starts_with(part, "libvirt="))
			version = &parsed.libvirt;
		else if (fit_starts_with(part, "qemu="))
			version = &parsed.qemu;
		if (!version || !parse_version(strchr(part, '=') + 1, version)) {
			fit_autofree char *shown = fit_printable(part);

			return fit_err_set(err, FIT_ERR_INVALID,
				"\"%s\" is no version: a target is libvirt=9.0,qemu=7.2", shown);
		}
	}
	if (!parts.count)
		return fit_err_set(
			err, FIT_ERR_INVALID, "no version: a target is libvirt=9.0,qemu=7.2");
	*target = parsed;
	return 0;
}
