/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The moments of a domain's life at which the host is changed, in order. */
#ifndef FIT_CORE_PHASE_H
#define FIT_CORE_PHASE_H

enum fit_phase {
	FIT_PHASE_PREPARE, /* before libvirt touches anything */
	FIT_PHASE_START,   /* devices are bound, QEMU not yet running */
	FIT_PHASE_STARTED, /* QEMU exists, guest in firmware */
	FIT_PHASE_STOPPED, /* QEMU gone, VFs still on vfio-pci */
	FIT_PHASE_RELEASE, /* VFs back on the host's driver */
};

#endif
