/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The domain arrives on another host: its guest sees what it saw, and it is as good as one fitted.
 */
#include "check.h"

#include <string.h>

#include "base/memory.h"
#include "core/xml.h"
#include "support_arrival.h"

static bool check_arrived(struct check *check, const char *left, const char *arrived)
{
	fit_autodoc xmlDoc *before = fit_fuzz_parse(left);
	fit_autodoc xmlDoc *after = fit_fuzz_parse(arrived);
	fit_autofree char *original = fit_fuzz_revert(check, left, NULL);
	fit_autofree char *back = fit_fuzz_revert(check, arrived, NULL);
	struct fit_render_result again = {0};
	struct fit_err err;
	bool same;

	if (!fit_test_same_for_the_guest(before, after))
		return fit_fuzz_broken(
			check, "arrival", "the guest sees another machine: %s", arrived);
	if (!original || !fit_fuzz_same(check, "arrival revert", original, back))
		return false;
	if (fit_fuzz_render_arrived(check, arrived, &again, &err) < 0)
		return fit_fuzz_broken(check, "arrival", "arrived, but: %s", err.message);
	same = fit_fuzz_same(check, "arrival again", arrived, again.xml);
	fit_render_result_clear(&again);
	return same;
}

static bool arrive(struct check *check, const char *left)
{
	struct fit_render_result result = {0};
	struct fit_err err;
	fit_autofree char *arrived = NULL;

	if (fit_fuzz_render_arrived(check, left, &result, &err) < 0)
		return err.code == FIT_ERR_REFUSED ||
		       fit_fuzz_broken(check, "arrival", "no refusal: %s", err.message);
	arrived = FIT_STEAL(result.xml);
	fit_render_result_clear(&result);
	return check_arrived(check, left, arrived);
}

bool fit_fuzz_check_arrival(struct check *check)
{
	fit_autofree char *defined = fit_fuzz_as_libvirt(check->fitted);

	if (!arrive(check, defined))
		return false;
	fit_claims_clear(&check->claims);
	check->host = fit_fuzz_host(check->c->host + 1, &check->claims);
	return arrive(check, check->fitted) && arrive(check, defined);
}
