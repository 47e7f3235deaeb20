/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Literal writes of profiles, <sysctl name= value=/> and <sysfs path= value=/>, for what has no
 * element. Profiles are root's, so the list of what may be written is no defence against their
 * authors but against their mistakes: below it are settings of speed and latency that can be read,
 * written and restored. Not below it: what runs programs, decides who may do what, acts once
 * instead of being a state, cannot be taken back, or is kept by virt-fit otherwise.
 */
#ifndef FIT_CORE_HOST_WRITE_H
#define FIT_CORE_HOST_WRITE_H

#include "base/attr.h"
#include "base/strlist.h"
#include "core/host_setting.h"

/* "name" or "path": the attribute that names the file; NULL: the setting is no literal write. */
const char *fit_host_write_attribute(enum fit_host_setting_id setting);

/* The file of @name, below the directory of the setting's scope. To be freed. */
char *fit_host_write_path(enum fit_host_setting_id setting, const char *name);

/* Why @name may not be written, to follow the name and ": "; NULL: it may. To be freed. */
char *fit_host_write_objection(enum fit_host_setting_id setting, const char *name);

#endif
