/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A made-up host under a made-up kernel, and guests that live on it: for the tests of the executor.
 */
#ifndef FIT_TESTS_SUPPORT_EXECUTOR_H
#define FIT_TESTS_SUPPORT_EXECUTOR_H

#include "core/hostops.h"
#include "support_kernel.h"
#include "sys/state.h"

#define A "aaaaaaaa-0000-4000-8000-000000000001"
#define B "bbbbbbbb-0000-4000-8000-000000000002"

#define PF	    "sys/bus/pci/devices/0000:41:00.0"
#define FUNCTION(n) "sys/devices/pci0000:40/0000:40:02.0/0000:42:00." #n
#define CPU_DIR	    "sys/devices/system/cpu"
#define POLICY(n)   CPU_DIR "/cpufreq/policy" #n
#define POOL(n)	    "sys/devices/system/node/node" #n "/hugepages/hugepages-2048kB"

struct fixture {
	struct fit_fsroot root;
	struct fit_test_kernel kernel;
	char *before;
};

struct guest {
	const char *uuid;
	unsigned int node;
	const char *vf;
	const char *cpus;
	const char *device; /* one function of a card, which the guests share */
};

extern const struct guest guest_a; /* node 0, CPUs 2-3 */
extern const struct guest guest_b; /* node 0, CPUs 4-5, which share cpufreq policies */

void setup(struct fixture *f);
void teardown(struct fixture *f);

struct fit_pciaddr device(const char *text);

/* The tree without our state; to be freed. */
char *dump(const struct fixture *f);
void has_value(const struct fixture *f, const char *path, const char *value);

/* The tree is what it was at setup (or when f->before was set), and we left nothing. */
void expect_as_before(const struct fixture *f);

void open_state(const struct fixture *f, struct fit_state *state);

struct fit_op *add_op(
	struct fit_hostops *ops, enum fit_op_kind kind, enum fit_phase apply, enum fit_phase undo);

/* @cpus and @pci_device (NULL: none) are taken as far as the setting is for such. */
struct fit_op *add_setting_op(struct fit_hostops *ops, enum fit_host_setting_id id,
	const char *value, const char *cpus, const char *pci_device);

/* What a domain asks for: 1024 pages of 2 MiB on its node, its VF, all settings of the host. */
void make_ops(struct fit_hostops *ops, const struct guest *guest);

/* A new domain claims what it wants before its start. */
int prepare_new(struct fit_state *state, const char *uuid, const struct fit_hostops *ops,
	struct fit_err *err);

/* One hook call of a guest's life: 0 prepare, 1 start, 2 started, 3 stopped, 4 release. */
int hook_call(struct fixture *f, const struct guest *guest, int phase, struct fit_err *err);

/* The host's init program is another one: the groups have no cpuset controller. */
void without_systemd(struct fixture *f);

/* The same, failing the test when it fails, or unless it is refused with a message that has @part.
 */
void call(struct fixture *f, const struct guest *guest, int phase);
void refused(struct fixture *f, const struct guest *guest, int phase, const char *part);

/* Runs @work in a process of its own, with a fault at the host's change @at. Its exit status: what
 * @work returns, or FIT_TEST_DEATH. */
int run_with_fault(struct fixture *f, enum fit_test_fault fault, unsigned int at,
	int (*work)(struct fixture *f, const void *context), const void *context);

void run_up(struct fixture *f, const struct guest *guest);
void run_down(struct fixture *f, const struct guest *guest);

#endif
