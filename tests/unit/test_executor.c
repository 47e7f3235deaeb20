/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Claims and their undoing, kind by kind. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_executor.h"
#include "sys/clock.h"
#include "sys/executor.h"

static void a_domain_gets_its_host_and_gives_it_back(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_a);
	has_value(&f, PF "/sriov_numvfs", "1");
	has_value(&f, PF "/sriov_drivers_autoprobe", "0");
	/* 100 were free. */
	has_value(&f, POOL(0) "/nr_hugepages", "1436");
	has_value(&f, POOL(0) "/free_hugepages", "1024");
	has_value(&f, POOL(1) "/nr_hugepages", "0");
	has_value(&f, "sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "performance");
	has_value(&f, "proc/irq/9/smp_affinity_list", "0-1,4-7");
	/* It was on our CPU alone: it goes to all that are nobody's. */
	has_value(&f, "proc/irq/24/smp_affinity_list", "0-1,4-7");
	has_value(&f, "proc/irq/25/smp_affinity_list", "4-5");
	run_down(&f, &guest_a);
	expect_as_before(&f);
	/* Again, and of one that never was. */
	run_down(&f, &guest_a);
	run_down(&f, &guest_b);
	expect_as_before(&f);
	teardown(&f);
}

static void nothing_is_written_that_is_there_already(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	fit_test_kernel_set(&f.kernel, PF "/net/enp65s0f0/flags = 0x1003\n");
	unlinkat(f.root.fd, FUNCTION(0) "/driver", 0);
	fit_test_kernel_set(
		&f.kernel, FUNCTION(0) "/driver -> ../../../../bus/pci/drivers/vfio-pci\n");
	fit_test_kernel_set(&f.kernel, PF
		"/sriov_numvfs = 2\n" PF "/virtfn0 -> ../0000:41:10.0\n"
		"sys/bus/pci/devices/0000:41:10.0/physfn -> ../0000:41:00.0\n" PF
		"/virtfn1 -> ../0000:41:10.2\n"
		"sys/bus/pci/devices/0000:41:10.2/physfn -> ../0000:41:00.0\n" POOL(0) "/nr_hugepages = 2000\n" POOL(
			0) "/free_hugepages = 2000\n"
			   "sys/kernel/mm/transparent_hugepage/enabled = always madvise [never]\n"
			   "sys/kernel/mm/transparent_hugepage/defrag = [defer+madvise] never\n"
			   "sys/kernel/mm/ksm/run = 2\n"
			   "sys/module/kvm/parameters/halt_poll_ns = 50000\n"
			   "proc/sys/kernel/numa_balancing = 0\n"
			   "proc/sys/vm/compaction_proactiveness = 0\n");
	call(&f, &guest_a, 0);
	assert_int_equal(f.kernel.host_writes, 0);
	run_down(&f, &guest_a);
	assert_int_equal(f.kernel.host_writes, 0);
	teardown(&f);
}

static void a_vf_that_does_not_appear_is_an_error(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fixture f;

	(void)unused;
	setup(&f);
	f.kernel.vfs_stay_away = true;
	make_ops(&ops, &guest_a);
	open_state(&f, &state);
	state.deadline = fit_clock_ms() + 300;
	assert_int_equal(prepare_new(&state, A, &ops, &err), -1);
	assert_non_null(strstr(err.message, "VF 0 did not appear"));
	fit_state_close(&state);
	fit_hostops_clear(&ops);
	teardown(&f);
}

static void vfs_in_use_are_never_taken_away(void **unused)
{
	static const char in_use[] =
		PF "/sriov_numvfs = 1\n" PF "/virtfn0 -> ../0000:41:10.0\n"
		   "sys/bus/pci/devices/0000:41:10.0/physfn -> ../0000:41:00.0\n"
		   "sys/bus/pci/devices/0000:41:10.0/driver -> ../../drivers/vfio-pci\n";
	struct fixture f;

	(void)unused;
	setup(&f);
	fit_test_kernel_set(&f.kernel, in_use);
	free(f.before);
	f.before = dump(&f);
	refused(&f, &guest_b, 0, "VF 0 (0000:41:10.0) is bound to vfio-pci");
	assert_int_equal(f.kernel.host_writes, 0);
	run_down(&f, &guest_b);
	expect_as_before(&f);
	teardown(&f);
}

static void vfs_go_from_n_to_m_by_way_of_zero_and_back(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	fit_test_kernel_set(&f.kernel, PF "/net/enp65s0f0/flags = 0x1003\n");
	fit_test_kernel_set(&f.kernel,
		PF "/sriov_numvfs = 1\n" PF "/virtfn0 -> ../0000:41:10.0\n" PF
		   "/ethtool/combined-channels = 2\n"
		   "sys/bus/pci/devices/0000:41:10.0/physfn -> ../0000:41:00.0\n");
	free(f.before);
	f.before = dump(&f);
	call(&f, &guest_b, 0);
	assert_string_equal(f.kernel.log.items[0], PF "/sriov_numvfs=0");
	assert_string_equal(f.kernel.log.items[1], PF "/sriov_numvfs=2");
	run_down(&f, &guest_b);
	expect_as_before(&f);
	teardown(&f);
}

/* A VF that a stranger took while ours existed: the number goes back when it is free again. */
static void what_cannot_go_back_yet_goes_back_later(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	call(&f, &guest_b, 0);
	fit_test_kernel_set(
		&f.kernel, "sys/bus/pci/devices/0000:41:10.0/driver -> ../../drivers/vfio-pci\n");
	run_down(&f, &guest_b);
	has_value(&f, PF "/sriov_numvfs", "2");
	unlinkat(f.root.fd, "sys/bus/pci/devices/0000:41:10.0/driver", 0);
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

static void interrupts_that_cannot_be_moved_do_not_matter(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	f.kernel.managed = fit_test_cpus("24");
	run_up(&f, &guest_a);
	has_value(&f, "proc/irq/24/smp_affinity_list", "2");
	has_value(&f, "proc/irq/9/smp_affinity_list", "0-1,4-7");
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

static void an_interrupt_that_took_over_a_number_is_left_alone(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	fit_test_kernel_set(&f.kernel, "sys/kernel/irq/9/actions = eth0\n");
	run_up(&f, &guest_a);
	fit_test_kernel_set(&f.kernel, "sys/kernel/irq/9/actions = nvme1\n");
	run_down(&f, &guest_a);
	has_value(&f, "proc/irq/9/smp_affinity_list", "0-1,4-7");
	has_value(&f, "proc/irq/24/smp_affinity_list", "2");
	teardown(&f);
}

static void what_somebody_else_changed_is_left_and_said(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	fit_autofree char *said = NULL;
	struct fit_state state;
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_a);
	fit_test_kernel_set(&f.kernel,
		"sys/devices/system/cpu/cpufreq/policy2/scaling_governor = ondemand\n"
		"proc/irq/9/smp_affinity_list = 7\n" POOL(0) "/nr_hugepages = 1636\n" POOL(
			0) "/free_hugepages = 1224\n");
	open_state(&f, &state);
	assert_int_equal(fit_executor_undo(&state, A, FIT_PHASE_RELEASE, &notes, NULL), 0);
	fit_state_close(&state);
	said = fit_strlist_join(&notes, "\n");
	assert_int_equal(notes.count, 2);
	assert_non_null(strstr(said, "'ondemand' is there"));
	assert_non_null(strstr(said, "/proc/irq/9/smp_affinity_list: '7' is there"));
	has_value(&f, "sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "ondemand");
	has_value(&f, "proc/irq/9/smp_affinity_list", "7");
	/* 200 pages were added: those are theirs, ours go. */
	has_value(&f, POOL(0) "/nr_hugepages", "712");
	assert_false(fit_fsroot_exists(&f.root, "run/virt-fit/ledger"));
	teardown(&f);
}

static void a_governor_the_host_lacks_is_a_note_or_a_refusal(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fixture f;
	struct fit_op *op;

	(void)unused;
	setup(&f);
	op = add_setting_op(&ops, FIT_SETTING_GOVERNOR, "schedutil", "2,5", NULL);
	op->optional = true;
	open_state(&f, &state);
	assert_int_equal(fit_executor_apply(&state,
				 fit_state_add_journal(&state, A, "a", FIT_STAGE_PREPARED), &ops,
				 FIT_PHASE_START, &notes, &err),
		0);
	assert_int_equal(notes.count, 1);
	assert_string_equal(notes.items[0],
		"governor 'schedutil' cannot be set on CPU 5: offered are performance, powersave");
	op->optional = false;
	op->cpus = fit_test_cpus("6-7");
	assert_int_equal(
		fit_executor_check(&state, &state.journals[0], &ops, FIT_PHASE_START, &err), -1);
	assert_string_equal(err.message,
		"governor 'schedutil' cannot be set on CPUs 6-7: there is "
		"no /sys/devices/system/cpu/cpuN/cpufreq/scaling_governor that can be read");
	fit_state_close(&state);
	fit_hostops_clear(&ops);
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

static void state_of_another_boot_is_dropped(void **unused)
{
	struct fit_state state;
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_a);
	fit_test_kernel_set(&f.kernel, "proc/sys/kernel/random/boot_id = another\n"
				       "run/virt-fit/.ledger.new = virt-fit-led\n");
	open_state(&f, &state);
	assert_false(fit_fsroot_exists(&f.root, "run/virt-fit/ledger"));
	assert_false(fit_fsroot_exists(&f.root, "run/virt-fit/.ledger.new"));
	assert_int_equal(state.journal_count, 0);
	assert_int_equal(state.ledger.count, 0);
	fit_state_close(&state);
	teardown(&f);
}

/* A's journal without so many lines at its end. */
static void cut_journal(struct fixture *f, unsigned int lines)
{
	static const char path[] = "run/virt-fit/domains/" A;
	fit_autofree char *text = fit_fsroot_try_read(&f->root, path);

	while (lines--)
		*strrchr(text, '\n') = '\0';
	fit_test_kernel_write(&f->kernel, path, text);
}

/* Others start and stop beside a domain whose journal is damaged, which gets everything back at its
 * own end. */
static void a_damaged_journal_does_not_stand_in_the_way(void **unused)
{
	struct guest damaged = guest_a;
	struct guest other = guest_b;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_journal *mine;
	struct fit_state state;
	struct fixture f;

	(void)unused;
	setup(&f);
	/* Whose VF is there already. */
	damaged.vf = guest_b.vf;
	other.vf = guest_a.vf;
	run_up(&f, &damaged);
	cut_journal(&f, 12);
	run_up(&f, &other);
	run_down(&f, &other);
	/* What nobody else has claimed stays. */
	has_value(&f, PF "/sriov_numvfs", "2");
	open_state(&f, &state);
	assert_non_null(strstr(state.journals[0].damage, "domains/" A));
	assert_false(state.journals[0].holdings_lost);
	mine = fit_state_add_journal(&state, B, "b", FIT_STAGE_PREPARED);
	mine->exclusive_cpus = fit_test_cpus("3");
	assert_int_equal(fit_state_check_holders(&state, mine, &err), -1);
	fit_state_close(&state);
	/* Not even its CPUs are known: nobody gets any, until it ends. */
	fit_test_kernel_write(&f.kernel, "run/virt-fit/domains/" A, "virt-fit-jou");
	call(&f, &damaged, 2);
	open_state(&f, &state);
	assert_true(state.journals[0].holdings_lost);
	mine = fit_state_add_journal(&state, B, "b", FIT_STAGE_PREPARED);
	assert_int_equal(fit_state_check_holders(&state, mine, &err), 0);
	mine->exclusive_cpus = fit_test_cpus("7");
	assert_int_equal(fit_state_check_holders(&state, mine, &err), -1);
	assert_non_null(strstr(err.message, "virt-fit undo " A));
	fit_state_close(&state);
	run_down(&f, &damaged);
	expect_as_before(&f);
	teardown(&f);
}

/* Of the ledger the line is lost that says how large the pool of pages was before. */
static void a_damaged_ledger_does_not_stand_in_the_way(void **unused)
{
	static const char path[] = "run/virt-fit/ledger";
	fit_autostrlist struct fit_strlist notes = {0};
	fit_autofree char *text = NULL;
	struct fit_state state;
	struct fixture f;
	char *line;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_b);
	text = fit_fsroot_try_read(&f.root, path);
	line = strstr(text, "settled pages ");
	assert_non_null(line);
	memcpy(line, "sett##d", strlen("settled"));
	fit_test_kernel_write(&f.kernel, path, text);
	run_up(&f, &guest_a);
	call(&f, &guest_b, 3);
	call(&f, &guest_b, 4);
	/* Still known to whoever comes next. */
	open_state(&f, &state);
	assert_non_null(strstr(state.ledger.damage, "ledger:"));
	assert_int_equal(
		fit_executor_undo(&state, guest_a.uuid, FIT_PHASE_RELEASE, &notes, NULL), 0);
	assert_null(state.ledger.damage);
	fit_state_close(&state);
	assert_false(fit_fsroot_exists(&f.root, path));
	/* What was added for the first stays. */
	has_value(&f, POOL(0) "/nr_hugepages", "1436");
	fit_test_kernel_set(
		&f.kernel, POOL(0) "/nr_hugepages = 512\n" POOL(0) "/free_hugepages = 100\n");
	expect_as_before(&f);
	teardown(&f);
}

static void what_is_lost_is_said(void **unused)
{
	static const char path[] = "run/virt-fit/ledger";
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_state state;
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_b);
	fit_test_kernel_write(&f.kernel, path, "virt-fit-led");
	open_state(&f, &state);
	assert_int_equal(
		fit_executor_undo(&state, guest_b.uuid, FIT_PHASE_RELEASE, &notes, NULL), 0);
	fit_state_close(&state);
	assert_true(notes.count > 10);
	assert_non_null(strstr(notes.items[0], "what was there before is not known any more"));
	assert_false(fit_fsroot_exists(&f.root, path));
	teardown(&f);
}

static void holders_are_named(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_journal *mine;
	struct fit_state state;
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_a);
	open_state(&f, &state);
	mine = fit_state_add_journal(&state, B, "b", FIT_STAGE_PREPARED);
	assert_int_equal(fit_state_check_holders(&state, mine, &err), 0);
	mine->exclusive_cpus = fit_test_cpus("3-6");
	assert_int_equal(fit_state_check_holders(&state, mine, &err), -1);
	assert_string_equal(err.message, "CPU 3 is held by the running domain 'guest'");
	mine->exclusive_cpus = fit_test_cpus("6");
	*FIT_APPEND(mine->devices, mine->device_count) = device(guest_a.vf);
	assert_int_equal(fit_state_check_holders(&state, mine, &err), -1);
	assert_string_equal(
		err.message, "device 0000:41:10.0 is held by the running domain 'guest'");
	fit_state_close(&state);
	teardown(&f);
}

static void the_lock_is_waited_for_but_not_for_ever(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state first, second;
	struct fixture f;

	(void)unused;
	setup(&f);
	open_state(&f, &first);
	assert_int_equal(fit_state_open(&f.root, 30, 5000, &second, &err), -1);
	assert_non_null(strstr(err.message, "did not finish in time"));
	fit_state_close(&first);
	open_state(&f, &second);
	fit_state_close(&second);
	teardown(&f);
}

static void who_waited_for_the_lock_has_all_the_time_to_work(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state first, second;
	struct fixture f;
	int64_t started;
	pid_t holder;

	(void)unused;
	setup(&f);
	open_state(&f, &first);
	holder = fork();
	assert_true(holder >= 0);
	if (holder == 0) {
		usleep(300 * 1000);
		_exit(0);
	}
	/* The child holds it on. */
	fit_state_close(&first);
	started = fit_clock_ms();
	assert_int_equal(fit_state_open(&f.root, 60000, 200, &second, &err), 0);
	assert_true(fit_clock_ms() >= started + 250);
	assert_true(second.deadline >= started + 450);
	assert_true(second.deadline <= fit_clock_ms() + 200);
	fit_state_close(&second);
	waitpid(holder, NULL, 0);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_domain_gets_its_host_and_gives_it_back),
		cmocka_unit_test(nothing_is_written_that_is_there_already),
		cmocka_unit_test(a_vf_that_does_not_appear_is_an_error),
		cmocka_unit_test(vfs_in_use_are_never_taken_away),
		cmocka_unit_test(vfs_go_from_n_to_m_by_way_of_zero_and_back),
		cmocka_unit_test(what_cannot_go_back_yet_goes_back_later),
		cmocka_unit_test(interrupts_that_cannot_be_moved_do_not_matter),
		cmocka_unit_test(an_interrupt_that_took_over_a_number_is_left_alone),
		cmocka_unit_test(what_somebody_else_changed_is_left_and_said),
		cmocka_unit_test(a_governor_the_host_lacks_is_a_note_or_a_refusal),
		cmocka_unit_test(state_of_another_boot_is_dropped),
		cmocka_unit_test(a_damaged_journal_does_not_stand_in_the_way),
		cmocka_unit_test(a_damaged_ledger_does_not_stand_in_the_way),
		cmocka_unit_test(what_is_lost_is_said),
		cmocka_unit_test(holders_are_named),
		cmocka_unit_test(the_lock_is_waited_for_but_not_for_ever),
		cmocka_unit_test(who_waited_for_the_lock_has_all_the_time_to_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
