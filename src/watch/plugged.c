/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices that a running domain has: they can come and go while it runs, which no hook is told
 * of. The journal has them, for whoever plans other domains and for who follows their interrupts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/xml.h"
#include "sys/state.h"
#include "watch/worker.h"

/* A hook that waits for us makes everybody wait who lists domains. */
enum { LOCK_WAIT_MS = 10000, WORK_MS = 5000 };

static bool has_same(const struct fit_journal *journal, const struct fit_domain *domain)
{
	if (journal->device_count != domain->hostdev_count)
		return false;
	for (size_t i = 0; i < domain->hostdev_count; i++)
		if (!fit_pciaddr_equal(journal->devices[i], domain->hostdevs[i].source))
			return false;
	return true;
}

/* Without the state's lock first: libvirt must not be asked with it, and mostly nothing differs. */
static bool is_to_change(
	const struct fit_fsroot *root, const char *uuid, const struct fit_domain *domain)
{
	struct fit_state state;
	const struct fit_journal *journal;
	bool change = false;

	if (fit_state_snapshot(root, &state, NULL) < 0)
		return false;
	journal = fit_state_journal(&state, uuid);
	if (journal && journal->stage == FIT_STAGE_STARTED)
		change = !domain || !has_same(journal, domain);
	fit_state_close(&state);
	return change;
}

static int change(const struct fit_fsroot *root, const char *uuid, const struct fit_domain *domain,
	struct fit_err *err)
{
	struct fit_state state;
	struct fit_journal *journal;
	int status;

	if (fit_state_open(root, LOCK_WAIT_MS, WORK_MS, &state, err) < 0)
		return -1;
	journal = fit_state_journal(&state, uuid);
	/* Stopped meanwhile: what it will run with next is not this. */
	if (!journal || journal->stage != FIT_STAGE_STARTED) {
		fit_state_close(&state);
		return 0;
	}
	journal->device_count = 0;
	for (size_t i = 0; i < domain->hostdev_count; i++)
		*FIT_APPEND(journal->devices, journal->device_count) = domain->hostdevs[i].source;
	status = fit_state_save_journal(&state, journal, err);
	fit_state_close(&state);
	return status;
}

int fit_worker_note_devices(
	struct fit_worker *worker, const struct fit_virt_domain *domain, struct fit_err *err)
{
	const struct fit_fsroot *root = worker->watch->options->root;
	fit_autofree char *xml = NULL;
	fit_autodoc xmlDoc *doc = NULL;
	struct fit_domain running = {0};
	int status = 0;

	/* Other drivers' domains are not in our journals. */
	if (!domain->active || !is_to_change(root, domain->uuid, NULL))
		return 0;
	xml = fit_virt_running(domain, err);
	if (!xml)
		return -1;
	doc = fit_xml_parse(xml, strlen(xml), domain->name, err);
	if (!doc || fit_domain_read(doc, domain->name, &running, err) < 0)
		return -1;
	if (is_to_change(root, domain->uuid, &running))
		status = change(root, domain->uuid, &running, err);
	fit_domain_clear(&running);
	return status;
}
