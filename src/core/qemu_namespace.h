/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The declaration of libvirt's QEMU namespace (FIT_QEMU_NAMESPACE) on <domain>. Libvirt declares it
 * there, with the prefix "qemu", as long as the definition has such elements.
 */
#ifndef FIT_CORE_QEMU_NAMESPACE_H
#define FIT_CORE_QEMU_NAMESPACE_H

#include <stdbool.h>

#include <libxml/tree.h>

/* As it is declared at @node, with any prefix; NULL when it is not. */
xmlNs *fit_qemu_namespace_find(xmlNode *node);

/* NULL when the prefix stands for something else. */
xmlNs *fit_qemu_namespace_declare(xmlNode *root);

/* Removes the declaration from @root unless an element or attribute uses it. True: it is not
 * there (any more). */
bool fit_qemu_namespace_drop(xmlNode *root);

#endif
