/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans made by hand, so that every policy can be tried on every setting. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "core/emit.h"
#include "core/xml.h"
#include "support_domain.h"
#include "support_emit.h"

static char none[] = "none";
static char native[] = "native";
static char target[] = "vda";
static char profile_file[] = "p.xml";

/* A profile that states every intent with the same policy. */
static struct fit_profile profile_with(enum fit_existing existing)
{
	const struct fit_intent intent = {
		.set = true, .existing = existing, .file = profile_file, .line = 7};

	return (struct fit_profile){
		.cpu.intent = intent,
		.vcpus.intent = intent,
		.emulator.intent = intent,
		.iothreads.intent = intent,
		.disks = {.intent = intent, .cache = none, .io = native},
		.memory.intent = intent,
		.vfs.intent = intent,
	};
}

/* The edits as lines "path = value", or the error. */
static char *emit(const char *body, const struct fit_plan *plan, enum fit_existing existing)
{
	fit_autodoc xmlDoc *doc = fit_test_document(body);
	struct fit_domain domain = fit_test_domain(body);
	struct fit_profile profile = profile_with(existing);
	struct fit_plan_input input = {.domain = &domain, .profile = &profile, .original = doc};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_edits edits = {0};
	struct fit_buffer text = {0};

	struct fit_plan emitted = *plan; /* without what must be given: no setting is left out */

	if (fit_emit(&emitted, &input, &edits, &err) < 0) {
		assert_int_equal(err.code, FIT_ERR_REFUSED);
		assert_int_equal(edits.count, 0);
		fit_buffer_add(&text, err.message);
	}
	fit_test_check_emitted(&emitted, &edits);
	for (size_t i = 0; i < edits.count; i++)
		fit_buffer_addf(&text, "%s = %s\n", edits.items[i].path,
			edits.items[i].value ? edits.items[i].value : "(removed)");
	fit_edits_clear(&edits);
	fit_domain_clear(&domain);
	for (size_t i = 0; i < emitted.reason_count; i++)
		free(emitted.reasons[i].text);
	free(emitted.reasons);
	return fit_buffer_steal(&text);
}

static void expect(const char *body, const struct fit_plan *plan, enum fit_existing existing,
	const char *wanted)
{
	fit_autofree char *text = emit(body, plan, existing);

	assert_string_equal(text, wanted);
}

static void expect_refusal(const char *body, const struct fit_plan *plan, const char *part)
{
	fit_autofree char *text = emit(body, plan, FIT_EXISTING_REQUIRE);

	if (!strstr(text, part) || !strstr(text, "vm: cannot fit: ") || !strstr(text, "p.xml:7"))
		fail_msg("'%s' is not in: %s", part, text);
}

static void an_empty_plan_gives_no_edit(void **state)
{
	const struct fit_plan plan = {0};

	(void)state;
	expect("<vcpu>4</vcpu><cpu mode='host-model'/>", &plan, FIT_EXISTING_REPLACE, "");
}

static void host_passthrough_takes_the_place_of_a_model(void **state)
{
	static const char custom[] =
		"<cpu mode='custom' match='exact' check='full'><model>Skylake</model><feature "
		"name='x' policy='require'/></cpu>";
	static const char edits[] = "cpu/@check = none\n"
				    "cpu/@mode = host-passthrough\n"
				    "cpu/@match = (removed)\n"
				    "cpu/model = (removed)\n"
				    "cpu/vendor = (removed)\n";
	const struct fit_plan plan = {.cpu_mode = FIT_CPU_MODE_HOST_PASSTHROUGH};

	(void)state;
	expect("", &plan, FIT_EXISTING_KEEP, edits);
	expect("<cpu mode='custom' match='exact' check='none'><model fallback='forbid'>qemu64"
	       "</model></cpu>",
		&plan, FIT_EXISTING_REQUIRE, edits);
	expect(custom, &plan, FIT_EXISTING_KEEP, "");
	expect(custom, &plan, FIT_EXISTING_REPLACE, edits);
	expect_refusal(custom, &plan, "the CPU mode is custom");
	expect("<cpu mode='host-passthrough'/>", &plan, FIT_EXISTING_REQUIRE, "");
	expect("<cpu mode='maximum' migratable='off'/>", &plan, FIT_EXISTING_REPLACE,
		"cpu/@check = none\ncpu/@mode = host-passthrough\ncpu/@match = (removed)\n"
		"cpu/model = (removed)\ncpu/vendor = (removed)\n");
}

static void topology_is_compared_with_libvirts_defaults(void **state)
{
	static const char other[] =
		"<vcpu>4</vcpu><cpu><topology sockets='4' cores='1' threads='1'/></cpu>";
	const struct fit_plan plan = {.has_topology = true, .topology = {1, 1, 1, 2, 2}};
	const struct fit_plan dies = {.has_topology = true, .topology = {1, 2, 1, 1, 2}};
	const struct fit_plan clusters = {.has_topology = true, .topology = {1, 1, 2, 2, 1}};

	(void)state;
	expect("", &plan, FIT_EXISTING_KEEP,
		"cpu/topology = <topology sockets='1' cores='2' threads='2'/>\n");
	expect("", &dies, FIT_EXISTING_KEEP,
		"cpu/topology = <topology sockets='1' dies='2' cores='1' threads='2'/>\n");
	expect("", &clusters, FIT_EXISTING_KEEP,
		"cpu/topology = <topology sockets='1' clusters='2' cores='2' threads='1'/>\n");
	expect("<cpu><topology sockets='1' dies='1' clusters='1' cores='2' threads='2'/></cpu>",
		&plan, FIT_EXISTING_REQUIRE, "");
	expect(other, &plan, FIT_EXISTING_KEEP, "");
	expect(other, &plan, FIT_EXISTING_REPLACE,
		"cpu/topology = <topology sockets='1' cores='2' threads='2'/>\n");
	expect_refusal(other, &plan, "sockets='4'");
}

static void cache_and_topoext_go_only_with_the_hosts_cpu(void **state)
{
	const struct fit_plan plan = {.passthrough_cache = true, .require_topoext = true};

	(void)state;
	expect("<cpu mode='host-model'/>", &plan, FIT_EXISTING_REPLACE, "");
	expect("<cpu mode='host-passthrough'/>", &plan, FIT_EXISTING_KEEP,
		"cpu/cache = <cache mode='passthrough'/>\n"
		"cpu/feature[@name='topoext'] = <feature policy='require' name='topoext'/>\n");
	expect("<cpu mode='host-passthrough'><cache mode='disable'/><feature policy='disable' "
	       "name='topoext'/></cpu>",
		&plan, FIT_EXISTING_KEEP, "");
	expect_refusal("<cpu mode='host-passthrough'><cache mode='disable'/></cpu>", &plan,
		"the CPU cache mode is another one");
	expect("<cpu mode='host-passthrough'><cache mode='passthrough'/>"
	       "<feature policy='require' name='topoext'/></cpu>",
		&plan, FIT_EXISTING_REQUIRE, "");
}

static void pins_follow_the_policy_thread_by_thread(void **state)
{
	static const char pinned[] =
		"<vcpu>2</vcpu><cputune><vcpupin vcpu='1' cpuset='9'/><emulatorpin cpuset='0,1'/>"
		"</cputune>";
	struct fit_thread_pin vcpus[] = {{0, fit_test_cpus("2")}, {1, fit_test_cpus("3")}};
	const struct fit_plan plan = {
		.vcpus = vcpus,
		.vcpu_count = 2,
		.has_emulator = true,
		.emulator = fit_test_cpus("0-1"),
	};
	struct fit_plan kept = plan;

	(void)state;
	expect(pinned, &plan, FIT_EXISTING_KEEP,
		"cputune/vcpupin[@vcpu='0'] = <vcpupin vcpu='0' cpuset='2'/>\n");
	expect(pinned, &plan, FIT_EXISTING_REPLACE,
		"cputune/vcpupin[@vcpu='0'] = <vcpupin vcpu='0' cpuset='2'/>\n"
		"cputune/vcpupin[@vcpu='1'] = <vcpupin vcpu='1' cpuset='3'/>\n");
	expect_refusal(pinned, &plan, "the pin of vcpu 1 is 9");
	kept.vcpus_kept = true;
	expect(pinned, &kept, FIT_EXISTING_REPLACE, "");
}

static void automatic_placement_gives_way_only_when_it_is_replaced(void **state)
{
	struct fit_thread_pin vcpus[] = {{0, fit_test_cpus("2")}};
	const struct fit_plan plan = {.vcpus = vcpus, .vcpu_count = 1};

	(void)state;
	expect("<vcpu placement='auto'>1</vcpu>", &plan, FIT_EXISTING_KEEP,
		"cputune/vcpupin[@vcpu='0'] = <vcpupin vcpu='0' cpuset='2'/>\n");
	expect("<vcpu placement='auto'>1</vcpu>", &plan, FIT_EXISTING_REPLACE,
		"vcpu/@placement = static\n"
		"cputune/vcpupin[@vcpu='0'] = <vcpupin vcpu='0' cpuset='2'/>\n");
	expect_refusal("<vcpu placement='auto'>1</vcpu>", &plan, "auto");
}

static void iothreads_are_added_to_those_that_are_there(void **state)
{
	struct fit_thread_pin iothreads[] = {{1, fit_test_cpus("4,20")}, {2, fit_test_cpus("")}};
	const struct fit_plan plan = {.iothreads = iothreads, .iothread_count = 2};

	(void)state;
	expect("", &plan, FIT_EXISTING_KEEP,
		"iothreads/text() = 2\n"
		"cputune/iothreadpin[@iothread='1'] = <iothreadpin iothread='1' cpuset='4,20'/>\n");
	expect("<iothreads>1</iothreads>", &plan, FIT_EXISTING_KEEP,
		"cputune/iothreadpin[@iothread='1'] = <iothreadpin iothread='1' cpuset='4,20'/>\n");
	expect("<iothreads>4</iothreads>", &plan, FIT_EXISTING_REPLACE,
		"cputune/iothreadpin[@iothread='1'] = <iothreadpin iothread='1' cpuset='4,20'/>\n");
	expect("<iothreadids><iothread id='2'/><iothread id='5'/></iothreadids>", &plan,
		FIT_EXISTING_REPLACE,
		"iothreads/text() = 3\n"
		"iothreadids/iothread[@id='1'] = <iothread id='1'/>\n"
		"cputune/iothreadpin[@iothread='1'] = <iothreadpin iothread='1' cpuset='4,20'/>\n");
	expect("<iothreadids><iothread id='2'/></iothreadids>", &plan, FIT_EXISTING_REPLACE,
		"iothreads/text() = 2\n"
		"iothreadids/iothread[@id='1'] = <iothread id='1'/>\n"
		"cputune/iothreadpin[@iothread='1'] = <iothreadpin iothread='1' cpuset='4,20'/>\n");
	expect_refusal("<iothreads>1</iothreads>", &plan, "the list of iothreads is 1,");
}

static void disks_get_iothreads_and_drivers_where_these_are_legal(void **state)
{
	struct fit_disk_iothread assigned[] = {{.target = target, .iothread = 1}};
	const struct fit_plan plan = {.disk_iothreads = assigned, .disk_iothread_count = 1};
	const struct fit_plan nothing = {0};

	(void)state;
	expect("<devices><disk type='file'><target dev='vda' bus='virtio'/></disk></devices>",
		&plan, FIT_EXISTING_KEEP,
		"devices/disk[target/@dev='vda']/driver/@iothread = 1\n"
		"devices/disk[target/@dev='vda']/driver/@cache = none\n"
		"devices/disk[target/@dev='vda']/driver/@io = native\n");
	expect("<devices><disk type='file'><driver cache='writeback'/><target dev='vda'/></disk>"
	       "<disk type='network'><target dev='vdb'/></disk><disk type='file' "
	       "device='cdrom'><target dev='sda'/></disk></devices>",
		&nothing, FIT_EXISTING_KEEP, "");
	expect("<devices><disk type='block'><driver cache='writeback'/><target dev='vda'/></disk>"
	       "</devices>",
		&nothing, FIT_EXISTING_REPLACE,
		"devices/disk[target/@dev='vda']/driver/@cache = none\n"
		"devices/disk[target/@dev='vda']/driver/@io = native\n");
	expect("<devices><disk type='network'><driver><iothreads><iothread id='3'/></iothreads>"
	       "</driver><target dev='vda'/></disk></devices>",
		&plan, FIT_EXISTING_REPLACE,
		"devices/disk[target/@dev='vda']/driver/iothreads = (removed)\n"
		"devices/disk[target/@dev='vda']/driver/@iothread = 1\n");
	expect_refusal("<devices><disk type='network'><driver iothread='3'/><target dev='vda'/>"
		       "</disk></devices>",
		&plan, "the iothread of disk vda is 3");
}

static void scsi_controllers_are_named_by_the_number_libvirt_gives(void **state)
{
	struct fit_disk_iothread assigned[] = {{.controller = 1, .iothread = 2}};
	const struct fit_plan plan = {.disk_iothreads = assigned, .disk_iothread_count = 1};

	(void)state;
	expect("<devices><controller type='scsi' index='0'/><controller type='scsi' index='1'/>"
	       "</devices>",
		&plan, FIT_EXISTING_KEEP,
		"devices/controller[@type='scsi'][@index='1']/driver/@iothread = 2\n");
	assigned[0].controller = 0;
	expect("<devices><controller type='usb'/><controller type='scsi'/></devices>", &plan,
		FIT_EXISTING_KEEP,
		"devices/controller[@type='scsi'][@index='0']/driver/@iothread = 2\n");
	assigned[0].controller = 2;
	expect("<devices><controller type='scsi'/><controller type='scsi' index='1'/>"
	       "<controller type='scsi'/></devices>",
		&plan, FIT_EXISTING_KEEP,
		"devices/controller[@type='scsi'][@index='2']/driver/@iothread = 2\n");
	assigned[0].controller = 0;
	expect("<devices><controller type='scsi' index='0'><driver iothread='1'/></controller>"
	       "</devices>",
		&plan, FIT_EXISTING_KEEP, "");
}

static void memory_is_bound_backed_and_rounded(void **state)
{
	const struct fit_plan plan = {
		.has_memory = true,
		.memory_strict = true,
		.memory_nodes = fit_test_cpus("1"),
		.page_kib = 2048,
		.memory_rounded = true,
		.memory_kib = 4096,
		.memory_locked = true,
	};

	(void)state;
	expect("<memory unit='b' dumpCore='off'>2098176</memory><currentMemory "
	       "unit='KiB'>2049</currentMemory>",
		&plan, FIT_EXISTING_KEEP,
		"numatune/memory = <memory mode='strict' nodeset='1'/>\n"
		"memoryBacking/hugepages = <hugepages><page size='2048' unit='KiB'/></hugepages>\n"
		"memory = <memory unit='KiB' dumpCore='off'>4096</memory>\n"
		"currentMemory = <currentMemory unit='KiB'>4096</currentMemory>\n"
		"memoryBacking/locked = <locked/>\n");
	expect("<memory unit='KiB'>2049</memory><currentMemory>1024</currentMemory>"
	       "<memoryBacking><hugepages/><locked/></memoryBacking><numatune><memory "
	       "mode='interleave' nodeset='0-1'/></numatune>",
		&plan, FIT_EXISTING_KEEP, "memory = <memory unit='KiB'>4096</memory>\n");
	expect("<memory>2049</memory><memoryBacking><source type='anonymous'/></memoryBacking>",
		&plan, FIT_EXISTING_KEEP,
		"numatune/memory = <memory mode='strict' nodeset='1'/>\n"
		"memoryBacking/locked = <locked/>\n");
}

static void replacing_memory_settings_leaves_no_contradiction(void **state)
{
	const struct fit_plan plan = {
		.has_memory = true,
		.memory_nodes = fit_test_cpus("1"),
		.page_kib = 1048576,
		.memory_rounded = true,
		.memory_kib = 2097152,
	};
	static const char cells[] =
		"<vcpu>2</vcpu><cpu><numa><cell id='0' cpus='0-1' memory='1049600'/></numa></cpu>"
		"<numatune><memory mode='strict' nodeset='0'/><memnode cellid='0' mode='strict' "
		"nodeset='0'/></numatune><memoryBacking><source type='anonymous'/><allocation "
		"mode='ondemand'/></memoryBacking>";

	(void)state;
	expect(cells, &plan, FIT_EXISTING_REPLACE,
		"numatune = <numatune><memory mode='preferred' nodeset='1'/></numatune>\n"
		"memoryBacking/hugepages = <hugepages><page size='1048576' unit='KiB'/>"
		"</hugepages>\n"
		"memoryBacking/source[@type='anonymous'] = (removed)\n"
		"memoryBacking/allocation[@mode='ondemand'] = (removed)\n");
	expect_refusal(cells, &plan, "the memory binding is set for each guest cell");
	expect_refusal("<memoryBacking><hugepages><page size='2048'/></hugepages></memoryBacking>",
		&plan, "the page size is 2 MiB");
	expect_refusal("<numatune><memory placement='auto'/></numatune>", &plan, "auto");
}

static void vfs_become_interfaces_or_hostdevs(void **state)
{
	struct fit_planned_vf vfs[] = {
		{.vf = {0, 0x41, 0x10, 2}, .is_interface = true},
		{.vf = {0x10000, 0xe1, 0, 1}},
	};
	const struct fit_plan plan = {.vfs = vfs, .vf_count = 2};

	(void)state;
	expect("", &plan, FIT_EXISTING_KEEP,
		"devices/interface[alias/@name='ua-virt-fit-vf0'] = <interface type='hostdev' "
		"managed='yes'><source><address type='pci' domain='0x0000' bus='0x41' slot='0x10' "
		"function='0x2'/></source><alias name='ua-virt-fit-vf0'/></interface>\n"
		"devices/hostdev[alias/@name='ua-virt-fit-vf1'] = <hostdev mode='subsystem' "
		"type='pci' managed='yes'><source><address domain='0x10000' bus='0xe1' slot='0x00' "
		"function='0x1'/></source><alias name='ua-virt-fit-vf1'/></hostdev>\n");
}

/* Written over it, ours would take the user's device away. */
static void a_name_that_the_definition_has_already_is_not_taken(void **state)
{
	struct fit_planned_vf vfs[] = {{.vf = {0, 0x41, 0x10, 2}, .is_interface = true}};
	struct fit_planned_device devices[] = {{.addr = {0, 0x81, 0, 0}}};
	struct fit_planned_port ports[] = {{.index = 7}};
	struct fit_planned_expander expanders[] = {{.cell = 1, .index = 6, .bus_number = 240}};
	const struct fit_plan plan = {
		.vfs = vfs,
		.vf_count = 1,
		.devices = devices,
		.device_count = 1,
		.ports = ports,
		.port_count = 1,
		.expanders = expanders,
		.expander_count = 1,
	};
	fit_autofree char *text =
		emit("<devices><interface type='bridge'><alias name='ua-virt-fit-vf0'/>"
		     "</interface><sound><alias name='ua-virt-fit-vf0-2'/></sound><rng><alias "
		     "name='ua-virt-fit-dev0'/></rng><controller type='usb'><alias "
		     "name='ua-virt-fit-port0'/></controller><input><alias "
		     "name='ua-virt-fit-pxb1'/></input></devices>",
			&plan, FIT_EXISTING_REPLACE);
	static const char *const taken[] = {"vf0'", "vf0-2'", "dev0'", "port0'", "pxb1'"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(taken); i++)
		if (strstr(text, taken[i]))
			fail_msg("%s is in: %s", taken[i], text);
	assert_non_null(strstr(text, "devices/interface[alias/@name='ua-virt-fit-vf0-3'] = "));
	assert_non_null(strstr(text, "<alias name='ua-virt-fit-vf0-3'/>"));
	assert_non_null(strstr(text, "devices/hostdev[alias/@name='ua-virt-fit-dev0-2'] = "));
	assert_non_null(strstr(text, "devices/controller[alias/@name='ua-virt-fit-port0-2'] = "));
	assert_non_null(strstr(text, "devices/controller[alias/@name='ua-virt-fit-pxb1-2'] = "));
}

/* A VF names its partner by alias; one that has an alias of its own keeps it. */
static void a_standby_has_a_name_and_the_vf_its_mac(void **state)
{
	static char named[] = "ua-virt-fit-standby0", own[] = "ua-lan";
	static char first[] = "52:54:00:00:00:01", second[] = "52:54:00:00:00:02";
	struct fit_planned_standby standbys[] = {
		{.identity = first, .mac = first, .alias = named},
		{.identity = second, .mac = second, .alias = own, .names_itself = true},
	};
	struct fit_planned_vf vfs[] = {
		{.network = own, .is_interface = true, .mac = first, .vlan = 7, .standby = named}};
	const struct fit_plan plan = {
		.standbys = standbys, .standby_count = 2, .vfs = vfs, .vf_count = 1};

	(void)state;
	expect("", &plan, FIT_EXISTING_KEEP,
		"devices/interface[mac/@address='52:54:00:00:00:01'][model/@type='virtio']/alias = "
		"<alias name='ua-virt-fit-standby0'/>\n"
		"devices/interface[mac/@address='52:54:00:00:00:01'][model/@type='virtio']/teaming "
		"= <teaming type='persistent'/>\n"
		"devices/interface[mac/@address='52:54:00:00:00:02'][model/@type='virtio']/teaming "
		"= <teaming type='persistent'/>\n"
		"devices/interface[alias/@name='ua-virt-fit-vf0'] = <interface type='network'><mac "
		"address='52:54:00:00:00:01'/><source network=\"ua-lan\"/><vlan><tag id='7'/>"
		"</vlan><model type='virtio'/><teaming type='transient' "
		"persistent='ua-virt-fit-standby0'/><alias name='ua-virt-fit-vf0'/></interface>\n");
}

static void devices_go_behind_the_buses_and_ports_that_we_add(void **state)
{
	static char off[] = "off";
	struct fit_planned_expander expanders[] = {
		{.cell = 1, .index = 5, .slot = 4, .bus_number = 64}};
	struct fit_planned_port ports[] = {
		{.index = 6, .bus = 5, .slot = 2}, {.index = 7, .bus = 0x1f}};
	struct fit_planned_device devices[] = {
		{.addr = {0, 0x41, 0x1f, 0}, .place = {true, 6, 0, 0, true}, .rom = off},
		{.addr = {0x10000, 0xc1, 2, 7}, .place = {true, 0x1a, 0x1b, 7, false}},
		{.addr = {0, 1, 0, 0}},
	};
	struct fit_planned_vf vfs[] = {{.vf = {0, 2, 0, 1}, .place = {true, 7, 0, 1, false}}};
	const struct fit_plan plan = {
		.expanders = expanders,
		.expander_count = 1,
		.ports = ports,
		.port_count = 2,
		.devices = devices,
		.device_count = 3,
		.vfs = vfs,
		.vf_count = 1,
	};

	(void)state;
	expect("", &plan, FIT_EXISTING_KEEP,
		"devices/controller[alias/@name='ua-virt-fit-pxb1'] = <controller type='pci' index='5' "
		"model='pcie-expander-bus'><target busNr='64'><node>1</node></target><alias "
		"name='ua-virt-fit-pxb1'/><address type='pci' domain='0x0000' bus='0x00' slot='0x04' "
		"function='0x0'/></controller>\n"
		"devices/controller[alias/@name='ua-virt-fit-port0'] = <controller type='pci' index='6' "
		"model='pcie-root-port'><alias name='ua-virt-fit-port0'/><address type='pci' "
		"domain='0x0000' bus='0x05' slot='0x02' function='0x0'/></controller>\n"
		"devices/controller[alias/@name='ua-virt-fit-port1'] = <controller type='pci' index='7' "
		"model='pcie-root-port'><alias name='ua-virt-fit-port1'/><address type='pci' "
		"domain='0x0000' bus='0x1f' slot='0x00' function='0x0'/></controller>\n"
		"devices/hostdev[alias/@name='ua-virt-fit-vf0'] = <hostdev mode='subsystem' type='pci' "
		"managed='yes'><source><address domain='0x0000' bus='0x02' slot='0x00' function='0x1'/>"
		"</source><alias name='ua-virt-fit-vf0'/><address type='pci' domain='0x0000' bus='0x07' "
		"slot='0x00' function='0x1'/></hostdev>\n"
		"devices/hostdev[alias/@name='ua-virt-fit-dev0'] = <hostdev mode='subsystem' type='pci' "
		"managed='yes'><source><address domain='0x0000' bus='0x41' slot='0x1f' function='0x0'/>"
		"</source><alias name='ua-virt-fit-dev0'/><rom bar='off'/><address type='pci' "
		"domain='0x0000' bus='0x06' slot='0x00' function='0x0' multifunction='on'/></hostdev>\n"
		"devices/hostdev[alias/@name='ua-virt-fit-dev1'] = <hostdev mode='subsystem' type='pci' "
		"managed='yes'><source><address domain='0x10000' bus='0xc1' slot='0x02' function='0x7'/>"
		"</source><alias name='ua-virt-fit-dev1'/><address type='pci' domain='0x0000' bus='0x1a' "
		"slot='0x1b' function='0x7'/></hostdev>\n"
		"devices/hostdev[alias/@name='ua-virt-fit-dev2'] = <hostdev mode='subsystem' type='pci' "
		"managed='yes'><source><address domain='0x0000' bus='0x01' slot='0x00' function='0x0'/>"
		"</source><alias name='ua-virt-fit-dev2'/></hostdev>\n");
}

/* What there is, and what was wanted. */
static void a_refusal_names_both_sides(void **state)
{
	struct fit_thread_pin pins[] = {
		{.id = 1, .cpus = fit_test_cpus("2")}, {.id = 3, .cpus = fit_test_cpus("3")}};
	const struct {
		const char *body, *part;
		struct fit_plan plan;
	} cases[] = {
		{"<cpu mode='custom'/>",
			"the CPU mode is custom, but p.xml:7 requires host-passthrough",
			{.cpu_mode = FIT_CPU_MODE_HOST_PASSTHROUGH}},
		{"<cpu mode='host-passthrough'><cache mode='disable'/></cpu>",
			"the CPU cache mode is another one, but p.xml:7 requires passthrough",
			{.passthrough_cache = true}},
		{"<vcpu placement='auto'>2</vcpu>",
			"the placement of the vCPUs is auto, but p.xml:7 "
			"requires static",
			{.vcpus = pins, .vcpu_count = 1}},
		{"<vcpu>2</vcpu><cputune><vcpupin vcpu='1' cpuset='0,4'/></cputune>",
			"the pin of vcpu 1 is 0,4, but p.xml:7 requires 2",
			{.vcpus = pins, .vcpu_count = 1}},
		{"<cputune><emulatorpin cpuset='0-1'/></cputune>",
			"the pin of the emulator is 0-1, but p.xml:7 requires 5-6",
			{.has_emulator = true, .emulator = fit_test_cpus("5-6")}},
		{"<iothreads>2</iothreads>",
			"the list of iothreads is 1, 2, but p.xml:7 requires 1, 3",
			{.iothreads = pins, .iothread_count = 2}},
		{"<iothreads>1</iothreads><cputune><iothreadpin iothread='1' cpuset='0'/></cputune>",
			"the pin of iothread 1 is 0, but p.xml:7 requires 2",
			{.iothreads = pins, .iothread_count = 1, .iothreads_kept = true}},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++)
		expect_refusal(cases[i].body, &cases[i].plan, cases[i].part);
}

static void kept_iothreads_are_only_pinned(void **state)
{
	struct fit_thread_pin pins[] = {
		{.id = 1, .cpus = fit_test_cpus("2")}, {.id = 3, .cpus = fit_test_cpus("3")}};
	const struct fit_plan plan = {
		.iothreads = pins, .iothread_count = 2, .iothreads_kept = true};

	(void)state;
	expect("<iothreads>1</iothreads>", &plan, FIT_EXISTING_REPLACE,
		"cputune/iothreadpin[@iothread='1'] = <iothreadpin iothread='1' cpuset='2'/>\n");
	expect("<iothreads>1</iothreads>", &(struct fit_plan){.iothreads_kept = true},
		FIT_EXISTING_REPLACE, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_plan_gives_no_edit),
		cmocka_unit_test(host_passthrough_takes_the_place_of_a_model),
		cmocka_unit_test(topology_is_compared_with_libvirts_defaults),
		cmocka_unit_test(cache_and_topoext_go_only_with_the_hosts_cpu),
		cmocka_unit_test(pins_follow_the_policy_thread_by_thread),
		cmocka_unit_test(automatic_placement_gives_way_only_when_it_is_replaced),
		cmocka_unit_test(iothreads_are_added_to_those_that_are_there),
		cmocka_unit_test(disks_get_iothreads_and_drivers_where_these_are_legal),
		cmocka_unit_test(scsi_controllers_are_named_by_the_number_libvirt_gives),
		cmocka_unit_test(memory_is_bound_backed_and_rounded),
		cmocka_unit_test(replacing_memory_settings_leaves_no_contradiction),
		cmocka_unit_test(vfs_become_interfaces_or_hostdevs),
		cmocka_unit_test(a_name_that_the_definition_has_already_is_not_taken),
		cmocka_unit_test(a_standby_has_a_name_and_the_vf_its_mac),
		cmocka_unit_test(devices_go_behind_the_buses_and_ports_that_we_add),
		cmocka_unit_test(a_refusal_names_both_sides),
		cmocka_unit_test(kept_iothreads_are_only_pinned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
