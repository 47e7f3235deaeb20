/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a definition gives to QEMU past libvirt and contradicts the plan. */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "support_plan.h"

static size_t count_warnings(const struct fit_plan *plan)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->reason_count; i++)
		count += plan->reasons[i].kind == FIT_REASON_WARNING &&
			 strstr(plan->reasons[i].text, "<qemu:commandline>");
	return count;
}

static const char *topic_of_warning(const struct fit_plan *plan)
{
	for (size_t i = 0; i < plan->reason_count; i++)
		if (plan->reasons[i].kind == FIT_REASON_WARNING &&
			strstr(plan->reasons[i].text, "<qemu:commandline>"))
			return plan->reasons[i].topic;
	return NULL;
}

static void plan_with(struct fit_bench *b, const char *args)
{
	fit_strlist_clear(&b->domain.qemu_args);
	fit_strlist_split(&b->domain.qemu_args, args, " ");
	fit_bench_plan(b);
}

/* Corpus B51. */
static void what_contradicts_the_plan_is_warned_of(void **state)
{
	static const struct {
		const char *args, *topic, *warning;
	} cases[] = {
		{"-cpu host", "cpu", "carries -cpu, which replaces what <cpu>, "},
		{"--cpu host", "cpu", "carries -cpu, "},
		{"-global host-x86_64-cpu.pmu=off", "cpu", "carries -global for the CPU, "},
		{"-global driver=host-x86_64-cpu,property=pmu,value=off", "cpu",
			"carries -global for"},
		{"-smp 8,threads=4", "cpu", "carries -smp, which overrides <vcpu>"},
		{"-numa node,memdev=ram", "memory", "carries -numa, "},
		{"-m 8G", "memory", "carries -m, which replaces the size of <memory>"},
		{"-object memory-backend-memfd,id=mem,size=4G", "memory",
			"carries -object memory-backend-*"},
		{"-object qom-type=memory-backend-file,id=mem", "memory",
			"carries -object memory-backend-*"},
		{"-object {\"qom-type\":\"memory-backend-ram\"}", "memory",
			"carries -object memory-backend-"},
		{"-mem-path /dev/hugepages", "memory", "carries -mem-path, "},
		{"-mem-prealloc", "memory", "carries -mem-prealloc, "},
		{"-overcommit cpu-pm=on", "memory", "carries -overcommit, "},
		{"-realtime mlock=off", "memory", "carries -realtime, which overrides <locked>"},
		{"-object iothread,id=mine", "iothreads",
			"carries -object iothread, a thread that libvirt"},
		{"-machine mem-merge=on", "cpu", "carries -machine, "},
		{"-M kernel_irqchip=off", "cpu", "carries -M, "},
		{"-name x -device pvpanic -smp 2", "cpu", "carries -smp, "},
	};
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

	(void)state;
	b.host.nodes[0].pools[0].free = 4096;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		plan_with(&b, cases[i].args);
		fit_expect_reason(&b, FIT_REASON_WARNING, cases[i].warning);
		assert_int_equal(count_warnings(&b.plan), 1);
		assert_string_equal(topic_of_warning(&b.plan), cases[i].topic);
	}
	plan_with(&b, "-cpu host -smp 2 -cpu max -m 2G");
	assert_int_equal(count_warnings(&b.plan), 3);
	fit_bench_end(&b);
}

/* Profiles that leave <cpu> alone have things in -cpu, too. */
static void enlightenments_and_kvm_features_are_lost_with_the_cpu(void **state)
{
	static char on[] = "on";
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

	(void)state;
	fit_profile_clear(&b.profile);
	plan_with(&b, "-cpu host");
	assert_int_equal(count_warnings(&b.plan), 0);
	b.profile.hyperv.features = 1;
	plan_with(&b, "-cpu host");
	fit_expect_reason(&b, FIT_REASON_WARNING, "which replaces what <cpu>, <hyperv>");
	b.profile.hyperv.features = 0;
	b.profile.features.hidden = on;
	plan_with(&b, "-cpu host");
	assert_int_equal(count_warnings(&b.plan), 1);
	b.profile.features.hidden = NULL;
	fit_bench_end(&b);
}

static void other_arguments_are_nobodys_business(void **state)
{
	static const char *const cases[] = {
		"-object secret,id=memory-backend-x",
		"-object",
		"-global virtio-blk-pci.iothread=x",
		"-name -cpu-like -device ich9-cpu",
		"-set device.net0.smp=1",
		"",
	};
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		plan_with(&b, cases[i]);
		assert_int_equal(count_warnings(&b.plan), 0);
	}
	fit_bench_end(&b);
}

static void nothing_is_said_where_the_profile_asks_for_nothing(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

	(void)state;
	fit_profile_clear(&b.profile);
	plan_with(&b,
		"-cpu host -smp 8 -m 4G -numa node -mem-path / -mem-prealloc -M x -machine y "
		"-object iothread,id=a -object memory-backend-ram,id=b -overcommit mem-lock=on "
		"-global host-x86_64-cpu.pmu=off -realtime mlock=on");
	assert_int_equal(count_warnings(&b.plan), 0);
	fit_bench_end(&b);
}

/* -smp overrides the topology as well as the number of vCPUs: one of them planned is enough. */
static void a_part_of_what_contradicts_is_enough(void **state)
{
	(void)state;
	for (unsigned int parts = 0; parts < 4; parts++) {
		struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

		b.profile.cpu.intent.set = parts & 1;
		b.profile.vcpus.intent.set = parts & 2;
		if (!b.profile.vcpus.intent.set)
			b.profile.vcpus.place = FIT_PLACE_NONE;
		plan_with(&b, "-smp 8");
		assert_int_equal(count_warnings(&b.plan), parts != 0);
		fit_bench_end(&b);
	}
}

/* What QEMU is told of the machine may change both. */
static void the_machine_concerns_a_plan_of_the_cpu_or_of_memory(void **state)
{
	(void)state;
	for (unsigned int parts = 0; parts < 4; parts++) {
		struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

		b.profile.cpu.intent.set = parts & 1;
		b.profile.memory.intent.set = parts & 2;
		plan_with(&b, "-machine mem-merge=on");
		assert_int_equal(count_warnings(&b.plan), parts != 0);
		fit_bench_end(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_contradicts_the_plan_is_warned_of),
		cmocka_unit_test(enlightenments_and_kvm_features_are_lost_with_the_cpu),
		cmocka_unit_test(other_arguments_are_nobodys_business),
		cmocka_unit_test(nothing_is_said_where_the_profile_asks_for_nothing),
		cmocka_unit_test(a_part_of_what_contradicts_is_enough),
		cmocka_unit_test(the_machine_concerns_a_plan_of_the_cpu_or_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
