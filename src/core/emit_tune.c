/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <iothreads>, <iothreadids>, <cputune> and the placement attribute of <vcpu>. */
#include "core/emit_parts.h"

#include "base/memory.h"
#include "base/strlist.h"

static const struct fit_thread_pin *find_pin(
	const struct fit_thread_pin *pins, size_t count, unsigned int id)
{
	for (size_t i = 0; i < count; i++)
		if (pins[i].id == id)
			return &pins[i];
	return NULL;
}

/* One pin: <@element @attribute='ID' cpuset='…'/>. */
static int emit_pin(const struct fit_emitter *emitter, const struct fit_intent *intent,
	const char *element, const char *attribute, const struct fit_thread_pin *pin,
	const struct fit_thread_pin *own)
{
	fit_autofree char *found = own ? fit_cpuset_format_list(&own->cpus) : NULL;
	fit_autofree char *what = fit_xasprintf("the pin of %s %u", attribute, pin->id);
	fit_autofree char *wanted = fit_cpuset_format_list(&pin->cpus);
	fit_autofree char *path =
		fit_xasprintf("cputune/%s[@%s='%u']", element, attribute, pin->id);
	int decision = fit_emit_decide(emitter, intent, what, found, wanted);

	if (decision > 0)
		fit_edits_setf(emitter->edits, path, "<%s %s='%u' cpuset='%s'/>", element,
			attribute, pin->id, wanted);
	return decision;
}

/* The definition's pin of each vCPU, NULL where it has none. To be freed. */
static const struct fit_thread_pin **pins_by_vcpu(const struct fit_domain *domain)
{
	const struct fit_thread_pin **pins = fit_xcalloc(domain->vcpus, sizeof(*pins));

	for (size_t i = 0; i < domain->vcpu_pin_count; i++)
		pins[domain->vcpu_pins[i].id] = &domain->vcpu_pins[i];
	return pins;
}

static int emit_vcpus(const struct fit_emitter *emitter)
{
	const struct fit_domain *domain = emitter->domain;
	const struct fit_plan *plan = emitter->plan;
	const struct fit_intent *intent = &emitter->profile->vcpus.intent;
	fit_autofree const struct fit_thread_pin **own = NULL;
	int decision = 0;

	if (plan->vcpus_kept || plan->vcpu_count == 0)
		return 0;
	/* placement='auto' asks numad at every start, pins or not. */
	if (domain->vcpu_placement_auto)
		decision = fit_emit_decide(
			emitter, intent, "the placement of the vCPUs", "auto", "static");
	if (decision < 0)
		return -1;
	if (decision > 0)
		fit_edits_set(emitter->edits, "vcpu/@placement", "static");
	own = pins_by_vcpu(domain);
	for (size_t i = 0; i < plan->vcpu_count; i++) {
		const struct fit_thread_pin *pin = &plan->vcpus[i];

		if (emit_pin(emitter, intent, "vcpupin", "vcpu", pin,
			    pin->id < domain->vcpus ? own[pin->id] : NULL) < 0)
			return -1;
	}
	return 0;
}

static int emit_emulator(const struct fit_emitter *emitter)
{
	const struct fit_domain *domain = emitter->domain;
	fit_autofree char *found =
		domain->has_emulator_pin ? fit_cpuset_format_list(&domain->emulator_pin) : NULL;
	fit_autofree char *wanted = fit_cpuset_format_list(&emitter->plan->emulator);
	int decision;

	if (!emitter->plan->has_emulator)
		return 0;
	decision = fit_emit_decide(emitter, &emitter->profile->emulator.intent,
		"the pin of the emulator", found, wanted);
	if (decision > 0)
		fit_edits_setf(emitter->edits, "cputune/emulatorpin", "<emulatorpin cpuset='%s'/>",
			wanted);
	return decision;
}

static bool has_iothread(const struct fit_domain *domain, unsigned int id)
{
	for (size_t i = 0; i < domain->iothread_count; i++)
		if (domain->iothread_ids[i] == id)
			return true;
	return false;
}

/*
 * The domain's own iothreads stay, its disks may use them; the plan's are added. libvirt numbers
 * iothreads itself as long as nobody gives ids; once it does it prints all ids, and then ours must
 * be entries of their own to be taken back later.
 */
static void write_iothreads(const struct fit_emitter *emitter)
{
	const struct fit_domain *domain = emitter->domain;
	const struct fit_plan *plan = emitter->plan;
	size_t count = domain->iothread_count;
	size_t highest = count ? domain->iothread_ids[count - 1] : 0;

	for (size_t i = 0; i < plan->iothread_count; i++) {
		if (!has_iothread(domain, plan->iothreads[i].id))
			count++;
		if (plan->iothreads[i].id > highest)
			highest = plan->iothreads[i].id;
	}
	if (count == domain->iothread_count)
		return;
	fit_edits_setf(emitter->edits, "iothreads/text()", "%zu", count);
	if (!domain->has_iothread_ids && highest == count)
		return;
	for (size_t i = 0; i < plan->iothread_count; i++) {
		unsigned int id = plan->iothreads[i].id;
		fit_autofree char *path = fit_xasprintf("iothreadids/iothread[@id='%u']", id);

		if (!has_iothread(domain, id))
			fit_edits_setf(emitter->edits, path, "<iothread id='%u'/>", id);
	}
}

static char *format_ids(const struct fit_domain *domain)
{
	fit_autostrlist struct fit_strlist ids = {0};

	if (!domain->has_iothreads)
		return NULL;
	for (size_t i = 0; i < domain->iothread_count; i++)
		fit_strlist_addf(&ids, "%u", domain->iothread_ids[i]);
	return fit_strlist_join(&ids, ", ");
}

static char *format_planned_ids(const struct fit_plan *plan)
{
	fit_autostrlist struct fit_strlist ids = {0};

	for (size_t i = 0; i < plan->iothread_count; i++)
		fit_strlist_addf(&ids, "%u", plan->iothreads[i].id);
	return fit_strlist_join(&ids, ", ");
}

static int emit_iothreads(const struct fit_emitter *emitter)
{
	const struct fit_domain *domain = emitter->domain;
	const struct fit_plan *plan = emitter->plan;
	const struct fit_intent *intent = &emitter->profile->iothreads.intent;
	fit_autofree char *found = format_ids(domain);
	fit_autofree char *wanted = format_planned_ids(plan);
	int decision = 0;

	if (!plan->iothreads_kept && plan->iothread_count)
		decision = fit_emit_decide(emitter, intent, "the list of iothreads", found, wanted);
	if (decision < 0)
		return -1;
	if (decision > 0)
		write_iothreads(emitter);
	for (size_t i = 0; i < plan->iothread_count; i++) {
		const struct fit_thread_pin *pin = &plan->iothreads[i];
		const struct fit_thread_pin *own =
			find_pin(domain->iothread_pins, domain->iothread_pin_count, pin->id);

		if (fit_cpuset_is_empty(&pin->cpus) ||
			(decision == 0 && !has_iothread(domain, pin->id)))
			continue;
		if (emit_pin(emitter, intent, "iothreadpin", "iothread", pin, own) < 0)
			return -1;
	}
	return 0;
}

/* One note, not one for each iothread. */
static int emit_polling(const struct fit_emitter *emitter)
{
	const struct fit_plan *plan = emitter->plan;
	unsigned int max = emitter->profile->iothreads.poll_max;
	fit_autofree char *poll =
		fit_xasprintf("<poll max='%u'/>", max == FIT_IOTHREADS_POLL_OFF ? 0 : max);

	if (!emitter->profile->iothreads.intent.set || !max)
		return 0;
	for (size_t i = 0; i < plan->iothread_count; i++) {
		fit_autofree char *path =
			fit_xasprintf("iothreadids/iothread[@id='%u']/poll", plan->iothreads[i].id);
		int decision = fit_emit_setting(emitter, &emitter->profile->iothreads.intent,
			&(struct fit_setting){
				.topic = "iothreads",
				.what = "the polling of the iothreads",
				.path = path,
				.value = poll,
				.feature = FIT_FEATURE_IOTHREAD_POLL,
			});

		if (decision < 0)
			return -1;
		if (!fit_target_has(
			    emitter->target, emitter->domain, FIT_FEATURE_IOTHREAD_POLL, NULL))
			break;
	}
	return 0;
}

int fit_emit_threads(const struct fit_emitter *emitter)
{
	if (emit_vcpus(emitter) < 0 || emit_emulator(emitter) < 0)
		return -1;
	if (emit_iothreads(emitter) < 0)
		return -1;
	return emit_polling(emitter);
}
