/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes of VFs as rtnetlink has them: what is sent is what would be read. */
#include "support.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/vf_link.h"

static const struct {
	enum fit_vf_attribute attribute;
	const char *text;
} values[] = {
	{FIT_VF_MAC, "52:54:00:12:ab:ff"},
	{FIT_VF_MAC, "00:00:00:00:00:00"},
	{FIT_VF_VLAN, "none"},
	{FIT_VF_VLAN, "4094"},
	{FIT_VF_VLAN, "100 qos 7"},
	{FIT_VF_VLAN, "0 qos 3"},
	{FIT_VF_RATE, "0 0"},
	{FIT_VF_RATE, "100 4294967295"},
	{FIT_VF_SPOOFCHK, "on"},
	{FIT_VF_SPOOFCHK, "off"},
	{FIT_VF_TRUST, "on"},
	{FIT_VF_TRUST, "off"},
	{FIT_VF_LINK_STATE, "auto"},
	{FIT_VF_LINK_STATE, "enable"},
	{FIT_VF_LINK_STATE, "disable"},
};

/* An IFLA_VF_INFO with an attribute that is of no interest and then this one. */
static size_t make_info(unsigned short type, const void *content, size_t size, char *info)
{
	struct rtattr *attribute = (struct rtattr *)info;
	size_t first = RTA_SPACE(8);

	memset(info, 0xff, 256);
	attribute->rta_type = IFLA_VF_STATS;
	attribute->rta_len = RTA_LENGTH(8);
	attribute = (struct rtattr *)(info + first);
	attribute->rta_type = type;
	attribute->rta_len = (unsigned short)RTA_LENGTH(size);
	memcpy(RTA_DATA(attribute), content, size);
	return first + RTA_SPACE(size);
}

static void what_is_sent_is_what_is_read(void **unused)
{
	char info[256] __attribute__((aligned(4)));

	(void)unused;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(values); i++) {
		unsigned char content[FIT_VF_CONTENT_MAX];
		unsigned short type = 0;
		size_t size =
			fit_vf_link_content(values[i].attribute, 7, values[i].text, &type, content);
		fit_autofree char *text = NULL;
		uint32_t vf;

		assert_true(size >= sizeof(vf));
		memcpy(&vf, content, sizeof(vf));
		assert_int_equal(vf, 7);
		size = make_info(type, content, size, info);
		text = fit_vf_link_text(values[i].attribute, info, size);
		assert_string_equal(text, values[i].text);
		/* Cut off, or not there. */
		assert_null(fit_vf_link_text(values[i].attribute, info, size - 8));
	}
}

static void only_values_are_sent(void **unused)
{
	static const struct {
		enum fit_vf_attribute attribute;
		const char *text;
	} bad[] = {
		{FIT_VF_MAC, ""},
		{FIT_VF_MAC, "52:54:00:12:ab"},
		{FIT_VF_MAC, "52:54:00:12:ab:ff:00"},
		{FIT_VF_MAC, "52:54:00:12:ab:f"},
		{FIT_VF_MAC, "52:54:00:12:ab:gg"},
		{FIT_VF_VLAN, ""},
		{FIT_VF_VLAN, "4095"},
		{FIT_VF_VLAN, "1 qos 8"},
		{FIT_VF_VLAN, "1 2"},
		{FIT_VF_RATE, "1"},
		{FIT_VF_RATE, "1 4294967296"},
		{FIT_VF_SPOOFCHK, "yes"},
		{FIT_VF_TRUST, ""},
		{FIT_VF_LINK_STATE, "on"},
	};
	unsigned char content[FIT_VF_CONTENT_MAX];
	unsigned short type;

	(void)unused;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(bad); i++)
		if (fit_vf_link_content(bad[i].attribute, 0, bad[i].text, &type, content))
			fail_msg("'%s' is no %s", bad[i].text,
				fit_vf_attribute_name(bad[i].attribute));
}

/* igb, for example, has no say in some of them. */
static void a_driver_without_a_say_says_nothing(void **unused)
{
	struct ifla_vf_trust trust = {.vf = 1, .setting = UINT32_MAX};
	char info[256] __attribute__((aligned(4)));
	size_t size = make_info(IFLA_VF_TRUST, &trust, sizeof(trust), info);

	(void)unused;
	assert_null(fit_vf_link_text(FIT_VF_TRUST, info, size));
	assert_null(fit_vf_link_text(FIT_VF_SPOOFCHK, info, size));
}

/* The kernel's answers for devices that have no VFs, and for none. */
static void devices_without_vfs_are_told_apart(void **unused)
{
	struct fit_err err = FIT_ERR_INIT;

	(void)unused;
	assert_null(fit_vf_link_read("lo", 0, FIT_VF_TRUST));
	assert_null(fit_vf_link_read("no-such-netdev", 0, FIT_VF_TRUST));
	assert_int_equal(fit_vf_link_write("no-such-netdev", 0, FIT_VF_TRUST, "on", &err), -1);
	assert_non_null(strstr(err.message, "no-such-netdev"));
	assert_int_equal(fit_vf_link_write("lo", 0, FIT_VF_TRUST, "on", &err), -1);
	/* Without root it is not even tried. */
	assert_true(err.sys_errno == EOPNOTSUPP || err.sys_errno == EPERM);
	assert_int_equal(fit_vf_link_write("lo", 0, FIT_VF_TRUST, "maybe", &err), -1);
	assert_int_equal(err.code, FIT_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_sent_is_what_is_read),
		cmocka_unit_test(only_values_are_sent),
		cmocka_unit_test(a_driver_without_a_say_says_nothing),
		cmocka_unit_test(devices_without_vfs_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
