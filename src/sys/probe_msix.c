/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes of MSI-X tables, from the configuration space through libpci. Without privilege the kernel
 * gives the first 64 bytes only, which hold no capability: the size is unknown then.
 */
#include <pci/pci.h>
#include <setjmp.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "sys/paths.h"
#include "sys/probe_parts.h"

/* libpci's error callback must not return, and its default one exits the process. It takes no
 * context either. */
static _Thread_local jmp_buf after_error;

static FIT_NORETURN void on_error(FIT_UNUSED char *format, ...)
{
	longjmp(after_error, 1);
}

static void ignore(FIT_UNUSED char *format, ...)
{
}

/* libpci resolves paths by itself. Below a fake root it must not follow an absolute link to the
 * machine's own device: it gets only files that we find at the same place. */
static bool is_below_root(
	const struct fit_probe_run *run, const char *base, struct fit_pciaddr addr)
{
	fit_autofree char *name = fit_xasprintf("devices/%s/config", FIT_PCIADDR_STR(addr));
	fit_autofree char *direct = fit_xasprintf("%s/%s", base, name);
	fit_autofree char *below = fit_xasprintf(FIT_PATH_PCI_BUS "/%s", name);
	struct stat status, expected;

	return stat(direct, &status) == 0 && fit_fsroot_stat(run->root, below, &expected) == 0 &&
	       status.st_dev == expected.st_dev && status.st_ino == expected.st_ino;
}

static int table_size(struct pci_access *access, struct fit_pciaddr addr)
{
	struct pci_dev *device =
		pci_get_dev(access, (int)addr.domain, addr.bus, addr.slot, addr.function);
	const struct pci_cap *capability = pci_find_cap(device, PCI_CAP_ID_MSIX, PCI_CAP_NORMAL);
	int size = -1;

	if (capability)
		size = (pci_read_word(device, capability->addr + PCI_CAP_FLAGS) &
			       PCI_MSIX_TABSIZE) +
		       1;
	pci_free_dev(device);
	return size;
}

static void read_tables(
	const struct fit_probe_run *run, struct pci_access *access, const char *base)
{
	for (size_t i = 0; i < run->host->pci_count; i++) {
		struct fit_pci_device *device = &run->host->pci[i];

		if (run->root->real || is_below_root(run, base, device->addr))
			device->msix_vectors = table_size(access, device->addr);
	}
}

void fit_probe_msix(
	const struct fit_fsroot *root, struct fit_host *host, struct fit_strlist *warnings)
{
	const struct fit_probe_run run = {.root = root, .host = host, .warnings = warnings};
	fit_autofree char *base =
		fit_xasprintf("%s/" FIT_PATH_PCI_BUS, root->real ? "" : root->path);
	char parameter[] = "sysfs.path";
	struct pci_access *access = pci_alloc();

	access->method = PCI_ACCESS_SYS_BUS_PCI;
	access->error = on_error;
	access->warning = ignore;
	access->debug = ignore;
	pci_set_param(access, parameter, base);
	if (setjmp(after_error) == 0) {
		pci_init(access);
		read_tables(&run, access, base);
	} else {
		fit_probe_warn(&run, "libpci cannot read %s: MSI-X table sizes are unknown", base);
	}
	pci_cleanup(access);
}
