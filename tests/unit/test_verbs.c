/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verbs that change definitions, against libvirt's test driver: all connections of a process to
 * test:///default see the same domains, so what a verb defines can be looked at.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/verbs.h"
#include "core/profile_steps.h"
#include "fitting/redefine.h"
#include "fitting/standing.h"
#include "support_tree.h"
#include "virt/domains.h"

#define URI	  "test:///default"
#define MAX_WORDS 8

static struct fit_virt virt;
static struct fit_fsroot root;
static char *profiles; /* directory of the shipped ones */

static char *from_environment(const char *name)
{
	char *value = getenv(name);

	if (!value)
		skip();
	return value;
}

static int open_all(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *path = fit_xasprintf("%s/host", from_environment("TEST_DIR"));
	fit_autofree char *command =
		fit_xasprintf("%s/tests/hosts/describe two-node", from_environment("TOP"));
	fit_autobuffer struct fit_buffer manifest = {0};
	FILE *stream = popen(command, "r");
	char line[1024];

	(void)state;
	while (fgets(line, sizeof(line), stream))
		fit_buffer_add(&manifest, line);
	assert_int_equal(pclose(stream), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	if (fit_fsroot_open(path, &root, &err) < 0 ||
		fit_test_tree_build(&root, manifest.text, &err) < 0 ||
		fit_virt_open(URI, &virt, &err) < 0)
		fail_msg("%s", err.message);
	profiles = fit_xasprintf("%s/profiles", getenv("BUILD"));
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	fit_virt_close(&virt);
	fit_fsroot_close(&root);
	free(profiles);
	return 0;
}

/* Runs a verb with arguments separated by '|'; @prepare may be NULL. */
static int run(int (*verb)(struct fit_cli *), const char *arguments, bool dry_run)
{
	fit_autofree char *copy = fit_xstrdup(arguments);
	char *args[MAX_WORDS];
	char *rest = copy;
	struct fit_cli cli = {.args = args,
		.connect = URI,
		.sysroot = root.path,
		.dry_run = dry_run,
		.root = root,
		.store = {.root = &root, .shipped = profiles}};

	while (rest && cli.arg_count < MAX_WORDS)
		args[cli.arg_count++] = strsep(&rest, "|");
	return verb(&cli);
}

static void define(const char *name)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *xml = fit_xasprintf(
		"<domain type='kvm'><name>%s</name><memory unit='GiB'>2</memory><vcpu>2</vcpu>"
		"<os><type arch='x86_64' machine='q35'>hvm</type></os></domain>",
		name);

	if (fit_virt_define(&virt, xml, &err) < 0)
		fail_msg("%s: %s", name, err.message);
}

static char *definition(const char *name)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_virt_domain domain = {0};
	char *xml;

	if (fit_virt_find(&virt, name, &domain, &err) < 0)
		fail_msg("%s", err.message);
	xml = fit_virt_definition(&domain, &err);
	fit_virt_domain_clear(&domain);
	return xml;
}

static void set_fits_and_unset_gives_the_definition_back(void **state)
{
	fit_autofree char *before = NULL;
	fit_autofree char *fitted = NULL;
	fit_autofree char *after = NULL;

	(void)state;
	define("two words");
	before = definition("two words");
	assert_int_equal(run(fit_cmd_set, "two words|low-latency", false), FIT_EXIT_DONE);
	fitted = definition("two words");
	assert_non_null(strstr(fitted, "profile=\"low-latency\""));
	assert_non_null(strstr(fitted, "<vcpupin vcpu='1' "));
	assert_int_equal(run(fit_cmd_unset, "two words", false), FIT_EXIT_DONE);
	after = definition("two words");
	assert_string_equal(after, before);
}

static void an_empty_metadata_element_survives_unset(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *before = NULL;
	fit_autofree char *after = NULL;

	(void)state;
	if (fit_virt_define(&virt,
		    "<domain type='kvm'><name>hollow</name><metadata/><memory "
		    "unit='GiB'>2</memory><vcpu>2</vcpu><os><type arch='x86_64' "
		    "machine='q35'>hvm</type></os></domain>",
		    &err) < 0)
		fail_msg("%s", err.message);
	before = definition("hollow");
	assert_non_null(strstr(before, "<metadata/>"));
	assert_int_equal(run(fit_cmd_set, "hollow|base", false), FIT_EXIT_DONE);
	assert_int_equal(run(fit_cmd_set, "hollow|low-latency", false), FIT_EXIT_DONE);
	assert_int_equal(run(fit_cmd_unset, "hollow", false), FIT_EXIT_DONE);
	after = definition("hollow");
	assert_string_equal(after, before);
}

static void what_is_fitted_stays_byte_for_byte(void **state)
{
	fit_autofree char *fitted = NULL;
	fit_autofree char *again = NULL;

	(void)state;
	define("stable");
	assert_int_equal(run(fit_cmd_set, "stable|low-latency|sriov", false), FIT_EXIT_DONE);
	fitted = definition("stable");
	assert_int_equal(run(fit_cmd_apply, "stable", false), FIT_EXIT_DONE);
	assert_int_equal(run(fit_cmd_set, "stable|low-latency sriov", false), FIT_EXIT_DONE);
	again = definition("stable");
	assert_string_equal(again, fitted);
}

static void revert_keeps_the_request_and_apply_fits_again(void **state)
{
	fit_autofree char *fitted = NULL;
	fit_autofree char *reverted = NULL;
	fit_autofree char *again = NULL;

	(void)state;
	define("back");
	assert_int_equal(run(fit_cmd_set, "back|low-latency", false), FIT_EXIT_DONE);
	fitted = definition("back");
	assert_int_equal(run(fit_cmd_revert, "back", false), FIT_EXIT_DONE);
	reverted = definition("back");
	assert_non_null(strstr(reverted, "profile=\"low-latency\""));
	assert_null(strstr(reverted, "vcpupin"));
	assert_int_equal(run(fit_cmd_apply, "back", false), FIT_EXIT_DONE);
	again = definition("back");
	assert_string_equal(again, fitted);
}

static void a_dry_run_changes_nothing(void **state)
{
	fit_autofree char *before = NULL;
	fit_autofree char *fitted = NULL;
	fit_autofree char *after = NULL;

	(void)state;
	define("dry");
	before = definition("dry");
	assert_int_equal(run(fit_cmd_set, "dry|low-latency", true), FIT_EXIT_DONE);
	after = definition("dry");
	assert_string_equal(after, before);
	assert_int_equal(run(fit_cmd_set, "dry|low-latency", false), FIT_EXIT_DONE);
	fitted = definition("dry");
	assert_int_equal(run(fit_cmd_revert, "dry", true), FIT_EXIT_DONE);
	assert_int_equal(run(fit_cmd_unset, "dry", true), FIT_EXIT_DONE);
	fit_xreplace(&after, NULL);
	after = definition("dry");
	assert_string_equal(after, fitted);
}

static void what_cannot_be_met_changes_nothing(void **state)
{
	static const char *const requests[] = {
		"modest|nosuch", "modest|../base", "modest|low-latency|nosuch", "modest|,"};
	fit_autofree char *before = NULL;

	(void)state;
	define("modest");
	before = definition("modest");
	for (size_t i = 0; i < FIT_ARRAY_SIZE(requests); i++) {
		fit_autofree char *after = NULL;

		assert_int_equal(run(fit_cmd_set, requests[i], false), FIT_EXIT_FAILED);
		after = definition("modest");
		assert_string_equal(after, before);
	}
	assert_int_equal(run(fit_cmd_apply, "modest", false), FIT_EXIT_FAILED);
	assert_int_equal(run(fit_cmd_revert, "modest", false), FIT_EXIT_DONE);
	assert_int_equal(run(fit_cmd_unset, "modest", false), FIT_EXIT_DONE);
}

/* Where the name stands before it and "cannot fit" is said, a reason repeats neither. */
static void a_reason_says_nothing_twice(void **state)
{
	struct fit_cli cli = {.connect = URI,
		.sysroot = root.path,
		.root = root,
		.store = {.root = &root, .shipped = profiles}};
	struct fit_session session = fit_cli_session(&cli);
	struct fit_virt_domain domain = {0};
	struct fit_standing standing = {0};
	struct fit_err err = FIT_ERR_INIT;

	(void)state;
	if (fit_virt_define(&virt,
		    "<domain type='kvm'><name>wide</name><metadata><f:domain "
		    "xmlns:f='urn:virt-fit:domain:1' profile='low-latency'/></metadata><memory "
		    "unit='GiB'>2</memory><vcpu>90</vcpu><os><type arch='x86_64' "
		    "machine='q35'>hvm</type></os></domain>",
		    &err) < 0 ||
		fit_session_connect(&session, &err) < 0 || fit_session_survey(&session, &err) < 0 ||
		fit_virt_find(&session.virt, "wide", &domain, &err) < 0 ||
		fit_standing_find(&session, &domain, &standing, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(standing.kind, FIT_STANDING_REFUSED);
	assert_null(strstr(standing.reason, "wide"));
	assert_null(strstr(standing.reason, "cannot fit"));
	assert_true(*standing.reason > ' ');
	fit_standing_clear(&standing);
	fit_virt_domain_clear(&domain);
	fit_session_close(&session);
}

static void what_is_fitted_in_part_is_said_and_can_be_completed(void **state)
{
	struct fit_cli cli = {.connect = URI,
		.sysroot = root.path,
		.root = root,
		.store = {.root = &root, .shipped = profiles}};
	struct fit_session session = fit_cli_session(&cli);
	char name[] = "steps";
	char *args[] = {name};
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *fitted = NULL;
	fit_autofree char *part = NULL;

	(void)state;
	define(name);
	assert_int_equal(run(fit_cmd_set, "steps|low-latency", false), FIT_EXIT_DONE);
	cli.args = args;
	cli.arg_count = 1;
	assert_int_equal(fit_steps_only("vcpus", &cli.only, &err), 0);
	assert_int_equal(fit_cmd_apply(&cli), FIT_EXIT_DONE);
	fit_strlist_clear(&cli.only);
	part = definition(name);
	assert_non_null(strstr(part, "<vcpupin "));
	assert_null(strstr(part, "passthrough"));
	if (fit_session_connect(&session, &err) < 0 || fit_session_survey(&session, &err) < 0)
		fail_msg("%s", err.message);
	for (int i = 0; i < 2; i++) {
		struct fit_virt_domain domain = {0};
		struct fit_standing standing = {0};

		if (fit_virt_find(&session.virt, name, &domain, &err) < 0 ||
			fit_standing_find(&session, &domain, &standing, &err) < 0)
			fail_msg("%s", err.message);
		if (i == 0) {
			assert_string_equal(fit_standing_name(standing.kind), "fitted in part");
			assert_non_null(strstr(standing.reason, "only vcpus"));
			assert_int_equal(run(fit_cmd_apply, "steps", false), FIT_EXIT_DONE);
		} else {
			assert_int_equal(standing.kind, FIT_STANDING_FITTED);
		}
		fit_standing_clear(&standing);
		fit_virt_domain_clear(&domain);
	}
	fit_session_close(&session);
	fitted = definition(name);
	assert_non_null(strstr(fitted, "passthrough"));
}

/* With these housekeeping CPUs in host.xml, "" for the host's own. */
static enum fit_standing_kind standing_with(const char *name, const char *cpus)
{
	struct fit_cli cli = {.connect = URI,
		.sysroot = root.path,
		.root = root,
		.store = {.root = &root, .shipped = profiles}};
	struct fit_session session = fit_cli_session(&cli);
	struct fit_virt_domain domain = {0};
	struct fit_standing standing = {0};
	struct fit_err err = FIT_ERR_INIT;
	enum fit_standing_kind kind;
	fit_autofree char *manifest = fit_xasprintf("etc/virt-fit/host.xml = <host "
						    "xmlns=\"urn:virt-fit:host:1\">%s%s%s</host>\n",
		*cpus ? "<housekeeping cpus=\"" : "", cpus, *cpus ? "\"/>" : "");

	if (fit_test_tree_build(&root, manifest, &err) < 0 ||
		fit_session_connect(&session, &err) < 0 || fit_session_survey(&session, &err) < 0 ||
		fit_virt_find(&session.virt, name, &domain, &err) < 0 ||
		fit_standing_find(&session, &domain, &standing, &err) < 0)
		fail_msg("%s", err.message);
	kind = standing.kind;
	fit_standing_clear(&standing);
	fit_virt_domain_clear(&domain);
	fit_session_close(&session);
	return kind;
}

static void stale_is_what_a_start_finds_and_outdated_what_only_differs(void **state)
{
	fit_autofree char *fitted = NULL;
	fit_autofree char *cpu = NULL;
	const char *pin;

	(void)state;
	define("elsewhere");
	assert_int_equal(standing_with("elsewhere", ""), FIT_STANDING_NONE);
	assert_int_equal(run(fit_cmd_set, "elsewhere|low-latency", false), FIT_EXIT_DONE);
	assert_int_equal(standing_with("elsewhere", ""), FIT_STANDING_FITTED);
	fitted = definition("elsewhere");
	pin = strstr(fitted, "<vcpupin vcpu='0' cpuset='");
	assert_non_null(pin);
	pin += strlen("<vcpupin vcpu='0' cpuset='");
	cpu = fit_xstrndup(pin, strcspn(pin, "'"));
	assert_string_not_equal(cpu, "7");
	assert_int_equal(standing_with("elsewhere", "7"), FIT_STANDING_OUTDATED);
	assert_int_equal(standing_with("elsewhere", cpu), FIT_STANDING_STALE);
	assert_int_equal(standing_with("elsewhere", ""), FIT_STANDING_FITTED);
	assert_int_equal(fit_fsroot_remove(&root, "etc/virt-fit/host.xml", NULL), 0);
}

static void one_command_gives_no_core_twice(void **state)
{
	fit_autofree char *first = NULL;
	fit_autofree char *second = NULL;
	const char *pin;

	(void)state;
	define("twin1");
	define("twin2");
	assert_int_equal(run(fit_cmd_set, "twin1|low-latency", false), FIT_EXIT_DONE);
	assert_int_equal(run(fit_cmd_set, "twin2|low-latency", false), FIT_EXIT_DONE);
	assert_int_equal(run(fit_cmd_revert, "twin1", false), FIT_EXIT_DONE);
	assert_int_equal(run(fit_cmd_revert, "twin2", false), FIT_EXIT_DONE);
	assert_int_equal(run(fit_cmd_apply, "twin1|twin2", false), FIT_EXIT_DONE);
	first = definition("twin1");
	second = definition("twin2");
	pin = strstr(first, "<vcpupin vcpu='0' ");
	assert_non_null(pin);
	*strchr(strstr(first, "<vcpupin vcpu='0' "), '\n') = '\0';
	assert_null(strstr(second, pin));
}

static void one_failure_does_not_keep_the_others_from_being_fitted(void **state)
{
	fit_autofree char *fitted = NULL;

	(void)state;
	define("good");
	assert_int_equal(run(fit_cmd_set, "good|low-latency", false), FIT_EXIT_DONE);
	assert_int_equal(run(fit_cmd_revert, "good", false), FIT_EXIT_DONE);
	assert_int_equal(run(fit_cmd_apply, "nosuch|good", false), FIT_EXIT_FAILED);
	fitted = definition("good");
	assert_non_null(strstr(fitted, "<vcpupin "));
}

/* What somebody else does to the domain "disturbed" while a change is being made. */
struct interference {
	int edits; /* how many attempts are disturbed by an edit */
	bool undefine;
	int attempts;
};

static void define_disturbed(int vcpus)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *xml = fit_xasprintf(
		"<domain type='kvm'><name>disturbed</name>"
		"<uuid>4dea22b3-1d52-d8f3-2516-782e98ab3fa0</uuid><memory>65536</memory>"
		"<vcpu>%d</vcpu><os><type arch='x86_64' machine='q35'>hvm</type></os></domain>",
		vcpus);

	if (fit_virt_define(&virt, xml, &err) < 0)
		fail_msg("%s", err.message);
}

static int disturbed_change(struct fit_session *session FIT_UNUSED,
	const struct fit_subject *subject, void *context, char **ret_xml,
	struct fit_err *err FIT_UNUSED)
{
	struct interference *interference = context;
	const char *end = strstr(subject->xml, "</domain>");

	*ret_xml = fit_xasprintf("%.*s<description>ours</description></domain>",
		(int)(end - subject->xml), subject->xml);
	if (interference->undefine)
		return virDomainUndefine(subject->domain.handle);
	if (interference->attempts++ < interference->edits)
		define_disturbed(10 + interference->attempts);
	return 0;
}

static int disturb(struct interference interference, struct fit_err *err)
{
	struct fit_cli cli = {.connect = URI};
	struct fit_session session = fit_cli_session(&cli);
	struct fit_subject subject = {0};
	int status;

	define_disturbed(2);
	status =
		fit_redefine(&session, "disturbed", disturbed_change, &interference, &subject, err);
	fit_subject_clear(&subject);
	fit_session_close(&session);
	return status;
}

static void an_edit_made_meanwhile_is_not_lost(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *xml = NULL;

	(void)state;
	assert_int_equal(disturb((struct interference){.edits = 2}, &err), 1);
	xml = definition("disturbed");
	assert_non_null(strstr(xml, ">12</vcpu>"));
	assert_non_null(strstr(xml, "<description>ours"));
}

static void a_domain_that_never_holds_still_is_left_alone(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *xml = NULL;

	(void)state;
	assert_int_equal(disturb((struct interference){.edits = 1000}, &err), -1);
	assert_int_equal(err.code, FIT_ERR_REFUSED);
	xml = definition("disturbed");
	assert_null(strstr(xml, "<description>ours"));
}

static void an_undefined_domain_is_not_brought_back(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_virt_domain domain = {0};

	(void)state;
	assert_int_equal(disturb((struct interference){.undefine = true}, &err), -1);
	assert_int_equal(err.code, FIT_ERR_NOTFOUND);
	assert_int_equal(fit_virt_find(&virt, "disturbed", &domain, &err), -1);
}

static void files_and_transient_domains_are_refused(void **state)
{
	static const char xml[] =
		"<domain type='kvm'><name>brief</name><memory>1048576</memory><vcpu>1</vcpu><os>"
		"<type arch='x86_64'>hvm</type></os></domain>";
	virDomainPtr handle = virDomainCreateXML(virt.connection, xml, 0);

	(void)state;
	assert_non_null(handle);
	assert_int_equal(run(fit_cmd_set, "brief|base", false), FIT_EXIT_FAILED);
	assert_int_equal(virDomainIsPersistent(handle), 0);
	virDomainDestroy(handle);
	virDomainFree(handle);
	assert_int_equal(run(fit_cmd_apply, "/dev/null", false), FIT_EXIT_FAILED);
}

static void undo_wants_to_know_from_the_system_s_libvirt(void **state)
{
	struct fit_cli cli = {.connect = URI, .sysroot = root.path, .root = root};

	(void)state;
	assert_int_equal(fit_cmd_undo(&cli), FIT_EXIT_FAILED);
	cli.connect = "nonsense:///";
	assert_int_equal(fit_cmd_undo(&cli), FIT_EXIT_FAILED);
}

static void list_and_status_work_with_all_of_them(void **state)
{
	struct fit_cli cli = {.connect = URI,
		.sysroot = root.path,
		.root = root,
		.store = {.root = &root, .shipped = profiles}};

	(void)state;
	for (int json = 0; json < 2; json++) {
		cli.json = json;
		assert_int_equal(fit_cmd_list(&cli), FIT_EXIT_DONE);
		assert_int_equal(fit_cmd_status(&cli), FIT_EXIT_DONE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_fits_and_unset_gives_the_definition_back),
		cmocka_unit_test(an_empty_metadata_element_survives_unset),
		cmocka_unit_test(what_is_fitted_stays_byte_for_byte),
		cmocka_unit_test(revert_keeps_the_request_and_apply_fits_again),
		cmocka_unit_test(a_dry_run_changes_nothing),
		cmocka_unit_test(what_cannot_be_met_changes_nothing),
		cmocka_unit_test(a_reason_says_nothing_twice),
		cmocka_unit_test(what_is_fitted_in_part_is_said_and_can_be_completed),
		cmocka_unit_test(stale_is_what_a_start_finds_and_outdated_what_only_differs),
		cmocka_unit_test(one_command_gives_no_core_twice),
		cmocka_unit_test(one_failure_does_not_keep_the_others_from_being_fitted),
		cmocka_unit_test(an_edit_made_meanwhile_is_not_lost),
		cmocka_unit_test(a_domain_that_never_holds_still_is_left_alone),
		cmocka_unit_test(an_undefined_domain_is_not_brought_back),
		cmocka_unit_test(files_and_transient_domains_are_refused),
		cmocka_unit_test(undo_wants_to_know_from_the_system_s_libvirt),
		cmocka_unit_test(list_and_status_work_with_all_of_them),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
