/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the host: where they are, what is missing, who shares them. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_executor.h"
#include "sys/executor.h"
#include "sys/value.h"

#define CARD "sys/devices/pci0000:40/0000:40:02.0/0000:42:00."
#define THP  "sys/kernel/mm/transparent_hugepage/enabled"

/* Applies all of @ops, whatever their phases, for one domain. */
static int apply(struct fixture *f, const char *uuid, const struct fit_hostops *ops,
	struct fit_strlist *notes, struct fit_err *err)
{
	struct fit_journal *journal;
	struct fit_state state;
	int result = 0;

	open_state(f, &state);
	journal = fit_state_journal(&state, uuid);
	if (!journal)
		journal = fit_state_add_journal(&state, uuid, "guest", FIT_STAGE_PREPARED);
	for (enum fit_phase phase = FIT_PHASE_PREPARE; phase <= FIT_PHASE_STARTED && result == 0;
		phase++)
		result = fit_executor_apply(&state, journal, ops, phase, notes, err);
	fit_state_close(&state);
	return result;
}

static void undo(struct fixture *f, const char *uuid, struct fit_strlist *notes)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;

	open_state(f, &state);
	if (fit_executor_undo(&state, uuid, FIT_PHASE_RELEASE, notes, &err) < 0)
		fail_msg("%s", err.message);
	fit_state_close(&state);
}

/* A setting that cannot be had is noted, or refused, with that text; nothing is changed. */
static void lacks(struct fixture *f, enum fit_host_setting_id id, const char *value,
	const char *cpus, const char *text)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fit_op *op = add_setting_op(&ops, id, value, cpus, "0000:42:00.0");
	unsigned int writes = f->kernel.host_writes;

	op->optional = true;
	assert_int_equal(apply(f, A, &ops, &notes, &err), 0);
	assert_int_equal(notes.count, text ? 1 : 0);
	if (text)
		assert_string_equal(notes.items[0], text);
	op->optional = false;
	assert_int_equal(apply(f, A, &ops, &notes, &err), text ? -1 : 0);
	if (text)
		assert_string_equal(err.message, text);
	assert_int_equal(f->kernel.host_writes, writes);
	undo(f, A, NULL);
	fit_hostops_clear(&ops);
}

static void a_host_that_lacks_a_setting_is_told_before_the_first_change(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	lacks(&f, FIT_SETTING_ENERGY_PREFERENCE, "balance_power", "2-5",
		"energy-preference 'balance_power' cannot be set on CPUs 2-5: offered are "
		"performance, power, default, balance_performance");
	lacks(&f, FIT_SETTING_TRANSPARENT_HUGEPAGES, "inherit", "2",
		"transparent-hugepages 'inherit' cannot be set: offered are always, madvise, "
		"never");
	lacks(&f, FIT_SETTING_WAKEUP_LATENCY, "10us", "7",
		"wakeup-latency '10us' cannot be set on CPU 7: there is no "
		"/sys/devices/system/cpu/cpuN/power/pm_qos_resume_latency_us that can be read");
	unlinkat(f.root.fd, CARD "0/power/control", 0);
	lacks(&f, FIT_SETTING_DEVICE_POWER, "on", "2",
		"device-power 'on' cannot be set for 0000:42:00.0: there is no "
		"/sys/bus/pci/devices/DEVICE/power/control that can be read");
	unlinkat(f.root.fd, "proc/sys/kernel/numa_balancing", 0);
	lacks(&f, FIT_SETTING_NUMA_BALANCING, "on", "2",
		"numa-balancing 'on' cannot be set: there is no "
		"/proc/sys/kernel/numa_balancing that can be read");
	unlinkat(f.root.fd, "sys/devices/system/cpu/intel_pstate/no_turbo", 0);
	lacks(&f, FIT_SETTING_TURBO, "off", "2",
		"turbo 'off' cannot be set: there is no /sys/devices/system/cpu/intel_pstate/no_turbo "
		"that can be read");
	teardown(&f);
}

/* Nothing is said of what is so without the file. */
static void what_a_host_without_it_does_anyway_is_not_missed(void **unused)
{
	static const struct {
		enum fit_host_setting_id id;
		const char *file, *value;
	} cases[] = {
		{FIT_SETTING_TRANSPARENT_HUGEPAGES, THP, "never"},
		{FIT_SETTING_TRANSPARENT_HUGEPAGES_DEFRAG,
			"sys/kernel/mm/transparent_hugepage/defrag", "never"},
		{FIT_SETTING_KSM, "sys/kernel/mm/ksm/run", "off"},
		{FIT_SETTING_NUMA_BALANCING, "proc/sys/kernel/numa_balancing", "off"},
		{FIT_SETTING_COMPACTION, "proc/sys/vm/compaction_proactiveness", "0"},
		{FIT_SETTING_LOCKUP_WATCHDOG, "proc/sys/kernel/watchdog_cpumask", "elsewhere"},
		{FIT_SETTING_NEW_INTERRUPTS, "proc/irq/default_smp_affinity", "elsewhere"},
	};
	struct fixture f;

	(void)unused;
	setup(&f);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		assert_int_equal(unlinkat(f.root.fd, cases[i].file, 0), 0);
		lacks(&f, cases[i].id, cases[i].value, "2", NULL);
	}
	teardown(&f);
}

/* The other of the pair would be 0, and stay so. */
static void what_would_take_another_setting_away_is_not_written(void **unused)
{
	static const char why[] =
		"low.xml:7: sysctl '5' cannot be set: this host uses /proc/sys/vm/dirty_bytes "
		"instead, which would be lost (set that to 0 first)";
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fit_op *op = add_setting_op(&ops, FIT_SETTING_SYSCTL, "5", "2", NULL);
	struct fixture f;

	(void)unused;
	setup(&f);
	op->path = fit_xstrdup("vm/dirty_ratio");
	op->where = fit_xstrdup("low.xml:7");
	fit_test_kernel_set(
		&f.kernel, "proc/sys/vm/dirty_ratio = 0\nproc/sys/vm/dirty_bytes = 4096\n");
	assert_int_equal(apply(&f, A, &ops, &notes, &err), -1);
	assert_string_equal(err.message, why);
	op->optional = true;
	assert_int_equal(apply(&f, A, &ops, &notes, &err), 0);
	assert_int_equal(notes.count, 1);
	assert_string_equal(notes.items[0], why);
	has_value(&f, "proc/sys/vm/dirty_ratio", "0");
	fit_test_kernel_set(
		&f.kernel, "proc/sys/vm/dirty_ratio = 20\nproc/sys/vm/dirty_bytes = 0\n");
	assert_int_equal(apply(&f, A, &ops, &notes, &err), 0);
	has_value(&f, "proc/sys/vm/dirty_ratio", "5");
	undo(&f, A, NULL);
	has_value(&f, "proc/sys/vm/dirty_ratio", "20");
	fit_hostops_clear(&ops);
	teardown(&f);
}

/* What the kernel refuses although it offers it. */
static void a_refused_write_is_a_note_or_takes_all_back(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fixture f;
	struct fit_op *op;

	(void)unused;
	setup(&f);
	add_setting_op(&ops, FIT_SETTING_KSM, "off", "2", NULL);
	op = add_setting_op(&ops, FIT_SETTING_SYSFS, "many", "2", NULL);
	op->apply = FIT_PHASE_PREPARE;
	op->path = fit_xstrdup("kernel/mm/ksm/pages_to_scan");
	op->optional = true;
	assert_int_equal(apply(&f, A, &ops, &notes, &err), 0);
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.items[0], "cannot write 'many' to"));
	has_value(&f, "sys/kernel/mm/ksm/run", "0");
	undo(&f, A, NULL);
	expect_as_before(&f);
	op->optional = false;
	assert_int_equal(apply(&f, A, &ops, &notes, &err), -1);
	assert_non_null(strstr(err.message, "cannot write 'many' to"));
	undo(&f, A, NULL);
	expect_as_before(&f);
	fit_hostops_clear(&ops);
	teardown(&f);
}

/* What the kernel makes of a value is from us, too. */
static void a_value_that_becomes_another_goes_back(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fixture f;
	struct fit_op *op;

	(void)unused;
	setup(&f);
	op = add_setting_op(&ops, FIT_SETTING_SYSFS, "5000", "2", NULL);
	op->path = fit_xstrdup("kernel/mm/ksm/pages_to_scan");
	for (int optional = 0; optional <= 1; optional++) {
		op->optional = optional;
		assert_int_equal(apply(&f, A, &ops, &notes, &err), optional ? 0 : -1);
		undo(&f, A, NULL);
		expect_as_before(&f);
	}
	assert_non_null(strstr(err.message, "1000"));
	assert_int_equal(notes.count, 1);
	fit_hostops_clear(&ops);
	teardown(&f);
}

/* The same on the way back: it is known, on disk, too, before anything else happens. */
static void a_value_that_becomes_another_on_the_way_back_goes_back(void **unused)
{
	static const char path[] = "sys/kernel/mm/ksm/pages_to_scan";
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fixture f;
	struct fit_op *op;

	(void)unused;
	setup(&f);
	op = add_setting_op(&ops, FIT_SETTING_SYSFS, "900", "2", NULL);
	op->path = fit_xstrdup("kernel/mm/ksm/pages_to_scan");
	assert_int_equal(apply(&f, A, &ops, NULL, &err), 0);
	fit_xreplace(&op->value, "50");
	assert_int_equal(apply(&f, B, &ops, NULL, &err), 0);
	f.kernel.scan_limit = 500;
	open_state(&f, &state);
	assert_int_equal(
		fit_value_write(&state, fit_ledger_find(&state.ledger, path), "900", &err), -1);
	assert_non_null(strstr(err.message, "'900' was written, '500' is there"));
	fit_state_close(&state);
	open_state(&f, &state);
	assert_true(fit_ledger_entry_is_ours(fit_ledger_find(&state.ledger, path), "500"));
	assert_int_equal(fit_executor_undo(&state, B, FIT_PHASE_RELEASE, NULL, NULL), -1);
	fit_state_close(&state);
	has_value(&f, path, "500");
	undo(&f, A, NULL);
	expect_as_before(&f);
	fit_hostops_clear(&ops);
	teardown(&f);
}

static int apply_it(struct fixture *f, const void *ops)
{
	(void)apply(f, A, ops, NULL, NULL);
	return 0;
}

/* False: it has fewer changes than @at. */
static bool apply_dies_at(struct fixture *f, const struct fit_hostops *ops, unsigned int at)
{
	return run_with_fault(f, FIT_TEST_DIE_AFTER, at, apply_it, ops) == FIT_TEST_DEATH;
}

/* "0400" is 256 to it, of which nobody is told who is killed right then. */
static void a_value_that_is_spelled_another_way_goes_back(void **unused)
{
	struct fit_hostops ops = {0};
	struct fixture f;
	struct fit_op *op;

	(void)unused;
	setup(&f);
	op = add_setting_op(&ops, FIT_SETTING_SYSCTL, "0400 0x10 7", "2", NULL);
	op->path = fit_xstrdup("vm/lowmem_reserve_ratio");
	for (unsigned int at = 1; apply_dies_at(&f, &ops, at); at++) {
		undo(&f, A, NULL);
		expect_as_before(&f);
	}
	fit_hostops_clear(&ops);
	teardown(&f);
}

static void turbo_is_switched_where_the_driver_has_it(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fixture f;

	(void)unused;
	setup(&f);
	add_setting_op(&ops, FIT_SETTING_TURBO, "off", "2", NULL);
	assert_int_equal(apply(&f, A, &ops, NULL, &err), 0);
	has_value(&f, CPU_DIR "/intel_pstate/no_turbo", "1");
	undo(&f, A, NULL);
	expect_as_before(&f);
	unlinkat(f.root.fd, CPU_DIR "/intel_pstate/no_turbo", 0);
	fit_test_kernel_set(&f.kernel, CPU_DIR "/cpufreq/boost = 1\n");
	assert_int_equal(apply(&f, A, &ops, NULL, &err), 0);
	has_value(&f, CPU_DIR "/cpufreq/boost", "0");
	undo(&f, A, NULL);
	has_value(&f, CPU_DIR "/cpufreq/boost", "1");
	fit_hostops_clear(&ops);
	teardown(&f);
}

/* Two functions of a card, for two domains: the link is one. */
static void functions_of_a_card_share_its_link(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops_a = {0};
	struct fit_hostops ops_b = {0};
	struct fixture f;

	(void)unused;
	setup(&f);
	add_setting_op(&ops_a, FIT_SETTING_ASPM, "off", "2", "0000:42:00.0");
	add_setting_op(&ops_b, FIT_SETTING_ASPM, "off", "3", "0000:42:00.1");
	assert_int_equal(apply(&f, A, &ops_a, NULL, &err), 0);
	assert_int_equal(apply(&f, B, &ops_b, NULL, &err), 0);
	undo(&f, A, NULL);
	has_value(&f, CARD "1/link/l1_aspm", "0");
	has_value(&f, CARD "1/link/l1_1_aspm", "0");
	undo(&f, B, NULL);
	expect_as_before(&f);
	fit_hostops_clear(&ops_a);
	fit_hostops_clear(&ops_b);
	teardown(&f);
}

static void what_somebody_else_sets_is_left_and_said(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fixture f;

	(void)unused;
	setup(&f);
	add_setting_op(&ops, FIT_SETTING_TRANSPARENT_HUGEPAGES, "never", "2", NULL);
	add_setting_op(&ops, FIT_SETTING_WORKQUEUES, "elsewhere", "2", NULL);
	add_setting_op(&ops, FIT_SETTING_STAT_INTERVAL, "10s", "2", NULL);
	assert_int_equal(apply(&f, A, &ops, NULL, &err), 0);
	has_value(&f, THP, "always madvise [never]");
	fit_test_kernel_set(&f.kernel,
		THP " = [always] madvise never\n"
		    "sys/devices/virtual/workqueue/cpumask_requested = 0f\n");
	undo(&f, A, &notes);
	assert_int_equal(notes.count, 2);
	assert_string_equal(notes.items[0],
		"/sys/devices/virtual/workqueue/cpumask: '0f' is there, which is not from "
		"virt-fit: left so (it was 'ff' before)");
	assert_string_equal(notes.items[1],
		"/" THP ": 'always' is there, which is not from virt-fit: left so (it was "
		"'madvise' before)");
	has_value(&f, THP, "[always] madvise never");
	has_value(&f, "proc/sys/vm/stat_interval", "1");
	fit_hostops_clear(&ops);
	teardown(&f);
}

static void literal_writes_do_not_follow_links(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fixture f;
	struct fit_op *op;

	(void)unused;
	setup(&f);
	op = add_setting_op(&ops, FIT_SETTING_SYSFS, "50", "2", NULL);
	op->path = fit_xstrdup("kernel/mm/ksm/pages_to_scan");
	op = add_setting_op(&ops, FIT_SETTING_SYSCTL, "128 128 16", "2", NULL);
	op->path = fit_xstrdup("vm/lowmem_reserve_ratio");
	assert_int_equal(apply(&f, A, &ops, NULL, &err), 0);
	has_value(&f, "sys/kernel/mm/ksm/pages_to_scan", "50");
	has_value(&f, "proc/sys/vm/lowmem_reserve_ratio", "128\t128\t16");
	undo(&f, A, NULL);
	expect_as_before(&f);
	fit_test_kernel_set(&f.kernel, "sys/kernel/mm/ksm/alias -> pages_to_scan\n"
				       "sys/kernel/mm/other -> ksm\n");
	for (int i = 0; i < 2; i++) {
		op = &ops.items[0];
		fit_xreplace(
			&op->path, i ? "kernel/mm/other/pages_to_scan" : "kernel/mm/ksm/alias");
		assert_int_equal(apply(&f, A, &ops, NULL, &err), -1);
		assert_non_null(strstr(err.message, "is or has a symbolic link"));
		undo(&f, A, NULL);
	}
	fit_hostops_clear(&ops);
	teardown(&f);
}

#define GUESTS 5

/* What the domains of the random test want of the settings that they share. */
struct wants {
	char uuid[40];
	struct fit_hostops ops;
	unsigned int cpu;
	const char *thp, *numa, *ratio; /* NULL: nothing */
	unsigned int interval;
	bool workqueues;
	int stage;	    /* 0: not there, then the calls that were made */
	unsigned int since; /* the order of starts */
};

static uint64_t draw(uint64_t *state, uint64_t limit)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state >> 11) % limit;
}

static void draw_wants(struct wants *wants, uint64_t *random)
{
	static const char *const pages[] = {"always", "madvise", "never"};
	fit_autofree char *cpu = fit_xasprintf("%u", wants->cpu);
	fit_autofree char *interval = NULL;
	struct fit_op *op;

	fit_hostops_clear(&wants->ops);
	wants->thp = draw(random, 2) ? pages[draw(random, 3)] : NULL;
	wants->numa = draw(random, 2) ? (draw(random, 2) ? "on" : "off") : NULL;
	wants->ratio = draw(random, 2) ? (draw(random, 2) ? "1\t2\t3" : "4\t5\t6") : NULL;
	wants->interval = (unsigned int)draw(random, 4);
	wants->workqueues = draw(random, 2);
	interval = fit_xasprintf("%us", wants->interval);
	if (wants->thp)
		add_setting_op(
			&wants->ops, FIT_SETTING_TRANSPARENT_HUGEPAGES, wants->thp, cpu, NULL);
	if (wants->numa)
		add_setting_op(&wants->ops, FIT_SETTING_NUMA_BALANCING, wants->numa, cpu, NULL);
	if (wants->interval)
		add_setting_op(&wants->ops, FIT_SETTING_STAT_INTERVAL, interval, cpu, NULL);
	if (wants->workqueues)
		add_setting_op(&wants->ops, FIT_SETTING_WORKQUEUES, "elsewhere", cpu, NULL);
	add_setting_op(&wants->ops, FIT_SETTING_WAKEUP_LATENCY, "10us", cpu, NULL);
	if (wants->ratio) {
		op = add_setting_op(&wants->ops, FIT_SETTING_SYSCTL, wants->ratio, cpu, NULL);
		op->apply = FIT_PHASE_PREPARE;
		op->path = fit_xstrdup("vm/lowmem_reserve_ratio");
	}
	for (size_t i = 0; i < wants->ops.count; i++)
		wants->ops.items[i].apply = FIT_PHASE_PREPARE;
}

/* By the documentation, not by the code. */
static void expect_values(const struct fixture *f, const struct wants *guests)
{
	static const char *const shown[] = {
		"[always] madvise never", "always [madvise] never", "always madvise [never]"};
	const char *thp = "madvise";
	const char *numa = NULL;
	const char *ratio = "256\t256\t32";
	unsigned int thp_since = 0;
	unsigned int ratio_since = 0;
	unsigned int interval = 1;
	unsigned int mask = 0xff;
	fit_autofree char *mask_text = NULL;
	fit_autofree char *interval_text = NULL;

	for (const struct wants *guest = guests; guest < guests + GUESTS; guest++) {
		if (!guest->stage)
			continue;
		if (guest->thp && guest->since > thp_since) {
			thp = guest->thp;
			thp_since = guest->since;
		}
		if (guest->ratio && guest->since > ratio_since) {
			ratio = guest->ratio;
			ratio_since = guest->since;
		}
		if (guest->numa && !fit_streq(numa, "off"))
			numa = guest->numa;
		if (guest->interval > interval)
			interval = guest->interval;
		if (guest->workqueues)
			mask &= ~(1U << guest->cpu);
	}
	has_value(f, THP, shown[*thp == 'a' ? 0 : *thp == 'm' ? 1 : 2]);
	has_value(f, "proc/sys/kernel/numa_balancing", fit_streq(numa, "off") ? "0" : "1");
	has_value(f, "proc/sys/vm/lowmem_reserve_ratio", ratio);
	interval_text = fit_xasprintf("%u", interval);
	has_value(f, "proc/sys/vm/stat_interval", interval_text);
	mask_text = fit_xasprintf("%02x", mask);
	has_value(f, "sys/devices/virtual/workqueue/cpumask_requested", mask_text);
}

static void step(struct fixture *f, struct wants *guest, uint64_t *random, unsigned int now)
{
	struct fit_err err = FIT_ERR_INIT;

	if (guest->stage) {
		undo(f, guest->uuid, NULL);
		guest->stage = 0;
		return;
	}
	draw_wants(guest, random);
	if (apply(f, guest->uuid, &guest->ops, NULL, &err) < 0)
		fail_msg("%s", err.message);
	guest->stage = 1;
	guest->since = now;
}

static void five_domains_in_any_order_have_what_they_asked_for(void **unused)
{
	struct wants guests[GUESTS] = {0};
	uint64_t random = 0x9e3779b97f4a7c15;
	struct fixture f;

	(void)unused;
	setup(&f);
	for (unsigned int i = 0; i < GUESTS; i++) {
		snprintf(guests[i].uuid, sizeof(guests[i].uuid),
			"aaaaaaaa-0000-4000-8000-00000000000%u", i);
		guests[i].cpu = 2 + i;
	}
	for (unsigned int now = 1; now <= 600; now++) {
		step(&f, &guests[draw(&random, GUESTS)], &random, now);
		expect_values(&f, guests);
		if (now % 25)
			continue;
		for (unsigned int i = 0; i < GUESTS; i++)
			if (guests[i].stage)
				step(&f, &guests[i], &random, now);
		expect_as_before(&f);
	}
	for (unsigned int i = 0; i < GUESTS; i++)
		fit_hostops_clear(&guests[i].ops);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_that_lacks_a_setting_is_told_before_the_first_change),
		cmocka_unit_test(what_a_host_without_it_does_anyway_is_not_missed),
		cmocka_unit_test(what_would_take_another_setting_away_is_not_written),
		cmocka_unit_test(a_refused_write_is_a_note_or_takes_all_back),
		cmocka_unit_test(a_value_that_becomes_another_goes_back),
		cmocka_unit_test(a_value_that_becomes_another_on_the_way_back_goes_back),
		cmocka_unit_test(a_value_that_is_spelled_another_way_goes_back),
		cmocka_unit_test(turbo_is_switched_where_the_driver_has_it),
		cmocka_unit_test(functions_of_a_card_share_its_link),
		cmocka_unit_test(what_somebody_else_sets_is_left_and_said),
		cmocka_unit_test(literal_writes_do_not_follow_links),
		cmocka_unit_test(five_domains_in_any_order_have_what_they_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
