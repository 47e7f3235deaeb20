/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * <iommu>: one for the guest, so that it can give devices to programs or guests of its own, and
 * have more than 255 CPUs. Interrupt remapping of the Intel one needs the I/O APIC in QEMU, not in
 * the kernel: libvirt 9.0 refuses a definition without it; later ones add it.
 */
#include "core/emit_parts.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/xml.h"

#define IOAPIC_DRIVER "features/ioapic/@driver"

static const struct {
	const char *name;
	enum fit_feature feature;
} models[] = {
	[FIT_IOMMU_INTEL] = {"intel", FIT_FEATURE_IOMMU_INTEL},
	[FIT_IOMMU_VIRTIO] = {"virtio", FIT_FEATURE_IOMMU_VIRTIO},
	[FIT_IOMMU_SMMUV3] = {"smmuv3", FIT_FEATURE_IOMMU_SMMU},
};

static enum fit_iommu choose_model(const struct fit_emitter *emitter)
{
	enum fit_iommu wanted = emitter->profile->iommu.model;

	if (wanted != FIT_IOMMU_AUTO)
		return wanted;
	return fit_machine_of(emitter->domain) == FIT_MACHINE_ARM ? FIT_IOMMU_SMMUV3
								  : FIT_IOMMU_INTEL;
}

static void leave_out(const struct fit_emitter *emitter, const char *what, const char *why)
{
	fit_plan_reason(emitter->plan, FIT_REASON_NOTE, "iommu", "%s is left out: %s", what, why);
}

/* libvirt and QEMU tell the guest of the virtio one by an ACPI table. */
static bool has_what_it_needs(const struct fit_emitter *emitter, enum fit_iommu model)
{
	const xmlNode *root = xmlDocGetRootElement(emitter->original);
	fit_autofree char *why = NULL;

	if (!fit_target_has(emitter->target, emitter->domain, models[model].feature, &why)) {
		leave_out(emitter, "the IOMMU", why);
		return false;
	}
	if (model != FIT_IOMMU_VIRTIO || (root && fit_xml_find(root, "features/acpi")))
		return true;
	leave_out(emitter, "the IOMMU", "virtio's needs <acpi/>, which the definition has not");
	return false;
}

/* 1 interrupts can be remapped, 0 not, -1 with FIT_ERR_REFUSED. */
static int may_remap(const struct fit_emitter *emitter, const char *driver)
{
	int decision;

	if (fit_streq(driver, "qemu"))
		return 1;
	decision = fit_emit_decide(emitter, &emitter->profile->iommu.intent,
		"the driver of the I/O APIC", driver, "qemu");
	if (decision == 0)
		leave_out(emitter, "interrupt remapping",
			"<ioapic driver='kvm'/> of the definition stays");
	return decision;
}

/* The element, to be freed. */
static char *format_iommu(const struct fit_emitter *emitter, enum fit_iommu model, bool remaps)
{
	const struct fit_intent_iommu *iommu = &emitter->profile->iommu;
	const struct {
		const char *name, *value;
	} attributes[] = {
		{"intremap", remaps || !fit_streq(iommu->intremap, "on") ? iommu->intremap : NULL},
		{"caching_mode", iommu->caching_mode},
		{"eim", remaps || !fit_streq(iommu->eim, "on") ? iommu->eim : NULL},
		{"iotlb", iommu->iotlb},
	};
	fit_autobuffer struct fit_buffer driver = {0};

	for (size_t i = 0; i < FIT_ARRAY_SIZE(attributes) && model == FIT_IOMMU_INTEL; i++)
		if (attributes[i].value)
			fit_buffer_addf(
				&driver, " %s='%s'", attributes[i].name, attributes[i].value);
	if (!driver.length)
		return fit_xasprintf("<iommu model='%s'/>", models[model].name);
	return fit_xasprintf(
		"<iommu model='%s'><driver%s/></iommu>", models[model].name, driver.text);
}

static int write_iommu(const struct fit_emitter *emitter, enum fit_iommu model)
{
	bool wants_remap =
		model == FIT_IOMMU_INTEL && fit_streq(emitter->profile->iommu.intremap, "on");
	fit_autofree char *driver = fit_emit_found(emitter, IOAPIC_DRIVER);
	int remaps = wants_remap ? may_remap(emitter, driver) : 0;
	fit_autofree char *element = NULL;
	int decision;

	if (remaps < 0)
		return -1;
	element = format_iommu(emitter, model, remaps);
	decision = fit_emit_setting(emitter, &emitter->profile->iommu.intent,
		&(struct fit_setting){
			.what = "the IOMMU",
			.path = "devices/iommu",
			.value = element,
		});
	if (decision > 0 && remaps && !fit_streq(driver, "qemu"))
		fit_edits_set(emitter->edits, IOAPIC_DRIVER, "qemu");
	return decision;
}

int fit_emit_iommu(const struct fit_emitter *emitter)
{
	const struct fit_intent_iommu *iommu = &emitter->profile->iommu;
	enum fit_iommu model = choose_model(emitter);
	fit_autofree char *found = fit_emit_found(emitter, "devices/iommu/@model");

	if (!iommu->intent.set || model == FIT_IOMMU_KEEP)
		return 0;
	if (found && iommu->intent.existing == FIT_EXISTING_KEEP) {
		fit_plan_reason(emitter->plan, FIT_REASON_KEPT, "iommu",
			"the definition's own IOMMU stays (model='%s')", found);
		return 0;
	}
	return has_what_it_needs(emitter, model) ? write_iommu(emitter, model) : 0;
}
