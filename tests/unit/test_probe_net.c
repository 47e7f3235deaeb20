/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sysfs and procfs say of who uses a network card, and of IOMMU groups. */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_host.h"
#include "sys/probe.h"

/* A VF with an interface that is up. */
#define ONLINE "sys/devices/system/cpu/online = 0\n"
#define DEVICE "sys/bus/pci/devices/0000:41:10.0/"
#define HOST   ONLINE DEVICE "class = 0x020000\n" DEVICE "net/eth1/operstate = up\n"
#define ROUTES "proc/self/net/route = Iface\\tDestination\\tGateway\\n"
#define REST   "\\t00000000\\t0003\\t0\\t0\\t0\\t"

static struct fit_host probe_text(const char *base, const char *manifest)
{
	struct fit_fsroot root = fit_test_root(base);
	struct fit_host host = {0};
	struct fit_err err = FIT_ERR_INIT;

	fit_test_root_add(&root, manifest);
	if (fit_probe(&root, FIT_PROBE_PCI, &host, NULL, &err) < 0)
		fail_msg("%s", err.message);
	fit_test_root_remove(&root);
	assert_int_equal(host.pci_count, 1);
	return host;
}

static struct fit_host probe(const char *manifest)
{
	return probe_text(HOST, manifest);
}

static void expect_use(const char *use, const char *manifest)
{
	struct fit_host host = probe(manifest);

	assert_int_equal(host.pci[0].netdev_count, 1);
	assert_true(host.pci[0].netdevs[0].up);
	if (!fit_streq(host.pci[0].netdevs[0].use, use))
		fail_msg("'%s' instead of '%s' with %s", host.pci[0].netdevs[0].use, use, manifest);
	fit_host_clear(&host);
}

static void an_interface_is_used_when_it_has_an_address_or_is_part_of_another(void **state)
{
	static const char others[] =
		ROUTES "eth2\\t0000000A" REST "000000FF\\neth10\\t00000000" REST "00000000\n";

	(void)state;
	/* Where nothing is known of addresses, being up counts. */
	expect_use("is up", "");
	expect_use(NULL, others);
	expect_use("has an address", ROUTES "eth1\\t0000000A" REST "000000FF\n");
	expect_use("has an address", ROUTES "eth1\\t00000000" REST "00000080\n");
	expect_use("has the default route",
		ROUTES "eth1\\t0000000A" REST "000000FF\\neth1\\t00000000" REST "00000000\n");
	expect_use("has an address",
		ROUTES "\nproc/self/net/if_inet6 = "
		       "20010db8000000000000000000000001 03 40 00 80     eth1\n");
	/* Those that the kernel makes by itself say nothing. */
	expect_use(NULL, ROUTES "\nproc/self/net/if_inet6 = "
				"fe80000000000000505400fffe000001 03 40 20 80     eth1\n");
	expect_use("is part of br0", ROUTES "\n" DEVICE "net/eth1/master -> ../../br0\n");
	expect_use("is part of macvtap0",
		ROUTES "\n" DEVICE "net/eth1/upper_macvtap0 -> ../../virtual/net/macvtap0\n");
}

/* The kernel shows nobody the interfaces of other namespaces. */
static void an_interface_of_another_namespace_is_missed(void **state)
{
	struct fit_host host;

	(void)state;
	host = probe("");
	assert_false(host.pci[0].netdevs_elsewhere);
	fit_host_clear(&host);
	host = probe_text(ONLINE DEVICE "net/\n", "");
	assert_true(host.pci[0].netdevs_elsewhere);
	fit_host_clear(&host);
	host = probe_text(ONLINE DEVICE "class = 0x020000\n", "");
	assert_false(host.pci[0].netdevs_elsewhere);
	fit_host_clear(&host);
}

static void a_device_of_vfio_is_enabled_while_it_is_open(void **state)
{
	struct fit_host host;

	(void)state;
	host = probe(DEVICE "enable = 1\n" DEVICE "driver -> ../../drivers/vfio-pci\n");
	assert_true(host.pci[0].opened);
	fit_host_clear(&host);
	host = probe(DEVICE "enable = 0\n" DEVICE "driver -> ../../drivers/vfio-pci\n");
	assert_false(host.pci[0].opened);
	fit_host_clear(&host);
	host = probe(DEVICE "enable = 1\n" DEVICE "driver -> ../../drivers/igbvf\n");
	assert_false(host.pci[0].opened);
	fit_host_clear(&host);
	/* As the lab had it. */
	host = fit_test_host("lab-running");
	assert_true(fit_host_pci(&host, (struct fit_pciaddr){.bus = 0x41, .slot = 0x10})->opened);
	fit_host_clear(&host);
}

static void the_command_line_tells_of_split_groups(void **state)
{
	struct fit_host host;

	(void)state;
	host = probe(
		"proc/cmdline = root=/dev/sda pcie_acs_override=downstream,multifunction ro\n");
	assert_string_equal(host.acs_override, "pcie_acs_override=downstream,multifunction");
	fit_host_clear(&host);
	host = probe("proc/cmdline = root=/dev/sda not_pcie_acs_override=downstream ro\n");
	assert_null(host.acs_override);
	fit_host_clear(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interface_is_used_when_it_has_an_address_or_is_part_of_another),
		cmocka_unit_test(an_interface_of_another_namespace_is_missed),
		cmocka_unit_test(a_device_of_vfio_is_enabled_while_it_is_open),
		cmocka_unit_test(the_command_line_tells_of_split_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
