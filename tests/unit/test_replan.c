/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A domain that was fitted for one host arrives on another, where a domain runs already: properties
 * over the corpus, all hosts and some profiles.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "core/render.h"
#include "core/rewrite.h"
#include "core/xml.h"
#include "support_arrival.h"
#include "support_corpus.h"
#include "support_domain.h"
#include "support_host.h"
#include "support_libvirt.h"
#include "support_render.h"
#include "sys/profile_store.h"

struct move {
	struct fit_test_machine *from, *to;
	struct fit_claims claims; /* of who runs on @to */
	const char *profiles;
	bool normalised; /* what is saved or sent has been printed by libvirt */
	size_t moved, changed;
};

static int try_render(const struct move *move, bool arrives, const char *name, const char *xml,
	size_t length, struct fit_render_result *ret_result, struct fit_err *err)
{
	struct fit_test_machine *machine = arrives ? move->to : move->from;
	struct fit_request asked = {0};
	const struct fit_render_input input = {
		.xml = xml,
		.length = length,
		.name = name,
		.asked = &asked,
		.arrives = arrives,
		.host = &machine->host,
		.claims = arrives ? &move->claims : NULL,
		.load = fit_profile_store_load,
		.load_context = &machine->store,
	};
	int status;

	if (move->profiles)
		fit_strlist_split(&asked.profiles, move->profiles, " ");
	status = fit_render(&input, ret_result, err);
	fit_request_clear(&asked);
	return status;
}

static void expect_same_for_the_guest(const char *path, const char *before, const char *after)
{
	fit_autodoc xmlDoc *old = fit_test_parse(before);
	fit_autodoc xmlDoc *new = fit_test_parse(after);
	fit_autofree char *a = NULL;
	fit_autofree char *b = NULL;

	if (fit_test_same_for_the_guest(old, new))
		return;
	a = fit_xml_print(old);
	b = fit_xml_print(new);
	fail_msg("%s: the guest sees another machine:\n%s\n%s", path, a, b);
}

/* Each node of the host runs a domain on its first cores. */
static void run_somebody(struct move *move)
{
	const struct fit_host *host = &move->to->host;
	struct fit_claim *claim = FIT_APPEND(move->claims.items, move->claims.count);

	claim->name = fit_xstrdup("somebody");
	claim->running = true;
	for (size_t i = 0; i < host->node_count; i++) {
		int cpu = fit_cpuset_next(&host->nodes[i].cpus, 0);

		cpu = cpu < 0 ? -1 : fit_cpuset_next(&host->nodes[i].cpus, (unsigned int)cpu + 1);
		if (cpu >= 0 && fit_host_cpu(host, (unsigned int)cpu))
			fit_cpuset_unite(
				&claim->cpus, &fit_host_cpu(host, (unsigned int)cpu)->siblings);
	}
}

/* The vCPUs of a definition that has CPUs of its own keep off those of others. */
static void expect_no_overlap(const char *path, const struct move *move, const char *xml)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autodoc xmlDoc *doc = fit_test_parse(xml);
	struct fit_domain view = {0};
	struct fit_cpuset own, missing;

	assert_int_equal(fit_domain_read(doc, path, &view, &err), 0);
	own = fit_domain_own_cpus(&view);
	missing = fit_domain_vcpu_cpus(&view);
	fit_cpuset_subtract(&missing, &move->to->host.online);
	if (fit_cpuset_intersects(&own, &move->claims.items[0].cpus))
		fail_msg("%s: takes what somebody has:\n%s", path, xml);
	if (!fit_cpuset_is_empty(&missing))
		fail_msg("%s: CPUs that are not there:\n%s", path, xml);
	fit_domain_clear(&view);
}

/* As it leaves the other host: as libvirt prints it, with what we have added. */
static char *leave(const struct move *move, const char *fitted)
{
	fit_autodoc xmlDoc *doc = fit_test_parse(fitted);

	if (move->normalised)
		normalise_as_libvirt(doc);
	return fit_xml_print(doc);
}

static void check_move(const char *path, const char *text, size_t length, void *context)
{
	struct move *move = context;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_render_result fitted = {0}, arrived = {0}, again = {0};
	fit_autofree char *left = NULL;
	fit_autofree char *original = NULL;
	fit_autofree char *back = NULL;

	if (try_render(move, false, path, text, length, &fitted, &err) < 0)
		return;
	left = leave(move, fitted.xml);
	fit_render_result_clear(&fitted);
	if (try_render(move, true, path, left, strlen(left), &arrived, &err) < 0) {
		if (err.code != FIT_ERR_REFUSED)
			fail_msg("%s: not a refusal: %s", path, err.message);
		return;
	}
	move->moved++;
	move->changed += arrived.changed;
	expect_same_for_the_guest(path, left, arrived.xml);
	/* Pins of the user's own stay, whoever else is there. */
	if (!strstr(text, "cpuset="))
		expect_no_overlap(path, move, arrived.xml);
	original = fit_test_reverted(left, NULL);
	back = fit_test_reverted(arrived.xml, NULL);
	if (strcmp(original, back) != 0)
		fail_msg("%s: revert gives\n%s\nof\n%s", path, back, original);
	if (try_render(move, true, path, arrived.xml, strlen(arrived.xml), &again, &err) < 0)
		fail_msg("%s: arrived, but: %s", path, err.message);
	if (again.changed || strcmp(arrived.xml, again.xml) != 0)
		fail_msg("%s: not a fixpoint:\n%s\n%s", path, arrived.xml, again.xml);
	fit_render_result_clear(&arrived);
	fit_render_result_clear(&again);
}

static void only_placements_change_and_revert_stays_exact(void **state)
{
	static const char *const profiles[] = {
		"low-latency", "throughput", "realtime", "windows", "low-latency sriov"};
	fit_autostrlist struct fit_strlist hosts = {0};
	size_t changed = 0;

	(void)state;
	fit_test_host_names(&hosts);
	for (size_t i = 0; i < hosts.count; i++) {
		struct move move = {
			.from = fit_test_machine_make(hosts.items[i]),
			.to = fit_test_machine_make(hosts.items[(i + 1) % hosts.count]),
			.profiles = profiles[i % FIT_ARRAY_SIZE(profiles)],
			.normalised = i % 2,
		};

		run_somebody(&move);
		fit_corpus_for_each(check_move, &move);
		changed += move.changed;
		fit_claims_clear(&move.claims);
		fit_test_machine_free(move.from);
		fit_test_machine_free(move.to);
	}
	if (changed < 100)
		fail_msg("only %zu definitions were changed", changed);
}

static const char requested[] =
	"<domain type='kvm'>\n"
	"  <name>vm</name>\n"
	"  <uuid>11111111-2222-3333-4444-555555555555</uuid>\n"
	"  <metadata><fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='low-latency'/>"
	"</metadata>\n"
	"  <memory unit='GiB'>2</memory>\n"
	"  <vcpu>4</vcpu>\n"
	"  <os><type arch='x86_64' machine='q35'>hvm</type></os>\n"
	"  <devices><disk type='file'><source file='/images/vm.raw'/>"
	"<target dev='vda' bus='virtio'/></disk></devices>\n"
	"</domain>\n";

static struct fit_render_result render(const struct move *move, bool arrives, const char *xml)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_render_result result;

	if (try_render(move, arrives, "vm.xml", xml, strlen(xml), &result, &err) < 0)
		fail_msg("%s", err.message);
	return result;
}

static void where_nothing_is_in_the_way_nothing_changes(void **state)
{
	struct move move = {.from = *state, .to = *state};
	struct fit_render_result fitted = render(&move, false, requested);
	struct fit_render_result back = render(&move, true, fitted.xml);

	assert_false(back.changed);
	assert_string_equal(back.xml, fitted.xml);
	fit_render_result_clear(&fitted);
	fit_render_result_clear(&back);
}

/* A domain that is placed anew is fitted as it was, for the same request. */
static void expect_fitted_as_before(const char *before, const char *after)
{
	const char *texts[] = {before, after};
	struct fit_record records[2] = {0};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(texts); i++) {
		fit_autodoc xmlDoc *doc = fit_test_parse(texts[i]);

		assert_int_equal(fit_record_read(doc, "vm.xml", &records[i], NULL), 1);
		assert_null(records[i].only);
	}
	assert_string_equal(records[0].digest, records[1].digest);
	fit_record_clear(&records[0]);
	fit_record_clear(&records[1]);
}

static void what_another_domain_has_by_now_is_left_to_it(void **state)
{
	struct move move = {.from = *state, .to = *state};
	struct fit_render_result fitted = render(&move, false, requested);
	struct fit_render_result back;
	struct fit_claim *claim = FIT_APPEND(move.claims.items, move.claims.count);

	claim->name = fit_xstrdup("somebody");
	claim->running = true;
	claim->cpus = fitted.plan.vcpu_cpus;
	back = render(&move, true, fitted.xml);
	assert_true(back.changed);
	assert_false(fit_cpuset_intersects(&back.plan.vcpu_cpus, &claim->cpus));
	expect_fitted_as_before(fitted.xml, back.xml);
	fit_claims_clear(&move.claims);
	fit_render_result_clear(&fitted);
	fit_render_result_clear(&back);
}

static void the_memory_goes_with_the_vcpus_to_another_node(void **state)
{
	struct fit_test_machine *machine = *state;
	struct move move = {.from = machine, .to = machine};
	struct fit_render_result fitted = render(&move, false, requested);
	struct fit_render_result back;
	struct fit_claim *claim = FIT_APPEND(move.claims.items, move.claims.count);
	int left = fit_cpuset_next(&fitted.plan.memory_nodes, 0);
	fit_autofree char *was = fit_xasprintf("nodeset=\"%d\"", left);
	fit_autofree char *is = fit_xasprintf("nodeset=\"%d\"", !left);

	assert_non_null(strstr(fitted.xml, was));
	claim->name = fit_xstrdup("somebody");
	claim->running = true;
	claim->cpus = machine->host.nodes[left].cpus;
	back = render(&move, true, fitted.xml);
	assert_non_null(strstr(back.xml, is));
	assert_null(strstr(back.xml, was));
	fit_claims_clear(&move.claims);
	fit_render_result_clear(&fitted);
	fit_render_result_clear(&back);
}

#define WITH_VFS(params, devices) \
	"<domain type='kvm'><name>vm</name><metadata>" \
	"<fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='low-latency sriov'>" params \
	"</fit:domain></metadata><memory unit='GiB'>2</memory><vcpu>4</vcpu>" \
	"<os><type arch='x86_64' machine='q35'>hvm</type></os>" devices "</domain>"

static const char *const with_vfs[] = {
	WITH_VFS("<fit:param name='vfs' value='2'/>", "<devices/>"),
	WITH_VFS("<fit:param name='teaming' value='standby'/>",
		"<devices><interface type='network'><mac address='52:54:00:11:22:33'/>"
		"<source network='default'/><model type='virtio'/></interface></devices>"),
	WITH_VFS("<fit:param name='as' value='hostdev'/>", "<devices/>"),
};

/* What the guest sees of a VF stays: its address there, its MAC. */
static void check_vfs(struct fit_test_machine *machine, const char *xml)
{
	struct move move = {.from = machine, .to = machine, .normalised = true};
	struct fit_render_result fitted = render(&move, false, xml);
	fit_autofree char *left = leave(&move, fitted.xml);
	fit_autofree char *original = fit_test_reverted(left, NULL);
	fit_autofree char *back = NULL;
	struct fit_render_result same = render(&move, true, left);
	struct fit_render_result other;
	struct fit_claim *claim = FIT_APPEND(move.claims.items, move.claims.count);

	assert_false(same.changed);
	claim->name = fit_xstrdup("somebody");
	claim->running = true;
	*FIT_APPEND(claim->devices, claim->device_count) = fitted.plan.vfs[0].vf;
	other = render(&move, true, left);
	assert_true(other.changed);
	assert_int_equal(other.plan.vf_count, fitted.plan.vf_count);
	for (size_t i = 0; i < other.plan.vf_count; i++)
		assert_false(fit_pciaddr_equal(other.plan.vfs[i].vf, claim->devices[0]));
	expect_same_for_the_guest("vm.xml", left, other.xml);
	back = fit_test_reverted(other.xml, NULL);
	assert_string_equal(original, back);
	fit_claims_clear(&move.claims);
	fit_render_result_clear(&fitted);
	fit_render_result_clear(&same);
	fit_render_result_clear(&other);
}

static void a_vf_comes_from_where_there_is_one(void **state)
{
	struct fit_test_machine *machine = fit_test_machine_make("nps");

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(with_vfs); i++)
		check_vfs(machine, with_vfs[i]);
	fit_test_machine_free(machine);
}

/* Only the host knows how large the pages are that the guest's memory is in. */
static void pages_are_of_a_size_that_the_host_has(void **state)
{
	struct fit_test_machine *machine = fit_test_machine_make("two-node");
	struct move move = {.from = *state, .to = machine};
	struct fit_render_result fitted = render(&move, false, requested);
	struct fit_render_result arrived;
	fit_autofree char *original = fit_test_reverted(fitted.xml, NULL);
	fit_autofree char *back = NULL;

	for (size_t i = 0; i < machine->host.node_count; i++)
		machine->host.nodes[i].pool_count = 1; /* of 2 MiB */
	assert_int_equal(fitted.plan.page_kib, 1048576);
	arrived = render(&move, true, fitted.xml);
	assert_int_equal(arrived.plan.page_kib, 2048);
	assert_non_null(strstr(arrived.xml, "<page size=\"2048\" unit=\"KiB\"/>"));
	back = fit_test_reverted(arrived.xml, NULL);
	assert_string_equal(original, back);
	fit_render_result_clear(&fitted);
	fit_render_result_clear(&arrived);
	fit_test_machine_free(machine);
}

/* It is not moved for that, and the user's own choice is as good here. */
static void what_the_user_pinned_stays(void **state)
{
	static const char pins[] = "<cputune><vcpupin vcpu='0' cpuset='6'/>"
				   "<vcpupin vcpu='1' cpuset='7'/><vcpupin vcpu='2' cpuset='8'/>"
				   "<vcpupin vcpu='3' cpuset='9'/></cputune><os>";
	struct move move = {.from = *state, .to = *state};
	const char *at = strstr(requested, "<os>");
	fit_autofree char *pinned =
		fit_xasprintf("%.*s%s%s", (int)(at - requested), requested, pins, at + 4);
	struct fit_render_result fitted = render(&move, false, pinned);
	struct fit_render_result back = render(&move, true, fitted.xml);

	assert_non_null(strstr(back.xml, "<vcpupin vcpu=\"3\" cpuset=\"9\"/>"));
	fit_render_result_clear(&fitted);
	fit_render_result_clear(&back);
}

/* Started under stale="warn". */
static void a_domain_that_never_was_fitted_gets_placements_only(void **state)
{
	struct move move = {.from = *state, .to = *state};
	struct fit_render_result result = render(&move, true, requested);
	fit_autodoc xmlDoc *doc = fit_test_parse(result.xml);
	struct fit_record record = {0};

	assert_true(result.changed);
	expect_same_for_the_guest("vm.xml", requested, result.xml);
	assert_int_equal(fit_record_read(doc, "vm.xml", &record, NULL), 1);
	assert_non_null(strstr(record.only, "vcpus"));
	assert_non_null(strstr(record.only, "isolate"));
	assert_null(strstr(record.only, "features"));
	fit_record_clear(&record);
	fit_render_result_clear(&result);
}

/* Its memory is there, in normal ones. */
static void who_has_no_huge_pages_needs_none(void **state)
{
	struct fit_test_machine *machine = fit_test_machine_make("two-node");
	struct move move = {.from = *state, .to = machine};
	struct fit_render_result result;

	for (size_t i = 0; i < machine->host.node_count; i++)
		machine->host.nodes[i].pool_count = 0;
	result = render(&move, true, requested);
	assert_null(strstr(result.xml, "<hugepages"));
	assert_int_equal(result.plan.page_kib, 0);
	fit_render_result_clear(&result);
	fit_test_machine_free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_placements_change_and_revert_stays_exact),
		cmocka_unit_test(where_nothing_is_in_the_way_nothing_changes),
		cmocka_unit_test(what_another_domain_has_by_now_is_left_to_it),
		cmocka_unit_test(the_memory_goes_with_the_vcpus_to_another_node),
		cmocka_unit_test(a_vf_comes_from_where_there_is_one),
		cmocka_unit_test(pages_are_of_a_size_that_the_host_has),
		cmocka_unit_test(what_the_user_pinned_stays),
		cmocka_unit_test(a_domain_that_never_was_fitted_gets_placements_only),
		cmocka_unit_test(who_has_no_huge_pages_needs_none),
	};

	return cmocka_run_group_tests(tests, fit_test_machine_setup, fit_test_machine_teardown);
}
