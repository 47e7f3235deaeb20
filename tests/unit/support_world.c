/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support_world.h"

#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "support_domain.h"
#include "support_groups.h"
#include "support_host.h"
#include "support_tree.h"
#include "sys/executor.h"
#include "sys/irqbalance.h"
#include "sys/vectors.h"
#include "sys/wanted.h"

/* clang-format off */
static const char more_of_the_host[] =
	POLICY(2) "/scaling_available_governors = performance schedutil ondemand conservative\n"
	CPU_DIR "/cpu1/cpufreq -> ../cpufreq/policy0\n"
	CPU_DIR "/cpu6/cpufreq -> ../cpufreq/policy2\n"
	CPU_DIR "/cpu1/power/pm_qos_resume_latency_us = 0\n"
	PF "/sriov/2/trust = off\n"
	PF "/sriov/3/trust = off\n"
	PF "/sriov/4/trust = off\n"
	PF "/sriov/5/trust = off\n"
	"sys/devices/pci0000:40/0000:40:02.0/0000:42:00.0/driver -> ../../../../bus/pci/drivers/vfio-pci\n"
	"sys/devices/pci0000:40/0000:40:02.0/0000:42:00.1/driver -> ../../../../bus/pci/drivers/vfio-pci\n"
	"sys/devices/pci0000:40/0000:40:02.0/0000:42:00.0/msi_irqs/30 = msix\n"
	"sys/devices/pci0000:40/0000:40:02.0/0000:42:00.1/msi_irqs/32 = msix\n"
	"proc/irq/30/smp_affinity_list = 3\n"
	"proc/irq/32/smp_affinity_list = 6\n"
	GROUPS_OF_HOST
	IRQBALANCE "/name = irqbalance1.sock\n"
	IRQBALANCE "/cpus = none\n"
	IRQBALANCE "/irqs = 9\n";

/* What somebody else may set: values that never come of what domains ask for. */
static const struct stranger {
	const char *path, *values[2];
	const char *also; /* the file that shows the same */
} strangers[] = {
	{POLICY(2) "/scaling_governor", {"ondemand", "conservative"}, NULL},
	{CPU_DIR "/cpu4/power/pm_qos_resume_latency_us", {"77", "78"}, NULL},
	{"sys/kernel/mm/transparent_hugepage/enabled",
		{"always madvise never [advise]", "always madvise never [within_size]"}, NULL},
	{"sys/module/kvm/parameters/halt_poll_ns", {"7", "8"}, NULL},
	{"proc/sys/vm/lowmem_reserve_ratio", {"9\t9\t9", "8\t8\t8"}, NULL},
	{"proc/irq/9/smp_affinity_list", {"7", "0"}, NULL},
	{"proc/irq/30/smp_affinity_list", {"7", "0"}, NULL},
	{"proc/irq/default_smp_affinity", {"01", "80"}, NULL},
	{"proc/sys/kernel/watchdog_cpumask", {"7", "0"}, NULL},
	{"proc/sys/kernel/sched_rt_runtime_us", {"123456", "234567"}, NULL},
	{PF "/sriov/1/trust", {"other", "another"}, NULL},
	{IRQBALANCE "/cpus", {"7", "0"}, NULL},
	{IRQBALANCE "/irqs", {"99", "98 99"}, NULL},
	{"sys/devices/virtual/workqueue/cpumask_requested", {"01", "80"},
		"sys/devices/virtual/workqueue/cpumask"},
	/* The last two are one of a host with systemd, one of a host without. */
	{"run/systemd/system.control/system.slice.d/50-AllowedCPUs.conf",
		{"AllowedCPUs=7", "AllowedCPUs=0"},
		"sys/fs/cgroup/system.slice/cpuset.cpus"},
	{"sys/fs/cgroup/user.slice/cpuset.cpus", {"7", "0"}, NULL},
};
/* clang-format on */

static const struct {
	enum fit_host_setting_id id;
	const char *values[2];
} settings[] = {
	{FIT_SETTING_ENERGY_PREFERENCE, {"performance", "performance"}},
	{FIT_SETTING_GOVERNOR, {"performance", "performance"}},
	{FIT_SETTING_WAKEUP_LATENCY, {"10us", "2us"}},
	{FIT_SETTING_TURBO, {"off", "on"}},
	{FIT_SETTING_DEVICE_POWER, {"on", "auto"}},
	{FIT_SETTING_ASPM, {"off", "off"}},
	{FIT_SETTING_TRANSPARENT_HUGEPAGES, {"never", "always"}},
	{FIT_SETTING_KSM, {"unmerge", "off"}},
	{FIT_SETTING_NUMA_BALANCING, {"off", "on"}},
	{FIT_SETTING_COMPACTION, {"0", "30"}},
	{FIT_SETTING_STAT_INTERVAL, {"10s", "3s"}},
	{FIT_SETTING_TIMER_MIGRATION, {"off", "on"}},
	{FIT_SETTING_RT_RUNTIME, {"unlimited", "990000us"}},
	{FIT_SETTING_HALT_POLL, {"50us", "60us"}},
	{FIT_SETTING_WORKQUEUES, {"elsewhere", "elsewhere"}},
	{FIT_SETTING_LOCKUP_WATCHDOG, {"elsewhere", "elsewhere"}},
	{FIT_SETTING_NEW_INTERRUPTS, {"elsewhere", "elsewhere"}},
};

uint64_t draw(uint64_t *state, uint64_t limit)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state >> 11) % limit;
}

void tell(struct world *w, const char *format, ...)
{
	char line[200];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	fit_buffer_addf(&w->story, "  %s\n", line);
}

const char *phase_name(int phase)
{
	static const char *const names[] = {
		"prepare", "start", "started", "stopped", "release", "undo"};

	return names[phase];
}

static void take_as_before(struct world *w)
{
	free(w->f.before);
	w->f.before = dump(&w->f);
}

void world_make(struct world *w, bool systemd)
{
	*w = (struct world){.systemd = systemd};
	setup(&w->f);
	fit_test_kernel_set(&w->f.kernel, more_of_the_host);
	if (!systemd)
		without_systemd(&w->f);
	take_as_before(w);
	for (unsigned int i = 0; i < DOMAINS; i++) {
		struct domain *domain = &w->domains[i];

		domain->number = i;
		snprintf(domain->uuid, sizeof(domain->uuid), "aaaaaaaa-0000-4000-8000-%012u", i);
		snprintf(domain->name, sizeof(domain->name), "guest%u", i);
		snprintf(domain->cpu, sizeof(domain->cpu), "%u", 1 + i);
		snprintf(domain->vf, sizeof(domain->vf), "0000:41:10.%u", 2 * i % 8);
	}
	/* Eight functions to a device. */
	for (unsigned int i = 4; i < DOMAINS; i++)
		memcpy(w->domains[i].vf, "0000:41:11", 10);
}

void world_end(struct world *w)
{
	for (unsigned int i = 0; i < DOMAINS; i++)
		fit_hostops_clear(&w->domains[i].ops);
	teardown(&w->f);
	fit_buffer_clear(&w->story);
}

static void want_vf(struct domain *domain, uint64_t *random)
{
	static const enum fit_op_kind kinds[] = {FIT_OP_PF_UP, FIT_OP_VF, FIT_OP_VF_ATTRIBUTE};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(kinds); i++) {
		struct fit_op *op;

		if (i != 1 && draw(random, 2))
			continue;
		op = add_op(&domain->ops, kinds[i], FIT_PHASE_PREPARE, FIT_PHASE_RELEASE);
		op->device = device(domain->vf);
		if (kinds[i] != FIT_OP_VF_ATTRIBUTE)
			continue;
		op->apply = FIT_PHASE_START;
		op->path = fit_xstrdup("trust");
		op->value = fit_xstrdup("on");
	}
}

static void want_settings(struct domain *domain, uint64_t *random)
{
	const char *card = domain->number % 2 ? "0000:42:00.1" : "0000:42:00.0";
	size_t count = draw(random, 4);
	struct fit_op *op;

	for (size_t i = 0; i < count; i++) {
		size_t which = draw(random, FIT_ARRAY_SIZE(settings));

		add_setting_op(&domain->ops, settings[which].id,
			settings[which].values[draw(random, 2)], domain->cpu, card)
			->optional = draw(random, 2);
	}
	if (draw(random, 4))
		return;
	op = add_setting_op(&domain->ops, FIT_SETTING_SYSCTL, draw(random, 2) ? "1 2 3" : "4 5 6",
		domain->cpu, NULL);
	op->path = fit_xstrdup("vm/lowmem_reserve_ratio");
}

static void want(struct domain *domain, uint64_t *random)
{
	struct fit_op *op;

	fit_hostops_clear(&domain->ops);
	domain->pages = draw(random, 3) ? 0 : 1 + (int64_t)draw(random, 400);
	if (draw(random, 4) == 0)
		want_vf(domain, random);
	if (domain->pages) {
		op = add_op(&domain->ops, FIT_OP_PAGES, FIT_PHASE_PREPARE, FIT_PHASE_STOPPED);
		fit_cpuset_add(&op->nodes, 0);
		op->page_kib = 2048;
		op->pages = (uint64_t)domain->pages;
	}
	want_settings(domain, random);
	if (draw(random, 3) == 0) {
		op = add_op(&domain->ops, FIT_OP_ISOLATE, FIT_PHASE_START, FIT_PHASE_STOPPED);
		op->cpus = fit_test_cpus(domain->cpu);
		op->partition = draw(random, 2);
		if (op->partition)
			add_op(&domain->ops, FIT_OP_PARTITION, FIT_PHASE_STARTED, FIT_PHASE_STOPPED)
				->cpus = fit_test_cpus(domain->cpu);
	}
	if (draw(random, 4) == 0) {
		op = add_op(
			&domain->ops, FIT_OP_IRQS_ELSEWHERE, FIT_PHASE_STARTED, FIT_PHASE_STOPPED);
		op->cpus = fit_test_cpus(domain->cpu);
	}
	if (draw(random, 5) == 0) {
		op = add_op(&domain->ops, FIT_OP_IRQS_DEVICE, FIT_PHASE_STARTED, FIT_PHASE_STOPPED);
		op->device = device(domain->number % 2 ? "0000:42:00.1" : "0000:42:00.0");
		op->cpus = fit_test_cpus(domain->cpu);
	}
}

void world_begin(struct world *w, uint64_t seed)
{
	w->seed = seed;
	w->random = seed * 0x9e3779b97f4a7c15;
	w->happened = 0;
	w->changed = 0;
	w->added_pages = 0;
	fit_buffer_clear(&w->story);
	fit_strlist_clear(&w->f.kernel.log);
	w->f.kernel.managed = (struct fit_cpuset){0};
	if (draw(&w->random, 4) == 0)
		fit_cpuset_add(&w->f.kernel.managed, 24 + (unsigned int)draw(&w->random, 6));
	for (unsigned int i = 0; i < DOMAINS; i++) {
		struct domain *domain = &w->domains[i];

		want(domain, &w->random);
		domain->next = 0;
		memset(domain->calls, 0, sizeof(domain->calls));
	}
}

static int64_t pages_in(const struct world *w, const char *path)
{
	int64_t pages;

	assert_true(fit_fsroot_try_read_int(&w->f.root, path, &pages));
	return pages;
}

static void change(const struct world *w, const char *path, const char *value)
{
	fit_autofree char *manifest = NULL;

	if (fit_fsroot_exists(&w->f.root, path)) {
		fit_test_kernel_write(&w->f.kernel, path, value);
		return;
	}
	manifest = fit_xasprintf("%s = %s\n", path, value);
	fit_test_kernel_set(&w->f.kernel, manifest);
}

static void set_pages(const struct world *w, const char *path, int64_t pages)
{
	fit_autofree char *text = fit_xasprintf("%lld", (long long)pages);

	change(w, path, text);
}

static void take_pages(struct world *w, struct domain *domain)
{
	int64_t unused;

	if (domain->taken || !domain->calls[0] || !domain->pages)
		return;
	unused = pages_in(w, POOL(0) "/free_hugepages");
	if (unused < domain->pages) {
		if (!w->happened)
			fail_msg("%lld pages free for %u, which was promised %lld",
				(long long)unused, domain->number, (long long)domain->pages);
		return;
	}
	domain->taken = domain->pages;
	set_pages(w, POOL(0) "/free_hugepages", unused - domain->taken);
}

/* Pages that the pool is too large by go back to the kernel. */
static void return_pages(struct world *w, struct domain *domain)
{
	int64_t surplus, gone;

	if (!domain->taken)
		return;
	surplus = pages_in(w, POOL(0) "/surplus_hugepages");
	gone = surplus < domain->taken ? surplus : domain->taken;
	set_pages(w, POOL(0) "/surplus_hugepages", surplus - gone);
	set_pages(w, POOL(0) "/nr_hugepages", pages_in(w, POOL(0) "/nr_hugepages") - gone);
	set_pages(w, POOL(0) "/free_hugepages",
		pages_in(w, POOL(0) "/free_hugepages") + domain->taken - gone);
	domain->taken = 0;
}

static void make_groups(const struct world *w, struct domain *domain)
{
	if (domain->grouped || !domain->calls[0])
		return;
	domain->grouped = true;
	groups_make(&w->f, domain->name, 40 + domain->number, domain->cpu);
}

static void remove_groups(const struct world *w, struct domain *domain)
{
	if (domain->grouped)
		groups_remove(&w->f, domain->name, 40 + domain->number, domain->cpu);
	domain->grouped = false;
}

void world_live(struct world *w, struct domain *domain, int phase)
{
	if (phase == 2) {
		take_pages(w, domain);
		make_groups(w, domain);
	} else if (phase == 0 || phase == 3 || phase == 4) {
		return_pages(w, domain);
		remove_groups(w, domain);
	}
}

static int prepare(struct fit_state *state, const struct domain *domain, struct fit_strlist *notes,
	struct fit_err *err)
{
	struct fit_journal *journal = fit_state_journal(state, domain->uuid);

	if (journal && fit_executor_undo(state, domain->uuid, FIT_PHASE_RELEASE, notes, err) < 0)
		return -1;
	journal = fit_state_add_journal(state, domain->uuid, domain->name, FIT_STAGE_PREPARED);
	journal->exclusive_cpus = fit_test_cpus(domain->cpu);
	for (size_t i = 0; i < domain->ops.count; i++)
		if (domain->ops.items[i].kind == FIT_OP_VF)
			*FIT_APPEND(journal->devices, journal->device_count) = device(domain->vf);
	if (fit_state_check_holders(state, journal, err) < 0 ||
		fit_executor_check(state, journal, &domain->ops, FIT_PHASE_START, err) < 0 ||
		fit_state_save_journal(state, journal, err) < 0)
		return -1;
	if (fit_executor_apply(state, journal, &domain->ops, FIT_PHASE_PREPARE, notes, err) == 0)
		return 0;
	(void)fit_executor_undo(state, domain->uuid, FIT_PHASE_RELEASE, notes, NULL);
	return -1;
}

/* What the watcher does about the interrupts of a domain's devices. */
static int follow(struct fit_state *state, struct fit_journal *journal, const struct domain *domain,
	struct fit_strlist *notes, struct fit_err *err)
{
	for (size_t i = 0; i < domain->ops.count; i++) {
		const struct fit_op *op = &domain->ops.items[i];

		if (op->kind != FIT_OP_IRQS_DEVICE)
			continue;
		*FIT_APPEND(journal->devices, journal->device_count) = op->device;
		journal->interrupt_cpus = op->cpus;
		if (fit_vectors_place(state, journal, NULL, 0, NULL, err) < 0 ||
			fit_vectors_ban(state, journal, notes, err) < 0)
			return -1;
	}
	return 0;
}

static int apply(struct fit_state *state, const struct domain *domain, int phase,
	struct fit_strlist *notes, struct fit_err *err)
{
	struct fit_journal *journal = fit_state_journal(state, domain->uuid);

	if (!journal)
		return 0;
	journal->stage = phase == 2 ? FIT_STAGE_STARTED : FIT_STAGE_PREPARED;
	if (fit_state_save_journal(state, journal, err) < 0)
		return -1;
	if (fit_executor_apply(state, journal, &domain->ops, (enum fit_phase)phase, notes, err) < 0)
		return -1;
	return phase == 2 ? follow(state, journal, domain, notes, err) : 0;
}

int world_call(struct world *w, struct domain *domain, int phase, struct fit_strlist *notes,
	struct fit_err *err)
{
	struct fit_state state;
	int result = fit_irqbalance_open_state(&w->f.root, true, 5000, 60000, &state, err);

	if (result < 0)
		return -1;
	if (phase == 0)
		result = prepare(&state, domain, notes, err);
	else if (phase < 3)
		result = apply(&state, domain, phase, notes, err);
	else
		result = fit_executor_undo(&state, domain->uuid,
			phase == 3 ? FIT_PHASE_STOPPED : FIT_PHASE_RELEASE, notes, err);
	fit_state_close(&state);
	return result;
}

void world_note_call(struct domain *domain, int phase, bool good)
{
	domain->there |= phase == 0;
	if (phase > 3 && good)
		domain->there = domain->taken > 0 || domain->grouped;
	if (phase == 0 || phase > 2)
		memset(domain->calls, 0, sizeof(domain->calls));
	if (phase < 3)
		domain->calls[phase] = good && (phase == 0 || domain->calls[phase - 1]);
}

/* Somebody makes the pool larger. Beside a pool that is between two values, because a write
 * failed or never came, that cannot be told from a kernel that gave fewer pages than asked. */
static void add_pages(struct world *w)
{
	tell(w, "somebody adds 50 pages");
	w->added_pages += 50;
	set_pages(w, POOL(0) "/nr_hugepages", pages_in(w, POOL(0) "/nr_hugepages") + 50);
	set_pages(w, POOL(0) "/free_hugepages", pages_in(w, POOL(0) "/free_hugepages") + 50);
}

static bool exists(const struct world *w, const struct stranger *stranger)
{
	size_t which = (size_t)(stranger - strangers);

	if (which + 2 == FIT_ARRAY_SIZE(strangers))
		return w->systemd;
	return which + 1 < FIT_ARRAY_SIZE(strangers) ||
	       (!w->systemd && fit_fsroot_exists(&w->f.root, stranger->path));
}

void world_interfere(struct world *w, bool pages)
{
	size_t which = draw(&w->random, FIT_ARRAY_SIZE(strangers) + 1);
	const struct stranger *stranger = &strangers[which];
	const char *value;

	if (which == FIT_ARRAY_SIZE(strangers)) {
		if (pages)
			add_pages(w);
		return;
	}
	if (!exists(w, stranger))
		return;
	value = stranger->values[draw(&w->random, 2)];
	tell(w, "somebody sets %s to '%s'", stranger->path, value);
	change(w, stranger->path, value);
	/* Of "AllowedCPUs=7" the kernel has the CPUs. */
	if (stranger->also)
		change(w, stranger->also, strchr(value, '=') ? strchr(value, '=') + 1 : value);
	w->changed |= 1U << which;
	w->left[which] = value;
}

/* It knows nothing of what it was told before, until it is told again. */
void world_restart_irqbalance(struct world *w)
{
	fit_autofree char *name = fit_xasprintf("irqbalance%u.sock", 2 + w->restarts++);
	bool told = draw(&w->random, 2);
	struct fit_state state;

	tell(w, "irqbalance restarts%s", told ? " and is told" : "");
	change(w, IRQBALANCE "/name", name);
	change(w, IRQBALANCE "/cpus", "none");
	change(w, IRQBALANCE "/irqs", "9");
	for (size_t i = 0; i < FIT_ARRAY_SIZE(strangers); i++)
		if (fit_starts_with(strangers[i].path, IRQBALANCE))
			w->changed &= ~(1U << i);
	if (!told)
		return;
	open_state(&w->f, &state);
	assert_int_equal(fit_irqbalance_reassert(&state, NULL), 0);
	fit_state_close(&state);
}

/* The settings are gone, our state is not: the next call finds that it is of another boot. */
void world_boot(struct world *w)
{
	fit_autofree char *id = fit_xasprintf("boot-%u", ++w->boots);
	fit_autofree char *all = fit_test_tree_dump(&w->f.root);
	const char *state = strstr(all, "run/virt-fit/");

	tell(w, "the machine boots");
	fit_test_kernel_halt(&w->f.kernel, &w->f.root);
	fit_test_root_remove(&w->f.root);
	w->f.root = fit_test_root(w->f.before);
	if (w->systemd)
		fit_test_root_add(&w->f.root, "run/systemd/system/\n");
	fit_test_kernel_boot(&w->f.kernel, &w->f.root);
	for (; state && fit_starts_with(state, "run/virt-fit/");
		state += strcspn(state, "\n") + 1) {
		fit_autofree char *line = fit_xstrndup(state, strcspn(state, "\n"));

		fit_test_kernel_set(&w->f.kernel, line);
	}
	change(w, "proc/sys/kernel/random/boot_id", id);
	take_as_before(w);
	w->changed = 0;
	w->added_pages = 0;
	for (unsigned int i = 0; i < DOMAINS; i++) {
		w->domains[i].taken = 0;
		w->domains[i].grouped = false;
		w->domains[i].next = 0;
		memset(w->domains[i].calls, 0, sizeof(w->domains[i].calls));
	}
}

/* Its line in the tree as it was; nothing when it was not there. */
static void put_back(const struct world *w, const char *path)
{
	size_t length = strlen(path);
	const char *line = w->f.before;
	fit_autofree char *copy = NULL;

	while (*line && (strncmp(line, path, length) != 0 || line[length] != ' '))
		line += strcspn(line, "\n") + 1;
	if (!*line) {
		unlinkat(w->f.root.fd, path, 0);
		return;
	}
	copy = fit_xstrndup(line, strcspn(line, "\n"));
	fit_test_kernel_set(&w->f.kernel, copy);
}

static void expect_left(const struct world *w, const struct stranger *stranger)
{
	fit_autofree char *found = fit_fsroot_try_read(&w->f.root, stranger->path);

	/* Without a controller there is no file of it. */
	if (!found && !fit_fsroot_exists(&w->f.root, stranger->path) && !w->systemd)
		return;
	if (!found || (!fit_streq(found, w->left[stranger - strangers])))
		fail_msg("%s: somebody has set '%s', '%s' is there", stranger->path,
			w->left[stranger - strangers], found ? found : "nothing");
	put_back(w, stranger->path);
	if (stranger->also)
		put_back(w, stranger->also);
}

void world_put_back(struct world *w)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(strangers); i++)
		if (w->changed & 1U << i)
			expect_left(w, &strangers[i]);
	if (w->restarts)
		put_back(w, IRQBALANCE "/name");
	w->restarts = 0;
	if (w->added_pages) {
		set_pages(w, POOL(0) "/nr_hugepages",
			pages_in(w, POOL(0) "/nr_hugepages") - w->added_pages);
		set_pages(w, POOL(0) "/free_hugepages",
			pages_in(w, POOL(0) "/free_hugepages") - w->added_pages);
	}
}
