/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view of a domain document. It is read from anything people keep as domain XML: definitions
 * that libvirt has normalised, files that it has never seen (no uuid, no units, no <vcpu>), live
 * dumps. Defaults are libvirt's. What libvirt itself would refuse to define is refused here too,
 * with the line, when we would have to guess otherwise.
 *
 * domain.c: the document, name, uuid, vCPU count; domain_cpu.c: <cpu>; domain_tune.c: memory,
 * threads and their pins; domain_devices.c: <devices> and QEMU's own command line; domain_pages.c:
 * the huge pages that all of it needs.
 */
#include "core/domain.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/domain_parts.h"
#include "core/record.h"
#include "core/xml.h"

/* The threads of the widest cores (POWER SMT8): an iothread pinned to no more may have a core of
 * its own. */
#define CORE_THREADS_MAX 8

int fit_domain_fail(
	const struct fit_domain_reader *reader, const xmlNode *node, const char *format, ...)
{
	fit_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = fit_xvasprintf(format, args);
	va_end(args);
	return fit_err_set(reader->err, FIT_ERR_INVALID, "%s:%u: <%s>: %s", reader->name,
		fit_xml_line(node), (const char *)node->name, text);
}

int fit_domain_optional_uint(const struct fit_domain_reader *reader, const xmlNode *node,
	const char *attribute, uint64_t max, bool *ret_present, unsigned int *ret_value)
{
	fit_autofree char *text = fit_xml_attr(node, attribute);
	uint64_t value = 0;

	if (text && !fit_parse_uint(fit_trim(text), max, &value))
		return fit_domain_fail(reader, node, "%s='%s' is no number from 0 to %llu",
			attribute, text, (unsigned long long)max);
	*ret_present = text != NULL;
	*ret_value = (unsigned int)value;
	return 0;
}

int fit_domain_uint(const struct fit_domain_reader *reader, const xmlNode *node,
	const char *attribute, uint64_t max, unsigned int *ret_value)
{
	unsigned int value;
	bool present;

	if (fit_domain_optional_uint(reader, node, attribute, max, &present, &value) < 0)
		return -1;
	if (!present)
		return fit_domain_fail(reader, node, "needs the attribute '%s'", attribute);
	*ret_value = value;
	return 0;
}

static int read_list(const struct fit_domain_reader *reader, const xmlNode *node,
	const char *attribute, bool of_iothreads, struct fit_iothread_ids *set)
{
	fit_autofree char *text = fit_xml_attr(node, attribute);
	struct fit_err err = FIT_ERR_INIT;
	int parsed;

	if (!text)
		return fit_domain_fail(reader, node, "needs the attribute '%s'", attribute);
	parsed = of_iothreads ? fit_iothread_ids_parse(text, set, &err)
			      : fit_cpuset_parse_list(text, &set->parts[0], &err);
	if (parsed < 0)
		return fit_domain_fail(reader, node, "%s: %s", attribute, err.message);
	if (fit_iothread_ids_next(set, 0) < 0)
		return fit_domain_fail(reader, node, "%s='%s' is an empty set", attribute, text);
	return 0;
}

int fit_domain_cpus(const struct fit_domain_reader *reader, const xmlNode *node,
	const char *attribute, struct fit_cpuset *ret_set)
{
	struct fit_iothread_ids set = {0};

	if (read_list(reader, node, attribute, false, &set) < 0)
		return -1;
	*ret_set = set.parts[0];
	return 0;
}

int fit_domain_iothread_ids(const struct fit_domain_reader *reader, const xmlNode *node,
	const char *attribute, struct fit_iothread_ids *ret_set)
{
	return read_list(reader, node, attribute, true, ret_set);
}

bool fit_domain_has_attr(const xmlNode *node, const char *attribute)
{
	fit_autofree char *text = fit_xml_attr(node, attribute);

	return text;
}

bool fit_domain_attr_is(const xmlNode *node, const char *attribute, const char *value)
{
	fit_autofree char *text = fit_xml_attr(node, attribute);

	return fit_streq(text, value);
}

char *fit_domain_attr_or(const xmlNode *node, const char *attribute, const char *fallback)
{
	char *text = fit_xml_attr(node, attribute);

	return text ? text : fit_xstrdup(fallback);
}

bool fit_uuid_is_valid(const char *text)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	if (strlen(text) != sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < sizeof(form) - 1; i++) {
		bool is_hex = text[i] && strchr("0123456789abcdefABCDEF", text[i]);

		if (form[i] == 'x' ? !is_hex : text[i] != '-')
			return false;
	}
	return true;
}

/* libvirt reads 32 hexadecimal digits with dashes anywhere, or none. */
static int read_uuid(const struct fit_domain_reader *reader, const xmlNode *root)
{
	const xmlNode *node = fit_xml_child(root, "uuid");
	fit_autofree char *text = fit_xml_text(node);
	char uuid[37] = "";
	size_t used = 0;

	if (!text || !*text)
		return 0;
	for (const char *p = text; *p; p++) {
		if (*p == '-')
			continue;
		if (used == 36)
			return fit_domain_fail(reader, node, "'%s' is no UUID", text);
		uuid[used++] = *p >= 'A' && *p <= 'F' ? (char)(*p + 'a' - 'A') : *p;
		if (used == 8 || used == 13 || used == 18 || used == 23)
			uuid[used++] = '-';
	}
	if (!fit_uuid_is_valid(uuid))
		return fit_domain_fail(reader, node, "'%s' is no UUID", text);
	reader->domain->uuid = fit_xstrdup(uuid);
	return 0;
}

static int read_general(const struct fit_domain_reader *reader, const xmlNode *root)
{
	struct fit_domain *domain = reader->domain;
	const xmlNode *type = fit_xml_find(root, "os/type");

	domain->name = fit_xml_text(fit_xml_child(root, "name"));
	if (!domain->name || !*domain->name)
		return fit_domain_fail(reader, root, "the domain has no <name>");
	domain->type = fit_domain_attr_or(root, "type", "");
	domain->arch = fit_domain_attr_or(type, "arch", "");
	domain->machine = fit_domain_attr_or(type, "machine", "");
	return read_uuid(reader, root);
}

/* Where <vcpus> is there, it alone says how many are on; libvirt recomputes current=. */
static int count_enabled_vcpus(const struct fit_domain_reader *reader, const xmlNode *vcpus)
{
	unsigned int enabled = 0;

	fit_xml_for_each (vcpu, vcpus, "vcpu") {
		if (fit_domain_attr_is(vcpu, "enabled", "yes"))
			enabled++;
	}
	if (enabled == 0 || enabled > reader->domain->vcpus)
		return fit_domain_fail(reader, vcpus, "%u of %u vCPUs are enabled", enabled,
			reader->domain->vcpus);
	reader->domain->vcpus_current = enabled;
	return 0;
}

static int read_vcpus(const struct fit_domain_reader *reader, const xmlNode *root)
{
	struct fit_domain *domain = reader->domain;
	const xmlNode *node = fit_xml_child(root, "vcpu");
	const xmlNode *vcpus = fit_xml_child(root, "vcpus");
	fit_autofree char *text = fit_xml_text(node);
	uint64_t count = 1; /* libvirt's default */
	bool has_current = false;

	if (text && *text && (!fit_parse_uint(text, FIT_DOMAIN_VCPUS_MAX, &count) || count == 0))
		return fit_domain_fail(reader, node, "'%s' is no number of vCPUs from 1 to %d",
			text, FIT_DOMAIN_VCPUS_MAX);
	domain->vcpus = (unsigned int)count;
	domain->vcpus_current = domain->vcpus;
	if (node) {
		unsigned int current;

		if (fit_domain_optional_uint(
			    reader, node, "current", domain->vcpus, &has_current, &current) < 0)
			return -1;
		if (has_current && current == 0)
			return fit_domain_fail(reader, node, "current='0': no vCPU is on");
		if (has_current)
			domain->vcpus_current = current;
		domain->vcpu_placement_auto = fit_domain_attr_is(node, "placement", "auto");
		domain->has_vcpu_cpuset = fit_domain_has_attr(node, "cpuset");
		if (domain->has_vcpu_cpuset &&
			fit_domain_cpus(reader, node, "cpuset", &domain->vcpu_cpuset) < 0)
			return -1;
	}
	return vcpus ? count_enabled_vcpus(reader, vcpus) : 0;
}

int fit_domain_check(xmlDoc *doc, const char *name, struct fit_err *err)
{
	const xmlNode *root = xmlDocGetRootElement(doc);

	if (root && fit_xml_is(root, "domain"))
		return 0;
	if (root && fit_xml_is(root, "domstatus"))
		return fit_err_set(err, FIT_ERR_INVALID,
			"%s:%u: this is libvirt's own status file (<domstatus>), not a domain "
			"definition: take the output of 'virsh dumpxml --inactive'",
			name, fit_xml_line(root));
	return fit_err_set(err, FIT_ERR_INVALID, "%s:%u: <domain> expected, found <%s>", name,
		root ? fit_xml_line(root) : 0, root ? (const char *)root->name : "");
}

int fit_domain_read(
	xmlDoc *doc, const char *name, struct fit_domain *ret_domain, struct fit_err *err)
{
	const xmlNode *root = xmlDocGetRootElement(doc);
	struct fit_domain domain = {0};
	struct fit_domain_reader reader = {.name = name, .domain = &domain, .err = err};

	if (fit_domain_check(doc, name, err) < 0)
		return -1;
	if (read_general(&reader, root) < 0 || read_vcpus(&reader, root) < 0 ||
		fit_domain_read_cpu(&reader, root) < 0 ||
		fit_domain_read_memory(&reader, root) < 0 ||
		fit_domain_read_threads(&reader, root) < 0 ||
		fit_domain_read_devices(&reader, root) < 0) {
		fit_domain_clear(&domain);
		return -1;
	}
	domain.floating_vcpus = fit_record_floating(doc);
	*ret_domain = domain;
	return 0;
}

void fit_domain_clear(struct fit_domain *domain)
{
	for (size_t i = 0; i < domain->disk_count; i++) {
		free(domain->disks[i].target);
		free(domain->disks[i].type);
		free(domain->disks[i].bus);
		free(domain->disks[i].device);
		free(domain->disks[i].cache);
		free(domain->disks[i].io);
		free(domain->disks[i].file);
	}
	for (size_t i = 0; i < domain->controller_count; i++) {
		free(domain->controllers[i].type);
		free(domain->controllers[i].model);
		free(domain->controllers[i].alias);
	}
	for (size_t i = 0; i < domain->interface_count; i++) {
		free(domain->interfaces[i].type);
		free(domain->interfaces[i].mac);
		free(domain->interfaces[i].model);
		free(domain->interfaces[i].network);
		free(domain->interfaces[i].alias);
	}
	free(domain->interfaces);
	free(domain->pci_slots);
	for (size_t i = 0; i < domain->hostdev_count; i++)
		free(domain->hostdevs[i].alias);
	free(domain->disks);
	free(domain->controllers);
	free(domain->hostdevs);
	free(domain->name);
	free(domain->uuid);
	free(domain->type);
	free(domain->arch);
	free(domain->machine);
	free(domain->dump_core);
	free(domain->cpu_mode);
	free(domain->cells);
	free(domain->memory_devices);
	free(domain->vcpu_pins);
	free(domain->iothread_ids);
	free(domain->iothread_pins);
	free(domain->numatune_mode);
	free(domain->memory_source);
	fit_strlist_clear(&domain->vcpu_schedulers);
	fit_strlist_clear(&domain->iothread_schedulers);
	fit_strlist_clear(&domain->cache_tunes);
	fit_strlist_clear(&domain->memory_tunes);
	fit_strlist_clear(&domain->qemu_args);
	fit_strlist_clear(&domain->aliases_like_ours);
	*domain = (struct fit_domain){0};
}

struct fit_cpuset fit_domain_vcpu_cpus(const struct fit_domain *domain)
{
	struct fit_cpuset cpus = {0};

	for (size_t i = 0; i < domain->vcpu_pin_count; i++)
		fit_cpuset_unite(&cpus, &domain->vcpu_pins[i].cpus);
	if (domain->vcpu_pin_count < domain->vcpus)
		fit_cpuset_unite(&cpus, &domain->vcpu_cpuset);
	return cpus;
}

bool fit_domain_floats(const struct fit_domain *domain)
{
	struct fit_cpuset cpus = fit_domain_vcpu_cpus(domain);

	return fit_cpuset_count(&cpus) > domain->vcpus ||
	       (domain->vcpus && fit_cpuset_count(&domain->floating_vcpus) >= domain->vcpus);
}

bool fit_domain_has_memfd(const struct fit_domain *domain)
{
	return fit_streq(domain->memory_source, "memfd");
}

struct fit_cpuset fit_domain_memory_nodes(const struct fit_domain *domain)
{
	if (domain->has_memnodes)
		return domain->memnode_nodes;
	return domain->numatune_auto ? (struct fit_cpuset){0} : domain->numatune_nodes;
}

/* Where the emulator runs too is no core of the iothread's own. */
static bool iothread_owns(const struct fit_domain *domain, const struct fit_cpuset *cpus)
{
	return fit_cpuset_count(cpus) <= CORE_THREADS_MAX &&
	       !fit_cpuset_intersects(cpus, &domain->emulator_pin);
}

/* Neighbouring vCPUs with the same pin, from @first on. */
static size_t same_pins(const struct fit_domain *domain, size_t first)
{
	size_t next = first + 1;

	while (next < domain->vcpu_pin_count &&
		fit_cpuset_equal(&domain->vcpu_pins[next].cpus, &domain->vcpu_pins[first].cpus))
		next++;
	return next - first;
}

struct fit_cpuset fit_domain_held_cpus(const struct fit_domain *domain)
{
	struct fit_cpuset seen = {0}, several = {0}, held = {0};

	if (!fit_domain_floats(domain) && fit_cpuset_is_empty(&domain->floating_vcpus))
		return fit_domain_vcpu_cpus(domain);
	if (domain->vcpu_pin_count < domain->vcpus)
		seen = domain->vcpu_cpuset;
	if (domain->vcpu_pin_count < domain->vcpus && !domain->has_vcpu_cpuset)
		return held;
	for (size_t i = 0; i < domain->vcpu_pin_count; i += same_pins(domain, i)) {
		struct fit_cpuset both = domain->vcpu_pins[i].cpus;

		fit_cpuset_intersect(&both, &seen);
		fit_cpuset_unite(&several, &both);
		fit_cpuset_unite(&seen, &domain->vcpu_pins[i].cpus);
	}
	for (size_t i = 0; i < domain->vcpu_pin_count; i += same_pins(domain, i)) {
		const struct fit_cpuset *cpus = &domain->vcpu_pins[i].cpus;

		if (fit_cpuset_count(cpus) <= same_pins(domain, i) &&
			!fit_cpuset_contains(&domain->floating_vcpus, domain->vcpu_pins[i].id) &&
			!fit_cpuset_intersects(cpus, &several))
			fit_cpuset_unite(&held, cpus);
	}
	return held;
}

void fit_domain_add_own_iothreads(const struct fit_domain *domain, struct fit_cpuset *cpus)
{
	for (size_t i = 0; i < domain->iothread_pin_count; i++)
		if (iothread_owns(domain, &domain->iothread_pins[i].cpus))
			fit_cpuset_unite(cpus, &domain->iothread_pins[i].cpus);
}

struct fit_cpuset fit_domain_own_cpus(const struct fit_domain *domain)
{
	struct fit_cpuset cpus = fit_domain_held_cpus(domain);

	if (!fit_cpuset_is_empty(&cpus))
		fit_domain_add_own_iothreads(domain, &cpus);
	return cpus;
}
