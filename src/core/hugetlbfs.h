/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For which page sizes a hugetlbfs is mounted. libvirt gives a domain huge pages as files there,
 * and refuses to start it where there is none of their size. A memfd needs none, but when the
 * definition does not name the size, libvirt takes that of a mount all the same. Distributions
 * mount one of the default size only.
 */
#ifndef FIT_CORE_HUGETLBFS_H
#define FIT_CORE_HUGETLBFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fit_hugetlbfs {
	bool known;	      /* false: the mounts of the host are not known, and nothing is said */
	const char *place;    /* where they use to be, without the size: "DIR/hugepages" */
	uint64_t default_kib; /* the host's default size; 0: it is not known */
	uint64_t *sizes;      /* KiB, ascending, each once */
	size_t size_count;
};

void fit_hugetlbfs_clear(struct fit_hugetlbfs *mounts);

/* Of the lines of the kernel's list of mounts; the rest of @mounts is filled in already. */
void fit_hugetlbfs_parse(struct fit_hugetlbfs *mounts, const char *lines);

/* Would libvirt refuse a domain with such pages for want of a mount, as far as this is known?
 * 0: those of the default size. @in_memfd: its memory is in a memfd. */
bool fit_hugetlbfs_lacks(const struct fit_hugetlbfs *mounts, uint64_t page_kib, bool in_memfd);

/* Of a size that is lacked: what is wanted and found, what to do, and both. To be freed. */
char *fit_hugetlbfs_problem(const struct fit_hugetlbfs *mounts, uint64_t page_kib);
char *fit_hugetlbfs_remedy(const struct fit_hugetlbfs *mounts, uint64_t page_kib);
char *fit_hugetlbfs_complaint(const struct fit_hugetlbfs *mounts, uint64_t page_kib);

/* "2 MiB, 1 GiB"; "" for none. To be freed. */
char *fit_hugetlbfs_format(const struct fit_hugetlbfs *mounts);

#endif
