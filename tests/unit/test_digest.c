/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A definition is stale when its profile or the devices that it requests are others. */
#include "support.h"

#include <string.h>

#include "core/digest.h"

static char eth0[] = "eth0", eth1[] = "eth1", eth[] = "eth", zero[] = "0";

static struct fit_request_device devices[][2] = {
	{{.netdev = eth0}},
	{{.netdev = eth1}},
	{{.netdev = eth0}, {.netdev = eth1}},
	{{.netdev = eth1}, {.netdev = eth0}},
	{{.netdev = eth}, {.netdev = zero}},
	{{.address = {.bus = 0x41}}},
	{{.address = {.bus = 0x41, .function = 1}}},
	{{.address = {.bus = 0x41}}, {.netdev = eth0}},
};
static const size_t counts[] = {1, 1, 2, 2, 2, 1, 1, 2};

static void make(const char *of_profile, size_t i, char digest[FIT_DIGEST_TEXT])
{
	struct fit_profile profile = {0};
	const struct fit_request request = {.devices = devices[i], .device_count = counts[i]};

	snprintf(profile.digest, sizeof(profile.digest), "%s", of_profile);
	fit_digest_make(&profile, &request, digest);
	assert_int_equal(strlen(digest), FIT_DIGEST_TEXT - 1);
}

static void other_devices_or_profiles_have_another_digest(void **state)
{
	char digests[2 * FIT_ARRAY_SIZE(counts)][FIT_DIGEST_TEXT];
	char again[FIT_DIGEST_TEXT];

	(void)state;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(digests); i++) {
		size_t which = i / 2;

		make(i % 2 ? "a" : "b", which, digests[i]);
		make(i % 2 ? "a" : "b", which, again);
		assert_string_equal(digests[i], again);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(digests[i], digests[j]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_devices_or_profiles_have_another_digest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
