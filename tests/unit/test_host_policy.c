/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What belongs to the host: read strictly, found on the host, and out of every plan's reach. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/host_policy.h"
#include "core/rewrite.h"
#include "support_host.h"
#include "support_plan.h"

#define FILE_NAME "etc/host.xml"

static int parse(const char *body, struct fit_host_policy *policy, struct fit_err *err)
{
	fit_autofree char *text = fit_xasprintf(
		"<!-- -->\n<host xmlns=\"" FIT_HOST_NAMESPACE "\">\n%s\n</host>\n", body);

	*err = FIT_ERR_INIT;
	return fit_host_policy_parse(FILE_NAME, text, strlen(text), policy, err);
}

/* Parses and applies; a text that cannot be read fails the test. */
static int apply(
	const char *body, struct fit_host *host, struct fit_strlist *warnings, struct fit_err *err)
{
	struct fit_host_policy policy = {0};
	int status;

	if (parse(body, &policy, err) < 0)
		fail_msg("%s", err->message);
	status = fit_host_policy_apply(&policy, host, warnings, err);
	fit_host_policy_clear(&policy);
	return status;
}

static void expect_part(const struct fit_err *err, const char *part)
{
	if (!strstr(err->message, part))
		fail_msg("'%s' lacks '%s'", err->message, part);
}

static void what_is_not_known_is_an_error_with_its_line(void **state)
{
	static const struct {
		const char *body;
		const char *wanted;
	} cases[] = {
		{"<unheard-of/>", ":3: unknown element <unheard-of>"},
		{"<keep xmlns='' device='eno1'/>", ":3: unknown element <keep>, in no namespace"},
		{"<keep\n/>", "<keep> needs a PCI address"},
		{"<start/>", ":3: <start> needs stale=, which is refit, refuse or warn"},
		{"<start stale='perhaps'/>", ":3: <start> needs stale="},
		{"<start stale='warn'/>\n<start stale='warn'/>", ":4: second <start>"},
		{"<keep device=''/>", ":3: <keep> needs a PCI address"},
		{"\n<keep device='eno1' vf='1'/>",
			":4: <keep> has no attribute vf; it has device, vfs"},
		{"<keep device='eno1' vfs=''/>", ":3: <keep vfs=> is empty"},
		{"<keep device='eno1' vfs='3-1'/>", ":3: <keep vfs=>: "},
		{"<keep device='eno1'>text</keep>", ":3: <keep> cannot contain text"},
		{"<keep device='eno1'><keep/></keep>", ":3: <keep> cannot contain <keep>"},
		{"text", ": <host> cannot contain text"},
		{"<housekeeping/>", ":3: <housekeeping> needs one of cpus="},
		{"<housekeeping cpus='0' cores-per-node='1'/>", ":3: <housekeeping> needs one of"},
		{"<housekeeping cpus=''/>", ":3: <housekeeping cpus=> is empty"},
		{"<housekeeping cpus='0,^0'/>", ":3: <housekeeping cpus=> is empty"},
		{"<housekeeping cpus='first'/>", ":3: <housekeeping cpus=>: "},
		{"<housekeeping cpus='8192'/>", ":3: <housekeeping cpus=>: "},
		{"<housekeeping cores-per-node='0'/>", ":3: <housekeeping cores-per-node=\"0\">"},
		{"<housekeeping cores-per-node='-1'/>", ":3: <housekeeping cores-per-node=\"-1\">"},
		{"<housekeeping cores-per-node='8193'/>", "from 1 to 8192"},
		{"<housekeeping cpus='0'/>\n<housekeeping cpus='1'/>",
			":4: second <housekeeping>: the first is in line 3"},
		{"<keep device='a'>", FILE_NAME ":"},
		{"<allowed/>", ":3: <allowed> needs cpus=\"0-15\", or cpus=\"self\""},
		{"<allowed cpus='own'/>", ":3: <allowed cpus=>: "},
		{"<allowed cpus=''/>", ":3: <allowed cpus=> is empty"},
		{"<allowed cpus='0' nodes='0'/>", ":3: <allowed> has no attribute nodes"},
		{"<allowed cpus='self'/>\n<allowed cpus='0'/>",
			":4: second <allowed>: the first is in line 3"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_host_policy policy = {0};
		struct fit_err err;

		if (parse(cases[i].body, &policy, &err) == 0)
			fail_msg("accepted: %s", cases[i].body);
		assert_int_equal(err.code, FIT_ERR_INVALID);
		assert_null(policy.file);
		expect_part(&err, FILE_NAME);
		expect_part(&err, cases[i].wanted);
	}
}

static void another_document_is_refused(void **state)
{
	static const char *const texts[] = {"", "<host/>",
		"<profile xmlns='urn:virt-fit:profile:1' name='host'/>",
		"<host xmlns='urn:virt-fit:host:2'/>", "<host xmlns='urn:virt-fit:host:1' a='b'/>"};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(texts); i++) {
		struct fit_host_policy policy = {0};
		struct fit_err err = FIT_ERR_INIT;

		assert_int_equal(
			fit_host_policy_parse(FILE_NAME, texts[i], strlen(texts[i]), &policy, &err),
			-1);
		expect_part(&err, FILE_NAME);
	}
}

static void what_the_host_lacks_is_named_and_nothing_is_noted(void **state)
{
	static const struct {
		const char *body;
		const char *wanted;
	} cases[] = {
		{"<housekeeping cpus='0,30-33'/>", ":3: housekeeping names CPUs 32-33, which this"},
		{"<housekeeping cpus='0-31'/>", ":3: housekeeping has a CPU of every core"},
		{"<housekeeping cpus='16-31'/>", ":3: housekeeping has a CPU of every core"},
		{"<housekeeping cores-per-node='8'/>", ":3: housekeeping has a CPU of every core"},
		{"<allowed cpus='40-50'/>",
			":3: no CPU is left for domains: allowed are CPUs 40-50"},
		{"<housekeeping cpus='0'/>\n<allowed cpus='1-31'/>",
			":4: none of the housekeeping CPUs (line 3) is allowed"},
		{"<housekeeping cpus='0-7'/>\n<allowed cpus='0-7'/>",
			":4: the allowed CPUs (CPUs 0-7) are all housekeeping's"},
		{"<keep device='eno9'/>", ":3: device 'eno9' is to be kept, which this host"},
		{"<keep device='0000:09:00.0'/>", ":3: device '0000:09:00.0' is to be kept"},
		{"<keep device='enp1s0' vfs='0'/>",
			":3: VFs of 'enp1s0' are to be kept, which has"},
		{"<keep device='enp65s0f0' vfs='6-7'/>", ":3: VF 7 of 'enp65s0f0' is to be kept"},
		{"<keep device='enp65s0f0v1'/>", "name it by its address, 0000:41:10.2"},
		/* The first is good: what is wrong later takes it back. */
		{"<housekeeping cpus='0'/><keep device='enp1s0'/>\n<keep device='eno9'/>", ":4: "},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_host host = fit_test_host("two-node");
		fit_autostrlist struct fit_strlist warnings = {0};
		struct fit_err err;

		if (apply(cases[i].body, &host, &warnings, &err) == 0)
			fail_msg("applied: %s", cases[i].body);
		assert_int_equal(err.code, FIT_ERR_REFUSED);
		expect_part(&err, FILE_NAME);
		expect_part(&err, cases[i].wanted);
		assert_true(fit_cpuset_is_empty(&host.housekeeping));
		assert_null(host.housekeeping_source);
		assert_int_equal(host.kept_count, 0);
		fit_host_clear(&host);
	}
}

static void a_cpu_that_is_offline_is_a_warning_unless_it_is_the_only_one(void **state)
{
	struct fit_host host = fit_test_host("two-node");
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_err err;

	(void)state;
	fit_made_offline(&host, 1);
	assert_int_equal(apply("<housekeeping cpus='1'/>", &host, &warnings, &err), -1);
	expect_part(&err, ":3: no housekeeping CPU is online: CPU 1");
	assert_int_equal(apply("<housekeeping cpus='0-1'/>", &host, &warnings, &err), 0);
	assert_int_equal(warnings.count, 1);
	assert_string_equal(
		warnings.items[0], FILE_NAME ":3: housekeeping names CPU 1, offline now");
	fit_expect_set(&host.housekeeping, "0");
	fit_host_clear(&host);
}

static void cores_of_each_node_are_the_first_that_are_not_isolated(void **state)
{
	struct fit_host host = fit_test_host("two-node");
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_err err;

	(void)state;
	fit_cpuset_add(&host.isolated, 8);
	fit_cpuset_add(&host.isolated, 24);
	assert_int_equal(apply("<housekeeping cores-per-node='2'/>", &host, &warnings, &err), 0);
	fit_expect_set(&host.housekeeping, "0-1,9-10,16-17,25-26");
	fit_host_clear(&host);
}

static void expect_kept(const struct fit_host *host, const char *addresses, const char *source)
{
	fit_autostrlist struct fit_strlist found = {0};
	fit_autofree char *list = NULL;

	for (size_t i = 0; i < host->kept_count; i++) {
		fit_strlist_add(&found, FIT_PCIADDR_STR(host->kept[i].addr));
		assert_string_equal(fit_host_kept(host, host->kept[i].addr), source);
	}
	list = fit_strlist_join(&found, " ");
	assert_string_equal(list, addresses);
}

/* @self: what this process may use. */
static void what_is_allowed_is_of_the_line_that_says_so(void **state)
{
	(void)state;
	for (unsigned int self = 0; self < 2; self++) {
		struct fit_host host = fit_test_host("two-node");
		struct fit_host_policy policy = {0};
		fit_autostrlist struct fit_strlist warnings = {0};
		struct fit_err err;

		assert_int_equal(parse(self ? "<allowed cpus='self'/>" : "<allowed cpus='2-5'/>",
					 &policy, &err),
			0);
		assert_int_equal(policy.allowed_self, self);
		policy.allowed = fit_made_set("2-5");
		assert_int_equal(fit_host_policy_apply(&policy, &host, &warnings, &err), 0);
		fit_expect_set(&host.online, "2-5");
		assert_string_equal(host.limited_by,
			self ? FILE_NAME ":3 (what this process may use)" : FILE_NAME ":3");
		fit_host_policy_clear(&policy);
		fit_host_clear(&host);
	}
}

static void a_pf_is_kept_with_the_vfs_that_it_has_and_could_have(void **state)
{
	static const struct {
		const char *body;
		const char *kept;
	} cases[] = {
		{"<keep device='0000:81:00.0'/>",
			"0000:81:00.0 0000:81:00.1 0000:81:00.2 0000:81:00.3 0000:81:00.4"},
		{"<keep device='enp65s0f0' vfs='1,3'/>", "0000:41:10.2 0000:41:10.6"},
		{"<keep device='0000:41:10.2'/>", "0000:41:10.2"},
		{"<keep device='0000:41:10.6'/>", "0000:41:10.6"},
		{"<keep device='0000:c1:00.0'/>", "0000:c1:00.0"},
		{"<keep device='enp1s0'/><keep device='0000:01:00.0'/>", "0000:01:00.0"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_host host = fit_test_host("two-node");
		fit_autostrlist struct fit_strlist warnings = {0};
		struct fit_err err;

		assert_int_equal(apply(cases[i].body, &host, &warnings, &err), 0);
		assert_int_equal(warnings.count, 0);
		expect_kept(&host, cases[i].kept, FILE_NAME ":3");
		fit_host_clear(&host);
	}
}

#define VCPU_0	 "cputune/vcpupin[@vcpu='0']"
#define IOTHREAD "cputune/iothreadpin[@iothread='4']"
#define EMULATOR "cputune/emulatorpin"

/* vCPU 0 on CPU 2, an iothread on 5, the emulator on 0 and 16; a VF of ours, and one of the user's.
 */
static struct fit_domain fitted_domain(void)
{
	struct fit_domain domain = fit_made_domain("web01", 1, GIB);

	fit_made_pin(&domain, 0, "2");
	*FIT_APPEND(domain.iothread_pins, domain.iothread_pin_count) =
		(struct fit_thread_pin){.id = 4, .cpus = fit_made_set("5")};
	domain.has_emulator_pin = true;
	domain.emulator_pin = fit_made_set("0,16");
	fit_made_hostdev(&domain, "0000:41:10.0", true);
	fit_made_hostdev(&domain, "0000:41:10.2", false);
	return domain;
}

/* To be freed. */
static char *find_conflict(const struct fit_host *host, const char *written)
{
	struct fit_domain domain = fitted_domain();
	struct fit_facet facets[4] = {0};
	struct fit_record record = {.facets = facets};
	fit_autostrlist struct fit_strlist paths = {0};
	char *conflict;

	fit_strlist_split(&paths, written, " ");
	for (size_t i = 0; i < paths.count; i++)
		facets[record.facet_count++] =
			(struct fit_facet){.path = paths.items[i], .wrote = paths.items[i]};
	conflict = fit_host_policy_conflict(host, &domain, &record);
	fit_domain_clear(&domain);
	return conflict;
}

/* Of what virt-fit wrote. A vCPU has its core for itself, other threads only have to be allowed. */
static void what_was_fitted_may_conflict_with_a_later_policy(void **state)
{
	static const char all[] = VCPU_0 " " IOTHREAD " " EMULATOR;
	static const struct {
		const char *body, *written, *conflict;
	} cases[] = {
		{"", all, NULL},
		{"<housekeeping cpus='2'/>", all,
			"vCPU 0 is pinned to CPU 2, of the cores for housekeeping by " FILE_NAME
			":3"},
		{"<housekeeping cpus='18'/>", all,
			"vCPU 0 is pinned to CPU 2, of the cores for housekeeping by " FILE_NAME
			":3"},
		{"<housekeeping cpus='2'/>", IOTHREAD " " EMULATOR, NULL},
		{"<housekeeping cpus='0,3,5,16'/>", all, NULL},
		{"<allowed cpus='0-1,3-31'/>", all,
			"vCPU 0 is pinned to CPU 2, not allowed by " FILE_NAME ":3"},
		{"<allowed cpus='0-1,3-31'/>", IOTHREAD " " EMULATOR, NULL},
		{"<allowed cpus='0-4,6-31'/>", all,
			"iothread 4 is pinned to CPU 5, not allowed by " FILE_NAME ":3"},
		{"<allowed cpus='0-4,6-31'/>", VCPU_0 " " EMULATOR, NULL},
		{"<allowed cpus='0-15,17-31'/>", all,
			"the emulator is pinned to CPU 16, not allowed by " FILE_NAME ":3"},
		{"<allowed cpus='0-15,17-31'/>", VCPU_0 " " IOTHREAD, NULL},
		{"<keep device='0000:41:10.0'/>", "",
			"0000:41:10.0 is kept for the host by " FILE_NAME ":3"},
		{"<keep device='0000:41:10.2'/>", all, NULL},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_host host = fit_test_host("two-node");
		fit_autostrlist struct fit_strlist warnings = {0};
		fit_autofree char *conflict = NULL;
		struct fit_err err;

		if (apply(cases[i].body, &host, &warnings, &err) < 0)
			fail_msg("%s", err.message);
		conflict = find_conflict(&host, cases[i].written);
		if (!fit_streq(conflict, cases[i].conflict))
			fail_msg("%s: %s", cases[i].body, conflict ? conflict : "no conflict");
		fit_host_clear(&host);
	}
}

static void the_only_core_is_shared_with_housekeeping(void **state)
{
	struct fit_host host = fit_made_host((struct fit_host_shape){1, 1, 1, 4});
	fit_autofree char *conflict = NULL;

	(void)state;
	host.housekeeping = fit_made_set("0");
	host.housekeeping_source = fit_xstrdup("host.xml:1");
	conflict = find_conflict(&host, VCPU_0);
	assert_null(conflict);
	host.housekeeping = fit_made_set("0,2");
	conflict = find_conflict(&host, VCPU_0);
	assert_non_null(conflict);
	fit_host_clear(&host);
}

static unsigned int draw(unsigned int *seed, unsigned int below)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % below;
}

/* One or two CPUs, and each fourth device. To be freed. */
static char *draw_policy(const struct fit_host *host, unsigned int *seed)
{
	fit_autostrlist struct fit_strlist lines = {0};

	fit_strlist_addf(&lines, "<housekeeping cpus='%u,%u'/>",
		host->cpus[draw(seed, (unsigned int)host->cpu_count)].id,
		host->cpus[draw(seed, (unsigned int)host->cpu_count)].id);
	for (size_t i = 0; i < host->pci_count; i++)
		if (draw(seed, 4) == 0)
			fit_strlist_addf(
				&lines, "<keep device='%s'/>", FIT_PCIADDR_STR(host->pci[i].addr));
	return fit_strlist_join(&lines, "\n");
}

static void expect_out_of_reach(const struct fit_host *host, const struct fit_plan *plan)
{
	assert_true(fit_cpuset_equal(&plan->housekeeping, &host->housekeeping));
	assert_true(!plan->has_emulator || fit_cpuset_equal(&plan->emulator, &host->housekeeping));
	fit_cpuset_for_each (id, &plan->vcpu_cpus)
		assert_false(fit_cpuset_intersects(
			&fit_host_cpu(host, (unsigned int)id)->siblings, &host->housekeeping));
	for (size_t i = 0; i < plan->vf_count; i++) {
		assert_null(fit_host_kept(host, plan->vfs[i].vf));
		assert_null(fit_host_kept(host, plan->vfs[i].pf));
	}
}

/* Of one trial: was there a plan? */
static bool try_plan(const char *name, enum fit_place place, unsigned int *seed)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 1, 1}, 1 + draw(seed, 4));
	fit_autostrlist struct fit_strlist warnings = {0};
	fit_autofree char *body = NULL;
	bool planned = false;
	struct fit_plan_input input;

	fit_host_clear(&b.host);
	b.host = fit_test_host(name);
	body = draw_policy(&b.host, seed);
	b.profile.vcpus.place = place;
	b.profile.vcpus.span_nodes = true;
	if (draw(seed, 2)) {
		b.profile.vfs.intent.set = true;
		b.profile.vfs.count = 1;
		b.profile.vfs.pf = fit_xstrdup("nearest");
	}
	if (apply(body, &b.host, &warnings, &b.err) == 0) {
		input = fit_bench_input(&b);
		planned = fit_plan_make(&input, &b.plan, &b.err) == 0;
	}
	if (planned)
		expect_out_of_reach(&b.host, &b.plan);
	fit_bench_end(&b);
	return planned;
}

static void no_plan_takes_what_belongs_to_the_host(void **state)
{
	fit_autostrlist struct fit_strlist names = {0};
	unsigned int seed = 5;

	(void)state;
	fit_test_host_names(&names);
	assert_true(names.count > 5);
	for (size_t i = 0; i < names.count; i++) {
		unsigned int planned = 0;

		for (unsigned int n = 0; n < 12; n++)
			planned += try_plan(
				names.items[i], n % 2 ? FIT_PLACE_CORES : FIT_PLACE_NODE, &seed);
		if (!planned && !fit_streq(names.items[i], "small"))
			fail_msg("%s: no plan was made", names.items[i]);
	}
}

static void the_reason_names_the_line(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 4, 2}, 4);
	fit_autostrlist struct fit_strlist warnings = {0};

	(void)state;
	assert_int_equal(apply("<housekeeping cpus='1-2,9'/>", &b.host, &warnings, &b.err), 0);
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_CHOICE,
		"CPUs 1-2,9 are housekeeping by " FILE_NAME
		":3; no vCPU gets CPU 10 of the same cores");
	b.domain.vcpus = 16;
	fit_expect_refusal(&b, "CPUs 1-2,9: housekeeping by " FILE_NAME ":3");
	b.domain.vcpus = 1;
	fit_made_pin(&b.domain, 0, "2");
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_WARNING,
		"vCPU pins of the definition stay on CPU 2, housekeeping by " FILE_NAME ":3");
	fit_bench_end(&b);
}

/* Nor do threads float there that may run on the whole node. */
static void threads_that_float_stay_off_housekeeping(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_cpuset housekeeping = fit_made_set("1-2,9");

	(void)state;
	assert_int_equal(apply("<housekeeping cpus='1-2,9'/>", &b.host, &warnings, &b.err), 0);
	fit_made_disk(&b.domain, "vda", "virtio");
	b.profile.emulator.place = FIT_PLACE_NODE;
	b.profile.iothreads.place = FIT_PLACE_NODE;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.iothread_count, 1);
	assert_true(fit_cpuset_count(&b.plan.emulator) > 4);
	assert_false(fit_cpuset_intersects(&b.plan.emulator, &housekeeping));
	assert_false(fit_cpuset_intersects(&b.plan.iothreads[0].cpus, &housekeeping));
	fit_bench_end(&b);
}

static void a_node_that_is_all_housekeepings_is_warned_of(void **state)
{
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_host host = fit_test_host("two-node");
	struct fit_err err;

	(void)state;
	assert_int_equal(apply("<housekeeping cpus='0,8-15'/>", &host, &warnings, &err), 0);
	assert_int_equal(warnings.count, 1);
	assert_non_null(strstr(warnings.items[0],
		":3: housekeeping has a CPU of every core of node 1: no vCPU is placed there"));
	fit_host_clear(&host);
	host = fit_test_host("two-node");
	assert_int_equal(apply("<housekeeping cpus='0,8-14'/>", &host, &warnings, &err), 0);
	assert_int_equal(warnings.count, 1);
	fit_host_clear(&host);
}

static struct fit_cpuset all_pins(const struct fit_plan *plan)
{
	struct fit_cpuset cpus = plan->emulator;

	for (size_t i = 0; i < plan->vcpu_count; i++)
		fit_cpuset_unite(&cpus, &plan->vcpus[i].cpus);
	for (size_t i = 0; i < plan->iothread_count; i++)
		fit_cpuset_unite(&cpus, &plan->iothreads[i].cpus);
	return cpus;
}

/* Whatever the places are: vCPUs, the emulator and the iothreads. */
static void no_plan_leaves_what_is_allowed(void **state)
{
	static const char *const lists[] = {"3-5,19-21", "2,18", "0-3", "9-14", "5,12,20-22", "31"};
	static const enum fit_place places[] = {
		FIT_PLACE_HOUSEKEEPING, FIT_PLACE_OWN_CORE, FIT_PLACE_VCPUS, FIT_PLACE_NODE};
	unsigned int planned = 0;

	(void)state;
	for (unsigned int number = 0; number < 6 * 4 * 4 * 3; number++) {
		struct fit_cpuset allowed = fit_made_set(lists[number % 6]);
		struct fit_bench b = {
			.host = fit_test_host("two-node"),
			.domain = fit_made_domain("web01", 1 + number / 96, 4 * GIB),
			.profile = fit_made_profile(),
			.err = FIT_ERR_INIT,
		};
		struct fit_plan_input input = fit_bench_input(&b);
		struct fit_cpuset pins;

		fit_made_disk(&b.domain, "vda", "virtio");
		b.profile.vcpus.span_nodes = true;
		b.profile.vcpus.place = number / 6 % 2 ? FIT_PLACE_CORES : FIT_PLACE_NODE;
		if (number / 6 % 3 == 2)
			b.profile.vcpus.dedicated = fit_xstrdup("0");
		b.profile.emulator.place = places[number / 6 % 4];
		b.profile.iothreads.place = places[number / 24 % 4];
		assert_true(fit_host_limit(&b.host, &allowed, "somebody"));
		if (fit_plan_make(&input, &b.plan, &b.err) == 0) {
			pins = all_pins(&b.plan);
			assert_true(fit_cpuset_is_subset(&pins, &allowed));
			fit_expect_reason(&b, FIT_REASON_CHOICE, "may be used, by somebody");
			planned++;
		} else {
			expect_part(&b.err, "may be used, by somebody");
		}
		fit_bench_end(&b);
	}
	assert_true(planned > 150);
}

static void what_is_not_allowed_is_as_if_it_were_offline(void **state)
{
	struct fit_cpuset allowed = fit_made_set("2-3,18,40"), none = fit_made_set("40");
	struct fit_host host = fit_test_host("two-node");

	(void)state;
	assert_false(fit_host_limit(&host, &none, "x"));
	assert_null(host.limited_by);
	assert_true(fit_host_limit(&host, &allowed, "x"));
	fit_expect_set(&host.online, "2-3,18");
	fit_expect_set(&fit_host_cpu(&host, 2)->siblings, "2,18");
	fit_expect_set(&fit_host_cpu(&host, 3)->siblings, "3");
	fit_expect_set(&fit_host_cpu(&host, 19)->siblings, "");
	assert_false(fit_host_cpu(&host, 19)->online);
	fit_expect_set(&host.nodes[0].cpus, "2-3,18");
	fit_expect_set(&host.nodes[1].cpus, "");
	fit_expect_set(&host.l3_groups[0], "2-3,18");
	fit_host_clear(&host);
}

static void a_pin_that_is_kept_must_be_allowed(void **state)
{
	struct fit_cpuset allowed = fit_made_set("2-7");
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 16, 1}, 1);

	(void)state;
	fit_made_pin(&b.domain, 0, "9");
	assert_true(fit_host_limit(&b.host, &allowed, "host.xml:3"));
	fit_expect_refusal(&b, "vCPU 0 is pinned to CPU 9, allowed by host.xml:3 are CPUs 2-7");
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_known_is_an_error_with_its_line),
		cmocka_unit_test(another_document_is_refused),
		cmocka_unit_test(what_the_host_lacks_is_named_and_nothing_is_noted),
		cmocka_unit_test(a_cpu_that_is_offline_is_a_warning_unless_it_is_the_only_one),
		cmocka_unit_test(cores_of_each_node_are_the_first_that_are_not_isolated),
		cmocka_unit_test(what_is_allowed_is_of_the_line_that_says_so),
		cmocka_unit_test(a_pf_is_kept_with_the_vfs_that_it_has_and_could_have),
		cmocka_unit_test(what_was_fitted_may_conflict_with_a_later_policy),
		cmocka_unit_test(the_only_core_is_shared_with_housekeeping),
		cmocka_unit_test(no_plan_takes_what_belongs_to_the_host),
		cmocka_unit_test(the_reason_names_the_line),
		cmocka_unit_test(threads_that_float_stay_off_housekeeping),
		cmocka_unit_test(a_node_that_is_all_housekeepings_is_warned_of),
		cmocka_unit_test(no_plan_leaves_what_is_allowed),
		cmocka_unit_test(what_is_not_allowed_is_as_if_it_were_offline),
		cmocka_unit_test(a_pin_that_is_kept_must_be_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
