/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPUs, nodes and devices come from the fitted definition alone, what is done with them from
 * the profile alone: nobody who can write the metadata of a domain decides what root writes.
 */
#include "core/hostops.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/alias.h"
#include "core/host_write.h"

void fit_hostops_clear(struct fit_hostops *ops)
{
	for (size_t i = 0; i < ops->count; i++) {
		free(ops->items[i].devices);
		free(ops->items[i].path);
		free(ops->items[i].value);
		free(ops->items[i].where);
		free(ops->items[i].scheduling.policy);
	}
	free(ops->items);
	*ops = (struct fit_hostops){0};
}

static struct fit_op *add_op(struct fit_hostops *ops, enum fit_op_kind kind)
{
	static const struct {
		enum fit_phase apply;
		enum fit_phase undo;
	} phases[] = {
		[FIT_OP_VF] = {FIT_PHASE_PREPARE, FIT_PHASE_RELEASE},
		[FIT_OP_PAGES] = {FIT_PHASE_PREPARE, FIT_PHASE_STOPPED},
		[FIT_OP_SETTING] = {FIT_PHASE_START, FIT_PHASE_STOPPED},
		[FIT_OP_ISOLATE] = {FIT_PHASE_START, FIT_PHASE_STOPPED},
		[FIT_OP_PARTITION] = {FIT_PHASE_STARTED, FIT_PHASE_STOPPED},
		[FIT_OP_VF_ATTRIBUTE] = {FIT_PHASE_START, FIT_PHASE_RELEASE},
		[FIT_OP_ETHTOOL] = {FIT_PHASE_START, FIT_PHASE_RELEASE},
		[FIT_OP_DRIVER] = {FIT_PHASE_PREPARE, FIT_PHASE_RELEASE},
		[FIT_OP_PF_UP] = {FIT_PHASE_PREPARE, FIT_PHASE_RELEASE},
		[FIT_OP_THREADS] = {FIT_PHASE_STARTED, FIT_PHASE_STOPPED},
		[FIT_OP_IRQS_ELSEWHERE] = {FIT_PHASE_STARTED, FIT_PHASE_STOPPED},
		[FIT_OP_IRQS_DEVICE] = {FIT_PHASE_STARTED, FIT_PHASE_STOPPED},
	};
	struct fit_op *op = FIT_APPEND(ops->items, ops->count);

	op->kind = kind;
	op->apply = phases[kind].apply;
	op->undo = phases[kind].undo;
	return op;
}

/* A VF that we gave the domain. */
static bool is_vf_of_ours(const struct fit_domain_hostdev *hostdev)
{
	return hostdev->ours && fit_starts_with(hostdev->alias, FIT_ALIAS_PREFIX "vf");
}

static char *place_of(const char *file, unsigned int line)
{
	return file ? fit_xasprintf("%s:%u", file, line) : NULL;
}

static char *place_of_intent(const struct fit_intent *intent)
{
	return place_of(intent->file, intent->line);
}

static void add_vfs(
	const struct fit_domain *fitted, const struct fit_profile *profile, struct fit_hostops *ops)
{
	for (size_t i = 0; i < fitted->hostdev_count; i++) {
		struct fit_op *op;

		if (!is_vf_of_ours(&fitted->hostdevs[i]))
			continue;
		if (profile->vfs.up && profile->vfs.class == FIT_VF_NETWORK)
			add_op(ops, FIT_OP_PF_UP)->device = fitted->hostdevs[i].source;
		op = add_op(ops, FIT_OP_VF);
		op->device = fitted->hostdevs[i].source;
		op->create = profile->vfs.create;
	}
}

/* @value is taken over; NULL: it is left as it is. */
static void add_attribute(struct fit_hostops *ops, const struct fit_profile *profile,
	struct fit_pciaddr vf, const char *name, char *value)
{
	struct fit_op *op;

	if (!value)
		return;
	op = add_op(ops, FIT_OP_VF_ATTRIBUTE);
	op->device = vf;
	op->path = fit_xstrdup(name);
	op->value = value;
	op->where = place_of_intent(&profile->vfs.intent);
	op->optional = !profile->vfs.missing_refuse;
}

static char *copy_word(const char *word)
{
	return word ? fit_xstrdup(word) : NULL;
}

/* By the number of the VF, which is in its name: see fit_alias_make(). */
static char *mac_of(const struct fit_intent_vfs *vfs, const char *alias)
{
	const char *digits = alias + strlen(FIT_ALIAS_PREFIX "vf");
	fit_autofree char *text = fit_xstrndup(digits, strcspn(digits, "-"));
	fit_autostrlist struct fit_strlist macs = {0};
	uint64_t number;

	if (!vfs->macs || !fit_parse_uint(text, UINT32_MAX, &number))
		return NULL;
	fit_strlist_split(&macs, vfs->macs, " ");
	return number < macs.count ? fit_xstrdup(macs.items[number]) : NULL;
}

static char *vlan_of(const struct fit_intent_vfs *vfs)
{
	if (!vfs->vlan)
		return NULL;
	return vfs->qos ? fit_xasprintf("%u qos %u", vfs->vlan, vfs->qos)
			: fit_xasprintf("%u", vfs->vlan);
}

/* The driver sets both at once. */
static char *rate_of(const struct fit_intent_vfs *vfs)
{
	if (!vfs->min_rate && !vfs->max_rate)
		return NULL;
	return fit_xasprintf("%u %u", vfs->min_rate == FIT_AUTO ? 0 : vfs->min_rate,
		vfs->max_rate == FIT_AUTO ? 0 : vfs->max_rate);
}

/* MAC and VLAN of an <interface> are libvirt's to set. */
static void add_vf_attributes(
	const struct fit_domain *fitted, const struct fit_profile *profile, struct fit_hostops *ops)
{
	const struct fit_intent_vfs *vfs = &profile->vfs;

	for (size_t i = 0; i < fitted->hostdev_count && vfs->class == FIT_VF_NETWORK; i++) {
		const struct fit_domain_hostdev *hostdev = &fitted->hostdevs[i];

		if (!vfs->intent.set || !is_vf_of_ours(hostdev))
			continue;
		if (!hostdev->is_interface) {
			add_attribute(
				ops, profile, hostdev->source, "mac", mac_of(vfs, hostdev->alias));
			add_attribute(ops, profile, hostdev->source, "vlan", vlan_of(vfs));
		}
		add_attribute(ops, profile, hostdev->source, "spoofchk", copy_word(vfs->spoofchk));
		add_attribute(ops, profile, hostdev->source, "trust", copy_word(vfs->trust));
		add_attribute(ops, profile, hostdev->source, "rate", rate_of(vfs));
		add_attribute(
			ops, profile, hostdev->source, "link-state", copy_word(vfs->link_state));
	}
}

/* What is managed libvirt gives another driver, and its own one back. */
static void add_driver(
	const struct fit_domain *fitted, const struct fit_profile *profile, struct fit_hostops *ops)
{
	const struct fit_intent_setting *intent = &profile->device_driver;
	struct fit_op *op = NULL;

	for (size_t i = 0; intent->value && i < fitted->hostdev_count; i++) {
		if (fitted->hostdevs[i].managed)
			continue;
		if (!op) {
			op = add_op(ops, FIT_OP_DRIVER);
			op->value = fit_xstrdup(intent->value);
			op->where = place_of_intent(&intent->intent);
			op->optional = !intent->missing_refuse;
		}
		*FIT_APPEND(op->devices, op->device_count) = fitted->hostdevs[i].source;
	}
}

static void add_ethtool(const struct fit_domain *fitted, const struct fit_profile *profile,
	const char *setting, const char *value, struct fit_hostops *ops)
{
	struct fit_op *op;

	if (!value)
		return;
	op = add_op(ops, FIT_OP_ETHTOOL);
	op->path = fit_xstrdup(setting);
	op->value = fit_xstrdup(value);
	op->where = place_of_intent(&profile->ethtool.intent);
	op->optional = !profile->ethtool.missing_refuse;
	for (size_t i = 0; i < fitted->hostdev_count; i++)
		*FIT_APPEND(op->devices, op->device_count) = fitted->hostdevs[i].source;
}

static void add_features(const struct fit_domain *fitted, const struct fit_profile *profile,
	const char *names, const char *except, const char *value, struct fit_hostops *ops)
{
	fit_autostrlist struct fit_strlist features = {0};
	fit_autostrlist struct fit_strlist others = {0};

	fit_strlist_split(&features, names ? names : "", " ");
	fit_strlist_split(&others, except ? except : "", " ");
	for (size_t i = 0; i < features.count; i++) {
		fit_autofree char *setting = fit_xasprintf("features/%s", features.items[i]);

		if (!fit_strlist_contains(&others, features.items[i]))
			add_ethtool(fitted, profile, setting, value, ops);
	}
}

/* Channels first: with other ones a driver may begin anew with the rest. What adapts itself stops
 * before it is given fixed values. */
static void add_ethtools(
	const struct fit_domain *fitted, const struct fit_profile *profile, struct fit_hostops *ops)
{
	const struct fit_intent_ethtool *ethtool = &profile->ethtool;
	const struct {
		const char *setting;
		const char *value;
	} settings[] = {
		{"rx-channels", ethtool->rx_channels},
		{"tx-channels", ethtool->tx_channels},
		{"combined-channels", ethtool->combined_channels},
		{"rx-ring", ethtool->rx_ring},
		{"tx-ring", ethtool->tx_ring},
		{"adaptive-rx", ethtool->adaptive_rx},
		{"adaptive-tx", ethtool->adaptive_tx},
		{"rx-usecs", ethtool->rx_usecs},
		{"rx-frames", ethtool->rx_frames},
		{"tx-usecs", ethtool->tx_usecs},
		{"tx-frames", ethtool->tx_frames},
	};

	if (!ethtool->intent.set || !fitted->hostdev_count)
		return;
	for (size_t i = 0; i < FIT_ARRAY_SIZE(settings); i++)
		add_ethtool(fitted, profile, settings[i].setting, settings[i].value, ops);
	add_features(fitted, profile, ethtool->features_on, ethtool->features_off, "on", ops);
	add_features(fitted, profile, ethtool->features_off, NULL, "off", ops);
}

static void add_threads(
	const struct fit_domain *fitted, const struct fit_profile *profile, struct fit_hostops *ops)
{
	for (unsigned int kind = 0; kind < FIT_THREADS_COUNT; kind++) {
		const struct fit_intent_threads *threads = &profile->threads[kind];
		bool move = threads->to_emulator && !fit_cpuset_is_empty(&fitted->emulator_pin);
		struct fit_op *op;

		if (!threads->intent.set || (!move && !threads->scheduling.policy))
			continue;
		op = add_op(ops, FIT_OP_THREADS);
		op->threads = (enum fit_thread_kind)kind;
		op->optional = true;
		if (move)
			op->cpus = fitted->emulator_pin;
		op->avoid = ops->exclusive_cpus;
		op->scheduling.priority = threads->scheduling.priority;
		op->scheduling.policy = copy_word(threads->scheduling.policy);
	}
}

/* Whoever asked for them, the guest does not start without its pages. */
static void add_pages(
	const struct fit_domain *fitted, const struct fit_profile *profile, struct fit_hostops *ops)
{
	size_t count;
	fit_autofree struct fit_page_demand *demands = fit_domain_page_demands(fitted, &count);

	for (size_t i = 0; i < count; i++) {
		struct fit_op *op = add_op(ops, FIT_OP_PAGES);

		op->nodes = demands[i].nodes;
		op->nodes_preferred = demands[i].nodes_preferred;
		op->memory_kib = demands[i].memory_kib;
		op->page_kib = demands[i].page_kib;
		op->pages = demands[i].pages;
		op->compact = profile->memory.compact;
	}
}

static struct fit_op *add_setting(
	struct fit_hostops *ops, enum fit_host_setting_id id, const char *value, bool refuse)
{
	struct fit_op *op = add_op(ops, FIT_OP_SETTING);

	op->setting = id;
	op->apply = fit_host_settings[id].phase;
	op->value = fit_xstrdup(value);
	op->optional = !refuse;
	return op;
}

/* Is there a CPU or a device that the setting would be for? */
static bool has_target(const struct fit_host_setting *setting, const struct fit_domain *fitted,
	const struct fit_hostops *ops)
{
	if (fit_host_setting_needs_cpus(setting))
		return !fit_cpuset_is_empty(&ops->own_cpus);
	return !fit_host_setting_needs_devices(setting) || fitted->hostdev_count;
}

static void add_settings(
	const struct fit_domain *fitted, const struct fit_profile *profile, struct fit_hostops *ops)
{
	for (unsigned int id = 0; id < FIT_SETTING_COUNT; id++) {
		const struct fit_intent_setting *intent = &profile->host[id];
		const struct fit_host_setting *setting = &fit_host_settings[id];
		struct fit_op *op;

		if (!intent->intent.set || !intent->value || !has_target(setting, fitted, ops))
			continue;
		op = add_setting(
			ops, (enum fit_host_setting_id)id, intent->value, intent->missing_refuse);
		op->where = place_of_intent(&intent->intent);
		if (fit_host_setting_needs_cpus(setting))
			op->cpus = ops->own_cpus;
		for (size_t i = 0;
			i < fitted->hostdev_count && fit_host_setting_needs_devices(setting); i++)
			*FIT_APPEND(op->devices, op->device_count) = fitted->hostdevs[i].source;
	}
}

static void add_writes(const struct fit_profile *profile, struct fit_hostops *ops)
{
	for (size_t i = 0; i < profile->write_count; i++) {
		const struct fit_host_write *write = &profile->writes[i];
		struct fit_op *op =
			add_setting(ops, write->setting, write->value, write->missing_refuse);

		op->path = fit_host_write_path(write->setting, write->name);
		op->where = place_of(write->file, write->line);
	}
}

static void add_isolation(const struct fit_profile *profile, struct fit_hostops *ops)
{
	const struct fit_cpuset *cpus =
		profile->isolate.cpus == FIT_ISOLATE_VCPUS ? &ops->exclusive_cpus : &ops->own_cpus;
	struct fit_op *op;

	if (!profile->isolate.intent.set || profile->isolate.cpus == FIT_ISOLATE_NOTHING ||
		fit_cpuset_is_empty(cpus))
		return;
	op = add_op(ops, FIT_OP_ISOLATE);
	op->cpus = *cpus;
	op->where = place_of_intent(&profile->isolate.intent);
	op->optional = !profile->isolate.missing_refuse;
	op->partition = profile->isolate.partition && !fit_cpuset_is_empty(&ops->exclusive_cpus);
	if (op->partition)
		add_op(ops, FIT_OP_PARTITION)->cpus = ops->exclusive_cpus;
}

/* vCPUs that the profile dedicates CPUs to, and that have them: pins that the user kept may float,
 * whatever it says. */
static struct fit_cpuset exclusive_cpus(
	const struct fit_domain *fitted, const struct fit_profile *profile)
{
	struct fit_cpuset vcpus = fit_intent_vcpus_dedicated(&profile->vcpus, fitted->vcpus);
	struct fit_cpuset held = fit_domain_held_cpus(fitted);
	struct fit_cpuset cpus = {0};

	if (!profile->vcpus.intent.set || profile->vcpus.shared)
		return cpus;
	if (!profile->vcpus.dedicated)
		return fit_domain_floats(fitted) ? cpus : held;
	for (size_t i = 0; i < fitted->vcpu_pin_count; i++)
		if (fit_cpuset_contains(&vcpus, fitted->vcpu_pins[i].id))
			fit_cpuset_unite(&cpus, &fitted->vcpu_pins[i].cpus);
	fit_cpuset_intersect(&cpus, &held);
	return cpus;
}

/* The device's own node is where the kernel puts interrupts by default: nothing to do for it. */
static struct fit_cpuset interrupt_cpus(const struct fit_domain *fitted,
	const struct fit_profile *profile, const struct fit_hostops *ops)
{
	switch (profile->interrupts.devices_to) {
	case FIT_PLACE_VCPUS:
		return profile->vcpus.dedicated && !fit_cpuset_is_empty(&ops->exclusive_cpus)
			       ? ops->exclusive_cpus
			       : fit_domain_vcpu_cpus(fitted);
	case FIT_PLACE_HOUSEKEEPING:
		return fitted->emulator_pin;
	default:
		return (struct fit_cpuset){0};
	}
}

static void add_interrupts(
	const struct fit_domain *fitted, const struct fit_profile *profile, struct fit_hostops *ops)
{
	struct fit_cpuset cpus = interrupt_cpus(fitted, profile, ops);

	if (!profile->interrupts.intent.set)
		return;
	ops->interrupt_cpus = cpus;
	ops->interrupts_spread = profile->interrupts.devices_to == FIT_PLACE_VCPUS;
	if (profile->interrupts.others_elsewhere && !fit_cpuset_is_empty(&ops->own_cpus)) {
		add_op(ops, FIT_OP_IRQS_ELSEWHERE)->cpus = ops->own_cpus;
		/* A passed-through device gets its vectors from the guest's driver, when the hook
		 * is long over: they too are born where the default says. */
		if (!fitted->hostdev_count || !fit_cpuset_intersects(&cpus, &ops->own_cpus))
			add_setting(ops, FIT_SETTING_NEW_INTERRUPTS, "elsewhere", false)->cpus =
				ops->own_cpus;
	}
	for (size_t i = 0; i < fitted->hostdev_count && !fit_cpuset_is_empty(&cpus); i++) {
		struct fit_op *op = add_op(ops, FIT_OP_IRQS_DEVICE);

		op->device = fitted->hostdevs[i].source;
		op->cpus = cpus;
	}
}

void fit_hostops_derive(const struct fit_domain *fitted, const struct fit_profile *profile,
	struct fit_hostops *ret_ops)
{
	struct fit_hostops ops = {0};

	ops.exclusive_cpus = exclusive_cpus(fitted, profile);
	ops.own_cpus = ops.exclusive_cpus;
	if (!fit_cpuset_is_empty(&ops.own_cpus))
		fit_domain_add_own_iothreads(fitted, &ops.own_cpus);
	add_vfs(fitted, profile, &ops);
	add_pages(fitted, profile, &ops);
	add_settings(fitted, profile, &ops);
	add_writes(profile, &ops);
	add_isolation(profile, &ops);
	add_driver(fitted, profile, &ops);
	add_ethtools(fitted, profile, &ops);
	add_vf_attributes(fitted, profile, &ops);
	add_threads(fitted, profile, &ops);
	add_interrupts(fitted, profile, &ops);
	*ret_ops = ops;
}

bool fit_hostops_left_out(const struct fit_profile *profile, const struct fit_hostops *ops,
	struct fit_strlist *ret_names)
{
	bool refuse = false;

	if (!fit_cpuset_is_empty(&ops->own_cpus))
		return false;
	for (unsigned int id = 0; id < FIT_SETTING_COUNT; id++) {
		const struct fit_intent_setting *intent = &profile->host[id];

		if (!intent->intent.set || !intent->value ||
			!fit_host_setting_needs_cpus(&fit_host_settings[id]))
			continue;
		fit_strlist_addf(ret_names, "<%s>", fit_host_settings[id].name);
		refuse |= intent->missing_refuse;
	}
	if (profile->isolate.intent.set && profile->isolate.cpus != FIT_ISOLATE_NOTHING) {
		fit_strlist_add(ret_names, "<isolate>");
		refuse |= profile->isolate.missing_refuse;
	}
	return refuse;
}

static char *describe_pages(const struct fit_op *op)
{
	fit_autofree char *size = fit_format_size_kib(op->page_kib ? op->page_kib : op->memory_kib);
	fit_autofree char *nodes = fit_cpuset_is_empty(&op->nodes)
					   ? fit_xstrdup("any node")
					   : fit_cpuset_describe(&op->nodes, "node");

	const char *how = op->compact ? ", memory compacted if need be" : "";

	if (op->page_kib == 0)
		return fit_xasprintf(
			"%s in pages of the host's default size on %s%s", size, nodes, how);
	return fit_xasprintf("%llu page%s of %s on %s%s", (unsigned long long)op->pages,
		fit_plural(op->pages), size, nodes, how);
}

static char *list_devices(const struct fit_op *op)
{
	fit_autostrlist struct fit_strlist devices = {0};

	for (size_t i = 0; i < op->device_count; i++)
		fit_strlist_add(&devices, FIT_PCIADDR_STR(op->devices[i]));
	return fit_strlist_join(&devices, ", ");
}

static char *describe_setting(const struct fit_op *op, const char *cpus)
{
	const struct fit_host_setting *setting = &fit_host_settings[op->setting];
	fit_autofree char *list = list_devices(op);
	const char *bound = "";

	if (op->path)
		return fit_xasprintf("%s %s = %s", setting->noun, op->path, op->value);
	if (setting->combine == FIT_COMBINE_WITHOUT)
		return fit_xasprintf("%s off %s", setting->noun, cpus);
	if (setting->bound)
		bound = setting->combine == FIT_COMBINE_LOWEST ? "at most " : "at least ";
	return fit_xasprintf("%s %s%s%s%s", setting->noun, bound, op->value,
		*list				       ? " of "
		: fit_host_setting_needs_cpus(setting) ? " on "
						       : "",
		*list				       ? list
		: fit_host_setting_needs_cpus(setting) ? cpus
						       : "");
}

static char *describe_threads(const struct fit_op *op, const char *cpus)
{
	static const char *const names[] = {
		[FIT_THREADS_VHOST] = "vhost threads",
		[FIT_THREADS_KVM] = "threads of KVM",
		[FIT_THREADS_QEMU] = "other threads of QEMU",
	};
	bool moved = !fit_cpuset_is_empty(&op->cpus);

	if (!op->scheduling.policy)
		return fit_xasprintf("%s on %s", names[op->threads], cpus);
	return fit_xasprintf("%s %s%s%swith scheduler %s %u", names[op->threads],
		moved ? "on " : "", moved ? cpus : "", moved ? ", " : "", op->scheduling.policy,
		op->scheduling.priority);
}

static char *describe_driver(const struct fit_op *op)
{
	fit_autofree char *devices = list_devices(op);

	return fit_xasprintf("driver %s for %s", op->value, devices);
}

static char *describe_ethtool(const struct fit_op *op)
{
	const char *name = strrchr(op->path, '/');

	return fit_xasprintf("the card's %s %s", name ? name + 1 : op->path, op->value);
}

char *fit_op_describe(const struct fit_op *op)
{
	fit_autofree char *cpus = fit_cpuset_describe(&op->cpus, "CPU");

	switch (op->kind) {
	case FIT_OP_VF:
		return fit_xasprintf("VF %s", FIT_PCIADDR_STR(op->device));
	case FIT_OP_PAGES:
		return describe_pages(op);
	case FIT_OP_SETTING:
		return describe_setting(op, cpus);
	case FIT_OP_VF_ATTRIBUTE:
		return fit_xasprintf(
			"%s %s of VF %s", op->path, op->value, FIT_PCIADDR_STR(op->device));
	case FIT_OP_DRIVER:
		return describe_driver(op);
	case FIT_OP_ETHTOOL:
		return describe_ethtool(op);
	case FIT_OP_PF_UP:
		return fit_xasprintf("physical function of VF %s up", FIT_PCIADDR_STR(op->device));
	case FIT_OP_THREADS:
		return describe_threads(op, cpus);
	case FIT_OP_ISOLATE:
		return fit_xasprintf("processes of the host off %s", cpus);
	case FIT_OP_PARTITION:
		return fit_xasprintf("isolated partitions of %s", cpus);
	case FIT_OP_IRQS_ELSEWHERE:
		return fit_xasprintf("interrupts of other devices off %s", cpus);
	case FIT_OP_IRQS_DEVICE:
		return fit_xasprintf("interrupts of %s to %s", FIT_PCIADDR_STR(op->device), cpus);
	}
	return fit_xstrdup("");
}
