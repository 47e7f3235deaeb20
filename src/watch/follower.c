/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/follower.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/irqbalance.h"
#include "sys/paths.h"
#include "sys/vectors.h"

/* A hook that waits for us makes everybody wait who lists domains. */
enum { LOCK_WAIT_MS = 2000, WORK_MS = 5000 };

struct device {
	struct fit_pciaddr address;
	DIR *list; /* NULL: there is none, or it was empty and may be another one next time */
	unsigned int *numbers;
	size_t count;
	unsigned int line; /* when it was looked at last */
};

/* What a claim says of a vector. */
struct expected {
	unsigned int number;
	char *path;
	char *affinity; /* NULL: it is left as it is */
};

struct fit_followed {
	char *uuid;
	char *name;
	struct device *devices;
	size_t device_count;
	struct expected *expected;
	size_t expected_count;
	bool listed;	     /* in the journals that were loaded last */
	bool displaced;	     /* CPUs have come or gone since it was placed */
	bool refused;	     /* vectors without a claim wait for the next check */
	int64_t hurry_until; /* until then it is looked at often */
	int64_t list_due;
	int64_t check_due;
	char *complaint; /* what was said of it last; NULL: nothing */
};

static void close_list(struct device *device)
{
	if (device->list)
		closedir(device->list);
	device->list = NULL;
}

static void clear_devices(struct fit_followed *followed)
{
	for (size_t i = 0; i < followed->device_count; i++) {
		close_list(&followed->devices[i]);
		free(followed->devices[i].numbers);
	}
	free(followed->devices);
	followed->devices = NULL;
	followed->device_count = 0;
}

static void clear_expected(struct fit_followed *followed)
{
	for (size_t i = 0; i < followed->expected_count; i++) {
		free(followed->expected[i].path);
		free(followed->expected[i].affinity);
	}
	free(followed->expected);
	followed->expected = NULL;
	followed->expected_count = 0;
}

static void clear_followed(struct fit_followed *followed)
{
	clear_devices(followed);
	clear_expected(followed);
	free(followed->complaint);
	free(followed->name);
	free(followed->uuid);
}

void fit_follower_init(struct fit_follower *follower, const struct fit_fsroot *root,
	fit_follower_teller tell, void *context)
{
	*follower = (struct fit_follower){.root = root, .tell = tell, .context = context};
	fit_restarts_init(&follower->irqbalance);
}

void fit_follower_clear(struct fit_follower *follower)
{
	for (size_t i = 0; i < follower->count; i++)
		clear_followed(&follower->items[i]);
	free(follower->items);
	free(follower->complaint);
	free(follower->online);
	fit_patience_clear(&follower->patience);
	fit_restarts_clear(&follower->irqbalance);
	*follower = (struct fit_follower){0};
}

/* Says what is wrong, once; NULL: nothing is, any more. */
static void complain(
	struct fit_follower *follower, char **complaint, const char *domain, const char *text)
{
	if (text && !fit_streq(text, *complaint))
		follower->tell(follower->context, FIT_LOG_WARNING, domain, text);
	fit_xreplace(complaint, text);
}

/* --- what the journals say --- */

static struct fit_followed *find(const struct fit_follower *follower, const char *uuid)
{
	for (size_t i = 0; i < follower->count; i++)
		if (strcasecmp(follower->items[i].uuid, uuid) == 0)
			return &follower->items[i];
	return NULL;
}

/* Is it for a vector? */
static bool read_claim(const struct fit_claim_entry *claim, enum fit_irq_wish *ret_wish,
	struct fit_cpuset *ret_cpus)
{
	return claim->kind == FIT_RESOURCE_IRQ &&
	       fit_irq_contribution_read(claim->contribution, ret_wish, ret_cpus) &&
	       *ret_wish != FIT_IRQ_AVOID;
}

static bool has_vectors(const struct fit_journal *journal)
{
	enum fit_irq_wish wish;
	struct fit_cpuset cpus;

	for (size_t i = 0; i < journal->claim_count; i++)
		if (read_claim(&journal->claims[i], &wish, &cpus))
			return true;
	return false;
}

/* Vectors of the last device that was unplugged end here, too. */
static bool is_to_follow(const struct fit_journal *journal)
{
	return journal->stage == FIT_STAGE_STARTED &&
	       (journal->device_count || has_vectors(journal)) &&
	       !fit_cpuset_is_empty(&journal->interrupt_cpus);
}

static bool has_same_devices(const struct fit_followed *followed, const struct fit_journal *journal)
{
	if (followed->device_count != journal->device_count)
		return false;
	for (size_t i = 0; i < journal->device_count; i++)
		if (!fit_pciaddr_equal(followed->devices[i].address, journal->devices[i]))
			return false;
	return true;
}

static void learn(struct fit_followed *followed, const struct fit_journal *journal)
{
	clear_expected(followed);
	for (size_t i = 0; i < journal->claim_count; i++) {
		const struct fit_claim_entry *claim = &journal->claims[i];
		enum fit_irq_wish wish;
		struct fit_cpuset cpus;
		struct expected *expected;

		if (!read_claim(claim, &wish, &cpus))
			continue;
		expected = FIT_APPEND(followed->expected, followed->expected_count);
		expected->number = fit_vectors_number(claim->path);
		expected->path = fit_xstrdup(claim->path);
		if (wish == FIT_IRQ_TO)
			expected->affinity = fit_cpuset_format_list(&cpus);
	}
}

static void follow(struct fit_follower *follower, const struct fit_journal *journal, int64_t now)
{
	struct fit_followed *followed = find(follower, journal->uuid);

	if (!followed) {
		followed = FIT_APPEND(follower->items, follower->count);
		followed->uuid = fit_xstrdup(journal->uuid);
		followed->name = fit_xstrdup(journal->name);
	}
	followed->listed = true;
	learn(followed, journal);
	if (has_same_devices(followed, journal))
		return;
	clear_devices(followed);
	for (size_t i = 0; i < journal->device_count; i++)
		FIT_APPEND(followed->devices, followed->device_count)->address =
			journal->devices[i];
	followed->list_due = now;
	followed->check_due = now;
	followed->hurry_until = now + FIT_FOLLOW_BOOT_MS;
}

static void drop_unlisted(struct fit_follower *follower)
{
	size_t kept = 0;

	for (size_t i = 0; i < follower->count; i++) {
		if (follower->items[i].listed)
			follower->items[kept++] = follower->items[i];
		else
			clear_followed(&follower->items[i]);
	}
	follower->count = kept;
}

void fit_follower_load(struct fit_follower *follower, int64_t now)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;
	bool needed;

	if (fit_state_snapshot(follower->root, &state, &err) < 0) {
		complain(follower, &follower->complaint, NULL, err.message);
		return;
	}
	complain(follower, &follower->complaint, NULL, NULL);
	for (size_t i = 0; i < follower->count; i++)
		follower->items[i].listed = false;
	for (size_t i = 0; i < state.journal_count; i++)
		if (is_to_follow(&state.journals[i]))
			follow(follower, &state.journals[i], now);
	drop_unlisted(follower);
	needed = follower->count || fit_irqbalance_is_claimed(&state);
	follower->irqbalance.now |= fit_irqbalance_is_awaited(&state);
	fit_state_close(&state);
	fit_restarts_watch(&follower->irqbalance, follower->root, needed, now);
}

void fit_follower_hurry(struct fit_follower *follower, const char *uuid, int64_t now)
{
	struct fit_followed *followed = find(follower, uuid);

	if (!followed)
		return;
	followed->hurry_until = now + FIT_FOLLOW_BOOT_MS;
	followed->list_due = now;
}

/* --- what there is --- */

static void open_list(const struct fit_fsroot *root, struct device *device)
{
	fit_autofree char *path = fit_vectors_directory(device->address);
	int fd = fit_fsroot_openat(root, path, O_RDONLY | O_DIRECTORY);

	device->list = fd >= 0 ? fdopendir(fd) : NULL;
	if (fd >= 0 && !device->list)
		close(fd);
}

static void read_list(const struct fit_fsroot *root, struct device *device)
{
	const struct dirent *entry;
	uint64_t number;

	free(device->numbers);
	device->numbers = NULL;
	device->count = 0;
	if (!device->list)
		open_list(root, device);
	if (!device->list)
		return;
	rewinddir(device->list);
	while ((entry = readdir(device->list)))
		if (fit_parse_uint(entry->d_name, UINT32_MAX, &number))
			*FIT_APPEND(device->numbers, device->count) = (unsigned int)number;
	/* That of a device that was removed stays empty. */
	if (!device->count)
		close_list(device);
}

static bool is_listed(const struct fit_followed *followed, unsigned int number)
{
	for (size_t i = 0; i < followed->device_count; i++) {
		const struct device *device = &followed->devices[i];

		if (!device->count && device->line == number)
			return true;
		for (size_t j = 0; j < device->count; j++)
			if (device->numbers[j] == number)
				return true;
	}
	return false;
}

static bool is_expected(const struct fit_followed *followed, unsigned int number)
{
	for (size_t i = 0; i < followed->expected_count; i++)
		if (followed->expected[i].number == number)
			return true;
	return false;
}

/* Is there a vector without a claim, which can be placed, or a claim without its vector? */
static bool lists_differ(const struct fit_follower *follower, const struct fit_followed *followed)
{
	for (size_t i = 0; i < followed->expected_count; i++)
		if (!is_listed(followed, followed->expected[i].number))
			return true;
	for (size_t i = 0; i < followed->device_count && !followed->refused; i++) {
		const struct device *device = &followed->devices[i];

		if (!device->count && device->line && !is_expected(followed, device->line))
			return true;
		for (size_t j = 0; j < device->count; j++)
			if (!is_expected(followed, device->numbers[j]) &&
				fit_vectors_requested(follower->root, device->numbers[j]))
				return true;
	}
	return false;
}

static bool is_moved(const struct fit_follower *follower, const struct expected *expected)
{
	fit_autofree char *now =
		expected->affinity ? fit_fsroot_try_read(follower->root, expected->path) : NULL;

	return expected->affinity &&
	       (!now || !fit_resource_equal(FIT_RESOURCE_IRQ, now, expected->affinity));
}

static bool is_due_for_work(
	const struct fit_follower *follower, struct fit_followed *followed, bool check)
{
	for (size_t i = 0; i < followed->device_count; i++) {
		struct device *device = &followed->devices[i];

		read_list(follower->root, device);
		if (device->count)
			device->line = 0;
		else if (check)
			device->line = fit_vectors_line(follower->root, device->address);
	}
	if (check)
		followed->refused = false;
	if (followed->displaced || lists_differ(follower, followed))
		return true;
	for (size_t i = 0; i < followed->expected_count && check; i++)
		if (is_moved(follower, &followed->expected[i]))
			return true;
	return false;
}

/* --- what is done --- */

static void tell_placed(struct fit_follower *follower, const struct fit_followed *followed,
	const struct fit_journal *journal, const struct fit_vectors_report *report)
{
	fit_autofree char *cpus = fit_cpuset_describe(&journal->interrupt_cpus, "CPU");
	fit_autofree char *lagging =
		fit_xasprintf(", %zu of them from the next one on", report->lagging);
	fit_autofree char *text = fit_xasprintf("%zu interrupt%s of its devices placed on %s%s",
		report->placed, fit_plural(report->placed), cpus, report->lagging ? lagging : "");

	for (size_t i = 0; i < report->notes.count; i++)
		follower->tell(
			follower->context, FIT_LOG_WARNING, followed->name, report->notes.items[i]);
	if (report->fresh && report->placed)
		follower->tell(follower->context, FIT_LOG_INFO, followed->name, text);
}

static int place(struct fit_follower *follower, struct fit_followed *followed,
	struct fit_state *state, int64_t now, struct fit_err *err)
{
	struct fit_journal *journal = fit_state_journal(state, followed->uuid);
	struct fit_vectors_report report = {0};
	int status;

	/* Stopped just now: that will be told. */
	if (!journal || !is_to_follow(journal))
		return 0;
	status = fit_vectors_place(state, journal, &follower->patience, now, &report, err);
	followed->displaced = false;
	tell_placed(follower, followed, journal, &report);
	learn(followed, journal);
	/* What this could not change is not tried at every look. */
	followed->refused = false;
	followed->refused = lists_differ(follower, followed);
	if ((report.fresh || report.gone) && followed->hurry_until < now + FIT_FOLLOW_CHANGE_MS)
		followed->hurry_until = now + FIT_FOLLOW_CHANGE_MS;
	fit_strlist_clear(&report.notes);
	follower->irqbalance.now |= fit_vectors_to_ban(journal);
	return status;
}

static void work(struct fit_follower *follower, struct fit_followed *followed, int64_t now)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;
	int status = fit_state_open(follower->root, LOCK_WAIT_MS, WORK_MS, &state, &err);

	if (status == 0) {
		status = place(follower, followed, &state, now, &err);
		fit_state_close(&state);
	}
	complain(follower, &followed->complaint, followed->name, status < 0 ? err.message : NULL);
	/* Not at once again. */
	if (status < 0)
		followed->hurry_until = now;
}

/* All domains at the same moments, which makes fewer of them. */
static int64_t next_moment(int64_t now, int64_t interval)
{
	return (now / interval + 1) * interval;
}

static void look_at(struct fit_follower *follower, struct fit_followed *followed, int64_t now)
{
	bool check = followed->check_due <= now;

	if (is_due_for_work(follower, followed, check))
		work(follower, followed, now);
	if (check)
		followed->check_due = next_moment(now, FIT_FOLLOW_SELDOM_MS);
	followed->list_due = now < followed->hurry_until ? next_moment(now, FIT_FOLLOW_OFTEN_MS)
							 : followed->check_due;
}

/* The kernel keeps the affinity to a CPU that goes offline, and takes another one. */
static void watch_cpus(struct fit_follower *follower)
{
	fit_autofree char *online = fit_fsroot_try_read(follower->root, FIT_PATH_CPU_ONLINE);

	for (size_t i = 0; i < follower->count; i++)
		follower->items[i].displaced |=
			follower->online && !fit_streq(online, follower->online);
	fit_xreplace(&follower->online, online);
}

int fit_follower_fd(const struct fit_follower *follower)
{
	return follower->irqbalance.inotify;
}

int64_t fit_follower_due(const struct fit_follower *follower)
{
	int64_t due = follower->irqbalance.due;

	for (size_t i = 0; i < follower->count; i++)
		if (follower->items[i].list_due < due)
			due = follower->items[i].list_due;
	return due;
}

/* With the lock, for which it was asked. */
static int tell_irqbalance(
	struct fit_follower *follower, struct fit_state *state, struct fit_err *err)
{
	int status = 0;

	for (size_t i = 0; i < follower->count && status == 0; i++) {
		const struct fit_followed *followed = &follower->items[i];
		struct fit_journal *journal = fit_state_journal(state, followed->uuid);
		fit_autostrlist struct fit_strlist notes = {0};

		/* Also of one that has no vectors any more. */
		if (journal && journal->stage == FIT_STAGE_STARTED)
			status = fit_vectors_ban(state, journal, &notes, err);
		for (size_t j = 0; j < notes.count; j++)
			follower->tell(
				follower->context, FIT_LOG_WARNING, followed->name, notes.items[j]);
	}
	return status < 0 ? -1 : fit_irqbalance_reassert(state, err);
}

static void ask_irqbalance(struct fit_follower *follower, int64_t now)
{
	struct fit_err err = FIT_ERR_INIT;
	struct fit_state state;
	int status = fit_irqbalance_open_state(
		follower->root, true, LOCK_WAIT_MS, WORK_MS, &state, &err);

	if (status == 0) {
		if (!state.irqbalance.cpus && fit_irqbalance_runs(follower->root))
			follower->irqbalance.due = now + FIT_FOLLOW_DEAF_MS;
		else
			status = tell_irqbalance(follower, &state, &err);
		fit_state_close(&state);
	}
	complain(follower, &follower->complaint, NULL, status < 0 ? err.message : NULL);
}

void fit_follower_turn(struct fit_follower *follower, int64_t now)
{
	bool check = false;

	for (size_t i = 0; i < follower->count; i++)
		check |= follower->items[i].check_due <= now;
	if (check)
		watch_cpus(follower);
	for (size_t i = 0; i < follower->count; i++) {
		struct fit_followed *followed = &follower->items[i];

		if (followed->list_due <= now)
			look_at(follower, followed, now);
	}
	fit_restarts_notice(&follower->irqbalance, follower->root, now);
	if (fit_restarts_take(&follower->irqbalance, now))
		ask_irqbalance(follower, now);
}
