/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole devices: which are passed through, what is refused, where the guest sees them. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "support_plan.h"

static void request(struct fit_bench *b, const char *text)
{
	struct fit_request_device *wanted = FIT_APPEND(b->request.devices, b->request.device_count);

	assert_true(fit_pciaddr_parse(text, &wanted->address));
}

static struct fit_pci_device *device(struct fit_bench *b, const char *text)
{
	struct fit_pciaddr addr;

	assert_true(fit_pciaddr_parse(text, &addr));
	for (size_t i = 0; i < b->host.pci_count; i++)
		if (fit_pciaddr_equal(b->host.pci[i].addr, addr))
			return &b->host.pci[i];
	fail_msg("no device %s", text);
	abort();
}

/* Two nodes; on node 1 behind a bridge a GPU with sound and USB, a second GPU alone, and an NVMe
 * controller. The profile passes GPUs and NVMe controllers through. */
static struct fit_bench bench(void)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 1}, 2);

	fit_made_device(&b.host, "0000:80:01.0", 0x060400, 1, 1)->driver = fit_xstrdup("pcieport");
	fit_made_device(&b.host, "0000:81:00.0", 0x030000, 1, 1)->driver = fit_xstrdup("nvidia");
	fit_made_device(&b.host, "0000:81:00.1", 0x040300, 1, 1)->driver = fit_xstrdup("snd");
	fit_made_device(&b.host, "0000:81:00.2", 0x0c0330, 1, 1)->driver = fit_xstrdup("xhci_hcd");
	fit_made_device(&b.host, "0000:82:00.0", 0x030200, 1, 2);
	fit_made_device(&b.host, "0000:83:00.0", 0x010802, 1, 3)->driver = fit_xstrdup("nvme");
	b.profile.gpus.intent.set = b.profile.nvme.intent.set = true;
	b.profile.gpus.requested = b.profile.nvme.requested = true;
	return b;
}

/* "81:00.0 0/18/0*": source address, guest bus/slot/function, * for the first of several; "-" where
 * libvirt chooses. */
static void expect_devices(const struct fit_bench *b, const char *wanted)
{
	fit_autobuffer struct fit_buffer text = {0};

	for (size_t i = 0; i < b->plan.device_count; i++) {
		const struct fit_planned_device *found = &b->plan.devices[i];
		const struct fit_guest_place *place = &found->place;

		fit_buffer_addf(&text, "%s%s ", i ? ", " : "", FIT_PCIADDR_STR(found->addr) + 5);
		if (place->set)
			fit_buffer_addf(&text, "%x/%x/%x%s", place->bus, place->slot,
				place->function, place->multifunction ? "*" : "");
		else
			fit_buffer_add(&text, "-");
	}
	assert_string_equal(text.length ? text.text : "", wanted);
}

static void a_gpu_goes_with_all_functions_of_its_slot(void **state)
{
	struct fit_bench b = bench();

	(void)state;
	request(&b, "0000:81:00.0");
	fit_bench_plan(&b);
	expect_devices(&b, "81:00.0 1/0/0*, 81:00.1 1/0/1, 81:00.2 1/0/2");
	assert_int_equal(b.plan.port_count, 1);
	assert_int_equal(b.plan.ports[0].index, 1);
	assert_int_equal(b.plan.ports[0].slot, 0x18);
	fit_expect_set(&b.plan.vcpu_nodes, "1");
	fit_expect_reason(&b, FIT_REASON_CHOICE,
		"0000:81:00.2: in the slot of 0000:81:00.0, which is requested");
	fit_bench_end(&b);
}

static void one_function_alone_is_placed_by_libvirt(void **state)
{
	struct fit_bench b = bench();

	(void)state;
	request(&b, "0000:82:00.0");
	request(&b, "0000:83:00.0");
	fit_bench_plan(&b);
	expect_devices(&b, "82:00.0 -, 83:00.0 -");
	assert_int_equal(b.plan.port_count, 0);
	assert_string_equal(b.plan.devices[1].kind, "NVMe controller");
	fit_bench_end(&b);
}

static void without_the_intent_a_device_is_only_something_to_be_near_to(void **state)
{
	struct fit_bench b = bench();

	(void)state;
	b.profile.gpus.requested = false;
	request(&b, "0000:81:00.0");
	fit_bench_plan(&b);
	expect_devices(&b, "");
	fit_expect_set(&b.plan.vcpu_nodes, "1");
	fit_bench_end(&b);

	b = bench();
	fit_made_device(&b.host, "0000:84:00.0", 0x020000, 1, 4);
	request(&b, "0000:84:00.0");
	fit_bench_plan(&b);
	expect_devices(&b, "");
	b.profile.others = b.profile.gpus;
	fit_bench_plan(&b);
	expect_devices(&b, "84:00.0 -");
	fit_bench_end(&b);
}

static void devices_are_called_what_they_are(void **state)
{
	static const struct {
		uint32_t class_code;
		const char *name;
	} cases[] = {{0x010802, "NVMe"}, {0x010601, "storage"}, {0x020000, "network"},
		{0x030000, "display"}, {0x030200, "3D"}, {0x038000, "display"}, {0x040300, "audio"},
		{0x0c0330, "USB"}, {0x0c8000, "serial bus"}, {0x120000, "accelerator"},
		{0x088000, "class 0880"}};

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(cases); i++) {
		struct fit_bench b = bench();
		fit_autofree char *text = fit_xasprintf(
			"the definition passes 0000:84:00.0 (%s) through", cases[i].name);

		b.profile.others = b.profile.gpus;
		fit_made_device(&b.host, "0000:84:00.0", cases[i].class_code, 1, 4);
		fit_made_hostdev(&b.domain, "0000:84:00.0", false);
		request(&b, "0000:84:00.0");
		fit_bench_plan(&b);
		fit_expect_reason(&b, FIT_REASON_KEPT, text);
		fit_bench_end(&b);
	}
}

static void functions_can_be_limited_to_those_named(void **state)
{
	struct fit_bench b = bench();

	(void)state;
	b.profile.gpus.named_only = true;
	request(&b, "0000:81:00.0");
	fit_expect_refusal(&b, "0000:81:00.0 (display) cannot be passed through: IOMMU group 1 is "
			       "not viable while the host uses 0000:81:00.1 (driver snd), "
			       "0000:81:00.2 (driver xhci_hcd)");
	device(&b, "0000:81:00.1")->iommu_group = 5;
	device(&b, "0000:81:00.2")->iommu_group = 6;
	fit_bench_plan(&b);
	expect_devices(&b, "81:00.0 -");
	fit_bench_end(&b);
}

/* Bridges are no obstacle, members of other slots are. */
static void the_whole_group_has_to_be_free(void **state)
{
	struct fit_bench b = bench();

	(void)state;
	fit_made_device(&b.host, "0000:84:00.0", 0x020000, 1, 1)->driver = fit_xstrdup("igc");
	request(&b, "0000:81:00.0");
	fit_expect_refusal(&b, "while the host uses 0000:84:00.0 (driver igc) (also in the group: "
			       "0000:81:00.1, 0000:81:00.2); request these too");
	request(&b, "0000:84:00.0");
	b.profile.others = b.profile.gpus;
	fit_bench_plan(&b);
	expect_devices(&b, "81:00.0 1/0/0*, 81:00.1 1/0/1, 81:00.2 1/0/2, 84:00.0 -");
	fit_bench_end(&b);
}

static void what_the_host_uses_is_refused(void **state)
{
	struct fit_bench b = bench();
	struct fit_pci_device *nic;

	(void)state;
	request(&b, "0000:81:00.1");
	request(&b, "0000:83:00.0");
	device(&b, "0000:83:00.0")->in_use = fit_xstrdup("/dev/nvme0n1p2 is mounted on /");
	fit_expect_refusal(&b, "0000:83:00.0 (NVMe) cannot be passed through: the host uses it: "
			       "/dev/nvme0n1p2 is mounted on /");
	fit_bench_end(&b);

	b = bench();
	request(&b, "0000:82:00.0");
	device(&b, "0000:82:00.0")->boot_vga = true;
	fit_expect_refusal(&b, "the host's console is on it; console=\"take\"");
	b.profile.gpus.takes_console = true;
	fit_bench_plan(&b);
	expect_devices(&b, "82:00.0 -");
	device(&b, "0000:82:00.0")->iommu_group = -1;
	fit_expect_refusal(&b, "it has no IOMMU group: the IOMMU is off");
	fit_bench_end(&b);

	b = bench();
	b.profile.others = b.profile.gpus;
	nic = fit_made_device(&b.host, "0000:84:00.0", 0x020000, 1, 4);
	*FIT_APPEND(nic->netdevs, nic->netdev_count) =
		(struct fit_netdev){.name = fit_xstrdup("eth0"), .up = true};
	request(&b, "0000:84:00.0");
	fit_expect_refusal(&b, "its interface eth0 is up");
	nic->netdevs[0].up = false;
	nic->netdevs[0].use = fit_xstrdup("is part of br0");
	fit_expect_refusal(&b, "its interface eth0 is part of br0");
	free(nic->netdevs[0].use);
	nic->netdevs[0].use = NULL;
	nic->netdevs_elsewhere = true;
	fit_expect_refusal(&b, "in another network namespace");
	nic->netdevs_elsewhere = false;
	nic->driver = fit_xstrdup("vfio-pci");
	nic->opened = true;
	fit_expect_refusal(&b, "0000:84:00.0 (network) cannot be passed through: a program");
	nic->opened = false;
	nic->sriov_numvfs = 2;
	fit_expect_refusal(&b, "it has 2 VFs, which would be gone");
	fit_bench_end(&b);
}

static void bridges_and_virtual_functions_of_the_slot_stay_behind(void **state)
{
	struct fit_bench b = bench();
	struct fit_pci_device *vf;

	(void)state;
	vf = fit_made_device(&b.host, "0000:83:00.1", 0x010802, 1, 3);
	vf->is_vf = true;
	request(&b, "0000:83:00.0");
	fit_bench_plan(&b);
	expect_devices(&b, "83:00.0 -");
	fit_made_device(&b.host, "0000:83:00.2", 0x060100, 1, 3);
	fit_expect_refusal(&b, "0000:83:00.2 (bridge) cannot be passed through: it is a bridge; "
			       "functions=\"named\" in <passthrough of=\"nvme\">");
	fit_bench_end(&b);
}

static void other_domains_are_told(void **state)
{
	struct fit_bench b = bench();
	struct fit_claim *claim;

	(void)state;
	request(&b, "0000:82:00.0");
	claim = FIT_APPEND(b.claims.items, b.claims.count);
	claim->name = fit_xstrdup("games");
	*FIT_APPEND(claim->devices, claim->device_count) = device(&b, "0000:82:00.0")->addr;
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_WARNING, "games (shut off) is defined with it too");
	claim->running = true;
	fit_expect_refusal(&b, "games (running) has it");
	fit_bench_end(&b);
}

static void what_the_definition_passes_through_stays_as_it_is(void **state)
{
	struct fit_bench b = bench();

	(void)state;
	request(&b, "0000:81:00.0");
	fit_made_hostdev(&b.domain, "0000:81:00.0", false);
	fit_made_hostdev(&b.domain, "0000:81:00.1", false);
	fit_bench_plan(&b);
	expect_devices(&b, "81:00.2 -");
	fit_expect_reason(&b, FIT_REASON_KEPT, "passes 0000:81:00.1 (audio) through already");
	fit_bench_end(&b);
}

static void a_profile_without_a_device_is_warned_of(void **state)
{
	struct fit_bench b = bench();

	(void)state;
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_WARNING,
		"no GPU is passed through: the request names none; this host has 0000:81:00.0, "
		"0000:82:00.0");
	fit_made_hostdev(&b.domain, "0000:82:00.0", false);
	fit_bench_plan(&b);
	assert_null(fit_made_reason(&b.plan, FIT_REASON_WARNING, "no GPU"));
	fit_bench_end(&b);
}

static void set_machine(struct fit_bench *b, const char *arch, const char *machine)
{
	fit_xreplace(&b->domain.arch, arch);
	fit_xreplace(&b->domain.machine, machine);
}

static void each_machine_type_has_its_own_place_for_functions(void **state)
{
	struct fit_bench b = bench();

	(void)state;
	request(&b, "0000:81:00.0");
	set_machine(&b, "x86_64", "pc-i440fx-7.2");
	*FIT_APPEND(b.domain.pci_slots, b.domain.pci_slot_count) = (struct fit_guest_slot){0, 0x18};
	fit_bench_plan(&b);
	expect_devices(&b, "81:00.0 0/17/0*, 81:00.1 0/17/1, 81:00.2 0/17/2");
	assert_int_equal(b.plan.port_count, 0);
	set_machine(&b, "s390x", "s390-ccw-virtio");
	fit_bench_plan(&b);
	expect_devices(&b, "81:00.0 -, 81:00.1 -, 81:00.2 -");
	fit_expect_reason(&b, FIT_REASON_NOTE, "its machine type has no slots");
	set_machine(&b, "x86_64", "microvm");
	fit_expect_refusal(&b, "devices are to be passed through, but a machine of type x86_64 "
			       "microvm has no passthrough of PCI devices");
	fit_bench_end(&b);
}

static struct fit_domain_controller *add_controller(
	struct fit_domain *domain, unsigned int index, const char *alias)
{
	struct fit_domain_controller *controller =
		FIT_APPEND(domain->controllers, domain->controller_count);

	controller->type = fit_xstrdup("pci");
	controller->model = fit_xstrdup("pcie-root-port");
	controller->has_index = true;
	controller->index = index;
	controller->alias = alias ? fit_xstrdup(alias) : NULL;
	return controller;
}

/* What libvirt added behind ours since does not move ours. */
static void a_root_port_keeps_its_bus(void **state)
{
	struct fit_bench b = bench();

	(void)state;
	request(&b, "0000:81:00.0");
	for (unsigned int bus = 0; bus < 7; bus++)
		fit_cpuset_add(&b.domain.pci_buses, bus);
	fit_bench_plan(&b);
	assert_int_equal(b.plan.ports[0].index, 7);
	fit_bench_keep_plan(&b);
	add_controller(&b.previous, 7, "ua-virt-fit-port0");
	fit_cpuset_add(&b.domain.pci_buses, 8);
	fit_bench_plan(&b);
	assert_int_equal(b.plan.ports[0].index, 7);
	/* Somebody else's now. */
	fit_cpuset_add(&b.domain.pci_buses, 7);
	fit_bench_plan(&b);
	assert_int_equal(b.plan.ports[0].index, 9);
	fit_bench_end(&b);
}

static void without_room_the_functions_are_devices_of_their_own(void **state)
{
	struct fit_bench b = bench();

	(void)state;
	request(&b, "0000:81:00.0");
	for (unsigned int slot = 0; slot < 32; slot++)
		*FIT_APPEND(b.domain.pci_slots, b.domain.pci_slot_count) =
			(struct fit_guest_slot){0, slot};
	fit_bench_plan(&b);
	expect_devices(&b, "81:00.0 -, 81:00.1 -, 81:00.2 -");
	fit_expect_reason(&b, FIT_REASON_NOTE, "there is no room on its PCI buses");
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gpu_goes_with_all_functions_of_its_slot),
		cmocka_unit_test(one_function_alone_is_placed_by_libvirt),
		cmocka_unit_test(without_the_intent_a_device_is_only_something_to_be_near_to),
		cmocka_unit_test(devices_are_called_what_they_are),
		cmocka_unit_test(functions_can_be_limited_to_those_named),
		cmocka_unit_test(the_whole_group_has_to_be_free),
		cmocka_unit_test(what_the_host_uses_is_refused),
		cmocka_unit_test(bridges_and_virtual_functions_of_the_slot_stay_behind),
		cmocka_unit_test(other_domains_are_told),
		cmocka_unit_test(what_the_definition_passes_through_stays_as_it_is),
		cmocka_unit_test(a_profile_without_a_device_is_warned_of),
		cmocka_unit_test(each_machine_type_has_its_own_place_for_functions),
		cmocka_unit_test(a_root_port_keeps_its_bus),
		cmocka_unit_test(without_room_the_functions_are_devices_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
