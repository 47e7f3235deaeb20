/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between resource.c and the kinds: see sys/resource.h. */
#ifndef FIT_SYS_RESOURCE_KINDS_H
#define FIT_SYS_RESOURCE_KINDS_H

#include "sys/resource.h"

extern const struct fit_resource_ops fit_resource_vfs;
extern const struct fit_resource_ops fit_resource_autoprobe;
extern const struct fit_resource_ops fit_resource_pages;
extern const struct fit_resource_ops fit_resource_irq;
extern const struct fit_resource_ops fit_resource_slice;
extern const struct fit_resource_ops fit_resource_group;
extern const struct fit_resource_ops fit_resource_controllers;
extern const struct fit_resource_ops fit_resource_exclusive;
extern const struct fit_resource_ops fit_resource_partition;
extern const struct fit_resource_ops fit_resource_pf_up;
extern const struct fit_resource_ops fit_resource_vf_attribute;
extern const struct fit_resource_ops fit_resource_ethtool;
extern const struct fit_resource_ops fit_resource_driver;
extern const struct fit_resource_ops fit_resource_banned_cpus;
extern const struct fit_resource_ops fit_resource_banned_irqs;
extern const struct fit_resource_ops fit_resource_settings;

#endif
