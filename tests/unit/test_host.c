/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "base/memory.h"
#include "core/host.h"
#include "support_host.h"

static void ids_with_gaps_are_found_and_missing_ones_are_not(void **state)
{
	struct fit_host host = fit_test_host("sparse");

	(void)state;
	assert_int_equal(fit_host_cpu(&host, 0)->id, 0);
	assert_int_equal(fit_host_cpu(&host, 11)->id, 11);
	assert_null(fit_host_cpu(&host, 1));
	assert_null(fit_host_cpu(&host, 12));
	assert_int_equal(fit_host_node(&host, 4)->id, 4);
	assert_null(fit_host_node(&host, 0));
	assert_non_null(fit_host_pci(&host, (struct fit_pciaddr){.domain = 0x10000, .bus = 0xe1}));
	assert_null(fit_host_pci(&host, (struct fit_pciaddr){.bus = 0xe1}));
	fit_host_clear(&host);
}

static void an_empty_host_has_nothing_and_can_be_cleared_twice(void **state)
{
	struct fit_host host = {0};

	(void)state;
	assert_null(fit_host_cpu(&host, 0));
	assert_null(fit_host_node(&host, 0));
	assert_null(fit_host_pci(&host, (struct fit_pciaddr){0}));
	assert_null(fit_host_pci_by_netdev(&host, "eth0"));
	assert_int_equal(fit_host_threads_per_core(&host), 1);
	fit_host_clear(&host);
	fit_host_clear(&host);
}

static void distances_are_those_of_the_firmware_or_the_usual_ones(void **state)
{
	struct fit_host host = fit_test_host("two-node");

	(void)state;
	assert_int_equal(fit_host_distance(&host, 0, 0), 10);
	assert_int_equal(fit_host_distance(&host, 0, 1), 21);
	assert_int_equal(fit_host_distance(&host, 0, 7), 20);
	assert_int_equal(fit_host_distance(&host, 7, 7), 10);
	free(host.nodes[0].distances);
	host.nodes[0].distances = NULL;
	assert_int_equal(fit_host_distance(&host, 0, 1), 20);
	assert_int_equal(fit_host_distance(&host, 1, 0), 21);
	fit_host_clear(&host);
}

static void pools_are_found_by_page_size(void **state)
{
	struct fit_host host = fit_test_host("two-node");
	const struct fit_node *node = fit_host_node(&host, 1);

	(void)state;
	assert_int_equal(fit_node_free_pages(node, 1048576), 12);
	assert_int_equal(fit_node_free_pages(node, 2048), 512);
	assert_int_equal(fit_node_free_pages(node, 64), 0);
	assert_true(fit_node_has_page_size(node, 2048));
	assert_false(fit_node_has_page_size(node, 64));
	fit_host_clear(&host);
}

static void a_device_is_found_by_its_network_interface(void **state)
{
	struct fit_host host = fit_test_host("two-node");
	const struct fit_pci_device *device = fit_host_pci_by_netdev(&host, "enp65s0f0v1");

	(void)state;
	assert_non_null(device);
	assert_string_equal(FIT_PCIADDR_STR(device->addr), "0000:41:10.2");
	assert_null(fit_host_pci_by_netdev(&host, "enp65s0f0v"));
	fit_host_clear(&host);
}

static void the_widest_core_counts_for_threads_per_core(void **state)
{
	static const struct {
		const char *name;
		unsigned int threads;
	} hosts[] = {{"small", 1}, {"two-node", 2}, {"hybrid", 2}, {"sparse", 2}};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(hosts); i++) {
		struct fit_host host = fit_test_host(hosts[i].name);

		assert_int_equal(fit_host_threads_per_core(&host), hosts[i].threads);
		fit_host_clear(&host);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_with_gaps_are_found_and_missing_ones_are_not),
		cmocka_unit_test(an_empty_host_has_nothing_and_can_be_cleared_twice),
		cmocka_unit_test(distances_are_those_of_the_firmware_or_the_usual_ones),
		cmocka_unit_test(pools_are_found_by_page_size),
		cmocka_unit_test(a_device_is_found_by_its_network_interface),
		cmocka_unit_test(the_widest_core_counts_for_threads_per_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
