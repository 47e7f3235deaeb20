/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a refusal says would fit is planned, and one more of it is not. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_plan.h"

#define CASES 3000

static uint64_t seed;
static unsigned int number;
static unsigned int checked[6]; /* proposals by what they are of */

enum { VCPUS, MEMORY, VFS, SPAN, SHARED, PAGES };

static unsigned int draw(unsigned int below)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U;
	return (unsigned int)(seed >> 33) % below;
}

static bool plans(struct fit_bench *b)
{
	struct fit_plan_input input = fit_bench_input(b);
	struct fit_err err = FIT_ERR_INIT;
	struct fit_plan plan = {0};
	bool planned;

	input.without_advice = true;
	planned = fit_plan_make(&input, &plan, &err) == 0;
	fit_plan_clear(&plan);
	return planned;
}

/* @more: does it plan with one more? */
static void expect(bool planned, bool more, const char *proposal)
{
	if (!planned)
		fail_msg("case %u: does not fit: %s", number, proposal);
	if (more)
		fail_msg("case %u: more would fit than %s", number, proposal);
}

static void set_vcpus(struct fit_bench *b, unsigned int vcpus)
{
	b->domain.vcpus = b->domain.vcpus_current = vcpus;
}

/* Guest cores stay whole. */
static unsigned int threads_of_guest_cores(const struct fit_bench *b)
{
	if (b->domain.has_topology)
		return b->domain.topology.threads;
	return b->profile.cpu.threads ? b->profile.cpu.threads : 1;
}

static void check_vcpus(struct fit_bench *b, const char *proposal, unsigned int vcpus)
{
	unsigned int wanted = b->domain.vcpus;
	bool planned, more;

	assert_int_equal(vcpus % threads_of_guest_cores(b), 0);
	set_vcpus(b, vcpus);
	planned = plans(b);
	set_vcpus(b, vcpus + 1);
	more = plans(b);
	/* One more may be no whole guest core. */
	set_vcpus(b, vcpus + 2);
	more |= plans(b);
	set_vcpus(b, wanted);
	expect(planned, more, proposal);
	assert_true(vcpus < wanted);
	checked[VCPUS]++;
}

static void check_memory(struct fit_bench *b, const char *proposal, uint64_t kib)
{
	uint64_t wanted = b->domain.memory_kib;
	uint64_t unit = b->profile.memory.page_sizes[b->profile.memory.page_size_count - 1];
	bool planned, more;

	assert_true(kib % unit == 0 && kib < wanted + unit);
	b->domain.memory_kib = kib;
	planned = plans(b);
	b->domain.memory_kib = kib + unit;
	more = plans(b);
	b->domain.memory_kib = wanted;
	expect(planned, more, proposal);
	checked[MEMORY]++;
}

static void check_vfs(struct fit_bench *b, const char *proposal, unsigned int count)
{
	unsigned int wanted = b->profile.vfs.count;
	bool planned, more;

	b->profile.vfs.count = count;
	planned = plans(b);
	b->profile.vfs.count = count + 1;
	more = plans(b);
	b->profile.vfs.count = wanted;
	expect(planned, more, proposal);
	checked[VFS]++;
}

static void check_flag(struct fit_bench *b, const char *proposal, bool *flag, unsigned int kind)
{
	*flag = true;
	expect(plans(b), false, proposal);
	*flag = false;
	checked[kind]++;
}

static void check_pages(struct fit_bench *b, const char *proposal)
{
	struct fit_intent_memory *memory = &b->profile.memory;

	*FIT_APPEND(memory->page_sizes, memory->page_size_count) = 0;
	expect(plans(b), false, proposal);
	memory->page_size_count--;
	checked[PAGES]++;
}

static unsigned int number_before(const char *proposal, const char *word)
{
	const char *at = strstr(proposal, word);
	unsigned int value = UINT32_MAX;

	while (at && at > proposal && at[-1] != ' ' && at[-1] != '(')
		at--;
	if (at)
		assert_int_equal(sscanf(at, "%u", &value), 1);
	return value;
}

static uint64_t memory_of(const char *proposal)
{
	char count[32], unit[8];
	uint64_t kib = 0;

	assert_int_equal(sscanf(proposal, "%31s %7s of memory", count, unit), 2);
	assert_true(fit_parse_size_kib(count, unit, &kib));
	return kib;
}

/* Proposals of several things: each can be had, what more there is depends on the others. */
static void check_all(struct fit_bench *b, const char *proposal)
{
	struct fit_domain wanted = b->domain;
	unsigned int vfs = b->profile.vfs.count;
	const char *with = strstr(proposal, " with ") + strlen(" with ");

	set_vcpus(b, number_before(proposal, " vCPU"));
	if (strstr(with, " of memory"))
		b->domain.memory_kib = memory_of(with);
	if (strstr(with, "no VF"))
		b->profile.vfs.count = 0;
	else if (strstr(with, " VF"))
		b->profile.vfs.count = number_before(with, " VF");
	expect(plans(b), false, proposal);
	b->domain = wanted;
	b->profile.vfs.count = vfs;
}

static void check(struct fit_bench *b, const char *proposal)
{
	bool *span = &b->profile.vcpus.span_nodes;

	if (strstr(proposal, " with ") && !strstr(proposal, " with vcpus span")) {
		check_all(b, proposal);
	} else if (strstr(proposal, " vCPU")) {
		*span |= strstr(proposal, " with vcpus span") != NULL;
		check_vcpus(b, proposal, number_before(proposal, " vCPU"));
		*span &= strstr(proposal, " with vcpus span") == NULL;
	} else if (strstr(proposal, " of memory")) {
		check_memory(b, proposal, memory_of(proposal));
	} else if (strstr(proposal, " VF")) {
		check_vfs(b, proposal,
			fit_streq(proposal, "no VF") ? 0 : number_before(proposal, " VF"));
	} else if (strstr(proposal, "span=\"nodes\"")) {
		check_flag(b, proposal, span, SPAN);
	} else if (strstr(proposal, "shared=\"yes\"")) {
		check_flag(b, proposal, &b->profile.vcpus.shared, SHARED);
	} else if (strstr(proposal, "normal pages")) {
		check_pages(b, proposal);
	} else {
		fail_msg("case %u: '%s' is not known to this test", number, proposal);
	}
}

static void check_line(struct fit_bench *b, char *line)
{
	while (line) {
		char *next = strstr(line, ", or ");

		if (next)
			*next = '\0';
		check(b, line);
		line = next ? next + strlen(", or ") : NULL;
	}
}

/* Not even the least of everything fits. */
static void check_silence(struct fit_bench *b)
{
	if (!strstr(b->err.message, "\n  nothing smaller would fit either"))
		fail_msg("case %u: %s", number, b->err.message);
	set_vcpus(b, threads_of_guest_cores(b));
	b->domain.memory_kib = b->profile.memory.page_sizes[b->profile.memory.page_size_count - 1];
	b->profile.vfs.count = 0;
	if (plans(b))
		fail_msg("case %u: less would fit", number);
}

static void add_claims(struct fit_bench *b)
{
	for (unsigned int i = draw(3); i > 0; i--) {
		fit_made_claim(&b->claims, i > 1 ? "other" : "third", draw(3) > 0, "");
		for (unsigned int n = draw(8); n > 0; n--)
			fit_cpuset_add(&b->claims.items[b->claims.count - 1].cpus,
				draw((unsigned int)b->host.cpu_count));
	}
}

static struct fit_bench make_case(void)
{
	struct fit_bench b;

	seed = number * 2654435761U + 1;
	b = fit_bench((struct fit_host_shape){1 + draw(3), 1 + draw(2), 1 + draw(5), 1 + draw(2)},
		1 + draw(20));
	b.domain.memory_kib = (1 + draw(12)) * GIB;
	for (size_t i = 0; i < b.host.node_count; i++) {
		struct fit_node *node = &b.host.nodes[i];

		node->memory_kib = 8 * GIB;
		node->free_kib = draw(8) * GIB;
		node->pools[1].free = node->pools[1].total = draw(4);
	}
	b.profile.memory.page_size_count = 1 + draw(2);
	b.profile.vcpus.span_nodes = draw(3) == 0;
	if (draw(4) == 0) {
		unsigned int threads = (unsigned int)fit_cpuset_count(&b.host.cpus[0].siblings);

		b.profile.cpu.threads = threads;
		set_vcpus(&b, (b.domain.vcpus + threads - 1) / threads * threads);
	}
	b.profile.vfs.intent.set = draw(3) == 0;
	b.profile.vfs.count = 1 + draw(5);
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, draw(5), 0);
	add_claims(&b);
	if (b.profile.cpu.threads && draw(2) == 0) {
		b.domain.has_topology = true;
		b.domain.topology.threads = b.profile.cpu.threads;
		b.profile.cpu.threads = 0;
	}
	return b;
}

static void what_is_said_to_fit_does_and_no_more(void **state)
{
	unsigned int refused = 0, silent = 0;

	(void)state;
	for (number = 0; number < CASES; number++) {
		struct fit_bench b = make_case();
		struct fit_plan_input input = fit_bench_input(&b);
		char *line;

		if (fit_plan_make(&input, &b.plan, &b.err) < 0) {
			line = strstr(b.err.message, "\n  would fit: ");
			refused++;
			silent += !line;
			if (line)
				check_line(&b, line + strlen("\n  would fit: "));
			else
				check_silence(&b);
		}
		fit_bench_end(&b);
	}
	assert_true(refused > CASES / 4 && silent < refused / 4);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(checked); i++)
		if (checked[i] < 20)
			fail_msg("kind %zu was proposed %u times", i, checked[i]);
}

static void a_part_of_the_cache_that_is_too_large_says_what_fits(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 4, 1}, 2);

	(void)state;
	fit_made_resctrl(&b.host, 16);
	b.profile.cachetune.intent.set = true;
	b.profile.cachetune.size_kib = 16 * 1024;
	fit_expect_refusal(&b, "\n  would fit: 15 MiB of L3 cache");
	fit_bench_end(&b);
}

static void more_cells_than_nodes_say_what_fits(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 4, 1}, 4);

	(void)state;
	b.profile.cells.intent.set = true;
	b.profile.cells.count = 3;
	fit_expect_refusal(&b, "\n  would fit: 2 guest NUMA cells, or cells count=\"auto\"");
	fit_bench_end(&b);
}

static void vfs_that_nobody_has_are_better_not_wanted(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 4, 1}, 2);

	(void)state;
	b.profile.vfs.intent.set = true;
	b.profile.vfs.count = 2;
	fit_made_pf(&b.host, "0000:41:00.0", "eth0", 0, 1, 1);
	fit_expect_refusal(&b, "\n  would fit: 1 VF");
	fit_made_claim(&b.claims, "other", true, "");
	*FIT_APPEND(b.claims.items[0].devices, b.claims.items[0].device_count) =
		(struct fit_pciaddr){.bus = 0x41, .slot = 0x10};
	fit_expect_refusal(&b, "\n  would fit: no VF");
	fit_bench_end(&b);
}

/* How to say it is told where the profile has a parameter for it. */
static void parameters_are_proposed_that_the_profile_has(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 4, 1}, 6);
	struct fit_profile_param *param = FIT_APPEND(b.profile.params, b.profile.param_count);

	(void)state;
	param->name = fit_xstrdup("pages");
	param->value = fit_xstrdup("1G");
	fit_expect_refusal(&b, "vcpus span=\"nodes\"");
	assert_null(strstr(b.err.message, "--param"));
	fit_xreplace(&param->name, "span");
	fit_expect_refusal(&b, "vcpus span=\"nodes\" (--param span=nodes)");
	fit_bench_end(&b);
}

/* Where it is no question of size nothing is proposed. */
static void other_refusals_propose_nothing(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 4, 1}, 1);

	(void)state;
	fit_bench_request(&b, "eth7");
	fit_expect_refusal(&b, "network interface 'eth7'");
	assert_null(strstr(b.err.message, "fit:\n"));
	assert_null(strstr(b.err.message, "would fit"));
	fit_bench_end(&b);
}

/* Hundreds of holders are cut, what would fit is not. */
static void a_long_refusal_still_says_what_fits(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){16, 1, 16, 1}, 200);

	(void)state;
	for (unsigned int i = 0; i < 128; i++) {
		fit_autofree char *name = fit_xasprintf("a-domain-with-quite-a-long-name-%u", i);
		fit_autofree char *cpu = fit_xasprintf("%u", i * 2 + 1);

		fit_made_claim(&b.claims, name, true, cpu);
	}
	fit_expect_refusal(&b, "\n  ...\n  would fit: 8 cores (8 vCPUs), or 127 cores (127 vCPUs) "
			       "with vcpus span=\"nodes\"");
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_said_to_fit_does_and_no_more),
		cmocka_unit_test(a_part_of_the_cache_that_is_too_large_says_what_fits),
		cmocka_unit_test(more_cells_than_nodes_say_what_fits),
		cmocka_unit_test(vfs_that_nobody_has_are_better_not_wanted),
		cmocka_unit_test(parameters_are_proposed_that_the_profile_has),
		cmocka_unit_test(other_refusals_propose_nothing),
		cmocka_unit_test(a_long_refusal_still_says_what_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
