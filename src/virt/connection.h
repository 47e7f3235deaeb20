/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The connection to libvirt. Only src/virt calls libvirt; its errors become our error value, and
 * its habit of printing every error to stderr is switched off.
 */
#ifndef FIT_VIRT_CONNECTION_H
#define FIT_VIRT_CONNECTION_H

#include <stdbool.h>

#include <libvirt/libvirt.h>

#include "base/attr.h"
#include "base/err.h"

struct fit_virt {
	virConnectPtr connection;
	char *uri; /* for messages */
};

/* @uri NULL: what libvirt takes by itself, as for virsh. Read and write: passwords are part of a
 * definition, and only such a connection gives them. */
int fit_virt_open(const char *uri, struct fit_virt *ret_virt, struct fit_err *err);
void fit_virt_close(struct fit_virt *virt);

/* The daemon still answers, as far as is known. */
bool fit_virt_is_alive(const struct fit_virt *virt);

/* The versions of the daemon and of its hypervisor, as libvirt counts them; 0: not known. */
void fit_virt_versions(
	const struct fit_virt *virt, unsigned int *ret_libvirt, unsigned int *ret_hypervisor);

/* The domains are on another machine than this one. */
bool fit_virt_is_remote(const struct fit_virt *virt);

/* These are the domains whose hook calls come to this machine. */
bool fit_virt_is_system(const struct fit_virt *virt);

/* Fills @err with the formatted text and what libvirt said last. Returns -1. */
int fit_virt_fail(struct fit_err *err, const char *format, ...) FIT_PRINTF(2, 3);

#endif
