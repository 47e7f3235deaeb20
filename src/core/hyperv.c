/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/hyperv.h"

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"

#define BIT(name) (1U << FIT_HYPERV_##name)

#define FEATURE(name, element, needs, in_all, feature) \
	{ \
		name, "features/hyperv/" name, element, "features/hyperv/" name "/@state", "on", \
			needs, in_all, feature \
	}

#define SIMPLE(name, needs, in_all, feature) \
	FEATURE(name, "<" name " state='on'/>", needs, in_all, feature)

/*
 * Not in "all": reset and reenlightenment are for special cases; evmcs serves nested Hyper-V on
 * Intel only and costs the guest APICv; avic hurts where the host has neither APICv nor AVIC;
 * emsr_bitmap is for nested guests; xmm_input is young.
 */
const struct fit_hyperv_entry fit_hyperv_entries[FIT_HYPERV_COUNT] = {
	[FIT_HYPERV_RELAXED] = SIMPLE("relaxed", 0, true, FIT_FEATURE_HYPERV),
	[FIT_HYPERV_VAPIC] = SIMPLE("vapic", 0, true, FIT_FEATURE_HYPERV),
	/* How often Windows tries a lock before it tells the hypervisor: as Hyper-V has it. */
	[FIT_HYPERV_SPINLOCKS] = FEATURE(
		"spinlocks", "<spinlocks state='on' retries='8191'/>", 0, true, FIT_FEATURE_HYPERV),
	[FIT_HYPERV_VPINDEX] = SIMPLE("vpindex", 0, true, FIT_FEATURE_HYPERV),
	[FIT_HYPERV_RUNTIME] = SIMPLE("runtime", 0, true, FIT_FEATURE_HYPERV),
	[FIT_HYPERV_SYNIC] = SIMPLE("synic", BIT(VPINDEX), true, FIT_FEATURE_HYPERV),
	[FIT_HYPERV_CLOCK] = {"hypervclock", "clock/timer[@name='hypervclock']",
		"<timer name='hypervclock' present='yes'/>",
		"clock/timer[@name='hypervclock']/@present", "yes", 0, true, FIT_FEATURE_HYPERV},
	[FIT_HYPERV_STIMER] = FEATURE("stimer", "<stimer state='on'><direct state='on'/></stimer>",
		BIT(VPINDEX) | BIT(SYNIC) | BIT(CLOCK), true, FIT_FEATURE_HYPERV_STIMER),
	[FIT_HYPERV_FREQUENCIES] = SIMPLE("frequencies", 0, true, FIT_FEATURE_HYPERV),
	[FIT_HYPERV_TLBFLUSH] = SIMPLE("tlbflush", BIT(VPINDEX), true, FIT_FEATURE_HYPERV),
	[FIT_HYPERV_IPI] = SIMPLE("ipi", BIT(VPINDEX), true, FIT_FEATURE_HYPERV),
	[FIT_HYPERV_RESET] = SIMPLE("reset", 0, false, FIT_FEATURE_HYPERV),
	[FIT_HYPERV_REENLIGHTENMENT] = SIMPLE("reenlightenment", 0, false, FIT_FEATURE_HYPERV),
	[FIT_HYPERV_EVMCS] = SIMPLE("evmcs", BIT(VAPIC), false, FIT_FEATURE_HYPERV),
	[FIT_HYPERV_AVIC] = SIMPLE("avic", 0, false, FIT_FEATURE_HYPERV_AVIC),
	[FIT_HYPERV_EMSR_BITMAP] =
		SIMPLE("emsr_bitmap", BIT(VAPIC) | BIT(EVMCS), false, FIT_FEATURE_HYPERV_NESTED),
	[FIT_HYPERV_XMM_INPUT] = SIMPLE("xmm_input", 0, false, FIT_FEATURE_HYPERV_NESTED),
};

static fit_hyperv_set all(void)
{
	fit_hyperv_set set = 0;

	for (unsigned int i = 0; i < FIT_HYPERV_COUNT; i++)
		if (fit_hyperv_entries[i].in_all)
			set |= 1U << i;
	return set;
}

static fit_hyperv_set find(const char *name)
{
	if (fit_streq(name, "all"))
		return all();
	for (unsigned int i = 0; i < FIT_HYPERV_COUNT; i++)
		if (fit_streq(fit_hyperv_entries[i].name, name))
			return 1U << i;
	return 0;
}

/* With what they need; each comes after that in the table. */
static fit_hyperv_set complete(fit_hyperv_set set)
{
	for (unsigned int i = FIT_HYPERV_COUNT; i-- > 0;)
		if (set >> i & 1)
			set |= fit_hyperv_entries[i].needs;
	return set;
}

bool fit_hyperv_parse(const char *text, fit_hyperv_set *ret_set)
{
	fit_autostrlist struct fit_strlist names = {0};
	fit_hyperv_set set = 0;

	fit_strlist_split(&names, text, " \t\r\n");
	if (names.count == 1 && fit_streq(names.items[0], "none")) {
		*ret_set = 0;
		return true;
	}
	for (size_t i = 0; i < names.count; i++) {
		fit_hyperv_set found = find(names.items[i]);

		if (!found)
			return false;
		set |= found;
	}
	*ret_set = complete(set);
	return set;
}

char *fit_hyperv_format(fit_hyperv_set set)
{
	fit_autostrlist struct fit_strlist names = {0};

	if (!set)
		return fit_xstrdup("none");
	if ((set & all()) == all()) {
		fit_strlist_add(&names, "all");
		set &= ~all();
	}
	for (unsigned int i = 0; i < FIT_HYPERV_COUNT; i++)
		if (set >> i & 1)
			fit_strlist_add(&names, fit_hyperv_entries[i].name);
	return fit_strlist_join(&names, " ");
}
