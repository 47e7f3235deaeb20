/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory nodes and page sizes. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support_plan.h"

/* Corpus B29. */
static void memory_is_never_on_a_node_that_has_none(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){4, 1, 4, 1}, 2);
	struct fit_pci_device *device;

	(void)state;
	b.host.nodes[0].memory_kib = b.host.nodes[0].free_kib = 0;
	b.host.nodes[0].distances[2] = 12;
	device = fit_made_device(&b.host, "0000:21:00.0", 0x020000, 0, 7);
	device->netdevs = fit_xcalloc(1, sizeof(*device->netdevs));
	device->netdevs[0].name = fit_xstrdup("eth0");
	device->netdev_count = 1;
	fit_bench_request(&b, "eth0");
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_nodes, "0");
	fit_expect_set(&b.plan.memory_nodes, "2");
	fit_expect_reason(
		&b, FIT_REASON_NOTE, "has no memory: it is on node 2, the nearest that has some");
	fit_bench_end(&b);
}

/* Corpus B30. */
static void nodes_without_cpus_are_not_used_for_memory(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){3, 1, 4, 1}, 2);

	(void)state;
	for (unsigned int cpu = 8; cpu < 12; cpu++)
		fit_made_offline(&b.host, cpu);
	b.host.nodes[0].memory_kib = b.host.nodes[0].free_kib = 0;
	b.host.nodes[0].distances[2] = 11;
	fit_made_claim(&b.claims, "other", true, "4-7");
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_nodes, "0");
	fit_expect_set(&b.plan.memory_nodes, "1");
	fit_bench_end(&b);
}

static void page_sizes_are_tried_in_the_order_of_the_profile(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);
	struct fit_node *node = &b.host.nodes[0];

	(void)state;
	/* Nothing in the pool: however much memory is free, there is a size that is safer. */
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 2048);
	fit_expect_reason(&b, FIT_REASON_NOTE, "pages of 1 GiB do not fit: 4 wanted, 0 free");
	node->pools[1].total = node->pools[1].free = 4;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, GIB);
	assert_int_equal(b.plan.pages, 4);
	fit_expect_reason(&b, FIT_REASON_CHOICE, "pages of 1 GiB: 4 wanted, 4 free");
	node->pools[1].free = 0;
	node->free_kib = 2 * GIB;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 0);
	fit_expect_reason(&b, FIT_REASON_NOTE, "normal pages instead");
	b.profile.memory.page_size_count = 2;
	fit_expect_refusal(&b, "4 GiB of memory on node 0 wanted in huge pages");
	/* Its own pages of the running guest count. */
	b.previous = fit_made_domain("web01", 2, 4 * GIB);
	b.previous.has_hugepages = b.has_previous = true;
	b.previous.hugepage_kib = GIB;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, GIB);
	fit_bench_end(&b);
}

static void gigantic_pages_are_made_when_nothing_else_is_wanted(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	b.profile.memory.page_size_count = 1;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, GIB);
	/* Contiguous memory for 4 GiB is not to be had in 7. */
	b.host.nodes[0].free_kib = 7 * GIB;
	fit_expect_refusal(&b, "4 GiB of memory on node 0 wanted in huge pages");
	fit_bench_end(&b);
}

/* Corpus B11. */
static void memory_is_rounded_up_to_whole_pages(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	b.host.nodes[0].pools[1].total = b.host.nodes[0].pools[1].free = 9;
	b.domain.memory_kib = 8 * GIB + 1024;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, GIB);
	assert_true(b.plan.memory_rounded);
	assert_int_equal(b.plan.memory_kib, 9 * GIB);
	fit_expect_reason(&b, FIT_REASON_NOTE, "memory is rounded up");
	b.domain.cells = fit_xcalloc(1, sizeof(*b.domain.cells));
	b.domain.cells[0].memory_kib = b.domain.memory_kib = 4 * GIB + 2048;
	b.domain.cell_count = 1;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 2048);
	assert_false(b.plan.memory_rounded);
	fit_bench_end(&b);
}

static void large_pages_do_not_inflate_a_small_guest(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	b.domain.memory_kib = 214 * 1024;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 2048);
	assert_false(b.plan.memory_rounded);
	fit_expect_reason(&b, FIT_REASON_NOTE, "rounded up by more than an eighth");
	fit_bench_end(&b);
}

static void a_kept_page_size_that_the_host_lacks_is_refused(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	b.domain.has_hugepages = true;
	b.domain.hugepage_kib = 16 * 1024;
	fit_expect_refusal(&b, "pages of 16 MiB, which this host does not have");
	b.domain.hugepage_kib = 2048;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 0);
	fit_expect_reason(&b, FIT_REASON_KEPT, "<hugepages>");
	assert_null(fit_made_reason(&b.plan, FIT_REASON_NOTE, "pages of"));
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_never_on_a_node_that_has_none),
		cmocka_unit_test(nodes_without_cpus_are_not_used_for_memory),
		cmocka_unit_test(page_sizes_are_tried_in_the_order_of_the_profile),
		cmocka_unit_test(gigantic_pages_are_made_when_nothing_else_is_wanted),
		cmocka_unit_test(memory_is_rounded_up_to_whole_pages),
		cmocka_unit_test(large_pages_do_not_inflate_a_small_guest),
		cmocka_unit_test(a_kept_page_size_that_the_host_lacks_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
