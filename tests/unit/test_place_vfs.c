/* SPDX-License-Identifier: GPL-2.0-or-later */
/* VFs and passed-through devices. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support_plan.h"

/* Two nodes of eight cores; the profile wants @count VFs. */
static struct fit_bench bench_with_vfs(unsigned int count)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 1}, 2);

	b.profile.vfs.intent.set = true;
	b.profile.vfs.count = count;
	b.profile.vfs.pf = fit_xstrdup("nearest");
	return b;
}

static struct fit_pci_device *device(struct fit_bench *b, const char *text)
{
	struct fit_pciaddr addr;

	if (!fit_pciaddr_parse(text, &addr))
		fail_msg("'%s' is no address", text);
	for (size_t i = 0; i < b->host.pci_count; i++)
		if (fit_pciaddr_equal(b->host.pci[i].addr, addr))
			return &b->host.pci[i];
	fail_msg("no device %s", text);
	abort();
}

static void claim_device(struct fit_bench *b, const char *name, bool running, const char *text)
{
	struct fit_claim *claim = FIT_APPEND(b->claims.items, b->claims.count);

	claim->name = fit_xstrdup(name);
	claim->running = running;
	*FIT_APPEND(claim->devices, claim->device_count) = device(b, text)->addr;
}

static void expect_vfs(const struct fit_bench *b, const char *list)
{
	fit_autostrlist struct fit_strlist found = {0};
	fit_autofree char *text = NULL;

	for (size_t i = 0; i < b->plan.vf_count; i++)
		fit_strlist_add(&found, FIT_PCIADDR_STR(b->plan.vfs[i].vf));
	text = fit_strlist_join(&found, " ");
	assert_string_equal(text, list);
}

static void vcpus_go_where_the_vfs_are(void **state)
{
	struct fit_bench b = bench_with_vfs(2);

	(void)state;
	fit_made_pf(&b.host, "0000:81:00.0", "enp129s0f0", 1, 8, 4);
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:81:10.0 0000:81:10.1");
	fit_expect_set(&b.plan.vcpu_nodes, "1");
	assert_true(b.plan.vfs[0].is_interface);
	assert_true(b.plan.vfs[0].exists);
	assert_string_equal(b.plan.vfs[0].pf_netdev, "enp129s0f0");
	fit_bench_end(&b);
}

static void the_vcpus_and_the_vfs_are_chosen_together(void **state)
{
	struct fit_bench b = bench_with_vfs(1);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 2);
	fit_made_pf(&b.host, "0000:81:00.0", "enp129s0f0", 1, 8, 2);
	fit_made_claim(&b.claims, "other", true, "1-7");
	fit_bench_plan(&b);
	fit_expect_set(&b.plan.vcpu_nodes, "1");
	expect_vfs(&b, "0000:81:10.0");
	fit_bench_end(&b);
}

static void vfs_that_do_not_exist_yet_are_addressed_by_offset_and_stride(void **state)
{
	struct fit_bench b = bench_with_vfs(2);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 0);
	device(&b, "0000:41:00.0")->sriov_offset = 384;
	device(&b, "0000:41:00.0")->sriov_stride = 2;
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:42:10.0 0000:42:10.2");
	assert_false(b.plan.vfs[0].exists);
	assert_int_equal(b.plan.vfs[1].index, 1);
	b.profile.vfs.count = 9;
	fit_expect_refusal(&b, "9 network VFs wanted, 8 are free");
	fit_bench_end(&b);
}

static void a_pf_without_an_iommu_or_a_driver_gives_none(void **state)
{
	struct fit_bench b = bench_with_vfs(1);

	(void)state;
	fit_expect_refusal(&b, "1 network VF wanted, no network device of this host has SR-IOV");
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 0);
	device(&b, "0000:41:00.0")->iommu_group = -1;
	fit_expect_refusal(&b, "enp65s0f0: it has no IOMMU group: the IOMMU is off");
	device(&b, "0000:41:00.0")->iommu_group = 4;
	free(device(&b, "0000:41:00.0")->driver);
	device(&b, "0000:41:00.0")->driver = NULL;
	fit_expect_refusal(&b, "no driver that could create VFs");
	fit_bench_end(&b);
}

/* What the hook would refuse at start is no plan. */
static void a_pf_that_cannot_have_the_vfs_to_create_is_passed_over(void **state)
{
	struct fit_bench b = bench_with_vfs(1);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 0);
	fit_made_pf(&b.host, "0000:81:00.0", "enp129s0f0", 1, 64, 0);
	b.profile.vfs.create = 16;
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:81:10.0");
	fit_bench_end(&b);

	b = bench_with_vfs(1);
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 0);
	b.profile.vfs.create = 16;
	fit_expect_refusal(&b, "enp65s0f0: create=\"16\" is more than the 8 VFs it can have");
	fit_bench_end(&b);
}

static void vfs_in_use_are_passed_over_and_named_when_none_is_left(void **state)
{
	struct fit_bench b = bench_with_vfs(1);
	struct fit_pci_device *vf;

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 4);
	claim_device(&b, "web02", true, "0000:41:10.0");
	claim_device(&b, "build", false, "0000:41:10.1");
	vf = device(&b, "0000:41:10.2");
	*FIT_APPEND(vf->netdevs, vf->netdev_count) = (struct fit_netdev){
		.name = fit_xstrdup("enp65s0f0v2"), .use = fit_xstrdup("has an address")};
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.3");
	claim_device(&b, "web03", true, "0000:41:10.3");
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.1");
	fit_expect_reason(&b, FIT_REASON_WARNING, "build (shut off) is defined with it too");
	b.profile.vfs.count = 2;
	fit_expect_refusal(&b, "2 network VFs wanted, 1 is free");
	assert_non_null(strstr(b.err.message, "web02 (running) has it"));
	assert_non_null(strstr(b.err.message, "web03 (running) has it"));
	assert_non_null(strstr(b.err.message, "its interface enp65s0f0v2 has an address"));
	fit_bench_end(&b);
}

/* With ARI, functions have no slots: 256 of them are on a bus, and then on the next. */
static void vfs_to_be_created_go_on_where_buses_end(void **state)
{
	struct fit_bench b = bench_with_vfs(2);

	(void)state;
	fit_made_pf(&b.host, "10000:fe:00.1", "enp254s0f1", 0, 256, 0);
	device(&b, "10000:fe:00.1")->sriov_offset = 254;
	fit_bench_plan(&b);
	expect_vfs(&b, "10000:fe:1f.7 10000:ff:00.0");
	/* Of 512 VFs the last ones would be beyond bus ff. */
	device(&b, "10000:fe:00.1")->sriov_total = 512;
	b.profile.vfs.count = 258;
	fit_expect_refusal(&b, "258 network VFs wanted, 257 are free");
	assert_non_null(strstr(b.err.message, "enp254s0f1: from VF 257 on they would have no "
					      "address"));
	/* Without a stride, there is no second VF. */
	device(&b, "10000:fe:00.1")->sriov_stride = 0;
	b.profile.vfs.count = 2;
	fit_expect_refusal(&b, "2 network VFs wanted, 1 is free");
	fit_bench_end(&b);
}

static void expect_other_vf(struct fit_bench *b, const char *why)
{
	fit_bench_plan(b);
	expect_vfs(b, "0000:41:10.1");
	fit_expect_reason(b, FIT_REASON_REJECTION, why);
}

static void vfs_that_programs_or_containers_have_are_passed_over(void **state)
{
	struct fit_bench b = bench_with_vfs(1);
	struct fit_pci_device *vf;

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 2);
	vf = device(&b, "0000:41:10.0");
	vf->netdevs_elsewhere = true;
	expect_other_vf(&b, "VF 0 of enp65s0f0 (0000:41:10.0): its interface is in another "
			    "network namespace");
	vf->netdevs_elsewhere = false;
	fit_xreplace(&vf->driver, "igb_uio");
	expect_other_vf(&b, "its driver igb_uio gives it to a program (DPDK)");
	fit_xreplace(&vf->driver, "vfio-pci");
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.0");
	vf->opened = true;
	expect_other_vf(&b, "has it open (driver vfio-pci)");
	/* While the domain itself runs, that is it. */
	vf->opened = false;
	fit_bench_plan(&b);
	fit_bench_keep_plan(&b);
	vf->opened = true;
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.0");
	fit_bench_end(&b);
}

/* VFIO gives a group to one user. */
static void a_group_that_another_domain_has_a_part_of_is_not_viable(void **state)
{
	struct fit_bench b = bench_with_vfs(1);
	int group;

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 3);
	group = device(&b, "0000:41:10.0")->iommu_group;
	device(&b, "0000:41:10.2")->iommu_group = group;
	fit_xreplace(&device(&b, "0000:41:10.2")->driver, "vfio-pci");
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.0");
	claim_device(&b, "web02", true, "0000:41:10.2");
	expect_other_vf(&b, "not viable while the host uses 0000:41:10.2 for web02 (running)");
	b.claims.items[0].running = false;
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.0");
	device(&b, "0000:41:10.2")->opened = true;
	expect_other_vf(&b, "not viable while the host uses 0000:41:10.2 for a program");
	fit_bench_end(&b);
}

static void a_vf_whose_interface_is_up_for_nothing_is_the_last_choice(void **state)
{
	struct fit_bench b = bench_with_vfs(1);
	struct fit_pci_device *vf;

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 2);
	vf = device(&b, "0000:41:10.0");
	*FIT_APPEND(vf->netdevs, vf->netdev_count) =
		(struct fit_netdev){.name = fit_xstrdup("eth7"), .up = true};
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.1");
	b.profile.vfs.count = 2;
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_NOTE, "VF 0000:41:10.0: its interface eth7, which is up");
	fit_bench_end(&b);
}

static void groups_that_the_kernel_was_told_to_split_are_warned_of(void **state)
{
	struct fit_bench b = bench_with_vfs(1);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 2);
	fit_bench_plan(&b);
	assert_null(fit_made_reason(&b.plan, FIT_REASON_WARNING, "the kernel was started with"));
	b.host.acs_override = fit_xstrdup("pcie_acs_override=downstream");
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_WARNING, "started with pcie_acs_override=downstream");
	b.profile.vfs.count = 0;
	fit_bench_plan(&b);
	assert_null(fit_made_reason(&b.plan, FIT_REASON_WARNING, "the kernel was started with"));
	fit_made_hostdev(&b.domain, "0000:41:10.0", false);
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_WARNING, "started with pcie_acs_override=downstream");
	fit_bench_end(&b);
}

/* Corpus B23. */
static void an_iommu_group_that_is_not_viable_is_told_member_by_member(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){1, 1, 8, 1}, 2);

	(void)state;
	fit_made_device(&b.host, "0000:00:01.0", 0x060400, -1, 1)->driver = fit_xstrdup("pcieport");
	fit_made_device(&b.host, "0000:01:00.0", 0x030000, -1, 1)->driver = fit_xstrdup("vfio-pci");
	fit_made_device(&b.host, "0000:01:00.1", 0x040300, -1, 1)->driver =
		fit_xstrdup("snd_hda_intel");
	fit_made_device(&b.host, "0000:01:00.2", 0x0c0330, -1, 1)->driver = fit_xstrdup("xhci_hcd");
	fit_made_device(&b.host, "0000:01:00.3", 0x0c8000, -1, 1);
	fit_made_hostdev(&b.domain, "0000:01:00.0", false);
	fit_expect_refusal(&b, "IOMMU group 1 is not viable while the host uses 0000:01:00.1 "
			       "(driver snd_hda_intel), 0000:01:00.2 (driver xhci_hcd)");
	assert_null(strstr(b.err.message, "pcieport"));
	/* The whole group passed through is viable. */
	fit_made_hostdev(&b.domain, "0000:01:00.1", false);
	fit_made_hostdev(&b.domain, "0000:01:00.2", false);
	fit_bench_plan(&b);
	fit_bench_end(&b);
}

static void without_an_iommu_passed_through_devices_are_warned_of(void **state)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 1}, 2);

	(void)state;
	fit_made_device(&b.host, "0000:81:00.0", 0x030000, 1, -1);
	fit_made_hostdev(&b.domain, "0000:81:00.0", false);
	fit_made_hostdev(&b.domain, "0000:c1:00.0", false);
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_WARNING, "0000:81:00.0 has no IOMMU group");
	fit_expect_reason(&b, FIT_REASON_WARNING,
		"passes 0000:c1:00.0 through, which this host does not have");
	fit_expect_set(&b.plan.vcpu_nodes, "1");
	fit_bench_end(&b);
}

static void a_pf_with_a_link_is_preferred(void **state)
{
	struct fit_bench b = bench_with_vfs(1);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 2);
	fit_made_pf(&b.host, "0000:41:00.1", "enp65s0f1", 0, 8, 0);
	device(&b, "0000:41:00.0")->netdevs[0].carrier = false;
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.1");
	free(b.profile.vfs.pf);
	b.profile.vfs.pf = fit_xstrdup("enp65s0f0");
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.0");
	fit_expect_reason(&b, FIT_REASON_WARNING, "its PF enp65s0f0 has no link");
	free(b.profile.vfs.pf);
	b.profile.vfs.pf = fit_xstrdup("eth9");
	fit_expect_refusal(&b, "VFs of 'eth9' are wanted, which this host does not have");
	fit_bench_end(&b);
}

static void vfs_that_exist_win_over_vfs_to_be_created(void **state)
{
	struct fit_bench b = bench_with_vfs(1);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 0);
	device(&b, "0000:41:00.0")->sriov_offset = 128;
	device(&b, "0000:41:00.0")->sriov_stride = 2;
	fit_made_pf(&b.host, "0000:81:00.0", "enp129s0f0", 1, 8, 2);
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:81:10.0");
	fit_expect_set(&b.plan.vcpu_nodes, "1");
	fit_bench_end(&b);
}

static void a_domain_stays_on_the_vf_that_is_created_for_it(void **state)
{
	struct fit_bench b = bench_with_vfs(1);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 0);
	device(&b, "0000:41:00.0")->sriov_offset = 128;
	device(&b, "0000:41:00.0")->sriov_stride = 2;
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.0");
	fit_bench_keep_plan(&b);
	fit_made_pf(&b.host, "0000:81:00.0", "enp129s0f0", 0, 8, 2);
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.0");
	fit_bench_end(&b);
}

static void several_pfs_are_used_only_when_no_pf_has_enough(void **state)
{
	struct fit_bench b = bench_with_vfs(2);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 1);
	fit_made_pf(&b.host, "0000:81:00.0", "enp129s0f0", 1, 8, 2);
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:81:10.0 0000:81:10.1");
	b.profile.vfs.count = 3;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.vf_count, 3);
	fit_expect_reason(&b, FIT_REASON_NOTE, "they are of several");
	fit_bench_end(&b);
}

static void vfs_stay_with_a_domain_that_has_them(void **state)
{
	struct fit_bench b = bench_with_vfs(1);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 4);
	claim_device(&b, "other", true, "0000:41:10.0");
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.1");
	fit_bench_keep_plan(&b);
	fit_claims_clear(&b.claims);
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.1");
	fit_bench_end(&b);
}

/* Whichever of its claims is read first. */
static void a_vf_that_a_running_domain_has_is_not_given(void **state)
{
	struct fit_bench b = bench_with_vfs(1);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 4);
	for (unsigned int i = 0; i < 4; i++) {
		fit_autofree char *vf = fit_xasprintf("0000:41:10.%u", i);

		claim_device(&b, i % 2 ? "alpha" : "beta", i % 2, vf);
		claim_device(&b, i % 2 ? "beta" : "alpha", i % 2 == 0, vf);
	}
	fit_expect_refusal(&b, "1 network VF wanted, 0 are free");
	fit_bench_end(&b);
}

static void vfs_of_the_definition_count_as_wanted_ones(void **state)
{
	struct fit_bench b = bench_with_vfs(2);

	(void)state;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 4);
	fit_made_hostdev(&b.domain, "0000:41:10.0", false);
	fit_bench_plan(&b);
	expect_vfs(&b, "0000:41:10.1");
	fit_expect_reason(&b, FIT_REASON_KEPT, "1 VF of the definition counts");
	fit_bench_end(&b);
}

static void nvme_vfs_are_host_devices(void **state)
{
	struct fit_bench b = bench_with_vfs(1);
	struct fit_pci_device *pf;

	(void)state;
	b.profile.vfs.class = FIT_VF_NVME;
	fit_made_pf(&b.host, "0000:41:00.0", "enp65s0f0", 0, 8, 4);
	fit_expect_refusal(&b, "no NVMe device of this host has SR-IOV");
	pf = fit_made_device(&b.host, "10000:e1:00.0", 0x010802, 1, 17);
	pf->driver = fit_xstrdup("nvme");
	pf->sriov_total = 4;
	pf->sriov_offset = 1;
	pf->sriov_stride = 1;
	fit_bench_plan(&b);
	expect_vfs(&b, "10000:e1:00.1");
	assert_false(b.plan.vfs[0].is_interface);
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vcpus_go_where_the_vfs_are),
		cmocka_unit_test(the_vcpus_and_the_vfs_are_chosen_together),
		cmocka_unit_test(vfs_that_do_not_exist_yet_are_addressed_by_offset_and_stride),
		cmocka_unit_test(a_pf_without_an_iommu_or_a_driver_gives_none),
		cmocka_unit_test(a_pf_that_cannot_have_the_vfs_to_create_is_passed_over),
		cmocka_unit_test(vfs_in_use_are_passed_over_and_named_when_none_is_left),
		cmocka_unit_test(vfs_to_be_created_go_on_where_buses_end),
		cmocka_unit_test(vfs_that_programs_or_containers_have_are_passed_over),
		cmocka_unit_test(a_group_that_another_domain_has_a_part_of_is_not_viable),
		cmocka_unit_test(a_vf_whose_interface_is_up_for_nothing_is_the_last_choice),
		cmocka_unit_test(groups_that_the_kernel_was_told_to_split_are_warned_of),
		cmocka_unit_test(an_iommu_group_that_is_not_viable_is_told_member_by_member),
		cmocka_unit_test(without_an_iommu_passed_through_devices_are_warned_of),
		cmocka_unit_test(a_pf_with_a_link_is_preferred),
		cmocka_unit_test(vfs_that_exist_win_over_vfs_to_be_created),
		cmocka_unit_test(a_domain_stays_on_the_vf_that_is_created_for_it),
		cmocka_unit_test(several_pfs_are_used_only_when_no_pf_has_enough),
		cmocka_unit_test(vfs_stay_with_a_domain_that_has_them),
		cmocka_unit_test(a_vf_that_a_running_domain_has_is_not_given),
		cmocka_unit_test(vfs_of_the_definition_count_as_wanted_ones),
		cmocka_unit_test(nvme_vfs_are_host_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
