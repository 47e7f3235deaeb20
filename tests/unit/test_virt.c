/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Against libvirt's built-in test driver: a hypervisor inside this process, with one domain. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "virt/domains.h"

/* @name as it stands in XML. */
static void define(const struct fit_virt *virt, const char *name, const char *more)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *xml = fit_xasprintf(
		"<domain type='test'><name>%s</name><memory>65536</memory><vcpu>2</vcpu>"
		"<os><type>hvm</type></os>%s</domain>",
		name, more);

	if (fit_virt_define(virt, xml, &err) < 0)
		fail_msg("%s: %s", name, err.message);
}

static int open_test_driver(void **state)
{
	static struct fit_virt virt;
	struct fit_err err = FIT_ERR_INIT;

	if (fit_virt_open("test:///default", &virt, &err) < 0)
		fail_msg("%s", err.message);
	*state = &virt;
	return 0;
}

static int close_test_driver(void **state)
{
	fit_virt_close(*state);
	return 0;
}

static void what_cannot_be_reached_is_named(void **state)
{
	struct fit_virt virt = {0};
	struct fit_err err = FIT_ERR_INIT;

	(void)state;
	assert_int_equal(fit_virt_open("nonsense:///x", &virt, &err), -1);
	assert_non_null(strstr(err.message, "nonsense:///x"));
	assert_null(virt.connection);
	assert_null(virt.uri);
}

static void domains_are_found_by_name_uuid_and_id(void **state)
{
	const struct fit_virt *virt = *state;
	static const char *const ways[] = {"test", "6695eb01-f6a4-8304-79aa-97f2502e193f", "1"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(ways); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_virt_domain domain = {0};

		if (fit_virt_find(virt, ways[i], &domain, &err) < 0)
			fail_msg("%s: %s", ways[i], err.message);
		assert_string_equal(domain.name, "test");
		assert_string_equal(domain.uuid, ways[1]);
		assert_true(domain.active);
		assert_true(domain.persistent);
		assert_string_equal(domain.state, "running");
		fit_virt_domain_clear(&domain);
	}
}

static void a_name_wins_over_an_id(void **state)
{
	const struct fit_virt *virt = *state;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_virt_domain domain = {0};

	define(virt, "1", "");
	assert_int_equal(fit_virt_find(virt, "1", &domain, &err), 0);
	assert_string_equal(domain.name, "1");
	assert_false(domain.active);
	assert_string_equal(domain.state, "shut off");
	fit_virt_domain_clear(&domain);
}

static void an_unknown_domain_is_not_found(void **state)
{
	const struct fit_virt *virt = *state;
	static const char *const names[] = {"nosuch", "99", "-1", "%s%n", "",
		"00000000-0000-0000-0000-000000000000", "99999999999999999999"};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(names); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_virt_domain domain = {0};

		assert_int_equal(fit_virt_find(virt, names[i], &domain, &err), -1);
		assert_int_equal(err.code, FIT_ERR_NOTFOUND);
		assert_non_null(strstr(err.message, names[i]));
		assert_null(domain.handle);
	}
}

static void odd_names_survive(void **state)
{
	const struct fit_virt *virt = *state;
	static const char *const names[][2] = {
		{"-rf", "-rf"},
		{"two words", "two words"},
		{"it's \"q\" &lt;x&gt; &amp;", "it's \"q\" <x> &"},
		{"\xc3\xbc\xe6\x9c\xba", "\xc3\xbc\xe6\x9c\xba"},
		{"$(reboot);%s", "$(reboot);%s"},
	};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(names); i++) {
		struct fit_err err = FIT_ERR_INIT;
		struct fit_virt_domain domain = {0};

		define(virt, names[i][0], "");
		if (fit_virt_find(virt, names[i][1], &domain, &err) < 0)
			fail_msg("%s: %s", names[i][1], err.message);
		assert_string_equal(domain.name, names[i][1]);
		fit_virt_domain_clear(&domain);
	}
}

static void a_definition_keeps_its_password_when_it_is_defined_again(void **state)
{
	const struct fit_virt *virt = *state;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_virt_domain domain = {0};
	fit_autofree char *xml = NULL;
	fit_autofree char *again = NULL;

	define(virt, "secret",
		"<devices><graphics type='vnc' port='5900' passwd='hidden'/></devices>");
	assert_int_equal(fit_virt_find(virt, "secret", &domain, &err), 0);
	xml = fit_virt_definition(&domain, &err);
	assert_non_null(strstr(xml, "passwd='hidden'"));
	assert_int_equal(fit_virt_define(virt, xml, &err), 0);
	again = fit_virt_definition(&domain, &err);
	assert_string_equal(again, xml);
	fit_virt_domain_clear(&domain);
}

static void what_libvirt_refuses_is_said_in_one_line(void **state)
{
	const struct fit_virt *virt = *state;
	static const char *const bad[] = {
		"<domain type='test'><name>x</name></domain>",
		"<domain type='test'><name>x</name><memory>1024</memory><nonsense/><os>"
		"<type>hvm</type></os></domain>",
		"<domain",
	};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		struct fit_err err = FIT_ERR_INIT;

		assert_int_equal(fit_virt_define(virt, bad[i], &err), -1);
		assert_int_equal(err.code, FIT_ERR_INVALID);
		assert_null(strchr(err.message, '\n'));
	}
}

static void an_undefined_domain_is_gone_rather_than_broken(void **state)
{
	const struct fit_virt *virt = *state;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_virt_domain domain = {0};

	define(virt, "brief", "");
	assert_int_equal(fit_virt_find(virt, "brief", &domain, &err), 0);
	assert_int_equal(virDomainUndefine(domain.handle), 0);
	assert_null(fit_virt_definition(&domain, &err));
	assert_int_equal(err.code, FIT_ERR_NOTFOUND);
	fit_virt_domain_clear(&domain);
}

static void the_list_is_sorted_and_complete(void **state)
{
	const struct fit_virt *virt = *state;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_virt_domains domains = {0};
	bool found = false;

	assert_int_equal(fit_virt_list(virt, &domains, &err), 0);
	assert_true(domains.count >= 2);
	for (size_t i = 0; i < domains.count; i++) {
		if (i)
			assert_true(strcmp(domains.items[i - 1].name, domains.items[i].name) < 0);
		found |= strcmp(domains.items[i].name, "test") == 0;
	}
	assert_true(found);
	fit_virt_domains_clear(&domains);
}

static const struct fit_claim *claim_of(const struct fit_claims *claims, const char *name)
{
	for (size_t i = 0; i < claims->count; i++)
		if (strcmp(claims->items[i].name, name) == 0)
			return &claims->items[i];
	fail_msg("no claim of %s", name);
	return NULL;
}

static void every_domain_claims_what_it_is_pinned_to(void **state)
{
	const struct fit_virt *virt = *state;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_claims claims = {0};
	fit_autostrlist struct fit_strlist notes = {0};
	fit_autofree char *cpus = NULL;

	define(virt, "pinned",
		"<cputune><vcpupin vcpu='0' cpuset='2'/><vcpupin vcpu='1' cpuset='3'/></cputune>");
	if (fit_virt_claims(virt, &claims, &notes, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(notes.count, 0);
	cpus = fit_cpuset_format_list(&claim_of(&claims, "pinned")->cpus);
	assert_string_equal(cpus, "2-3");
	assert_false(claim_of(&claims, "pinned")->running);
	assert_true(claim_of(&claims, "test")->running);
	fit_claims_clear(&claims);
}

static void the_place_of_the_domains_is_known_by_the_uri(void **state)
{
	static const struct {
		const char *uri;
		bool remote;
		bool system;
	} cases[] = {
		{"qemu:///system", false, true},
		{"qemu+unix:///system?socket=/x", false, true},
		{"qemu:///session", false, false},
		{"test:///default", false, false},
		{"qemu+ssh://root@other/system", true, false},
		{"xen:///system", false, false},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		const struct fit_virt virt = {.uri = (char *)(uintptr_t)cases[i].uri};

		assert_int_equal(fit_virt_is_remote(&virt), cases[i].remote);
		assert_int_equal(fit_virt_is_system(&virt), cases[i].system);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_reached_is_named),
		cmocka_unit_test(domains_are_found_by_name_uuid_and_id),
		cmocka_unit_test(a_name_wins_over_an_id),
		cmocka_unit_test(an_unknown_domain_is_not_found),
		cmocka_unit_test(odd_names_survive),
		cmocka_unit_test(a_definition_keeps_its_password_when_it_is_defined_again),
		cmocka_unit_test(what_libvirt_refuses_is_said_in_one_line),
		cmocka_unit_test(an_undefined_domain_is_gone_rather_than_broken),
		cmocka_unit_test(the_list_is_sorted_and_complete),
		cmocka_unit_test(every_domain_claims_what_it_is_pinned_to),
		cmocka_unit_test(the_place_of_the_domains_is_known_by_the_uri),
	};

	return cmocka_run_group_tests(tests, open_test_driver, close_test_driver);
}
