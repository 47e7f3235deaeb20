/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual functions: sriov_numvfs of their physical function. The kernel goes from n to m VFs only
 * by way of 0, which takes all n away, so that is done only when nobody uses one of them.
 *
 * While VFs that we made are there, sriov_drivers_autoprobe (Linux 4.12) is off: they are for
 * guests, libvirt binds them to vfio-pci itself, and a host driver would only give the network
 * manager interfaces to bring up.
 */
#include "sys/wanted.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "sys/clock.h"
#include "sys/paths.h"
#include "sys/resource_kinds.h"

#define POLL_MS	  10
#define APPEAR_MS 5000
#define VFS_MAX	  UINT16_MAX /* NumVFs is a 16-bit register */

static int64_t read_attribute(
	const struct fit_fsroot *root, struct fit_pciaddr pf, const char *name)
{
	fit_autofree char *path =
		fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s/%s", FIT_PCIADDR_STR(pf), name);
	int64_t value;

	return fit_fsroot_try_read_int(root, path, &value) && value >= 0 && value <= VFS_MAX ? value
											     : 0;
}

static bool read_link(const struct fit_fsroot *root, const char *directory, const char *name,
	struct fit_pciaddr *ret_addr)
{
	fit_autofree char *path = fit_xasprintf("%s/%s", directory, name);
	fit_autofree char *target = fit_fsroot_link_name(root, path);

	return target && fit_pciaddr_parse(target, ret_addr);
}

static bool read_virtfn(const struct fit_fsroot *root, const char *pf_directory, unsigned int index,
	struct fit_pciaddr *ret_vf)
{
	fit_autofree char *name = fit_xasprintf("virtfn%u", index);

	return read_link(root, pf_directory, name, ret_vf);
}

/* Number of @vf on @pf by the SR-IOV capability; -1 when it is none of its VFs. */
static int index_by_number(
	const struct fit_fsroot *root, struct fit_pciaddr pf, struct fit_pciaddr vf)
{
	int64_t total = read_attribute(root, pf, "sriov_totalvfs");
	unsigned int offset = (unsigned int)read_attribute(root, pf, "sriov_offset");
	unsigned int stride = (unsigned int)read_attribute(root, pf, "sriov_stride");

	for (unsigned int i = 0; i < total && fit_pciaddr_has_vf(pf, offset, stride, i); i++)
		if (fit_pciaddr_equal(fit_pciaddr_vf(pf, offset, stride, i), vf))
			return (int)i;
	return -1;
}

int fit_vf_find(const struct fit_fsroot *root, struct fit_pciaddr vf, struct fit_pciaddr *ret_pf,
	unsigned int *ret_index, struct fit_err *err)
{
	fit_autofree char *vf_directory =
		fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s", FIT_PCIADDR_STR(vf));
	fit_autostrlist struct fit_strlist names = {0};
	struct fit_pciaddr pf, other;

	if (read_link(root, vf_directory, "physfn", &pf)) {
		fit_autofree char *pf_directory =
			fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s", FIT_PCIADDR_STR(pf));

		for (unsigned int i = 0; read_virtfn(root, pf_directory, i, &other); i++) {
			if (fit_pciaddr_equal(other, vf)) {
				*ret_pf = pf;
				*ret_index = i;
				return 0;
			}
		}
	}
	if (fit_fsroot_list(root, FIT_PATH_PCI_DEVICES, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		int index;

		if (!fit_pciaddr_parse(names.items[i], &pf) || pf.domain != vf.domain)
			continue;
		index = index_by_number(root, pf, vf);
		if (index >= 0) {
			*ret_pf = pf;
			*ret_index = (unsigned int)index;
			return 0;
		}
	}
	return fit_err_set(err, FIT_ERR_REFUSED,
		"%s is a VF of no device of this host (its physical function is gone, or its "
		"driver does not offer SR-IOV)",
		FIT_PCIADDR_STR(vf));
}

static uint64_t already_wanted(const struct fit_wanted_list *list, const char *path)
{
	for (size_t i = 0; i < list->count; i++)
		if (fit_streq(list->items[i].path, path))
			return fit_resource_number(list->items[i].contribution);
	return 0;
}

/* All VFs are going to be made by us, or were so for another domain. Where the host has some of its
 * own, they come back with their drivers when the number changes. */
static void expand_autoprobe(
	struct fit_expansion *expansion, const struct fit_op *op, const char *numvfs)
{
	fit_autofree char *path = fit_sibling_path(numvfs, "sriov_drivers_autoprobe");
	fit_autofree char *current = fit_fsroot_try_read(expansion->state->root, numvfs);

	if (!fit_fsroot_exists(expansion->state->root, path))
		return;
	if (fit_ledger_find(&expansion->state->ledger, path) ||
		(current && fit_resource_number(current) == 0))
		fit_wanted_set(&expansion->wanted, FIT_RESOURCE_AUTOPROBE, op, FIT_STEAL(path),
			fit_xstrdup("0"));
}

/* What the user has called like a VF of ours may be anything: all it needs is there. */
static bool is_no_vf(const struct fit_fsroot *root, struct fit_pciaddr device)
{
	fit_autofree char *directory =
		fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s", FIT_PCIADDR_STR(device));
	struct fit_pciaddr pf;

	return fit_fsroot_exists(root, directory) && !read_link(root, directory, "physfn", &pf);
}

int fit_vf_expand(struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autofree char *path = NULL;
	struct fit_pciaddr pf = {0};
	unsigned int index = 0;
	uint64_t count, total;

	if (is_no_vf(root, op->device))
		return 0;
	if (fit_vf_find(root, op->device, &pf, &index, err) < 0)
		return -1;
	path = fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s/sriov_numvfs", FIT_PCIADDR_STR(pf));
	count = index + 1 > op->create ? index + 1 : op->create;
	if (already_wanted(&expansion->wanted, path) > count)
		count = already_wanted(&expansion->wanted, path);
	total = (uint64_t)read_attribute(root, pf, "sriov_totalvfs");
	if (count > total)
		return fit_err_set(err, FIT_ERR_REFUSED, "%llu VFs wanted, %s has %llu",
			(unsigned long long)count, FIT_PCIADDR_STR(pf), (unsigned long long)total);
	expand_autoprobe(expansion, op, path);
	fit_wanted_set(&expansion->wanted, FIT_RESOURCE_VFS, op, FIT_STEAL(path),
		fit_xasprintf("%llu", (unsigned long long)count));
	return 0;
}

/* Drivers through which a guest or another domain has the device. */
static bool is_guest_driver(const char *driver)
{
	return strstr(driver, "vfio") || strstr(driver, "pciback") || fit_streq(driver, "pci-stub");
}

static bool netdev_is_up(const struct fit_fsroot *root, const char *device, char **ret_name)
{
	fit_autofree char *net = fit_xasprintf("%s/net", device);
	fit_autostrlist struct fit_strlist names = {0};

	if (fit_fsroot_list(root, net, &names, NULL) < 0)
		return false;
	for (size_t i = 0; i < names.count; i++) {
		fit_autofree char *path = fit_xasprintf("%s/%s/operstate", net, names.items[i]);
		fit_autofree char *operstate = fit_fsroot_try_read(root, path);

		if (fit_streq(operstate, "up")) {
			*ret_name = fit_xstrdup(names.items[i]);
			return true;
		}
	}
	return false;
}

static const struct fit_journal *holder(
	const struct fit_state *state, struct fit_pciaddr vf, const char *uuid)
{
	for (size_t i = 0; i < state->journal_count; i++) {
		const struct fit_journal *journal = &state->journals[i];

		if (strcasecmp(journal->uuid, uuid) != 0 && fit_journal_has_device(journal, vf))
			return journal;
	}
	return NULL;
}

/* Who uses a VF; NULL when nobody does. @is_hosts: it existed before us, so the host's own use of
 * it counts. (A VF that we made may have been brought up by a network manager that found it.) */
static char *user_of(
	const struct fit_state *state, struct fit_pciaddr vf, bool is_hosts, const char *uuid)
{
	fit_autofree char *device = fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s", FIT_PCIADDR_STR(vf));
	fit_autofree char *link = fit_xasprintf("%s/driver", device);
	fit_autofree char *driver = fit_fsroot_link_name(state->root, link);
	const struct fit_journal *other = holder(state, vf, uuid);
	fit_autofree char *netdev = NULL;

	if (other) {
		fit_autofree char *name = fit_printable(other->name);

		return fit_xasprintf("is held by the domain '%s'", name);
	}
	if (driver && is_guest_driver(driver))
		return fit_xasprintf("is bound to %s", driver);
	if (is_hosts && netdev_is_up(state->root, device, &netdev))
		return fit_xasprintf("is used by the host (%s is up)", netdev);
	return NULL;
}

char *fit_vf_other_user(const struct fit_state *state, const char *pf_directory, const char *uuid)
{
	struct fit_pciaddr vf;

	for (unsigned int i = 0; read_virtfn(state->root, pf_directory, i, &vf); i++) {
		const struct fit_journal *journal = holder(state, vf, "");
		fit_autofree char *user = NULL;

		if (!journal || (journal->stage == FIT_STAGE_STARTED &&
					strcasecmp(journal->uuid, uuid) != 0))
			user = user_of(state, vf, false, uuid);
		if (user)
			return fit_xasprintf("VF %u (%s) %s", i, FIT_PCIADDR_STR(vf), user);
	}
	return NULL;
}

static char *largest(enum fit_resource_kind kind FIT_UNUSED, const char *baseline,
	const struct fit_strlist *contributions, const struct fit_cpuset *online FIT_UNUSED)
{
	uint64_t value = fit_resource_number(baseline);

	for (size_t i = 0; i < contributions->count; i++) {
		uint64_t claimed = fit_resource_number(contributions->items[i]);

		if (claimed > value)
			value = claimed;
	}
	return fit_xasprintf("%llu", (unsigned long long)value);
}

/* Somebody uses a VF that would go away. The domain's own devices do not count. */
static char *obstacle(const struct fit_state *state, const struct fit_ledger_entry *entry,
	const char *current, const char *target, const char *uuid)
{
	fit_autofree char *directory =
		fit_xstrndup(entry->path, strrchr(entry->path, '/') - entry->path);
	uint64_t count = fit_resource_number(current);

	if (fit_resource_number(target) == count)
		return NULL;
	for (unsigned int i = 0; i < count && i < VFS_MAX; i++) {
		fit_autofree char *user = NULL;
		struct fit_pciaddr vf;

		if (!read_virtfn(state->root, directory, i, &vf))
			continue;
		user = user_of(state, vf, i < fit_resource_number(entry->baseline), uuid);
		if (user)
			return fit_xasprintf("%s has %s VFs and should get %s, but VF %u (%s) %s",
				strrchr(directory, '/') + 1, current, target, i,
				FIT_PCIADDR_STR(vf), user);
	}
	return NULL;
}

/* More VFs than the claims need, because somebody uses one that would go: a start needs no fewer.
 */
static bool suffices(const char *current, const char *target)
{
	return fit_resource_number(current) >= fit_resource_number(target);
}

/* What a driver's refusal means. */
static int explain(struct fit_err *err)
{
	switch (err->sys_errno) {
	case ENOSPC:
		return fit_err_prefix(err, "no bus numbers or MSI-X vectors left for the VFs: ");
	case ENOENT:
	case ENOSYS:
		return fit_err_prefix(err, "the device's driver cannot create VFs: ");
	case ENOMEM:
		return fit_err_prefix(err, "no room for the VFs' memory regions (BIOS setting): ");
	case ERANGE:
		return fit_err_prefix(err, "the device does not have so many VFs: ");
	case EBUSY:
		return fit_err_prefix(
			err, "somebody else has made VFs meanwhile, or one of them is in use: ");
	case EINVAL:
		return fit_err_prefix(
			err, "the device's driver does not take this number of VFs: ");
	default:
		return -1;
	}
}

/* The links come a little later than the write returns. */
static int wait_for_vfs(
	const struct fit_state *state, const char *directory, uint64_t count, struct fit_err *err)
{
	int64_t deadline = fit_clock_ms() + APPEAR_MS;
	struct fit_pciaddr vf;
	unsigned int i = 0;

	if (deadline > state->deadline)
		deadline = state->deadline;
	for (;;) {
		while (i < count && read_virtfn(state->root, directory, i, &vf))
			i++;
		if (i == count)
			return 0;
		if (!fit_clock_wait(POLL_MS, deadline))
			return fit_err_set(err, FIT_ERR_REFUSED,
				"/%s: %llu VFs were created, but VF %u did not appear", directory,
				(unsigned long long)count, i);
	}
}

static int write_number(const struct fit_state *state, enum fit_resource_kind kind FIT_UNUSED,
	const char *path, const char *target, struct fit_err *err)
{
	fit_autofree char *directory = fit_xstrndup(path, strrchr(path, '/') - path);
	fit_autofree char *before = fit_fsroot_try_read(state->root, path);
	fit_autofree char *now = NULL;
	uint64_t count = fit_resource_number(target);

	if (before && fit_resource_number(before) && count &&
		fit_fsroot_write(state->root, path, "0", err) < 0)
		return explain(err);
	if (fit_fsroot_write(state->root, path, target, err) < 0)
		return explain(err);
	now = fit_fsroot_try_read(state->root, path);
	if (!now || !fit_resource_equal(FIT_RESOURCE_VFS, now, target))
		return fit_err_set(err, FIT_ERR_REFUSED, "/%s: %s VFs wanted, %s are there", path,
			target, now ? now : "none");
	return wait_for_vfs(state, directory, count, err);
}

const struct fit_resource_ops fit_resource_vfs = {
	.name = "vfs",
	.equal = fit_resource_equal_numbers,
	.target = largest,
	.write = write_number,
	.obstacle = obstacle,
	.suffices = suffices,
};

const struct fit_resource_ops fit_resource_autoprobe = {.name = "autoprobe"};
