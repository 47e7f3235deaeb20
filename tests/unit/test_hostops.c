/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "core/alias.h"
#include "core/hostops.h"
#include "support_domain.h"

static const char fitted[] =
	"<memory unit='GiB'>16</memory><memoryBacking><hugepages><page size='1' "
	"unit='GiB'/></hugepages></memoryBacking><vcpu>2</vcpu><cputune><vcpupin vcpu='0' "
	"cpuset='4'/><vcpupin vcpu='1' cpuset='20'/>"
	"<emulatorpin cpuset='0,16'/></cputune><numatune><memory mode='strict' "
	"nodeset='1'/></numatune><devices><interface type='hostdev'><source><address type='pci' "
	"bus='0x41' slot='0x10'/>"
	"</source><alias name='ua-virt-fit-vf0'/></interface><hostdev type='pci'><source><address "
	"bus='0x42'/></source></hostdev></devices>";

static struct fit_profile full_profile(void)
{
	static char performance[] = "performance";

	return (struct fit_profile){
		.vcpus = {.intent.set = true, .place = FIT_PLACE_CORES},
		.vfs = {.intent.set = true, .count = 1, .create = 4},
		.host[FIT_SETTING_GOVERNOR] = {.intent.set = true, .value = performance},
		.isolate = {.intent.set = true, .cpus = FIT_ISOLATE_VCPUS},
		.interrupts = {.intent.set = true,
			.others_elsewhere = true,
			.devices_to = FIT_PLACE_VCPUS},
	};
}

static void expect_ops(
	const char *body, const struct fit_profile *profile, const char *const *lines, size_t count)
{
	struct fit_domain domain = fit_test_domain(body);
	struct fit_hostops ops;

	fit_hostops_derive(&domain, profile, &ops);
	for (size_t i = 0; i < ops.count && i < count; i++) {
		fit_autofree char *line = fit_op_describe(&ops.items[i]);

		assert_string_equal(line, lines[i]);
		assert_true(ops.items[i].apply < ops.items[i].undo);
	}
	assert_int_equal(ops.count, count);
	fit_hostops_clear(&ops);
	fit_domain_clear(&domain);
}

/* Of a definition that was copied without its record, or a device that was edited since. */
/* They are made when QEMU runs; the host's processes leave before. */
static void vcpus_that_have_cpus_of_their_own_can_have_partitions(void **state)
{
	struct fit_profile profile = full_profile();
	struct fit_domain domain = fit_test_domain(fitted);
	size_t isolations = 0;
	size_t partitions = 0;
	struct fit_hostops ops;

	(void)state;
	profile.isolate.partition = true;
	fit_hostops_derive(&domain, &profile, &ops);
	for (size_t i = 0; i < ops.count; i++) {
		const struct fit_op *op = &ops.items[i];
		fit_autofree char *line = fit_op_describe(op);

		isolations += op->kind == FIT_OP_ISOLATE && op->partition;
		if (op->kind != FIT_OP_PARTITION)
			continue;
		partitions++;
		assert_true(fit_cpuset_equal(&op->cpus, &ops.exclusive_cpus));
		assert_int_equal(op->apply, FIT_PHASE_STARTED);
		assert_string_equal(line, "isolated partitions of CPUs 4,20");
	}
	assert_int_equal(isolations, 1);
	assert_int_equal(partitions, 1);
	fit_hostops_clear(&ops);
	fit_domain_clear(&domain);
}

static void what_is_only_named_like_ours_needs_nothing(void **state)
{
	static const char *const paths[] = {"devices/interface[alias/@name='ua-virt-fit-vf0']",
		"devices/hostdev[alias/@name='ua-virt-fit-vf0']",
		"devices/interface[alias/@name='ua-virt-fit-vf0-2']"};
	char wrote[] = "<interface/>";
	struct fit_facet facet = {.wrote = wrote};
	const struct fit_record records[] = {{0}, {.facets = &facet, .facet_count = 1}};
	const struct fit_profile profile = {
		.vfs = {.intent.set = true, .up = true, .trust = wrote}};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(paths) * 2; i++) {
		fit_autofree char *path = fit_xstrdup(paths[i / 2]);
		struct fit_domain domain = fit_test_domain(fitted);
		struct fit_hostops ops;
		size_t for_vfs = 0;

		facet.path = path;
		fit_alias_disown_unrecorded(&domain, &records[i % 2]);
		fit_hostops_derive(&domain, &profile, &ops);
		for (size_t op = 0; op < ops.count; op++)
			for_vfs += ops.items[op].kind != FIT_OP_PAGES;
		assert_int_equal(for_vfs, i == 1 ? 3 : 0);
		fit_hostops_clear(&ops);
		fit_domain_clear(&domain);
	}
}

static void what_the_definition_has_without_our_edits_is_not_ours(void **state)
{
	struct fit_domain domain = fit_test_domain(fitted), original = fit_test_domain("");

	(void)state;
	fit_alias_disown_taken(&domain, &original);
	assert_true(domain.hostdevs[0].ours);
	fit_strlist_add(&original.aliases_like_ours, "ua-virt-fit-vf0");
	fit_alias_disown_taken(&domain, &original);
	assert_false(domain.hostdevs[0].ours);
	fit_domain_clear(&domain);
	fit_domain_clear(&original);
}

static void a_full_profile_gives_every_kind_of_op(void **state)
{
	static const char *const lines[] = {
		"VF 0000:41:10.0",
		"16 pages of 1 GiB on node 1",
		"governor performance on CPUs 4,20",
		"processes of the host off CPUs 4,20",
		"interrupts of other devices off CPUs 4,20",
		"interrupts of 0000:41:10.0 to CPUs 4,20",
		"interrupts of 0000:42:00.0 to CPUs 4,20",
	};
	struct fit_profile profile = full_profile();

	(void)state;
	expect_ops(fitted, &profile, lines, FIT_ARRAY_SIZE(lines));
}

/* The default must not keep the vectors of its own devices, which come later, off its CPUs. */
static void new_interrupts_stay_away_where_none_of_them_are_its_own(void **state)
{
	static const char without[] =
		"<vcpu>1</vcpu><cputune><vcpupin vcpu='0' cpuset='4'/></cputune>";
	static const char with[] =
		"<vcpu>1</vcpu><cputune><vcpupin vcpu='0' cpuset='4'/></cputune><devices><hostdev "
		"type='pci'><source><address bus='0x42'/></source></hostdev></devices>";
	static const char *const off[] = {
		"interrupts of other devices off CPU 4", "new interrupts off CPU 4"};
	static const char *const own[] = {
		"interrupts of other devices off CPU 4", "interrupts of 0000:42:00.0 to CPU 4"};
	struct fit_profile profile = full_profile();

	(void)state;
	profile.host[FIT_SETTING_GOVERNOR].intent.set = false;
	profile.isolate.intent.set = false;
	expect_ops(without, &profile, off, FIT_ARRAY_SIZE(off));
	expect_ops(with, &profile, own, FIT_ARRAY_SIZE(own));
	profile.interrupts.devices_to = FIT_PLACE_NODE;
	expect_ops(with, &profile, off, FIT_ARRAY_SIZE(off));
}

static void what_the_card_enforces_for_a_vf_is_set_for_ours(void **state)
{
	static const char *const lines[] = {
		"physical function of VF 0000:41:10.0 up",
		"VF 0000:41:10.0",
		"16 pages of 1 GiB on node 1",
		"spoofchk off of VF 0000:41:10.0",
		"trust on of VF 0000:41:10.0",
		"rate 0 1000 of VF 0000:41:10.0",
		"link-state enable of VF 0000:41:10.0",
	};
	static char on[] = "on", off[] = "off", enable[] = "enable", macs[] = "52:54:00:00:00:01";
	struct fit_profile profile = {.vfs = {.intent.set = true,
					      .trust = on,
					      .spoofchk = off,
					      .link_state = enable,
					      .macs = macs,
					      .vlan = 100,
					      .max_rate = 1000,
					      .up = true}};

	(void)state;
	expect_ops(fitted, &profile, lines, FIT_ARRAY_SIZE(lines));
	profile.vfs.class = FIT_VF_NVME;
	expect_ops(fitted, &profile, lines + 1, 2);
}

/* libvirt does nothing of the kind for a <hostdev>. */
static void mac_and_vlan_of_a_hostdev_are_set_by_us(void **state)
{
	/* Its usual name, and the one it gets where the definition has that already. */
	static const char *const names[] = {"vf1", "vf1-2"};
	static const char *const lines[] = {
		"VF 0000:41:10.2",
		"mac 52:54:00:00:00:02 of VF 0000:41:10.2",
		"vlan 100 qos 3 of VF 0000:41:10.2",
		"rate 100 0 of VF 0000:41:10.2",
	};
	static char macs[] = "52:54:00:00:00:01 52:54:00:00:00:02";
	struct fit_profile profile = {.vfs = {.intent.set = true,
					      .macs = macs,
					      .vlan = 100,
					      .qos = 3,
					      .min_rate = 100,
					      .max_rate = FIT_AUTO}};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(names); i++) {
		fit_autofree char *device = fit_xasprintf(
			"<devices><hostdev mode='subsystem' type='pci' managed='yes'><source>"
			"<address domain='0' bus='0x41' slot='0x10' function='2'/></source>"
			"<alias name='ua-virt-fit-%s'/></hostdev></devices>",
			names[i]);

		expect_ops(device, &profile, lines, FIT_ARRAY_SIZE(lines));
	}
}

static void cards_of_vfs_are_set_channels_first(void **state)
{
	static const char *const lines[] = {
		"VF 0000:41:10.0",
		"16 pages of 1 GiB on node 1",
		"the card\'s rx-channels 1",
		"the card\'s tx-channels 2",
		"the card\'s combined-channels 4",
		"the card\'s rx-ring 512",
		"the card\'s tx-ring 1024",
		"the card\'s adaptive-rx off",
		"the card\'s adaptive-tx on",
		"the card\'s rx-usecs 0",
		"the card\'s rx-frames 16",
		"the card\'s tx-usecs 8",
		"the card\'s tx-frames 32",
		"the card\'s rx-gro on",
		"the card\'s rx-hashing off",
		"the card\'s tx-tcp-segmentation off",
	};
	static char one[] = "1", two[] = "2", four[] = "4", small[] = "512", large[] = "1024";
	static char off[] = "off", adapts[] = "on", zero[] = "0", eight[] = "8";
	static char few[] = "16", many[] = "32";
	static char on[] = "rx-gro rx-hashing", not_on[] = "rx-hashing tx-tcp-segmentation";
	struct fit_profile profile = {.ethtool = {.intent.set = true,
					      .rx_usecs = zero,
					      .rx_frames = few,
					      .tx_usecs = eight,
					      .tx_frames = many,
					      .adaptive_rx = off,
					      .adaptive_tx = adapts,
					      .rx_ring = small,
					      .tx_ring = large,
					      .rx_channels = one,
					      .tx_channels = two,
					      .combined_channels = four,
					      .features_on = on,
					      .features_off = not_on}};

	(void)state;
	expect_ops(fitted, &profile, lines, FIT_ARRAY_SIZE(lines));
	/* Without a device there is no card. */
	expect_ops("", &profile, NULL, 0);
	profile.ethtool.intent.set = false;
	expect_ops(fitted, &profile, lines, 2);
}

/* Of the devices that libvirt does not manage. */
static void drivers_are_given_to_devices_that_nobody_manages(void **state)
{
	static const char body[] =
		"<devices><hostdev type='pci' managed='no'><source><address bus='0x42'/></source>"
		"</hostdev><hostdev type='pci' managed='yes'><source><address bus='0x43'/></source>"
		"</hostdev><interface type='hostdev'><source><address type='pci' bus='0x44'/>"
		"</source></interface><disk type='nvme'><source type='pci' managed='yes' "
		"namespace='1'><address bus='0x45'/></source><target dev='vda'/></disk></devices>";
	static const char *const lines[] = {"driver vfio-pci for 0000:42:00.0, 0000:44:00.0"};
	static char driver[] = "vfio-pci";
	struct fit_profile profile = {
		.device_driver = {.intent.set = true, .value = driver, .missing_refuse = true}};

	(void)state;
	expect_ops(body, &profile, lines, 1);
	expect_ops("", &profile, NULL, 0);
	profile.device_driver.value = NULL;
	expect_ops(body, &profile, NULL, 0);
}

static void compaction_is_for_pages(void **state)
{
	static const char body[] =
		"<memory unit='GiB'>1</memory><memoryBacking><hugepages><page size='1' "
		"unit='GiB'/></hugepages></memoryBacking>";
	static const char *const lines[] = {
		"1 page of 1 GiB on any node, memory compacted if need be"};
	struct fit_profile profile = {.memory = {.intent.set = true, .compact = true}};

	(void)state;
	expect_ops(body, &profile, lines, 1);
}

static void threads_go_where_the_emulator_is(void **state)
{
	static const char body[] =
		"<cputune><vcpupin vcpu='0' cpuset='4'/><emulatorpin cpuset='0-1'/></cputune>";
	static const char *const lines[] = {
		"vhost threads on CPUs 0-1, with scheduler fifo 2",
		"threads of KVM on CPUs 0-1",
		"other threads of QEMU with scheduler rr 1",
	};
	static char fifo[] = "fifo", rr[] = "rr";
	struct fit_profile profile = {
		.threads = {[FIT_THREADS_VHOST] = {.intent.set = true,
				    .to_emulator = true,
				    .scheduling = {fifo, 2}},
			[FIT_THREADS_KVM] = {.intent.set = true, .to_emulator = true},
			[FIT_THREADS_QEMU] = {.intent.set = true, .scheduling = {rr, 1}}}};

	(void)state;
	expect_ops(body, &profile, lines, FIT_ARRAY_SIZE(lines));
	/* Nobody knows where that is. */
	expect_ops("", &profile,
		(const char *const[]){"vhost threads with scheduler fifo 2",
			"other threads of QEMU with scheduler rr 1"},
		2);
}

static void set(struct fit_profile *profile, enum fit_host_setting_id id, char *value)
{
	profile->host[id] = (struct fit_intent_setting){.intent.set = true, .value = value};
}

static void settings_are_for_what_the_domain_has(void **state)
{
	static char off[] = "off";
	static char low[] = "10us";
	static char elsewhere[] = "elsewhere";
	static char name[] = "vm.dirty_ratio";
	static char five[] = "5";
	static const char *const lines[] = {
		"VF 0000:41:10.0",
		"16 pages of 1 GiB on node 1",
		"wakeup latency at most 10us on CPUs 4,20",
		"link power saving off of 0000:41:10.0, 0000:42:00.0",
		"NUMA balancing off",
		"interval of memory statistics at least 10us",
		"unbound work queues off CPUs 4,20",
		"sysctl vm/dirty_ratio = 5",
	};
	/* Without cores and devices of its own. */
	static const char *const whole_host[] = {"NUMA balancing off",
		"interval of memory statistics at least 10us", "sysctl vm/dirty_ratio = 5"};
	struct fit_host_write write = {.setting = FIT_SETTING_SYSCTL, .name = name, .value = five};
	struct fit_profile profile = {
		.vcpus = {.intent.set = true, .place = FIT_PLACE_CORES},
		.vfs = {.intent.set = true, .count = 1},
		.writes = &write,
		.write_count = 1,
	};

	(void)state;
	set(&profile, FIT_SETTING_WAKEUP_LATENCY, low);
	set(&profile, FIT_SETTING_ASPM, off);
	set(&profile, FIT_SETTING_NUMA_BALANCING, off);
	set(&profile, FIT_SETTING_STAT_INTERVAL, low);
	set(&profile, FIT_SETTING_WORKQUEUES, elsewhere);
	/* "keep" */
	set(&profile, FIT_SETTING_KSM, NULL);
	expect_ops(fitted, &profile, lines, FIT_ARRAY_SIZE(lines));
	expect_ops("<vcpu cpuset='0-7'>4</vcpu>", &profile, whole_host, FIT_ARRAY_SIZE(whole_host));
}

static void shared_cpus_are_left_alone(void **state)
{
	static const char *const lines[] = {
		"VF 0000:41:10.0",
		"16 pages of 1 GiB on node 1",
		"interrupts of 0000:41:10.0 to CPUs 0,16",
		"interrupts of 0000:42:00.0 to CPUs 0,16",
	};
	struct fit_profile profile = full_profile();

	(void)state;
	profile.vcpus.shared = true;
	profile.interrupts.devices_to = FIT_PLACE_HOUSEKEEPING;
	expect_ops(fitted, &profile, lines, FIT_ARRAY_SIZE(lines));
}

static void a_floating_domain_has_no_cpus_to_tune(void **state)
{
	struct fit_profile profile = full_profile();

	(void)state;
	expect_ops("<vcpu cpuset='0-7'>4</vcpu>", &profile, NULL, 0);
}

/* The device that the user passed through is not ours to create; without intents nothing is
 * touched but the pages that the guest cannot start without. */
static void what_needs_cpus_of_its_own_is_named_when_there_are_none(void **state)
{
	struct fit_profile profile = full_profile();
	struct fit_domain domain = fit_test_domain(fitted);

	(void)state;
	for (int shared = 0; shared <= 1; shared++) {
		for (int refuse = 0; refuse <= 1; refuse++) {
			fit_autostrlist struct fit_strlist names = {0};
			fit_autofree char *list = NULL;
			struct fit_hostops ops;

			profile.vcpus.shared = shared;
			profile.isolate.missing_refuse = refuse;
			fit_hostops_derive(&domain, &profile, &ops);
			assert_int_equal(
				fit_hostops_left_out(&profile, &ops, &names), shared && refuse);
			list = fit_strlist_join(&names, " ");
			assert_string_equal(list, shared ? "<governor> <isolate>" : "");
			fit_hostops_clear(&ops);
		}
	}
	fit_domain_clear(&domain);
}

static void an_empty_profile_gives_only_what_the_definition_needs(void **state)
{
	static const char *const lines[] = {"2 pages of 512 MiB on any node"};
	static const char *const default_size[] = {
		"1 GiB in pages of the host's default size on any node"};
	struct fit_profile profile = {0};

	(void)state;
	expect_ops("<memoryBacking><hugepages><page size='512' unit='MiB'/></hugepages>"
		   "</memoryBacking><devices><hostdev type='pci'><source><address bus='0x42'/>"
		   "</source></hostdev></devices>",
		&profile, lines, 1);
	expect_ops("<memoryBacking><hugepages/></memoryBacking>", &profile, default_size, 1);
	/* libvirt takes this for the whole guest where it has no cells. */
	expect_ops("<memoryBacking><hugepages><page size='2048' nodeset='0'/></hugepages>"
		   "</memoryBacking>",
		&profile, (const char *const[]){"512 pages of 2 MiB on any node"}, 1);
}

static void each_guest_cell_has_its_pages_on_its_nodes(void **state)
{
	static const char cells[] =
		"<vcpu>4</vcpu><cpu><numa><cell id='0' cpus='0' memory='3' unit='GiB'/>"
		"<cell id='1' cpus='1' memory='1' unit='GiB'/>"
		"<cell id='2' cpus='2' memory='1' unit='GiB'/>"
		"<cell id='3' cpus='3' memory='1' unit='GiB'/></numa></cpu>"
		"<numatune><memory mode='strict' nodeset='0-1'/>"
		"<memnode cellid='0' mode='strict' nodeset='0'/>"
		"<memnode cellid='1' mode='strict' nodeset='1'/>"
		"<memnode cellid='2' mode='strict' nodeset='1'/></numatune>";
	static const char *const lines[] = {
		"3 pages of 1 GiB on node 0",
		"1024 pages of 2 MiB on node 1",
	};
	fit_autofree char *body = fit_xasprintf(
		"%s<memoryBacking><hugepages><page size='1' unit='GiB' nodeset='0'/>"
		"<page size='2' unit='MiB' nodeset='1-2'/></hugepages></memoryBacking>",
		cells);
	struct fit_profile profile = {0};

	(void)state;
	expect_ops(body, &profile, lines, FIT_ARRAY_SIZE(lines));
}

/* Where the vCPUs are, and not wherever pages are free, whatever happens when the node is full. */
static void pages_are_wanted_on_the_nodes_of_any_binding(void **state)
{
	static const char pages[] = "<memoryBacking><hugepages><page size='2' unit='MiB'/>"
				    "</hugepages></memoryBacking>";
	static const struct {
		const char *memory, *nodes;
		bool preferred;
	} cases[] = {
		{"mode='strict' nodeset='1'", "1", false},
		{"mode='restrictive' nodeset='1'", "1", false},
		{"mode='preferred' nodeset='1'", "1", true},
		{"mode='interleave' nodeset='0-1'", "0-1", true},
		{"mode='strict' placement='auto'", "", false},
	};
	struct fit_profile profile = {0};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *body = fit_xasprintf(
			"<numatune><memory %s/></numatune>%s", cases[i].memory, pages);
		struct fit_domain domain = fit_test_domain(body);
		struct fit_hostops ops;

		fit_hostops_derive(&domain, &profile, &ops);
		assert_int_equal(ops.count, 1);
		fit_expect_cpus(&ops.items[0].nodes, cases[i].nodes);
		assert_int_equal(ops.items[0].nodes_preferred, cases[i].preferred);
		fit_hostops_clear(&ops);
		fit_domain_clear(&domain);
	}
}

static void iothreads_on_cores_of_their_own_are_tuned_too(void **state)
{
	static const char own[] = "<iothreads>1</iothreads><cputune><vcpupin vcpu='0' cpuset='4'/>"
				  "<emulatorpin cpuset='0'/><iothreadpin iothread='1' "
				  "cpuset='6,22'/></cputune>";
	static const char shared[] =
		"<iothreads>1</iothreads><cputune><vcpupin vcpu='0' cpuset='4'/>"
		"<emulatorpin cpuset='0'/>"
		"<iothreadpin iothread='1' cpuset='0'/></cputune>";
	struct fit_profile profile = full_profile();
	struct fit_domain domain = fit_test_domain(own);
	struct fit_domain beside = fit_test_domain(shared);
	struct fit_hostops ops;

	(void)state;
	fit_hostops_derive(&domain, &profile, &ops);
	fit_expect_cpus(&ops.own_cpus, "4,6,22");
	/* Only the vCPUs must be alone for a start: pins kept by hand may put iothreads together.
	 */
	fit_expect_cpus(&ops.exclusive_cpus, "4");
	fit_hostops_clear(&ops);
	fit_hostops_derive(&beside, &profile, &ops);
	fit_expect_cpus(&ops.own_cpus, "4");
	fit_hostops_clear(&ops);
	fit_domain_clear(&domain);
	fit_domain_clear(&beside);
}

static void the_profile_decides_whether_a_missing_governor_is_an_error(void **state)
{
	struct fit_profile profile = full_profile();
	struct fit_domain domain = fit_test_domain(fitted);
	struct fit_hostops ops;

	(void)state;
	fit_hostops_derive(&domain, &profile, &ops);
	assert_true(ops.items[2].optional && ops.items[3].optional);
	assert_int_equal(ops.items[0].create, 4);
	fit_expect_cpus(&ops.exclusive_cpus, "4,20");
	fit_hostops_clear(&ops);
	profile.host[FIT_SETTING_GOVERNOR].missing_refuse = true;
	profile.isolate.missing_refuse = true;
	/* Where it is asked for is in the error. */
	profile.isolate.intent.file = "low.xml";
	profile.isolate.intent.line = 7;
	fit_hostops_derive(&domain, &profile, &ops);
	assert_false(ops.items[2].optional || ops.items[3].optional);
	assert_null(ops.items[2].where);
	assert_string_equal(ops.items[3].where, "low.xml:7");
	fit_hostops_clear(&ops);
	fit_domain_clear(&domain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vcpus_that_have_cpus_of_their_own_can_have_partitions),
		cmocka_unit_test(what_is_only_named_like_ours_needs_nothing),
		cmocka_unit_test(what_the_definition_has_without_our_edits_is_not_ours),
		cmocka_unit_test(a_full_profile_gives_every_kind_of_op),
		cmocka_unit_test(new_interrupts_stay_away_where_none_of_them_are_its_own),
		cmocka_unit_test(settings_are_for_what_the_domain_has),
		cmocka_unit_test(what_the_card_enforces_for_a_vf_is_set_for_ours),
		cmocka_unit_test(mac_and_vlan_of_a_hostdev_are_set_by_us),
		cmocka_unit_test(cards_of_vfs_are_set_channels_first),
		cmocka_unit_test(drivers_are_given_to_devices_that_nobody_manages),
		cmocka_unit_test(compaction_is_for_pages),
		cmocka_unit_test(threads_go_where_the_emulator_is),
		cmocka_unit_test(shared_cpus_are_left_alone),
		cmocka_unit_test(a_floating_domain_has_no_cpus_to_tune),
		cmocka_unit_test(what_needs_cpus_of_its_own_is_named_when_there_are_none),
		cmocka_unit_test(an_empty_profile_gives_only_what_the_definition_needs),
		cmocka_unit_test(each_guest_cell_has_its_pages_on_its_nodes),
		cmocka_unit_test(pages_are_wanted_on_the_nodes_of_any_binding),
		cmocka_unit_test(iothreads_on_cores_of_their_own_are_tuned_too),
		cmocka_unit_test(the_profile_decides_whether_a_missing_governor_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
