/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profile files on disk: which one is found, which are refused, and that the shipped ones are good.
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/profile.h"
#include "sys/profile_store.h"

/* A root with etc/virt-fit/profiles and a directory of shipped profiles, fresh for each test. */
static char *top;
static char *etc;
static char *shipped;
static struct fit_fsroot root;
static struct fit_profile_store store;

static int set_up(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	const char *scratch = getenv("TEST_DIR");

	(void)state;
	umask(022);
	top = fit_xasprintf("%s/store.XXXXXX", scratch ? scratch : "/tmp");
	if (!mkdtemp(top))
		return -1;
	etc = fit_xasprintf("%s/etc/virt-fit/profiles", top);
	shipped = fit_xasprintf("%s/shipped", top);
	if (fit_fsroot_open(top, &root, &err) < 0 ||
		fit_fsroot_make_directories(&root, "etc/virt-fit/profiles", 0755, &err) < 0 ||
		mkdir(shipped, 0755) < 0)
		return -1;
	store = (struct fit_profile_store){.root = &root, .shipped = shipped};
	return 0;
}

static int tear_down(void **state)
{
	fit_autofree char *quoted = fit_shell_quote(top);
	fit_autofree char *command = fit_xasprintf("rm -rf -- %s", quoted);
	int status = system(command);

	(void)state;
	fit_fsroot_close(&root);
	free(top);
	free(etc);
	free(shipped);
	return status;
}

static void write_file(const char *directory, const char *name, const char *text)
{
	fit_autofree char *path = fit_xasprintf("%s/%s", directory, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void change_mode(const char *directory, const char *name, unsigned int mode)
{
	fit_autofree char *path = fit_xasprintf("%s/%s", directory, name);

	assert_int_equal(chmod(path, mode), 0);
}

static void expect_text(const char *name, const char *directory, const char *text)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *path = NULL;
	fit_autofree char *loaded = NULL;
	fit_autofree char *expected = fit_xasprintf("%s/%s.xml", directory, name);
	size_t length;

	if (fit_profile_store_load(&store, name, &path, &loaded, &length, &err) < 0)
		fail_msg("%s: %s", name, err.message);
	assert_string_equal(loaded, text);
	assert_int_equal(length, strlen(text));
	assert_string_equal(path, expected);
}

static void expect_refusal(const char *name, enum fit_err_code code, const char *words)
{
	struct fit_err err = FIT_ERR_INIT;
	char *path = NULL;
	char *text = NULL;
	size_t length = 42;

	if (fit_profile_store_load(&store, name, &path, &text, &length, &err) == 0)
		fail_msg("%s was read", name);
	assert_int_equal(err.code, code);
	if (!strstr(err.message, words))
		fail_msg("'%s' was expected in: %s", words, err.message);
	assert_null(path);
	assert_null(text);
	assert_int_equal(length, 42);
}

static void etc_overrides_what_is_shipped_by_name(void **state)
{
	(void)state;
	write_file(shipped, "a.xml", "shipped a");
	write_file(shipped, "b.xml", "shipped b");
	write_file(etc, "b.xml", "local b");
	write_file(etc, "c.xml", "");
	expect_text("a", shipped, "shipped a");
	expect_text("b", etc, "local b");
	expect_text("c", etc, "");
	assert_int_equal(fit_profile_store_origin(&store, "a"), FIT_PROFILE_SHIPPED);
	assert_int_equal(fit_profile_store_origin(&store, "b"), FIT_PROFILE_OVERRIDES);
	assert_int_equal(fit_profile_store_origin(&store, "c"), FIT_PROFILE_LOCAL);
}

static void the_list_has_each_name_once_and_no_other_files(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autostrlist struct fit_strlist names = {0};
	fit_autofree char *joined = NULL;

	(void)state;
	write_file(shipped, "b.xml", "");
	write_file(shipped, "profile.rng", "");
	write_file(shipped, "a.xml~", "");
	write_file(shipped, ".hidden.xml", "");
	write_file(shipped, ".xml", "");
	write_file(shipped, "with space.xml", "");
	write_file(etc, "b.xml", "");
	write_file(etc, "a.xml", "");
	assert_int_equal(fit_profile_store_list(&store, &names, &err), 0);
	joined = fit_strlist_join(&names, " ");
	assert_string_equal(joined, "a b");
}

static void missing_directories_are_empty_ones(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autostrlist struct fit_strlist names = {0};

	(void)state;
	assert_int_equal(rmdir(etc), 0);
	assert_int_equal(rmdir(shipped), 0);
	assert_int_equal(fit_profile_store_list(&store, &names, &err), 0);
	assert_int_equal(names.count, 0);
	expect_refusal("a", FIT_ERR_NOTFOUND, "there is no profile \"a\"");
	assert_int_equal(mkdir(shipped, 0755), 0);
	write_file(shipped, "a.xml", "text");
	expect_text("a", shipped, "text");
	expect_refusal("b", FIT_ERR_NOTFOUND, "profiles: a");
}

static void names_never_become_other_paths(void **state)
{
	static const char *const bad[] = {"", ".", "..", "../a", "a/../a", "/a", "a\n"};

	(void)state;
	write_file(shipped, "a.xml", "text");
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++)
		expect_refusal(bad[i], FIT_ERR_INVALID, "is no profile name");
}

static void what_others_can_write_is_refused(void **state)
{
	(void)state;
	write_file(shipped, "a.xml", "shipped");
	write_file(etc, "a.xml", "local");
	change_mode(etc, "a.xml", 0664);
	expect_refusal("a", FIT_ERR_REFUSED, "can be written by its group (mode 0664)");
	change_mode(etc, "a.xml", 0646);
	expect_refusal("a", FIT_ERR_REFUSED, "chmod go-w");
	change_mode(etc, "a.xml", 0644);
	expect_text("a", etc, "local");
	assert_int_equal(chmod(etc, 0777), 0);
	expect_refusal("a", FIT_ERR_REFUSED, "/etc/virt-fit/profiles can be written by others");
	assert_int_equal(chmod(etc, 01777), 0);
	expect_refusal("a", FIT_ERR_REFUSED, "mode 1777");
	assert_int_equal(chmod(etc, 0755), 0);
	assert_int_equal(chmod(shipped, 0775), 0);
	expect_text("a", etc, "local");
	change_mode(etc, "a.xml", 0644);
	expect_refusal("b", FIT_ERR_REFUSED, "shipped can be written by its group");
}

static void what_belongs_to_somebody_else_is_refused(void **state)
{
	fit_autofree char *path = fit_xasprintf("%s/a.xml", shipped);

	(void)state;
	if (geteuid() != 0)
		skip();
	write_file(shipped, "a.xml", "text");
	assert_int_equal(chown(path, 12345, 0), 0);
	expect_refusal("a", FIT_ERR_REFUSED, "belongs to user 12345");
	assert_int_equal(chown(path, 0, 12345), 0);
	expect_text("a", shipped, "text");
	assert_int_equal(chown(shipped, 12345, 0), 0);
	expect_refusal("a", FIT_ERR_REFUSED, "shipped belongs to user 12345");
}

static void links_are_followed_and_their_target_is_checked(void **state)
{
	fit_autofree char *link = fit_xasprintf("%s/a.xml", shipped);
	fit_autofree char *etc_link = fit_xasprintf("%s/a.xml", etc);
	fit_autofree char *outside = fit_xasprintf("%s/target", top);

	(void)state;
	write_file(top, "target", "target");
	assert_int_equal(symlink("../target", link), 0);
	expect_text("a", shipped, "target");
	change_mode(top, "target", 0666);
	expect_refusal("a", FIT_ERR_REFUSED, "a.xml can be written by others");
	assert_int_equal(unlink(outside), 0);
	expect_refusal("a", FIT_ERR_SYSTEM, "a.xml is a symbolic link to nowhere");

	/* Below the root handle a link cannot leave the tree. */
	assert_int_equal(symlink("/etc/passwd", etc_link), 0);
	expect_refusal(
		"a", FIT_ERR_SYSTEM, "/etc/virt-fit/profiles/a.xml is a symbolic link to nowhere");
}

static void what_is_no_regular_file_is_refused_and_does_not_block(void **state)
{
	fit_autofree char *pipe = fit_xasprintf("%s/pipe.xml", shipped);
	fit_autofree char *directory = fit_xasprintf("%s/directory.xml", shipped);
	fit_autofree char *null = fit_xasprintf("%s/null.xml", shipped);

	(void)state;
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(mkdir(directory, 0755), 0);
	assert_int_equal(symlink("/dev/null", null), 0);
	expect_refusal("pipe", FIT_ERR_REFUSED, "not a regular file");
	expect_refusal("directory", FIT_ERR_REFUSED, "not a regular file");
	expect_refusal("null", FIT_ERR_REFUSED, "not a regular file");
}

static void huge_files_are_not_read(void **state)
{
	fit_autofree char *path = fit_xasprintf("%s/a.xml", shipped);

	(void)state;
	write_file(shipped, "a.xml", "");
	assert_int_equal(truncate(path, 16 * 1024 * 1024 + 1), 0);
	expect_refusal("a", FIT_ERR_INVALID, "the limit is 16 MiB");
}

/* The shipped profiles of the source tree; their files may be writable by a group there. */
static int load_source(void *context, const char *name, char **ret_path, char **ret_text,
	size_t *ret_length, struct fit_err *err)
{
	struct fit_fsroot *tree = context;
	fit_autofree char *path = fit_xasprintf("profiles/%s.xml", name);

	if (fit_fsroot_read(tree, path, ret_text, ret_length, err) < 0)
		return -1;
	*ret_path = FIT_STEAL(path);
	return 0;
}

static const char *const shipped_names[] = {"base", "low-latency", "sriov"};

static void compose_shipped(struct fit_fsroot *tree, const char *names, struct fit_profile *profile)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autostrlist struct fit_strlist list = {0};

	fit_strlist_split(&list, names, " ");
	if (fit_profile_compose(&list, NULL, 0, load_source, tree, profile, &err) < 0)
		fail_msg("%s: %s", names, err.message);
}

static void open_source(struct fit_fsroot *tree)
{
	struct fit_err err = FIT_ERR_INIT;
	const char *source = getenv("TOP");

	if (fit_fsroot_open(source ? source : ".", tree, &err) < 0)
		fail_msg("%s", err.message);
}

static void the_shipped_profiles_say_what_their_names_promise(void **state)
{
	struct fit_fsroot tree;
	struct fit_profile base, latency, both;

	(void)state;
	open_source(&tree);
	compose_shipped(&tree, "base", &base);
	compose_shipped(&tree, "low-latency", &latency);
	compose_shipped(&tree, "low-latency sriov", &both);

	assert_true(base.cpu.mode == FIT_CPU_MODE_HOST_PASSTHROUGH && base.cpu.mirror_topology);
	assert_int_equal(base.cpu.intent.existing, FIT_EXISTING_REPLACE);
	assert_int_equal(base.vcpus.place, FIT_PLACE_NODE);
	assert_true(base.vcpus.shared);
	assert_false(base.memory.strict || base.memory.locked ||
		     base.host[FIT_SETTING_GOVERNOR].intent.set || base.interrupts.intent.set ||
		     base.vfs.intent.set);

	assert_int_equal(latency.vcpus.place, FIT_PLACE_CORES);
	assert_false(latency.vcpus.shared);
	assert_int_equal(latency.emulator.place, FIT_PLACE_HOUSEKEEPING);
	assert_int_equal(latency.iothreads.place, FIT_PLACE_OWN_CORE);
	assert_true(latency.memory.strict && latency.memory.locked);
	assert_int_equal(latency.memory.page_size_count, 2);
	assert_int_equal(latency.interrupts.devices_to, FIT_PLACE_VCPUS);
	assert_true(latency.interrupts.others_elsewhere &&
		    latency.host[FIT_SETTING_GOVERNOR].intent.set);
	assert_false(latency.vfs.intent.set);

	assert_int_equal(both.vfs.count, 1);
	assert_string_equal(both.vfs.pf, "nearest");
	assert_int_equal(both.vfs.class, FIT_VF_NETWORK);
	assert_int_equal(both.vcpus.place, FIT_PLACE_CORES);
	assert_string_not_equal(both.digest, latency.digest);
	fit_profile_clear(&base);
	fit_profile_clear(&latency);
	fit_profile_clear(&both);
	fit_fsroot_close(&tree);
}

/* One text for every name. */
static int load_text(void *context, const char *name, char **ret_path, char **ret_text,
	size_t *ret_length, struct fit_err *err)
{
	const char *const *pair = context; /* name, text */

	if (strcmp(name, pair[0]) != 0)
		return fit_err_set(err, FIT_ERR_NOTFOUND, "there is no profile \"%s\"", name);
	*ret_path = fit_xstrdup("mutant.xml");
	*ret_text = fit_xstrdup(pair[1]);
	*ret_length = strlen(pair[1]);
	return 0;
}

/* Changes a few bytes: overwrites, cuts out, or doubles a piece. */
static void mutate(char *text)
{
	static const char bytes[] = "<>&\"'/=${}- \n0aAx!?[]\xc3";

	for (int changes = 1 + rand() % 4; changes > 0; changes--) {
		size_t length = strlen(text);
		size_t at = (size_t)rand() % length;
		size_t piece = (size_t)rand() % (length - at) % 32;

		switch (rand() % 3) {
		case 0:
			text[at] = bytes[(size_t)rand() % (sizeof(bytes) - 1)];
			break;
		case 1:
			memmove(text + at, text + at + piece, length - at - piece + 1);
			break;
		default: /* the end of the text makes room */
			memmove(text + at + piece, text + at, length - at - piece);
			break;
		}
		if (!*text)
			*text = '<';
	}
}

/* Property: whatever the bytes, it is a profile with a digest or an error with a place; this must
 * be run with the sanitizers to be worth much. */
static void damaged_profiles_are_read_or_refused_and_nothing_else(void **state)
{
	struct fit_fsroot tree;
	int good = 0;
	int bad = 0;

	(void)state;
	open_source(&tree);
	srand(1);
	for (int round = 0; round < 3000; round++) {
		const char *name = shipped_names[(size_t)round % FIT_ARRAY_SIZE(shipped_names)];
		struct fit_err err = FIT_ERR_INIT;
		struct fit_profile profile = {0};
		fit_autostrlist struct fit_strlist names = {0};
		fit_autofree char *path = NULL;
		fit_autofree char *text = NULL;
		const char *pair[2];
		size_t length;

		assert_int_equal(load_source(&tree, name, &path, &text, &length, &err), 0);
		mutate(text);
		pair[0] = name;
		pair[1] = text;
		fit_strlist_add(&names, name);
		if (fit_profile_compose(&names, NULL, 0, load_text, pair, &profile, &err) == 0) {
			assert_int_equal(strlen(profile.digest), 16);
			good++;
		} else {
			assert_true(fit_starts_with(err.message, "mutant.xml:"));
			assert_null(profile.params);
			bad++;
		}
		fit_profile_clear(&profile);
	}
	assert_true(good > 10 && bad > 100);
	fit_fsroot_close(&tree);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(etc_overrides_what_is_shipped_by_name),
		TEST(the_list_has_each_name_once_and_no_other_files),
		TEST(missing_directories_are_empty_ones),
		TEST(names_never_become_other_paths),
		TEST(what_others_can_write_is_refused),
		TEST(what_belongs_to_somebody_else_is_refused),
		TEST(links_are_followed_and_their_target_is_checked),
		TEST(what_is_no_regular_file_is_refused_and_does_not_block),
		TEST(huge_files_are_not_read),
		cmocka_unit_test(the_shipped_profiles_say_what_their_names_promise),
		cmocka_unit_test(damaged_profiles_are_read_or_refused_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
