/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record in the metadata: a round trip, and what becomes of one that was tampered with. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/rewrite.h"
#include "core/xml.h"
#include "support_domain.h"

#define HEAD "version='1' profile='p' digest='d' host='h'"
#define FITTED(attributes, facets) \
	"<applied:fitted xmlns:applied='urn:virt-fit:applied:1' " attributes ">" facets \
	"</applied:fitted>"
#define NEEDED	    "version=, profile=, digest= and host= are needed"
#define FACET(rest) FITTED(HEAD, "<applied:facet " rest "</applied:facet>")
#define WROTE(xml)  "<applied:wrote>" xml "</applied:wrote>"

static const struct {
	const char *metadata;
	const char *why;
} tampered[] = {
	{FITTED("profile='p' digest='d' host='h'", ""), NEEDED},
	{FITTED("version='1' digest='d' host='h'", ""), NEEDED},
	{FITTED("version='1' profile='p' host='h'", ""), NEEDED},
	{FITTED("version='1' profile='p' digest='d'", ""), NEEDED},
	{FITTED(HEAD " more='1'", ""), "unknown attribute 'more'"},
	{FITTED(HEAD " floating='all'", ""), "floating='all' is no list of vCPUs"},
	{FITTED(HEAD, "<applied:other/>"), "<other> is not expected"},
	{FITTED(HEAD, "<facet/>"), "<facet> is not expected"},
	{FITTED(HEAD, "") FITTED(HEAD, ""), "there are two"},
	{"<a:fitted xmlns:a='urn:virt-fit:applied:2'/>", "another version"},
	{"<a:other xmlns:a='urn:virt-fit:applied:1'/>", "not understood"},
	{FACET("wrote='1'>"), "without path="},
	{FACET("path='cpu/@mode' wrote='1' color='red'>"), "unknown attribute 'color'"},
	{FACET("path='../../etc/passwd' wrote='1'>"), "is not a path"},
	{FACET("path='/cpu/@mode' wrote='1'>"), "is not a path"},
	{FACET("path='cpu//@mode' wrote='1'>"), "is not a path"},
	{FACET("path='cpu/@mode' wrote='1' position='-1'>"), "position='-1'"},
	{FACET("path='cpu/@mode' wrote='1' position='99999999999'>"), "position="},
	{FACET("path='cpu/@mode' wrote='1' sole='no'>"), "sole='no'"},
	{FACET("path='cpu/@mode' wrote='1' rank='first'>"), "rank='first'"},
	{FITTED(HEAD " qemu-namespace='q'", ""), "qemu-namespace='q'"},
	{FACET("path='qemu:commandline' wrote='1'>"), "is not a path"},
	{FACET("path='cpu' container='maybe'>"), "container='maybe'"},
	{FACET("path='cpu/@mode' container='yes'>"), "container with a value"},
	{FACET("path='cpu' container='yes'>" WROTE("&lt;cpu/>")), "container with a value"},
	{FACET("path='cpu'>"), "has no value"},
	{FACET("path='cpu' wrote='&lt;cpu/>'>"), "value as attribute"},
	{FACET("path='cpu'>" WROTE("")), "not one XML element"},
	{FACET("path='cpu'>" WROTE("&lt;cpu>")), "facet cpu"},
	{FACET("path='cpu'>" WROTE("&lt;os/>")), "not what the path names"},
	{FACET("path='cpu'>" WROTE("&lt;cpu/>&lt;cpu/>")), "not one XML element"},
	{FACET("path='cpu'>" WROTE("text &lt;cpu/>")), "not one XML element"},
	{FACET("path='cpu'>" WROTE("&lt;/scope>&lt;scope>")), "facet cpu"},
	{FACET("path='cpu'>" WROTE("&lt;!DOCTYPE x>&lt;cpu/>")), "facet cpu"},
	{FACET("path='cpu'>" WROTE("&lt;cpu>&amp;x;&lt;/cpu>")), "Entity 'x'"},
	{FACET("path='cpu'>" WROTE("&lt;cpu/>") WROTE("&lt;cpu/>")), "<wrote> is not expected"},
	{FACET("path='cpu'>" WROTE("<cpu/>")), "not one XML element"},
	{FACET("path='a[@b=\"1\"]'>" WROTE("&lt;a/>")), "is not a path"},
	{FACET("path=\"a[@b='1']\">" WROTE("&lt;a b='2'/>")), "not what the path names"},
	{FACET("path='iothreads/text()' before='&lt;a/>'>"), "not plain text"},
	{FACET("path='metadata'>" WROTE("&lt;metadata/>")), "does not change <metadata>"},
	{FACET("path='metadata/x/@y' wrote='1'>"), "does not change <metadata>"},
};

static void a_tampered_record_is_refused_and_nothing_is_touched(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(tampered); i++) {
		fit_autofree char *text = fit_xasprintf(
			"<domain>\n<cpu mode='1'/><iothreads>1</iothreads>\n<metadata>%s</metadata>"
			"</domain>",
			tampered[i].metadata);
		fit_autodoc xmlDoc *doc = fit_test_parse(text);
		fit_autofree char *before = fit_xml_print(doc);
		fit_autofree char *after = NULL;
		fit_autostrlist struct fit_strlist notes = {0};
		struct fit_remains *remains = NULL;
		struct fit_err err = FIT_ERR_INIT;

		if (fit_rewrite_undo(doc, "web01", &notes, &remains, &err) == 0)
			fail_msg("accepted: %s", tampered[i].metadata);
		assert_int_equal(err.code, FIT_ERR_INVALID);
		if (!strstr(err.message, tampered[i].why) || !fit_starts_with(err.message, "web01"))
			fail_msg("'%s' does not say '%s'", err.message, tampered[i].why);
		after = fit_xml_print(doc);
		assert_string_equal(before, after);
		assert_null(remains);
	}
}

static void a_path_too_long_or_too_deep_is_refused(void **state)
{
	fit_autobuffer struct fit_buffer text = {0};
	fit_autodoc xmlDoc *doc = NULL;
	struct fit_record record = {0};
	struct fit_err err = FIT_ERR_INIT;

	(void)state;
	fit_buffer_add(&text, "<domain><metadata><a:fitted xmlns:a='urn:virt-fit:applied:1' " HEAD
			      "><a:facet path='");
	for (int i = 0; i < 100000; i++)
		fit_buffer_add(&text, "a/");
	fit_buffer_add(&text, "a' container='yes'/></a:fitted></metadata></domain>");
	doc = fit_test_parse(text.text);
	assert_int_equal(fit_record_read(doc, "web01", &record, &err), -1);
	assert_int_equal(fit_record_read(doc, "web01", &record, NULL), -1);
	assert_non_null(strstr(err.message,
		"; put it back as it was, or take <fitted> out of <metadata> (virsh edit): what "
		"was fitted counts as the definition's own then"));
}

static void without_a_record_nothing_happens(void **state)
{
	static const char *const texts[] = {"<domain/>", "<domain><metadata/></domain>",
		"<domain><metadata><fitted/></metadata></domain>",
		"<domain><other><applied:fitted xmlns:applied='urn:virt-fit:applied:1'/></other>"
		"</domain>"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(texts); i++) {
		fit_autodoc xmlDoc *doc = fit_test_parse(texts[i]);
		fit_autofree char *before = fit_xml_print(doc);
		fit_autofree char *after = NULL;
		fit_autostrlist struct fit_strlist notes = {0};
		struct fit_remains *remains = NULL;
		struct fit_record record = {0};

		assert_int_equal(fit_record_read(doc, "web01", &record, NULL), 0);
		assert_int_equal(fit_rewrite_undo(doc, "web01", &notes, &remains, NULL), 0);
		after = fit_xml_print(doc);
		assert_string_equal(before, after);
		assert_null(remains);
		assert_int_equal(notes.count, 0);
	}
}

static char *fitted_text(void)
{
	fit_autodoc xmlDoc *doc =
		fit_test_parse("<domain xmlns:q='urn:q'>\n <name>n</name>\n\n "
			       "<memballoon q:a='1'>\n&lt;<![CDATA[x]]></memballoon>\n"
			       " <cpu mode='a&#10;b'/>\n <vcpu><!-- v -->2</vcpu>\n</domain>");
	char profile[] = "a 'b' \"c\" <d>";
	const struct fit_record info = {.profile = profile, .had_metadata = true};
	struct fit_edits edits = {0};
	struct fit_err err = FIT_ERR_INIT;

	fit_edits_remove(&edits, "memballoon");
	fit_edits_set(&edits, "cpu/@mode", "x \"<&>'\n");
	fit_edits_set(&edits, "vcpu/text()", "3");
	fit_edits_set(&edits, "cputune/shares", "<shares>1</shares>");
	if (fit_rewrite_apply(doc, "web01", &edits, &info, NULL, &err) < 0)
		fail_msg("%s", err.message);
	fit_edits_clear(&edits);
	return fit_xml_print(doc);
}

static void a_record_is_read_as_it_was_written(void **state)
{
	fit_autofree char *text = fitted_text();
	fit_autodoc xmlDoc *doc = fit_test_parse(text);
	struct fit_record record = {0};

	(void)state;
	assert_int_equal(fit_record_read(doc, "web01", &record, NULL), 1);
	assert_string_equal(record.version, FIT_VERSION);
	assert_string_equal(record.profile, "a 'b' \"c\" <d>");
	assert_string_equal(record.digest, "");
	assert_true(record.had_metadata);
	assert_false(record.qemu_declared);
	assert_int_equal(record.facet_count, 8);
	assert_string_equal(
		record.facets[0].before, "<memballoon q:a=\"1\">\n&lt;<![CDATA[x]]></memballoon>");
	assert_null(record.facets[0].wrote);
	assert_string_equal(record.facets[0].lead, "\n\n ");
	assert_int_equal(record.facets[0].position, 1);
	assert_string_equal(record.facets[1].before, "a\nb");
	assert_string_equal(record.facets[1].wrote, "x \"<&>'\n");
	assert_string_equal(record.facets[4].before, "<!-- v -->2");
	assert_string_equal(record.facets[4].wrote, "3");
	assert_true(record.facets[5].container);
	assert_string_equal(record.facets[6].wrote, "<shares>1</shares>");
	assert_true(record.facets[6].sole);
	assert_string_equal(record.facets[7].path, "metadata");
	fit_record_clear(&record);
}

/* Random damage: refused with the document as it was, or undone; never a crash. */
static void a_damaged_record_is_refused_or_undone(void **state)
{
	fit_autofree char *text = fitted_text();
	size_t start = (size_t)(strstr(text, "<applied:fitted") - text);
	size_t length = (size_t)(strstr(text, "</metadata>") - text) - start;
	size_t parsed = 0;

	(void)state;
	srand(1);
	for (int round = 0; round < 20000; round++) {
		fit_autofree char *copy = fit_xstrdup(text);
		fit_autodoc xmlDoc *doc = NULL;
		fit_autostrlist struct fit_strlist notes = {0};
		struct fit_remains *remains = NULL;
		struct fit_err err = FIT_ERR_INIT;

		for (int i = rand() % 3; i >= 0; i--)
			copy[start + (size_t)rand() % length] = "a/@[]'&;=<> 0x"[rand() % 14];
		doc = fit_xml_parse(copy, strlen(copy), "web01", NULL);
		if (!doc)
			continue;
		parsed++;
		if (fit_rewrite_undo(doc, "web01", &notes, &remains, &err) < 0)
			assert_int_equal(err.code, FIT_ERR_INVALID);
		fit_remains_free(&remains);
	}
	assert_true(parsed > 1000);
}

static void edits_that_make_no_sense_are_refused(void **state)
{
	static const char *const bad[][2] = {
		{"cpu/@mode", "\x01"},
		{"cpu/@mode", "\xff"},
		{"cpu", "<cpu"},
		{"cpu", "<os/>"},
		{"vcpupin[@vcpu='1']", "<vcpupin vcpu='2'/>"},
		{"cpu/", "<cpu/>"},
		{"metadata/x", "<x/>"},
		{"disk[target/@dev='vda']/@io", "native"},
		{"disk[target/@dev='vda']/driver/@io", "native"},
		{"devices/text()", "native"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		fit_autodoc xmlDoc *doc =
			fit_test_parse("<domain><devices><a/></devices></domain>");
		const struct fit_record info = {0};
		struct fit_edits edits = {0};
		struct fit_err err = FIT_ERR_INIT;

		fit_edits_set(&edits, bad[i][0], bad[i][1]);
		if (fit_rewrite_apply(doc, "web01", &edits, &info, NULL, &err) == 0)
			fail_msg("accepted: %s = %s", bad[i][0], bad[i][1]);
		assert_int_equal(err.code, FIT_ERR_INVALID);
		fit_edits_clear(&edits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tampered_record_is_refused_and_nothing_is_touched),
		cmocka_unit_test(a_path_too_long_or_too_deep_is_refused),
		cmocka_unit_test(without_a_record_nothing_happens),
		cmocka_unit_test(a_record_is_read_as_it_was_written),
		cmocka_unit_test(a_damaged_record_is_refused_or_undone),
		cmocka_unit_test(edits_that_make_no_sense_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
