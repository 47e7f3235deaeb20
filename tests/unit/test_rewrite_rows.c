/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Definitions with rows so long that elements are found by a table: every edit reaches its own. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/path.h"
#include "core/xml.h"
#include "support_domain.h"
#include "support_rewrite.h"

#define ROW   24
#define DISK  "devices/disk[target/@dev='vd%u']"
#define ALIAS "devices/interface[alias/@name='ua-virt-fit-n%u']"

static unsigned int pick(unsigned int count)
{
	return (unsigned int)rand() % count;
}

static char *make_definition(void)
{
	struct fit_buffer text = {0};

	fit_buffer_add(&text, "<domain type='kvm'>\n  <name>vm</name>\n  <cputune>\n");
	for (unsigned int i = 0; i < ROW; i++)
		fit_buffer_addf(&text, "    <vcpupin vcpu='%u' cpuset='%u'/>\n", i, pick(9));
	fit_buffer_add(&text, "  </cputune>\n  <devices>\n");
	for (unsigned int i = 0; i < ROW; i++)
		fit_buffer_addf(&text,
			"    <disk type='file'>\n      <driver name='qemu'%s/>\n      <target "
			"dev='vd%u' bus='virtio'/>\n    </disk>\n",
			pick(2) ? " cache='none'" : "", i);
	for (unsigned int i = 0; i < ROW; i++)
		fit_buffer_addf(
			&text, "    <interface type='user'><mac address='%u'/></interface>\n", i);
	fit_buffer_add(&text, "  </devices>\n</domain>\n");
	return fit_buffer_steal(&text);
}

/* Some of the edits that there are for the elements number @i. */
static void add_edits(struct fit_edits *edits, unsigned int i)
{
	fit_autofree char *disk = fit_xasprintf(DISK, i);
	fit_autofree char *cache = fit_xasprintf("%s/driver/@cache", disk);
	fit_autofree char *driver = fit_xasprintf("%s/driver", disk);
	fit_autofree char *boot = fit_xasprintf("%s/boot", disk);
	fit_autofree char *source = fit_xasprintf("%s/source/@file", disk);
	unsigned int vcpu = i + pick(2) * ROW;
	fit_autofree char *pin = fit_xasprintf("cputune/vcpupin[@vcpu='%u']", vcpu);
	fit_autofree char *nic = fit_xasprintf(ALIAS, i);

	switch (pick(7)) {
	case 0:
		fit_edits_set(edits, cache, pick(2) ? "unsafe" : "none");
		break;
	case 1:
		fit_edits_remove(edits, cache);
		break;
	case 2:
		fit_edits_remove(edits, disk);
		break;
	case 3:
		fit_edits_setf(edits, disk, "<disk type='block'><target dev='vd%u'/></disk>", i);
		break;
	case 4:
		fit_edits_remove(edits, driver);
		break;
	case 5:
		fit_edits_setf(edits, boot, "<boot order='%u'/>", i + 1);
		break;
	default:
		fit_edits_setf(edits, source, "/%u", i);
	}
	if (pick(2))
		fit_edits_setf(edits, nic,
			"<interface type='user'><alias name='ua-virt-fit-n%u'/></interface>", i);
	if (pick(2))
		fit_edits_remove(edits, pin);
	else
		fit_edits_setf(edits, pin, "<vcpupin vcpu='%u' cpuset='%u'/>", vcpu, pick(9));
}

/* By a plain search: the attribute or element is as the edit says. */
static void expect_done(xmlDoc *doc, const struct fit_edit *edit)
{
	fit_autopath struct fit_path path = {0};
	struct fit_err err = FIT_ERR_INIT;
	xmlNode *node = xmlDocGetRootElement(doc);
	fit_autofree char *value = NULL;

	if (fit_path_parse(edit->path, &path, &err) < 0)
		fail_msg("%s", err.message);
	for (size_t i = 0; i < path.step_count && node; i++)
		node = fit_path_step_find(&path.steps[i], node);
	if (path.kind == FIT_PATH_ATTRIBUTE) {
		value = fit_xml_attr(node, path.attribute);
		if (!fit_streq(value, edit->value))
			fail_msg("%s is %s", edit->path, value ? value : "not there");
	} else if (!node != !edit->value) {
		fail_msg("%s is %sthere", edit->path, node ? "" : "not ");
	}
}

static void each_edit_reaches_its_element_and_is_taken_back(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 40; round++) {
		fit_autofree char *text = make_definition();
		fit_autodoc xmlDoc *doc = fit_test_parse(text);
		struct fit_edits edits = {0};

		for (unsigned int i = 0; i < ROW; i++)
			add_edits(&edits, i);
		fit_test_check_rewriting(doc, &edits);
		fit_test_apply(doc, &edits);
		for (size_t i = 0; i < edits.count; i++)
			expect_done(doc, &edits.items[i]);
		fit_edits_clear(&edits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_edit_reaches_its_element_and_is_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
