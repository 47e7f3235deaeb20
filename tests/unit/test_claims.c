/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "base/memory.h"
#include "base/text.h"
#include "core/claims.h"
#include "support_domain.h"

/* The only claim of a domain. */
static struct fit_claims claims_of(const char *body)
{
	struct fit_domain domain = fit_test_domain(body);
	struct fit_claims claims = {0};

	fit_claims_add(&claims, &domain, true);
	assert_int_equal(claims.count, 1);
	fit_domain_clear(&domain);
	return claims;
}

/* Of a domain that has pins and, below a bus, a device for itself; "" is none. */
static struct fit_claims claims_with(const char *pins, const char *bus)
{
	fit_autofree char *device =
		fit_xasprintf("<devices><hostdev type='pci'><source>"
			      "<address bus='%s'/></source></hostdev></devices>",
			bus);
	fit_autofree char *body =
		fit_xasprintf("<vcpu>1</vcpu><cputune>%s</cputune>%s", pins, *bus ? device : "");

	return claims_of(body);
}

static void a_pinned_domain_holds_its_cpus(void **state)
{
	struct fit_claims claims = claims_of(
		"<vcpu>2</vcpu><iothreads>2</iothreads><cputune><vcpupin vcpu='0' cpuset='4'/>"
		"<vcpupin vcpu='1' cpuset='20'/><emulatorpin cpuset='0,16'/>"
		"<iothreadpin iothread='1' cpuset='5,21'/><iothreadpin iothread='2' cpuset='0,16'/>"
		"</cputune>");

	(void)state;
	fit_expect_cpus(&claims.items[0].cpus, "4-5,20-21");
	assert_true(claims.items[0].running);
	assert_int_equal(claims.items[0].page_demand_count, 0);
	fit_claims_clear(&claims);
}

static void a_floating_domain_holds_no_cpus(void **state)
{
	static const char *const floating[] = {"<vcpu cpuset='0-7'>4</vcpu>",
		"<vcpu>2</vcpu><cputune><vcpupin vcpu='0' cpuset='0-7'/>"
		"<vcpupin vcpu='1' cpuset='0-7'/></cputune>",
		"<vcpu>4</vcpu>"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(floating); i++) {
		struct fit_claims claims = claims_of(floating[i]);

		assert_true(fit_cpuset_is_empty(&claims.items[0].cpus));
		fit_claims_clear(&claims);
	}
}

static void vcpus_that_share_few_cpus_hold_them(void **state)
{
	struct fit_claims claims = claims_of("<vcpu cpuset='2-3'>4</vcpu>");

	(void)state;
	fit_expect_cpus(&claims.items[0].cpus, "2-3");
	fit_claims_clear(&claims);
}

/* Their pins are like those of others that have their CPUs for themselves. */
static void what_the_record_says_floats_holds_nothing(void **state)
{
	static const char *const bodies[] = {
		"<vcpu>1</vcpu><cputune><vcpupin vcpu='0' cpuset='1'/></cputune>",
		"<vcpu>2</vcpu><cputune><vcpupin vcpu='0' cpuset='2-3'/><vcpupin vcpu='1' "
		"cpuset='2-3'/></cputune>",
		"<vcpu cpuset='2-3'>2</vcpu>",
	};
	static const char record[] = "<metadata><a:fitted xmlns:a='urn:virt-fit:applied:1' "
				     "floating='0-1'/></metadata>";

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bodies); i++) {
		fit_autofree char *body = fit_xasprintf("%s%s", record, bodies[i]);
		struct fit_claims without = claims_of(bodies[i]);
		struct fit_claims claims = claims_of(body);

		assert_false(fit_cpuset_is_empty(&without.items[0].cpus));
		assert_true(fit_cpuset_is_empty(&claims.items[0].cpus));
		fit_claims_clear(&without);
		fit_claims_clear(&claims);
	}
}

/* Beside vCPUs with CPUs of their own. */
static void what_floats_beside_leaves_the_others_theirs(void **state)
{
	struct fit_claims claims = claims_of(
		"<metadata><a:fitted xmlns:a='urn:virt-fit:applied:1' floating='0-1'/></metadata>"
		"<vcpu>3</vcpu><cputune><vcpupin vcpu='0' cpuset='6-7'/>"
		"<vcpupin vcpu='1' cpuset='6-7'/><vcpupin vcpu='2' cpuset='4'/></cputune>");

	(void)state;
	fit_expect_cpus(&claims.items[0].cpus, "4");
	fit_claims_clear(&claims);
}

static void hugepages_are_counted_per_guest_cell(void **state)
{
	struct fit_claims claims = claims_of(
		"<memoryBacking><hugepages><page size='1' unit='GiB'/></hugepages></memoryBacking>"
		"<vcpu>2</vcpu><cpu><numa><cell id='0' cpus='0' memory='1536' unit='MiB'/>"
		"<cell id='1' cpus='1' memory='512' unit='MiB'/></numa></cpu>"
		"<numatune><memory mode='strict' nodeset='1'/></numatune>");

	(void)state;
	assert_int_equal(claims.items[0].page_demand_count, 1);
	assert_int_equal(claims.items[0].pages[0].page_kib, 1048576);
	assert_int_equal(claims.items[0].pages[0].pages, 3);
	fit_expect_cpus(&claims.items[0].pages[0].nodes, "1");
	fit_claims_clear(&claims);
}

static void memory_that_is_only_preferred_is_not_bound(void **state)
{
	struct fit_claims claims = claims_of(
		"<memoryBacking><hugepages><page size='2048'/></hugepages></memoryBacking>"
		"<numatune><memory mode='preferred' nodeset='1'/></numatune>");

	(void)state;
	assert_int_equal(claims.items[0].pages[0].pages, 512);
	assert_true(claims.items[0].pages[0].nodes_preferred);
	fit_claims_clear(&claims);
}

static void all_passed_through_devices_are_held(void **state)
{
	struct fit_claims claims = claims_of(
		"<devices><hostdev type='pci'><source><address bus='1'/></source></hostdev>"
		"<interface type='hostdev'><source><address type='pci' bus='2'/></source>"
		"</interface></devices>");

	(void)state;
	assert_int_equal(claims.items[0].device_count, 2);
	assert_int_equal(claims.items[0].devices[0].bus, 1);
	assert_int_equal(claims.items[0].devices[1].bus, 2);
	fit_claims_clear(&claims);
}

static void domains_collide_by_what_both_have_for_themselves(void **state)
{
	static const char *const cpus[] = {
		"", "<vcpupin vcpu='0' cpuset='4'/>", "<vcpupin vcpu='0' cpuset='5'/>"};
	static const char *const buses[] = {"", "1", "2"};

	(void)state;
	for (size_t i = 0; i < 81; i++) {
		size_t cpu = i % 3, other_cpu = i / 3 % 3, bus = i / 9 % 3, other_bus = i / 27;
		struct fit_claims claims = claims_with(cpus[cpu], buses[bus]);
		struct fit_claims others = claims_with(cpus[other_cpu], buses[other_bus]);
		bool expected = (cpu > 0 && cpu == other_cpu) || (bus > 0 && bus == other_bus);

		assert_int_equal(fit_claims_collide(&claims.items[0], &others.items[0]), expected);
		fit_claims_clear(&claims);
		fit_claims_clear(&others);
	}
}

static void a_domain_is_known_by_uuid_and_by_name_where_it_has_none(void **state)
{
	static const char one[] = "<name>a</name><uuid>11111111-2222-3333-4444-555555555555</uuid>";
	static const char same_name[] =
		"<name>a</name><uuid>99999999-2222-3333-4444-555555555555</uuid>";
	struct fit_claims claims = claims_of(one);
	struct fit_domain other = fit_test_domain(same_name);
	struct fit_domain nameless = fit_test_domain("<name>b</name>");
	struct fit_domain file = fit_test_domain("<name>a</name>");

	(void)state;
	fit_claims_drop(&claims, &other);
	fit_claims_drop(&claims, &nameless);
	assert_int_equal(claims.count, 1);
	fit_claims_add(&claims, &other, false);
	fit_claims_drop(&claims, &other);
	assert_int_equal(claims.count, 1);
	fit_claims_drop(&claims, &file);
	assert_int_equal(claims.count, 0);
	fit_claims_clear(&claims);
	fit_domain_clear(&other);
	fit_domain_clear(&nameless);
	fit_domain_clear(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pinned_domain_holds_its_cpus),
		cmocka_unit_test(a_floating_domain_holds_no_cpus),
		cmocka_unit_test(vcpus_that_share_few_cpus_hold_them),
		cmocka_unit_test(what_the_record_says_floats_holds_nothing),
		cmocka_unit_test(what_floats_beside_leaves_the_others_theirs),
		cmocka_unit_test(hugepages_are_counted_per_guest_cell),
		cmocka_unit_test(memory_that_is_only_preferred_is_not_bound),
		cmocka_unit_test(all_passed_through_devices_are_held),
		cmocka_unit_test(domains_collide_by_what_both_have_for_themselves),
		cmocka_unit_test(a_domain_is_known_by_uuid_and_by_name_where_it_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
