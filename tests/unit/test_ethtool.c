/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of network cards: those of real devices of the kernel's in a network namespace of our
 * own, and those of a made-up card that domains share. */
#include "support.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_executor.h"
#include "sys/ethtool.h"
#include "sys/executor.h"

#define CHANNELS PF "/ethtool/combined-channels"
#define USECS	 PF "/ethtool/rx-usecs"
#define GRO	 PF "/ethtool/features/rx-gro"

static void reads(const char *netdev, const char *setting, const char *wanted)
{
	fit_autofree char *text = fit_ethtool_read(netdev, setting);

	if (!fit_streq(text, wanted))
		fail_msg("%s of %s: '%s' wanted, '%s' found", setting, netdev,
			wanted ? wanted : "nothing", text ? text : "nothing");
}

static void writes(const char *netdev, const char *setting, const char *text)
{
	struct fit_err err = FIT_ERR_INIT;

	if (fit_ethtool_write(netdev, setting, text, &err) < 0)
		fail_msg("%s", err.message);
	reads(netdev, setting, text);
}

static void objects(const char *netdev, const char *setting, const char *text, const char *wanted)
{
	fit_autofree char *objection = fit_ethtool_objection(netdev, setting, text);

	if (!fit_streq(objection, wanted))
		fail_msg("%s %s: '%s' wanted, '%s' said", setting, text,
			wanted ? wanted : "nothing", objection ? objection : "nothing");
}

static void refuses(const char *netdev, const char *setting, const char *text, const char *part)
{
	struct fit_err err = FIT_ERR_INIT;

	assert_int_equal(fit_ethtool_write(netdev, setting, text, &err), -1);
	if (!strstr(err.message, part))
		fail_msg("'%s' does not say '%s'", err.message, part);
}

/* A pair of devices with 4 queues each way, one end of a tunnel, beside lo. */
static bool make_devices(void)
{
	return unshare(CLONE_NEWNET) == 0 &&
	       system("ip link add name fit0 numrxqueues 4 numtxqueues 4 type veth peer name fit1 "
		      "numrxqueues 4 numtxqueues 4 2>/dev/null && "
		      "ip tuntap add name fit2 mode tap 2>/dev/null") == 0;
}

static void channels_of_a_device(void **unused)
{
	(void)unused;
	writes("fit0", "rx-channels", "3");
	writes("fit0", "tx-channels", "1");
	reads("fit0", "rx-channels", "3");
	reads("fit1", "rx-channels", "4");
	objects("fit0", "rx-channels", "4", NULL);
	objects("fit0", "rx-channels", "5", "it has at most 4");
	refuses("fit0", "rx-channels", "5",
		"does not take this value: cannot set rx-channels 5 of");
	refuses("fit0", "rx-channels", "0", "does not take this value");
	refuses("fit0", "rx-channels", "all", "is no value of rx-channels");
	reads("fit0", "combined-channels", NULL);
	reads("fit0", "rx-channels", "3");
}

static void features_of_a_device(void **unused)
{
	(void)unused;
	reads("fit0", "features/tx-tcp-segmentation", "on");
	reads("fit0", "features/tx-udp_tnl-segmentation", "on");
	writes("fit0", "features/tx-tcp-segmentation", "off");
	/* Each by itself. */
	reads("fit0", "features/tx-tcp6-segmentation", "on");
	reads("fit0", "features/tx-udp_tnl-segmentation", "on");
	objects("fit0", "features/tx-tcp-segmentation", "on", NULL);
	writes("fit0", "features/tx-tcp-segmentation", "on");
	objects("lo", "features/loopback", "off", "it is fixed to on");
	objects("lo", "features/loopback", "on", NULL);
	reads("fit0", "features/no-such-feature", NULL);
	refuses("fit0", "features/tx-tcp-segmentation", "maybe", "is no value of");
}

/* Segmentation needs checksums, and comes back with them: nothing else has to be restored. */
static void a_feature_that_depends_on_another_one(void **unused)
{
	(void)unused;
	reads("fit0", "features/tx-tcp-segmentation", "on");
	writes("fit0", "features/tx-checksum-ip-generic", "off");
	reads("fit0", "features/tx-tcp-segmentation", "on, not in force");
	objects("fit0", "features/tx-tcp-segmentation", "on", "another feature keeps it from that");
	objects("fit0", "features/tx-tcp-segmentation", "off", NULL);
	writes("fit0", "features/tx-tcp-segmentation", "off");
	writes("fit0", "features/tx-tcp-segmentation", "on, not in force");
	writes("fit0", "features/tx-checksum-ip-generic", "on");
	reads("fit0", "features/tx-tcp-segmentation", "on");
}

/* Of a tunnel the kernel gathers packets. */
static void moderation_of_a_device(void **unused)
{
	(void)unused;
	reads("fit2", "rx-frames", "0");
	writes("fit2", "rx-frames", "16");
	writes("fit2", "rx-frames", "0");
	refuses("fit2", "rx-usecs", "10", "the card's driver does not offer that");
	refuses("fit2", "adaptive-rx", "1", "is no value of adaptive-rx");
	reads("fit0", "rx-usecs", NULL);
	refuses("fit0", "rx-usecs", "10", "the card's driver does not offer that");
	reads("fit0", "rx-ring", NULL);
}

static void what_there_is_not(void **unused)
{
	(void)unused;
	reads("fit9", "rx-channels", NULL);
	reads("fit9", "features/rx-gro", NULL);
	reads("a-name-that-is-too-long-for-one", "rx-channels", NULL);
	refuses("fit9", "rx-channels", "1", "cannot set rx-channels 1 of fit9");
	refuses("fit9", "features/rx-gro", "on", "cannot set rx-gro on of fit9");
	reads("lo", "speed", NULL);
	refuses("lo", "speed", "1", "speed is no setting of a network device");
	assert_true(fit_ethtool_drops_link("rx-ring"));
	assert_true(fit_ethtool_drops_link("combined-channels"));
	assert_false(fit_ethtool_drops_link("rx-usecs"));
	assert_false(fit_ethtool_drops_link("features/rx-gro"));
}

/* The card has fewer channels while it has VFs: the last domain gives back those, and the VFs the
 * rest. */
static void domains_share_a_card(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_b);
	has_value(&f, CHANNELS, "1");
	has_value(&f, USECS, "0");
	has_value(&f, GRO, "off");
	run_up(&f, &guest_a);
	run_down(&f, &guest_b);
	has_value(&f, CHANNELS, "1");
	has_value(&f, USECS, "0");
	has_value(&f, GRO, "off");
	call(&f, &guest_a, 3);
	has_value(&f, USECS, "0");
	call(&f, &guest_a, 4);
	expect_as_before(&f);
	teardown(&f);
}

/* It does not take back its channels while it has VFs. */
static void a_card_that_refuses_beside_its_vfs_is_given_back_after_them(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	f.kernel.channels_stay = true;
	run_up(&f, &guest_a);
	has_value(&f, CHANNELS, "1");
	f.kernel.channels_wait = true;
	run_down(&f, &guest_a);
	has_value(&f, CHANNELS, "8");
	expect_as_before(&f);
	/* One that loses them with its VFs has them back. */
	f.kernel.channels_stay = false;
	run_up(&f, &guest_a);
	f.kernel.channels_wait = true;
	run_down(&f, &guest_a);
	has_value(&f, CHANNELS, "8");
	expect_as_before(&f);
	teardown(&f);
}

/* Somebody removes the VFs before the next attempt. */
static void what_could_not_be_given_back_in_time_is_said(void **unused)
{
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_state state;
	struct fixture f;

	(void)unused;
	setup(&f);
	f.kernel.channels_stay = true;
	run_up(&f, &guest_a);
	f.kernel.ethtool_errno = EBUSY;
	open_state(&f, &state);
	assert_int_equal(
		fit_executor_undo(&state, guest_a.uuid, FIT_PHASE_RELEASE, &notes, NULL), -1);
	fit_state_close(&state);
	assert_true(notes.count > 0);
	f.kernel.ethtool_errno = 0;
	fit_test_kernel_set(&f.kernel, PF "/net/enp65s0f0/ifindex = 77\n");
	fit_strlist_clear(&notes);
	open_state(&f, &state);
	assert_int_equal(fit_executor_undo(&state, "", FIT_PHASE_RELEASE, &notes, NULL), 0);
	fit_state_close(&state);
	assert_non_null(strstr(notes.items[0], "is another one by now"));
	teardown(&f);
}

static struct fit_hostops one_op(const struct guest *guest, const char *setting, const char *value)
{
	struct fit_hostops ops = {0};
	struct fit_op *op = add_op(&ops, FIT_OP_ETHTOOL, FIT_PHASE_START, FIT_PHASE_RELEASE);

	op->path = fit_xstrdup(setting);
	op->value = fit_xstrdup(value);
	op->optional = true;
	*FIT_APPEND(op->devices, op->device_count) = device("0000:42:00.0"); /* no VF */
	*FIT_APPEND(op->devices, op->device_count) = device(guest->vf);
	return ops;
}

/* Applies to a domain that runs already, with a note for what is left out. */
static int apply_one(struct fixture *f, const struct guest *guest, const char *setting,
	const char *value, bool optional, const char *part)
{
	struct fit_hostops ops = one_op(guest, setting, value);
	fit_autostrlist struct fit_strlist notes = {0};
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;
	const char *said;
	int result;

	ops.items[0].optional = optional;
	open_state(f, &state);
	result = fit_executor_apply(&state, fit_state_journal(&state, guest->uuid), &ops,
		FIT_PHASE_START, &notes, &err);
	fit_state_close(&state);
	fit_hostops_clear(&ops);
	said = result < 0 ? err.message : notes.count ? notes.items[0] : "";
	if (part ? !strstr(said, part) : *said)
		fail_msg("'%s' said, '%s' expected", said, part ? part : "");
	return result;
}

/* It has what it was prepared with. */
static void let_run(const struct fixture *f, const struct guest *guest)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_journal *journal;
	struct fit_state state;

	open_state(f, &state);
	journal = fit_state_journal(&state, guest->uuid);
	journal->stage = FIT_STAGE_STARTED;
	assert_int_equal(fit_state_save_journal(&state, journal, &err), 0);
	fit_state_close(&state);
}

/* It would take the link from the other. What does not is free. */
static void a_link_in_use_is_not_dropped(void **unused)
{
	static const char why[] = "combined-channels of 0000:41:00.0 is 1 and should become 2, "
				  "which would take the link from others: VF 0 (0000:41:10.0) is "
				  "held by the domain 'guest'";
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_b);
	run_up(&f, &guest_a);
	assert_int_equal(apply_one(&f, &guest_b, "combined-channels", "2", true, why), 0);
	has_value(&f, CHANNELS, "1");
	assert_int_equal(apply_one(&f, &guest_b, "combined-channels", "2", false, why), -1);
	assert_int_equal(apply_one(&f, &guest_b, "rx-usecs", "50", true, NULL), 0);
	has_value(&f, USECS, "50");
	run_down(&f, &guest_b);
	has_value(&f, USECS, "0");
	run_down(&f, &guest_a);
	expect_as_before(&f);
	/* One that is about to start has no link to lose. */
	run_up(&f, &guest_b);
	call(&f, &guest_a, 0);
	run_down(&f, &guest_b);
	has_value(&f, CHANNELS, "2");
	run_down(&f, &guest_a);
	expect_as_before(&f);
	/* What only the first has asked for goes back when the second is gone. */
	run_up(&f, &guest_b);
	call(&f, &guest_a, 0);
	let_run(&f, &guest_a);
	run_down(&f, &guest_b);
	has_value(&f, CHANNELS, "1");
	has_value(&f, USECS, "3");
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

static void what_a_card_lacks_or_refuses_is_said(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_a);
	assert_int_equal(apply_one(&f, &guest_a, "tx-ring", "512", true,
				 "tx-ring '512' cannot be set for enp65s0f0: its driver does not "
				 "offer it"),
		0);
	assert_int_equal(apply_one(&f, &guest_a, "tx-ring", "512", false, "tx-ring '512'"), -1);
	f.kernel.ethtool_errno = EINVAL;
	assert_int_equal(apply_one(&f, &guest_a, "rx-usecs", "9", true, "Invalid argument"), 0);
	assert_int_equal(apply_one(&f, &guest_a, "rx-usecs", "9", false, "Invalid argument"), -1);
	has_value(&f, USECS, "0");
	f.kernel.ethtool_errno = 0;
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

/* Its settings are those of the new driver, not ours to restore. */
static void a_driver_that_is_loaded_anew_is_left_alone(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	run_up(&f, &guest_a);
	fit_test_kernel_set(&f.kernel,
		PF "/net/enp65s0f0/ifindex = 9\n" USECS " = 0\n" GRO " = off\n" CHANNELS " = 1\n");
	run_down(&f, &guest_a);
	has_value(&f, USECS, "0");
	has_value(&f, GRO, "off");
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest real[] = {
		cmocka_unit_test(channels_of_a_device),
		cmocka_unit_test(features_of_a_device),
		cmocka_unit_test(a_feature_that_depends_on_another_one),
		cmocka_unit_test(moderation_of_a_device),
		cmocka_unit_test(what_there_is_not),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(domains_share_a_card),
		cmocka_unit_test(a_card_that_refuses_beside_its_vfs_is_given_back_after_them),
		cmocka_unit_test(what_could_not_be_given_back_in_time_is_said),
		cmocka_unit_test(a_link_in_use_is_not_dropped),
		cmocka_unit_test(what_a_card_lacks_or_refuses_is_said),
		cmocka_unit_test(a_driver_that_is_loaded_anew_is_left_alone),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (make_devices())
		failed += cmocka_run_group_tests(real, NULL, NULL);
	else
		print_message("real devices: not tested without root, ip and a kernel with veth\n");
	return failed;
}
