/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libvirt's networks that give out VFs (<forward mode='hostdev'>), as far as the planner needs
 * them: to be near to their devices, and to refuse what would fail at start.
 */
#ifndef FIT_CORE_NETWORKS_H
#define FIT_CORE_NETWORKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/pciaddr.h"

struct fit_network {
	char *name;
	bool active;
	bool gives_vfs; /* forward mode hostdev */
	char *pf;	/* network interface of the PF whose VFs it gives; NULL: it lists VFs */
	struct fit_pciaddr *vfs;
	size_t vf_count;
};

struct fit_networks {
	struct fit_network *items;
	size_t count;
};

void fit_networks_clear(struct fit_networks *networks);

/* Adds what a network's definition says. FIT_ERR_INVALID when it is none; nothing is added then. */
int fit_networks_add(
	struct fit_networks *networks, const char *xml, bool active, struct fit_err *err);

const struct fit_network *fit_networks_find(const struct fit_networks *networks, const char *name);

#endif
