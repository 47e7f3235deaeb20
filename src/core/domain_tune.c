/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The domain view: memory and what backs it, iothreads, pins. */
#include "core/domain_parts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"

int fit_domain_read_size(
	const struct fit_domain_reader *reader, const xmlNode *node, uint64_t *ret_kib)
{
	fit_autofree char *number = fit_xml_text(node);
	fit_autofree char *unit = fit_xml_attr(node, "unit");

	if (!fit_parse_size_kib(number, unit, ret_kib))
		return fit_domain_fail(reader, node, "'%s%s%s' is no size", number, unit ? " " : "",
			unit ? unit : "");
	return 0;
}

/* libvirt replaces <memory> by the sum of the cells. */
static int read_amounts(const struct fit_domain_reader *reader, const xmlNode *root)
{
	struct fit_domain *domain = reader->domain;
	const xmlNode *memory = fit_xml_child(root, "memory");
	const xmlNode *current = fit_xml_child(root, "currentMemory");
	uint64_t sum = 0;

	if (memory && fit_domain_read_size(reader, memory, &domain->memory_kib) < 0)
		return -1;
	if (current && fit_domain_read_size(reader, current, &domain->current_memory_kib) < 0)
		return -1;
	domain->dump_core = fit_xml_attr(memory, "dumpCore");
	for (size_t i = 0; i < domain->cell_count; i++)
		if (__builtin_add_overflow(sum, domain->cells[i].memory_kib, &sum))
			return fit_domain_fail(
				reader, root, "the memory of the NUMA cells is no size");
	if (domain->cell_count)
		domain->memory_kib = sum;
	if (domain->memory_kib == 0)
		return fit_domain_fail(
			reader, memory ? memory : root, "the domain has no memory (<memory>)");
	return 0;
}

/* Guest cells without a mode of their own are strict. */
static int read_memnode(const struct fit_domain_reader *reader, const xmlNode *node)
{
	struct fit_domain *domain = reader->domain;
	fit_autofree char *mode = fit_domain_attr_or(node, "mode", "strict");
	struct fit_domain_cell *cell;
	struct fit_cpuset nodes;
	unsigned int id;

	if (fit_domain_cpus(reader, node, "nodeset", &nodes) < 0 ||
		fit_domain_uint(reader, node, "cellid", UINT32_MAX, &id) < 0)
		return -1;
	fit_cpuset_unite(&domain->memnode_nodes, &nodes);
	domain->has_memnodes = true;
	if (id >= domain->cell_count)
		return fit_domain_fail(reader, node, "the guest has no NUMA cell %u", id);
	cell = &domain->cells[id];
	cell->has_memnode = true;
	cell->nodes = nodes;
	cell->binds = fit_numatune_mode_binds(mode);
	return 0;
}

static int read_numatune(const struct fit_domain_reader *reader, const xmlNode *numatune)
{
	struct fit_domain *domain = reader->domain;
	const xmlNode *memory = fit_xml_child(numatune, "memory");

	/* Libvirt drops one that is empty. */
	domain->has_numatune = memory || fit_xml_child(numatune, "memnode");
	fit_xml_for_each (memnode, numatune, "memnode")
		if (read_memnode(reader, memnode) < 0)
			return -1;
	if (!memory)
		return 0;
	domain->numatune_mode = fit_domain_attr_or(memory, "mode", "strict");
	domain->numatune_auto = fit_domain_attr_is(memory, "placement", "auto");
	if (!fit_domain_has_attr(memory, "nodeset"))
		return 0;
	return fit_domain_cpus(reader, memory, "nodeset", &domain->numatune_nodes);
}

/* The size @kib is for the cells that the page names, or for all that no page names. */
static int set_cell_pages(
	const struct fit_domain_reader *reader, const xmlNode *page, uint64_t kib, bool for_cells)
{
	struct fit_domain *domain = reader->domain;
	struct fit_cpuset cells = {0};

	if (for_cells && fit_domain_cpus(reader, page, "nodeset", &cells) < 0)
		return -1;
	for (size_t i = 0; i < domain->cell_count; i++) {
		struct fit_domain_cell *cell = &domain->cells[i];

		if (for_cells ? !fit_cpuset_contains(&cells, (unsigned int)i) : cell->has_hugepages)
			continue;
		cell->has_hugepages = true;
		cell->hugepage_kib = kib;
	}
	return 0;
}

/* At most one page size is for all cells, the others name theirs. */
static int read_pages(
	const struct fit_domain_reader *reader, const xmlNode *hugepages, bool for_cells)
{
	struct fit_domain *domain = reader->domain;

	fit_xml_for_each (page, hugepages, "page") {
		fit_autofree char *size = fit_xml_attr(page, "size");
		fit_autofree char *unit = fit_xml_attr(page, "unit");
		uint64_t kib;

		if (fit_domain_has_attr(page, "nodeset") != for_cells)
			continue;
		if (!size || !fit_parse_size_kib(size, unit, &kib) || kib == 0)
			return fit_domain_fail(reader, page, "size='%s' unit='%s' is no size",
				size ? size : "", unit ? unit : "");
		if (for_cells)
			domain->has_hugepage_nodesets = true;
		if (!for_cells || domain->hugepage_kib == 0)
			domain->hugepage_kib = kib;
		if (set_cell_pages(reader, page, kib, for_cells) < 0)
			return -1;
	}
	return 0;
}

static int read_hugepages(const struct fit_domain_reader *reader, const xmlNode *hugepages)
{
	struct fit_domain *domain = reader->domain;

	domain->has_hugepages = hugepages;
	if (read_pages(reader, hugepages, true) < 0 || read_pages(reader, hugepages, false) < 0)
		return -1;
	if (hugepages && !fit_xml_child(hugepages, "page"))
		return set_cell_pages(reader, hugepages, 0, false);
	return 0;
}

int fit_domain_read_memory(const struct fit_domain_reader *reader, const xmlNode *root)
{
	const xmlNode *backing = fit_xml_child(root, "memoryBacking");

	reader->domain->has_locked = fit_xml_child(backing, "locked");
	reader->domain->memory_source = fit_xml_attr(fit_xml_child(backing, "source"), "type");
	reader->domain->backing_excludes_hugepages =
		fit_streq(reader->domain->memory_source, "anonymous") ||
		fit_domain_attr_is(fit_xml_child(backing, "allocation"), "mode", "ondemand");
	if (read_amounts(reader, root) < 0 ||
		read_numatune(reader, fit_xml_child(root, "numatune")) < 0)
		return -1;
	return read_hugepages(reader, fit_xml_child(backing, "hugepages"));
}

static bool has_id(const struct fit_domain *domain, unsigned int id)
{
	for (size_t i = 0; i < domain->iothread_count; i++)
		if (domain->iothread_ids[i] == id)
			return true;
	return false;
}

static int compare_ids(const void *a, const void *b)
{
	unsigned int left = *(const unsigned int *)a;
	unsigned int right = *(const unsigned int *)b;

	return (left > right) - (left < right);
}

/* The ids given, then the lowest free ones up to the count; more ids than the count raise it. */
static int read_iothreads(const struct fit_domain_reader *reader, const xmlNode *root)
{
	struct fit_domain *domain = reader->domain;
	const xmlNode *node = fit_xml_child(root, "iothreads");
	const xmlNode *ids = fit_xml_child(root, "iothreadids");
	fit_autofree char *text = node ? fit_xml_text(node) : NULL;
	uint64_t count = 0;

	if (text && !fit_parse_uint(text, FIT_DOMAIN_VCPUS_MAX, &count))
		return fit_domain_fail(reader, node, "'%s' is no number of iothreads", text);
	domain->has_iothread_ids = fit_xml_child(ids, "iothread");
	fit_xml_for_each (iothread, ids, "iothread") {
		unsigned int id;

		if (fit_domain_uint(reader, iothread, "id", UINT32_MAX, &id) < 0)
			return -1;
		if (id == 0 || has_id(domain, id))
			return fit_domain_fail(reader, iothread, "id='%u' is 0 or there twice", id);
		if (domain->iothread_count == FIT_DOMAIN_VCPUS_MAX)
			return fit_domain_fail(reader, iothread, "too many iothreads");
		*FIT_APPEND(domain->iothread_ids, domain->iothread_count) = id;
	}
	for (unsigned int id = 1; domain->iothread_count < count; id++)
		if (!has_id(domain, id))
			*FIT_APPEND(domain->iothread_ids, domain->iothread_count) = id;
	/* Libvirt drops a count of 0. */
	domain->has_iothreads = domain->iothread_count > 0;
	if (domain->has_iothreads)
		qsort(domain->iothread_ids, domain->iothread_count, sizeof(*domain->iothread_ids),
			compare_ids);
	return 0;
}

int fit_domain_read_iothreads(
	xmlDoc *doc, const char *name, struct fit_domain *ret_domain, struct fit_err *err)
{
	struct fit_domain domain = {0};
	const struct fit_domain_reader reader = {.name = name, .domain = &domain, .err = err};

	if (read_iothreads(&reader, xmlDocGetRootElement(doc)) < 0) {
		fit_domain_clear(&domain);
		return -1;
	}
	*ret_domain = domain;
	return 0;
}

/* Has one of the pins this id? Nearly all ids are small, and there may be thousands of pins. */
static bool is_pinned(
	const struct fit_thread_pin *pins, size_t count, unsigned int id, struct fit_cpuset *small)
{
	bool seen = id < FIT_CPUSET_MAX && fit_cpuset_contains(small, id);

	if (id < FIT_CPUSET_MAX)
		fit_cpuset_add(small, id);
	for (size_t i = 0; id >= FIT_CPUSET_MAX && i < count && !seen; i++)
		seen = pins[i].id == id;
	return seen;
}

/* Pins of one kind: <@element @attribute='ID' cpuset='…'/>. libvirt refuses two for one thread. */
static int read_pins(const struct fit_domain_reader *reader, const xmlNode *cputune,
	const char *element, const char *attribute, struct fit_thread_pin **pins, size_t *count)
{
	struct fit_cpuset small_ids = {0};

	fit_xml_for_each (node, cputune, element) {
		struct fit_thread_pin pin;

		if (fit_domain_uint(reader, node, attribute, UINT32_MAX, &pin.id) < 0 ||
			fit_domain_cpus(reader, node, "cpuset", &pin.cpus) < 0)
			return -1;
		if (is_pinned(*pins, *count, pin.id, &small_ids))
			return fit_domain_fail(
				reader, node, "%s %u is pinned twice", attribute, pin.id);
		*FIT_APPEND(*pins, *count) = pin;
	}
	return 0;
}

/* Lists are told apart by what is written, which must be a list to stand in a path. */
static int read_lists(const struct fit_domain_reader *reader, const xmlNode *cputune,
	const char *element, struct fit_strlist *lists)
{
	fit_xml_for_each (node, cputune, element) {
		fit_autofree char *text = NULL;
		struct fit_cpuset vcpus;

		if (fit_domain_cpus(reader, node, "vcpus", &vcpus) < 0)
			return -1;
		text = fit_xml_attr(node, "vcpus");
		fit_strlist_add(lists, text);
	}
	return 0;
}

static int read_iothread_lists(
	const struct fit_domain_reader *reader, const xmlNode *cputune, struct fit_strlist *lists)
{
	fit_xml_for_each (node, cputune, "iothreadsched") {
		fit_autofree char *text = NULL;
		struct fit_iothread_ids iothreads;

		if (fit_domain_iothread_ids(reader, node, "iothreads", &iothreads) < 0)
			return -1;
		text = fit_xml_attr(node, "iothreads");
		fit_strlist_add(lists, text);
	}
	return 0;
}

/* The element of @parent that is for some of @vcpus, but not for the same; NULL: there is none. */
static const xmlNode *find_overlap(const struct fit_domain_reader *reader, const xmlNode *parent,
	const char *element, const struct fit_cpuset *vcpus, const xmlNode *end)
{
	fit_xml_for_each (node, parent, element) {
		struct fit_cpuset others;

		if (node == end)
			break;
		if (fit_domain_cpus(reader, node, "vcpus", &others) == 0 &&
			fit_cpuset_intersects(vcpus, &others) && !fit_cpuset_equal(vcpus, &others))
			return node;
	}
	return NULL;
}

/* Each vCPU is in one group of the kernel's, which both kinds of elements share. What is beyond the
 * last vCPU libvirt does not look at. */
static int check_groups(const struct fit_domain_reader *reader, const xmlNode *cputune)
{
	static const char *const elements[] = {"cachetune", "memorytune"};
	struct fit_cpuset grouped = {0};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(elements); i++) {
		fit_xml_for_each (node, cputune, elements[i]) {
			const xmlNode *other = NULL;
			struct fit_cpuset vcpus;

			if (fit_domain_cpus(reader, node, "vcpus", &vcpus) < 0)
				return -1;
			if (fit_cpuset_intersects(&vcpus, &grouped))
				for (size_t j = 0; j <= i && !other; j++)
					other = find_overlap(
						reader, cputune, elements[j], &vcpus, node);
			if (other) {
				fit_autofree char *list = fit_xml_attr(node, "vcpus");
				fit_autofree char *others = fit_xml_attr(other, "vcpus");

				return fit_domain_fail(reader, node,
					"vcpus='%s' overlaps with <%s vcpus='%s'>, which libvirt "
					"refuses: make them the same, or apart",
					list, (const char *)other->name, others);
			}
			fit_cpuset_unite(&grouped, &vcpus);
		}
	}
	return 0;
}

/* libvirt drops the pins of vCPUs that the domain does not have. */
static void drop_excess_vcpu_pins(struct fit_domain *domain)
{
	size_t kept = 0;

	for (size_t i = 0; i < domain->vcpu_pin_count; i++)
		if (domain->vcpu_pins[i].id < domain->vcpus)
			domain->vcpu_pins[kept++] = domain->vcpu_pins[i];
	domain->vcpu_pin_count = kept;
}

int fit_domain_read_threads(const struct fit_domain_reader *reader, const xmlNode *root)
{
	struct fit_domain *domain = reader->domain;
	const xmlNode *cputune = fit_xml_child(root, "cputune");
	const xmlNode *emulator = fit_xml_child(cputune, "emulatorpin");

	if (read_iothreads(reader, root) < 0 ||
		read_pins(reader, cputune, "vcpupin", "vcpu", &domain->vcpu_pins,
			&domain->vcpu_pin_count) < 0 ||
		read_pins(reader, cputune, "iothreadpin", "iothread", &domain->iothread_pins,
			&domain->iothread_pin_count) < 0 ||
		read_lists(reader, cputune, "vcpusched", &domain->vcpu_schedulers) < 0 ||
		read_iothread_lists(reader, cputune, &domain->iothread_schedulers) < 0 ||
		read_lists(reader, cputune, "cachetune", &domain->cache_tunes) < 0 ||
		read_lists(reader, cputune, "memorytune", &domain->memory_tunes) < 0 ||
		check_groups(reader, cputune) < 0)
		return -1;
	drop_excess_vcpu_pins(domain);
	domain->has_emulator_pin = emulator;
	if (emulator && fit_xml_next(emulator, "emulatorpin"))
		return fit_domain_fail(reader, fit_xml_next(emulator, "emulatorpin"),
			"the emulator is pinned twice");
	return emulator ? fit_domain_cpus(reader, emulator, "cpuset", &domain->emulator_pin) : 0;
}
