/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory nodes and page sizes. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/target.h"
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

static void memory_devices_have_room_in_the_pool(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	b.host.nodes[0].pools[1].total = b.host.nodes[0].pools[1].free = 5;
	b.domain.cells = fit_xcalloc(1, sizeof(*b.domain.cells));
	b.domain.cells[0].memory_kib = b.domain.memory_kib = 4 * GIB;
	b.domain.cell_count = 1;
	b.domain.cells[0].device_kib = GIB;
	b.domain.has_cell_users = true;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, GIB);
	assert_int_equal(b.plan.pages, 5);
	b.domain.cells[0].device_kib = 2 * GIB;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 2048);
	assert_int_equal(b.plan.pages, 6 * 512);
	fit_bench_end(&b);
}

static void memory_devices_of_another_size_have_room_too(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);
	struct fit_page_pool *pools = b.host.nodes[0].pools;
	struct fit_domain_memory_device *device;

	(void)state;
	pools[1].total = pools[1].free = 5;
	b.domain.cells = fit_xcalloc(1, sizeof(*b.domain.cells));
	b.domain.cells[0].memory_kib = b.domain.memory_kib = 4 * GIB;
	b.domain.cell_count = 1;
	b.domain.has_cell_users = true;
	device = FIT_APPEND(b.domain.memory_devices, b.domain.memory_device_count);
	*device = (struct fit_domain_memory_device){.kib = GIB, .page_kib = GIB};
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, GIB);
	/* Running, it has them all, and goes on having them. */
	fit_bench_keep_plan(&b);
	pools[1].free = 0;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, GIB);
	device->kib = 2 * GIB;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 2048);
	device->page_kib = 16 * GIB;
	fit_expect_refusal(&b, "a memory device of the definition wants pages of 16 GiB, which");
	fit_bench_end(&b);
}

/* In the pages of its cell, but from elsewhere. */
static void memory_devices_on_other_nodes_have_room_there(void **state)
{
	static const struct {
		const char *nodes;
		uint64_t pools[2], kib, page_kib;
		const char *why;
	} cases[] = {
		{"0", {5, 0}, GIB, GIB, NULL},
		{"0", {5, 9}, 2 * GIB, 2048, "6 wanted, 5 free"},
		{"1", {4, 0}, GIB, 2048,
			"for a memory device of the definition on node 1, 1 wanted, 0 free"},
		{"1", {4, 1}, GIB, GIB, NULL},
		{"1", {4, 1}, GIB + 1, 2048,
			"for a memory device of the definition on node 1, 2 wanted, 1 free"},
		{"1", {3, 9}, GIB, 2048, "4 wanted, 3 free"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 1}, 2);

		for (unsigned int node = 0; node < 2; node++)
			b.host.nodes[node].pools[1].total = b.host.nodes[node].pools[1].free =
				cases[i].pools[node];
		b.domain.cells = fit_xcalloc(1, sizeof(*b.domain.cells));
		b.domain.cells[0].memory_kib = b.domain.memory_kib = 4 * GIB;
		b.domain.cell_count = 1;
		b.domain.has_cell_users = true;
		*FIT_APPEND(b.domain.memory_devices, b.domain.memory_device_count) =
			(struct fit_domain_memory_device){.kib = cases[i].kib,
				.has_nodes = true,
				.nodes = fit_made_set(cases[i].nodes)};
		fit_made_claim(&b.claims, "other", true, "8-15");
		fit_bench_plan(&b);
		if (b.plan.page_kib != cases[i].page_kib)
			fail_msg("%zu: pages of %llu KiB", i, (unsigned long long)b.plan.page_kib);
		if (cases[i].why)
			fit_expect_reason(&b, FIT_REASON_NOTE, cases[i].why);
		/* Running, it has them, and goes on having them. */
		fit_bench_keep_plan(&b);
		for (unsigned int node = 0; node < 2 && !cases[i].why; node++)
			b.host.nodes[node].pools[1].free = 0;
		fit_bench_plan(&b);
		assert_int_equal(b.plan.page_kib, cases[i].page_kib);
		fit_bench_end(&b);
	}
}

static void memory_devices_of_running_guests_with_cells_are_their_own(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);
	struct fit_page_pool *pools = b.host.nodes[0].pools;

	(void)state;
	pools[1].total = pools[1].free = 5;
	for (unsigned int i = 0; i < 2; i++) {
		struct fit_domain_cell *cell = FIT_APPEND(b.domain.cells, b.domain.cell_count);

		cell->memory_kib = 2 * GIB;
		fit_cpuset_add(&cell->vcpus, i);
	}
	b.domain.memory_kib = 4 * GIB;
	b.domain.has_cell_users = true;
	*FIT_APPEND(b.domain.memory_devices, b.domain.memory_device_count) =
		(struct fit_domain_memory_device){.kib = GIB, .page_kib = GIB};
	for (int run = 0; run < 3; run++) {
		fit_bench_plan(&b);
		assert_int_equal(b.plan.cells[0].page_kib, GIB);
		assert_int_equal(b.plan.cells[1].page_kib, GIB);
		fit_domain_clear(&b.previous);
		fit_bench_keep_plan(&b);
		pools[1].free = 0;
	}
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

static void mounted(struct fit_bench *b, const char *lines)
{
	fit_hugetlbfs_clear(&b->host.hugetlbfs);
	b->host.hugetlbfs.place = "/huge";
	b->host.hugetlbfs.default_kib = 2048;
	fit_hugetlbfs_parse(&b->host.hugetlbfs, lines);
}

static const char small_only[] = "none /a hugetlbfs rw,pagesize=2M 0 0";
static const char both_sizes[] =
	"none /a hugetlbfs rw,pagesize=2M 0 0\nnone /b hugetlbfs rw,pagesize=1024M 0 0";

static void a_size_without_a_hugetlbfs_is_passed_over(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);
	struct fit_node *node = &b.host.nodes[0];

	(void)state;
	/* Not there anyway: no more than a note. */
	mounted(&b, small_only);
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 2048);
	fit_expect_reason(&b, FIT_REASON_NOTE,
		"0 free in the pool (reserve more at boot with hugepagesz= and hugepages=); and "
		"libvirt needs a mounted hugetlbfs with pages of 1 GiB");
	assert_null(fit_made_reason(&b.plan, FIT_REASON_WARNING, "hugetlbfs"));
	/* Somebody has reserved them and will wonder. */
	node->pools[1].total = node->pools[1].free = 4;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 2048);
	fit_expect_reason(&b, FIT_REASON_NOTE,
		"pages of 1 GiB do not fit: libvirt needs a mounted hugetlbfs with pages of 1 GiB, "
		"which this host does not have (mounted: 2 MiB); pages of 2 MiB instead");
	fit_expect_reason(&b, FIT_REASON_WARNING,
		"pages of 1 GiB would fit, but no hugetlbfs of them is mounted: mount one: mkdir "
		"-p /huge1G && mount -t hugetlbfs -o pagesize=1G");
	mounted(&b, both_sizes);
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, GIB);
	/* A smaller size is not missed when the larger one is there. */
	mounted(&b, "none /b hugetlbfs rw,pagesize=1024M 0 0");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, GIB);
	assert_null(fit_made_reason(&b.plan, FIT_REASON_WARNING, "hugetlbfs"));
	/* Nothing is mounted: normal pages where the profile allows them. */
	mounted(&b, "");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 0);
	b.profile.memory.page_size_count = 2;
	fit_expect_refusal(&b, "pagesize=1G hugetlbfs /huge1G");
	node->pools[1].free = node->pools[1].total = 0;
	fit_expect_refusal(&b, "pagesize=2M hugetlbfs /huge2M");
	b.profile.memory.page_size_count = 1;
	mounted(&b, small_only);
	fit_expect_refusal(&b, "(mounted: 2 MiB); mount one: mkdir -p /huge1G");
	fit_bench_end(&b);
}

static void memory_in_a_memfd_needs_no_hugetlbfs(void **state)
{
	const struct fit_target old = {FIT_VERSION_OF(4, 0, 0), FIT_VERSION_OF(2, 11, 0)};
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	mounted(&b, "");
	b.profile.memory.memfd = true;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 2048);
	/* Where it cannot be written, or is not, because the definition says otherwise. */
	b.target = &old;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 0);
	b.target = NULL;
	b.domain.memory_source = fit_xstrdup("file");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 0);
	b.profile.memory.intent.existing = FIT_EXISTING_REPLACE;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 2048);
	b.profile.memory.memfd = false;
	free(b.domain.memory_source);
	b.domain.memory_source = fit_xstrdup("memfd");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.page_kib, 2048);
	fit_bench_end(&b);
}

static void a_kept_page_size_without_a_hugetlbfs_is_refused(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	b.domain.has_hugepages = true;
	b.domain.hugepage_kib = GIB;
	fit_bench_plan(&b);
	mounted(&b, small_only);
	fit_expect_refusal(&b, "for <hugepages> of the definition libvirt needs a mounted "
			       "hugetlbfs with pages of 1 GiB");
	/* The default size. */
	b.domain.hugepage_kib = 0;
	fit_bench_plan(&b);
	mounted(&b, "");
	fit_expect_refusal(&b, "-o pagesize=2M");
	/* A memfd needs no mount for the memory, but libvirt does for the size. */
	b.domain.memory_source = fit_xstrdup("memfd");
	fit_expect_refusal(&b, "-o pagesize=2M");
	b.domain.hugepage_kib = 2048;
	fit_bench_plan(&b);
	fit_bench_end(&b);
}

static void memory_beyond_that_of_the_host_is_refused(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 4, 1}, 2);

	(void)state;
	b.domain.memory_kib = 128 * GIB;
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.memory_nodes, "0-1");
	b.domain.memory_kib = 129 * GIB;
	fit_expect_refusal(&b, "129 GiB of memory wanted, strictly bound to its nodes; the host "
			       "has 128 GiB on nodes 0-1");
	assert_non_null(strstr(b.err.message, "\n  would fit: 128 GiB of memory"));
	assert_null(strstr(b.err.message, ", or "));
	/* Other pages and shared CPUs make no memory. */
	b.profile.memory.page_size_count = 1;
	fit_expect_refusal(&b, "in huge pages");
	assert_null(strstr(b.err.message, "normal pages: "));
	b.profile.memory.page_size_count = 3;
	fit_made_claim(&b.claims, "other", true, "0-7");
	fit_expect_refusal(&b, "0 are free on each of nodes 0-1");
	assert_null(strstr(b.err.message, "shared="));
	fit_claims_clear(&b.claims);
	/* What is only preferred can be swapped out, unless it is locked. */
	b.profile.memory.strict = false;
	fit_bench_plan(&b);
	b.profile.memory.locked = true;
	fit_expect_refusal(&b, "129 GiB of memory wanted, locked; the host has 128 GiB");
	b.profile.memory.locked = false;
	b.domain.has_locked = true;
	fit_expect_refusal(&b, "129 GiB of memory wanted, locked; the host has 128 GiB");
	/* Memory without CPUs is for what is not bound. */
	b.host.nodes[1].cpus = (struct fit_cpuset){0};
	b.domain.memory_kib = 128 * GIB;
	fit_bench_plan(&b);
	b.profile.memory.strict = true;
	fit_expect_refusal(&b, "the host has 64 GiB on node 0");
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
		cmocka_unit_test(memory_devices_have_room_in_the_pool),
		cmocka_unit_test(memory_devices_of_another_size_have_room_too),
		cmocka_unit_test(memory_devices_on_other_nodes_have_room_there),
		cmocka_unit_test(memory_devices_of_running_guests_with_cells_are_their_own),
		cmocka_unit_test(large_pages_do_not_inflate_a_small_guest),
		cmocka_unit_test(a_kept_page_size_that_the_host_lacks_is_refused),
		cmocka_unit_test(a_size_without_a_hugetlbfs_is_passed_over),
		cmocka_unit_test(memory_in_a_memfd_needs_no_hugetlbfs),
		cmocka_unit_test(a_kept_page_size_without_a_hugetlbfs_is_refused),
		cmocka_unit_test(memory_beyond_that_of_the_host_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
