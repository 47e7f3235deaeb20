/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Network interfaces that QEMU emulates: model, <driver>, vectors.
 *
 * Which setting means anything depends on what is behind the interface. Several queues need a tap
 * device, or a vhost-user process that offers as many: with type='user' the domain would not start.
 * A passed-through VF has a driver in the guest only.
 */
#include "core/emit_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "core/contain.h"
#include "core/layout.h"
#include "core/xml.h"

#define TOPIC "interfaces"

enum backend {
	TAP = 1 << 0, /* the kernel's, served by vhost */
	VHOST_USER = 1 << 1,
	VDPA = 1 << 2,
	OTHER = 1 << 3, /* user, udp, … : QEMU copies each packet */
	VF = 1 << 4,
};

struct interface {
	xmlNode *node;
	char *name;    /* for people */
	char *path;    /* core/edit.h */
	size_t number; /* from 1 */
	enum backend backend;
	bool virtio; /* it is one, or will be */
};

static void interface_clear(struct interface *interface)
{
	free(interface->name);
	free(interface->path);
}

static enum backend backend_of(const xmlNode *node)
{
	static const char *const taps[] = {"network", "bridge", "ethernet", "direct"};
	fit_autofree char *type = fit_xml_attr(node, "type");

	for (size_t i = 0; i < FIT_ARRAY_SIZE(taps); i++)
		if (fit_streq(type, taps[i]))
			return TAP;
	if (fit_streq(type, "hostdev"))
		return VF;
	if (fit_streq(type, "vhostuser"))
		return VHOST_USER;
	return fit_streq(type, "vdpa") ? VDPA : OTHER;
}

/* By its MAC address; where another one has the same, as the two of a team, or libvirt has not
 * given it one yet, by its number. */
static char *path_of(const xmlNode *node, size_t number)
{
	fit_autofree char *mac = fit_xml_attr(fit_xml_child(node, "mac"), "address");
	bool alone = mac && !strchr(mac, '\'');

	fit_xml_for_each (other, node->parent, "interface")
		alone = alone && (other == node || !fit_attribute_is(fit_xml_child(other, "mac"),
							   "address", mac));
	if (alone)
		return fit_xasprintf("devices/interface[mac/@address='%s']", mac);
	return fit_xasprintf("devices/interface[%zu]", number);
}

/* Libvirt's default model differs, and is written down only when the domain is defined. */
static bool is_virtio(const struct fit_emitter *emitter, const xmlNode *node)
{
	fit_autofree char *model = fit_xml_attr(fit_xml_child(node, "model"), "type");

	if (!model)
		return fit_machine_of(emitter->domain) &
		       (FIT_MACHINE_ARM | FIT_MACHINE_S390 | FIT_MACHINE_RISCV);
	return fit_starts_with(model, "virtio");
}

static struct interface read_interface(const struct fit_emitter *emitter, xmlNode *node)
{
	fit_autofree char *mac = fit_xml_attr(fit_xml_child(node, "mac"), "address");
	fit_autofree char *type = fit_xml_attr(node, "type");
	size_t number = (size_t)fit_layout_rank(node) + 1;

	return (struct interface){
		.node = node,
		.name = fit_xasprintf("interface %s", mac    ? mac
						      : type ? type
							     : "?"),
		.path = path_of(node, number),
		.number = number,
		.backend = backend_of(node),
		.virtio = is_virtio(emitter, node),
	};
}

static int emit(const struct fit_emitter *emitter, const struct interface *interface,
	const char *name, const char *place, const char *value, enum fit_feature feature)
{
	fit_autofree char *what = fit_xasprintf("%s of %s", name, interface->name);
	fit_autofree char *path = fit_xasprintf("%s/%s", interface->path, place);

	if (!value)
		return 0;
	return fit_emit_setting(emitter, &emitter->profile->interfaces.intent,
		&(struct fit_setting){.topic = TOPIC,
			.what = what,
			.path = path,
			.value = value,
			.feature = feature});
}

static int emit_model(const struct fit_emitter *emitter, struct interface *interface)
{
	const char *model = emitter->profile->interfaces.model;
	int decision = 0;

	if (model && !interface->virtio)
		decision = emit(emitter, interface, "the model", "model/@type", model,
			FIT_FEATURE_ANYWHERE);
	interface->virtio |= decision > 0;
	return decision;
}

/* How many queues the profile wants for it; 0: leave. A vhost-user process offers a number of
 * queues that is not known here, and more than that would keep the domain from starting. */
static unsigned int wanted_queues(
	const struct fit_emitter *emitter, const struct interface *interface)
{
	const struct fit_intent_interfaces *wanted = &emitter->profile->interfaces;
	enum backend able = wanted->queues == FIT_AUTO ? TAP : TAP | VHOST_USER;
	unsigned int queues = 0;

	if (interface->backend & able)
		queues = fit_emit_queues(emitter, wanted->queues, wanted->queues_max);
	return queues > 1 ? queues : 0;
}

/* Only these two have larger rings; elsewhere QEMU silently makes it 256. */
static const char *tx_queue_size(
	const struct fit_emitter *emitter, const struct interface *interface)
{
	const char *size = emitter->profile->interfaces.tx_queue_size;

	if (!size || fit_streq(size, "256") || interface->backend & (VHOST_USER | VDPA))
		return size;
	fit_plan_reason(emitter->plan, FIT_REASON_NOTE, TOPIC,
		"tx_queue_size of %s is left out: only vhost-user and vDPA have more than 256",
		interface->name);
	return NULL;
}

/* The alias that a partner of a VF gets; NULL: it is none. */
static const char *standby_alias(
	const struct fit_emitter *emitter, const struct interface *interface)
{
	fit_autofree char *mac = fit_xml_attr(fit_xml_child(interface->node, "mac"), "address");

	for (size_t i = 0; mac && i < emitter->plan->standby_count; i++)
		if (fit_streq(emitter->plan->standbys[i].identity, mac))
			return emitter->plan->standbys[i].alias;
	return NULL;
}

/* Two for each queue, and one each for the configuration and the control queue. */
static int emit_vectors(const struct fit_emitter *emitter, const struct interface *interface)
{
	const struct fit_intent_interfaces *interfaces = &emitter->profile->interfaces;
	fit_autofree char *alias = fit_xasprintf("interface%zu", interface->number);

	return fit_emit_vectors(emitter, &(struct fit_vectors){
						 .intent = &interfaces->intent,
						 .topic = TOPIC,
						 .device = interface->name,
						 .path = interface->path,
						 .alias = alias,
						 .given = standby_alias(emitter, interface),
						 .wanted = interfaces->vectors,
						 .queues_unstated = 1,
						 .per_queue = 2,
						 .others = 2,
					 });
}

static int emit_virtio(const struct fit_emitter *emitter, const struct interface *interface)
{
	const struct fit_intent_interfaces *wanted = &emitter->profile->interfaces;
	unsigned int queues = wanted_queues(emitter, interface);
	fit_autofree char *text = queues ? fit_xasprintf("%u", queues) : NULL;
	const char *driver = interface->backend == TAP ? wanted->driver : NULL;
	const char *rx = interface->backend == OTHER ? NULL : wanted->rx_queue_size;

	if (emit(emitter, interface, "the driver", "driver/@name", driver, FIT_FEATURE_ANYWHERE) <
			0 ||
		emit(emitter, interface, "queues", "driver/@queues", text, FIT_FEATURE_ANYWHERE) <
			0 ||
		emit(emitter, interface, "rx_queue_size", "driver/@rx_queue_size", rx,
			FIT_FEATURE_ANYWHERE) < 0 ||
		emit(emitter, interface, "tx_queue_size", "driver/@tx_queue_size",
			tx_queue_size(emitter, interface), FIT_FEATURE_ANYWHERE) < 0 ||
		emit(emitter, interface, "packed", "driver/@packed", wanted->packed,
			FIT_FEATURE_PACKED) < 0)
		return -1;
	return emit_vectors(emitter, interface);
}

/* The definition's own settings of a VF that do nothing. name='vfio' is libvirt's from of old. */
static void note_meaningless(const struct fit_emitter *emitter, const struct interface *interface)
{
	const xmlNode *driver = fit_xml_child(interface->node, "driver");
	fit_autostrlist struct fit_strlist settings = {0};
	fit_autofree char *list = NULL;

	for (const xmlAttr *attr = driver ? driver->properties : NULL; attr; attr = attr->next)
		if (!xmlStrEqual(attr->name, (const xmlChar *)"name") &&
			!xmlStrEqual(attr->name, (const xmlChar *)"model") &&
			!xmlStrEqual(attr->name, (const xmlChar *)"iommufd"))
			fit_strlist_add(&settings, (const char *)attr->name);
	if (!settings.count)
		return;
	list = fit_strlist_join(&settings, ", ");
	fit_plan_reason(emitter->plan, FIT_REASON_NOTE, TOPIC,
		"<driver> of %s does nothing (%s): it is a passed-through VF, whose queues the "
		"guest's driver sets up",
		interface->name, list);
}

static int emit_interface(const struct fit_emitter *emitter, struct interface *interface)
{
	if (interface->backend == VF) {
		note_meaningless(emitter, interface);
		return 0;
	}
	if (emit_model(emitter, interface) < 0)
		return -1;
	return interface->virtio ? emit_virtio(emitter, interface) : 0;
}

int fit_emit_interfaces(const struct fit_emitter *emitter)
{
	const xmlNode *root = xmlDocGetRootElement(emitter->original);

	if (!emitter->profile->interfaces.intent.set)
		return 0;
	fit_xml_for_each (node, fit_xml_child(root, "devices"), "interface") {
		struct interface interface = read_interface(emitter, node);
		int result = emit_interface(emitter, &interface);

		interface_clear(&interface);
		if (result < 0)
			return -1;
	}
	return 0;
}
