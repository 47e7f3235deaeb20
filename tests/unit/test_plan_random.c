/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of plans on thousands of random small hosts, with offline CPUs, gaps, memoryless
 * nodes, hybrid and isolated cores, claims and previous placements. Every case is made from its
 * number alone, so a failure names the case to repeat.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support_plan.h"

#define CASES 4000

static unsigned int seed;

static unsigned int draw(unsigned int below)
{
	seed = seed * 1664525U + 1013904223U;
	return (seed >> 8) % below;
}

static bool chance(unsigned int percent)
{
	return draw(100) < percent;
}

static void harm_host(struct fit_host *host, unsigned int threads)
{
	bool hybrid = threads == 1 && chance(20);

	for (size_t i = 0; i < host->cpu_count; i++) {
		if (hybrid)
			host->cpus[i].kind =
				i < host->cpu_count / 3 ? FIT_CPU_PERFORMANCE : FIT_CPU_EFFICIENCY;
		if (fit_cpuset_count(&host->online) > 1 && chance(8))
			fit_made_offline(host, host->cpus[i].id);
	}
	for (size_t i = 0; i < host->cpu_count && chance(40); i++) {
		if (host->cpus[i].online && chance(50)) {
			host->cpus[i].isolated = true;
			fit_cpuset_add(&host->isolated, host->cpus[i].id);
		}
	}
	for (size_t i = 0; i < host->node_count; i++) {
		if (chance(15) && host->node_count > 1)
			host->nodes[i].memory_kib = host->nodes[i].free_kib = 0;
		host->nodes[i].pools[1].free = draw(8);
		host->nodes[i].pools[1].total = host->nodes[i].pools[1].free + draw(3);
	}
}

static void add_claims(struct fit_bench *b)
{
	static const char *const names[] = {"alpha", "beta", "gamma"};

	for (unsigned int i = 0; i < 3; i++) {
		struct fit_claim *claim;

		if (!chance(40))
			continue;
		claim = FIT_APPEND(b->claims.items, b->claims.count);
		claim->name = fit_xstrdup(names[i]);
		claim->running = chance(50);
		for (unsigned int n = draw(4); n > 0; n--)
			fit_cpuset_add(&claim->cpus, draw((unsigned int)b->host.cpu_count));
	}
}

static void add_devices(struct fit_bench *b)
{
	unsigned int nodes = (unsigned int)b->host.node_count;

	for (unsigned int i = 0; i < 2; i++) {
		fit_autofree char *addr = fit_xasprintf("0000:%u1:00.0", i + 4);
		fit_autofree char *name = fit_xasprintf("eth%u", i);

		if (!chance(50))
			continue;
		fit_made_pf(&b->host, addr, name, (int)draw(nodes), 4, draw(5));
		if (chance(30))
			fit_bench_request(b, name);
		b->profile.vfs.intent.set = true;
		b->profile.vfs.count = draw(3);
	}
}

static struct fit_bench make_case(unsigned int number)
{
	struct fit_host_shape shape;
	struct fit_bench b;

	seed = number * 2654435761U + 1;
	shape.nodes = 1 + draw(4);
	shape.l3_groups = 1 + draw(2);
	shape.cores = 1 + draw(3);
	shape.threads = chance(50) ? 1 : chance(80) ? 2 : 4;
	b = fit_bench(shape, 1 + draw(8));
	harm_host(&b.host, shape.threads);
	add_claims(&b);
	add_devices(&b);
	for (unsigned int i = draw(3); i > 0; i--)
		fit_made_disk(&b.domain, (char[]){'v', 'd', (char)('a' + i), '\0'}, "virtio");
	b.profile.vcpus.span_nodes = chance(40);
	b.profile.cells.intent.set = b.profile.vcpus.span_nodes && chance(70);
	b.profile.cells.count = FIT_CELLS_AUTO;
	b.domain.memory_kib += draw(3) * 1000;
	b.profile.emulator.place = (enum fit_place[]){FIT_PLACE_HOUSEKEEPING, FIT_PLACE_OWN_CORE,
		FIT_PLACE_NODE, FIT_PLACE_VCPUS}[draw(4)];
	if (chance(15)) {
		b.profile.vcpus.place = FIT_PLACE_NODE;
		b.profile.vcpus.shared = true;
	}
	return b;
}

static bool try_plan(struct fit_bench *b)
{
	struct fit_plan_input input = fit_bench_input(b);

	fit_plan_clear(&b->plan);
	b->err = FIT_ERR_INIT;
	if (fit_plan_make(&input, &b->plan, &b->err) == 0) {
		fit_test_check_reasons(&b->plan);
		return true;
	}
	assert_int_equal(b->err.code, FIT_ERR_REFUSED);
	return false;
}

static bool is_claimed(const struct fit_bench *b, const struct fit_cpuset *cpus)
{
	for (size_t i = 0; i < b->claims.count; i++)
		if (b->claims.items[i].running &&
			fit_cpuset_intersects(&b->claims.items[i].cpus, cpus))
			return true;
	return false;
}

static void check_pins(const struct fit_bench *b, unsigned int number)
{
	const struct fit_plan *plan = &b->plan;
	struct fit_cpuset used = {0};

	for (size_t i = 0; i < plan->vcpu_count; i++) {
		const struct fit_cpuset *cpus = &plan->vcpus[i].cpus;
		const struct fit_cpu *cpu =
			fit_host_cpu(&b->host, (unsigned int)fit_cpuset_next(cpus, 0));

		if (fit_cpuset_is_empty(cpus) || !fit_cpuset_is_subset(cpus, &b->host.online))
			fail_msg("case %u: vCPU %zu: no or offline CPUs", number, i);
		if (b->profile.vcpus.place == FIT_PLACE_NODE) {
			if (fit_cpuset_intersects(cpus, &b->host.isolated))
				fail_msg("case %u: floats over isolated CPUs", number);
			continue;
		}
		if (fit_cpuset_count(cpus) != 1 || fit_cpuset_intersects(cpus, &used))
			fail_msg("case %u: vCPU %zu is not alone", number, i);
		if (is_claimed(b, &cpu->siblings))
			fail_msg("case %u: vCPU %zu is on a claimed core", number, i);
		if (fit_cpuset_intersects(cpus, &plan->housekeeping))
			fail_msg("case %u: vCPU %zu is on housekeeping", number, i);
		if (cpu->kind != b->host.cpus[fit_cpuset_next(&plan->vcpus[0].cpus, 0)].kind)
			fail_msg("case %u: kinds are mixed", number);
		fit_cpuset_unite(&used, cpus);
	}
}

static void check_topology(const struct fit_bench *b, unsigned int number)
{
	const struct fit_topology *topology = &b->plan.topology;
	unsigned int threads = topology->threads;

	if (topology->sockets * topology->dies * topology->clusters * topology->cores * threads !=
		b->domain.vcpus)
		fail_msg("case %u: the topology is not the number of vCPUs", number);
	for (size_t i = 0; threads > 1 && i < b->plan.vcpu_count; i++) {
		const struct fit_cpuset *first = &b->plan.vcpus[i - i % threads].cpus;
		const struct fit_cpu *cpu = fit_host_cpu(
			&b->host, (unsigned int)fit_cpuset_next(&b->plan.vcpus[i].cpus, 0));

		if (!fit_cpuset_is_subset(first, &cpu->siblings))
			fail_msg("case %u: guest siblings are on different cores", number);
	}
}

static void check_rest(const struct fit_bench *b, unsigned int number)
{
	const struct fit_plan *plan = &b->plan;

	if (plan->has_emulator && !fit_cpuset_is_subset(&plan->emulator, &b->host.online))
		fail_msg("case %u: the emulator is pinned to offline CPUs", number);
	for (size_t i = 0; i < plan->iothread_count; i++)
		if (fit_cpuset_is_empty(&plan->iothreads[i].cpus) ||
			!fit_cpuset_is_subset(&plan->iothreads[i].cpus, &b->host.online))
			fail_msg("case %u: iothread on no or offline CPUs", number);
	fit_cpuset_for_each (node, &plan->memory_nodes)
		if (b->host.nodes[node].memory_kib == 0)
			fail_msg("case %u: memory on node %d, which has none", number, node);
	if (plan->vf_count != (b->profile.vfs.intent.set ? b->profile.vfs.count : 0))
		fail_msg("case %u: %zu VFs", number, plan->vf_count);
	if (fit_cpuset_count(&plan->vcpu_nodes) > 1 && !b->profile.vcpus.span_nodes)
		fail_msg("case %u: more than one node", number);
}

static void check_cells(const struct fit_bench *b, unsigned int number)
{
	const struct fit_plan *plan = &b->plan;
	struct fit_cpuset vcpus = {0};
	uint64_t memory_kib = 0;

	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct fit_planned_cell *cell = &plan->cells[i];

		if (fit_cpuset_is_empty(&cell->vcpus) ||
			fit_cpuset_intersects(&cell->vcpus, &vcpus))
			fail_msg("case %u: cell %zu has no vCPUs of its own", number, i);
		fit_cpuset_unite(&vcpus, &cell->vcpus);
		memory_kib += cell->memory_kib;
		if (!cell->memory_kib || (cell->page_kib && cell->memory_kib % cell->page_kib))
			fail_msg("case %u: cell %zu has no or broken pages", number, i);
		fit_cpuset_for_each (node, &cell->memory_nodes)
			if (b->host.nodes[node].memory_kib == 0)
				fail_msg(
					"case %u: cell %zu has memory of node %d", number, i, node);
		fit_cpuset_for_each (vcpu, &cell->vcpus)
			fit_cpuset_for_each (cpu, &plan->vcpus[vcpu].cpus)
				if (!fit_cpuset_contains(
					    &cell->nodes, (unsigned int)b->host.cpus[cpu].node))
					fail_msg("case %u: vCPU %d is not at home", number, vcpu);
	}
	if (plan->cell_count &&
		(fit_cpuset_count(&vcpus) != b->domain.vcpus || memory_kib != plan->memory_kib))
		fail_msg("case %u: the cells are not the guest", number);
}

static void plans_keep_the_rules(void **state)
{
	unsigned int planned = 0;
	unsigned int cells = 0;

	(void)state;
	for (unsigned int number = 0; number < CASES; number++) {
		struct fit_bench b = make_case(number);

		if (try_plan(&b)) {
			planned++;
			check_pins(&b, number);
			check_topology(&b, number);
			check_rest(&b, number);
			check_cells(&b, number);
			cells += b.plan.cell_count > 1;
		}
		fit_bench_end(&b);
	}
	/* A test of refusals only would pass too. */
	assert_true(planned > CASES / 4);
	assert_true(cells > 20);
}

/* vCPUs that the free cores of one kind on a node can take, counted in the plainest way. */
static unsigned int room(const struct fit_bench *b, const struct fit_cpuset *housekeeping, int node,
	enum fit_cpu_kind kind)
{
	struct fit_cpuset seen = {0};
	unsigned int count = 0;

	for (size_t i = 0; i < b->host.cpu_count; i++) {
		const struct fit_cpu *cpu = &b->host.cpus[i];

		if (!cpu->online || (node >= 0 && cpu->node != node) ||
			(cpu->kind == FIT_CPU_EFFICIENCY) != (kind == FIT_CPU_EFFICIENCY) ||
			fit_cpuset_contains(&seen, cpu->id) || is_claimed(b, &cpu->siblings) ||
			(fit_cpuset_intersects(&cpu->siblings, housekeeping) &&
				!fit_cpuset_equal(&cpu->siblings, &b->host.online)))
			continue;
		fit_cpuset_unite(&seen, &cpu->siblings);
		fit_cpuset_for_each (sibling, &cpu->siblings)
			count += !fit_cpuset_contains(housekeeping, (unsigned int)sibling);
	}
	return count;
}

static void a_plan_is_found_exactly_when_there_are_enough_cores(void **state)
{
	(void)state;
	for (unsigned int number = 0; number < CASES; number++) {
		struct fit_bench b = make_case(number);
		unsigned int best = 0;
		bool found;

		b.profile.vcpus.place = FIT_PLACE_CORES;
		b.profile.vcpus.shared = false;
		b.profile.vfs.intent.set = false;
		found = try_plan(&b);
		if (!found) {
			/* For its housekeeping CPUs. */
			unsigned int vcpus = b.domain.vcpus;

			b.profile.vcpus.place = FIT_PLACE_NONE;
			assert_true(try_plan(&b));
			b.domain.vcpus = vcpus;
		}
		for (int node = b.profile.vcpus.span_nodes ? -1 : 0;
			node < (b.profile.vcpus.span_nodes ? 0 : (int)b.host.node_count); node++)
			for (int kind = FIT_CPU_UNIFORM; kind <= FIT_CPU_EFFICIENCY; kind++) {
				unsigned int here = room(
					&b, &b.plan.housekeeping, node, (enum fit_cpu_kind)kind);

				best = here > best ? here : best;
			}
		if (found != (best >= b.domain.vcpus))
			fail_msg("case %u: room for %u of %u vCPUs, but %s", number, best,
				b.domain.vcpus, found ? "planned" : b.err.message);
		fit_bench_end(&b);
	}
}

static void expect_same(const struct fit_bench *b, const struct fit_plan *other, const char *what,
	unsigned int number)
{
	struct fit_plan_input input = fit_bench_input(b);
	fit_autofree char *text = fit_plan_report(&b->plan, &input, NULL, false);
	fit_autofree char *again = fit_plan_report(other, &input, NULL, false);

	if (strcmp(text, again) != 0)
		fail_msg("case %u: %s:\n%s%s", number, what, text, again);
}

static void a_plan_is_stable_when_it_is_the_previous_one(void **state)
{
	(void)state;
	for (unsigned int number = 0; number < CASES; number++) {
		struct fit_bench b = make_case(number);

		if (try_plan(&b)) {
			struct fit_plan first = b.plan;

			b.plan = (struct fit_plan){0};
			b.previous = fit_made_fitted(&b.domain, &first);
			b.has_previous = true;
			fit_bench_plan(&b);
			expect_same(&b, &first, "moved although nothing changed", number);
			fit_plan_clear(&first);
		}
		fit_bench_end(&b);
	}
}

static void swap_claims(struct fit_claims *claims)
{
	for (size_t i = 0; i < claims->count / 2; i++) {
		struct fit_claim claim = claims->items[i];

		claims->items[i] = claims->items[claims->count - 1 - i];
		claims->items[claims->count - 1 - i] = claim;
	}
}

static void swap_l3_groups(struct fit_host *host)
{
	int last = (int)host->l3_count - 1;

	for (int i = 0; i <= last / 2; i++) {
		struct fit_cpuset group = host->l3_groups[i];

		host->l3_groups[i] = host->l3_groups[last - i];
		host->l3_groups[last - i] = group;
	}
	for (size_t i = 0; i < host->cpu_count; i++)
		host->cpus[i].l3 = last - host->cpus[i].l3;
}

static void swap_request(struct fit_request *request)
{
	if (request->device_count == 2) {
		struct fit_request_device device = request->devices[0];

		request->devices[0] = request->devices[1];
		request->devices[1] = device;
	}
}

static void the_order_of_the_input_does_not_matter(void **state)
{
	(void)state;
	for (unsigned int number = 0; number < CASES; number++) {
		struct fit_bench b = make_case(number);
		bool found = try_plan(&b);
		struct fit_plan first = b.plan;
		struct fit_err err = b.err;

		b.plan = (struct fit_plan){0};
		swap_claims(&b.claims);
		swap_l3_groups(&b.host);
		swap_request(&b.request);
		assert_int_equal(try_plan(&b), found);
		assert_string_equal(b.err.message, err.message);
		/* The report shows requested devices in their own order. */
		swap_request(&b.request);
		if (found) {
			expect_same(&b, &first, "another order, another plan", number);
			assert_int_equal(b.plan.reason_count, first.reason_count);
			for (size_t i = 0; i < first.reason_count; i++)
				assert_string_equal(b.plan.reasons[i].text, first.reasons[i].text);
			fit_plan_clear(&first);
		}
		fit_bench_end(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_keep_the_rules),
		cmocka_unit_test(a_plan_is_found_exactly_when_there_are_enough_cores),
		cmocka_unit_test(a_plan_is_stable_when_it_is_the_previous_one),
		cmocka_unit_test(the_order_of_the_input_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
