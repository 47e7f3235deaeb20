/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All domains of a host: whose turn it is, what each takes, and what is left. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/packing.h"
#include "support_domain.h"
#include "support_plan.h"

static int compare(const void *a, const void *b)
{
	return fit_packing_compare(a, b);
}

static void turns_do_not_depend_on_how_domains_are_found(void **state)
{
	static const struct fit_packing_turn turns[] = {
		{FIT_PACKING_RUNNING, 1, GIB, "z", NULL},
		{FIT_PACKING_UNMANAGED, 1, GIB, "y", NULL},
		{FIT_PACKING_PLACED, 1, GIB, "a", NULL},
		{FIT_PACKING_PLACED, 9, GIB, "b", NULL}, /* by name, whatever its size */
		{FIT_PACKING_NEW, 8, GIB, "w", NULL},
		{FIT_PACKING_NEW, 4, 2 * GIB, "x", NULL},
		{FIT_PACKING_NEW, 4, GIB, "c", NULL},
		{FIT_PACKING_NEW, 4, GIB, "d", "1"},
		{FIT_PACKING_NEW, 4, GIB, "d", "2"},
	};
	enum { COUNT = FIT_ARRAY_SIZE(turns) };

	(void)state;
	for (size_t step = 1; step < COUNT; step++) {
		struct fit_packing_turn found[COUNT];

		for (size_t i = 0; i < COUNT; i++)
			found[i] = turns[COUNT - 1 - (i + step) % COUNT];
		qsort(found, COUNT, sizeof(*found), compare);
		for (size_t i = 0; i < COUNT; i++)
			assert_memory_equal(&found[i], &turns[i], sizeof(*found));
	}
}

static uint64_t free_pages(const struct fit_host *host, unsigned int node, uint64_t page_kib)
{
	return fit_node_free_pages(fit_host_node(host, node), page_kib);
}

/* What is there goes first; the hook makes the rest of free memory. */
static void huge_pages_and_memory_are_taken_from_their_nodes(void **state)
{
	struct fit_host host = fit_made_host((struct fit_host_shape){2, 1, 4, 1});
	struct fit_domain domain = fit_test_domain(
		"<memory unit='GiB'>6</memory><memoryBacking><hugepages><page size='1' unit='GiB'/>"
		"</hugepages></memoryBacking><vcpu>1</vcpu>"
		"<numatune><memory mode='strict' nodeset='1'/></numatune>");
	struct fit_domain plain = fit_test_domain("<memory unit='GiB'>70</memory><vcpu>1</vcpu>");
	struct fit_claims claims = {0};

	(void)state;
	host.nodes[0].pools[1].free = host.nodes[0].pools[1].total = 8;
	host.nodes[1].pools[1].free = host.nodes[1].pools[1].total = 4;
	fit_packing_take(&host, &claims, &domain, NULL, "planned");
	assert_int_equal(free_pages(&host, 0, GIB), 8);
	assert_int_equal(free_pages(&host, 1, GIB), 0);
	assert_int_equal(host.nodes[1].pools[1].total, 6);
	assert_int_equal(host.nodes[0].free_kib, 62 * GIB);
	assert_int_equal(host.nodes[1].free_kib, 60 * GIB);
	assert_true(claims.items[0].running);
	assert_string_equal(claims.items[0].state, "planned");
	/* Normal memory that is bound to no node, more than one node has. */
	fit_packing_take(&host, &claims, &plain, NULL, "planned");
	assert_int_equal(host.nodes[0].free_kib + host.nodes[1].free_kib, 52 * GIB);
	/* More than there is leaves nothing, not less. */
	fit_packing_take(&host, &claims, &plain, NULL, "planned");
	assert_int_equal(host.nodes[0].free_kib + host.nodes[1].free_kib, 0);
	assert_int_equal(free_pages(&host, 0, GIB), 8);
	fit_claims_clear(&claims);
	fit_domain_clear(&domain);
	fit_domain_clear(&plain);
	fit_host_clear(&host);
}

/* Whatever is said of the domain's memory as a whole. */
static void memory_of_cells_is_taken_from_their_nodes(void **state)
{
	struct fit_host host = fit_made_host((struct fit_host_shape){2, 1, 4, 1});
	struct fit_domain domain = fit_test_domain(
		"<memory unit='GiB'>2</memory><vcpu>2</vcpu><numatune><memory mode='strict' "
		"nodeset='0'/><memnode cellid='0' mode='strict' nodeset='1'/></numatune><cpu><numa>"
		"<cell id='0' cpus='0-1' memory='2' unit='GiB'/></numa></cpu>");
	struct fit_claims claims = {0};

	(void)state;
	fit_packing_take(&host, &claims, &domain, NULL, "planned");
	assert_int_equal(host.nodes[0].free_kib, 62 * GIB);
	assert_int_equal(host.nodes[1].free_kib, 60 * GIB);
	fit_claims_clear(&claims);
	fit_domain_clear(&domain);
	fit_host_clear(&host);
}

/* As libvirt would, the first that nobody has. */
static void vfs_of_networks_are_counted(void **state)
{
	struct fit_host host = fit_made_host((struct fit_host_shape){1, 1, 4, 1});
	struct fit_domain domain = fit_made_domain("a", 1, GIB);
	struct fit_planned_vf vfs[2];
	const struct fit_plan plan = {.vfs = vfs, .vf_count = 2};
	char network[] = "lan";
	struct fit_claims claims = {0};
	struct fit_left left;

	(void)state;
	fit_made_pf(&host, "0000:41:00.0", "enp65s0f0", 0, 8, 4);
	vfs[0] = (struct fit_planned_vf){.network = network, .has_pf = true, .pf = {.bus = 0x41}};
	vfs[1] = (struct fit_planned_vf){.network = network};
	fit_packing_take(&host, &claims, &domain, &plan, "planned");
	fit_packing_take(&host, &claims, &domain, &plan, "planned");
	assert_int_equal(claims.items[1].device_count, 1);
	assert_string_equal(FIT_PCIADDR_STR(claims.items[1].devices[0]), "0000:41:10.1");
	fit_left_find(&host, &claims, &left);
	assert_int_equal(left.pf_count, 1);
	assert_int_equal(left.pfs[0].free, 2);
	fit_left_clear(&left);
	fit_claims_clear(&claims);
	fit_domain_clear(&domain);
	fit_host_clear(&host);
}

static void what_is_left_is_what_the_planner_could_give(void **state)
{
	struct fit_host host = fit_made_host((struct fit_host_shape){2, 1, 4, 2});
	struct fit_claims claims = {0};
	struct fit_left left;

	(void)state;
	fit_made_pf(&host, "0000:81:00.0", "enp129s0f0", 1, 8, 0);
	fit_made_pf(&host, "0000:41:00.0", "enp65s0f0", 0, 8, 4);
	fit_made_device(&host, "0000:c1:00.0", 0x010802, 1, 17)->sriov_total = 3;
	host.pci[host.pci_count - 1].sriov_offset = 1;
	host.pci[host.pci_count - 1].sriov_stride = 1;
	host.pci[host.pci_count - 1].driver = fit_xstrdup("nvme");
	fit_made_claim(&claims, "one thread", true, "5");
	fit_left_find(&host, &claims, &left);
	assert_int_equal(left.node_count, 2);
	assert_int_equal(left.nodes[0].cores, 4);
	assert_int_equal(left.nodes[0].free_cores, 3); /* one is for housekeeping */
	fit_expect_set(&left.nodes[0].free_cpus, "1-3,9-11");
	assert_int_equal(left.nodes[1].free_cores, 3);
	fit_expect_set(&left.nodes[1].free_cpus, "4,6-7,12,14-15");
	assert_int_equal(left.pf_count, 3);
	assert_int_equal(left.pfs[0].free, 4);
	assert_true(left.pfs[0].exist);
	assert_int_equal(left.pfs[1].free, 8);
	assert_false(left.pfs[1].exist);
	assert_int_equal(left.pfs[2].free, 3);
	fit_left_clear(&left);
	fit_claims_clear(&claims);
	fit_host_clear(&host);
}

/* What others are planned for is as good as running. */
static void what_is_planned_is_refused_to_the_next_and_named(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 4, 1}, 2);
	struct fit_domain first = fit_made_domain("first", 2, GIB);

	(void)state;
	fit_made_pin(&first, 0, "1");
	fit_made_pin(&first, 1, "2");
	fit_packing_take(&b.host, &b.claims, &first, NULL, "planned");
	fit_expect_refusal(&b, "first (planned) holds 2 cores of node 0");
	fit_domain_clear(&first);
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_do_not_depend_on_how_domains_are_found),
		cmocka_unit_test(huge_pages_and_memory_are_taken_from_their_nodes),
		cmocka_unit_test(memory_of_cells_is_taken_from_their_nodes),
		cmocka_unit_test(vfs_of_networks_are_counted),
		cmocka_unit_test(what_is_left_is_what_the_planner_could_give),
		cmocka_unit_test(what_is_planned_is_refused_to_the_next_and_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
