/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/device_address.h"

#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"

static bool is_below_devices(const struct fit_path *path)
{
	return path->step_count >= FIT_PATH_DEVICE_STEPS &&
	       fit_streq(path->steps[0].name, "devices");
}

xmlNode *fit_device_switched_on(const struct fit_path *path, xmlNode *element, const char *have)
{
	if (!is_below_devices(path) || !fit_streq(have, "none"))
		return NULL;
	if (path->step_count == FIT_PATH_DEVICE_STEPS)
		return fit_streq(path->attribute, "model") ? element : NULL;
	return path->step_count == FIT_PATH_DEVICE_STEPS + 1 && fit_xml_is(element, "model") &&
			       fit_streq(path->attribute, "type")
		       ? element->parent
		       : NULL;
}

bool fit_device_is_none(const xmlNode *device)
{
	fit_autofree char *model = fit_xml_attr(device, "model");
	fit_autofree char *type = fit_xml_attr(fit_xml_child(device, "model"), "type");

	return fit_streq(model, "none") || fit_streq(type, "none");
}

bool fit_device_address_is(const struct fit_path *path)
{
	return is_below_devices(path) && path->kind == FIT_PATH_ELEMENT &&
	       path->step_count == FIT_PATH_DEVICE_STEPS + 1 &&
	       fit_streq(path->steps[FIT_PATH_DEVICE_STEPS].name, "address");
}
