/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

void fit_digest_make(const struct fit_profile *profile, const struct fit_request *request,
	char ret_digest[FIT_DIGEST_TEXT])
{
	uint64_t state =
		fit_fingerprint(FIT_FINGERPRINT_INIT, profile->digest, strlen(profile->digest));

	for (size_t i = 0; i < request->device_count; i++) {
		const struct fit_request_device *device = &request->devices[i];
		const char *text =
			device->netdev ? device->netdev : FIT_PCIADDR_STR(device->address);

		state = fit_fingerprint(state, text, strlen(text) + 1);
	}
	snprintf(ret_digest, FIT_DIGEST_TEXT, "%016" PRIx64, state);
}
