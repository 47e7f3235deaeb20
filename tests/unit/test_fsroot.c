/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "support_host.h"
#include "sys/fsroot.h"

static int setup(void **state)
{
	static struct fit_fsroot root;
	struct fit_err err = FIT_ERR_INIT;

	root = fit_test_root("sys/value = 1\n"
			     "sys/empty =\n"
			     "sys/spaces = \\n \\n\n"
			     "sys/node = -1\n"
			     "sys/absolute -> /sys/value\n"
			     "sys/escaping -> ../../../../../../etc/passwd\n"
			     "sys/dangling -> ../gone/device\n"
			     "sys/d10/\nsys/d9/\nsys/.hidden = x\n");
	assert_int_equal(fit_fsroot_make_directories(&root, "run/virt-fit", 0700, &err), 0);
	*state = &root;
	return 0;
}

static int teardown(void **state)
{
	fit_test_root_remove(*state);
	return 0;
}

static void expect_text(const struct fit_fsroot *root, const char *path, const char *expected)
{
	fit_autofree char *text = fit_fsroot_try_read(root, path);

	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
}

static void a_value_is_read_without_white_space_and_an_empty_one_is_absent(void **state)
{
	expect_text(*state, "sys/value", "1");
	expect_text(*state, "/sys/value", "1");
	expect_text(*state, "sys/empty", NULL);
	expect_text(*state, "sys/spaces", NULL);
	expect_text(*state, "sys/missing", NULL);
	expect_text(*state, "sys", NULL);
}

static void direct_io_is_missing_where_open_says_so(void **state)
{
	const struct fit_fsroot *root = *state;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_fsroot real;
	int fd = fit_fsroot_openat(root, "sys/value", O_RDONLY | O_DIRECT);

	assert_int_equal(fit_fsroot_is_buffered(root, "sys/value"), fd < 0);
	assert_false(fit_fsroot_is_buffered(root, "sys/missing"));
	assert_false(fit_fsroot_is_buffered(root, "sys"));
	assert_int_equal(fit_fsroot_open("/", &real, &err), 0);
	assert_true(fit_fsroot_is_buffered(&real, "/proc/version"));
	assert_false(fit_fsroot_is_buffered(&real, "/dev/zero"));
	fit_fsroot_close(&real);
	if (fd >= 0)
		close(fd);
}

static void links_stay_below_a_fake_root(void **state)
{
	fit_autofree char *name = NULL;
	fit_autofree char *none = NULL;

	expect_text(*state, "sys/absolute", "1");
	expect_text(*state, "sys/escaping", NULL);
	expect_text(*state, "../../../../etc/passwd", NULL);
	assert_false(fit_fsroot_exists(*state, "sys/dangling"));
	name = fit_fsroot_link_name(*state, "sys/dangling");
	assert_string_equal(name, "device");
	none = fit_fsroot_link_name(*state, "sys/value");
	assert_null(none);
}

static void numbers_may_be_negative_but_nothing_else(void **state)
{
	const struct fit_fsroot *root = *state;
	int64_t value = 42;
	struct fit_err err = FIT_ERR_INIT;

	assert_true(fit_fsroot_try_read_int(root, "sys/node", &value));
	assert_int_equal(value, -1);
	assert_int_equal(fit_fsroot_write(root, "sys/value", "0x10", &err), 0);
	assert_false(fit_fsroot_try_read_int(root, "sys/value", &value));
	assert_false(fit_fsroot_try_read_int(root, "sys/empty", &value));
	assert_int_equal(value, -1);
}

static void a_failed_read_names_the_path_and_the_reason(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	char *text = NULL;
	size_t length = 7;

	assert_int_equal(fit_fsroot_read(*state, "sys/missing", &text, &length, &err), -1);
	assert_int_equal(err.code, FIT_ERR_SYSTEM);
	assert_int_equal(err.sys_errno, ENOENT);
	assert_non_null(strstr(err.message, "/sys/missing: No such file"));
	assert_null(text);
	assert_int_equal(length, 7);
}

static void large_files_are_read_whole(void **state)
{
	const struct fit_fsroot *root = *state;
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *text = NULL;
	fit_autofree char *content = fit_xcalloc(1, 100001);
	size_t length;

	memset(content, 'x', 100000);
	assert_int_equal(fit_fsroot_replace(root, "run/virt-fit/big", content, 100000, &err), 0);
	assert_int_equal(fit_fsroot_read(root, "run/virt-fit/big", &text, &length, &err), 0);
	assert_int_equal(length, 100000);
	assert_string_equal(text, content);
}

static void a_write_replaces_the_value_and_never_creates(void **state)
{
	const struct fit_fsroot *root = *state;
	struct fit_err err = FIT_ERR_INIT;
	fit_autofree char *text = NULL;
	size_t length;

	assert_int_equal(fit_fsroot_write(root, "sys/value", "longer", &err), 0);
	assert_int_equal(fit_fsroot_write(root, "sys/value", "s", &err), 0);
	assert_int_equal(fit_fsroot_read(root, "sys/value", &text, &length, &err), 0);
	assert_string_equal(text, "s\n");
	assert_int_equal(fit_fsroot_write(root, "sys/value", "", &err), 0);
	expect_text(root, "sys/value", NULL);

	assert_int_equal(fit_fsroot_write(root, "sys/missing", "1", &err), -1);
	assert_int_equal(err.sys_errno, ENOENT);
	assert_false(fit_fsroot_exists(root, "sys/missing"));
}

static void names_are_sorted_as_people_count(void **state)
{
	struct fit_err err = FIT_ERR_INIT;
	fit_autostrlist struct fit_strlist names = {0};
	fit_autofree char *joined = NULL;

	assert_int_equal(fit_fsroot_list(*state, "sys", &names, &err), 0);
	joined = fit_strlist_join(&names, " ");
	assert_string_equal(
		joined, ".hidden absolute d9 d10 dangling empty escaping node spaces value");
	assert_int_equal(fit_fsroot_list(*state, "sys/value", &names, &err), -1);
	assert_int_equal(err.sys_errno, ENOTDIR);
}

static void state_files_are_private_and_replaced_as_a_whole(void **state)
{
	const struct fit_fsroot *root = *state;
	struct fit_err err = FIT_ERR_INIT;
	fit_autostrlist struct fit_strlist names = {0};
	struct stat status;

	/* What a crash between writing and renaming leaves behind. */
	assert_int_equal(fit_fsroot_replace(root, "run/virt-fit/.ledger.new", "torn", 4, &err), 0);
	assert_int_equal(fit_fsroot_replace(root, "run/virt-fit/ledger", "old", 3, &err), 0);
	assert_int_equal(fit_fsroot_replace(root, "run/virt-fit/ledger", "new", 3, &err), 0);
	expect_text(root, "run/virt-fit/ledger", "new");
	assert_int_equal(fstatat(root->fd, "run/virt-fit/ledger", &status, 0), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(fstatat(root->fd, "run/virt-fit", &status, 0), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	assert_int_equal(fit_fsroot_list(root, "run/virt-fit", &names, &err), 0);
	assert_int_equal(names.count, 1);

	assert_int_equal(fit_fsroot_remove(root, "run/virt-fit/ledger", &err), 0);
	assert_false(fit_fsroot_exists(root, "run/virt-fit/ledger"));
	assert_int_equal(fit_fsroot_remove(root, "run/virt-fit/ledger", &err), 0);
	assert_int_equal(fit_fsroot_remove(root, "run/nothing/here", &err), 0);
	assert_int_equal(fit_fsroot_replace(root, "run/nothing/here", "", 0, &err), -1);
	assert_int_equal(err.sys_errno, ENOENT);
}

static void directories_are_made_once_and_a_file_in_the_way_is_an_error(void **state)
{
	const struct fit_fsroot *root = *state;
	struct fit_err err = FIT_ERR_INIT;

	assert_int_equal(fit_fsroot_make_directories(root, "/run//a/b/c/", 0755, &err), 0);
	assert_int_equal(fit_fsroot_make_directories(root, "run/a/b/c", 0755, &err), 0);
	assert_true(fit_fsroot_exists(root, "run/a/b/c"));
	assert_int_equal(fit_fsroot_make_directories(root, "sys/value/x", 0755, &err), -1);
	assert_int_equal(err.sys_errno, ENOTDIR);
}

struct watcher {
	int errnum;
	unsigned int before;
	unsigned int after;
	char last[64];
};

static int watch_before(void *context, const char *path, const char *value)
{
	struct watcher *watcher = context;

	watcher->before++;
	snprintf(watcher->last, sizeof(watcher->last), "%s=%s", path, value ? value : "(removed)");
	return watcher->errnum;
}

static void watch_after(void *context, FIT_UNUSED const char *path, FIT_UNUSED const char *value)
{
	((struct watcher *)context)->after++;
}

static void an_observer_sees_every_change_and_can_prevent_it(void **state)
{
	struct fit_fsroot root = *(struct fit_fsroot *)*state;
	struct fit_err err = FIT_ERR_INIT;
	struct watcher watcher = {0};
	const struct fit_fs_observer observer = {
		.before = watch_before, .after = watch_after, .context = &watcher};

	root.observer = &observer;
	assert_int_equal(fit_fsroot_write(&root, "/sys/value", "7", &err), 0);
	assert_string_equal(watcher.last, "sys/value=7");
	assert_int_equal(fit_fsroot_replace(&root, "run/virt-fit/x", "text", 4, &err), 0);
	assert_string_equal(watcher.last, "run/virt-fit/x=text");
	watcher.errnum = EBUSY;
	assert_int_equal(fit_fsroot_write(&root, "sys/value", "8", &err), -1);
	assert_int_equal(err.sys_errno, EBUSY);
	assert_int_equal(fit_fsroot_remove(&root, "run/virt-fit/x", &err), -1);
	assert_string_equal(watcher.last, "run/virt-fit/x=(removed)");
	assert_int_equal(watcher.before, 4);
	assert_int_equal(watcher.after, 2);
	expect_text(&root, "sys/value", "7");
	expect_text(&root, "run/virt-fit/x", "text");
}

static void only_the_root_directory_itself_is_the_real_root(void **state)
{
	struct fit_fsroot root;
	struct fit_err err = FIT_ERR_INIT;

	assert_false(((struct fit_fsroot *)*state)->real);
	assert_int_equal(fit_fsroot_open("/./", &root, &err), 0);
	assert_true(root.real);
	assert_true(fit_fsroot_exists(&root, "proc/self/status"));
	fit_fsroot_close(&root);
	assert_int_equal(fit_fsroot_open("/no/such/root", &root, &err), -1);
	assert_non_null(strstr(err.message, "/no/such/root"));
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_value_is_read_without_white_space_and_an_empty_one_is_absent),
		CASE(direct_io_is_missing_where_open_says_so),
		CASE(links_stay_below_a_fake_root),
		CASE(numbers_may_be_negative_but_nothing_else),
		CASE(a_failed_read_names_the_path_and_the_reason),
		CASE(large_files_are_read_whole),
		CASE(a_write_replaces_the_value_and_never_creates),
		CASE(names_are_sorted_as_people_count),
		CASE(state_files_are_private_and_replaced_as_a_whole),
		CASE(directories_are_made_once_and_a_file_in_the_way_is_an_error),
		CASE(an_observer_sees_every_change_and_can_prevent_it),
		CASE(only_the_root_directory_itself_is_the_real_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
