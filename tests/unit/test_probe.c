/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the probe says about hosts that we know. Hosts that we don't: test_probe_any.c. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support_host.h"
#include "sys/probe.h"

static struct fit_host probe(
	const struct fit_fsroot *root, unsigned int parts, struct fit_strlist *warnings)
{
	struct fit_host host = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_probe(root, parts, &host, warnings, &err) < 0)
		fail_msg("%s", err.message);
	if (parts & FIT_PROBE_PCI)
		fit_probe_msix(root, &host, warnings);
	return host;
}

/* A host of a few lines. */
static struct fit_host probe_text(
	const char *manifest, unsigned int parts, struct fit_strlist *warnings)
{
	struct fit_fsroot root = fit_test_root(manifest);
	struct fit_host host = probe(&root, parts, warnings);

	fit_test_root_remove(&root);
	return host;
}

static void expect_cpus(const struct fit_cpuset *set, const char *expected)
{
	fit_autofree char *list = fit_cpuset_format_list(set);

	assert_string_equal(list, expected);
}

static const struct fit_pci_device *device_at(const struct fit_host *host, const char *text)
{
	struct fit_pciaddr addr;
	const struct fit_pci_device *device;

	assert_true(fit_pciaddr_parse(text, &addr));
	device = fit_host_pci(host, addr);
	if (!device)
		fail_msg("no device %s", text);
	return device;
}

static void cpus_have_their_place_in_the_topology(void **state)
{
	struct fit_host host = fit_test_host("two-node");
	const struct fit_cpu *cpu = fit_host_cpu(&host, 29);

	(void)state;
	assert_string_equal(host.name, "two-node");
	assert_string_equal(host.arch, "x86_64");
	assert_string_equal(host.cpu_vendor, "GenuineIntel");
	expect_cpus(&host.online, "0-31");
	assert_int_equal(host.cpu_count, 32);
	assert_int_equal(cpu->package, 1);
	assert_int_equal(cpu->die, 0);
	assert_int_equal(cpu->cluster, -1);
	assert_int_equal(cpu->core, 5);
	assert_int_equal(cpu->node, 1);
	assert_int_equal(cpu->kind, FIT_CPU_UNIFORM);
	expect_cpus(&cpu->siblings, "13,29");
	assert_int_equal(host.l3_count, 4);
	expect_cpus(&host.l3_groups[cpu->l3], "12-15,28-31");
	fit_host_clear(&host);
}

static void nodes_have_memory_pools_and_distances(void **state)
{
	struct fit_host host = fit_test_host("nps");
	const struct fit_node *node = fit_host_node(&host, 2);

	(void)state;
	assert_int_equal(host.node_count, 4);
	expect_cpus(&node->cpus, "16-23,48-55");
	assert_int_equal(node->memory_kib, 33554432);
	assert_int_equal(node->free_kib, 29360128);
	assert_int_equal(node->pool_count, 2);
	assert_int_equal(node->pools[0].page_kib, 2048);
	assert_int_equal(node->pools[1].page_kib, 1048576);
	assert_int_equal(node->pools[1].total, 8);
	assert_int_equal(fit_host_distance(&host, 2, 2), 10);
	assert_int_equal(fit_host_distance(&host, 2, 3), 12);
	fit_host_clear(&host);
}

static void masks_serve_where_lists_are_missing(void **state)
{
	struct fit_host host = fit_test_host("sparse");

	(void)state;
	expect_cpus(&host.online, "2-5,8-11");
	assert_false(fit_host_cpu(&host, 0)->online);
	assert_int_equal(fit_host_cpu(&host, 0)->package, -1);
	assert_int_equal(fit_host_cpu(&host, 0)->node, -1);
	expect_cpus(&fit_host_cpu(&host, 0)->siblings, "");
	expect_cpus(&fit_host_cpu(&host, 9)->siblings, "8-9");
	expect_cpus(&fit_host_node(&host, 4)->cpus, "8-11");
	assert_int_equal(host.l3_count, 2);
	expect_cpus(&host.l3_groups[1], "8-11");
	assert_int_equal(fit_host_distance(&host, 1, 4), 20);
	fit_host_clear(&host);
}

/* Captures may have the links of a node's directory and nothing else. */
static void nodes_are_known_by_links_to_their_cpus(void **state)
{
	struct fit_host host = probe_text("sys/devices/system/cpu/online = 8,16\n"
					  "sys/devices/system/node/node1/cpu8/\n"
					  "sys/devices/system/node/node17/cpu16/\n"
					  "sys/devices/system/node/node17/cpu24/\n",
		FIT_PROBE_CPUS, NULL);

	(void)state;
	assert_int_equal(host.node_count, 2);
	expect_cpus(&host.nodes[0].cpus, "8");
	expect_cpus(&host.nodes[1].cpus, "16");
	assert_int_equal(host.cpus[1].node, 17);
	fit_host_clear(&host);
}

static void a_machine_without_numa_is_one_node(void **state)
{
	struct fit_host host = probe_text(
		"sys/devices/system/cpu/online = 0-3\n"
		"sys/devices/system/cpu/isolated = 2-3\n"
		"proc/meminfo = MemTotal:        8000000 kB\\nMemFree:         7000000 kB\n"
		"sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages = 5\n"
		"sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages = 4\n"
		"sys/kernel/mm/hugepages/hugepages-64kB/nr_hugepages = 0\n",
		FIT_PROBE_ALL, NULL);

	(void)state;
	assert_int_equal(host.node_count, 1);
	assert_int_equal(host.nodes[0].id, 0);
	expect_cpus(&host.nodes[0].cpus, "0-3");
	assert_int_equal(host.nodes[0].memory_kib, 8000000);
	assert_int_equal(host.nodes[0].free_kib, 7000000);
	assert_int_equal(host.nodes[0].pool_count, 2);
	assert_int_equal(host.nodes[0].pools[0].page_kib, 64);
	assert_int_equal(host.nodes[0].pools[1].free, 4);
	assert_int_equal(host.cpus[3].node, 0);
	assert_true(host.cpus[3].isolated);
	expect_cpus(&host.cpus[3].siblings, "3");
	assert_int_equal(host.cpus[3].package, -1);
	assert_int_equal(host.cpus[3].l3, -1);
	fit_host_clear(&host);
}

static void without_a_list_each_cpu_tells_whether_it_is_online(void **state)
{
	struct fit_host host = probe_text("sys/devices/system/cpu/cpu0/topology/\n"
					  "sys/devices/system/cpu/cpu1/online = 0\n"
					  "sys/devices/system/cpu/cpu10/online = 1\n"
					  "sys/devices/system/cpu/cpufreq/\n"
					  "sys/devices/system/cpu/cpuidle/\n",
		FIT_PROBE_CPUS, NULL);

	(void)state;
	expect_cpus(&host.online, "0,10");
	assert_int_equal(host.cpu_count, 3);
	fit_host_clear(&host);
}

static void what_is_no_system_root_is_refused_and_the_output_left_alone(void **state)
{
	static const struct {
		const char *manifest;
		const char *expected;
	} bad[] = {
		{"etc/passwd = x\n", "is not the root of a system"},
		{"sys/devices/system/cpu/online =\n", "is not the root of a system"},
		{"sys/devices/system/cpu/online -> /nowhere\n", "is not the root of a system"},
		{"sys/devices/system/cpu/online = zero\n", "cpu/online: 'zero' is not a CPU list"},
		{"sys/devices/system/cpu/online = 0-9000\n", "is not a CPU list"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		struct fit_fsroot root = fit_test_root(bad[i].manifest);
		struct fit_host host = {.cpu_count = 42};
		struct fit_err err = FIT_ERR_INIT;

		assert_int_equal(fit_probe(&root, FIT_PROBE_ALL, &host, NULL, &err), -1);
		if (!strstr(err.message, bad[i].expected))
			fail_msg("'%s' gave: %s", bad[i].manifest, err.message);
		assert_int_equal(host.cpu_count, 42);
		fit_test_root_remove(&root);
	}
}

static void contradictions_are_left_out_with_a_warning(void **state)
{
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_host host =
		probe_text("sys/devices/system/cpu/online = 0-3\n"
			   "sys/devices/system/cpu/cpu0/topology/thread_siblings_list = 0-1\n"
			   "sys/devices/system/cpu/cpu1/topology/thread_siblings_list = 1\n"
			   "sys/devices/system/cpu/cpu2/topology/thread_siblings_list = 2-3,77\n"
			   "sys/devices/system/cpu/cpu3/topology/thread_siblings_list = 2-3\n"
			   "sys/devices/system/node/node0/cpulist = 0-2\n"
			   "sys/devices/system/node/node0/distance = 20 10\n"
			   "sys/devices/system/node/node1/cpulist = 2-3,77\n"
			   "sys/devices/system/node/node1/distance = 20 10\n",
			FIT_PROBE_ALL, &warnings);

	(void)state;
	expect_cpus(&host.cpus[0].siblings, "0");
	expect_cpus(&host.cpus[1].siblings, "1");
	expect_cpus(&host.cpus[2].siblings, "2"); /* 3 is on another node */
	expect_cpus(&host.nodes[0].cpus, "0-2");
	expect_cpus(&host.nodes[1].cpus, "3");
	assert_null(host.nodes[0].distances);
	assert_int_equal(host.nodes[1].distances[0], 20);
	assert_int_equal(warnings.count, 3);
	fit_host_clear(&host);
}

static void devices_have_ids_driver_group_and_node(void **state)
{
	struct fit_host host = fit_test_host("two-node");
	const struct fit_pci_device *device = device_at(&host, "0000:41:00.0");

	(void)state;
	assert_int_equal(device->class_code, 0x020000);
	assert_int_equal(device->vendor, 0x8086);
	assert_int_equal(device->device, 0x10c9);
	assert_int_equal(device->subsystem_vendor, 0x8086);
	assert_int_equal(device->subsystem_device, 1);
	assert_string_equal(device->driver, "igb");
	assert_int_equal(device->iommu_group, 21);
	assert_int_equal(device->node, 1);
	expect_cpus(&device->local_cpus, "8-15,24-31");
	assert_int_equal(device->netdev_count, 1);
	assert_string_equal(device->netdevs[0].name, "enp65s0f0");
	assert_true(device->netdevs[0].up);
	assert_true(device->netdevs[0].carrier);
	assert_null(device_at(&host, "0000:c1:00.0")->driver);
	assert_false(device_at(&host, "0000:41:10.0")->netdevs[0].up);
	fit_host_clear(&host);

	host = fit_test_host("small");
	assert_int_equal(host.pci[1].iommu_group, -1);
	assert_int_equal(host.pci[1].node, -1);
	fit_host_clear(&host);
}

static void physical_and_virtual_functions_name_each_other(void **state)
{
	struct fit_host host = fit_test_host("two-node");
	const struct fit_pci_device *pf = device_at(&host, "0000:41:00.0");

	(void)state;
	assert_false(pf->is_vf);
	assert_int_equal(pf->sriov_total, 7);
	assert_int_equal(pf->sriov_numvfs, 3);
	assert_int_equal(pf->vf_count, 3);
	for (unsigned int i = 0; i < pf->vf_count; i++) {
		const struct fit_pci_device *vf = fit_host_pci(&host, pf->vfs[i]);

		assert_true(fit_pciaddr_equal(pf->vfs[i],
			fit_pciaddr_vf(pf->addr, pf->sriov_offset, pf->sriov_stride, i)));
		assert_true(vf->is_vf);
		assert_true(fit_pciaddr_equal(vf->physfn, pf->addr));
		assert_int_equal(vf->sriov_total, 0);
	}
	assert_int_equal(device_at(&host, "0000:02:00.0")->vf_count, 0);
	assert_int_equal(device_at(&host, "0000:02:00.0")->sriov_total, 7);
	assert_int_equal(device_at(&host, "0000:81:00.0")->vf_count, 2);
	fit_host_clear(&host);
}

static void virtual_functions_are_in_order_of_their_number(void **state)
{
	struct fit_fsroot root =
		fit_test_root("sys/devices/system/cpu/online = 0\n"
			      "sys/bus/pci/devices/0000:01:00.0/sriov_totalvfs = 16\n");
	struct fit_host host;

	(void)state;
	for (int i = 0; i < 16; i++) {
		/* The addresses run backwards, the names don't sort as text. */
		fit_autofree char *lines = fit_xasprintf(
			"sys/bus/pci/devices/0000:01:%02x.0/physfn -> ../0000:01:00.0\n"
			"sys/bus/pci/devices/0000:01:00.0/virtfn%d -> ../0000:01:%02x.0\n",
			31 - i, i, 31 - i);

		fit_test_root_add(&root, lines);
	}
	host = probe(&root, FIT_PROBE_PCI, NULL);
	assert_int_equal(host.pci[0].vf_count, 16);
	for (unsigned int i = 0; i < 16; i++)
		assert_int_equal(host.pci[0].vfs[i].slot, 31 - i);
	fit_host_clear(&host);
	fit_test_root_remove(&root);
}

static void functions_that_do_not_name_each_other_are_warned_about(void **state)
{
	struct fit_fsroot root = fit_test_host_root("two-node");
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_host host;

	(void)state;
	fit_test_root_add(&root, "sys/bus/pci/devices/0000:41:10.0/physfn -> ../0000:02:00.0\n"
				 "sys/bus/pci/devices/0000:41:10.2/physfn -> ../nowhere\n"
				 "sys/bus/pci/devices/0000:41:00.0/virtfn3 -> ../0000:41:10.6\n");
	host = probe(&root, FIT_PROBE_PCI, &warnings);
	assert_int_equal(device_at(&host, "0000:41:00.0")->vf_count, 1);
	assert_false(device_at(&host, "0000:41:10.2")->is_vf);
	assert_int_equal(warnings.count, 4);
	fit_host_clear(&host);
	fit_test_root_remove(&root);
}

static void msix_tables_have_the_size_that_the_configuration_space_says(void **state)
{
	struct fit_host host = fit_test_host("two-node");

	(void)state;
	assert_int_equal(device_at(&host, "0000:41:00.0")->msix_vectors, 10);
	assert_int_equal(device_at(&host, "0000:41:10.4")->msix_vectors, 3);
	assert_int_equal(device_at(&host, "0000:81:00.0")->msix_vectors, 33);
	assert_int_equal(device_at(&host, "0000:c1:00.0")->msix_vectors, -1);
	fit_host_clear(&host);

	host = fit_test_host("sparse");
	assert_int_equal(device_at(&host, "10000:e1:00.0")->msix_vectors, 129);
	fit_host_clear(&host);
}

/* libpci follows links by itself: a link of the tree must not lead it to a file outside. */
static void a_configuration_space_outside_of_the_root_is_not_read(void **state)
{
	struct fit_fsroot outside = fit_test_host_root("two-node");
	struct fit_fsroot root = fit_test_root("sys/devices/system/cpu/online = 0\n");
	fit_autofree char *link =
		fit_xasprintf("sys/bus/pci/devices/0000:41:00.0/config -> "
			      "%s/sys/devices/pci0000:40/0000:40:01.0/0000:41:00.0/config\n",
			outside.path);
	struct fit_host host;

	(void)state;
	fit_test_root_add(&root, link);
	host = probe(&root, FIT_PROBE_ALL, NULL);
	assert_int_equal(host.pci_count, 1);
	assert_int_equal(host.pci[0].msix_vectors, -1);
	fit_host_clear(&host);
	fit_test_root_remove(&root);
	fit_test_root_remove(&outside);
}

static const struct fit_irq *irq_at(const struct fit_host *host, unsigned int number)
{
	for (size_t i = 0; i < host->irq_count; i++)
		if (host->irqs[i].number == number)
			return &host->irqs[i];
	fail_msg("no IRQ %u", number);
	abort(); /* fail_msg does not return, but does not say so */
}

static void interrupts_have_chip_name_device_and_affinity(void **state)
{
	struct fit_host host = fit_test_host("two-node");
	const struct fit_irq *irq = irq_at(&host, 71);

	(void)state;
	assert_int_equal(host.irq_count, 45);
	assert_string_equal(irq->chip, "IR-PCI-MSIX-0000:41:10.0");
	assert_string_equal(irq->name, "enp65s0f0v0-TxRx-0");
	assert_true(irq->has_device);
	assert_string_equal(FIT_PCIADDR_STR(irq->device), "0000:41:10.0");
	expect_cpus(&irq->affinity, "8-15,24-31");
	assert_false(irq_at(&host, 8)->has_device);
	assert_string_equal(irq_at(&host, 8)->chip, "IR-IO-APIC");
	fit_host_clear(&host);

	host = fit_test_host("sparse");
	assert_int_equal(irq_at(&host, 1048577)->device.domain, 0x10000);
	fit_host_clear(&host);
}

static void interrupt_rows_of_all_kernels_are_read(void **state)
{
	struct fit_host host =
		probe_text("sys/devices/system/cpu/online = 0,2\n"
			   "proc/interrupts =            CPU0       CPU2\\n"
			   "  1:  5  6   IO-APIC    1-edge      i8042\\n"
			   "  9:  0  0   IO-APIC-fasteoi   acpi\\n"
			   " 11:  0  0     GICv3  27 Level     arch_timer\\n"
			   " 12:  0  0   XT-PIC  cascade\\n"
			   " 13:  7  0   dummy   44\\n"
			   " 16:  0  0   IO-APIC   16-fasteoi   ehci_hcd:usb1, eth0, 3c589\\n"
			   "4294967295:  0  0   PCI-MSI 0-edge  last\\n"
			   "NMI:  1  1   Non-maskable interrupts\\n"
			   "IPI0:  1  1   Rescheduling interrupts\\n"
			   "ERR:  0\n"
			   "proc/irq/11/smp_affinity = 5\n",
			FIT_PROBE_IRQS, NULL);
	static const struct {
		unsigned int number;
		const char *chip;
		const char *name;
	} rows[] = {
		{1, "IO-APIC", "i8042"},
		{9, "IO-APIC-fasteoi", "acpi"},
		{11, "GICv3", "arch_timer"},
		{12, "XT-PIC", "cascade"},
		{13, "dummy", ""},
		{16, "IO-APIC", "ehci_hcd:usb1, eth0, 3c589"},
		{4294967295U, "PCI-MSI", "last"},
	};

	(void)state;
	assert_int_equal(host.irq_count, FIT_ARRAY_SIZE(rows));
	for (size_t i = 0; i < FIT_ARRAY_SIZE(rows); i++) {
		assert_int_equal(host.irqs[i].number, rows[i].number);
		assert_string_equal(host.irqs[i].chip, rows[i].chip);
		assert_string_equal(host.irqs[i].name, rows[i].name);
	}
	expect_cpus(&host.irqs[2].affinity, "0,2");
	expect_cpus(&host.irqs[0].affinity, "");
	fit_host_clear(&host);
}

static void the_identity_does_not_depend_on_what_is_probed(void **state)
{
	struct fit_fsroot root = fit_test_host_root("two-node");
	struct fit_host all;
	struct fit_host few;
	fit_autofree char *machine_id = NULL;

	(void)state;
	all = probe(&root, FIT_PROBE_ALL, NULL);
	assert_int_equal(strlen(all.identity), 32);
	machine_id = fit_xstrdup(all.identity);
	fit_host_clear(&all);

	fit_test_root_add(&root, "etc/machine-id = uninitialized\n");
	all = probe(&root, FIT_PROBE_ALL, NULL);
	few = probe(&root, 0, NULL);
	assert_string_equal(all.identity, few.identity);
	assert_string_not_equal(all.identity, machine_id);
	fit_host_clear(&few);

	/* VFs come and go, another node is another machine. */
	fit_test_root_add(&root, "sys/bus/pci/devices/0000:41:10.6/class = 0x020000\n");
	few = probe(&root, FIT_PROBE_PCI, NULL);
	assert_string_equal(all.identity, few.identity);
	fit_host_clear(&few);
	fit_test_root_add(&root, "sys/devices/system/node/node2/cpulist =\n");
	few = probe(&root, 0, NULL);
	assert_string_not_equal(all.identity, few.identity);
	fit_host_clear(&few);
	fit_host_clear(&all);
	fit_test_root_remove(&root);
}

static void parts_that_nobody_asked_for_are_not_read(void **state)
{
	struct fit_fsroot root = fit_test_host_root("two-node");
	struct fit_host host = probe(&root, FIT_PROBE_NODES, NULL);

	(void)state;
	assert_int_equal(host.cpu_count, 32);
	assert_int_equal(host.cpus[0].package, -1);
	assert_int_equal(host.node_count, 2);
	assert_int_equal(host.pci_count, 0);
	assert_int_equal(host.irq_count, 0);
	fit_host_clear(&host);
	host = probe(&root, FIT_PROBE_IRQS, NULL);
	assert_int_equal(host.node_count, 0);
	assert_int_equal(host.pci_count, 0);
	assert_true(irq_at(&host, 60)->has_device);
	fit_host_clear(&host);
	fit_test_root_remove(&root);
}

static void a_captured_root_tells_its_architecture_by_its_cpu(void **state)
{
	static const struct {
		const char *cpuinfo;
		const char *arch;
		const char *vendor;
	} hosts[] = {
		{"vendor_id\\t: AuthenticAMD\\nflags\\t\\t: fpu lm pae", "x86_64", "AuthenticAMD"},
		{"processor\\t: 0\\nCPU architecture: 8\\nCPU part\\t: 0xd0c", "aarch64", ""},
		{"vendor_id       : IBM/S390", "s390x", "IBM/S390"},
		{"hart\\t: 0\\nisa\\t: rv64imafdc", "riscv64", ""},
		{"cpu\\t\\t: POWER9, altivec supported", "", ""},
		{"vendor_id", "", ""},
		{"f", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(hosts); i++) {
		fit_autofree char *manifest = fit_xasprintf(
			"sys/devices/system/cpu/online = 0\nproc/cpuinfo = %s", hosts[i].cpuinfo);
		struct fit_host host = probe_text(manifest, 0, NULL);

		assert_string_equal(host.arch, hosts[i].arch);
		assert_string_equal(host.cpu_vendor, hosts[i].vendor);
		fit_host_clear(&host);
	}
}

/* Only the start of the file is read: its last line can end anywhere. */
static void a_long_cpuinfo_is_cut_without_harm(void **state)
{
	fit_autofree char *filler = fit_xcalloc(1, 8191);
	fit_autofree char *manifest = NULL;
	struct fit_host host;

	(void)state;
	memset(filler, 'x', 8190);
	manifest = fit_xasprintf(
		"sys/devices/system/cpu/online = 0\nproc/cpuinfo = %s\\nvendor_id\\t: Late",
		filler);
	host = probe_text(manifest, 0, NULL);
	assert_string_equal(host.cpu_vendor, "");
	fit_host_clear(&host);
}

static void the_machine_itself_can_be_probed(void **state)
{
	struct fit_fsroot root;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_host host;

	(void)state;
	assert_int_equal(fit_fsroot_open("/", &root, &err), 0);
	host = probe(&root, FIT_PROBE_ALL, NULL);
	assert_true(strlen(host.arch) > 0);
	assert_true(host.node_count > 0);
	assert_true(host.nodes[0].memory_kib > 0);
	fit_host_clear(&host);
	fit_fsroot_close(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_have_their_place_in_the_topology),
		cmocka_unit_test(nodes_have_memory_pools_and_distances),
		cmocka_unit_test(masks_serve_where_lists_are_missing),
		cmocka_unit_test(nodes_are_known_by_links_to_their_cpus),
		cmocka_unit_test(a_machine_without_numa_is_one_node),
		cmocka_unit_test(without_a_list_each_cpu_tells_whether_it_is_online),
		cmocka_unit_test(what_is_no_system_root_is_refused_and_the_output_left_alone),
		cmocka_unit_test(contradictions_are_left_out_with_a_warning),
		cmocka_unit_test(devices_have_ids_driver_group_and_node),
		cmocka_unit_test(physical_and_virtual_functions_name_each_other),
		cmocka_unit_test(virtual_functions_are_in_order_of_their_number),
		cmocka_unit_test(functions_that_do_not_name_each_other_are_warned_about),
		cmocka_unit_test(msix_tables_have_the_size_that_the_configuration_space_says),
		cmocka_unit_test(a_configuration_space_outside_of_the_root_is_not_read),
		cmocka_unit_test(interrupts_have_chip_name_device_and_affinity),
		cmocka_unit_test(interrupt_rows_of_all_kernels_are_read),
		cmocka_unit_test(the_identity_does_not_depend_on_what_is_probed),
		cmocka_unit_test(parts_that_nobody_asked_for_are_not_read),
		cmocka_unit_test(a_captured_root_tells_its_architecture_by_its_cpu),
		cmocka_unit_test(a_long_cpuinfo_is_cut_without_harm),
		cmocka_unit_test(the_machine_itself_can_be_probed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
