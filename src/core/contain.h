/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparing what is in a document with what virt-fit wrote. Libvirt prints values its own way and
 * adds to elements, so "the same" means: what is there *contains* what was written.
 */
#ifndef FIT_CORE_CONTAIN_H
#define FIT_CORE_CONTAIN_H

#include <stdbool.h>

#include <libxml/tree.h>

/* Equal as text, as numbers ("0x0a" = "10") or as CPU lists ("0,1" = "0-1"). */
bool fit_value_equal(const char *a, const char *b);

/* Does @node have the attribute with this identity (text, number or MAC address)? */
bool fit_attribute_is(const xmlNode *node, const char *attribute, const char *value);

/* What all values have in common that fit_attribute_is() takes for @value. To be freed. */
char *fit_attribute_identity(const char *value);

/*
 * Same name; every attribute of @wanted is in @have with an equal value; the text of @wanted, if it
 * has any, is equal; every child element of @wanted is contained in a child of @have of its own.
 * A size and its unit are one value.
 */
bool fit_xml_contains(const xmlNode *have, const xmlNode *wanted);

/* For people: the first difference, "cpuset='4' instead of our cpuset='2'". To be freed. */
char *fit_xml_difference(const xmlNode *have, const xmlNode *wanted);

/* Attributes that libvirt fills in with a default, and elements it adds to devices. */
bool fit_is_libvirt_default(const char *element, const char *attribute, const char *value);
bool fit_is_libvirt_child(const xmlNode *child);

#endif
