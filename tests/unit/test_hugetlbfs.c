/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For which page sizes a hugetlbfs is mounted, and what is said of the others. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/hugetlbfs.h"
#include "support_host.h"
#include "sys/probe.h"

static void expect_sizes(uint64_t default_kib, const char *lines, const char *expected)
{
	struct fit_hugetlbfs mounts = {.default_kib = default_kib};
	fit_autofree char *found = NULL;

	fit_hugetlbfs_parse(&mounts, lines);
	found = fit_hugetlbfs_format(&mounts);
	assert_true(mounts.known);
	assert_string_equal(found, expected);
	fit_hugetlbfs_clear(&mounts);
}

static void the_kernels_list_tells_the_sizes(void **state)
{
	(void)state;
	expect_sizes(2048, "", "");
	expect_sizes(2048, "proc /proc proc rw 0 0\n", "");
	expect_sizes(
		2048, "hugetlbfs /dev/hugepages hugetlbfs rw,relatime,pagesize=2M 0 0\n", "2 MiB");
	/* As the kernel prints pages of 1 GiB, of Arm and of POWER. */
	expect_sizes(2048,
		"none /b hugetlbfs rw,pagesize=1024M 0 0\nnone /a hugetlbfs rw,pagesize=64K 0 0\n"
		"none /c hugetlbfs rw,pagesize=16M,size=1024M 0 0\n",
		"64 KiB, 16 MiB, 1 GiB");
	expect_sizes(0, "none /b hugetlbfs rw,pagesize=1G 0 0\n", "1 GiB");
	expect_sizes(2048,
		"none /a hugetlbfs rw,pagesize=2M 0 0\nnone /b hugetlbfs rw,pagesize=2M 0 0",
		"2 MiB");
	/* Without the option: the default size, if that is known. */
	expect_sizes(2048, "none /a hugetlbfs rw,relatime 0 0\n", "2 MiB");
	expect_sizes(0, "none /a hugetlbfs rw,relatime 0 0\n", "");
	/* Names that look like it, and lines that are cut. */
	expect_sizes(2048, "hugetlbfs /hugetlbfs tmpfs rw,pagesize=2M 0 0\n", "");
	expect_sizes(2048, "hugetlbfs /a hugetlbfs", "");
	expect_sizes(2048, "none /a hugetlbfs rw,pagesize= 0 0\n", "");
	expect_sizes(2048, "none /a hugetlbfs rw,pagesize=2X 0 0\n", "");
	expect_sizes(2048, "none /a hugetlbfs rw,pagesize=99999999999999999999G 0 0\n", "");
}

static void nothing_is_said_of_what_is_not_known(void **state)
{
	struct fit_hugetlbfs mounts = {0};

	(void)state;
	assert_false(fit_hugetlbfs_lacks(&mounts, 2048, false));
	fit_hugetlbfs_parse(&mounts, "none /a hugetlbfs rw,pagesize=2M 0 0");
	assert_false(fit_hugetlbfs_lacks(&mounts, 2048, false));
	assert_true(fit_hugetlbfs_lacks(&mounts, 1048576, false));
	assert_false(fit_hugetlbfs_lacks(&mounts, 1048576, true));
	assert_false(fit_hugetlbfs_lacks(&mounts, 0, false));
	mounts.default_kib = 1048576;
	assert_true(fit_hugetlbfs_lacks(&mounts, 0, false));
	/* Without a size, libvirt takes that of a mount, in a memfd as well. */
	assert_true(fit_hugetlbfs_lacks(&mounts, 0, true));
	fit_hugetlbfs_clear(&mounts);
}

static void the_remedy_is_the_command(void **state)
{
	struct fit_hugetlbfs mounts = {.place = "/huge", .default_kib = 2048};
	fit_autofree char *problem = NULL;
	fit_autofree char *remedy = NULL;
	fit_autofree char *of_default = NULL;

	(void)state;
	fit_hugetlbfs_parse(&mounts, "");
	problem = fit_hugetlbfs_problem(&mounts, 1048576);
	remedy = fit_hugetlbfs_remedy(&mounts, 1048576);
	of_default = fit_hugetlbfs_remedy(&mounts, 0);
	assert_non_null(strstr(problem, "pages of 1 GiB"));
	assert_non_null(strstr(problem, "mounted: none"));
	assert_non_null(strstr(remedy,
		"mkdir -p /huge1G && mount -t hugetlbfs -o pagesize=1G hugetlbfs /huge1G "));
	assert_non_null(strstr(remedy, "hugetlbfs /huge1G hugetlbfs pagesize=1G 0 0"));
	assert_non_null(strstr(remedy, "restart libvirtd"));
	assert_non_null(strstr(of_default, "pagesize=2M hugetlbfs /huge2M "));
}

static struct fit_host probe(const char *manifest)
{
	struct fit_fsroot root = fit_test_root(manifest);
	struct fit_host host;
	struct fit_err err = FIT_ERR_INIT;

	if (fit_probe(&root, FIT_PROBE_NODES, &host, NULL, &err) < 0)
		fail_msg("%s", err.message);
	fit_test_root_remove(&root);
	return host;
}

static void the_probe_finds_them_below_the_root(void **state)
{
	struct fit_host host = probe("sys/devices/system/cpu/online = 0\n");

	(void)state;
	assert_false(host.hugetlbfs.known);
	fit_host_clear(&host);
	host = probe("sys/devices/system/cpu/online = 0\n"
		     "proc/meminfo = MemTotal: 8000000 kB\\nHugepagesize:       2048 kB\n"
		     "proc/self/mounts = none /a hugetlbfs rw 0 0\\n"
		     "none /b hugetlbfs rw,pagesize=1G 0 0\n"
		     "proc/mounts -> self/mounts\n");
	assert_true(host.hugetlbfs.known);
	assert_int_equal(host.hugetlbfs.size_count, 2);
	assert_int_equal(host.hugetlbfs.sizes[0], 2048);
	assert_int_equal(host.hugetlbfs.sizes[1], 1048576);
	fit_host_clear(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernels_list_tells_the_sizes),
		cmocka_unit_test(nothing_is_said_of_what_is_not_known),
		cmocka_unit_test(the_remedy_is_the_command),
		cmocka_unit_test(the_probe_finds_them_below_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
