/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings of a network device as ethtool(8) reads and sets them, each by itself, by the ioctl
 * SIOCETHTOOL in our network namespace. Their names, and their values as text:
 *
 *   rx-usecs, rx-frames, tx-usecs, tx-frames           a number     -c, -C
 *   adaptive-rx, adaptive-tx                           on, off      -c, -C
 *   rx-ring, tx-ring                                   a number     -g, -G   drops the link
 *   rx-channels, tx-channels, combined-channels        a number     -l, -L   drops the link
 *   features/NAME                                      on, off      -k, -K
 *
 * NAME is the kernel's, of a single feature: "features/rx-gro". What a feature is asked to be and
 * what it is can differ, because it depends on another one: then it reads as "on, not in force" or
 * "off, not in force", and writing that asks for the first word and no more.
 */
#ifndef FIT_SYS_ETHTOOL_H
#define FIT_SYS_ETHTOOL_H

#include <stdbool.h>

#include "base/err.h"

#define FIT_ETHTOOL_FEATURES "features/"

/* NULL when there is no such device or setting, or its driver does not offer it. To be freed. */
char *fit_ethtool_read(const char *netdev, const char *setting);

/* Why the device cannot have the value, as far as it says so: "at most 4096"; NULL: nothing speaks
 * against it. For a setting that can be read. To be freed. */
char *fit_ethtool_objection(const char *netdev, const char *setting, const char *text);

/* A driver may round: read it back. INVALID: @text is no value of @setting. */
int fit_ethtool_write(
	const char *netdev, const char *setting, const char *text, struct fit_err *err);

/* Does a change of it reset the card, so that its link goes down for a moment? */
bool fit_ethtool_drops_link(const char *setting);
bool fit_ethtool_is_channels(const char *setting);

#endif
