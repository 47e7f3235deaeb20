/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where vectors go, and the claims that bring them there. */
#include "sys/vectors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/executor.h"
#include "sys/irqbalance.h"
#include "sys/paths.h"
#include "sys/undo.h"
#include "sys/value.h"
#include "sys/wanted.h"

struct placing {
	struct fit_state *state;
	struct fit_journal *journal;
	struct fit_patience *patience; /* NULL: there is no end to it */
	int64_t now;
	struct fit_vectors vectors;
	struct fit_cpuset usable;    /* CPUs for them that are online */
	struct fit_vector_cpu *cpus; /* the same */
	size_t cpu_count;
	struct fit_wanted_list wanted;
	struct fit_vectors_report *report;
};

static const struct fit_op by_stop = {.undo = FIT_PHASE_STOPPED};

static void want(struct placing *placing, const char *path, enum fit_irq_wish wish,
	const struct fit_cpuset *cpus)
{
	fit_wanted_set(&placing->wanted, FIT_RESOURCE_IRQ, &by_stop, fit_xstrdup(path),
		fit_irq_contribution(wish, cpus));
	for (size_t i = 0; i < placing->wanted.count; i++)
		placing->wanted.items[i].replaces = true;
}

/* FIT_IRQ_AVOID stands for all that does not place a vector. */
static enum fit_irq_wish wish_of(const struct fit_claim_entry *claim, struct fit_cpuset *ret_cpus)
{
	enum fit_irq_wish wish;

	if (claim->kind == FIT_RESOURCE_IRQ &&
		fit_irq_contribution_read(claim->contribution, &wish, ret_cpus))
		return wish;
	*ret_cpus = (struct fit_cpuset){0};
	return FIT_IRQ_AVOID;
}

static bool is_there(const struct placing *placing, const char *path)
{
	const struct fit_ledger_entry *entry = fit_ledger_find(&placing->state->ledger, path);
	fit_autofree char *identity =
		fit_value_identity(placing->state->root, FIT_RESOURCE_IRQ, path);

	for (size_t i = 0; i < placing->vectors.count; i++)
		if (fit_streq(placing->vectors.items[i].path, path))
			return entry && fit_streq(entry->identity, identity);
	return false;
}

/* A number that another interrupt has by now is none of ours. */
static int drop_gone(struct placing *placing, struct fit_err *err)
{
	const struct fit_journal *journal = placing->journal;
	fit_autostrlist struct fit_strlist gone = {0};
	struct fit_claim_filter filter = {.until = FIT_PHASE_RELEASE, .paths = &gone};
	struct fit_cpuset cpus;

	for (size_t i = 0; i < journal->claim_count; i++)
		if (wish_of(&journal->claims[i], &cpus) != FIT_IRQ_AVOID &&
			!is_there(placing, journal->claims[i].path))
			fit_strlist_add(&gone, journal->claims[i].path);
	placing->report->gone = gone.count;
	return gone.count ? fit_undo_claims(placing->state, placing->journal, &filter,
				    &placing->report->notes, err)
			  : 0;
}

/* Threads of a core have the first of them in common. */
static unsigned int core_of(const struct fit_fsroot *root, unsigned int cpu)
{
	fit_autofree char *path =
		fit_xasprintf(FIT_PATH_CPU "/cpu%u/topology/thread_siblings_list", cpu);
	fit_autofree char *text = fit_fsroot_try_read(root, path);
	struct fit_cpuset siblings;
	int first = -1;

	if (text && fit_cpuset_parse_list(text, &siblings, NULL) == 0)
		first = fit_cpuset_next(&siblings, 0);
	return first < 0 ? cpu : (unsigned int)first;
}

/* Vectors of all domains: some share CPUs. */
static unsigned int load_of(const struct fit_state *state, unsigned int cpu)
{
	struct fit_cpuset cpus;
	unsigned int load = 0;

	for (size_t i = 0; i < state->journal_count; i++) {
		const struct fit_journal *journal = &state->journals[i];

		for (size_t j = 0; j < journal->claim_count; j++)
			load += wish_of(&journal->claims[j], &cpus) == FIT_IRQ_TO &&
				fit_cpuset_contains(&cpus, cpu);
	}
	return load;
}

static void find_cpus(struct placing *placing)
{
	struct fit_cpuset online = fit_online_cpus(placing->state->root);

	placing->usable = placing->journal->interrupt_cpus;
	fit_cpuset_intersect(&placing->usable, &online);
	fit_cpuset_for_each (cpu, &placing->usable)
		*FIT_APPEND(placing->cpus, placing->cpu_count) =
			(struct fit_vector_cpu){.cpu = (unsigned int)cpu,
				.core = core_of(placing->state->root, (unsigned int)cpu),
				.load = load_of(placing->state, (unsigned int)cpu)};
}

static void choose(struct placing *placing, const char *path)
{
	struct fit_cpuset cpus = placing->usable;

	if (placing->journal->interrupts_spread) {
		cpus = (struct fit_cpuset){0};
		fit_cpuset_add(&cpus, fit_vectors_choose(placing->cpus, placing->cpu_count));
	}
	want(placing, path, FIT_IRQ_TO, &cpus);
}

/* That one and the same number was another interrupt in between shows in the directory, which is
 * made anew; what it was placed on is lost with it. */
static bool was_met(struct placing *placing, const struct fit_vector *vector)
{
	fit_autofree char *directory = fit_xasprintf(FIT_PATH_KERNEL_IRQ "/%u", vector->number);
	struct stat status = {0};

	if (fit_fsroot_stat(placing->state->root, directory, &status) < 0)
		status.st_ino = 0;
	return !placing->patience ||
	       fit_patience_meet(placing->patience, vector->number, (uint64_t)status.st_ino);
}

/* It is not where its claim, for @cpus, puts it. */
static void put_back(struct placing *placing, const struct fit_vector *vector,
	struct fit_claim_entry *claim, const struct fit_cpuset *cpus, const char *current)
{
	struct fit_strlist *notes = &placing->report->notes;
	fit_autofree char *where = fit_cpuset_describe(cpus, "CPU");

	claim->moved++;
	if (!placing->patience ||
		fit_patience_spend(placing->patience, vector->number, placing->now)) {
		if (claim->moved == 1)
			fit_strlist_addf(notes,
				"interrupt %u (%s) was moved to CPUs %s by somebody else: moved "
				"back to %s",
				vector->number, vector->name, current, where);
		want(placing, vector->path, FIT_IRQ_TO, cpus);
		return;
	}
	fit_strlist_addf(notes,
		"interrupt %u (%s) is moved again and again by somebody else, now to CPUs %s: "
		"left there, not on %s; whoever moves it (%s) must be told to leave it alone",
		vector->number, vector->name, current, where,
		fit_irqbalance_runs(placing->state->root) ? "irqbalance runs"
							  : "no irqbalance runs");
	want(placing, vector->path, FIT_IRQ_LEFT, cpus);
}

/* Can the vector stay on these CPUs? Not when its own has gone offline, for example. */
static bool may_stay(const struct placing *placing, const struct fit_cpuset *cpus)
{
	return placing->journal->interrupts_spread ? fit_cpuset_is_subset(cpus, &placing->usable)
						   : fit_cpuset_equal(cpus, &placing->usable);
}

static void look_at(struct placing *placing, const struct fit_vector *vector)
{
	struct fit_claim_entry *claim = fit_vectors_claim(placing->journal, vector->path);
	bool met = was_met(placing, vector);
	fit_autofree char *current = fit_fsroot_try_read(placing->state->root, vector->path);
	struct fit_cpuset cpus, affinity;

	if (!current)
		return;
	if (!claim) {
		choose(placing, vector->path);
		placing->report->fresh++;
		return;
	}
	if (wish_of(claim, &cpus) == FIT_IRQ_LEFT)
		return;
	if (!may_stay(placing, &cpus))
		choose(placing, vector->path);
	else if (fit_cpuset_parse_list(current, &affinity, NULL) < 0 ||
		 fit_cpuset_equal(&affinity, &cpus))
		return;
	else if (!met)
		want(placing, vector->path, FIT_IRQ_TO, &cpus);
	else
		put_back(placing, vector, claim, &cpus, current);
}

static const struct fit_vector *vector_at(const struct placing *placing, const char *path)
{
	for (size_t i = 0; i < placing->vectors.count; i++)
		if (fit_streq(placing->vectors.items[i].path, path))
			return &placing->vectors.items[i];
	return NULL;
}

/* EPERM, before Linux 6.12 EIO: the kernel alone moves that one. What else is refused can work
 * later: ENOSPC, no free vector on that CPU; EBUSY; EINVAL, the CPU goes offline just now. */
static bool is_for_good(struct placing *placing, const struct fit_wanted *wanted)
{
	const struct fit_vector *vector = vector_at(placing, wanted->path);

	return wanted->refused == EPERM || wanted->refused == EIO ||
	       (placing->patience && vector &&
		       !fit_patience_spend(placing->patience, vector->number, placing->now));
}

/* Those that are not moved get a claim for that: so it is known, and not tried again. */
static int leave_refused(struct placing *placing, struct fit_err *err)
{
	struct fit_wanted_list tried = placing->wanted;
	int result = 0;

	placing->wanted = (struct fit_wanted_list){0};
	for (size_t i = 0; i < tried.count; i++) {
		const struct fit_wanted *wanted = &tried.items[i];
		enum fit_irq_wish wish;
		struct fit_cpuset cpus;

		if (!wanted->refused || wanted->refused == ENOENT ||
			!fit_irq_contribution_read(wanted->contribution, &wish, &cpus) ||
			!is_for_good(placing, wanted))
			continue;
		fit_strlist_addf(&placing->report->notes,
			"/%s cannot be set to '%s' (%s): the interrupt stays where it is",
			wanted->path, strchr(wanted->contribution, ':') + 1,
			wanted->refused > 0 ? strerror(wanted->refused)
					    : "something else is there");
		want(placing, wanted->path, FIT_IRQ_LEFT, &cpus);
	}
	if (placing->wanted.count)
		result = fit_executor_claim(
			placing->state, placing->journal, &placing->wanted, NULL, err);
	fit_wanted_clear(&tried);
	return result;
}

static int place(struct placing *placing, struct fit_err *err)
{
	if (drop_gone(placing, err) < 0)
		return -1;
	find_cpus(placing);
	if (!placing->cpu_count)
		return 0;
	for (size_t i = 0; i < placing->vectors.count; i++)
		look_at(placing, &placing->vectors.items[i]);
	if (!placing->wanted.count)
		return 0;
	if (fit_executor_claim(placing->state, placing->journal, &placing->wanted, NULL, err) < 0)
		return -1;
	return leave_refused(placing, err);
}

/* An interrupt that is not remapped moves only when it happens. */
static bool lags(const struct fit_fsroot *root, const char *path, const struct fit_cpuset *wanted)
{
	fit_autofree char *file = fit_sibling_path(path, "effective_affinity_list");
	fit_autofree char *text = fit_fsroot_try_read(root, file);
	struct fit_cpuset effective;

	return text && fit_cpuset_parse_list(text, &effective, NULL) == 0 &&
	       !fit_cpuset_is_subset(&effective, wanted);
}

static void count_placed(const struct fit_fsroot *root, const struct fit_journal *journal,
	struct fit_vectors_report *report)
{
	struct fit_cpuset cpus;

	for (size_t i = 0; i < journal->claim_count; i++) {
		const struct fit_claim_entry *claim = &journal->claims[i];

		if (wish_of(claim, &cpus) != FIT_IRQ_TO)
			continue;
		report->placed++;
		report->lagging += lags(root, claim->path, &cpus);
	}
}

int fit_vectors_place(struct fit_state *state, struct fit_journal *journal,
	struct fit_patience *patience, int64_t now, struct fit_vectors_report *ret_report,
	struct fit_err *err)
{
	struct fit_vectors_report report = {0};
	struct placing placing = {.state = state,
		.journal = journal,
		.patience = patience,
		.now = now,
		.report = &report};
	int result = 0;

	if (journal->stage == FIT_STAGE_STARTED && !fit_cpuset_is_empty(&journal->interrupt_cpus)) {
		fit_vectors_find(state->root, journal, &placing.vectors);
		result = place(&placing, err);
		count_placed(state->root, journal, &report);
	}
	free(placing.cpus);
	fit_wanted_clear(&placing.wanted);
	fit_vectors_clear(&placing.vectors);
	if (ret_report)
		*ret_report = report;
	else
		fit_strlist_clear(&report.notes);
	return result;
}

static int compare_numbers(const void *a, const void *b)
{
	const unsigned int *left = a;
	const unsigned int *right = b;

	return (*left > *right) - (*left < *right);
}

/* The numbers of the vectors that are placed, as irqbalance takes them, as many as have room; ""
 * when there are none. To be freed. */
static char *placed_numbers(const struct fit_journal *journal, size_t room, size_t *ret_left_out)
{
	fit_autofree unsigned int *numbers = NULL;
	fit_autostrlist struct fit_strlist told = {0};
	size_t count = 0;

	*ret_left_out = 0;
	for (size_t i = 0; i < journal->claim_count; i++) {
		const struct fit_claim_entry *claim = &journal->claims[i];
		struct fit_cpuset cpus;

		if (wish_of(claim, &cpus) == FIT_IRQ_TO)
			*FIT_APPEND(numbers, count) = fit_vectors_number(claim->path);
	}
	if (count)
		qsort(numbers, count, sizeof(*numbers), compare_numbers);
	for (size_t i = 0; i < count; i++) {
		fit_autofree char *number = fit_xasprintf("%u", numbers[i]);

		if (room > strlen(number)) {
			fit_strlist_add(&told, number);
			room -= strlen(number) + 1;
		} else {
			++*ret_left_out;
		}
	}
	return fit_strlist_join(&told, " ");
}

static const char *banned_numbers(const struct fit_journal *journal)
{
	for (size_t i = 0; i < journal->claim_count; i++)
		if (journal->claims[i].kind == FIT_RESOURCE_BANNED_IRQS)
			return journal->claims[i].contribution;
	return "";
}

bool fit_vectors_to_ban(const struct fit_journal *journal)
{
	size_t left_out;
	fit_autofree char *numbers = placed_numbers(journal, SIZE_MAX, &left_out);

	return !fit_streq(numbers, banned_numbers(journal));
}

static int ban(struct fit_state *state, struct fit_journal *journal, char *numbers,
	struct fit_strlist *notes, struct fit_err *err)
{
	struct fit_wanted_list wanted = {0};
	int result;

	fit_wanted_set(&wanted, FIT_RESOURCE_BANNED_IRQS, &by_stop,
		fit_xstrdup(FIT_IRQBALANCE_IRQS_KEY), numbers);
	wanted.items[0].replaces = true;
	result = fit_executor_claim(state, journal, &wanted, notes, err);
	fit_wanted_clear(&wanted);
	return result;
}

int fit_vectors_ban(struct fit_state *state, struct fit_journal *journal, struct fit_strlist *notes,
	struct fit_err *err)
{
	bool runs = fit_irqbalance_runs(state->root);
	/* Of one that has not answered it is not known; it is told all when it does. */
	bool known = runs && state->irqbalance.room;
	size_t room = known ? fit_irqbalance_room(state, journal) : SIZE_MAX;
	size_t left_out;
	fit_autofree char *numbers = placed_numbers(journal, room, &left_out);
	fit_autostrlist struct fit_strlist key = {0};
	struct fit_claim_filter filter = {.until = FIT_PHASE_RELEASE, .paths = &key};

	if (left_out && notes && (!*numbers || !fit_streq(numbers, banned_numbers(journal))))
		fit_strlist_addf(notes,
			"irqbalance takes no more than %zu bytes at once: it cannot be told to "
			"leave %zu of the interrupts of this domain's devices alone, and may move "
			"them (from release 1.9.5 on it takes more)",
			state->irqbalance.room, left_out);
	if (fit_streq(numbers, banned_numbers(journal)))
		return 0;
	fit_strlist_add(&key, FIT_IRQBALANCE_IRQS_KEY);
	if (!*numbers)
		return fit_undo_claims(state, journal, &filter, notes, err);
	return runs ? ban(state, journal, FIT_STEAL(numbers), notes, err) : 0;
}
