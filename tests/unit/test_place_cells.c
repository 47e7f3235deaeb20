/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's NUMA cells. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support_plan.h"

/* Two nodes of 8 cores; the guest has more vCPUs than a node. */
static struct fit_bench wide_bench(unsigned int vcpus)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 1}, vcpus);

	b.profile.vcpus.span_nodes = true;
	b.profile.cells.intent.set = true;
	b.profile.cells.count = FIT_CELLS_AUTO;
	b.profile.cells.mirror_distances = true;
	b.profile.iothreads.intent.set = false;
	return b;
}

static void expect_cell(const struct fit_bench *b, size_t number, const char *vcpus,
	const char *nodes, uint64_t memory_kib)
{
	assert_true(number < b->plan.cell_count);
	fit_expect_set(&b->plan.cells[number].vcpus, vcpus);
	fit_expect_set(&b->plan.cells[number].nodes, nodes);
	fit_expect_set(&b->plan.cells[number].memory_nodes, nodes);
	assert_int_equal(b->plan.cells[number].memory_kib, memory_kib);
}

static void a_guest_on_two_nodes_has_a_cell_for_each(void **state)
{
	struct fit_bench b = wide_bench(12);

	(void)state;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 2);
	expect_cell(&b, 0, "0-5", "0", 2 * GIB);
	expect_cell(&b, 1, "6-11", "1", 2 * GIB);
	assert_true(b.plan.cell_distances);
	fit_expect_topology(&b, 2, 6, 1);
	/* A guest that one node can take has none. */
	b.domain.vcpus = 4;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 0);
	b.profile.cells.intent.set = false;
	b.domain.vcpus = 12;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 0);
	fit_bench_end(&b);
}

static void shares_are_unequal_where_nodes_are(void **state)
{
	struct fit_bench b = wide_bench(12);

	(void)state;
	b.domain.memory_kib = 4 * GIB + 12;
	b.profile.memory.page_sizes[0] = 0;
	b.profile.memory.page_size_count = 1;
	for (unsigned int cpu = 12; cpu < 15; cpu++)
		fit_made_offline(&b.host, cpu);
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 2);
	expect_cell(&b, 0, "0-6", "0", 2390 * 1024 + 12);
	expect_cell(&b, 1, "7-11", "1", 1706 * 1024);
	fit_expect_topology(&b, 1, 12, 1);
	fit_bench_end(&b);
}

static void floating_vcpus_of_a_cell_float_over_its_node(void **state)
{
	struct fit_bench b = wide_bench(16);

	(void)state;
	b.profile.vcpus.place = FIT_PLACE_NODE;
	b.profile.vcpus.shared = true;
	b.profile.cells.count = 2;
	fit_bench_plan(&b);
	expect_cell(&b, 0, "0-7", "0", 2 * GIB);
	fit_expect_set(&b.plan.vcpus[0].cpus, "0-7");
	fit_expect_set(&b.plan.vcpus[15].cpus, "8-15");
	fit_expect_topology(&b, 2, 8, 1);
	fit_bench_end(&b);
}

/* More of them than CPUs: the one too many goes where fewer vCPUs are. */
static void floating_vcpus_that_are_too_many_make_up_for_pinned_ones(void **state)
{
	(void)state;
	for (unsigned int node = 0; node < 2; node++) {
		struct fit_bench b = wide_bench(18);

		b.profile.vcpus.place = FIT_PLACE_NODE;
		b.profile.vcpus.shared = true;
		b.profile.cells.count = 2;
		fit_made_pin(&b.domain, 0, node ? "10" : "2");
		fit_bench_plan(&b);
		for (size_t i = 0; i < 2; i++)
			assert_int_equal(fit_cpuset_count(&b.plan.cells[i].vcpus), 9);
		fit_bench_end(&b);
	}
}

static void as_many_cells_as_asked_for_or_a_refusal(void **state)
{
	struct fit_bench b = wide_bench(4);

	(void)state;
	b.profile.vcpus.span_nodes = false;
	b.profile.cells.count = 2;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 2);
	expect_cell(&b, 1, "2-3", "1", 2 * GIB);
	b.profile.cells.count = 1;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 1);
	assert_false(b.plan.cell_distances);
	b.profile.cells.count = 3;
	fit_expect_refusal(&b, "3 guest NUMA cells wanted, one for each node, but this host has 2");
	b.profile.cells.count = 2;
	b.domain.vcpus = 1;
	fit_expect_refusal(&b, "2 guest NUMA cells wanted for 1 vCPU");
	b.domain.vcpus = 4;
	b.host.nodes[1].memory_kib = 0;
	fit_expect_refusal(&b, "this host has 1 node with CPUs and memory (node 0)");
	fit_bench_end(&b);
}

static void each_cell_has_the_pages_that_its_node_has(void **state)
{
	struct fit_bench b = wide_bench(12);

	(void)state;
	b.host.nodes[0].pools[1].total = b.host.nodes[0].pools[1].free = 3;
	b.domain.memory_kib = 5 * GIB - 512 * 1024;
	fit_bench_plan(&b);
	assert_true(b.plan.pages_differ);
	assert_int_equal(b.plan.cells[0].page_kib, GIB);
	assert_int_equal(b.plan.cells[0].memory_kib, 3 * GIB);
	assert_int_equal(b.plan.cells[1].page_kib, 2048);
	/* What rounding up to 1 GiB added is given back. */
	assert_int_equal(b.plan.cells[1].memory_kib, 1536 * 1024);
	assert_false(b.plan.memory_rounded);
	assert_int_equal(b.plan.pages, 3 + 768);
	b.host.nodes[1].pools[1].total = b.host.nodes[1].pools[1].free = 2;
	fit_bench_plan(&b);
	assert_false(b.plan.pages_differ);
	assert_int_equal(b.plan.page_kib, GIB);
	assert_int_equal(b.plan.memory_kib, 5 * GIB);
	assert_true(b.plan.memory_rounded);
	/* A guest of one page cannot be divided. */
	b.domain.memory_kib = GIB;
	b.profile.memory.page_size_count = 1;
	fit_expect_refusal(&b, "rounded up by more than an eighth");
	fit_bench_end(&b);
}

/* Too many cores to look at every choice of them. */
static void on_a_large_host_a_node_has_the_vcpus_that_it_has_pages_for(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 40, 1}, 4);
	struct fit_page_pool *pools[] = {&b.host.nodes[0].pools[1], &b.host.nodes[1].pools[1]};

	(void)state;
	b.profile.iothreads.intent.set = false;
	b.profile.cells.intent.set = true;
	b.profile.cells.count = 2;
	b.profile.memory.page_size_count = 1;
	b.host.nodes[0].free_kib = b.host.nodes[1].free_kib = 0;
	pools[0]->total = pools[0]->free = 1;
	pools[1]->total = pools[1]->free = 3;
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,40,41,42");
	expect_cell(&b, 0, "0", "0", GIB);
	expect_cell(&b, 1, "1-3", "1", 3 * GIB);
	assert_int_equal(b.plan.page_kib, GIB);
	fit_bench_end(&b);
}

static void as_many_vcpus_as_there_may_be_have_equal_cells(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 32}, 256);

	(void)state;
	b.profile.iothreads.intent.set = false;
	b.profile.cells.intent.set = true;
	b.profile.cells.count = 2;
	fit_bench_plan(&b);
	expect_cell(&b, 0, "0-127", "0", 2 * GIB);
	expect_cell(&b, 1, "128-255", "1", 2 * GIB);
	fit_bench_end(&b);
}

static void memory_larger_than_a_node_is_worth_another_one(void **state)
{
	struct fit_bench b = wide_bench(4);

	(void)state;
	b.domain.memory_kib = 100 * GIB;
	b.profile.memory.page_sizes[0] = 0;
	b.profile.memory.page_size_count = 1;
	fit_bench_plan(&b);
	expect_cell(&b, 0, "0-1", "0", 50 * GIB);
	expect_cell(&b, 1, "2-3", "1", 50 * GIB);
	/* Unequal nodes: the memory goes where there is room. */
	b.host.nodes[1].memory_kib = 40 * GIB;
	fit_bench_plan(&b);
	expect_cell(&b, 0, "0-1", "0", 60 * GIB);
	expect_cell(&b, 1, "2-3", "1", 40 * GIB);
	fit_bench_end(&b);
}

static void give_cells(struct fit_bench *b)
{
	b->domain.cells = fit_xcalloc(2, sizeof(*b->domain.cells));
	b->domain.cell_count = 2;
	b->domain.cells[0] =
		(struct fit_domain_cell){.memory_kib = GIB, .vcpus = fit_made_set("0-5")};
	b->domain.cells[1] =
		(struct fit_domain_cell){.memory_kib = 3 * GIB, .vcpus = fit_made_set("6-11")};
}

static void cells_of_the_definition_stay_and_get_memory_at_home(void **state)
{
	struct fit_bench b = wide_bench(12);

	(void)state;
	give_cells(&b);
	fit_bench_plan(&b);
	assert_true(b.plan.cells_kept);
	expect_cell(&b, 0, "0-5", "0", GIB);
	expect_cell(&b, 1, "6-11", "1", 3 * GIB);
	assert_true(fit_made_reason(&b.plan, FIT_REASON_NOTE, "guest NUMA cell 1: pages of"));
	/* Too large for the node: all cells have the memory of both. */
	b.host.nodes[1].memory_kib = 2 * GIB;
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_NOTE, "pages of");
	assert_false(fit_made_reason(&b.plan, FIT_REASON_NOTE, "guest NUMA cell"));
	fit_expect_set(&b.plan.cells[0].memory_nodes, "0-1");
	fit_expect_set(&b.plan.cells[1].memory_nodes, "0-1");
	b.host.nodes[1].memory_kib = 64 * GIB;
	b.profile.cells.intent.existing = FIT_EXISTING_REPLACE;
	fit_bench_plan(&b);
	assert_false(b.plan.cells_kept);
	expect_cell(&b, 1, "6-11", "1", 2 * GIB);
	b.domain.has_cell_users = true;
	fit_bench_plan(&b);
	assert_true(b.plan.cells_kept);
	fit_expect_reason(&b, FIT_REASON_NOTE, "devices of it refer to them");
	fit_bench_end(&b);
}

/* On POWER a cell has whole memory blocks of 256 MiB. */
static void too_little_memory_for_a_cell_is_refused(void **state)
{
	struct fit_bench b = wide_bench(2);

	(void)state;
	b.profile.cells.count = 1;
	b.profile.memory.page_sizes[0] = 0;
	b.profile.memory.page_size_count = 1;
	fit_xreplace(&b.domain.arch, "ppc64le");
	b.domain.memory_kib = 64 * 1024;
	fit_expect_refusal(&b, "64 MiB of memory is too little for 1 guest NUMA cell");
	/* The definition's pages stay. */
	fit_xreplace(&b.domain.arch, "x86_64");
	b.profile.cells.count = 2;
	b.domain.memory_kib = GIB;
	b.domain.has_hugepages = true;
	b.domain.hugepage_kib = GIB;
	fit_expect_refusal(
		&b, "1 GiB of memory in pages of 1 GiB is too little for 2 guest NUMA cells");
	fit_bench_end(&b);
}

static void no_page_is_given_to_two_cells_that_are_bound_nowhere(void **state)
{
	struct fit_bench b = wide_bench(12);
	struct fit_page_pool *pools[] = {&b.host.nodes[0].pools[1], &b.host.nodes[1].pools[1]};

	(void)state;
	give_cells(&b);
	b.domain.has_memnodes = true;
	pools[0]->total = pools[0]->free = pools[1]->total = pools[1]->free = 2;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cells[0].page_kib, GIB);
	assert_int_equal(b.plan.cells[1].page_kib, GIB);
	pools[0]->total = pools[0]->free = 1;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cells[0].page_kib, GIB);
	assert_int_equal(b.plan.cells[1].page_kib, 2048);
	fit_bench_end(&b);
}

/* To which we give none, because it is on one node: it keeps its own or loses them. */
static void the_pages_of_a_guest_s_own_cells_are_all_its_pages(void **state)
{
	struct fit_bench b = wide_bench(4);
	struct fit_page_pool *pool = &b.host.nodes[0].pools[1];

	(void)state;
	give_cells(&b);
	b.profile.cells.intent.existing = FIT_EXISTING_REPLACE;
	pool->total = 5;
	pool->free = 4;
	b.host.nodes[1].pools[1].total = b.host.nodes[1].pools[1].free = 0;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 0);
	assert_int_equal(b.plan.page_kib, GIB);
	fit_bench_keep_plan(&b);
	assert_null(b.previous.cells);
	b.previous.cells = fit_xcalloc(2, sizeof(*b.previous.cells));
	b.previous.cell_count = 2;
	for (size_t i = 0; i < b.previous.cell_count; i++) {
		b.previous.cells[i].memory_kib = b.domain.cells[i].memory_kib;
		b.previous.cells[i].has_hugepages = true;
		b.previous.cells[i].hugepage_kib = GIB;
	}
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, GIB);
	fit_bench_end(&b);
}

/* The second cell may have its pages on either node: the first one's are not at its disposal. */
static void a_cell_is_not_turned_out_by_one_that_is_bound_nowhere(void **state)
{
	struct fit_bench b = wide_bench(12);
	struct fit_page_pool *pools[] = {&b.host.nodes[0].pools[1], &b.host.nodes[1].pools[1]};

	(void)state;
	give_cells(&b);
	b.domain.has_memnodes = b.domain.cells[0].has_memnode = true;
	b.domain.cells[0].nodes = fit_made_set("0");
	pools[0]->total = pools[0]->free = pools[1]->total = pools[1]->free = 3;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cells[0].page_kib, GIB);
	assert_int_equal(b.plan.cells[1].page_kib, GIB);
	fit_bench_keep_plan(&b);
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cells[0].page_kib, GIB);
	assert_int_equal(b.plan.cells[1].page_kib, GIB);
	/* What it never had is not its to take from the second one. */
	b.previous.cells[0].hugepage_kib = 2048;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cells[0].page_kib, 2048);
	assert_int_equal(b.plan.cells[1].page_kib, GIB);
	fit_bench_end(&b);
}

static void without_memory_of_their_own_no_cells_are_made(void **state)
{
	struct fit_bench b = wide_bench(12);

	(void)state;
	b.profile.cells.count = 2;
	b.domain.has_numatune = true;
	b.domain.numatune_nodes = fit_made_set("0-1");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 0);
	fit_expect_reason(&b, FIT_REASON_NOTE, "no guest NUMA cells are made: <numatune>");
	b.domain.has_numatune = false;
	b.profile.memory.nodes_as_cpus = false;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 0);
	fit_expect_reason(&b, FIT_REASON_NOTE, "the profile does not bind the memory");
	b.profile.memory.nodes_as_cpus = true;
	free(b.domain.machine);
	b.domain.machine = fit_xstrdup("microvm");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 0);
	fit_expect_reason(&b, FIT_REASON_NOTE, "microvm has no NUMA cells");
	fit_xreplace(&b.domain.machine, "q35");
	fit_strlist_add(&b.domain.qemu_args, "-numa");
	fit_strlist_add(&b.domain.qemu_args, "node,cpus=0-11");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 0);
	fit_expect_reason(&b, FIT_REASON_NOTE, "<qemu:commandline> of the definition has its own");
	fit_bench_end(&b);
}

static void kept_pins_make_cells_where_they_are_on_nodes(void **state)
{
	struct fit_bench b = wide_bench(4);

	(void)state;
	fit_made_pin(&b.domain, 0, "1");
	fit_made_pin(&b.domain, 1, "2-3");
	fit_made_pin(&b.domain, 2, "9");
	fit_made_pin(&b.domain, 3, "10");
	fit_bench_plan(&b);
	expect_cell(&b, 0, "0-1", "0", 2 * GIB);
	expect_cell(&b, 1, "2-3", "1", 2 * GIB);
	b.domain.vcpu_pins[1].cpus = fit_made_set("3,9");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 0);
	fit_expect_reason(&b, FIT_REASON_NOTE, "no guest NUMA cells are made: the vCPU pins");
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guest_on_two_nodes_has_a_cell_for_each),
		cmocka_unit_test(shares_are_unequal_where_nodes_are),
		cmocka_unit_test(floating_vcpus_of_a_cell_float_over_its_node),
		cmocka_unit_test(floating_vcpus_that_are_too_many_make_up_for_pinned_ones),
		cmocka_unit_test(as_many_cells_as_asked_for_or_a_refusal),
		cmocka_unit_test(each_cell_has_the_pages_that_its_node_has),
		cmocka_unit_test(on_a_large_host_a_node_has_the_vcpus_that_it_has_pages_for),
		cmocka_unit_test(as_many_vcpus_as_there_may_be_have_equal_cells),
		cmocka_unit_test(memory_larger_than_a_node_is_worth_another_one),
		cmocka_unit_test(cells_of_the_definition_stay_and_get_memory_at_home),
		cmocka_unit_test(too_little_memory_for_a_cell_is_refused),
		cmocka_unit_test(no_page_is_given_to_two_cells_that_are_bound_nowhere),
		cmocka_unit_test(the_pages_of_a_guest_s_own_cells_are_all_its_pages),
		cmocka_unit_test(a_cell_is_not_turned_out_by_one_that_is_bound_nowhere),
		cmocka_unit_test(without_memory_of_their_own_no_cells_are_made),
		cmocka_unit_test(kept_pins_make_cells_where_they_are_on_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
