/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What people are shown of a definition. */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "core/readable.h"

#define RECORD "<f:fitted xmlns:f='urn:virt-fit:applied:1' version='1'/>"

static void expect(const char *xml, const char *wanted)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *found = fit_readable(xml, strlen(xml), "vm.xml", &err);

	assert_non_null(found);
	assert_string_equal(found, wanted);
}

static void a_record_leaves_nothing(void **state)
{
	(void)state;
	expect("<domain>\n  <name>a</name>\n  <metadata>\n    " RECORD
	       "\n  </metadata>\n  <vcpu>1</vcpu>\n</domain>\n",
		"<domain>\n  <name>a</name>\n  <vcpu>1</vcpu>\n</domain>\n");
	expect("<domain>\n  <name>a</name>\n  <metadata>\n    <x xmlns=\"urn:x\"/>\n    " RECORD
	       "\n  </metadata>\n</domain>\n",
		"<domain>\n  <name>a</name>\n  <metadata>\n    <x xmlns=\"urn:x\"/>\n  "
		"</metadata>\n</domain>\n");
}

/* As libvirt drops it, or it would be a difference that nobody made. */
static void empty_metadata_is_none(void **state)
{
	(void)state;
	expect("<domain>\n  <name>a</name>\n  <metadata>\n  </metadata>\n</domain>\n",
		"<domain>\n  <name>a</name>\n</domain>\n");
	expect("<domain>\n  <metadata><!-- mine --></metadata>\n</domain>\n",
		"<domain>\n  <metadata><!-- mine --></metadata>\n</domain>\n");
}

static void what_is_no_document_is_refused(void **state)
{
	struct fit_err err = FIT_ERR_INIT;

	(void)state;
	assert_null(fit_readable("<domain>", 8, "vm.xml", &err));
	assert_int_equal(err.code, FIT_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_leaves_nothing),
		cmocka_unit_test(empty_metadata_is_none),
		cmocka_unit_test(what_is_no_document_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
