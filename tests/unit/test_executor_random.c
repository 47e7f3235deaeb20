/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact undo as a property: whatever six domains want of the host, in whatever order the hook is
 * called for them, twice, not at all, with writes that fail, killed anywhere, with somebody else
 * changing the same things and the machine booting in between: when all are gone the host is byte
 * for byte as it was, but for what somebody else has set.
 *
 * A sequence is one draw of all that. SEED=N runs that one, SEED=N LAST=N those between,
 * SEQUENCES=N so many.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_executor.h"
#include "support_host.h"
#include "support_world.h"
#include "sys/executor.h"

/* Sanitizers make processes slow to fork. */
#ifdef __SANITIZE_ADDRESS__
#define SEQUENCES 500
#else
#define SEQUENCES 10000
#endif

/* What can happen in a sequence besides the calls of the hook. */
enum { FAULTS = 1, STRANGERS = 2, BOOTS = 4 };

/* Refusals that are as they should be: of VFs that can only be made by taking others away, and of
 * an energy preference that has to wait for another domain's governor. */
static bool is_good_reason(const struct world *w, const struct domain *domain, const char *message)
{
	return (strstr(message, "VFs and should get") && !world_has_vf(w, domain)) ||
	       strstr(message, "energy_performance_preference: Device or resource busy");
}

/* A call of the hook in this process; its failure is part of the game where something happened. */
static void call_here(struct world *w, struct domain *domain, int phase)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	int result;

	world_live(w, domain, phase);
	result = world_call(w, domain, phase, &notes, &err);
	world_note_call(domain, phase, result == 0);
	if (w->happened)
		return;
	if (result < 0 && !is_good_reason(w, domain, err.message))
		fail_msg("%s", err.message);
	for (size_t i = 0; i < notes.count; i++)
		if (strstr(notes.items[i], "not from virt-fit"))
			fail_msg("%s", notes.items[i]);
}

/* The same in a process that dies at its change number @at, if it makes so many. */
static void call_and_die(struct world *w, struct domain *domain, int phase,
	enum fit_test_fault fault, unsigned int at)
{
	struct fit_test_kernel *kernel = &w->f.kernel;
	pid_t child;
	int status;

	world_live(w, domain, phase);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		kernel->fault = fault;
		kernel->fault_at = at;
		kernel->changes = 0;
		_exit(world_call(w, domain, phase, NULL, NULL) < 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFEXITED(status) ||
		(WEXITSTATUS(status) > 1 && WEXITSTATUS(status) != FIT_TEST_DEATH))
		fail_msg("the call of the hook ended with status %d", status);
	world_note_call(domain, phase, WEXITSTATUS(status) == 0);
	if (WEXITSTATUS(status) == FIT_TEST_DEATH)
		w->happened |= FAULTS;
}

static void call_and_fail(struct world *w, struct domain *domain, int phase, unsigned int at)
{
	struct fit_test_kernel *kernel = &w->f.kernel;
	int result;

	world_live(w, domain, phase);
	kernel->fault = FIT_TEST_FAIL;
	kernel->fault_at = at;
	kernel->changes = 0;
	w->happened |= FAULTS;
	result = world_call(w, domain, phase, NULL, NULL);
	world_note_call(domain, phase, result == 0);
	kernel->fault = FIT_TEST_NO_FAULT;
}

/* The next call of a domain's life; now and then another one, or the last one again. */
static void step(struct world *w)
{
	struct domain *domain = &w->domains[draw(&w->random, DOMAINS)];
	uint64_t what = draw(&w->random, 100);
	unsigned int at = 1 + (unsigned int)draw(&w->random, 30);
	int phase = domain->next;
	bool faults = w->may_happen & FAULTS;

	if (what < 6)
		phase = (int)draw(&w->random, 5);
	else if (what < 12 && phase > 0)
		phase--;
	else if (what < 15)
		phase = 4;
	else if (what < 17)
		phase = PHASE_UNDO;
	/* Its QEMU keeps pages that others may have been promised. */
	if (phase == PHASE_UNDO && domain->taken)
		w->happened |= FAULTS;
	domain->next = phase >= 4 ? 0 : phase + 1;
	if (faults && what >= 93) {
		enum fit_test_fault fault =
			draw(&w->random, 2) ? FIT_TEST_DIE_BEFORE : FIT_TEST_DIE_AFTER;

		tell(w, "%s of %u, killed %s change %u", phase_name(phase), domain->number,
			fault == FIT_TEST_DIE_BEFORE ? "before" : "after", at);
		call_and_die(w, domain, phase, fault, at);
	} else if (faults && what >= 78) {
		tell(w, "%s of %u, change %u fails", phase_name(phase), domain->number, at);
		call_and_fail(w, domain, phase, at);
	} else {
		tell(w, "%s of %u", phase_name(phase), domain->number);
		call_here(w, domain, phase);
	}
	/* What failed to start is cleaned up after, as libvirt does, or not. */
	if (phase < 2 && !domain->calls[phase] && draw(&w->random, 2))
		domain->next = 3 + (int)draw(&w->random, 2);
}

static void happen(struct world *w)
{
	uint64_t what = draw(&w->random, 100);

	if (what < 1 && w->may_happen & BOOTS) {
		world_boot(w);
	} else if (what < 30 && w->may_happen & STRANGERS) {
		if (what < 8)
			world_restart_irqbalance(w);
		else
			world_interfere(w, !(w->happened & FAULTS));
		w->happened |= STRANGERS;
	}
}

static void live_through(struct world *w)
{
	unsigned int steps = 8 + (unsigned int)draw(&w->random, 12);

	w->may_happen = (unsigned int)draw(&w->random, 8);
	for (unsigned int i = 0; i < steps; i++) {
		happen(w);
		step(w);
		if (!w->happened)
			world_expect_claims(w);
	}
}

/* All end, in any order; a second time for what had to wait for others. */
static void end(struct world *w)
{
	unsigned int first = (unsigned int)draw(&w->random, DOMAINS);

	for (unsigned int i = 0; i < DOMAINS; i++) {
		struct domain *domain = &w->domains[(first + i) % DOMAINS];

		if (!domain->there)
			continue;
		tell(w, "the end of %u", domain->number);
		if (draw(&w->random, 4) == 0)
			call_here(w, domain, 3);
		call_here(w, domain, 4);
	}
	call_here(w, &w->domains[0], 4);
	world_put_back(w);
}

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);
	uint64_t number;

	return text && fit_parse_uint(text, UINT64_MAX, &number) ? number : otherwise;
}

static struct world the_world;

/* cmocka leaves a failed test at once. */
static int say_which(void **unused)
{
	(void)unused;
	if (the_world.seed)
		fprintf(stderr,
			"%sagain, each compared: SEED=%llu LAST=%llu test_executor_random\n",
			the_world.story.text, (unsigned long long)the_world.compared,
			(unsigned long long)the_world.seed);
	return 0;
}

/* Comparing whole trees takes longer than a sequence does. */
#define COMPARED_EVERY 8

static void run_sequences(bool systemd, uint64_t count)
{
	uint64_t seed = number_of("SEED", 0);
	uint64_t first = seed ? seed : 1;
	uint64_t last = seed ? number_of("LAST", seed) : number_of("SEQUENCES", count);
	struct world *w = &the_world;

	world_make(w, systemd);
	for (uint64_t i = first; i <= last; i++) {
		if (seed || i % COMPARED_EVERY == 1)
			w->compared = i;
		world_begin(w, i);
		live_through(w);
		end(w);
		if (seed || i == last || i % COMPARED_EVERY == 0)
			expect_as_before(&w->f);
	}
	w->seed = 0;
	world_end(w);
}

static void six_domains_leave_the_host_as_it_was(void **unused)
{
	(void)unused;
	run_sequences(true, SEQUENCES / 4 * 3);
}

static void six_domains_leave_a_host_without_systemd_as_it_was(void **unused)
{
	(void)unused;
	run_sequences(false, SEQUENCES / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(six_domains_leave_the_host_as_it_was, say_which),
		cmocka_unit_test_teardown(
			six_domains_leave_a_host_without_systemd_as_it_was, say_which),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
