/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sys/journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/domain.h"
#include "sys/paths.h"
#include "sys/statefile.h"

#define KIND "journal"

/* The CPUs for interrupts: one of them for each, or all for all. */
#define INTERRUPTS_SPREAD "interrupts-spread-over"
#define INTERRUPTS	  "interrupts-to"

static const char *const stage_names[] = {
	[FIT_STAGE_INCOMING] = "incoming",
	[FIT_STAGE_PREPARED] = "prepared",
	[FIT_STAGE_STARTED] = "started",
	[FIT_STAGE_STOPPED] = "stopped",
};

static const char *const phase_names[] = {
	[FIT_PHASE_PREPARE] = "prepare",
	[FIT_PHASE_START] = "start",
	[FIT_PHASE_STARTED] = "started",
	[FIT_PHASE_STOPPED] = "stopped",
	[FIT_PHASE_RELEASE] = "release",
};

static const char *const unfitted_names[] = {
	[FIT_UNFITTED_NOT] = "no",
	[FIT_UNFITTED_WHOLE] = "yes",
	[FIT_UNFITTED_LIVE] = "live",
};

const char *fit_stage_name(enum fit_stage stage)
{
	return stage_names[stage];
}

void fit_claim_entry_clear(struct fit_claim_entry *claim)
{
	free(claim->path);
	free(claim->contribution);
	*claim = (struct fit_claim_entry){0};
}

void fit_journal_clear(struct fit_journal *journal)
{
	for (size_t i = 0; i < journal->claim_count; i++)
		fit_claim_entry_clear(&journal->claims[i]);
	free(journal->claims);
	free(journal->devices);
	free(journal->name);
	free(journal->damage);
	free(journal->uuid);
	*journal = (struct fit_journal){0};
}

void fit_journal_hold(
	struct fit_journal *journal, const struct fit_domain *domain, const struct fit_hostops *ops)
{
	journal->exclusive_cpus = ops->exclusive_cpus;
	journal->vcpu_cpus = fit_domain_vcpu_cpus(domain);
	journal->held_cpus = fit_domain_own_cpus(domain);
	journal->interrupt_cpus = ops->interrupt_cpus;
	journal->interrupts_spread = ops->interrupts_spread;
	journal->device_count = 0;
	for (size_t i = 0; i < domain->hostdev_count; i++)
		*FIT_APPEND(journal->devices, journal->device_count) = domain->hostdevs[i].source;
}

bool fit_journal_has_device(const struct fit_journal *journal, struct fit_pciaddr device)
{
	for (size_t i = 0; i < journal->device_count; i++)
		if (fit_pciaddr_equal(journal->devices[i], device))
			return true;
	return false;
}

static void add_pair(struct fit_buffer *text, const char *key, const char *value)
{
	fit_autostrlist struct fit_strlist words = {0};

	fit_strlist_add(&words, key);
	fit_strlist_add(&words, value);
	fit_statefile_add(text, &words);
}

static void add_claim(struct fit_buffer *text, const struct fit_claim_entry *claim)
{
	fit_autostrlist struct fit_strlist words = {0};

	fit_strlist_add(&words, "claim");
	fit_strlist_addf(&words, "%llu", (unsigned long long)claim->sequence);
	fit_strlist_add(&words, fit_resource_kind_name(claim->kind));
	fit_strlist_add(&words, claim->path);
	fit_strlist_add(&words, claim->contribution);
	fit_strlist_add(&words, phase_names[claim->undo]);
	if (claim->moved)
		fit_strlist_addf(&words, "%u", claim->moved);
	fit_statefile_add(text, &words);
}

char *fit_journal_print(const struct fit_journal *journal, const char *boot_id)
{
	fit_autofree char *cpus = fit_cpuset_format_list(&journal->exclusive_cpus);
	fit_autofree char *vcpus = fit_cpuset_format_list(&journal->vcpu_cpus);
	fit_autofree char *held = fit_cpuset_format_list(&journal->held_cpus);
	fit_autofree char *interrupts = fit_cpuset_format_list(&journal->interrupt_cpus);
	struct fit_buffer text = {0};

	fit_statefile_begin(&text, KIND, boot_id);
	add_pair(&text, "uuid", journal->uuid);
	add_pair(&text, "name", journal->name);
	add_pair(&text, "stage", stage_names[journal->stage]);
	if (journal->unfitted)
		add_pair(&text, "unfitted", unfitted_names[journal->unfitted]);
	if (journal->damage)
		add_pair(&text, journal->holdings_lost ? "lost" : "damage", journal->damage);
	if (journal->announced)
		add_pair(&text, "announced", "yes");
	add_pair(&text, "cpus", cpus);
	add_pair(&text, "vcpu-cpus", vcpus);
	add_pair(&text, "held-cpus", held);
	add_pair(&text, journal->interrupts_spread ? INTERRUPTS_SPREAD : INTERRUPTS, interrupts);
	for (size_t i = 0; i < journal->device_count; i++)
		add_pair(&text, "device", FIT_PCIADDR_STR(journal->devices[i]));
	for (size_t i = 0; i < journal->claim_count; i++)
		add_claim(&text, &journal->claims[i]);
	fit_statefile_end(&text);
	return fit_buffer_steal(&text);
}

static bool find_name(
	const char *const *names, size_t count, const char *name, unsigned int *ret_index)
{
	for (size_t i = 0; i < count; i++) {
		if (fit_streq(names[i], name)) {
			*ret_index = (unsigned int)i;
			return true;
		}
	}
	return false;
}

static bool take_claim(struct fit_journal *journal, const struct fit_strlist *words)
{
	struct fit_claim_entry claim = {0};
	uint64_t moved = 0;
	unsigned int undo;

	if ((words->count != 6 && words->count != 7) || !*words->items[3] ||
		!fit_parse_uint(words->items[1], UINT64_MAX - 1, &claim.sequence) ||
		!fit_resource_kind_parse(words->items[2], &claim.kind) ||
		!find_name(phase_names, FIT_ARRAY_SIZE(phase_names), words->items[5], &undo) ||
		(words->count == 7 && !fit_parse_uint(words->items[6], UINT32_MAX, &moved)))
		return false;
	claim.path = fit_xstrdup(words->items[3]);
	claim.hash = fit_text_hash(claim.path);
	claim.contribution = fit_xstrdup(words->items[4]);
	claim.undo = (enum fit_phase)undo;
	claim.moved = (unsigned int)moved;
	*FIT_APPEND(journal->claims, journal->claim_count) = claim;
	return true;
}

static bool take_line(void *context, const struct fit_strlist *words)
{
	struct fit_journal *journal = context;
	const char *key = words ? words->items[0] : NULL;
	const char *value = words && words->count == 2 ? words->items[1] : NULL;
	struct fit_pciaddr device;
	unsigned int stage, unfitted;

	/* They are recorded before the claims. */
	if (!words) {
		journal->holdings_lost |= !journal->claim_count;
		return true;
	}
	if (fit_streq(key, "claim"))
		return take_claim(journal, words);
	if (!value)
		return false;
	if (fit_streq(key, "uuid")) {
		fit_xreplace(&journal->uuid, value);
		return fit_uuid_is_valid(value);
	}
	if (fit_streq(key, "name")) {
		fit_xreplace(&journal->name, value);
		return true;
	}
	if (fit_streq(key, "damage") || fit_streq(key, "lost")) {
		journal->holdings_lost = fit_streq(key, "lost");
		fit_xreplace(&journal->damage, value);
		return true;
	}
	if (fit_streq(key, "stage")) {
		if (!find_name(stage_names, FIT_ARRAY_SIZE(stage_names), value, &stage))
			return false;
		journal->stage = (enum fit_stage)stage;
		return true;
	}
	if (fit_streq(key, "unfitted")) {
		if (!find_name(unfitted_names, FIT_ARRAY_SIZE(unfitted_names), value, &unfitted))
			return false;
		journal->unfitted = (enum fit_unfitted)unfitted;
		return true;
	}
	if (fit_streq(key, "announced")) {
		journal->announced = fit_streq(value, "yes");
		return journal->announced;
	}
	if (fit_streq(key, "cpus"))
		return fit_cpuset_parse_list(value, &journal->exclusive_cpus, NULL) == 0;
	if (fit_streq(key, "vcpu-cpus"))
		return fit_cpuset_parse_list(value, &journal->vcpu_cpus, NULL) == 0;
	if (fit_streq(key, "held-cpus"))
		return fit_cpuset_parse_list(value, &journal->held_cpus, NULL) == 0;
	if (fit_streq(key, INTERRUPTS) || fit_streq(key, INTERRUPTS_SPREAD)) {
		journal->interrupts_spread = fit_streq(key, INTERRUPTS_SPREAD);
		return fit_cpuset_parse_list(value, &journal->interrupt_cpus, NULL) == 0;
	}
	if (fit_streq(key, "device") && fit_pciaddr_parse(value, &device)) {
		*FIT_APPEND(journal->devices, journal->device_count) = device;
		return true;
	}
	return false;
}

int fit_journal_parse(const char *text, const char *path, const char *boot_id,
	struct fit_journal *ret_journal, struct fit_err *err)
{
	struct fit_journal journal = {0};

	if (fit_statefile_parse(text, path, KIND, boot_id, take_line, &journal, err) < 0) {
		fit_journal_clear(&journal);
		return -1;
	}
	if (!journal.uuid || !journal.name) {
		fit_journal_clear(&journal);
		return fit_err_set(
			err, FIT_ERR_INVALID, "/%s: damaged state file (it names no domain)", path);
	}
	*ret_journal = journal;
	return 0;
}

void fit_journal_salvage(const char *text, const char *path, const char *uuid, const char *boot_id,
	struct fit_journal *ret_journal)
{
	struct fit_journal journal = {.stage = FIT_STAGE_STARTED};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_statefile_salvage(text, path, KIND, boot_id, take_line, &journal, &err) == 0)
		(void)fit_err_set(&err, FIT_ERR_INVALID,
			"/%s: damaged state file (it names no domain)", path);
	fit_xreplace(&journal.uuid, uuid);
	fit_xreplace(&journal.damage, err.message);
	if (!journal.name)
		journal.name = fit_xstrdup(uuid);
	journal.holdings_lost |= !journal.claim_count;
	*ret_journal = journal;
}

char *fit_journal_path(const char *uuid)
{
	return fit_xasprintf(FIT_PATH_DOMAINS "/%s", uuid);
}

int fit_journal_save(const struct fit_fsroot *root, const struct fit_journal *journal,
	const char *boot_id, struct fit_err *err)
{
	fit_autofree char *path = fit_journal_path(journal->uuid);
	fit_autofree char *text = fit_journal_print(journal, boot_id);

	return fit_fsroot_replace(root, path, text, strlen(text), err);
}

int fit_journal_remove(const struct fit_fsroot *root, const char *uuid, struct fit_err *err)
{
	fit_autofree char *path = fit_journal_path(uuid);

	return fit_fsroot_remove(root, path, err);
}
