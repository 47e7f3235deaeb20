/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by capture*.c. */
#ifndef FIT_SYS_CAPTURE_PARTS_H
#define FIT_SYS_CAPTURE_PARTS_H

#include <fcntl.h>

#include "base/strlist.h"
#include "sys/fsroot.h"

#define FIT_CAPTURE_BEGIN "# virt-fit capture 1"
#define FIT_CAPTURE_END	  "# end of the capture"

struct fit_capture {
	const struct fit_fsroot *root;
	struct fit_strlist lines; /* of the manifest, each with its newline */
};

void fit_capture_add_link(struct fit_capture *capture, const char *path);
void fit_capture_add_text(
	struct fit_capture *capture, const char *path, const char *text, size_t length);

/* The path without symbolic links, relative to the root; NULL when there is none. To be freed. */
char *fit_capture_resolve(const struct fit_capture *capture, const char *path);

/* capture_storage.c: disks and what is mounted of them, hugetlbfs */
void fit_capture_add_storage(struct fit_capture *capture);

/* capture_network.c: which interfaces have an address or the default route, but no addresses; of
 * the kernel's command line what it does to IOMMU groups */
void fit_capture_add_network(struct fit_capture *capture);

/* capture_macs.c: replaces MAC addresses, also in names such as enx0123456789ab, by made-up ones:
 * equal ones by equal ones. */
void fit_capture_replace_macs(char *text);

#endif
