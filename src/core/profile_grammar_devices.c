/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices. */
#include "core/profile_grammar_parts.h"

#define ON_OFF	  WORDS({"on", 1}, {"off", 1}, {"keep", 0})
#define QUEUES	  WORDS({"auto", FIT_AUTO}, {"keep", 0})
#define RING_SIZE WORDS({"256", 1}, {"512", 1}, {"1024", 1}, {"keep", 0})

const struct fit_profile_attribute fit_grammar_disks[] = {
	{"iothread", &fit_field_disk_iothreads, 0, WORDS({"spread", 1}, {"map", 2}, {"keep", 0}),
		NULL, "keep"},
	{"cache", &fit_field_word, FIELD(disks, cache),
		WORDS({"none", 1}, {"writeback", 1}, {"writethrough", 1}, {"directsync", 1},
			{"unsafe", 1}, {"keep", 0}),
		NULL, "keep"},
	{"io", &fit_field_word, FIELD(disks, io),
		WORDS({"native", 1}, {"threads", 1}, {"io_uring", 1}, {"keep", 0}), NULL, "keep"},
	{"discard", &fit_field_word, FIELD(disks, discard),
		WORDS({"unmap", 1}, {"ignore", 1}, {"keep", 0}), NULL, "keep"},
	{"detect_zeroes", &fit_field_word, FIELD(disks, detect_zeroes),
		WORDS({"off", 1}, {"on", 1}, {"unmap", 1}, {"keep", 0}), NULL, "keep"},
	{"queues", &fit_field_count, FIELD(disks, queues), QUEUES, "count", "keep"},
	{"queues_max", &fit_field_count, FIELD(disks, queues_max), NULL, "count", "16"},
	/* A power of two of at most 1024: QEMU checks that only when the domain starts. */
	{"queue_size", &fit_field_word, FIELD(disks, queue_size),
		WORDS({"64", 1}, {"128", 1}, {"256", 1}, {"512", 1}, {"1024", 1}, {"keep", 0}),
		NULL, "keep"},
	{"packed", &fit_field_word, FIELD(disks, packed), ON_OFF, NULL, "keep"},
	{"ioeventfd", &fit_field_word, FIELD(disks, ioeventfd), ON_OFF, NULL, "keep"},
	{"vectors", &fit_field_count, FIELD(disks, vectors), QUEUES, "count", "keep"},
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_interfaces[] = {
	{"model", &fit_field_word, FIELD(interfaces, model), KEEP_OR("virtio"), NULL, "keep"},
	{"driver", &fit_field_word, FIELD(interfaces, driver),
		WORDS({"vhost", 1}, {"qemu", 1}, {"keep", 0}), NULL, "keep"},
	{"queues", &fit_field_count, FIELD(interfaces, queues), QUEUES, "count", "keep"},
	{"queues_max", &fit_field_count, FIELD(interfaces, queues_max), NULL, "count", "16"},
	{"rx_queue_size", &fit_field_word, FIELD(interfaces, rx_queue_size), RING_SIZE, NULL,
		"keep"},
	{"tx_queue_size", &fit_field_word, FIELD(interfaces, tx_queue_size), RING_SIZE, NULL,
		"keep"},
	{"packed", &fit_field_word, FIELD(interfaces, packed), ON_OFF, NULL, "keep"},
	{"vectors", &fit_field_count, FIELD(interfaces, vectors), QUEUES, "count", "keep"},
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_memballoon[] = {
	{"model", &fit_field_word, FIELD(memballoon, model), KEEP_OR("none"), NULL, "keep"},
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_watchdog[] = {
	{"itco", &fit_field_word, FIELD(watchdog, itco), KEEP_OR("none"), NULL, "keep"},
	EXISTING,
	{0},
};

const struct fit_profile_attribute fit_grammar_iommu[] = {
	{"model", &fit_field_enum, FIELD(iommu, model),
		WORDS({"auto", FIT_IOMMU_AUTO}, {"intel", FIT_IOMMU_INTEL},
			{"virtio", FIT_IOMMU_VIRTIO}, {"smmuv3", FIT_IOMMU_SMMUV3},
			{"keep", FIT_IOMMU_KEEP}),
		NULL, "keep"},
	{"intremap", &fit_field_word, FIELD(iommu, intremap), ON_OFF, NULL, "on"},
	{"caching_mode", &fit_field_word, FIELD(iommu, caching_mode), ON_OFF, NULL, "on"},
	{"iotlb", &fit_field_word, FIELD(iommu, iotlb), ON_OFF, NULL, "on"},
	{"eim", &fit_field_word, FIELD(iommu, eim), ON_OFF, NULL, "keep"},
	EXISTING,
	{0},
};

#define DROP(device) \
	{ \
#device, &fit_field_flag, FIELD(lean, device), KEEP_OR("drop"), NULL, "keep" \
	}

const struct fit_profile_attribute fit_grammar_lean[] = {
	DROP(serial),
	DROP(parallel),
	DROP(sound),
	DROP(usb),
	DROP(smartcard),
	DROP(cdrom),
	DROP(floppy),
	DROP(graphics),
	DROP(video),
	DROP(controllers),
	{0},
};

#define ON_OFF_KEEP WORDS({"on", 1}, {"off", 1}, {"keep", 0})

const struct fit_profile_attribute fit_grammar_vfs[] = {
	{"count", &fit_field_count, FIELD(vfs, count), NULL, "count", "1"},
	{"class", &fit_field_enum, FIELD(vfs, class),
		WORDS({"network", FIT_VF_NETWORK}, {"nvme", FIT_VF_NVME}), NULL, "network"},
	{"pf", &fit_field_text, FIELD(vfs, pf), NULL, "pf", "nearest"},
	{"create", &fit_field_count, FIELD(vfs, create), WORDS({"needed", 0}), "count", "needed"},
	{"as", &fit_field_enum, FIELD(vfs, as),
		WORDS({"interface", FIT_VF_AS_INTERFACE}, {"hostdev", FIT_VF_AS_HOSTDEV},
			{"network", FIT_VF_AS_NETWORK}),
		NULL, "interface"},
	{"network", &fit_field_text, FIELD(vfs, network), WORDS({"none", 0}), "text", "none"},
	{"mac", &fit_field_text, FIELD(vfs, macs), WORDS({"auto", 0}), "macs", "auto"},
	{"vlan", &fit_field_count, FIELD(vfs, vlan), WORDS({"none", 0}), "vlan", "none"},
	{"teaming", &fit_field_flag, FIELD(vfs, with_standby), WORDS({"none", 0}, {"standby", 1}),
		NULL, "none"},
	{"trust", &fit_field_word, FIELD(vfs, trust), ON_OFF_KEEP, NULL, "keep"},
	{"spoofchk", &fit_field_word, FIELD(vfs, spoofchk), ON_OFF_KEEP, NULL, "keep"},
	{"link-state", &fit_field_word, FIELD(vfs, link_state),
		WORDS({"auto", 1}, {"enable", 1}, {"disable", 1}, {"keep", 0}), NULL, "keep"},
	{"qos", &fit_field_number, FIELD(vfs, qos), WORDS({"none", 0}), "vlan-priority", "none"},
	{"min-rate", &fit_field_number, FIELD(vfs, min_rate),
		WORDS({"none", FIT_AUTO}, {"keep", 0}), "mbits", "keep"},
	{"max-rate", &fit_field_number, FIELD(vfs, max_rate),
		WORDS({"none", FIT_AUTO}, {"keep", 0}), "mbits", "keep"},
	{"up", &fit_field_flag, FIELD(vfs, up), YES_NO, NULL, "no"},
	{"missing", &fit_field_flag, FIELD(vfs, missing_refuse), WORDS({"refuse", 1}, {"warn", 0}),
		NULL, "refuse"},
	EXISTING,
	{0},
};

#define PASSTHROUGH \
	{"devices", &fit_field_flag, FIELD(passthrough, requested), \
		WORDS({"requested", 1}, {"none", 0}), NULL, "requested"}, \
	{ \
		"functions", &fit_field_flag, FIELD(passthrough, named_only), \
			WORDS({"all", 0}, {"named", 1}), NULL, "all" \
	}

const struct fit_profile_attribute fit_grammar_gpus[] = {
	PASSTHROUGH,
	{"rom", &fit_field_word, FIELD(passthrough, rom), WORDS({"on", 1}, {"off", 1}, {"keep", 0}),
		NULL, "keep"},
	{"console", &fit_field_flag, FIELD(passthrough, takes_console),
		WORDS({"keep", 0}, {"take", 1}), NULL, "keep"},
	{0},
};

const struct fit_profile_attribute fit_grammar_passthrough[] = {
	PASSTHROUGH,
	{0},
};
