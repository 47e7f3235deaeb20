/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `virt-fit status` shows of the interrupt vectors of a running domain's devices. */
#ifndef FIT_CLI_STATUS_VECTORS_H
#define FIT_CLI_STATUS_VECTORS_H

#include <json-c/json.h>

#include "sys/vectors.h"

/* Each with its device and its name, the CPUs that it has and those it is to have, what the kernel
 * makes of that, and how often others have moved it. */
void fit_status_print_vectors(const struct fit_fsroot *root, struct fit_journal *journal);
struct json_object *fit_status_json_vectors(
	const struct fit_fsroot *root, struct fit_journal *journal);

#endif
