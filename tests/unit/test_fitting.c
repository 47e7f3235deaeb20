/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is worked out ahead and defined later, on libvirt's test driver. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "fitting/fit.h"
#include "support_render.h"

#define REQUEST "<f:domain xmlns:f='urn:virt-fit:domain:1' profile='throughput'/>"

static struct fit_session session;

static int open_session(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_test_machine *machine;

	if (fit_test_machine_setup(state) < 0)
		return -1;
	machine = fit_test_machine();
	session = (struct fit_session){.root = &machine->root,
		.store = &machine->store,
		.connect = "test:///default",
		.other_host = true};
	if (fit_session_survey(&session, &err) < 0)
		fail_msg("%s", err.message);
	return 0;
}

static int close_session(void **state)
{
	fit_session_close(&session);
	return fit_test_machine_teardown(state);
}

static void define(const char *name, const char *title, const char *devices)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *xml = fit_xasprintf(
		"<domain type='kvm'><name>%s</name>"
		"<uuid>aaaaaaaa-0000-4000-8000-%012x</uuid><title>%s</title><metadata>" REQUEST
		"</metadata><memory unit='GiB'>1</memory><vcpu>1</vcpu><os><type arch='x86_64' "
		"machine='q35'>hvm</type></os><devices>%s</devices></domain>",
		name, (unsigned int)fit_text_hash(name), title, devices);

	if (fit_virt_define(&session.virt, xml, &err) < 0)
		fail_msg("%s: %s", name, err.message);
}

/* To be freed. */
static char *definition(const char *name)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_virt_domain domain = {0};
	char *xml;

	if (fit_virt_find(&session.virt, name, &domain, &err) < 0)
		fail_msg("%s", err.message);
	xml = fit_virt_definition(&domain, &err);
	fit_virt_domain_clear(&domain);
	assert_non_null(xml);
	return xml;
}

static struct fit_prepared prepare(const char *name)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_prepared prepared = {0};

	if (fit_domain_prepare(&session, name, &prepared, &err) < 0)
		fail_msg("%s", err.message);
	return prepared;
}

static int define_prepared(struct fit_prepared *prepared)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_fitted fitted = {0};
	int status = fit_domain_fit_prepared(&session, prepared, &fitted, &err);

	if (status < 0)
		fail_msg("%s", err.message);
	if (status > 0)
		assert_true(fitted.changed && fitted.subject.is_domain);
	fit_fitted_clear(&fitted);
	fit_prepared_clear(prepared);
	return status;
}

static bool is_fitted(const char *name)
{
	fit_autofree char *xml = definition(name);

	return strstr(xml, "urn:virt-fit:applied:1");
}

static void what_was_prepared_is_defined(void **state)
{
	struct fit_prepared prepared;

	(void)state;
	define("ahead", "first", "");
	prepared = prepare("ahead");
	assert_false(is_fitted("ahead"));
	assert_int_equal(define_prepared(&prepared), 1);
	assert_true(is_fitted("ahead"));
	/* There is nothing to prepare any more. */
	prepared = prepare("ahead");
	assert_null(prepared.redefinition.xml);
	fit_prepared_clear(&prepared);
}

static void what_was_edited_since_is_left(void **state)
{
	struct fit_prepared prepared;
	fit_autofree char *xml = NULL;

	(void)state;
	define("edited", "first", "");
	prepared = prepare("edited");
	define("edited", "second", "");
	assert_int_equal(define_prepared(&prepared), 0);
	xml = definition("edited");
	assert_non_null(strstr(xml, "<title>second</title>"));
	assert_false(is_fitted("edited"));
	prepared = prepare("edited");
	assert_int_equal(define_prepared(&prepared), 1);
	assert_true(is_fitted("edited"));
}

static void the_schema_is_asked_about_what_is_new(void **state)
{
	struct fit_prepared prepared;

	(void)state;
	define("like", "first", "");
	prepared = prepare("like");
	(void)define_prepared(&prepared);
	define("alike", "first", "");
	prepared = prepare("alike");
	assert_true(prepared.redefinition.is_known);
	assert_int_equal(define_prepared(&prepared), 1);
	define("more", "first", "<sound model='ich9'/>");
	prepared = prepare("more");
	assert_false(prepared.redefinition.is_known);
	assert_int_equal(define_prepared(&prepared), 1);
	define("same", "first", "<sound model='ich9'/>");
	prepared = prepare("same");
	assert_true(prepared.redefinition.is_known);
	fit_prepared_clear(&prepared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_prepared_is_defined),
		cmocka_unit_test(what_was_edited_since_is_left),
		cmocka_unit_test(the_schema_is_asked_about_what_is_new),
	};

	return cmocka_run_group_tests(tests, open_session, close_session);
}
