/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the libvirt and QEMU that will read a definition can express, and on which machine types. A
 * setting that they cannot is left out or replaced by a lesser one, with a note that says why.
 */
#ifndef FIT_CORE_TARGET_H
#define FIT_CORE_TARGET_H

#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"
#include "core/domain.h"

/* As libvirt counts versions. */
#define FIT_VERSION_OF(major, minor, release) ((major)*1000000U + (minor)*1000U + (release))

struct fit_target {
	unsigned int libvirt; /* FIT_VERSION_OF() */
	unsigned int qemu;
};

/* What is assumed when nothing is known: Debian 12, the oldest that virt-fit is tested with. */
extern const struct fit_target fit_target_default;

/* "libvirt=9.0,qemu=7.2", either part may be absent. What is not named stays as it is in @target.
 */
FIT_MUST_CHECK int fit_target_parse(
	const char *text, struct fit_target *target, struct fit_err *err);

/* The families of QEMU's machine types, by what their definitions may contain. */
enum fit_machine {
	FIT_MACHINE_PC = 1 << 0,      /* x86, i440fx: conventional PCI */
	FIT_MACHINE_Q35 = 1 << 1,     /* x86, PCI Express */
	FIT_MACHINE_MICROVM = 1 << 2, /* x86, no PCI */
	FIT_MACHINE_ARM = 1 << 3,     /* virt, PCI Express */
	FIT_MACHINE_PSERIES = 1 << 4, /* conventional PCI */
	FIT_MACHINE_S390 = 1 << 5,    /* channels; PCI by zPCI */
	FIT_MACHINE_RISCV = 1 << 6,   /* virt, PCI Express */
	FIT_MACHINE_OTHER = 1 << 7,   /* isapc, sbsa-ref, other emulators: no assumption holds */
	FIT_MACHINE_X86 = FIT_MACHINE_PC | FIT_MACHINE_Q35 | FIT_MACHINE_MICROVM,
	FIT_MACHINE_ANY = 0xff,
};

/* Without an architecture or a machine in the definition: libvirt's default, of a host of x86. */
enum fit_machine fit_machine_of(const struct fit_domain *domain);

/* Each has a row in the table of target.c, which says since when and where it exists. */
enum fit_feature {
	FIT_FEATURE_ANYWHERE, /* nothing special is needed */
	FIT_FEATURE_CPU_CACHE,
	FIT_FEATURE_CPU_CLUSTERS,
	FIT_FEATURE_CPU_DIES,
	FIT_FEATURE_CPU_HOST_MODEL,
	FIT_FEATURE_CPU_INVTSC,
	FIT_FEATURE_CPU_MAXIMUM,
	FIT_FEATURE_CPU_MIGRATABLE,
	FIT_FEATURE_CPU_PHYSICAL_BITS,
	FIT_FEATURE_PMU,
	FIT_FEATURE_KVM_HIDDEN,
	FIT_FEATURE_KVM_HINT_DEDICATED,
	FIT_FEATURE_KVM_POLL_CONTROL,
	FIT_FEATURE_HYPERV,
	FIT_FEATURE_HYPERV_STIMER,
	FIT_FEATURE_HYPERV_AVIC,
	FIT_FEATURE_HYPERV_NESTED,
	FIT_FEATURE_PC_TIMERS,
	FIT_FEATURE_KVMCLOCK,
	FIT_FEATURE_TSC,
	FIT_FEATURE_NUMA_CELLS,
	FIT_FEATURE_IO_URING,
	FIT_FEATURE_DISK_IOTHREAD_MAP,
	FIT_FEATURE_SCSI_IOTHREAD_MAP,
	FIT_FEATURE_EMULATOR_SCHEDULER,
	FIT_FEATURE_CACHE_TUNE,
	FIT_FEATURE_MEMORY_TUNE,
	FIT_FEATURE_IOTHREAD_POLL,
	FIT_FEATURE_MEMFD,
	FIT_FEATURE_ALLOCATION_THREADS,
	FIT_FEATURE_QEMU_OVERRIDE,
	FIT_FEATURE_PCI_PASSTHROUGH,
	FIT_FEATURE_EXPANDER_BUS,
	FIT_FEATURE_TEAMING,
	FIT_FEATURE_DISK_QUEUE_SIZE,
	FIT_FEATURE_PACKED,
	FIT_FEATURE_VIRTIO_VECTORS,
	FIT_FEATURE_ITCO,
	FIT_FEATURE_IOMMU_INTEL,
	FIT_FEATURE_IOMMU_VIRTIO,
	FIT_FEATURE_IOMMU_SMMU,
	FIT_FEATURE_COUNT,
};

/*
 * Can @target express it in this domain? If not, *ret_why (to be freed; may be NULL: not wanted)
 * says why, to follow a colon: "libvirt 9.0 has no mapping of iothreads to queues (10.0 has)".
 */
FIT_MUST_CHECK bool fit_target_has(const struct fit_target *target, const struct fit_domain *domain,
	enum fit_feature feature, char **ret_why);

#endif
