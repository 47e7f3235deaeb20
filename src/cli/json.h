/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON values of our types. CPU sets are lists ("0-3,8"), PCI addresses the kernel's text, sizes
 * KiB. Each is released by what it is added to. */
#ifndef FIT_CLI_JSON_H
#define FIT_CLI_JSON_H

#include <json-c/json.h>

#include "base/strlist.h"
#include "core/cpuset.h"
#include "core/render.h"

struct json_object *fit_json_strings(const struct fit_strlist *list);
struct json_object *fit_json_string_or_null(const char *text);
struct json_object *fit_json_cpus(const struct fit_cpuset *set);

/* Adds "error": what kind of error it is, and the message. */
void fit_json_add_error(struct json_object *object, const struct fit_err *err);

/* What stands in the place of a plan of @subject that there is none of. */
struct json_object *fit_json_error(const char *subject, const struct fit_err *err);

/* A rendered plan of @subject, a domain or a file: placements, host operations, reasons. What is
 * not planned is absent. */
struct json_object *fit_json_plan(const char *subject, const struct fit_render_result *result);

#endif
