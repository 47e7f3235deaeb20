/* SPDX-License-Identifier: GPL-2.0-or-later */
/* VFs and whole devices are added, and the root ports that they are behind. */
#include "core/emit_parts.h"

#include "base/memory.h"

static void emit_port(const struct fit_emitter *emitter, size_t number)
{
	const struct fit_planned_port *port = &emitter->plan->ports[number];
	fit_autofree char *path = fit_xasprintf(
		"devices/controller[alias/@name='%sport%zu']", FIT_ALIAS_PREFIX, number);

	fit_edits_setf(emitter->edits, path,
		"<controller type='pci' index='%u' model='pcie-root-port'><alias "
		"name='%sport%zu'/><address type='pci' domain='0x0000' bus='0x%02x' "
		"slot='0x%02x' function='0x0'/></controller>",
		port->index, FIT_ALIAS_PREFIX, number, port->bus, port->slot);
}

/* The element, or "" where libvirt chooses. To be freed. */
static char *format_place(const struct fit_guest_place *place)
{
	if (!place->set)
		return fit_xstrdup("");
	return fit_xasprintf("<address type='pci' domain='0x0000' bus='0x%02x' slot='0x%02x' "
			     "function='0x%x'%s/>",
		place->bus, place->slot, place->function,
		place->multifunction ? " multifunction='on'" : "");
}

static void emit_device(const struct fit_emitter *emitter, size_t number)
{
	const struct fit_planned_device *device = &emitter->plan->devices[number];
	fit_autofree char *path =
		fit_xasprintf("devices/hostdev[alias/@name='%sdev%zu']", FIT_ALIAS_PREFIX, number);
	fit_autofree char *place = format_place(&device->place);
	fit_autofree char *rom =
		device->rom ? fit_xasprintf("<rom bar='%s'/>", device->rom) : fit_xstrdup("");

	fit_edits_setf(emitter->edits, path,
		"<hostdev mode='subsystem' type='pci' managed='yes'><source><address "
		"domain='0x%04x' bus='0x%02x' slot='0x%02x' function='0x%x'/></source><alias "
		"name='%sdev%zu'/>%s%s</hostdev>",
		device->addr.domain, device->addr.bus, device->addr.slot, device->addr.function,
		FIT_ALIAS_PREFIX, number, rom, place);
}

static void emit_vf(const struct fit_emitter *emitter, size_t number)
{
	const struct fit_planned_vf *vf = &emitter->plan->vfs[number];
	const char *element = vf->is_interface ? "interface" : "hostdev";
	fit_autofree char *path = fit_xasprintf(
		"devices/%s[alias/@name='%svf%zu']", element, FIT_ALIAS_PREFIX, number);

	fit_edits_setf(emitter->edits, path,
		"<%s managed='yes'><source><address%s domain='0x%04x' bus='0x%02x' slot='0x%02x' "
		"function='0x%x'/></source><alias name='%svf%zu'/></%s>",
		vf->is_interface ? "interface type='hostdev'"
				 : "hostdev mode='subsystem' type='pci'",
		vf->is_interface ? " type='pci'" : "", vf->vf.domain, vf->vf.bus, vf->vf.slot,
		vf->vf.function, FIT_ALIAS_PREFIX, number, element);
}

void fit_emit_passthrough(const struct fit_emitter *emitter)
{
	for (size_t i = 0; i < emitter->plan->port_count; i++)
		emit_port(emitter, i);
	for (size_t i = 0; i < emitter->plan->vf_count; i++)
		emit_vf(emitter, i);
	for (size_t i = 0; i < emitter->plan->device_count; i++)
		emit_device(emitter, i);
}
