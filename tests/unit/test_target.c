/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Versions, machine types, and what they can express. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

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
		{"aarch64", "sbsa-ref", FIT_MACHINE_OTHER},
		{"ppc64le", "pseries-7.2", FIT_MACHINE_PSERIES},
		{"ppc64", "powernv", FIT_MACHINE_OTHER},
		{"s390x", "s390-ccw-virtio-7.2", FIT_MACHINE_S390},
		{"riscv64", "virt", FIT_MACHINE_RISCV},
		{"mips64el", "loongson3-virt", FIT_MACHINE_OTHER},
	};

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_are_read),
		cmocka_unit_test(what_is_no_version_is_refused),
		cmocka_unit_test(machine_types_have_families),
		cmocka_unit_test(what_is_missing_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
