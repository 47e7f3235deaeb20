/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a physical function's driver enforces for one of its virtual functions, as text:
 *
 *   mac         52:54:00:12:34:56    the administrative one; 00:00:00:00:00:00: the guest chooses
 *   vlan        100 qos 3            of all its frames; "none"
 *   rate        0 1000               least and most, in Mbit/s; 0: no limit
 *   spoofchk    on, off              frames with another sender's MAC are dropped
 *   trust       on, off              it may ask for promiscuous mode and other MACs
 *   link-state  auto, enable, disable
 *
 * Asked and told by rtnetlink, with messages made here: of libnl-route only the VF part would be of
 * use, and it asks for statistics, which take a driver longer than all the rest.
 */
#ifndef FIT_SYS_VF_LINK_H
#define FIT_SYS_VF_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum fit_vf_attribute {
	FIT_VF_MAC,
	FIT_VF_VLAN,
	FIT_VF_RATE,
	FIT_VF_SPOOFCHK,
	FIT_VF_TRUST,
	FIT_VF_LINK_STATE,
	FIT_VF_ATTRIBUTE_COUNT,
};

const char *fit_vf_attribute_name(enum fit_vf_attribute attribute);
bool fit_vf_attribute_parse(const char *name, enum fit_vf_attribute *ret_attribute);

/* Of VF @vf of the network device @netdev; NULL when its driver does not tell, or there is no such
 * VF. To be freed. */
char *fit_vf_link_read(const char *netdev, unsigned int vf, enum fit_vf_attribute attribute);

int fit_vf_link_write(const char *netdev, unsigned int vf, enum fit_vf_attribute attribute,
	const char *text, struct fit_err *err);

/* Parts of the messages, for tests: an IFLA_VF_INFO of @size bytes at @info says @attribute; and
 * the attribute (type, content) that sets @text. 0 bytes when that is no value of it. */
#define FIT_VF_CONTENT_MAX 64
char *fit_vf_link_text(enum fit_vf_attribute attribute, const void *info, size_t size);
size_t fit_vf_link_content(enum fit_vf_attribute attribute, unsigned int vf, const char *text,
	unsigned short *ret_type, unsigned char content[FIT_VF_CONTENT_MAX]);

#endif
