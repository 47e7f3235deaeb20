/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cores of a hybrid host are of which kind. */
#include "support.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_host.h"
#include "sys/probe.h"

static struct fit_host probe(const struct fit_fsroot *root)
{
	struct fit_host host = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_probe(root, FIT_PROBE_CPUS, &host, NULL, &err) < 0)
		fail_msg("%s", err.message);
	return host;
}

static struct fit_host probe_text(const char *manifest)
{
	struct fit_fsroot root = fit_test_root(manifest);
	struct fit_host host = probe(&root);

	fit_test_root_remove(&root);
	return host;
}

static void the_kernel_knows_hybrid_cores(void **state)
{
	struct fit_host host = fit_test_host("hybrid");

	(void)state;
	assert_int_equal(fit_host_cpu(&host, 7)->kind, FIT_CPU_PERFORMANCE);
	assert_int_equal(fit_host_cpu(&host, 8)->kind, FIT_CPU_EFFICIENCY);
	assert_int_equal(fit_host_cpu(&host, 8)->cluster, 72);
	assert_int_equal(fit_host_cpu(&host, 12)->cluster, 80);
	fit_host_clear(&host);
}

/* Without its PMUs, cores without SMT that are clearly slower tell; CPU 7, alone because its
 * sibling is offline, is as fast as its peers. */
static void hybrid_cores_are_known_by_speed_where_only_some_have_smt(void **state)
{
	struct fit_fsroot root = fit_test_host_root("hybrid");
	struct fit_host host;

	(void)state;
	fit_test_root_add(&root, "sys/devices/cpu_core/cpus :=\n"
				 "sys/devices/system/cpu/online = 0-5,7-15\n");
	host = probe(&root);
	assert_int_equal(fit_host_cpu(&host, 0)->kind, FIT_CPU_PERFORMANCE);
	assert_int_equal(fit_host_cpu(&host, 7)->kind, FIT_CPU_PERFORMANCE);
	assert_int_equal(fit_host_cpu(&host, 8)->kind, FIT_CPU_EFFICIENCY);
	fit_host_clear(&host);

	/* A core without SMT that is only a turbo bin slower is of the same kind. */
	for (int cpu = 8; cpu < 16; cpu++) {
		fit_autofree char *line = fit_xasprintf(
			"sys/devices/system/cpu/cpufreq/policy%d/cpuinfo_max_freq = 4900000", cpu);

		fit_test_root_add(&root, line);
	}
	host = probe(&root);
	assert_int_equal(fit_host_cpu(&host, 0)->kind, FIT_CPU_UNIFORM);
	assert_int_equal(fit_host_cpu(&host, 8)->kind, FIT_CPU_UNIFORM);
	fit_host_clear(&host);
	fit_test_root_remove(&root);
}

/* Captures without frequencies, and virtual machines, do not tell more. */
static void hybrid_cores_are_known_by_smt_while_no_cpu_is_offline(void **state)
{
	static const char cpus[] =
		"sys/devices/system/cpu/present = 0-3\n"
		"sys/devices/system/cpu/online = 0-3\n"
		"sys/devices/system/cpu/cpu0/topology/thread_siblings_list = 0-1\n"
		"sys/devices/system/cpu/cpu1/topology/thread_siblings_list = 0-1\n"
		"sys/devices/system/cpu/cpu2/topology/thread_siblings_list = 2\n"
		"sys/devices/system/cpu/cpu3/topology/thread_siblings_list = 3\n";
	static const char *const others[] = {"sys/devices/system/cpu/online = 0-2\n",
		"sys/devices/system/cpu/cpu3/topology/physical_package_id = 1\n"};
	struct fit_host host = probe_text(cpus);

	(void)state;
	assert_int_equal(host.cpus[1].kind, FIT_CPU_PERFORMANCE);
	assert_int_equal(host.cpus[2].kind, FIT_CPU_EFFICIENCY);
	assert_int_equal(host.cpus[3].kind, FIT_CPU_EFFICIENCY);
	fit_host_clear(&host);
	/* A core can be alone because its sibling is offline; another package may have no SMT. */
	for (size_t i = 0; i < FIT_ARRAY_SIZE(others); i++) {
		fit_autofree char *text = fit_xasprintf("%s%s", cpus, others[i]);

		host = probe_text(text);
		assert_int_equal(host.cpus[2].kind, FIT_CPU_UNIFORM);
		fit_host_clear(&host);
	}
}

static void hybrid_cores_without_smt_are_known_by_a_clear_difference_of_speed(void **state)
{
	static const char *const speeds[] = {"4600000", "5400000"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(speeds); i++) {
		fit_autofree char *text = fit_xasprintf(
			"sys/devices/system/cpu/online = 0-1\n"
			"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq = 5700000\n"
			"sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq = %s\n",
			speeds[i]);
		struct fit_host host = probe_text(text);

		assert_int_equal(host.cpus[0].kind, i ? FIT_CPU_UNIFORM : FIT_CPU_PERFORMANCE);
		assert_int_equal(host.cpus[1].kind, i ? FIT_CPU_UNIFORM : FIT_CPU_EFFICIENCY);
		fit_host_clear(&host);
	}
}

static void capacities_tell_big_from_little(void **state)
{
	struct fit_host host = probe_text("sys/devices/system/cpu/online = 0-2\n"
					  "sys/devices/system/cpu/cpu0/cpu_capacity = 485\n"
					  "sys/devices/system/cpu/cpu1/cpu_capacity = 870\n"
					  "sys/devices/system/cpu/cpu2/cpu_capacity = 1024\n");

	(void)state;
	assert_int_equal(host.cpus[0].kind, FIT_CPU_EFFICIENCY);
	assert_int_equal(host.cpus[1].kind, FIT_CPU_PERFORMANCE);
	assert_int_equal(host.cpus[2].kind, FIT_CPU_PERFORMANCE);
	fit_host_clear(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_knows_hybrid_cores),
		cmocka_unit_test(hybrid_cores_are_known_by_speed_where_only_some_have_smt),
		cmocka_unit_test(hybrid_cores_are_known_by_smt_while_no_cpu_is_offline),
		cmocka_unit_test(hybrid_cores_without_smt_are_known_by_a_clear_difference_of_speed),
		cmocka_unit_test(capacities_tell_big_from_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
