/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the probe says of the lab's host, captured idle (lab) and while a domain runs that has a VF
 * of its card (lab-running): groups, VFs, vectors and interrupts as a kernel shows them together.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/capture.h"
#include "sys/probe.h"

static const struct fit_pciaddr vf_address = {.bus = 0x41, .slot = 0x10};
static const struct fit_pciaddr pf_address = {.bus = 0x41};

/* As --host takes it. */
static struct fit_host captured_host(const char *name)
{
	const char *top = getenv("TOP") ? getenv("TOP") : ".";
	fit_autofree char *file = fit_xasprintf("%s/tests/hosts/%s.txt", top, name);
	struct fit_unpacked tree = {0};
	struct fit_fsroot root = {.fd = -1};
	struct fit_host host = {0};
	struct fit_err err = FIT_ERR_INIT;

	if (fit_capture_unpack(file, &tree, &err) < 0 ||
		fit_fsroot_open(tree.path, &root, &err) < 0 ||
		fit_probe(&root, FIT_PROBE_ALL, &host, NULL, &err) < 0)
		fail_msg("%s", err.message);
	fit_probe_msix(&root, &host, NULL);
	fit_fsroot_close(&root);
	fit_capture_remove(&tree);
	return host;
}

static void the_vf_of_a_running_domain_is_vfio_s(void **state)
{
	struct fit_host host = captured_host("lab-running");
	const struct fit_pci_device *vf = fit_host_pci(&host, vf_address);
	const struct fit_pci_device *pf = fit_host_pci(&host, pf_address);

	(void)state;
	assert_non_null(vf);
	assert_non_null(pf);
	assert_true(vf->is_vf);
	assert_true(fit_pciaddr_equal(vf->physfn, pf_address));
	assert_string_equal(vf->driver, "vfio-pci");
	assert_int_equal(vf->node, 1);
	assert_int_equal(vf->netdev_count, 0);
	assert_int_equal(vf->msix_vectors, 3);
	assert_int_equal(pf->sriov_numvfs, 1);
	assert_int_equal(pf->vf_count, 1);
	assert_true(fit_pciaddr_equal(pf->vfs[0], vf_address));
	fit_host_clear(&host);
}

static void it_is_alone_in_its_group(void **state)
{
	struct fit_host host = captured_host("lab-running");
	const struct fit_pci_device *vf = fit_host_pci(&host, vf_address);
	size_t members = 0;

	(void)state;
	assert_non_null(vf);
	assert_true(vf->iommu_group >= 0);
	for (size_t i = 0; i < host.pci_count; i++)
		members += host.pci[i].iommu_group == vf->iommu_group;
	assert_int_equal(members, 1);
	fit_host_clear(&host);
}

/* An interrupt is the device's by msi_irqs, whatever it is called. */
static void its_vectors_are_known_by_the_device(void **state)
{
	struct fit_host host = captured_host("lab-running");
	size_t vectors = 0;

	(void)state;
	for (size_t i = 0; i < host.irq_count; i++) {
		const struct fit_irq *irq = &host.irqs[i];
		bool is_its = irq->has_device && fit_pciaddr_equal(irq->device, vf_address);

		assert_int_equal(is_its, fit_starts_with(irq->name, "vfio-msix"));
		vectors += is_its;
		if (is_its)
			assert_string_equal(irq->chip, "IR-PCI-MSIX-0000:41:10.0");
	}
	assert_int_equal(vectors, 3);
	fit_host_clear(&host);
}

/* The NVMe controller, which is no part of a saved host, aside: what runs adds its VF, and nothing
 * else is taken for another thing. */
static void the_rest_is_the_idle_host(void **state)
{
	struct fit_host idle = captured_host("lab");
	struct fit_host host = captured_host("lab-running");

	(void)state;
	assert_true(fit_cpuset_equal(&idle.online, &host.online));
	assert_int_equal(idle.node_count, host.node_count);
	assert_int_equal(idle.l3_count, host.l3_count);
	for (size_t i = 0; i < host.pci_count; i++) {
		const struct fit_pci_device *device = &host.pci[i];
		const struct fit_pci_device *before = fit_host_pci(&idle, device->addr);

		if (device->is_vf) {
			assert_null(before);
			continue;
		}
		assert_non_null(before);
		assert_int_equal(device->class_code, before->class_code);
		assert_int_equal(device->node, before->node);
		assert_int_equal(device->sriov_total, before->sriov_total);
	}
	fit_host_clear(&idle);
	fit_host_clear(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_vf_of_a_running_domain_is_vfio_s),
		cmocka_unit_test(it_is_alone_in_its_group),
		cmocka_unit_test(its_vectors_are_known_by_the_device),
		cmocka_unit_test(the_rest_is_the_idle_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
