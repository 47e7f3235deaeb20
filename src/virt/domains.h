/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Domains of libvirt: found, listed, read and defined. A definition is always read INACTIVE (no
 * run-time state) and SECURE (with its passwords), so that defining it again loses nothing.
 */
#ifndef FIT_VIRT_DOMAINS_H
#define FIT_VIRT_DOMAINS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strlist.h"
#include "core/claims.h"
#include "virt/connection.h"

struct fit_virt_domain {
	virDomainPtr handle;
	char *name;
	char uuid[VIR_UUID_STRING_BUFLEN];
	const char *state; /* "running", "shut off", …: static */
	bool active;	   /* there is a QEMU process */
	bool persistent;   /* has a definition that outlives it */
	bool saved;	   /* its next start resumes a saved image, with the definition of then */
};

struct fit_virt_domains {
	struct fit_virt_domain *items;
	size_t count;
};

void fit_virt_domain_clear(struct fit_virt_domain *domain);
void fit_virt_domains_clear(struct fit_virt_domains *domains);

/* By name, else by UUID, else by id: a domain can be named like another one's id. */
int fit_virt_find(const struct fit_virt *virt, const char *which,
	struct fit_virt_domain *ret_domain, struct fit_err *err);

int fit_virt_find_uuid(const struct fit_virt *virt, const char *uuid,
	struct fit_virt_domain *ret_domain, struct fit_err *err);

/* All domains, sorted by name. */
int fit_virt_list(
	const struct fit_virt *virt, struct fit_virt_domains *ret_domains, struct fit_err *err);

/* The definition; of a transient domain, what it was created with. NULL and @err on failure: code
 * FIT_ERR_NOTFOUND when the domain is gone. To be freed. */
char *fit_virt_definition(const struct fit_virt_domain *domain, struct fit_err *err);

/* What the domain runs with, without passwords. NULL on failure; to be freed. */
char *fit_virt_running(const struct fit_virt_domain *domain, struct fit_err *err);

/* Replaces the definition of the persistent domain that @xml names, validated by libvirt's schema:
 * what the schema does not know, libvirt would drop without a word. */
int fit_virt_define(const struct fit_virt *virt, const char *xml, struct fit_err *err);

/* The same, without asking the schema, which costs ten times as much as the rest: for what it has
 * been asked before (core/shape.h). */
int fit_virt_define_known(const struct fit_virt *virt, const char *xml, struct fit_err *err);

/* Starts a domain that does not run. */
int fit_virt_start(const struct fit_virt_domain *domain, struct fit_err *err);

/* Takes the definition away, and nothing that belongs to it: a domain that runs goes on, without.
 */
int fit_virt_undefine(const struct fit_virt_domain *domain, struct fit_err *err);

/* What all domains hold: running ones by what they run with, others by their definition. @notes
 * gets a line for each domain that cannot be read. */
int fit_virt_claims(const struct fit_virt *virt, struct fit_claims *ret_claims,
	struct fit_strlist *notes, struct fit_err *err);

#endif
