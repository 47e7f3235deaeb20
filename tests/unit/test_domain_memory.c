/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of a domain: its pages and nodes, those of its cells, and of memory devices. */
#include "support.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "core/domain.h"
#include "support_domain.h"

static void memory_tuning_is_seen(void **state)
{
	struct fit_domain domain = fit_test_domain(
		"<memory unit='GiB' dumpCore='off'>4</memory><memoryBacking><hugepages>"
		"<page size='2' unit='MiB' nodeset='0'/><page size='1' unit='GiB'/></hugepages>"
		"<locked/><source type='anonymous'/></memoryBacking><vcpu>4</vcpu><cpu><numa>"
		"<cell id='1' cpus='3' memory='3' unit='GiB'/>"
		"<cell id='0' cpus='0-1' memory='1' unit='GiB'/></numa></cpu><numatune><memory "
		"nodeset='1'/><memnode cellid='0' mode='preferred' nodeset='0'/></numatune>");

	(void)state;
	assert_string_equal(domain.dump_core, "off");
	assert_true(domain.has_hugepages);
	assert_int_equal(domain.hugepage_kib, 1048576);
	assert_true(domain.has_hugepage_nodesets);
	assert_true(domain.has_locked);
	assert_true(domain.backing_excludes_hugepages);
	assert_string_equal(domain.memory_source, "anonymous");
	assert_string_equal(domain.numatune_mode, "strict");
	fit_expect_cpus(&domain.numatune_nodes, "1");
	assert_true(domain.has_memnodes);
	fit_expect_cpus(&domain.cells[0].vcpus, "0-2");
	fit_expect_cpus(&domain.cells[1].vcpus, "3");
	assert_int_equal(domain.cells[0].hugepage_kib, 2048);
	assert_int_equal(domain.cells[1].hugepage_kib, 1048576);
	fit_expect_cpus(&domain.cells[0].nodes, "0");
	assert_false(domain.cells[0].binds);
	assert_false(domain.cells[1].has_memnode);
	fit_domain_clear(&domain);
}

static void cells_that_no_page_is_for_have_normal_ones(void **state)
{
	struct fit_domain domain = fit_test_domain(
		"<memory unit='GiB'>4</memory><memoryBacking><hugepages>"
		"<page size='2' unit='MiB' nodeset='0'/></hugepages></memoryBacking><vcpu>2</vcpu>"
		"<cpu><numa><cell id='0' cpus='0' memory='2' unit='GiB'/>"
		"<cell id='1' cpus='1' memory='2' unit='GiB'/></numa></cpu>");

	(void)state;
	assert_true(domain.cells[0].has_hugepages);
	assert_int_equal(domain.cells[0].hugepage_kib, 2048);
	assert_false(domain.cells[1].has_hugepages);
	fit_domain_clear(&domain);
}

static void memory_devices_need_pages_too(void **state)
{
	struct fit_domain domain = fit_test_domain(
		"<memory unit='GiB'>4</memory><vcpu>2</vcpu>"
		"<memoryBacking><hugepages><page size='2' unit='MiB'/></hugepages></memoryBacking>"
		"<cpu><numa><cell id='0' cpus='0' memory='1' unit='GiB'/>"
		"<cell id='1' cpus='1' memory='1' unit='GiB'/></numa></cpu>"
		"<devices><memory model='dimm'><target><size unit='MiB'>512</size><node>1</node>"
		"</target></memory>"
		"<memory model='dimm'><source><pagesize unit='GiB'>1</pagesize></source>"
		"<target><size unit='GiB'>1</size><node>1</node></target></memory>"
		"<memory model='virtio-mem'><target><size unit='GiB'>8</size><node>0</node>"
		"</target></memory></devices>");
	size_t count;
	fit_autofree struct fit_page_demand *demands = fit_domain_page_demands(&domain, &count);

	(void)state;
	assert_int_equal(domain.cells[0].device_kib, 0);
	assert_int_equal(domain.cells[1].device_kib, 512 * 1024);
	assert_int_equal(count, 2);
	assert_int_equal(demands[0].pages, 2 * 512 + 256);
	assert_int_equal(demands[1].page_kib, 1048576);
	assert_int_equal(demands[1].pages, 1);
	assert_int_equal(fit_domain_pages(&domain, 2048), 2 * 512 + 256);
	fit_domain_clear(&domain);
}

#define CELLS \
	"<memory unit='GiB'>2</memory><vcpu>2</vcpu><memoryBacking><hugepages><page size='2' " \
	"unit='MiB'/></hugepages></memoryBacking><numatune><memory nodeset='0'/><memnode " \
	"cellid='1' mode='preferred' nodeset='1'/></numatune><cpu><numa><cell id='0' cpus='0' " \
	"memory='1' unit='GiB'/><cell id='1' cpus='1' memory='1' unit='GiB'/></numa></cpu>"
#define DEVICE(model, source, target) \
	"<devices><memory model='" model "'><source>" source "</source><target>" target \
	"</target></memory></devices>"

/* "1024x2048@0 512x2048~1": pages, their size, nodes; ~ where these are preferred. */
static void expect_demands(const char *body, const char *wanted)
{
	struct fit_domain domain = fit_test_domain(body);
	size_t count;
	fit_autofree struct fit_page_demand *demands = fit_domain_page_demands(&domain, &count);
	struct fit_buffer text = {0};
	uint64_t kib = 0;

	for (size_t i = 0; i < count; i++) {
		fit_autofree char *nodes = fit_cpuset_format_list(&demands[i].nodes);

		fit_buffer_addf(&text, "%s%llux%llu%c%s", i ? " " : "",
			(unsigned long long)demands[i].pages,
			(unsigned long long)demands[i].page_kib,
			demands[i].nodes_preferred ? '~' : '@', nodes);
		kib += demands[i].pages * demands[i].page_kib - demands[i].memory_kib;
	}
	assert_string_equal(text.text, wanted);
	assert_int_equal(kib, 0);
	fit_buffer_clear(&text);
	fit_domain_clear(&domain);
}

static void memory_devices_have_pages_and_nodes_of_their_own(void **state)
{
	(void)state;
	expect_demands(CELLS, "512x2048@0 512x2048~1");
	/* As their cell, or as the first where they name none. */
	expect_demands(CELLS DEVICE("dimm", "", "<size unit='GiB'>1</size><node>1</node>"),
		"512x2048@0 1024x2048~1");
	expect_demands(
		CELLS DEVICE("dimm", "", "<size unit='GiB'>1</size>"), "1024x2048@0 512x2048~1");
	/* What virtio-mem could have is not what it has. */
	expect_demands(CELLS DEVICE("virtio-mem", "",
			       "<size unit='GiB'>8</size><node>1</node><requested "
			       "unit='MiB'>512</requested>"),
		"512x2048@0 768x2048~1");
	expect_demands(CELLS DEVICE("virtio-mem", "", "<size unit='GiB'>8</size><node>1</node>"),
		"512x2048@0 512x2048~1");
	/* Of another size, of the usual one, and for other nodes as the cell's mode says. */
	expect_demands(CELLS DEVICE("dimm", "<pagesize unit='GiB'>1</pagesize>",
			       "<size unit='GiB'>2</size><node>1</node>"),
		"512x2048@0 512x2048~1 2x1048576~1");
	expect_demands(CELLS DEVICE("dimm", "<pagesize unit='KiB'>4</pagesize>",
			       "<size unit='GiB'>2</size><node>1</node>"),
		"512x2048@0 512x2048~1");
	expect_demands(CELLS DEVICE("virtio-mem", "<nodemask>2-3</nodemask>",
			       "<size unit='GiB'>2</size><node>0</node><requested "
			       "unit='GiB'>1</requested>"),
		"512x2048@0 512x2048~1 512x2048@2-3");
	expect_demands(CELLS DEVICE("dimm", "<nodemask>2-3</nodemask>",
			       "<size unit='GiB'>1</size><node>1</node>"),
		"512x2048@0 512x2048~1 512x2048~2-3");
	/* Files are no huge pages. */
	expect_demands(CELLS DEVICE("nvdimm", "<path>/p</path>",
			       "<size unit='GiB'>1</size><node>1</node>"),
		"512x2048@0 512x2048~1");
}

static void memory_devices_have_pages_where_the_guest_has_none(void **state)
{
	(void)state;
	expect_demands("<memory unit='GiB'>4</memory>" DEVICE("dimm",
			       "<pagesize unit='GiB'>1</pagesize><nodemask>1</nodemask>",
			       "<size unit='GiB'>2</size>"),
		"2x1048576@1");
	/* 64 KiB are a huge page on x86 only, where none has it. */
	expect_demands("<os><type arch='x86_64'>hvm</type></os>" DEVICE(
			       "dimm", "<pagesize>64</pagesize>", "<size unit='GiB'>1</size>"),
		"16384x64@");
	expect_demands(
		"<memory unit='GiB'>4</memory><memoryBacking><hugepages><page size='2' "
		"unit='MiB'/></hugepages></memoryBacking><os><type arch='aarch64'>hvm</type>"
		"</os>" DEVICE("dimm", "<pagesize>64</pagesize>", "<size unit='GiB'>1</size>"),
		"1536x2048@");
	/* Without cells <memory> is all of it. */
	expect_demands("<memory unit='GiB'>4</memory><memoryBacking><hugepages><page size='2' "
		       "unit='MiB'/></hugepages></memoryBacking>" DEVICE("virtio-mem", "",
			       "<size unit='GiB'>2</size><requested unit='GiB'>1</requested>"),
		"1536x2048@");
	expect_demands("<memory unit='GiB'>4</memory><memoryBacking><hugepages><page size='2' "
		       "unit='MiB'/></hugepages></memoryBacking>" DEVICE("dimm",
			       "<pagesize unit='GiB'>1</pagesize>", "<size unit='GiB'>2</size>"),
		"1024x2048@ 2x1048576@");
	/* Which cannot be: what is too large for it is not taken out of it. */
	expect_demands("<memory unit='GiB'>1</memory><memoryBacking><hugepages><page size='2' "
		       "unit='MiB'/></hugepages></memoryBacking>" DEVICE(
			       "dimm", "", "<size unit='GiB'>1</size>"),
		"512x2048@");
}

static void memory_devices_are_of_no_cell_where_the_guest_has_none(void **state)
{
	struct fit_domain domain = fit_test_domain(DEVICE("dimm",
		"<pagesize unit='GiB'>1</pagesize>", "<size unit='GiB'>1</size><node>3</node>"));

	(void)state;
	assert_int_equal(domain.memory_device_count, 1);
	assert_int_equal(domain.memory_devices[0].cell, 0);
	fit_domain_clear(&domain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_tuning_is_seen),
		cmocka_unit_test(cells_that_no_page_is_for_have_normal_ones),
		cmocka_unit_test(memory_devices_need_pages_too),
		cmocka_unit_test(memory_devices_have_pages_and_nodes_of_their_own),
		cmocka_unit_test(memory_devices_have_pages_where_the_guest_has_none),
		cmocka_unit_test(memory_devices_are_of_no_cell_where_the_guest_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
