/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Versions, machine types, and what they can express. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "core/target.h"

static void versions_are_read(void **state)
{
	struct fit_target target = fit_target_default;
	struct fit_err err = FIT_ERR_INIT;

	(void)state;
	assert_int_equal(fit_target_parse("libvirt=10.9,qemu=9.1.2", &target, &err), 0);
	assert_int_equal(target.libvirt, 10009000);
	assert_int_equal(target.qemu, 9001002);
	assert_int_equal(fit_target_parse("qemu=8.0", &target, &err), 0);
	assert_int_equal(target.libvirt, 10009000);
	assert_int_equal(target.qemu, 8000000);
}

static void what_is_no_version_is_refused(void **state)
{
	static const char *const bad[] = {"", ",", "libvirt", "libvirt=", "libvirt=9",
		"libvirt=9.0.0.1", "libvirt=9.x", "libvirt=9.1000", "qemu=7.2,xen=4.17", "9.0"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct fit_target target = fit_target_default;
		struct fit_err err = FIT_ERR_INIT;

		if (fit_target_parse(bad[i], &target, &err) == 0)
			fail_msg("accepted: \"%s\"", bad[i]);
		assert_non_null(strstr(err.message, "libvirt=9.0,qemu=7.2"));
		assert_memory_equal(&target, &fit_target_default, sizeof(target));
	}
}

static void machine_types_have_families(void **state)
{
	static const struct {
		char arch[16], machine[32];
		enum fit_machine family;
	} cases[] = {
		{"", "", FIT_MACHINE_PC},
		{"x86_64", "pc-i440fx-7.2", FIT_MACHINE_PC},
		{"i686", "pc", FIT_MACHINE_PC},
		{"x86_64", "q35", FIT_MACHINE_Q35},
		{"x86_64", "pc-q35-rhel9.2.0", FIT_MACHINE_Q35},
		{"x86_64", "microvm", FIT_MACHINE_MICROVM},
		{"x86_64", "isapc", FIT_MACHINE_OTHER},
		{"aarch64", "virt-10.0", FIT_MACHINE_ARM},
		{"aarch64", "", FIT_MACHINE_ARM},
		{"armv7l", "virt-7.2", FIT_MACHINE_ARM},
		{"armv7l", "vexpress-a9", FIT_MACHINE_OTHER},
		{"aarch64", "sbsa-ref", FIT_MACHINE_OTHER},
		{"ppc64le", "pseries-7.2", FIT_MACHINE_PSERIES},
		{"ppc64", "powernv", FIT_MACHINE_OTHER},
		{"s390x", "s390-ccw-virtio-7.2", FIT_MACHINE_S390},
		{"riscv64", "virt", FIT_MACHINE_RISCV},
		{"mips64el", "loongson3-virt", FIT_MACHINE_OTHER},
	};

	(void)state;
	assert_int_equal(fit_machine_of(&(struct fit_domain){0}), FIT_MACHINE_PC);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char arch[16], machine[32];
		struct fit_domain domain = {.arch = arch, .machine = machine};

		strcpy(arch, cases[i].arch);
		strcpy(machine, cases[i].machine);
		if (fit_machine_of(&domain) != cases[i].family)
			fail_msg("%s %s", arch, machine);
	}
}

static void expect_missing(const struct fit_target *target, const struct fit_domain *domain,
	enum fit_feature feature, const char *wanted)
{
	fit_autofree char *why = NULL;

	assert_false(fit_target_has(target, domain, feature, &why));
	assert_string_equal(why, wanted);
}

static void what_is_missing_is_explained(void **state)
{
	char arch[] = "aarch64", machine[] = "virt", type[] = "kvm";
	const struct fit_domain x86 = {.type = type};
	const struct fit_domain arm = {.type = type, .arch = arch, .machine = machine};
	const struct fit_target new_libvirt = {FIT_VERSION_OF(10, 0, 0), FIT_VERSION_OF(8, 2, 0)};
	const struct fit_target both_new = {FIT_VERSION_OF(10, 0, 0), FIT_VERSION_OF(9, 0, 0)};
	char *why = NULL;

	(void)state;
	expect_missing(&fit_target_default, &x86, FIT_FEATURE_DISK_IOTHREAD_MAP,
		"libvirt 9.0 has no mapping of iothreads to the queues of a disk (10.0 has)");
	expect_missing(&new_libvirt, &x86, FIT_FEATURE_DISK_IOTHREAD_MAP,
		"QEMU 8.2 has no mapping of iothreads to the queues of a disk (9.0 has)");
	expect_missing(&both_new, &arm, FIT_FEATURE_CPU_CACHE,
		"a machine of type aarch64 virt has no passthrough of the CPU's caches");
	assert_true(fit_target_has(&both_new, &x86, FIT_FEATURE_DISK_IOTHREAD_MAP, &why));
	assert_true(fit_target_has(&both_new, &arm, FIT_FEATURE_ANYWHERE, &why));
	assert_null(why);
}

/* Everything has some version below this. */
#define NEWEST FIT_VERSION_OF(99, 0, 0)

struct machine {
	char arch[16];
	char name[32];
	char family[16];
};

static bool has(unsigned int libvirt, unsigned int qemu, char *type, struct machine *machine,
	enum fit_feature feature)
{
	const struct fit_target target = {libvirt, qemu};
	const struct fit_domain domain = {
		.type = type, .arch = machine->arch, .machine = machine->name};

	return fit_target_has(&target, &domain, feature, NULL);
}

/* " NAME 9.1" for the first version that has it, "" when all have. */
static void add_first_version(struct fit_buffer *text, const char *name, bool is_libvirt,
	char *type, struct machine *machine, enum fit_feature feature)
{
	unsigned int first = 0;

	while (!has(
		is_libvirt ? first : NEWEST, is_libvirt ? NEWEST : first, type, machine, feature))
		first += first % 1000000 < 20000 ? 1000 : 1000000 - 20000;
	if (first)
		fit_buffer_addf(text, " %s %u.%u", name, first / 1000000, first / 1000 % 1000);
}

/* "passthrough of the CPU's caches: libvirt 3.3 pc q35 microvm" */
static char *describe(enum fit_feature feature)
{
	static struct machine machines[] = {
		{"x86_64", "pc", "pc"},
		{"x86_64", "q35", "q35"},
		{"x86_64", "microvm", "microvm"},
		{"aarch64", "virt", "arm"},
		{"ppc64", "pseries", "pseries"},
		{"s390x", "s390-ccw-virtio", "s390"},
		{"riscv64", "virt", "riscv"},
		{"mips64el", "loongson3-virt", "others"},
	};
	static char kvm[] = "kvm", tcg[] = "qemu";
	const struct fit_target none = {0, 0};
	const struct fit_domain other = {
		.type = tcg, .arch = machines[7].arch, .machine = machines[7].name};
	struct machine *first = NULL;
	fit_autobuffer struct fit_buffer text = {0};
	fit_autofree char *why = NULL;
	struct fit_buffer line = {0};
	const char *name;
	size_t count = 0;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(machines); i++) {
		if (!has(NEWEST, NEWEST, kvm, &machines[i], feature))
			continue;
		first = first ? first : &machines[i];
		fit_buffer_addf(&text, " %s", machines[i].family);
		count++;
	}
	assert_non_null(first);
	assert_false(fit_target_has(&none, &other, feature, &why));
	name = strstr(why, " has no ") + strlen(" has no ");
	fit_buffer_add(&line, name);
	if (strstr(name, " ("))
		line.length = (size_t)(strstr(line.text, " (") - line.text);
	fit_buffer_add(&line, ":");
	add_first_version(&line, "libvirt", true, kvm, first, feature);
	add_first_version(&line, "QEMU", false, kvm, first, feature);
	if (!has(NEWEST, NEWEST, tcg, first, feature))
		fit_buffer_add(&line, " kvm");
	fit_buffer_add(&line, count < FIT_ARRAY_SIZE(machines) ? text.text : " all");
	return fit_buffer_steal(&line);
}

/* As libvirt and QEMU have it, in words of this test: a row that changes must change here, too. */
static void each_feature_is_where_it_is(void **state)
{
	static const char *const wanted[] = {
		[FIT_FEATURE_ANYWHERE] = NULL,
		"passthrough of the CPU's caches: libvirt 3.3 pc q35 microvm",
		"clusters of cores: libvirt 10.1 QEMU 7.1 arm",
		"dies of cores: libvirt 6.1 QEMU 4.1 pc q35",
		"CPU mode host-model: pc q35 microvm pseries s390",
		"invariant TSC: kvm pc q35 microvm",
		"CPU mode maximum: libvirt 7.1 pc q35 microvm arm s390 riscv others",
		"choice of migratable CPU features: libvirt 6.5 pc q35 microvm",
		"physical address bits of the CPU: libvirt 8.7 pc q35 microvm",
		"performance counters to switch: pc q35 microvm arm",
		"KVM to hide: kvm pc q35 microvm",
		"hint that CPUs are dedicated: libvirt 5.7 QEMU 2.12 kvm pc q35 microvm",
		"control of polling by the guest: libvirt 6.10 QEMU 4.2 kvm pc q35 microvm",
		"Hyper-V enlightenments: kvm pc q35 microvm",
		"direct synthetic timers: libvirt 5.7 QEMU 4.1 kvm pc q35 microvm",
		"Hyper-V enlightenment avic: libvirt 8.10 QEMU 6.2 kvm pc q35 microvm",
		"Hyper-V enlightenments emsr_bitmap and xmm_input: libvirt 10.7 QEMU 7.1 kvm pc q35 microvm",
		"timers of a PC: pc q35",
		"clock of KVM: kvm pc q35 microvm",
		"TSC: kvm pc q35 microvm",
		"NUMA cells: libvirt 3.10 QEMU 2.10 pc q35 arm pseries riscv others",
		"io_uring for disks: libvirt 6.3 QEMU 5.0 all",
		"mapping of iothreads to the queues of a disk: libvirt 10.0 QEMU 9.0 all",
		"mapping of iothreads to the queues of a controller: libvirt 11.2 QEMU 10.0 all",
		"scheduler of the emulator: libvirt 5.3 all",
		"allocation of the host's caches: libvirt 4.1 kvm pc q35 microvm",
		"allocation of memory bandwidth: libvirt 4.7 kvm pc q35 microvm",
		"poll settings of iothreads: libvirt 9.4 QEMU 2.9 all",
		"memory of type memfd: libvirt 4.10 QEMU 2.12 all",
		"threads that allocate memory: libvirt 8.2 QEMU 5.0 all",
		"override of device properties: libvirt 8.2 all",
		"passthrough of PCI devices: pc q35 arm pseries s390 riscv",
		"PCI Express buses with a NUMA node: libvirt 1.3 q35 arm",
		"teaming of network interfaces: libvirt 6.1 QEMU 4.2 all",
		"queue size of disks: libvirt 7.8 all",
		"packed virtqueues: libvirt 6.3 QEMU 4.2 all",
		"setting of the vectors of virtio devices: libvirt 8.2 pc q35 arm pseries riscv",
		"iTCO watchdog: libvirt 9.1 q35",
		"Intel IOMMU: libvirt 3.5 q35",
		"virtio IOMMU: libvirt 8.3 QEMU 7.0 q35 arm",
		"SMMUv3: libvirt 5.5 arm",
	};

	(void)state;
	assert_int_equal(FIT_ARRAY_SIZE(wanted), FIT_FEATURE_COUNT);
	for (enum fit_feature feature = FIT_FEATURE_ANYWHERE + 1; feature < FIT_FEATURE_COUNT;
		feature++) {
		fit_autofree char *found = describe(feature);

		assert_string_equal(found, wanted[feature]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_are_read),
		cmocka_unit_test(what_is_no_version_is_refused),
		cmocka_unit_test(machine_types_have_families),
		cmocka_unit_test(what_is_missing_is_explained),
		cmocka_unit_test(each_feature_is_where_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
