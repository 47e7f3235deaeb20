/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Emulated devices: disks, interfaces, helpers, and those that go. */
#include "core/emit_parts.h"

/* Libvirt adds both by itself, so leaving them out would not do. */
static int emit_helpers(const struct fit_emitter *emitter)
{
	const struct fit_profile *profile = emitter->profile;

	if (profile->memballoon.model &&
		fit_emit_setting(emitter, &profile->memballoon.intent,
			&(struct fit_setting){.what = "the memory balloon",
				.path = "devices/memballoon",
				.value = "<memballoon model='none'/>"}) < 0)
		return -1;
	/* Where libvirt does not know it, it does not make it do anything either. */
	if (!profile->watchdog.itco ||
		!fit_target_has(emitter->target, emitter->domain, FIT_FEATURE_ITCO, NULL))
		return 0;
	return fit_emit_setting(emitter, &profile->watchdog.intent,
		&(struct fit_setting){.topic = "watchdog",
			.what = "the iTCO watchdog",
			.path = "devices/watchdog[@model='itco']",
			.value = "<watchdog model='itco' action='none'/>",
			.feature = FIT_FEATURE_ITCO});
}

int fit_emit_devices(const struct fit_emitter *emitter)
{
	if (fit_emit_disks(emitter) < 0 || fit_emit_interfaces(emitter) < 0)
		return -1;
	if (emit_helpers(emitter) < 0 || fit_emit_iommu(emitter) < 0)
		return -1;
	fit_emit_lean(emitter);
	return 0;
}
