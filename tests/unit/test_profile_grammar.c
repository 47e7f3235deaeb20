/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole grammar of intents: what may stand where, and what holds when nothing does. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/profile_grammar.h"

/* "ELEMENT ATTRIBUTE=UNSTATED: what may stand there", in the order of the grammar. */
static const char *const wanted[] = {
	"cpu mode=keep: \"host-passthrough\", \"host-model\" or \"keep\"",
	"cpu migratable=keep: \"on\", \"off\" or \"keep\"",
	"cpu topology=keep: \"mirror\" or \"keep\"",
	"cpu threads=host: \"host\" or a number from 0 to 8192",
	"cpu cache=keep: \"passthrough\" or \"keep\"",
	"cpu maxphysaddr=keep: \"passthrough\" or \"keep\"",
	"cpu require=none: names separated by spaces, or \"none\"",
	"cpu disable=none: names separated by spaces, or \"none\"",
	"cpu existing=keep: \"keep\", \"replace\" or \"require\"",
	"features pmu=keep: \"on\", \"off\" or \"keep\"",
	"features hidden=keep: \"on\", \"off\" or \"keep\"",
	"features hint-dedicated=keep: \"on\", \"off\" or \"keep\"",
	"features poll-control=keep: \"on\", \"off\" or \"keep\"",
	"features existing=keep: \"keep\", \"replace\" or \"require\"",
	"hyperv features=none: \"all\", names of Hyper-V enlightenments as libvirt has them, or \"none\"",
	"hyperv vendor_id=keep: \"keep\" or 1 to 12 letters, digits, dots, dashes, underlines and spaces between",
	"hyperv existing=keep: \"keep\", \"replace\" or \"require\"",
	"clock offset=keep: \"utc\", \"localtime\" or \"keep\"",
	"clock rtc=keep: \"catchup\", \"delay\" or \"keep\"",
	"clock pit=keep: \"delay\", \"catchup\", \"discard\" or \"keep\"",
	"clock hpet=keep: \"yes\", \"no\" or \"keep\"",
	"clock kvmclock=keep: \"yes\", \"no\" or \"keep\"",
	"clock tsc=keep: \"native\" or \"keep\"",
	"clock existing=keep: \"keep\", \"replace\" or \"require\"",
	"vcpus place=none: \"cores\", \"node\" or \"none\"",
	"vcpus shared=no: \"yes\" or \"no\"",
	"vcpus dedicated=all: \"all\", numbers of vCPUs such as 0-3,6, or \"^\" and numbers for all others",
	"vcpus near=none: \"devices\" or \"none\"",
	"vcpus span=node: \"node\" or \"nodes\"",
	"vcpus pin=one: \"one\" or \"set\"",
	"vcpus scheduler=keep: \"fifo\", \"rr\" or \"keep\"",
	"vcpus priority=1: a real-time priority from 1 to 99",
	"vcpus existing=keep: \"keep\", \"replace\" or \"require\"",
	"emulator place=none: \"housekeeping\", \"own-core\", \"vcpus\", \"node\" or \"none\"",
	"emulator scheduler=keep: \"fifo\", \"rr\" or \"keep\"",
	"emulator priority=1: a real-time priority from 1 to 99",
	"emulator existing=keep: \"keep\", \"replace\" or \"require\"",
	"iothreads count=auto: \"auto\", \"per-disk\", \"per-node\" or a number from 0 to 8192",
	"iothreads place=none: \"housekeeping\", \"own-core\", \"vcpus\", \"node\" or \"none\"",
	"iothreads scheduler=keep: \"fifo\", \"rr\" or \"keep\"",
	"iothreads priority=1: a real-time priority from 1 to 99",
	"iothreads poll-max=keep: \"off\", \"keep\" or nanoseconds, from 1 to 1000000000 (a second)",
	"iothreads existing=keep: \"keep\", \"replace\" or \"require\"",
	"shares value=(must be stated): \"keep\" or a weight from 2 to 10000",
	"shares existing=keep: \"keep\", \"replace\" or \"require\"",
	"cachetune level=3: \"3\"",
	"cachetune type=both: \"both\", \"code\" or \"data\"",
	"cachetune size=(must be stated): \"keep\" or a size with its unit, such as 512MiB",
	"cachetune missing=warn: \"warn\" or \"refuse\"",
	"cachetune existing=keep: \"keep\", \"replace\" or \"require\"",
	"memorytune bandwidth=(must be stated): \"keep\" or a number from 1 to 100 (percent)",
	"memorytune missing=warn: \"warn\" or \"refuse\"",
	"memorytune existing=keep: \"keep\", \"replace\" or \"require\"",
	"disks iothread=keep: \"spread\", \"map\" or \"keep\"",
	"disks cache=keep: \"none\", \"writeback\", \"writethrough\", \"directsync\", \"unsafe\" or \"keep\"",
	"disks io=keep: \"native\", \"threads\", \"io_uring\" or \"keep\"",
	"disks discard=keep: \"unmap\", \"ignore\" or \"keep\"",
	"disks detect_zeroes=keep: \"off\", \"on\", \"unmap\" or \"keep\"",
	"disks queues=keep: \"auto\", \"keep\" or a number from 0 to 8192",
	"disks queues_max=16: a number from 0 to 8192",
	"disks queue_size=keep: \"64\", \"128\", \"256\", \"512\", \"1024\" or \"keep\"",
	"disks packed=keep: \"on\", \"off\" or \"keep\"",
	"disks ioeventfd=keep: \"on\", \"off\" or \"keep\"",
	"disks vectors=keep: \"auto\", \"keep\" or a number from 0 to 8192",
	"disks existing=keep: \"keep\", \"replace\" or \"require\"",
	"interfaces model=keep: \"virtio\" or \"keep\"",
	"interfaces driver=keep: \"vhost\", \"qemu\" or \"keep\"",
	"interfaces queues=keep: \"auto\", \"keep\" or a number from 0 to 8192",
	"interfaces queues_max=16: a number from 0 to 8192",
	"interfaces rx_queue_size=keep: \"256\", \"512\", \"1024\" or \"keep\"",
	"interfaces tx_queue_size=keep: \"256\", \"512\", \"1024\" or \"keep\"",
	"interfaces packed=keep: \"on\", \"off\" or \"keep\"",
	"interfaces vectors=keep: \"auto\", \"keep\" or a number from 0 to 8192",
	"interfaces existing=keep: \"keep\", \"replace\" or \"require\"",
	"memory nodes=keep: \"as-cpus\" or \"keep\"",
	"memory binding=preferred: \"strict\" or \"preferred\"",
	"memory pages=none: page sizes in order of preference, such as \"1GiB 2MiB\"; \"none\", last or alone, accepts normal pages",
	"memory compact=no: \"yes\" or \"no\"",
	"memory locked=no: \"yes\" or \"no\"",
	"memory sharepages=keep: \"no\" or \"keep\"",
	"memory allocation=keep: \"immediate\" or \"keep\"",
	"memory threads=keep: \"auto\", \"keep\" or a number from 0 to 8192",
	"memory source=keep: \"memfd\" or \"keep\"",
	"memory access=keep: \"shared\", \"private\" or \"keep\"",
	"memory existing=keep: \"keep\", \"replace\" or \"require\"",
	"cells count=none: \"auto\", \"none\" or a number from 0 to 8192",
	"cells distances=mirror: \"mirror\" or \"none\"",
	"cells existing=keep: \"keep\", \"replace\" or \"require\"",
	"interrupts of others to=(must be stated): \"elsewhere\" or \"keep\"",
	"interrupts of devices to=(must be stated): \"vcpus\", \"housekeeping\", \"node\" or \"keep\"",
	"vfs count=1: a number from 0 to 8192",
	"vfs class=network: \"network\" or \"nvme\"",
	"vfs pf=nearest: \"nearest\", a PCI address such as 0000:41:00.0, or a network interface",
	"vfs create=needed: \"needed\" or a number from 0 to 8192",
	"vfs as=interface: \"interface\", \"hostdev\" or \"network\"",
	"vfs network=none: \"none\" or a line of text",
	"vfs mac=auto: \"auto\" or MAC addresses, each once and none of a group, such as 52:54:00:6b:3c:58",
	"vfs vlan=none: \"none\" or a VLAN from 1 to 4094",
	"vfs teaming=none: \"none\" or \"standby\"",
	"vfs trust=keep: \"on\", \"off\" or \"keep\"",
	"vfs spoofchk=keep: \"on\", \"off\" or \"keep\"",
	"vfs link-state=keep: \"auto\", \"enable\", \"disable\" or \"keep\"",
	"vfs qos=none: \"none\" or a priority from 1 to 7",
	"vfs min-rate=keep: \"none\", \"keep\" or Mbit/s, from 1 to 1000000",
	"vfs max-rate=keep: \"none\", \"keep\" or Mbit/s, from 1 to 1000000",
	"vfs up=no: \"yes\" or \"no\"",
	"vfs missing=refuse: \"refuse\" or \"warn\"",
	"vfs existing=keep: \"keep\", \"replace\" or \"require\"",
	"passthrough of gpus devices=requested: \"requested\" or \"none\"",
	"passthrough of gpus functions=all: \"all\" or \"named\"",
	"passthrough of gpus rom=keep: \"on\", \"off\" or \"keep\"",
	"passthrough of gpus console=keep: \"keep\" or \"take\"",
	"passthrough of nvme devices=requested: \"requested\" or \"none\"",
	"passthrough of nvme functions=all: \"all\" or \"named\"",
	"passthrough of others devices=requested: \"requested\" or \"none\"",
	"passthrough of others functions=all: \"all\" or \"named\"",
	"memballoon model=keep: \"none\" or \"keep\"",
	"memballoon existing=keep: \"keep\", \"replace\" or \"require\"",
	"watchdog itco=keep: \"none\" or \"keep\"",
	"watchdog existing=keep: \"keep\", \"replace\" or \"require\"",
	"iommu model=keep: \"auto\", \"intel\", \"virtio\", \"smmuv3\" or \"keep\"",
	"iommu intremap=on: \"on\", \"off\" or \"keep\"",
	"iommu caching_mode=on: \"on\", \"off\" or \"keep\"",
	"iommu iotlb=on: \"on\", \"off\" or \"keep\"",
	"iommu eim=keep: \"on\", \"off\" or \"keep\"",
	"iommu existing=keep: \"keep\", \"replace\" or \"require\"",
	"lean serial=keep: \"drop\" or \"keep\"",
	"lean parallel=keep: \"drop\" or \"keep\"",
	"lean sound=keep: \"drop\" or \"keep\"",
	"lean usb=keep: \"drop\" or \"keep\"",
	"lean smartcard=keep: \"drop\" or \"keep\"",
	"lean cdrom=keep: \"drop\" or \"keep\"",
	"lean floppy=keep: \"drop\" or \"keep\"",
	"lean graphics=keep: \"drop\" or \"keep\"",
	"lean video=keep: \"drop\" or \"keep\"",
	"lean controllers=keep: \"drop\" or \"keep\"",
	"start stale=(must be stated): \"refit\", \"refuse\" or \"warn\"",
	"host host energy-preference value=(must be stated): \"keep\" or a line of text",
	"host host energy-preference missing=warn: \"warn\" or \"refuse\"",
	"host host governor value=performance: \"keep\" or a line of text",
	"host host governor missing=warn: \"warn\" or \"refuse\"",
	"host host wakeup-latency max=(must be stated): \"keep\" or a time with its unit, such as 10us (ns, us, ms or s; at most 1000s)",
	"host host wakeup-latency missing=warn: \"warn\" or \"refuse\"",
	"host host turbo value=(must be stated): \"off\", \"on\" or \"keep\"",
	"host host turbo missing=warn: \"warn\" or \"refuse\"",
	"host host device-power value=(must be stated): \"on\", \"auto\" or \"keep\"",
	"host host device-power missing=warn: \"warn\" or \"refuse\"",
	"host host aspm value=(must be stated): \"off\" or \"keep\"",
	"host host aspm missing=warn: \"warn\" or \"refuse\"",
	"host host transparent-hugepages value=(must be stated): \"always\", \"madvise\", \"never\" or \"keep\"",
	"host host transparent-hugepages missing=warn: \"warn\" or \"refuse\"",
	"host host transparent-hugepages-defrag value=(must be stated): \"always\", \"defer\", \"defer+madvise\", \"madvise\", \"never\" or \"keep\"",
	"host host transparent-hugepages-defrag missing=warn: \"warn\" or \"refuse\"",
	"host host ksm value=(must be stated): \"off\", \"on\", \"unmerge\" or \"keep\"",
	"host host ksm missing=warn: \"warn\" or \"refuse\"",
	"host host numa-balancing value=(must be stated): \"off\", \"on\" or \"keep\"",
	"host host numa-balancing missing=warn: \"warn\" or \"refuse\"",
	"host host compaction max=(must be stated): \"0\", \"keep\" or a number from 1 to 100 (percent)",
	"host host compaction missing=warn: \"warn\" or \"refuse\"",
	"host host stat-interval min=(must be stated): \"keep\" or a time with its unit, such as 10us (ns, us, ms or s; at most 1000s)",
	"host host stat-interval missing=warn: \"warn\" or \"refuse\"",
	"host host timer-migration value=(must be stated): \"off\", \"on\" or \"keep\"",
	"host host timer-migration missing=warn: \"warn\" or \"refuse\"",
	"host host rt-runtime value=(must be stated): \"unlimited\", \"keep\" or a time with its unit, such as 10us (ns, us, ms or s; at most 1000s)",
	"host host rt-runtime missing=warn: \"warn\" or \"refuse\"",
	"host host halt-poll value=(must be stated): \"keep\" or a time with its unit, such as 10us (ns, us, ms or s; at most 1000s)",
	"host host halt-poll missing=warn: \"warn\" or \"refuse\"",
	"host host workqueues to=(must be stated): \"elsewhere\" or \"keep\"",
	"host host workqueues missing=warn: \"warn\" or \"refuse\"",
	"host host lockup-watchdog to=(must be stated): \"elsewhere\" or \"keep\"",
	"host host lockup-watchdog missing=warn: \"warn\" or \"refuse\"",
	"host host isolate cpus=vcpus: \"vcpus\", \"own\" or \"none\"",
	"host host isolate partition=none: \"isolated\" or \"none\"",
	"host host isolate missing=warn: \"warn\" or \"refuse\"",
	"host host threads of vhost to=keep: \"emulator\" or \"keep\"",
	"host host threads of vhost scheduler=keep: \"fifo\", \"rr\" or \"keep\"",
	"host host threads of vhost priority=1: a real-time priority from 1 to 99",
	"host host threads of kvm to=keep: \"emulator\" or \"keep\"",
	"host host threads of kvm scheduler=keep: \"fifo\", \"rr\" or \"keep\"",
	"host host threads of kvm priority=1: a real-time priority from 1 to 99",
	"host host threads of qemu to=keep: \"emulator\" or \"keep\"",
	"host host threads of qemu scheduler=keep: \"fifo\", \"rr\" or \"keep\"",
	"host host threads of qemu priority=1: a real-time priority from 1 to 99",
	"host host device-driver value=(must be stated): \"keep\" or a line of text",
	"host host device-driver missing=refuse: \"warn\" or \"refuse\"",
	"host host ethtool of pfs rx-usecs=keep: \"keep\" or a number from 0 to 1000000",
	"host host ethtool of pfs rx-frames=keep: \"keep\" or a number from 0 to 1000000",
	"host host ethtool of pfs tx-usecs=keep: \"keep\" or a number from 0 to 1000000",
	"host host ethtool of pfs tx-frames=keep: \"keep\" or a number from 0 to 1000000",
	"host host ethtool of pfs adaptive-rx=keep: \"on\", \"off\" or \"keep\"",
	"host host ethtool of pfs adaptive-tx=keep: \"on\", \"off\" or \"keep\"",
	"host host ethtool of pfs rx-ring=keep: \"keep\" or a number from 1 to 1000000",
	"host host ethtool of pfs tx-ring=keep: \"keep\" or a number from 1 to 1000000",
	"host host ethtool of pfs rx-channels=keep: \"keep\" or a number from 1 to 1000000",
	"host host ethtool of pfs tx-channels=keep: \"keep\" or a number from 1 to 1000000",
	"host host ethtool of pfs combined-channels=keep: \"keep\" or a number from 1 to 1000000",
	"host host ethtool of pfs features-on=keep: \"keep\" or names of single features as ethtool -k prints them, such as \"rx-gro tx-tcp-segmentation\" (no group such as tcp-segmentation-offload)",
	"host host ethtool of pfs features-off=keep: \"keep\" or names of single features as ethtool -k prints them, such as \"rx-gro tx-tcp-segmentation\" (no group such as tcp-segmentation-offload)",
	"host host ethtool of pfs missing=warn: \"warn\" or \"refuse\"",
};

/* "host threads of kvm": what an element is called is what is written. */
static void labels_say_how_elements_are_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < fit_profile_element_count; i++) {
		const struct fit_profile_element *element = &fit_profile_elements[i];
		fit_autofree char *label = fit_xasprintf("%s%s%s%s%s",
			element->parent ? element->parent : "", element->parent ? " " : "",
			element->name, element->of ? " of " : "", element->of ? element->of : "");

		assert_string_equal(element->label, label);
	}
}

static void each_attribute_is_as_written_here(void **state)
{
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < fit_profile_element_count; i++) {
		const struct fit_profile_element *element = &fit_profile_elements[i];

		fit_profile_for_each_attribute (attribute, element) {
			fit_autofree char *values = fit_profile_attribute_wanted(attribute);
			fit_autofree char *line = fit_xasprintf("%s%s%s %s=%s: %s",
				element->parent ? element->parent : "", element->parent ? " " : "",
				element->label, attribute->name,
				attribute->unstated ? attribute->unstated : "(must be stated)",
				values);
			assert_true(count < FIT_ARRAY_SIZE(wanted));
			assert_string_equal(line, wanted[count]);
			count++;
		}
	}
	assert_int_equal(count, FIT_ARRAY_SIZE(wanted));
}

static void what_holds_when_nothing_is_stated_may_be_stated(void **state)
{
	(void)state;
	for (size_t i = 0; i < fit_profile_element_count; i++) {
		const struct fit_profile_element *element = &fit_profile_elements[i];
		struct fit_profile profile = {0};

		fit_profile_for_each_attribute (attribute, element) {
			fit_autofree char *text = NULL;

			if (!attribute->unstated)
				continue;
			text = fit_profile_store(element, attribute, &profile, attribute->unstated);
			if (!text || strcmp(text, attribute->unstated) != 0)
				fail_msg("%s %s=%s", element->label, attribute->name,
					attribute->unstated);
		}
		fit_profile_clear_intent(element, &profile);
	}
}

/* Each word of an attribute means something else, and none is taken for another attribute's. */
static void words_differ_in_what_they_store(void **state)
{
	(void)state;
	for (size_t i = 0; i < fit_profile_element_count; i++) {
		const struct fit_profile_element *element = &fit_profile_elements[i];

		fit_profile_for_each_attribute (attribute, element)
			for (const struct fit_profile_word *word = attribute->words;
				word && word->word; word++) {
				struct fit_profile profile = {0};
				fit_autofree char *longer = fit_xasprintf("%sx", word->word);
				fit_autofree char *text =
					fit_profile_store(element, attribute, &profile, word->word);

				assert_string_equal(text, word->word);
				if (!attribute->type)
					assert_null(fit_profile_store(
						element, attribute, &profile, longer));
				fit_profile_clear_intent(element, &profile);
				for (const struct fit_profile_word *other = attribute->words;
					other != word; other++)
					assert_string_not_equal(other->word, word->word);
			}
	}
}

/* What @element's @attribute makes of @value; NULL: it is refused. To be freed. */
static char *stored(const char *label, const char *name, const char *value)
{
	for (size_t i = 0; i < fit_profile_element_count; i++) {
		const struct fit_profile_element *element = &fit_profile_elements[i];

		if (strcmp(element->label, label) != 0)
			continue;
		fit_profile_for_each_attribute (attribute, element) {
			struct fit_profile profile = {0};
			char *text;

			if (strcmp(attribute->name, name) != 0)
				continue;
			text = fit_profile_store(element, attribute, &profile, value);
			fit_profile_clear_intent(element, &profile);
			return text;
		}
	}
	fail_msg("there is no %s %s=", label, name);
	return NULL;
}

static void values_are_made_the_same(void **state)
{
	static const struct {
		const char *label, *attribute, *value, *wanted;
	} cases[] = {
		{"cpu", "require", " pcid avx2\tpcid", "avx2 pcid"},
		{"cpu", "require", "pcid none", NULL},
		{"cpu", "require", "none none", NULL},
		{"cpu", "require", "pcid,avx2", NULL},
		{"hyperv", "features", "hypervclock relaxed", "relaxed hypervclock"},
		{"hyperv", "features", "xmm_input emsr_bitmap",
			"vapic evmcs emsr_bitmap xmm_input"},
		{"hyperv", "features", "reset reenlightenment avic", "reset reenlightenment avic"},
		{"hyperv", "features", "relaxed none", NULL},
		{"hyperv", "features", "clock", NULL},
		{"iothreads", "poll-max", "0", NULL},
		{"iothreads", "poll-max", "1000000000", "1000000000"},
		{"iothreads", "poll-max", "1000000001", NULL},
		/* Ethtool's names for one feature are that of the kernel, groups are refused. */
		{"host ethtool of pfs", "features-on", "rx-checksumming", "rx-checksum"},
		{"host ethtool of pfs", "features-on", "rx", "rx-checksum"},
		{"host ethtool of pfs", "features-on", "generic-segmentation-offload",
			"tx-generic-segmentation"},
		{"host ethtool of pfs", "features-on", "gso", "tx-generic-segmentation"},
		{"host ethtool of pfs", "features-on", "generic-receive-offload", "rx-gro"},
		{"host ethtool of pfs", "features-on", "gro", "rx-gro"},
		{"host ethtool of pfs", "features-on", "large-receive-offload", "rx-lro"},
		{"host ethtool of pfs", "features-on", "lro", "rx-lro"},
		{"host ethtool of pfs", "features-on", "rx-vlan-offload", "rx-vlan-hw-parse"},
		{"host ethtool of pfs", "features-on", "rxvlan", "rx-vlan-hw-parse"},
		{"host ethtool of pfs", "features-on", "tx-vlan-offload", "tx-vlan-hw-insert"},
		{"host ethtool of pfs", "features-on", "txvlan", "tx-vlan-hw-insert"},
		{"host ethtool of pfs", "features-on", "ntuple-filters", "rx-ntuple-filter"},
		{"host ethtool of pfs", "features-on", "ntuple", "rx-ntuple-filter"},
		{"host ethtool of pfs", "features-on", "receive-hashing", "rx-hashing"},
		{"host ethtool of pfs", "features-on", "rxhash", "rx-hashing"},
		{"host ethtool of pfs", "features-on", "tx-checksumming", NULL},
		{"host ethtool of pfs", "features-on", "tx", NULL},
		{"host ethtool of pfs", "features-on", "scatter-gather", NULL},
		{"host ethtool of pfs", "features-on", "sg", NULL},
		{"host ethtool of pfs", "features-on", "tcp-segmentation-offload", NULL},
		{"host ethtool of pfs", "features-on", "tso", NULL},
		{"host ethtool of pfs", "features-on", "udp-fragmentation-offload", NULL},
		{"host ethtool of pfs", "features-on", "ufo", NULL},
		{"host ethtool of pfs", "features-on", "none", NULL},
		{"host ethtool of pfs", "features-on", "rx-gro gro rx-all", "rx-all rx-gro"},
		/* The kernel's names have 31 bytes at most. */
		{"host ethtool of pfs", "features-on", "rx-a-name-of-thirty-one-bytes-x",
			"rx-a-name-of-thirty-one-bytes-x"},
		{"host ethtool of pfs", "features-on", "rx-a-name-of-thirty-two-bytes-xx", NULL},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *text =
			stored(cases[i].label, cases[i].attribute, cases[i].value);

		if (cases[i].wanted ? !text || strcmp(text, cases[i].wanted) != 0 : !!text)
			fail_msg("%s %s='%s': %s", cases[i].label, cases[i].attribute,
				cases[i].value, text ? text : "refused");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_say_how_elements_are_written),
		cmocka_unit_test(each_attribute_is_as_written_here),
		cmocka_unit_test(what_holds_when_nothing_is_stated_may_be_stated),
		cmocka_unit_test(words_differ_in_what_they_store),
		cmocka_unit_test(values_are_made_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
