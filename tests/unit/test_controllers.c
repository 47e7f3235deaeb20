/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Controllers that libvirt adds for devices of ours, and takes none of the user's for. */
#include "support.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/controllers.h"
#include "core/xml.h"
#include "support_domain.h"

#define PORT(index, slot, more) \
	"<controller type='pci' index='" index "' model='pcie-root-port'><address type='pci' " \
	"bus='0x00' slot='" slot "' function='0x0'" more "/></controller>"
#define SCSI(index) "<controller type='scsi' index='" index "' model='virtio-scsi'/>"
#define SCSI_ON(index, bus) \
	"<controller type='scsi' index='" index "'><address type='pci' bus='" bus \
	"' slot='0x00' function='0x0'/></controller>"
#define SERIAL(index) "<controller type='virtio-serial' index='" index "'/>"
#define DISK(target, controller, more) \
	"<disk" more "><target dev='" target \
	"' bus='scsi'/><address type='drive' controller='" controller "'/></disk>"
#define CHANNEL(controller, more) \
	"<channel" more \
	"><target type='virtio'/><address type='virtio-serial' controller='" controller \
	"'/></channel>"
#define NIC(bus, more) \
	"<interface" more "><address type='pci' bus='" bus \
	"' slot='0x00' function='0x0'/></interface>"
#define OURS " ours='yes'"

static char *list_of(const char *devices)
{
	fit_autofree char *body = fit_xasprintf("<devices>%s</devices>", devices);
	fit_autodoc xmlDoc *doc = fit_test_document(body);

	return fit_controllers_list(xmlDocGetRootElement(doc));
}

static void they_are_listed_by_number_or_by_type_and_number(void **state)
{
	static const char *const cases[][2] = {
		{"", NULL},
		{SCSI("0"), "scsi/0"},
		{SCSI("1") SERIAL("0") PORT("0x1", "0x02", ""), "scsi/1 virtio-serial/0 1"},
		{PORT("1", "0x02", " multifunction='on'") PORT("2", "0x03", " multifunction='off'"),
			"1:multifunction 2"},
		{"<controller type='scsi'/><controller type='usb' index='0'/>", "usb/0"},
		/* The buses are not laid out yet. */
		{SCSI("0") "<controller type='pci' model='pcie-root-port'/>", NULL},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *list = list_of(cases[i][0]);

		if (!fit_streq(list, cases[i][1]) && (list || cases[i][1]))
			fail_msg("%s: %s", cases[i][0], list);
	}
}

static const struct {
	const char *original; /* devices before ours came */
	const char *now;
	const char *left; /* controllers, as they are listed; NULL: all */
} cases[] = {
	{"", SCSI("0") DISK("sda", "0", OURS), ""},
	{SCSI("0"), SCSI("0") DISK("sda", "0", OURS), NULL},
	{"", SCSI("0") DISK("sda", "0", OURS) DISK("sdb", "0", ""), NULL},
	{"", SCSI("0") DISK("sda", "0", OURS) DISK("sdb", "0", OURS), ""},
	{SCSI("0"), SCSI("0") SCSI("1") DISK("sda", "1", OURS), "scsi/0"},
	{SERIAL("0"), SERIAL("0") SCSI("0") DISK("sda", "0", OURS), "virtio-serial/0"},
	{"", SERIAL("0") CHANNEL("0", OURS), ""},
	{SERIAL("0"), SERIAL("0") CHANNEL("0", OURS), NULL},
	{"", SERIAL("0") CHANNEL("0", OURS) CHANNEL("0", ""), NULL},
	/* Not one that nothing of ours is on. */
	{"", SCSI("0") SERIAL("0") CHANNEL("0", OURS), "scsi/0"},
	{"", SCSI("0") "<disk ours='yes'><target dev='vda' bus='virtio'/></disk>", NULL},
	{"", SERIAL("0") "<smartcard ours='yes'><address type='ccid' controller='0'/></smartcard>",
		NULL},
	/* Ports, and a controller that is on one. */
	{PORT("1", "0x02", ""), PORT("1", "0x02", "") PORT("2", "0x03", "") NIC("0x02", OURS), "1"},
	{PORT("1", "0x02", ""), PORT("1", "0x02", "") NIC("0x01", OURS), NULL},
	{"", PORT("1", "0x02", "") NIC("0x01", OURS) NIC("0x01", ""), NULL},
	{"", PORT("1", "0x02", "") SCSI_ON("0", "0x01") DISK("sda", "0", OURS), ""},
	{PORT("1", "0x02", ""), PORT("1", "0x02", "") SCSI_ON("0", "0x01") DISK("sda", "0", OURS),
		"1"},
	{SCSI("0"), PORT("1", "0x02", "") SCSI_ON("0", "0x01") DISK("sda", "0", OURS), NULL},
};

/* Every state of a definition may be reverted, and what was there before ours came is left. */
static void those_go_that_nothing_but_ours_is_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *original = list_of(cases[i].original);
		fit_autofree char *all = list_of(cases[i].now);
		fit_autofree char *body = fit_xasprintf("<devices>%s</devices>", cases[i].now);
		fit_autodoc xmlDoc *doc = fit_test_document(body);
		fit_autofree char *before = fit_xml_print(doc);
		xmlNode *root = xmlDocGetRootElement(doc);
		struct fit_remains *remains = fit_remains_new();
		fit_autofree char *left = NULL, *after = NULL;
		xmlNode *ours[2];
		size_t count = 0;

		fit_xml_for_each (node, fit_xml_child(root, "devices"), NULL)
			if (xmlHasProp(node, (const xmlChar *)"ours"))
				ours[count++] = node;
		fit_controllers_remove(root, original ? original : "", ours, count, remains);
		left = fit_controllers_list(root);
		if (!fit_streq(left ? left : "", cases[i].left ? cases[i].left : all))
			fail_msg("%s is left of %s", left, cases[i].now);
		/* The same devices are applied again: they come back. */
		fit_controllers_restore(root, remains);
		fit_remains_free(&remains);
		after = fit_xml_print(doc);
		assert_string_equal(after, before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_listed_by_number_or_by_type_and_number),
		cmocka_unit_test(those_go_that_nothing_but_ours_is_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
