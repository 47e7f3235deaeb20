/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest sees of the CPU; pins that are kept. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support_plan.h"

static void host_passthrough_needs_kvm(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

	(void)state;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cpu_mode, FIT_CPU_MODE_HOST_PASSTHROUGH);
	assert_true(b.plan.passthrough_cache);
	assert_false(b.plan.require_topoext);
	free(b.domain.type);
	b.domain.type = fit_xstrdup("qemu");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cpu_mode, FIT_CPU_MODE_MAXIMUM);
	assert_false(b.plan.passthrough_cache);
	fit_expect_reason(&b, FIT_REASON_NOTE,
		"host-passthrough needs KVM; the domain is of type 'qemu' (TCG): it gets all that "
		"the emulator can do (maximum)");
	free(b.domain.type);
	b.domain.type = fit_xstrdup("xen");
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cpu_mode, FIT_CPU_MODE_KEEP);
	fit_expect_reason(&b, FIT_REASON_NOTE, "of type 'xen': its CPU model stays");
	fit_xreplace(&b.domain.type, "");
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_NOTE, "the domain is of no type: its CPU model stays");
	fit_bench_end(&b);
}

/* Arm and RISC-V have no model of the host. */
static void without_a_host_model_there_is_passthrough_with_kvm_alone(void **state)
{
	static const struct {
		const char *type;
		enum fit_cpu_mode mode;
		const char *note;
	} cases[] = {
		{"kvm", FIT_CPU_MODE_HOST_PASSTHROUGH,
			": host-passthrough instead, which migrates between equal hosts only"},
		{"qemu", FIT_CPU_MODE_KEEP, ": the CPU model stays"},
	};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 4, 1}, 2);

		b.profile.cpu.mode = FIT_CPU_MODE_HOST_MODEL;
		fit_bench_plan(&b);
		assert_int_equal(b.plan.cpu_mode, FIT_CPU_MODE_HOST_MODEL);
		fit_xreplace(&b.domain.arch, "aarch64");
		fit_xreplace(&b.domain.machine, "virt");
		fit_xreplace(&b.domain.type, cases[i].type);
		fit_bench_plan(&b);
		assert_int_equal(b.plan.cpu_mode, cases[i].mode);
		fit_expect_reason(&b, FIT_REASON_NOTE, cases[i].note);
		fit_bench_end(&b);
	}
}

/* Corpus B53. */
static void topoext_is_for_amd_with_guest_threads(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

	(void)state;
	free(b.host.cpu_vendor);
	b.host.cpu_vendor = fit_xstrdup("AuthenticAMD");
	fit_bench_plan(&b);
	assert_true(b.plan.require_topoext);
	fit_domain_clear(&b.domain);
	b.domain = fit_made_domain("web01", 3, 4 * GIB);
	fit_bench_plan(&b);
	assert_false(b.plan.require_topoext);
	fit_bench_end(&b);
}

static void pins_of_the_definition_are_kept_and_followed(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 2}, 4);

	(void)state;
	fit_made_pin(&b.domain, 0, "10");
	fit_made_pin(&b.domain, 1, "26");
	fit_made_pin(&b.domain, 2, "11");
	fit_made_pin(&b.domain, 3, "27");
	fit_bench_plan(&b);
	assert_true(b.plan.vcpus_kept);
	fit_expect_pins(&b, "10,26,11,27");
	fit_expect_set(&b.plan.memory_nodes, "1");
	fit_expect_topology(&b, 1, 2, 2);
	fit_bench_end(&b);
}

static void vcpus_without_a_pin_are_placed_around_those_that_have_one(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

	(void)state;
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,9,2,10");
	/* The user moves one vCPU: the others stay where they are. */
	fit_bench_keep_plan(&b);
	fit_made_pin(&b.domain, 2, "6");
	fit_bench_plan(&b);
	assert_false(b.plan.vcpus_kept);
	fit_expect_pins(&b, "1,9,6,10");
	fit_expect_topology(&b, 1, 4, 1);
	fit_expect_reason(&b, FIT_REASON_KEPT, "pins of vCPU 2 stay (CPU 6)");
	/* Onto a core of another one, which makes way. */
	b.domain.vcpu_pins[0].cpus = fit_made_set("1");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "2,10,1,11");
	/* Two change places, and nobody else does. */
	b.domain.vcpu_pins[0].cpus = fit_made_set("10");
	fit_made_pin(&b.domain, 3, "2");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,9,10,2");
	fit_expect_topology(&b, 1, 2, 2);
	fit_bench_end(&b);
}

static void pins_that_are_kept_are_warned_of_where_others_are(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	fit_made_pin(&b.domain, 0, "2");
	fit_made_pin(&b.domain, 1, "3");
	fit_made_claim(&b.claims, "beside", true, "4-5");
	fit_made_claim(&b.claims, "among", false, "3-4");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "2,3");
	fit_expect_reason(&b, FIT_REASON_WARNING,
		"the vCPU pins that are kept overlap with among (shut off) on CPU 3");
	assert_null(fit_made_reason(&b.plan, FIT_REASON_WARNING, "beside"));
	fit_bench_end(&b);
}

static void floating_vcpus_leave_a_pin_alone(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 4, 1}, 2);

	(void)state;
	b.profile.vcpus.place = FIT_PLACE_NODE;
	b.profile.vcpus.shared = true;
	fit_made_pin(&b.domain, 1, "6");
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpus[1].cpus, "6");
	fit_expect_set(&b.plan.vcpus[0].cpus, "4-7");
	fit_made_pin(&b.domain, 0, "20");
	b.domain.vcpu_pins[0].id = 0;
	b.domain.vcpu_pins[0].cpus = fit_made_set("20");
	b.domain.vcpu_pin_count = 1;
	fit_expect_refusal(&b, "vCPU 0 is pinned to CPU 20");
	fit_bench_end(&b);
}

static void kept_pins_that_split_siblings_give_no_guest_threads(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

	(void)state;
	fit_made_pin(&b.domain, 0, "3");
	fit_made_pin(&b.domain, 1, "4");
	fit_made_pin(&b.domain, 2, "11");
	fit_made_pin(&b.domain, 3, "12");
	fit_bench_plan(&b);
	fit_expect_topology(&b, 1, 4, 1);
	b.domain.has_topology = true;
	b.domain.topology = (struct fit_topology){1, 1, 1, 2, 2};
	fit_bench_plan(&b);
	assert_false(b.plan.has_topology);
	fit_expect_reason(
		&b, FIT_REASON_WARNING, "vCPUs 0-1 are not pinned to threads of one host core");
	/* Nor are two on one CPU. */
	b.domain.vcpu_pins[1].cpus = fit_made_set("11");
	b.domain.vcpu_pins[2].cpus = b.domain.vcpu_pins[3].cpus = fit_made_set("4");
	fit_bench_plan(&b);
	fit_expect_reason(
		&b, FIT_REASON_WARNING, "vCPUs 2-3 are not pinned to threads of one host core");
	fit_bench_end(&b);
}

/* The topology is another one then: nothing to warn of. */
static void a_replaced_topology_is_explained_by_the_pins_that_tear_it(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 2}, 4);

	(void)state;
	b.domain.has_topology = true;
	b.domain.topology = (struct fit_topology){1, 1, 1, 2, 2};
	b.profile.cpu.intent.existing = FIT_EXISTING_REPLACE;
	fit_made_pin(&b.domain, 0, "3");
	fit_made_pin(&b.domain, 1, "11");
	fit_made_pin(&b.domain, 2, "4");
	fit_made_pin(&b.domain, 3, "5");
	fit_bench_plan(&b);
	fit_expect_topology(&b, 1, 4, 1);
	fit_expect_reason(&b, FIT_REASON_CHOICE,
		"vCPUs 2-3 are not pinned to threads of one host core: the guest gets another");
	b.domain.vcpu_pins[3].cpus = fit_made_set("12");
	fit_bench_plan(&b);
	fit_expect_topology(&b, 1, 2, 2);
	for (size_t i = 0; i < b.plan.reason_count; i++)
		assert_null(strstr(b.plan.reasons[i].text, "are not pinned to threads"));
	fit_bench_end(&b);
}

/* Corpus B38. */
static void kept_pins_to_absent_cpus_are_refused_with_the_remedy(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);
	struct fit_thread_pin *pin;

	(void)state;
	*FIT_APPEND(b.domain.iothread_ids, b.domain.iothread_count) = 1;
	b.domain.has_iothreads = true;
	pin = FIT_APPEND(b.domain.iothread_pins, b.domain.iothread_pin_count);
	pin->id = 1;
	pin->cpus = fit_made_set("10");
	fit_expect_refusal(&b, "iothread 1 is pinned to CPU 10, online are CPUs 0-7");
	assert_non_null(strstr(b.err.message, "existing=\"replace\""));
	b.profile.iothreads.intent.existing = FIT_EXISTING_REPLACE;
	fit_bench_plan(&b);
	fit_made_pin(&b.domain, 0, "12");
	fit_expect_refusal(&b, "vCPU 0 is pinned to CPU 12");
	fit_bench_end(&b);
}

static void a_kept_cpuset_limits_the_choice(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	b.domain.has_vcpu_cpuset = true;
	b.domain.vcpu_cpuset = fit_made_set("4-5");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "4,5");
	b.domain.vcpu_cpuset = fit_made_set("4");
	fit_expect_refusal(&b,
		"2 whole cores wanted for 2 vCPUs, but <vcpu cpuset=> of the definition allows "
		"only CPU 4, of whose cores 1 is free on node 0\n");
	fit_expect_refusal(&b, "\n  take cpuset= out of <vcpu>, or let it allow more");
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_passthrough_needs_kvm),
		cmocka_unit_test(without_a_host_model_there_is_passthrough_with_kvm_alone),
		cmocka_unit_test(topoext_is_for_amd_with_guest_threads),
		cmocka_unit_test(pins_of_the_definition_are_kept_and_followed),
		cmocka_unit_test(vcpus_without_a_pin_are_placed_around_those_that_have_one),
		cmocka_unit_test(pins_that_are_kept_are_warned_of_where_others_are),
		cmocka_unit_test(floating_vcpus_leave_a_pin_alone),
		cmocka_unit_test(kept_pins_that_split_siblings_give_no_guest_threads),
		cmocka_unit_test(a_replaced_topology_is_explained_by_the_pins_that_tear_it),
		cmocka_unit_test(kept_pins_to_absent_cpus_are_refused_with_the_remedy),
		cmocka_unit_test(a_kept_cpuset_limits_the_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
