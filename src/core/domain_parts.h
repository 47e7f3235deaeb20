/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by domain.c and its parts: reading with the place in every message. Private to them. */
#ifndef FIT_CORE_DOMAIN_PARTS_H
#define FIT_CORE_DOMAIN_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <libxml/tree.h>

#include "base/attr.h"
#include "base/err.h"
#include "core/cpuset.h"
#include "core/domain.h"

/* As many as fit into a CPU set: libvirt's own limits are lower. */
#define FIT_DOMAIN_VCPUS_MAX FIT_CPUSET_MAX

struct fit_domain_reader {
	const char *name; /* for messages */
	struct fit_domain *domain;
	struct fit_err *err;
};

/* "NAME:LINE: <element>: …" */
int fit_domain_fail(const struct fit_domain_reader *reader, const xmlNode *node, const char *format,
	...) FIT_PRINTF(3, 4);

/* Attributes as numbers and lists. An absent one is 0 from the first and an error from the
 * others. */
int fit_domain_optional_uint(const struct fit_domain_reader *reader, const xmlNode *node,
	const char *attribute, uint64_t max, bool *ret_present, unsigned int *ret_value);
int fit_domain_uint(const struct fit_domain_reader *reader, const xmlNode *node,
	const char *attribute, uint64_t max, unsigned int *ret_value);
int fit_domain_cpus(const struct fit_domain_reader *reader, const xmlNode *node,
	const char *attribute, struct fit_cpuset *ret_set);
int fit_domain_iothread_ids(const struct fit_domain_reader *reader, const xmlNode *node,
	const char *attribute, struct fit_iothread_ids *ret_set);

bool fit_domain_has_attr(const xmlNode *node, const char *attribute);

/* Is the attribute there with this value? */
bool fit_domain_attr_is(const xmlNode *node, const char *attribute, const char *value);

/* The attribute, or @fallback where it is absent; to be freed. */
char *fit_domain_attr_or(const xmlNode *node, const char *attribute, const char *fallback);

int fit_domain_read_cpu(const struct fit_domain_reader *reader, const xmlNode *root);
int fit_domain_read_threads(const struct fit_domain_reader *reader, const xmlNode *root);
int fit_domain_read_memory(const struct fit_domain_reader *reader, const xmlNode *root);
/* <TAG unit=>number</TAG>. */
int fit_domain_read_size(
	const struct fit_domain_reader *reader, const xmlNode *node, uint64_t *ret_kib);
int fit_domain_read_devices(const struct fit_domain_reader *reader, const xmlNode *root);

#endif
