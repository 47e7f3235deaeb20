/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/live.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/domain.h"
#include "core/path.h"
#include "core/rewrite.h"

struct comparison {
	struct fit_domain running, fitted;
	struct fit_live live;
};

void fit_live_clear(struct fit_live *live)
{
	free(live->changes);
	fit_strlist_clear(&live->missing);
	*live = (struct fit_live){0};
}

static void add_change(struct comparison *comparison, enum fit_live_kind kind, unsigned int id,
	const struct fit_cpuset *cpus)
{
	struct fit_live_change *change =
		FIT_APPEND(comparison->live.changes, comparison->live.change_count);

	change->kind = kind;
	change->id = id;
	if (cpus)
		change->cpus = *cpus;
}

static bool has_iothread(const struct fit_domain *domain, unsigned int id)
{
	for (size_t i = 0; i < domain->iothread_count; i++)
		if (domain->iothread_ids[i] == id)
			return true;
	return false;
}

static void add_iothreads(struct comparison *comparison)
{
	const struct fit_domain *fitted = &comparison->fitted;

	for (size_t i = 0; i < fitted->iothread_count; i++)
		if (!has_iothread(&comparison->running, fitted->iothread_ids[i]))
			add_change(
				comparison, FIT_LIVE_ADD_IOTHREAD, fitted->iothread_ids[i], NULL);
}

static const struct fit_cpuset *find_pin(
	const struct fit_thread_pin *pins, size_t count, unsigned int id)
{
	for (size_t i = 0; i < count; i++)
		if (pins[i].id == id)
			return &pins[i].cpus;
	return NULL;
}

/* Can the pin that is missing be had? Then it is one of the changes. */
static bool take_pin(struct comparison *comparison, const struct fit_path_step *step)
{
	const struct fit_domain *fitted = &comparison->fitted;
	const struct fit_cpuset *cpus = NULL;
	enum fit_live_kind kind = FIT_LIVE_PIN_VCPU;
	uint64_t id = 0;

	if (step->condition_count && !fit_parse_uint(step->conditions[0].value, UINT32_MAX, &id))
		return false;
	if (fit_streq(step->name, "emulatorpin")) {
		kind = FIT_LIVE_PIN_EMULATOR;
		cpus = &fitted->emulator_pin;
	} else if (fit_streq(step->name, "iothreadpin")) {
		kind = FIT_LIVE_PIN_IOTHREAD;
		cpus = find_pin(
			fitted->iothread_pins, fitted->iothread_pin_count, (unsigned int)id);
	} else if (fit_streq(step->name, "vcpupin") && id < comparison->running.vcpus_current) {
		cpus = find_pin(fitted->vcpu_pins, fitted->vcpu_pin_count, (unsigned int)id);
	}
	if (!cpus)
		return false;
	add_change(comparison, kind, (unsigned int)id, cpus);
	return true;
}

/* Iothreads are compared as a whole, and those that a domain has beyond are its own. */
static bool is_of_iothreads(const struct fit_path *path)
{
	return fit_streq(path->steps[0].name, "iothreads") ||
	       (fit_streq(path->steps[0].name, "iothreadids") && path->step_count < 3);
}

static void take(struct comparison *comparison, const struct fit_edit *edit)
{
	fit_autopath struct fit_path path = {0};

	if (fit_path_parse(edit->path, &path, NULL) == 0 &&
		(is_of_iothreads(&path) ||
			(edit->value && path.kind == FIT_PATH_ELEMENT &&
				fit_streq(path.steps[0].name, "cputune") && path.step_count == 2 &&
				take_pin(comparison, &path.steps[1]))))
		return;
	fit_strlist_addf(
		&comparison->live.missing, "%s%s", edit->value ? "" : "removal of ", edit->path);
}

static int compare(struct comparison *comparison, xmlDoc *running, xmlDoc *fitted, const char *name,
	struct fit_err *err)
{
	struct fit_record record = {0};
	struct fit_edits missing = {0};
	int found = fit_record_read(fitted, name, &record, err);

	if (found <= 0)
		return found;
	if (fit_domain_read(running, name, &comparison->running, err) < 0 ||
		fit_domain_read(fitted, name, &comparison->fitted, err) < 0) {
		fit_record_clear(&record);
		return -1;
	}
	fit_rewrite_list_missing(running, &record, &missing);
	add_iothreads(comparison);
	for (size_t i = 0; i < missing.count; i++)
		take(comparison, &missing.items[i]);
	fit_edits_clear(&missing);
	fit_record_clear(&record);
	return 0;
}

int fit_live_compare(xmlDoc *running, xmlDoc *fitted, const char *name, struct fit_live *ret_live,
	struct fit_err *err)
{
	struct comparison comparison = {0};
	int status = compare(&comparison, running, fitted, name, err);

	fit_domain_clear(&comparison.running);
	fit_domain_clear(&comparison.fitted);
	if (status < 0)
		fit_live_clear(&comparison.live);
	else
		*ret_live = comparison.live;
	return status;
}

char *fit_live_describe(const struct fit_live_change *change)
{
	fit_autofree char *cpus = fit_cpuset_describe(&change->cpus, "CPU");

	switch (change->kind) {
	case FIT_LIVE_ADD_IOTHREAD:
		return fit_xasprintf("a new iothread %u", change->id);
	case FIT_LIVE_PIN_IOTHREAD:
		return fit_xasprintf("iothread %u to %s", change->id, cpus);
	case FIT_LIVE_PIN_VCPU:
		return fit_xasprintf("vCPU %u to %s", change->id, cpus);
	case FIT_LIVE_PIN_EMULATOR:
		break;
	}
	return fit_xasprintf("the emulator to %s", cpus);
}
