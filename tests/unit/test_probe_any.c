/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds for every host, however odd or damaged: our own, those captured by other projects
 * ($CORPUS/hosts), and our own with each file in turn missing, empty, dangling, senseless or a
 * directory.
 */
#include "support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_corpus.h"
#include "support_host.h"
#include "support_tree.h"
#include "sys/probe.h"

static const char *current; /* what is being probed, for messages */

#define EXPECT(condition) \
	do { \
		if (!(condition)) \
			fail_msg("%s: %s", current, #condition); \
	} while (0)

static void check_cpus(const struct fit_host *host)
{
	size_t online = 0;

	EXPECT(!fit_cpuset_is_empty(&host->online));
	for (size_t i = 0; i < host->cpu_count; i++) {
		const struct fit_cpu *cpu = &host->cpus[i];

		EXPECT(i == 0 || host->cpus[i - 1].id < cpu->id);
		EXPECT(cpu->online == fit_cpuset_contains(&host->online, cpu->id));
		EXPECT(fit_cpuset_is_subset(&cpu->siblings, &host->online));
		EXPECT(fit_cpuset_contains(&cpu->siblings, cpu->id) == cpu->online);
		fit_cpuset_for_each (sibling, &cpu->siblings)
			EXPECT(fit_cpuset_equal(&cpu->siblings,
				&fit_host_cpu(host, (unsigned int)sibling)->siblings));
		EXPECT(cpu->l3 < (int)host->l3_count);
		EXPECT(cpu->l3 < 0 || fit_cpuset_contains(&host->l3_groups[cpu->l3], cpu->id));
		EXPECT(cpu->node < 0 ||
			fit_cpuset_contains(
				&fit_host_node(host, (unsigned int)cpu->node)->cpus, cpu->id));
		online += cpu->online;
	}
	EXPECT(online == fit_cpuset_count(&host->online));
}

static void check_l3_groups(const struct fit_host *host)
{
	struct fit_cpuset seen = {0};

	for (size_t i = 0; i < host->l3_count; i++) {
		EXPECT(fit_cpuset_is_subset(&host->l3_groups[i], &host->online));
		EXPECT(!fit_cpuset_intersects(&host->l3_groups[i], &seen));
		fit_cpuset_unite(&seen, &host->l3_groups[i]);
	}
}

static void check_nodes(const struct fit_host *host)
{
	struct fit_cpuset seen = {0};

	EXPECT(host->node_count > 0);
	for (size_t i = 0; i < host->node_count; i++) {
		const struct fit_node *node = &host->nodes[i];

		EXPECT(i == 0 || host->nodes[i - 1].id < node->id);
		EXPECT(fit_cpuset_is_subset(&node->cpus, &host->online));
		EXPECT(!fit_cpuset_intersects(&node->cpus, &seen));
		fit_cpuset_unite(&seen, &node->cpus);
		for (size_t p = 1; p < node->pool_count; p++)
			EXPECT(node->pools[p - 1].page_kib < node->pools[p].page_kib);
		for (size_t other = 0; node->distances && other < host->node_count; other++)
			EXPECT(node->distances[i] <= node->distances[other]);
	}
}

static void check_devices(const struct fit_host *host)
{
	for (size_t i = 0; i < host->pci_count; i++) {
		const struct fit_pci_device *device = &host->pci[i];

		EXPECT(i == 0 || fit_pciaddr_compare(host->pci[i - 1].addr, device->addr) < 0);
		EXPECT(fit_cpuset_is_subset(&device->local_cpus, &host->online));
		EXPECT(device->node < 0 || fit_host_node(host, (unsigned int)device->node));
		for (size_t v = 0; v < device->vf_count; v++) {
			const struct fit_pci_device *vf = fit_host_pci(host, device->vfs[v]);

			EXPECT(vf && vf->is_vf && fit_pciaddr_equal(vf->physfn, device->addr));
		}
		for (size_t n = 0; n < device->netdev_count; n++)
			EXPECT(device->netdevs[n].name != NULL);
	}
	for (size_t i = 0; i < host->irq_count; i++) {
		EXPECT(i == 0 || host->irqs[i - 1].number < host->irqs[i].number);
		EXPECT(host->irqs[i].chip && host->irqs[i].name);
	}
}

static void check_host(const struct fit_host *host)
{
	EXPECT(host->name && host->arch && host->cpu_vendor);
	EXPECT(host->identity && *host->identity);
	check_cpus(host);
	check_l3_groups(host);
	check_nodes(host);
	check_devices(host);
}

/* A sound host, or a sentence and nothing else. */
static bool check_root(const struct fit_fsroot *root)
{
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_host host = {.cpu_count = 4711};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_probe(root, FIT_PROBE_ALL, &host, &warnings, &err) < 0) {
		EXPECT(err.code != FIT_OK && *err.message);
		EXPECT(host.cpu_count == 4711 && !host.cpus);
		return false;
	}
	check_host(&host);
	fit_host_clear(&host);
	return true;
}

static void our_own_hosts_are_sound_and_nothing_in_them_changes(void **state)
{
	fit_autostrlist struct fit_strlist names = {0};

	(void)state;
	fit_test_host_names(&names);
	assert_true(names.count >= 5);
	for (size_t i = 0; i < names.count; i++) {
		struct fit_fsroot root = fit_test_host_root(names.items[i]);
		fit_autofree char *before = fit_test_tree_dump(&root);
		fit_autofree char *after = NULL;

		current = names.items[i];
		EXPECT(check_root(&root));
		after = fit_test_tree_dump(&root);
		assert_string_equal(before, after);
		fit_test_root_remove(&root);
	}
}

static void damage_to_any_file_gives_a_sound_host_or_a_clear_error(const char *name)
{
	static const char *const damages[] = {NULL, " :=", " = \\xff-\\x01,", " -> /gone", "/"};
	struct fit_fsroot root = fit_test_host_root(name);
	fit_autofree char *manifest = fit_test_tree_dump(&root);
	fit_autostrlist struct fit_strlist lines = {0};

	fit_strlist_split(&lines, manifest, "\n");
	for (size_t i = 0; i < lines.count; i++) {
		const char *line = lines.items[i];
		fit_autofree char *path = fit_xstrndup(line, strcspn(line, " "));

		if (path[strlen(path) - 1] == '/')
			continue;
		for (size_t d = 0; d < FIT_ARRAY_SIZE(damages); d++) {
			fit_autofree char *damage =
				fit_xasprintf("%s%s", path, damages[d] ? damages[d] : "");

			current = damage;
			assert_int_equal(unlinkat(root.fd, path, 0), 0);
			if (damages[d])
				fit_test_root_add(&root, damage);
			check_root(&root);
			unlinkat(
				root.fd, path, damages[d] && *damages[d] == '/' ? AT_REMOVEDIR : 0);
			fit_test_root_add(&root, line);
		}
	}
	fit_test_root_remove(&root);
}

static void damage_to_any_file_of_a_small_host(void **state)
{
	(void)state;
	damage_to_any_file_gives_a_sound_host_or_a_clear_error("small");
}

static void damage_to_any_file_of_a_sparse_host(void **state)
{
	(void)state;
	damage_to_any_file_gives_a_sound_host_or_a_clear_error("sparse");
}

static void damage_to_any_file_of_a_host_with_virtual_functions(void **state)
{
	(void)state;
	damage_to_any_file_gives_a_sound_host_or_a_clear_error("sriov");
}

static void check_captured(const char *path, const struct fit_fsroot *root)
{
	current = path;
	EXPECT(check_root(root));
}

static void captured_hosts_of_other_projects_are_sound(void **state)
{
	(void)state;
	fit_corpus_for_each_host(check_captured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_own_hosts_are_sound_and_nothing_in_them_changes),
		cmocka_unit_test(damage_to_any_file_of_a_small_host),
		cmocka_unit_test(damage_to_any_file_of_a_sparse_host),
		cmocka_unit_test(damage_to_any_file_of_a_host_with_virtual_functions),
		cmocka_unit_test(captured_hosts_of_other_projects_are_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
