/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By what each element of libvirt is told from its like, and which cannot be. */
#include "support.h"

#include <stdlib.h>

#include "base/memory.h"
#include "core/overlay_step.h"
#include "core/xml.h"
#include "support_domain.h"

struct row {
	const char *parent, *element, *wanted;
};

/* The step of the only child of an element @parent, or what is wrong with it; to be freed. */
static char *step_of(const char *parent, const char *element, bool *ret_is_step)
{
	fit_autofree char *xml = fit_xasprintf("<x><%s>%s</%s></x>", parent, element, parent);
	fit_autodoc xmlDoc *doc = fit_test_parse(xml);
	char *problem = NULL;
	char *step = fit_overlay_step(
		fit_xml_child(fit_xml_child(xmlDocGetRootElement(doc), parent), NULL), &problem);

	*ret_is_step = step;
	assert_true(!step == !!problem);
	return step ? step : problem;
}

static void expect(const struct row *rows, size_t count, bool wanted)
{
	for (size_t i = 0; i < count; i++) {
		bool is_step;
		fit_autofree char *text = step_of(rows[i].parent, rows[i].element, &is_step);

		assert_string_equal(text, rows[i].wanted);
		assert_int_equal(is_step, wanted);
	}
}

static const struct row identities[] = {
	{"devices", "<disk type='file'><target dev='vda' bus='virtio'/></disk>",
		"disk[target/@dev='vda']"},
	{"devices", "<controller type='scsi' index='1'/>", "controller[@type='scsi'][@index='1']"},
	{"devices", "<controller type='scsi'/>", "controller[@type='scsi']"},
	{"devices", "<interface><mac address='52:54:00:00:00:01'/></interface>",
		"interface[mac/@address='52:54:00:00:00:01']"},
	{"devices",
		"<interface><source><address domain='0' bus='0x41' slot='2' function='1'/></source></interface>",
		"interface[source/address/@domain='0'][source/address/@bus='0x41'][source/address/@slot='2'][source/address/@function='1']"},
	{"devices",
		"<interface><mac address='1'/><source><address domain='0' bus='0x41' slot='2' function='1'/></source></interface>",
		"interface[mac/@address='1']"},
	{"devices",
		"<hostdev><source><address domain='0' bus='0x41' slot='2' function='1'/></source></hostdev>",
		"hostdev[source/address/@domain='0'][source/address/@bus='0x41'][source/address/@slot='2'][source/address/@function='1']"},
	{"devices", "<hostdev><source><address uuid='u'/></source></hostdev>",
		"hostdev[source/address/@uuid='u']"},
	{"devices", "<hostdev><source><address bus='1' device='2'/></source></hostdev>",
		"hostdev[source/address/@bus='1'][source/address/@device='2']"},
	{"devices", "<channel type='unix'><target type='virtio' name='a'/></channel>",
		"channel[target/@name='a']"},
	{"devices", "<serial type='pty'><target port='0'/></serial>", "serial[target/@port='0']"},
	{"devices", "<parallel type='pty'><target port='0'/></parallel>",
		"parallel[target/@port='0']"},
	{"devices", "<console type='pty'><target port='0'/></console>",
		"console[target/@port='0']"},
	{"devices", "<filesystem><source dir='/a'/><target dir='b'/></filesystem>",
		"filesystem[target/@dir='b']"},
	{"devices", "<input type='tablet' bus='usb'/>", "input[@type='tablet'][@bus='usb']"},
	{"devices", "<input type='tablet'/>", "input[@type='tablet']"},
	{"devices", "<graphics type='vnc'/>", "graphics[@type='vnc']"},
	{"devices", "<sound model='m'/>", "sound[@model='m']"},
	{"devices", "<watchdog model='m'/>", "watchdog[@model='m']"},
	{"devices", "<panic model='m'/>", "panic[@model='m']"},
	{"devices", "<hub type='usb'/>", "hub[@type='usb']"},
	{"devices", "<shmem name='s'/>", "shmem[@name='s']"},
	{"devices", "<audio id='1' type='none'/>", "audio[@id='1']"},
	{"devices", "<emulator/>", "emulator"},
	{"devices", "<video/>", "video"},
	{"devices", "<memballoon/>", "memballoon"},
	{"devices", "<rng/>", "rng"},
	{"devices", "<tpm/>", "tpm"},
	{"devices", "<iommu/>", "iommu"},
	{"devices", "<vsock/>", "vsock"},
	{"devices", "<nvram/>", "nvram"},
	{"devices", "<crypto/>", "crypto"},
	{"devices", "<redirdev type='tcp'><alias name='ua-r'/></redirdev>",
		"redirdev[alias/@name='ua-r']"},
	{"devices", "<disk><alias name='ua-d'/></disk>", "disk[alias/@name='ua-d']"},
	{"cpu", "<feature name='x2apic' policy='require'/>", "feature[@name='x2apic']"},
	{"numa", "<cell id='0' memory='1'/>", "cell[@id='0']"},
	{"distances", "<sibling id='1' value='21'/>", "sibling[@id='1']"},
	{"vcpus", "<vcpu id='2' enabled='yes'/>", "vcpu[@id='2']"},
	{"iothreadids", "<iothread id='2'/>", "iothread[@id='2']"},
	{"iothreads", "<iothread id='2'/>", "iothread[@id='2']"},
	{"cputune", "<vcpupin vcpu='0' cpuset='1'/>", "vcpupin[@vcpu='0']"},
	{"cputune", "<iothreadpin iothread='1' cpuset='1'/>", "iothreadpin[@iothread='1']"},
	{"cputune", "<vcpusched vcpus='0' scheduler='fifo'/>", "vcpusched[@vcpus='0']"},
	{"cputune", "<iothreadsched iothreads='1' scheduler='fifo'/>",
		"iothreadsched[@iothreads='1']"},
	{"cputune", "<cachetune vcpus='0-3'/>", "cachetune[@vcpus='0-3']"},
	{"cputune", "<memorytune vcpus='0,2'/>", "memorytune[@vcpus='0,2']"},
	{"cachetune", "<cache id='0' level='3' type='both'/>", "cache[@id='0'][@type='both']"},
	{"cachetune", "<monitor level='3' vcpus='0-1'/>", "monitor[@vcpus='0-1']"},
	{"memorytune", "<node id='0' bandwidth='60'/>", "node[@id='0']"},
	{"memorytune", "<monitor vcpus='0-1'/>", "monitor[@vcpus='0-1']"},
	{"numatune", "<memnode cellid='0' mode='strict'/>", "memnode[@cellid='0']"},
	{"hugepages", "<page size='2' nodeset='0'/>", "page[@nodeset='0']"},
	{"hugepages", "<page size='2'/>", "page"},
	{"clock", "<timer name='hpet' present='no'/>", "timer[@name='hpet']"},
	{"domain", "<sysinfo type='smbios'/>", "sysinfo[@type='smbios']"},
	{"bios", "<entry name='vendor'>V</entry>", "entry[@name='vendor']"},
	{"system", "<entry name='serial'>1</entry>", "entry[@name='serial']"},
	{"features", "<pmu state='off'/>", "pmu"},
	{"os", "<loader/>", "loader"},
};

static void each_element_has_its_identity(void **state)
{
	(void)state;
	expect(identities, FIT_ARRAY_SIZE(identities), true);
}

static void what_cannot_be_told_apart_is_said(void **state)
{
	static const struct row rows[] = {
		{"interconnects", "<latency initiator='0'/>",
			"cannot be merged: libvirt has nothing that tells them apart; write them into the definition itself"},
		{"interconnects", "<bandwidth initiator='0'/>",
			"cannot be merged: libvirt has nothing that tells them apart; write them into the definition itself"},
		{"blkiotune", "<device/>",
			"cannot be merged: libvirt has nothing that tells them apart; write them into the definition itself"},
		{"os", "<boot dev='hd'/>",
			"cannot be merged: libvirt has nothing that tells them apart; write them into the definition itself"},
		{"domain", "<seclabel/>",
			"cannot be merged: libvirt has nothing that tells them apart; write them into the definition itself"},
		{"cpu", "<feature/>", "does not say which one is meant: it needs @name"},
		{"devices", "<hostdev/>",
			"does not say which one is meant: it needs source/address/@domain source/address/@bus source/address/@slot source/address/@function, or source/address/@uuid, or source/address/@bus source/address/@device, or alias/@name"},
		{"devices", "<redirdev/>", "does not say which one is meant: it needs alias/@name"},
		{"cputune", "<vcpusched vcpus='0-3'/>",
			"names several threads: libvirt has one element for each"},
		{"cputune", "<vcpusched vcpus='0,2'/>",
			"names several threads: libvirt has one element for each"},
		{"cputune", "<vcpusched vcpus='0-3,^2'/>",
			"names several threads: libvirt has one element for each"},
		{"cputune", "<iothreadsched iothreads='1,2'/>",
			"names several threads: libvirt has one element for each"},
	};

	(void)state;
	expect(rows, FIT_ARRAY_SIZE(rows), false);
}

static void attributes_of_an_identity_are_known_at_any_depth(void **state)
{
	static const struct {
		const char *way, *attribute;
		bool wanted;
	} cases[] = {
		{"devices/disk", "type", false},
		{"devices/disk/target", "dev", true},
		{"devices/disk/target", "bus", false},
		{"devices/disk/driver", "dev", false},
		{"devices/hostdev/source/address", "slot", true},
		{"devices/hostdev/source/address", "type", false},
		{"devices/hostdev/source", "slot", false},
		{"devices/hostdev/address", "slot", false},
		{"cputune/vcpupin", "vcpu", true},
		{"cputune/vcpupin", "cpuset", false},
	};
	fit_autodoc xmlDoc *doc = fit_test_parse(
		"<domain><devices><disk type='file'><driver dev='x'/><target dev='vda' "
		"bus='virtio'/></disk><hostdev><source slot='3'><address type='pci' domain='0' "
		"bus='1' slot='2' function='0'/></source><address slot='4'/></hostdev></devices>"
		"<cputune><vcpupin vcpu='0' cpuset='1'/></cputune></domain>");

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		const xmlNode *node = fit_xml_find(xmlDocGetRootElement(doc), cases[i].way);

		if (fit_overlay_is_identity(node, cases[i].attribute) != cases[i].wanted)
			fail_msg("%s/@%s", cases[i].way, cases[i].attribute);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_element_has_its_identity),
		cmocka_unit_test(what_cannot_be_told_apart_is_said),
		cmocka_unit_test(attributes_of_an_identity_are_known_at_any_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
