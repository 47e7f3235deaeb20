/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irqbalance cpus|irqs           what the irqbalance that runs here leaves alone
 * irqbalance cpus|irqs VALUE     tells it
 * irqbalance hold CPUS           a domain has these CPUs for itself, as the hook does it
 * irqbalance release             it has ended
 */
#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/executor.h"
#include "sys/irqbalance.h"

#define UUID "aaaaaaaa-0000-4000-8000-000000000001"

static int hold(struct fit_state *state, const char *list, struct fit_err *err)
{
	struct fit_op op = {.kind = FIT_OP_IRQS_ELSEWHERE,
		.apply = FIT_PHASE_STARTED,
		.undo = FIT_PHASE_STOPPED};
	struct fit_hostops ops = {.items = &op, .count = 1};
	struct fit_journal *journal = fit_state_add_journal(state, UUID, "vm", FIT_STAGE_STARTED);

	if (fit_cpuset_parse_list(list, &op.cpus, err) < 0)
		return -1;
	return fit_executor_apply(state, journal, &ops, FIT_PHASE_STARTED, NULL, err);
}

/* @cpus NULL: it has ended. */
static int be_a_domain(const struct fit_fsroot *root, const char *cpus, struct fit_err *err)
{
	struct fit_state state;
	int result;

	if (fit_irqbalance_open_state(root, cpus != NULL, 5000, 5000, &state, err) < 0)
		return -1;
	result = cpus ? hold(&state, cpus, err)
		      : fit_executor_undo(&state, UUID, FIT_PHASE_RELEASE, NULL, err);
	fit_state_close(&state);
	return result;
}

int main(int argc, char **argv)
{
	enum fit_irqbalance_list list;
	struct fit_err err = FIT_ERR_INIT;
	struct fit_fsroot root;
	struct fit_irqbalance_answer answer = {0};
	const char *value;
	bool domain = argc > 1 && (fit_streq(argv[1], "hold") || fit_streq(argv[1], "release"));

	if (argc != 2 && argc != 3) {
		fputs("usage: irqbalance cpus|irqs|hold|release [VALUE]\n", stderr);
		return 2;
	}
	list = fit_streq(argv[1], "cpus") ? FIT_IRQBALANCE_CPUS : FIT_IRQBALANCE_IRQS;
	if (fit_fsroot_open("/", &root, &err) == 0 && !domain)
		fit_irqbalance_ask(&root, 2500, &answer);
	if (err.code || (domain && be_a_domain(&root, argv[2], &err) < 0) ||
		(!domain && argc == 3 &&
			fit_irqbalance_write(&root, list, argv[2], answer.room, &err) < 0)) {
		fprintf(stderr, "irqbalance: %s\n", err.message);
		return 1;
	}
	if (argc == 2 && !domain) {
		value = list == FIT_IRQBALANCE_CPUS ? answer.cpus : answer.irqs;
		if (!value)
			return 1;
		puts(value);
	}
	fit_irqbalance_answer_clear(&answer);
	fit_fsroot_close(&root);
	return 0;
}
