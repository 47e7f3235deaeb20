/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the definition gives to QEMU past libvirt. Libvirt puts <qemu:commandline> behind the
 * arguments it makes itself, and there QEMU takes the last one (-cpu, -m), adds it to the others
 * (-numa, -object) or merges it key by key (-smp, -machine, -overcommit). Where that contradicts
 * what the plan relies on, the plan says so; the arguments stay.
 */
#include "core/place.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static bool plans_cpu(const struct fit_planner *planner)
{
	return planner->profile->cpu.intent.set;
}

/* What libvirt writes into -cpu: the CPU, Hyper-V, and most of what is KVM's. */
static bool plans_cpu_option(const struct fit_planner *planner)
{
	const struct fit_profile *profile = planner->profile;

	return plans_cpu(planner) || profile->hyperv.features || profile->hyperv.vendor_id ||
	       profile->features.pmu || profile->features.hidden ||
	       profile->features.hint_dedicated || profile->features.poll_control;
}

static bool plans_vcpus(const struct fit_planner *planner)
{
	return planner->plan->vcpu_count || planner->plan->has_topology;
}

static bool plans_memory(const struct fit_planner *planner)
{
	return planner->plan->has_memory;
}

static bool plans_pages(const struct fit_planner *planner)
{
	return planner->plan->page_kib;
}

static bool plans_threads(const struct fit_planner *planner)
{
	return planner->plan->iothread_count || planner->plan->has_emulator;
}

static bool plans_guest(const struct fit_planner *planner)
{
	return plans_cpu(planner) || plans_memory(planner);
}

/* The type in "iothread,id=x", "qom-type=iothread,…" or {"qom-type": "iothread", …}. */
static bool is_object(const char *value, const char *type)
{
	static const char key[] = "qom-type";
	const char *found = strstr(value, key);

	if (found)
		value = found + strlen(key) + strspn(found + strlen(key), "\" :=");
	return fit_starts_with(value, type);
}

/* "host-x86_64-cpu.pmu=off", "driver=host-x86_64-cpu,property=pmu,value=off". */
static bool is_of_cpu(const char *value, const char *type FIT_UNUSED)
{
	return strstr(value, "-cpu.") || strstr(value, "-cpu,");
}

static const struct conflict {
	const char *option;
	bool (*matches)(const char *value, const char *type); /* NULL: whatever its value is */
	const char *type;				      /* for @matches */
	bool (*concerns)(const struct fit_planner *planner);
	const char *topic;
	const char *shown;
	const char *effect; /* "carries -cpu, …" */
} conflicts[] = {
	{"cpu", NULL, NULL, plans_cpu_option, "cpu", "-cpu",
		"which replaces what <cpu>, <hyperv> and <kvm> say"},
	{"global", is_of_cpu, NULL, plans_cpu, "cpu", "-global for the CPU",
		"which changes the CPU behind the back of <cpu>"},
	{"smp", NULL, NULL, plans_vcpus, "cpu", "-smp",
		"which overrides <vcpu> and the topology: the vCPUs are pinned as libvirt counts "
		"them"},
	{"numa", NULL, NULL, plans_memory, "memory", "-numa",
		"guest cells that libvirt does not know of: <numatune> does not bind their memory"},
	{"m", NULL, NULL, plans_memory, "memory", "-m",
		"which replaces the size of <memory>, for which node and pages are chosen"},
	{"object", is_object, "memory-backend-", plans_memory, "memory", "-object memory-backend-*",
		"memory that <numatune> and <memoryBacking> say nothing about"},
	{"mem-path", NULL, NULL, plans_memory, "memory", "-mem-path",
		"which takes the memory from there, whatever <memoryBacking> says"},
	{"mem-prealloc", NULL, NULL, plans_pages, "memory", "-mem-prealloc",
		"which touches all memory at start, whatever <allocation> says"},
	{"overcommit", NULL, NULL, plans_memory, "memory", "-overcommit",
		"which overrides <locked>, or keeps idle vCPUs on their CPUs"},
	{"realtime", NULL, NULL, plans_memory, "memory", "-realtime", "which overrides <locked>"},
	{"object", is_object, "iothread", plans_threads, "iothreads", "-object iothread",
		"a thread that libvirt cannot pin: it runs where the emulator does"},
	{"machine", NULL, NULL, plans_guest, "cpu", "-machine",
		"which overrides what libvirt says of the machine"},
	{"M", NULL, NULL, plans_guest, "cpu", "-M",
		"which overrides what libvirt says of the machine"},
};

/* The name of the option, NULL for a value. QEMU accepts one dash and two. */
static const char *option_of(const char *arg)
{
	if (*arg != '-')
		return NULL;
	return arg[1] == '-' ? arg + 2 : arg + 1;
}

static bool applies(
	const struct conflict *conflict, const struct fit_planner *planner, size_t index)
{
	const struct fit_strlist *args = &planner->domain->qemu_args;
	const char *value = index + 1 < args->count ? args->items[index + 1] : "";

	return fit_streq(option_of(args->items[index]), conflict->option) &&
	       (!conflict->matches || conflict->matches(value, conflict->type)) &&
	       conflict->concerns(planner);
}

void fit_place_qemu_args_check(struct fit_planner *planner)
{
	for (size_t i = 0; i < FIT_ARRAY_SIZE(conflicts); i++) {
		const struct conflict *conflict = &conflicts[i];
		size_t index = 0;

		while (index < planner->domain->qemu_args.count &&
			!applies(conflict, planner, index))
			index++;
		if (index < planner->domain->qemu_args.count)
			fit_planner_reason(planner, FIT_REASON_WARNING, conflict->topic,
				"<qemu:commandline> carries %s, %s", conflict->shown,
				conflict->effect);
	}
}
