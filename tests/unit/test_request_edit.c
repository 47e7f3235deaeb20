/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/request_edit.h"
#include "core/xml.h"
#include "support_render.h"

/* A request of @profile with a parameter and a device. */
static struct fit_request make_request(const char *profile)
{
	struct fit_request request = {0};
	struct fit_param *param = FIT_APPEND(request.params, request.param_count);
	struct fit_request_device *device = FIT_APPEND(request.devices, request.device_count);

	fit_strlist_add(&request.profiles, profile);
	param->name = fit_xstrdup("note");
	param->value = fit_xstrdup("a 'b' \"c\" <d> & e");
	device->netdev = fit_xstrdup("eth0");
	return request;
}

static bool had_metadata; /* said by put() */

static char *put(const char *xml, const struct fit_request *request)
{
	struct fit_err err = FIT_ERR_INIT;
	char *result;

	if (fit_request_put(xml, strlen(xml), "test", request, &result, &had_metadata, &err) < 0)
		fail_msg("%s", err.message);
	return result;
}

static char *take(const char *xml, bool keep_metadata)
{
	struct fit_err err = FIT_ERR_INIT;
	char *result;

	if (fit_request_remove(xml, strlen(xml), "test", keep_metadata, &result, &err) < 0)
		fail_msg("%s", err.message);
	return result;
}

static const char *const documents[] = {
	"<domain type='kvm'>\n  <name>a</name>\n  <vcpu>2</vcpu>\n</domain>\n",
	"<domain type='kvm'>\n  <name>a</name>\n  <uuid>u</uuid>\n  <title>t</title>\n</domain>\n",
	"<domain><name>a</name><vcpu>2</vcpu></domain>\n",
	"<domain/>\n",
	"<domain>\n  <vcpu>2</vcpu>\n</domain>\n",
	"<domain>\n  <name>a</name>\n  <metadata>\n    <x:y xmlns:x='urn:x'/>\n  </metadata>\n"
	"</domain>\n",
	"<domain>\n  <name>a</name>\n  <metadata><x:y xmlns:x='urn:x'/></metadata>\n</domain>\n",
	"<domain>\n  <name>a</name>\n  <metadata>\n    <!-- mine -->\n  </metadata>\n</domain>\n",
	"<domain>\n  <name>a</name>\n  <metadata/>\n</domain>\n",
	"<domain><name>a</name><metadata/></domain>\n",
};

static void what_is_written_is_read_back(void **state)
{
	struct fit_request request = make_request("low-latency");

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(documents); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_request found = {0};
		fit_autofree char *xml = put(documents[i], &request);
		fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "test", &err);

		if (fit_request_read(doc, "test", &found, &err) != 1)
			fail_msg("%s: %s", xml, err.message);
		assert_string_equal(found.profiles.items[0], "low-latency");
		assert_string_equal(found.params[0].value, request.params[0].value);
		assert_string_equal(found.devices[0].netdev, "eth0");
		fit_request_clear(&found);
	}
	fit_request_clear(&request);
}

static void taking_a_request_out_leaves_the_document_as_it_was(void **state)
{
	struct fit_request request = make_request("base");

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(documents); i++) {
		fit_autofree char *with = put(documents[i], &request);
		fit_autofree char *without = take(with, had_metadata);
		fit_autofree char *original = fit_test_printed(documents[i]);

		assert_string_not_equal(with, original);
		assert_string_equal(without, original);
	}
	fit_request_clear(&request);
}

static void a_new_request_replaces_the_old_one(void **state)
{
	struct fit_request first = make_request("base");
	struct fit_request second = make_request("low-latency");

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(documents); i++) {
		fit_autofree char *once = put(documents[i], &first);
		fit_autofree char *twice = put(once, &second);
		fit_autofree char *direct = put(documents[i], &second);

		assert_string_equal(twice, direct);
	}
	fit_request_clear(&first);
	fit_request_clear(&second);
}

static void an_indented_document_stays_indented(void **state)
{
	struct fit_request request = {0};
	fit_autofree char *xml = NULL;

	(void)state;
	fit_strlist_add(&request.profiles, "base");
	xml = put(documents[0], &request);
	assert_non_null(strstr(xml, "\n  <name>a</name>\n  <metadata>\n    <fit:domain "));
	assert_non_null(strstr(xml, "/>\n  </metadata>\n  <vcpu>"));
	fit_request_clear(&request);
}

static void what_is_no_domain_is_refused(void **state)
{
	static const char *const bad[] = {"<network/>", "<domain", "", "<!DOCTYPE a><domain/>"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		struct fit_err err = FIT_ERR_INIT;
		char *xml = NULL;

		assert_int_equal(
			fit_request_remove(bad[i], strlen(bad[i]), "test", true, &xml, &err), -1);
		assert_int_equal(err.code, FIT_ERR_INVALID);
		assert_null(xml);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(taking_a_request_out_leaves_the_document_as_it_was),
		cmocka_unit_test(a_new_request_replaces_the_old_one),
		cmocka_unit_test(an_indented_document_stays_indented),
		cmocka_unit_test(what_is_no_domain_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
