/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices that are none until an attribute of theirs is changed. */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "core/device_address.h"
#include "core/xml.h"
#include "support_domain.h"

static const struct {
	const char *device, *path;
	bool none, by_it;
} cases[] = {
	{"<memballoon model='none'/>", "devices/memballoon/@model", true, true},
	{"<memballoon model='virtio'/>", "devices/memballoon/@model", false, false},
	{"<memballoon/>", "devices/memballoon/@model", false, false},
	{"<memballoon autodeflate='none'/>", "devices/memballoon/@autodeflate", false, false},
	{"<video><model type='none'/></video>", "devices/video/model/@type", true, true},
	{"<video><model type='qxl'/></video>", "devices/video/model/@type", false, false},
	{"<video><model/></video>", "devices/video/model/@type", false, false},
	{"<video><model heads='none'/></video>", "devices/video/model/@heads", false, false},
	{"<video><driver type='none'/></video>", "devices/video/driver/@type", false, false},
	{"<video><driver><model type='none'/></driver></video>", "devices/video/driver/model/@type",
		false, false},
	{"<video><model type='none'><resolution type='none'/></model></video>",
		"devices/video/model/resolution/@type", true, false},
};

static void a_device_that_is_none_is_switched_on_by_its_model(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *body = fit_xasprintf("<devices>%s</devices>", cases[i].device);
		fit_autodoc xmlDoc *doc = fit_test_document(body);
		xmlNode *root = xmlDocGetRootElement(doc);
		xmlNode *device = fit_xml_child(fit_xml_child(root, "devices"), NULL);
		fit_autofree char *way = fit_xstrndup(
			cases[i].path, (size_t)(strchr(cases[i].path, '@') - cases[i].path - 1));
		xmlNode *element = fit_xml_find(root, way);
		fit_autopath struct fit_path path = {0};
		fit_autofree char *have = NULL;

		assert_int_equal(fit_path_parse(cases[i].path, &path, NULL), 0);
		have = fit_xml_attr(element, path.attribute);
		if (fit_device_is_none(device) != cases[i].none ||
			fit_device_switched_on(&path, element, have) !=
				(cases[i].by_it ? device : NULL))
			fail_msg("%s", cases[i].device);
	}
}

static void what_is_no_device_is_never_switched_on(void **state)
{
	fit_autodoc xmlDoc *doc =
		fit_test_document("<sysinfo><system><model type='none'/></system></sysinfo>");
	xmlNode *model = fit_xml_find(xmlDocGetRootElement(doc), "sysinfo/system/model");
	fit_autopath struct fit_path path = {0};

	(void)state;
	assert_int_equal(fit_path_parse("sysinfo/system/model/@type", &path, NULL), 0);
	assert_null(fit_device_switched_on(&path, model, "none"));
}

static void its_address_is_a_child_of_a_device(void **state)
{
	static const struct {
		const char *path;
		bool is;
	} paths[] = {
		{"devices/memballoon/address", true},
		{"devices/disk[target/@dev='vda']/address", true},
		{"devices/address", false},
		{"devices/memballoon/address/@type", false},
		{"devices/memballoon/address/text()", false},
		{"devices/hostdev/source/address", false},
		{"devices/memballoon/alias", false},
		{"cpu/memballoon/address", false},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(paths); i++) {
		fit_autopath struct fit_path path = {0};

		assert_int_equal(fit_path_parse(paths[i].path, &path, NULL), 0);
		if (fit_device_address_is(&path) != paths[i].is)
			fail_msg("%s", paths[i].path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_that_is_none_is_switched_on_by_its_model),
		cmocka_unit_test(what_is_no_device_is_never_switched_on),
		cmocka_unit_test(its_address_is_a_child_of_a_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
