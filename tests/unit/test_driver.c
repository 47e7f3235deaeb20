/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices that libvirt leaves to their user get another driver and their own back; and writes that
 * the kernel does not end. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_executor.h"
#include "sys/clock.h"
#include "sys/executor.h"
#include "sys/limited.h"

#define DRIVERS "../../../../bus/pci/drivers/"

static void has_driver(const struct fixture *f, const char *device_path, const char *wanted)
{
	fit_autofree char *link = fit_xasprintf("%s/driver", device_path);
	fit_autofree char *driver = fit_fsroot_link_name(&f->root, link);

	if (!fit_streq(driver, wanted))
		fail_msg("%s: '%s' wanted, '%s' found", link, wanted ? wanted : "none",
			driver ? driver : "none");
}

static void it_gets_another_one_and_its_own_back(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	call(&f, &guest_b, 0);
	has_driver(&f, FUNCTION(1), "vfio-pci");
	call(&f, &guest_a, 0);
	has_driver(&f, FUNCTION(0), "vfio-pci");
	has_value(&f, FUNCTION(0) "/driver_override", "vfio-pci");
	/* The guest may still have it at `stopped`. */
	call(&f, &guest_a, 3);
	has_driver(&f, FUNCTION(0), "vfio-pci");
	call(&f, &guest_a, 4);
	has_driver(&f, FUNCTION(0), "nvme");
	has_value(&f, FUNCTION(0) "/driver_override", "(null)");
	run_down(&f, &guest_b);
	has_driver(&f, FUNCTION(1), NULL);
	has_value(&f, FUNCTION(1) "/driver_override", "nobody");
	expect_as_before(&f);
	teardown(&f);
}

/* Whichever driver else would match. */
static void its_own_one_comes_back_though_another_matches(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	unlinkat(f.root.fd, FUNCTION(0) "/driver", 0);
	fit_test_kernel_set(&f.kernel,
		"sys/bus/pci/drivers/uio/unbind = \n" FUNCTION(0) "/driver -> " DRIVERS "uio\n");
	free(f.before);
	f.before = dump(&f);
	run_up(&f, &guest_a);
	has_driver(&f, FUNCTION(0), "vfio-pci");
	run_down(&f, &guest_a);
	has_driver(&f, FUNCTION(0), "uio");
	expect_as_before(&f);
	teardown(&f);
}

static void one_that_has_it_is_left_alone(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	unlinkat(f.root.fd, FUNCTION(0) "/driver", 0);
	fit_test_kernel_set(&f.kernel, FUNCTION(0) "/driver -> " DRIVERS "vfio-pci\n");
	free(f.before);
	f.before = dump(&f);
	run_up(&f, &guest_a);
	has_value(&f, FUNCTION(0) "/driver_override", "(null)");
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

static void a_driver_that_does_not_take_it_is_an_error(void **unused)
{
	struct fixture f;

	(void)unused;
	setup(&f);
	f.kernel.drivers_are_deaf = true;
	refused(&f, &guest_a, 0,
		"the driver vfio-pci was asked to take the device and did not; it has none now");
	f.kernel.drivers_are_deaf = false;
	run_down(&f, &guest_a);
	expect_as_before(&f);
	teardown(&f);
}

/* libvirt gives that one a driver for guests. */
static void expect_possible_beside(const struct fixture *f, const char *managed)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_hostops ops = {0};
	struct fit_state state;
	struct fit_journal *journal;

	make_ops(&ops, &guest_a);
	open_state(f, &state);
	journal = fit_state_add_journal(&state, A, "guest", FIT_STAGE_PREPARED);
	*FIT_APPEND(journal->devices, journal->device_count) = device(managed);
	if (fit_executor_check(&state, journal, &ops, FIT_PHASE_PREPARE, &err) < 0)
		fail_msg("%s", err.message);
	fit_state_close(&state);
	fit_hostops_clear(&ops);
}

static void what_cannot_work_is_refused_before_anything_is_done(void **unused)
{
	static const char neighbour[] =
		"sys/bus/pci/devices/0000:42:00.7/driver -> " DRIVERS "nvme\n"
		"sys/kernel/iommu_groups/7/devices/0000:42:00.7 -> x\n";
	struct fixture f;

	(void)unused;
	setup(&f);
	fit_test_kernel_set(&f.kernel, neighbour);
	refused(&f, &guest_a, 0,
		"device 0000:42:00.0 cannot be given to vfio-pci: 0000:42:00.7 is in the same "
		"IOMMU group, and the host has it (driver nvme)");
	expect_possible_beside(&f, "0000:42:00.7");
	/* A bridge may be there. */
	fit_test_kernel_set(&f.kernel, "sys/bus/pci/devices/0000:42:00.7/class = 0x060400\n");
	call(&f, &guest_a, 0);
	run_down(&f, &guest_a);
	f.kernel.host_writes = 0;
	unlinkat(f.root.fd, FUNCTION(0) "/iommu_group", 0);
	refused(&f, &guest_a, 0, "it is in no IOMMU group: is the IOMMU on?");
	unlinkat(f.root.fd, "sys/bus/pci/drivers/vfio-pci/unbind", 0);
	unlinkat(f.root.fd, "sys/bus/pci/drivers/vfio-pci", AT_REMOVEDIR);
	refused(&f, &guest_a, 0, "the driver is not loaded");
	unlinkat(f.root.fd, FUNCTION(0) "/driver_override", 0);
	refused(&f, &guest_a, 0, "this host has no such device");
	assert_int_equal(f.kernel.host_writes, 0);
	teardown(&f);
}

/* Nobody reads from it: opening it for writing waits. What the process has open goes with us. */
static void give_up_a_write(void)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_fsroot root;
	char pipe_path[] = "/tmp/virt-fit-limited-XXXXXX";
	char lock_path[] = "/tmp/virt-fit-lock-XXXXXX";
	int64_t begin = fit_clock_ms();
	int lock = mkstemp(lock_path);

	assert_int_equal(close(mkstemp(pipe_path)), 0);
	assert_int_equal(fit_fsroot_open("/", &root, &err), 0);
	/* A file takes it. */
	assert_int_equal(fit_limited_write(&root, pipe_path + 1, "1", begin + 5000, &err), 0);
	assert_int_equal(unlink(pipe_path), 0);
	assert_int_equal(fit_limited_write(&root, pipe_path + 1, "1", begin + 5000, &err), -1);
	assert_int_equal(err.sys_errno, ENOENT);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	begin = fit_clock_ms();
	assert_int_equal(fit_limited_write(&root, pipe_path + 1, "1", begin + 200, &err), -1);
	assert_int_equal(err.sys_errno, ETIMEDOUT);
	assert_non_null(strstr(err.message, pipe_path));
	assert_in_range(fit_clock_ms() - begin, 200, 4000);
	close(lock);
	lock = open(lock_path, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
	close(lock);
	/* There is no time at all. */
	assert_int_equal(fit_limited_write(&root, pipe_path + 1, "1", begin, &err), -1);
	assert_int_equal(err.sys_errno, ETIMEDOUT);
	unlink(pipe_path);
	unlink(lock_path);
	fit_fsroot_close(&root);
}

/* Who starts a hook may have SIGCHLD ignored: the kernel keeps no exit status then. */
static void a_write_that_does_not_end_is_given_up(void **unused)
{
	(void)unused;
	give_up_a_write();
	assert_true(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
	give_up_a_write();
	assert_true(signal(SIGCHLD, SIG_DFL) != SIG_ERR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_gets_another_one_and_its_own_back),
		cmocka_unit_test(its_own_one_comes_back_though_another_matches),
		cmocka_unit_test(one_that_has_it_is_left_alone),
		cmocka_unit_test(a_driver_that_does_not_take_it_is_an_error),
		cmocka_unit_test(what_cannot_work_is_refused_before_anything_is_done),
		cmocka_unit_test(a_write_that_does_not_end_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
