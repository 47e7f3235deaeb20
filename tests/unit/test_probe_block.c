/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which devices have storage that the host uses, on a made-up workstation. */
#include "support.h"

#include <stdlib.h>

#include "base/text.h"
#include "support_host.h"
#include "sys/probe.h"

static struct fit_host probe(const char *more)
{
	struct fit_fsroot root = fit_test_host_root("gpu");
	struct fit_err err = FIT_ERR_INIT;
	struct fit_host host;

	fit_test_root_add(&root, more);
	if (fit_probe(&root, FIT_PROBE_PCI, &host, NULL, &err) < 0)
		fail_msg("%s", err.message);
	fit_test_root_remove(&root);
	return host;
}

static void expect_use(const char *more, const char *address, const char *wanted)
{
	struct fit_host host = probe(more);
	const struct fit_pci_device *device;
	struct fit_pciaddr addr;

	assert_true(fit_pciaddr_parse(address, &addr));
	device = fit_host_pci(&host, addr);
	assert_non_null(device);
	if (!fit_streq(device->in_use ? device->in_use : "", wanted))
		fail_msg("%s: '%s' instead of '%s'", address, device->in_use, wanted);
	fit_host_clear(&host);
}

static void a_mounted_partition_is_use(void **state)
{
	(void)state;
	expect_use("", "0000:04:00.0", "/dev/nvme0n1p2 is mounted on /");
	expect_use("", "0000:05:00.0", "");
	expect_use("", "0000:01:00.0", "");
}

static void the_head_of_several_paths_is_that_of_each(void **state)
{
	(void)state;
	expect_use("", "0000:06:00.0", "/dev/nvme2n1p1 is part of dm-0");
}

static void swap_space_is_use(void **state)
{
	(void)state;
	expect_use("proc/swaps = Filename Type\\n/dev/nvme1n1 partition 1 0 -2", "0000:05:00.0",
		"/dev/nvme1n1 is swap space");
}

static void a_disk_is_told_from_one_whose_name_begins_alike(void **state)
{
	(void)state;
	expect_use(
		"proc/swaps = Filename Type\\n/dev/nvme1n12 partition 1 0 -2", "0000:05:00.0", "");
	expect_use("proc/swaps = Filename Type\\n/dev/nvme1n1p12 partition 1 0 -2", "0000:05:00.0",
		"/dev/nvme1n1p12 is swap space");
	expect_use("proc/self/mountinfo = garbage\\n1 2 - x /dev/nvme1n1", "0000:05:00.0", "");
}

static void the_display_of_the_console_is_known(void **state)
{
	struct fit_host host = probe("");

	(void)state;
	for (size_t i = 0; i < host.pci_count; i++)
		assert_int_equal(host.pci[i].boot_vga,
			fit_streq(FIT_PCIADDR_STR(host.pci[i].addr), "0000:00:02.0"));
	fit_host_clear(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mounted_partition_is_use),
		cmocka_unit_test(the_head_of_several_paths_is_that_of_each),
		cmocka_unit_test(swap_space_is_use),
		cmocka_unit_test(a_disk_is_told_from_one_whose_name_begins_alike),
		cmocka_unit_test(the_display_of_the_console_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
