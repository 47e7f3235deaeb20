/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/iothread_users.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/layout.h"
#include "core/xml.h"

static bool has_iothread(const struct fit_domain *domain, unsigned int id)
{
	for (size_t i = 0; i < domain->iothread_count; i++)
		if (domain->iothread_ids[i] == id)
			return true;
	return false;
}

static int check(const struct fit_domain *domain, const char *what, unsigned int id,
	const char *advice, struct fit_err *err)
{
	if (id == 0 || has_iothread(domain, id))
		return 0;
	return fit_err_set(err, FIT_ERR_INVALID,
		"%s: %s is for an iothread that the domain does not have: %s, or add the iothread",
		domain->name, what, advice);
}

static int check_devices(const struct fit_domain *domain, struct fit_err *err)
{
	for (size_t i = 0; i < domain->disk_count; i++) {
		const struct fit_domain_disk *disk = &domain->disks[i];
		fit_autofree char *what =
			fit_xasprintf("iothread='%u' of disk %s", disk->iothread, disk->target);

		if (check(domain, what, disk->iothread, "remove it", err) < 0)
			return -1;
	}
	for (size_t i = 0; i < domain->controller_count; i++) {
		const struct fit_domain_controller *controller = &domain->controllers[i];
		fit_autofree char *what = fit_xasprintf("iothread='%u' of %s controller %u",
			controller->iothread, controller->type, controller->index);

		if (check(domain, what, controller->iothread, "remove it", err) < 0)
			return -1;
	}
	return 0;
}

static int check_schedulers(const struct fit_domain *domain, struct fit_err *err)
{
	for (size_t i = 0; i < domain->iothread_schedulers.count; i++) {
		const char *list = domain->iothread_schedulers.items[i];
		fit_autofree char *what = fit_xasprintf("<iothreadsched iothreads='%s'>", list);
		struct fit_iothread_ids ids;

		if (fit_iothread_ids_parse(list, &ids, err) < 0)
			return -1;
		fit_iothread_ids_for_each (id, &ids)
			if (check(domain, what, (unsigned int)id, "remove it", err) < 0)
				return -1;
	}
	return 0;
}

int fit_iothread_users_check(const struct fit_domain *domain, struct fit_err *err)
{
	for (size_t i = 0; i < domain->iothread_pin_count; i++) {
		unsigned int id = domain->iothread_pins[i].id;
		fit_autofree char *what = fit_xasprintf("<iothreadpin iothread='%u'>", id);

		if (check(domain, what, id, "remove it", err) < 0)
			return -1;
	}
	return check_schedulers(domain, err) < 0 ? -1 : check_devices(domain, err);
}

struct drop {
	const struct fit_domain *had;
	struct fit_domain has;
	struct fit_strlist *notes;
};

static bool is_gone(const struct drop *drop, unsigned int id)
{
	return has_iothread(drop->had, id) && !has_iothread(&drop->has, id);
}

static bool any_is_gone(const struct drop *drop)
{
	for (size_t i = 0; i < drop->had->iothread_count; i++)
		if (!has_iothread(&drop->has, drop->had->iothread_ids[i]))
			return true;
	return false;
}

/* The iothread that an attribute names, if it is gone. */
static bool names_gone(
	const struct drop *drop, const xmlNode *node, const char *attribute, unsigned int *ret_id)
{
	fit_autofree char *text = fit_xml_attr(node, attribute);
	uint64_t id;

	if (!text || !fit_parse_uint(fit_trim(text), UINT32_MAX, &id) ||
		!is_gone(drop, (unsigned int)id))
		return false;
	*ret_id = (unsigned int)id;
	return true;
}

/* Undo has said that it is kept. */
static void take_note_back(struct fit_strlist *notes, const char *path)
{
	fit_autofree char *start = fit_xasprintf("%s was edited:", path);
	size_t kept = 0;

	for (size_t i = 0; i < notes->count; i++)
		if (fit_starts_with(notes->items[i], start))
			free(notes->items[i]);
		else
			notes->items[kept++] = notes->items[i];
	notes->count = kept;
}

static void note(struct drop *drop, const char *path, const xmlNode *node, unsigned int id)
{
	fit_autofree char *cpus = fit_xml_attr(node, "cpuset");
	fit_autofree char *value = cpus ? fit_xasprintf(" (cpuset='%s')", cpus) : fit_xstrdup("");

	take_note_back(drop->notes, path);
	fit_strlist_addf(drop->notes,
		"%s%s goes: iothread %u was of virt-fit, and is not there any more", path, value,
		id);
}

/* With the parents that are empty then. */
static void remove_node(xmlNode *node)
{
	xmlNode *parent = node->parent;

	fit_layout_drop(node);
	xmlFreeNode(node);
	if (fit_layout_is_hollow(parent) && !parent->properties)
		remove_node(parent);
}

static void drop_pins(struct drop *drop, xmlNode *cputune)
{
	xmlNode *next;
	unsigned int id;

	for (xmlNode *node = fit_xml_child(cputune, "iothreadpin"); node; node = next) {
		fit_autofree char *path = NULL;

		next = fit_xml_next(node, "iothreadpin");
		if (!names_gone(drop, node, "iothread", &id))
			continue;
		path = fit_xasprintf("cputune/iothreadpin[@iothread='%u']", id);
		note(drop, path, node, id);
		remove_node(node);
	}
}

/* Of a list those stay that are there. */
static void drop_schedulers(struct drop *drop, xmlNode *cputune)
{
	xmlNode *next;

	for (xmlNode *node = fit_xml_child(cputune, "iothreadsched"); node; node = next) {
		fit_autofree char *list = fit_xml_attr(node, "iothreads");
		fit_autofree char *path =
			fit_xasprintf("cputune/iothreadsched[@iothreads='%s']", list ? list : "");
		struct fit_iothread_ids ids;
		bool changed = false;

		next = fit_xml_next(node, "iothreadsched");
		if (!list || fit_iothread_ids_parse(list, &ids, NULL) < 0)
			continue;
		fit_iothread_ids_for_each (id, &ids) {
			if (!is_gone(drop, (unsigned int)id))
				continue;
			note(drop, path, NULL, (unsigned int)id);
			fit_iothread_ids_remove(&ids, (unsigned int)id);
			changed = true;
		}
		if (!changed)
			continue;
		free(list);
		list = fit_iothread_ids_format(&ids);
		if (*list)
			xmlSetNsProp(
				node, NULL, (const xmlChar *)"iothreads", (const xmlChar *)list);
		else
			remove_node(node);
	}
}

/* iothread= of <driver>, and its <iothreads>, the map of queues. */
static void drop_service(struct drop *drop, xmlNode *driver, const char *device)
{
	fit_autofree char *path = fit_xasprintf("%s/driver/@iothread", device);
	fit_autofree char *map = fit_xasprintf("%s/driver/iothreads", device);
	xmlNode *next;
	unsigned int id;

	if (names_gone(drop, driver, "iothread", &id)) {
		note(drop, path, NULL, id);
		xmlUnsetNsProp(driver, NULL, (const xmlChar *)"iothread");
	}
	for (xmlNode *node = fit_xml_find(driver, "iothreads/iothread"); node; node = next) {
		next = fit_xml_next(node, "iothread");
		if (!names_gone(drop, node, "id", &id))
			continue;
		note(drop, map, NULL, id);
		remove_node(node);
	}
}

static void drop_devices(struct drop *drop, xmlNode *devices)
{
	fit_xml_for_each (node, devices, "disk") {
		fit_autofree char *target = fit_xml_attr(fit_xml_child(node, "target"), "dev");
		fit_autofree char *path =
			fit_xasprintf("devices/disk[target/@dev='%s']", target ? target : "");

		drop_service(drop, fit_xml_child(node, "driver"), path);
	}
	fit_xml_for_each (node, devices, "controller") {
		fit_autofree char *type = fit_xml_attr(node, "type");
		fit_autofree char *index = fit_xml_attr(node, "index");
		fit_autofree char *path =
			fit_xasprintf("devices/controller[@type='%s'][@index='%s']",
				type ? type : "", index ? index : "");

		drop_service(drop, fit_xml_child(node, "driver"), path);
	}
}

void fit_iothread_users_drop(
	xmlDoc *doc, const char *name, const struct fit_domain *had, struct fit_strlist *notes)
{
	const xmlNode *root = xmlDocGetRootElement(doc);
	struct drop drop = {.had = had, .notes = notes};

	if (fit_domain_read_iothreads(doc, name, &drop.has, NULL) < 0)
		return;
	if (any_is_gone(&drop)) {
		drop_pins(&drop, fit_xml_child(root, "cputune"));
		drop_schedulers(&drop, fit_xml_child(root, "cputune"));
		drop_devices(&drop, fit_xml_child(root, "devices"));
	}
	fit_domain_clear(&drop.has);
}
