/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings of the cards whose VFs a domain has (sys/ethtool.h): of the interface of the physical
 * function. They are claimed at `start`, not before: making the VFs can change how many channels
 * the card has, and their baseline is what it has with them. Interrupts are looked at later still,
 * when those of new channels have their numbers. They end at `release`, before the VFs. Below
 * another root than "/" files stand for them.
 *
 * Another size of rings or number of channels resets the card: the link of all of its functions is
 * down for a moment. So these do not change, also not back, while somebody else uses a VF of it.
 */
#include "sys/resource_kinds.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/pciaddr.h"
#include "sys/ethtool.h"
#include "sys/paths.h"
#include "sys/value.h"
#include "sys/wanted.h"

#define DIRECTORY "/ethtool/"

/* PF/ethtool/SETTING, taken apart: the directory of the PF, to be freed, and the setting. */
static char *split_path(const char *path, const char **ret_setting)
{
	const char *found = strstr(path, DIRECTORY);

	*ret_setting = found ? found + strlen(DIRECTORY) : "";
	return fit_xstrndup(path, found ? (size_t)(found - path) : strlen(path));
}

static char *read_setting(
	const struct fit_fsroot *root, enum fit_resource_kind kind FIT_UNUSED, const char *path)
{
	const char *setting;
	fit_autofree char *pf = split_path(path, &setting);
	fit_autofree char *netdev = root->real ? fit_pci_netdev(root, pf) : NULL;

	if (!root->real)
		return fit_fsroot_try_read(root, path);
	return netdev ? fit_ethtool_read(netdev, setting) : NULL;
}

/* A feature that was not in force before need not be so again. */
static bool is_as_asked(const char *now, const char *target)
{
	size_t word = strcspn(target, ",");

	return fit_streq(now, target) || (target[word] && strncmp(now, target, word) == 0 &&
						 (!now[word] || now[word] == ','));
}

static int write_setting(const struct fit_state *state, enum fit_resource_kind kind,
	const char *path, const char *target, struct fit_err *err)
{
	const char *setting;
	fit_autofree char *pf = split_path(path, &setting);
	fit_autofree char *netdev = fit_pci_netdev(state->root, pf);
	fit_autofree char *now = NULL;

	if (!netdev)
		return fit_err_sys(err, ENOENT, "/%s has no network device", pf);
	if (state->root->real ? fit_ethtool_write(netdev, setting, target, err)
			      : fit_fsroot_write(state->root, path, target, err))
		return -1;
	now = read_setting(state->root, kind, path);
	if (now && is_as_asked(now, target))
		return 0;
	return fit_err_set(err, FIT_ERR_REFUSED, "%s %s of %s was set, '%s' is there", setting,
		target, netdev, now ? now : "nothing");
}

/* A driver that is loaded anew makes another interface, with settings of its own; with another
 * number of VFs it has other channels. */
static char *identity_of(const struct fit_fsroot *root, const char *path)
{
	const char *setting;
	fit_autofree char *pf = split_path(path, &setting);
	fit_autofree char *netdev = fit_pci_netdev(root, pf);
	fit_autofree char *number = netdev ? fit_xasprintf("%s/net/%s/ifindex", pf, netdev) : NULL;
	fit_autofree char *numvfs = fit_xasprintf("%s/sriov_numvfs", pf);
	fit_autofree char *index = number ? fit_fsroot_try_read(root, number) : NULL;
	fit_autofree char *vfs =
		fit_ethtool_is_channels(setting) ? fit_fsroot_try_read(root, numvfs) : NULL;

	return fit_xasprintf("%s%s%s", index ? index : "", vfs ? "/" : "", vfs ? vfs : "");
}

static char *obstacle_to(const struct fit_state *state, const char *path, const char *current,
	const char *target, const char *uuid)
{
	const char *setting;
	fit_autofree char *pf = split_path(path, &setting);
	fit_autofree char *user = NULL;

	if (!fit_ethtool_drops_link(setting) || fit_streq(current, target))
		return NULL;
	user = fit_vf_other_user(state, pf, uuid);
	return user ? fit_xasprintf("%s of %s is %s and should become %s, which would take the "
				    "link from others: %s",
			      setting, strrchr(pf, '/') + 1, current, target, user)
		    : NULL;
}

static char *obstacle(const struct fit_state *state, const struct fit_ledger_entry *entry,
	const char *current, const char *target, const char *uuid)
{
	return obstacle_to(state, entry->path, current, target, uuid);
}

const struct fit_resource_ops fit_resource_ethtool = {
	.name = "ethtool",
	.read = read_setting,
	.write = write_setting,
	.identity = identity_of,
	.obstacle = obstacle,
};

/* Why the card cannot get the value now; NULL: it can. To be freed. */
static char *complaint(const struct fit_expansion *expansion, const struct fit_op *op,
	const char *path, const char *netdev)
{
	const struct fit_state *state = expansion->state;
	fit_autofree char *current = read_setting(state->root, FIT_RESOURCE_ETHTOOL, path);
	fit_autofree char *objection = NULL;

	if (!current)
		return fit_xasprintf("%s '%s' cannot be set for %s: its driver does not offer it",
			op->path, op->value, netdev);
	if (state->root->real)
		objection = fit_ethtool_objection(netdev, op->path, op->value);
	if (objection)
		return fit_xasprintf(
			"%s '%s' cannot be set for %s: %s", op->path, op->value, netdev, objection);
	return obstacle_to(state, path, current, op->value, expansion->journal->uuid);
}

/* What has no network card behind it is not meant. */
static int want_for(struct fit_expansion *expansion, const struct fit_op *op,
	struct fit_pciaddr device, struct fit_err *err)
{
	const struct fit_fsroot *root = expansion->state->root;
	fit_autofree char *directory = NULL;
	fit_autofree char *netdev = NULL;
	fit_autofree char *message = NULL;
	fit_autofree char *path = NULL;
	struct fit_pciaddr pf = {0};
	unsigned int index;

	if (fit_vf_find(root, device, &pf, &index, NULL) < 0)
		return 0;
	directory = fit_xasprintf(FIT_PATH_PCI_DEVICES "/%s", FIT_PCIADDR_STR(pf));
	netdev = fit_pci_netdev(root, directory);
	if (!netdev)
		return 0;
	path = fit_xasprintf("%s" DIRECTORY "%s", directory, op->path);
	message = complaint(expansion, op, path, netdev);
	if (!message)
		fit_wanted_set(&expansion->wanted, FIT_RESOURCE_ETHTOOL, op, FIT_STEAL(path),
			fit_xstrdup(op->value));
	/* Several VFs of a card are one complaint. */
	else if (!op->optional || !expansion->notes ||
		 !fit_strlist_contains(expansion->notes, message))
		return fit_wanted_lacks(expansion, op, message, err);
	return 0;
}

int fit_ethtool_expand(
	struct fit_expansion *expansion, const struct fit_op *op, struct fit_err *err)
{
	for (size_t i = 0; i < op->device_count; i++)
		if (want_for(expansion, op, op->devices[i], err) < 0)
			return -1;
	return 0;
}
