/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a document to its fitted form and back, with the shipped profiles on the made-up hosts:
 * properties over the corpus, and what a user may do to a fitted definition in between.
 */
#include "support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "core/render.h"
#include "core/rewrite.h"
#include "core/xml.h"
#include "support_corpus.h"
#include "support_domain.h"
#include "support_host.h"
#include "support_libvirt.h"
#include "support_plan.h"
#include "support_render.h"
#include "sys/probe.h"
#include "sys/profile_store.h"

/* With the profiles @names, or as the document requests for NULL. */
static int try_render(struct fit_test_machine *machine, const char *name, const char *xml,
	size_t length, const char *names, const struct fit_claims *claims,
	struct fit_render_result *ret_result, struct fit_err *err)
{
	struct fit_request asked = {0};
	struct fit_render_input input = {
		.xml = xml,
		.length = length,
		.name = name,
		.asked = &asked,
		.host = &machine->host,
		.claims = claims,
		.load = fit_profile_store_load,
		.load_context = &machine->store,
		.report = FIT_REPORT_PLAIN,
	};
	int status;

	if (names)
		fit_strlist_split(&asked.profiles, names, " ");
	status = fit_render(&input, ret_result, err);
	fit_request_clear(&asked);
	return status;
}

static struct fit_render_result render(
	struct fit_test_machine *machine, const char *xml, const struct fit_claims *claims)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_render_result result;

	if (try_render(machine, "vm.xml", xml, strlen(xml), NULL, claims, &result, &err) < 0)
		fail_msg("%s", err.message);
	return result;
}

/* @text with the first @from replaced by @to, which must be there. */
static char *edited(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);

	if (!at)
		fail_msg("'%s' is not in %s", from, text);
	return fit_xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static const char requested[] =
	"<domain type='kvm' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>\n"
	"  <name>vm</name>\n"
	"  <uuid>11111111-2222-3333-4444-555555555555</uuid>\n"
	"  <metadata>\n"
	"    <fit:domain xmlns:fit='urn:virt-fit:domain:1' profile='low-latency'/>\n"
	"    <other:thing xmlns:other='urn:other' a='1'><b/></other:thing>\n"
	"  </metadata>\n"
	"  <memory unit='GiB'>2</memory>\n"
	"  <vcpu>4</vcpu>\n"
	"  <os><type arch='x86_64' machine='q35'>hvm</type></os>\n"
	"  <devices>\n"
	"    <disk type='file'>\n"
	"      <!-- the system -->\n"
	"      <source file='/images/vm.raw'/>\n"
	"      <target dev='vda' bus='virtio'/>\n"
	"    </disk>\n"
	"  </devices>\n"
	"  <qemu:commandline><qemu:arg value='-s'/></qemu:commandline>\n"
	"</domain>\n";

static void a_requested_profile_is_written_into_the_definition(void **state)
{
	struct fit_test_machine *machine = *state;
	struct fit_render_result result = render(machine, requested, NULL);
	struct fit_err err = FIT_ERR_INIT;
	fit_autodoc xmlDoc *doc = fit_xml_parse(result.xml, strlen(result.xml), "vm.xml", &err);
	struct fit_domain fitted;
	struct fit_record record;

	assert_true(result.changed);
	assert_int_equal(fit_domain_read(doc, "vm.xml", &fitted, &err), 0);
	assert_string_equal(fitted.cpu_mode, "host-passthrough");
	assert_int_equal(fitted.vcpu_pin_count, 4);
	assert_true(fitted.has_emulator_pin);
	assert_int_equal(fitted.disks[0].iothread, 1);
	assert_string_equal(fitted.disks[0].cache, "none");
	assert_int_equal(fit_cpuset_count(&fitted.numatune_nodes), 1);
	assert_true(fitted.has_hugepages);
	assert_int_equal(fit_record_read(doc, "vm.xml", &record, &err), 1);
	assert_string_equal(record.profile, "low-latency");
	assert_string_equal(record.digest, result.digest);
	assert_true(result.ops.count > 0);
	assert_non_null(strstr(result.report, "vCPUs"));
	assert_non_null(strstr(result.xml, "<!-- the system -->"));
	fit_record_clear(&record);
	fit_domain_clear(&fitted);
	fit_render_result_clear(&result);
}

static void a_document_without_request_is_refused_unless_profiles_are_named(void **state)
{
	struct fit_test_machine *machine = *state;
	fit_autofree char *plain = edited(requested,
		"<fit:domain xmlns:fit='urn:virt-fit:domain:1' "
		"profile='low-latency'/>",
		"");
	struct fit_render_result result = {.changed = true};
	struct fit_err err = FIT_ERR_INIT;

	assert_int_equal(
		try_render(machine, "vm.xml", plain, strlen(plain), NULL, NULL, &result, &err), -1);
	assert_int_equal(err.code, FIT_ERR_NOTFOUND);
	assert_non_null(strstr(err.message, "vm.xml: the domain requests no profile"));
	assert_null(result.xml);
	assert_int_equal(
		try_render(machine, "vm.xml", plain, strlen(plain), "base", NULL, &result, &err),
		0);
	assert_string_equal(result.profile.names.items[0], "base");
	fit_render_result_clear(&result);
}

static void an_unknown_profile_is_named_with_the_domain(void **state)
{
	struct fit_test_machine *machine = *state;
	struct fit_render_result result;
	struct fit_err err = FIT_ERR_INIT;

	assert_int_equal(try_render(machine, "vm.xml", requested, strlen(requested), "nosuch", NULL,
				 &result, &err),
		-1);
	assert_int_equal(err.code, FIT_ERR_NOTFOUND);
	assert_true(fit_starts_with(err.message, "vm: "));
	assert_non_null(strstr(err.message, "nosuch"));
}

static void a_definition_that_is_spelled_differently_is_given_back_as_it_is(void **state)
{
	struct fit_test_machine *machine = *state;
	struct fit_render_result first = render(machine, requested, NULL);
	fit_autofree char *spaced = edited(first.xml, "<memory", "\n\n   <memory");
	fit_autofree char *commented = edited(spaced, "<cputune>", "<!-- new --><cputune>");
	struct fit_render_result second = render(machine, commented, NULL);

	assert_false(second.changed);
	assert_string_equal(second.xml, commented);
	fit_render_result_clear(&first);
	fit_render_result_clear(&second);
}

/* An emulated guest keeps its CPU model, so that libvirt fills in the emulator's default. */
static void add_default_model(xmlDoc *doc)
{
	xmlNode *cpu = fit_xml_child(xmlDocGetRootElement(doc), "cpu");
	xmlNode *model =
		xmlNewChild(cpu, NULL, (const xmlChar *)"model", (const xmlChar *)"qemu64");

	xmlNewProp(model, (const xmlChar *)"fallback", (const xmlChar *)"forbid");
	xmlSetProp(cpu, (const xmlChar *)"mode", (const xmlChar *)"custom");
	xmlSetProp(cpu, (const xmlChar *)"match", (const xmlChar *)"exact");
	xmlSetProp(cpu, (const xmlChar *)"check", (const xmlChar *)"none");
}

static void what_libvirt_fills_in_leaves_a_definition_fitted(void **state)
{
	struct fit_test_machine *machine = *state;
	fit_autofree char *emulated = edited(requested, "'kvm'", "'qemu'");
	fit_autofree char *other = edited(requested, "'kvm'", "'hvf'");
	const char *const domains[] = {requested, emulated, other};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(domains); i++) {
		struct fit_render_result first = render(machine, domains[i], NULL);
		struct fit_err err = FIT_ERR_INIT;
		fit_autodoc xmlDoc *doc =
			fit_xml_parse(first.xml, strlen(first.xml), "vm.xml", &err);
		fit_autofree char *defined = NULL;
		struct fit_render_result second;

		normalise_as_libvirt(doc);
		if (domains[i] == other) /* the mode stays as it is: none */
			add_default_model(doc);
		defined = fit_xml_print(doc);
		second = render(machine, defined, NULL);
		if (second.changed)
			fail_msg("was:\n%s\nis:\n%s", defined, second.xml);
		assert_int_equal(second.notes.count, 0);
		fit_render_result_clear(&first);
		fit_render_result_clear(&second);
	}
}

static void an_edit_of_the_users_survives_render_and_revert_and_is_noted(void **state)
{
	struct fit_test_machine *machine = *state;
	struct fit_render_result first = render(machine, requested, NULL);
	fit_autofree char *changed = edited(first.xml, "cache=\"none\"", "cache=\"directsync\"");
	struct fit_render_result second = render(machine, changed, NULL);
	fit_autostrlist struct fit_strlist notes = {0};
	fit_autofree char *back = fit_test_reverted(second.xml, &notes);

	assert_non_null(strstr(second.xml, "cache=\"directsync\""));
	assert_int_equal(second.notes.count, 1);
	assert_non_null(strstr(second.notes.items[0], "vda"));
	assert_non_null(strstr(back, "cache=\"directsync\""));
	assert_null(strstr(back, "vcpupin"));
	assert_null(strstr(back, "iothread"));
	fit_render_result_clear(&first);
	fit_render_result_clear(&second);
}

static void an_edited_pin_stays_and_the_others_stay_where_they_are(void **state)
{
	struct fit_test_machine *machine = *state;
	struct fit_render_result first = render(machine, requested, NULL);
	fit_autofree char *pin = fit_xasprintf("<vcpupin vcpu=\"2\" cpuset=\"%d\"/>",
		fit_cpuset_next(&first.plan.vcpus[2].cpus, 0));
	fit_autofree char *changed = edited(first.xml, pin, "<vcpupin vcpu=\"2\" cpuset=\"6\"/>");
	struct fit_render_result second = render(machine, changed, NULL);
	struct fit_render_result third = render(machine, second.xml, NULL);
	fit_autofree char *back = fit_test_reverted(third.xml, NULL);

	assert_int_equal(second.plan.vcpu_count, 4);
	for (size_t i = 0; i < 4; i++) {
		struct fit_cpuset six = {0};

		fit_cpuset_add(&six, 6);
		assert_true(fit_cpuset_equal(
			&second.plan.vcpus[i].cpus, i == 2 ? &six : &first.plan.vcpus[i].cpus));
	}
	assert_int_equal(second.notes.count, 1);
	assert_false(third.changed);
	assert_non_null(strstr(back, "<vcpupin vcpu=\"2\" cpuset=\"6\"/>"));
	assert_null(strstr(back, "<vcpupin vcpu=\"1\""));
	fit_render_result_clear(&first);
	fit_render_result_clear(&second);
	fit_render_result_clear(&third);
}

/* What the user had made of our iothread goes with it: libvirt would refuse it. */
static void what_was_for_our_iothread_goes_with_it(void **state)
{
	struct fit_test_machine *machine = *state;
	struct fit_render_result first = render(machine, requested, NULL);
	fit_autofree char *cpus = fit_cpuset_format_list(&first.plan.iothreads[0].cpus);
	fit_autofree char *ours =
		fit_xasprintf("<iothreadpin iothread=\"1\" cpuset=\"%s\"/>", cpus);
	static const char pin[] = "<iothreadpin iothread=\"1\" cpuset=\"6\"/>";
	static const char disk[] = "<disk><driver name=\"qemu\" iothread=\"1\"/>"
				   "<target dev=\"vdz\" bus=\"virtio\"/></disk></devices>";
	fit_autofree char *with_pin = edited(first.xml, ours, pin);
	fit_autofree char *changed = edited(with_pin, "</devices>", disk);
	struct fit_render_result second = render(machine, changed, NULL);
	fit_autostrlist struct fit_strlist notes = {0};
	fit_autostrlist struct fit_strlist notes_again = {0};
	fit_autofree char *back = fit_test_reverted(changed, &notes);
	fit_autofree char *back_again = fit_test_reverted(second.xml, &notes_again);

	/* It is kept as long as the iothread is there. */
	assert_non_null(strstr(second.xml, pin));
	assert_non_null(strstr(second.xml, "<driver name=\"qemu\" iothread=\"1\""));
	assert_int_equal(second.notes.count, 1);
	assert_null(strstr(back, "iothread"));
	assert_non_null(strstr(back, "vdz"));
	assert_int_equal(notes.count, 2);
	assert_string_equal(notes.items[0],
		"cputune/iothreadpin[@iothread='1'] (cpuset='6') goes: iothread 1 was of virt-fit, "
		"and is not there any more");
	assert_string_equal(notes.items[1],
		"devices/disk[target/@dev='vdz']/driver/@iothread goes: iothread 1 was of virt-fit, "
		"and is not there any more");
	assert_string_equal(back, back_again);
	fit_render_result_clear(&first);
	fit_render_result_clear(&second);
}

static void what_needs_cpus_of_its_own_is_refused_or_noted(void **state)
{
	struct fit_test_machine *machine = *state;

	for (unsigned int i = 0; i < 4; i++) {
		bool shared = i & 1, refuse = i & 2;
		fit_autofree char *profile = fit_xasprintf(
			"<profile xmlns='urn:virt-fit:profile:1' name='alone'><summary>S</summary>"
			"<vcpus place='cores' shared='%s'/><host><governor missing='%s'/></host>"
			"</profile>",
			shared ? "yes" : "no", refuse ? "refuse" : "warn");
		struct fit_render_result result = {0};
		struct fit_err err = FIT_ERR_INIT;
		int status;

		assert_int_equal(fit_fsroot_make_directories(
					 &machine->root, "etc/virt-fit/profiles", 0755, &err),
			0);
		assert_int_equal(
			fit_fsroot_replace(&machine->root, "etc/virt-fit/profiles/alone.xml",
				profile, strlen(profile), &err),
			0);
		status = try_render(machine, "vm.xml", requested, strlen(requested), "alone", NULL,
			&result, &err);
		assert_int_equal(status, shared && refuse ? -1 : 0);
		if (status < 0)
			assert_string_equal(err.message,
				"vm: cannot fit: of <governor> at least one is not to be missing, "
				"and none can be had: they are for CPUs that the domain has alone, "
				"and it has none (<vcpus place=\"cores\" shared=\"no\"/> gives it "
				"some)");
		else
			assert_int_equal(shared,
				fit_made_reason(&result.plan, FIT_REASON_NOTE,
					"without <governor>: for CPUs that the domain has alone, "
					"and it has none") != NULL);
		fit_render_result_clear(&result);
	}
}

static void other_domains_keep_what_they_hold_and_the_domain_itself_does_not_count(void **state)
{
	struct fit_test_machine *machine = *state;
	struct fit_render_result first = render(machine, requested, NULL);
	struct fit_err err = FIT_ERR_INIT;
	fit_autodoc xmlDoc *doc = fit_xml_parse(first.xml, strlen(first.xml), "vm.xml", &err);
	struct fit_claims claims = {0};
	struct fit_domain fitted;
	struct fit_render_result again;
	struct fit_render_result other;
	fit_autofree char *named = edited(requested, "<name>vm", "<name>vm2");
	fit_autofree char *second = edited(named, "<uuid>1", "<uuid>2");

	assert_int_equal(fit_domain_read(doc, "vm.xml", &fitted, &err), 0);
	fit_claims_add(&claims, &fitted, true);
	again = render(machine, first.xml, &claims);
	assert_false(again.changed);
	other = render(machine, second, &claims);
	assert_false(fit_cpuset_intersects(&other.plan.vcpu_cpus, &first.plan.vcpu_cpus));
	fit_claims_clear(&claims);
	fit_domain_clear(&fitted);
	fit_render_result_clear(&first);
	fit_render_result_clear(&again);
	fit_render_result_clear(&other);
}

/* 16 vCPUs over the 16 CPUs of a node: others may still have some of these for themselves. */
static void vcpus_that_float_over_as_many_cpus_hold_none(void **state)
{
	fit_autofree char *profile = edited(requested, "low-latency", "base");
	fit_autofree char *name = edited(profile, "1111-2222", "2222-2222");
	const char *vcpu = strstr(name, "<vcpu");
	fit_autofree char *many = fit_xasprintf(
		"%.*s<vcpu>16</vcpu>%s", (int)(vcpu - name), name, strchr(vcpu, '\n'));
	struct fit_render_result result = render(*state, many, NULL);
	struct fit_render_result again = render(*state, result.xml, NULL);
	fit_autodoc xmlDoc *doc = fit_test_parse(result.xml);
	struct fit_domain fitted = {0};
	struct fit_cpuset held;

	assert_string_equal(again.xml, result.xml);
	assert_int_equal(fit_domain_read(doc, "vm", &fitted, NULL), 0);
	held = fit_domain_vcpu_cpus(&fitted);
	assert_int_equal(fit_cpuset_count(&held), 16);
	held = fit_domain_own_cpus(&fitted);
	assert_true(fit_cpuset_is_empty(&held));
	assert_true(fit_domain_floats(&fitted));
	fit_domain_clear(&fitted);
	fit_render_result_clear(&again);
	fit_render_result_clear(&result);
}

static void another_profile_leaves_nothing_of_the_one_before(void **state)
{
	struct fit_test_machine *machine = *state;
	fit_autofree char *to_base = edited(requested, "low-latency", "base");
	struct fit_render_result direct = render(machine, to_base, NULL);
	struct fit_render_result first = render(machine, requested, NULL);
	fit_autofree char *changed =
		edited(first.xml, "profile=\"low-latency\"", "profile=\"base\"");
	struct fit_render_result second = render(machine, changed, NULL);
	fit_autofree char *back = fit_test_reverted(second.xml, NULL);
	fit_autofree char *plain = fit_test_printed(to_base);

	assert_null(strstr(second.xml, "hugepages"));
	assert_null(strstr(second.xml, "iothread"));
	assert_string_equal(back, plain);
	assert_string_equal(second.xml, direct.xml);
	fit_render_result_clear(&direct);
	fit_render_result_clear(&first);
	fit_render_result_clear(&second);
}

/* Every element of a foreign namespace, as a canonical list. */
static void collect_foreign(xmlNode *node, struct fit_strlist *list)
{
	for (; node; node = node->next) {
		if (node->type != XML_ELEMENT_NODE)
			continue;
		if (node->ns && !fit_starts_with((const char *)node->ns->href, "urn:virt-fit:"))
			*FIT_APPEND(list->items, list->count) = fit_xml_print_node(node);
		else
			collect_foreign(node->children, list);
	}
}

static void expect_same_outside(const char *path, const char *before, const char *after)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autodoc xmlDoc *old = fit_xml_parse(before, strlen(before), path, &err);
	fit_autodoc xmlDoc *new = fit_xml_parse(after, strlen(after), path, &err);
	fit_autostrlist struct fit_strlist old_foreign = {0};
	fit_autostrlist struct fit_strlist new_foreign = {0};
	fit_autofree char *old_text = NULL;
	fit_autofree char *new_text = NULL;

	for (int i = 0; i < 2; i++) {
		static const char *const kept[] = {"name", "uuid"};
		fit_autofree char *a =
			fit_xml_text(fit_xml_child(xmlDocGetRootElement(old), kept[i]));
		fit_autofree char *b =
			fit_xml_text(fit_xml_child(xmlDocGetRootElement(new), kept[i]));

		if (!fit_streq(a, b))
			fail_msg("%s: <%s> changed", path, kept[i]);
	}
	collect_foreign(xmlDocGetRootElement(old), &old_foreign);
	collect_foreign(xmlDocGetRootElement(new), &new_foreign);
	old_text = fit_strlist_join(&old_foreign, "\n");
	new_text = fit_strlist_join(&new_foreign, "\n");
	if (!fit_streq(old_text, new_text))
		fail_msg("%s: foreign elements changed:\n%s\n%s", path, old_text, new_text);
}

struct sweep {
	struct fit_test_machine *machine;
	const char *profiles;
	size_t rendered;
};

static void check_properties(const char *path, const char *text, size_t length, struct sweep *sweep)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_render_result once = {0};
	struct fit_render_result twice = {0};
	fit_autofree char *plain = NULL;
	fit_autofree char *back = NULL;

	if (try_render(sweep->machine, path, text, length, sweep->profiles, NULL, &once, &err) <
		0) {
		if (!*err.message || err.code == FIT_OK || once.xml)
			fail_msg("%s: refused without a reason", path);
		return;
	}
	sweep->rendered++;
	if (!once.changed)
		fail_msg("%s: rendered without a record", path);
	if (try_render(sweep->machine, path, once.xml, strlen(once.xml), sweep->profiles, NULL,
		    &twice, &err) < 0)
		fail_msg("%s: fitted, but: %s", path, err.message);
	if (twice.changed || strcmp(once.xml, twice.xml) != 0)
		fail_msg("%s with %s: not a fixpoint:\n%s\n%s", path, sweep->profiles, once.xml,
			twice.xml);
	plain = fit_test_printed(text);
	back = fit_test_reverted(once.xml, NULL);
	if (strcmp(plain, back) != 0)
		fail_msg(
			"%s with %s: revert gives\n%s\nof\n%s", path, sweep->profiles, back, plain);
	expect_same_outside(path, plain, once.xml);
	fit_render_result_clear(&once);
	fit_render_result_clear(&twice);
}

static void check_file(const char *path, const char *text, size_t length, void *context)
{
	struct sweep *sweep = context;

	check_properties(path, text, length, sweep);
}

/* Each shipped profile, and some together. */
static void list_profiles(const struct fit_test_machine *machine, struct fit_strlist *sets)
{
	fit_autofree char *pattern = fit_xasprintf("%s/*.xml", machine->profiles);
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = strrchr(found.gl_pathv[i], '/') + 1;

		fit_strlist_addf(sets, "%.*s", (int)strlen(name) - 4, name);
	}
	globfree(&found);
	fit_strlist_add(sets, "low-latency sriov");
	fit_strlist_add(sets, "low-latency sriov lean");
}

static void the_corpus_renders_to_fixpoints_that_revert_exactly(void **state)
{
	struct fit_test_machine *machine = *state;
	fit_autostrlist struct fit_strlist sets = {0};

	list_profiles(machine, &sets);
	for (size_t i = 0; i < sets.count; i++) {
		struct sweep sweep = {.machine = machine, .profiles = sets.items[i]};
		bool is_for_all = strcmp(sets.items[i], "base") == 0 ||
				  strcmp(sets.items[i], "low-latency") == 0;

		fit_corpus_for_each(check_file, &sweep);
		if (is_for_all && sweep.rendered < 40)
			fail_msg("only %zu files rendered with %s", sweep.rendered, sweep.profiles);
	}
}

static void every_host_renders_or_refuses_the_corpus(void **state)
{
	fit_autostrlist struct fit_strlist hosts = {0};

	(void)state;
	fit_test_host_names(&hosts);
	assert_true(hosts.count > 1);
	for (size_t i = 0; i < hosts.count; i++) {
		struct fit_test_machine *machine = fit_test_machine_make(hosts.items[i]);
		struct sweep sweep = {.machine = machine, .profiles = "low-latency sriov"};

		fit_corpus_for_each(check_file, &sweep);
		fit_test_machine_free(machine);
	}
}

static void bad_documents_are_refused_and_leave_the_result_alone(void **state)
{
	static const char *const bad[] = {"", "x", "<domain>", "<network/>",
		"<!DOCTYPE domain [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><domain>&a;</domain>",
		"<domain type='kvm'><name>a</name><memory>1024</memory><metadata>"
		"<domain profile='base'/></metadata></domain>",
		"<domain type='kvm'><name>a</name><memory>1024</memory><metadata>"
		"<f:domain xmlns:f='urn:virt-fit:domain:1' profile='../base'/></metadata></domain>",
		"<domain type='kvm'><name>a</name><memory>1024</memory><metadata>"
		"<f:domain xmlns:f='urn:virt-fit:domain:1' profile='base'/>"
		"<a:applied xmlns:a='urn:virt-fit:applied:1'><a:nonsense/></a:applied></metadata>"
		"</domain>"};
	struct fit_test_machine *machine = *state;

	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++) {
		struct fit_render_result result = {.changed = true};
		struct fit_err err = FIT_ERR_INIT;

		if (try_render(machine, "vm.xml", bad[i], strlen(bad[i]), NULL, NULL, &result,
			    &err) == 0)
			fail_msg("rendered: %s", bad[i]);
		assert_int_equal(err.code, FIT_ERR_INVALID);
		assert_true(*err.message);
		assert_true(result.changed);
		assert_null(result.xml);
	}
}

static void reverting_what_was_never_fitted_gives_it_back(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	char *text = NULL;
	bool changed = true;

	(void)state;
	assert_int_equal(
		fit_revert(requested, strlen(requested), "vm.xml", NULL, &text, &changed, &err), 0);
	assert_false(changed);
	assert_string_equal(text, requested);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_requested_profile_is_written_into_the_definition),
		cmocka_unit_test(a_document_without_request_is_refused_unless_profiles_are_named),
		cmocka_unit_test(an_unknown_profile_is_named_with_the_domain),
		cmocka_unit_test(a_definition_that_is_spelled_differently_is_given_back_as_it_is),
		cmocka_unit_test(what_libvirt_fills_in_leaves_a_definition_fitted),
		cmocka_unit_test(an_edit_of_the_users_survives_render_and_revert_and_is_noted),
		cmocka_unit_test(an_edited_pin_stays_and_the_others_stay_where_they_are),
		cmocka_unit_test(what_was_for_our_iothread_goes_with_it),
		cmocka_unit_test(what_needs_cpus_of_its_own_is_refused_or_noted),
		cmocka_unit_test(
			other_domains_keep_what_they_hold_and_the_domain_itself_does_not_count),
		cmocka_unit_test(vcpus_that_float_over_as_many_cpus_hold_none),
		cmocka_unit_test(another_profile_leaves_nothing_of_the_one_before),
		cmocka_unit_test(the_corpus_renders_to_fixpoints_that_revert_exactly),
		cmocka_unit_test(every_host_renders_or_refuses_the_corpus),
		cmocka_unit_test(bad_documents_are_refused_and_leave_the_result_alone),
		cmocka_unit_test(reverting_what_was_never_fitted_gives_it_back),
	};

	return cmocka_run_group_tests(tests, fit_test_machine_setup, fit_test_machine_teardown);
}
