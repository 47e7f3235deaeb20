/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The domain view: <cpu> with topology and guest NUMA cells. */
#include "core/domain_parts.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"

/* What QEMU uses on x86 when no model is asked for, and libvirt therefore writes at define. */
static const char *const default_models[] = {"qemu32", "qemu64", "kvm32", "kvm64"};

static bool model_is_default(const xmlNode *cpu, const xmlNode *model)
{
	fit_autofree char *name = fit_xml_text(model);
	bool known = false;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(default_models); i++)
		known = known || fit_streq(name, default_models[i]);
	return known && fit_domain_attr_is(cpu, "match", "exact") &&
	       (fit_domain_attr_is(cpu, "check", "none") ||
		       fit_domain_attr_is(cpu, "check", "partial")) &&
	       fit_domain_attr_is(model, "fallback", "forbid");
}

/* Topology, cells and cache are settings of their own: they say nothing about the model. */
static bool cpu_is_default(const xmlNode *cpu)
{
	const xmlNode *model = fit_xml_child(cpu, "model");

	if (fit_xml_child(cpu, "feature") || fit_xml_child(cpu, "vendor"))
		return false;
	if (!model)
		return !fit_domain_has_attr(cpu, "mode");
	return model_is_default(cpu, model);
}

static int read_topology(const struct fit_domain_reader *reader, const xmlNode *node)
{
	struct fit_topology *topology = &reader->domain->topology;
	struct {
		const char *attribute;
		unsigned int *value;
		bool optional;
	} levels[] = {
		{"sockets", &topology->sockets, false},
		{"dies", &topology->dies, true},
		{"clusters", &topology->clusters, true},
		{"cores", &topology->cores, false},
		{"threads", &topology->threads, false},
	};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(levels); i++) {
		bool present;

		if (fit_domain_optional_uint(reader, node, levels[i].attribute,
			    FIT_DOMAIN_VCPUS_MAX, &present, levels[i].value) < 0)
			return -1;
		if (!present && levels[i].optional)
			*levels[i].value = 1;
		else if (*levels[i].value == 0)
			return fit_domain_fail(
				reader, node, "%s must be at least 1", levels[i].attribute);
	}
	reader->domain->has_topology = true;
	return 0;
}

/* libvirt numbers cells without an id in document order, and wants all of 0 to n - 1. */
static int read_cell(const struct fit_domain_reader *reader, const xmlNode *node, bool *seen)
{
	struct fit_domain *domain = reader->domain;
	fit_autofree char *memory = fit_xml_attr(node, "memory");
	fit_autofree char *unit = fit_xml_attr(node, "unit");
	struct fit_domain_cell cell = {0};
	unsigned int id;
	bool has_id;

	if (!memory || !fit_parse_size_kib(memory, unit, &cell.memory_kib))
		return fit_domain_fail(reader, node, "memory='%s' unit='%s' is no size",
			memory ? memory : "", unit ? unit : "");
	if (fit_domain_optional_uint(reader, node, "id", UINT32_MAX, &has_id, &id) < 0)
		return -1;
	for (size_t i = 0; !has_id && seen[i]; i++)
		id = (unsigned int)i + 1;
	if (id >= domain->cell_count || seen[id])
		return fit_domain_fail(reader, node,
			"id='%u' is there twice or higher than that of the last of %zu cells", id,
			domain->cell_count);
	if (fit_domain_has_attr(node, "cpus") &&
		fit_domain_cpus(reader, node, "cpus", &cell.vcpus) < 0)
		return -1;
	seen[id] = true;
	domain->cells[id] = cell;
	return 0;
}

static int read_cells(const struct fit_domain_reader *reader, const xmlNode *numa)
{
	struct fit_domain *domain = reader->domain;
	struct fit_cpuset named = {0};
	fit_autofree bool *seen = NULL;

	fit_xml_for_each (node, numa, "cell")
		domain->cell_count++;
	if (!domain->cell_count)
		return 0;
	seen = fit_xcalloc(domain->cell_count + 1, sizeof(*seen));
	domain->cells = fit_xcalloc(domain->cell_count, sizeof(*domain->cells));
	fit_xml_for_each (node, numa, "cell")
		if (read_cell(reader, node, seen) < 0)
			return -1;
	for (size_t i = 0; i < domain->cell_count; i++)
		fit_cpuset_unite(&named, &domain->cells[i].vcpus);
	for (unsigned int vcpu = 0; vcpu < domain->vcpus; vcpu++)
		if (!fit_cpuset_contains(&named, vcpu))
			fit_cpuset_add(&domain->cells[0].vcpus, vcpu);
	return 0;
}

char *fit_topology_describe(const struct fit_topology *topology)
{
	fit_autobuffer struct fit_buffer text = {0};
	const struct {
		const char *name;
		unsigned int count;
		bool always;
	} levels[] = {
		{"socket", topology->sockets, true},
		{"die", topology->dies, false},
		{"cluster", topology->clusters, false},
		{"core", topology->cores, true},
		{"thread", topology->threads, true},
	};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(levels); i++) {
		if (levels[i].always || levels[i].count > 1)
			fit_buffer_addf(&text, "%s%u %s%s", text.length ? ", " : "",
				levels[i].count, levels[i].name, fit_plural(levels[i].count));
	}
	return fit_buffer_steal(&text);
}

int fit_domain_read_cpu(const struct fit_domain_reader *reader, const xmlNode *root)
{
	struct fit_domain *domain = reader->domain;
	const xmlNode *cpu = fit_xml_child(root, "cpu");
	const xmlNode *topology = fit_xml_child(cpu, "topology");
	const xmlNode *cache = fit_xml_child(cpu, "cache");

	domain->cpu_is_default = true;
	if (!cpu)
		return 0;
	domain->cpu_is_default = cpu_is_default(cpu);
	domain->cpu_mode = fit_xml_attr(cpu, "mode");
	if (!domain->cpu_mode && fit_xml_child(cpu, "model"))
		domain->cpu_mode = fit_xstrdup("custom");
	domain->has_cpu_cache = cache;
	domain->cpu_cache_is_passthrough = fit_domain_attr_is(cache, "mode", "passthrough");
	fit_xml_for_each (feature, cpu, "feature") {
		if (fit_domain_attr_is(feature, "name", "topoext"))
			domain->has_topoext = true;
	}
	if (topology && read_topology(reader, topology) < 0)
		return -1;
	return read_cells(reader, fit_xml_child(cpu, "numa"));
}
