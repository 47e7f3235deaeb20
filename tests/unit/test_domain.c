/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
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
	} cases[] = {
		{"<cpu mode='custom' match='exact' check='none'><model "
		 "fallback='forbid'>qemu64</model></cpu>",
			true},
		{"<cpu mode='custom' match='exact' check='partial'><model "
		 "fallback='forbid'>kvm64</model><topology sockets='1' cores='1' "
		 "threads='1'/></cpu>",
			true},
		{"<cpu><topology sockets='1' dies='1' cores='1' threads='1'/></cpu>", true},
		{"<cpu mode='custom' match='exact' check='none'><model "
		 "fallback='allow'>qemu64</model></cpu>",
			false},
		{"<cpu mode='custom' match='exact' check='none'><model "
		 "fallback='forbid'>qemu64</model><feature name='x2apic'/></cpu>",
			false},
		{"<cpu match='exact'><model>core2duo</model></cpu>", false},
		{"<cpu mode='host-model'/>", false},
		{"<cpu mode='host-passthrough' check='none'/>", false},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_domain domain = fit_test_domain(cases[i].xml);

		if (domain.cpu_is_default != cases[i].is_default)
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
}

static void memory_tuning_is_seen(void **state)
{
	struct fit_domain domain = fit_test_domain(
		"<memory unit='GiB' dumpCore='off'>4</memory><memoryBacking><hugepages>"
		"<page size='2' unit='MiB' nodeset='0'/><page size='1' unit='GiB'/></hugepages>"
		"<locked/><source type='anonymous'/></memoryBacking><vcpu>4</vcpu><cpu><numa>"
		"<cell id='1' cpus='3' memory='3' unit='GiB'/>"
		"<cell id='0' cpus='0-1' memory='1' unit='GiB'/></numa></cpu><numatune><memory "
		"nodeset='1'/><memnode cellid='0' mode='preferred' nodeset='0'/></numatune>");

	(void)state;
	assert_string_equal(domain.dump_core, "off");
	assert_true(domain.has_hugepages);
	assert_int_equal(domain.hugepage_kib, 1048576);
	assert_true(domain.has_hugepage_nodesets);
	assert_true(domain.has_locked);
	assert_true(domain.backing_excludes_hugepages);
	assert_string_equal(domain.memory_source, "anonymous");
	assert_string_equal(domain.numatune_mode, "strict");
	fit_expect_cpus(&domain.numatune_nodes, "1");
	assert_true(domain.has_memnodes);
	fit_expect_cpus(&domain.cells[0].vcpus, "0-2");
	fit_expect_cpus(&domain.cells[1].vcpus, "3");
	assert_int_equal(domain.cells[0].hugepage_kib, 2048);
	assert_int_equal(domain.cells[1].hugepage_kib, 1048576);
	fit_expect_cpus(&domain.cells[0].nodes, "0");
	assert_false(domain.cells[0].binds);
	assert_false(domain.cells[1].has_memnode);
	fit_domain_clear(&domain);
}

static void cells_that_no_page_is_for_have_normal_ones(void **state)
{
	struct fit_domain domain = fit_test_domain(
		"<memory unit='GiB'>4</memory><memoryBacking><hugepages>"
		"<page size='2' unit='MiB' nodeset='0'/></hugepages></memoryBacking><vcpu>2</vcpu>"
		"<cpu><numa><cell id='0' cpus='0' memory='2' unit='GiB'/>"
		"<cell id='1' cpus='1' memory='2' unit='GiB'/></numa></cpu>");

	(void)state;
	assert_true(domain.cells[0].has_hugepages);
	assert_int_equal(domain.cells[0].hugepage_kib, 2048);
	assert_false(domain.cells[1].has_hugepages);
	fit_domain_clear(&domain);
}

static void memory_devices_need_pages_too(void **state)
{
	struct fit_domain domain = fit_test_domain(
		"<memory unit='GiB'>4</memory><vcpu>2</vcpu>"
		"<memoryBacking><hugepages><page size='2' unit='MiB'/></hugepages></memoryBacking>"
		"<cpu><numa><cell id='0' cpus='0' memory='1' unit='GiB'/>"
		"<cell id='1' cpus='1' memory='1' unit='GiB'/></numa></cpu>"
		"<devices><memory model='dimm'><target><size unit='MiB'>512</size><node>1</node>"
		"</target></memory>"
		"<memory model='dimm'><source><pagesize unit='GiB'>1</pagesize></source>"
		"<target><size unit='GiB'>1</size><node>1</node></target></memory>"
		"<memory model='virtio-mem'><target><size unit='GiB'>8</size><node>0</node>"
		"</target></memory></devices>");
	size_t count;
	fit_autofree struct fit_page_demand *demands = fit_domain_page_demands(&domain, &count);

	(void)state;
	assert_int_equal(domain.cells[0].device_kib, 0);
	assert_int_equal(domain.cells[1].device_kib, 512 * 1024);
	assert_int_equal(count, 2);
	assert_int_equal(demands[0].pages, 2 * 512 + 256);
	assert_int_equal(demands[1].page_kib, 1048576);
	assert_int_equal(demands[1].pages, 1);
	assert_int_equal(fit_domain_pages(&domain, 2048), 2 * 512 + 256);
	fit_domain_clear(&domain);
}

#define CELLS \
	"<memory unit='GiB'>2</memory><vcpu>2</vcpu><memoryBacking><hugepages><page size='2' " \
	"unit='MiB'/></hugepages></memoryBacking><numatune><memory nodeset='0'/><memnode " \
	"cellid='1' mode='preferred' nodeset='1'/></numatune><cpu><numa><cell id='0' cpus='0' " \
	"memory='1' unit='GiB'/><cell id='1' cpus='1' memory='1' unit='GiB'/></numa></cpu>"
#define DEVICE(model, source, target) \
	"<devices><memory model='" model "'><source>" source "</source><target>" target \
	"</target></memory></devices>"

/* "1024x2048@0 512x2048~1": pages, their size, nodes; ~ where these are preferred. */
static void expect_demands(const char *body, const char *wanted)
{
	struct fit_domain domain = fit_test_domain(body);
	size_t count;
	fit_autofree struct fit_page_demand *demands = fit_domain_page_demands(&domain, &count);
	struct fit_buffer text = {0};
	uint64_t kib = 0;

	for (size_t i = 0; i < count; i++) {
		fit_autofree char *nodes = fit_cpuset_format_list(&demands[i].nodes);

		fit_buffer_addf(&text, "%s%llux%llu%c%s", i ? " " : "",
			(unsigned long long)demands[i].pages,
			(unsigned long long)demands[i].page_kib,
			demands[i].nodes_preferred ? '~' : '@', nodes);
		kib += demands[i].pages * demands[i].page_kib - demands[i].memory_kib;
	}
	assert_string_equal(text.text, wanted);
	assert_int_equal(kib, 0);
	fit_buffer_clear(&text);
	fit_domain_clear(&domain);
}

static void memory_devices_have_pages_and_nodes_of_their_own(void **state)
{
	(void)state;
	expect_demands(CELLS, "512x2048@0 512x2048~1");
	/* As their cell, or as the first where they name none. */
	expect_demands(CELLS DEVICE("dimm", "", "<size unit='GiB'>1</size><node>1</node>"),
		"512x2048@0 1024x2048~1");
	expect_demands(
		CELLS DEVICE("dimm", "", "<size unit='GiB'>1</size>"), "1024x2048@0 512x2048~1");
	/* What virtio-mem could have is not what it has. */
	expect_demands(CELLS DEVICE("virtio-mem", "",
			       "<size unit='GiB'>8</size><node>1</node><requested "
			       "unit='MiB'>512</requested>"),
		"512x2048@0 768x2048~1");
	expect_demands(CELLS DEVICE("virtio-mem", "", "<size unit='GiB'>8</size><node>1</node>"),
		"512x2048@0 512x2048~1");
	/* Of another size, of the usual one, and for other nodes as the cell's mode says. */
	expect_demands(CELLS DEVICE("dimm", "<pagesize unit='GiB'>1</pagesize>",
			       "<size unit='GiB'>2</size><node>1</node>"),
		"512x2048@0 512x2048~1 2x1048576~1");
	expect_demands(CELLS DEVICE("dimm", "<pagesize unit='KiB'>4</pagesize>",
			       "<size unit='GiB'>2</size><node>1</node>"),
		"512x2048@0 512x2048~1");
	expect_demands(CELLS DEVICE("virtio-mem", "<nodemask>2-3</nodemask>",
			       "<size unit='GiB'>2</size><node>0</node><requested "
			       "unit='GiB'>1</requested>"),
		"512x2048@0 512x2048~1 512x2048@2-3");
	expect_demands(CELLS DEVICE("dimm", "<nodemask>2-3</nodemask>",
			       "<size unit='GiB'>1</size><node>1</node>"),
		"512x2048@0 512x2048~1 512x2048~2-3");
	/* Files are no huge pages. */
	expect_demands(CELLS DEVICE("nvdimm", "<path>/p</path>",
			       "<size unit='GiB'>1</size><node>1</node>"),
		"512x2048@0 512x2048~1");
}

static void memory_devices_have_pages_where_the_guest_has_none(void **state)
{
	(void)state;
	expect_demands("<memory unit='GiB'>4</memory>" DEVICE("dimm",
			       "<pagesize unit='GiB'>1</pagesize><nodemask>1</nodemask>",
			       "<size unit='GiB'>2</size>"),
		"2x1048576@1");
	/* Without cells <memory> is all of it. */
	expect_demands("<memory unit='GiB'>4</memory><memoryBacking><hugepages><page size='2' "
		       "unit='MiB'/></hugepages></memoryBacking>" DEVICE("virtio-mem", "",
			       "<size unit='GiB'>2</size><requested unit='GiB'>1</requested>"),
		"1536x2048@");
	expect_demands("<memory unit='GiB'>4</memory><memoryBacking><hugepages><page size='2' "
		       "unit='MiB'/></hugepages></memoryBacking>" DEVICE("dimm",
			       "<pagesize unit='GiB'>1</pagesize>", "<size unit='GiB'>2</size>"),
		"1024x2048@ 2x1048576@");
	/* Which cannot be: what is too large for it is not taken out of it. */
	expect_demands("<memory unit='GiB'>1</memory><memoryBacking><hugepages><page size='2' "
		       "unit='MiB'/></hugepages></memoryBacking>" DEVICE(
			       "dimm", "", "<size unit='GiB'>1</size>"),
		"512x2048@");
}

/* No controller of ours may provide them. */
static void buses_that_devices_are_on_are_taken(void **state)
{
	struct fit_domain domain = fit_test_domain(
		"<devices><controller type='pci' index='0' model='pcie-root'/>"
		"<controller type='pci' index='3' model='pcie-root-port'/><interface>"
		"<address type='pci' bus='0x05' slot='0x02' function='0x0'/></interface>"
		"<disk><target dev='sda'/><address type='drive' bus='7'/></disk></devices>");

	(void)state;
	fit_expect_cpus(&domain.pci_buses, "0,3,5");
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
		"</controller><controller type='usb'/><interface type='hostdev'><source><address "
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

static void what_is_no_domain_is_refused_with_the_line(void **state)
{
	static const struct {
		const char *xml, *message;
	} cases[] = {
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

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_domain domain = {.vcpus = 42};

		if (try_read(cases[i].xml, &domain, &err) == 0)
			fail_msg("accepted: %s", cases[i].xml);
		if (!strstr(err.message, cases[i].message))
			fail_msg("%s: %s", cases[i].xml, err.message);
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
		cmocka_unit_test(vcpus_that_are_enabled_count),
		cmocka_unit_test(pins_are_read_and_those_of_absent_vcpus_dropped),
		cmocka_unit_test(memory_tuning_is_seen),
		cmocka_unit_test(cells_that_no_page_is_for_have_normal_ones),
		cmocka_unit_test(memory_devices_need_pages_too),
		cmocka_unit_test(memory_devices_have_pages_and_nodes_of_their_own),
		cmocka_unit_test(memory_devices_have_pages_where_the_guest_has_none),
		cmocka_unit_test(buses_that_devices_are_on_are_taken),
		cmocka_unit_test(devices_are_seen_with_their_defaults),
		cmocka_unit_test(qemus_own_command_line_is_seen_by_namespace),
		cmocka_unit_test(what_is_no_domain_is_refused_with_the_line),
		cmocka_unit_test(every_file_of_the_corpus_is_read_or_refused_with_a_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
