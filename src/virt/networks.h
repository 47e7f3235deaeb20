/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The networks of libvirt, for profiles that take VFs from one. */
#ifndef FIT_VIRT_NETWORKS_H
#define FIT_VIRT_NETWORKS_H

#include "core/networks.h"
#include "virt/connection.h"

/* All networks. -1 where libvirt has no network driver or its daemon is not there. */
int fit_virt_networks(
	const struct fit_virt *virt, struct fit_networks *ret_networks, struct fit_err *err);

#endif
