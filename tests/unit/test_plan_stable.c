/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan depends on what there is, not on the order in which it is found; and a domain that has a
 * place keeps it when something changes elsewhere. On thousands of random hosts (support_case.h).
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/place.h"
#include "support_case.h"
#include "support_host.h"
#include "support_tree.h"
#include "sys/probe.h"

#define CASES 4000

/* The report with all reasons, or the refusal. To be freed. */
static char *plan_text(struct fit_bench *b)
{
	struct fit_plan_input input = fit_bench_input(b);

	fit_plan_clear(&b->plan);
	b->err = FIT_ERR_INIT;
	if (fit_plan_make(&input, &b->plan, &b->err) < 0)
		return fit_xstrdup(b->err.message);
	fit_test_check_reasons(&b->plan);
	return fit_plan_report(&b->plan, &input, NULL, true);
}

static void expect_same(const char *text, const char *again, const char *what, unsigned int number)
{
	if (strcmp(text, again) != 0)
		fail_msg("case %u: %s:\n%s%s", number, what, text, again);
}

static void shuffle(void *items, size_t count, size_t size)
{
	fit_autofree char *spare = fit_xcalloc(1, size);

	for (size_t i = count; i > 1; i--) {
		char *last = (char *)items + (i - 1) * size;
		char *other = (char *)items + fit_case_draw((unsigned int)i) * size;

		memcpy(spare, last, size);
		memcpy(last, other, size);
		memcpy(other, spare, size);
	}
}

#define SHUFFLE(items, count) shuffle((items), (count), sizeof(*(items)))

/* All that comes in an order that means nothing: domains, what they have, caches. */
static void shuffle_input(struct fit_bench *b)
{
	fit_autofree int *groups = fit_xcalloc(b->host.l3_count, sizeof(*groups));
	fit_autofree struct fit_cpuset *sets = fit_xcalloc(b->host.l3_count, sizeof(*sets));

	SHUFFLE(b->claims.items, b->claims.count);
	for (size_t i = 0; i < b->claims.count; i++) {
		SHUFFLE(b->claims.items[i].devices, b->claims.items[i].device_count);
		SHUFFLE(b->claims.items[i].pages, b->claims.items[i].page_demand_count);
	}
	SHUFFLE(b->domain.vcpu_pins, b->domain.vcpu_pin_count);
	SHUFFLE(b->domain.hostdevs, b->domain.hostdev_count);
	SHUFFLE(b->previous.vcpu_pins, b->previous.vcpu_pin_count);
	SHUFFLE(b->previous.hostdevs, b->previous.hostdev_count);
	for (size_t i = 0; i < b->host.l3_count; i++) {
		groups[i] = (int)i;
		sets[i] = b->host.l3_groups[i];
	}
	SHUFFLE(groups, b->host.l3_count);
	for (size_t i = 0; i < b->host.l3_count; i++)
		b->host.l3_groups[groups[i]] = sets[i];
	for (size_t i = 0; i < b->host.cpu_count; i++)
		b->host.cpus[i].l3 = groups[b->host.cpus[i].l3];
}

static void the_order_of_what_is_known_does_not_matter(void **state)
{
	(void)state;
	for (unsigned int number = 0; number < CASES; number++) {
		struct fit_bench b = fit_made_case(number);
		fit_autofree char *text = plan_text(&b);
		fit_autofree char *again = NULL;

		shuffle_input(&b);
		again = plan_text(&b);
		expect_same(text, again, "another order, another plan", number);
		fit_bench_end(&b);
	}
}

/* The same tree with its entries made in another order, which is how a file system lists them. */
static struct fit_fsroot shuffled_root(const struct fit_fsroot *root)
{
	fit_autofree char *manifest = fit_test_tree_dump(root);
	fit_autostrlist struct fit_strlist lines = {0};
	fit_autofree char *mixed = NULL;

	fit_strlist_split(&lines, manifest, "\n");
	SHUFFLE(lines.items, lines.count);
	mixed = fit_strlist_join(&lines, "\n");
	return fit_test_root(mixed);
}

static char *plan_on(const struct fit_fsroot *root, unsigned int parts)
{
	struct fit_bench b = {
		.domain = fit_made_domain("web01", 2, 512 * 1024),
		.profile = fit_made_profile(),
		.err = FIT_ERR_INIT,
	};
	char *text;

	if (fit_probe(root, parts, &b.host, NULL, &b.err) < 0)
		fail_msg("%s", b.err.message);
	b.profile.vfs.intent.set = true;
	b.profile.vfs.count = 2;
	text = plan_text(&b);
	if (strstr(text, "VFs wanted")) {
		free(text);
		b.profile.vfs.count = 0;
		text = plan_text(&b);
	}
	fit_bench_end(&b);
	return text;
}

static void the_order_of_files_does_not_matter(void **state)
{
	fit_autostrlist struct fit_strlist names = {0};

	(void)state;
	fit_test_host_names(&names);
	for (size_t i = 0; i < names.count; i++) {
		struct fit_fsroot root = fit_test_host_root(names.items[i]);
		struct fit_fsroot mixed = shuffled_root(&root);
		fit_autofree char *text = plan_on(&root, FIT_PROBE_ALL);
		fit_autofree char *again = plan_on(&mixed, FIT_PROBE_ALL);
		fit_autofree char *less = plan_on(&mixed, FIT_PROBE_PLAN);

		expect_same(text, again, names.items[i], (unsigned int)i);
		/* What is not probed for it is not missed. */
		expect_same(text, less, names.items[i], (unsigned int)i);
		fit_test_root_remove(&root);
		fit_test_root_remove(&mixed);
	}
}

/* CPUs of cores that neither the plan nor a pin that stays touches. */
static struct fit_cpuset untouched(const struct fit_bench *b)
{
	struct fit_cpuset used = b->plan.vcpu_cpus, left = b->host.online;

	fit_cpuset_unite(&used, &b->plan.housekeeping);
	fit_cpuset_unite(&used, &b->plan.emulator);
	fit_cpuset_unite(&used, &b->domain.emulator_pin);
	for (size_t i = 0; i < b->plan.iothread_count; i++)
		fit_cpuset_unite(&used, &b->plan.iothreads[i].cpus);
	fit_cpuset_for_each (cpu, &used)
		fit_cpuset_subtract(&left, &b->host.cpus[cpu].siblings);
	return left;
}

/* Makes the plan the previous placement. False when there is none. */
static bool settle(struct fit_bench *b)
{
	fit_autofree char *text = plan_text(b);

	if (b->err.code)
		return false;
	if (b->has_previous)
		fit_domain_clear(&b->previous);
	fit_bench_keep_plan(b);
	return true;
}

/* What the domain has: a line for each. To be freed. */
static char *places(const struct fit_plan *plan)
{
	fit_autostrlist struct fit_strlist lines = {0};
	fit_autofree char *pins = fit_made_pins(plan);
	fit_autofree char *emulator = fit_cpuset_format_list(&plan->emulator);
	fit_autofree char *memory = fit_cpuset_format_list(&plan->memory_nodes);

	fit_strlist_addf(&lines, "vCPUs %s, emulator %s, memory %s, pages %llu\n", pins, emulator,
		memory, (unsigned long long)plan->page_kib);
	for (size_t i = 0; i < plan->iothread_count; i++) {
		fit_autofree char *cpus = fit_cpuset_format_list(&plan->iothreads[i].cpus);

		fit_strlist_addf(&lines, "iothread %zu %s\n", i, cpus);
	}
	for (size_t i = 0; i < plan->vf_count; i++)
		fit_strlist_addf(&lines, "VF %s\n", FIT_PCIADDR_STR(plan->vfs[i].vf));
	for (size_t i = 0; i < plan->cell_count; i++)
		fit_strlist_addf(
			&lines, "cell of %zu vCPUs\n", fit_cpuset_count(&plan->cells[i].vcpus));
	return fit_strlist_join(&lines, "");
}

/* Plans, changes something where the domain is not, and plans again. */
static void expect_to_stay(bool (*change)(struct fit_bench *b, unsigned int cpu), const char *what)
{
	unsigned int changed = 0;

	for (unsigned int number = 0; number < CASES; number++) {
		struct fit_bench b = fit_made_case(number);
		struct fit_cpuset left;

		if (settle(&b)) {
			fit_autofree char *text = NULL;
			fit_autofree char *before = NULL;
			fit_autofree char *after = NULL;

			/* What it has now is what counts: not what it had been made of. */
			free(plan_text(&b));
			before = places(&b.plan);
			left = untouched(&b);
			if (!fit_cpuset_is_empty(&left) &&
				change(&b, (unsigned int)fit_cpuset_next(&left, 0))) {
				changed++;
				text = plan_text(&b);
				after = b.err.code ? fit_xstrdup(text) : places(&b.plan);
				expect_same(before, after, what, number);
			}
		}
		fit_bench_end(&b);
	}
	assert_true(changed > CASES / 20);
}

static bool start_another(struct fit_bench *b, unsigned int cpu)
{
	fit_made_claim(&b->claims, "zeta", true, "");
	fit_cpuset_add(&b->claims.items[b->claims.count - 1].cpus, cpu);
	return true;
}

static bool define_another(struct fit_bench *b, unsigned int cpu)
{
	fit_made_claim(&b->claims, "zeta", false, "");
	fit_cpuset_add(&b->claims.items[b->claims.count - 1].cpus, cpu);
	return true;
}

/* A whole core; not of the isolated ones, of which the last makes all others as good, nor the last
 * of a node, which has no memory for anybody then, nor one of two, of which the other is shared
 * with housekeeping then. */
static bool take_offline(struct fit_bench *b, unsigned int cpu)
{
	struct fit_cpuset core = b->host.cpus[cpu].siblings, rest = b->host.online;

	fit_cpuset_subtract(&rest, &core);
	if (fit_cpuset_intersects(&core, &b->host.isolated) ||
		fit_cpuset_is_subset(&b->host.nodes[b->host.cpus[cpu].node].cpus, &core) ||
		fit_cpuset_equal(&rest, &b->host.cpus[fit_cpuset_next(&rest, 0)].siblings))
		return false;
	fit_cpuset_for_each (id, &core)
		fit_made_offline(&b->host, (unsigned int)id);
	return true;
}

static void it_stays_when_another_domain_starts_elsewhere(void **state)
{
	(void)state;
	expect_to_stay(start_another, "moved for a domain that started elsewhere");
}

static void it_stays_when_another_domain_is_defined_elsewhere(void **state)
{
	(void)state;
	expect_to_stay(define_another, "moved for a domain that was defined elsewhere");
}

static void it_stays_when_another_core_goes_offline(void **state)
{
	(void)state;
	expect_to_stay(take_offline, "moved for a core that it did not have");
}

/* When another domain goes there may be a better place; it is worth a move only for what counts
 * more than staying. */
static void it_moves_only_for_what_counts_more(void **state)
{
	unsigned int moves = 0;

	(void)state;
	for (unsigned int number = 0; number < CASES; number++) {
		struct fit_bench b = fit_made_case(number);
		struct fit_cost before, after;
		unsigned int level = 0;

		if (settle(&b) && b.claims.count && fit_case_search(&b, &before)) {
			b.claims.items[0].cpus = (struct fit_cpuset){0};
			b.claims.items[0].device_count = 0;
			assert_true(fit_case_search(&b, &after));
			while (level < FIT_COST_MOVED && after.level[level] == before.level[level])
				level++;
			moves += after.level[FIT_COST_MOVED] > before.level[FIT_COST_MOVED];
			if (after.level[FIT_COST_MOVED] > before.level[FIT_COST_MOVED] &&
				after.level[level] >= before.level[level])
				fail_msg("case %u: moved for nothing (level %u)", number, level);
		}
		fit_bench_end(&b);
	}
	assert_true(moves > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_of_what_is_known_does_not_matter),
		cmocka_unit_test(the_order_of_files_does_not_matter),
		cmocka_unit_test(it_stays_when_another_domain_starts_elsewhere),
		cmocka_unit_test(it_stays_when_another_domain_is_defined_elsewhere),
		cmocka_unit_test(it_stays_when_another_core_goes_offline),
		cmocka_unit_test(it_moves_only_for_what_counts_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
