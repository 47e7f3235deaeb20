/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/domain.h"
#include "core/xml.h"
#include "support_corpus.h"
#include "support_domain.h"

static int try_read(const char *xml, struct fit_domain *ret_domain, struct fit_err *err)
{
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "test.xml", err);

	return doc ? fit_domain_read(doc, "test.xml", ret_domain, err) : -1;
}

static void the_smallest_domain_gets_libvirts_defaults(void **state)
{
	struct fit_domain domain = fit_test_domain("");

	(void)state;
	assert_string_equal(domain.name, "vm");
	assert_null(domain.uuid);
	assert_string_equal(domain.type, "kvm");
	assert_int_equal(domain.vcpus, 1);
	assert_int_equal(domain.vcpus_current, 1);
	assert_int_equal(domain.memory_kib, 1048576);
	assert_true(domain.cpu_is_default);
	assert_null(domain.cpu_mode);
	assert_false(domain.has_iothreads);
	fit_domain_clear(&domain);
}

static void uuids_are_read_in_all_of_libvirts_spellings(void **state)
{
	static const char *const spellings[] = {"c7a5fdbd-edaf-9455-926a-d65c16db1809",
		" C7A5FDBD-EDAF-9455-926A-D65C16DB1809 ", "c7a5fdbdedaf9455926ad65c16db1809"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(spellings); i++) {
		fit_autofree char *body = fit_xasprintf("<uuid>%s</uuid>", spellings[i]);
		struct fit_domain domain = fit_test_domain(body);

		assert_string_equal(domain.uuid, "c7a5fdbd-edaf-9455-926a-d65c16db1809");
		fit_domain_clear(&domain);
	}
	assert_true(fit_uuid_is_valid("c7a5fdbd-edaf-9455-926a-d65c16db1809"));
	assert_false(fit_uuid_is_valid("c7a5fdbdedaf9455926ad65c16db1809"));
	assert_false(fit_uuid_is_valid("c7a5fdbd-edaf-9455-926a-d65c16db180g"));
	assert_false(fit_uuid_is_valid("../../etc/passwd"));
	assert_false(fit_uuid_is_valid(""));
}

static void the_memory_of_guest_cells_replaces_the_total(void **state)
{
	struct fit_domain domain = fit_test_domain(
		"<memory unit='GiB'>9</memory><currentMemory unit='MiB'>512</currentMemory>"
		"<vcpu>4</vcpu><cpu><numa><cell id='0' cpus='0-1' memory='1' unit='GiB'/>"
		"<cell id='1' cpus='2-3' memory='1024'/></numa></cpu>");

	(void)state;
	assert_int_equal(domain.memory_kib, 1048576 + 1024);
	assert_int_equal(domain.current_memory_kib, 512 * 1024);
	assert_int_equal(domain.cell_count, 2);
	assert_int_equal(domain.cells[1].memory_kib, 1024);
	assert_true(domain.cpu_is_default);
	fit_domain_clear(&domain);
}

static void only_what_libvirt_adds_by_itself_is_a_default_cpu(void **state)
{
	static const struct {
		const char *xml;
		bool is_default;
		const char *mode;
	} cases[] = {
		{"<cpu mode='custom' match='exact' check='none'><model "
		 "fallback='forbid'>qemu64</model></cpu>",
			true, "custom"},
		{"<cpu mode='custom' match='exact' check='partial'><model "
		 "fallback='forbid'>kvm64</model><topology sockets='1' cores='1' "
		 "threads='1'/></cpu>",
			true, "custom"},
		{"<cpu><topology sockets='1' dies='1' cores='1' threads='1'/></cpu>", true, NULL},
		{"<cpu mode='custom' match='exact' check='none'><model "
		 "fallback='allow'>qemu64</model></cpu>",
			false, "custom"},
		{"<cpu mode='custom' match='exact' check='none'><model "
		 "fallback='forbid'>qemu64</model><feature name='x2apic'/></cpu>",
			false, "custom"},
		{"<cpu match='exact'><model>core2duo</model></cpu>", false, "custom"},
		{"<cpu mode='host-model'/>", false, "host-model"},
		{"<cpu mode='host-passthrough' check='none'/>", false, "host-passthrough"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_domain domain = fit_test_domain(cases[i].xml);

		if (domain.cpu_is_default != cases[i].is_default ||
			(cases[i].mode ? !fit_streq(domain.cpu_mode, cases[i].mode)
				       : domain.cpu_mode != NULL))
			fail_msg("%s", cases[i].xml);
		fit_domain_clear(&domain);
	}
}

static void iothread_ids_are_filled_up_as_libvirt_does(void **state)
{
	struct fit_domain domain =
		fit_test_domain("<iothreads>4</iothreads><iothreadids>"
				"<iothread id='5'/><iothread id='2'/></iothreadids>");

	(void)state;
	assert_int_equal(domain.iothread_count, 4);
	assert_int_equal(domain.iothread_ids[0], 1);
	assert_int_equal(domain.iothread_ids[1], 2);
	assert_int_equal(domain.iothread_ids[2], 3);
	assert_int_equal(domain.iothread_ids[3], 5);
	assert_true(domain.has_iothread_ids);
	fit_domain_clear(&domain);
	domain = fit_test_domain("<iothreads>1</iothreads><iothreadids><iothread id='7'/>"
				 "<iothread id='3'/></iothreadids>");
	assert_int_equal(domain.iothread_count, 2);
	fit_domain_clear(&domain);
}

static void topologies_are_read(void **state)
{
	static const char *const cases[][2] = {
		{"sockets='2' cores='3' threads='4'", "2 sockets, 3 cores, 4 threads"},
		{"sockets='1' dies='2' cores='1' threads='1'",
			"1 socket, 2 dies, 1 core, 1 thread"},
		{"sockets='1' clusters='2' cores='1' threads='1'",
			"1 socket, 2 clusters, 1 core, 1 thread"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *body = fit_xasprintf("<cpu><topology %s/></cpu>", cases[i][0]);
		struct fit_domain domain = fit_test_domain(body);
		fit_autofree char *text = fit_topology_describe(&domain.topology);

		assert_true(domain.has_topology);
		assert_string_equal(text, cases[i][1]);
		fit_domain_clear(&domain);
	}
}

/* Such cells cannot be made others. */
static void what_refers_to_cells_is_seen(void **state)
{
	static const struct {
		const char *device;
		bool refers;
	} cases[] = {
		{"<memory model='dimm'><target><size>1</size><node>0</node></target></memory>",
			true},
		{"<memory model='dimm'><target><size>1</size></target></memory>", false},
		{"<controller type='pci' model='pcie-expander-bus'><target busNr='180'>"
		 "<node>0</node></target></controller>",
			true},
		{"<controller type='pci' model='pcie-root-port'><target chassis='1'/></controller>",
			false},
		{"<disk><target dev='vda'><node>0</node></target></disk>", false},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *body = fit_xasprintf("<devices>%s</devices>", cases[i].device);
		struct fit_domain domain = fit_test_domain(body);

		if (domain.has_cell_users != cases[i].refers)
			fail_msg("%s", cases[i].device);
		fit_domain_clear(&domain);
	}
}

/* <vcpus> alone says how many are there at start. */
static void vcpus_that_are_enabled_count(void **state)
{
	(void)state;
	for (unsigned int enabled = 0; enabled <= 3; enabled++) {
		fit_autofree char *xml = fit_xasprintf(
			"<domain><name>a</name><memory>1</memory><vcpu current='1'>3</vcpu><vcpus>"
			"<vcpu id='0' enabled='%s'/><vcpu id='1' enabled='%s'/>"
			"<vcpu id='2' enabled='%s'/></vcpus></domain>",
			enabled > 0 ? "yes" : "no", enabled > 2 ? "yes" : "no",
			enabled > 1 ? "yes" : "no");
		struct fit_domain domain = {0};
		struct fit_err err = FIT_ERR_INIT;

		assert_int_equal(try_read(xml, &domain, &err), enabled ? 0 : -1);
		assert_int_equal(domain.vcpus_current, enabled);
		fit_domain_clear(&domain);
	}
}

static void pins_are_read_and_those_of_absent_vcpus_dropped(void **state)
{
	struct fit_domain domain = fit_test_domain(
		"<vcpu placement='static' cpuset='8-9' current='2'>3</vcpu><iothreads>1</iothreads>"
		"<cputune><vcpupin vcpu='1' cpuset='0,1,^0'/><vcpupin vcpu='7' cpuset='5'/>"
		"<emulatorpin cpuset='6'/><iothreadpin iothread='1' cpuset='7'/></cputune>");
	struct fit_cpuset cpus = fit_domain_vcpu_cpus(&domain);

	(void)state;
	assert_int_equal(domain.vcpus, 3);
	assert_int_equal(domain.vcpus_current, 2);
	assert_int_equal(domain.vcpu_pin_count, 1);
	fit_expect_cpus(&cpus, "1,8-9");
	fit_expect_cpus(&domain.emulator_pin, "6");
	assert_int_equal(domain.iothread_pins[0].id, 1);
	fit_expect_cpus(&domain.iothread_pins[0].cpus, "7");
	fit_domain_clear(&domain);
	domain = fit_test_domain("<cputune><iothreadpin iothread='100000' cpuset='1'/>"
				 "<iothreadpin iothread='100001' cpuset='2'/></cputune>");
	assert_int_equal(domain.iothread_pin_count, 2);
	fit_domain_clear(&domain);
}

/* No controller of ours may provide them. */
static void buses_that_devices_are_on_are_taken(void **state)
{
	struct fit_domain domain = fit_test_domain(
		"<devices><controller type='pci' index='0' model='pcie-root'/>"
		"<controller type='pci' index='3' model='pcie-root-port'/>"
		"<controller type='pci' index='255' model='pcie-root-port'/><interface>"
		"<address type='pci' bus='0x05' slot='0x02' function='0x0'/></interface>"
		"<disk><target dev='sda'/><address type='drive' bus='7'/></disk></devices>");

	(void)state;
	fit_expect_cpus(&domain.pci_buses, "0,3,5,255");
	assert_int_equal(domain.pci_slot_count, 1);
	assert_int_equal(domain.pci_slots[0].bus, 5);
	assert_int_equal(domain.pci_slots[0].slot, 2);
	fit_domain_clear(&domain);
}

static void devices_are_seen_with_their_defaults(void **state)
{
	struct fit_domain domain = fit_test_domain(
		"<devices><disk><source file='/a'/><target dev='vda'/></disk>"
		"<disk type='block' device='lun'><driver cache='none' io='native' iothread='2'/>"
		"<target dev='sda' bus='scsi'/></disk><disk type='nvme' device='disk'><source "
		"type='pci' managed='yes' namespace='1'><address domain='0x0000' bus='0x01' "
		"slot='0x00' function='0x0'/></source>"
		"<target dev='vdb' bus='virtio'/></disk><controller type='scsi' index='1' "
		"model='virtio-scsi'><driver iothread='3'/>"
		"</controller><controller type='usb'/><interface type='network'><mac "
		"address='52:54:00:12:34:56'/><source network='n'/><model type='virtio'/><alias "
		"name='net0'/><teaming type='persistent'/></interface>"
		"<interface type='hostdev'><source><address "
		"type='pci' domain='0x10000' bus='225' slot='0x1f' function='7'/></source><alias "
		"name='ua-virt-fit-vf0'/></interface><hostdev type='pci' "
		"managed='yes'><source><address bus='0x42'/></source></hostdev>"
		"<hostdev type='usb'><source><vendor id='1'/></source></hostdev></devices>");

	(void)state;
	assert_int_equal(domain.disk_count, 3);
	assert_string_equal(domain.disks[0].bus, "virtio");
	assert_string_equal(domain.disks[0].device, "disk");
	assert_string_equal(domain.disks[0].type, "file");
	assert_null(domain.disks[0].cache);
	assert_string_equal(domain.disks[1].io, "native");
	assert_int_equal(domain.disks[1].iothread, 2);
	assert_int_equal(domain.controllers[0].iothread, 3);
	assert_true(domain.controllers[0].has_index);
	assert_false(domain.controllers[1].has_index);
	assert_int_equal(domain.interface_count, 2);
	assert_string_equal(domain.interfaces[0].type, "network");
	assert_string_equal(domain.interfaces[0].mac, "52:54:00:12:34:56");
	assert_string_equal(domain.interfaces[0].network, "n");
	assert_string_equal(domain.interfaces[0].model, "virtio");
	assert_string_equal(domain.interfaces[0].alias, "net0");
	assert_true(domain.interfaces[0].has_teaming);
	assert_null(domain.interfaces[1].mac);
	assert_false(domain.interfaces[1].has_teaming);
	assert_int_equal(domain.hostdev_count, 3);
	assert_true(fit_pciaddr_equal(
		domain.hostdevs[1].source, (struct fit_pciaddr){0x10000, 0xe1, 0x1f, 7}));
	assert_true(domain.hostdevs[1].is_interface);
	assert_true(domain.hostdevs[1].ours);
	assert_true(
		fit_pciaddr_equal(domain.hostdevs[2].source, (struct fit_pciaddr){.bus = 0x42}));
	assert_false(domain.hostdevs[2].ours);
	fit_domain_clear(&domain);
}

static void qemus_own_command_line_is_seen_by_namespace(void **state)
{
	struct fit_domain with = fit_test_domain(
		"<q:commandline xmlns:q='http://libvirt.org/schemas/domain/qemu/1.0'>"
		"<q:arg value='-cpu'/><q:arg value='host'/></q:commandline>");
	struct fit_domain other = fit_test_domain(
		"<q:commandline xmlns:q='urn:other'><q:arg value='-cpu'/></q:commandline>");

	(void)state;
	assert_int_equal(with.qemu_args.count, 2);
	assert_string_equal(with.qemu_args.items[0], "-cpu");
	assert_string_equal(with.qemu_args.items[1], "host");
	assert_int_equal(other.qemu_args.count, 0);
	fit_domain_clear(&with);
	fit_domain_clear(&other);
}

static const struct {
	const char *xml, *message;
} no_domains[] = {
	{"<domstatus state='running'><domain/></domstatus>", "status file"},
	{"<network/>", "<domain> expected"},
	{"<domain xmlns='urn:x'><name>a</name></domain>", "<domain> expected"},
	{"<domain>\n<memory>1</memory></domain>", "no <name>"},
	{"<domain><name> </name></domain>", "no <name>"},
	{"<domain><name>a</name></domain>", "no memory"},
	{"<domain><name>a</name>\n<memory>x</memory></domain>", "test.xml:2: <memory>"},
	{"<domain><name>a</name>\n<uuid>b</uuid></domain>", "test.xml:2: <uuid>"},
	{"<domain><name>a</name>\n\n<vcpu>0</vcpu></domain>", "test.xml:3: <vcpu>"},
	{"<domain><name>a</name><vcpu>8193</vcpu></domain>", "from 1 to 8192"},
	{"<domain><name>a</name><vcpu current='3'>2</vcpu></domain>", "current='3'"},
	{"<domain><name>a</name><vcpu cpuset='3-1'>2</vcpu></domain>", "cpuset"},
	{"<domain><name>a</name><memory>1</memory><cputune><vcpupin vcpu='0' cpuset=''/>"
	 "</cputune></domain>",
		"empty set"},
	{"<domain><name>a</name><memory>1</memory><cputune><vcpupin vcpu='0' cpuset='1'/>"
	 "<vcpupin vcpu='0' cpuset='2'/></cputune></domain>",
		"pinned twice"},
	{"<domain><name>a</name><memory>1</memory><cputune><cachetune vcpus='0-1'/>\n"
	 "<cachetune vcpus='4'/><cachetune vcpus='1-2'/></cputune></domain>",
		"test.xml:2: <cachetune>: vcpus='1-2' overlaps with <cachetune "
		"vcpus='0-1'>, which libvirt refuses"},
	{"<domain><name>a</name><memory>1</memory><cputune><memorytune vcpus='4'/>"
	 "<cachetune vcpus='0-1'/><memorytune vcpus='0,1'/>\n<memorytune vcpus='0'/>"
	 "</cputune></domain>",
		"test.xml:2: <memorytune>: vcpus='0' overlaps with <cachetune "
		"vcpus='0-1'>"},
	{"<domain><name>a</name><memory>1</memory><cpu><topology sockets='1'/></cpu>"
	 "</domain>",
		"cores must be"},
	{"<domain><name>a</name><memory>1</memory><cpu><topology sockets='1' cores='1'/>"
	 "</cpu></domain>",
		"threads must be"},
	{"<domain><name>a</name><memory>1</memory><cpu><topology cores='1' threads='1'/>"
	 "</cpu></domain>",
		"sockets must be"},
	{"<domain><name>a</name><memory>1</memory><cpu><numa><cell memory='1' unit='inch'/>"
	 "</numa></cpu></domain>",
		"<cell>: memory='1' unit='inch' is no size"},
	{"<domain><name>a</name><memory>1</memory><cpu><numa><cell/></numa></cpu></domain>",
		"<cell>: memory='' unit='' is no size"},
	{"<domain><name>a</name><memory>1</memory><memoryBacking><hugepages>"
	 "<page size='2' unit='inch'/></hugepages></memoryBacking></domain>",
		"<page>: size='2' unit='inch' is no size"},
	{"<domain><name>a</name><memory>1</memory><memoryBacking><hugepages><page/>"
	 "</hugepages></memoryBacking></domain>",
		"<page>: size='' unit='' is no size"},
	{"<domain><name>a</name><memory>1</memory><devices><memory model='dimm'><source>\n"
	 "<nodemask>0-z</nodemask></source><target><size>1</size></target></memory>"
	 "</devices></domain>",
		"test.xml:2: <nodemask>: '0-z' is not a CPU list such as 0-3,8 (numbers below 8192)"},
	{"<domain><name>a</name><memory>1</memory><cputune>"
	 "<iothreadpin iothread='100000' cpuset='1'/>"
	 "<iothreadpin iothread='100000' cpuset='2'/></cputune></domain>",
		"iothread 100000 is pinned twice"},
	{"<domain><name>a</name><memory>1</memory><devices><hostdev type='pci'><source>"
	 "<address bus='0x100'/></source></hostdev></devices></domain>",
		"bus='0x100'"},
	{"<domain><name>a</name><memory>1</memory><devices>"
	 "<controller type='usb' index='1' model='ich9-ehci1'/>"
	 "<controller type='usb' index='1' model='ich9-uhci1'/>"
	 "<controller type='scsi' index='1'/><controller type='sata' index='1'/>"
	 "<controller type='scsi' index='1'/></devices></domain>",
		"two scsi controllers have the index 1"},
	{"<domain><name>a</name><memory>1</memory><iothreadids><iothread id='1'/>"
	 "<iothread id='1'/></iothreadids></domain>",
		"there twice"},
};

static void what_is_no_domain_is_refused_with_the_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(no_domains); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_domain domain = {.vcpus = 42};

		if (try_read(no_domains[i].xml, &domain, &err) == 0)
			fail_msg("accepted: %s", no_domains[i].xml);
		if (!strstr(err.message, no_domains[i].message))
			fail_msg("%s: %s", no_domains[i].xml, err.message);
		assert_int_equal(err.code, FIT_ERR_INVALID);
		assert_int_equal(domain.vcpus, 42);
	}
}

static void check_corpus_file(const char *path, const char *text, size_t length, void *context)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_domain domain = {0};
	fit_autodoc xmlDoc *doc = fit_xml_parse(text, length, path, &err);
	size_t *read = context;

	if (!doc || fit_domain_read(doc, path, &domain, &err) < 0) {
		assert_true(fit_starts_with(err.message, path));
		return;
	}
	(*read)++;
	assert_true(*domain.name && domain.vcpus > 0 && domain.memory_kib > 0);
	fit_domain_clear(&domain);
}

static void every_file_of_the_corpus_is_read_or_refused_with_a_place(void **state)
{
	size_t read = 0;

	(void)state;
	fit_corpus_for_each(check_corpus_file, &read);
	assert_true(read > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_smallest_domain_gets_libvirts_defaults),
		cmocka_unit_test(uuids_are_read_in_all_of_libvirts_spellings),
		cmocka_unit_test(the_memory_of_guest_cells_replaces_the_total),
		cmocka_unit_test(only_what_libvirt_adds_by_itself_is_a_default_cpu),
		cmocka_unit_test(iothread_ids_are_filled_up_as_libvirt_does),
		cmocka_unit_test(topologies_are_read),
		cmocka_unit_test(what_refers_to_cells_is_seen),
		cmocka_unit_test(vcpus_that_are_enabled_count),
		cmocka_unit_test(pins_are_read_and_those_of_absent_vcpus_dropped),
		cmocka_unit_test(buses_that_devices_are_on_are_taken),
		cmocka_unit_test(devices_are_seen_with_their_defaults),
		cmocka_unit_test(qemus_own_command_line_is_seen_by_namespace),
		cmocka_unit_test(what_is_no_domain_is_refused_with_the_line),
		cmocka_unit_test(every_file_of_the_corpus_is_read_or_refused_with_a_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
