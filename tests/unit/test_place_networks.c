/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What VFs are in the definition: MAC, VLAN, libvirt's networks, NICs that stand in. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/networks.h"
#include "core/profile_value.h"
#include "core/target.h"
#include "support_plan.h"

static const char pool[] =
	"<network><name>pool</name><forward mode='hostdev' managed='yes'><pf dev='enp129s0f0'/>"
	"</forward></network>";
static const char listed[] =
	"<network><name>listed</name><forward mode='hostdev'><address type='pci' domain='0x0000' "
	"bus='0x81' slot='0x10' function='0x1'/></forward></network>";
static const char nat[] = "<network><name>default</name><forward mode='nat'/></network>";

/* Two nodes, a PF near node 1; the profile wants @count VFs. */
static struct fit_bench bench(unsigned int count)
{
	struct fit_bench b = fit_bench((struct fit_host_shape){2, 1, 8, 1}, 2);

	fit_made_pf(&b.host, "0000:81:00.0", "enp129s0f0", 1, 8, 4);
	b.profile.vfs.intent.set = true;
	b.profile.vfs.count = count;
	return b;
}

static void add_nic(struct fit_bench *b, const char *model, const char *mac, const char *alias)
{
	struct fit_domain_interface *nic =
		FIT_APPEND(b->domain.interfaces, b->domain.interface_count);

	nic->type = fit_xstrdup("bridge");
	nic->model = fit_xstrdup(model);
	nic->mac = mac ? fit_xstrdup(mac) : NULL;
	nic->alias = alias ? fit_xstrdup(alias) : NULL;
}

static struct fit_networks networks(void)
{
	struct fit_networks found = {0};
	struct fit_err err = FIT_ERR_INIT;

	assert_int_equal(fit_networks_add(&found, pool, true, &err), 0);
	assert_int_equal(fit_networks_add(&found, listed, false, &err), 0);
	assert_int_equal(fit_networks_add(&found, nat, true, &err), 0);
	return found;
}

static void a_network_is_known_by_its_forward_mode(void **state)
{
	struct fit_networks found = networks();
	struct fit_err err = FIT_ERR_INIT;

	(void)state;
	assert_int_equal(fit_networks_add(&found, "<pool><name>a</name></pool>", true, &err), -1);
	assert_int_equal(fit_networks_add(&found, "<network/>", true, &err), -1);
	assert_int_equal(found.count, 3);
	assert_true(fit_networks_find(&found, "pool")->gives_vfs);
	assert_string_equal(fit_networks_find(&found, "pool")->pf, "enp129s0f0");
	assert_int_equal(fit_networks_find(&found, "listed")->vf_count, 1);
	assert_string_equal(
		FIT_PCIADDR_STR(fit_networks_find(&found, "listed")->vfs[0]), "0000:81:10.1");
	assert_false(fit_networks_find(&found, "default")->gives_vfs);
	assert_null(fit_networks_find(&found, "none"));
	assert_int_equal(fit_networks_add(&found, "<domain/>", true, &err), -1);
	assert_int_equal(fit_networks_add(&found, "<network", true, &err), -1);
	assert_int_equal(found.count, 3);
	fit_networks_clear(&found);
}

static void macs_are_those_of_cards(void **state)
{
	static const char *const bad[] = {"", "52:54:00:6b:3c", "52-54-00-6b-3c-58",
		"53:54:00:6b:3c:58", "52:54:00:6b:3c:5g", "52:54:00:6b:3c:58 "};
	fit_autofree char *mac = fit_value_mac("52:54:00:6B:3C:58");

	(void)state;
	assert_string_equal(mac, "52:54:00:6b:3c:58");
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++)
		assert_null(fit_value_mac(bad[i]));
}

static void no_mac_is_given_twice(void **state)
{
	struct fit_bench b = bench(2);

	(void)state;
	b.profile.vfs.macs = fit_xstrdup("52:54:00:00:00:01 52:54:00:00:00:0A");
	add_nic(&b, "virtio", "52:54:00:00:00:0b", NULL);
	fit_bench_plan(&b);
	add_nic(&b, "virtio", "52:54:00:00:00:0a", NULL);
	fit_expect_refusal(
		&b, "mac= names 52:54:00:00:00:0a, which is that of a NIC of the definition");
	b.domain.interfaces[1].has_teaming = true;
	fit_bench_plan(&b);
	fit_xreplace(&b.profile.vfs.macs, "52:54:00:00:00:0C 52:54:00:00:00:0c");
	fit_expect_refusal(&b, "mac= names 52:54:00:00:00:0c twice");
	fit_bench_end(&b);
}

static void vfs_get_the_macs_and_the_vlan_of_the_profile(void **state)
{
	struct fit_bench b = bench(2);

	(void)state;
	fit_bench_plan(&b);
	assert_null(b.plan.vfs[0].mac);
	b.profile.vfs.macs = fit_xstrdup("52:54:00:00:00:01 52:54:00:00:00:02");
	b.profile.vfs.vlan = 42;
	fit_bench_plan(&b);
	assert_string_equal(b.plan.vfs[0].mac, "52:54:00:00:00:01");
	assert_string_equal(b.plan.vfs[1].mac, "52:54:00:00:00:02");
	assert_int_equal(b.plan.vfs[1].vlan, 42);
	b.profile.vfs.count = 3;
	fit_expect_refusal(&b, "3 VFs are added, but mac= names 2");
	b.profile.vfs.as = FIT_VF_AS_HOSTDEV;
	b.profile.vfs.count = 2;
	fit_bench_plan(&b);
	assert_false(b.plan.vfs[0].is_interface);
	b.profile.vfs.qos = 3;
	fit_bench_plan(&b);
	b.profile.vfs.as = FIT_VF_AS_INTERFACE;
	fit_expect_refusal(&b, "a priority of their VLAN are wanted: that goes with vlan= and");
	b.profile.vfs.as = FIT_VF_AS_HOSTDEV;
	b.profile.vfs.vlan = 0;
	fit_expect_refusal(&b, "a priority of their VLAN are wanted: that goes with vlan= and");
	fit_bench_end(&b);
}

static void a_network_draws_the_vcpus_to_its_device(void **state)
{
	static const char *const names[] = {"pool", "listed"};
	struct fit_networks found = networks();

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(names); i++) {
		struct fit_bench b = bench(2);

		b.networks = &found;
		b.profile.vfs.as = FIT_VF_AS_NETWORK;
		b.profile.vfs.network = fit_xstrdup(names[i]);
		fit_bench_plan(&b);
		assert_int_equal(b.plan.vf_count, 2);
		assert_string_equal(b.plan.vfs[1].network, names[i]);
		fit_expect_set(&b.plan.vcpu_nodes, "1");
		assert_int_equal(b.plan.vfs[0].node, 1);
		assert_int_equal(
			!fit_made_reason(&b.plan, FIT_REASON_WARNING, "is not active"), !i);
		/* Those that are there count. */
		add_nic(&b, "virtio", NULL, NULL);
		fit_xreplace(&b.domain.interfaces[0].type, "network");
		fit_xreplace(&b.domain.interfaces[0].network, names[i]);
		fit_bench_plan(&b);
		assert_int_equal(b.plan.vf_count, 1);
		fit_bench_end(&b);
	}
	fit_networks_clear(&found);
}

static void a_network_that_gives_no_vfs_is_refused(void **state)
{
	struct fit_networks found = networks();
	struct fit_bench b = bench(1);

	(void)state;
	b.profile.vfs.as = FIT_VF_AS_NETWORK;
	fit_expect_refusal(&b, "the profile does not say of which: network=");
	b.profile.vfs.network = fit_xstrdup("nowhere");
	fit_bench_plan(&b);
	fit_expect_reason(&b, FIT_REASON_NOTE, "was not looked at");
	b.networks = &found;
	fit_expect_refusal(&b, "there is no libvirt network 'nowhere'");
	fit_xreplace(&b.profile.vfs.network, "default");
	fit_expect_refusal(&b, "libvirt network 'default' gives no VFs");
	b.profile.vfs.class = FIT_VF_NVME;
	fit_expect_refusal(&b, "NVMe VFs are wanted from a libvirt network");
	/* Nothing is wanted from anywhere. */
	b.profile.vfs.count = 0;
	fit_bench_plan(&b);
	assert_int_equal(b.plan.vf_count, 0);
	fit_bench_end(&b);
	fit_networks_clear(&found);
}

static void a_virtio_nic_of_the_definition_stands_in(void **state)
{
	struct fit_bench b = bench(2);

	(void)state;
	b.profile.vfs.with_standby = true;
	add_nic(&b, "e1000e", "52:54:00:00:00:01", NULL);
	add_nic(&b, "virtio", "52:54:00:AA:00:02", "net7");
	fit_expect_refusal(&b, "is wanted for each of 2 VFs, the definition has 1");
	add_nic(&b, "virtio", "52:54:00:00:00:03", "ua-lan");
	fit_bench_plan(&b);
	assert_string_equal(b.plan.vfs[0].mac, "52:54:00:aa:00:02");
	assert_string_equal(b.plan.vfs[0].standby, "ua-virt-fit-standby0");
	assert_string_equal(b.plan.standbys[0].identity, "52:54:00:AA:00:02");
	assert_string_equal(b.plan.vfs[1].mac, "52:54:00:00:00:03");
	assert_string_equal(b.plan.vfs[1].standby, "ua-lan");
	assert_true(b.plan.standbys[1].names_itself);
	b.domain.interfaces[2].has_teaming = true;
	fit_expect_refusal(&b, "the definition has 1");
	b.profile.vfs.macs = fit_xstrdup("52:54:00:00:00:09 52:54:00:00:00:0a");
	fit_expect_refusal(&b, "mac= and teaming=\"standby\" exclude each other");
	fit_bench_end(&b);
}

static void a_nic_without_a_mac_or_an_old_libvirt_has_no_partner(void **state)
{
	const struct fit_target old = {FIT_VERSION_OF(6, 0, 0), FIT_VERSION_OF(4, 2, 0)};
	struct fit_bench b = bench(1);

	(void)state;
	b.profile.vfs.with_standby = true;
	add_nic(&b, "virtio", NULL, NULL);
	fit_expect_refusal(&b, "the NIC that is to stand in for VF 1 has no MAC yet");
	b.target = &old;
	fit_bench_plan(&b);
	assert_null(b.plan.vfs[0].standby);
	fit_expect_reason(&b, FIT_REASON_NOTE, "no NIC stands in for the VFs: libvirt 6.0 has no");
	fit_bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_network_is_known_by_its_forward_mode),
		cmocka_unit_test(macs_are_those_of_cards),
		cmocka_unit_test(no_mac_is_given_twice),
		cmocka_unit_test(vfs_get_the_macs_and_the_vlan_of_the_profile),
		cmocka_unit_test(a_network_draws_the_vcpus_to_its_device),
		cmocka_unit_test(a_network_that_gives_no_vfs_is_refused),
		cmocka_unit_test(a_virtio_nic_of_the_definition_stands_in),
		cmocka_unit_test(a_nic_without_a_mac_or_an_old_libvirt_has_no_partner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
