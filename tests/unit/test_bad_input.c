/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hosts whose files contradict each other: some are cut off, changed, swapped, empty or gone, and
 * some lines of a capture are missing. Whatever it is, there is a sound host and a plan on what is
 * there, or a sentence; never a pin to what is not there. The same damage is done each time; more
 * of it, on all hosts, for as many seconds as BAD_INPUT says.
 */
#include "support.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/host_policy.h"
#include "support_corpus.h"
#include "support_host.h"
#include "support_plan.h"
#include "support_sound.h"
#include "support_tree.h"
#include "sys/capture.h"
#include "sys/probe.h"

static uint64_t random_state;
static char current[512];
static unsigned int planned, refused;

/* xorshift64* */
static size_t below(size_t limit)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (size_t)((random_state * 0x2545f4914f6cdd1dULL >> 33) % limit);
}

static void check_pins(const struct fit_bench *b, const struct fit_cpuset *there)
{
	const struct fit_plan *plan = &b->plan;
	struct fit_cpuset used = {0};

	EXPECT_OF(current, plan->vcpu_count == b->domain.vcpus);
	for (size_t i = 0; i < plan->vcpu_count; i++) {
		const struct fit_cpuset *cpus = &plan->vcpus[i].cpus;

		EXPECT_OF(current, fit_cpuset_count(cpus) == 1);
		EXPECT_OF(current, fit_cpuset_is_subset(cpus, &b->host.online));
		EXPECT_OF(current, fit_cpuset_is_subset(cpus, there));
		EXPECT_OF(current, !fit_cpuset_intersects(cpus, &used));
		EXPECT_OF(current, !fit_cpuset_intersects(cpus, &plan->housekeeping));
		EXPECT_OF(current, !fit_cpuset_intersects(cpus, &b->claims.items[0].cpus));
		fit_cpuset_unite(&used, cpus);
	}
	EXPECT_OF(current, fit_cpuset_count(&plan->vcpu_nodes) == 1);
}

static void check_rest(const struct fit_bench *b)
{
	const struct fit_plan *plan = &b->plan;

	fit_cpuset_for_each (id, &plan->memory_nodes) {
		const struct fit_node *node = fit_host_node(&b->host, (unsigned int)id);

		EXPECT_OF(current, node && node->memory_kib);
	}
	for (size_t i = 0; i < plan->vf_count; i++) {
		const struct fit_planned_vf *vf = &plan->vfs[i];
		const struct fit_pci_device *pf = fit_host_pci(&b->host, vf->pf);
		const struct fit_pci_device *device = fit_host_pci(&b->host, vf->vf);
		struct fit_pciaddr addr;

		EXPECT_OF(current, pf && pf->sriov_total && (vf->exists || pf->iommu_group >= 0));
		EXPECT_OF(current, vf->exists == (device != NULL));
		EXPECT_OF(current,
			!device || (device->is_vf && fit_pciaddr_equal(device->physfn, pf->addr)));
		EXPECT_OF(current, !device || device->iommu_group >= 0);
		EXPECT_OF(current,
			fit_pci_find_vf(pf, vf->index, &addr) && fit_pciaddr_equal(addr, vf->vf));
	}
}

/* @there: CPUs that the undamaged host has. */
static void check_plan(struct fit_host *host, const struct fit_cpuset *there, bool with_vf)
{
	struct fit_bench b = {
		.host = *host,
		.domain = fit_made_domain("guest", 1 + (unsigned int)below(4), 2 * GIB),
		.profile = fit_made_profile(),
		.err = FIT_ERR_INIT,
	};
	struct fit_plan_input input;
	int first = fit_cpuset_next(&host->online, (unsigned int)below(4));
	fit_autofree char *claimed = fit_xasprintf("%d", first < 0 ? 0 : first);

	*host = (struct fit_host){0};
	fit_made_claim(&b.claims, "other", true, claimed);
	b.profile.vfs.intent.set = with_vf;
	b.profile.vfs.count = 1;
	b.profile.vfs.pf = fit_xstrdup("nearest");
	input = fit_bench_input(&b);
	if (fit_plan_make(&input, &b.plan, &b.err) == 0) {
		check_pins(&b, there);
		check_rest(&b);
		planned++;
	} else {
		EXPECT_OF(current, b.err.code == FIT_ERR_REFUSED && *b.err.message);
		refused++;
	}
	fit_bench_end(&b);
}

static void check_root(const struct fit_fsroot *root, const struct fit_cpuset *there, bool with_vf)
{
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_host host = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_probe(root, FIT_PROBE_ALL, &host, &warnings, &err) < 0) {
		EXPECT_OF(current, *err.message);
		refused++;
		return;
	}
	fit_probe_msix(root, &host, &warnings);
	fit_expect_sound_host(current, &host);
	check_plan(&host, there, with_vf);
	fit_host_clear(&host);
}

/* A host as lines, and where it is on disk. */
struct victim {
	const char *name;
	struct fit_fsroot root;
	struct fit_strlist lines;
	struct fit_cpuset there;
};

static const char *text_of(const char *line)
{
	const char *equals = strstr(line, " = ");

	return equals ? equals + strlen(" = ") : "";
}

/* The same path with other contents; NULL: the entry is gone. To be freed. */
static char *damage(const struct victim *victim, const char *line)
{
	static const char *const numbers[] = {"-1", "0", "1", "7", "255", "4294967295",
		"18446744073709551615", "0-8191", "ffffffff"};
	size_t length = strcspn(line, " ");
	fit_autofree char *path = fit_xstrndup(line, length);
	const char *other = victim->lines.items[below(victim->lines.count)];
	fit_autofree char *text = fit_xstrdup(text_of(line));

	switch (below(7)) {
	case 0:
		return NULL;
	case 1:
		return fit_xasprintf("%s :=", path);
	case 2: /* cut off */
		text[below(strlen(text) + 1)] = '\0';
		return fit_xasprintf("%s := %s", path, text);
	case 3: /* a wrong character */
		if (*text)
			text[below(strlen(text))] = "0123456789,-x :"[below(15)];
		return fit_xasprintf("%s = %s", path, text);
	case 4:
		return fit_xasprintf("%s = %s", path, numbers[below(FIT_ARRAY_SIZE(numbers))]);
	case 5: /* what another file says */
		return fit_xasprintf("%s = %s", path, text_of(other));
	default: /* what the next file of that name says */
		for (size_t i = below(victim->lines.count), left = 64; left; i++, left--) {
			const char *name = strrchr(path, '/');
			const char *found = victim->lines.items[i % victim->lines.count];
			fit_autofree char *found_path = fit_xstrndup(found, strcspn(found, " "));

			if (name && strrchr(found_path, '/') &&
				fit_streq(strrchr(found_path, '/'), name))
				return fit_xasprintf("%s%s", path, found + strlen(found_path));
		}
		return fit_xasprintf("%s = x", path);
	}
}

/* Lines of directories stay: a file cannot take their place. */
static void hurt(struct victim *victim, size_t place)
{
	const char *line = victim->lines.items[place];
	size_t length = strcspn(line, " ");
	fit_autofree char *path = fit_xstrndup(line, length);
	fit_autofree char *other = NULL;

	if (!length || path[length - 1] == '/')
		return;
	other = damage(victim, line);
	unlinkat(victim->root.fd, path, 0);
	/* One that cannot be made is one that is gone. */
	if (other)
		fit_test_tree_build(&victim->root, other, NULL);
	snprintf(current + strlen(current), sizeof(current) - strlen(current), "; %.80s",
		other ? other : path);
}

static void heal(struct victim *victim, size_t place)
{
	const char *line = victim->lines.items[place];
	size_t length = strcspn(line, " ");
	fit_autofree char *path = fit_xstrndup(line, length);

	if (!length || path[length - 1] == '/')
		return;
	unlinkat(victim->root.fd, path, 0);
	fit_test_root_add(&victim->root, line);
}

/* A few files, or all of a part of a capture. */
static void round_of_damage(struct victim *victim, bool with_vf)
{
	size_t count = 1 + below(4);
	bool run = below(8) == 0;
	size_t places[64];

	snprintf(current, sizeof(current), "%s", victim->name);
	if (run)
		count = 1 + below(FIT_ARRAY_SIZE(places));
	for (size_t i = 0; i < count; i++)
		places[i] = run && i ? (places[0] + i) % victim->lines.count
				     : below(victim->lines.count);
	for (size_t i = 0; i < count; i++)
		hurt(victim, places[i]);
	check_root(&victim->root, &victim->there, with_vf);
	for (size_t i = 0; i < count; i++)
		heal(victim, places[i]);
}

static struct victim victim_of(const char *name, struct fit_fsroot root)
{
	struct victim victim = {.name = name, .root = root};
	fit_autofree char *manifest = fit_test_tree_dump(&root);
	struct fit_err err = FIT_ERR_INIT;
	struct fit_host host = {0};

	fit_strlist_split(&victim.lines, manifest, "\n");
	if (fit_probe(&root, FIT_PROBE_CPUS, &host, NULL, &err) < 0)
		fail_msg("%s: %s", name, err.message);
	for (size_t i = 0; i < host.cpu_count; i++)
		fit_cpuset_add(&victim.there, host.cpus[i].id);
	fit_host_clear(&host);
	return victim;
}

/* Seconds that are left; 0 when it was not asked for so much. */
static time_t deadline(void)
{
	const char *seconds = getenv("BAD_INPUT");

	return seconds ? time(NULL) + atoi(seconds) : 0;
}

static void damage_host(const char *name, struct fit_fsroot root, unsigned int rounds)
{
	struct victim victim = victim_of(name, root);

	for (unsigned int i = 0; i < rounds; i++)
		round_of_damage(&victim, below(2));
	fit_strlist_clear(&victim.lines);
}

static void damaged_hosts_are_planned_on_what_is_there_or_refused(void **state)
{
	static const char *const names[] = {"sriov", "sparse", "hybrid", "two-node", "lab-running"};

	(void)state;
	random_state = 20240229;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(names); i++) {
		struct fit_fsroot root = fit_test_host_root(names[i]);

		damage_host(names[i], root, 120);
		fit_test_root_remove(&root);
	}
	/* Damage that nothing is left of would prove nothing. */
	assert_true(planned > 300);
	assert_true(refused > 20);
}

/* Each has a warning that names it, and is worked around. */
static void contradictions_are_warned_of(void **state)
{
	static const struct {
		const char *change;
		const char *warning;
	} cases[] = {
		{"sys/devices/system/cpu/online = 0-3,6\n",
			"sys/devices/system/cpu/online names CPU 6, without a directory: ignored"},
		{"sys/devices/system/node/node0/cpulist = 0,2-3\n"
		 "sys/devices/system/node/node1/cpulist = 1\n"
		 "sys/devices/system/node/node0/distance = 10 20\n",
			"CPUs 0-1 disagree about which of them share a core, or about its node"},
		{"sys/devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages = 65\n",
			"hugepages-2048kB: 65 of 64 pages are free, which cannot be"},
		{"sys/devices/system/node/node0/meminfo = Node 0 MemTotal: 1 kB\\nNode 0 MemFree: 2 kB\n",
			"node0/meminfo: more memory is free than there is"},
		{"sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/virtfn1 -> ../0000:01:10.2\n",
			"0000:01:00.0 names the VF 0000:01:10.2, which does not exist: ignored"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_fsroot root = fit_test_host_root("sriov");
		fit_autostrlist struct fit_strlist warnings = {0};
		fit_autofree char *all = NULL;
		struct fit_host host = {0};
		struct fit_err err = FIT_ERR_INIT;

		fit_test_root_add(&root, cases[i].change);
		if (fit_probe(&root, FIT_PROBE_ALL, &host, &warnings, &err) < 0)
			fail_msg("%s", err.message);
		all = fit_strlist_join(&warnings, "\n");
		if (warnings.count != 1 || !strstr(all, cases[i].warning))
			fail_msg("'%s' instead of '%s'", all, cases[i].warning);
		fit_expect_sound_host(cases[i].change, &host);
		fit_host_clear(&host);
		fit_test_root_remove(&root);
	}
}

/* One VF that was taken away does not give the others new numbers, by which they may be kept. */
static void vfs_keep_their_numbers_beside_a_missing_one(void **state)
{
	static const char text[] = "<host xmlns='urn:virt-fit:host:1'>"
				   "<keep device='0000:41:00.0' vfs='1-2,4'/></host>";
	struct fit_fsroot root = fit_test_host_root("two-node");
	struct fit_host_policy policy = {0};
	struct fit_host host = {0};
	struct fit_err err = FIT_ERR_INIT;
	const struct fit_pci_device *pf;

	(void)state;
	assert_int_equal(unlinkat(root.fd, "sys/bus/pci/devices/0000:41:10.2", 0), 0);
	if (fit_probe(&root, FIT_PROBE_ALL, &host, NULL, &err) < 0 ||
		fit_host_policy_parse("host.xml", text, strlen(text), &policy, &err) < 0 ||
		fit_host_policy_apply(&policy, &host, NULL, &err) < 0)
		fail_msg("%s", err.message);
	pf = fit_host_pci(&host, (struct fit_pciaddr){.bus = 0x41});
	assert_int_equal(pf->vf_count, 2);
	assert_int_equal(fit_pci_vf_number(pf, 0), 0);
	assert_int_equal(fit_pci_vf_number(pf, 1), 2);
	assert_int_equal(host.kept_count, 3);
	assert_string_equal(FIT_PCIADDR_STR(host.kept[0].addr), "0000:41:10.2");
	assert_string_equal(FIT_PCIADDR_STR(host.kept[1].addr), "0000:41:10.4");
	assert_string_equal(FIT_PCIADDR_STR(host.kept[2].addr), "0000:41:11.0");
	fit_host_policy_clear(&policy);
	fit_host_clear(&host);
	fit_test_root_remove(&root);
}

static void check_policy(const char *text, size_t length)
{
	struct fit_host host = fit_made_host((struct fit_host_shape){2, 1, 4, 2});
	struct fit_host_policy policy = {0};
	struct fit_err err = FIT_ERR_INIT;

	fit_made_pf(&host, "0000:41:00.0", "eno1", 0, 8, 4);
	snprintf(current, sizeof(current), "%.*s", (int)length, text);
	if (fit_host_policy_parse("host.xml", text, length, &policy, &err) < 0 ||
		fit_host_policy_apply(&policy, &host, NULL, &err) < 0) {
		EXPECT_OF(current, fit_starts_with(err.message, "host.xml:"));
		EXPECT_OF(current, !host.kept_count && !host.housekeeping_source);
		refused++;
	} else {
		EXPECT_OF(current, fit_cpuset_is_subset(&host.housekeeping, &host.online));
		for (size_t i = 0; i < host.kept_count; i++)
			EXPECT_OF(current, host.kept[i].addr.bus == 0x41);
		planned++;
	}
	fit_host_policy_clear(&policy);
	fit_host_clear(&host);
}

/* CPUs and devices that are not there are refused with the line, as is what was cut off. */
static void policies_that_are_cut_off_or_changed_keep_what_is_there_or_nothing(void **state)
{
	static const char whole[] =
		"<host xmlns=\"urn:virt-fit:host:1\">\n"
		"<housekeeping cpus=\"0,8\"/>\n<keep device=\"eno1\" vfs=\"0-3\"/>\n"
		"<keep device=\"0000:41:10.5\"/>\n</host>";
	size_t length = strlen(whole);

	(void)state;
	random_state = 20240229;
	planned = refused = 0;
	for (size_t i = 0; i < length; i++)
		check_policy(whole, i);
	assert_int_equal(planned, 0);
	for (unsigned int i = 0; i < 5000; i++) {
		fit_autofree char *changed = fit_xstrdup(whole);

		for (size_t count = 1 + below(3); count; count--) {
			char *place = changed + below(length);

			*place = isdigit((unsigned char)*place)
					 ? "0123456789,-^:."[below(15)]
					 : (i % 2 ? *place : "<>/\"ahen \n"[below(10)]);
		}
		check_policy(changed, length);
	}
	assert_true(planned > 100);
	assert_true(refused > 1000);
}

static void captures_that_are_cut_off_are_refused(void **state)
{
	struct fit_fsroot root = fit_test_host_root("sriov");
	fit_autofree char *directory = fit_test_directory();
	fit_autofree char *file = fit_xasprintf("%s/capture", directory);
	fit_autofree char *text = fit_capture_make(&root, "sriov");

	(void)state;
	for (size_t length = strlen(text); length > 41; length -= 41) {
		struct fit_unpacked tree = {0};
		struct fit_err err = FIT_ERR_INIT;
		FILE *stream = fopen(file, "w");
		int status;

		fwrite(text, length, 1, stream);
		fclose(stream);
		status = fit_capture_unpack(file, &tree, &err);
		snprintf(current, sizeof(current), "%zu bytes of %zu", length, strlen(text));
		EXPECT_OF(current, status == (length == strlen(text) ? 0 : -1));
		EXPECT_OF(
			current, status == 0 || strstr(err.message, "the capture is cut off here"));
		fit_capture_remove(&tree);
	}
	unlink(file);
	rmdir(directory);
	fit_test_root_remove(&root);
}

static time_t until;

static void damage_captured(const char *path, const struct fit_fsroot *root)
{
	if (time(NULL) < until)
		damage_host(path, *root, 50);
}

static void more_damage_to_all_hosts(void **state)
{
	fit_autostrlist struct fit_strlist names = {0};

	(void)state;
	until = deadline();
	if (!until)
		skip();
	random_state = (uint64_t)time(NULL) | 1;
	print_message("seed %llu\n", (unsigned long long)random_state);
	fit_test_host_names(&names);
	while (time(NULL) < until) {
		for (size_t i = 0; i < names.count && time(NULL) < until; i++) {
			struct fit_fsroot root = fit_test_host_root(names.items[i]);

			damage_host(names.items[i], root, 300);
			fit_test_root_remove(&root);
		}
		fit_corpus_for_each_host(damage_captured);
	}
	print_message("%u planned, %u refused\n", planned, refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_hosts_are_planned_on_what_is_there_or_refused),
		cmocka_unit_test(contradictions_are_warned_of),
		cmocka_unit_test(vfs_keep_their_numbers_beside_a_missing_one),
		cmocka_unit_test(
			policies_that_are_cut_off_or_changed_keep_what_is_there_or_nothing),
		cmocka_unit_test(captures_that_are_cut_off_are_refused),
		cmocka_unit_test(more_damage_to_all_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
