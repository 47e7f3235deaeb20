/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which devices go and, more important, which do not. */
#include "support.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "core/emit.h"
#include "core/xml.h"
#include "support_domain.h"
#include "support_emit.h"

#define PC    "<vcpu>1</vcpu><os><type arch='x86_64' machine='pc'>hvm</type></os>"
#define Q35   "<vcpu>1</vcpu><os><type arch='x86_64' machine='pc-q35-7.2'>hvm</type></os>"
#define ARM   "<vcpu>1</vcpu><os><type arch='aarch64' machine='virt-7.2'>hvm</type></os>"
#define MICRO "<vcpu>1</vcpu><os><type arch='x86_64' machine='microvm'>hvm</type></os>"
#define VNC   "<graphics type='vnc'/>"
#define SERIAL \
	"<serial type='pty'><target port='0'/></serial>" \
	"<console type='pty'><target type='serial' port='0'/></console>"
#define NO_USB "devices/controller[@type='usb'] = <controller type='usb' index='0' model='none'/>\n"

/* The edits as lines "path = value", or what is said about them. */
static char *emit(struct fit_intent_lean lean, const char *body, bool said)
{
	fit_autodoc xmlDoc *doc = fit_test_document(body);
	struct fit_domain domain = fit_test_domain(body);
	struct fit_profile profile = {.lean = lean};
	struct fit_plan_input input = {.domain = &domain, .profile = &profile, .original = doc};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_edits edits = {0};
	struct fit_plan plan = {0};
	struct fit_buffer text = {0};

	profile.lean.intent.set = true;
	assert_int_equal(fit_emit(&plan, &input, &edits, &err), 0);
	fit_buffer_add(&text, "");
	fit_test_check_emitted(&plan, &edits);
	for (size_t i = 0; said && i < plan.reason_count; i++)
		fit_buffer_addf(&text, "%s\n", plan.reasons[i].text);
	for (size_t i = 0; !said && i < edits.count; i++)
		fit_buffer_addf(&text, "%s%s%s\n", edits.items[i].path,
			edits.items[i].value ? " = " : "",
			edits.items[i].value ? edits.items[i].value : "");
	/* Whatever goes or stays is said. */
	assert_true(!edits.count || plan.reason_count);
	fit_edits_clear(&edits);
	fit_plan_clear(&plan);
	fit_domain_clear(&domain);
	return fit_buffer_steal(&text);
}

static void expect(struct fit_intent_lean lean, const char *body, const char *wanted)
{
	fit_autofree char *text = emit(lean, body, false);

	assert_string_equal(text ? text : "", wanted);
}

static void expect_said(struct fit_intent_lean lean, const char *body, const char *wanted)
{
	fit_autofree char *text = emit(lean, body, true);

	assert_string_equal(text, wanted);
}

static void the_only_console_stays(void **state)
{
	const struct fit_intent_lean lean = {.serial = true};
	const struct fit_intent_lean both = {.serial = true, .graphics = true};

	(void)state;
	expect(lean, Q35 "<devices>" SERIAL "</devices>", "");
	expect(lean, Q35 "<devices>" SERIAL VNC "</devices>",
		"devices/serial\ndevices/console[target/@type='serial']\n");
	expect(lean,
		Q35 "<devices>" SERIAL "<console type='pty'><target type='virtio' port='1'/>"
		    "</console></devices>",
		"devices/serial\ndevices/console[target/@type='serial']\n");
	expect(both, Q35 "<devices>" VNC "</devices>", "");
	expect(both, Q35 "<devices>" SERIAL VNC "</devices>", "devices/graphics\n");
}

static void what_is_connected_stays(void **state)
{
	const struct fit_intent_lean lean = {.serial = true, .parallel = true};

	(void)state;
	expect(lean, Q35 "<devices><serial type='pty'><log file='/x'/></serial>" VNC "</devices>",
		"");
	expect(lean, Q35 "<devices><serial type='tcp'/>" VNC "</devices>", "");
	expect(lean, Q35 "<devices>" SERIAL "<serial type='file'/>" VNC "</devices>", "");
	expect(lean, Q35 "<devices><parallel type='dev'/><parallel type='pty'/></devices>", "");
	expect(lean, Q35 "<devices><parallel type='pty'/><parallel type='null'/></devices>",
		"devices/parallel[2]\ndevices/parallel\n");
	/* What libvirt makes of it is not known yet. */
	expect(lean, Q35 "<devices><console type='pty'/>" VNC "</devices>", "");
}

static void usb_goes_as_a_whole_or_as_far_as_nothing_is_on_it(void **state)
{
	const struct fit_intent_lean lean = {.usb = true};

	(void)state;
	expect(lean, Q35 "<devices/>", NO_USB);
	expect(lean, PC "<devices><controller type='usb' index='0' model='none'/></devices>", "");
	expect(lean, MICRO "<devices/>", "");
	expect(lean,
		PC "<devices><controller type='usb' index='0' model='ich9-ehci1'/>"
		   "<controller type='usb' index='0' model='ich9-uhci1'/>"
		   "<input type='tablet' bus='usb'/><hub type='usb'/></devices>",
		"devices/input[@type='tablet'][@bus='usb']\ndevices/hub[@type='usb']\n"
		"devices/controller[@type='usb'][2]\n" NO_USB);
	expect(lean, PC "<devices><input type='tablet'/></devices>",
		"devices/input[@type='tablet']\n" NO_USB);
	expect(lean, PC "<devices><hostdev mode='subsystem' type='usb'/></devices>", "");
	expect(lean,
		PC "<devices><disk type='file' device='disk'><target dev='sda' bus='usb'/></disk>"
		   "<input type='tablet' bus='usb'/></devices>",
		"devices/input[@type='tablet'][@bus='usb']\n");
	expect(lean,
		PC "<devices><redirdev bus='usb' type='tcp'/><redirdev bus='usb' type='spicevmc'/>"
		   "<redirfilter/></devices>",
		"devices/redirdev[@type='spicevmc']\n");
	expect(lean, PC "<devices><redirdev bus='usb' type='spicevmc'/><redirfilter/></devices>",
		"devices/redirdev[@type='spicevmc']\ndevices/redirfilter\n" NO_USB);
	/* No PS/2 there. */
	expect(lean,
		ARM
		"<devices><controller type='usb' index='0'/><input type='keyboard' bus='usb'/>" VNC
		"</devices>",
		"");
	expect(lean,
		ARM "<devices><controller type='usb' index='0'/><input type='keyboard' bus='usb'/>"
		    "</devices>",
		"devices/input[@type='keyboard'][@bus='usb']\n" NO_USB);
}

static void drives_go_when_they_are_empty_and_not_booted_from(void **state)
{
	static const char drives[] = "devices/disk[target/@dev='hdc']\n"
				     "devices/disk[target/@dev='fda']\n";
	static const struct {
		const char *from, *gone;
	} boots[] = {
		{"cdrom", "devices/disk[target/@dev='fda']\n"},
		{"fd", "devices/disk[target/@dev='hdc']\n"},
		{"hd", drives},
	};
	const struct fit_intent_lean lean = {.cdrom = true, .floppy = true};

	(void)state;
	expect(lean,
		PC "<devices><disk device='cdrom'><target dev='hdc'/></disk>"
		   "<disk device='floppy'><target dev='fda'/></disk>"
		   "<disk device='cdrom'><source file='/x'/><target dev='hdb'/></disk>"
		   "<disk device='cdrom'><target dev='hdd'/><boot order='1'/></disk>"
		   "<disk device='disk'><target dev='vda'/></disk></devices>",
		drives);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(boots); i++) {
		fit_autofree char *body = fit_xasprintf(
			"<vcpu>1</vcpu><os><type>hvm</type><boot dev='%s'/></os><devices>"
			"<disk device='cdrom'><target dev='hdc'/></disk>"
			"<disk device='floppy'><target dev='fda'/></disk></devices>",
			boots[i].from);

		expect(lean, body, boots[i].gone);
	}
}

#define SATA(index) "<controller type='sata' index='" index "'/>"
#define ON_SATA(controller) \
	"<disk device='disk'><target dev='sda' bus='sata'/><address type='drive' controller='" controller \
	"'/></disk>"

static void controllers_go_when_nothing_is_on_them(void **state)
{
	const struct fit_intent_lean lean = {.controllers = true};

	(void)state;
	expect(lean, Q35 "<devices>" SATA("0") SATA("1") SATA("2") ON_SATA("1") "</devices>",
		"devices/controller[@type='sata'][@index='2']\n");
	expect(lean, PC "<devices>" SATA("0") SATA("1") ON_SATA("0") "</devices>",
		"devices/controller[@type='sata'][@index='1']\n");
	/* Libvirt would add those below the one in use again. */
	expect(lean, PC "<devices>" SATA("0") SATA("1") ON_SATA("1") "</devices>", "");
	expect(lean,
		PC "<devices>" SATA("0")
			SATA("1") "<disk><target dev='sda' bus='sata'/></disk></devices>",
		"");
	expect(lean,
		PC "<devices><controller type='scsi' index='0'/><controller type='ide' index='0'/>"
		   "<controller type='pci' index='1'/><controller type='virtio-serial' index='0'/>"
		   "</devices>",
		"devices/controller[@type='scsi'][@index='0']\n"
		"devices/controller[@type='virtio-serial'][@index='0']\n");
	expect(lean,
		PC "<devices><controller type='scsi' index='0'/><hostdev mode='subsystem' "
		   "type='scsi'/><controller type='virtio-serial' index='0'/><channel type='unix'>"
		   "<target type='virtio'/></channel></devices>",
		"");
}

#define SCSI(attributes) "<controller type='scsi'" attributes "/>"
#define ON_SCSI(controller) \
	"<hostdev type='scsi'><address type='drive' controller='" controller "'/></hostdev>"

/* Libvirt gives them the lowest that are free, also those of controllers that are gone. */
static void controllers_without_a_number_go_by_the_one_they_will_have(void **state)
{
	const struct fit_intent_lean lean = {.controllers = true};
	static const char none[] = "devices/controller[@type='scsi'][@index='0']\n";
	static const char both[] = "devices/controller[@type='scsi'][@index='1']\n"
				   "devices/controller[@type='scsi'][@index='0']\n";

	(void)state;
	expect(lean, PC "<devices>" SCSI("") "</devices>", none);
	expect(lean, PC "<devices>" SCSI(" index='0'") SCSI("") "</devices>", both);
	expect(lean, PC "<devices>" SCSI("") SCSI(" index='0'") "</devices>", both);
	expect(lean, PC "<devices>" SCSI("") SCSI("") "</devices>", both);
	expect(lean, PC "<devices>" SCSI("") SCSI(" index='0'") ON_SCSI("1") "</devices>", "");
	expect(lean, PC "<devices>" SCSI("") SCSI(" index='0'") ON_SCSI("0") "</devices>",
		"devices/controller[@type='scsi'][@index='1']\n");
}

static void graphics_go_with_what_belongs_to_them(void **state)
{
	const struct fit_intent_lean lean = {.graphics = true, .video = true};

	(void)state;
	expect(lean,
		Q35 "<devices>" SERIAL
		    "<graphics type='spice'/><video><model type='qxl'/></video><channel "
		    "type='spicevmc'/><channel type='unix'/><redirdev type='spicevmc'/>"
		    "<audio id='1' type='spice'/></devices>",
		"devices/graphics\ndevices/video\ndevices/redirdev[@type='spicevmc']\n"
		"devices/channel[@type='spicevmc']\n"
		"devices/audio[@id='1'] = <audio id='1' type='none'/>\n");
	expect(lean,
		Q35 "<devices>" SERIAL VNC "<audio id='1' type='vnc'/><audio id='2' type='alsa'/>"
		    "<audio type='vnc'/><audio id=\"'\" type='vnc'/></devices>",
		"devices/graphics\ndevices/audio[@id='1'] = <audio id='1' type='none'/>\n");
	/* The metadata may be read by everybody. */
	expect(lean, Q35 "<devices>" SERIAL "<graphics type='vnc' passwd='x'/></devices>", "");
	expect(lean, Q35 "<devices>" SERIAL "<graphics type='sdl'/></devices>", "");
	expect(lean, Q35 "<devices>" SERIAL VNC "<hostdev display='on'/></devices>", "");
	expect(lean, Q35 "<devices>" SERIAL VNC "<channel type='spiceport'/></devices>", "");
	expect(lean, Q35 "<devices><video/></devices>", "devices/video\n");
	expect((struct fit_intent_lean){.video = true}, Q35 "<devices>" VNC "<video/></devices>",
		"");
}

static void anything_on_usb_keeps_its_controller(void **state)
{
	static const char *const devices[] = {
		"<input type='passthrough' bus='usb'/>",
		"<controller type='ccid' index='0' model='usb'/>",
		"<controller type='ccid' index='0'/>",
		"<sound model='usb'/>",
		"<disk device='disk'><target dev='sda' bus='usb'/></disk>",
		"<serial type='pty'><target type='usb-serial' port='0'/></serial>",
		"<interface type='user'><model type='usb-net'/></interface>",
		"<rng><address type='usb' bus='0' port='1'/></rng>",
		"<hostdev><source><address type='usb' bus='1' device='2'/></source></hostdev>",
		"<hostdev mode='subsystem' type='usb'/>",
		"<redirdev type='tcp'/>",
		"<smartcard mode='host'/>",
	};
	const struct fit_intent_lean lean = {.usb = true};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(devices); i++) {
		fit_autofree char *body = fit_xasprintf(
			Q35 "<devices><controller type='usb' index='0'/>%s</devices>", devices[i]);

		expect(lean, body, "");
		expect_said(lean, body, "the USB controller stays: there is a USB device\n");
	}
	/* Not these. */
	expect(lean,
		Q35 "<devices><disk type='usb'><target dev='vda' bus='virtio'/></disk><controller "
		    "type='scsi' index='0'/><interface type='user'><model "
		    "type='virtio'/></interface></devices>",
		NO_USB);
	/* Absolute pointing devices are USB ones unless they say otherwise. */
	expect(lean, ARM "<devices><input type='tablet'/>" VNC "</devices>", "");
	expect(lean, PC "<devices><input type='tablet' bus='virtio'/></devices>", NO_USB);
	expect(lean,
		PC "<devices><input type='tablet'/><input type='tablet' bus='virtio'/></devices>",
		"");
}

static const struct {
	const char *type, *device;
	bool stays;
} on_controllers[] = {
	{"sata", "<disk><target dev='sda' bus='sata'/></disk>", true},
	{"sata", "<disk><target dev='sda'/></disk>", true},
	{"sata", "<disk><target dev='sda' bus='scsi'/></disk>", false},
	{"sata",
		"<disk><target dev='sda' bus='sata'/><address type='drive' "
		"controller='1'/></disk>",
		true},
	{"sata",
		"<disk><target dev='sda' bus='sata'/><address type='drive' "
		"controller='0'/></disk>",
		false},
	{"sata",
		"<disk><target dev='sda' bus='sata'/><address type='pci' "
		"controller='0'/></disk>",
		true},
	{"sata", "<disk><target dev='sda' bus='sata'/><address type='drive'/></disk>", true},
	{"scsi", "<hostdev type='scsi'/>", true},
	{"scsi", "<hostdev type='scsi_host'/>", true},
	{"scsi",
		"<hostdev type='pci'><source><address domain='0' bus='1' slot='0' "
		"function='0'/></source></hostdev>",
		false},
	{"sata", "<hostdev type='scsi'/>", false},
	{"scsi", "<hostdev type='scsi'><address type='drive' controller='1'/></hostdev>", true},
	{"scsi", "<hostdev type='scsi'><address type='drive' controller='0'/></hostdev>", false},
	{"ccid", "<smartcard mode='host'/>", true},
	{"ccid", "<smartcard mode='host'><address type='ccid' controller='1'/></smartcard>", true},
	{"ccid", "<smartcard mode='host'><address type='ccid' controller='0'/></smartcard>", false},
	{"scsi", "<smartcard mode='host'/>", false},
	{"virtio-serial", "<channel type='unix'><target type='virtio'/></channel>", true},
	{"virtio-serial", "<console type='pty'><target type='virtio'/></console>", true},
	{"virtio-serial", "<channel type='unix'><target type='guestfwd'/></channel>", false},
	{"virtio-serial", "<serial type='pty'><target type='virtio'/></serial>", false},
	{"virtio-serial",
		"<channel type='unix'><target type='virtio'/><address "
		"type='virtio-serial' controller='1'/></channel>",
		true},
	{"virtio-serial",
		"<channel type='unix'><target type='virtio'/><address "
		"type='virtio-serial' controller='0'/></channel>",
		false},
	{"scsi", "<channel type='unix'><target type='virtio'/></channel>", false},
};

static void a_device_keeps_the_controller_that_it_is_or_may_be_on(void **state)
{
	const struct fit_intent_lean lean = {.controllers = true};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(on_controllers); i++) {
		fit_autofree char *body =
			fit_xasprintf(PC "<devices><controller type='%s' index='1'/>%s</devices>",
				on_controllers[i].type, on_controllers[i].device);
		fit_autofree char *gone = fit_xasprintf(
			"devices/controller[@type='%s'][@index='1']\n", on_controllers[i].type);

		expect(lean, body, on_controllers[i].stays ? "" : gone);
	}
}

static const struct fit_intent_lean all = {.graphics = true,
	.video = true,
	.sound = true,
	.serial = true,
	.parallel = true,
	.smartcard = true,
	.cdrom = true,
	.floppy = true,
	.controllers = true,
	.usb = true};

static void what_goes_is_said(void **state)
{
	(void)state;
	expect_said(all,
		Q35
		"<devices>" SERIAL
		"<graphics type='spice'/><video/><sound model='ich9'/><sound model='ac97'/>"
		"<parallel type='pty'/><smartcard type='spicevmc'/><disk device='cdrom'><target "
		"dev='sda' bus='sata'/></disk>"
		"<disk device='floppy'><target dev='fda' bus='fdc'/></disk><controller "
		"type='sata' index='0'/>"
		"<controller type='sata' index='1'/><controller type='scsi' index='0'/><redirdev "
		"type='spicevmc'/><redirfilter/>"
		"<channel type='spicevmc'/><input type='tablet' bus='usb'/><input type='mouse' "
		"bus='usb'/><hub type='usb'/></devices>",

		"graphics goes: nobody looks at the guest\n"
		"the video adapter goes: nobody looks at the guest\n"
		"USB redirection goes: there is no SPICE\n"
		"the smartcard goes: there is no SPICE\n"
		"the SPICE channel goes: there is no SPICE\n"
		"the sound card (2) goes: nothing says that it is used\n"
		"the serial port stays: it is the only console\n"
		"the parallel port goes: nothing is connected to it\n"
		"cdrom drive sda goes: it is empty\n"
		"floppy drive fda goes: it is empty\n"
		"sata controller 1 goes: no device is on it\n"
		"scsi controller 0 goes: no device is on it\n"
		"the USB tablet goes: it costs polling, and there is PS/2\n"
		"the USB mouse goes: it costs polling, and there is PS/2\n"
		"the USB hub goes: libvirt adds one where it needs it\n"
		"the USB controller goes: there is no USB device\n"
		"goes from the definition: graphics, the video adapter, USB redirection, the "
		"smartcard, the SPICE channel, the sound card (2), the parallel port, cdrom "
		"drive sda, floppy drive fda, sata controller 1, scsi controller 0, the USB "
		"tablet, the USB mouse, the USB hub, the USB controller (revert brings it back)\n");
}

static void what_stays_is_said(void **state)
{
	(void)state;
	expect_said(all,
		PC "<devices>" SERIAL VNC "<hostdev display='on'/><video/><parallel type='dev'/>"
		   "<disk device='cdrom'><source file='/x'/><target dev='hda'/></disk>"
		   "<disk device='floppy'><target dev='fda'/><boot order='1'/></disk>"
		   "<controller type='scsi' index='0'/><controller type='scsi' index='1'/>" ON_SCSI(
			   "1") "<redirdev type='tcp'/></devices>",

		"graphics stays: a passed-through device is shown there\n"
		"the video adapter stays: graphics show it\n"
		"the serial port goes: it is not the only console\n"
		"the parallel port stays: something is connected to it\n"
		"cdrom drive hda stays: there is a medium in it\n"
		"floppy drive fda stays: the guest may boot from it\n"
		"scsi controller 1 stays: a device is on it\n"
		"scsi controller 0 stays: a device is on it\n"
		"the USB controller stays: there is a USB device\n"
		"goes from the definition: the serial port (revert brings it back)\n");
	expect_said(all,
		ARM "<devices>" VNC
		    "<console type='pty'/><hostdev display='on'/><serial type='tcp'/></devices>",

		"graphics stays: a passed-through device is shown there\n"
		"the video adapter stays: graphics show it\n"
		"the serial port stays: something is connected to a serial port or console\n"
		"USB input stays: graphics need it here\n");
	expect_said(all, Q35 "<devices>" VNC "</devices>",
		"graphics stays: there is no console besides them\n"
		"the video adapter stays: graphics show it\n"
		"the USB controller goes: there is no USB device\n"
		"goes from the definition: the USB controller (revert brings it back)\n");
	expect_said(all,
		Q35 "<devices>" SERIAL
		    "<graphics type='spice'/><channel type='spiceport'/></devices>",

		"graphics stays: a character device is connected to SPICE\n"
		"the video adapter stays: graphics show it\n"
		"the serial port goes: it is not the only console\n"
		"the USB controller goes: there is no USB device\n"
		"goes from the definition: the serial port, the USB controller (revert brings it "
		"back)\n");
	expect_said(all, Q35 "<devices>" SERIAL "<graphics type='vnc' passwd=''/></devices>",
		"graphics stays: they have a password, which everybody could read in the metadata\n"
		"the video adapter stays: graphics show it\n"
		"the serial port goes: it is not the only console\n"
		"the USB controller goes: there is no USB device\n"
		"goes from the definition: the serial port, the USB controller (revert brings it "
		"back)\n");
	expect_said(all, Q35 "<devices>" SERIAL "<graphics type='sdl'/></devices>",
		"graphics stays: they are neither VNC nor SPICE\n"
		"the video adapter stays: graphics show it\n"
		"the serial port goes: it is not the only console\n"
		"the USB controller goes: there is no USB device\n"
		"goes from the definition: the serial port, the USB controller (revert brings it "
		"back)\n");
}

static void nothing_is_asked_for_nothing_goes(void **state)
{
	(void)state;
	expect((struct fit_intent_lean){0},
		PC "<devices>" SERIAL VNC "<sound/><input type='tablet'/><video/></devices>", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_only_console_stays),
		cmocka_unit_test(what_is_connected_stays),
		cmocka_unit_test(usb_goes_as_a_whole_or_as_far_as_nothing_is_on_it),
		cmocka_unit_test(drives_go_when_they_are_empty_and_not_booted_from),
		cmocka_unit_test(controllers_go_when_nothing_is_on_them),
		cmocka_unit_test(controllers_without_a_number_go_by_the_one_they_will_have),
		cmocka_unit_test(graphics_go_with_what_belongs_to_them),
		cmocka_unit_test(anything_on_usb_keeps_its_controller),
		cmocka_unit_test(a_device_keeps_the_controller_that_it_is_or_may_be_on),
		cmocka_unit_test(what_goes_is_said),
		cmocka_unit_test(what_stays_is_said),
		cmocka_unit_test(nothing_is_asked_for_nothing_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
