/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's driver of a PCI device that the definition passes through and that libvirt leaves to
 * its user (managed='no'): before the start it gets the one that the profile names, after it the
 * one it had. The value is the driver and what driver_override says, "nvme -", "-" being nothing.
 *
 * A driver is given by driver_override and a probe: it alone is asked then, whatever else would
 * match. A device is given back the same way, so that the driver it had comes back and not just one
 * that matches (a VF gets none at all while its physical function's sriov_drivers_autoprobe is 0),
 * and then driver_override as it was. A driver that gives up a device waits for its users, hence
 * the time limit.
 */
#include "sys/resource_kinds.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/limited.h"
#include "sys/paths.h"
#include "sys/wanted.h"

#define NOTHING	     "-"
#define NO_OVERRIDE  "(null)" /* as the kernel shows it; written, it would be taken literally */
#define BRIDGE_CLASS "0x0604"

struct binding {
	char *driver;
	char *override;
};

static void clear_binding(struct binding *binding)
{
	free(binding->driver);
	free(binding->override);
}

static void parse_binding(const char *text, struct binding *ret_binding)
{
	size_t length = strcspn(text, " ");

	ret_binding->driver = fit_xstrndup(text, length);
	ret_binding->override = fit_xstrdup(text[length] ? text + length + 1 : NOTHING);
}

static char *print_binding(const char *driver, const char *override)
{
	return fit_xasprintf("%s %s", driver, override);
}

/* DEVICE/driver, the path of the resource, without its end. To be freed. */
static char *device_directory(const char *path)
{
	return fit_xstrndup(path, (size_t)(strrchr(path, '/') - path));
}

static char *read_driver(
	const struct fit_fsroot *root, enum fit_resource_kind kind FIT_UNUSED, const char *path)
{
	fit_autofree char *override_path = fit_sibling_path(path, "driver_override");
	fit_autofree char *override = fit_fsroot_try_read(root, override_path);
	fit_autofree char *driver = fit_fsroot_link_name(root, path);
	bool none = !override || !*override || fit_streq(override, NO_OVERRIDE);

	if (!fit_fsroot_exists(root, override_path))
		return NULL;
	return print_binding(driver ? driver : NOTHING, none ? NOTHING : override);
}

/* A driver that the device had anyway stays as it was bound. */
static char *target_of(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online FIT_UNUSED)
{
	const char *driver = contributions->items[contributions->count - 1];
	FIT_CLEANUP(clear_binding) struct binding before = {0};

	parse_binding(baseline, &before);
	return fit_streq(before.driver, driver) ? fit_xstrdup(baseline)
						: print_binding(driver, driver);
}

/* What driver_override says on the way to @to: the one that is to take the device. */
static const char *override_between(const struct binding *to)
{
	return fit_streq(to->driver, NOTHING) ? to->override : to->driver;
}

static void announce(
	const struct fit_fsroot *root, struct fit_ledger_entry *entry, const char *target)
{
	fit_autofree char *current = read_driver(root, entry->kind, entry->path);
	FIT_CLEANUP(clear_binding) struct binding from = {0};
	FIT_CLEANUP(clear_binding) struct binding to = {0};

	if (!current)
		return;
	parse_binding(current, &from);
	parse_binding(target, &to);
	for (int i = 0; i < 3; i++) {
		const char *driver = i == 0 ? from.driver : i == 1 ? NOTHING : to.driver;
		fit_autofree char *between = print_binding(driver, override_between(&to));

		fit_ledger_entry_will_write(entry, between);
	}
}

/* An empty line clears it. */
static int write_override(const struct fit_state *state, const char *directory,
	const char *override, struct fit_err *err)
{
	fit_autofree char *path = fit_xasprintf("%s/driver_override", directory);

	return fit_fsroot_write(
		state->root, path, fit_streq(override, NOTHING) ? "" : override, err);
}

static int write_address(
	const struct fit_state *state, const char *path, const char *directory, struct fit_err *err)
{
	if (fit_limited_write(
		    state->root, path, strrchr(directory, '/') + 1, state->deadline, err) == 0)
		return 0;
	if (err && err->sys_errno == ETIMEDOUT)
		return fit_err_prefix(err, "the driver waits for somebody who uses the device: ");
	return -1;
}

/* The kernel says that a probe went well, also when no driver took the device. */
static int probe(const struct fit_state *state, const char *directory, const char *driver,
	struct fit_err *err)
{
	fit_autofree char *link = fit_xasprintf("%s/driver", directory);
	fit_autofree char *now = NULL;

	if (write_address(state, FIT_PATH_PCI_PROBE, directory, err) < 0)
		return -1;
	now = fit_fsroot_link_name(state->root, link);
	if (fit_streq(now, driver))
		return 0;
	return fit_err_set(err, FIT_ERR_REFUSED,
		"/%s: the driver %s was asked to take the device and did not; it has %s now (the "
		"kernel's log may say why)",
		directory, driver, now ? now : "none");
}

/* Ends with driver_override, when the device has its driver. */
static int change_driver(const struct fit_state *state, const char *directory,
	const struct binding *from, const struct binding *to, struct fit_err *err)
{
	fit_autofree char *unbind = fit_xasprintf(FIT_PATH_PCI_DRIVERS "/%s/unbind", from->driver);
	const char *override = override_between(to);

	if (!fit_streq(from->override, override) &&
		write_override(state, directory, override, err) < 0)
		return -1;
	if (!fit_streq(from->driver, NOTHING) && write_address(state, unbind, directory, err) < 0)
		return -1;
	if (!fit_streq(to->driver, NOTHING) && probe(state, directory, to->driver, err) < 0)
		return -1;
	return fit_streq(override, to->override)
		       ? 0
		       : write_override(state, directory, to->override, err);
}

static int write_driver(const struct fit_state *state, enum fit_resource_kind kind,
	const char *path, const char *target, struct fit_err *err)
{
	fit_autofree char *directory = device_directory(path);
	fit_autofree char *before = read_driver(state->root, kind, path);
	FIT_CLEANUP(clear_binding) struct binding from = {0};
	FIT_CLEANUP(clear_binding) struct binding to = {0};
	fit_autofree char *now = NULL;
	int result;

	if (!before)
		return fit_err_sys(err, ENOENT, "there is no /%s any more", directory);
	parse_binding(before, &from);
	parse_binding(target, &to);
	result = fit_streq(from.driver, to.driver)
			 ? write_override(state, directory, to.override, err)
			 : change_driver(state, directory, &from, &to, err);
	if (result < 0)
		return -1;
	now = read_driver(state->root, kind, path);
	if (fit_streq(now, target))
		return 0;
	return fit_err_set(err, FIT_ERR_REFUSED,
		"/%s: '%s' was set (driver and driver_override), '%s' is there", directory, target,
		now ? now : "nothing");
}

const struct fit_resource_ops fit_resource_driver = {
	.name = "driver",
	.target = target_of,
	.read = read_driver,
	.write = write_driver,
	.announce = announce,
};

static bool is_for(const struct fit_op *op, const char *address)
{
	struct fit_pciaddr device;

	if (!fit_pciaddr_parse(address, &device))
		return false;
	for (size_t i = 0; i < op->device_count; i++)
		if (fit_pciaddr_equal(op->devices[i], device))
			return true;
	return false;
}

/* Is it one of the domain's? Those that are managed get a driver for guests from libvirt, after
 * this. */
static bool is_the_guests(
	const struct fit_expansion *expansion, const struct fit_op *op, const char *address)
{
	struct fit_pciaddr device;

	return is_for(op, address) || (fit_pciaddr_parse(address, &device) &&
					      fit_journal_has_device(expansion->journal, device));
}

/* What of the device's IOMMU group belongs to the host: no part of it goes to a guest then. NULL:
 * nothing. To be freed. */
static char *stranger_in_group(
	const struct fit_expansion *expansion, const struct fit_op *op, const char *directory)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autofree char *group = fit_xasprintf("%s/iommu_group/devices", directory);
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_list(root, group, &names, NULL) < 0)
		return fit_xstrdup("it is in no IOMMU group: is the IOMMU on?");
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.items[i];
		fit_autofree char *link = fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s/driver", name);
		fit_autofree char *class_path =
			fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s/class", name);
		fit_autofree char *driver = fit_fsroot_link_name(root, link);
		fit_autofree char *class = fit_fsroot_try_read(root, class_path);

		/* Of bridges vfio does not mind. */
		if (driver && !is_the_guests(expansion, op, name) && !strstr(driver, "vfio") &&
			!fit_streq(driver, "pci-stub") &&
			!(class && fit_starts_with(class, BRIDGE_CLASS)))
			return fit_xasprintf("%s is in the same IOMMU group, and the host has it "
					     "(driver %s)",
				name, driver);
	}
	return NULL;
}

/* Why the device cannot have the driver; NULL: it can. To be freed. */
static char *objection(
	const struct fit_expansion *expansion, const struct fit_op *op, const char *path)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autofree char *directory = device_directory(path);
	fit_autofree char *current = read_driver(root, FIT_RESOURCE_DRIVER, path);
	fit_autofree char *driver = fit_xasprintf(FIT_PATH_PCI_DRIVERS "/%s", op->value);
	FIT_CLEANUP(clear_binding) struct binding binding = {0};

	if (!current)
		return fit_xstrdup("this host has no such device");
	parse_binding(current, &binding);
	if (fit_streq(binding.driver, op->value))
		return NULL;
	if (strchr(op->value, '/') || *op->value == '.' || !fit_fsroot_exists(root, driver))
		return fit_xasprintf(
			"the driver is not loaded (modprobe, or a file in modules-load.d)");
	return strstr(op->value, "vfio") ? stranger_in_group(expansion, op, directory) : NULL;
}

int fit_driver_expand(struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err)
{
	for (size_t i = 0; i < op->device_count; i++) {
		const char *name = FIT_PCIADDR_STR(op->devices[i]);
		fit_autofree char *path = fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s/driver", name);
		fit_autofree char *why = objection(expansion, op, path);
		fit_autofree char *message = fit_xasprintf(
			"device %s cannot be given to %s: %s", name, op->value, why ? why : "");

		if (!why)
			fit_wanted_set(&expansion->wanted, FIT_RESOURCE_DRIVER, op, FIT_STEAL(path),
				fit_xstrdup(op->value));
		else if (fit_wanted_lacks(expansion, op, message, err) < 0)
			return -1;
	}
	return 0;
}
