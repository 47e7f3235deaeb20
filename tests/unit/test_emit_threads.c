/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Edits for schedulers, shares, polling, maps of iothreads, guest cells and memory backing. */
#include "support.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "core/emit.h"
#include "core/fragment.h"
#include "core/target.h"
#include "core/xml.h"
#include "support_domain.h"
#include "support_emit.h"
#include "support_plan.h"

static char fifo[] = "fifo";
static char shared[] = "shared";
static char on[] = "on";
static char target[] = "vda";

/* From node 0 to node 1; 0: as fit_made_host() has it. */
static unsigned int distance;

/* What is emitted for @body as lines "path = value", then the notes; or the error. */
static char *emit(const char *body, const struct fit_plan *plan, const struct fit_profile *profile,
	const struct fit_target *fit_target)
{
	fit_autofree char *xml = fit_xasprintf(
		"<domain type='kvm'><name>vm</name><memory>1048576</memory>%s</domain>", body);
	fit_autodoc xmlDoc *original = fit_xml_parse(xml, strlen(xml), "vm", NULL);
	struct fit_domain domain = fit_test_domain(body);
	struct fit_host host = fit_made_host((struct fit_host_shape){2, 1, 4, 1});
	const struct fit_plan_input input = {
		.host = &host,
		.domain = &domain,
		.original = original,
		.target = fit_target,
		.profile = profile,
	};
	struct fit_plan emitted = *plan;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_edits edits = {0};
	struct fit_buffer text = {0};

	if (distance)
		host.nodes[0].distances[1] = distance;
	if (fit_emit(&emitted, &input, &edits, &err) < 0)
		fit_buffer_add(&text, err.message);
	fit_test_check_emitted(&emitted, &edits);
	for (size_t i = 0; i < edits.count; i++)
		fit_buffer_addf(&text, "%s = %s\n", edits.items[i].path,
			edits.items[i].value ? edits.items[i].value : "(removed)");
	for (size_t i = 0; i < emitted.reason_count; i++) {
		fit_buffer_addf(&text, "%s\n", emitted.reasons[i].text);
		free(emitted.reasons[i].text);
	}
	free(emitted.reasons);
	fit_edits_clear(&edits);
	fit_domain_clear(&domain);
	fit_host_clear(&host);
	return text.text ? fit_buffer_steal(&text) : fit_xstrdup("");
}

static void expect(const char *body, const struct fit_plan *plan, const struct fit_profile *profile,
	const struct fit_target *fit_target, const char *wanted)
{
	fit_autofree char *text = emit(body, plan, profile, fit_target);

	assert_string_equal(text, wanted);
}

static void each_vcpu_has_its_line_for_the_scheduler(void **state)
{
	struct fit_thread_pin vcpus[] = {{.id = 0}, {.id = 1}};
	const struct fit_plan plan = {.vcpus = vcpus,
		.vcpu_count = 2,
		.vcpus_kept = true,
		.vcpus_real_time = true,
		.emulator_real_time = true};
	struct fit_profile profile = {
		.vcpus = {.intent = {.set = true}, .scheduling = {fifo, 3}},
		.emulator = {.intent = {.set = true}, .scheduling = {fifo, 1}},
		.shares = {.intent = {.set = true}, .value = 200},
	};
	static const char own[] = "<vcpu>2</vcpu><cputune><shares>50</shares><vcpusched "
				  "vcpus='0-1' scheduler='rr' priority='1'/></cputune>";

	(void)state;
	expect("<vcpu>2</vcpu>", &plan, &profile, NULL,
		"cputune/vcpusched[@vcpus='0'] = <vcpusched vcpus='0' scheduler='fifo' "
		"priority='3'/>\n"
		"cputune/vcpusched[@vcpus='1'] = <vcpusched vcpus='1' scheduler='fifo' "
		"priority='3'/>\n"
		"cputune/emulatorsched = <emulatorsched scheduler='fifo' priority='1'/>\n"
		"cputune/shares/text() = 200\n");
	profile.emulator.intent.set = false;
	expect(own, &(struct fit_plan){.vcpus_real_time = true}, &profile, NULL, "");
	profile.vcpus.intent.existing = profile.shares.intent.existing = FIT_EXISTING_REPLACE;
	expect(own,
		&(struct fit_plan){.vcpus = vcpus,
			.vcpu_count = 1,
			.vcpus_kept = true,
			.vcpus_real_time = true},
		&profile, NULL,
		"cputune/vcpusched[@vcpus='0-1'] = (removed)\n"
		"cputune/vcpusched[@vcpus='0'] = <vcpusched vcpus='0' scheduler='fifo' "
		"priority='3'/>\n"
		"cputune/shares/text() = 200\n");
	profile.shares.intent.set = false;
	/* Ours are looked for as we spell them: '01' overlaps with '1'. */
	expect("<vcpu>3</vcpu><cputune><vcpusched vcpus='0' scheduler='rr' priority='1'/><vcpusched "
	       "vcpus='01' scheduler='rr' priority='1'/><vcpusched vcpus='2' scheduler='rr' "
	       "priority='1'/></cputune>",
		&(struct fit_plan){.vcpus = vcpus,
			.vcpu_count = 2,
			.vcpus_kept = true,
			.vcpus_real_time = true},
		&profile, NULL,
		"cputune/vcpusched[@vcpus='01'] = (removed)\n"
		"cputune/vcpusched[@vcpus='2'] = (removed)\n"
		"cputune/vcpusched[@vcpus='0'] = <vcpusched vcpus='0' scheduler='fifo' "
		"priority='3'/>\n"
		"cputune/vcpusched[@vcpus='1'] = <vcpusched vcpus='1' scheduler='fifo' "
		"priority='3'/>\n");
}

static void each_group_of_vcpus_has_its_part_of_the_caches(void **state)
{
	struct fit_planned_cache caches[] = {
		{fit_made_set("0-1"), 0, 6ULL << 20, 50},
		{fit_made_set("0-1"), 2, 1536ULL << 10, 50},
		{fit_made_set("2"), 1, 1118481, 50},
	};
	const struct fit_plan plan = {.caches = caches, .cache_count = 3};
	struct fit_profile profile = {
		.cachetune = {.intent = {.set = true}, .level = 3, .type = FIT_CACHE_DATA},
		.memorytune = {.intent = {.set = true}},
	};
	static const char memory[] =
		"cputune/memorytune[@vcpus='0-1'] = <memorytune vcpus='0-1'><node id='0' "
		"bandwidth='50'/><node id='2' bandwidth='50'/></memorytune>\n"
		"cputune/memorytune[@vcpus='2'] = <memorytune vcpus='2'><node id='1' "
		"bandwidth='50'/></memorytune>\n";
	static const char cache[] =
		"cputune/cachetune[@vcpus='0-1'] = <cachetune vcpus='0-1'><cache id='0' level='3' "
		"type='data' size='6' unit='MiB'/><cache id='2' level='3' type='data' size='1536' "
		"unit='KiB'/></cachetune>\n"
		"cputune/cachetune[@vcpus='2'] = <cachetune vcpus='2'><cache id='1' level='3' "
		"type='data' size='1118481' unit='B'/></cachetune>\n";
	fit_autofree char *both = fit_xasprintf("%s%s", cache, memory);
	fit_autofree char *instead = fit_xasprintf("cputune/cachetune[@vcpus='0,1'] = (removed)\n%s"
						   "%s",
		cache, memory);
	static const char own[] =
		"<vcpu>3</vcpu><cputune><cachetune vcpus='0,1'/><cachetune vcpus='2'/></cputune>";

	(void)state;
	expect("<vcpu>3</vcpu>", &plan, &profile, NULL, both);
	expect(own, &plan, &profile, NULL, memory);
	profile.cachetune.intent.existing = FIT_EXISTING_REPLACE;
	expect(own, &plan, &profile, NULL, instead);
}

/* As libvirt prints them, the sizes in other units. */
static void the_same_parts_are_not_replaced_nor_refused(void **state)
{
	struct fit_planned_cache caches[] = {{fit_made_set("0-1"), 0, 6ULL << 20, 0}};
	const struct fit_plan plan = {.caches = caches, .cache_count = 1};
	struct fit_profile profile = {
		.cachetune = {
			.level = 3, .intent = {.set = true, .existing = FIT_EXISTING_REQUIRE}}};
	static const char same[] =
		"<vcpu>2</vcpu><cputune><cachetune vcpus='0-1'><cache id='0' level='3' type='both' "
		"size='6144' unit='KiB'/></cachetune></cputune>";
	static const char other[] =
		"<vcpu>2</vcpu><cputune><cachetune vcpus='0-1'><cache id='0' level='3' type='both' "
		"size='4' unit='MiB'/></cachetune></cputune>";

	(void)state;
	expect(same, &plan, &profile, NULL, "");
	profile.cachetune.type = FIT_CACHE_CODE;
	expect(other, &plan, &profile, NULL,
		"vm: cannot fit: the part of the L3 cache is set for vCPUs 0-1 in another way, but "
		"the profile:0 requires <cachetune vcpus='0-1'><cache id='0' level='3' type='code' "
		"size='6' unit='MiB'/></cachetune>: remove it from the definition, or say "
		"existing=\"keep\" or \"replace\" in the profile");
}

static void polling_needs_a_libvirt_that_knows_it(void **state)
{
	struct fit_thread_pin iothreads[] = {{.id = 1}, {.id = 3}};
	const struct fit_plan plan = {.iothreads = iothreads, .iothread_count = 2};
	const struct fit_target recent = {FIT_VERSION_OF(10, 0, 0), FIT_VERSION_OF(9, 0, 0)};
	const struct fit_profile profile = {
		.iothreads = {.intent = {.set = true}, .poll_max = 5000}};
	static const char own[] = "<iothreads>2</iothreads><iothreadids><iothread id='1'/>"
				  "<iothread id='3'/></iothreadids>";

	(void)state;
	expect(own, &plan, &profile, &recent,
		"iothreadids/iothread[@id='1']/poll = <poll max='5000'/>\n"
		"iothreadids/iothread[@id='3']/poll = <poll max='5000'/>\n");
	expect(own, &plan, &profile, NULL,
		"the polling of the iothreads is left out: libvirt 9.0 has no poll settings of "
		"iothreads (9.4 has)\n");
}

static void a_map_replaces_the_one_iothread(void **state)
{
	struct fit_thread_pin iothreads[] = {{.id = 1}, {.id = 2}};
	struct fit_disk_iothread users[] = {{.target = target}, {.controller = 1}};
	const struct fit_plan plan = {
		.iothreads = iothreads,
		.iothread_count = 2,
		.iothreads_kept = true,
		.disk_iothreads = users,
		.disk_iothread_count = 2,
	};
	struct fit_profile profile = {
		.disks = {.intent = {.set = true, .existing = FIT_EXISTING_REPLACE},
			.ioeventfd = on}};

	(void)state;
	expect("<iothreads>2</iothreads><devices><disk><driver iothread='2'/><target dev='vda'/>"
	       "</disk><controller type='scsi' index='0' model='lsilogic'/><controller type='scsi' "
	       "model='virtio-scsi'/></devices>",
		&plan, &profile, NULL,
		"devices/disk[target/@dev='vda']/driver/@iothread = (removed)\n"
		"devices/disk[target/@dev='vda']/driver/iothreads = <iothreads><iothread id='1'/>"
		"<iothread id='2'/></iothreads>\n"
		"devices/controller[@type='scsi'][@index='1']/driver/iothreads = <iothreads>"
		"<iothread id='1'/><iothread id='2'/></iothreads>\n"
		"devices/disk[target/@dev='vda']/driver/@ioeventfd = on\n"
		"devices/controller[@type='scsi'][@index='1']/driver/@ioeventfd = on\n");
}

/* 10 is for a node itself, 255 for what is out of reach: libvirt refuses one, a guest the other. */
static void distances_are_those_that_a_guest_can_have(void **state)
{
	static const struct {
		unsigned int host;
		const char *guest;
	} cases[] = {{11, "id='1' value='11'"}, {254, "id='1' value='254'"},
		{10, "id='1' value='20'"}, {255, "id='1' value='20'"}};
	struct fit_planned_cell cells[] = {
		{.vcpus = fit_made_set("0"), .nodes = fit_made_set("0"), .memory_kib = GIB},
		{.vcpus = fit_made_set("1"), .nodes = fit_made_set("1"), .memory_kib = GIB},
	};
	const struct fit_plan plan = {.cells = cells, .cell_count = 2, .cell_distances = true};
	const struct fit_profile profile = {.cells.intent = {.set = true}};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *text = NULL;

		distance = cases[i].host;
		text = emit("<vcpu>2</vcpu>", &plan, &profile, NULL);
		distance = 0;
		if (!strstr(text, cases[i].guest))
			fail_msg("%u: %s", cases[i].host, text);
	}
}

static void cells_come_with_distances_bindings_and_pages(void **state)
{
	struct fit_planned_cell cells[] = {
		{.vcpus = fit_made_set("0-1"),
			.nodes = fit_made_set("0"),
			.memory_nodes = fit_made_set("0"),
			.memory_kib = GIB,
			.page_kib = GIB},
		{.vcpus = fit_made_set("2"),
			.nodes = fit_made_set("1"),
			.memory_nodes = fit_made_set("1"),
			.memory_kib = 4096,
			.page_kib = 2048},
	};
	struct fit_plan plan = {
		.has_memory = true,
		.memory_strict = true,
		.memory_nodes = fit_made_set("0-1"),
		.page_kib = GIB,
		.pages_differ = true,
		.cells = cells,
		.cell_count = 2,
		.cell_distances = true,
	};
	struct fit_profile profile = {
		.cells.intent = {.set = true}, .memory.intent = {.set = true}};

	(void)state;
	expect("<vcpu>3</vcpu>", &plan, &profile, NULL,
		"cpu/numa = <numa><cell id='0' cpus='0-1' memory='1048576' unit='KiB'><distances>"
		"<sibling id='0' value='10'/><sibling id='1' value='21'/></distances></cell>"
		"<cell id='1' cpus='2' memory='4096' unit='KiB'><distances><sibling id='0' "
		"value='21'/><sibling id='1' value='10'/></distances></cell></numa>\n"
		"numatune/memory = <memory mode='strict' nodeset='0-1'/>\n"
		"numatune/memnode[@cellid='0'] = <memnode cellid='0' mode='strict' nodeset='0'/>\n"
		"numatune/memnode[@cellid='1'] = <memnode cellid='1' mode='strict' nodeset='1'/>\n"
		"memoryBacking/hugepages = <hugepages><page size='1048576' unit='KiB' nodeset='0'/>"
		"<page size='2048' unit='KiB' nodeset='1'/></hugepages>\n");
	cells[0].page_kib = plan.page_kib = 0;
	cells[1].memory_nodes = cells[0].memory_nodes = plan.memory_nodes;
	plan.cells_kept = true;
	expect("<vcpu>3</vcpu>", &plan, &profile, NULL,
		"numatune/memory = <memory mode='strict' nodeset='0-1'/>\n"
		"memoryBacking/hugepages = <hugepages><page size='2048' unit='KiB' nodeset='1'/>"
		"</hugepages>\n");
}

static void pages_of_each_size_are_said_once(void **state)
{
	struct fit_planned_cell cells[] = {{.page_kib = GIB}, {.page_kib = 2048}, {.page_kib = GIB},
		{.page_kib = 0}, {.page_kib = 2048}};
	const struct fit_plan plan = {.page_kib = GIB,
		.pages_differ = true,
		.cells = cells,
		.cell_count = FIT_ARRAY_SIZE(cells),
		.cells_kept = true};
	const struct fit_profile profile = {.memory.intent = {.set = true}};

	(void)state;
	expect("<vcpu>5</vcpu>", &plan, &profile, NULL,
		"memoryBacking/hugepages = <hugepages><page size='1048576' unit='KiB' "
		"nodeset='0,2'/><page size='2048' unit='KiB' nodeset='1,4'/></hugepages>\n");
}

static void own_cells_are_kept_replaced_or_required(void **state)
{
	struct fit_planned_cell cells[] = {{.vcpus = fit_made_set("0"), .memory_kib = 2048}};
	const struct fit_plan plan = {.cells = cells, .cell_count = 1};
	struct fit_profile profile = {.cells.intent = {.set = true}};
	static const char own[] =
		"<cpu><numa><cell id='0' cpus='0' memory='1024' unit='KiB'/></numa></cpu>";

	(void)state;
	expect(own, &plan, &profile, NULL, "");
	profile.cells.intent.existing = FIT_EXISTING_REPLACE;
	expect(own, &plan, &profile, NULL,
		"cpu/numa = <numa><cell id='0' cpus='0' memory='2048' unit='KiB'/></numa>\n");
	profile.cells.intent.existing = FIT_EXISTING_REQUIRE;
	expect(own, &plan, &profile, NULL,
		"vm: cannot fit: the list of guest NUMA cells is vCPU 0 with 1024 KiB, but the "
		"profile:0 requires vCPU 0 with 2048 KiB: remove it from the definition, or say "
		"existing=\"keep\" or \"replace\" in the profile");
	cells[0].memory_kib = 1024;
	expect(own, &plan, &profile, NULL, "");
}

static void memory_backing_is_as_the_profile_says(void **state)
{
	const struct fit_target old = {FIT_VERSION_OF(4, 0, 0), FIT_VERSION_OF(2, 11, 0)};
	struct fit_profile profile = {
		.memory = {.intent = {.set = true},
			.no_sharing = true,
			.immediate = true,
			.allocation_threads = FIT_ALLOCATION_THREADS_AUTO,
			.memfd = true,
			.access = shared},
	};
	const struct fit_plan plan = {0};

	(void)state;
	expect("<vcpu>40</vcpu>", &plan, &profile, NULL,
		"memoryBacking/nosharepages = <nosharepages/>\n"
		"memoryBacking/source/@type = memfd\n"
		"memoryBacking/access/@mode = shared\n"
		"memoryBacking/allocation/@mode = immediate\n"
		"memoryBacking/allocation/@threads = 16\n");
	profile.memory.access = NULL;
	profile.memory.memfd = false;
	expect("<vcpu>3</vcpu>", &plan, &profile, NULL,
		"memoryBacking/nosharepages = <nosharepages/>\n"
		"memoryBacking/allocation/@mode = immediate\n"
		"memoryBacking/allocation/@threads = 3\n");
	profile.memory.access = shared;
	profile.memory.memfd = true;
	profile.memory.allocation_threads = 3;
	profile.memory.no_sharing = false;
	expect("<memoryBacking><source type='file'/></memoryBacking>", &plan, &profile, &old,
		"memoryBacking/access/@mode = shared\n"
		"memoryBacking/allocation/@mode = immediate\n"
		"the source of the memory is left out: libvirt 4.0 has no memory of type memfd "
		"(4.10 has)\n"
		"the number of allocating threads is left out: libvirt 4.0 has no threads that "
		"allocate memory (8.2 has)\n");
}

struct refusal {
	const char *body, *part;
	struct fit_plan plan;
};

/* What there is, and what was wanted. */
static void expect_refusals(const struct refusal *cases, size_t count)
{
	const struct fit_intent require = {.set = true, .existing = FIT_EXISTING_REQUIRE};
	const struct fit_profile profile = {
		.vcpus = {.intent = require, .scheduling = {fifo, 3}},
		.emulator = {.intent = require, .scheduling = {fifo, 1}},
		.iothreads = {.intent = require, .scheduling = {fifo, 2}},
		.disks.intent = require,
		.memory.intent = require,
	};

	for (size_t i = 0; i < count; i++) {
		fit_autofree char *text = emit(cases[i].body, &cases[i].plan, &profile, NULL);

		if (!strstr(text, cases[i].part))
			fail_msg("'%s' is not in: %s", cases[i].part, text);
	}
}

static void a_refusal_of_threads_names_both_sides(void **state)
{
	struct fit_thread_pin threads[] = {{.id = 1}, {.id = 2}};
	struct fit_disk_iothread one[] = {{.target = target, .iothread = 2}};
	struct fit_disk_iothread all[] = {{.target = target}},
				 scsi[] = {{.controller = 1, .iothread = 1}};
	const struct refusal cases[] = {
		{"<vcpu>2</vcpu><cputune><vcpusched vcpus='0' scheduler='rr' priority='1'/>"
		 "<vcpusched vcpus='1' scheduler='rr' priority='1'/></cputune>",
			"the scheduler of the vCPUs is set for 0, 1, but the profile:0 requires fifo with "
			"priority 3 for each",
			{.vcpus = threads,
				.vcpu_count = 1,
				.vcpus_kept = true,
				.vcpus_real_time = true}},
		{"<cputune><emulatorsched scheduler='rr' priority='1'/></cputune>",
			"the scheduler of the emulator is <emulatorsched scheduler='rr' priority='1'/>, but "
			"the profile:0 requires <emulatorsched scheduler='fifo' priority='1'/>",
			{.emulator_real_time = true}},
		{"<iothreads>2</iothreads><cputune><iothreadsched iothreads='1-2' scheduler='rr' priority='1'/></cputune>",
			"the scheduler of the iothreads is set for 1-2, but the profile:0 requires fifo with "
			"priority 2 for each",
			{.iothreads = threads,
				.iothread_count = 1,
				.iothreads_kept = true,
				.iothreads_real_time = true}},
		{"<devices><disk><driver iothread='1'/><target dev='vda'/></disk></devices>",
			"the iothread of disk vda is 1, but the profile:0 requires 2",
			{.disk_iothreads = one, .disk_iothread_count = 1}},
		{"<devices><disk><driver><iothreads><iothread id='1'/></iothreads></driver><target dev='vda'/></disk></devices>",
			"the iothread of disk vda is a map to queues, but the profile:0 requires 2",
			{.disk_iothreads = one, .disk_iothread_count = 1}},
		{"<devices><disk><driver iothread='1'/><target dev='vda'/></disk></devices>",
			"the iothread of disk vda is 1, but the profile:0 requires a map to queues",
			{.disk_iothreads = all, .disk_iothread_count = 1}},
		{"<devices><controller type='scsi' index='1'><driver iothread='2'/></controller></devices>",
			"the iothread of scsi controller 1 is 2, but the profile:0 requires 1",
			{.disk_iothreads = scsi, .disk_iothread_count = 1}},
	};

	(void)state;
	expect_refusals(cases, FIT_ARRAY_SIZE(cases));
}

static void a_refusal_of_memory_names_both_sides(void **state)
{
	const struct refusal cases[] = {
		{"<numatune><memory mode='strict' nodeset='0'/></numatune>",
			"the memory binding is mode='strict' nodeset='0', but the profile:0 requires "
			"mode='preferred' nodeset='1'",
			{.has_memory = true, .memory_nodes = fit_made_set("1")}},
		{"<numatune><memory placement='auto'/></numatune>",
			"the memory binding is placement='auto', but the profile:0 requires mode='strict'",
			{.has_memory = true,
				.memory_strict = true,
				.memory_nodes = fit_made_set("1")}},
		{"<memoryBacking><source type='anonymous'/></memoryBacking>",
			"the page size is normal pages (source 'anonymous' or allocation 'ondemand'), but "
			"the profile:0 requires 2 MiB",
			{.page_kib = 2048}},
		{"<memoryBacking><hugepages/></memoryBacking>",
			"the page size is the host's default size, but the profile:0 requires 1 GiB",
			{.page_kib = GIB}},
		{"<memoryBacking><hugepages><page size='2' unit='MiB'/></hugepages></memoryBacking>",
			"the page size is 2 MiB, but the profile:0 requires set for each guest cell",
			{.page_kib = GIB, .pages_differ = true}},
		{"<vcpu>1</vcpu><cpu><numa><cell id='0' cpus='0' memory='1024'/></numa></cpu>"
		 "<memoryBacking><hugepages><page size='2' unit='MiB' nodeset='0'/></hugepages></memoryBacking>",
			"the page size is set for each guest cell, but the profile:0 requires 1 GiB",
			{.page_kib = GIB}},
	};

	(void)state;
	expect_refusals(cases, FIT_ARRAY_SIZE(cases));
}

static void schedulers_of_iothreads_are_those_of_the_plan(void **state)
{
	static const unsigned int ids[] = {1, 8192, 16383};
	struct fit_thread_pin iothreads[] = {{.id = 1}, {.id = 4}};
	struct fit_plan plan = {.iothreads = iothreads,
		.iothread_count = 2,
		.iothreads_kept = true,
		.iothreads_real_time = true};
	struct fit_profile profile = {
		.iothreads = {.intent = {.set = true}, .scheduling = {fifo, 2}}};

	(void)state;
	expect("", &plan, &profile, NULL,
		"cputune/iothreadsched[@iothreads='1'] = <iothreadsched iothreads='1' scheduler='fifo' "
		"priority='2'/>\n"
		"cputune/iothreadsched[@iothreads='4'] = <iothreadsched iothreads='4' scheduler='fifo' "
		"priority='2'/>\n");
	/* Those that stay are changed, others go. */
	profile.iothreads.intent.existing = FIT_EXISTING_REPLACE;
	plan.iothread_count = 1;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(ids); i++) {
		fit_autofree char *own = fit_xasprintf(
			"<iothreads>2</iothreads><iothreadids><iothread id='%u'/><iothread id='9'/>"
			"</iothreadids><cputune><iothreadsched iothreads='%u' scheduler='rr' "
			"priority='1'/><iothreadsched iothreads='9' scheduler='rr' priority='1'/>"
			"</cputune>",
			ids[i], ids[i]);
		fit_autofree char *wanted = fit_xasprintf(
			"cputune/iothreadsched[@iothreads='9'] = (removed)\n"
			"cputune/iothreadsched[@iothreads='%u'] = <iothreadsched iothreads='%u' "
			"scheduler='fifo' priority='2'/>\n",
			ids[i], ids[i]);

		iothreads[0].id = ids[i];
		expect(own, &plan, &profile, NULL, wanted);
	}
}

/* Libvirt would refuse the list, though not the iothread. */
static void iothreads_with_great_numbers_have_no_scheduler(void **state)
{
	struct fit_thread_pin iothreads[] = {{.id = 16383}, {.id = 16384}, {.id = UINT32_MAX}};
	const struct fit_plan plan = {.iothreads = iothreads,
		.iothread_count = 3,
		.iothreads_kept = true,
		.iothreads_real_time = true};
	const struct fit_profile profile = {
		.iothreads = {.intent = {.set = true}, .scheduling = {fifo, 2}}};

	(void)state;
	expect("", &plan, &profile, NULL,
		"cputune/iothreadsched[@iothreads='16383'] = <iothreadsched iothreads='16383' "
		"scheduler='fifo' priority='2'/>\n"
		"no real-time scheduler for iothread 16384: its number is above 16383\n"
		"no real-time scheduler for iothread 4294967295: its number is above 16383\n");
}

#define OWN_CELLS \
	"<vcpu>2</vcpu><cpu><numa><cell id='0' cpus='0' memory='1024'/>" \
	"<cell id='1' cpus='1' memory='1024'/></numa></cpu>"

static void bindings_of_cells_give_way_as_a_whole(void **state)
{
	struct fit_planned_cell cells[] = {
		{.memory_nodes = fit_made_set("0")}, {.memory_nodes = fit_made_set("1")}};
	struct fit_plan plan = {.has_memory = true,
		.memory_nodes = fit_made_set("0-1"),
		.cells = cells,
		.cell_count = 2,
		.cells_kept = true};
	const struct fit_profile profile = {
		.memory.intent = {.set = true, .existing = FIT_EXISTING_REPLACE}};
	static const char own[] =
		OWN_CELLS "<numatune><memnode cellid='1' mode='strict' nodeset='0'/></numatune>";

	(void)state;
	expect(own, &plan, &profile, NULL,
		"numatune = <numatune><memory mode='preferred' nodeset='0-1'/><memnode cellid='0' "
		"mode='preferred' nodeset='0'/><memnode cellid='1' mode='preferred' nodeset='1'/>"
		"</numatune>\n");
	cells[0].memory_nodes = cells[1].memory_nodes = plan.memory_nodes;
	plan.memory_strict = true;
	expect(own, &plan, &profile, NULL,
		"numatune = <numatune><memory mode='strict' nodeset='0-1'/></numatune>\n");
	/* It would win over ours, which is there already. */
	expect(OWN_CELLS "<numatune><memory mode='strict' nodeset='0-1'/><memnode cellid='1' "
			 "mode='strict' nodeset='0'/></numatune>",
		&plan, &profile, NULL,
		"numatune = <numatune><memory mode='strict' nodeset='0-1'/></numatune>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_vcpu_has_its_line_for_the_scheduler),
		cmocka_unit_test(each_group_of_vcpus_has_its_part_of_the_caches),
		cmocka_unit_test(the_same_parts_are_not_replaced_nor_refused),
		cmocka_unit_test(polling_needs_a_libvirt_that_knows_it),
		cmocka_unit_test(a_map_replaces_the_one_iothread),
		cmocka_unit_test(distances_are_those_that_a_guest_can_have),
		cmocka_unit_test(cells_come_with_distances_bindings_and_pages),
		cmocka_unit_test(pages_of_each_size_are_said_once),
		cmocka_unit_test(own_cells_are_kept_replaced_or_required),
		cmocka_unit_test(memory_backing_is_as_the_profile_says),
		cmocka_unit_test(a_refusal_of_threads_names_both_sides),
		cmocka_unit_test(a_refusal_of_memory_names_both_sides),
		cmocka_unit_test(schedulers_of_iothreads_are_those_of_the_plan),
		cmocka_unit_test(iothreads_with_great_numbers_have_no_scheduler),
		cmocka_unit_test(bindings_of_cells_give_way_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
