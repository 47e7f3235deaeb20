/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "virt/domains.h"

#include <stdlib.h>
#include <string.h>

#include <libvirt/virterror.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/domain.h"
#include "core/xml.h"

/* Libvirt knows it since 8.9. */
#if LIBVIR_VERSION_NUMBER >= 8009000
#define FIT_UNDEFINE_KEEP_TPM VIR_DOMAIN_UNDEFINE_KEEP_TPM
#else
#define FIT_UNDEFINE_KEEP_TPM 0U
#endif

void fit_virt_domain_clear(struct fit_virt_domain *domain)
{
	if (domain->handle)
		virDomainFree(domain->handle);
	free(domain->name);
	*domain = (struct fit_virt_domain){0};
}

void fit_virt_domains_clear(struct fit_virt_domains *domains)
{
	for (size_t i = 0; i < domains->count; i++)
		fit_virt_domain_clear(&domains->items[i]);
	free(domains->items);
	*domains = (struct fit_virt_domains){0};
}

static const char *state_name(int state)
{
	switch (state) {
	case VIR_DOMAIN_RUNNING:
	case VIR_DOMAIN_BLOCKED:
		return "running";
	case VIR_DOMAIN_PAUSED:
		return "paused";
	case VIR_DOMAIN_SHUTDOWN:
		return "in shutdown";
	case VIR_DOMAIN_SHUTOFF:
		return "shut off";
	case VIR_DOMAIN_CRASHED:
		return "crashed";
	case VIR_DOMAIN_PMSUSPENDED:
		return "suspended";
	default:
		return "unknown";
	}
}

/* Takes @handle over, also on failure. */
static int describe(virDomainPtr handle, struct fit_virt_domain *ret_domain, struct fit_err *err)
{
	struct fit_virt_domain domain = {.handle = handle};
	int state = VIR_DOMAIN_NOSTATE;
	int active;
	int persistent;

	domain.name = fit_xstrdup(virDomainGetName(handle));
	/* Each call clears the error of the one before. */
	if ((active = virDomainIsActive(handle)) < 0 ||
		(persistent = virDomainIsPersistent(handle)) < 0 ||
		virDomainGetState(handle, &state, NULL, 0) < 0 ||
		virDomainGetUUIDString(handle, domain.uuid) < 0) {
		fit_virt_fail(err, "domain %s", domain.name);
		fit_virt_domain_clear(&domain);
		return -1;
	}
	domain.active = active;
	domain.persistent = persistent;
	domain.state = state_name(state);
	domain.saved = virDomainHasManagedSaveImage(handle, 0) == 1;
	*ret_domain = domain;
	return 0;
}

int fit_virt_find(const struct fit_virt *virt, const char *which,
	struct fit_virt_domain *ret_domain, struct fit_err *err)
{
	virDomainPtr handle = virDomainLookupByName(virt->connection, which);
	uint64_t id;

	if (!handle && virGetLastErrorCode() != VIR_ERR_NO_DOMAIN)
		return fit_virt_fail(err, "domain %s", which);
	if (!handle && fit_uuid_is_valid(which))
		handle = virDomainLookupByUUIDString(virt->connection, which);
	if (!handle && fit_parse_uint(which, INT32_MAX, &id))
		handle = virDomainLookupByID(virt->connection, (int)id);
	if (!handle)
		return fit_err_set(err, FIT_ERR_NOTFOUND,
			"there is no domain '%s' on %s; 'virsh list --all' shows what there is",
			which, virt->uri);
	return describe(handle, ret_domain, err);
}

int fit_virt_find_uuid(const struct fit_virt *virt, const char *uuid,
	struct fit_virt_domain *ret_domain, struct fit_err *err)
{
	virDomainPtr handle = virDomainLookupByUUIDString(virt->connection, uuid);

	if (!handle)
		return fit_virt_fail(err, "domain %s", uuid);
	return describe(handle, ret_domain, err);
}

static int compare_names(const void *a, const void *b)
{
	const struct fit_virt_domain *left = a;
	const struct fit_virt_domain *right = b;

	return strcmp(left->name, right->name);
}

int fit_virt_list(
	const struct fit_virt *virt, struct fit_virt_domains *ret_domains, struct fit_err *err)
{
	struct fit_virt_domains domains = {0};
	virDomainPtr *handles;
	int count = virConnectListAllDomains(virt->connection, &handles, 0);
	bool failed = false;

	if (count < 0)
		return fit_virt_fail(err, "cannot list the domains of %s", virt->uri);
	domains.items = fit_xcalloc((size_t)count + 1, sizeof(*domains.items));
	for (int i = 0; i < count; i++) {
		struct fit_err problem = FIT_ERR_INIT;

		if (describe(handles[i], &domains.items[domains.count], &problem) == 0) {
			domains.count++;
		} else if (problem.code != FIT_ERR_NOTFOUND) { /* not just undefined meanwhile */
			failed = true;
			fit_err_set(err, problem.code, "%s", problem.message);
		}
	}
	free(handles);
	if (failed) {
		fit_virt_domains_clear(&domains);
		return -1;
	}
	qsort(domains.items, domains.count, sizeof(*domains.items), compare_names);
	*ret_domains = domains;
	return 0;
}

static char *fetch(const struct fit_virt_domain *domain, unsigned int flags, struct fit_err *err)
{
	char *xml = virDomainGetXMLDesc(domain->handle, flags);

	if (!xml)
		fit_virt_fail(err, "cannot read domain %s", domain->name);
	return xml;
}

char *fit_virt_definition(const struct fit_virt_domain *domain, struct fit_err *err)
{
	return fetch(domain, VIR_DOMAIN_XML_INACTIVE | VIR_DOMAIN_XML_SECURE, err);
}

char *fit_virt_running(const struct fit_virt_domain *domain, struct fit_err *err)
{
	return fetch(domain, 0, err);
}

static int define(
	const struct fit_virt *virt, const char *xml, unsigned int flags, struct fit_err *err)
{
	virDomainPtr handle = virDomainDefineXMLFlags(virt->connection, xml, flags);

	if (!handle)
		return fit_virt_fail(err, "libvirt refuses the definition");
	virDomainFree(handle);
	return 0;
}

int fit_virt_define(const struct fit_virt *virt, const char *xml, struct fit_err *err)
{
	return define(virt, xml, VIR_DOMAIN_DEFINE_VALIDATE, err);
}

int fit_virt_define_known(const struct fit_virt *virt, const char *xml, struct fit_err *err)
{
	return define(virt, xml, 0, err);
}

int fit_virt_start(const struct fit_virt_domain *domain, struct fit_err *err)
{
	if (virDomainCreate(domain->handle) < 0)
		return fit_virt_fail(err, "domain %s does not start", domain->name);
	return 0;
}

int fit_virt_undefine(const struct fit_virt_domain *domain, struct fit_err *err)
{
	/* A domain with NVRAM or a TPM is not undefined without a word on them. */
	if (virDomainUndefineFlags(
		    domain->handle, VIR_DOMAIN_UNDEFINE_KEEP_NVRAM | FIT_UNDEFINE_KEEP_TPM) < 0)
		return fit_virt_fail(err, "cannot undefine domain %s", domain->name);
	return 0;
}

static int add_claim(
	const struct fit_virt_domain *domain, struct fit_claims *claims, struct fit_err *err)
{
	struct fit_domain view = {0};
	fit_autodoc xmlDoc *doc = NULL;
	fit_autofree char *xml = domain->active ? fit_virt_running(domain, err)
						: fetch(domain, VIR_DOMAIN_XML_INACTIVE, err);

	if (!xml)
		return -1;
	doc = fit_xml_parse(xml, strlen(xml), domain->name, err);
	if (!doc || fit_domain_read(doc, domain->name, &view, err) < 0)
		return -1;
	fit_claims_add(claims, &view, domain->active);
	fit_domain_clear(&view);
	return 0;
}

int fit_virt_claims(const struct fit_virt *virt, struct fit_claims *ret_claims,
	struct fit_strlist *notes, struct fit_err *err)
{
	struct fit_virt_domains domains = {0};
	struct fit_claims claims = {0};

	if (fit_virt_list(virt, &domains, err) < 0)
		return -1;
	for (size_t i = 0; i < domains.count; i++) {
		struct fit_err problem = FIT_ERR_INIT;

		if (add_claim(&domains.items[i], &claims, &problem) < 0 &&
			problem.code != FIT_ERR_NOTFOUND)
			fit_strlist_addf(notes, "what domain %s holds is not considered: %s",
				domains.items[i].name, problem.message);
	}
	fit_virt_domains_clear(&domains);
	*ret_claims = claims;
	return 0;
}
