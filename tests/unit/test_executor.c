/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Claims and their undoing, on a made-up host under a made-up kernel. */
#include "support.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "support_host.h"
#include "support_kernel.h"
#include "support_tree.h"
#include "sys/clock.h"
#include "sys/executor.h"

#define A "aaaaaaaa-0000-4000-8000-000000000001"
#define B "bbbbbbbb-0000-4000-8000-000000000002"

#define PF	"sys/bus/pci/devices/0000:41:00.0"
#define POOL(n) "sys/devices/system/node/node" #n "/hugepages/hugepages-2048kB"

static const char host[] =
	"proc/sys/kernel/random/boot_id = 11111111-2222-3333-4444-555555555555\n"
	"proc/meminfo = MemTotal: 16777216 kB\\nMemFree: 8388608 kB\\nHugepagesize: 2048 "
	"kB\n"
	"sys/devices/system/cpu/online = 0-7\n"
	"sys/devices/system/node/online = 0-1\n"
	"sys/devices/system/cpu/cpufreq/policy0/scaling_governor = powersave\n"
	"sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors = performance "
	"powersave\n"
	"sys/devices/system/cpu/cpufreq/policy2/scaling_governor = schedutil\n"
	"sys/devices/system/cpu/cpufreq/policy2/scaling_available_governors = performance "
	"schedutil\n"
	"sys/devices/system/cpu/cpu2/cpufreq -> ../cpufreq/policy2\n"
	"sys/devices/system/cpu/cpu3/cpufreq -> ../cpufreq/policy2\n"
	"sys/devices/system/cpu/cpu4/cpufreq -> ../cpufreq/policy2\n"
	"sys/devices/system/cpu/cpu5/cpufreq -> ../cpufreq/policy0\n" POOL(
		0) "/nr_hugepages "
		   "= 512\n" POOL(0) "/free_hugepages = 100\n" POOL(
			   0) "/surplus_hugepages = 0\n" POOL(1) "/nr_hugepages = "
								 "0\n" POOL(
									 1) "/fre"
									    "e_"
									    "huge"
									    "page"
									    "s = "
									    "0"
									    "\n" POOL(
										    1) "/surplus_"
										       "hugepages "
										       "= 0\n" PF
										       "/sriov_"
										       "totalvfs = "
										       "8\n" PF
										       "/sriov_"
										       "numvfs = "
										       "0\n" PF
										       "/sriov_"
										       "offset = "
										       "128\n" PF
										       "/sriov_"
										       "stride = "
										       "2\n"
										       "proc/irq/9/"
										       "smp_"
										       "affinity_"
										       "list = "
										       "0-7\n"
										       "proc/irq/"
										       "24/"
										       "smp_"
										       "affinity_"
										       "list = 2\n"
										       "proc/irq/"
										       "25/"
										       "smp_"
										       "affinity_"
										       "list = "
										       "4-5\n"
										       "proc/irq/"
										       "26/"
										       "smp_"
										       "affinity_"
										       "list = 0\n"
										       "proc/irq/"
										       "default_"
										       "smp_"
										       "affinity = "
										       "ff\n";

struct fixture {
	struct fit_fsroot root;
	struct fit_test_kernel kernel;
	char *before;
};

static struct fit_cpuset cpus(const char *list)
{
	struct fit_cpuset set;

	assert_int_equal(fit_cpuset_parse_list(list, &set, NULL), 0);
	return set;
}

static struct fit_pciaddr device(const char *text)
{
	struct fit_pciaddr addr = {0};

	assert_true(fit_pciaddr_parse(text, &addr));
	return addr;
}

/* The tree without our state. */
static char *dump(const struct fixture *f)
{
	fit_autofree char *all = fit_test_tree_dump(&f->root);
	fit_autostrlist struct fit_strlist lines = {0};
	struct fit_buffer kept = {0};

	fit_strlist_split(&lines, all, "\n");
	for (size_t i = 0; i < lines.count; i++)
		if (!fit_starts_with(lines.items[i], "run/"))
			fit_buffer_addf(&kept, "%s\n", lines.items[i]);
	return fit_buffer_steal(&kept);
}

static void setup(struct fixture *f)
{
	*f = (struct fixture){.root = fit_test_root(host)};
	f->before = dump(f);
	fit_test_kernel_boot(&f->kernel, &f->root);
}

static void teardown(struct fixture *f)
{
	fit_test_kernel_halt(&f->kernel, &f->root);
	fit_test_root_remove(&f->root);
	free(f->before);
}

static void has_value(const struct fixture *f, const char *path, const char *value)
{
	fit_autofree char *found = fit_fsroot_try_read(&f->root, path);

	if (!fit_streq(found, value))
		fail_msg("%s: '%s' wanted, '%s' found", path, value, found ? found : "(none)");
}

static void expect_as_before(const struct fixture *f)
{
	fit_autofree char *now = dump(f);
	fit_autostrlist struct fit_strlist journals = {0};

	assert_string_equal(now, f->before);
	assert_int_equal(fit_fsroot_list(&f->root, "run/virt-fit/domains", &journals, NULL), 0);
	assert_int_equal(journals.count, 0);
	assert_false(fit_fsroot_exists(&f->root, "run/virt-fit/ledger"));
}

static void open_state(const struct fixture *f, struct fit_state *state)
{
	struct fit_err err = FIT_ERR_INIT;

	if (fit_state_open(&f->root, fit_clock_ms() + 5000, state, &err) < 0)
		fail_msg("%s", err.message);
}

static struct fit_op *add_op(
	struct fit_hostops *ops, enum fit_op_kind kind, enum fit_phase apply, enum fit_phase undo)
{
	struct fit_op *op = FIT_APPEND(ops->items, ops->count);

	op->kind = kind;
	op->apply = apply;
	op->undo = undo;
	return op;
}

/* What a domain asks for: 1024 pages of 2 MiB on @node, VF @vf, CPUs @list. */
static void make_ops(struct fit_hostops *ops, unsigned int node, const char *vf, const char *list)
{
	struct fit_op *op = add_op(ops, FIT_OP_VF, FIT_PHASE_PREPARE, FIT_PHASE_RELEASE);

	op->device = device(vf);
	op = add_op(ops, FIT_OP_PAGES, FIT_PHASE_PREPARE, FIT_PHASE_STOPPED);
	fit_cpuset_add(&op->nodes, node);
	op->page_kib = 2048;
	op->pages = 1024;
	op = add_op(ops, FIT_OP_GOVERNOR, FIT_PHASE_START, FIT_PHASE_STOPPED);
	op->cpus = cpus(list);
	op->value = fit_xstrdup("performance");
	op = add_op(ops, FIT_OP_IRQS_ELSEWHERE, FIT_PHASE_STARTED, FIT_PHASE_STOPPED);
	op->cpus = cpus(list);
	ops->exclusive_cpus = cpus(list);
}

struct guest {
	const char *uuid;
	unsigned int node;
	const char *vf;
	const char *cpus;
};

static const struct guest guest_a = {A, 0, "0000:41:10.0", "2-3"};
static const struct guest guest_b = {B, 0, "0000:41:10.2", "4-5"};

/* One hook call of a guest's life: 0 prepare, 1 start, 2 started, 3 stopped, 4 release. */
static int hook_call(struct fixture *f, const struct guest *guest, int phase, struct fit_err *err)
{
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fit_journal *journal;
	int result = -1;

	make_ops(&ops, guest->node, guest->vf, guest->cpus);
	if (fit_state_open(&f->root, fit_clock_ms() + 5000, &state, err) < 0)
		goto out;
	if (phase >= 3) {
		result = fit_executor_undo(&state, guest->uuid,
			phase == 3 ? FIT_PHASE_STOPPED : FIT_PHASE_RELEASE, NULL, err);
	} else {
		journal = fit_state_journal(&state, guest->uuid);
		if (!journal)
			journal = fit_state_add_journal(
				&state, guest->uuid, "guest", FIT_STAGE_PREPARED);
		if (phase == 0) {
			journal->exclusive_cpus = ops.exclusive_cpus;
			*FIT_APPEND(journal->devices, journal->device_count) = device(guest->vf);
		}
		if (phase == 2)
			journal->stage = FIT_STAGE_STARTED;
		result = fit_state_save_journal(&state, journal, err);
		if (result == 0)
			result = fit_executor_apply(
				&state, journal, &ops, (enum fit_phase)phase, NULL, err);
	}
	fit_state_close(&state);
out:
	fit_hostops_clear(&ops);
	return result;
}

static void call(struct fixture *f, const struct guest *guest, int phase)
{
	struct fit_err err = FIT_ERR_INIT;

	if (hook_call(f, guest, phase, &err) < 0)
		fail_msg("phase %d: %s", phase, err.message);
}

static void run_up(struct fixture *f, const struct guest *guest)
{
	for (int phase = 0; phase < 3; phase++)
		call(f, guest, phase);
}

static void run_down(struct fixture *f, const struct guest *guest)
{
	call(f, guest, 3);
	call(f, guest, 4);
}

/* ---- one domain ---- */

static void a_domain_gets_its_host_and_gives_it_back(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_a);
	has_value(&f, PF "/sriov_numvfs", "1");
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
	fit_test_kernel_set(&f.kernel,
		PF "/sriov_numvfs = 2\n" PF "/virtfn0 -> ../0000:41:10.0\n"
		   "sys/bus/pci/devices/0000:41:10.0/physfn -> ../0000:41:00.0\n" PF
		   "/virtfn1 -> ../0000:41:10.2\n"
		   "sys/bus/pci/devices/0000:41:10.2/physfn -> ../0000:41:00.0\n" POOL(
			   0) "/nr_hugepages = 2000\n" POOL(0) "/free_hugepages = 2000\n");
	call(&f, &guest_a, 0);
	assert_int_equal(f.kernel.host_writes, 0);
	run_down(&f, &guest_a);
	assert_int_equal(f.kernel.host_writes, 0);
	teardown(&f);
}

static void refused(struct fixture *f, const struct guest *guest, int phase, const char *part)
{
	struct fit_err err = FIT_ERR_INIT;

	assert_int_equal(hook_call(f, guest, phase, &err), -1);
	if (!strstr(err.message, part))
		fail_msg("'%s' does not say '%s'", err.message, part);
}

static void too_few_pages_are_refused_and_given_back(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	f.kernel.page_limit = 1000;
	refused(&f, &guest_a, 0, "1436 huge pages wanted in all, 1000 got");
	has_value(&f, PF "/sriov_numvfs", "0");
	has_value(&f, POOL(0) "/nr_hugepages", "512");
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

static void pages_are_asked_of_nodes_that_have_them(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fixture f;
	struct fit_op *op;

	(void)unused;
	setup(&f);
	fit_test_kernel_set(
		&f.kernel, "sys/devices/system/node/node0/meminfo = Node 0 MemFree: 204800 kB\n");
	op = add_op(&ops, FIT_OP_PAGES, FIT_PHASE_PREPARE, FIT_PHASE_STOPPED);
	op->memory_kib = 1024 * 2048 - 5; /* of the default size, rounded up */
	open_state(&f, &state);
	assert_int_equal(fit_executor_apply(&state,
				 fit_state_add_journal(&state, A, "a", FIT_STAGE_PREPARED), &ops,
				 FIT_PHASE_PREPARE, NULL, &err),
		0);
	/* 100 are free on node 0, 100 more fit there. */
	has_value(&f, POOL(0) "/nr_hugepages", "612");
	has_value(&f, POOL(1) "/nr_hugepages", "824");
	op->page_kib = 1048576;
	op->pages = 1;
	assert_int_equal(fit_executor_apply(&state,
				 fit_state_add_journal(&state, B, "b", FIT_STAGE_PREPARED), &ops,
				 FIT_PHASE_PREPARE, NULL, &err),
		-1);
	assert_string_equal(err.message, "node 0 has no pages of 1 GiB; sizes there: 2 MiB");
	fit_state_close(&state);
	fit_hostops_clear(&ops);
	run_down(&f, &guest_a);
	run_down(&f, &guest_b);
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
	make_ops(&ops, 0, guest_a.vf, guest_a.cpus);
	open_state(&f, &state);
	state.deadline = fit_clock_ms() + 30;
	assert_int_equal(fit_executor_apply(&state,
				 fit_state_add_journal(&state, A, "a", FIT_STAGE_PREPARED), &ops,
				 FIT_PHASE_PREPARE, NULL, &err),
		-1);
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
	fit_test_kernel_set(&f.kernel,
		PF "/sriov_numvfs = 1\n" PF "/virtfn0 -> ../0000:41:10.0\n"
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
	f.kernel.managed = cpus("24");
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

/* Somebody's process uses our pages when we give them back: the kernel keeps them as surplus, and
 * the next domain neither lacks pages nor leaves any behind. */
static void pages_in_use_become_surplus(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_a);
	fit_test_kernel_set(&f.kernel, POOL(0) "/free_hugepages = 0\n");
	run_down(&f, &guest_a);
	has_value(&f, POOL(0) "/surplus_hugepages", "924");
	run_up(&f, &guest_b);
	has_value(&f, POOL(0) "/free_hugepages", "1024");
	run_down(&f, &guest_b);
	has_value(&f, POOL(0) "/nr_hugepages", "1436");
	has_value(&f, POOL(0) "/surplus_hugepages", "924");
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
	op = add_op(&ops, FIT_OP_GOVERNOR, FIT_PHASE_START, FIT_PHASE_STOPPED);
	op->cpus = cpus("2,5");
	op->value = fit_xstrdup("schedutil");
	op->optional = true;
	open_state(&f, &state);
	assert_int_equal(fit_executor_apply(&state,
				 fit_state_add_journal(&state, A, "a", FIT_STAGE_PREPARED), &ops,
				 FIT_PHASE_START, &notes, &err),
		0);
	assert_int_equal(notes.count, 1);
	assert_string_equal(notes.items[0],
		"governor 'schedutil' cannot be set on CPUs 5: they offer performance, powersave");
	op->optional = false;
	op->cpus = cpus("6-7");
	assert_int_equal(
		fit_executor_check(&state, &state.journals[0], &ops, FIT_PHASE_START, &err), -1);
	assert_string_equal(err.message,
		"governor 'schedutil' cannot be set on CPUs 6-7: they have no cpufreq");
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
	fit_test_kernel_set(&f.kernel, "proc/sys/kernel/random/boot_id = another\n");
	open_state(&f, &state);
	assert_int_equal(state.journal_count, 0);
	assert_int_equal(state.ledger.count, 0);
	fit_state_close(&state);
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
	mine->exclusive_cpus = cpus("3-6");
	assert_int_equal(fit_state_check_holders(&state, mine, &err), -1);
	assert_string_equal(err.message, "CPUs 3 are held by the running domain 'guest'");
	mine->exclusive_cpus = cpus("6");
	*FIT_APPEND(mine->devices, mine->device_count) = device(guest_a.vf);
	assert_int_equal(fit_state_check_holders(&state, mine, &err), -1);
	assert_string_equal(
		err.message, "device 0000:41:10.0 is held by the running domain 'guest'");
	fit_state_close(&state);
	teardown(&f);
}

/* ---- two domains ---- */

static void expect_runs(const struct fixture *f, const struct guest *guest, int done)
{
	fit_autofree char *vf = fit_xasprintf("sys/bus/pci/devices/%s/physfn", guest->vf);
	struct fit_cpuset mine = cpus(guest->cpus);
	int64_t free_pages;

	if (done >= 1 && done <= 4)
		assert_true(fit_fsroot_exists(&f->root, vf));
	if (done >= 1 && done <= 3) {
		assert_true(
			fit_fsroot_try_read_int(&f->root, POOL(0) "/free_hugepages", &free_pages));
		assert_true(free_pages >= 1024);
	}
	if (done >= 2 && done <= 3)
		has_value(f, "sys/devices/system/cpu/cpufreq/policy2/scaling_governor",
			"performance");
	if (done == 3) {
		fit_autofree char *text =
			fit_fsroot_try_read(&f->root, "proc/irq/9/smp_affinity_list");
		struct fit_cpuset affinity = cpus(text);

		assert_false(fit_cpuset_intersects(&affinity, &mine));
	}
}

/* The pages of a guest that has started are taken; they come back when it stops. */
static void use_pages(const struct fixture *f, int64_t taken)
{
	int64_t free_pages;
	fit_autofree char *manifest = NULL;

	assert_true(fit_fsroot_try_read_int(&f->root, POOL(0) "/free_hugepages", &free_pages));
	manifest =
		fit_xasprintf(POOL(0) "/free_hugepages = %lld\n", (long long)(free_pages - taken));
	fit_test_kernel_set(&f->kernel, manifest);
}

/* A VF only goes from 1 to 2 while nobody uses the first. */
static bool vf_is_in_the_way(const int done[2], int who)
{
	return who == 1 && done[1] == 0 && done[0] >= 1 && done[0] <= 4;
}

static void two_domains_in_every_order_leave_the_host_as_it_was(void **unused)
{
	struct fixture f;
	int orders = 0;

	(void)unused;
	setup(&f);
	/* Each bit says whose next call it is. */
	for (unsigned int order = 0; order < 1U << 10; order++) {
		int done[2] = {0, 0};

		if (__builtin_popcount(order) != 5)
			continue;
		orders++;
		for (unsigned int i = 0; i < 10; i++) {
			int who = order >> i & 1;
			const struct guest *guest = who ? &guest_b : &guest_a;

			if (done[who] == 3)
				use_pages(&f, -1024);
			if (vf_is_in_the_way(done, who)) {
				refused(&f, guest, 0, "is held by the domain");
				done[1] = 5;
				run_down(&f, guest);
			}
			if (done[who] == 5)
				continue;
			call(&f, guest, done[who]++);
			if (done[0] != 3 && done[1] != 3)
				expect_runs(&f, guest, done[who]);
			if (done[who] == 3) {
				has_value(&f,
					"sys/devices/system/cpu/cpufreq/policy2/scaling_governor",
					"performance");
				use_pages(&f, 1024);
			}
		}
		expect_as_before(&f);
	}
	teardown(&f);
	assert_int_equal(orders, 252);
}

static void the_stop_of_one_does_not_disturb_the_other(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_b);
	run_up(&f, &guest_a);
	has_value(&f, "proc/irq/9/smp_affinity_list", "0-1,6-7");
	has_value(&f, POOL(0) "/nr_hugepages", "1436");
	run_down(&f, &guest_b);
	has_value(&f, "proc/irq/9/smp_affinity_list", "0-1,4-7");
	has_value(&f, "sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "performance");
	has_value(&f, "sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave");
	has_value(&f, PF "/sriov_numvfs", "2");
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

/* ---- faults ---- */

/* A whole life, as libvirt calls it: what fails at the start is followed by stopped and release. */
static void live(struct fixture *f, const struct guest *guest)
{
	for (int phase = 0; phase < 3; phase++)
		if (hook_call(f, guest, phase, NULL) < 0)
			break;
	for (int phase = 3; phase < 5; phase++)
		(void)hook_call(f, guest, phase, NULL);
}

/* Runs live() in a process of its own with a fault at change @at. False: there are fewer changes.
 */
static bool live_with_fault(
	struct fixture *f, const struct guest *guest, enum fit_test_fault fault, unsigned int at)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		f->kernel.fault = fault;
		f->kernel.fault_at = at;
		f->kernel.changes = 0;
		live(f, guest);
		_exit(f->kernel.changes < at ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (fault != FIT_TEST_FAIL && WEXITSTATUS(status) == 0)
		fail_msg("change %u: nobody died", at);
	return WEXITSTATUS(status) != 1;
}

static void recover(struct fixture *f, const struct guest *guest)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;

	open_state(f, &state);
	if (fit_executor_undo(&state, guest->uuid, FIT_PHASE_RELEASE, &notes, &err) < 0)
		fail_msg("undo: %s", err.message);
	fit_state_close(&state);
	if (notes.count)
		fail_msg("undo: %s", notes.items[0]);
}

static void a_fault_at_any_change_leaves_nothing_behind(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	for (enum fit_test_fault fault = FIT_TEST_FAIL; fault <= FIT_TEST_DIE_AFTER; fault++) {
		unsigned int at = 1;

		while (live_with_fault(&f, &guest_a, fault, at)) {
			recover(&f, &guest_a);
			expect_as_before(&f);
			at++;
		}
		assert_true(at > 20);
	}
	teardown(&f);
}

/* The same beside a running domain, whose host stays as it has it. */
static void a_fault_beside_a_running_domain_does_not_touch_it(void **unused)
{
	fit_autofree char *running = NULL;
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_b);
	use_pages(&f, 1024);
	running = dump(&f);
	for (enum fit_test_fault fault = FIT_TEST_FAIL; fault <= FIT_TEST_DIE_AFTER; fault++) {
		for (unsigned int at = 1; live_with_fault(&f, &guest_a, fault, at); at++) {
			fit_autofree char *after = NULL;

			recover(&f, &guest_a);
			after = dump(&f);
			assert_string_equal(after, running);
		}
	}
	use_pages(&f, -1024);
	run_down(&f, &guest_b);
	expect_as_before(&f);
	teardown(&f);
}

/* Returns false when the undo has fewer changes than @at. */
static bool undo_dies_at(struct fixture *f, unsigned int at)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		f->kernel.fault = FIT_TEST_DIE_AFTER;
		f->kernel.fault_at = at;
		f->kernel.changes = 0;
		(void)hook_call(f, &guest_a, 4, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status) == FIT_TEST_DEATH;
}

/* An undo that dies at any change can be repeated, and that one can die as well. */
static void an_undo_can_die_and_be_repeated(void **unused)
{
	struct fixture f;
	bool more = true;

	(void)unused;
	setup(&f);
	for (unsigned int at = 1; more; at++) {
		run_up(&f, &guest_a);
		more = undo_dies_at(&f, at);
		(void)undo_dies_at(&f, at);
		recover(&f, &guest_a);
		expect_as_before(&f);
	}
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
	assert_int_equal(fit_state_open(&f.root, fit_clock_ms() + 30, &second, &err), -1);
	assert_non_null(strstr(err.message, "did not finish in time"));
	fit_state_close(&first);
	open_state(&f, &second);
	fit_state_close(&second);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_domain_gets_its_host_and_gives_it_back),
		cmocka_unit_test(nothing_is_written_that_is_there_already),
		cmocka_unit_test(too_few_pages_are_refused_and_given_back),
		cmocka_unit_test(pages_are_asked_of_nodes_that_have_them),
		cmocka_unit_test(a_vf_that_does_not_appear_is_an_error),
		cmocka_unit_test(vfs_in_use_are_never_taken_away),
		cmocka_unit_test(vfs_go_from_n_to_m_by_way_of_zero_and_back),
		cmocka_unit_test(what_cannot_go_back_yet_goes_back_later),
		cmocka_unit_test(interrupts_that_cannot_be_moved_do_not_matter),
		cmocka_unit_test(an_interrupt_that_took_over_a_number_is_left_alone),
		cmocka_unit_test(what_somebody_else_changed_is_left_and_said),
		cmocka_unit_test(pages_in_use_become_surplus),
		cmocka_unit_test(a_governor_the_host_lacks_is_a_note_or_a_refusal),
		cmocka_unit_test(state_of_another_boot_is_dropped),
		cmocka_unit_test(holders_are_named),
		cmocka_unit_test(two_domains_in_every_order_leave_the_host_as_it_was),
		cmocka_unit_test(the_stop_of_one_does_not_disturb_the_other),
		cmocka_unit_test(a_fault_at_any_change_leaves_nothing_behind),
		cmocka_unit_test(a_fault_beside_a_running_domain_does_not_touch_it),
		cmocka_unit_test(an_undo_can_die_and_be_repeated),
		cmocka_unit_test(the_lock_is_waited_for_but_not_for_ever),
	};

	/* State lives in memory on a real host; thousands of renames are slow on a disk. */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TEST_DIR", "/dev/shm", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
