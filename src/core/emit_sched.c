/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * <vcpusched>, <emulatorsched>, <iothreadsched> and <shares>. libvirt prints one line for each
 * thread, whatever it read: so do we. It refuses lists that overlap: those of the definition are
 * kept, or all go.
 */
#include "core/emit_parts.h"

#include "base/memory.h"
#include "base/text.h"

struct threads {
	const char *element;
	const char *attribute;
	const char *what;
	const struct fit_strlist *found; /* lists of threads that have a scheduler */
};

/* One of the threads, as we write it: any other list overlaps with the lines of ours, or is for
 * what has none any more. */
static bool is_one_of(const struct fit_thread_pin *threads, size_t count, const char *list)
{
	fit_autofree char *spelled = NULL;
	uint64_t id;

	if (!fit_parse_uint(list, FIT_IOTHREAD_IDS_MAX - 1, &id))
		return false;
	spelled = fit_xasprintf("%u", (unsigned int)id);
	for (size_t i = 0; i < count; i++)
		if (threads[i].id == id)
			return fit_streq(list, spelled);
	return false;
}

static char *format_path(const struct threads *kind, const char *list)
{
	return fit_xasprintf("cputune/%s[@%s='%s']", kind->element, kind->attribute, list);
}

/* The lines that are to be there, by thread. */
static struct fit_edits list_lines(const struct fit_scheduling *scheduling,
	const struct threads *kind, const struct fit_thread_pin *threads, size_t count)
{
	struct fit_edits lines = {0};

	for (size_t i = 0; i < count; i++) {
		fit_autofree char *list = fit_xasprintf("%u", threads[i].id);
		fit_autofree char *path = format_path(kind, list);

		fit_edits_setf(&lines, path, "<%s %s='%s' scheduler='%s' priority='%u'/>",
			kind->element, kind->attribute, list, scheduling->policy,
			scheduling->priority);
	}
	return lines;
}

/* What the definition has, for people; NULL when it has none, ours if it says the same. */
static char *describe_found(const struct fit_emitter *emitter, const struct threads *kind,
	const struct fit_edits *lines, const char *ours)
{
	fit_autofree char *lists = fit_strlist_join(kind->found, ", ");
	bool same = kind->found->count == lines->count;

	if (!kind->found->count)
		return NULL;
	for (size_t i = 0; i < lines->count; i++)
		same = same &&
		       fit_emit_is_there(emitter, lines->items[i].path, lines->items[i].value);
	return same ? fit_xstrdup(ours) : fit_xasprintf("set for %s", lists);
}

static int emit_schedulers(const struct fit_emitter *emitter, const struct fit_intent *intent,
	const struct fit_scheduling *scheduling, const struct threads *kind,
	const struct fit_thread_pin *threads, size_t count)
{
	struct fit_edits lines = list_lines(scheduling, kind, threads, count);
	fit_autofree char *wanted = fit_xasprintf(
		"%s with priority %u for each", scheduling->policy, scheduling->priority);
	fit_autofree char *found = describe_found(emitter, kind, &lines, wanted);
	int decision = fit_emit_decide(emitter, intent, kind->what, found, wanted);

	for (size_t i = 0; i < kind->found->count && decision > 0; i++) {
		fit_autofree char *path = format_path(kind, kind->found->items[i]);

		if (!is_one_of(threads, count, kind->found->items[i]))
			fit_edits_remove(emitter->edits, path);
	}
	for (size_t i = 0; i < lines.count && decision > 0; i++)
		fit_edits_set(emitter->edits, lines.items[i].path, lines.items[i].value);
	fit_edits_clear(&lines);
	return decision;
}

static int emit_vcpus(const struct fit_emitter *emitter)
{
	const struct fit_plan *plan = emitter->plan;
	const struct threads kind = {"vcpusched", "vcpus", "the scheduler of the vCPUs",
		&emitter->domain->vcpu_schedulers};
	fit_autofree struct fit_thread_pin *dedicated =
		fit_xcalloc(plan->vcpu_count, sizeof(*dedicated));
	size_t count = 0;

	for (size_t i = 0; i < plan->vcpu_count; i++)
		if (!fit_cpuset_contains(&plan->pooled_vcpus, plan->vcpus[i].id))
			dedicated[count++] = plan->vcpus[i];
	return plan->vcpus_real_time
		       ? emit_schedulers(emitter, &emitter->profile->vcpus.intent,
				 &emitter->profile->vcpus.scheduling, &kind, dedicated, count)
		       : 0;
}

/* Libvirt takes any number for an iothread, but not in a list of them. */
static int emit_iothreads(const struct fit_emitter *emitter)
{
	const struct fit_plan *plan = emitter->plan;
	const struct threads kind = {"iothreadsched", "iothreads", "the scheduler of the iothreads",
		&emitter->domain->iothread_schedulers};
	fit_autofree struct fit_thread_pin *listed =
		fit_xcalloc(plan->iothread_count, sizeof(*listed));
	size_t count = 0;

	if (!plan->iothreads_real_time)
		return 0;
	for (size_t i = 0; i < plan->iothread_count; i++) {
		if (plan->iothreads[i].id < FIT_IOTHREAD_IDS_MAX)
			listed[count++] = plan->iothreads[i];
		else
			fit_plan_reason(emitter->plan, FIT_REASON_NOTE, "scheduler",
				"no real-time scheduler for iothread %u: its number is above %d",
				plan->iothreads[i].id, FIT_IOTHREAD_IDS_MAX - 1);
	}
	return emit_schedulers(emitter, &emitter->profile->iothreads.intent,
		&emitter->profile->iothreads.scheduling, &kind, listed, count);
}

static int emit_emulator(const struct fit_emitter *emitter)
{
	const struct fit_scheduling *scheduling = &emitter->profile->emulator.scheduling;
	fit_autofree char *element = NULL;

	if (!emitter->plan->emulator_real_time)
		return 0;
	element = fit_xasprintf("<emulatorsched scheduler='%s' priority='%u'/>", scheduling->policy,
		scheduling->priority);
	return fit_emit_setting(emitter, &emitter->profile->emulator.intent,
		&(struct fit_setting){
			.topic = "emulator",
			.what = "the scheduler of the emulator",
			.path = "cputune/emulatorsched",
			.value = element,
			.feature = FIT_FEATURE_EMULATOR_SCHEDULER,
		});
}

static int emit_shares(const struct fit_emitter *emitter)
{
	const struct fit_intent_shares *shares = &emitter->profile->shares;
	fit_autofree char *value = fit_xasprintf("%u", shares->value);

	if (!shares->intent.set || !shares->value)
		return 0;
	return fit_emit_setting(emitter, &shares->intent,
		&(struct fit_setting){
			.what = "the shares of CPU time",
			.path = "cputune/shares/text()",
			.value = value,
		});
}

int fit_emit_scheduling(const struct fit_emitter *emitter)
{
	if (emit_vcpus(emitter) < 0 || emit_emulator(emitter) < 0 || emit_iothreads(emitter) < 0)
		return -1;
	return emit_shares(emitter);
}
