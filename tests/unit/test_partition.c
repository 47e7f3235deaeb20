/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPUs of running vCPUs are isolated cpuset partitions, where the kernel has these. */
#include "support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_executor.h"
#include "support_groups.h"
#include "sys/executor.h"

#define SYSTEM GROUPS "/system.slice/cpuset.cpus"
#define ONE    MACHINE "/one.scope"
#define TWO    MACHINE "/two.scope"

struct running {
	const char *uuid, *name;
	unsigned int pid;
	const char *cpus;
};

static const struct running one = {A, "one", 41, "2-3"};
static const struct running two = {B, "two", 42, "5"};

static void run(const struct fixture *f, const struct running *guest)
{
	groups_make(f, guest->name, guest->pid, guest->cpus);
}

static void end(const struct fixture *f, const struct running *guest)
{
	groups_remove(f, guest->name, guest->pid, guest->cpus);
}

static void prepare_host(struct fixture *f)
{
	setup(f);
	fit_test_kernel_set(&f->kernel, GROUPS_OF_HOST);
	free(f->before);
	f->before = dump(f);
}

static int apply(struct fixture *f, const struct running *guest, enum fit_phase phase,
	bool optional, struct fit_strlist *notes, struct fit_err *err)
{
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fit_journal *journal;
	struct fit_op *op = add_op(&ops, FIT_OP_ISOLATE, FIT_PHASE_START, FIT_PHASE_STOPPED);
	int result;

	op->cpus = fit_test_cpus(guest->cpus);
	op->partition = true;
	op->optional = optional;
	op = add_op(&ops, FIT_OP_PARTITION, FIT_PHASE_STARTED, FIT_PHASE_STOPPED);
	op->cpus = fit_test_cpus(guest->cpus);
	open_state(f, &state);
	journal = fit_state_journal(&state, guest->uuid);
	if (!journal)
		journal =
			fit_state_add_journal(&state, guest->uuid, guest->name, FIT_STAGE_PREPARED);
	result = fit_executor_apply(&state, journal, &ops, phase, notes, err);
	fit_state_close(&state);
	fit_hostops_clear(&ops);
	return result;
}

static void started(struct fixture *f, const struct running *guest, struct fit_strlist *notes)
{
	struct fit_err err = FIT_ERR_INIT;

	if (apply(f, guest, FIT_PHASE_START, true, NULL, &err) < 0)
		fail_msg("%s", err.message);
	run(f, guest);
	if (apply(f, guest, FIT_PHASE_STARTED, true, notes, &err) < 0)
		fail_msg("%s", err.message);
}

static void undone(struct fixture *f, const struct running *guest)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;

	open_state(f, &state);
	if (fit_executor_undo(&state, guest->uuid, FIT_PHASE_RELEASE, &notes, &err) < 0)
		fail_msg("%s", err.message);
	fit_state_close(&state);
	if (notes.count)
		fail_msg("%s", notes.items[0]);
}

static void says(const struct fit_strlist *notes, const char *part)
{
	assert_int_equal(notes->count, 1);
	if (!strstr(notes->items[0], part))
		fail_msg("'%s' does not say '%s'", notes->items[0], part);
}

static void domains_share_the_groups_above_them(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fixture f;

	(void)unused;
	prepare_host(&f);
	started(&f, &one, &notes);
	assert_int_equal(notes.count, 0);
	has_value(&f, MACHINE "/cpuset.cpus.exclusive", "2-3");
	has_value(&f, ONE "/cpuset.cpus.exclusive", "2-3");
	has_value(&f, ONE "/libvirt/cpuset.cpus.exclusive", "2-3");
	has_value(&f, ONE "/libvirt/vcpu1/cpuset.cpus.exclusive", "3");
	has_value(&f, ONE "/libvirt/vcpu1/cpuset.cpus.partition", "isolated");
	has_value(&f, ONE "/libvirt/emulator/cpuset.cpus.partition", "member");
	started(&f, &two, &notes);
	assert_int_equal(notes.count, 0);
	has_value(&f, MACHINE "/cpuset.cpus.exclusive", "2-3,5");
	has_value(&f, TWO "/libvirt/vcpu0/cpuset.cpus.partition", "isolated");
	end(&f, &one);
	undone(&f, &one);
	has_value(&f, MACHINE "/cpuset.cpus.exclusive", "5");
	end(&f, &two);
	undone(&f, &two);
	expect_as_before(&f);
	teardown(&f);
}

/* By hand, or at a failing start: the groups are there. */
static void a_running_domain_is_given_back_its_groups(void **unused)
{
	fit_autofree char *running = NULL;
	fit_autofree char *after = NULL;
	struct fixture f;

	(void)unused;
	prepare_host(&f);
	run(&f, &one);
	running = dump(&f);
	started(&f, &one, NULL);
	undone(&f, &one);
	after = dump(&f);
	assert_string_equal(after, running);
	teardown(&f);
}

/* What the kernel says then is only read. */
static void what_does_not_become_a_partition_is_left_out_as_a_whole(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fixture f;

	(void)unused;
	prepare_host(&f);
	run(&f, &one);
	free(f.before);
	f.before = dump(&f);
	/* system.slice may use all CPUs. */
	assert_int_equal(apply(&f, &one, FIT_PHASE_STARTED, true, &notes, &err), 0);
	says(&notes, "which says 'isolated invalid (Cpu list in cpuset.cpus not exclusive)'");
	has_value(&f, ONE "/libvirt/vcpu0/cpuset.cpus.partition", "member");
	assert_null(fit_fsroot_try_read(&f.root, MACHINE "/cpuset.cpus.exclusive"));
	undone(&f, &one);
	expect_as_before(&f);
	teardown(&f);
}

static void a_host_without_partitions_is_noted_or_refused_before_the_start(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fixture f;

	(void)unused;
	prepare_host(&f);
	assert_int_equal(unlinkat(f.root.fd, GROUPS "/cpuset.cpus.isolated", 0), 0);
	free(f.before);
	f.before = dump(&f);
	assert_int_equal(apply(&f, &one, FIT_PHASE_START, false, NULL, &err), -1);
	assert_string_equal(err.message, "CPUs 2-3 cannot be in isolated partitions: there is no "
					 "/sys/fs/cgroup/cpuset.cpus.isolated (Linux 6.8)");
	has_value(&f, SYSTEM, "0-7");
	assert_int_equal(apply(&f, &one, FIT_PHASE_START, true, &notes, &err), 0);
	says(&notes, "(Linux 6.8)");
	has_value(&f, SYSTEM, "0-1,4-7");
	assert_int_equal(apply(&f, &one, FIT_PHASE_STARTED, true, &notes, &err), 0);
	assert_int_equal(notes.count, 1);
	undone(&f, &one);
	expect_as_before(&f);
	teardown(&f);
}

/* vCPUs that float over CPUs together, or over those of others. */
static void vcpus_without_cpus_of_their_own_have_none(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fixture f;

	(void)unused;
	prepare_host(&f);
	assert_int_equal(apply(&f, &one, FIT_PHASE_START, true, NULL, &err), 0);
	run(&f, &one);
	fit_test_kernel_write(&f.kernel, ONE "/libvirt/vcpu0/cpuset.cpus", "0-7");
	fit_test_kernel_write(&f.kernel, ONE "/libvirt/vcpu1/cpuset.cpus", "2-3");
	assert_int_equal(apply(&f, &one, FIT_PHASE_STARTED, true, &notes, &err), 0);
	assert_int_equal(notes.count, 0);
	has_value(&f, ONE "/libvirt/vcpu0/cpuset.cpus.partition", "member");
	has_value(&f, ONE "/libvirt/vcpu1/cpuset.cpus.partition", "isolated");
	end(&f, &one);
	undone(&f, &one);
	run(&f, &two);
	fit_test_kernel_write(&f.kernel, TWO "/libvirt/vcpu0/cpuset.cpus", "0-7");
	assert_int_equal(apply(&f, &two, FIT_PHASE_STARTED, true, &notes, &err), 0);
	says(&notes, "no control groups of vCPUs with CPUs of their own");
	end(&f, &two);
	undone(&f, &two);
	expect_as_before(&f);
	teardown(&f);
}

/* A domain that never asked for anything runs there, pinned. */
static void others_keep_the_cpus_that_they_need(void **unused)
{
	static const struct running other = {"", "machine-qemu\\x2d7\\x2dold\\x2dweb.1", 47, "3-4"};
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fixture f;

	(void)unused;
	prepare_host(&f);
	run(&f, &other);
	free(f.before);
	f.before = dump(&f);
	assert_int_equal(apply(&f, &one, FIT_PHASE_START, false, NULL, &err), -1);
	assert_string_equal(err.message,
		"CPUs 2-3 cannot be in isolated partitions: vcpu0 of the running domain "
		"'old-web.1' has no CPUs but of these");
	assert_int_equal(apply(&f, &one, FIT_PHASE_START, true, &notes, &err), 0);
	says(&notes, "has no CPUs but of these");
	run(&f, &one);
	fit_strlist_clear(&notes);
	assert_int_equal(apply(&f, &one, FIT_PHASE_STARTED, true, &notes, &err), 0);
	says(&notes, "no isolated partitions: vcpu0 of the running domain");
	has_value(&f, ONE "/libvirt/vcpu0/cpuset.cpus.partition", "member");
	end(&f, &one);
	undone(&f, &one);
	expect_as_before(&f);
	/* On others, too: it has these left. */
	fit_test_kernel_write(&f.kernel,
		MACHINE "/machine-qemu\\x2d7\\x2dold\\x2dweb.1.scope/libvirt/vcpu0/cpuset.cpus",
		"3,6");
	fit_strlist_clear(&notes);
	started(&f, &one, &notes);
	assert_int_equal(notes.count, 0);
	has_value(&f, ONE "/libvirt/vcpu0/cpuset.cpus.partition", "isolated");
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(domains_share_the_groups_above_them),
		cmocka_unit_test(a_running_domain_is_given_back_its_groups),
		cmocka_unit_test(what_does_not_become_a_partition_is_left_out_as_a_whole),
		cmocka_unit_test(a_host_without_partitions_is_noted_or_refused_before_the_start),
		cmocka_unit_test(others_keep_the_cpus_that_they_need),
		cmocka_unit_test(vcpus_without_cpus_of_their_own_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
