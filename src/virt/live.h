/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes of a running domain, which its definition does not see. */
#ifndef FIT_VIRT_LIVE_H
#define FIT_VIRT_LIVE_H

#include "core/live.h"
#include "virt/domains.h"

int fit_virt_change(const struct fit_virt_domain *domain, const struct fit_live_change *change,
	struct fit_err *err);

#endif
