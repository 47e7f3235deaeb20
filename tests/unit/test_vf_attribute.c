/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the card enforces for VFs, and its own interface: set for a domain, and as before after it.
 */
#include "support.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_executor.h"
#include "sys/executor.h"

static void each_vf_has_its_own(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_b);
	has_value(&f, PF "/sriov/0/trust", "off");
	has_value(&f, PF "/sriov/1/trust", "on");
	has_value(&f, PF "/net/enp65s0f0/flags", "0x1003");
	run_up(&f, &guest_a);
	has_value(&f, PF "/sriov/0/trust", "on");
	/* Until the VF is back: the guest's driver may still have it at `stopped`. */
	call(&f, &guest_b, 3);
	has_value(&f, PF "/sriov/1/trust", "on");
	call(&f, &guest_b, 4);
	has_value(&f, PF "/sriov/1/trust", "off");
	has_value(&f, PF "/net/enp65s0f0/flags", "0x1003");
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

/* Other flags are somebody else's. */
static void a_card_that_is_up_stays_up(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	fit_test_kernel_set(&f.kernel, PF "/net/enp65s0f0/flags = 0x1103\n");
	run_up(&f, &guest_a);
	has_value(&f, PF "/net/enp65s0f0/flags", "0x1103");
	run_down(&f, &guest_a);
	has_value(&f, PF "/net/enp65s0f0/flags", "0x1103");
	fit_test_kernel_set(&f.kernel, PF "/net/enp65s0f0/flags = 0x1002\n");
	run_up(&f, &guest_a);
	fit_test_kernel_set(&f.kernel, PF "/net/enp65s0f0/flags = 0x1103\n");
	run_down(&f, &guest_a);
	has_value(&f, PF "/net/enp65s0f0/flags", "0x1102");
	teardown(&f);
}

static void a_vf_that_is_being_reset_is_waited_for(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	f.kernel.vf_errno = EBUSY;
	f.kernel.vf_refusals = 3;
	run_up(&f, &guest_a);
	has_value(&f, PF "/sriov/0/trust", "on");
	f.kernel.vf_errno = EAGAIN;
	f.kernel.vf_refusals = 3;
	run_down(&f, &guest_a);
	expect_as_before(&f);
	/* But not for ever. */
	f.kernel.vf_errno = EBUSY;
	f.kernel.vf_refusals = UINT32_MAX;
	call(&f, &guest_a, 0);
	refused(&f, &guest_a, 1, "the VF is still being reset");
	f.kernel.vf_refusals = 0;
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

static void what_a_card_refuses_is_said(void **unused)
{
	static const struct {
		int error;
		const char *part;
	} errors[] = {
		{EOPNOTSUPP, "the driver of the physical function cannot do that"},
		{EINVAL, "the card does not take this value, or lacks this VF"},
		{EPROTONOSUPPORT, "the card does not know this kind of VLAN"},
	};
	struct fixture f;

	(void)unused;
	setup(&f);
	for (size_t i = 0; i < FIT_ARRAY_SIZE(errors); i++) {
		call(&f, &guest_a, 0);
		f.kernel.vf_errno = errors[i].error;
		f.kernel.vf_refusals = 1;
		refused(&f, &guest_a, 1, errors[i].part);
		run_down(&f, &guest_a);
		expect_as_before(&f);
	}
	call(&f, &guest_a, 0);
	assert_int_equal(fit_fsroot_remove(&f.root, PF "/sriov/0/trust", NULL), 0);
	refused(&f, &guest_a, 1, "trust of VF 0 of 0000:41:00.0 cannot be set");
	run_down(&f, &guest_a);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_vf_has_its_own),
		cmocka_unit_test(a_card_that_is_up_stays_up),
		cmocka_unit_test(a_vf_that_is_being_reset_is_waited_for),
		cmocka_unit_test(what_a_card_refuses_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
