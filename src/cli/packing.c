/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/packing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/record.h"
#include "core/request.h"
#include "core/xml.h"

const char *const fit_packing_order[FIT_PACKING_RANKS] = {
	[FIT_PACKING_RUNNING] = "running domains: they keep what they have",
	[FIT_PACKING_UNMANAGED] = "those without a request: they keep what they are defined with",
	[FIT_PACKING_PLACED] = "those with places, by name: so they stay where they are",
	[FIT_PACKING_NEW] = "the others, the largest first: small ones find room later",
};

static void clear_packed(struct fit_packed *packed)
{
	fit_subject_clear(&packed->subject);
	fit_domain_clear(&packed->view);
	fit_strlist_clear(&packed->profiles);
	fit_render_result_clear(&packed->result);
}

void fit_packing_clear(struct fit_packing *packing)
{
	for (size_t i = 0; i < packing->count; i++)
		clear_packed(&packing->items[i]);
	free(packing->items);
	fit_strlist_clear(&packing->notes);
	fit_left_clear(&packing->left);
	*packing = (struct fit_packing){0};
}

const char *fit_packed_state_name(const struct fit_packed *packed)
{
	switch (packed->state) {
	case FIT_PACKED_PLANNED:
		return "planned";
	case FIT_PACKED_REFUSED:
		return "cannot fit";
	case FIT_PACKED_KEPT:
		break;
	}
	return packed->turn.rank == FIT_PACKING_RUNNING ? "running" : "shut off";
}

/* What is tried, else what is requested. */
static int find_profiles(const struct fit_session *session, const struct fit_packed *packed,
	xmlDoc *doc, struct fit_strlist *profiles, struct fit_err *err)
{
	const struct fit_strlist *tried = &session->asked.profiles;
	struct fit_request request = {0};
	int found = fit_request_read(doc, packed->subject.name, &request, err);

	if (found < 0)
		return -1;
	*profiles = request.profiles;
	request.profiles = (struct fit_strlist){0};
	fit_request_clear(&request);
	if (!tried->count || packed->turn.rank == FIT_PACKING_RUNNING)
		return 0;
	fit_strlist_clear(profiles);
	for (size_t i = 0; i < tried->count; i++)
		fit_strlist_add(profiles, tried->items[i]);
	return 0;
}

/* Fills the rest of @packed, whose subject is known. */
static int examine(
	const struct fit_session *session, struct fit_packed *packed, struct fit_err *err)
{
	const struct fit_subject *subject = &packed->subject;
	fit_autodoc xmlDoc *doc = fit_xml_parse(subject->xml, subject->length, subject->name, err);
	struct fit_record record = {0};
	int recorded;

	if (!doc || fit_domain_read(doc, subject->name, &packed->view, err) < 0)
		return -1;
	packed->turn.name = packed->view.name;
	packed->turn.uuid = packed->view.uuid;
	packed->turn.vcpus = packed->view.vcpus;
	packed->turn.memory_kib = packed->view.memory_kib;
	if (find_profiles(session, packed, doc, &packed->profiles, err) < 0)
		return -1;
	if (packed->turn.rank == FIT_PACKING_RUNNING)
		return 0;
	if (!packed->profiles.count) {
		packed->turn.rank = FIT_PACKING_UNMANAGED;
		return 0;
	}
	recorded = fit_record_read(doc, subject->name, &record, err);
	fit_record_clear(&record);
	packed->turn.rank =
		recorded > 0 || packed->view.vcpu_pin_count ? FIT_PACKING_PLACED : FIT_PACKING_NEW;
	return recorded < 0 ? -1 : 0;
}

/* Takes @subject over. What cannot be understood is a domain that does not fit. */
static void add(
	const struct fit_session *session, struct fit_packing *packing, struct fit_subject *subject)
{
	struct fit_packed *packed = FIT_APPEND(packing->items, packing->count);

	packed->subject = *subject;
	*subject = (struct fit_subject){0};
	packed->turn = (struct fit_packing_turn){
		.rank = packed->subject.domain.active ? FIT_PACKING_RUNNING : FIT_PACKING_NEW,
		.name = packed->subject.name,
	};
	if (examine(session, packed, &packed->problem) < 0)
		packed->state = FIT_PACKED_REFUSED;
}

/* No libvirt needs to be asked what that is. */
static bool is_missing_file(const struct fit_session *session, const char *argument)
{
	size_t length = strlen(argument);
	bool is_path = (session->other_host && !session->connect) ||
		       (length > 4 && fit_streq(argument + length - 4, ".xml"));

	return is_path && !fit_streq(argument, "-") && access(argument, F_OK) < 0 &&
	       errno == ENOENT;
}

static int add_files(const struct fit_cli *cli, struct fit_session *session,
	struct fit_packing *packing, struct fit_err *err)
{
	for (int i = 0; i < cli->arg_count; i++) {
		struct fit_subject subject = {0};

		if (is_missing_file(session, cli->args[i]))
			return fit_err_sys(err, ENOENT, "cannot read %s", cli->args[i]);
		if (fit_session_fetch(session, cli->args[i], &subject, err) < 0)
			return -1;
		if (subject.is_domain) {
			fit_err_set(err, FIT_ERR_INVALID,
				"--all takes definition files; %s is among all domains anyway",
				subject.name);
			fit_subject_clear(&subject);
			return -1;
		}
		add(session, packing, &subject);
	}
	return 0;
}

static int add_domains(
	struct fit_session *session, struct fit_packing *packing, struct fit_err *err)
{
	struct fit_virt_domains domains = {0};

	if (fit_virt_list(&session->virt, &domains, err) < 0)
		return -1;
	for (size_t i = 0; i < domains.count; i++) {
		struct fit_virt_domain *domain = &domains.items[i];
		struct fit_subject subject = {.is_domain = true};
		struct fit_err problem = FIT_ERR_INIT;

		subject.xml = domain->active ? fit_virt_running(domain, &problem)
					     : fit_virt_definition(domain, &problem);
		if (!subject.xml) {
			if (problem.code != FIT_ERR_NOTFOUND) /* not just undefined meanwhile */
				fit_cli_note(
					"domain %s is left out: %s", domain->name, problem.message);
			continue;
		}
		subject.length = strlen(subject.xml);
		subject.name = fit_xstrdup(domain->name);
		subject.domain = *domain;
		*domain = (struct fit_virt_domain){0};
		add(session, packing, &subject);
	}
	fit_virt_domains_clear(&domains);
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct fit_packed *left = a;
	const struct fit_packed *right = b;

	return fit_packing_compare(&left->turn, &right->turn);
}

/* Libvirt knows a domain by its UUID and by its name. */
static int check_twice(const struct fit_packing *packing, struct fit_err *err)
{
	for (size_t i = 0; i < packing->count; i++) {
		for (size_t j = i + 1; j < packing->count; j++) {
			const struct fit_packed *one = &packing->items[i];
			const struct fit_packed *other = &packing->items[j];

			if (fit_streq(one->turn.name, other->turn.name) ||
				(one->turn.uuid && fit_streq(one->turn.uuid, other->turn.uuid)))
				return fit_err_set(err, FIT_ERR_INVALID,
					"%s is there twice: as %s and as %s", one->turn.name,
					one->subject.name, other->subject.name);
		}
	}
	return 0;
}

/* The view of what was planned, from which on it counts as there. */
static int take_planned(struct fit_session *session, struct fit_packed *packed, struct fit_err *err)
{
	const char *xml = packed->result.xml;
	fit_autodoc xmlDoc *doc = fit_xml_parse(xml, strlen(xml), packed->subject.name, err);

	fit_domain_clear(&packed->view);
	if (!doc || fit_domain_read(doc, packed->subject.name, &packed->view, err) < 0)
		return -1;
	packed->turn.name = packed->view.name;
	packed->turn.uuid = packed->view.uuid;
	fit_packing_take(
		&session->host, &session->claims, &packed->view, &packed->result.plan, "planned");
	packed->state = FIT_PACKED_PLANNED;
	return 0;
}

static void plan(struct fit_session *session, struct fit_packed *packed)
{
	switch (packed->turn.rank) {
	case FIT_PACKING_RUNNING:
		fit_claims_add(&session->claims, &packed->view, true);
		return;
	case FIT_PACKING_UNMANAGED:
		fit_packing_take(&session->host, &session->claims, &packed->view, NULL, "shut off");
		return;
	case FIT_PACKING_PLACED:
	case FIT_PACKING_NEW:
	case FIT_PACKING_RANKS:
		break;
	}
	if (fit_session_render(session, &packed->subject, NULL, session->only, false,
		    &packed->result, &packed->problem) < 0 ||
		take_planned(session, packed, &packed->problem) < 0)
		packed->state = FIT_PACKED_REFUSED;
}

/* How many VFs of @pf, which has none yet, the domain needs there to be; 0: it gets none of them.
 * *@created: how many it makes, should it start first. */
static unsigned int vfs_needed(
	const struct fit_packed *packed, struct fit_pciaddr pf, unsigned int *created)
{
	unsigned int needed = 0;

	for (size_t i = 0; i < packed->result.plan.vf_count; i++) {
		const struct fit_planned_vf *vf = &packed->result.plan.vfs[i];

		if (!vf->exists && !vf->network && fit_pciaddr_equal(vf->pf, pf) &&
			vf->index >= needed)
			needed = vf->index + 1;
	}
	*created = packed->result.profile.vfs.create > needed ? packed->result.profile.vfs.create
							      : needed;
	return needed;
}

/* The first domain that starts settles how many VFs there are. */
static void note_creation(struct fit_packing *packing, const struct fit_left_pf *pf)
{
	unsigned int users = 0, most = 0, least_created = UINT32_MAX;

	for (size_t i = 0; i < packing->count; i++) {
		unsigned int created;
		unsigned int needed = vfs_needed(&packing->items[i], pf->pf->addr, &created);

		if (!needed)
			continue;
		users++;
		most = needed > most ? needed : most;
		least_created = created < least_created ? created : least_created;
	}
	if (users > 1 && least_created < most)
		fit_strlist_addf(&packing->notes,
			"%u domains get VFs of %s, which has none yet and whose number cannot be "
			"changed while one is used: let each create all %u (--param create=%u), or "
			"create them when the host boots",
			users,
			pf->pf->netdev_count ? pf->pf->netdevs[0].name
					     : FIT_PCIADDR_STR(pf->pf->addr),
			most, most);
}

/* On a machine that is planned for where it is, its domains are meant. */
static int survey(const struct fit_cli *cli, struct fit_session *session, struct fit_err *err)
{
	if (!cli->arg_count && !cli->sysroot && fit_session_connect(session, err) < 0)
		return -1;
	if (fit_cli_survey(session, err) < 0)
		return -1;
	if (!cli->arg_count && !session->connected)
		return fit_err_set(err, FIT_ERR_INVALID,
			"there is nothing to plan for this host: name definition files, or the "
			"libvirt that has its domains with --connect");
	return 0;
}

int fit_packing_make(const struct fit_cli *cli, struct fit_session *session,
	struct fit_packing *ret_packing, struct fit_err *err)
{
	struct fit_packing packing = {0};

	if (survey(cli, session, err) < 0 || add_files(cli, session, &packing, err) < 0 ||
		(session->connected && add_domains(session, &packing, err) < 0) ||
		check_twice(&packing, err) < 0) {
		fit_packing_clear(&packing);
		return -1;
	}
	if (packing.count)
		qsort(packing.items, packing.count, sizeof(*packing.items), compare);
	fit_claims_clear(&session->claims);
	for (size_t i = 0; i < packing.count; i++) {
		if (packing.items[i].state != FIT_PACKED_REFUSED)
			plan(session, &packing.items[i]);
		packing.refused += packing.items[i].state == FIT_PACKED_REFUSED;
	}
	fit_left_find(&session->host, &session->claims, &packing.left);
	for (size_t i = 0; i < packing.left.pf_count; i++)
		note_creation(&packing, &packing.left.pfs[i]);
	*ret_packing = packing;
	return 0;
}
