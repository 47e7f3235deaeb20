/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/request.h"
#include "core/xml.h"
#include "sys/fsroot.h"

#define FIT "xmlns:fit='" FIT_REQUEST_NAMESPACE "'"

/* The status of fit_request_read() on a domain with this <metadata> content. */
static int read_metadata(const char *metadata, struct fit_request *request, struct fit_err *err)
{
	fit_autofree char *xml = fit_xasprintf(
		"<domain type='kvm'><name>d</name>\n<metadata>%s</metadata></domain>", metadata);
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "d.xml", err);

	if (!doc)
		fail_msg("%s: %s", metadata, err->message);
	return fit_request_read(doc, "d.xml", request, err);
}

static void expect_request(const char *metadata, const char *profiles)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_request request = {0};
	fit_autofree char *joined = NULL;

	if (read_metadata(metadata, &request, &err) != 1)
		fail_msg("%s: %s", metadata, err.message);
	joined = fit_strlist_join(&request.profiles, "|");
	assert_string_equal(joined, profiles);
	fit_request_clear(&request);
}

static void expect_none(const char *metadata)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_request request = {.param_count = 42};

	if (read_metadata(metadata, &request, &err) != 0)
		fail_msg("%s: %s", metadata, err.message);
	assert_int_equal(request.param_count, 42);
}

/* The message begins with the place and contains @words. */
static void expect_error(const char *metadata, const char *words)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_request request = {.param_count = 42};

	if (read_metadata(metadata, &request, &err) != -1)
		fail_msg("%s was accepted", metadata);
	assert_int_equal(err.code, FIT_ERR_INVALID);
	if (!fit_starts_with(err.message, "d.xml:") || !strstr(err.message, words))
		fail_msg("%s: '%s' was expected in: %s", metadata, words, err.message);
	assert_int_equal(request.param_count, 42);
}

static void the_namespace_decides_and_never_the_prefix(void **state)
{
	(void)state;
	expect_request("<fit:domain " FIT " profile='low-latency sriov'/>", "low-latency|sriov");
	expect_request("<p:domain xmlns:p='urn:virt-fit:domain:1' profile='a'/>", "a");
	expect_request("<domain xmlns='urn:virt-fit:domain:1' profile='a'/>", "a");
	expect_request("<fit:domain " FIT " profile=' a\n\tb  '/>", "a|b");
	expect_none("<fit:domain xmlns:fit='urn:example:other' profile='a'/>");
}

static void the_namespace_may_be_declared_on_the_root(void **state)
{
	static const char xml[] = "<domain xmlns:x='urn:virt-fit:domain:1'><metadata>"
				  "<x:domain profile='a'/></metadata></domain>";
	struct fit_err err = FIT_ERR_INIT;
	struct fit_request request = {0};
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), "d.xml", &err);

	(void)state;
	assert_int_equal(fit_request_read(doc, "d.xml", &request, &err), 1);
	assert_string_equal(request.profiles.items[0], "a");
	fit_request_clear(&request);
}

static void other_metadata_is_none_of_our_business(void **state)
{
	(void)state;
	expect_none("");
	expect_none("<p:profile xmlns:p='urn:example:profile' name='low-latency'/>");
	expect_none("<p:domain xmlns:p='urn:example:profile' profile=''/>");
	expect_none("<kubevirt xmlns='http://kubevirt.io'><uid/></kubevirt>");
	expect_none("<a:x xmlns:a='urn:a'><fit:domain " FIT "/></a:x>");
	expect_none("<fit:record xmlns:fit='urn:virt-fit:applied:1'/>");
	expect_none("<note>text</note> text <!-- comment -->");
	expect_request("<fit:domain " FIT " profile='a' x:y='1' xmlns:x='urn:x'>"
		       "<x:param/><!-- comment --></fit:domain>",
		"a");
}

static void a_request_without_namespace_is_an_error_that_says_what_to_write(void **state)
{
	(void)state;
	expect_error("<domain profile='a'/>", "xmlns:fit=\"urn:virt-fit:domain:1\"");
	expect_error("<domain profile='a'/>", "drops it silently");
	expect_error("<profile>gaming</profile>", "has no namespace");
	expect_error("<profile name='a'/>", "has no namespace");
	expect_error("<fit:domain " FIT " profile='a'/><domain/>", "has no namespace");
}

static void wrong_elements_and_attributes_are_named(void **state)
{
	(void)state;
	expect_error("<fit:profile " FIT " name='a'/>", "<profile> is no request");
	expect_error("<fit:domain xmlns:fit='urn:virt-fit:domain:2' profile='a'/>",
		"urn:virt-fit:domain:2");
	expect_error("<fit:domain " FIT " profile='a' profiles='b'/>",
		"d.xml:2: <domain> has no attribute profiles: it has profile and stale, without a prefix");
	expect_error("<fit:domain " FIT " fit:profile='a'/>",
		"<domain> has no attribute with a prefix, such as profile: it has profile "
		"and stale, without a prefix");
	expect_error("<fit:domain " FIT " profile='a'><fit:param name='a' values='b'/>"
		     "</fit:domain>",
		"<param> has no attribute values: it has name and value, without a prefix");
	expect_error("<fit:domain " FIT " profile='a'><fit:vfs/></fit:domain>", "<vfs>");
	expect_error("<fit:domain " FIT " profile='a'>\n<param name='a' value='b'/></fit:domain>",
		"d.xml:3: <param> inside the request has no namespace");
	expect_error("<fit:domain " FIT " profile='a'>text</fit:domain>", "text");
	expect_error("<fit:domain " FIT " profile='a'><fit:param name='a' value='b'>x"
		     "</fit:param></fit:domain>",
		"cannot contain text");
	expect_error("<fit:domain " FIT " profile='a'><fit:device netdev='a'><fit:param/>"
		     "</fit:device></fit:domain>",
		"<device> cannot contain <param>");
	expect_error("<fit:domain " FIT " profile='a'/><fit:domain " FIT " profile='a'/>",
		"second request");
	expect_error("</metadata><fit:domain " FIT " profile='a'/><metadata>",
		"must be inside <metadata>");
}

static void profile_names_cannot_become_paths_or_forge_lines(void **state)
{
	static const char *const bad[] = {"/etc/passwd", "..", "../a", "a/b", "a..b", ".a", "-a",
		"a,b", "a;b", "$(id)", "ä", "a%2fb"};
	fit_autofree char *longest = fit_xcalloc(1, 66);
	fit_autofree char *metadata = NULL;

	(void)state;
	expect_error("<fit:domain " FIT "/>", "names no profile");
	expect_error("<fit:domain " FIT " profile=''/>", "is empty");
	expect_error("<fit:domain " FIT " profile=' &#10;&#9; '/>", "is empty");
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		fit_autofree char *text =
			fit_xasprintf("<fit:domain " FIT " profile='good %s'/>", bad[i]);

		expect_error(text, "is no profile name");
		assert_false(fit_profile_name_is_valid(bad[i]));
	}
	memset(longest, 'x', 64);
	assert_true(fit_profile_name_is_valid(longest));
	longest[64] = 'x';
	assert_false(fit_profile_name_is_valid(longest));
	assert_false(fit_profile_name_is_valid(""));
	assert_true(fit_profile_name_is_valid("9.a_b-C"));
}

static void params_and_devices_are_read(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_request request = {0};

	(void)state;
	assert_int_equal(read_metadata("<fit:domain " FIT " profile='a'><fit:param name='vfs' "
				       "value='2'/><fit:param name='empty' value=''/>"
				       "<fit:device address='41:00.1'/>"
				       "<fit:device netdev='enp65s0f0'/></fit:domain>",
				 &request, &err),
		1);
	assert_int_equal(request.param_count, 2);
	assert_string_equal(request.params[0].name, "vfs");
	assert_string_equal(request.params[0].value, "2");
	assert_string_equal(request.params[1].value, "");
	assert_int_equal(request.device_count, 2);
	assert_null(request.devices[0].netdev);
	assert_int_equal(request.devices[0].address.bus, 0x41);
	assert_string_equal(request.devices[1].netdev, "enp65s0f0");
	fit_request_clear(&request);
}

static void bad_params_and_devices_are_refused(void **state)
{
	static const char *const bad[][2] = {
		{"<fit:param name='a'/>", "needs name= and value="},
		{"<fit:param name='' value='1'/>", "needs name= and value="},
		{"<fit:param value='1'/>", "needs name= and value="},
		{"<fit:param name='a' value='1' type='count'/>", "no attribute type"},
		{"<fit:param name='a' value='1'/><fit:param name='a' value='1'/>",
			"parameter \"a\" is given twice"},
		{"<fit:device/>", "<device> needs either address= or netdev="},
		{"<fit:device netdev=''/>", "<device netdev=\"\"> names no network interface"},
		{"<fit:device netdev='a' address='0000:41:00.0'/>", "either address= or netdev="},
		{"<fit:device address='41'/>",
			"\"41\" is no PCI address: write it as lspci -D does, such as "
			"0000:41:00.0"},
		{"<fit:device address='0000:41:00.0&#10;'/>", "no PCI address"},
		{"<fit:device address='41:0.0'/><fit:device address='0000:41:00.0'/>", "twice"},
		{"<fit:device netdev='a'/><fit:device netdev='a'/>", "twice"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		fit_autofree char *text =
			fit_xasprintf("<fit:domain " FIT " profile='a'>%s</fit:domain>", bad[i][0]);

		expect_error(text, bad[i][1]);
	}
}

static void metadata_of_other_programs_in_the_corpus_is_left_alone(void **state)
{
	static const struct {
		const char *file;
		int status;
	} cases[] = {{"cases/B50.xml", 0}, {"cases/B50b.xml", -1}, {"cases/B50c.xml", 0}};
	const char *corpus = getenv("CORPUS");

	(void)state;
	if (!corpus || access(corpus, R_OK) < 0)
		skip();
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_fsroot root;
		struct fit_request request;
		fit_autofree char *text = NULL;
		fit_autodoc xmlDoc *doc = NULL;
		size_t length;

		assert_int_equal(fit_fsroot_open(corpus, &root, &err), 0);
		if (fit_fsroot_read(&root, cases[i].file, &text, &length, &err) < 0)
			fail_msg("%s", err.message);
		fit_fsroot_close(&root);
		doc = fit_xml_parse(text, length, cases[i].file, &err);
		assert_non_null(doc);
		assert_int_equal(
			fit_request_read(doc, cases[i].file, &request, &err), cases[i].status);
	}
}

/* Property: reading what was printed gives the same request, whatever the values. */
static void a_printed_request_reads_back_the_same(void **state)
{
	static const char alphabet[] = "ab <>&\"'\n\t\r${}/.";

	(void)state;
	srand(1);
	for (int round = 0; round < 200; round++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_request request = {0};
		struct fit_request again = {0};
		fit_autofree char *printed = NULL;
		fit_autofree char *reprinted = NULL;

		for (int i = rand() % 3; i >= 0; i--)
			fit_strlist_addf(&request.profiles, "p%d", rand() % 10);
		for (int i = rand() % 4; i > 0; i--) {
			struct fit_param *param = FIT_APPEND(request.params, request.param_count);

			param->name = fit_xasprintf("n%d", i);
			param->value = fit_xcalloc(1, 9);
			for (int c = rand() % 8; c > 0; c--)
				param->value[c - 1] =
					alphabet[(size_t)rand() % (sizeof(alphabet) - 1)];
		}
		for (int i = rand() % 3; i > 0; i--) {
			struct fit_request_device *device =
				FIT_APPEND(request.devices, request.device_count);

			if (i == 1)
				device->netdev = fit_xstrdup("net&0");
			else
				device->address.domain = (uint32_t)rand();
		}
		request.stale = (enum fit_stale)(rand() % (FIT_STALE_WARN + 1));
		printed = fit_request_print(&request);
		if (read_metadata(printed, &again, &err) != 1)
			fail_msg("%s: %s", printed, err.message);
		reprinted = fit_request_print(&again);
		assert_string_equal(printed, reprinted);
		assert_int_equal(again.param_count, request.param_count);
		assert_int_equal(again.stale, request.stale);
		for (size_t i = 0; i < request.param_count; i++)
			assert_string_equal(again.params[i].value, request.params[i].value);
		fit_request_clear(&request);
		fit_request_clear(&again);
	}
}

/* What is asked for on the command line comes to what the definition requests. */
static void a_request_is_added_to_another(void **state)
{
	static const char of[] = "<fit:domain " FIT " profile='a b' stale='refuse'>"
				 "<fit:param name='x' value='1'/><fit:param name='y' value='2'/>"
				 "<fit:device netdev='eth0'/><fit:device address='0000:01:00.0'/>"
				 "</fit:domain>";
	static const char more[] = "<fit:domain " FIT " profile='c'>"
				   "<fit:param name='y' value='3'/><fit:param name='z' value='4'/>"
				   "<fit:device netdev='eth1'/><fit:device netdev='eth0'/>"
				   "<fit:device address='0000:02:00.0'/>"
				   "<fit:device address='0000:01:00.0'/></fit:domain>";
	static const char both[] = "<fit:domain " FIT " profile='c' stale='refuse'>"
				   "<fit:param name='x' value='1'/><fit:param name='y' value='3'/>"
				   "<fit:param name='z' value='4'/><fit:device netdev='eth0'/>"
				   "<fit:device address='0000:01:00.0'/><fit:device netdev='eth1'/>"
				   "<fit:device address='0000:02:00.0'/></fit:domain>";
	struct fit_request request = {0}, added = {0}, wanted = {0}, nothing = {0};
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *text = NULL;
	fit_autofree char *found = NULL;
	fit_autofree char *again = NULL;

	(void)state;
	assert_int_equal(read_metadata(of, &request, &err), 1);
	assert_int_equal(read_metadata(more, &added, &err), 1);
	assert_int_equal(read_metadata(both, &wanted, &err), 1);
	fit_request_merge(&request, &added);
	text = fit_request_print(&wanted);
	found = fit_request_print(&request);
	assert_string_equal(found, text);
	nothing.stale = FIT_STALE_WARN;
	fit_request_merge(&request, &nothing);
	assert_int_equal(request.stale, FIT_STALE_WARN);
	request.stale = wanted.stale;
	again = fit_request_print(&request);
	assert_string_equal(again, text);
	fit_request_clear(&request);
	fit_request_clear(&added);
	fit_request_clear(&wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_namespace_decides_and_never_the_prefix),
		cmocka_unit_test(the_namespace_may_be_declared_on_the_root),
		cmocka_unit_test(other_metadata_is_none_of_our_business),
		cmocka_unit_test(a_request_without_namespace_is_an_error_that_says_what_to_write),
		cmocka_unit_test(wrong_elements_and_attributes_are_named),
		cmocka_unit_test(profile_names_cannot_become_paths_or_forge_lines),
		cmocka_unit_test(params_and_devices_are_read),
		cmocka_unit_test(bad_params_and_devices_are_refused),
		cmocka_unit_test(metadata_of_other_programs_in_the_corpus_is_left_alone),
		cmocka_unit_test(a_request_is_added_to_another),
		cmocka_unit_test(a_printed_request_reads_back_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
