/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Domain views from short XML. */
#ifndef FIT_TESTS_SUPPORT_DOMAIN_H
#define FIT_TESTS_SUPPORT_DOMAIN_H

#include "core/domain.h"

/* @xml parsed, or the test failed; to be freed. */
xmlDoc *fit_test_parse(const char *xml);

/* The view of a kvm domain "vm" of 1 GiB with @body below <domain> (which may bring its own
 * <memory> and <name>); to be cleared. Fails the test when it cannot be read. */
struct fit_domain fit_test_domain(const char *body);

/* Its document; to be freed. */
xmlDoc *fit_test_document(const char *body);

struct fit_cpuset fit_test_cpus(const char *list);

/* Fails the test unless @set is @list, as libvirt prints it. */
void fit_expect_cpus(const struct fit_cpuset *set, const char *list);

#endif
