/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices that nothing needs go. The rules are made so that nothing is lost that cannot be had back
 * and nothing comes back by itself:
 *
 * - One way to see the guest stays: graphics or a console.
 * - A character device that is connected to something (a socket, a file, a log) is needed by it.
 * - A drive goes only without a medium, a controller only without a device on it or on one with a
 *   higher number, and never one that is part of the machine type, as the first SATA controller of
 *   q35 or the IDE controller of pc.
 * - Libvirt adds a USB controller where there is none, so the one that goes leaves model='none'.
 *   A serial port and its console are two elements for one thing: both go.
 * - What carries a password stays: what goes is kept in the metadata, which everybody may read.
 */
#include "core/emit_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "core/controller_index.h"
#include "core/path.h"
#include "core/xml.h"

#define TOPIC "lean"

struct lean {
	const struct fit_emitter *emitter;
	const struct fit_intent_lean *intent;
	xmlNode *devices;
	xmlNode **gone;
	size_t gone_count;
	struct fit_strlist names; /* what goes, for people */
};

static bool attribute_is(const xmlNode *node, const char *attribute, const char *value)
{
	fit_autofree char *have = fit_xml_attr(node, attribute);

	return fit_streq(have, value);
}

static bool is_gone(const struct lean *lean, const xmlNode *node)
{
	for (size_t i = 0; i < lean->gone_count; i++)
		if (lean->gone[i] == node)
			return true;
	return false;
}

/* The next child of that name that stays. */
static xmlNode *staying(const struct lean *lean, xmlNode *node, const char *name)
{
	while (node && is_gone(lean, node))
		node = fit_xml_next(node, name);
	return node;
}

#define for_each_staying(node, lean, name) \
	for (xmlNode *node = staying(lean, fit_xml_child((lean)->devices, (name)), (name)); node; \
		node = staying(lean, fit_xml_next(node, (name)), (name)))

static void keep(const struct lean *lean, const char *what, const char *why)
{
	fit_plan_reason(lean->emitter->plan, FIT_REASON_KEPT, TOPIC, "%s stays: %s", what, why);
}

static void say(struct lean *lean, size_t count, const char *what, const char *why)
{
	fit_autofree char *name =
		count > 1 ? fit_xasprintf("%s (%zu)", what, count) : fit_xstrdup(what);

	fit_plan_reason(lean->emitter->plan, FIT_REASON_CHOICE, TOPIC, "%s goes: %s", name, why);
	fit_strlist_add(&lean->names, name);
}

/* Removes what matches the step from the @skip-th on, the last one first (core/edit.h). Returns how
 * many. */
static size_t remove_like(struct lean *lean, const char *step, size_t skip)
{
	fit_autopath struct fit_path path = {0};
	size_t count = 0;

	if (fit_path_parse(step, &path, NULL) < 0)
		return 0;
	fit_xml_for_each (node, lean->devices, path.steps[0].name) {
		if (is_gone(lean, node) || !fit_path_step_matches(&path.steps[0], node))
			continue;
		if (++count > skip)
			*FIT_APPEND(lean->gone, lean->gone_count) = node;
	}
	for (size_t i = count; i > skip; i--) {
		fit_autofree char *which = i > 1 ? fit_xasprintf("devices/%s[%zu]", step, i)
						 : fit_xasprintf("devices/%s", step);

		fit_edits_remove(lean->emitter->edits, which);
	}
	return count > skip ? count - skip : 0;
}

static void drop(struct lean *lean, const char *step, const char *what, const char *why)
{
	size_t count = remove_like(lean, step, 0);

	if (count)
		say(lean, count, what, why);
}

/* Is nobody at the other end of the character device? */
static bool is_unconnected(const xmlNode *node)
{
	return !fit_xml_child(node, "log") &&
	       (attribute_is(node, "type", "pty") || attribute_is(node, "type", "null") ||
		       attribute_is(node, "type", "vc"));
}

static bool all_unconnected(const struct lean *lean, const char *name)
{
	for_each_staying (node, lean, name)
		if (!is_unconnected(node))
			return false;
	return true;
}

/* A console that is another name for a serial port: by its target, or, as far as the definition
 * goes, libvirt's default. */
static bool is_serial_console(const xmlNode *node)
{
	fit_autofree char *type = fit_xml_attr(fit_xml_child(node, "target"), "type");

	return !type || fit_streq(type, "serial");
}

static void drop_serial(struct lean *lean)
{
	static const char what[] = "the serial port";
	bool other_console = staying(lean, fit_xml_child(lean->devices, "graphics"), "graphics");
	bool untyped = false;

	if (!fit_xml_child(lean->devices, "serial") && !fit_xml_child(lean->devices, "console"))
		return;
	for_each_staying (node, lean, "console") {
		other_console |= !is_serial_console(node);
		untyped |= !fit_xml_find(node, "target") ||
			   (is_serial_console(node) &&
				   !attribute_is(fit_xml_child(node, "target"), "type", "serial"));
	}
	if (!other_console)
		return keep(lean, what, "it is the only console");
	if (!all_unconnected(lean, "serial") || !all_unconnected(lean, "console"))
		return keep(lean, what, "something is connected to a serial port or console");
	if (untyped)
		return keep(
			lean, what, "libvirt has not said yet what the console is connected to");
	drop(lean, "serial", what, "it is not the only console");
	remove_like(lean, "console[target/@type='serial']", 0);
}

static void drop_parallel(struct lean *lean)
{
	if (all_unconnected(lean, "parallel"))
		drop(lean, "parallel", "the parallel port", "nothing is connected to it");
	else
		keep(lean, "the parallel port", "something is connected to it");
}

/* What SPICE alone serves. */
static void drop_spice_devices(struct lean *lean, const char *why)
{
	drop(lean, "redirdev[@type='spicevmc']", "USB redirection", why);
	drop(lean, "smartcard[@type='spicevmc']", "the smartcard", why);
	drop(lean, "channel[@type='spicevmc']", "the SPICE channel", why);
}

static const char *why_graphics_stay(const struct lean *lean)
{
	if (!staying(lean, fit_xml_child(lean->devices, "serial"), "serial") &&
		!staying(lean, fit_xml_child(lean->devices, "console"), "console"))
		return "there is no console besides them";
	for_each_staying (node, lean, "graphics") {
		if (!attribute_is(node, "type", "vnc") && !attribute_is(node, "type", "spice"))
			return "they are neither VNC nor SPICE";
		if (xmlHasProp(node, (const xmlChar *)"passwd"))
			return "they have a password, which everybody could read in the metadata";
	}
	for_each_staying (node, lean, NULL) {
		if (attribute_is(node, "display", "on"))
			return "a passed-through device is shown there";
		if (attribute_is(node, "type", "spiceport"))
			return "a character device is connected to SPICE";
	}
	return NULL;
}

/* Sound that stays plays to nowhere then: libvirt would choose the same. */
static void silence(struct lean *lean)
{
	for_each_staying (node, lean, "audio") {
		fit_autofree char *id = fit_xml_attr(node, "id");
		fit_autofree char *path = fit_xasprintf("devices/audio[@id='%s']", id);

		if (id && !strchr(id, '\'') &&
			(attribute_is(node, "type", "spice") || attribute_is(node, "type", "vnc")))
			fit_edits_setf(
				lean->emitter->edits, path, "<audio id='%s' type='none'/>", id);
	}
}

static void drop_graphics(struct lean *lean)
{
	static const char why[] = "nobody looks at the guest";
	const char *reason;

	if (!fit_xml_child(lean->devices, "graphics"))
		return;
	reason = why_graphics_stay(lean);
	if (reason)
		return keep(lean, "graphics", reason);
	drop(lean, "graphics", "graphics", why);
	drop(lean, "video", "the video adapter", why);
	drop_spice_devices(lean, "there is no SPICE");
	silence(lean);
}

static void drop_video(struct lean *lean)
{
	if (staying(lean, fit_xml_child(lean->devices, "graphics"), "graphics"))
		keep(lean, "the video adapter", "graphics show it");
	else
		drop(lean, "video", "the video adapter", "no graphics show it");
}

static bool is_boot_device(const xmlNode *disk)
{
	fit_autofree char *device = fit_xml_attr(disk, "device");

	if (fit_xml_child(disk, "boot"))
		return true;
	fit_xml_for_each (boot, fit_xml_child(disk->parent->parent, "os"), "boot")
		if (attribute_is(boot, "dev", fit_streq(device, "floppy") ? "fd" : device))
			return true;
	return false;
}

static void drop_drives(struct lean *lean, const char *device)
{
	for_each_staying (node, lean, "disk") {
		fit_autofree char *target = fit_xml_attr(fit_xml_child(node, "target"), "dev");
		fit_autofree char *what = fit_xasprintf("%s drive %s", device, target);
		fit_autofree char *step = fit_xasprintf("disk[target/@dev='%s']", target);

		if (!attribute_is(node, "device", device))
			continue;
		if (fit_xml_child(node, "source"))
			keep(lean, what, "there is a medium in it");
		else if (is_boot_device(node))
			keep(lean, what, "the guest may boot from it");
		else
			drop(lean, step, what, "it is empty");
	}
}

/* A tablet without a bus is a USB one to libvirt. No path can say "without". */
static void drop_plain_tablets(struct lean *lean, const char *why)
{
	for_each_staying (node, lean, "input")
		if (attribute_is(node, "type", "tablet") &&
			xmlHasProp(node, (const xmlChar *)"bus"))
			return;
	drop(lean, "input[@type='tablet']", "the tablet", why);
}

/* On x86 PS/2 devices take over; elsewhere whoever looks at the graphics needs a keyboard. */
static void drop_usb_inputs(struct lean *lean)
{
	static const char *const steps[][2] = {
		{"input[@type='tablet'][@bus='usb']", "the USB tablet"},
		{"input[@type='mouse'][@bus='usb']", "the USB mouse"},
		{"input[@type='keyboard'][@bus='usb']", "the USB keyboard"},
	};
	bool has_ps2 = fit_machine_of(lean->emitter->domain) & (FIT_MACHINE_PC | FIT_MACHINE_Q35);
	const char *why = has_ps2 ? "it costs polling, and there is PS/2" : "there are no graphics";

	if (!has_ps2 && staying(lean, fit_xml_child(lean->devices, "graphics"), "graphics"))
		return keep(lean, "USB input", "graphics need it here");
	for (size_t i = 0; i < FIT_ARRAY_SIZE(steps); i++)
		drop(lean, steps[i][0], steps[i][1], why);
	drop_plain_tablets(lean, why);
}

static bool is_usb_device(const xmlNode *node)
{
	return attribute_is(node, "bus", "usb") || attribute_is(node, "model", "usb") ||
	       attribute_is(fit_xml_child(node, "target"), "bus", "usb") ||
	       attribute_is(fit_xml_child(node, "target"), "type", "usb-serial") ||
	       attribute_is(fit_xml_child(node, "model"), "type", "usb-net") ||
	       attribute_is(fit_xml_child(node, "address"), "type", "usb") ||
	       attribute_is(fit_xml_find(node, "source/address"), "type", "usb") ||
	       (fit_xml_is(node, "hostdev") && attribute_is(node, "type", "usb")) ||
	       (fit_xml_is(node, "controller") && attribute_is(node, "type", "ccid")) ||
	       fit_xml_is(node, "redirdev") || fit_xml_is(node, "smartcard") ||
	       (fit_xml_is(node, "input") && attribute_is(node, "type", "tablet") &&
		       !xmlHasProp(node, (const xmlChar *)"bus"));
}

static bool is_controller(const xmlNode *node, const char *type)
{
	return fit_xml_is(node, "controller") && attribute_is(node, "type", type);
}

static void drop_usb_controllers(struct lean *lean)
{
	static const char step[] = "controller[@type='usb']";
	static const char what[] = "the USB controller";
	enum fit_machine adding = FIT_MACHINE_PC | FIT_MACHINE_Q35 | FIT_MACHINE_PSERIES;
	size_t count = 0;
	bool none = false;

	for_each_staying (node, lean, NULL) {
		if (!is_controller(node, "usb") && is_usb_device(node))
			return keep(lean, what, "there is a USB device");
		count += is_controller(node, "usb");
		none |= is_controller(node, "usb") && attribute_is(node, "model", "none");
	}
	if (none || (!count && !(fit_machine_of(lean->emitter->domain) & adding)))
		return;
	remove_like(lean, step, 1);
	fit_edits_set(lean->emitter->edits, "devices/controller[@type='usb']",
		"<controller type='usb' index='0' model='none'/>");
	say(lean, count, what, "there is no USB device");
}

static void drop_usb(struct lean *lean)
{
	drop(lean, "redirdev[@type='spicevmc']", "USB redirection", "nothing says that it is used");
	if (!staying(lean, fit_xml_child(lean->devices, "redirdev"), "redirdev"))
		remove_like(lean, "redirfilter", 0);
	drop_usb_inputs(lean);
	drop(lean, "hub[@type='usb']", "the USB hub", "libvirt adds one where it needs it");
	drop_usb_controllers(lean);
}

/* Does the device need a controller of that type? @ret_address: the type of the address that says
 * which. */
static bool needs_controller(const xmlNode *node, const char *type, const char **ret_address)
{
	const xmlNode *target = fit_xml_child(node, "target");

	*ret_address = "drive";
	if (fit_xml_is(node, "disk"))
		return attribute_is(target, "bus", type) ||
		       (!xmlHasProp(target, (const xmlChar *)"bus"));
	if (fit_xml_is(node, "hostdev"))
		return fit_streq(type, "scsi") && (attribute_is(node, "type", "scsi") ||
							  attribute_is(node, "type", "scsi_host"));
	*ret_address = fit_streq(type, "ccid") ? "ccid" : "virtio-serial";
	if (fit_xml_is(node, "smartcard"))
		return fit_streq(type, "ccid");
	return (fit_xml_is(node, "channel") || fit_xml_is(node, "console")) &&
	       fit_streq(type, "virtio-serial") && attribute_is(target, "type", "virtio");
}

/* A device without an address may come to any controller. */
static bool is_used(const struct lean *lean, const char *type, const char *index)
{
	for_each_staying (node, lean, NULL) {
		const xmlNode *address = fit_xml_child(node, "address");
		fit_autofree char *controller = fit_xml_attr(address, "controller");
		const char *kind;

		if (needs_controller(node, type, &kind) &&
			(!attribute_is(address, "type", kind) || !controller ||
				fit_streq(controller, index)))
			return true;
	}
	return false;
}

struct controller {
	unsigned int index; /* that it has or, without one, will have */
	bool used;
};

static bool read_index(const xmlNode *node, unsigned int *ret_index)
{
	fit_autofree char *text = fit_xml_attr(node, "index");
	uint64_t number;

	if (!text)
		return fit_controller_index_expected(node, ret_index);
	if (!fit_parse_uint(text, UINT32_MAX, &number))
		return false;
	*ret_index = (unsigned int)number;
	return true;
}

static int last_first(const void *a, const void *b)
{
	const struct controller *left = a, *right = b;

	return (left->index < right->index) - (left->index > right->index);
}

static struct controller *list_controllers(
	const struct lean *lean, const char *type, size_t *ret_count)
{
	struct controller *list = NULL;
	unsigned int number;

	*ret_count = 0;
	for_each_staying (node, lean, "controller") {
		fit_autofree char *index = NULL;

		if (!is_controller(node, type) || !read_index(node, &number))
			continue;
		index = fit_xasprintf("%u", number);
		*FIT_APPEND(list, *ret_count) =
			(struct controller){number, is_used(lean, type, index)};
	}
	if (*ret_count)
		qsort(list, *ret_count, sizeof(*list), last_first);
	return list;
}

/* Libvirt adds what is missing below a number that is in use. The last one goes first: those that
 * have no number yet get the lowest that are free. q35 has the first SATA controller anyway. */
static void drop_controllers_of(struct lean *lean, const char *type)
{
	bool is_q35 = fit_machine_of(lean->emitter->domain) == FIT_MACHINE_Q35;
	size_t count;
	fit_autofree struct controller *list = list_controllers(lean, type, &count);
	bool above = false;

	for (size_t i = 0; i < count; i++) {
		unsigned int index = list[i].index;
		fit_autofree char *what = fit_xasprintf("%s controller %u", type, index);
		fit_autofree char *step =
			fit_xasprintf("controller[@type='%s'][@index='%u']", type, index);

		if (list[i].used)
			keep(lean, what, "a device is on it");
		else if (above)
			keep(lean, what, "one with a higher number is in use");
		else if (!is_q35 || index || !fit_streq(type, "sata"))
			drop(lean, step, what, "no device is on it");
		above |= list[i].used;
	}
}

/* IDE and floppy controllers are never more than what the machine types that have any come with. */
static void drop_controllers(struct lean *lean)
{
	static const char *const types[] = {"sata", "scsi", "ccid", "virtio-serial"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(types); i++)
		drop_controllers_of(lean, types[i]);
}

static void drop_all(struct lean *lean)
{
	const struct fit_intent_lean *intent = lean->intent;

	if (intent->graphics)
		drop_graphics(lean);
	if (intent->video)
		drop_video(lean);
	if (intent->sound)
		drop(lean, "sound", "the sound card", "nothing says that it is used");
	if (intent->serial)
		drop_serial(lean);
	if (intent->parallel)
		drop_parallel(lean);
	if (intent->smartcard)
		drop(lean, "smartcard[@type='spicevmc']", "the smartcard",
			"nothing says that it is used");
	if (intent->cdrom)
		drop_drives(lean, "cdrom");
	if (intent->floppy)
		drop_drives(lean, "floppy");
	if (intent->controllers)
		drop_controllers(lean);
	if (intent->usb)
		drop_usb(lean);
}

void fit_emit_lean(const struct fit_emitter *emitter)
{
	const xmlNode *root = xmlDocGetRootElement(emitter->original);
	struct lean lean = {
		.emitter = emitter,
		.intent = &emitter->profile->lean,
		.devices = fit_xml_child(root, "devices"),
	};

	if (lean.intent->intent.set)
		drop_all(&lean);
	if (lean.names.count) {
		fit_autofree char *names = fit_strlist_join(&lean.names, ", ");

		fit_plan_reason(emitter->plan, FIT_REASON_NOTE, TOPIC,
			"goes from the definition: %s (revert brings it back)", names);
	}
	fit_strlist_clear(&lean.names);
	free(lean.gone);
}
