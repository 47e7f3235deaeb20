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

/* The edits as lines "path = value". */
static char *emit(struct fit_intent_lean lean, const char *body)
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
	for (size_t i = 0; i < edits.count; i++)
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
	fit_autofree char *text = emit(lean, body);

	assert_string_equal(text ? text : "", wanted);
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
		   "</devices>",
		"devices/redirdev[@type='spicevmc']\n");
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
	static const char boots[] =
		"<vcpu>1</vcpu><os><type>hvm</type><boot dev='cdrom'/></os><devices><disk "
		"device='cdrom'><target dev='hdc'/></disk></devices>";
	const struct fit_intent_lean lean = {.cdrom = true, .floppy = true};

	(void)state;
	expect(lean,
		PC "<devices><disk device='cdrom'><target dev='hdc'/></disk>"
		   "<disk device='floppy'><target dev='fda'/></disk>"
		   "<disk device='cdrom'><source file='/x'/><target dev='hdb'/></disk>"
		   "<disk device='cdrom'><target dev='hdd'/><boot order='1'/></disk>"
		   "<disk device='disk'><target dev='vda'/></disk></devices>",
		"devices/disk[target/@dev='hdc']\ndevices/disk[target/@dev='fda']\n");
	expect(lean, boots, "");
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
	/* The metadata may be read by everybody. */
	expect(lean, Q35 "<devices>" SERIAL "<graphics type='vnc' passwd='x'/></devices>", "");
	expect(lean, Q35 "<devices>" SERIAL "<graphics type='sdl'/></devices>", "");
	expect(lean, Q35 "<devices>" SERIAL VNC "<hostdev display='on'/></devices>", "");
	expect(lean, Q35 "<devices>" SERIAL VNC "<channel type='spiceport'/></devices>", "");
	expect(lean, Q35 "<devices><video/></devices>", "devices/video\n");
	expect((struct fit_intent_lean){.video = true}, Q35 "<devices>" VNC "<video/></devices>",
		"");
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
		cmocka_unit_test(nothing_is_asked_for_nothing_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
