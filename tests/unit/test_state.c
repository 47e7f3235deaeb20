/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms of our state files, and the value that claims add up to. */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_host.h"
#include "sys/journal.h"
#include "sys/ledger.h"
#include "sys/resource.h"
#include "sys/state.h"

/* The kind of a setting. */
#define SETTING(id) ((enum fit_resource_kind)(FIT_RESOURCE_SETTING + FIT_SETTING_##id))
#define GOVERNOR    SETTING(GOVERNOR)

#define BOOT "11111111-2222-3333-4444-555555555555"
#define UUID "aaaaaaaa-0000-4000-8000-000000000001"

static void make_journal(struct fit_journal *journal)
{
	struct fit_claim_entry *claim;

	*journal = (struct fit_journal){.stage = FIT_STAGE_STARTED};
	journal->unfitted = FIT_UNFITTED_LIVE;
	journal->announced = true;
	journal->uuid = fit_xstrdup(UUID);
	journal->name = fit_xstrdup("a b\nclaim 9 %s 'Пример' -");
	fit_cpuset_add(&journal->exclusive_cpus, 3);
	fit_cpuset_add(&journal->exclusive_cpus, 700);
	fit_cpuset_add(&journal->vcpu_cpus, 3);
	fit_cpuset_add(&journal->vcpu_cpus, 9);
	fit_cpuset_add(&journal->held_cpus, 9);
	fit_cpuset_add(&journal->interrupt_cpus, 700);
	journal->interrupts_spread = true;
	*FIT_APPEND(journal->devices, journal->device_count) =
		(struct fit_pciaddr){.domain = 0x10000, .bus = 0xe1};
	for (uint64_t i = 1; i < 4; i++) {
		claim = FIT_APPEND(journal->claims, journal->claim_count);
		claim->sequence = i << 40;
		claim->kind = FIT_RESOURCE_IRQ;
		claim->path = fit_xasprintf("proc/irq/%d/smp_affinity_list", (int)i);
		claim->contribution = fit_xstrdup("avoid:3,700");
		claim->undo = FIT_PHASE_STOPPED;
		claim->moved = i == 2 ? 7 : 0;
	}
}

static void make_ledger(struct fit_ledger *ledger)
{
	struct fit_ledger_entry *entry;

	*ledger = (struct fit_ledger){0};
	fit_ledger_add(ledger, FIT_RESOURCE_IRQ, "proc/irq/1/smp_affinity_list", "a|b c|", "");
	entry = fit_ledger_add(ledger, GOVERNOR, "policy0/scaling_governor", "", "on demand");
	fit_ledger_entry_will_write(entry, "performance");
	fit_ledger_entry_will_write(entry, "performance");
	assert_int_equal(entry->written.count, 1);
	entry->pending = true;
}

static void a_journal_is_read_as_it_was_written(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_journal journal, again;
	fit_autofree char *text = NULL;
	fit_autofree char *printed = NULL;

	(void)unused;
	make_journal(&journal);
	text = fit_journal_print(&journal, BOOT);
	if (fit_journal_parse(text, "j", BOOT, &again, &err) < 0)
		fail_msg("%s", err.message);
	printed = fit_journal_print(&again, BOOT);
	assert_string_equal(printed, text);
	assert_string_equal(again.name, journal.name);
	assert_int_equal(again.claim_count, 3);
	assert_true(again.interrupts_spread);
	assert_int_equal(fit_cpuset_count(&again.interrupt_cpus), 1);
	assert_int_equal(again.claims[1].moved, 7);
	assert_int_equal(again.claims[2].moved, 0);
	assert_int_equal(again.unfitted, journal.unfitted);
	assert_true(again.announced);
	assert_true(fit_cpuset_equal(&again.vcpu_cpus, &journal.vcpu_cpus));
	assert_true(fit_cpuset_equal(&again.held_cpus, &journal.held_cpus));
	assert_true(fit_journal_has_device(&again, journal.devices[0]));
	fit_journal_clear(&again);
	fit_journal_clear(&journal);
}

/* virt-fit is upgraded while domains run. */
static void a_journal_without_the_cpus_of_vcpus_is_read(void **unused)
{
	static const char text[] = "virt-fit-journal 1\nboot " BOOT "\nuuid " UUID
				   "\nname x\nstage started\ncpus 3,700\n";
	struct fit_err err = FIT_ERR_INIT;
	struct fit_journal journal;

	(void)unused;
	if (fit_journal_parse(text, "j", BOOT, &journal, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(fit_cpuset_count(&journal.exclusive_cpus), 2);
	assert_true(fit_cpuset_is_empty(&journal.vcpu_cpus));
	assert_true(fit_cpuset_is_empty(&journal.held_cpus));
	fit_journal_clear(&journal);
}

/* What @mine and @theirs have (exclusive, of vCPUs, held) makes the start stale, or is noted. */
static void sharing(const char *const mine[3], const char *const theirs[3], enum fit_stage stage,
	const char *message, size_t notes_wanted)
{
	struct fit_journal journals[2] = {
		{.uuid = (char[]){"b"}, .name = (char[]){"b"}, .stage = stage},
		{.uuid = (char[]){"a"}, .name = (char[]){"a"}, .stage = FIT_STAGE_PREPARED}};
	const struct fit_state state = {.journals = journals, .journal_count = 2};
	const char *const *sets[] = {theirs, mine};
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;

	for (size_t i = 0; i < 2; i++) {
		journals[i].exclusive_cpus = fit_test_cpus(sets[i][0]);
		journals[i].vcpu_cpus = fit_test_cpus(sets[i][1]);
		journals[i].held_cpus = fit_test_cpus(sets[i][2]);
	}
	assert_int_equal(fit_state_check_sharing(&state, &journals[1], &err), message ? -1 : 0);
	if (message) {
		assert_string_equal(err.message, message);
		assert_int_equal(err.code, FIT_ERR_STALE);
	}
	fit_state_note_floating(&state, &journals[1], &notes);
	assert_int_equal(notes.count, notes_wanted);
}

static void shared_cpus_are_compared_with_exclusive_ones(void **unused)
{
	static const char *const exclusive[] = {"2-3", "2-3", "2-3"};
	static const char *const mixed[] = {"4", "4,6-9", "4"};
	static const char *const floats[] = {"", "0-7", ""};
	static const char *const beside[] = {"", "4-7", ""};
	static const char *const by_hand[] = {"", "3", "3"};
	static const char held[] = "CPU 3 is held by the running domain 'b'";
	static const char several[] = "CPUs 2-3 are held by the running domain 'b'";

	(void)unused;
	sharing(floats, exclusive, FIT_STAGE_STARTED, several, 0);
	sharing(floats, exclusive, FIT_STAGE_STOPPED, NULL, 0);
	sharing(by_hand, exclusive, FIT_STAGE_PREPARED, held, 0);
	sharing(exclusive, by_hand, FIT_STAGE_STARTED, held, 1);
	sharing(exclusive, floats, FIT_STAGE_STARTED, NULL, 1);
	sharing(exclusive, floats, FIT_STAGE_STOPPED, NULL, 0);
	sharing(exclusive, beside, FIT_STAGE_STARTED, NULL, 0);
	sharing(beside, exclusive, FIT_STAGE_STARTED, NULL, 0);
	sharing(floats, by_hand, FIT_STAGE_STARTED, NULL, 0);
	sharing(by_hand, floats, FIT_STAGE_STARTED, NULL, 0);
	sharing(mixed, exclusive, FIT_STAGE_STARTED, NULL, 0);
	sharing(beside, mixed, FIT_STAGE_STARTED, "CPU 4 is held by the running domain 'b'", 0);
}

static void a_ledger_is_read_as_it_was_written(void **unused)
{
	struct fit_ledger ledger, again;
	fit_autofree char *text = NULL;
	fit_autofree char *printed = NULL;

	(void)unused;
	make_ledger(&ledger);
	text = fit_ledger_print(&ledger, BOOT);
	fit_ledger_parse(text, "l", BOOT, &again);
	assert_null(again.damage);
	printed = fit_ledger_print(&again, BOOT);
	assert_string_equal(printed, text);
	assert_true(again.items[1].pending);
	assert_string_equal(again.items[0].baseline, "");
	fit_ledger_clear(&again);
	fit_ledger_drop(&ledger, "proc/irq/1/smp_affinity_list");
	assert_null(fit_ledger_find(&ledger, "proc/irq/1/smp_affinity_list"));
	assert_int_equal(ledger.count, 1);
	fit_ledger_clear(&ledger);
}

static void state_of_another_boot_is_not_read(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_journal journal, again;
	struct fit_ledger ledger;
	fit_autofree char *journal_text = NULL;
	fit_autofree char *ledger_text = NULL;

	(void)unused;
	make_journal(&journal);
	journal_text = fit_journal_print(&journal, BOOT);
	assert_int_equal(fit_journal_parse(journal_text, "j", "other", &again, &err), -1);
	assert_int_equal(err.code, FIT_ERR_NOTFOUND);
	fit_journal_clear(&journal);
	make_ledger(&ledger);
	ledger_text = fit_ledger_print(&ledger, BOOT);
	fit_ledger_clear(&ledger);
	fit_ledger_parse(ledger_text, "l", "other", &ledger);
	assert_int_equal(ledger.count, 0);
	assert_null(ledger.damage);
}

static int parse(bool ledger, const char *text, struct fit_err *err)
{
	struct fit_journal journal;
	struct fit_ledger entries;
	int result;

	if (ledger) {
		fit_ledger_parse(text, "l", BOOT, &entries);
		result = entries.damage ? fit_err_set(err, FIT_ERR_INVALID, "%s", entries.damage)
					: 0;
		fit_ledger_clear(&entries);
		return result;
	}
	result = fit_journal_parse(text, "l", BOOT, &journal, err);
	if (result == 0)
		fit_journal_clear(&journal);
	return result;
}

/* A file that is cut anywhere is damaged: never does it say something else, or less. */
static void cut_files_are_damaged(void **unused)
{
	struct fit_journal journal;
	struct fit_ledger entries;

	(void)unused;
	make_journal(&journal);
	make_ledger(&entries);
	for (int ledger = 0; ledger < 2; ledger++) {
		fit_autofree char *text = ledger ? fit_ledger_print(&entries, BOOT)
						 : fit_journal_print(&journal, BOOT);
		size_t first = strlen("virt-fit-ledger 2\nboot " BOOT) + !ledger;
		struct fit_err err = FIT_ERR_INIT;

		assert_int_equal(parse(ledger, text, &err), 0);
		for (size_t length = strlen(text) - 1; length > first; length--) {
			text[length] = '\0';
			if (parse(ledger, text, &err) == 0)
				fail_msg("accepted: %s", text);
			assert_int_equal(err.code, FIT_ERR_INVALID);
			assert_non_null(strstr(err.message, "/l"));
		}
	}
	fit_journal_clear(&journal);
	fit_ledger_clear(&entries);
}

/* Of the version that had no end line. */
static void what_an_older_version_wrote_is_read(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_ledger ledger;

	(void)unused;
	fit_ledger_parse("virt-fit-ledger 1\nboot " BOOT
			 "\nsettled irq proc/irq/1/smp_affinity_list a|b 0-7\n",
		"l", BOOT, &ledger);
	assert_null(ledger.damage);
	assert_int_equal(ledger.count, 1);
	fit_ledger_clear(&ledger);
	assert_int_equal(parse(true, "virt-fit-ledger 3\nboot " BOOT "\nend\n", &err), -1);
	assert_int_equal(parse(true, "virt-fit-ledger 2\nboot " BOOT "\nend\nend\n", &err), -1);
	assert_non_null(strstr(err.message, "/l:4: "));
}

static void damaged_lines_are_refused(void **unused)
{
	static const char *const lines[] = {"claim 1 irq p avoid:1",
		"claim x irq p avoid:1 stopped", "claim 1 what p 1 stopped",
		"claim 1 irq p 1 sometime", "claim 1 irq  1 stopped", "stage later", "cpus x-y",
		"vcpu-cpus x", "held-cpus 1-", "device 1", "uuid ../../etc", "unknown line",
		"name %0", "", "name"};

	(void)unused;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(lines); i++) {
		fit_autofree char *text =
			fit_xasprintf("virt-fit-journal 1\nboot " BOOT "\nuuid " UUID
				      "\nname x\n%s\nstage started\n",
				lines[i]);
		struct fit_err err = FIT_ERR_INIT;
		struct fit_journal journal;

		if (fit_journal_parse(text, "j", BOOT, &journal, &err) == 0)
			fail_msg("accepted: %s", lines[i]);
		assert_non_null(strstr(err.message, "/j:5: "));
	}
}

/* All that can be read counts, before the damage and behind it, and that it is damaged is kept. */
static void damaged_files_are_salvaged_by_line(void **unused)
{
	static const char text[] = "virt-fit-ledger 2\nboot " BOOT
				   "\nsettled irq proc/irq/1/smp_affinity_list a 0-7\nsettled irq"
				   "\nsettled irq proc/irq/3/smp_affinity_list b 0-3\nend\n";
	static const char *const journals[] = {
		"virt-fit-journal 2\nboot " BOOT "\nuuid " UUID "\nname x\ncpus 1\n"
		"claim 1 irq p avoid:1 stopped\nclaim\nclaim 2 irq q avoid:1 stopped\nend\n",
		"virt-fit-journal 2\nboot " BOOT "\nuuid " UUID "\nname x\ncpus ?\n"
		"claim 1 irq p avoid:1 stopped\nclaim 2 irq q avoid:1 stopped\nend\n"};
	fit_autofree char *printed = NULL;
	struct fit_ledger ledger;
	struct fit_journal journal;

	(void)unused;
	for (int again = 0; again < 2; again++) {
		fit_ledger_parse(again ? printed : text, "l", BOOT, &ledger);
		assert_non_null(strstr(ledger.damage, "/l:4: "));
		assert_int_equal(ledger.count, 2);
		assert_string_equal(ledger.items[1].baseline, "0-3");
		free(printed);
		printed = fit_ledger_print(&ledger, BOOT);
		fit_ledger_clear(&ledger);
	}
	/* Nothing is known of one without its first lines. */
	fit_ledger_parse(strchr(text, '\n') + 1, "l", BOOT, &ledger);
	assert_non_null(ledger.damage);
	assert_int_equal(ledger.count, 0);
	fit_ledger_clear(&ledger);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(journals); i++) {
		fit_journal_salvage(journals[i], "j", UUID, BOOT, &journal);
		assert_int_equal(journal.claim_count, 2);
		assert_int_equal(journal.holdings_lost, i);
		fit_journal_clear(&journal);
	}
}

static void an_announcement_that_nothing_came_of_ends(void **unused)
{
	struct fit_fsroot root = fit_test_root("run/\n");
	fit_autofree char *path = fit_journal_path(UUID);
	struct fit_state state;
	struct stat status;

	(void)unused;
	for (int claims = 0; claims < 2; claims++) {
		const struct timespec young[] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
		const struct timespec old[] = {{.tv_sec = 1}, {.tv_sec = 1}};
		struct fit_journal *journal;

		assert_int_equal(fit_state_open(&root, 100, 100, &state, NULL), 0);
		journal = fit_state_add_journal(&state, UUID, "x", FIT_STAGE_INCOMING);
		if (claims) {
			struct fit_claim_entry *claim =
				FIT_APPEND(journal->claims, journal->claim_count);

			claim->path = fit_xstrdup("p");
			claim->contribution = fit_xstrdup("1");
		}
		assert_int_equal(fit_state_save_journal(&state, journal, NULL), 0);
		fit_state_close(&state);
		assert_int_equal(utimensat(root.fd, path, young, 0), 0);
		assert_int_equal(fit_state_open(&root, 100, 100, &state, NULL), 0);
		assert_int_equal(state.journal_count, 1);
		fit_state_close(&state);
		assert_int_equal(utimensat(root.fd, path, old, 0), 0);
		/* Who only looks removes nothing. */
		assert_int_equal(fit_state_snapshot(&root, &state, NULL), 0);
		assert_int_equal(state.journal_count, claims);
		fit_state_close(&state);
		assert_int_equal(fit_fsroot_stat(&root, path, &status), 0);
		assert_int_equal(fit_state_open(&root, 100, 100, &state, NULL), 0);
		assert_int_equal(state.journal_count, claims);
		fit_state_close(&state);
		assert_int_equal(fit_fsroot_stat(&root, path, &status), claims ? 0 : -1);
	}
	fit_test_root_remove(&root);
}

static void target(
	enum fit_resource_kind kind, const char *baseline, const char *claims, const char *wanted)
{
	fit_autostrlist struct fit_strlist contributions = {0};
	struct fit_cpuset online;
	fit_autofree char *value = NULL;

	assert_int_equal(fit_cpuset_parse_list("0-7", &online, NULL), 0);
	fit_strlist_split(&contributions, claims, " ");
	value = fit_resource_target(kind, baseline, &contributions, &online);
	if (!fit_streq(value, wanted))
		fail_msg("%s with '%s': '%s' wanted, '%s' given", baseline, claims, wanted, value);
}

static void settings_are_combined_as_their_rows_say(void **unused)
{
	(void)unused;
	target(SETTING(TRANSPARENT_HUGEPAGES), "madvise", "never always", "always");
	/* The strictest, and the host's own counts. */
	target(SETTING(WAKEUP_LATENCY), "0", "100 10 50", "10");
	target(SETTING(WAKEUP_LATENCY), "5", "100 10", "5");
	target(SETTING(WAKEUP_LATENCY), "n/a", "1", "n/a");
	target(SETTING(WAKEUP_LATENCY), "1", "n/a 2", "n/a");
	target(SETTING(STAT_INTERVAL), "1", "10 5", "10");
	target(SETTING(STAT_INTERVAL), "120", "10", "120");
	target(SETTING(COMPACTION), "20", "50", "20");
	target(SETTING(COMPACTION), "20", "0 50", "0");
	/* The lowest and the highest of what is asked for, whatever the host has. */
	target(SETTING(NUMA_BALANCING), "0", "1", "1");
	target(SETTING(NUMA_BALANCING), "1", "1 0 1", "0");
	target(SETTING(RT_RUNTIME), "-1", "950000 980000", "980000");
	target(SETTING(RT_RUNTIME), "950000", "-1 980000", "-1");
	/* Damaged state does not win. */
	target(SETTING(STAT_INTERVAL), "1", "x 5", "5");
	target(SETTING(WORKQUEUES), "ff", "2-3 5", "d3");
	target(SETTING(WORKQUEUES), "ff", "", "ff");
	target(SETTING(WORKQUEUES), "0000000f,ffffffff", "8-31", "f,000000ff");
	target(SETTING(WORKQUEUES), "00000001,000000ff", "32", "ff");
	/* As it was written where nothing changes, and never empty. */
	target(SETTING(WORKQUEUES), "00,000000ff", "40", "00,000000ff");
	target(SETTING(WORKQUEUES), "04", "2", "fb");
	target(SETTING(WORKQUEUES), "04", "0-3 4-7", "04");
	target(SETTING(LOCKUP_WATCHDOG), "0-7", "2-3 7", "0-1,4-6");
	target(SETTING(NEW_INTERRUPTS), "ff", "2", "fb");
	target(SETTING(SYSCTL), "1", "2 3", "3");
}

static void values_are_baseline_and_claims(void **unused)
{
	(void)unused;
	target(FIT_RESOURCE_VFS, "0", "2 4 3", "4");
	target(FIT_RESOURCE_VFS, "8", "2", "8");
	target(FIT_RESOURCE_VFS, "8", "", "8");
	target(FIT_RESOURCE_PAGES, "512", "100/200 0/50", "612");
	target(FIT_RESOURCE_PAGES, "512", "", "512");
	target(GOVERNOR, "ondemand", "performance powersave", "powersave");
	target(GOVERNOR, "ondemand", "", "ondemand");
	target(FIT_RESOURCE_IRQ, "0-7", "avoid:2-3 avoid:5", "0-1,4,6-7");
	/* As it was written, when nothing changes. */
	target(FIT_RESOURCE_IRQ, "0,1", "avoid:2-3", "0,1");
	target(FIT_RESOURCE_IRQ, "2", "avoid:2-3", "0-1,4-7");
	/* Only an offline CPU is left of it. */
	target(FIT_RESOURCE_IRQ, "2,9", "avoid:2-3", "0-1,4-7");
	/* Nowhere to go. */
	target(FIT_RESOURCE_IRQ, "2", "avoid:0-3 avoid:4-7", "2");
	target(FIT_RESOURCE_IRQ, "0-7", "to:2-3 avoid:5", "2-3");
}

/* Property: whatever was claimed, without claims it is the baseline. */
static void without_claims_the_baseline_is_back(void **unused)
{
	static const char *const baselines[] = {"0-7", "512", "ondemand", "", "0,1"};

	(void)unused;
	for (enum fit_resource_kind kind = FIT_RESOURCE_VFS; kind < FIT_RESOURCE_COUNT; kind++)
		for (size_t i = 0; i < FIT_ARRAY_SIZE(baselines); i++)
			target(kind, baselines[i], "", baselines[i]);
}

static void values_are_compared_by_meaning(void **unused)
{
	(void)unused;
	assert_true(fit_resource_equal(FIT_RESOURCE_IRQ, "0,1", "0-1"));
	assert_false(fit_resource_equal(FIT_RESOURCE_IRQ, "0-1", "0-2"));
	assert_true(fit_resource_equal(FIT_RESOURCE_PAGES, "012", "12"));
	assert_false(fit_resource_equal(GOVERNOR, "012", "12"));
	assert_true(fit_resource_equal(GOVERNOR, "x", "x"));
	assert_true(fit_resource_equal(SETTING(WORKQUEUES), "0ff", "00000000,000000ff"));
	assert_false(fit_resource_equal(SETTING(WORKQUEUES), "ff", "fe"));
	assert_true(fit_resource_equal(SETTING(LOCKUP_WATCHDOG), "0,1", "0-1"));
	assert_true(fit_resource_equal(SETTING(STAT_INTERVAL), "010", "10"));
	assert_true(fit_resource_equal(SETTING(SYSFS), "1", "Y"));
	assert_true(fit_resource_equal(SETTING(SYSFS), "N", "0"));
	assert_false(fit_resource_equal(SETTING(SYSFS), "1", "N"));
	assert_false(fit_resource_equal(SETTING(RT_RUNTIME), "-1", "1"));
	assert_false(fit_resource_equal(SETTING(WAKEUP_LATENCY), "n/a", "0"));
	assert_true(fit_resource_equal(SETTING(SYSCTL), "256\t256\t32", "256 256 32"));
	assert_false(fit_resource_equal(SETTING(SYSCTL), "256 32", "25632"));
}

static void a_value_is_ours_if_we_can_have_written_it(void **unused)
{
	struct fit_ledger ledger = {0};
	struct fit_ledger_entry *entry =
		fit_ledger_add(&ledger, FIT_RESOURCE_PAGES, "p", "", "100");

	(void)unused;
	fit_ledger_entry_will_write(entry, "200");
	assert_true(fit_ledger_entry_is_ours(entry, "100"));
	assert_true(fit_ledger_entry_is_ours(entry, "150"));
	assert_true(fit_ledger_entry_is_ours(entry, "200"));
	assert_false(fit_ledger_entry_is_ours(entry, "99"));
	assert_false(fit_ledger_entry_is_ours(entry, "201"));
	entry->kind = FIT_RESOURCE_VFS;
	assert_false(fit_ledger_entry_is_ours(entry, "150"));
	fit_ledger_clear(&ledger);
}

static void contributions_are_described_for_people(void **state)
{
	static const struct {
		enum fit_resource_kind kind;
		const char *contribution;
		const char *text;
	} cases[] = {
		{FIT_RESOURCE_IRQ, "avoid:1", "off CPU 1"},
		{FIT_RESOURCE_IRQ, "to:2-3,7", "to CPUs 2-3,7"},
		{FIT_RESOURCE_IRQ, "nonsense", "nonsense"},
		{FIT_RESOURCE_PAGES, "4/8", "8 pages, 4 of them added"},
		{FIT_RESOURCE_PAGES, "0/1", "1 page, 0 of them added"},
		{FIT_RESOURCE_VFS, "2", "2"},
		{GOVERNOR, "performance", "performance"},
		{SETTING(WAKEUP_LATENCY), "n/a", "0us"},
		{SETTING(WAKEUP_LATENCY), "10", "10us"},
		{SETTING(TURBO), "1", "off"},
		{SETTING(BOOST), "1", "on"},
		{SETTING(WORKQUEUES), "2-3", "off CPUs 2-3"},
		{SETTING(RT_RUNTIME), "-1", "unlimited"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		fit_autofree char *text =
			fit_contribution_describe(cases[i].kind, cases[i].contribution);

		assert_string_equal(text, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_journal_is_read_as_it_was_written),
		cmocka_unit_test(a_journal_without_the_cpus_of_vcpus_is_read),
		cmocka_unit_test(shared_cpus_are_compared_with_exclusive_ones),
		cmocka_unit_test(a_ledger_is_read_as_it_was_written),
		cmocka_unit_test(state_of_another_boot_is_not_read),
		cmocka_unit_test(cut_files_are_damaged),
		cmocka_unit_test(what_an_older_version_wrote_is_read),
		cmocka_unit_test(damaged_lines_are_refused),
		cmocka_unit_test(damaged_files_are_salvaged_by_line),
		cmocka_unit_test(an_announcement_that_nothing_came_of_ends),
		cmocka_unit_test(values_are_baseline_and_claims),
		cmocka_unit_test(settings_are_combined_as_their_rows_say),
		cmocka_unit_test(without_claims_the_baseline_is_back),
		cmocka_unit_test(values_are_compared_by_meaning),
		cmocka_unit_test(a_value_is_ours_if_we_can_have_written_it),
		cmocka_unit_test(contributions_are_described_for_people),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
