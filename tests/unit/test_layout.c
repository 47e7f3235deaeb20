/* SPDX-License-Identifier: GPL-2.0-or-later */
/* New elements come where libvirt would print them, and look as their neighbours do. */
#include "support.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/strlist.h"
#include "core/layout.h"
#include "core/xml.h"
#include "support_domain.h"

/* The children of each element, as libvirt prints them. */
static const char *const rows[][2] = {
	{"domain", "name uuid genid title description metadata maxMemory memory currentMemory "
		   "blkiotune memtune memoryBacking vcpu vcpus iothreads iothreadids "
		   "defaultiothread cputune numatune resource sysinfo bootloader bootloader_args "
		   "os features cpu clock on_poweroff on_reboot on_crash on_lockfailure pm perf "
		   "devices seclabel launchSecurity"},
	{"devices", "emulator disk controller lease filesystem interface smartcard serial parallel "
		    "console channel input tpm graphics sound audio video hostdev redirdev "
		    "redirfilter hub watchdog memballoon rng nvram panic shmem memory crypto iommu "
		    "vsock"},
	{"cputune", "shares period quota global_period global_quota emulator_period emulator_quota "
		    "iothread_period iothread_quota vcpupin emulatorpin iothreadpin emulatorsched "
		    "vcpusched iothreadsched cachetune memorytune"},
	{"numatune", "memory memnode"},
	{"memoryBacking", "hugepages nosharepages locked source access allocation discard"},
	{"cpu", "model vendor topology cache maxphysaddr feature numa"},
	{"disk", "driver auth source backingStore backenddomain geometry blockio mirror target "
		 "iotune readonly shareable transient serial wwn vendor product boot encryption "
		 "alias address"},
	{"controller", "model target master driver alias address pcihole64"},
	{"interface", "mac source driver vlan virtualport model teaming boot alias rom address"},
	{"hostdev", "driver source teaming boot alias rom address"},
};

/* <domain> with the element, which has two of each of its children. */
static xmlDoc *with_row(const char *parent, const struct fit_strlist *names)
{
	fit_autobuffer struct fit_buffer text = {0};

	fit_buffer_addf(&text, "<domain>\n  <%s>\n", parent);
	for (size_t i = 0; i < names->count; i++)
		fit_buffer_addf(&text, "    <%s a=\"1\"/>\n    <%s a=\"2\"/>\n", names->items[i],
			names->items[i]);
	fit_buffer_addf(&text, "  </%s>\n</domain>\n", parent);
	return fit_test_parse(text.text);
}

static void an_element_comes_where_libvirt_prints_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(rows); i++) {
		fit_autostrlist struct fit_strlist names = {0};
		fit_autodoc xmlDoc *doc = NULL;
		fit_autofree char *whole = NULL;
		xmlNode *parent;

		fit_strlist_split(&names, rows[i][1], " ");
		doc = with_row(rows[i][0], &names);
		whole = fit_xml_print(doc);
		parent = fit_xml_child(xmlDocGetRootElement(doc), NULL);
		for (size_t j = 0; j < names.count; j++) {
			xmlNode *first = fit_xml_child(parent, names.items[j]);
			xmlNode *second = fit_xml_next(first, names.items[j]);
			fit_autofree char *again = NULL;

			assert_null(fit_layout_remove(second));
			assert_false(fit_layout_insert(parent, second));
			again = fit_xml_print(doc);
			assert_string_equal(again, whole);
			/* The only one of its kind. */
			fit_layout_drop(second);
			fit_layout_drop(first);
			assert_false(fit_layout_insert(parent, first));
			assert_false(fit_layout_insert(parent, second));
			fit_xreplace(&again, NULL);
			again = fit_xml_print(doc);
			assert_string_equal(again, whole);
		}
	}
}

static void what_libvirt_does_not_know_comes_last_and_is_no_neighbour(void **state)
{
	static const struct {
		const char *before, *name, *after;
	} cases[] = {
		{"<numatune><memory/></numatune>", "other",
			"<numatune><memory/><other/></numatune>"},
		{"<numatune><other/></numatune>", "memory",
			"<numatune><memory/><other/></numatune>"},
		{"<numatune><q:memory xmlns:q=\"urn:q\"/></numatune>", "memnode",
			"<numatune><memnode/><q:memory xmlns:q=\"urn:q\"/></numatune>"},
		{"<numatune><memory/><q:a xmlns:q=\"urn:q\"/></numatune>", "memnode",
			"<numatune><memory/><memnode/><q:a xmlns:q=\"urn:q\"/></numatune>"},
		{"<other><b/></other>", "a", "<other><b/><a/></other>"},
		{"<numatune>\n<!-- c -->\n</numatune>", "memory",
			"<numatune>\n<memory/>\n<!-- c -->\n</numatune>"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autodoc xmlDoc *doc = fit_test_parse(cases[i].before);
		xmlNode *root = xmlDocGetRootElement(doc);
		fit_autofree char *printed = NULL;

		(void)fit_layout_insert(
			root, xmlNewDocNode(doc, NULL, (const xmlChar *)cases[i].name, NULL));
		printed = fit_xml_print_node(root);
		assert_string_equal(printed, cases[i].after);
	}
}

/* libvirt sorts by kind, so what counts is the rank within the kind, then the position. */
static void a_position_gives_the_rank_that_is_asked_for(void **state)
{
	static const struct {
		int position, rank, wanted;
	} cases[] = {
		{0, -1, 0},
		{4, -1, 4},
		{9, -1, 9},
		{0, 0, 0},
		{1, 0, 1},
		{2, 0, 1},
		{9, 0, 1},
		{0, 1, 2},
		{2, 1, 2},
		{3, 1, 3},
		{4, 1, 3},
		{0, 2, 4},
		{4, 2, 4},
		{5, 2, 5},
		{9, 2, 9},
		{0, 3, 4},
		{9, 3, 9},
	};
	fit_autodoc xmlDoc *doc = fit_test_parse("<d><b/> <a/><!-- c --> <a/><b/></d>");

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++)
		assert_int_equal(fit_layout_position_of_rank(xmlDocGetRootElement(doc),
					 (const xmlChar *)"a", cases[i].position, cases[i].rank),
			cases[i].wanted);
}

static void an_attribute_goes_to_its_position(void **state)
{
	static const char *const wanted[] = {"<d c=\"3\" a=\"1\" b=\"2\"/>",
		"<d a=\"1\" c=\"3\" b=\"2\"/>", "<d a=\"1\" b=\"2\" c=\"3\"/>",
		"<d a=\"1\" b=\"2\" c=\"3\"/>"};

	(void)state;
	for (int i = 0; i < (int)FIT_ARRAY_SIZE(wanted); i++) {
		fit_autodoc xmlDoc *doc = fit_test_parse("<d a='1' b='2' c='3'/>");
		xmlNode *root = xmlDocGetRootElement(doc);
		xmlAttr *last = root->properties->next->next;
		fit_autofree char *printed = NULL;

		assert_int_equal(fit_layout_position((const xmlNode *)last), 2);
		fit_layout_move_attribute(last, i);
		printed = fit_xml_print_node(root);
		assert_string_equal(printed, wanted[i]);
		/* Both ways. */
		assert_null(root->properties->prev);
		for (const xmlAttr *attr = root->properties; attr->next; attr = attr->next)
			assert_ptr_equal(attr->next->prev, attr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_element_comes_where_libvirt_prints_it),
		cmocka_unit_test(what_libvirt_does_not_know_comes_last_and_is_no_neighbour),
		cmocka_unit_test(a_position_gives_the_rank_that_is_asked_for),
		cmocka_unit_test(an_attribute_goes_to_its_position),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
