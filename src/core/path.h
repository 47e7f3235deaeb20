/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path language of edits and facets (core/edit.h), resolved below the root element of a domain.
 * Paths come from the planner, but also from a record that anybody may have written into a
 * domain's metadata: they are parsed strictly, with bounded length and depth, and can name nothing
 * but elements and attributes without a namespace, and of libvirt's QEMU namespace, which holds
 * command lines, the properties of devices below <qemu:override>. There the prefix "qemu:" stands
 * for the namespace, whatever prefix the document has for it.
 */
#ifndef FIT_CORE_PATH_H
#define FIT_CORE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/tree.h>

#include "base/attr.h"
#include "base/err.h"

#define FIT_PATH_LENGTH_MAX  1024
#define FIT_PATH_STEPS_MAX   16
#define FIT_PATH_QEMU_PREFIX "qemu:"

#define FIT_PATH_DEVICE_STEPS 2 /* to a device: devices/DEVICE */

enum fit_path_kind {
	FIT_PATH_ELEMENT,
	FIT_PATH_ATTRIBUTE, /* …/@name */
	FIT_PATH_TEXT,	    /* …/text() */
};

struct fit_path_condition {
	char *child; /* [CHILD/@ATTRIBUTE='VALUE'], also CHILD/CHILD; else NULL */
	char *attribute;
	char *value;
};

struct fit_path_step {
	bool qemu; /* in FIT_QEMU_NAMESPACE */
	char *name;
	struct fit_path_condition *conditions; /* all of them hold */
	size_t condition_count;
	unsigned int number; /* [NUMBER]: of those that match, from 1; 0: the first */
};

struct fit_path {
	enum fit_path_kind kind;
	struct fit_path_step *steps; /* at least one */
	size_t step_count;
	char *attribute; /* FIT_PATH_ATTRIBUTE */
};

FIT_MUST_CHECK int fit_path_parse(const char *text, struct fit_path *ret_path, struct fit_err *err);
void fit_path_clear(struct fit_path *path);
#define fit_autopath FIT_CLEANUP(fit_path_clear)

/* The first @count steps as text. To be freed. */
char *fit_path_format_steps(const struct fit_path *path, size_t count);

/* Not when a condition names a child, or the step a number. */
bool fit_path_step_is_creatable(const struct fit_path_step *step);

/* Does the path lead to something that virt-fit changes? Not the domain's identity and metadata. */
bool fit_path_is_editable(const struct fit_path *path);

/* Whatever its number. */
bool fit_path_step_matches(const struct fit_path_step *step, const xmlNode *node);
xmlNode *fit_path_step_find(const struct fit_path_step *step, const xmlNode *parent);

#endif
