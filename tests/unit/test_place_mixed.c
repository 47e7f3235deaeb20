/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dedicated=: some vCPUs have cores of their own, the others float over what is left. */
#include "support.h"

#include <stdlib.h>

#include "base/memory.h"
#include "core/hostops.h"
#include "support_plan.h"

static struct fit_bench mixed_bench(
	struct fit_host_shape shape, unsigned int vcpus, const char *dedicated)
{
	struct fit_bench b = fit_bench(shape, vcpus);

	b.profile.vcpus.dedicated = fit_xstrdup(dedicated);
	return b;
}

static void dedicated_vcpus_have_cores_and_the_others_float(void **state)
{
	struct fit_bench b = mixed_bench((struct fit_host_shape){1, 1, 8, 2}, 6, "2-4");

	(void)state;
	fit_bench_plan(&b);
	/* A core each, of which nobody else gets the other thread. */
	fit_expect_pins(&b, "4-7,12-15,4-7,12-15,1,2,3,4-7,12-15");
	fit_expect_set(&b.plan.pooled_vcpus, "0-1,5");
	fit_expect_topology(&b, 1, 6, 1);
	fit_expect_set(&b.plan.emulator, "0,8");
	assert_false(b.plan.vcpus_dedicated);
	fit_expect_reason(&b, FIT_REASON_CHOICE, "vCPUs 0-1,5 float over CPUs 4-7,12-15");
	fit_bench_end(&b);

	/* All but the first. */
	b = mixed_bench((struct fit_host_shape){1, 1, 8, 1}, 3, "^0");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "3-7,1,2");
	fit_bench_end(&b);
}

static void dedicated_to_all_is_dedicated(void **state)
{
	struct fit_bench b = mixed_bench((struct fit_host_shape){1, 1, 8, 2}, 4, "0-9");

	(void)state;
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,9,2,10");
	assert_true(b.plan.vcpus_dedicated);
	fit_expect_topology(&b, 1, 2, 2);
	fit_bench_end(&b);

	b = mixed_bench((struct fit_host_shape){1, 1, 8, 2}, 4, "8");
	fit_expect_refusal(&b, "dedicated=\"8\" names none of the domain's vCPUs, 0-3");
	fit_bench_end(&b);
}

static void cores_are_used_to_the_full_where_they_are_few(void **state)
{
	struct fit_bench b = mixed_bench((struct fit_host_shape){1, 1, 4, 2}, 6, "0,2,4,5");

	(void)state;
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,3,7,5,3,7,2,6");
	fit_bench_end(&b);
}

static void the_pool_is_what_nobody_has(void **state)
{
	struct fit_bench b = mixed_bench((struct fit_host_shape){2, 1, 8, 1}, 3, "0");

	(void)state;
	fit_made_claim(&b.claims, "other", true, "4-5");
	fit_cpuset_add(&b.host.isolated, 1);
	fit_made_disk(&b.domain, "vda", "virtio");
	fit_bench_plan(&b);
	/* The isolated core for the one that is alone, one of the others for the iothread. */
	fit_expect_pins(&b, "1,3,6-7,3,6-7");
	fit_expect_set(&b.plan.iothreads[0].cpus, "2");
	fit_bench_end(&b);

	/* Floating vCPUs need their CPUs more than the iothread does. */
	b = mixed_bench((struct fit_host_shape){1, 1, 4, 1}, 3, "0");
	fit_made_disk(&b.domain, "vda", "virtio");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,2-3,2-3");
	fit_expect_set(&b.plan.iothreads[0].cpus, "0");
	fit_bench_end(&b);

	/* Where nothing is left they share housekeeping's. */
	b = mixed_bench((struct fit_host_shape){1, 1, 2, 1}, 3, "0");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,0,0");
	fit_expect_reason(&b, FIT_REASON_WARNING, "2 vCPUs have to share 1 CPU");
	b.host.housekeeping_source = fit_xstrdup("host.xml:2");
	b.host.housekeeping = fit_made_set("0");
	fit_expect_refusal(&b, "2 more vCPUs float,");
	fit_bench_end(&b);

	b = mixed_bench((struct fit_host_shape){1, 1, 2, 1}, 2, "0");
	b.host.housekeeping_source = fit_xstrdup("host.xml:2");
	b.host.housekeeping = fit_made_set("0");
	fit_expect_refusal(&b, "1 more vCPU floats,");
	fit_bench_end(&b);
}

static void each_guest_cell_has_its_share_of_the_pool(void **state)
{
	struct fit_bench b = mixed_bench((struct fit_host_shape){2, 1, 5, 1}, 8, "0-3");

	(void)state;
	b.profile.vcpus.span_nodes = true;
	b.profile.cells.intent.set = true;
	b.profile.cells.count = 2;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.cell_count, 2);
	fit_expect_set(&b.plan.cells[0].vcpus, "0-1,4-5");
	fit_expect_set(&b.plan.cells[1].vcpus, "2-3,6-7");
	fit_expect_pins(&b, "1,2,5,6,3-4,3-4,7-9,7-9");
	fit_bench_end(&b);
}

static void pins_that_are_kept_stay_beside_both(void **state)
{
	struct fit_bench b = mixed_bench((struct fit_host_shape){1, 1, 8, 1}, 4, "0-1");

	(void)state;
	fit_made_pin(&b.domain, 1, "5");
	fit_made_pin(&b.domain, 3, "2-3");
	fit_bench_plan(&b);
	fit_expect_pins(&b, "1,5,4,6-7,2-3");
	fit_bench_end(&b);
}

static void real_time_is_for_dedicated_vcpus(void **state)
{
	struct fit_bench b = mixed_bench((struct fit_host_shape){1, 1, 8, 1}, 4, "1-2");

	(void)state;
	b.profile.vcpus.scheduling = (struct fit_scheduling){fit_xstrdup("fifo"), 1};
	fit_bench_plan(&b);
	assert_true(b.plan.vcpus_real_time);
	fit_expect_set(&b.plan.pooled_vcpus, "0,3");
	fit_bench_end(&b);
}

/* As the fitted definition has it, without the profile's help. */
static void others_see_what_is_dedicated(void **state)
{
	struct fit_bench b = mixed_bench((struct fit_host_shape){1, 1, 8, 1}, 4, "1-2");
	struct fit_claims claims = {0};
	struct fit_hostops ops;
	struct fit_domain fitted;

	(void)state;
	b.profile.host[FIT_SETTING_GOVERNOR].intent.set = true;
	b.profile.host[FIT_SETTING_GOVERNOR].value = fit_xstrdup("performance");
	b.profile.interrupts = (struct fit_intent_interrupts){
		.intent = {.set = true}, .others_elsewhere = true, .devices_to = FIT_PLACE_VCPUS};
	fit_bench_plan(&b);
	fit_expect_pins(&b, "3-7,1,2,3-7");
	fitted = fit_made_fitted(&b.domain, &b.plan);
	fitted.has_hugepages = false;
	fit_made_hostdev(&fitted, "0000:41:00.0", false);
	fit_claims_add(&claims, &fitted, true);
	fit_expect_set(&claims.items[0].cpus, "1-2");
	fit_hostops_derive(&fitted, &b.profile, &ops);
	fit_expect_set(&ops.exclusive_cpus, "1-2");
	fit_expect_set(&ops.own_cpus, "1-2");
	assert_int_equal(ops.count, 3);
	for (size_t i = 0; i < ops.count; i++)
		fit_expect_set(&ops.items[i].cpus, "1-2");
	fit_hostops_clear(&ops);

	/* A CPU that the others may use too is nobody's. */
	fitted.vcpu_pins[1].cpus = fit_made_set("3");
	fit_claims_add(&claims, &fitted, true);
	fit_expect_set(&claims.items[1].cpus, "2");
	fit_hostops_derive(&fitted, &b.profile, &ops);
	fit_expect_set(&ops.exclusive_cpus, "2");
	fit_hostops_clear(&ops);

	/* A vCPU without a pin may use any. */
	fitted.vcpu_pin_count--;
	fitted.vcpu_cpuset = fit_made_set("1-7");
	fitted.has_vcpu_cpuset = true;
	fit_claims_add(&claims, &fitted, true);
	fit_expect_set(&claims.items[2].cpus, "");
	fit_domain_clear(&fitted);
	fit_claims_clear(&claims);
	fit_bench_end(&b);
}

static void a_plan_stays_what_it_is(void **state)
{
	struct fit_bench b = mixed_bench((struct fit_host_shape){2, 2, 4, 2}, 5, "0,3-4");
	fit_autofree char *before = NULL;

	(void)state;
	fit_bench_plan(&b);
	before = fit_made_pins(&b.plan);
	fit_bench_keep_plan(&b);
	fit_bench_plan(&b);
	fit_expect_pins(&b, before);
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dedicated_vcpus_have_cores_and_the_others_float),
		cmocka_unit_test(dedicated_to_all_is_dedicated),
		cmocka_unit_test(cores_are_used_to_the_full_where_they_are_few),
		cmocka_unit_test(the_pool_is_what_nobody_has),
		cmocka_unit_test(each_guest_cell_has_its_share_of_the_pool),
		cmocka_unit_test(pins_that_are_kept_stay_beside_both),
		cmocka_unit_test(real_time_is_for_dedicated_vcpus),
		cmocka_unit_test(others_see_what_is_dedicated),
		cmocka_unit_test(a_plan_stays_what_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
