/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libxml2 used safely: no DTD, no entities, no network, bounded size, errors with file and line.
 * Elements are edited in place, never regenerated, so comments, foreign namespaces and unknown
 * elements survive. All names looked up here are elements and attributes without a namespace unless
 * a function says otherwise.
 */
#ifndef FIT_CORE_XML_H
#define FIT_CORE_XML_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/tree.h>

#include "base/attr.h"
#include "base/err.h"
#include "core/pciaddr.h"

#define FIT_XML_SIZE_MAX (16U << 20)

/* Of what libvirt passes on to QEMU as it is: <qemu:commandline>, <qemu:override>, … */
#define FIT_QEMU_NAMESPACE "http://libvirt.org/schemas/domain/qemu/1.0"

/* Parses @length bytes. @name is for messages ("web01.xml", "domain web01"). NULL and @err when the
 * text is empty, larger than FIT_XML_SIZE_MAX, not well-formed, or carries a DTD. To be freed with
 * xmlFreeDoc(). */
FIT_MUST_CHECK xmlDoc *fit_xml_parse(
	const char *text, size_t length, const char *name, struct fit_err *err);

/* The document as text, with an XML declaration only if it came with one; ends with a newline.
 * Printing what was parsed from a printed document gives the same bytes. To be freed. */
char *fit_xml_print(xmlDoc *doc);
char *fit_xml_print_node(xmlNode *node);

bool fit_xml_is(const xmlNode *node, const char *name); /* element, no namespace, this name */
bool fit_xml_is_in(const xmlNode *node, const char *uri, const char *name);

/* First child element of that name (NULL name: any element in no namespace), next sibling likewise.
 */
xmlNode *fit_xml_child(const xmlNode *parent, const char *name);
xmlNode *fit_xml_next(const xmlNode *node, const char *name);
#define fit_xml_for_each(node, parent, name) \
	for (xmlNode *node = fit_xml_child((parent), (name)); node; \
		node = fit_xml_next(node, (name)))

/* Child of child …: "devices/emulator". NULL when a step is missing. */
xmlNode *fit_xml_find(const xmlNode *node, const char *slash_path);

/* Attribute or text content; NULL when absent. To be freed with free(). */
char *fit_xml_attr(const xmlNode *node, const char *name);
char *fit_xml_text(const xmlNode *node); /* trimmed */

/* The PCI address that the attributes domain, bus, slot and function are; absent ones are 0. False
 * when one cannot be part of it: *ret_attribute, which may be NULL, is its name then. */
FIT_MUST_CHECK bool fit_xml_pciaddr(
	const xmlNode *node, struct fit_pciaddr *ret_addr, const char **ret_attribute);

/* @text as it can stand in an attribute between double quotes. To be freed. */
char *fit_xml_escape(const char *text);

/* Line of the node in its file; 0 when unknown. */
unsigned int fit_xml_line(const xmlNode *node);

/* Do two trees say the same: element names, attributes and trimmed text equal, child elements equal
 * as a multiset, white space, comments and attribute order ignored? */
bool fit_xml_equivalent(const xmlNode *a, const xmlNode *b);

void fit_xml_free_doc(xmlDoc **doc);
#define fit_autodoc FIT_CLEANUP(fit_xml_free_doc)

#endif
