/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/profile_grammar.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/profile_grammar_parts.h"
#include "core/profile_value.h"

/* Where it is, and how large. */
#define INTENT(field) \
	offsetof(struct fit_profile, field), sizeof(((struct fit_profile *)NULL)->field)

/* The first attribute of a setting: see core/host_settings.def. */
#define ATTRIBUTE(text, otherwise) .name = (text), .unstated = (otherwise)
#define VALUE(otherwise)	   ATTRIBUTE("value", otherwise)
#define MAX(otherwise)		   ATTRIBUTE("max", otherwise)
#define MIN(otherwise)		   ATTRIBUTE("min", otherwise)
#define TO(otherwise)		   ATTRIBUTE("to", otherwise)

#define MISSING \
	{ \
		"missing", &fit_field_flag, FIELD(setting, missing_refuse), \
			WORDS({"warn", 0}, {"refuse", 1}), NULL, "warn" \
	}

const struct fit_profile_element fit_profile_elements[] = {
	{NULL, "cpu", NULL, "cpu", INTENT(cpu), fit_grammar_cpu},
	{NULL, "features", NULL, "features", INTENT(features), fit_grammar_features},
	{NULL, "hyperv", NULL, "hyperv", INTENT(hyperv), fit_grammar_hyperv},
	{NULL, "clock", NULL, "clock", INTENT(clock), fit_grammar_clock},
	{NULL, "vcpus", NULL, "vcpus", INTENT(vcpus), fit_grammar_vcpus},
	{NULL, "emulator", NULL, "emulator", INTENT(emulator), fit_grammar_emulator},
	{NULL, "iothreads", NULL, "iothreads", INTENT(iothreads), fit_grammar_iothreads},
	{NULL, "shares", NULL, "shares", INTENT(shares), fit_grammar_shares},
	{NULL, "cachetune", NULL, "cachetune", INTENT(cachetune), fit_grammar_cachetune},
	{NULL, "memorytune", NULL, "memorytune", INTENT(memorytune), fit_grammar_memorytune},
	{NULL, "disks", NULL, "disks", INTENT(disks), fit_grammar_disks},
	{NULL, "interfaces", NULL, "interfaces", INTENT(interfaces), fit_grammar_interfaces},
	{NULL, "memory", NULL, "memory", INTENT(memory), fit_grammar_memory},
	{NULL, "cells", NULL, "cells", INTENT(cells), fit_grammar_cells},
	{NULL, "interrupts", "others", "interrupts of others", INTENT(interrupts),
		fit_grammar_interrupts_of_others},
	{NULL, "interrupts", "devices", "interrupts of devices", INTENT(interrupts),
		fit_grammar_interrupts_of_devices},
	{NULL, "vfs", NULL, "vfs", INTENT(vfs), fit_grammar_vfs},
	{NULL, "passthrough", "gpus", "passthrough of gpus", INTENT(gpus), fit_grammar_gpus},
	{NULL, "passthrough", "nvme", "passthrough of nvme", INTENT(nvme), fit_grammar_passthrough},
	{NULL, "passthrough", "others", "passthrough of others", INTENT(others),
		fit_grammar_passthrough},
	{NULL, "memballoon", NULL, "memballoon", INTENT(memballoon), fit_grammar_memballoon},
	{NULL, "watchdog", NULL, "watchdog", INTENT(watchdog), fit_grammar_watchdog},
	{NULL, "iommu", NULL, "iommu", INTENT(iommu), fit_grammar_iommu},
	{NULL, "lean", NULL, "lean", INTENT(lean), fit_grammar_lean},
	{NULL, "start", NULL, "start", INTENT(start), fit_grammar_start},
#define SETTING(id, element, attribute, known, other, ...) \
	{"host", element, NULL, "host " element, INTENT(host[FIT_SETTING_##id]), \
		(const struct fit_profile_attribute[]){ \
			{attribute, .field = &fit_field_text, .offset = FIELD(setting, value), \
				.words = (known), .type = (other)}, \
			MISSING, {0}}},
#define DERIVED(...)
#include "core/host_settings.def"
#undef SETTING
#undef DERIVED
	{"host", "isolate", NULL, "host isolate", INTENT(isolate), fit_grammar_isolate},
	{"host", "threads", "vhost", "host threads of vhost", INTENT(threads[FIT_THREADS_VHOST]),
		fit_grammar_threads},
	{"host", "threads", "kvm", "host threads of kvm", INTENT(threads[FIT_THREADS_KVM]),
		fit_grammar_threads},
	{"host", "threads", "qemu", "host threads of qemu", INTENT(threads[FIT_THREADS_QEMU]),
		fit_grammar_threads},
	{"host", "device-driver", NULL, "host device-driver", INTENT(device_driver),
		fit_grammar_device_driver},
	{"host", "ethtool", "pfs", "host ethtool of pfs", INTENT(ethtool), fit_grammar_ethtool},
};

const size_t fit_profile_element_count = FIT_ARRAY_SIZE(fit_profile_elements);

struct fit_intent *fit_profile_intent(
	const struct fit_profile_element *element, struct fit_profile *profile)
{
	return (struct fit_intent *)((char *)profile + element->offset);
}

char *fit_profile_store(const struct fit_profile_element *element,
	const struct fit_profile_attribute *attribute, struct fit_profile *profile,
	const char *text)
{
	char *field = (char *)fit_profile_intent(element, profile) + attribute->offset;

	return attribute->field->store(attribute, field, text);
}

void fit_profile_clear_intent(
	const struct fit_profile_element *element, struct fit_profile *profile)
{
	char *intent = (char *)fit_profile_intent(element, profile);

	fit_profile_for_each_attribute (attribute, element)
		if (attribute->field->clear)
			attribute->field->clear(intent + attribute->offset);
}

void fit_profile_clear_intents(struct fit_profile *profile)
{
	for (size_t i = 0; i < fit_profile_element_count; i++)
		fit_profile_clear_intent(&fit_profile_elements[i], profile);
}

char *fit_profile_attribute_wanted(const struct fit_profile_attribute *attribute)
{
	fit_autostrlist struct fit_strlist alternatives = {0};
	fit_autofree char *value =
		attribute->type ? fit_value_wanted(fit_value_type_find(attribute->type), NULL)
				: NULL;

	for (const struct fit_profile_word *word = attribute->words; word && word->word; word++) {
		fit_autofree char *quoted = fit_xasprintf("\"%s\"", word->word);

		/* Some types name the word by themselves. */
		if (!value || !strstr(value, quoted))
			fit_strlist_add(&alternatives, quoted);
	}
	if (value)
		fit_strlist_add(&alternatives, value);
	return fit_value_alternatives(&alternatives, false);
}
