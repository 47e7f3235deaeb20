/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of devices: where each is written, where it is not, and what is said about it. */
#include "support.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/emit.h"
#include "core/target.h"
#include "core/xml.h"
#include "support_domain.h"
#include "support_emit.h"

static bool is_in_ram(void *context, const char *path)
{
	(void)context;
	return strncmp(path, "/ram/", 5) == 0;
}

/* The edits as lines "path = value", then notes as "(text)", or the error. */
static char *emit(const char *intents, const char *body, const struct fit_target *target)
{
	fit_autodoc xmlDoc *doc = fit_test_document(body);
	struct fit_domain domain = fit_test_domain(body);
	struct fit_profile profile = fit_test_profile(intents);
	struct fit_plan_input input = {.domain = &domain,
		.profile = &profile,
		.original = doc,
		.target = target,
		.is_buffered = is_in_ram};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_edits edits = {0};
	struct fit_plan plan = {0};
	struct fit_buffer text = {0};

	if (fit_emit(&plan, &input, &edits, &err) < 0)
		fit_buffer_add(&text, err.message);
	fit_test_check_emitted(&plan, &edits);
	for (size_t i = 0; i < edits.count; i++)
		fit_buffer_addf(&text, "%s = %s\n", edits.items[i].path,
			edits.items[i].value ? edits.items[i].value : "(removed)");
	for (size_t i = 0; i < plan.reason_count; i++)
		if (plan.reasons[i].kind == FIT_REASON_NOTE)
			fit_buffer_addf(&text, "(%s)\n", plan.reasons[i].text);
	fit_buffer_add(&text, "");
	fit_edits_clear(&edits);
	fit_plan_clear(&plan);
	fit_profile_clear(&profile);
	fit_domain_clear(&domain);
	return fit_buffer_steal(&text);
}

static void expect(const char *intents, const char *body, const char *wanted)
{
	fit_autofree char *text = emit(intents, body, NULL);

	assert_string_equal(text ? text : "", wanted);
}

#define DISK(type, bus, rest) \
	"<disk type='" type "' device='disk'>" rest "<target dev='vda' bus='" bus "'/></disk>"
#define VDA "devices/disk[target/@dev='vda']/driver/@"
#define ALL_OF_DISKS \
	"<disks cache='none' io='native' discard='unmap' detect_zeroes='unmap' queues='auto' " \
	"queue_size='256' packed='on' ioeventfd='on'/>"

static void each_kind_of_disk_gets_what_is_valid_for_it(void **state)
{
	(void)state;
	expect(ALL_OF_DISKS, "<vcpu>4</vcpu><devices>" DISK("file", "virtio", "") "</devices>",
		VDA "cache = none\n" VDA "io = native\n" VDA "discard = unmap\n" VDA
		    "detect_zeroes = unmap\n" VDA "queues = 4\n" VDA "packed = on\n" VDA
		    "ioeventfd = on\n" VDA "queue_size = 256\n");
	expect(ALL_OF_DISKS, "<vcpu>4</vcpu><devices>" DISK("network", "virtio", "") "</devices>",
		VDA "discard = unmap\n" VDA "detect_zeroes = unmap\n" VDA "queues = 4\n" VDA
		    "packed = on\n" VDA "ioeventfd = on\n" VDA "queue_size = 256\n");
	expect(ALL_OF_DISKS, "<vcpu>4</vcpu><devices>" DISK("vhostuser", "virtio", "") "</devices>",
		VDA "queues = 4\n" VDA "queue_size = 256\n");
	expect(ALL_OF_DISKS, "<vcpu>4</vcpu><devices>" DISK("block", "sata", "") "</devices>",
		VDA "cache = none\n" VDA "io = native\n" VDA "discard = unmap\n" VDA
		    "detect_zeroes = unmap\n");
	expect(ALL_OF_DISKS,
		"<vcpu>4</vcpu><devices><disk type='file' device='cdrom'><target dev='sda' "
		"bus='sata'/></disk></devices>",
		"");
}

static void queues_are_as_many_as_vcpus_up_to_a_limit(void **state)
{
	(void)state;
	expect("<disks queues='auto' queues_max='3'/>",
		"<vcpu>8</vcpu><devices>" DISK("file", "virtio", "") "</devices>",
		VDA "queues = 3\n");
	expect("<disks queues='7'/>",
		"<vcpu>2</vcpu><devices>" DISK("file", "virtio", "") "</devices>",
		VDA "queues = 7\n");
	expect("<disks queues='auto'/>",
		"<vcpu>2</vcpu><devices>" DISK(
			"file", "virtio", "<driver queues='5'/>") "</devices>",
		"");
	expect("<disks queues='auto' existing='replace'/>",
		"<vcpu>2</vcpu><devices>" DISK(
			"file", "virtio", "<driver queues='5'/>") "</devices>",
		VDA "queues = 2\n");
}

static void queues_of_scsi_disks_are_their_virtio_controllers(void **state)
{
	(void)state;
	expect("<disks queues='auto' packed='on' queue_size='256'/>",
		"<vcpu>4</vcpu><devices><controller type='scsi' index='0' model='virtio-scsi'/>"
		"<controller type='scsi' index='1' model='lsilogic'/>" DISK(
			"file", "scsi", "") "</devices>",
		"devices/controller[@type='scsi'][@index='0']/driver/@queues = 4\n"
		"devices/controller[@type='scsi'][@index='0']/driver/@packed = on\n");
}

static void io_follows_the_target_and_the_cache(void **state)
{
	const struct fit_target old = {FIT_VERSION_OF(6, 2, 0), FIT_VERSION_OF(4, 2, 0)};
	static const char disk[] =
		"<vcpu>1</vcpu><devices>" DISK("file", "virtio", "") "</devices>";
	fit_autofree char *text =
		emit("<disks cache='none' io='io_uring' packed='on'/>", disk, &old);

	(void)state;
	assert_string_equal(text, VDA
		"cache = none\n" VDA "io = native\n"
		"(io of disk vda is native: libvirt 6.2 has no io_uring for disks (6.3 has))\n"
		"(packed of disk vda is left out: libvirt 6.2 has no packed virtqueues (6.3 has))\n");
	expect("<disks io='io_uring'/>", disk, VDA "io = io_uring\n");
	expect("<disks io='native'/>", disk, "");
	expect("<disks cache='writeback' existing='replace'/>",
		"<vcpu>1</vcpu><devices>" DISK(
			"file", "virtio", "<driver cache='none' io='native'/>") "</devices>",
		"(the cache mode of disk vda stays: its io='native' excludes writeback)\n");
}

/* Where QEMU cannot open the file with O_DIRECT it does not start. */
static void a_file_without_direct_io_stays_in_the_hosts_cache(void **state)
{
	static const char note[] = "(disk vda stays in the host's cache: the file system of "
				   "/ram/a has no direct I/O (O_DIRECT))\n";
	static const char intents[] = "<disks cache='none' io='native' existing='replace'/>";
	static const struct {
		const char *intents, *type, *rest, *wanted;
	} cases[] = {
		{intents, "file", "<source file='/ram/a'/>", note},
		{intents, "file", "<driver cache='unsafe'/><source file='/ram/a'/>", note},
		{"<disks cache='directsync' io='threads'/>", "file", "<source file='/ram/a'/>",
			VDA "io = threads\n(disk vda stays in the host's cache: the file system of "
			    "/ram/a has no direct I/O (O_DIRECT))\n"},
		{"<disks cache='writeback'/>", "file", "<source file='/ram/a'/>",
			VDA "cache = writeback\n"},
		{"<disks cache='none' io='native'/>", "file",
			"<driver cache='writeback'/><source file='/ram/a'/>", ""},
		{intents, "file", "<driver cache='none'/><source file='/ram/a'/>",
			VDA "io = native\n"},
		{intents, "file", "<source file='/disk/a'/>",
			VDA "cache = none\n" VDA "io = native\n"},
		{intents, "block", "<source dev='/ram/a' file='/ram/a'/>",
			VDA "cache = none\n" VDA "io = native\n"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *body = fit_xasprintf(
			"<vcpu>1</vcpu><devices><disk type='%s' device='disk'>%s<target dev='vda' "
			"bus='virtio'/></disk></devices>",
			cases[i].type, cases[i].rest);

		expect(cases[i].intents, body, cases[i].wanted);
	}
}

#define NIC(type, model, rest) \
	"<interface type='" type "'><mac address='52:54:00:00:00:01'/>" model rest "</interface>"
#define VIRTIO "<model type='virtio'/>"
#define PATH   "devices/interface[mac/@address='52:54:00:00:00:01']/"
#define ALL_OF_INTERFACES \
	"<interfaces driver='vhost' queues='auto' rx_queue_size='1024' tx_queue_size='1024' " \
	"packed='on'/>"

static void each_kind_of_interface_gets_what_means_something(void **state)
{
	static const char tap[] = PATH
		"driver/@name = vhost\n" PATH "driver/@queues = 4\n" PATH
		"driver/@rx_queue_size = 1024\n" PATH "driver/@packed = on\n"
		"(tx_queue_size of interface 52:54:00:00:00:01 is left out: only vhost-user and "
		"vDPA have more than 256)\n";

	(void)state;
	expect(ALL_OF_INTERFACES, "<vcpu>4</vcpu><devices>" NIC("bridge", VIRTIO, "") "</devices>",
		tap);
	expect(ALL_OF_INTERFACES, "<vcpu>4</vcpu><devices>" NIC("direct", VIRTIO, "") "</devices>",
		tap);
	/* Several queues would keep it from starting. */
	expect(ALL_OF_INTERFACES, "<vcpu>4</vcpu><devices>" NIC("user", VIRTIO, "") "</devices>",
		PATH
		"driver/@packed = on\n"
		"(tx_queue_size of interface 52:54:00:00:00:01 is left out: only vhost-user and "
		"vDPA have more than 256)\n");
	expect(ALL_OF_INTERFACES,
		"<vcpu>4</vcpu><devices>" NIC("vhostuser", VIRTIO, "") "</devices>",
		PATH "driver/@rx_queue_size = 1024\n" PATH "driver/@tx_queue_size = 1024\n" PATH
		     "driver/@packed = on\n");
	expect("<interfaces queues='2'/>",
		"<vcpu>4</vcpu><devices>" NIC("vhostuser", VIRTIO, "") "</devices>",
		PATH "driver/@queues = 2\n");
	expect(ALL_OF_INTERFACES,
		"<vcpu>4</vcpu><devices>" NIC("bridge", "<model type='e1000e'/>", "") "</devices>",
		"");
	expect(ALL_OF_INTERFACES, "<vcpu>4</vcpu><devices>" NIC("bridge", "", "") "</devices>", "");
	expect("<interfaces queues='auto'/>",
		"<vcpu>1</vcpu><devices>" NIC("bridge", VIRTIO, "") "</devices>", "");
}

static void a_driver_of_a_vf_is_said_to_do_nothing(void **state)
{
	(void)state;
	expect(ALL_OF_INTERFACES,
		"<vcpu>4</vcpu><devices>" NIC("hostdev", "",
			"<driver name='vfio' queues='4'/><source><address type='pci' bus='1'/>"
			"</source>") "</devices>",
		"(<driver> of interface 52:54:00:00:00:01 does nothing (queues): it is a "
		"passed-through VF, whose queues the guest's driver sets up)\n");
	expect(ALL_OF_INTERFACES,
		"<vcpu>4</vcpu><devices>" NIC("hostdev", "",
			"<driver name='vfio'/><source><address type='pci' bus='1'/></source>") "</devices>",
		"");
}

static void the_model_changes_only_when_asked_and_by_policy(void **state)
{
	static const char body[] =
		"<vcpu>4</vcpu><devices>" NIC("bridge", "<model type='e1000e'/>", "") "</devices>";

	(void)state;
	expect("<interfaces model='virtio' queues='auto'/>", body, "");
	expect("<interfaces model='virtio' queues='auto' existing='replace'/>", body,
		PATH "model/@type = virtio\n" PATH "driver/@queues = 4\n");
	expect("<interfaces model='virtio' queues='auto'/>",
		"<vcpu>4</vcpu><devices>" NIC("bridge", "", "") "</devices>",
		PATH "model/@type = virtio\n" PATH "driver/@queues = 4\n");
}

static void interfaces_that_a_mac_does_not_tell_apart_are_counted(void **state)
{
	(void)state;
	expect("<interfaces queues='auto'/>",
		"<vcpu>4</vcpu><devices>" NIC("bridge", VIRTIO, "") NIC("network", VIRTIO,
			"") "<interface type='bridge'><model type='virtio'/></interface></devices>",
		"devices/interface[1]/driver/@queues = 4\n"
		"devices/interface[2]/driver/@queues = 4\n"
		"devices/interface[3]/driver/@queues = 4\n");
}

#define VECTORS(alias) \
	"qemu:override/qemu:device[@alias='" alias "']/qemu:frontend/" \
	"qemu:property[@name='vectors']/@"

static void vectors_are_a_property_of_the_device_by_its_alias(void **state)
{
	const struct fit_target old = {FIT_VERSION_OF(8, 1, 0), FIT_VERSION_OF(7, 2, 0)};
	static const char body[] =
		"<vcpu>4</vcpu><os><type arch='x86_64' machine='q35'>hvm</type></os><devices>" DISK(
			"file", "virtio", "") NIC("bridge", VIRTIO, "") "</devices>";
	/* One queue, as libvirt has it. */
	static const char *const unstated[] = {
		"<vcpu>4</vcpu><devices>" NIC("bridge", VIRTIO, "") "</devices>",
		"<vcpu>4</vcpu><devices>" NIC(
			"bridge", VIRTIO, "<driver queues='0'/>") "</devices>",
		"<vcpu>4</vcpu><devices>" NIC(
			"bridge", VIRTIO, "<driver queues='x'/>") "</devices>",
	};
	fit_autofree char *text = emit("<interfaces vectors='auto'/>", body, &old);

	(void)state;
	assert_string_equal(text,
		"(vectors of interface 52:54:00:00:00:01 is left out: libvirt 8.1 has no setting "
		"of the vectors of virtio devices (8.2 has))\n");
	expect("<interfaces queues='auto' vectors='auto'/>", body,
		PATH
		"driver/@queues = 4\n" PATH
		"alias = <alias name='ua-virt-fit-interface1'/>\n" VECTORS(
			"ua-virt-fit-interface1") "value = 10\n" VECTORS("ua-virt-fit-interface1") "type = unsigned\n");
	expect("<disks vectors='auto'/>", body,
		"devices/disk[target/@dev='vda']/alias = <alias name='ua-virt-fit-vda'/>\n" VECTORS(
			"ua-virt-fit-vda") "value = 5\n" VECTORS("ua-virt-fit-vda") "type = "
										    "unsigned\n");
	for (size_t i = 0; i < FIT_ARRAY_SIZE(unstated); i++)
		expect("<interfaces vectors='auto'/>", unstated[i],
			PATH "alias = <alias name='ua-virt-fit-interface1'/>\n" VECTORS(
				"ua-virt-fit-interface1") "value = 4\n" VECTORS("ua-virt-fit-interface1") "type = unsigned\n");
	expect("<disks vectors='3'/>",
		"<vcpu>4</vcpu><os><type arch='s390x' machine='s390-ccw-virtio'>hvm</type></os>"
		"<devices>" DISK("file", "virtio", "") "</devices>",
		"(vectors of disk vda is left out: a machine of type s390x s390-ccw-virtio has no "
		"setting of the vectors of virtio devices)\n");
}

static void vectors_of_the_users_own_are_merged(void **state)
{
	static const char body[] = "<vcpu>2</vcpu><devices>" DISK("file", "virtio",
		"<alias name='ua-root'/>") "</devices><q:override xmlns:q='" FIT_QEMU_NAMESPACE
					   "'><q:device alias='ua-root'>"
					   "<q:frontend><q:property name='vectors' type='unsigned' value='9'/></q:frontend>"
					   "</q:device></q:override>";

	(void)state;
	expect("<disks vectors='3'/>", body, "");
	expect("<disks vectors='3' existing='replace'/>", body,
		VECTORS("ua-root") "value = 3\n" VECTORS("ua-root") "type = unsigned\n");
}

#define MACHINE(arch, type) "<os><type arch='" arch "' machine='" type "'>hvm</type></os>"
#define INTEL \
	"devices/iommu = <iommu model='intel'><driver intremap='on' caching_mode='on' " \
	"iotlb='on'/></iommu>\n"
#define SPLIT "features/ioapic/@driver = qemu\n"

static void an_iommu_is_the_one_of_the_machine(void **state)
{
	(void)state;
	expect("<iommu model='auto'/>", MACHINE("x86_64", "q35"), INTEL SPLIT);
	expect("<iommu model='auto'/>", MACHINE("aarch64", "virt"),
		"devices/iommu = <iommu model='smmuv3'/>\n");
	expect("<iommu model='virtio'/>", MACHINE("aarch64", "virt") "<features><acpi/></features>",
		"devices/iommu = <iommu model='virtio'/>\n");
	expect("<iommu model='keep'/>", MACHINE("x86_64", "q35"), "");
	expect("<iommu/>", MACHINE("x86_64", "q35"), "");
}

static void an_iommu_that_cannot_be_is_left_out_and_said(void **state)
{
	const struct fit_target old = {FIT_VERSION_OF(8, 2, 0), FIT_VERSION_OF(7, 2, 0)};
	fit_autofree char *text = emit("<iommu model='virtio'/>",
		MACHINE("x86_64", "q35") "<features><acpi/></features>", &old);

	(void)state;
	assert_string_equal(
		text, "(the IOMMU is left out: libvirt 8.2 has no virtio IOMMU (8.3 has))\n");
	expect("<iommu model='auto'/>", MACHINE("x86_64", "pc"),
		"(the IOMMU is left out: a machine of type x86_64 pc has no Intel IOMMU)\n");
	expect("<iommu model='intel'/>", MACHINE("aarch64", "virt"),
		"(the IOMMU is left out: a machine of type aarch64 virt has no Intel IOMMU)\n");
	expect("<iommu model='auto'/>", MACHINE("s390x", "s390-ccw-virtio"),
		"(the IOMMU is left out: a machine of type s390x s390-ccw-virtio has no Intel "
		"IOMMU)\n");
	expect("<iommu model='virtio'/>", MACHINE("x86_64", "q35"),
		"(the IOMMU is left out: virtio's needs <acpi/>, which the definition has not)\n");
}

static void the_driver_of_an_iommu_is_as_the_profile_says(void **state)
{
	(void)state;
	expect("<iommu model='intel' intremap='off' eim='on' caching_mode='keep'/>",
		MACHINE("x86_64", "q35"),
		"devices/iommu = <iommu model='intel'><driver intremap='off' iotlb='on'/></iommu>"
		"\n");
	expect("<iommu model='intel' eim='on'/>",
		MACHINE("x86_64", "q35") "<features><ioapic driver='qemu'/></features>",
		"devices/iommu = <iommu model='intel'><driver intremap='on' caching_mode='on' "
		"eim='on' iotlb='on'/></iommu>\n");
	expect("<iommu model='intel' intremap='keep' iotlb='keep' caching_mode='keep'/>",
		MACHINE("x86_64", "q35"), "devices/iommu = <iommu model='intel'/>\n");
}

static void own_iommu_and_ioapic_follow_the_policy(void **state)
{
	static const char own[] =
		MACHINE("x86_64", "q35") "<devices><iommu model='intel'/></devices>";
	static const char kvm[] =
		MACHINE("x86_64", "q35") "<features><ioapic driver='kvm'/></features>";

	(void)state;
	expect("<iommu model='auto'/>", own, "");
	expect("<iommu model='auto' existing='replace'/>", own, INTEL SPLIT);
	expect("<iommu model='auto' existing='require'/>", own,
		"vm: cannot fit: the IOMMU is <iommu model='intel'/>, but p.xml:1 requires <iommu "
		"model='intel'><driver intremap='on' caching_mode='on' iotlb='on'/></iommu>: "
		"remove it from the definition, or say existing=\"keep\" or \"replace\" in the "
		"profile");
	expect("<iommu model='intel' intremap='keep' caching_mode='keep' iotlb='keep' "
	       "existing='require'/>",
		own, "");
	/* What is required is there: the ioapic is the user's, too. */
	expect("<iommu model='auto' existing='require'/>",
		MACHINE("x86_64", "q35") "<devices><iommu model='intel'><driver intremap='on' "
					 "caching_mode='on' iotlb='on'/></iommu></devices>",
		"");
	expect("<iommu model='auto'/>", kvm,
		"devices/iommu = <iommu model='intel'><driver caching_mode='on' iotlb='on'/>"
		"</iommu>\n(interrupt remapping is left out: <ioapic driver='kvm'/> of the "
		"definition stays)\n");
	expect("<iommu model='auto' existing='replace'/>", kvm, INTEL SPLIT);
	expect("<iommu model='auto'/>",
		MACHINE("x86_64", "q35") "<features><ioapic driver='kvm'/></features><devices>"
					 "<iommu model='intel'/></devices>",
		"");
}

static void a_refusal_of_rings_names_both_sides(void **state)
{
	fit_autofree char *text = emit("<interfaces rx_queue_size='512' existing='require'/>",
		"<vcpu>1</vcpu><devices><interface type='bridge'><model type='virtio'/><driver "
		"rx_queue_size='256'/></interface></devices>",
		NULL);

	(void)state;
	assert_non_null(
		strstr(text, "rx_queue_size of interface bridge is 256, but p.xml:1 requires 512"));
}

/* Libvirt adds both by itself. */
static void helpers_that_libvirt_adds_are_switched_off(void **state)
{
	static const char balloon[] =
		"<vcpu>1</vcpu><devices><memballoon model='virtio'/></devices>";
	static const char watchdog[] = MACHINE("x86_64",
		"q35") "<devices><watchdog model='i6300esb' "
		       "action='reset'/><watchdog model='itco' action='reset'/></devices>";
	const struct fit_target knows_itco = {FIT_VERSION_OF(9, 1, 0), FIT_VERSION_OF(7, 2, 0)};
	fit_autofree char *kept = emit("<watchdog itco='none'/>", watchdog, &knows_itco);
	fit_autofree char *replaced =
		emit("<watchdog itco='none' existing='replace'/>", watchdog, &knows_itco);
	fit_autofree char *pc =
		emit("<watchdog itco='none'/>", MACHINE("x86_64", "pc"), &knows_itco);

	(void)state;
	expect("<memballoon model='none'/>", "<vcpu>1</vcpu>",
		"devices/memballoon = <memballoon model='none'/>\n");
	expect("<memballoon model='none'/>", balloon, "");
	expect("<memballoon model='none' existing='replace'/>", balloon,
		"devices/memballoon = <memballoon model='none'/>\n");
	expect("<memballoon model='none' existing='require'/>", balloon,
		"vm: cannot fit: the memory balloon is <memballoon model='virtio'/>, but p.xml:1 "
		"requires <memballoon model='none'/>: remove it from the definition, or say "
		"existing=\"keep\" or \"replace\" in the profile");
	assert_string_equal(kept, "");
	assert_string_equal(replaced,
		"devices/watchdog[@model='itco'] = <watchdog model='itco' action='none'/>\n");
	assert_string_equal(pc, "");
	/* Libvirt 9.0 does not know it and adds none. */
	expect("<watchdog itco='none'/>", MACHINE("x86_64", "q35"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_disk_gets_what_is_valid_for_it),
		cmocka_unit_test(queues_are_as_many_as_vcpus_up_to_a_limit),
		cmocka_unit_test(queues_of_scsi_disks_are_their_virtio_controllers),
		cmocka_unit_test(io_follows_the_target_and_the_cache),
		cmocka_unit_test(a_file_without_direct_io_stays_in_the_hosts_cache),
		cmocka_unit_test(each_kind_of_interface_gets_what_means_something),
		cmocka_unit_test(a_driver_of_a_vf_is_said_to_do_nothing),
		cmocka_unit_test(the_model_changes_only_when_asked_and_by_policy),
		cmocka_unit_test(interfaces_that_a_mac_does_not_tell_apart_are_counted),
		cmocka_unit_test(vectors_are_a_property_of_the_device_by_its_alias),
		cmocka_unit_test(vectors_of_the_users_own_are_merged),
		cmocka_unit_test(an_iommu_is_the_one_of_the_machine),
		cmocka_unit_test(an_iommu_that_cannot_be_is_left_out_and_said),
		cmocka_unit_test(the_driver_of_an_iommu_is_as_the_profile_says),
		cmocka_unit_test(own_iommu_and_ioapic_follow_the_policy),
		cmocka_unit_test(a_refusal_of_rings_names_both_sides),
		cmocka_unit_test(helpers_that_libvirt_adds_are_switched_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
