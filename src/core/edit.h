/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An edit: one place of a domain document and what shall be there. Places are paths below <domain>
 * with libvirt's own identities:
 *
 *   cpu/@mode                                          attribute
 *   iothreads/text()                                   text of an element
 *   cputune/vcpupin[@vcpu='3']                         element (the value is its XML)
 *   devices/disk[target/@dev='vda']/driver/@iothread
 *   devices/interface[alias/@name='ua-virt-fit-vf0']
 *   devices/controller[@type='scsi'][@index='0']/driver/@iothread
 *   devices/hostdev[source/address/@bus='0x41'][source/address/@slot='0x00']/rom/@bar
 *   devices/sound[2]
 *   qemu:override/qemu:device[@alias='ua-a']/qemu:frontend/qemu:property[@name='vectors']/@value
 *
 * A step is NAME with conditions [@ATTRIBUTE='VALUE'] or [CHILD/@ATTRIBUTE='VALUE'] that all hold;
 * VALUE has no quote. A number at the end counts those that match, from 1, and such an element must
 * exist. Where several match and all shall go, the last is removed first: so undo finds each
 * absent. Elements on the way that do not exist are created (and removed by the inverse when they
 * are empty again); a step with a [CHILD/...] condition must exist unless it is the last one.
 */
#ifndef FIT_CORE_EDIT_H
#define FIT_CORE_EDIT_H

#include <stddef.h>

#include "base/attr.h"

struct fit_edit {
	char *path;
	char *value; /* NULL: shall be absent */
};

struct fit_edits {
	struct fit_edit *items;
	size_t count;
};

void fit_edits_clear(struct fit_edits *edits);

/* Both @path and the value are copied / formatted. */
void fit_edits_set(struct fit_edits *edits, const char *path, const char *value);
void fit_edits_setf(struct fit_edits *edits, const char *path, const char *format, ...)
	FIT_PRINTF(3, 4);
void fit_edits_remove(struct fit_edits *edits, const char *path);

/* Takes out the edits inside an element that another edit removes. */
void fit_edits_drop_void(struct fit_edits *edits);

#endif
