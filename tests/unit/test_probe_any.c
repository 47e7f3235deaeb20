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
#include "support_sound.h"
#include "support_tree.h"
#include "sys/probe.h"

static const char *current; /* what is being probed, for messages */

/* A sound host, or a sentence and nothing else. */
static bool check_root(const struct fit_fsroot *root)
{
	fit_autostrlist struct fit_strlist warnings = {0};
	struct fit_host host = {.cpu_count = 4711};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_probe(root, FIT_PROBE_ALL, &host, &warnings, &err) < 0) {
		EXPECT_OF(current, err.code != FIT_OK && *err.message);
		EXPECT_OF(current, host.cpu_count == 4711 && !host.cpus);
		return false;
	}
	fit_probe_msix(root, &host, &warnings);
	fit_expect_sound_host(current, &host);
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
		EXPECT_OF(current, check_root(&root));
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
	EXPECT_OF(current, check_root(root));
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
