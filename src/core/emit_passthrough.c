/* SPDX-License-Identifier: GPL-2.0-or-later */
/* VFs and whole devices are added, and the buses and root ports that they are behind. */
#include "core/emit_parts.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/alias.h"
#include "core/xml.h"

/* The name of a device of ours, to be freed. */
static char *name_device(const struct fit_emitter *emitter, const char *kind, size_t number)
{
	fit_autofree char *usual = fit_xasprintf(FIT_ALIAS_PREFIX "%s%zu", kind, number);
	char *alias = fit_alias_make(emitter->domain, "%s%zu", kind, number);

	if (!fit_streq(alias, usual))
		fit_plan_reason(emitter->plan, FIT_REASON_NOTE, "devices",
			"the definition's own device with the alias %s stays as it is, ours is %s: "
			"remove it if it is left from an earlier fitting",
			usual, alias);
	return alias;
}

static void emit_expander(const struct fit_emitter *emitter, size_t number)
{
	const struct fit_planned_expander *expander = &emitter->plan->expanders[number];
	fit_autofree char *alias = name_device(emitter, "pxb", expander->cell);
	fit_autofree char *path = fit_xasprintf("devices/controller[alias/@name='%s']", alias);

	fit_edits_setf(emitter->edits, path,
		"<controller type='pci' index='%u' model='pcie-expander-bus'><target "
		"busNr='%u'><node>%u</node></target><alias name='%s'/><address type='pci' "
		"domain='0x0000' bus='0x00' slot='0x%02x' function='0x0'/></controller>",
		expander->index, expander->bus_number, expander->cell, alias, expander->slot);
}

static void emit_port(const struct fit_emitter *emitter, size_t number)
{
	const struct fit_planned_port *port = &emitter->plan->ports[number];
	fit_autofree char *alias = name_device(emitter, "port", number);
	fit_autofree char *path = fit_xasprintf("devices/controller[alias/@name='%s']", alias);

	fit_edits_setf(emitter->edits, path,
		"<controller type='pci' index='%u' model='pcie-root-port'><alias "
		"name='%s'/><address type='pci' domain='0x0000' bus='0x%02x' "
		"slot='0x%02x' function='0x0'/></controller>",
		port->index, alias, port->bus, port->slot);
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
	fit_autofree char *alias = name_device(emitter, "dev", number);
	fit_autofree char *path = fit_xasprintf("devices/hostdev[alias/@name='%s']", alias);
	fit_autofree char *place = format_place(&device->place);
	fit_autofree char *rom =
		device->rom ? fit_xasprintf("<rom bar='%s'/>", device->rom) : fit_xstrdup("");

	fit_edits_setf(emitter->edits, path,
		"<hostdev mode='subsystem' type='pci' managed='yes'><source><address "
		"domain='0x%04x' bus='0x%02x' slot='0x%02x' function='0x%x'/></source><alias "
		"name='%s'/>%s%s</hostdev>",
		device->addr.domain, device->addr.bus, device->addr.slot, device->addr.function,
		alias, rom, place);
}

/* The NIC of the definition that is partner of a VF stays; it only gets a name and is told. */
static void emit_standby(const struct fit_emitter *emitter, size_t number)
{
	const struct fit_planned_standby *standby = &emitter->plan->standbys[number];
	fit_autofree char *nic = fit_xasprintf(
		"devices/interface[mac/@address='%s'][model/@type='virtio']", standby->identity);
	fit_autofree char *alias = fit_xasprintf("%s/alias", nic);
	fit_autofree char *teaming = fit_xasprintf("%s/teaming", nic);

	if (!standby->names_itself)
		fit_edits_setf(emitter->edits, alias, "<alias name='%s'/>", standby->alias);
	fit_edits_set(emitter->edits, teaming, "<teaming type='persistent'/>");
}

static char *format_source(const struct fit_planned_vf *vf)
{
	fit_autofree char *name = NULL;

	if (!vf->network)
		return fit_xasprintf("<source><address%s domain='0x%04x' bus='0x%02x' "
				     "slot='0x%02x' function='0x%x'/></source>",
			vf->is_interface ? " type='pci'" : "", vf->vf.domain, vf->vf.bus,
			vf->vf.slot, vf->vf.function);
	name = fit_xml_escape(vf->network);
	return fit_xasprintf("<source network=\"%s\"/>", name);
}

/* A network's VF has a model only so that libvirt gives it a place for a PCI Express device. */
static char *format_settings(const struct fit_planned_vf *vf)
{
	struct fit_buffer text = {0};

	if (vf->vlan && vf->is_interface)
		fit_buffer_addf(&text, "<vlan><tag id='%u'/></vlan>", vf->vlan);
	if (vf->network)
		fit_buffer_add(&text, "<model type='virtio'/>");
	if (vf->standby)
		fit_buffer_addf(&text, "<teaming type='transient' persistent='%s'/>", vf->standby);
	return fit_buffer_steal(&text);
}

static void emit_vf(const struct fit_emitter *emitter, size_t number)
{
	const struct fit_planned_vf *vf = &emitter->plan->vfs[number];
	const char *element = vf->is_interface ? "interface" : "hostdev";
	fit_autofree char *alias = name_device(emitter, "vf", number);
	fit_autofree char *path = fit_xasprintf("devices/%s[alias/@name='%s']", element, alias);
	fit_autofree char *mac = vf->mac && vf->is_interface
					 ? fit_xasprintf("<mac address='%s'/>", vf->mac)
					 : fit_xstrdup("");
	fit_autofree char *source = format_source(vf);
	fit_autofree char *settings = format_settings(vf);
	fit_autofree char *place = format_place(&vf->place);

	fit_edits_setf(emitter->edits, path, "<%s>%s%s%s<alias name='%s'/>%s</%s>",
		vf->network	   ? "interface type='network'"
		: vf->is_interface ? "interface type='hostdev' managed='yes'"
				   : "hostdev mode='subsystem' type='pci' managed='yes'",
		mac, source, settings, alias, place, element);
}

void fit_emit_passthrough(const struct fit_emitter *emitter)
{
	for (size_t i = 0; i < emitter->plan->expander_count; i++)
		emit_expander(emitter, i);
	for (size_t i = 0; i < emitter->plan->port_count; i++)
		emit_port(emitter, i);
	for (size_t i = 0; i < emitter->plan->standby_count; i++)
		emit_standby(emitter, i);
	for (size_t i = 0; i < emitter->plan->vf_count; i++)
		emit_vf(emitter, i);
	for (size_t i = 0; i < emitter->plan->device_count; i++)
		emit_device(emitter, i);
}
